/* assay-stream-check.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/analysis/assay-data-dimension.h"
#include "nnir/analysis/assay-streaming.h"
#include "target/assay-check-private.h"

G_BEGIN_DECLS

/* What the rules need to know of the whole graph. */
typedef struct
{
  AssayDimensions *dimensions;
  AssayStreaming *streaming; /* NULL for the unstreamed model */
} AssayStreamAnalysis;

extern const AssayPredicate assay_stream_predicates[];

gboolean assay_stream_check_analyse (AssayCheck *self, GError **error);
void assay_stream_check_note_costs (AssayCheck *self);

G_END_DECLS
