/* fuzz-gpu-plan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "backend/delegate/assay-gpu-plan.h"

#include "fuzz.h"
#include "mutate-numbers.h"

#define DIGEST 32
/* Where a plan says which shaders it was made for. */
#define SHADERS (24 + 8 * (ASSAY_GPU_N_SPACES + 1) + 24)
#define SHADERS_SIZE 64

/* All of a plan are numbers of four bytes, or of eight at a place that eight divides. */
FUZZ_MUTATOR (gpu_plan)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (gint n = g_rand_int_range (random, 1, 4); n > 0 && size >= sizeof (guint64); n--)
    {
      gsize width = g_rand_int_range (random, 0, 3) == 0 ? sizeof (guint64) : sizeof (guint32);
      gsize at = g_rand_int (random) % (size / width) * width;
      guint64 value = 0;

      memcpy (&value, data + at, width);
      value = mutate_number (value, random);
      memcpy (data + at, &value, width);
    }

  return size;
}

/* Both digests are set right: with wrong ones all that could be tried is how they are refused, and
 * the corpus would be of no use after every change of a shader. */
FUZZ_TARGET (gpu_plan)
{
  g_autofree guint8 *mended = g_malloc (size + DIGEST);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayGpuPlan) empty = assay_gpu_plan_new ();
  g_autoptr (GBytes) own = assay_gpu_plan_to_bytes (empty);
  g_autoptr (AssayGpuPlan) plan = NULL;
  gsize length = DIGEST;

  if (size > 0)
    memcpy (mended, data, size);
  if (size >= SHADERS + SHADERS_SIZE)
    memcpy (mended + SHADERS, (const guint8 *) g_bytes_get_data (own, NULL) + SHADERS,
            SHADERS_SIZE);
  g_checksum_update (sum, mended, (gssize) size);
  g_checksum_get_digest (sum, mended + size, &length);
  bytes = g_bytes_new (mended, size + DIGEST);
  plan = assay_gpu_plan_from_bytes (bytes, NULL);
  if (plan != NULL)
    {
      g_autoptr (GBytes) again = assay_gpu_plan_to_bytes (plan);

      g_assert_true (g_bytes_equal (bytes, again));
      fuzz_n_taken++;
    }

  return 0;
}
