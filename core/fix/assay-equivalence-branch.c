/* assay-equivalence-branch.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The guard of If: both branches are computed, and the condition chooses.
 */
#include "fix/assay-equivalence-private.h"
#include "nnir/assay-graph-builder.h"

static AssayRegionId
branch_of (AssayEdit *edit, const char *name)
{
  const AssayAttr *attr = assay_node_find_attr (assay_edit_node (edit), name);

  return attr != NULL && attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region : ASSAY_MAIN_REGION;
}

static gboolean
same_types (AssayEdit *edit, AssayRegionId one, AssayRegionId other)
{
  const GArray *a = assay_graph_region (edit->graph, one)->outputs;
  const GArray *b = assay_graph_region (edit->graph, other)->outputs;

  if (a->len != b->len || a->len != assay_edit_node (edit)->n_outputs)
    return assay_edit_refuse (edit, "its branches do not give the same number of results");
  for (guint i = 0; i < a->len; i++)
    {
      const AssayType *left = assay_edit_type (edit, g_array_index (a, AssayValueId, i));
      const AssayType *right = assay_edit_type (edit, g_array_index (b, AssayValueId, i));

      if (left->kind != ASSAY_TYPE_KIND_TENSOR || left->rank < 0 || !assay_type_equal (left, right))
        {
          g_autofree char *first = assay_type_to_string (left);
          g_autofree char *second = assay_type_to_string (right);

          return assay_edit_refuse (edit, "its branches give %s and %s", first, second);
        }
    }

  return TRUE;
}

/* The nodes of a branch stand before the If from now on, in its region. */
static void
inline_branch (AssayEdit *edit, AssayRegionId branch)
{
  AssayRegionId region = assay_edit_node (edit)->region;
  GArray *from = assay_graph_region (edit->graph, branch)->nodes;
  GArray *to = assay_graph_region (edit->graph, region)->nodes;
  guint at = 0;

  while (at < to->len && g_array_index (to, AssayNodeId, at) != edit->anchor)
    at++;
  g_array_insert_vals (to, at, from->data, from->len);
  for (guint i = 0; i < from->len; i++)
    assay_graph_edit_node (edit->graph, g_array_index (from, AssayNodeId, i))->region = region;
  for (AssayValueId id = 1; id < assay_graph_n_values (edit->graph); id++)
    if (assay_graph_value (edit->graph, id)->region == branch)
      assay_graph_edit_value (edit->graph, id)->region = region;
  g_array_set_size (from, 0);
}

gboolean
assay_guard_both_branches (AssayEdit *edit)
{
  AssayRegionId branches[] = { branch_of (edit, "then_branch"), branch_of (edit, "else_branch") };
  AssayValueId condition = assay_edit_input (edit, 0), results[2] = { 0 };
  gsize n;

  if (branches[0] == ASSAY_MAIN_REGION || branches[1] == ASSAY_MAIN_REGION)
    return assay_edit_refuse (edit, "it does not have two branches");
  if (!assay_type_count (assay_edit_type (edit, condition), &n) || n != 1)
    return assay_edit_refuse (edit, "the shape of its condition is not known");
  if (!same_types (edit, branches[0], branches[1]))
    return FALSE;
  for (guint i = 0; i < assay_edit_node (edit)->n_outputs; i++)
    if (assay_edit_type (edit, condition)->rank >
        assay_edit_type (
            edit,
            g_array_index (assay_graph_region (edit->graph, branches[0])->outputs, AssayValueId, i))
            ->rank)
      return assay_edit_refuse (edit, "its condition has more dimensions than its results");

  for (guint i = 0; i < 2; i++)
    inline_branch (edit, branches[i]);
  for (guint i = assay_edit_node (edit)->n_outputs; i-- > 0;)
    {
      for (guint j = 0; j < 2; j++)
        results[j] = g_array_index (assay_graph_region (edit->graph, branches[j])->outputs,
                                    AssayValueId, i);
      {
        const AssayValueId inputs[] = { condition, results[0], results[1] };
        AssayValueId value = assay_builder_add (&edit->builder, ASSAY_OP_Where, NULL, 3, inputs);

        if (i == 0)
          assay_bindings_set_value (edit->bindings, "result", value);
        else
          assay_edit_replace (edit, i, value);
      }
    }

  return TRUE;
}
