/* assay-torch-make-scalar.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Constants, lists, and arithmetic with single numbers.
 */
#include <math.h>
#include <string.h>

#include "source/torch/assay-torch-elements.h"
#include "source/torch/assay-torch-lower-private.h"

gboolean
assay_torch_make_constant (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchAttr *attr = assay_torch_op_find_attr (self->op, "value");
  AssayTorchItem *item = assay_torch_item_new (self, (AssayTorchItemKind) rule->argument);

  if (item->kind == ASSAY_TORCH_ITEM_NONE)
    return assay_torch_result_item (self, 0, item);
  if (attr == NULL)
    return assay_torch_cannot (self, "it has no value");
  item->i = attr->i;
  item->f = attr->kind == ASSAY_TORCH_ATTR_FLOAT ? attr->f : (double) attr->i;
  if (attr->kind == ASSAY_TORCH_ATTR_FLOAT && item->kind == ASSAY_TORCH_ITEM_INT)
    item->kind = ASSAY_TORCH_ITEM_FLOAT;
  if (item->kind == ASSAY_TORCH_ITEM_STRING)
    item->s = assay_arena_intern_n (self->arena, attr->s != NULL ? attr->s : "", attr->length);

  return assay_torch_result_item (self, 0, item);
}

gboolean
assay_torch_make_literal (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchAttr *attr = assay_torch_op_find_attr (self->op, "value");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  if (attr == NULL)
    return assay_torch_cannot (self, "it has no value");
  tensor = assay_torch_module_dup_tensor (self->module, attr, &error);
  if (tensor == NULL)
    {
      g_propagate_prefixed_error (&self->error, g_steal_pointer (&error),
                                  "line %u: ", self->op->line);
      return FALSE;
    }

  return assay_torch_result (self, 0, assay_torch_keep (self, tensor));
}

gboolean
assay_torch_make_list (AssayTorchLower *self, const AssayTorchRule *rule)
{
  g_autofree AssayTorchItem **items = g_new (AssayTorchItem *, self->op->n_operands + 1);

  for (guint i = 0; i < self->op->n_operands; i++)
    {
      items[i] = assay_torch_arg (self, i);
      if (items[i] == NULL)
        return assay_torch_cannot (self, "entry %u is not known", i);
    }

  return assay_torch_result_item (self, 0, assay_torch_list (self, self->op->n_operands, items));
}

gboolean
assay_torch_make_unpack (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *list = assay_torch_arg (self, 0);

  if (list == NULL || list->kind != ASSAY_TORCH_ITEM_LIST || list->n != self->op->n_results)
    return assay_torch_cannot (self, "it is no list of %u", self->op->n_results);
  for (guint i = 0; i < list->n; i++)
    assay_torch_result_item (self, i, list->items[i]);

  return TRUE;
}

/* The same, as another type of the program. */
gboolean
assay_torch_make_same (AssayTorchLower *self, const AssayTorchRule *rule)
{
  return assay_torch_result_item (self, 0, assay_torch_arg (self, 0));
}

/* The same elements, which nobody else writes to. */
gboolean
assay_torch_make_copy (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;

  return assay_torch_get_tensor (self, 0, &value) && assay_torch_result (self, 0, value);
}

/* The tensor itself if its elements are in order already. */
gboolean
assay_torch_make_contiguous (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = assay_torch_arg (self, 0);
  AssayValueId value;
  gint64 stride = 1;
  gboolean is_placed;

  if (!assay_torch_get_tensor (self, 0, &value))
    return FALSE;
  is_placed = item->storage == NULL || assay_torch_track (self, item);
  for (guint i = item->storage != NULL && is_placed ? item->rank : 0; i-- > 0;)
    {
      if (item->dims[i] != 1 && item->strides[i] != stride)
        return assay_torch_result (self, 0, value);
      stride *= item->dims[i];
    }
  /* The order of a view without a place is not known: it may be a copy. */
  if (item->storage != NULL && item->place == ASSAY_TORCH_PLACE_UNKNOWN)
    return assay_torch_result_item (self, 0, assay_torch_view_somewhere (self, item, value));

  return assay_torch_result_item (self, 0, item);
}

