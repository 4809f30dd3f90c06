/* assay-graph-page-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/assay-overlay-file.h"
#include "target/assay-level.h"
#include "ui/window/assay-file-choice.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/canvas/assay-overview.h"
#include "ui/graph/assay-pass-panel.h"
#include "ui/graph/assay-selection-card.h"

G_BEGIN_DECLS

/* One file holds the page, one its actions, one the levels, one the passes, one the colours, one
 * where things float. */
struct _AssayGraphPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  gboolean roomy;
  gboolean card_shown;
  gboolean card_listed; /* something else says the same */
  gboolean syncing;
  gboolean still;
  gboolean from_canvas;
  gboolean filling_levels;
  gboolean filling_colours;

  AssayLevel *level; /* what the canvas shows */
  AssayGraphLevel wanted_level;
  guint wanted_pass;     /* index of a step */
  gconstpointer checked; /* what the level was made of; only compared */
  AssayNodeId removed;   /* the selected node of the level if the target never sees it */
  AssayOverlayFile *overlay_file;
  char *pending_overlay;
  AssayFileChoice *choice;

  GtkWidget *box;
  AssayPassPanel *pass_panel;
  AssayCanvas *canvas;
  GtkLabel *emptiness;
  GtkWidget *floating_box; /* card and legend */
  AssaySelectionCard *card;
  GtkWidget *legend;
  GtkWidget *zoom_box;
  GtkButton *zoom_button;
  GtkWidget *color_box;
  GtkMenuButton *color_button;
  GtkWidget *color_popover;
  GtkWidget *color_list;
  GtkWidget *level_box;
  GtkButton *equal_button;
  AssayOverview *overview;
  AssayOverlayKind overlay_kind;

  guint place_idle;
  guint corner;       /* in which card and legend stand */
  AssayNodeId placed; /* the selection of the canvas that they were placed for */
  int covered_right;  /* pixels at the right end below a pane */
};

void assay_graph_page_add_actions (AssayGraphPage *self);
void assay_graph_page_remove_actions (AssayGraphPage *self);
void assay_graph_page_update_floating (AssayGraphPage *self);
void assay_graph_page_update_removed (AssayGraphPage *self);
void assay_graph_page_update_graph (AssayGraphPage *self);

void assay_graph_page_queue_place (AssayGraphPage *self);

void assay_graph_page_init_colours (AssayGraphPage *self);
void assay_graph_page_colour_by (AssayGraphPage *self, AssayOverlayKind kind);
void assay_graph_page_update_overlay (AssayGraphPage *self);
AssayOverlay *assay_graph_page_make_overlay (AssayGraphPage *self,
                                             char **note) G_GNUC_WARN_UNUSED_RESULT;

void assay_graph_page_init_levels (AssayGraphPage *self);
void assay_graph_page_update_level (AssayGraphPage *self);
void assay_graph_page_level_action (GSimpleAction *action, GVariant *parameter, gpointer user_data);
void assay_graph_page_show_origin_action (GSimpleAction *action, GVariant *parameter,
                                          gpointer user_data);
void assay_graph_page_pass_action (GSimpleAction *action, GVariant *parameter, gpointer user_data);
void assay_graph_page_add_fates (AssayGraphPage *self, GByteArray **marks);
void assay_graph_page_step_pass (AssayGraphPage *self, int direction);
void assay_graph_page_update_panel (AssayGraphPage *self);
void assay_graph_page_update_passes (AssayGraphPage *self);
const AssayTorchStep *assay_graph_page_get_step (AssayGraphPage *self);
void assay_graph_page_init_passes (AssayGraphPage *self);
void assay_graph_page_show_level (AssayGraphPage *self, AssayGraphLevel level);
AssayNodeId assay_graph_page_to_level (AssayGraphPage *self, AssayNodeId node);
AssayNodeId assay_graph_page_to_checked (AssayGraphPage *self, AssayNodeId node);
GByteArray *assay_graph_page_map_marks (AssayGraphPage *self,
                                        const GByteArray *marks) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
