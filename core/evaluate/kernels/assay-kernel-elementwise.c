/* assay-kernel-elementwise.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-kernel.h"

#include "nnir/assay-dims.h"

#include <math.h>
#include <string.h>

/* Operators of two or more operands that broadcast. */

/* The result first, then the operands. */
typedef struct
{
  AssayOp op;
  AssayDatum *operands[ASSAY_WALK_OPERANDS];
  gboolean flag;
} Work;

/* The innermost loop, with the cases apart that the compiler makes vectors of. */
#define LOOP(result, type_a, type_b, expression)                                                   \
  {                                                                                                \
    result *to = (result *) work->operands[0]->data + offsets[0];                                  \
    type_a const *left = (type_a const *) work->operands[1]->data + offsets[1];                    \
    type_b const *right = (type_b const *) work->operands[2]->data + offsets[2];                   \
    if (strides[1] == 1 && strides[2] == 1)                                                        \
      for (gsize i = 0; i < n; i++)                                                                \
        {                                                                                          \
          type_a a = left[i];                                                                      \
          type_b b G_GNUC_UNUSED = right[i];                                                       \
          to[i] = (result) (expression);                                                           \
        }                                                                                          \
    else if (strides[1] == 1 && strides[2] == 0)                                                   \
      {                                                                                            \
        type_b b G_GNUC_UNUSED = *right;                                                           \
        for (gsize i = 0; i < n; i++)                                                              \
          {                                                                                        \
            type_a a = left[i];                                                                    \
            to[i] = (result) (expression);                                                         \
          }                                                                                        \
      }                                                                                            \
    else if (strides[1] == 0 && strides[2] == 1)                                                   \
      {                                                                                            \
        type_a a = *left;                                                                          \
        for (gsize i = 0; i < n; i++)                                                              \
          {                                                                                        \
            type_b b G_GNUC_UNUSED = right[i];                                                     \
            to[i] = (result) (expression);                                                         \
          }                                                                                        \
      }                                                                                            \
    else                                                                                           \
      for (gsize i = 0; i < n; i++)                                                                \
        {                                                                                          \
          type_a a = left[(gssize) i * strides[1]];                                                \
          type_b b G_GNUC_UNUSED = right[(gssize) i * strides[2]];                                 \
          to[i] = (result) (expression);                                                           \
        }                                                                                          \
    break;                                                                                         \
  }

#define CASE(op, result, type_a, type_b, expression)                                               \
  case ASSAY_OP_##op:                                                                              \
    LOOP (result, type_a, type_b, expression)

/* A NaN in either operand of Max and Min comes through. */
#define LARGER (a > b || a != a ? a : b)
#define SMALLER (a < b || a != a ? a : b)

#define COMPARISONS(type)                                                                          \
  CASE (Equal, guint8, type, type, a == b)                                                         \
  CASE (Greater, guint8, type, type, a > b)                                                        \
  CASE (GreaterOrEqual, guint8, type, type, a >= b)                                                \
  CASE (Less, guint8, type, type, a < b)                                                           \
  CASE (LessOrEqual, guint8, type, type, a <= b)

#define ROW_FUNCTION(name)                                                                         \
  static void name (gpointer data, gsize n, const gssize *offsets, const gssize *strides)

