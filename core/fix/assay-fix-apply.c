/* assay-fix-apply.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-rewrite-private.h"

/**
 * assay_fixes_apply:
 * @graph: a freshly imported graph
 * @fixes: (element-type AssayFix): fixes, in order
 * @settings: (inout) (transfer full) (nullable): gets what fixes of the setup and of the target
 * change
 * @findings: (nullable): gets what does not apply any more, rule `fix.does-not-apply`, inputs that
 * are dropped, rule `drops.input`, and what inference finds
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Applies fixes one after another. Each is recorded as a rewrite with nodes before and after, and
 * what is new has the origins of what it stands for. A fix, or one of its nodes, that does not
 * apply is a finding, and the rest is applied.
 *
 * Returns: (transfer full) (nullable): a new graph, or %NULL with %ASSAY_ERROR_CANCELLED
 */
AssayGraph *
assay_fixes_apply (AssayGraph *graph, GPtrArray *fixes, AssaySettings **settings,
                   AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);

  for (guint i = 0; i < fixes->len; i++)
    {
      const AssayFix *fix = g_ptr_array_index (fixes, i);
      const AssayRewriteRow *row = assay_rewrite_find (fix->rewrite);
      g_autoptr (AssayEdit) edit = NULL;

      if (row == NULL)
        {
          assay_findings_add (findings, ASSAY_SEVERITY_WARNING, "fix.unknown", "graph",
                              fix->nodes[0], NULL, -1, "there is no rewrite \"%s\"", fix->rewrite);
          continue;
        }

      assay_progress_report (progress, (double) i / fixes->len, row->title);
      if (!assay_progress_check (progress, error))
        return NULL;
      edit = assay_edit_new (copy, settings, fix, findings);
      row->apply (edit, fix);
      if (!assay_edit_finish (edit, progress, error))
        return NULL;
    }

  return g_steal_pointer (&copy);
}

/**
 * assay_work_with_fixes:
 * @self: work
 * @fixes: (element-type AssayFix): fixes, in order
 * @findings: (nullable): gets what does not apply any more, and what inference finds
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Copies work of a model with fixes, as assay_fixes_apply() applies them; without any it shares all
 * stages.
 *
 * Returns: (transfer full) (nullable): the copy, or %NULL with %ASSAY_ERROR_CANCELLED
 */
AssayWork *
assay_work_with_fixes (AssayWork *self, GPtrArray *fixes, AssayFindings *findings,
                       const AssayProgress *progress, GError **error)
{
  g_autoptr (AssaySettings) settings = assay_settings_ref (assay_work_get_settings (self));
  AssayGraph *graph = assay_work_get_graph (self, progress, error);
  g_autoptr (AssayGraph) fixed = NULL;

  if (graph == NULL)
    return NULL;
  if (fixes->len == 0)
    return assay_work_with_settings (self, settings);

  fixed = assay_fixes_apply (graph, fixes, &settings, findings, progress, error);

  return fixed != NULL ? assay_work_with_graph (self, fixed, settings) : NULL;
}
