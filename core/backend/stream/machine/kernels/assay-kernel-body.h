/* assay-kernel-body.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernels, written once in terms of a few vector types; each level includes this file behind
 * what it defines:
 *
 * - VD, VI and VM: N_VD doubles, 64-bit integers, masks;
 * - VD_SET, VD_FMA, VD_SQRT, VD_LT, VD_SELECT, VD_BITS, VD_FROM_BITS, VI_SET, VI_SHL, VD_LOAD and
 *   VD_STORE on them;
 * - matvec_groups (acc, panel, x, n_k, n): matrix times vector for n groups of 16 outputs, inlined
 *   with n constant, and matvec_f32 ();
 * - LEVEL_NAME, the name of the level, and LEVEL_SYMBOL, its table;
 * - MATVEC_TWO_GROUPS (two, n_k, n), the same for two panels, if it has registers enough.
 *
 * Operators on the types mean the IEEE operation per lane, and -ffp-contract=off keeps it so. All
 * arithmetic is the same at each level, so the bits are the same. Polynomials: see
 * derive-coefficients.py.
 */

#define MAGIC 0x1.8p52 /* adding it rounds a double to an integer, found in its low bits */

static inline VD
horner (const double *c, gsize n, VD x)
{
  VD p = VD_SET (c[0]);

  for (gsize i = 1; i < n; i++)
    p = VD_FMA (p, x, VD_SET (c[i]));

  return p;
}

static inline VD
vd_abs (VD x)
{
  return VD_FROM_BITS (VD_BITS (x) & VI_SET (0x7fffffffffffffff));
}

static inline VD
vd_copysign (VD magnitude, VD sign)
{
  return VD_FROM_BITS (VD_BITS (magnitude) |
                       (VD_BITS (sign) & VI_SET ((gint64) 0x8000000000000000)));
}

/* Bounds that leave NaN alone. */
static inline VD
vd_bound (VD x, double low, double high)
{
  x = VD_SELECT (VD_LT (VD_SET (high), x), VD_SET (high), x);
  return VD_SELECT (VD_LT (x, VD_SET (low)), VD_SET (low), x);
}

/* exp (x) = scale + scale p, with x = k ln 2 + r. Beyond +-700 the result is past the range of
 * float anyway. */
static inline VD
exp_parts (VD x, VD *scale)
{
  VD bounded = vd_bound (x, -700, 700);
  VD t = VD_FMA (bounded, VD_SET (LOG2_E), VD_SET (MAGIC));
  VD k = t - VD_SET (MAGIC);
  VD r = VD_FMA (k, VD_SET (-LN2_HIGH), bounded);

  r = VD_FMA (k, VD_SET (-LN2_LOW), r);
  *scale = VD_FROM_BITS (VI_SHL (VD_BITS (t) + VI_SET (1023), 52));

  return r * horner (EXP_C, EXP_C_N, r);
}

static inline VD
f_EXP (VD x)
{
  VD scale;
  VD p = exp_parts (x, &scale);

  return VD_FMA (scale, p, scale);
}

static inline VD
f_EXP2 (VD x)
{
  VD bounded = vd_bound (x, -1000, 1000);
  VD t = bounded + VD_SET (MAGIC);
  VD r = (bounded - (t - VD_SET (MAGIC))) * VD_SET (LN2);
  VD scale = VD_FROM_BITS (VI_SHL (VD_BITS (t) + VI_SET (1023), 52));

  return VD_FMA (scale, r * horner (EXP_C, EXP_C_N, r), scale);
}

/* log of a positive finite number: x = 2^e m with m in [sqrt (1/2), sqrt (2)), log m = 2 atanh ((m
 * - 1) / (m + 1)). */
static inline VD
log_positive (VD x)
{
  VI bits = VD_BITS (x);
  VI e = (bits - VI_SET (0x3fe6a09e667f3bcd)) >> 52;
  VD f = VD_FROM_BITS (bits - VI_SHL (e, 52)) - VD_SET (1);
  VD ed = VD_FROM_BITS (e + VD_BITS (VD_SET (MAGIC))) - VD_SET (MAGIC);
  VD s = f / (VD_SET (2) + f);
  VD z = s * s;
  VD tail = VD_FMA (s * z, horner (LOG_C, LOG_C_N, z), ed * VD_SET (LN2_LOW));

  return VD_FMA (ed, VD_SET (LN2_HIGH), VD_FMA (s, VD_SET (2), tail));
}

static inline VD
f_LOG (VD x)
{
  VD inf = VD_SET (HUGE_VAL);
  VD special = VD_SELECT (VD_LT (x, VD_SET (0)), inf - inf, VD_SET (0) - inf);
  VD finite = VD_SELECT (VD_LT (VD_SET (0), x), log_positive (x), special);

  /* Infinity and NaN stand for themselves. */
  return VD_SELECT (VD_LT (x, inf), finite, x);
}

