/* assay-swatch.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "draw/assay-colors.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_SWATCH (assay_swatch_get_type ())

/**
 * AssaySwatch:
 *
 * A small square in one colour of pictures, for legends.
 */
G_DECLARE_FINAL_TYPE (AssaySwatch, assay_swatch, ASSAY, SWATCH, GtkWidget)

GtkWidget *assay_swatch_new (AssayRole role);

G_END_DECLS