gboolean
assay_torch_make_overwrite (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *target = assay_torch_arg (self, 1);
  AssayValueId value;

  return target != NULL && target->kind == ASSAY_TORCH_ITEM_TENSOR &&
         assay_torch_get_tensor (self, 0, &value) && assay_torch_write (self, target, value);
}

/* Writes one tensor to another and gives that. */
gboolean
assay_torch_make_copy_to (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId own;
  AssayValueId value;
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];

  if (!assay_torch_get_tensor (self, 0, &own) || !assay_torch_get_tensor (self, 1, &value))
    return FALSE;
  value = assay_torch_cast (self, value, assay_torch_dtype (self, own));
  if (!assay_torch_dims (self, own, &rank, dims))
    return FALSE;

  return assay_torch_result (self, 0, assay_torch_expand (self, value, rank, dims));
}

/* What nothing is made of: the program goes on as if it held. */
gboolean
assay_torch_make_nothing (AssayTorchLower *self, const AssayTorchRule *rule)
{
  for (guint i = 0; i < self->op->n_results; i++)
    assay_torch_result_item (self, i, assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));

  return TRUE;
}

static AssayTorchItem *
extent (AssayTorchLower *self, AssayValueId value, guint rank, gint64 axis)
{
  AssayDim dim = assay_torch_type (self, value)->dims[axis];

  if (dim.size >= 0)
    return assay_torch_int (self, dim.size);

  return assay_torch_number (self, ASSAY_TORCH_ITEM_INT,
                             assay_torch_gather (self, assay_torch_shape (self, value),
                                                 assay_torch_integer (self, ASSAY_DTYPE_I64, axis),
                                                 0));
}

gboolean
assay_torch_make_size (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *items[ASSAY_MAX_RANK];
  AssayValueId value;
  gint64 axis;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &value) || !assay_torch_rank (self, value, &rank))
    return FALSE;
  if (self->op->n_operands > 1)
    return assay_torch_get_axis (self, 1, rank, &axis) && rank > 0 &&
           assay_torch_result_item (self, 0, extent (self, value, rank, axis));
  for (guint i = 0; i < rank; i++)
    items[i] = extent (self, value, rank, i);

  return assay_torch_result_item (self, 0, assay_torch_list (self, rank, items));
}

gboolean
assay_torch_make_dim (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;
  guint rank;

  return assay_torch_get_tensor (self, 0, &value) && assay_torch_rank (self, value, &rank) &&
         assay_torch_result_item (self, 0, assay_torch_int (self, rank));
}

gboolean
assay_torch_make_numel (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;

  return assay_torch_get_tensor (self, 0, &value) &&
         assay_torch_result_item (
             self, 0,
             assay_torch_number (self, ASSAY_TORCH_ITEM_INT,
                                 assay_torch_one (self, ASSAY_OP_Size, value)));
}

gboolean
assay_torch_make_len (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *item = assay_torch_arg (self, 0);
  AssayValueId value;
  guint rank;

  if (item != NULL && item->kind == ASSAY_TORCH_ITEM_LIST)
    return assay_torch_result_item (self, 0, assay_torch_int (self, item->n));
  if (item != NULL && item->kind == ASSAY_TORCH_ITEM_DICT)
    return assay_torch_result_item (self, 0, assay_torch_int (self, item->n / 2));

  return assay_torch_get_tensor (self, 0, &value) && assay_torch_rank (self, value, &rank) &&
         rank > 0 && assay_torch_result_item (self, 0, extent (self, value, rank, 0));
}

gboolean
assay_torch_make_get_item (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *list = assay_torch_arg (self, 0);
  gint64 index;

  if (list == NULL || list->kind != ASSAY_TORCH_ITEM_LIST || !assay_torch_get_int (self, 1, &index))
    return assay_torch_cannot (self, "the list or the index is not known");
  index += index < 0 ? list->n : 0;
  if (index < 0 || index >= list->n)
    return assay_torch_cannot (self, "a list of %u has no entry %" G_GINT64_FORMAT, list->n, index);

  return assay_torch_result_item (self, 0, list->items[index]);
}

