/* assay-canvas-view.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-canvas-private.h"

#include <string.h>

/* Above this many nodes the picture is made in a thread; below, it takes less than a frame. */
#define MAX_NODES_AT_ONCE 4000

typedef struct
{
  AssayVerdicts *verdicts;
  AssayScopeTree *tree; /* made by the thread if it is new */
  guint8 *open;
  guint8 *drawn;
  AssayRegionId region;
  AssayView *before; /* what is shown, if its places are to be kept */
  AssayView *view;
  AssayView *other;   /* what was shown of another form of the model, for the way from there */
  char **other_names; /* of its boxes */
  double other_x;     /* where it was on the canvas */
  double other_y;
  guint32 other_focus; /* the box that the eye was on */
  guint generation;
  guint anchor;
  double anchor_x;
  double anchor_y;
  gboolean is_first;
} Build;

static void
build_free (gpointer data)
{
  Build *build = data;

  assay_view_free (build->view);
  assay_view_free (build->before);
  assay_view_free (build->other);
  g_strfreev (build->other_names);
  assay_scope_tree_free (build->tree);
  g_free (build->open);
  g_free (build->drawn);
  assay_verdicts_unref (build->verdicts);
  g_free (build);
}

static void
build_run (Build *build, GCancellable *cancellable)
{
  AssayViewOptions options = { .region = build->region, .cancellable = cancellable };

  if (build->tree == NULL)
    build->tree = assay_scope_tree_new (build->verdicts->graph);
  if (build->open == NULL)
    build->open = assay_scope_tree_choose (build->tree, build->verdicts->graph, build->region,
                                           ASSAY_FIRST_BOXES);
  options.open = build->open;
  options.drawn = build->drawn;
  options.before = build->before;
  build->view = assay_view_new (build->verdicts, build->tree, &options);
}

/* Who cancels wants to see the graph sooner, and gets it with more crossings. */
static gboolean
build_work (gpointer request, const AssayProgress *progress, GError **error)
{
  build_run (request, progress->cancellable);
  return TRUE;
}

/* The pixel at which a node is drawn now. */
static gboolean
locate (AssayCanvas *self, guint node, double *x, double *y)
{
  guint32 index = self->view == NULL ? ASSAY_NO_BOX : assay_view_find_node (self->view, node);
  const AssayViewBox *box;
  double scale = assay_canvas_get_scale (self);
  double origin_x, origin_y;

  if (index == ASSAY_NO_BOX)
    return FALSE;

  box = assay_view_box (self->view, index);
  assay_canvas_get_origin (self, &origin_x, &origin_y);
  *x = origin_x + (box->x + box->width / 2) * scale;
  *y = origin_y + (box->y + box->height / 2) * scale;

  return TRUE;
}

/* Of what both pictures have, the box nearest to the one that the eye was on. */
static guint32
find_common (AssayView *view, Build *build, const guint32 *same)
{
  const AssayViewBox *focus = assay_view_box (build->other, build->other_focus);
  double least = G_MAXDOUBLE;
  guint32 found = ASSAY_NO_BOX;

  for (guint32 i = 0; i < view->boxes->len; i++)
    if (same[i] != ASSAY_NO_BOX)
      {
        const AssayViewBox *box = assay_view_box (build->other, same[i]);
        double distance = ABS (box->x - focus->x) + ABS (box->y - focus->y);

        if (distance < least)
          {
            least = distance;
            found = i;
          }
      }

  return found;
}

/* What the eye was on keeps its pixel, or if it is gone what was beside it; the rest goes to its
 * new places. */
static void
take_change (AssayCanvas *self, Build *build)
{
  double scale = assay_canvas_get_scale (self);
  g_autofree guint32 *same = NULL;
  guint32 common;

  same = assay_view_match_names (self->view, (const char *const *) build->other_names);
  common = find_common (self->view, build, same);
  if (common == ASSAY_NO_BOX)
    return;

  if (build->anchor == 0)
    {
      const AssayViewBox *was = assay_view_box (build->other, same[common]);
      const AssayViewBox *is = assay_view_box (self->view, common);

      assay_canvas_hold_unit_at (self, is->x, is->y, build->other_x + was->x * scale,
                                 build->other_y + was->y * scale);
    }
  assay_canvas_change_from (self, build->other, same, common);
}

/* Before the picture goes, what the way from it needs is taken. */
static void
leave (AssayCanvas *self, Build *build)
{
  guint32 focus = assay_canvas_find_anchor (self);

  if (focus == ASSAY_NO_BOX || self->view->boxes->len == 0 || self->region != ASSAY_MAIN_REGION)
    return;

  build->other = assay_view_ref (self->view);
  build->other_names = assay_view_list_names (self->view);
  build->other_focus = focus;
  assay_canvas_get_origin (self, &build->other_x, &build->other_y);
}

