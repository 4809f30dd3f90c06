/* assay-shape-control.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-infer.h"
#include "base/assay-sentence.h"
#include "nnir/shape/assay-shape-rules.h"

#define MAX_SWEEPS 4

static const AssayType *
region_output (AssayShapeContext *self, AssayRegionId region, guint output)
{
  const AssayRegion *r = assay_graph_region (self->graph, region);
  AssayValueId value = output < r->outputs->len ? g_array_index (r->outputs, AssayValueId, output)
                                                : ASSAY_NO_VALUE;

  return value == ASSAY_NO_VALUE ? &assay_type_unknown
                                 : assay_graph_value (self->graph, value)->type;
}

static guint
region_n_outputs (AssayShapeContext *self, AssayRegionId region)
{
  return assay_graph_region (self->graph, region)->outputs->len;
}

void
assay_shape_rule_if (AssayShapeContext *self)
{
  AssayScalar condition = assay_shape_scalar (self, 0);
  AssayRegionId branches[2];
  gboolean has_then = assay_shape_region (self, "then_branch", &branches[0]);
  gboolean has_else = assay_shape_region (self, "else_branch", &branches[1]);

  if (has_then)
    assay_shape_sweep (self, branches[0], 0, NULL);
  if (has_else)
    assay_shape_sweep (self, branches[1], 0, NULL);
  if (!has_then || !has_else)
    return;

  for (guint i = 0; i < 2; i++)
    {
      if (region_n_outputs (self, branches[i]) != self->node->n_outputs)
        assay_shape_report (
            self, "infer.outputs", i == 0 ? "then_branch" : "else_branch",
            "the graph has %u output%s, %u were expected", region_n_outputs (self, branches[i]),
            assay_plural (region_n_outputs (self, branches[i])), self->node->n_outputs);
    }

  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      const AssayType *a = region_output (self, branches[0], i);
      const AssayType *b = region_output (self, branches[1], i);

      if (condition.kind == ASSAY_SCALAR_INT)
        assay_shape_set (self, i, condition.u.i != 0 ? a : b);
      else
        assay_shape_set (self, i, assay_shape_common (self, a, b));
    }
}

/* Sweeps the body of a loop until the carried values come out as they went in; what changes from
 * one turn to the next becomes unknown. */
static void
sweep_body (AssayShapeContext *self, AssayRegionId body, guint n_inputs, const AssayType **inputs,
            guint first_in, guint first_out, guint n_carried)
{
  /* Loops in loops multiply, so once that has taken long the carried values are given up on at
   * once. */
  if (assay_shape_is_late (self))
    {
      for (guint i = 0; i < n_carried; i++)
        {
          const AssayType *in = inputs[first_in + i];

          if (in->kind == ASSAY_TYPE_KIND_TENSOR)
            inputs[first_in + i] = assay_type_new_tensor (self->arena, in->dtype, -1, NULL);
        }
      assay_shape_sweep (self, body, n_inputs, inputs);
      return;
    }

  for (guint turn = 0; turn < MAX_SWEEPS; turn++)
    {
      gboolean settled = TRUE;

      assay_shape_sweep (self, body, n_inputs, inputs);

      for (guint i = 0; i < n_carried; i++)
        {
          const AssayType *in = inputs[first_in + i];
          const AssayType *out = region_output (self, body, first_out + i);
          const AssayType *both = assay_shape_common (self, in, out);

          if (out->kind == ASSAY_TYPE_KIND_UNKNOWN || assay_type_equal (in, both))
            continue;

          /* The last turn gives up on what still changes. */
          inputs[first_in + i] = turn + 2 < MAX_SWEEPS
                                     ? both
                                     : assay_type_new_wrapped (self->arena, both->kind, both->dtype,
                                                               both->element);
          settled = FALSE;
        }

      if (settled)
        return;
    }
}