/* A single element as a number. */
gboolean
assay_torch_make_item (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItemKind kind = (AssayTorchItemKind) rule->argument;
  AssayValueId value;
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, &value))
    return FALSE;
  dtype = assay_torch_dtype (self, value);
  if (kind == ASSAY_TORCH_ITEM_NONE)
    kind = dtype == ASSAY_DTYPE_BOOL        ? ASSAY_TORCH_ITEM_BOOL
           : assay_dtype_is_integer (dtype) ? ASSAY_TORCH_ITEM_INT
                                            : ASSAY_TORCH_ITEM_FLOAT;
  value = assay_torch_reshape (self, value, 0, NULL);
  value = assay_torch_cast (self, value,
                            kind == ASSAY_TORCH_ITEM_INT    ? ASSAY_DTYPE_I64
                            : kind == ASSAY_TORCH_ITEM_BOOL ? ASSAY_DTYPE_BOOL
                                                            : ASSAY_DTYPE_F64);

  return assay_torch_result_item (self, 0, assay_torch_number (self, kind, value));
}

/* A number as a tensor without dimensions, of the type that operand @argument names if there is
 * one. */
gboolean
assay_torch_make_from_number (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = assay_torch_arg (self, 0);
  AssayDType dtype = ASSAY_DTYPE_I64;

  if (item == NULL)
    return assay_torch_cannot (self, "the number is not known");
  if (item->kind == ASSAY_TORCH_ITEM_BOOL)
    dtype = ASSAY_DTYPE_BOOL;
  else if (item->kind == ASSAY_TORCH_ITEM_FLOAT || rule->argument == 1)
    dtype = rule->argument == 0 ? ASSAY_DTYPE_F64 : ASSAY_DTYPE_F32;
  if (rule->argument != 0 && !assay_torch_get_dtype (self, 1, &dtype))
    return FALSE;

  return assay_torch_result (self, 0, assay_torch_as_value (self, item, dtype));
}

gboolean
assay_torch_make_dtype (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;

  return assay_torch_get_tensor (self, 0, &value) &&
         assay_torch_dtype (self, value) != ASSAY_DTYPE_UNDEFINED &&
         assay_torch_result_item (
             self, 0,
             assay_torch_int (self, assay_torch_code_of_dtype (assay_torch_dtype (self, value))));
}

gboolean
assay_torch_make_is_float (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;

  return assay_torch_get_tensor (self, 0, &value) &&
         assay_torch_result_item (
             self, 0,
             assay_torch_bool (self, assay_dtype_is_float (assay_torch_dtype (self, value))));
}

gboolean
assay_torch_make_is (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *a = assay_torch_arg (self, 0);
  const AssayTorchItem *b = assay_torch_arg (self, 1);
  gboolean is_same;

  if (a == NULL || b == NULL ||
      (a->kind != ASSAY_TORCH_ITEM_NONE && b->kind != ASSAY_TORCH_ITEM_NONE))
    return assay_torch_cannot (self, "neither side is none");
  is_same = a->kind == b->kind;

  return assay_torch_result_item (self, 0,
                                  assay_torch_bool (self, rule->argument ? !is_same : is_same));
}

/* Arithmetic with single numbers. */
typedef enum
{
  ADD,
  SUB,
  MUL,
  DIV,
  FLOOR_DIV,
  REMAINDER,
  POW,
  MIN_OF,
  MAX_OF,
  EQ,
  NE,
  LT,
  LE,
  GT,
  GE,
  AND,
  OR,
  XOR,
} Binary;

static const AssayOp nodes[] = {
  [ADD] = ASSAY_OP_Add,        [SUB] = ASSAY_OP_Sub,       [MUL] = ASSAY_OP_Mul,
  [DIV] = ASSAY_OP_Div,        [REMAINDER] = ASSAY_OP_Mod, [MIN_OF] = ASSAY_OP_Min,
  [MAX_OF] = ASSAY_OP_Max,     [EQ] = ASSAY_OP_Equal,      [LT] = ASSAY_OP_Less,
  [LE] = ASSAY_OP_LessOrEqual, [GT] = ASSAY_OP_Greater,    [GE] = ASSAY_OP_GreaterOrEqual,
  [POW] = ASSAY_OP_Pow,        [XOR] = ASSAY_OP_OPAQUE,
};