static inline VD
f_TANH (VD x)
{
  VD scale;
  VD p = exp_parts (vd_abs (x) * VD_SET (2), &scale);
  VD em1 = VD_FMA (scale, p, scale - VD_SET (1));

  return vd_copysign (em1 / (em1 + VD_SET (2)), x);
}

static inline VD
f_SIGMOID (VD x)
{
  return VD_SET (1) / (VD_SET (1) + f_EXP (VD_SET (0) - x));
}

static inline VD
f_SOFTPLUS (VD x)
{
  VD t = f_EXP (VD_SET (0) - vd_abs (x));
  VD u = VD_SET (1) + t;
  VD tail = (t - (u - VD_SET (1))) / u;

  return VD_SELECT (VD_LT (VD_SET (0), x), x, VD_SET (0)) + (log_positive (u) + tail);
}

/* Gates are x/2 + c x^2 near zero: the second term is lost in a double, yet breaks the ties among
 * bf16 subnormals. */
static inline VD
break_ties (VD y, VD x)
{
  VD nudge = VD_SELECT (VD_LT (x, VD_SET (0)), VD_SET (1 - 0x1p-51), VD_SET (1 + 0x1p-51));

  return VD_SELECT (VD_LT (vd_abs (x), VD_SET (0x1p-60)), y * nudge, y);
}

/* Below -1000 the result has long vanished; the bound keeps -infinity from meeting a zero. */
static inline VD
f_SILU (VD x)
{
  return break_ties (vd_bound (x, -1000, HUGE_VAL) / (VD_SET (1) + f_EXP (VD_SET (0) - x)), x);
}

/* erfc for z >= 1, in the form exp (-z^2) q (t) / (z + 2); the rounding error of z^2 is put back.
 */
static inline VD
erfc_tail (VD z)
{
  VD bounded = vd_bound (z, 1, 28);
  VD t = (bounded - VD_SET (2)) / (bounded + VD_SET (2));
  VD square = bounded * bounded;
  VD rest = VD_FMA (bounded, bounded, VD_SET (0) - square);
  VD e = f_EXP (VD_SET (0) - square) * (VD_SET (1) - rest);

  return e * horner (ERFC_C, ERFC_C_N, t) / (bounded + VD_SET (2));
}

static inline VD
erf_small (VD x)
{
  return x * horner (ERF_C, ERF_C_N, x * x);
}

static inline VD
erfc_any (VD x)
{
  VD a = vd_abs (x);
  VD tail = erfc_tail (a);
  VD small = VD_SET (1) - erf_small (vd_bound (x, -1, 1));

  tail = VD_SELECT (VD_LT (x, VD_SET (0)), VD_SET (2) - tail, tail);

  return VD_SELECT (VD_LT (a, VD_SET (1)), small, tail);
}

static inline VD
f_GELU_ERF (VD x)
{
  VD bounded = vd_bound (x, -1000, HUGE_VAL);

  return break_ties (VD_SET (0.5) * bounded * erfc_any (bounded * VD_SET (-INV_SQRT2)), x);
}

static inline VD
f_GELU_TANH (VD x)
{
  VD bounded = vd_bound (x, -1000, HUGE_VAL);
  VD u = bounded * VD_FMA (bounded * bounded, VD_SET (GELU_B), VD_SET (GELU_A));

  return break_ties (bounded / (VD_SET (1) + f_EXP (VD_SET (0) - u)), x);
}

static inline VD
f_ERF (VD x)
{
  VD a = vd_abs (x);
  VD large = vd_copysign (VD_SET (1) - erfc_tail (a), x);

  return VD_SELECT (VD_LT (a, VD_SET (1)), erf_small (vd_bound (x, -1, 1)), large);
}

static inline VD
f_SQRT (VD x)
{
  return VD_SQRT (x);
}

static inline VD
f_RSQRT (VD x)
{
  return VD_SET (1) / VD_SQRT (x);
}

static inline VD
f_RECIPROCAL (VD x)
{
  return VD_SET (1) / x;
}

/* To the nearest bf16, ties to even, in one rounding; the result converts to float exactly or
 * overflows to infinity. */
