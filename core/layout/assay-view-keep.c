/* assay-view-keep.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A view after a scope was folded or opened, in which everything outside of the scope stands where
 * it stood: rows of what is outside stay rows in the same order, and boxes keep their x. The scope
 * gets the rows it needs: beside what is there if it fits, else its own, with what is below moved
 * down; and only if frames beside it leave no room are they moved aside, all of them by one amount.
 */
#include "layout/assay-layers-private.h"
#include "layout/assay-view-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE G_MAXUINT32

/* Views that may be remembered behind each other, and boxes of all of them; beyond that everything
 * is forgotten. */
#define MAX_BEFORE 64
#define MAX_BOXES_BEFORE 1000000

typedef enum
{
  ROWS_SHARED, /* the scope stands beside what is in its rows */
  ROWS_OWN,    /* nothing stands beside it */
} Rows;

typedef struct
{
  AssayView *inner; /* the same boxes and lines; what was opened is arranged in it */
  const AssayView *before;
  guint32 scope; /* what was folded or opened, 0 if nothing was */
  guint32 box;   /* its box, in the view in which it is folded */
  gboolean opened;
  guint32 *same;      /* per box the one before, or NONE */
  guint32 *other;     /* per box before the one now, or NONE */
  guint32 first_rank; /* before, of what changed */
  guint32 last_rank;
  double x;           /* where the scope stood */
  GHashTable *models; /* value and flags to a net before */

  /* one way to arrange it */
  guint32 *rank; /* per box */
  guint32 n_ranks;
  guint32 *new_rank; /* per rank before, or NONE */
  guint32
      *old_rank;  /* per rank now the one before, or where something else is between, that above */
  double level;   /* where between the ranks before the box of what was folded stands */
  guint32 base;   /* first rank of what was opened */
  guint32 *depth; /* per box of what was opened: its rank in there */
  guint32 *deep;  /* per rank in there: the one in @inner */
  guint32 n_deep;
  double entry;      /* in @inner, what comes to stand at @x */
  gboolean mirrored; /* whether left and right are exchanged in what was opened */
} Change;

static gboolean
is_within (const AssayView *view, guint32 scope, guint32 around)
{
  while (scope > around)
    scope = assay_scope_tree_get (view->tree, scope)->parent;

  return scope == around;
}

static double
middle (const AssayViewBox *box)
{
  return box->x + box->width / 2;
}

static gpointer
port_key (const AssayViewBox *box)
{
  return GUINT_TO_POINTER (box->value << 1 | (box->kind == ASSAY_BOX_OUTPUT ? 1 : 0));
}

/* Which boxes are in both views. A value that leaves the region twice has two boxes, in the same
 * order. */
static void
match_boxes (Change *self)
{
  const AssayView *view = self->inner;
  const AssayView *before = self->before;
  g_autoptr (GHashTable) ports = g_hash_table_new (NULL, NULL);

  memset (self->same, 0xff, view->boxes->len * sizeof *self->same);
  memset (self->other, 0xff, before->boxes->len * sizeof *self->other);
  for (guint32 i = before->boxes->len; i-- > 0;)
    if (assay_view_box (before, i)->kind >= ASSAY_BOX_INPUT)
      g_hash_table_insert (ports, port_key (assay_view_box (before, i)), GUINT_TO_POINTER (i + 1));

  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (view, i);
      guint32 k;

      if (box->kind >= ASSAY_BOX_INPUT)
        {
          k = GPOINTER_TO_UINT (g_hash_table_lookup (ports, port_key (box))) - 1;
          while (k < before->boxes->len &&
                 (port_key (assay_view_box (before, k)) != port_key (box) ||
                  assay_view_box (before, k)->kind != box->kind || self->other[k] != NONE))
            k++;
        }
      else
        k = assay_view_find_node (before, box->node);
      if (k >= before->boxes->len || self->other[k] != NONE ||
          assay_view_box (before, k)->kind != box->kind ||
          (box->kind == ASSAY_BOX_SCOPE && assay_view_box (before, k)->scope != box->scope))
        continue;
      self->same[i] = k;
      self->other[k] = i;
    }
}

static guint32
the_only (const guint32 *other, guint32 n, guint32 *count)
{
  guint32 found = NONE;

  *count = 0;
  for (guint32 i = 0; i < n; i++)
    if (other[i] == NONE)
      {
        found = i;
        ++*count;
      }

  return found;
}

