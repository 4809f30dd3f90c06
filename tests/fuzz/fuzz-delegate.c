/* fuzz-delegate.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of delegates: whatever is loaded leads to a plan that reaches nowhere outside.
 */
#include "backend/delegate/assay-delegate-program.h"

#include "fuzz.h"
#include "mutate-numbers.h"

/* Numbers change, and now and then where a node runs. */
FUZZ_MUTATOR (delegate)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  mutate_digits (data, size, random);
  for (gsize i = 0; i + 2 < size && data[i + 1] != '\n'; i++)
    if (data[i] == '\n' && (data[i + 1] == 'd' || data[i + 1] == 'h') && data[i + 2] == ' ' &&
        g_rand_int_range (random, 0, 8) == 0)
      data[i + 1] ^= 'd' ^ 'h';

  return size;
}

FUZZ_TARGET (delegate)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (AssayProgram) program = assay_delegate_program_load (bytes, NULL);

  if (program == NULL)
    return 0;
  fuzz_n_taken++;
  for (guint keep_all = 0; keep_all < 2; keep_all++)
    {
      const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
          ASSAY_DELEGATE_PROGRAM (program), keep_all == 1);
      g_autoptr (GError) error = NULL;

      g_assert_true (assay_gpu_plan_verify (plan->gpu, &error));
    }

  return 0;
}
