/* assay-tolerance.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/compare/assay-compare.h"
#include "nnir/assay-op.h"

G_BEGIN_DECLS

/**
 * AssayTolerance:
 *
 * How far a value may be from the reference, per op and precision: limits on the scaled error of
 * #AssayCompareStats, in units in the last place. Read from a file, and not changed afterwards.
 */
typedef struct _AssayTolerance AssayTolerance;

AssayTolerance *assay_tolerance_new_default (void) G_GNUC_WARN_UNUSED_RESULT;
AssayTolerance *assay_tolerance_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTolerance *assay_tolerance_load_bytes (GBytes *bytes, const char *name,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTolerance *assay_tolerance_ref (AssayTolerance *self);
void assay_tolerance_unref (AssayTolerance *self);
double assay_tolerance_get_limit (const AssayTolerance *self, AssayOp op,
                                  AssayComparePrecision precision);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTolerance, assay_tolerance_unref)

G_END_DECLS
