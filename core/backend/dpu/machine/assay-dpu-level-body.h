/* assay-dpu-level-body.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * The product of one level; included by a file that says how a vector of weights is loaded, how
 * inputs are spread over its lanes, and how both are multiplied and added up. Rows and groups of
 * outputs are worked on together so that each load serves several products; their numbers are
 * known to the compiler, which keeps the sums in registers.
 */
#include "backend/dpu/machine/assay-dpu-kernels.h"

#include <string.h>

#define MAX_ROWS 6
#define MAX_GROUPS (LANES >= 16 ? 4 : 2)

static inline __attribute__ ((always_inline)) void
tile (const gint8 *rows, gsize stride, const guint n_rows, const gint8 *packed,
      const gint32 *column_sums, const guint n_groups, guint k, guint n, gint32 *sums)
{
  gsize group = (gsize) k * LANES;
  Sums sum[MAX_ROWS][MAX_GROUPS];

  for (guint g = 0; g < n_groups; g++)
    for (guint i = 0; i < n_rows; i++)
      sum[i][g] = first_sums (column_sums + g * LANES);
  for (guint l = 0; l < k; l += STEP)
    {
      Weights weights[MAX_GROUPS];

      for (guint g = 0; g < n_groups; g++)
        weights[g] = load_weights (packed + g * group + (gsize) l * LANES);
      for (guint i = 0; i < n_rows; i++)
        {
          Inputs inputs = spread_inputs (rows + i * stride + l);

          for (guint g = 0; g < n_groups; g++)
            sum[i][g] = add_products (sum[i][g], inputs, weights[g]);
        }
    }
  for (guint i = 0; i < n_rows; i++)
    for (guint g = 0; g < n_groups; g++)
      memcpy (sums + (gsize) i * n + g * LANES, &sum[i][g], sizeof (Sums));
}

static inline __attribute__ ((always_inline)) void
panel (const gint8 *rows, gsize stride, guint m, const gint8 *packed, const gint32 *column_sums,
       const guint n_groups, guint k, guint n, gint32 *sums)
{
  guint i = 0;

  for (; i + MAX_ROWS <= m; i += MAX_ROWS)
    tile (rows + i * stride, stride, MAX_ROWS, packed, column_sums, n_groups, k, n,
          sums + (gsize) i * n);
  for (; i < m; i++)
    tile (rows + i * stride, stride, 1, packed, column_sums, n_groups, k, n, sums + (gsize) i * n);
}

static void
gemm (const gint8 *rows, gsize stride, guint m, const gint8 *packed, const gint32 *column_sums,
      guint k, guint n, gint32 *sums)
{
  guint j = 0;

  for (; j + MAX_GROUPS * LANES <= n; j += MAX_GROUPS * LANES)
    panel (rows, stride, m, packed + (gsize) j * k, column_sums + j, MAX_GROUPS, k, n, sums + j);
  for (; j < n; j += LANES)
    panel (rows, stride, m, packed + (gsize) j * k, column_sums + j, 1, k, n, sums + j);
}
