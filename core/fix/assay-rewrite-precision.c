/* assay-rewrite-precision.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-rewrite-private.h"
#include "nnir/assay-graph-builder.h"

/* Element types that a target may want, the widest first. */
static const AssayDType types[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16 };

static gboolean
is_other_float (const AssayType *type, AssayDType wanted)
{
  return type->kind == ASSAY_TYPE_KIND_TENSOR && assay_dtype_is_float (type->dtype) &&
         type->dtype != wanted;
}

static gboolean
touches_other_float (const AssayGraph *graph, const AssayNode *node, AssayDType wanted)
{
  if (node->op == ASSAY_OP_Cast ||
      (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_REGIONS) != 0)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE &&
        is_other_float (assay_graph_value (graph, node->inputs[i])->type, wanted))
      return TRUE;

  return FALSE;
}

void
assay_rewrite_propose_precision (AssayProposals *proposals)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      g_autofree char *argument = g_strdup_printf ("to=%s", assay_dtype_name (types[i]));
      const char *arguments[] = { argument, NULL };

      for (guint j = 0; j < proposals->nodes->len; j++)
        if (touches_other_float (proposals->graph, assay_proposals_node (proposals, j), types[i]))
          g_ptr_array_add (names, (gpointer) assay_proposals_node (proposals, j)->name);
      if (names->len == 0)
        continue;
      g_ptr_array_add (names, NULL);
      assay_proposals_add (proposals, "precision", (const char *const *) names->pdata, arguments);
    }
}

char *
assay_rewrite_title_precision (const AssayFix *fix)
{
  const char *to = assay_fix_get_argument (fix, "to");

  return g_strdup_printf ("Compute in %s", to != NULL ? to : "another precision");
}

static AssayValueId
add_cast (AssayEdit *edit, AssayValueId value, AssayDType dtype)
{
  value = assay_builder_add (&edit->builder, ASSAY_OP_Cast, NULL, 1, &value);
  assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "to", dtype);

  return value;
}

/* The node again, between conversions there and back. */
static gboolean
convert (AssayEdit *edit, AssayDType dtype)
{
  guint n_inputs = assay_edit_node (edit)->n_inputs, n_outputs = assay_edit_node (edit)->n_outputs;
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, n_inputs + 1);
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, n_outputs + 1);

  if (!touches_other_float (edit->graph, assay_edit_node (edit), dtype))
    return assay_edit_refuse (edit, "it reads no floats of another type, or holds graphs");

  for (guint i = 0; i < n_inputs; i++)
    {
      inputs[i] = assay_edit_input (edit, i);
      if (inputs[i] != ASSAY_NO_VALUE && is_other_float (assay_edit_type (edit, inputs[i]), dtype))
        inputs[i] = add_cast (edit, inputs[i], dtype);
    }
  assay_edit_repeat (edit, n_inputs, inputs, outputs);
  for (guint i = n_outputs; i-- > 0;)
    {
      const AssayType *type;

      if (outputs[i] == ASSAY_NO_VALUE)
        continue;
      type = assay_edit_type (edit, assay_node_output (assay_edit_node (edit), i));
      if (is_other_float (type, dtype))
        outputs[i] = add_cast (edit, outputs[i], type->dtype);
      assay_edit_replace (edit, i, outputs[i]);
    }
  assay_edit_remove (edit);

  return TRUE;
}

gboolean
assay_rewrite_apply_precision (AssayEdit *edit, const AssayFix *fix)
{
  const char *to = assay_fix_get_argument (fix, "to");
  gboolean applied = FALSE;
  AssayDType dtype;

  if (to == NULL || !assay_dtype_from_name (to, &dtype) || !assay_dtype_is_float (dtype))
    return assay_edit_refuse (edit, "\"%s\" is no type of floats", to != NULL ? to : "");
  for (guint i = 0; fix->nodes[i] != NULL; i++)
    if (assay_edit_at (edit, fix->nodes[i]))
      applied |= convert (edit, dtype);

  return applied;
}
