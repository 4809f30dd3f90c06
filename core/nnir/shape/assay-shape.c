/* assay-shape.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "nnir/shape/assay-infer-private.h"
#include "nnir/assay-axes.h"

/**
 * assay_shape_has_input:
 * @self: a context
 * @input: which input
 *
 * Tells whether the node has an input and it is not omitted.
 *
 * Returns: whether it does
 */
gboolean
assay_shape_has_input (AssayShapeContext *self, guint input)
{
  return assay_node_input (self->node, input) != ASSAY_NO_VALUE;
}

/**
 * assay_shape_has_output:
 * @self: a context
 * @output: which output
 *
 * Tells whether an output of the node is wanted.
 *
 * Returns: whether it is
 */
gboolean
assay_shape_has_output (AssayShapeContext *self, guint output)
{
  return assay_node_output (self->node, output) != ASSAY_NO_VALUE;
}

/**
 * assay_shape_input:
 * @self: a context
 * @input: which input
 *
 * Gets the type of an input.
 *
 * Returns: (transfer none): the type, the unknown type for an omitted input
 */
const AssayType *
assay_shape_input (AssayShapeContext *self, guint input)
{
  AssayValueId value = assay_node_input (self->node, input);

  return value == ASSAY_NO_VALUE ? &assay_type_unknown
                                 : assay_graph_value (self->graph, value)->type;
}

/**
 * assay_shape_dtype:
 * @self: a context
 * @input: which input
 *
 * Gets the element type of a tensor input.
 *
 * Returns: the element type, %ASSAY_DTYPE_UNDEFINED if it is not known
 */
AssayDType
assay_shape_dtype (AssayShapeContext *self, guint input)
{
  const AssayType *type = assay_shape_input (self, input);

  return type->kind == ASSAY_TYPE_KIND_TENSOR || type->kind == ASSAY_TYPE_KIND_SPARSE_TENSOR
             ? type->dtype
             : ASSAY_DTYPE_UNDEFINED;
}

/**
 * assay_shape_tensor:
 * @self: a context
 * @input: which input
 * @min_rank: smallest rank that the operator takes
 * @max_rank: largest rank that the operator takes, or -1 for any
 *
 * Gets the type of an input that has to be a tensor; another type or rank is a finding.
 *
 * Returns: (transfer none) (nullable): the type, or %NULL if its rank is unknown or wrong
 */
const AssayType *
assay_shape_tensor (AssayShapeContext *self, guint input, int min_rank, int max_rank)
{
  const AssayType *type = assay_shape_input (self, input);

  if (type->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return NULL;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR && type->kind != ASSAY_TYPE_KIND_SPARSE_TENSOR)
    {
      g_autofree char *text = assay_type_to_string (type);

      assay_shape_report (self, "infer.type", NULL, "input %u is %s, a tensor was expected", input,
                          text);
      return NULL;
    }

  if (type->rank < 0 || type->rank > ASSAY_MAX_RANK)
    return NULL;

  if (type->rank < min_rank || (max_rank >= 0 && type->rank > max_rank))
    {
      g_autofree char *text = assay_type_to_string (type);

      if (min_rank == max_rank)
        assay_shape_report (self, "infer.rank", NULL, "input %u is %s, rank %d was expected", input,
                            text, min_rank);
      else if (max_rank >= 0)
        assay_shape_report (self, "infer.rank", NULL, "input %u is %s, rank %d to %d was expected",
                            input, text, min_rank, max_rank);
      else
        assay_shape_report (self, "infer.rank", NULL,
                            "input %u is %s, rank %d or more was expected", input, text, min_rank);
      return NULL;
    }

  return type;
}

/**
 * assay_shape_elements:
 * @self: a context
 * @input: which input
 *
 * Gets what is known of the elements of an input.
 *
 * Returns: (transfer none) (nullable): the elements, or %NULL if nothing is known
 */
const AssayElements *
assay_shape_elements (AssayShapeContext *self, guint input)
{
  return assay_infer_elements (self->infer, assay_node_input (self->node, input));
}

/**
 * assay_shape_vector:
 * @self: a context
 * @input: which input
 * @n: (out): number of elements
 *
 * Gets the elements of an input that lists extents, axes or counts. If only the length is known,
 * all are unknown.
 *
 * Returns: (transfer none) (nullable) (array length=n): the elements, or %NULL if not even the
 * length is known
 */