static gboolean
all_within (const AssayView *view, const guint32 *other, guint32 scope)
{
  for (guint32 i = 0; i < view->boxes->len; i++)
    if (other[i] == NONE && (assay_view_box (view, i)->kind >= ASSAY_BOX_INPUT ||
                             !is_within (view, assay_view_box (view, i)->scope, scope)))
      return FALSE;

  return TRUE;
}

/* Finds the one scope that was folded or opened. */
static gboolean
find_scope (Change *self)
{
  const AssayView *view = self->inner;
  const AssayView *before = self->before;
  guint32 n_new, n_old;
  guint32 added = the_only (self->same, view->boxes->len, &n_new);
  guint32 gone = the_only (self->other, before->boxes->len, &n_old);

  if (n_new == 0 && n_old == 0)
    return TRUE;
  if (n_old == 1 && assay_view_box (before, gone)->kind == ASSAY_BOX_SCOPE &&
      all_within (view, self->same, assay_view_box (before, gone)->scope))
    {
      self->opened = TRUE;
      self->box = gone;
      self->scope = assay_view_box (before, gone)->scope;
      return TRUE;
    }
  if (n_new == 1 && assay_view_box (view, added)->kind == ASSAY_BOX_SCOPE &&
      all_within (before, self->other, assay_view_box (view, added)->scope))
    {
      self->box = added;
      self->scope = assay_view_box (view, added)->scope;
      return TRUE;
    }

  return FALSE;
}

/* Calls out every edge of a view; @upper and @lower as they are drawn, @flows_down whether the
 * value goes that way. */
typedef void (*EdgeFunc) (Change *self, guint32 upper, guint32 lower, gboolean flows_down,
                          gpointer data);

static void
each_edge (Change *self, const AssayView *view, EdgeFunc func, gpointer data)
{
  for (guint32 i = 0; i < view->edges->len; i++)
    {
      const AssayViewEdge *edge = assay_view_edge (view, i);
      const AssayViewNet *net = assay_view_net (view, edge->net);

      func (self, net->source, edge->target, (net->flags & ASSAY_NET_REVERSED) == 0, data);
    }
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* Where lines come into something, and where they leave it. */
typedef struct
{
  const AssayView *view;
  const guint32 *other;
  GArray *in;
  GArray *out;
} Ends;

static void
add_end (Change *self, guint32 upper, guint32 lower, gboolean flows_down, gpointer data)
{
  Ends *ends = data;

  if ((ends->other[upper] == NONE) == (ends->other[lower] == NONE))
    return;
  if (ends->other[lower] == NONE)
    g_array_append_vals (ends->in, &(double){ middle (assay_view_box (ends->view, lower)) }, 1);
  else
    g_array_append_vals (ends->out, &(double){ middle (assay_view_box (ends->view, upper)) }, 1);
}

/* The place of what is in one view only, as its lines see it: where most of them come in, or leave.
 */
static double
find_entry (Change *self, const AssayView *view, const guint32 *other)
{
  g_autoptr (GArray) in = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (double));
  Ends ends = { view, other, in, out };
  double left = INFINITY;
  double right = -INFINITY;

  each_edge (self, view, add_end, &ends);
  if (in->len == 0)
    in = g_steal_pointer (&out);
  if (in->len > 0)
    {
      g_array_sort (in, compare_doubles);
      return g_array_index (in, double, in->len / 2);
    }

  for (guint32 i = 0; i < view->boxes->len; i++)
    if (other[i] == NONE)
      {
        left = MIN (left, assay_view_box (view, i)->x);
        right = MAX (right, assay_view_box (view, i)->x + assay_view_box (view, i)->width);
      }

  return (left + right) / 2;
}

/* Ranks of what was opened, counted from its own first one. */
static void
find_depths (Change *self)
{
  const AssayView *view = self->inner;
  g_autofree guint32 *number = g_new0 (guint32, view->ranks->len + 1);

  self->depth = g_new0 (guint32, view->boxes->len + 1);
  self->deep = g_new0 (guint32, view->ranks->len + 1);
  for (guint32 i = 0; i < view->boxes->len; i++)
    if (self->same[i] == NONE)
      number[assay_view_box (view, i)->rank] = 1;
  for (guint32 r = 0; r < view->ranks->len; r++)
    if (number[r] != 0)
      {
        self->deep[self->n_deep] = r;
        number[r] = self->n_deep++;
      }
  for (guint32 i = 0; i < view->boxes->len; i++)
    if (self->same[i] == NONE)
      self->depth[i] = number[assay_view_box (view, i)->rank];
}