/* The remainder has the sign of the dividend with fmod, that of the divisor without. */
#define FLOAT_FUNCTION(storage, type)                                                              \
  static inline type modulo_##storage (type a, type b, gboolean sign_of_dividend)                  \
  {                                                                                                \
    type rest = (type) fmod ((double) a, (double) b);                                              \
    return !sign_of_dividend && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;              \
  }                                                                                                \
  ROW_FUNCTION (row_##storage)                                                                     \
  {                                                                                                \
    Work *work = data;                                                                             \
    switch (work->op)                                                                              \
      {                                                                                            \
        CASE (Add, type, type, type, a + b)                                                        \
        CASE (Sum, type, type, type, a + b)                                                        \
        CASE (Mean, type, type, type, a + b)                                                       \
        CASE (Sub, type, type, type, a - b)                                                        \
        CASE (Mul, type, type, type, a *b)                                                         \
        CASE (Div, type, type, type, a / b)                                                        \
        CASE (Max, type, type, type, LARGER)                                                       \
        CASE (Min, type, type, type, SMALLER)                                                      \
        CASE (Mod, type, type, type, modulo_##storage (a, b, work->flag))                          \
        CASE (PRelu, type, type, type, a < 0 ? a * b : a)                                          \
        COMPARISONS (type)                                                                         \
      default:                                                                                     \
        g_assert_not_reached ();                                                                   \
      }                                                                                            \
  }
ASSAY_KERNEL_FLOAT_TYPES (FLOAT_FUNCTION)

/* Integers wrap around; what is divided by zero is zero. A quotient is truncated. */
#define INTEGER_FUNCTION(storage, type)                                                            \
  static inline type add_##storage (type a, type b)                                                \
  {                                                                                                \
    type sum;                                                                                      \
    (void) __builtin_add_overflow (a, b, &sum);                                                    \
    return sum;                                                                                    \
  }                                                                                                \
  static inline type sub_##storage (type a, type b)                                                \
  {                                                                                                \
    type difference;                                                                               \
    (void) __builtin_sub_overflow (a, b, &difference);                                             \
    return difference;                                                                             \
  }                                                                                                \
  static inline type mul_##storage (type a, type b)                                                \
  {                                                                                                \
    type product;                                                                                  \
    (void) __builtin_mul_overflow (a, b, &product);                                                \
    return product;                                                                                \
  }                                                                                                \
  static inline type div_##storage (type a, type b)                                                \
  {                                                                                                \
    if (b == 0)                                                                                    \
      return 0;                                                                                    \
    return (type) ((type) -1 < 1 && b == (type) -1 ? sub_##storage (0, a) : a / b);                \
  }                                                                                                \
  static inline type modulo_##storage (type a, type b, gboolean sign_of_dividend)                  \
  {                                                                                                \
    type rest;                                                                                     \
    if (b == 0 || ((type) -1 < 1 && b == (type) -1))                                               \
      return 0;                                                                                    \
    rest = (type) (a % b);                                                                         \
    return (type) (!sign_of_dividend && rest != 0 && (rest < 1) != (b < 1) ? rest + b : rest);     \
  }                                                                                                \
  ROW_FUNCTION (row_##storage)                                                                     \
  {                                                                                                \
    Work *work = data;                                                                             \
    switch (work->op)                                                                              \
      {                                                                                            \
        CASE (Add, type, type, type, add_##storage (a, b))                                         \
        CASE (Sum, type, type, type, add_##storage (a, b))                                         \
        CASE (Mean, type, type, type, add_##storage (a, b))                                        \
        CASE (Sub, type, type, type, sub_##storage (a, b))                                         \
        CASE (Mul, type, type, type, mul_##storage (a, b))                                         \
        CASE (Div, type, type, type, div_##storage (a, b))                                         \
        CASE (Max, type, type, type, LARGER)                                                       \
        CASE (Min, type, type, type, SMALLER)                                                      \
        CASE (Mod, type, type, type, modulo_##storage (a, b, work->flag))                          \
        CASE (PRelu, type, type, type, a < 1 ? mul_##storage (a, b) : a)                           \
        CASE (BitwiseAnd, type, type, type, a &b)                                                  \
        CASE (BitwiseOr, type, type, type, a | b)                                                  \
        CASE (BitwiseXor, type, type, type, a ^ b)                                                 \
        COMPARISONS (type)                                                                         \
      default:                                                                                     \
        g_assert_not_reached ();                                                                   \
      }                                                                                            \
  }
ASSAY_KERNEL_INTEGER_TYPES (INTEGER_FUNCTION)

/* Bits that are shifted out are lost, however far they are shifted. */
#define SHIFT_FUNCTION(storage, type)                                                              \
  ROW_FUNCTION (shift_##storage)                                                                   \
  {                                                                                                \
    Work *work = data;                                                                             \
    do                                                                                             \
      {                                                                                            \
        if (work->flag)                                                                            \
          LOOP (type, type, type, b < 8 * sizeof (type) ? a << b : 0)                              \
        LOOP (type, type, type, b < 8 * sizeof (type) ? a >> b : 0)                                \
      }                                                                                            \
    while (FALSE);                                                                                 \
  }
ASSAY_KERNEL_UNSIGNED_TYPES (SHIFT_FUNCTION)

ROW_FUNCTION (row_bool)
{
  Work *work = data;

  switch (work->op)
    {
      CASE (And, guint8, guint8, guint8, a != 0 && b != 0)
      CASE (Or, guint8, guint8, guint8, a != 0 || b != 0)
      CASE (Xor, guint8, guint8, guint8, (a != 0) != (b != 0))
      CASE (Equal, guint8, guint8, guint8, (a != 0) == (b != 0))
    default:
      g_assert_not_reached ();
    }
}

ROW_FUNCTION (row_string)
{
  Work *work = data;

  switch (work->op)
    {
      CASE (Equal, guint8, GBytes *, GBytes *, g_bytes_equal (a, b) != 0)
    default:
      g_assert_not_reached ();
    }
}

static GBytes *
join_strings (GBytes *a, GBytes *b)
{
  GByteArray *joined = g_byte_array_new ();

  g_byte_array_append (joined, g_bytes_get_data (a, NULL), (guint) g_bytes_get_size (a));
  g_byte_array_append (joined, g_bytes_get_data (b, NULL), (guint) g_bytes_get_size (b));

  return g_byte_array_free_to_bytes (joined);
}

ROW_FUNCTION (row_join)
{
  Work *work = data;

  do
    LOOP (GBytes *, GBytes *, GBytes *, join_strings (a, b))
  while (FALSE);
}

/* The kinds of element types that an operator takes. */
typedef enum
{
  TAKES_FLOATS = 1 << 0,
  TAKES_INTEGERS = 1 << 1,
  TAKES_BOOL = 1 << 2,
  TAKES_STRING = 1 << 3,
  TAKES_NUMBERS = TAKES_FLOATS | TAKES_INTEGERS,
} Takes;

static const struct
{
  AssayOp op;
  Takes takes;
  gboolean tells;
} rows[] = {
  { ASSAY_OP_Add, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_And, TAKES_BOOL, TRUE },
  { ASSAY_OP_BitwiseAnd, TAKES_INTEGERS, FALSE },
  { ASSAY_OP_BitwiseOr, TAKES_INTEGERS, FALSE },
  { ASSAY_OP_BitwiseXor, TAKES_INTEGERS, FALSE },
  { ASSAY_OP_Div, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_Equal, TAKES_NUMBERS | TAKES_BOOL | TAKES_STRING, TRUE },
  { ASSAY_OP_Greater, TAKES_NUMBERS, TRUE },
  { ASSAY_OP_GreaterOrEqual, TAKES_NUMBERS, TRUE },
  { ASSAY_OP_Less, TAKES_NUMBERS, TRUE },
  { ASSAY_OP_LessOrEqual, TAKES_NUMBERS, TRUE },
  { ASSAY_OP_Max, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_Mean, TAKES_FLOATS, FALSE },
  { ASSAY_OP_Min, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_Mod, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_Mul, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_Or, TAKES_BOOL, TRUE },
  { ASSAY_OP_PRelu, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_Sub, TAKES_NUMBERS, FALSE },
  { ASSAY_OP_Sum, TAKES_FLOATS, FALSE },
  { ASSAY_OP_Xor, TAKES_BOOL, TRUE },
};

static const struct
{
  Takes takes;
  AssayWalkFunc func;
} loops[ASSAY_N_DTYPES] = {
#define ROW(storage, type) [ASSAY_DTYPE_##storage] = { TAKES_FLOATS, row_##storage },
  ASSAY_KERNEL_FLOAT_TYPES (ROW)
#undef ROW
#define ROW(storage, type) [ASSAY_DTYPE_##storage] = { TAKES_INTEGERS, row_##storage },
      ASSAY_KERNEL_INTEGER_TYPES (ROW)
#undef ROW
          [ASSAY_DTYPE_BOOL] = { TAKES_BOOL, row_bool },
  [ASSAY_DTYPE_STRING] = { TAKES_STRING, row_string },
};

/* One pass over the result and two operands, which broadcast to it. */
static void
walk_operands (AssayKernel *self, Work *work, guint n_operands, AssayWalkFunc func)
{
  AssayWalk walk;

  assay_walk_init (&walk, work->operands[0]->rank, work->operands[0]->dims);
  for (guint i = 0; i < n_operands; i++)
    assay_walk_add_broadcast (&walk, work->operands[i]);
  assay_walk_merge (&walk);
  assay_kernel_walk (self, &walk, func, work);
}

static AssayDatum *
broadcast_output (AssayKernel *self, AssayDType dtype, GError **error)
{
  gint64 dims[ASSAY_MAX_RANK];
  guint rank;

  if (!assay_walk_broadcast_dims (self->n_inputs, self->inputs, &rank, dims, error))
    {
      g_autofree char *path = assay_graph_node_path (self->graph, self->id);

      g_prefix_error (error, "%s (%s): ", path, self->node->op_type);
      return NULL;
    }

  return assay_kernel_output (self, 0, dtype, rank, dims, error);
}

static void
divide_by_number (AssayDatum *y, guint n)
{
  if (y->storage == ASSAY_DTYPE_F32)
    for (gsize i = 0; i < y->n; i++)
      ((float *) y->data)[i] /= (float) n;
  else
    for (gsize i = 0; i < y->n; i++)
      ((double *) y->data)[i] /= n;
}

/* The result of two operands may take the place of one of them. */
static AssayDatum *
binary_output (AssayKernel *self, GError **error)
{
  for (guint i = 0; i < 2; i++)
    {
      const AssayDatum *x = self->inputs[i], *other = self->inputs[1 - i];

      if (other->rank <= x->rank &&
          assay_dims_spread (other->rank, other->dims, x->rank, x->dims, NULL))
        return assay_kernel_output_like (self, 0, i, error);
    }

  return broadcast_output (self, self->inputs[0]->dtype, error);
}

gboolean
assay_kernel_op_broadcast (AssayKernel *self, GError **error)
{
  AssayDatum *first = assay_kernel_input (self, 0);
  Work work = { .op = self->node->op };
  guint row = 0;

  while (rows[row].op != work.op)
    row++;
  if ((rows[row].takes & loops[first->storage].takes) == 0)
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_expect_same (self, error))
    return FALSE;
  if (self->n_inputs == 1)
    {
      assay_kernel_take (self, 0, assay_datum_ref (first));
      return TRUE;
    }

  if (work.op == ASSAY_OP_Mod)
    work.flag = assay_node_get_int (self->node, "fmod") != 0;
  if (self->n_inputs == 2 && !rows[row].tells)
    work.operands[0] = binary_output (self, error);
  else
    work.operands[0] = broadcast_output (self, rows[row].tells ? ASSAY_DTYPE_BOOL : first->dtype,
                                         error);
  if (work.operands[0] == NULL)
    return FALSE;

  work.operands[1] = first;
  for (guint i = 1; i < self->n_inputs; i++)
    {
      work.operands[2] = self->inputs[i];
      walk_operands (self, &work, 3, loops[first->storage].func);
      work.operands[1] = work.operands[0];
    }
  if (work.op == ASSAY_OP_Mean)
    divide_by_number (work.operands[0], self->n_inputs);

  return TRUE;
}

gboolean
assay_kernel_op_bit_shift (AssayKernel *self, GError **error)
{
  static const AssayWalkFunc shifts[ASSAY_N_DTYPES] = {
#define ROW(storage, type) [ASSAY_DTYPE_##storage] = shift_##storage,
    ASSAY_KERNEL_UNSIGNED_TYPES (ROW)
#undef ROW
  };
  AssayDatum *x = assay_kernel_input (self, 0);
  Work work = { .operands = { NULL, x, assay_kernel_input (self, 1) } };

  if (shifts[x->storage] == NULL)
    return assay_kernel_fail_type (self, 0, error);

  work.flag = strcmp (assay_node_get_string (self->node, "direction"), "LEFT") == 0;
  work.operands[0] = !assay_kernel_expect_same (self, error)
                         ? NULL
                         : broadcast_output (self, x->dtype, error);
  if (work.operands[0] == NULL)
    return FALSE;

  walk_operands (self, &work, 3, shifts[x->storage]);

  return TRUE;
}

gboolean
assay_kernel_op_string_concat (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);
  Work work = { .operands = { NULL, x, assay_kernel_input (self, 1) } };

  if (x->dtype != ASSAY_DTYPE_STRING)
    return assay_kernel_fail_type (self, 0, error);

  work.operands[0] = !assay_kernel_expect_same (self, error)
                         ? NULL
                         : broadcast_output (self, x->dtype, error);
  if (work.operands[0] == NULL)
    return FALSE;

  walk_operands (self, &work, 3, row_join);

  return TRUE;
}

/* By squaring; a negative exponent leaves what an integer has of the quotient. */
static gint64
integer_power (gint64 base, gint64 exponent)
{
  guint64 power = 1;
  guint64 square = (guint64) base;

  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;

  for (; exponent > 0; exponent >>= 1, square *= square)
    power *= (exponent & 1) != 0 ? square : 1;

  return (gint64) power;
}

ROW_FUNCTION (power_F32)
{
  Work *work = data;

  do
    {
      if (work->flag)
        LOOP (float, float, double, a *a)
      LOOP (float, float, double, powf (a, (float) b))
    }
  while (FALSE);
}

ROW_FUNCTION (power_F64)
{
  Work *work = data;

  do
    LOOP (double, double, double, pow (a, b))
  while (FALSE);
}

/* With an integer exponent the flag is set, and the result is exact. */
#define POWER_FUNCTION(storage, type)                                                              \
  ROW_FUNCTION (power_##storage)                                                                   \
  {                                                                                                \
    Work *work = data;                                                                             \
    do                                                                                             \
      {                                                                                            \
        if (work->flag)                                                                            \
          LOOP (type, type, gint64, integer_power ((gint64) a, b))                                 \
        LOOP (type, type, double, assay_kernel_integer (pow ((double) a, b)))                      \
      }                                                                                            \
    while (FALSE);                                                                                 \
  }
ASSAY_KERNEL_INTEGER_TYPES (POWER_FUNCTION)

gboolean
assay_kernel_op_pow (AssayKernel *self, GError **error)
{
  static const AssayWalkFunc powers[ASSAY_N_DTYPES] = {
#define ROW(storage, type) [ASSAY_DTYPE_##storage] = power_##storage,
    ASSAY_KERNEL_NUMBER_TYPES (ROW)
#undef ROW
  };
  AssayDatum *x = assay_kernel_input (self, 0);
  AssayDatum *exponent = assay_kernel_input (self, 1);
  gboolean exact = assay_dtype_is_integer (x->storage) &&
                   assay_dtype_is_integer (exponent->storage);
  g_autoptr (AssayDatum) wide = NULL;
  Work work = { .operands = { NULL, x, NULL } };

  if (powers[x->storage] == NULL)
    return assay_kernel_fail_type (self, 0, error);
  if (powers[exponent->storage] == NULL)
    return assay_kernel_fail_type (self, 1, error);

  wide = assay_datum_new (exact ? ASSAY_DTYPE_I64 : ASSAY_DTYPE_F64,
                          exact ? ASSAY_DTYPE_I64 : ASSAY_DTYPE_F64, exponent->rank, exponent->dims,
                          error);
  if (wide == NULL)
    return FALSE;
  for (gsize i = 0; i < wide->n; i++)
    {
      if (exact)
        ((gint64 *) wide->data)[i] = assay_datum_get_integer (exponent, i);
      else
        ((double *) wide->data)[i] = assay_datum_get_number (exponent, i);
    }

  /* Squares, which norms are made of, need no logarithm. */
  work.flag = exact || (wide->n == 1 && *(const double *) wide->data == 2);
  work.operands[0] = broadcast_output (self, x->dtype, error);
  work.operands[2] = wide;
  if (work.operands[0] == NULL)
    return FALSE;
  if (!exact && x->storage != ASSAY_DTYPE_F32)
    work.flag = FALSE;

  walk_operands (self, &work, 3, powers[x->storage]);

  return TRUE;
}

#define WHERE_FUNCTION(name, type, take)                                                           \
  ROW_FUNCTION (name)                                                                              \
  {                                                                                                \
    Work *work = data;                                                                             \
    type *to = (type *) work->operands[0]->data + offsets[0];                                      \
    const guint8 *condition = (const guint8 *) work->operands[1]->data + offsets[1];               \
    type const *left = (type const *) work->operands[2]->data + offsets[2];                        \
    type const *right = (type const *) work->operands[3]->data + offsets[3];                       \
    for (gsize i = 0; i < n; i++)                                                                  \
      {                                                                                            \
        type a = left[(gssize) i * strides[2]];                                                    \
        type b = right[(gssize) i * strides[3]];                                                   \
        to[i] = take (condition[(gssize) i * strides[1]] != 0 ? a : b);                            \
      }                                                                                            \
  }

typedef struct
{
  double re;
  double im;
} Complex;

WHERE_FUNCTION (where_1, guint8, )
WHERE_FUNCTION (where_2, guint16, )
WHERE_FUNCTION (where_4, guint32, )
WHERE_FUNCTION (where_8, guint64, )
WHERE_FUNCTION (where_16, Complex, )
WHERE_FUNCTION (where_string, GBytes *, g_bytes_ref)

gboolean
assay_kernel_op_where (AssayKernel *self, GError **error)
{
  static const AssayWalkFunc by_size[] = {
    [1] = where_1, [2] = where_2, [4] = where_4, [8] = where_8, [16] = where_16,
  };
  AssayDatum *x = assay_kernel_input (self, 1);
  AssayDatum *y = assay_kernel_input (self, 2);
  Work work = { .operands = { NULL, assay_kernel_input (self, 0), x, y } };

  if (work.operands[1]->dtype != ASSAY_DTYPE_BOOL)
    return assay_kernel_fail_type (self, 0, error);
  if (x->dtype != y->dtype)
    return assay_kernel_fail_type (self, 2, error);

  work.operands[0] = broadcast_output (self, x->dtype, error);
  if (work.operands[0] == NULL)
    return FALSE;

  walk_operands (self, &work, 4,
                 x->dtype == ASSAY_DTYPE_STRING ? where_string
                                                : by_size[assay_storage_size (x->storage)]);

  return TRUE;
}
