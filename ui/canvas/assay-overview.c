/* assay-overview.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-overview.h"

#include <math.h>
#include <string.h>

#include "ui/canvas/assay-canvas-private.h"

#define WIDTH 16

/* The lane of the tensor RAM, at the right. */
#define LANE 5

/* Marks of the left lane: the worse, the longer and higher, so that one refusal in 50,000 nodes is
 * seen, even in grey. */
static const struct
{
  double width;
  double height;
} marks[] = {
  [ASSAY_VERDICT_REJECTED] = { 9, 4 },
  [ASSAY_VERDICT_HOST] = { 7, 3 },
  [ASSAY_VERDICT_UNDECIDED] = { 5, 3 },
};

struct _AssayOverview
{
  GtkWidget parent_instance;

  AssayCanvas *canvas;
  AssayVerdicts *verdicts; /* what @place is for */
  guint32 *place;          /* per node its place in the program */
  AssayNodeId *nodes;      /* per place its node */
  guint32 n_places;
  guint8 *worst; /* per pixel row its worst verdict */
  guint8 *fill;  /* per pixel row how full the tensor RAM is, of 255; NULL without a program */
  int n_rows;

  AssayMemoryMap *memory;
  guint core;

  AssayPainter *painter;
  AssayPalette palette;
  double drag_y;
};

G_DEFINE_FINAL_TYPE (AssayOverview, assay_overview, GTK_TYPE_WIDGET)

static void
forget (AssayOverview *self)
{
  g_clear_pointer (&self->place, g_free);
  g_clear_pointer (&self->nodes, g_free);
  g_clear_pointer (&self->worst, g_free);
  g_clear_pointer (&self->fill, g_free);
  self->n_places = 0;
  self->n_rows = 0;
  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
}

/* Main graph first in its own order; nested nodes stand where the node stands that holds them. */
static void
find_places (AssayOverview *self)
{
  const AssayGraph *graph = self->verdicts->graph;
  const GArray *main = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  guint32 n = assay_graph_n_nodes (graph);

  self->n_places = main->len;
  self->place = g_new0 (guint32, n);
  self->nodes = g_new0 (AssayNodeId, main->len + 1);
  for (guint i = 0; i < main->len; i++)
    {
      self->nodes[i] = g_array_index (main, AssayNodeId, i);
      self->place[self->nodes[i]] = i;
    }
  for (AssayNodeId id = 1; id < n; id++)
    {
      AssayNodeId at = id;

      for (guint depth = 0; depth < graph->regions->len && at != 0 &&
                            assay_graph_node (graph, at)->region != ASSAY_MAIN_REGION;
           depth++)
        at = assay_graph_region (graph, assay_graph_node (graph, at)->region)->parent;
      self->place[id] = at == 0 ? 0 : self->place[at];
    }
}

static void
find_worst (AssayOverview *self, int height)
{
  g_clear_pointer (&self->worst, g_free);
  self->n_rows = height;
  self->worst = g_malloc (MAX (height, 1));
  memset (self->worst, ASSAY_VERDICT_SUPPORTED, MAX (height, 1));

  for (AssayNodeId id = 1; id < self->verdicts->verdicts->len; id++)
    {
      gsize row = (gsize) self->place[id] * (gsize) height / MAX (self->n_places, 1);

      if (row < (gsize) height)
        self->worst[row] = MIN (self->worst[row], assay_verdicts_get (self->verdicts, id)->kind);
    }
}

/* The fullest of what falls on a row; between nodes that the program knows, what was there stays.
 */
static void
find_fill (AssayOverview *self, int height)
{
  g_autofree guint8 *of_node = NULL;
  guint8 last = 0;

  g_clear_pointer (&self->fill, g_free);
  /* A store that is made to measure is as full as anything could be, which says nothing. */
  if (self->memory == NULL || self->core >= self->memory->n_cores ||
      assay_program_get_store (self->memory->program, self->memory->main_store)->measured > 0)
    return;

  self->fill = g_malloc0 (MAX (height, 1));
  of_node = assay_memory_map_dup_fill (self->memory, self->core, self->verdicts);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->verdicts->graph); id++)
    {
      gsize row = (gsize) self->place[id] * (gsize) height / MAX (self->n_places, 1);

      if (row < (gsize) height)
        self->fill[row] = MAX (self->fill[row], of_node[id]);
    }
  for (int row = 0; row < height; row++)
    {
      last = self->fill[row] != 0 ? self->fill[row] : last;
      self->fill[row] = last;
    }
}

