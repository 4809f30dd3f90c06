/* assay-model-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

char *assay_model_report_to_text (const char *model, AssayGraph *graph, AssayFindings *findings,
                                  gboolean colours, gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_model_report_to_json (const char *model, AssayGraph *graph, AssayFindings *findings,
                                  gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_graph_to_dot (AssayGraph *graph, gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