static inline VD
round_bf16 (VD x)
{
  VI bits = VD_BITS (x);
  VD normal = VD_FROM_BITS ((bits + VI_SET (0xfffffffffff) + ((bits >> 45) & VI_SET (1))) &
                            VI_SET (~(gint64) 0x1fffffffffff));
  VD subnormal = (vd_abs (x) + VD_SET (0x1.8p-81)) - VD_SET (0x1.8p-81);

  normal = VD_SELECT (VD_LT (vd_abs (x), VD_SET (HUGE_VAL)), normal, x);

  return VD_SELECT (VD_LT (vd_abs (x), VD_SET (0x1p-126)), vd_copysign (subnormal, x), normal);
}

#define FUNCTION(id, text, doc)                                                                    \
  static void loop_##id (AssayRound round, float *dst, const float *src, gsize n)                  \
  {                                                                                                \
    gsize i = 0;                                                                                   \
    float tail[N_VD] = { 0 };                                                                      \
                                                                                                   \
    for (; i + N_VD <= n; i += N_VD)                                                               \
      {                                                                                            \
        VD y = f_##id (VD_LOAD (src + i));                                                         \
                                                                                                   \
        if (round == ASSAY_ROUND_BF16)                                                             \
          y = round_bf16 (y);                                                                      \
        VD_STORE (dst + i, y);                                                                     \
      }                                                                                            \
                                                                                                   \
    if (i < n)                                                                                     \
      {                                                                                            \
        VD y;                                                                                      \
                                                                                                   \
        for (gsize j = i; j < n; j++)                                                              \
          tail[j - i] = src[j];                                                                    \
        y = f_##id (VD_LOAD (tail));                                                               \
        if (round == ASSAY_ROUND_BF16)                                                             \
          y = round_bf16 (y);                                                                      \
        VD_STORE (tail, y);                                                                        \
        for (gsize j = i; j < n; j++)                                                              \
          dst[j] = tail[j - i];                                                                    \
      }                                                                                            \
  }
#include "backend/stream/machine/kernels/assay-functions.def"
#undef FUNCTION

static void
function (AssayFunction f, AssayRound round, float *dst, const float *src, gsize n)
{
  static void (*const loops[]) (AssayRound, float *, const float *, gsize) = {
#define FUNCTION(id, text, doc) loop_##id,
#include "backend/stream/machine/kernels/assay-functions.def"
#undef FUNCTION
  };

  loops[f](round, dst, src, n);
}

/* Floats: eight lanes of the compiler's own vector type at every level, which it splits or not as
 * the level allows. Comparison and selection go through the bits. */
#define N_VF 8

typedef float VF __attribute__ ((vector_size (N_VF * 4), aligned (4), may_alias));
typedef gint32 VFI __attribute__ ((vector_size (N_VF * 4), aligned (4), may_alias));

static inline VFI
vf_select (VFI mask, VFI a, VFI b)
{
  return (mask & a) | (~mask & b);
}

static inline VF
vf_canonical (VF x)
{
  VFI nan = x != x;

  return (VF) ((nan & 0x7fc00000) | (~nan & (VFI) x));
}

static inline VF
vf_round (VF x, AssayRound round)
{
  VFI bits = (VFI) x;

  if (round == ASSAY_ROUND_BF16)
    {
      VFI nan = x != x;
      VFI rounded = (bits + 0x7fff + ((bits >> 16) & 1)) & (gint32) 0xffff0000;

      return (VF) ((nan & 0x7fc00000) | (~nan & rounded));
    }

  return vf_canonical (x);
}

static inline VF
vf_min (VF a, VF b)
{
  VFI nan = (a != a) | (b != b);
  VFI result = vf_select (a < b, (VFI) a, (VFI) b);

  /* Equal numbers differ in the sign of zero only: the minimum is the negative one. */
  result = vf_select (a == b, (VFI) a | (VFI) b, result);

  return (VF) ((nan & 0x7fc00000) | (~nan & result));
}

static inline VF
vf_max (VF a, VF b)
{
  VFI nan = (a != a) | (b != b);
  VFI result = vf_select (a > b, (VFI) a, (VFI) b);

  result = vf_select (a == b, (VFI) a & (VFI) b, result);

  return (VF) ((nan & 0x7fc00000) | (~nan & result));
}

/* Whole vectors apart, because a copy of a length that is not known is a call. */
static inline VF
vf_load (const float *src, gsize n)
{
  VF x = { 0 };

  if (n == N_VF)
    return *(const VF *) src;
  memcpy (&x, src, n * sizeof (float));
  return x;
}

static inline void
vf_store (float *dst, VF x, gsize n)
{
  if (n == N_VF)
    *(VF *) dst = x;
  else
    memcpy (dst, &x, n * sizeof (float));
}

