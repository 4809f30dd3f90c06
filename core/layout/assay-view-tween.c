/* assay-view-tween.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-view-tween.h"

#include <math.h>

#include "layout/assay-view-private.h"

struct _AssayViewTween
{
  AssayView *from;
  AssayView *to;
  AssayView *now;
  AssayViewChannels channels;
  double dx;
  double dy;
};

static void
copy (GArray *array, GArray *of)
{
  g_array_set_size (array, 0);
  g_array_append_vals (array, of->data, of->len);
}

/**
 * assay_view_tween_new:
 * @from: a view
 * @to: the same boxes and lines in the same ranks, placed differently
 * @dx: added to every x of @from, so that something stands still
 * @dy: added to every y of @from
 *
 * Begins a way from one view to another.
 *
 * Returns: (transfer full) (nullable): the way, or %NULL if the views do not show the same
 */
AssayViewTween *
assay_view_tween_new (AssayView *from, AssayView *to, double dx, double dy)
{
  AssayViewTween *self;

  if (from->boxes->len != to->boxes->len || from->nets->len != to->nets->len ||
      from->edges->len != to->edges->len || from->lane_x->len != to->lane_x->len ||
      from->track_y->len != to->track_y->len || from->ranks->len != to->ranks->len ||
      from->stubs->len != to->stubs->len || from->frames->len != to->frames->len)
    return NULL;

  self = g_new0 (AssayViewTween, 1);
  self->from = assay_view_ref (from);
  self->to = assay_view_ref (to);
  self->dx = dx;
  self->dy = dy;
  self->now = assay_view_copy (to);
  copy (self->now->frames, to->frames);
  copy (self->now->lane_x, to->lane_x);
  copy (self->now->track_y, to->track_y);
  copy (self->now->ranks, to->ranks);
  copy (self->now->rank_order, to->rank_order);
  self->now->crossings = to->crossings;
  self->now->width = to->width;
  self->now->height = to->height;
  assay_view_list_channels (self->now, &self->channels);

  return self;
}

/* A view as another one was before a scope of it was folded or opened: what both show stands where
 * it stood, and what is new where it will stand, seen from a box that is moved by @dx and @dy. */
static AssayView *
put_back (AssayView *to, AssayView *before, const guint32 *same, double dx, double dy)
{
  AssayView *from = assay_view_copy (to);
  g_autofree double *shift = g_new0 (double, to->ranks->len + 1);
  g_autofree gboolean *known = g_new0 (gboolean, to->ranks->len + 1);
  double aside = 0; /* by which the whole picture was shifted */

  copy (from->frames, to->frames);
  copy (from->lane_x, to->lane_x);
  copy (from->track_y, to->track_y);
  copy (from->ranks, to->ranks);
  for (guint32 i = 0; i < to->boxes->len; i++)
    if (same[i] != ASSAY_NO_BOX)
      {
        const AssayViewBox *box = assay_view_box (before, same[i]);
        guint32 rank = assay_view_box (to, i)->rank;

        aside = box->x - assay_view_box (to, i)->x;
        shift[rank] = assay_view_rank (before, box->rank)->y - assay_view_rank (to, rank)->y;
        known[rank] = TRUE;
      }
  for (guint32 r = 0; r < to->ranks->len; r++)
    {
      if (!known[r])
        shift[r] = -dy;
      assay_view_rank (from, r)->y += shift[r];
    }

  for (guint32 i = 0; i < from->boxes->len; i++)
    {
      AssayViewBox *box = assay_view_box (from, i);

      box->x = same[i] != ASSAY_NO_BOX ? assay_view_box (before, same[i])->x : box->x - dx;
      box->y += same[i] != ASSAY_NO_BOX ? shift[box->rank] : -dy;
    }
  for (guint32 i = 0; i < from->stubs->len; i++)
    {
      AssayViewStub *stub = &g_array_index (from->stubs, AssayViewStub, i);

      stub->x += assay_view_box (from, stub->box)->x - assay_view_box (to, stub->box)->x;
      stub->y += assay_view_box (from, stub->box)->y - assay_view_box (to, stub->box)->y;
    }
  for (guint32 i = 0; i < from->frames->len; i++)
    {
      AssayViewFrame *frame = assay_view_frame (from, i);

      frame->x += aside;
      frame->y += shift[frame->first_rank];
      frame->height = MAX (frame->height + shift[frame->last_rank] - shift[frame->first_rank], 0);
    }
  for (guint32 i = 0; i < from->lane_x->len; i++)
    g_array_index (from->lane_x, double, i) += aside;
  for (guint32 i = 0; i < from->edges->len; i++)
    assay_view_edge (from, i)->port_x += aside;
  for (guint32 i = 0; i < from->nets->len; i++)
    {
      AssayViewNet *net = assay_view_net (from, i);

      net->port_x += aside;
      for (guint32 step = 0; net->n_edges > 0 && step <= net->n_lanes; step++)
        g_array_index (from->track_y, double, net->first_track + step) +=
            shift[assay_view_box (from, net->source)->rank + step];
    }

  return from;
}

