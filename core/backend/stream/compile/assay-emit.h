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

/**
 * AssayEmit:
 * @ASSAY_EMIT_PROGRAM: a program as it is kept
 * @ASSAY_EMIT_TRIAL: one that is only timed: without names and ports, of the memory plan tensor
 * RAM alone, its stores as deep as they are filled
 *
 * What a program is made for.
 */
typedef enum
{
  ASSAY_EMIT_PROGRAM,
  ASSAY_EMIT_TRIAL,
} AssayEmit;

AssayStreamCode *assay_emit (const AssayLir *lir, const AssayPlacement *placements,
                             AssayEmit purpose, AssayAllocation **failure,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