static inline VF
vf_op_ADD (VF a, VF b)
{
  return a + b;
}
static inline VF
vf_op_SUB (VF a, VF b)
{
  return a - b;
}
static inline VF
vf_op_MUL (VF a, VF b)
{
  return a * b;
}
static inline VF
vf_op_DIV (VF a, VF b)
{
  return a / b;
}
static inline VF
vf_op_MIN (VF a, VF b)
{
  return vf_min (a, b);
}
static inline VF
vf_op_MAX (VF a, VF b)
{
  return vf_max (a, b);
}

#define POINTWISE(id)                                                                              \
  static void pointwise_##id (AssayRound round, float *dst, const float *a, const float *b,        \
                              gsize n)                                                             \
  {                                                                                                \
    for (gsize i = 0; i < n; i += N_VF)                                                            \
      {                                                                                            \
        gsize count = MIN (N_VF, n - i);                                                           \
        VF r = vf_round (vf_op_##id (vf_load (a + i, count), vf_load (b + i, count)), round);      \
                                                                                                   \
        vf_store (dst + i, r, count);                                                              \
      }                                                                                            \
  }

POINTWISE (ADD)
POINTWISE (SUB)
POINTWISE (MUL)
POINTWISE (DIV)
POINTWISE (MIN)
POINTWISE (MAX)

static void
pointwise (AssayPointwise op, AssayRound round, float *dst, const float *a, const float *b, gsize n)
{
  static void (*const loops[]) (AssayRound, float *, const float *, const float *, gsize) = {
    [ASSAY_POINTWISE_ADD] = pointwise_ADD, [ASSAY_POINTWISE_SUB] = pointwise_SUB,
    [ASSAY_POINTWISE_MUL] = pointwise_MUL, [ASSAY_POINTWISE_DIV] = pointwise_DIV,
    [ASSAY_POINTWISE_MIN] = pointwise_MIN, [ASSAY_POINTWISE_MAX] = pointwise_MAX,
  };

  loops[op](round, dst, a, b, n);
}

static void
clamp (AssayRound round, float *dst, const float *a, float low, float high, gsize n)
{
  VF lows = low - (VF){ 0 };
  VF highs = high - (VF){ 0 };

  for (gsize i = 0; i < n; i += N_VF)
    {
      gsize count = MIN (N_VF, n - i);
      VF r = vf_round (vf_min (vf_max (vf_load (a + i, count), lows), highs), round);

      vf_store (dst + i, r, count);
    }
}

static void
round_all (AssayRound round, float *dst, const float *src, gsize n)
{
  for (gsize i = 0; i < n; i += N_VF)
    {
      gsize count = MIN (N_VF, n - i);
      VF r = vf_round (vf_load (src + i, count), round);

      vf_store (dst + i, r, count);
    }
}

static void
matvec_bf16 (float *acc, const guint16 *panel, const float *x, gsize n_k)
{
  matvec_groups (acc, panel, x, n_k, ASSAY_PANEL / ASSAY_PANEL_GROUP);
}

/* Each width is a loop of its own, whose sums stay in registers. */
static void
matvec_bf16_part (float *acc, const guint16 *panel, const float *x, gsize n_k, guint n_groups)
{
  if (n_groups == 1)
    matvec_groups (acc, panel, x, n_k, 1);
  else if (n_groups == 2)
    matvec_groups (acc, panel, x, n_k, 2);
  else
    matvec_groups (acc, panel, x, n_k, 3);
}

/* A level with registers enough has the sums of both in them. */
#ifndef MATVEC_TWO_GROUPS
static void
matvec_bf16_two (const AssayPanelSums two[2], gsize n_k, guint n_groups)
{
  for (guint i = 0; i < 2; i++)
    {
      if (n_groups == ASSAY_PANEL / ASSAY_PANEL_GROUP)
        matvec_bf16 (two[i].acc, two[i].panel, two[i].x, n_k);
      else
        matvec_bf16_part (two[i].acc, two[i].panel, two[i].x, n_k, n_groups);
    }
}
#else
static void
matvec_bf16_two (const AssayPanelSums two[2], gsize n_k, guint n_groups)
{
  if (n_groups == 1)
    MATVEC_TWO_GROUPS (two, n_k, 1);
  else if (n_groups == 2)
    MATVEC_TWO_GROUPS (two, n_k, 2);
  else if (n_groups == 3)
    MATVEC_TWO_GROUPS (two, n_k, 3);
  else
    MATVEC_TWO_GROUPS (two, n_k, 4);
}
#endif

const AssayKernels LEVEL_SYMBOL = {
  .name = LEVEL_NAME,
  .function = function,
  .pointwise = pointwise,
  .clamp = clamp,
  .round = round_all,
  .matvec_bf16 = matvec_bf16,
  .matvec_bf16_part = matvec_bf16_part,
  .matvec_bf16_two = matvec_bf16_two,
  .matvec_f32 = matvec_f32,
};