static void
build_take (AssayCanvas *self, Build *build)
{
  gboolean comes_back = build->before != NULL &&
                        assay_view_is_before (build->view, build->before) &&
                        (build->view != build->before || build->view->base != NULL);
  guint32 index;

  g_clear_pointer (&self->view, assay_view_free);
  g_clear_pointer (&self->summary, assay_scope_summary_free);
  self->view = g_steal_pointer (&build->view);
  assay_scope_tree_free (self->tree);
  self->tree = g_steal_pointer (&build->tree);
  g_free (self->open);
  self->open = g_steal_pointer (&build->open);
  self->region = build->region;
  self->hover = 0;
  self->hover_stub = 0;
  self->loose[0] = self->loose[1] = 0;

  self->fit_pending = self->fit_pending || build->is_first;
  if (self->fit_pending && gtk_widget_get_width (GTK_WIDGET (self)) > 0)
    assay_canvas_first_zoom (self);
  assay_canvas_view_changed (self);

  index = assay_view_find_node (self->view, build->anchor);
  if (build->anchor != 0 && index != ASSAY_NO_BOX)
    {
      const AssayViewBox *box = assay_view_box (self->view, index);

      assay_canvas_hold_unit_at (self, box->x + box->width / 2, box->y + box->height / 2,
                                 build->anchor_x, build->anchor_y);
    }

  /* What comes back stays as it was. */
  if (!comes_back)
    assay_canvas_refine (self);
  assay_canvas_reveal (self, self->pending_reveal);
  assay_canvas_try_place (self);
  if (build->before != NULL && build->generation == self->generation)
    assay_canvas_move_from (self, build->before, build->anchor);
  if (build->other != NULL && build->generation == self->generation)
    take_change (self, build);
}

static void
build_ended (gpointer owner, gpointer request, const GError *error)
{
  AssayCanvas *self = owner;
  Build *build = request;

  g_clear_object (&self->building);
  /* A newer graph or fold makes this one worthless. */
  if (build->generation == self->generation)
    build_take (self, build);
}

static void
build_start (AssayCanvas *self, Build *build)
{
  assay_jobs_cancel (&self->building);
  build->generation = ++self->generation;

  if (assay_graph_n_nodes (build->verdicts->graph) <= MAX_NODES_AT_ONCE)
    {
      build_run (build, NULL);
      build_take (self, build);
      build_free (build);
      return;
    }

  self->building = self->session != NULL ? assay_session_add_job (self->session, "Laying out")
                                         : assay_job_new ("Laying out");
  assay_job_start (self->building, build_work, build, build_free, build_ended, self);
}

static AssayNodeId
find_same (AssayVerdicts *verdicts, const char *name)
{
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    if (strcmp (assay_graph_node (verdicts->graph, i)->name, name) == 0)
      return i;

  return ASSAY_NO_NODE;
}

void
assay_canvas_clear_view (AssayCanvas *self)
{
  self->generation++;
  assay_jobs_cancel (&self->building);
  assay_canvas_stop_refining (self);
  g_clear_pointer (&self->view, assay_view_free);
  g_clear_pointer (&self->tree, assay_scope_tree_free);
  g_clear_pointer (&self->open, g_free);
  g_clear_pointer (&self->hits, g_free);
  g_clear_pointer (&self->marks, g_byte_array_unref);
  g_clear_pointer (&self->states, g_free);
  g_clear_pointer (&self->drawn, g_free);
  g_clear_pointer (&self->overlay, assay_overlay_free);
  g_clear_pointer (&self->summary, assay_scope_summary_free);
  g_clear_pointer (&self->place, assay_canvas_place_free);
  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
  self->n_hits = 0;
  self->playhead = 0;
  g_clear_pointer (&self->live, g_array_unref);
  self->hover = 0;
  self->hover_stub = 0;
}

/* Scopes that are open stay open in the picture of the same model for another target. */
static void
carry_open (AssayCanvas *self, Build *build)
{
  g_autoptr (GHashTable) was = g_hash_table_new (g_str_hash, g_str_equal);

  build->tree = assay_scope_tree_new (build->verdicts->graph);
  build->open = assay_scope_tree_choose (build->tree, build->verdicts->graph, ASSAY_MAIN_REGION,
                                         ASSAY_FIRST_BOXES);

  for (guint i = 0; i < self->tree->scopes->len; i++)
    g_hash_table_insert (was, (gpointer) assay_scope_tree_get (self->tree, i)->path,
                         GINT_TO_POINTER (self->open[i] + 1));
  for (guint i = 0; i < build->tree->scopes->len; i++)
    {
      int state = GPOINTER_TO_INT (
          g_hash_table_lookup (was, assay_scope_tree_get (build->tree, i)->path));

      if (state != 0)
        build->open[i] = state - 1 > 0;
    }
}

