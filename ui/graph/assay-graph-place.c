/* assay-graph-place.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where things float over the graph: clear of the selected node, of each other, and of a pane that
 * lies over the right end.
 */
#include "ui/graph/assay-graph-page-private.h"

#include "ui/canvas/assay-canvas-private.h"

/* From an edge of the canvas, from the end with its scroll bar, and between two that float. */
#define MARGIN 12
#define MARGIN_END 18
/* With less than that beside the zoom buttons, the card and the legend stand above them. */
#define LEAST_BESIDE 240
/* What is drawn around the selected node. */
#define OUTLINE 4

typedef struct
{
  GtkAlign halign;
  GtkAlign valign;
} Corner;

/* Where the card and the legend may stand, best first. */
static const Corner corners[] = {
  { GTK_ALIGN_START, GTK_ALIGN_END },
  { GTK_ALIGN_END, GTK_ALIGN_END },
  { GTK_ALIGN_START, GTK_ALIGN_START },
  { GTK_ALIGN_END, GTK_ALIGN_START },
};

typedef struct
{
  int start;
  int end;
  int top;
  int bottom;
} Margins;

/* Its natural size with the margins that it has now, because GTK measures them too. */
static int
measure_width (GtkWidget *box)
{
  int width;

  gtk_widget_measure (box, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);

  return width - gtk_widget_get_margin_start (box) - gtk_widget_get_margin_end (box);
}

static int
measure_height (GtkWidget *box, int width)
{
  int height;

  gtk_widget_measure (box, GTK_ORIENTATION_VERTICAL,
                      width + gtk_widget_get_margin_start (box) + gtk_widget_get_margin_end (box),
                      NULL, &height, NULL, NULL);

  return height - gtk_widget_get_margin_top (box) - gtk_widget_get_margin_bottom (box);
}

/* In the usual corner they stand beside the zoom buttons, elsewhere between these and the levels. A
 * pane over the right end, or a further button, may leave no room beside them. */
static Margins
get_margins (AssayGraphPage *self, const Corner *corner)
{
  gboolean at_end = corner->halign == GTK_ALIGN_END;
  int zoom = gtk_widget_get_margin_end (self->zoom_box) + measure_width (self->zoom_box) + MARGIN;
  int beside = gtk_widget_get_width (GTK_WIDGET (self->canvas)) - MARGIN - zoom;

  if (corner == corners && beside >= MIN (measure_width (self->floating_box), LEAST_BESIDE))
    return (Margins){ .start = MARGIN, .end = zoom, .bottom = MARGIN };

  return (Margins){
    .start = MARGIN,
    .end = MARGIN_END + (at_end ? self->covered_right : 0),
    .top = 2 * MARGIN + gtk_widget_get_height (self->color_box),
    .bottom = 2 * MARGIN + gtk_widget_get_height (self->zoom_box),
  };
}

/* Whether the node could be seen whole beside what would stand in that corner, and that would fit
 * there. */
static gboolean
is_clear (AssayGraphPage *self, guint corner, const graphene_rect_t *node)
{
  Margins margins = get_margins (self, &corners[corner]);
  gboolean rtl = gtk_widget_get_direction (self->floating_box) == GTK_TEXT_DIR_RTL;
  gboolean at_right = (corners[corner].halign == GTK_ALIGN_END) != rtl;
  int room = gtk_widget_get_width (GTK_WIDGET (self->canvas));
  int high = gtk_widget_get_height (GTK_WIDGET (self->canvas));
  int width = MIN (measure_width (self->floating_box), room - margins.start - margins.end);
  int height = measure_height (self->floating_box, width);
  int left = rtl ? margins.end : margins.start;
  int right = rtl ? margins.start : margins.end;
  graphene_rect_t box;

  if (margins.top + height + margins.bottom > high)
    return FALSE;

  graphene_rect_init (&box, at_right ? room - right - width : left,
                      corners[corner].valign == GTK_ALIGN_END ? high - margins.bottom - height
                                                              : margins.top,
                      width, height);

  return !graphene_rect_intersection (&box, node, NULL);
}

/* A node that is chosen is scrolled clear of the usual corner. One that nobody asked to see, or
 * that was scrolled by hand, stays where it is, and what floats goes elsewhere: until it is in the
 * way there or another is chosen. */
static guint
choose_corner (AssayGraphPage *self)
{
  graphene_rect_t node;

  if (!assay_canvas_find_selection (self->canvas, &node))
    return 0;

  graphene_rect_inset (&node, -OUTLINE, -OUTLINE);
  if (is_clear (self, self->corner, &node))
    return self->corner;

  for (guint i = 0; i < G_N_ELEMENTS (corners); i++)
    if (is_clear (self, i, &node))
      return i;

  return 0;
}

static void
place_in_corner (AssayGraphPage *self, guint corner)
{
  Margins margins = get_margins (self, &corners[corner]);

  self->corner = corner;
  gtk_widget_set_halign (self->floating_box, corners[corner].halign);
  gtk_widget_set_valign (self->floating_box, corners[corner].valign);
  gtk_widget_set_margin_start (self->floating_box, margins.start);
  gtk_widget_set_margin_end (self->floating_box, margins.end);
  gtk_widget_set_margin_top (self->floating_box, margins.top);
  gtk_widget_set_margin_bottom (self->floating_box, margins.bottom);
}