/**
 * assay_view_tween_new_fold:
 * @before: a view
 * @to: the view after a scope was folded or opened, made from @before
 * @anchor: a node, whose box stands still, or the box of its scope becomes its own
 *
 * Begins the way of what both views show to its new places; what only @to shows is there from the
 * beginning.
 *
 * Returns: (transfer full) (nullable): the way, or %NULL if more than one scope changed or @anchor
 * is not shown
 */
AssayViewTween *
assay_view_tween_new_fold (AssayView *before, AssayView *to, guint anchor)
{
  g_autofree guint32 *same = assay_view_match (to, before);
  guint32 first = assay_view_find_node (before, anchor);
  guint32 last = assay_view_find_node (to, anchor);
  const AssayViewBox *a, *b;
  g_autoptr (AssayView) from = NULL;
  double dx, dy;

  if (same == NULL || first == ASSAY_NO_BOX || last == ASSAY_NO_BOX)
    return NULL;

  a = assay_view_box (before, first);
  b = assay_view_box (to, last);
  dx = b->x + b->width / 2 - a->x - a->width / 2;
  dy = b->y + b->height / 2 - a->y - a->height / 2;
  from = put_back (to, before, same, dx, dy);
  return assay_view_tween_new (from, to, dx, dy);
}

static char *
dup_name (AssayView *view, const AssayViewBox *box)
{
  const AssayGraph *graph = view->verdicts->graph;
  const char *name = box->kind == ASSAY_BOX_NODE ? assay_graph_node (graph, box->node)->name
                     : box->kind == ASSAY_BOX_SCOPE
                         ? assay_scope_tree_get (view->tree, box->scope)->path
                         : assay_graph_value (graph, box->value)->name;

  return g_strdup_printf ("%u %s", box->kind, name);
}

/**
 * assay_view_list_names:
 * @view: a view
 *
 * Lists what the boxes of a view are, in words that are those of the same things in a view of
 * another form of the model. Verdicts and tree of the view have to be there still.
 *
 * Returns: (transfer full) (array zero-terminated=1): the words, per box
 */
char **
assay_view_list_names (AssayView *view)
{
  char **names = g_new0 (char *, view->boxes->len + 1);

  for (guint32 i = 0; i < view->boxes->len; i++)
    names[i] = dup_name (view, assay_view_box (view, i));

  return names;
}

/**
 * assay_view_match_names:
 * @view: a view
 * @names: (array zero-terminated=1): of the boxes of another one
 *
 * Finds what two views of different graphs have in common.
 *
 * Returns: (transfer full): per box of @view the box of the other one, or %ASSAY_NO_BOX
 */
guint32 *
assay_view_match_names (AssayView *view, const char *const *names)
{
  g_autoptr (GHashTable) boxes = g_hash_table_new (g_str_hash, g_str_equal);
  guint32 *same = g_new (guint32, view->boxes->len + 1);

  for (guint32 i = 0; names[i] != NULL; i++)
    g_hash_table_insert (boxes, (gpointer) names[i], GUINT_TO_POINTER (i + 1));
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      g_autofree char *name = dup_name (view, assay_view_box (view, i));
      guint32 found = GPOINTER_TO_UINT (g_hash_table_lookup (boxes, name));

      same[i] = found > 0 ? found - 1 : ASSAY_NO_BOX;
    }

  return same;
}

/**
 * assay_view_tween_new_change:
 * @before: a view
 * @to: a view of another form of the same model
 * @same: per box of @to the same one of @before, or %ASSAY_NO_BOX
 * @anchor: a box of @to that stands still, which @before has too
 *
 * Begins the way of what both views show to its new places; what only @to shows is there from the
 * beginning.
 *
 * Returns: (transfer full) (nullable): the way, or %NULL if everything stands where it stood
 */
AssayViewTween *
assay_view_tween_new_change (AssayView *before, AssayView *to, const guint32 *same, guint32 anchor)
{
  const AssayViewBox *a = assay_view_box (before, same[anchor]);
  const AssayViewBox *b = assay_view_box (to, anchor);
  double dx = b->x - a->x, dy = b->y - a->y;
  gboolean moves = FALSE;
  g_autoptr (AssayView) from = NULL;

  for (guint32 i = 0; i < to->boxes->len && !moves; i++)
    if (same[i] != ASSAY_NO_BOX)
      {
        const AssayViewBox *was = assay_view_box (before, same[i]);
        const AssayViewBox *is = assay_view_box (to, i);

        moves = is->x - was->x != dx || is->y - was->y != dy;
      }
  if (!moves)
    return NULL;

  from = put_back (to, before, same, dx, dy);
  for (guint32 i = 0; i < to->boxes->len; i++)
    if (same[i] != ASSAY_NO_BOX)
      assay_view_box (from, i)->y = assay_view_box (before, same[i])->y;

  return assay_view_tween_new (from, to, dx, dy);
}

