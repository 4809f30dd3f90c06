/* assay-shape-sequence.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include "base/assay-sentence.h"

static const AssayType *
element_of (AssayShapeContext *self, guint input, AssayTypeKind kind, const char *expected)
{
  const AssayType *type = assay_shape_input (self, input);

  if (type->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return &assay_type_unknown;

  if (type->kind != kind)
    {
      g_autofree char *text = assay_type_to_string (type);

      assay_shape_report (self, "infer.type", NULL, "input %u is %s, %s was expected", input, text,
                          expected);
      return &assay_type_unknown;
    }

  return type->element == NULL ? &assay_type_unknown : type->element;
}

static const AssayType *
sequence_element (AssayShapeContext *self, guint input)
{
  const AssayType *type = assay_shape_input (self, input);

  /* An optional sequence is taken as the sequence that it may hold. */
  if (type->kind == ASSAY_TYPE_KIND_OPTIONAL && type->element != NULL &&
      type->element->kind == ASSAY_TYPE_KIND_SEQUENCE)
    return type->element->element == NULL ? &assay_type_unknown : type->element->element;

  return element_of (self, input, ASSAY_TYPE_KIND_SEQUENCE, "a sequence");
}

/* The common type of all elements. */
static void
set_known_sequence (AssayShapeContext *self, guint n, const AssayType *const *items)
{
  const AssayType *element = items[0];

  for (guint i = 1; i < n; i++)
    element = assay_shape_common (self, element, items[i]);

  assay_shape_set_sequence (self, 0, element);
  assay_shape_set_items (self, 0, n, items);
}

/* The place that an input names in a sequence of @n elements; the end if it is omitted, -1 if it is
 * not known. */
static gint64
sequence_place (AssayShapeContext *self, guint input, guint n, gint64 end)
{
  AssayScalar place = assay_shape_scalar (self, input);

  if (!assay_shape_has_input (self, input))
    return end;
  if (place.kind != ASSAY_SCALAR_INT)
    return -1;

  if (place.u.i < -(gint64) n || place.u.i > end)
    {
      assay_shape_report (self, "infer.index", NULL,
                          "place %" G_GINT64_FORMAT " of a sequence of %u element%s", place.u.i, n,
                          assay_plural (n));
      return -1;
    }

  return place.u.i < 0 ? place.u.i + n : place.u.i;
}

void
assay_shape_rule_sequence_construct (AssayShapeContext *self)
{
  guint n = self->node->n_inputs;
  const AssayType **items = assay_arena_alloc_n (self->scratch, n + 1, sizeof *items);

  for (guint i = 0; i < n; i++)
    items[i] = assay_shape_input (self, i);

  if (n > 0)
    set_known_sequence (self, n, items);
}

void
assay_shape_rule_sequence_empty (AssayShapeContext *self)
{
  gint64 dtype = ASSAY_DTYPE_F32;

  assay_node_find_int (self->node, "dtype", &dtype);
  if (dtype < 1 || dtype > G_MAXINT || !assay_dtype_is_known ((int) dtype))
    {
      assay_shape_report (self, "infer.attribute", "dtype",
                          "%" G_GINT64_FORMAT " is no element type", dtype);
      dtype = ASSAY_DTYPE_UNDEFINED;
    }

  assay_shape_set_sequence (self, 0,
                            assay_type_new_tensor (self->arena, (AssayDType) dtype, -1, NULL));
  assay_shape_set_items (self, 0, 0, NULL);
}

void
assay_shape_rule_sequence_insert (AssayShapeContext *self)
{
  const AssaySequence *sequence = assay_shape_sequence (self, 0);
  const AssayType *element = sequence_element (self, 0);
  const AssayType *tensor = assay_shape_input (self, 1);
  gint64 place = sequence == NULL ? -1 : sequence_place (self, 2, sequence->n, sequence->n);

  if (place >= 0)
    {
      const AssayType *items[ASSAY_MAX_SEQUENCE + 1];

      for (guint i = 0; i <= sequence->n; i++)
        items[i] = i < place ? sequence->items[i] : i == place ? tensor : sequence->items[i - 1];
      set_known_sequence (self, sequence->n + 1, items);
      return;
    }

  /* What is not known to be empty may hold tensors of any shape. */
  assay_shape_set_sequence (self, 0, assay_shape_common (self, element, tensor));
}

void
assay_shape_rule_sequence_erase (AssayShapeContext *self)
{
  const AssaySequence *sequence = assay_shape_sequence (self, 0);
  gint64 place = sequence == NULL || sequence->n == 0
                     ? -1
                     : sequence_place (self, 1, sequence->n, sequence->n - 1);

  assay_shape_set_sequence (self, 0, sequence_element (self, 0));

  if (place >= 0)
    {
      const AssayType *items[ASSAY_MAX_SEQUENCE];

      for (guint i = 0; i + 1 < sequence->n; i++)
        items[i] = sequence->items[i < place ? i : i + 1];
      assay_shape_set_items (self, 0, sequence->n - 1, items);
    }
}

