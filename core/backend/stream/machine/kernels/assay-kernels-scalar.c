/* assay-kernels-scalar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/kernels/assay-kernels.h"

#include <math.h>
#include <string.h>

#include "backend/stream/machine/kernels/assay-function-coefficients.h"

#define LEVEL_NAME "scalar"
#define LEVEL_SYMBOL assay_kernels_scalar
#define N_VD 1

typedef double VD;
typedef gint64 VI;
typedef gboolean VM;

static inline VI
vd_bits (VD x)
{
  VI bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static inline VD
vd_from_bits (VI bits)
{
  VD x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static inline void
vd_store (float *dst, VD y)
{
  guint32 nan = 0x7fc00000;

  if (y != y)
    memcpy (dst, &nan, sizeof nan);
  else
    *dst = (float) y;
}

#define VD_SET(x) ((VD) (x))
#define VI_SET(x) ((VI) (x))
#define VI_SHL(x, n) ((VI) ((guint64) (x) << (n)))
#define VD_FMA(a, b, c) fma (a, b, c)
#define VD_SQRT(x) sqrt (x)
#define VD_LT(a, b) ((a) < (b))
#define VD_SELECT(m, a, b) ((m) ? (a) : (b))
#define VD_BITS(x) vd_bits (x)
#define VD_FROM_BITS(x) vd_from_bits (x)
#define VD_LOAD(p) ((VD) * (p))
#define VD_STORE(p, y) vd_store (p, y)

static inline __attribute__ ((always_inline)) void
matvec_groups (float *acc, const guint16 *panel, const float *x, gsize n_k, const gsize n)
{
  for (gsize k = 0; k < n_k; k++)
    {
      for (gsize o = 0; o < n * ASSAY_PANEL_GROUP; o++)
        {
          guint32 bits = (guint32) panel[k * n * ASSAY_PANEL_GROUP + assay_panel_index (o)] << 16;
          float w;

          memcpy (&w, &bits, sizeof w);
          acc[o] = fmaf (w, x[k], acc[o]);
        }
    }
}

static void
matvec_f32 (float *acc, const float *panel, const float *x, gsize n_k)
{
  for (gsize k = 0; k < n_k; k++)
    {
      for (gsize o = 0; o < ASSAY_PANEL; o++)
        acc[o] = fmaf (panel[k * ASSAY_PANEL + o], x[k], acc[o]);
    }
}

extern const AssayKernels LEVEL_SYMBOL;

#include "backend/stream/machine/kernels/assay-kernel-body.h"
