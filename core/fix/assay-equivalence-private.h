/* assay-equivalence-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-edit.h"

G_BEGIN_DECLS

/**
 * AssayEquivalenceGuard:
 * @edit: an edit whose anchor is a node of the operation
 *
 * Looks whether a form applies, and binds what its expression calls by name.
 *
 * Returns: whether it does; if not, why was reported with assay_edit_refuse()
 */
typedef gboolean (*AssayEquivalenceGuard) (AssayEdit *edit);

#define EQUIVALENCE(keeps, id, op, words, guard, text)                                             \
  gboolean assay_guard_##guard (AssayEdit *edit);
#define EQUIVALENCE_BEHIND EQUIVALENCE
#define EQUIVALENCE_BEFORE EQUIVALENCE
#include "fix/equivalences.def"
#undef EQUIVALENCE
#undef EQUIVALENCE_BEHIND
#undef EQUIVALENCE_BEFORE

/* Sizes of a tensor, all of them known. */
typedef struct
{
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
} AssayGuardShape;

const AssayType *assay_guard_result (AssayEdit *edit);
gboolean assay_guard_number (AssayEdit *edit, guint input, double *number);
gboolean assay_guard_sizes (AssayEdit *edit, const AssayType *type, AssayGuardShape *shape);
AssayValueId assay_guard_filled (AssayEdit *edit, AssayDType dtype, guint rank, const gint64 *dims,
                                 double number);
AssayValueId assay_guard_floats (AssayEdit *edit, AssayDType dtype, guint rank, const gint64 *dims,
                                 const double *numbers);
double *assay_guard_read (AssayEdit *edit, AssayValueId value, gsize *n) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_guard_axes (AssayEdit *edit, guint *n, gint64 *axes);

G_END_DECLS
