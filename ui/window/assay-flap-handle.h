/* assay-flap-handle.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * AssayFlapHandle:
 *
 * The separator of an #AdwFlap, 7 px wide: dragging it sets the width of the pane. It speaks for
 * its flap, which nobody else calls: #AssayFlapHandle::changed is emitted when the pane is shown,
 * hidden, or laid over the content.
 */
#define ASSAY_TYPE_FLAP_HANDLE (assay_flap_handle_get_type ())

G_DECLARE_FINAL_TYPE (AssayFlapHandle, assay_flap_handle, ASSAY, FLAP_HANDLE, GtkWidget)

void assay_flap_handle_set_usual (AssayFlapHandle *self, int width, double scale, int most);
void assay_flap_handle_set_room (AssayFlapHandle *self, double room);
gboolean assay_flap_handle_get_shown (AssayFlapHandle *self);
void assay_flap_handle_set_shown (AssayFlapHandle *self, gboolean shown);
gboolean assay_flap_handle_uncover (AssayFlapHandle *self);
void assay_flap_handle_give_way (AssayFlapHandle *self);
int assay_flap_handle_get_covered (AssayFlapHandle *self);
int assay_flap_handle_get_taken (AssayFlapHandle *self);

G_END_DECLS