/* Per rank before whether something is left in it. */
static guint8 *
list_left (const Change *self)
{
  guint8 *left = g_new0 (guint8, self->before->ranks->len + 1);

  for (guint32 k = 0; k < self->before->boxes->len; k++)
    if (self->other[k] != NONE)
      left[assay_view_box (self->before, k)->rank] = TRUE;

  return left;
}

static void
add_rank (Change *self, guint32 old)
{
  self->old_rank[self->n_ranks++] = old;
}

/* The lowest rank that feeds what was folded, plus one, and the highest one that reads it. */
typedef struct
{
  guint32 after;
  guint32 until;
} Window;

static void
narrow_window (Change *self, guint32 upper, guint32 lower, gboolean flows_down, gpointer data)
{
  Window *window = data;
  guint32 source = flows_down ? upper : lower;
  guint32 target = flows_down ? lower : upper;

  if (self->other[source] != NONE && self->other[target] == NONE)
    window->after = MAX (window->after, assay_view_box (self->before, source)->rank + 1);
  if (self->other[source] == NONE && self->other[target] != NONE)
    window->until = MIN (window->until, assay_view_box (self->before, target)->rank);
}

/* The rows of a fold: those in which nothing is left go, and the box stands in the first one that
 * it may, or before it in one of its own. */
static void
plan_fold (Change *self, Rows rows)
{
  g_autofree guint8 *left = list_left (self);
  Window window = { self->first_rank, G_MAXUINT32 };
  guint32 n = self->before->ranks->len;
  guint32 at;

  each_edge (self, self->before, narrow_window, &window);
  at = MIN (window.after, window.until);
  while (at < n && !left[at])
    at++;
  self->level = at - 0.5;
  if (at >= window.until || at > self->last_rank)
    rows = ROWS_OWN;

  for (guint32 r = 0; r <= n; r++)
    {
      if (r == at && rows == ROWS_OWN)
        {
          self->rank[self->box] = self->n_ranks;
          add_rank (self, CLAMP (r, self->first_rank, self->last_rank));
        }
      if (r == n)
        break;
      if (r == at && rows == ROWS_SHARED)
        self->rank[self->box] = self->n_ranks;
      self->new_rank[r] = left[r] ? self->n_ranks : NONE;
      if (left[r])
        add_rank (self, r);
    }
}

/* The last rank of what was opened from which something leads to each box, plus one. */
static void
find_least (Change *self, guint32 upper, guint32 lower, gboolean flows_down, gpointer data)
{
  guint32 *least = data;

  if (self->same[upper] == NONE && self->same[lower] != NONE)
    {
      guint32 *rank = &least[assay_view_box (self->before, self->same[lower])->rank];

      *rank = MAX (*rank, self->depth[upper] + 1);
    }
}

/* The rows of what was opened: from that of its box on, and what reads it moves down, with
 * everything below; or all of them below it. */
static void
plan_opening (Change *self, Rows rows)
{
  g_autofree guint8 *left = list_left (self);
  guint32 n = self->before->ranks->len;
  g_autofree guint32 *least = g_new0 (guint32, n + 1);

  each_edge (self, self->inner, find_least, least);
  for (guint32 r = 0; r < n; r++)
    {
      gboolean is_row = r == self->first_rank;

      if (is_row)
        self->base = self->n_ranks + (rows == ROWS_OWN && left[r] ? 1 : 0);
      if (r > self->first_rank)
        while (self->n_ranks < self->base + (rows == ROWS_OWN ? self->n_deep : least[r]))
          add_rank (self, self->first_rank);
      self->new_rank[r] = left[r] ? self->n_ranks : NONE;
      if (left[r] || (is_row && rows == ROWS_SHARED))
        add_rank (self, r);
    }
  while (self->n_ranks < self->base + self->n_deep)
    add_rank (self, self->first_rank);

  for (guint32 i = 0; i < self->inner->boxes->len; i++)
    if (self->same[i] == NONE)
      self->rank[i] = self->base + self->depth[i];
}

