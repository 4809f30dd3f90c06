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

/* Makes another opset of that which the writer found to be enough. */
static inline void
set_opset (const char *path, char opset)
{
  static const char found[] = { 0x0a, 0x00, 0x10, 13 };
  g_autoptr (GError) error = NULL;
  g_autofree char *data = NULL;
  gsize size, at = 0;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  while (at + sizeof found < size && memcmp (data + at, found, sizeof found) != 0)
    at++;
  g_assert_cmpuint (at + sizeof found, <, size);
  data[at + 3] = opset;
  g_file_set_contents (path, data, (gssize) size, &error);
  g_assert_no_error (error);
}