/* Wraps around as the program would. */
static gint64
integer_of (Binary what, gint64 a, gint64 b)
{
  gint64 q;

  switch (what)
    {
    case ADD:
      return (gint64) ((guint64) a + (guint64) b);
    case SUB:
      return (gint64) ((guint64) a - (guint64) b);
    case MUL:
      return (gint64) ((guint64) a * (guint64) b);
    case FLOOR_DIV:
      if (b == -1)
        return (gint64) (0 - (guint64) a);
      q = a / b;
      return q - (a % b != 0 && (a < 0) != (b < 0));
    case REMAINDER:
      if (b == -1)
        return 0;
      return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    case MIN_OF:
      return MIN (a, b);
    case MAX_OF:
      return MAX (a, b);
    default:
      return 0;
    }
}

static double
number_of (Binary what, double a, double b)
{
  switch (what)
    {
    case ADD:
      return a + b;
    case SUB:
      return a - b;
    case MUL:
      return a * b;
    case DIV:
      return a / b;
    case FLOOR_DIV:
      return floor (a / b);
    case REMAINDER:
      return a - b * floor (a / b);
    case POW:
      return pow (a, b);
    case MIN_OF:
      return MIN (a, b);
    case MAX_OF:
      return MAX (a, b);
    default:
      return 0.0;
    }
}

static gboolean
truth_of (Binary what, double a, double b)
{
  switch (what)
    {
    case EQ:
      return a == b;
    case NE:
      return a != b;
    case LT:
      return a < b;
    case LE:
      return a <= b;
    case GT:
      return a > b;
    case GE:
      return a >= b;
    case AND:
      return a != 0 && b != 0;
    case OR:
      return a != 0 || b != 0;
    default:
      return (a != 0) != (b != 0);
    }
}

static gboolean
is_number (const AssayTorchItem *item)
{
  return item != NULL &&
         (item->kind == ASSAY_TORCH_ITEM_INT || item->kind == ASSAY_TORCH_ITEM_BOOL ||
          item->kind == ASSAY_TORCH_ITEM_FLOAT);
}

/* A number that only the graph knows. */
static gboolean
compute (AssayTorchLower *self, Binary what, AssayTorchItem *a, AssayTorchItem *b,
         gboolean is_float)
{
  AssayDType dtype = is_float ? ASSAY_DTYPE_F64 : ASSAY_DTYPE_I64;
  AssayValueId left = assay_torch_as_value (self, a, dtype);
  AssayValueId right = assay_torch_as_value (self, b, dtype);
  AssayValueId value;

  if (what >= AND)
    return assay_torch_cannot (self, "it is only known at run time");
  if (what == FLOOR_DIV && is_float)
    value = assay_torch_one (self, ASSAY_OP_Floor,
                             assay_torch_two (self, ASSAY_OP_Div, left, right));
  else if (what == FLOOR_DIV)
    value = assay_torch_two (self, ASSAY_OP_Div,
                             assay_torch_two (self, ASSAY_OP_Sub, left,
                                              assay_torch_two (self, ASSAY_OP_Mod, left, right)),
                             right);
  else if (what == REMAINDER && is_float)
    return assay_torch_cannot (self, "it is only known at run time");
  else if (what == NE)
    value = assay_torch_one (self, ASSAY_OP_Not,
                             assay_torch_two (self, ASSAY_OP_Equal, left, right));
  else
    value = assay_torch_two (self, nodes[what], left, right);

  return value != ASSAY_NO_VALUE &&
         assay_torch_result_item (self, 0,
                                  assay_torch_number (self,
                                                      what >= EQ ? ASSAY_TORCH_ITEM_BOOL
                                                      : is_float ? ASSAY_TORCH_ITEM_FLOAT
                                                                 : ASSAY_TORCH_ITEM_INT,
                                                      value));
}