/* FALSE if a line would lead upward. */
static gboolean
plan_ranks (Change *self, Rows rows)
{
  const AssayView *view = self->inner;

  self->n_ranks = 0;
  self->base = 0;
  if (self->scope == 0)
    for (guint32 r = 0; r < self->before->ranks->len; r++)
      {
        self->new_rank[r] = r;
        add_rank (self, r);
      }
  else if (self->opened)
    plan_opening (self, rows);
  else
    plan_fold (self, rows);

  for (guint32 i = 0; i < view->boxes->len; i++)
    if (self->same[i] != NONE)
      self->rank[i] = self->new_rank[assay_view_box (self->before, self->same[i])->rank];
  for (guint32 i = 0; i < view->edges->len; i++)
    {
      const AssayViewEdge *edge = assay_view_edge (view, i);

      if (self->rank[assay_view_net (view, edge->net)->source] >= self->rank[edge->target])
        return FALSE;
    }

  return TRUE;
}

static guint32
box_before (const Change *self, guint32 box)
{
  return self->same[box] != NONE ? self->same[box] : self->opened ? self->box : NONE;
}

/* The net before whose way is that of a net now: of the same value, or between the same boxes. */
static const AssayViewNet *
find_model (const Change *self, const AssayViewNet *net)
{
  const AssayView *before = self->before;
  gpointer key = GUINT_TO_POINTER (net->value << 2 | (net->flags & 3));
  guint32 index = GPOINTER_TO_UINT (g_hash_table_lookup (self->models, key));
  guint32 source = box_before (self, net->source);
  guint32 target = box_before (self, assay_view_edge (self->inner, net->first_edge)->target);

  if (index != 0 && (source == NONE || assay_view_net (before, index - 1)->source == source))
    return assay_view_net (before, index - 1);
  if (source == NONE || target == NONE)
    return NULL;
  for (guint32 k = 0; k < assay_view_box (before, source)->n_nets; k++)
    {
      const AssayViewNet *old = assay_view_net (before,
                                                assay_view_box (before, source)->first_net + k);

      for (guint32 e = old->first_edge; e < old->first_edge + old->n_edges; e++)
        if (assay_view_edge (before, e)->target == target)
          return old;
    }

  return NULL;
}

static double
place_before (const Change *self, const AssayViewNet *model, guint32 rank)
{
  const AssayView *before = self->before;
  guint32 source = assay_view_box (before, model->source)->rank;

  if (rank <= source || model->n_lanes == 0)
    return middle (assay_view_box (before, model->source));

  return g_array_index (before->lane_x, double,
                        model->first_lane + MIN (rank - source, model->n_lanes) - 1);
}

static gboolean
passes (const Change *self, const AssayViewNet *model, guint32 rank)
{
  guint32 source = assay_view_box (self->before, model->source)->rank;

  return rank > source && rank <= source + model->n_lanes;
}

/* Where something of what was opened is to stand. */
static double
take_inside (const Change *self, double x)
{
  return self->mirrored ? self->x + self->entry - x : self->x - self->entry + x;
}

/* Where a line stands in the arrangement of what was opened; NAN if it is not in there. */
static double
place_inside (const Change *self, const AssayViewNet *net, guint32 rank)
{
  const AssayView *view = self->inner;
  guint32 source = assay_view_box (view, net->source)->rank;
  guint32 deep;

  if (!self->opened || rank < self->base || rank >= self->base + self->n_deep)
    return NAN;
  deep = self->deep[rank - self->base];
  if (deep <= source || deep > source + net->n_lanes)
    return NAN;

  return take_inside (self,
                      g_array_index (view->lane_x, double, net->first_lane + deep - source - 1));
}

