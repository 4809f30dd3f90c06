/* assay-kernel-map.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-kernel.h"

#include <math.h>
#include <string.h>

#include "evaluate/vectors/assay-vectors.h"

/* Operators that make each element of one element of the input. */

#define GRAIN 4096

/* The parameters are the attributes that the operator has, in the order of the table below. */
typedef struct
{
  AssayOp op;
  gconstpointer x;
  gpointer y;
  double parameters[2];
  gboolean tanh_form;
  const AssayVectors *vectors;
  AssayVectorMap vector_map;
} Map;

/* Each row is an operator and its value at x; C() is a function of the C library and K() a constant
 * in the type at hand, p and q are the parameters. Comparisons are such that a NaN comes through.
 */
#define FLOAT_MAPS(ROW)                                                                            \
  ROW (Abs, C (fabs) (x))                                                                          \
  ROW (Acos, C (acos) (x))                                                                         \
  ROW (Acosh, C (acosh) (x))                                                                       \
  ROW (Asin, C (asin) (x))                                                                         \
  ROW (Asinh, C (asinh) (x))                                                                       \
  ROW (Atan, C (atan) (x))                                                                         \
  ROW (Atanh, C (atanh) (x))                                                                       \
  ROW (Ceil, C (ceil) (x))                                                                         \
  ROW (Celu, x < 0 ? p * C (expm1) (x / p) : x)                                                    \
  ROW (Cos, C (cos) (x))                                                                           \
  ROW (Cosh, C (cosh) (x))                                                                         \
  ROW (Elu, x < 0 ? p * C (expm1) (x) : x)                                                         \
  ROW (Erf, C (erf) (x))                                                                           \
  ROW (Exp, C (exp) (x))                                                                           \
  ROW (Floor, C (floor) (x))                                                                       \
  ROW (HardSigmoid, p *x + q < 0 ? 0 : p * x + q > 1 ? 1 : p * x + q)                              \
  ROW (HardSwish, x <= -3 ? x * 0 : x >= 3 ? x : x * (x / 6 + K (0.5)))                            \
  ROW (LeakyRelu, x < 0 ? p * x : x)                                                               \
  ROW (Log, C (log) (x))                                                                           \
  ROW (Mish, x *C (tanh) (SOFTPLUS))                                                               \
  ROW (Neg, -x)                                                                                    \
  ROW (Reciprocal, 1 / x)                                                                          \
  ROW (Relu, x < 0 ? 0 : x)                                                                        \
  ROW (Round, C (rint) (x))                                                                        \
  ROW (Rsqrt, 1 / C (sqrt) (x))                                                                    \
  ROW (Selu, q *(x > 0 ? x : p * C (expm1) (x)))                                                   \
  ROW (Shrink, x<-q ? x + p : x> q ? x - p : x != x ? x : 0)                                       \
  ROW (Sigmoid, 1 / (1 + C (exp) (-x)))                                                            \
  ROW (Sign, x > 0 ? 1 : x < 0 ? -1 : x)                                                           \
  ROW (Sin, C (sin) (x))                                                                           \
  ROW (Sinh, C (sinh) (x))                                                                         \
  ROW (Softplus, SOFTPLUS)                                                                         \
  ROW (Softsign, x / (1 + C (fabs) (x)))                                                           \
  ROW (Sqrt, C (sqrt) (x))                                                                         \
  ROW (Swish, x / (1 + C (exp) (-p * x)))                                                          \
  ROW (Tan, C (tan) (x))                                                                           \
  ROW (Tanh, C (tanh) (x))                                                                         \
  ROW (ThresholdedRelu, x > p ? x : x != x ? x : 0)

#define SOFTPLUS (C (log1p) (C (exp) (-C (fabs) (x))) + (x < 0 ? 0 : x))

#define LOOP(expression)                                                                           \
  for (gsize i = begin; i < end; i++)                                                              \
    {                                                                                              \
      REAL x = from[i];                                                                            \
      to[i] = (REAL) (expression);                                                                 \
    }                                                                                              \
  break;

