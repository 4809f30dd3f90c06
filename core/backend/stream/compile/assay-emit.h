/* assay-emit.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-allocation.h"
#include "backend/stream/compile/assay-lir.h"

G_BEGIN_DECLS

/**
 * AssayPlacement:
 * @first: the first core, counted among those that the layer may lie on
 * @cores: how many cores share its rows
 * @remainder: the core, counted from the first, at which rows that do not divide evenly begin
 *
 * Where the rows of one layer go.
 */
typedef struct
{
  guint16 first;
  guint16 cores;
  guint16 remainder;
} AssayPlacement;

AssayStreamCode *assay_emit (const AssayLir *lir, const AssayPlacement *placements,
                             AssayAllocation **failure, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