/* Where everything would like to stand. */
static void
find_wishes (Change *self, AssayLayers *layers, AssayView *view)
{
  g_autofree guint32 *frame_of = g_new0 (guint32, layers->n_vertices + 1);
  g_autofree AssayLayersFrame *frames = g_new0 (AssayLayersFrame, view->frames->len + 1);

  if (view->frames->len > 0)
    {
      memcpy (frame_of, view->box_frame->data, view->boxes->len * sizeof *frame_of);
      for (guint32 f = 0; f < view->frames->len; f++)
        frames[f].parent = assay_view_frame (view, f)->parent;
      assay_layers_find_frames (layers, view->frames->len, frames, frame_of);
    }

  for (guint32 i = 0; i < view->boxes->len; i++)
    layers->x[i] = self->same[i] != NONE ? middle (assay_view_box (self->before, self->same[i]))
                   : self->opened ? take_inside (self, middle (assay_view_box (self->inner, i)))
                                  : self->x;
  for (guint32 i = 0; i < view->nets->len; i++)
    {
      const AssayViewNet *net = assay_view_net (self->inner, i);
      const AssayViewNet *model = find_model (self, net);
      guint32 end = self->same[net->source] != NONE
                        ? net->source
                        : assay_view_edge (view, net->first_edge)->target;

      for (guint32 k = 0; k < layers->lane_count[i]; k++)
        {
          guint32 v = layers->lane_first[i] + k;
          guint32 rank = layers->rank[v];
          guint32 old = self->old_rank[rank];
          guint32 frame = frame_of[v];
          double inside = NAN;

          if (self->scope != 0 && frame != 0 &&
              is_within (view, assay_view_frame (view, frame - 1)->scope, self->scope))
            inside = place_inside (self, net, rank);
          /* What passed the box passes what is in it on the same side. */
          if (model != NULL && self->opened && rank >= self->base &&
              rank < self->base + self->n_deep && passes (self, model, self->first_rank))
            old = self->first_rank;
          layers->x[v] = !isnan (inside) ? inside
                         : model != NULL ? place_before (self, model, old)
                                         : layers->x[end];
        }
    }
}

/* What was opened may lie the wrong way round for the lines that come from outside: of both ways,
 * the one with fewer crossings, or else the one in which lines are shorter. */
static void
sort_by_wishes (Change *self, AssayLayers *layers, AssayView *view)
{
  guint64 crossings;
  double sideways;

  self->mirrored = FALSE;
  find_wishes (self, layers, view);
  assay_layers_sort (layers);
  if (!self->opened)
    return;

  crossings = layers->crossings;
  sideways = assay_layers_measure_sideways (layers);
  self->mirrored = TRUE;
  find_wishes (self, layers, view);
  assay_layers_sort (layers);
  if (layers->crossings < crossings ||
      (layers->crossings == crossings && assay_layers_measure_sideways (layers) < sideways))
    return;

  self->mirrored = FALSE;
  find_wishes (self, layers, view);
  assay_layers_sort (layers);
}

/* Heights of the channels between rows that stand below each other as before. */
static double *
list_channels (const Change *self)
{
  double *channels = g_new0 (double, self->n_ranks + 1);

  for (guint32 r = 0; r + 1 < self->before->ranks->len; r++)
    if (self->new_rank[r] != NONE && self->new_rank[r + 1] == self->new_rank[r] + 1)
      channels[self->new_rank[r]] = assay_view_rank (self->before, r)->channel;

  return channels;
}

static AssayView *
try (Change *self, Rows rows, gboolean may_part)
{
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayViewDrawing) drawing = NULL;
  g_autofree guint8 *kind = g_new0 (guint8, self->inner->boxes->len + 1);
  g_autofree double *channels = NULL;
  gboolean has_frame;
  AssayLayersHold hold = { .kind = kind, .may_part = may_part };
  AssayLayers *layers;

  if (!plan_ranks (self, rows))
    return NULL;

  view = assay_view_copy (self->inner);
  g_array_set_size (view->frames, 0);
  g_array_set_size (view->box_frame, 0);
  drawing = assay_view_drawing_of_ranks (view, self->rank, self->n_ranks);
  layers = drawing->layers;
  assay_view_choose_frames (view, layers);
  sort_by_wishes (self, layers, view);
  /* Without a frame its boxes are no group: what is beside them may stand between them. */
  has_frame = !self->opened;
  for (guint32 f = 0; f < view->frames->len; f++)
    has_frame = has_frame || is_within (view, assay_view_frame (view, f)->scope, self->scope);

  for (guint32 i = 0; i < view->boxes->len; i++)
    kind[i] = self->same[i] != NONE ? ASSAY_LAYERS_HELD
              : has_frame           ? ASSAY_LAYERS_TOGETHER
                                    : ASSAY_LAYERS_FREE;
  if (view->frames->len > 0)
    assay_view_enclose (view, layers, FALSE, &hold, self->scope != 0 ? self->scope : NONE);
  else
    {
      g_autofree guint32 *column = g_new (guint32, layers->n_vertices + 1);
      g_autofree guint8 *kinds = g_new0 (guint8, layers->n_vertices + 1);

      for (guint32 v = 0; v < layers->n_vertices; v++)
        column[v] = v;
      memcpy (kinds, kind, view->boxes->len);
      hold.fits = assay_layers_hold (layers, column, kinds, may_part, &hold.parted);
    }
  if (!hold.fits)
    return NULL;

  channels = list_channels (self);
  assay_view_take_drawing (view, drawing, channels);
  view->is_kept = TRUE;

  return g_steal_pointer (&view);
}

