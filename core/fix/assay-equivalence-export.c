/* assay-equivalence-export.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of what exporters make of a layer in several operations.
 */
#include "fix/assay-equivalence-private.h"

#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-slice.h"
#include "nnir/assay-node-window.h"

static const AssayNode *
producer_of (AssayEdit *edit, AssayValueId value)
{
  AssayNodeId id = assay_rewriter_producer (&edit->rewriter, value);

  return id != ASSAY_NO_NODE ? assay_graph_node (edit->graph, id) : NULL;
}

/* A flag as a number: a comparison whose result is only chosen by. */
gboolean
assay_guard_flag (AssayEdit *edit)
{
  const AssayType *from = assay_edit_type (edit, assay_edit_input (edit, 0));
  const AssayType *to = assay_guard_result (edit);
  AssayValueId one, zero;

  if (from->dtype != ASSAY_DTYPE_BOOL || !assay_dtype_is_float (to->dtype))
    return assay_edit_refuse (edit, "it converts %s to %s, expected bool to a float",
                              assay_dtype_name (from->dtype), assay_dtype_name (to->dtype));
  one = assay_builder_number (&edit->builder, "constant", to->dtype, 1);
  zero = assay_builder_number (&edit->builder, "constant", to->dtype, 0);
  if (one == ASSAY_NO_VALUE || zero == ASSAY_NO_VALUE)
    return assay_edit_refuse (edit, "the elements are %s", assay_dtype_name (to->dtype));
  assay_bindings_set_value (edit->bindings, "one", one);
  assay_bindings_set_value (edit->bindings, "zero", zero);

  return TRUE;
}

/* A value times a comparison that was made a number. */
gboolean
assay_guard_masked (AssayEdit *edit)
{
  for (guint i = 0; i < 2; i++)
    {
      const AssayNode *cast = producer_of (edit, assay_edit_input (edit, i));
      AssayValueId flag = cast != NULL && cast->op == ASSAY_OP_Cast
                              ? assay_rewriter_resolve (&edit->rewriter, cast->inputs[0])
                              : ASSAY_NO_VALUE;

      if (flag == ASSAY_NO_VALUE || assay_edit_type (edit, flag)->dtype != ASSAY_DTYPE_BOOL)
        continue;
      assay_bindings_set_value (edit->bindings, "flag", flag);
      assay_bindings_set_value (edit->bindings, "data", assay_edit_input (edit, 1 - i));
      edit->tidy = TRUE;
      return TRUE;
    }

  return assay_edit_refuse (edit, "it reads no comparison that was made a number");
}

/* Elements of the result of a convolution that are cut off were made of padding: less padding makes
 * fewer. */
static gboolean
take_off (AssayEdit *edit, const AssayNodeWindow *window, const AssayNodeSlice *slice,
          const AssayType *type, gint64 *pads)
{
  for (guint i = 0; i < window->n; i++)
    {
      gint64 front = slice->start[2 + i];
      gint64 back = type->dims[2 + i].size - front - slice->length[2 + i];

      pads[i] = window->before[i] - front * window->stride[i];
      pads[window->n + i] = window->after[i] - back * window->stride[i];
      if (slice->step[2 + i] != 1 || pads[i] < 0 || pads[window->n + i] < 0)
        return assay_edit_refuse (edit, "it cuts off more of axis %u than padding has made", 2 + i);
    }

  return TRUE;
}

gboolean
assay_guard_chomp (AssayEdit *edit)
{
  const AssayNode *conv = producer_of (edit, assay_edit_input (edit, 0));
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 pads[2 * ASSAY_MAX_RANK];
  AssayGuardShape shape;
  AssayNodeWindow window;
  AssayNodeSlice slice;
  AssayValueId inputs[3];
  guint n_inputs;

  if (conv == NULL || conv->op != ASSAY_OP_Conv)
    return assay_edit_refuse (edit, "it does not read a convolution");
  if (!assay_guard_sizes (edit, type, &shape))
    return FALSE;
  if (!assay_node_get_window (edit->graph, conv, &window) || window.same ||
      window.n + 2 != shape.rank)
    return assay_edit_refuse (edit, "the padding of the convolution is not known");
  if (!assay_node_get_slice (edit->graph, assay_edit_node (edit), shape.rank, shape.dims, &slice) ||
      slice.open)
    return assay_edit_refuse (edit, "what it takes is not known");
  for (guint i = 0; i < 2; i++)
    if (slice.step[i] != 1 || slice.length[i] != shape.dims[i])
      return assay_edit_refuse (edit, "it cuts axis %u too", i);
  if (!take_off (edit, &window, &slice, type, pads))
    return FALSE;

  n_inputs = MIN (conv->n_inputs, G_N_ELEMENTS (inputs));
  for (guint i = 0; i < n_inputs; i++)
    inputs[i] = assay_rewriter_resolve (&edit->rewriter, conv->inputs[i]);
  assay_bindings_set_value (
      edit->bindings, "result",
      assay_builder_add (&edit->builder, ASSAY_OP_Conv, NULL, n_inputs, inputs));
  /* Adding a node may move the others. */
  conv = producer_of (edit, assay_edit_input (edit, 0));
  assay_graph_set_attrs (edit->graph, assay_builder_last (&edit->builder), conv->n_attrs,
                         conv->attrs);
  assay_graph_set_ints (edit->graph, assay_builder_last (&edit->builder), "pads", 2 * window.n,
                        pads);
  edit->tidy = TRUE;

  return TRUE;
}
