/* assay-core-strip.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/activity/assay-compilation.h"

G_BEGIN_DECLS

/**
 * AssayCoreStrip:
 *
 * Name of a core, how full a store of it gets, and its use over the steps: what the button of a
 * core shows.
 */
#define ASSAY_TYPE_CORE_STRIP (assay_core_strip_get_type ())

G_DECLARE_FINAL_TYPE (AssayCoreStrip, assay_core_strip, ASSAY, CORE_STRIP, GtkWidget)

GtkWidget *assay_core_strip_new (AssayCompilation *compilation, guint core,
                                 guint store) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