/* Shows another graph. A graph of the same name is the same model again: where one is stays. */
void
assay_canvas_take_verdicts (AssayCanvas *self, AssayVerdicts *verdicts)
{
  gboolean again = self->view != NULL && verdicts != NULL &&
                   self->verdicts->graph->origins->len == verdicts->graph->origins->len &&
                   g_strcmp0 (self->verdicts->graph->name, verdicts->graph->name) == 0;
  Build *build;

  if (verdicts == NULL)
    {
      assay_canvas_clear_view (self);
      self->selection = 0;
      assay_canvas_view_changed (self);
      return;
    }

  build = g_new0 (Build, 1);
  build->verdicts = assay_verdicts_ref (verdicts);
  build->is_first = !again;
  if (again)
    {
      guint old = self->selection;

      if (old != 0)
        {
          self->selection = find_same (verdicts,
                                       assay_graph_node (self->verdicts->graph, old)->name);
          if (self->selection != 0 && locate (self, old, &build->anchor_x, &build->anchor_y))
            build->anchor = self->selection;
        }
      carry_open (self, build);
      leave (self, build);
    }
  else
    self->selection = 0;

  assay_canvas_clear_view (self);
  self->verdicts = assay_verdicts_ref (verdicts);
  build_start (self, build);
  if (self->view == NULL)
    assay_canvas_view_changed (self);
}

/**
 * assay_canvas_get_anchor:
 * @self: a canvas
 *
 * Gets the node that the eye is on: the selected one if it is in sight, else the one nearest to the
 * middle.
 *
 * Returns: its id, 0 if nothing is shown
 */
guint
assay_canvas_get_anchor (AssayCanvas *self)
{
  guint32 index;

  g_return_val_if_fail (ASSAY_IS_CANVAS (self), 0);

  index = self->view != NULL ? assay_canvas_find_anchor (self) : ASSAY_NO_BOX;

  return index != ASSAY_NO_BOX ? assay_view_box (self->view, index)->node : 0;
}

/**
 * assay_canvas_change_verdicts:
 * @self: a canvas
 * @verdicts: another form of the model that is shown
 * @selection: the node of it that is selected, 0 for none
 * @anchor: a node of what is shown
 * @new_anchor: the node of @verdicts that takes its pixel, 0 for none
 *
 * Shows the same model in another form. Scopes stay open, and what the eye is on keeps its place.
 */
void
assay_canvas_change_verdicts (AssayCanvas *self, AssayVerdicts *verdicts, guint selection,
                              guint anchor, guint new_anchor)
{
  Build *build;

  g_return_if_fail (ASSAY_IS_CANVAS (self));
  g_return_if_fail (verdicts != NULL);

  if (self->view == NULL || self->region != ASSAY_MAIN_REGION)
    {
      assay_canvas_set_verdicts (self, verdicts);
      return;
    }
  if (self->verdicts == verdicts)
    return;

  build = g_new0 (Build, 1);
  build->verdicts = assay_verdicts_ref (verdicts);
  if (new_anchor != 0 && locate (self, anchor, &build->anchor_x, &build->anchor_y))
    build->anchor = new_anchor;
  carry_open (self, build);

  assay_canvas_clear_view (self);
  self->verdicts = assay_verdicts_ref (verdicts);
  self->selection = selection;
  build_start (self, build);
  if (self->view == NULL)
    assay_canvas_view_changed (self);
  g_object_notify (G_OBJECT (self), "selection");
}

/**
 * assay_canvas_set_states:
 * @self: a canvas
 * @states: (nullable): per node of the graph that is shown how many timesteps it looks back
 *
 * Draws what nodes keep between timesteps of a stream.
 */
