/* assay-shape-elementwise.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include <math.h>

/* One output of the type of the first input. */
void
assay_shape_rule_same (AssayShapeContext *self)
{
  assay_shape_set (self, 0, assay_shape_input (self, 0));
}

void
assay_shape_rule_identity (AssayShapeContext *self)
{
  const AssaySequence *sequence = assay_shape_sequence (self, 0);

  if (sequence != NULL)
    assay_shape_set_items (self, 0, sequence->n, sequence->items);
  assay_shape_set (self, 0, assay_shape_input (self, 0));
}

/* As `same`, with an axis that has to be in range. */
void
assay_shape_rule_axis_map (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  int axis;

  /* Softmax of a scalar is that of one element. */
  if (x != NULL && x->rank > 0)
    assay_shape_node_axis (self, x->rank, &axis);

  assay_shape_set (self, 0, assay_shape_input (self, 0));
}

static void
set_like (AssayShapeContext *self, guint output, AssayDType dtype, const AssayType *like)
{
  gboolean tensor = like->kind == ASSAY_TYPE_KIND_TENSOR;

  assay_shape_set_tensor (self, output, dtype, tensor ? like->rank : -1,
                          tensor ? like->dims : NULL);
}

/* Booleans in the shape of the first input. */
void
assay_shape_rule_predicate (AssayShapeContext *self)
{
  set_like (self, 0, ASSAY_DTYPE_BOOL, assay_shape_input (self, 0));
}

