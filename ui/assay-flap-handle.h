/* assay-flap-handle.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * AssayFlapHandle:
 *
 * The separator of an #AdwFlap, 7 px wide: dragging it sets the width of the flap's child.
 */
#define ASSAY_TYPE_FLAP_HANDLE (assay_flap_handle_get_type ())

G_DECLARE_FINAL_TYPE (AssayFlapHandle, assay_flap_handle, ASSAY, FLAP_HANDLE, GtkWidget)

G_END_DECLS
