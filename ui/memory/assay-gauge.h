/* assay-gauge.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayGauge:
 *
 * A number of a store that has nothing else to show, with a bar under it: grey whatever it says, as
 * being nearly full is neither good nor bad.
 */
#define ASSAY_TYPE_GAUGE (assay_gauge_get_type ())

G_DECLARE_FINAL_TYPE (AssayGauge, assay_gauge, ASSAY, GAUGE, GtkWidget)

GtkWidget *assay_gauge_new (void);
void assay_gauge_set (AssayGauge *self, const char *text, double share);

G_END_DECLS