#define FLOAT_ROW(op, expression)                                                                  \
  case ASSAY_OP_##op:                                                                              \
    LOOP (expression)

/* The two forms of Gelu, by the error function and by tanh, have the constants of the ONNX
 * specification. */
#define FLOAT_BODY                                                                                 \
  const Map *map = data;                                                                           \
  const REAL *from = map->x;                                                                       \
  REAL *to = map->y;                                                                               \
  REAL p = (REAL) map->parameters[0];                                                              \
  REAL q = (REAL) map->parameters[1];                                                              \
  switch (map->op)                                                                                 \
    {                                                                                              \
      FLOAT_MAPS (FLOAT_ROW)                                                                       \
    case ASSAY_OP_Gelu:                                                                            \
      if (map->tanh_form)                                                                          \
        {                                                                                          \
          LOOP (K (0.5) * x *                                                                      \
                (1 + C (tanh) (K (0.7978845608028654) * (x + K (0.044715) * x * x * x))))          \
        }                                                                                          \
      LOOP (K (0.5) * x * (1 + C (erf) (x * K (0.7071067811865476))))                              \
    default:                                                                                       \
      g_assert_not_reached ();                                                                     \
    }

#define REAL float
#define C(function) function##f
#define K(constant) constant##f
static void
map_f32 (gpointer data, gsize begin, gsize end)
{
  FLOAT_BODY
}
#undef REAL
#undef C
#undef K

#define REAL double
#define C(function) function
#define K(constant) constant
static void
map_f64 (gpointer data, gsize begin, gsize end)
{
  FLOAT_BODY
}
#undef REAL
#undef C
#undef K

/* Integers wrap around. An unsigned one is never below zero, which the compiler knows. */
#define INTEGER_MAP(storage, type)                                                                 \
  static void map_##storage (gpointer data, gsize begin, gsize end)                                \
  {                                                                                                \
    const Map *map = data;                                                                         \
    const type *from = map->x;                                                                     \
    type *to = map->y;                                                                             \
    double p = map->parameters[0];                                                                 \
    double q = map->parameters[1];                                                                 \
    for (gsize i = begin; i < end; i++)                                                            \
      {                                                                                            \
        type x = from[i];                                                                          \
        type negated;                                                                              \
        gboolean below = x != 0 && !(x > 0);                                                       \
        (void) __builtin_sub_overflow ((type) 0, x, &negated);                                     \
        switch (map->op)                                                                           \
          {                                                                                        \
          case ASSAY_OP_Abs:                                                                       \
            to[i] = below ? negated : x;                                                           \
            break;                                                                                 \
          case ASSAY_OP_Neg:                                                                       \
            to[i] = negated;                                                                       \
            break;                                                                                 \
          case ASSAY_OP_Relu:                                                                      \
            to[i] = below ? 0 : x;                                                                 \
            break;                                                                                 \
          case ASSAY_OP_Sign:                                                                      \
            to[i] = (type) (below ? -1 : x > 0);                                                   \
            break;                                                                                 \
          case ASSAY_OP_BitwiseNot:                                                                \
            to[i] = (type) ~x;                                                                     \
            break;                                                                                 \
          case ASSAY_OP_Shrink:                                                                    \
            to[i] = (type) assay_kernel_integer ((double) x < -q  ? (double) x + p                 \
                                                 : (double) x > q ? (double) x - p                 \
                                                                  : 0);                            \
            break;                                                                                 \
          default:                                                                                 \
            g_assert_not_reached ();                                                               \
          }                                                                                        \
      }                                                                                            \
  }
ASSAY_KERNEL_INTEGER_TYPES (INTEGER_MAP)

static const AssayWorkFunc maps[ASSAY_N_DTYPES] = {
#define ROW(storage, type) [ASSAY_DTYPE_##storage] = map_##storage,
  ASSAY_KERNEL_INTEGER_TYPES (ROW)
#undef ROW
      [ASSAY_DTYPE_F32] = map_f32,
  [ASSAY_DTYPE_F64] = map_f64,
};

