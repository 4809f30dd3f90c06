/* assay-run-input-graph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-input-graph.h"

#include "base/assay-error.h"
#include "base/assay-finding.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"

/* An extent that the model leaves open has this size in a tensor that is drawn. */
#define DRAWN_EXTENT 3

static gboolean
is_sequence (const AssayType *type)
{
  return type->kind == ASSAY_TYPE_KIND_SEQUENCE && type->element != NULL &&
         type->element->kind == ASSAY_TYPE_KIND_TENSOR;
}

/**
 * assay_run_input_can_open:
 * @type: type of an input
 *
 * Tells whether operators of ONNX make it of tensors: a sequence of them, an optional tensor, or an
 * optional sequence. None makes a map.
 *
 * Returns: whether it is one of these
 */
gboolean
assay_run_input_can_open (const AssayType *type)
{
  return is_sequence (type) ||
         (type->kind == ASSAY_TYPE_KIND_OPTIONAL && type->element != NULL &&
          (type->element->kind == ASSAY_TYPE_KIND_TENSOR || is_sequence (type->element)));
}

/* What a part is: of the type that the model says, of the shape of its value or of what is drawn
 * for it. */
static const AssayType *
part_type (AssayGraph *graph, const AssayType *element, AssayTensor *tensor)
{
  gint64 dims[ASSAY_MAX_RANK] = { DRAWN_EXTENT };
  AssayDType dtype = element->dtype != ASSAY_DTYPE_UNDEFINED ? element->dtype
                     : tensor != NULL                        ? assay_tensor_get_dtype (tensor)
                                                             : ASSAY_DTYPE_F32;

  if (tensor != NULL)
    return assay_type_new_fixed (graph->arena, dtype, assay_tensor_get_rank (tensor),
                                 assay_tensor_get_dims (tensor));

  for (int i = 0; i < element->rank; i++)
    dims[i] = element->dims[i].size >= 0 ? element->dims[i].size : DRAWN_EXTENT;

  return assay_type_new_fixed (graph->arena, dtype, element->rank >= 0 ? (guint) element->rank : 1,
                               dims);
}

/* A node that makes @result of values, in front of all others. */
static void
put_in_front (AssayGraph *graph, AssayOp op, const AssayType *type, guint n,
              const AssayValueId *values, AssayValueId result)
{
  GArray *nodes = assay_graph_edit_region (graph, ASSAY_MAIN_REGION)->nodes;
  g_autofree char *name = g_strconcat (assay_graph_value (graph, result)->name, "/",
                                       assay_op_name (op), NULL);
  AssayNodeId node = assay_graph_add_node (graph, ASSAY_MAIN_REGION, op, name, n, values, 1,
                                           &result);

  if (op == ASSAY_OP_SequenceEmpty)
    assay_graph_set_int (graph, node, "dtype",
                         type->element->dtype != ASSAY_DTYPE_UNDEFINED ? type->element->dtype
                                                                       : ASSAY_DTYPE_F32);
  if (op == ASSAY_OP_Optional && n == 0)
    assay_graph_set_attr (graph, node,
                          (AssayAttr){ .name = assay_arena_intern (graph->arena, "type"),
                                       .kind = ASSAY_ATTR_TYPE,
                                       .u.type = type->element });
  g_array_set_size (nodes, nodes->len - 1);
  g_array_prepend_val (nodes, node);
}

/* Inputs for the parts of one, and the nodes that put them together. */
static gboolean
open_input (AssayGraph *graph, AssayRunInputs *inputs, AssayValueId id, GArray *opened,
            GError **error)
{
  const AssayType *type = assay_graph_value (graph, id)->type;
  const char *name = assay_graph_value (graph, id)->name;
  gboolean optional = type->kind == ASSAY_TYPE_KIND_OPTIONAL;
  const AssayType *inner = optional ? type->element : type;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  g_autofree AssayValueId *parts = NULL;
  AssayValueId whole = id;
  gboolean present;

  if (!assay_run_inputs_split (inputs, name, type, names, tensors, &present, error))
    return FALSE;

  parts = g_new0 (AssayValueId, names->len + 1);
  for (guint i = 0; i < names->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (tensors, i);
      const AssayType *element = is_sequence (inner) ? inner->element : inner;

      parts[i] = assay_graph_add_input (graph, ASSAY_MAIN_REGION, g_ptr_array_index (names, i),
                                        part_type (graph, element, tensor));
      g_array_append_val (opened, parts[i]);
    }

  assay_graph_edit_value (graph, id)->kind = ASSAY_VALUE_RESULT;
  if (optional && is_sequence (inner) && present)
    {
      g_autofree char *inside = g_strconcat (name, "[value]", NULL);

      whole = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, inside, inner);
    }
  if (optional)
    put_in_front (graph, ASSAY_OP_Optional, type, present, is_sequence (inner) ? &whole : parts,
                  id);
  if (is_sequence (inner) && (!optional || present))
    put_in_front (graph, names->len > 0 ? ASSAY_OP_SequenceConstruct : ASSAY_OP_SequenceEmpty,
                  inner, names->len, parts, whole);

  return TRUE;
}

/**
 * assay_run_input_open_graph:
 * @graph: a model
 * @inputs: the values that go in
 * @error: return location for a #GError
 *
 * Makes a model of tensors of one that takes sequences and optionals: their parts are inputs, in
 * their place, and nodes in front put them together.
 *
 * Returns: (transfer full) (nullable): the model
 */
AssayGraph *
assay_run_input_open_graph (AssayGraph *graph, AssayRunInputs *inputs, GError **error)
{
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  AssayRegion *region = assay_graph_edit_region (copy, ASSAY_MAIN_REGION);
  g_autoptr (GArray) old = g_array_copy (region->inputs);
  g_autoptr (GArray) opened = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (AssayFindings) findings = assay_findings_new ();

  for (guint i = 0; i < old->len; i++)
    {
      AssayValueId id = g_array_index (old, AssayValueId, i);

      if (!assay_run_input_can_open (assay_graph_value (copy, id)->type))
        g_array_append_val (opened, id);
      else if (!open_input (copy, inputs, id, opened, error))
        return NULL;
    }

  region = assay_graph_edit_region (copy, ASSAY_MAIN_REGION);
  g_array_set_size (region->inputs, 0);
  for (guint i = 0; i < opened->len; i++)
    {
      AssayValueId id = g_array_index (opened, AssayValueId, i);

      assay_graph_edit_value (copy, id)->output = i;
      g_array_append_val (region->inputs, id);
    }
  if (!assay_graph_infer (copy, findings, NULL, error))
    return NULL;

  return g_steal_pointer (&copy);
}
