/* assay-tensor-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_TENSOR_WINDOW (assay_tensor_window_get_type ())

/**
 * AssayTensorWindow:
 *
 * The elements of a tensor, page by page, or those of two side by side; statistics, colours, bits,
 * .npy.
 */
G_DECLARE_FINAL_TYPE (AssayTensorWindow, assay_tensor_window, ASSAY, TENSOR_WINDOW, AdwWindow)

GtkWidget *assay_tensor_window_new (GtkWindow *parent, const char *name, AssayTensor *tensor);
void assay_tensor_window_set_other (AssayTensorWindow *self, AssayTensor *other, double step,
                                    const char *title, const char *other_title);
void assay_tensor_window_set_command (AssayTensorWindow *self, const char *command);
gboolean assay_tensor_window_go_to (AssayTensorWindow *self, const char *index);

G_END_DECLS