/* What of the operators is defined for integers, and the attributes that are parameters. */
static const struct
{
  AssayOp op;
  gboolean integers;
  gboolean floats;
  const char *parameters[2];
} rows[] = {
  { ASSAY_OP_Abs, TRUE, TRUE, { NULL } },
  { ASSAY_OP_BitwiseNot, TRUE, FALSE, { NULL } },
  { ASSAY_OP_Celu, FALSE, TRUE, { "alpha" } },
  { ASSAY_OP_Elu, FALSE, TRUE, { "alpha" } },
  { ASSAY_OP_HardSigmoid, FALSE, TRUE, { "alpha", "beta" } },
  { ASSAY_OP_LeakyRelu, FALSE, TRUE, { "alpha" } },
  { ASSAY_OP_Neg, TRUE, TRUE, { NULL } },
  { ASSAY_OP_Relu, TRUE, TRUE, { NULL } },
  { ASSAY_OP_Selu, FALSE, TRUE, { "alpha", "gamma" } },
  { ASSAY_OP_Shrink, TRUE, TRUE, { "bias", "lambd" } },
  { ASSAY_OP_Sign, TRUE, TRUE, { NULL } },
  { ASSAY_OP_Swish, FALSE, TRUE, { "alpha" } },
  { ASSAY_OP_ThresholdedRelu, FALSE, TRUE, { "alpha" } },
};

/* What there are vectors for, of floats. */
static const struct
{
  AssayOp op;
  gboolean tanh_form;
  AssayVectorMap map;
} vector_maps[] = {
  { ASSAY_OP_Erf, FALSE, ASSAY_VECTOR_MAP_ERF },
  { ASSAY_OP_Exp, FALSE, ASSAY_VECTOR_MAP_EXP },
  { ASSAY_OP_Gelu, FALSE, ASSAY_VECTOR_MAP_GELU },
  { ASSAY_OP_Gelu, TRUE, ASSAY_VECTOR_MAP_GELU_TANH },
  { ASSAY_OP_Mish, FALSE, ASSAY_VECTOR_MAP_MISH },
  { ASSAY_OP_Sigmoid, FALSE, ASSAY_VECTOR_MAP_SIGMOID },
  { ASSAY_OP_Softplus, FALSE, ASSAY_VECTOR_MAP_SOFTPLUS },
  { ASSAY_OP_Swish, FALSE, ASSAY_VECTOR_MAP_SWISH },
  { ASSAY_OP_Tanh, FALSE, ASSAY_VECTOR_MAP_TANH },
};

static void
map_vectors (gpointer data, gsize begin, gsize end)
{
  const Map *map = data;

  map->vectors->map (map->vector_map, (float) map->parameters[0], (const float *) map->x + begin,
                     (float *) map->y + begin, end - begin);
}

gboolean
assay_kernel_op_map (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gboolean is_float = x->storage == ASSAY_DTYPE_F32 || x->storage == ASSAY_DTYPE_F64;
  gboolean allowed = is_float;
  Map map = { .op = self->node->op, .x = x->data };
  AssayWorkFunc func = maps[x->storage];
  AssayDatum *y;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (rows[i].op != map.op)
        continue;
      allowed = is_float ? rows[i].floats : rows[i].integers;
      for (guint j = 0; j < 2 && rows[i].parameters[j] != NULL; j++)
        map.parameters[j] = assay_node_get_float (self->node, rows[i].parameters[j]);
    }
  if (!allowed || func == NULL)
    return assay_kernel_fail_type (self, 0, error);

  if (map.op == ASSAY_OP_Gelu)
    map.tanh_form = strcmp (assay_node_get_string (self->node, "approximate"), "tanh") == 0;

  y = assay_kernel_output_like (self, 0, 0, error);
  if (y == NULL)
    return FALSE;

  map.y = y->data;
  for (guint i = 0; i < G_N_ELEMENTS (vector_maps) && x->storage == ASSAY_DTYPE_F32; i++)
    {
      if (vector_maps[i].op != map.op || vector_maps[i].tanh_form != map.tanh_form)
        continue;
      map.vectors = assay_vectors_get_default ();
      map.vector_map = vector_maps[i].map;
      func = map_vectors;
    }
  assay_kernel_parallel (self, x->n, GRAIN, func, &map);

  return TRUE;
}

