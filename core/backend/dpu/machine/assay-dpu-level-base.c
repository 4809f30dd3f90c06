/* assay-dpu-level-base.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/dpu/machine/assay-dpu-level-channels.h"
#include "backend/dpu/machine/assay-dpu-level-rows.h"

#include <string.h>

#define LANES 8

static void
gemm (const gint8 *rows, gsize stride, guint m, const gint8 *packed, const gint32 *column_sums,
      guint k, guint n, gint32 *sums)
{
  for (guint i = 0; i < m; i++, rows += stride, sums += n)
    for (guint j = 0; j < n; j += LANES)
      {
        const gint8 *weights = packed + (gsize) j * k;
        gint32 sum[LANES] = { 0 };

        for (guint l = 0; l < k; l++, weights += LANES)
          for (guint lane = 0; lane < LANES; lane++)
            sum[lane] += rows[l] * weights[lane];
        memcpy (sums + j, sum, sizeof sum);
      }
}

const AssayDpuLevel assay_dpu_level_base = { "base",   LANES,   1,   gemm,    accumulate, finish,
                                             channels, largest, sum, product, fix };