static const AssayType *
stack_type (AssayShapeContext *self, const AssayType *type, AssayDim count, int axis)
{
  AssayDim dims[ASSAY_MAX_RANK + 1];

  if (type->kind != ASSAY_TYPE_KIND_TENSOR)
    return &assay_type_unknown;
  if (type->rank < 0 || type->rank >= ASSAY_MAX_RANK || axis > type->rank)
    return assay_type_new_tensor (self->arena, type->dtype, -1, NULL);

  for (int i = 0; i <= type->rank; i++)
    dims[i] = i == axis ? count : type->dims[i < axis ? i : i - 1];

  return assay_type_new_tensor (self->arena, type->dtype, type->rank + 1, dims);
}

/**
 * assay_region_keeps_condition:
 * @graph: a graph
 * @body: the body of a Loop in it
 *
 * Tells whether a Loop that has begun is ended by nothing but its number of turns: its body hands
 * its condition on, or says that it holds.
 *
 * Returns: whether it is so
 */
gboolean
assay_region_keeps_condition (const AssayGraph *graph, AssayRegionId body)
{
  const AssayRegion *r = assay_graph_region (graph, body);
  AssayValueId out = r->outputs->len > 0 ? g_array_index (r->outputs, AssayValueId, 0)
                                         : ASSAY_NO_VALUE;

  for (guint guard = 0; guard < 8 && out != ASSAY_NO_VALUE; guard++)
    {
      const AssayValue *value = assay_graph_value (graph, out);
      AssayTensor *constant = assay_graph_constant (graph, out);
      gint64 element;

      if (constant != NULL)
        return assay_tensor_get_n_elements (constant) == 1 &&
               assay_tensor_get_integer (constant, 0, &element, NULL) && element != 0;
      if (r->inputs->len > 1 && out == g_array_index (r->inputs, AssayValueId, 1))
        return TRUE;
      if (value->producer == ASSAY_NO_NODE ||
          assay_graph_node (graph, value->producer)->op != ASSAY_OP_Identity)
        return FALSE;

      out = assay_node_input (assay_graph_node (graph, value->producer), 0);
    }

  return FALSE;
}

void
assay_shape_rule_loop (AssayShapeContext *self)
{
  guint n_carried = self->node->n_inputs > 2 ? self->node->n_inputs - 2 : 0;
  const AssayType **inputs = assay_arena_alloc_n (self->scratch, n_carried + 2, sizeof *inputs);
  AssayScalar trips = assay_shape_scalar (self, 0);
  AssayScalar condition = assay_shape_scalar (self, 1);
  AssayDim count = assay_dim_unknown ();
  AssayRegionId body;

  if (!assay_shape_region (self, "body", &body))
    return;

  inputs[0] = assay_type_new_tensor (self->arena, ASSAY_DTYPE_I64, 0, NULL);
  /* A condition may be a list of one, and then the graph gets such a one. */
  inputs[1] = assay_shape_has_input (self, 1) ? assay_shape_input (self, 1) : &assay_type_unknown;
  if (inputs[1]->kind != ASSAY_TYPE_KIND_TENSOR || inputs[1]->rank != 1)
    inputs[1] = assay_type_new_tensor (self->arena, ASSAY_DTYPE_BOOL, 0, NULL);
  for (guint i = 0; i < n_carried; i++)
    inputs[i + 2] = assay_shape_input (self, i + 2);

  sweep_body (self, body, n_carried + 2, inputs, 2, 1, n_carried);

  /* The number of turns is known if nothing but the count ends the loop. */
  if (condition.kind == ASSAY_SCALAR_INT && condition.u.i == 0)
    count = assay_dim (0);
  else if ((condition.kind == ASSAY_SCALAR_INT || !assay_shape_has_input (self, 1)) &&
           assay_region_keeps_condition (self->graph, body))
    count = assay_scalar_to_dim (trips);

  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      const AssayType *out = region_output (self, body, i + 1);

      /* With no turn at all a carried value comes out as it went in. */
      if (i < n_carried)
        assay_shape_set (self, i,
                         out->kind == ASSAY_TYPE_KIND_UNKNOWN
                             ? out
                             : assay_shape_common (self, inputs[i + 2], out));
      else
        assay_shape_set (self, i, stack_type (self, out, count, 0));
    }
}

