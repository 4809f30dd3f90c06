/* fuzz-delegate.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of delegates: whatever is loaded leads to a plan that reaches nowhere outside.
 */
#include "backend/delegate/assay-delegate-program.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (AssayProgram) program = assay_delegate_program_load (bytes, NULL);

  if (program == NULL)
    return 0;
  for (guint keep_all = 0; keep_all < 2; keep_all++)
    {
      const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
          ASSAY_DELEGATE_PROGRAM (program), keep_all == 1);
      g_autoptr (GError) error = NULL;

      g_assert_true (assay_gpu_plan_verify (plan->gpu, &error));
    }

  return 0;
}
