/* assay-fit-handles.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/assay-session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_FIT_HANDLES (assay_fit_handles_get_type ())

/**
 * AssayFitHandles:
 *
 * What a user can turn to make a program fit: the extents of the inputs and the depth of the store
 * that is full. Each change is tried on a copy at once.
 */
G_DECLARE_FINAL_TYPE (AssayFitHandles, assay_fit_handles, ASSAY, FIT_HANDLES, GtkWidget)

void assay_fit_handles_update (AssayFitHandles *self, AssaySession *session);

G_END_DECLS