static int
scan_axis (AssayShapeContext *self, const char *attribute, guint index, int rank)
{
  gint64 given = assay_node_get_entry (self->node, attribute, index);
  int axis = 0;

  return given == 0 || !assay_shape_axis (self, attribute, given, rank, &axis) ? 0 : axis;
}

void
assay_shape_rule_scan (AssayShapeContext *self)
{
  guint n_inputs = self->node->n_inputs;
  gint64 n_scanned = assay_node_get_int (self->node, "num_scan_inputs");
  const AssayType **inputs = assay_arena_alloc_n (self->scratch, n_inputs + 1, sizeof *inputs);
  AssayDim count = assay_dim_unknown ();
  AssayRegionId body;
  guint n_carried;

  if (!assay_shape_region (self, "body", &body))
    return;

  if (n_scanned < 1 || n_scanned > (gint64) n_inputs)
    {
      assay_shape_report (self, "infer.attribute", "num_scan_inputs",
                          "%" G_GINT64_FORMAT " of %u input%s", n_scanned, n_inputs,
                          assay_plural (n_inputs));
      return;
    }

  /* A node of opset 8 that could not be upgraded has an input more, and everything has a batch
   * axis. */
  if (assay_graph_region (self->graph, body)->inputs->len != n_inputs)
    {
      assay_shape_report (
          self, "infer.inputs", "body", "the graph has %u input%s, %u were expected",
          assay_graph_region (self->graph, body)->inputs->len,
          assay_plural (assay_graph_region (self->graph, body)->inputs->len), n_inputs);
      return;
    }

  n_carried = n_inputs - (guint) n_scanned;
  for (guint i = 0; i < n_carried; i++)
    inputs[i] = assay_shape_input (self, i);

  for (guint i = n_carried; i < n_inputs; i++)
    {
      const AssayType *x = assay_shape_tensor (self, i, 1, -1);
      AssayDim dims[ASSAY_MAX_RANK];
      int rank = 0;
      int axis;

      inputs[i] = assay_type_new_tensor (self->arena, assay_shape_dtype (self, i), -1, NULL);
      if (x == NULL)
        continue;

      axis = scan_axis (self, "scan_input_axes", i - n_carried, x->rank);
      assay_shape_unify (self, &count, x->dims[axis], "the number of slices");
      for (int j = 0; j < x->rank; j++)
        {
          if (j != axis)
            dims[rank++] = x->dims[j];
        }
      inputs[i] = assay_type_new_tensor (self->arena, x->dtype, rank, dims);
    }

  sweep_body (self, body, n_inputs, inputs, 0, 0, n_carried);

  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      const AssayType *out = region_output (self, body, i);

      if (i < n_carried)
        assay_shape_set (
            self, i,
            out->kind == ASSAY_TYPE_KIND_UNKNOWN ? out : assay_shape_common (self, inputs[i], out));
      else
        assay_shape_set (
            self, i,
            stack_type (self, out, count,
                        scan_axis (self, "scan_output_axes", i - n_carried, out->rank + 1)));
    }
}

void
assay_shape_rule_sequence_map (AssayShapeContext *self)
{
  guint n = self->node->n_inputs;
  const AssayType **inputs = assay_arena_alloc_n (self->scratch, n + 1, sizeof *inputs);
  AssayRegionId body;

  if (!assay_shape_region (self, "body", &body))
    return;

  /* Sequences are taken apart, tensors beside the first input are given to every turn. */
  for (guint i = 0; i < n; i++)
    {
      const AssayType *type = assay_shape_input (self, i);

      inputs[i] = type->kind == ASSAY_TYPE_KIND_SEQUENCE && type->element != NULL ? type->element
                                                                                  : type;
    }

  assay_shape_sweep (self, body, n, inputs);

  for (guint i = 0; i < self->node->n_outputs; i++)
    assay_shape_set_sequence (self, i, region_output (self, body, i));
}