/* Half of a button below a pane says nothing. Its room is kept, so that it is measured again. */
static void
set_shown (GtkWidget *box, gboolean shown)
{
  gtk_widget_set_opacity (box, shown ? 1 : 0);
  gtk_widget_set_sensitive (box, shown);
}

/* Clear of a pane at the right end, with less around it where room is scarce; hidden where there
 * is none. */
static void
move_clear (AssayGraphPage *self, GtkWidget *box)
{
  int left = gtk_widget_get_width (GTK_WIDGET (self->canvas)) - self->covered_right -
             measure_width (box);
  /* What keeps its side when the window is read from right to left is at the other one than the
   * pane. */
  gboolean beside = gtk_widget_get_direction (box) == gtk_widget_get_direction (GTK_WIDGET (self));

  gtk_widget_set_margin_end (
      box, beside && left > 0 ? self->covered_right + MIN (MARGIN_END, left / 2) : MARGIN_END);
  set_shown (box, left > 0);
}

/* Above the table of nodes in a small window there is no room for both. */
static void
make_room (AssayGraphPage *self)
{
  int high = gtk_widget_get_height (GTK_WIDGET (self->canvas));

  if (gtk_widget_get_height (self->color_box) + gtk_widget_get_height (self->zoom_box) +
          3 * MARGIN >
      high)
    set_shown (self->zoom_box, FALSE);
}

/* A card about what is out of sight would only lie over other nodes; where a list says the same, it
 * waits. Its room is kept, or the graph would move as it comes and goes. */
static void
update_waiting (AssayGraphPage *self)
{
  graphene_rect_t node, seen;
  gboolean waits = FALSE;

  graphene_rect_init (&seen, 0, 0, gtk_widget_get_width (GTK_WIDGET (self->canvas)),
                      gtk_widget_get_height (GTK_WIDGET (self->canvas)));
  if (self->card_listed && assay_canvas_find_selection (self->canvas, &node))
    waits = !graphene_rect_intersection (&seen, &node, NULL);

  gtk_widget_set_opacity (GTK_WIDGET (self->card), waits ? 0 : 1);
  gtk_widget_set_sensitive (GTK_WIDGET (self->card), !waits);
}

/* Where a legend would lie over the selected node in every corner it waits too; the card, which is
 * about that node, does not. */
static void
update_legend (AssayGraphPage *self)
{
  graphene_rect_t node;
  gboolean waits = FALSE;

  if (!gtk_widget_get_visible (GTK_WIDGET (self->card)) &&
      assay_canvas_find_selection (self->canvas, &node))
    {
      graphene_rect_inset (&node, -OUTLINE, -OUTLINE);
      waits = !is_clear (self, self->corner, &node);
    }

  set_shown (self->floating_box, !waits);
  gtk_widget_set_can_target (self->floating_box, !waits);
}

static void
update_zoom (AssayGraphPage *self)
{
  /* The mark keeps number and unit from left to right everywhere. */
  g_autofree char *text = g_strdup_printf ("\u200e%.0f %%",
                                           assay_canvas_get_zoom (self->canvas) * 100);

  if (g_strcmp0 (gtk_button_get_label (self->zoom_button), text) != 0)
    gtk_button_set_label (self->zoom_button, text);
}

static gboolean
place_cb (gpointer data)
{
  AssayGraphPage *self = data;
  AssayNodeId selection = assay_canvas_get_selection (self->canvas);

  self->place_idle = 0;
  update_zoom (self);
  if (gtk_widget_get_width (GTK_WIDGET (self->canvas)) <= 0)
    return G_SOURCE_REMOVE;

  move_clear (self, self->color_box);
  move_clear (self, self->zoom_box);
  make_room (self);
  if (self->placed != selection)
    self->corner = 0;
  self->placed = selection;
  place_in_corner (self, choose_corner (self));
  update_waiting (self);
  update_legend (self);

  return G_SOURCE_REMOVE;
}

/* What floats has another size, another zoom to say, or something else lies below it. Moving it
 * changes sizes, which must not happen inside of an allocation, where the canvas chooses its first
 * zoom: a button that gets another label there can be drawn without a place. */
void
assay_graph_page_queue_place (AssayGraphPage *self)
{
  if (self->place_idle == 0)
    self->place_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, place_cb, self, NULL);
}

/**
 * assay_graph_page_set_covered_right:
 * @self: a graph page
 * @width: pixels that something lies over at the right end
 *
 * Moves what floats there clear of it, if there is room to the left.
 */
void
assay_graph_page_set_covered_right (AssayGraphPage *self, int width)
{
  self->covered_right = width;
  assay_graph_page_queue_place (self);
}

/**
 * assay_graph_page_set_card_listed:
 * @self: a graph page
 * @listed: whether a list beside the graph says what is selected
 *
 * Lets the selection card wait until the node that it is about is in sight.
 */
void
assay_graph_page_set_card_listed (AssayGraphPage *self, gboolean listed)
{
  self->card_listed = listed;
  assay_graph_page_queue_place (self);
}
