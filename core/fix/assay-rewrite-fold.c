/* assay-rewrite-fold.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-rewrite-private.h"
#include "nnir/assay-graph-builder.h"

/* Inputs with a default that a caller may replace. */
static guint
count_defaults (const AssayGraph *graph)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  guint n = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (inputs, AssayValueId, i));

      n += value->is_parameter && value->constant != NULL;
    }

  return n;
}

void
assay_rewrite_propose_fold (AssayProposals *proposals)
{
  const char *defaults[] = { "defaults=true", NULL };

  assay_proposals_add (proposals, "fold", NULL, NULL);
  if (count_defaults (proposals->graph) > 0)
    assay_proposals_add (proposals, "fold", NULL, defaults);
}

char *
assay_rewrite_title_fold (const AssayFix *fix)
{
  return g_strdup (assay_fix_get_argument (fix, "defaults") != NULL
                       ? "Take inputs with a default for constants, and fold"
                       : "Fold what is constant");
}

/* From now on no caller can give another value. */
static void
settle_defaults (AssayGraph *graph)
{
  GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  guint kept = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      AssayValue *value = assay_graph_edit_value (graph, id);

      if (value->is_parameter && value->constant != NULL)
        {
          value->kind = ASSAY_VALUE_CONSTANT;
          value->is_parameter = FALSE;
          value->output = 0;
          continue;
        }
      value->output = kept;
      g_array_index (inputs, AssayValueId, kept++) = id;
    }
  g_array_set_size (inputs, kept);
}

gboolean
assay_rewrite_apply_fold (AssayEdit *edit, const AssayFix *fix)
{
  if (assay_fix_get_argument (fix, "defaults") != NULL)
    settle_defaults (edit->graph);
  edit->fold = TRUE;
  assay_edit_mark_changed (edit);

  return TRUE;
}