const AssayScalar *
assay_shape_vector (AssayShapeContext *self, guint input, guint *n)
{
  const AssayElements *elements = assay_shape_elements (self, input);
  const AssayType *type = assay_shape_input (self, input);

  *n = 0;

  if (elements != NULL)
    {
      *n = (guint) elements->n;
      return elements->items;
    }

  if (type->kind == ASSAY_TYPE_KIND_TENSOR && type->rank == 1 && type->dims[0].size >= 0 &&
      type->dims[0].size <= ASSAY_MAX_RANK * 2)
    {
      AssayScalar *items = assay_arena_alloc_n (self->scratch, (gsize) type->dims[0].size + 1,
                                                sizeof *items);

      *n = (guint) type->dims[0].size;
      for (guint i = 0; i < *n; i++)
        items[i] = assay_scalar_unknown ();

      return items;
    }

  return NULL;
}

/**
 * assay_shape_known_ints:
 * @self: a context
 * @input: which input
 * @n: (out): number of elements
 * @values: (out) (transfer none) (array length=n): the elements
 *
 * Gets the elements of an input if all are known integers.
 *
 * Returns: whether they are
 */
gboolean
assay_shape_known_ints (AssayShapeContext *self, guint input, guint *n, const gint64 **values)
{
  const AssayElements *elements = assay_shape_elements (self, input);
  gint64 *copy;

  if (elements == NULL)
    return FALSE;

  copy = assay_arena_alloc_n (self->scratch, elements->n + 1, sizeof *copy);
  for (gsize i = 0; i < elements->n; i++)
    {
      if (elements->items[i].kind != ASSAY_SCALAR_INT)
        return FALSE;
      copy[i] = elements->items[i].u.i;
    }

  *n = (guint) elements->n;
  *values = copy;

  return TRUE;
}

/**
 * assay_shape_scalar:
 * @self: a context
 * @input: which input
 *
 * Gets the only element of an input.
 *
 * Returns: the element, unknown if there is none or there are several
 */
AssayScalar
assay_shape_scalar (AssayShapeContext *self, guint input)
{
  const AssayElements *elements = assay_shape_elements (self, input);

  return elements != NULL && elements->n == 1 ? elements->items[0] : assay_scalar_unknown ();
}

/**
 * assay_shape_axis:
 * @self: a context
 * @attribute: (nullable): the attribute that the axis comes from
 * @axis: the axis, negative ones counting from the end
 * @rank: number of dimensions
 * @result: (out): the axis, counted from the front
 *
 * Brings an axis into range; one outside is a finding.
 *
 * Returns: whether it is in range
 */
gboolean
assay_shape_axis (AssayShapeContext *self, const char *attribute, gint64 axis, int rank,
                  int *result)
{
  if (assay_axes_normalize (axis, rank, result))
    return TRUE;

  assay_shape_report (self, "infer.axis", attribute,
                      "axis %" G_GINT64_FORMAT " of a tensor of rank %d", axis, rank);
  return FALSE;
}

/**
 * assay_shape_node_axis:
 * @self: a context
 * @rank: number of dimensions
 * @result: (out): the axis, counted from the front
 *
 * Reads the attribute `axis`; one out of range is a finding.
 *
 * Returns: whether it is in range
 */
gboolean
assay_shape_node_axis (AssayShapeContext *self, int rank, int *result)
{
  return assay_shape_axis (self, "axis", assay_node_get_int (self->node, "axis"), rank, result);
}

/**
 * assay_shape_axes:
 * @self: a context
 * @attribute: (nullable): the attribute that the axes come from
 * @n: number of axes
 * @axes: (array length=n): the axes, negative ones counting from the end
 * @rank: number of dimensions
 * @mask: (out): one bit for each axis
 *
 * Brings axes into range; one outside, or one twice, is a finding.
 *
 * Returns: whether all are good
 */
gboolean
assay_shape_axes (AssayShapeContext *self, const char *attribute, guint n, const gint64 *axes,
                  int rank, guint64 *mask)
{
  *mask = 0;

  for (guint i = 0; i < n; i++)
    {
      int axis;

      if (!assay_shape_axis (self, attribute, axes[i], rank, &axis))
        return FALSE;
      if ((*mask >> axis & 1u) != 0)
        {
          assay_shape_report (self, "infer.axis", attribute, "axis %d is given twice", axis);
          return FALSE;
        }
      *mask |= G_GUINT64_CONSTANT (1) << axis;
    }

  return TRUE;
}