/* A graph of FlexAttention gets a tensor and makes another of the same type. */
static void
sweep_modifier (AssayShapeContext *self, const char *attribute, const AssayType *type)
{
  const AssayType *made;
  AssayRegionId body;
  guint n_inputs;

  if (assay_node_find_attr (self->node, attribute) == NULL ||
      !assay_shape_region (self, attribute, &body))
    return;

  n_inputs = assay_graph_region (self->graph, body)->inputs->len;
  if (n_inputs != 1 || region_n_outputs (self, body) != 1)
    {
      assay_shape_report (self, n_inputs != 1 ? "infer.inputs" : "infer.outputs", attribute,
                          "the graph has %u inputs and %u outputs, one of each was expected",
                          n_inputs, region_n_outputs (self, body));
      return;
    }

  assay_shape_sweep (self, body, 1, &type);
  made = region_output (self, body, 0);
  if (made->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return;
  if (made->kind != ASSAY_TYPE_KIND_TENSOR ||
      (made->dtype != type->dtype && made->dtype != ASSAY_DTYPE_UNDEFINED &&
       type->dtype != ASSAY_DTYPE_UNDEFINED))
    assay_shape_report (self, "infer.type", attribute, "the graph makes %s, %s was expected",
                        made->kind != ASSAY_TYPE_KIND_TENSOR ? "no tensor"
                                                             : assay_dtype_name (made->dtype),
                        assay_dtype_name (type->dtype));
  else if (made->rank >= 0 && made->rank != 4)
    assay_shape_report (self, "infer.rank", attribute, "the graph makes rank %d, 4 was expected",
                        made->rank);
  for (int i = 0; made->rank == 4 && i < 4; i++)
    {
      gint64 size = made->dims[i].size, expected = type->dims[i].size;

      if (size >= 0 && expected >= 0 && size != expected)
        assay_shape_report (self, "infer.dims", attribute,
                            "dimension %d of what the graph makes is %" G_GINT64_FORMAT
                            ", %" G_GINT64_FORMAT " was expected",
                            i, size, expected);
    }
}

void
assay_shape_rule_flex_attention (AssayShapeContext *self)
{
  const AssayType *q = assay_shape_tensor (self, 0, 4, 4);
  const AssayType *k = assay_shape_tensor (self, 1, 4, 4);
  const AssayType *v = assay_shape_tensor (self, 2, 4, 4);
  AssayDType dtype = assay_shape_dtype (self, 0), precision = dtype;
  AssayDim dims[4] = { assay_dim_unknown (), assay_dim_unknown (), assay_dim_unknown (),
                       assay_dim_unknown () };
  gint64 given;

  if (assay_node_find_int (self->node, "softmax_precision", &given))
    precision = (AssayDType) given;
  else if (dtype != ASSAY_DTYPE_UNDEFINED && dtype != ASSAY_DTYPE_F64)
    precision = ASSAY_DTYPE_F32;

  for (int i = 0; q != NULL && i < 3; i++)
    dims[i] = q->dims[i];
  if (k != NULL)
    assay_shape_unify (self, &dims[0], k->dims[0], "the number of samples");
  if (v != NULL)
    assay_shape_unify (self, &dims[0], v->dims[0], "the number of samples");
  dims[3] = v != NULL ? v->dims[3] : assay_dim_unknown ();
  assay_shape_set_tensor (self, 0, dtype, 4, dims);

  dims[3] = k != NULL ? k->dims[2] : assay_dim_unknown ();
  if (v != NULL)
    assay_shape_unify (self, &dims[3], v->dims[2], "the number of keys");
  sweep_modifier (self, "score_mod", assay_type_new_tensor (self->arena, precision, 4, dims));
  sweep_modifier (self, "prob_mod", assay_type_new_tensor (self->arena, precision, 4, dims));
}
