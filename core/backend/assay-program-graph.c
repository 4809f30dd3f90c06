/* assay-program-graph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-program-graph.h"

#include "base/assay-error.h"
#include "nnir/assay-constraint.h"
#include "nnir/assay-verify.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

static gboolean
has_finding (AssayFindings *findings, const char *rule)
{
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    if (g_str_equal (assay_findings_get (findings, i)->rule, rule))
      return TRUE;

  return assay_findings_get_dropped (findings) > 0;
}

/* Sizes of what is computed are taken from the types, so a file may state no others. */
static gboolean
check (AssayGraph *graph, AssayFindings *findings, GError **error)
{
  g_autoptr (AssayFindings) inferred = assay_findings_new ();
  AssayViolation violation;
  const char *wrong = NULL;

  if (assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) > 0)
    wrong = assay_findings_get (findings, 0)->message;
  else if (!assay_graph_verify (graph, NULL))
    wrong = "its graph is not sound";
  else if (!assay_graph_infer (graph, inferred, NULL, error))
    return FALSE;
  else if (has_finding (inferred, "infer.mismatch"))
    wrong = "its graph states other types than those of what it computes";
  else if (assay_graph_find_violation (graph, &violation) != ASSAY_NO_NODE)
    wrong = "its graph has a node that is not well formed";
  if (wrong != NULL)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, wrong);

  return wrong == NULL;
}

/**
 * assay_program_graph_read:
 * @text: (array length=length): the graph in a program file, as text
 * @length: its bytes
 * @error: return location for a #GError
 *
 * Reads the graph that a program runs, and believes nothing of it: its structure, the types that it
 * states and what its nodes ask for.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL with %ASSAY_ERROR_LOAD
 */
AssayGraph *
assay_program_graph_read (const char *text, gsize length, GError **error)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, (gssize) length, findings, error);

  return graph != NULL && check (graph, findings, error) ? g_steal_pointer (&graph) : NULL;
}