/* Keeps what is known of the graph up to date; cheap if nothing changed. */
static gboolean
prepare (AssayOverview *self, int height)
{
  AssayVerdicts *verdicts = self->canvas == NULL ? NULL : assay_canvas_get_verdicts (self->canvas);

  if (verdicts != self->verdicts)
    {
      forget (self);
      if (verdicts != NULL)
        {
          self->verdicts = assay_verdicts_ref (verdicts);
          find_places (self);
        }
    }
  if (self->verdicts != NULL && self->n_rows != height)
    {
      find_worst (self, height);
      find_fill (self, height);
    }

  return self->verdicts != NULL && self->n_places > 0 && height > 0;
}

/* First and last place in the program that is in sight. */
static gboolean
find_sight (AssayOverview *self, guint32 *from, guint32 *to)
{
  AssayCanvas *canvas = self->canvas;
  GtkWidget *widget = GTK_WIDGET (canvas);
  double x1, y1, x2, y2;
  guint32 first, end;

  *from = G_MAXUINT32;
  *to = 0;
  if (canvas->view == NULL)
    return FALSE;

  assay_canvas_to_units (canvas, 0, 0, &x1, &y1);
  assay_canvas_to_units (canvas, gtk_widget_get_width (widget), gtk_widget_get_height (widget), &x2,
                         &y2);
  assay_view_ranks_in (canvas->view, y1, y2, &first, &end);
  for (guint32 r = first; r < end; r++)
    {
      const AssayViewRank *rank = assay_view_rank (canvas->view, r);

      for (guint32 i = 0; i < rank->n; i++)
        {
          const AssayViewBox *box = assay_view_box (
              canvas->view, g_array_index (canvas->view->rank_order, guint32, rank->first + i));

          if (box->node == 0 || box->x + box->width < x1 || box->x > x2 ||
              box->y + box->height < y1)
            continue;
          *from = MIN (*from, self->place[box->node]);
          *to = MAX (*to, self->place[box->node] + MAX (box->n_nodes, 1));
        }
    }

  return *from < *to;
}

static void
assay_overview_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayOverview *self = ASSAY_OVERVIEW (widget);
  int height = gtk_widget_get_height (widget);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GskRenderNode) node = NULL;
  guint32 from, to;

  assay_display_list_rectangle (list, ASSAY_ROLE_WINDOW_BG, 0, 0, gtk_widget_get_width (widget),
                                height);
  if (prepare (self, height))
    {
      for (int kind = ASSAY_VERDICT_UNDECIDED; kind >= 0; kind--)
        for (int row = 0; row < height; row++)
          if (self->worst[row] == kind)
            assay_display_list_rectangle (list, assay_verdict_get_look (kind)->border_role, 1,
                                          MIN (row, height - marks[kind].height), marks[kind].width,
                                          marks[kind].height);

      for (int row = 0; self->fill != NULL && row < height; row++)
        if (self->fill[row] > 1)
          {
            double width = MAX (1, round ((self->fill[row] - 1) * LANE / 254.0));

            assay_display_list_rectangle (list, ASSAY_ROLE_BLUE, WIDTH - width, row, width, 1);
          }

      /* Around everything it would tell nothing, and look like a focus ring. */
      if (find_sight (self, &from, &to) && (from > 0 || to < self->n_places))
        {
          double y1 = floor ((double) from * height / self->n_places);
          double y2 = ceil ((double) to * height / self->n_places);

          y2 = MIN (MAX (y2, y1 + 6), height);
          assay_display_list_box (list, -1, ASSAY_ROLE_TEXT_DIM, ASSAY_LINE_SOLID, 1, 3, 0,
                                  MIN (y1, y2 - 6), WIDTH, y2 - MIN (y1, y2 - 6));
        }
    }

  node = assay_painter_paint (self->painter, list, 0, 0);
  if (node != NULL)
    gtk_snapshot_append_node (snapshot, node);
}

static void
assay_overview_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                        int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : 1;
}

static void
assay_overview_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  AssayOverview *self = ASSAY_OVERVIEW (widget);

  GTK_WIDGET_CLASS (assay_overview_parent_class)->css_changed (widget, change);

  if (assay_palette_load (&self->palette, widget))
    {
      assay_painter_set_palette (self->painter, &self->palette);
      gtk_widget_queue_draw (widget);
    }
}