static void
broadcast_inputs (AssayShapeContext *self, AssayDType dtype)
{
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = 0;

  /* An operator of opset 1 to 6 that could not be upgraded broadcasts its second input to the first
   * one. */
  if (assay_node_find_attr (self->node, "broadcast") != NULL)
    {
      set_like (self, 0, dtype, assay_shape_input (self, 0));
      return;
    }

  for (guint i = 0; i < self->node->n_inputs; i++)
    {
      const AssayType *input = assay_shape_tensor (self, i, 0, -1);

      if (input == NULL || !assay_shape_broadcast (self, dims, &rank, input->dims, input->rank))
        {
          assay_shape_set_tensor (self, 0, dtype, -1, NULL);
          return;
        }
    }

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

static AssayDType
common_dtype (AssayShapeContext *self, guint first, guint end)
{
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;

  for (guint i = first; i < end; i++)
    {
      AssayDType other = assay_shape_dtype (self, i);

      if (dtype == ASSAY_DTYPE_UNDEFINED)
        dtype = other;
      else if (other != ASSAY_DTYPE_UNDEFINED && other != dtype)
        assay_shape_report (self, "infer.type", NULL,
                            "input %u is of type %s, the other inputs are %s", i,
                            assay_dtype_name (other), assay_dtype_name (dtype));
    }

  return dtype;
}

void
assay_shape_rule_broadcast (AssayShapeContext *self)
{
  /* The exponent of Pow may have a type of its own. */
  guint end = self->node->op == ASSAY_OP_Pow ? 1 : self->node->n_inputs;

  broadcast_inputs (self, common_dtype (self, 0, end));
}

void
assay_shape_rule_compare (AssayShapeContext *self)
{
  common_dtype (self, 0, self->node->n_inputs);
  broadcast_inputs (self, ASSAY_DTYPE_BOOL);
}

void
assay_shape_rule_where (AssayShapeContext *self)
{
  AssayDType condition = assay_shape_dtype (self, 0);

  if (condition != ASSAY_DTYPE_UNDEFINED && condition != ASSAY_DTYPE_BOOL)
    assay_shape_report (self, "infer.type", NULL, "the condition is of type %s, bool was expected",
                        assay_dtype_name (condition));

  broadcast_inputs (self, common_dtype (self, 1, 3));
}

static AssayDType
dtype_attribute (AssayShapeContext *self, const char *name, AssayDType fallback)
{
  gint64 number = fallback;

  assay_node_find_int (self->node, name, &number);
  if (number == ASSAY_DTYPE_UNDEFINED)
    return fallback;

  if (number < 0 || number > G_MAXINT || !assay_dtype_is_known ((int) number))
    {
      assay_shape_report (self, "infer.attribute", name, "%" G_GINT64_FORMAT " is no element type",
                          number);
      return ASSAY_DTYPE_UNDEFINED;
    }

  return (AssayDType) number;
}

void
assay_shape_rule_cast (AssayShapeContext *self)
{
  set_like (self, 0, dtype_attribute (self, "to", ASSAY_DTYPE_UNDEFINED),
            assay_shape_input (self, 0));
}

void
assay_shape_rule_cast_like (AssayShapeContext *self)
{
  set_like (self, 0, assay_shape_dtype (self, 1), assay_shape_input (self, 0));
}

void
assay_shape_rule_dropout (AssayShapeContext *self)
{
  assay_shape_set (self, 0, assay_shape_input (self, 0));
  set_like (self, 1, ASSAY_DTYPE_BOOL, assay_shape_input (self, 0));
}

void
assay_shape_rule_random_like (AssayShapeContext *self)
{
  set_like (self, 0, dtype_attribute (self, "dtype", assay_shape_dtype (self, 0)),
            assay_shape_input (self, 0));
}

void
assay_shape_rule_eye_like (AssayShapeContext *self)
{
  assay_shape_tensor (self, 0, 2, 2);
  assay_shape_rule_random_like (self);
}

void
assay_shape_rule_random (AssayShapeContext *self)
{
  AssayDim dims[ASSAY_MAX_RANK];
  AssayDType dtype = dtype_attribute (self, "dtype", ASSAY_DTYPE_F32);
  guint n;
  const gint64 *shape = assay_node_get_ints (self->node, "shape", &n);

  if (shape == NULL || n > ASSAY_MAX_RANK)
    {
      assay_shape_report (self, "infer.attribute", "shape", "%s",
                          shape == NULL ? "missing" : "too many dimensions");
      assay_shape_set_tensor (self, 0, dtype, -1, NULL);
      return;
    }

  for (guint i = 0; i < n; i++)
    {
      if (shape[i] < 0)
        assay_shape_report (self, "infer.attribute", "shape", "%" G_GINT64_FORMAT " is no extent",
                            shape[i]);
      dims[i] = assay_scalar_to_dim (assay_scalar_int (shape[i]));
    }

  assay_shape_set_tensor (self, 0, dtype, (int) n, dims);
}

void
assay_shape_rule_multinomial (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, 2);
  gint64 samples = assay_node_get_int (self->node, "sample_size");
  AssayDim dims[2] = { x == NULL ? assay_dim_unknown () : x->dims[0],
                       assay_dim (MAX (samples, -1)) };

  assay_shape_set_tensor (self, 0, dtype_attribute (self, "dtype", ASSAY_DTYPE_I32), 2, dims);
}

void
assay_shape_rule_constant (AssayShapeContext *self)
{
  static const AssayDType dtypes[] = {
    [ASSAY_ATTR_FLOAT] = ASSAY_DTYPE_F32,     [ASSAY_ATTR_FLOATS] = ASSAY_DTYPE_F32,
    [ASSAY_ATTR_INT] = ASSAY_DTYPE_I64,       [ASSAY_ATTR_INTS] = ASSAY_DTYPE_I64,
    [ASSAY_ATTR_STRING] = ASSAY_DTYPE_STRING, [ASSAY_ATTR_STRINGS] = ASSAY_DTYPE_STRING,
  };
  const AssayAttr *attr = assay_node_find_value (self->node);
  AssayDim dim = assay_dim (attr != NULL ? attr->n : 0);

  if (attr == NULL)
    assay_shape_report (self, "infer.attribute", "value", "no attribute holds a value");
  else if (attr->kind == ASSAY_ATTR_TENSOR)
    assay_shape_set (self, 0,
                     assay_type_new_fixed (self->arena, assay_tensor_get_dtype (attr->u.tensor),
                                           assay_tensor_get_rank (attr->u.tensor),
                                           assay_tensor_get_dims (attr->u.tensor)));
  else
    assay_shape_set_tensor (self, 0, dtypes[attr->kind], attr->kind >= ASSAY_ATTR_INTS ? 1 : 0,
                            &dim);
}

