/* neon-agrees.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cross-compiled for aarch64 and run under an emulator: the NEON kernels against the scalar ones,
 * to the bit. Speaks TAP itself, since no GLib is linked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/stream/machine/kernels/assay-kernels.h"

#define N 4099

extern const AssayKernels assay_kernels_scalar;
extern const AssayKernels assay_kernels_neon;

static int failed;

static void
report (const char *what, int number, const void *a, const void *b, size_t size)
{
  int same = memcmp (a, b, size) == 0;

  failed += !same;
  printf ("%sok - %s %d\n", same ? "" : "not ", what, number);
}

int
main (void)
{
  static float src[N], left[N], right[N], scalar[N], neon[N];
  static guint16 panel[N / ASSAY_PANEL * ASSAY_PANEL];
  const gsize n_k = N / ASSAY_PANEL;

  for (guint32 i = 0; i < N; i++)
    {
      guint32 bits = i * 2654435761u;

      memcpy (&src[i], &bits, sizeof bits);
      left[i] = (float) (i % 97) * 0.37f - 11;
      right[i] = i % 5 == 0 ? -0.0f : (float) (i % 89) * 0.11f - 4;
      if (i < n_k * ASSAY_PANEL)
        panel[i] = (guint16) (0x3c00 + i * 7 % 0x400);
    }

  for (int f = 0; f < ASSAY_N_FUNCTIONS; f++)
    {
      for (int round = 0; round < 2; round++)
        {
          assay_kernels_scalar.function ((AssayFunction) f, (AssayRound) round, scalar, src, N);
          assay_kernels_neon.function ((AssayFunction) f, (AssayRound) round, neon, src, N);
          report ("function", f * 2 + round, scalar, neon, sizeof scalar);
        }
    }

  for (int op = 0; op < ASSAY_N_POINTWISE; op++)
    {
      assay_kernels_scalar.pointwise ((AssayPointwise) op, ASSAY_ROUND_BF16, scalar, left, right,
                                      N);
      assay_kernels_neon.pointwise ((AssayPointwise) op, ASSAY_ROUND_BF16, neon, left, right, N);
      report ("pointwise", op, scalar, neon, sizeof scalar);
    }

  memcpy (scalar, left, sizeof scalar);
  memcpy (neon, left, sizeof neon);
  assay_kernels_scalar.matvec_bf16 (scalar, panel, left, n_k);
  assay_kernels_neon.matvec_bf16 (neon, panel, left, n_k);
  report ("matvec bf16", 0, scalar, neon, sizeof scalar);
  for (guint n = 1; n < ASSAY_PANEL / ASSAY_PANEL_GROUP; n++)
    {
      assay_kernels_scalar.matvec_bf16_part (scalar, panel, left, n_k, n);
      assay_kernels_neon.matvec_bf16_part (neon, panel, left, n_k, n);
      report ("matvec bf16 part", (int) n, scalar, neon, sizeof scalar);
    }
  for (guint n = 1; n <= ASSAY_PANEL / ASSAY_PANEL_GROUP; n++)
    {
      const guint16 *next = panel + n_k / 2 * ASSAY_PANEL;
      const AssayPanelSums a[] = { { scalar, panel, left }, { scalar + ASSAY_PANEL, next, right } };
      const AssayPanelSums b[] = { { neon, panel, left }, { neon + ASSAY_PANEL, next, right } };

      assay_kernels_scalar.matvec_bf16_two (a, n_k / 2, n);
      assay_kernels_neon.matvec_bf16_two (b, n_k / 2, n);
      report ("matvec bf16 two", (int) n, scalar, neon, sizeof scalar);
    }
  assay_kernels_scalar.matvec_f32 (scalar, left, right, n_k);
  assay_kernels_neon.matvec_f32 (neon, left, right, n_k);
  report ("matvec f32", 0, scalar, neon, sizeof scalar);

  printf ("1..%d\n", 2 * ASSAY_N_FUNCTIONS + ASSAY_N_POINTWISE + 2 +
                         2 * (ASSAY_PANEL / ASSAY_PANEL_GROUP) - 1);

  return failed != 0;
}