void
assay_shape_rule_sequence_at (AssayShapeContext *self)
{
  const AssaySequence *sequence = assay_shape_sequence (self, 0);
  const AssayType *element = sequence_element (self, 0);
  gint64 place = sequence == NULL || sequence->n == 0
                     ? -1
                     : sequence_place (self, 1, sequence->n, sequence->n - 1);

  assay_shape_set (self, 0, place >= 0 ? sequence->items[place] : element);
}

void
assay_shape_rule_sequence_length (AssayShapeContext *self)
{
  sequence_element (self, 0);
  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_I64, 0, NULL);
}

/* The extent along the axis that is joined. */
static AssayDim
joined_dim (AssayShapeContext *self, gboolean new_axis, int axis)
{
  const AssaySequence *sequence = assay_shape_sequence (self, 0);
  AssayScalar sum = assay_scalar_int (0);

  if (sequence == NULL)
    return assay_dim_unknown ();
  if (new_axis)
    return assay_dim (sequence->n);

  for (guint i = 0; i < sequence->n; i++)
    {
      const AssayType *item = sequence->items[i];

      if (item->kind != ASSAY_TYPE_KIND_TENSOR || axis >= item->rank)
        return assay_dim_unknown ();
      sum = assay_scalar_add (self->arena, sum, assay_scalar_from_dim (item->dims[axis]));
    }

  return assay_scalar_to_dim (sum);
}

void
assay_shape_rule_concat_from_sequence (AssayShapeContext *self)
{
  const AssayType *element = sequence_element (self, 0);
  gboolean new_axis = assay_node_get_int (self->node, "new_axis") != 0;
  AssayDim dims[ASSAY_MAX_RANK + 1];
  int rank = -1;
  int axis;

  if (element->kind == ASSAY_TYPE_KIND_TENSOR && element->rank >= 0 &&
      element->rank <= ASSAY_MAX_RANK)
    {
      rank = element->rank + new_axis;
      if (assay_shape_node_axis (self, rank, &axis))
        {
          for (int i = 0; i < rank; i++)
            dims[i] = i == axis ? joined_dim (self, new_axis, axis)
                                : element->dims[new_axis && i > axis ? i - 1 : i];
        }
      else
        {
          rank = -1;
        }
    }

  assay_shape_set_tensor (
      self, 0, element->kind == ASSAY_TYPE_KIND_TENSOR ? element->dtype : ASSAY_DTYPE_UNDEFINED,
      rank, dims);
}

void
assay_shape_rule_split_to_sequence (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  gboolean keep = assay_node_get_int (self->node, "keepdims") != 0;
  AssayScalar chunk = assay_shape_has_input (self, 1) ? assay_scalar_unknown ()
                                                      : assay_scalar_int (1);
  const AssayElements *split = assay_shape_elements (self, 1);
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = 0;
  int axis;

  if (x == NULL || !assay_shape_node_axis (self, x->rank, &axis))
    {
      assay_shape_set_sequence (
          self, 0, assay_type_new_tensor (self->arena, assay_shape_dtype (self, 0), -1, NULL));
      return;
    }

  /* Parts have one extent only if all sizes are the same and leave no smaller rest. */
  if (split != NULL && split->n > 0 && split->items[0].kind == ASSAY_SCALAR_INT)
    {
      gboolean equal = TRUE;

      for (gsize i = 1; i < split->n; i++)
        equal &= split->items[i].kind == ASSAY_SCALAR_INT &&
                 split->items[i].u.i == split->items[0].u.i;
      if (split->rank == 0)
        equal = split->items[0].u.i > 0 && x->dims[axis].size >= 0 &&
                x->dims[axis].size % split->items[0].u.i == 0;
      if (equal)
        chunk = split->items[0];
    }

  for (int i = 0; i < x->rank; i++)
    {
      if (i != axis)
        dims[rank++] = x->dims[i];
      else if (keep || assay_shape_has_input (self, 1))
        dims[rank++] = assay_scalar_to_dim (chunk);
    }

  assay_shape_set_sequence (self, 0, assay_type_new_tensor (self->arena, x->dtype, rank, dims));
}

void
assay_shape_rule_optional (AssayShapeContext *self)
{
  const AssayAttr *type = assay_node_find_attr (self->node, "type");
  const AssayType *element = assay_shape_input (self, 0);

  if (!assay_shape_has_input (self, 0) && type != NULL && type->kind == ASSAY_ATTR_TYPE)
    element = type->u.type;

  assay_shape_set (self, 0,
                   assay_type_new_wrapped (self->arena, ASSAY_TYPE_KIND_OPTIONAL,
                                           ASSAY_DTYPE_UNDEFINED, element));
}

/* What is no optional is its own element, since opset 18. */
void
assay_shape_rule_optional_get_element (AssayShapeContext *self)
{
  const AssayType *type = assay_shape_input (self, 0);

  if (type->kind == ASSAY_TYPE_KIND_OPTIONAL)
    type = type->element == NULL ? &assay_type_unknown : type->element;

  assay_shape_set (self, 0, type);
}

void
assay_shape_rule_optional_has_element (AssayShapeContext *self)
{
  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_BOOL, 0, NULL);
}
