/* assay-equivalence-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-expression.h"

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

#define EQUIVALENCE(id, op, words, guard, text) gboolean assay_guard_##guard (AssayEdit *edit);
#include "fix/equivalences.def"
#undef EQUIVALENCE

gboolean assay_guard_number (AssayEdit *edit,
                             guint      input,
                             double    *number);

G_END_DECLS
