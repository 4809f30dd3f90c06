/* assay-window-panes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What has room in a window: its width class, which panes stand beside the page and which lie over
 * it, and how wide they are.
 */
#include "ui/window/assay-ui.h"
#include "ui/window/assay-window-private.h"

#include <math.h>

/* So that a window at the limit does not flip between two classes. */
#define HYSTERESIS 24
/* Least width of a page and the graph beside it, of a page beside panes, and of what panes that lie
 * over the graph leave of it: a node. In pixels with text of the usual size. */
#define BESIDE_WIDTH 960
#define CONTENT_WIDTH 640
#define NODE_WIDTH 160
/* What the least window has room for beside its frame, however large its text is. */
#define LEAST_WIDTH 700

static const int class_limits[] = { 1000, 1280, 1600, 2200 };

/* Pixels with text of the usual size; the content has what is left. */
static const struct
{
  int sidebar;
  int inspector;
} pane_widths[] = {
  [ASSAY_WIDTH_COMPACT] = { 264, 312 }, [ASSAY_WIDTH_MEDIUM] = { 264, 312 },
  [ASSAY_WIDTH_NORMAL] = { 264, 312 },  [ASSAY_WIDTH_WIDE] = { 300, 312 },
  [ASSAY_WIDTH_VAST] = { 400, 400 },
};

static AssayWidthClass
classify (AssayWindow *self, int width)
{
  double usual = width / assay_ui_get_text_scale (GTK_WIDGET (self));
  guint result = ASSAY_WIDTH_COMPACT;

  for (guint i = 0; i < G_N_ELEMENTS (class_limits); i++)
    {
      int limit = class_limits[i] - (self->width_class > i ? HYSTERESIS : 0);

      if (usual >= limit)
        result = i + 1;
    }

  return (AssayWidthClass) result;
}

/* Where no inspector stands beside the graph; above the table there is no room, and the table says
 * the same. */
void
assay_window_update_card (AssayWindow *self)
{
  assay_graph_page_set_card_shown (self->graph_page,
                                   self->width_class <= ASSAY_WIDTH_MEDIUM &&
                                       !assay_flap_handle_get_shown (self->inspector_handle) &&
                                       !gtk_widget_get_visible (GTK_WIDGET (self->node_panel)));
  assay_graph_page_set_card_listed (self->graph_page,
                                    assay_flap_handle_get_taken (self->sidebar_handle) > 0);
}

/* Panes without room beside the graph lie over its ends; a page beside it has the inspector. */
static void
update_covered (AssayWindow *self)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  gboolean alone = !gtk_widget_get_visible (GTK_WIDGET (self->pages));
  int start = assay_flap_handle_get_covered (self->sidebar_handle);
  int end = alone ? assay_flap_handle_get_covered (self->inspector_handle) : 0;

  assay_canvas_set_sides (assay_graph_page_get_canvas (self->graph_page), rtl ? end : start,
                          rtl ? start : end);
  assay_graph_page_set_covered_right (self->graph_page,
                                      assay_flap_handle_get_covered (self->inspector_handle));
}

/* Larger than usual text takes more room; a smaller font may be as wide. */
static double
get_scale (AssayWindow *self)
{
  return MAX (self->text_scale, 1);
}

/* Panes grow with the text, and so does what a page has to have beside them. A flap asks its
 * content, which cannot ask for more than the least window has, so beyond that it is told. */
static void
update_panes (AssayWindow *self)
{
  double scale = get_scale (self);
  double content = CONTENT_WIDTH * scale;
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  int most = width > 0 ? (int) round (width - NODE_WIDTH * scale) : G_MAXINT;

  assay_flap_handle_set_usual (self->sidebar_handle, pane_widths[self->width_class].sidebar, scale,
                               most);
  assay_flap_handle_set_usual (self->inspector_handle, pane_widths[self->width_class].inspector,
                               scale, most);
  gtk_widget_set_size_request (GTK_WIDGET (self->paned),
                               (int) CLAMP (round (content), CONTENT_WIDTH, LEAST_WIDTH), -1);

  if (width <= 0)
    return;

  width -= content;
  assay_flap_handle_set_room (self->sidebar_handle, width);
  assay_flap_handle_set_room (self->inspector_handle,
                              width - assay_flap_handle_get_taken (self->sidebar_handle));
}

