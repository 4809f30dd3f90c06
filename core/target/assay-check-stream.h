/* assay-check-stream.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/analysis/assay-data-dimension.h"
#include "nnir/analysis/assay-streaming.h"
#include "target/assay-check-private.h"

G_BEGIN_DECLS

/* What the block-streaming family knows of the whole graph. */
typedef struct
{
  AssayDimensions *dimensions;
  AssayStreaming *streaming; /* NULL for the unstreamed model */
} AssayStreamAnalysis;

gboolean assay_check_trace (AssayCheck *self, GError **error);
void assay_check_note_costs (AssayCheck *self);
void assay_check_add_note (AssayCheck *self, AssayVerdict *verdict, AssayStage stage,
                           const char *text);

G_END_DECLS
