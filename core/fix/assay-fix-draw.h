/* assay-fix-draw.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-datum.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

char *assay_fix_find_obstacle (AssayGraph *graph, gint64 open_size) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_fix_draw (const AssayType *type, gint64 open_size, guint64 seed,
                            guint run) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
