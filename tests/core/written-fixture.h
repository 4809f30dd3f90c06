/* written-fixture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <string.h>

#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

/* A graph from its text, which must be without mistakes, with types inferred as after an import. */
static inline AssayGraph *
graph_from_text (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = g_strconcat ("nnir 1\ngraph \"g\" {level = onnx, ir_version = 8}\n",
                                        text, NULL);
  AssayGraph *graph = assay_graph_from_text (whole, -1, findings, &error);

  g_assert_no_error (error);
  if (assay_findings_get_count (findings) > 0)
    g_error ("%s", assay_findings_get (findings, 0)->message);
  assay_graph_infer (graph, NULL, NULL, &error);
  g_assert_no_error (error);

  return graph;
}