/* The shape that a vector of extents says; -1 if even the rank is open. */
static int
shape_from_vector (AssayShapeContext *self, guint input, AssayDim *dims)
{
  guint n;
  const AssayScalar *items = assay_shape_vector (self, input, &n);

  if (items == NULL || n > ASSAY_MAX_RANK)
    return -1;

  for (guint i = 0; i < n; i++)
    {
      if (items[i].kind == ASSAY_SCALAR_INT && items[i].u.i < 0)
        assay_shape_report (self, "infer.shape", NULL, "%" G_GINT64_FORMAT " is no extent",
                            items[i].u.i);
      dims[i] = assay_scalar_to_dim (items[i]);
    }

  return (int) n;
}

void
assay_shape_rule_constant_of_shape (AssayShapeContext *self)
{
  const AssayAttr *value = assay_node_find_attr (self->node, "value");
  gboolean typed = value != NULL && value->kind == ASSAY_ATTR_TENSOR;
  AssayDType dtype = typed ? assay_tensor_get_dtype (value->u.tensor) : ASSAY_DTYPE_F32;
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = shape_from_vector (self, 0, dims);

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

void
assay_shape_rule_expand (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = shape_from_vector (self, 1, dims);

  if (x == NULL || rank < 0 || !assay_shape_broadcast (self, dims, &rank, x->dims, x->rank))
    rank = -1;

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

void
assay_shape_rule_range (AssayShapeContext *self)
{
  AssayDType dtype = common_dtype (self, 0, 3);
  AssayScalar start = assay_shape_scalar (self, 0);
  AssayScalar limit = assay_shape_scalar (self, 1);
  AssayScalar delta = assay_shape_scalar (self, 2);
  AssayScalar count = assay_scalar_unknown ();
  AssayDim dim;

  if (start.kind == ASSAY_SCALAR_FLOAT && limit.kind == ASSAY_SCALAR_FLOAT &&
      delta.kind == ASSAY_SCALAR_FLOAT)
    {
      double n = ceil ((limit.u.f - start.u.f) / delta.u.f);

      if (n < 1e15)
        count = assay_scalar_int (MAX ((gint64) n, 0));
    }
  else if (delta.kind == ASSAY_SCALAR_INT && delta.u.i > 0)
    {
      count = assay_scalar_ceil_div (self->arena, assay_scalar_sub (self->arena, limit, start),
                                     delta);
    }
  else if (delta.kind == ASSAY_SCALAR_INT && delta.u.i < 0 && delta.u.i > G_MININT64)
    {
      delta.u.i = -delta.u.i;
      count = assay_scalar_ceil_div (self->arena, assay_scalar_sub (self->arena, start, limit),
                                     delta);
    }
  else if (delta.kind == ASSAY_SCALAR_INT)
    {
      assay_shape_report (self, "infer.shape", NULL, "the step is zero");
    }

  if (count.kind == ASSAY_SCALAR_INT && count.u.i < 0)
    count = assay_scalar_int (0);
  else if (count.kind == ASSAY_SCALAR_SYMBOL && !assay_scalar_is_non_negative (self->arena, count))
    count = assay_scalar_max (self->arena, count, assay_scalar_int (0));

  dim = assay_scalar_to_dim (count);
  assay_shape_set_tensor (self, 0, dtype, 1, &dim);
}

/* HannWindow and its relatives: the size is an input. */
void
assay_shape_rule_window (AssayShapeContext *self)
{
  AssayDim dim = assay_scalar_to_dim (assay_shape_scalar (self, 0));

  assay_shape_set_tensor (self, 0, dtype_attribute (self, "output_datatype", ASSAY_DTYPE_F32), 1,
                          &dim);
}