static void
change_clear (Change *self)
{
  g_free (self->same);
  g_free (self->other);
  g_free (self->rank);
  g_free (self->new_rank);
  g_free (self->old_rank);
  g_free (self->depth);
  g_free (self->deep);
  g_clear_pointer (&self->models, g_hash_table_unref);
}

static void
find_changed_ranks (Change *self)
{
  self->first_rank = G_MAXUINT32;
  for (guint32 k = 0; k < self->before->boxes->len; k++)
    if (self->other[k] == NONE)
      {
        self->first_rank = MIN (self->first_rank, assay_view_box (self->before, k)->rank);
        self->last_rank = MAX (self->last_rank, assay_view_box (self->before, k)->rank);
      }
}

static void
begin (Change *self)
{
  const AssayView *before = self->before;

  self->models = g_hash_table_new (NULL, NULL);
  for (guint32 i = before->nets->len; i-- > 0;)
    {
      const AssayViewNet *net = assay_view_net (before, i);

      g_hash_table_insert (self->models, GUINT_TO_POINTER (net->value << 2 | (net->flags & 3)),
                           GUINT_TO_POINTER (i + 1));
    }

  find_changed_ranks (self);
  if (self->scope == 0)
    return;

  if (!self->opened)
    {
      self->x = find_entry (self, before, self->other);
      return;
    }
  self->x = middle (assay_view_box (before, self->box));
  self->entry = find_entry (self, self->inner, self->same);
  find_depths (self);
}

static void
change_init (Change *self, AssayView *inner, AssayView *before)
{
  guint32 n = inner->boxes->len;

  *self = (Change){ .inner = inner, .before = before };
  self->same = g_new (guint32, n + 1);
  self->other = g_new (guint32, before->boxes->len + 1);
  self->rank = g_new0 (guint32, n + 1);
  self->new_rank = g_new0 (guint32, before->ranks->len + 1);
  self->old_rank = g_new0 (guint32, (gsize) before->ranks->len + n + 2);
}

static gboolean
can_keep (const AssayView *view, const AssayView *before)
{
  return before->verdicts == view->verdicts && before->region == view->region &&
         before->tree == view->tree;
}

/* Old views come back as they were; there is an end to that. */
static void
remember (AssayView *view, AssayView *before)
{
  guint64 boxes = view->boxes->len;

  for (const AssayView *at = before; at != NULL; at = at->before)
    boxes += at->boxes->len;
  if (before->n_before >= MAX_BEFORE || boxes > MAX_BOXES_BEFORE)
    return;

  view->before = assay_view_ref (before);
  view->n_before = before->n_before + 1;
}

/* Makes a view of the boxes and lines of another one, in which everything stands where it stood
 * before, apart from one scope that was folded or opened since. Returns NULL if more than that
 * changed. */
AssayView *
assay_view_keep (AssayView *inner, AssayView *before)
{
  AssayView *view = NULL;
  Change change;

  if (!can_keep (inner, before))
    return NULL;

  change_init (&change, inner, before);
  match_boxes (&change);
  if (find_scope (&change))
    {
      begin (&change);
      view = try (&change, ROWS_SHARED, FALSE);
      if (view == NULL)
        view = try (&change, ROWS_OWN, FALSE);
      if (view == NULL)
        view = try (&change, ROWS_OWN, TRUE);
    }
  change_clear (&change);
  if (view != NULL)
    remember (view, before);

  return view;
}