/**
 * assay_shape_axes_once:
 * @self: a context
 * @n: number of axes
 * @axes: (array length=n): the axes, negative ones counting from the end
 * @rank: number of dimensions
 * @mask: (out): one bit for each axis
 *
 * Brings axes into range as assay_shape_axes() does, of an operation that ONNX Runtime runs with
 * one that is named twice: it counts once, and a warning says so.
 *
 * Returns: whether all are in range
 */
gboolean
assay_shape_axes_once (AssayShapeContext *self, guint n, const gint64 *axes, int rank,
                       guint64 *mask)
{
  guint64 twice = 0;

  *mask = 0;
  for (guint i = 0; i < n; i++)
    {
      guint64 bit;
      int axis;

      if (!assay_shape_axis (self, NULL, axes[i], rank, &axis))
        return FALSE;
      bit = G_GUINT64_CONSTANT (1) << axis;
      if ((*mask & bit) != 0 && (twice & bit) == 0)
        {
          assay_shape_warn (self, "infer.axis", NULL, "axis %d is given twice", axis);
          twice |= bit;
        }
      *mask |= bit;
    }

  return TRUE;
}

/**
 * assay_shape_unify:
 * @self: a context
 * @dim: (inout): an extent
 * @other: an extent that has to be equal
 * @what: what it is, for the message
 *
 * Keeps the better known one of two extents that have to be equal; if they surely differ that is a
 * finding.
 */
void
assay_shape_unify (AssayShapeContext *self, AssayDim *dim, AssayDim other, const char *what)
{
  if (dim->size >= 0 && other.size >= 0 && dim->size != other.size)
    assay_shape_report (self, "infer.shape", NULL,
                        "%s is %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                        " at once, it has to be the same",
                        what, dim->size, other.size);

  if (dim->size < 0 && (other.size >= 0 || dim->symbol == NULL))
    *dim = other;
}

static AssayDim
broadcast_dim (AssayShapeContext *self, AssayDim a, AssayDim b, gboolean *good)
{
  if (a.size == 1)
    return b;
  if (b.size == 1 || assay_dim_same (a, b))
    return a;

  if (a.size >= 0 && b.size >= 0)
    {
      *good = FALSE;
      return a;
    }

  /* One of them is known and not 1: the other one is equal to it or 1. */
  if (a.size >= 0)
    return a;
  if (b.size >= 0)
    return b;

  /* Either may be 1. */
  return assay_scalar_to_dim (
      assay_scalar_max (self->arena, assay_scalar_from_dim (a), assay_scalar_from_dim (b)));
}

/**
 * assay_shape_broadcast:
 * @self: a context
 * @dims: (inout): extents, with room for %ASSAY_MAX_RANK
 * @rank: (inout): number of extents
 * @other: (array length=other_rank): extents of another tensor
 * @other_rank: number of them
 *
 * Broadcasts two shapes as NumPy does; shapes that do not fit are a finding.
 *
 * Returns: whether they fit
 */
gboolean
assay_shape_broadcast (AssayShapeContext *self, AssayDim *dims, int *rank, const AssayDim *other,
                       int other_rank)
{
  int result = MAX (*rank, other_rank);
  gboolean good = TRUE;

  for (int i = 1; i <= result; i++)
    {
      AssayDim a = i <= *rank ? dims[*rank - i] : assay_dim (1);
      AssayDim b = i <= other_rank ? other[other_rank - i] : assay_dim (1);

      /* The result is longer than what it comes from, so it is written behind it first. */
      if (i > *rank)
        {
          memmove (dims + 1, dims, (gsize) (i - 1) * sizeof *dims);
          dims[0] = broadcast_dim (self, a, b, &good);
        }
      else
        dims[*rank - i] = broadcast_dim (self, a, b, &good);
    }

  *rank = result;
  if (!good)
    assay_shape_report (self, "infer.broadcast", NULL,
                        "the shapes of the inputs cannot be broadcast to each other");

  return good;
}

/**
 * assay_shape_set:
 * @self: a context
 * @output: which output; one that the node does not have is ignored
 * @type: what is known of its type, in the arena of the graph
 *
 * Says what is known of an output.
 */
void
assay_shape_set (AssayShapeContext *self, guint output, const AssayType *type)
{
  if (output < self->node->n_outputs)
    self->outputs[output] = type;
}

/**
 * assay_shape_set_tensor:
 * @self: a context
 * @output: which output; one that the node does not have is ignored
 * @dtype: element type
 * @rank: number of dimensions, or -1
 * @dims: (array length=rank) (nullable): the dimensions
 *
 * Says that an output is a tensor.
 */