void
assay_canvas_set_states (AssayCanvas *self, const guint32 *states)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->states == NULL && states == NULL)
    return;

  g_clear_pointer (&self->states, g_free);
  if (states != NULL && self->verdicts != NULL)
    self->states = g_memdup2 (states, assay_graph_n_nodes (self->verdicts->graph) * sizeof *states);
  assay_canvas_drop_tiles (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Makes the picture anew after a fold; the anchor keeps its pixel, or without one what is nearest
 * to the middle. */
void
assay_canvas_rebuild (AssayCanvas *self, guint anchor)
{
  Build *build = g_new0 (Build, 1);

  build->verdicts = assay_verdicts_ref (self->verdicts);
  build->tree = assay_scope_tree_ref (self->tree);
  build->open = g_memdup2 (self->open, self->tree->scopes->len);
  build->region = self->region;
  if (self->drawn != NULL)
    build->drawn = g_memdup2 (self->drawn, assay_graph_n_values (self->verdicts->graph));
  /* On the way to a refined picture, that counts. */
  if (self->view != NULL)
    build->before = assay_view_ref (self->refined != NULL ? self->refined : self->view);
  if (anchor == 0 && self->view != NULL)
    {
      guint32 box = assay_canvas_find_anchor (self);

      anchor = box == ASSAY_NO_BOX ? 0 : assay_view_box (self->view, box)->node;
    }
  if (locate (self, anchor, &build->anchor_x, &build->anchor_y))
    build->anchor = anchor;
  build_start (self, build);
}

static guint32
scope_of (AssayCanvas *self, guint node)
{
  return assay_scope_tree_of_node (self->tree, self->verdicts->graph, node);
}

static gboolean
enter_region (AssayCanvas *self, AssayRegionId region, guint node)
{
  Build *build = g_new0 (Build, 1);

  build->verdicts = assay_verdicts_ref (self->verdicts);
  build->tree = assay_scope_tree_ref (self->tree);
  build->region = region;
  build->is_first = TRUE;
  build_start (self, build);
  if (node != 0)
    {
      assay_canvas_set_selection (self, node);
      assay_canvas_reveal (self, node);
    }

  return TRUE;
}

/* The first graph that a node holds. */
static AssayRegionId
inner_region (AssayCanvas *self, guint node)
{
  const GArray *regions = self->verdicts->graph->regions;

  for (guint i = 1; i < regions->len; i++)
    if (g_array_index (regions, AssayRegion, i).parent == node)
      return i;

  return ASSAY_MAIN_REGION;
}

/* Opens what the selection stands for: a folded scope, or the graph inside of a node. */
gboolean
assay_canvas_open_selection (AssayCanvas *self)
{
  guint32 index = self->view == NULL ? ASSAY_NO_BOX
                                     : assay_view_find_node (self->view, self->selection);
  const AssayViewBox *box;

  if (index == ASSAY_NO_BOX)
    return FALSE;

  box = assay_view_box (self->view, index);
  if (box->kind == ASSAY_BOX_SCOPE)
    {
      self->open[box->scope] = TRUE;
      assay_canvas_rebuild (self, self->selection);
      return TRUE;
    }
  if (box->has_regions)
    {
      AssayRegionId region = inner_region (self, self->selection);
      const GArray *nodes = assay_graph_region (self->verdicts->graph, region)->nodes;

      return enter_region (self, region,
                           nodes->len > 0 ? g_array_index (nodes, AssayNodeId, 0) : 0);
    }

  return FALSE;
}

/* The innermost scope around a box that has other boxes, too: folding one that has not would change
 * nothing. */
static guint32
shared_scope (AssayCanvas *self, guint32 index)
{
  const AssayViewBox *box = assay_view_box (self->view, index);
  guint32 scope = box->scope;

  if (box->kind == ASSAY_BOX_SCOPE)
    scope = assay_scope_tree_get (self->tree, scope)->parent;
  for (; scope != 0; scope = assay_scope_tree_get (self->tree, scope)->parent)
    for (guint32 i = 0; i < self->view->boxes->len; i++)
      {
        const AssayViewBox *other = assay_view_box (self->view, i);

        if (i != index && other->kind <= ASSAY_BOX_SCOPE && other->scope >= scope &&
            other->scope < self->tree->end[scope])
          return scope;
      }

  return 0;
}

/* Folds the scope around the selection, or leaves the nested graph. */
gboolean
assay_canvas_close_selection (AssayCanvas *self)
{
  guint32 index = self->view == NULL ? ASSAY_NO_BOX
                                     : assay_view_find_node (self->view, self->selection);
  guint32 scope = 0;

  if (index != ASSAY_NO_BOX)
    scope = shared_scope (self, index);
  if (scope != 0)
    {
      self->open[scope] = FALSE;
      assay_canvas_rebuild (self, self->selection);
      return TRUE;
    }
  if (self->view != NULL && self->region != ASSAY_MAIN_REGION)
    {
      AssayNodeId parent = assay_graph_region (self->verdicts->graph, self->region)->parent;

      return enter_region (self, assay_graph_node (self->verdicts->graph, parent)->region, parent);
    }

  return FALSE;
}

/* Folds an open scope; what is nearest to its upper end keeps its place. */
void
assay_canvas_fold_frame (AssayCanvas *self, guint32 index)
{
  const AssayViewFrame *frame = assay_view_frame (self->view, index);
  guint32 nearest = assay_view_nearest (self->view, frame->x + frame->width / 2,
                                        frame->y + ASSAY_FRAME_HEADER);
  guint anchor = nearest != ASSAY_NO_BOX ? assay_view_box (self->view, nearest)->node : 0;

  self->open[frame->scope] = FALSE;
  assay_canvas_rebuild (self, anchor);
}

/* Draws the edges of a value that are stubs, or makes them stubs again. */
void
assay_canvas_show_edge (AssayCanvas *self, guint32 value)
{
  if (self->drawn == NULL)
    self->drawn = g_new0 (guint8, assay_graph_n_values (self->verdicts->graph) + 1);
  self->drawn[value] = !self->drawn[value];
  assay_canvas_rebuild (self, assay_canvas_get_anchor (self));
}

void
assay_canvas_fold_all (AssayCanvas *self)
{
  if (self->view == NULL)
    return;

  g_free (self->open);
  self->open = assay_scope_tree_choose (self->tree, self->verdicts->graph, self->region,
                                        ASSAY_FIRST_BOXES);
  assay_canvas_rebuild (self, self->selection);
}

void
assay_canvas_unfold_all (AssayCanvas *self)
{
  if (self->view == NULL)
    return;

  memset (self->open, TRUE, self->tree->scopes->len);
  assay_canvas_rebuild (self, self->selection);
}

/* Moves a box sideways into the middle between panes; there may be no other way than past the ends.
 * Of one that is wider than what is left, its verdict and the beginning of its name are seen. */
void
assay_canvas_put_between (AssayCanvas *self, const AssayViewBox *box)
{
  double room = gtk_widget_get_width (GTK_WIDGET (self)) - self->sides[0] - self->sides[1];
  double beside = (room - box->width * assay_canvas_get_scale (self)) / 2;
  double left, top;

  assay_canvas_get_origin (self, &left, &top);
  assay_canvas_hold_unit_at (self, box->x, 0,
                             self->sides[0] + (beside >= 0 ? beside : ASSAY_INSET_EDGE), top);
}

/**
 * assay_canvas_reveal:
 * @self: a canvas
 * @node: id of a node
 *
 * Brings a node into the middle, unfolding the scopes on the way to it and entering the graph it is
 * in. While the picture is being made it is remembered.
 */
void
assay_canvas_reveal (AssayCanvas *self, guint node)
{
  const AssayViewBox *box;
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double sides = self->sides[0] + self->sides[1];
  double center = (gtk_widget_get_width (GTK_WIDGET (self)) + self->sides[0] - self->sides[1]) / 2;
  double high, middle;
  gboolean folded = FALSE;

  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->verdicts == NULL || node == 0 || node >= assay_graph_n_nodes (self->verdicts->graph))
    return;

  self->at_rest = FALSE;
  /* Kept until it is done: every picture that is made and every first size tries again. */
  self->pending_reveal = node;
  if (self->view == NULL || self->fit_pending)
    return;

  if (assay_graph_node (self->verdicts->graph, node)->region != self->region)
    {
      enter_region (self, assay_graph_node (self->verdicts->graph, node)->region, 0);
      return;
    }

  if (assay_view_box (self->view, assay_view_find_node (self->view, node))->kind == ASSAY_BOX_SCOPE)
    for (guint32 s = scope_of (self, node); s != 0;
         s = assay_scope_tree_get (self->tree, s)->parent)
      {
        folded = folded || !self->open[s];
        self->open[s] = TRUE;
      }
  if (folded)
    {
      assay_canvas_rebuild (self, node);
      return;
    }

  self->pending_reveal = 0;
  box = assay_view_box (assay_canvas_get_settled (self), assay_view_find_node (self->view, node));
  high = box->height * assay_canvas_get_scale (self);
  /* Clear of a card that covers more than half of the canvas, but not above it. */
  middle = MAX (MIN (height / 2, height - assay_canvas_get_bottom (self) - high / 2),
                ASSAY_INSET_EDGE + high / 2);
  assay_canvas_put_unit_at (self, box->x + box->width / 2, box->y + box->height / 2, center, middle,
                            sides == 0);
  if (sides > 0)
    assay_canvas_put_between (self, box);
}