/* Whether everything that is in both views stands at the same x, but for one shift of all. */
static gboolean
stands_still (const Change *self, const AssayView *view)
{
  const AssayView *before = self->before;
  double shift = NAN;

  for (guint32 i = 0; i < view->boxes->len; i++)
    if (self->same[i] != NONE)
      {
        double by = assay_view_box (view, i)->x - assay_view_box (before, self->same[i])->x;

        if (isnan (shift))
          shift = by;
        if (by != shift)
          return FALSE;
      }

  return TRUE;
}

/* Takes what a refined view has of the scope that was opened last, and nothing else. Returns NULL
 * if that does not fit in between. */
AssayView *
assay_view_keep_refined (AssayView *refined, AssayView *shown)
{
  AssayView *view = NULL;
  Change change;

  change_init (&change, refined, shown->before);
  match_boxes (&change);
  if (find_scope (&change) && change.opened)
    {
      begin (&change);
      for (Rows rows = ROWS_SHARED; rows <= ROWS_OWN && view == NULL; rows++)
        {
          gboolean is_same = plan_ranks (&change, rows);

          for (guint32 i = 0; i < refined->boxes->len; i++)
            is_same = is_same && change.rank[i] == assay_view_box (shown, i)->rank;
          view = is_same ? try (&change, rows, FALSE) : NULL;
        }
    }
  /* What was pulled apart for the view that is shown may fit without that now. */
  if (view != NULL && (!stands_still (&change, view) || !stands_still (&change, shown)))
    g_clear_pointer (&view, assay_view_free);
  change_clear (&change);
  if (view != NULL)
    remember (view, shown->before);

  return view;
}

static gboolean
is_same (const Change *self)
{
  guint32 n_new, n_old;

  the_only (self->same, self->inner->boxes->len, &n_new);
  the_only (self->other, self->before->boxes->len, &n_old);

  return n_new == 0 && n_old == 0;
}

/* Finds the view with the same boxes: @before itself, the one it was kept from, since that only
 * takes back what was done, or an earlier one in which everything stands where it does now. */
AssayView *
assay_view_recall (AssayView *built, AssayView *before)
{
  AssayView *found = NULL;

  if (!can_keep (built, before))
    return NULL;

  for (AssayView *at = before; at != NULL && found == NULL; at = at->before)
    {
      Change change;

      if (built->boxes->len != at->boxes->len || built->drawn != at->drawn)
        continue;
      change_init (&change, built, at);
      match_boxes (&change);
      if (is_same (&change))
        found = at;
      change_clear (&change);
    }
  if (found != NULL && found != before && found != before->before)
    {
      Change change;

      change_init (&change, found, before);
      match_boxes (&change);
      if (!stands_still (&change, found))
        found = NULL;
      change_clear (&change);
    }

  return found != NULL ? assay_view_ref (found) : NULL;
}

/* Finds per box of a view the one before, or ASSAY_NO_BOX. Returns NULL if more than one scope
 * changed. */
guint32 *
assay_view_match (AssayView *view, AssayView *before)
{
  guint32 *same = NULL;
  Change change;

  if (!can_keep (view, before))
    return NULL;

  change_init (&change, view, before);
  match_boxes (&change);
  if (find_scope (&change))
    same = g_steal_pointer (&change.same);
  change_clear (&change);

  return same;
}

/* Which boxes stand above which, if everything keeps its rows and some line would lead upward then.
 * Returns NULL if none would. */
double *
assay_view_find_levels (AssayView *built, AssayView *before)
{
  g_autofree double *levels = g_new (double, built->boxes->len + 1);
  gboolean turns = FALSE;
  double level;
  Change change;

  if (!can_keep (built, before))
    return NULL;

  change_init (&change, built, before);
  match_boxes (&change);
  if (find_scope (&change))
    {
      find_changed_ranks (&change);
      level = change.first_rank;
      if (change.scope != 0 && !change.opened)
        {
          plan_fold (&change, ROWS_OWN);
          level = change.level;
        }
      for (guint32 i = 0; i < built->boxes->len; i++)
        levels[i] = change.same[i] != NONE ? assay_view_box (before, change.same[i])->rank : level;
      for (guint32 i = 0; i < built->edges->len && !turns; i++)
        {
          const AssayViewEdge *edge = assay_view_edge (built, i);

          turns = levels[assay_view_net (built, edge->net)->source] > levels[edge->target];
        }
    }
  change_clear (&change);

  return turns ? g_steal_pointer (&levels) : NULL;
}