gboolean
assay_torch_make_number (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Binary what = (Binary) rule->argument;
  AssayTorchItem *a = assay_torch_arg (self, 0);
  AssayTorchItem *b = assay_torch_arg (self, 1);
  gboolean is_float;

  if (!is_number (a) || !is_number (b))
    return assay_torch_cannot (self, "an operand is no number");
  is_float = a->kind == ASSAY_TORCH_ITEM_FLOAT || b->kind == ASSAY_TORCH_ITEM_FLOAT ||
             what == DIV || what == POW;
  if (a->value != ASSAY_NO_VALUE || b->value != ASSAY_NO_VALUE)
    return compute (self, what, a, b, is_float);

  if (what >= EQ)
    return assay_torch_result_item (
        self, 0,
        assay_torch_bool (self, what < AND && !is_float && (what == EQ || what == NE)
                                    ? (a->i == b->i) == (what == EQ)
                                    : truth_of (what, a->f, b->f)));
  if (is_float)
    {
      double value = number_of (what, a->f, b->f);

      if (what == POW && a->kind != ASSAY_TORCH_ITEM_FLOAT && b->kind != ASSAY_TORCH_ITEM_FLOAT &&
          b->i >= 0 && fabs (value) < 9e15)
        return assay_torch_result_item (self, 0, assay_torch_int (self, (gint64) value));
      return assay_torch_result_item (self, 0, assay_torch_float (self, value));
    }
  if (b->i == 0 && (what == FLOOR_DIV || what == REMAINDER))
    return assay_torch_cannot (self, "a division by zero");

  return assay_torch_result_item (self, 0, assay_torch_int (self, integer_of (what, a->i, b->i)));
}

/* To another kind of number, or a function of one. */
gboolean
assay_torch_make_convert (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const AssayDType dtypes[] = { ASSAY_DTYPE_I64, ASSAY_DTYPE_F64, ASSAY_DTYPE_BOOL };
  AssayTorchItem *a = assay_torch_arg (self, 0);
  AssayTorchItemKind kind = (AssayTorchItemKind) rule->argument;

  if (!is_number (a))
    return assay_torch_cannot (self, "the operand is no number");
  if (a->value != ASSAY_NO_VALUE)
    return assay_torch_result_item (
        self, 0,
        assay_torch_number (
            self, kind, assay_torch_cast (self, a->value, dtypes[kind - ASSAY_TORCH_ITEM_INT])));
  if (kind == ASSAY_TORCH_ITEM_FLOAT)
    return assay_torch_result_item (self, 0, assay_torch_float (self, a->f));
  if (kind == ASSAY_TORCH_ITEM_BOOL)
    return assay_torch_result_item (self, 0, assay_torch_bool (self, a->f != 0 || a->i != 0));
  if (a->kind != ASSAY_TORCH_ITEM_FLOAT)
    return assay_torch_result_item (self, 0, assay_torch_int (self, a->i));
  if (!(fabs (a->f) < 9.2e18))
    return assay_torch_cannot (self, "%g is no integer", a->f);

  return assay_torch_result_item (self, 0, assay_torch_int (self, (gint64) a->f));
}

gboolean
assay_torch_make_number_function (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *a = assay_torch_arg (self, 0);

  if (!is_number (a) || a->value != ASSAY_NO_VALUE)
    return assay_torch_cannot (self, "the operand is no known number");
  switch (rule->argument)
    {
    case 0:
      return assay_torch_result_item (self, 0,
                                      a->kind == ASSAY_TORCH_ITEM_FLOAT
                                          ? assay_torch_float (self, -a->f)
                                          : assay_torch_int (self, (gint64) (0 - (guint64) a->i)));
    case 1:
      return assay_torch_result_item (self, 0, assay_torch_bool (self, a->f == 0 && a->i == 0));
    case 2:
      return assay_torch_result_item (self, 0, assay_torch_float (self, sqrt (a->f)));
    case 3:
      return assay_torch_result_item (self, 0, assay_torch_int (self, (gint64) ceil (a->f)));
    case 4:
      return assay_torch_result_item (self, 0, assay_torch_int (self, (gint64) floor (a->f)));
    default:
      return assay_torch_cannot (self, "it is not known");
    }
}