void
assay_shape_set_tensor (AssayShapeContext *self, guint output, AssayDType dtype, int rank,
                        const AssayDim *dims)
{
  if (rank > ASSAY_MAX_RANK)
    {
      assay_shape_report (self, "infer.rank", NULL, "output %u has rank %d, at most %d is possible",
                          output, rank, ASSAY_MAX_RANK);
      rank = -1;
    }

  if (output < self->node->n_outputs)
    self->outputs[output] = assay_type_new_tensor (self->arena, dtype, rank, dims);
}

/**
 * assay_shape_set_sequence:
 * @self: a context
 * @output: which output
 * @element: type of the elements
 *
 * Says that an output is a sequence.
 */
void
assay_shape_set_sequence (AssayShapeContext *self, guint output, const AssayType *element)
{
  assay_shape_set (self, output,
                   assay_type_new_wrapped (self->arena, ASSAY_TYPE_KIND_SEQUENCE,
                                           ASSAY_DTYPE_UNDEFINED, element));
}

/**
 * assay_shape_sequence:
 * @self: a context
 * @input: which input
 *
 * Gets what a sequence is known to hold.
 *
 * Returns: (transfer none) (nullable): the elements, or %NULL if not even their number is known
 */
const AssaySequence *
assay_shape_sequence (AssayShapeContext *self, guint input)
{
  AssayValueId value = assay_node_input (self->node, input);

  return value == ASSAY_NO_VALUE ? NULL : self->infer->sequences[value];
}

/**
 * assay_shape_set_items:
 * @self: a context
 * @output: which output
 * @n: number of elements
 * @items: (array length=n): types of the elements
 *
 * Says what a sequence holds, one by one; a long one is not kept.
 */
void
assay_shape_set_items (AssayShapeContext *self, guint output, guint n,
                       const AssayType *const *items)
{
  AssayValueId value = assay_node_output (self->node, output);
  AssaySequence *sequence;

  if (value == ASSAY_NO_VALUE || n > ASSAY_MAX_SEQUENCE)
    return;

  sequence = assay_arena_alloc (self->scratch, sizeof *sequence);
  sequence->n = n;
  sequence->items = assay_arena_memdup (self->scratch, items, n * sizeof *items);
  self->infer->sequences[value] = sequence;
}

/**
 * assay_shape_report:
 * @self: a context
 * @rule: id of the finding
 * @attribute: (nullable): name of the attribute that it is about
 * @format: what is wrong
 * @...: arguments of @format
 *
 * Adds an error to the findings, and keeps the node from being run.
 */
void
assay_shape_report (AssayShapeContext *self, const char *rule, const char *attribute,
                    const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (self->muted)
    return;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  self->n_reports++;
  if (!self->passing && self->infer->violations[self->id] == NULL)
    self->infer->violations[self->id] = assay_arena_intern (self->arena, message);
  if (self->infer->findings == NULL)
    return;

  assay_findings_add (self->infer->findings, ASSAY_SEVERITY_ERROR, rule,
                      assay_infer_path (self->infer, self->id), self->node->name, attribute, -1,
                      "%s: %s", self->node->op_type, message);
}

/**
 * assay_shape_warn:
 * @self: a context
 * @rule: id of the finding
 * @attribute: (nullable): name of the attribute that it is about
 * @format: what is not as the specification has it
 * @...: arguments of @format
 *
 * Adds a warning to the findings. The node is run as ONNX Runtime runs it.
 */
void
assay_shape_warn (AssayShapeContext *self, const char *rule, const char *attribute,
                  const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (self->muted || self->infer->findings == NULL)
    return;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  assay_findings_add (self->infer->findings, ASSAY_SEVERITY_WARNING, rule,
                      assay_infer_path (self->infer, self->id), self->node->name, attribute, -1,
                      "%s: %s", self->node->op_type, message);
}

/**
 * assay_shape_dim_mul:
 * @self: a context
 * @a: an extent
 * @b: an extent
 *
 * Multiplies two extents.
 *
 * Returns: the product
 */
AssayDim
assay_shape_dim_mul (AssayShapeContext *self, AssayDim a, AssayDim b)
{
  return assay_scalar_to_dim (
      assay_scalar_mul (self->arena, assay_scalar_from_dim (a), assay_scalar_from_dim (b)));
}

/**
 * assay_shape_dim_add:
 * @self: a context
 * @a: an extent
 * @b: a number
 *
 * Adds a number to an extent.
 *
 * Returns: the sum
 */
