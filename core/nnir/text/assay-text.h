/* assay-text.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayTextFlags:
 * @ASSAY_TEXT_DEFAULT: everything that is needed to read the graph back, except constants over 64
 * KiB, which are named by their digest
 * @ASSAY_TEXT_ALL_DATA: constants of any size written out, so that reading gives an equal graph
 * @ASSAY_TEXT_WHOLE: beside @ASSAY_TEXT_ALL_DATA: a constant that cannot be read is an error, not
 * missing
 * @ASSAY_TEXT_NO_DATA: constants over 16 elements are elided, for people
 */
typedef enum
{
  ASSAY_TEXT_DEFAULT = 0,
  ASSAY_TEXT_ALL_DATA = 1 << 0,
  ASSAY_TEXT_NO_DATA = 1 << 1,
  ASSAY_TEXT_WHOLE = 1 << 2,
} AssayTextFlags;

char *assay_graph_to_text (AssayGraph *self, AssayTextFlags flags,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_graph_node_to_text (AssayGraph *self, AssayNodeId node, GString *text);
AssayGraph *assay_graph_from_text (const char *text, gssize length, AssayFindings *findings,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
