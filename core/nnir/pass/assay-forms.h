/* assay-forms.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/pass/assay-canonical.h"

G_BEGIN_DECLS

/**
 * AssayForms:
 *
 * A model and what it looks like in the forms that compilers want, each made when it is asked for
 * first. Many targets want the same form. Threads may share it.
 */
typedef struct _AssayForms AssayForms;

AssayForms *assay_forms_new (AssayGraph *imported) G_GNUC_WARN_UNUSED_RESULT;
AssayForms *assay_forms_ref (AssayForms *self);
void assay_forms_unref (AssayForms *self);
AssayGraph *assay_forms_get_imported (AssayForms *self);
AssayGraph *assay_forms_get (AssayForms *self, const AssayCanonicalOptions *options,
                             const AssayProgress *progress, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayForms, assay_forms_unref)

G_END_DECLS
