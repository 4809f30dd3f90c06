/* assay-check-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-check-report.h"

static void
add_row (AssayCheckReport *self,
         AssayCheckRow     row)
{
  g_array_append_val (self->rows, row);
  self->counts[row.kind]++;
}

static void
add_node (AssayCheckReport *self,
          AssayNodeId       id)
{
  AssayGraph *graph = self->verdicts->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  const AssayVerdict *verdict = assay_verdicts_get (self->verdicts, id);

  add_row (self, (AssayCheckRow) {
    .name = node->name,
    .op_type = node->op_type,
    .kind = verdict->kind,
    .node = id,
    .verdict = verdict,
    .into = verdict->into != ASSAY_NO_NODE ? assay_graph_node (graph, verdict->into)->name : NULL,
    .rule = verdict->rule,
  });
}

static void
add_absorbed (AssayCheckReport    *self,
              const AssayAbsorbed *absorbed)
{
  AssayGraph *graph = self->verdicts->graph;
  const AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin, absorbed->origin);
  const char *name = origin->name;

  if (name == NULL || name[0] == 0)
    {
      g_autofree char *path = g_strdup_printf ("%s/node[%u]:%s", origin->path, origin->index, origin->op_type);

      name = g_string_chunk_insert (self->strings, path);
    }

  add_row (self, (AssayCheckRow) {
    .name = name,
    .op_type = origin->op_type,
    .kind = absorbed->kind,
    .into = absorbed->into != ASSAY_NO_NODE ? assay_graph_node (graph, absorbed->into)->name : NULL,
    .rule = absorbed->rule,
  });
}

/**
 * assay_check_report_new:
 * @model: path of the model as the user gave it
 * @target: what it was checked against
 * @verdicts: the result of the check
 * @findings: (nullable): what the importer found
 *
 * Gathers what a check found, so that every format tells the same.
 *
 * Returns: (transfer full): the report
 */
AssayCheckReport *
assay_check_report_new (const char    *model,
                        AssayTarget   *target,
                        AssayVerdicts *verdicts,
                        AssayFindings *findings)
{
  AssayCheckReport *self = g_new0 (AssayCheckReport, 1);

  self->model = g_strdup (model);
  self->target = assay_target_ref (target);
  self->verdicts = assay_verdicts_ref (verdicts);
  self->findings = findings != NULL ? assay_findings_ref (findings) : assay_findings_new ();
  self->rows = g_array_sized_new (FALSE, FALSE, sizeof (AssayCheckRow),
                                  assay_graph_n_nodes (verdicts->graph) + verdicts->absorbed->len);
  self->strings = g_string_chunk_new (1024);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    add_node (self, id);
  for (guint i = 0; i < verdicts->absorbed->len; i++)
    add_absorbed (self, &g_array_index (verdicts->absorbed, AssayAbsorbed, i));

  return self;
}

void
assay_check_report_free (AssayCheckReport *self)
{
  if (self == NULL)
    return;

  g_string_chunk_free (self->strings);
  g_array_unref (self->rows);
  assay_findings_unref (self->findings);
  assay_verdicts_unref (self->verdicts);
  assay_target_unref (self->target);
  g_free (self->model);
  g_free (self);
}

/**
 * assay_check_report_is_clean:
 * @self: a report
 *
 * Tells whether nothing needs the user: no node is rejected or undecided, and no finding is an error. Work that is left
 * to the host is reported, and is no reason to fail.
 *
 * Returns: whether the model is clean
 */
gboolean
assay_check_report_is_clean (const AssayCheckReport *self)
{
  return self->counts[ASSAY_VERDICT_REJECTED] == 0
         && self->counts[ASSAY_VERDICT_UNDECIDED] == 0
         && assay_findings_count_at (self->findings, ASSAY_SEVERITY_ERROR) == 0;
}