/* What has to stand in the header has less room between it, as it is wider than the least window
 * otherwise. Before the window has a size, too: one that is too wide at first stays so. */
void
assay_window_update_tight (AssayWindow *self)
{
  if (assay_ui_is_tight (GTK_WIDGET (self)))
    gtk_widget_add_css_class (GTK_WIDGET (self), "tight");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "tight");
}

/* Of two panes that lie over the graph and leave less of it than a node takes, the one that was
 * there before gives way. */
static void
make_way (AssayWindow *self)
{
  AssayFlapHandle *handles[] = { self->sidebar_handle, self->inspector_handle };
  double left = gtk_widget_get_width (GTK_WIDGET (self));
  guint covering = 0;

  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    {
      int covered = assay_flap_handle_get_covered (handles[i]);

      left -= covered + assay_flap_handle_get_taken (handles[i]);
      if (covered > 0)
        covering |= 1u << i;
    }
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    if (covering == 3 && self->covering == 1u << i && left < NODE_WIDTH * get_scale (self))
      assay_flap_handle_give_way (handles[i]);
  self->covering = covering;
}

void
assay_window_update_for_width (AssayWindow *self)
{
  update_panes (self);
  assay_window_update_tight (self);
  assay_context_bar_set_roomy (self->context_bar, self->width_class == ASSAY_WIDTH_COMPACT,
                               self->width_class >= ASSAY_WIDTH_NORMAL);
  assay_start_page_set_roomy (self->start_page, self->width_class >= ASSAY_WIDTH_WIDE);
  assay_graph_page_set_roomy (self->graph_page, self->width_class >= ASSAY_WIDTH_WIDE);
  update_covered (self);

  if (!self->graph_beside_chosen && self->graph_beside != (self->width_class >= ASSAY_WIDTH_WIDE))
    {
      self->graph_beside = self->width_class >= ASSAY_WIDTH_WIDE;
      g_object_notify (G_OBJECT (self), "graph-beside");
    }
  assay_window_update_paned (self);
}

static gboolean
width_idle_cb (gpointer data)
{
  AssayWindow *self = data;

  self->width_idle = 0;
  if (self->beside_fits != self->next_beside_fits)
    {
      self->beside_fits = self->next_beside_fits;
      assay_window_update_paned (self);
      assay_window_update_actions (self);
    }
  if (self->width_class != self->next_width_class || self->text_scale != self->next_text_scale)
    {
      self->width_class = self->next_width_class;
      self->text_scale = self->next_text_scale;
      assay_window_update_for_width (self);
      g_object_notify (G_OBJECT (self), "width-class");
    }
  else
    update_panes (self);

  return G_SOURCE_REMOVE;
}

/* After the window was given that width. Listeners show and hide widgets, which must not happen
 * inside an allocation. */
void
assay_window_follow_width (AssayWindow *self, int width)
{
  int content = width - assay_flap_handle_get_taken (self->sidebar_handle) -
                assay_flap_handle_get_taken (self->inspector_handle);
  gboolean wider = width != self->followed_width;

  self->followed_width = width;
  self->next_text_scale = assay_ui_get_text_scale (GTK_WIDGET (self));
  self->next_width_class = classify (self, width);
  self->next_beside_fits = content / self->next_text_scale >= BESIDE_WIDTH;
  if ((self->next_width_class != self->width_class || self->next_text_scale != self->text_scale ||
       self->next_beside_fits != self->beside_fits || wider) &&
      self->width_idle == 0)
    self->width_idle = g_idle_add (width_idle_cb, self);
}

void
assay_window_flap_changed_cb (AssayWindow *self)
{
  if (self->session == NULL)
    return;

  make_way (self);
  assay_window_update_for_width (self);
  assay_window_follow_width (self, gtk_widget_get_width (GTK_WIDGET (self)));
  g_object_notify (G_OBJECT (self), "show-sidebar");
  g_object_notify (G_OBJECT (self), "show-inspector");
}