/**
 * assay_view_tween_free:
 * @self: (nullable): a way
 *
 * Ends a way.
 */
void
assay_view_tween_free (AssayViewTween *self)
{
  if (self == NULL)
    return;

  assay_view_free (self->from);
  assay_view_free (self->to);
  assay_view_free (self->now);
  assay_view_channels_clear (&self->channels);
  g_free (self);
}

static double
between (double from, double to, double progress)
{
  return from + (to - from) * progress;
}

static void
move_boxes (AssayViewTween *self, double progress)
{
  for (guint32 i = 0; i < self->now->boxes->len; i++)
    {
      const AssayViewBox *from = assay_view_box (self->from, i);
      const AssayViewBox *to = assay_view_box (self->to, i);
      AssayViewBox *now = assay_view_box (self->now, i);

      now->x = between (from->x + self->dx, to->x, progress);
      now->y = between (from->y + self->dy, to->y, progress);
    }
  for (guint32 r = 0; r < self->now->ranks->len; r++)
    assay_view_rank (self->now, r)->y = between (assay_view_rank (self->from, r)->y + self->dy,
                                                 assay_view_rank (self->to, r)->y, progress);
  for (guint32 i = 0; i < self->now->stubs->len; i++)
    {
      const AssayViewStub *from = &g_array_index (self->from->stubs, AssayViewStub, i);
      const AssayViewStub *to = &g_array_index (self->to->stubs, AssayViewStub, i);
      AssayViewStub *now = &g_array_index (self->now->stubs, AssayViewStub, i);

      now->x = between (from->x + self->dx, to->x, progress);
      now->y = between (from->y + self->dy, to->y, progress);
    }
  for (guint32 f = 0; f < self->now->frames->len; f++)
    {
      const AssayViewFrame *from = assay_view_frame (self->from, f);
      const AssayViewFrame *to = assay_view_frame (self->to, f);
      AssayViewFrame *now = assay_view_frame (self->now, f);

      now->x = between (from->x + self->dx, to->x, progress);
      now->y = between (from->y + self->dy, to->y, progress);
      now->width = between (from->width, to->width, progress);
      now->height = between (from->height, to->height, progress);
    }
}

/* A turn keeps its distance from the rank above it; where a line goes straight at one end of the
 * way, it turns at the height of the other end. */
static void
move_turn (AssayViewTween *self, guint32 track, guint32 rank, double progress)
{
  double from = g_array_index (self->from->track_y, double, track) -
                assay_view_rank (self->from, rank)->y;
  double to = g_array_index (self->to->track_y, double, track) -
              assay_view_rank (self->to, rank)->y;
  double *now = &g_array_index (self->now->track_y, double, track);

  *now = assay_view_rank (self->now, rank)->y + (isnan (from) ? to
                                                 : isnan (to) ? from
                                                              : between (from, to, progress));
}

static void
move_lines (AssayViewTween *self, double progress)
{
  for (guint32 i = 0; i < self->now->lane_x->len; i++)
    g_array_index (self->now->lane_x, double,
                   i) = between (g_array_index (self->from->lane_x, double, i) + self->dx,
                                 g_array_index (self->to->lane_x, double, i), progress);
  for (guint32 i = 0; i < self->now->edges->len; i++)
    assay_view_edge (self->now, i)->port_x = between (
        assay_view_edge (self->from, i)->port_x + self->dx, assay_view_edge (self->to, i)->port_x,
        progress);
  for (guint32 i = 0; i < self->now->nets->len; i++)
    {
      AssayViewNet *now = assay_view_net (self->now, i);
      guint32 rank = assay_view_box (self->now, now->source)->rank;

      now->port_x = between (assay_view_net (self->from, i)->port_x + self->dx,
                             assay_view_net (self->to, i)->port_x, progress);
      for (guint32 step = 0; now->n_edges > 0 && step <= now->n_lanes; step++)
        move_turn (self, now->first_track + step, rank + step, progress);
    }
}

/**
 * assay_view_tween_get:
 * @self: a way
 * @progress: 0 at its beginning, 1 at its end
 *
 * Puts everything where it is at a time.
 *
 * Returns: (transfer none): the view of that time; the next call changes it
 */
AssayView *
assay_view_tween_get (AssayViewTween *self, double progress)
{
  move_boxes (self, progress);
  move_lines (self, progress);
  assay_view_draw_channels (self->now, &self->channels);

  return self->now;
}