AssayDim
assay_shape_dim_add (AssayShapeContext *self, AssayDim a, gint64 b)
{
  return assay_scalar_to_dim (
      assay_scalar_add (self->arena, assay_scalar_from_dim (a), assay_scalar_int (b)));
}

/**
 * assay_shape_product:
 * @self: a context
 * @dims: (array length=n): extents
 * @n: number of extents
 *
 * Multiplies extents; a zero makes it zero, whatever the rest.
 *
 * Returns: the product
 */
AssayDim
assay_shape_product (AssayShapeContext *self, const AssayDim *dims, int n)
{
  AssayDim product = assay_dim (1);

  for (int i = 0; i < n; i++)
    {
      if (dims[i].size == 0)
        return assay_dim (0);
    }

  for (int i = 0; i < n; i++)
    product = dims[i].size == 1 ? product : assay_shape_dim_mul (self, product, dims[i]);

  return product;
}

/**
 * assay_shape_common:
 * @self: a context
 * @a: a type
 * @b: a type
 *
 * Gets what two types have in common, for a value that is of one or of the other.
 *
 * Returns: (transfer none): the wider type
 */
const AssayType *
assay_shape_common (AssayShapeContext *self, const AssayType *a, const AssayType *b)
{
  AssayDim dims[ASSAY_MAX_RANK];
  AssayDType dtype = a->dtype == b->dtype ? a->dtype : ASSAY_DTYPE_UNDEFINED;

  if (assay_type_equal (a, b))
    return a;
  if (a->kind != b->kind || a->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return &assay_type_unknown;

  if (a->kind != ASSAY_TYPE_KIND_TENSOR)
    {
      const AssayType *element = a->element == NULL || b->element == NULL
                                     ? &assay_type_unknown
                                     : assay_shape_common (self, a->element, b->element);

      return assay_type_new_wrapped (self->arena, a->kind, dtype, element);
    }

  if (a->rank != b->rank || a->rank > ASSAY_MAX_RANK)
    return assay_type_new_tensor (self->arena, dtype, -1, NULL);

  for (int i = 0; i < a->rank; i++)
    dims[i] = assay_dim_same (a->dims[i], b->dims[i]) ? a->dims[i] : assay_dim_unknown ();

  return assay_type_new_tensor (self->arena, dtype, a->rank, dims);
}

/**
 * assay_shape_region:
 * @self: a context
 * @attribute: name of an attribute
 * @region: (out): the region
 *
 * Gets the nested graph that an attribute holds.
 *
 * Returns: whether there is one
 */
gboolean
assay_shape_region (AssayShapeContext *self, const char *attribute, AssayRegionId *region)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, attribute);

  if (attr == NULL || attr->kind != ASSAY_ATTR_GRAPH || attr->u.region >= self->graph->regions->len)
    {
      assay_shape_report (self, "infer.attribute", attribute, "the graph is missing");
      return FALSE;
    }

  *region = attr->u.region;
  return TRUE;
}

/**
 * assay_shape_is_late:
 * @self: a context
 *
 * Tells whether nested graphs have been swept so often that only one sweep of each is left.
 *
 * Returns: whether they have
 */
gboolean
assay_shape_is_late (AssayShapeContext *self)
{
  return self->infer->n_done / 16 > assay_graph_n_nodes (self->graph) + 1024;
}

/**
 * assay_shape_sweep:
 * @self: a context
 * @region: a nested graph of the node
 * @n: number of inputs
 * @inputs: (array length=n): types of the inputs of the region
 *
 * Infers a nested graph from the types of its inputs, forgetting what an earlier sweep of it
 * inferred.
 */
void
assay_shape_sweep (AssayShapeContext *self, AssayRegionId region, guint n,
                   const AssayType *const *inputs)
{
  const AssayRegion *r = assay_graph_region (self->graph, region);

  if (self->infer->swept[region] == 2)
    return;
  if (self->infer->swept[region] == 1)
    assay_infer_reset (self->infer, region);

  if (n != r->inputs->len)
    assay_shape_report (self, "infer.inputs", r->attribute,
                        "the graph has %u input%s, %u were expected", r->inputs->len,
                        assay_plural (r->inputs->len), n);

  for (guint i = 0; i < MIN (n, r->inputs->len); i++)
    assay_infer_commit (self->infer, self->id, g_array_index (r->inputs, AssayValueId, i),
                        inputs[i]);

  assay_infer_sweep (self->infer, region);
}
