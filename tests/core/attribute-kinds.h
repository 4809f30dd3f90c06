/* attribute-kinds.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

/* What kinds of values an operation was given, as words that attribute-kinds.def lists. */
void attribute_kinds_note (GHashTable *given, AssayGraph *graph, AssayOp op);
guint attribute_kinds_missing (GHashTable *given, AssayOp op, gboolean say);
char attribute_kinds_letter (AssayOp op, guint input);
