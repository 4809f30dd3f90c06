/* assay-wrap-layout.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_WRAP_LAYOUT (assay_wrap_layout_get_type ())

/**
 * AssayWrapLayout:
 *
 * Puts children beside each other, and in another line what has no room there: buttons of a pane
 * whose width the user sets, of a page in large text. What expands takes what its line has left.
 *
 * Properties: `spacing` (pixels between children of a line, 6 unless it is made with another).
 */
G_DECLARE_FINAL_TYPE (AssayWrapLayout, assay_wrap_layout, ASSAY, WRAP_LAYOUT, GtkLayoutManager)

G_END_DECLS