/* Puts what is at a row into the middle of the canvas; a folded scope stands for its nodes. */
static void
go_to (AssayOverview *self, double y)
{
  int height = gtk_widget_get_height (GTK_WIDGET (self));
  const AssayViewBox *box;
  gint64 place;
  guint32 index;

  if (!prepare (self, height) || self->canvas->view == NULL)
    return;

  place = CLAMP ((gint64) (y * self->n_places / height), 0, (gint64) self->n_places - 1);
  index = assay_view_find_node (self->canvas->view, self->nodes[place]);
  if (index == ASSAY_NO_BOX)
    return;

  box = assay_view_box (self->canvas->view, index);
  assay_canvas_put_unit_at (self->canvas, box->x + box->width / 2, box->y + box->height / 2,
                            gtk_widget_get_width (GTK_WIDGET (self->canvas)) / 2.0,
                            gtk_widget_get_height (GTK_WIDGET (self->canvas)) / 2.0, FALSE);
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, AssayOverview *self)
{
  self->drag_y = y;
  go_to (self, y);
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, AssayOverview *self)
{
  go_to (self, self->drag_y + dy);
}

static void
assay_overview_dispose (GObject *object)
{
  AssayOverview *self = ASSAY_OVERVIEW (object);

  assay_overview_set_canvas (self, NULL);
  forget (self);
  g_clear_pointer (&self->memory, assay_memory_map_unref);
  g_clear_pointer (&self->painter, assay_painter_free);

  G_OBJECT_CLASS (assay_overview_parent_class)->dispose (object);
}

static void
assay_overview_class_init (AssayOverviewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_overview_dispose;

  widget_class->snapshot = assay_overview_snapshot;
  widget_class->measure = assay_overview_measure;
  widget_class->css_changed = assay_overview_css_changed;

  gtk_widget_class_set_css_name (widget_class, "graphoverview");
  /* The outline says the same in words. */
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
assay_overview_init (AssayOverview *self)
{
  GtkGesture *gesture = gtk_gesture_drag_new ();

  self->painter = assay_painter_new ();
  assay_palette_init_default (&self->palette, FALSE, FALSE);

  g_signal_connect (gesture, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (gesture, "drag-update", G_CALLBACK (drag_update_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (gesture));
}

/**
 * assay_overview_new:
 * @canvas: (nullable): the canvas it is for
 *
 * Makes a ruler for a canvas.
 *
 * Returns: (transfer floating): the ruler
 */
GtkWidget *
assay_overview_new (AssayCanvas *canvas)
{
  AssayOverview *self = g_object_new (ASSAY_TYPE_OVERVIEW, NULL);

  assay_overview_set_canvas (self, canvas);
  return GTK_WIDGET (self);
}

/**
 * assay_overview_set_canvas:
 * @self: a ruler
 * @canvas: (nullable): a canvas
 *
 * Sets the canvas it is for.
 */
void
assay_overview_set_canvas (AssayOverview *self, AssayCanvas *canvas)
{
  g_return_if_fail (ASSAY_IS_OVERVIEW (self));

  if (self->canvas == canvas)
    return;

  if (self->canvas != NULL)
    g_signal_handlers_disconnect_by_func (self->canvas, gtk_widget_queue_draw, self);
  g_set_object (&self->canvas, canvas);
  forget (self);
  if (canvas != NULL)
    {
      g_signal_connect_object (canvas, "viewport-changed", G_CALLBACK (gtk_widget_queue_draw), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (canvas, "notify::has-view", G_CALLBACK (gtk_widget_queue_draw), self,
                               G_CONNECT_SWAPPED);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * assay_overview_set_memory:
 * @self: a ruler
 * @memory: (nullable): who occupies the stores of the program
 * @core: the core whose tensor RAM is shown
 *
 * Sets what the right lane shows.
 */
void
assay_overview_set_memory (AssayOverview *self, AssayMemoryMap *memory, guint core)
{
  g_return_if_fail (ASSAY_IS_OVERVIEW (self));

  if (self->memory == memory && self->core == core)
    return;

  if (memory != NULL)
    assay_memory_map_ref (memory);
  g_clear_pointer (&self->memory, assay_memory_map_unref);
  self->memory = memory;
  self->core = core;
  self->n_rows = 0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
