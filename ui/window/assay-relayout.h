/* assay-relayout.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Places asked for while places are being given.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void assay_relayout_init (void);

void assay_relayout_queue (GtkWidget *widget);

G_END_DECLS