typedef struct
{
  const AssayDatum *x;
  const AssayDatum *low;
  const AssayDatum *high;
  AssayDatum *y;
} Clip;

#define CLIP(storage, type)                                                                        \
  static void clip_##storage (gpointer data, gsize begin, gsize end)                               \
  {                                                                                                \
    const Clip *clip = data;                                                                       \
    const type *from = clip->x->data;                                                              \
    type *to = clip->y->data;                                                                      \
    gboolean has_low = clip->low != NULL, has_high = clip->high != NULL;                           \
    type low = has_low ? *(const type *) clip->low->data : 0;                                      \
    type high = has_high ? *(const type *) clip->high->data : 0;                                   \
    for (gsize i = begin; i < end; i++)                                                            \
      {                                                                                            \
        type value = from[i];                                                                      \
        value = has_low && value < low ? low : value;                                              \
        to[i] = has_high && value > high ? high : value;                                           \
      }                                                                                            \
  }
ASSAY_KERNEL_NUMBER_TYPES (CLIP)

gboolean
assay_kernel_op_clip (AssayKernel *self, GError **error)
{
  static const AssayWorkFunc clips[ASSAY_N_DTYPES] = {
#define ROW(storage, type) [ASSAY_DTYPE_##storage] = clip_##storage,
    ASSAY_KERNEL_NUMBER_TYPES (ROW)
#undef ROW
  };
  const AssayDatum *x = assay_kernel_input (self, 0);
  Clip clip = { x, assay_kernel_input (self, 1), assay_kernel_input (self, 2), NULL };

  if (clips[x->storage] == NULL)
    return assay_kernel_fail_type (self, 0, error);
  for (guint i = 1; i < 3; i++)
    {
      const AssayDatum *bound = assay_kernel_input (self, i);

      if (bound != NULL && bound->storage != x->storage)
        return assay_kernel_fail_type (self, i, error);
      if (bound != NULL && bound->n != 1)
        return assay_kernel_fail (
            self, error, "input %u has %" G_GSIZE_FORMAT " elements, 1 was expected", i, bound->n);
    }

  clip.y = assay_kernel_output_like (self, 0, 0, error);
  if (clip.y == NULL)
    return FALSE;

  assay_kernel_parallel (self, x->n, GRAIN, clips[x->storage], &clip);

  return TRUE;
}

/* Makes a tensor of booleans in the shape of the first input. */
static guint8 *
bool_output (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  AssayDatum *y = assay_kernel_output (self, 0, ASSAY_DTYPE_BOOL, x->rank, x->dims, error);

  return y != NULL ? y->data : NULL;
}

gboolean
assay_kernel_op_is_nan (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  guint8 *y;

  if (!assay_dtype_is_float (x->dtype))
    return assay_kernel_fail_type (self, 0, error);
  y = bool_output (self, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    y[i] = (guint8) (isnan (assay_datum_get_number (x, i)) != 0);

  return TRUE;
}

gboolean
assay_kernel_op_is_inf (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gboolean negative = assay_node_get_int (self->node, "detect_negative") != 0;
  gboolean positive = assay_node_get_int (self->node, "detect_positive") != 0;
  guint8 *y;

  if (!assay_dtype_is_float (x->dtype))
    return assay_kernel_fail_type (self, 0, error);
  y = bool_output (self, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    {
      double value = assay_datum_get_number (x, i);

      y[i] = (guint8) (isinf (value) ? (value < 0 ? negative : positive) : FALSE);
    }

  return TRUE;
}

gboolean
assay_kernel_op_not (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const guint8 *from = x->data;
  guint8 *y;

  if (x->dtype != ASSAY_DTYPE_BOOL)
    return assay_kernel_fail_type (self, 0, error);
  y = bool_output (self, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    y[i] = from[i] == 0;

  return TRUE;
}
