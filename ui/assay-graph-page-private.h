/* assay-graph-page-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/assay-graph-page.h"
#include "ui/assay-overview.h"
#include "ui/assay-selection-card.h"

G_BEGIN_DECLS

/* One file holds the page, one its actions. */
struct _AssayGraphPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  gboolean roomy;
  gboolean card_shown;
  gboolean syncing;

  GtkWidget *box;
  AssayCanvas *canvas;
  GtkLabel *emptiness;
  AssaySelectionCard *card;
  GtkWidget *legend;
  GtkButton *zoom_button;
  GtkMenuButton *color_button;
  AssayOverview *overview;
  AssayOverlayKind overlay_kind;
};

void _assay_graph_page_add_actions    (AssayGraphPage *self);
void _assay_graph_page_remove_actions (AssayGraphPage *self);
void _assay_graph_page_update_overlay (AssayGraphPage *self);

G_END_DECLS
