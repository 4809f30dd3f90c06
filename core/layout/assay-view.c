/* assay-view.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-layers-private.h"
#include "layout/assay-view-private.h"

#include <math.h>
#include <string.h>

/* Lanes that a picture may have per box before far readers become stubs earlier than usual: keeps
 * the time linear for graphs that are nothing but long edges. */
#define LANES_PER_BOX 6
#define LANES_ALWAYS 20000

static AssayView *
view_new (const AssayVerdicts *verdicts, const AssayScopeTree *tree, AssayRegionId region)
{
  AssayView *self = g_new0 (AssayView, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->verdicts = assay_verdicts_ref ((AssayVerdicts *) verdicts);
  self->tree = assay_scope_tree_ref ((AssayScopeTree *) tree);
  self->region = region;
  self->boxes = g_array_new (FALSE, TRUE, sizeof (AssayViewBox));
  self->nets = g_array_new (FALSE, TRUE, sizeof (AssayViewNet));
  self->edges = g_array_new (FALSE, TRUE, sizeof (AssayViewEdge));
  self->in_edges = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->stubs = g_array_new (FALSE, TRUE, sizeof (AssayViewStub));
  self->lane_x = g_array_new (FALSE, TRUE, sizeof (double));
  self->track_y = g_array_new (FALSE, TRUE, sizeof (double));
  self->segments = g_array_new (FALSE, TRUE, sizeof (AssayViewSegment));
  self->ranks = g_array_new (FALSE, TRUE, sizeof (AssayViewRank));
  self->rank_order = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->frames = g_array_new (FALSE, TRUE, sizeof (AssayViewFrame));
  self->box_frame = g_array_new (FALSE, TRUE, sizeof (guint32));

  return self;
}

/* Lanes are what long edges cost. Finds the longest span of ranks that can be drawn within the
 * limit. */
static guint32
longest_span (AssayView *self, const guint32 *rank, guint32 n_ranks)
{
  g_autofree guint64 *lanes = g_new0 (guint64, n_ranks + 2);
  guint64 limit = LANES_ALWAYS + (guint64) self->boxes->len * LANES_PER_BOX;
  guint64 sum = 0;

  for (guint32 i = 0; i < self->edges->len; i++)
    {
      const AssayViewEdge *edge = assay_view_edge (self, i);
      guint32 span = rank[edge->target] - rank[assay_view_net (self, edge->net)->source];

      lanes[span] += span - 1;
    }
  for (guint32 span = 1; span <= n_ranks; span++)
    {
      sum += lanes[span];
      if (sum > limit)
        return MAX (span - 1, 1);
    }

  return n_ranks;
}

/* Turns edges that are too long into stubs; nets keep their place, some of them empty. */
static void
cut_long_edges (AssayView *self, const guint32 *rank, guint32 max_span)
{
  guint32 kept = 0;

  for (guint32 i = 0; i < self->nets->len; i++)
    {
      AssayViewNet *net = assay_view_net (self, i);
      guint32 first = kept;
      guint32 cut = 0;

      for (guint32 k = net->first_edge; k < net->first_edge + net->n_edges; k++)
        {
          AssayViewEdge edge = *assay_view_edge (self, k);

          if (rank[edge.target] - rank[net->source] <= max_span)
            {
              *assay_view_edge (self, kept++) = edge;
              continue;
            }

          {
            AssayViewStub stub = { .box = edge.target, .value = net->value, .other = net->source };

            g_array_append_val (self->stubs, stub);
            cut++;
          }
        }

      if (cut > 0)
        {
          AssayViewStub stub = {
            .box = net->source, .value = net->value, .other = ASSAY_NO_BOX, .count = cut
          };

          g_array_append_val (self->stubs, stub);
        }
      net->first_edge = first;
      net->n_edges = kept - first;
    }

  g_array_set_size (self->edges, kept);
}

static int
compare_stubs (gconstpointer a, gconstpointer b)
{
  const AssayViewStub *sa = a;
  const AssayViewStub *sb = b;

  if (sa->box != sb->box)
    return sa->box < sb->box ? -1 : 1;
  if ((sa->count > 0) != (sb->count > 0))
    return sa->count > 0 ? 1 : -1;

  return sa->value < sb->value ? -1 : sa->value > sb->value;
}

/* Two pills fit beside a box, one above the other; the second one tells how many more there are. */
static void
settle_stubs (AssayView *self)
{
  guint32 kept = 0;

  g_array_sort (self->stubs, compare_stubs);
  for (guint32 i = 0; i < self->stubs->len; i++)
    {
      AssayViewStub stub = g_array_index (self->stubs, AssayViewStub, i);
      AssayViewBox *box = assay_view_box (self, stub.box);
      AssayViewStub *last = kept > 0 ? &g_array_index (self->stubs, AssayViewStub, kept - 1) : NULL;
      gboolean same_side = last != NULL && last->box == stub.box &&
                           (last->count > 0) == (stub.count > 0);

      if (same_side && last->value == stub.value && last->other == stub.other)
        continue;
      if (same_side && kept > 1)
        {
          const AssayViewStub *before = last - 1;

          if (before->box == stub.box && (before->count > 0) == (stub.count > 0))
            {
              last->more++;
              continue;
            }
        }

      if (box->n_stubs == 0)
        box->first_stub = kept;
      box->n_stubs++;
      g_array_index (self->stubs, AssayViewStub, kept++) = stub;
    }
  g_array_set_size (self->stubs, kept);
}

static void
place_stubs (AssayView *self)
{
  for (guint32 i = 0; i < self->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (self, i);
      guint n[2] = { 0, 0 };
      guint used[2] = { 0, 0 };

      for (guint32 k = box->first_stub; k < box->first_stub + box->n_stubs; k++)
        n[g_array_index (self->stubs, AssayViewStub, k).count > 0]++;
      for (guint32 k = box->first_stub; k < box->first_stub + box->n_stubs; k++)
        {
          AssayViewStub *stub = &g_array_index (self->stubs, AssayViewStub, k);
          guint side = stub->count > 0;
          double total = n[side] * ASSAY_STUB_HEIGHT + (n[side] - 1) * 4;

          stub->x = side == 1 ? box->x + box->width + 12 : box->x - 12 - ASSAY_STUB_WIDTH;
          stub->y = box->y + (box->height - total) / 2 + used[side] * (ASSAY_STUB_HEIGHT + 4);
          used[side]++;
        }
    }
}

static void
list_in_edges (AssayView *self)
{
  g_autofree guint32 *filled = g_new0 (guint32, self->boxes->len + 1);
  guint32 total = 0;

  g_array_set_size (self->in_edges, self->edges->len);
  for (guint32 i = 0; i < self->edges->len; i++)
    assay_view_box (self, assay_view_edge (self, i)->target)->n_in++;
  for (guint32 i = 0; i < self->boxes->len; i++)
    {
      assay_view_box (self, i)->first_in = total;
      total += assay_view_box (self, i)->n_in;
    }
  for (guint32 i = 0; i < self->edges->len; i++)
    {
      guint32 target = assay_view_edge (self, i)->target;

      g_array_index (self->in_edges, guint32,
                     assay_view_box (self, target)->first_in + filled[target]++) = i;
    }
}

static void
take_ranks (AssayView *self, const AssayLayers *layers)
{
  guint32 before = 0;

  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      AssayViewRank rank = { .first = self->rank_order->len, .before = before };

      for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
        {
          guint32 v = layers->order[i];

          if (assay_layers_is_lane (layers, v))
            continue;
          g_array_append_val (self->rank_order, v);
          rank.n++;
          rank.height = MAX (rank.height, assay_view_box (self, v)->height);
        }
      before += rank.n;
      g_array_append_val (self->ranks, rank);
    }
}

static void
take_places (AssayView *self, const AssayLayers *layers)
{
  guint32 tracks = 0;

  for (guint32 i = 0; i < self->boxes->len; i++)
    {
      AssayViewBox *box = assay_view_box (self, i);

      box->rank = layers->rank[i];
      box->x = layers->x[i] - box->width / 2;
    }
  for (guint32 i = 0; i < self->nets->len; i++)
    {
      AssayViewNet *net = assay_view_net (self, i);

      net->first_lane = self->lane_x->len;
      net->n_lanes = layers->lane_count[i];
      net->first_track = tracks;
      tracks += net->n_edges > 0 ? net->n_lanes + 1 : 0;
      for (guint32 k = 0; k < net->n_lanes; k++)
        g_array_append_val (self->lane_x, layers->x[layers->lane_first[i] + k]);
    }
  g_array_set_size (self->track_y, tracks);
}

/* How far boxes reach with the pills beside them. */
static void
find_reach (const AssayView *self, double *left, double *right)
{
  for (guint32 i = 0; i < self->boxes->len; i++)
    left[i] = right[i] = assay_view_box (self, i)->width / 2;
  for (guint32 i = 0; i < self->stubs->len; i++)
    {
      const AssayViewStub *stub = &g_array_index (self->stubs, AssayViewStub, i);
      double *side = stub->count > 0 ? right : left;

      side[stub->box] = assay_view_box (self, stub->box)->width / 2 + 12 + ASSAY_STUB_WIDTH;
    }
}

static AssayViewDrawing *
drawing_new (const AssayView *self)
{
  AssayViewDrawing *drawing = g_new0 (AssayViewDrawing, 1);

  drawing->left = g_new (double, self->boxes->len + 1);
  drawing->right = g_new (double, self->boxes->len + 1);
  drawing->rank = g_new0 (guint32, self->boxes->len + 1);
  drawing->nets = g_new0 (AssayLayersNet, self->nets->len + 1);
  drawing->targets = g_new (guint32, self->edges->len + 1);

  return drawing;
}

void
assay_view_drawing_free (AssayViewDrawing *self)
{
  if (self == NULL)
    return;

  assay_layers_free (self->layers);
  g_free (self->left);
  g_free (self->right);
  g_free (self->rank);
  g_free (self->nets);
  g_free (self->targets);
  g_free (self);
}

static void
list_nets (const AssayView *self, AssayViewDrawing *drawing)
{
  for (guint32 i = 0; i < self->nets->len; i++)
    {
      const AssayViewNet *net = assay_view_net (self, i);

      drawing->nets[i] = (AssayLayersNet){ net->source, net->first_edge, net->n_edges };
    }
  for (guint32 i = 0; i < self->edges->len; i++)
    drawing->targets[i] = assay_view_edge (self, i)->target;
}

/* A drawing of the boxes in their ranks, without order and places. */
AssayViewDrawing *
assay_view_drawing_of_ranks (const AssayView *self, const guint32 *rank, guint32 n_ranks)
{
  AssayViewDrawing *drawing = drawing_new (self);

  list_nets (self, drawing);
  find_reach (self, drawing->left, drawing->right);
  memcpy (drawing->rank, rank, self->boxes->len * sizeof *rank);
  drawing->layers = assay_layers_new (self->boxes->len, drawing->left, drawing->right,
                                      self->nets->len, drawing->nets, drawing->targets, n_ranks,
                                      drawing->rank);

  return drawing;
}

/* The drawing as it is shown, with everything where it stands, but without the borders of frames.
 */
AssayViewDrawing *
assay_view_drawing_new (const AssayView *self)
{
  g_autofree guint32 *rank = g_new (guint32, self->boxes->len + 1);
  AssayViewDrawing *drawing;
  AssayLayers *layers;

  for (guint32 i = 0; i < self->boxes->len; i++)
    rank[i] = assay_view_box (self, i)->rank;
  drawing = assay_view_drawing_of_ranks (self, rank, self->ranks->len);
  layers = drawing->layers;

  for (guint32 i = 0; i < self->boxes->len; i++)
    layers->x[i] = assay_view_box (self, i)->x + assay_view_box (self, i)->width / 2;
  for (guint32 i = 0; i < self->nets->len; i++)
    for (guint32 k = 0; k < layers->lane_count[i]; k++)
      layers->x[layers->lane_first[i] + k] = g_array_index (
          self->lane_x, double, assay_view_net (self, i)->first_lane + k);
  assay_layers_sort (layers);

  return drawing;
}

/* What a view has of its graph: everything but places. */
AssayView *
assay_view_copy (AssayView *base)
{
  AssayView *self = view_new (base->verdicts, base->tree, base->region);

  self->base = assay_view_ref (base);
  self->node_box = base->node_box;
  self->drawn = base->drawn;
  self->has_groups = base->has_groups;
  g_array_append_vals (self->boxes, base->boxes->data, base->boxes->len);
  g_array_append_vals (self->nets, base->nets->data, base->nets->len);
  g_array_append_vals (self->edges, base->edges->data, base->edges->len);
  g_array_append_vals (self->in_edges, base->in_edges->data, base->in_edges->len);
  g_array_append_vals (self->stubs, base->stubs->data, base->stubs->len);
  g_array_append_vals (self->frames, base->frames->data, base->frames->len);
  g_array_append_vals (self->box_frame, base->box_frame->data, base->box_frame->len);
  for (guint32 f = 0; f < self->frames->len; f++)
    assay_view_frame (self, f)->above = assay_view_frame (self, f)->below = 0;

  return self;
}

static void
keep_places (AssayLayers *layers)
{
  g_autofree guint32 *column = g_new (guint32, layers->n_vertices + 1);

  for (guint32 v = 0; v < layers->n_vertices; v++)
    column[v] = v;
  assay_layers_keep (layers, column);
}

/* Takes the places of a drawing that has all of them, and finds the ways of the lines. @channels
 * are heights below ranks to keep, 0 for any. */
void
assay_view_take_drawing (AssayView *self, AssayViewDrawing *drawing, const double *channels)
{
  AssayLayers *layers = drawing->layers;

  self->crossings = layers->crossings;
  for (guint32 i = 0; i < self->boxes->len; i++)
    self->width = MAX (self->width, layers->x[i] + drawing->right[i]);
  for (guint32 i = self->boxes->len; i < layers->n_vertices; i++)
    self->width = MAX (self->width, layers->x[i] + 4);
  for (guint32 f = 0; f < self->frames->len; f++)
    self->width = MAX (self->width,
                       assay_view_frame (self, f)->x + assay_view_frame (self, f)->width);

  take_ranks (self, layers);
  for (guint32 r = 0; channels != NULL && r < self->ranks->len; r++)
    assay_view_rank (self, r)->channel = channels[r];
  take_places (self, layers);
  assay_view_make_room (self);
  assay_view_route (self, layers);
  assay_view_place_frames (self);
  place_stubs (self);
}

/* Settles a drawing and takes it. Places that do not come from our own layout are kept as far as
 * distances and frames allow. */
void
assay_view_settle (AssayView *self, AssayViewDrawing *drawing, gboolean keep)
{
  if (keep && self->frames->len == 0)
    keep_places (drawing->layers);
  assay_view_enclose (self, drawing->layers, keep, NULL, 0);
  assay_view_take_drawing (self, drawing, NULL);
}

/* How far all lines together go sideways. */
double
assay_view_sideways (const AssayView *self)
{
  double sum = 0;

  for (guint32 i = 0; i < self->segments->len; i++)
    {
      const AssayViewSegment *segment = &g_array_index (self->segments, AssayViewSegment, i);

      sum += fabs (segment->x2 - segment->x1);
    }

  return sum;
}

static void
arrange (AssayView *self, GCancellable *cancellable)
{
  guint32 n = self->boxes->len;
  g_autoptr (AssayViewDrawing) drawing = drawing_new (self);
  g_autofree guint32 *around = g_new (guint32, n + 1);
  g_autofree guint32 *parent = g_new (guint32, self->tree->scopes->len);
  AssayLayersGroups groups = { self->tree->scopes->len, parent, around };
  guint32 n_ranks;

  for (guint32 i = 0; i < n; i++)
    around[i] = assay_view_scope_around (self, assay_view_box (self, i));
  for (guint32 s = 0; s < self->tree->scopes->len; s++)
    parent[s] = assay_scope_tree_get (self->tree, s)->parent;
  for (guint pass = 0; pass < 2; pass++)
    {
      list_nets (self, drawing);
      n_ranks = assay_layers_rank (n, self->nets->len, drawing->nets, drawing->targets, &groups,
                                   drawing->rank);
      if (pass == 0)
        {
          guint32 max_span = longest_span (self, drawing->rank, n_ranks);

          if (max_span >= n_ranks)
            break;
          cut_long_edges (self, drawing->rank, max_span);
        }
    }

  settle_stubs (self);
  find_reach (self, drawing->left, drawing->right);
  list_in_edges (self);

  drawing->layers = assay_layers_new (n, drawing->left, drawing->right, self->nets->len,
                                      drawing->nets, drawing->targets, n_ranks, drawing->rank);
  drawing->layers->cancellable = cancellable;
  assay_layers_order (drawing->layers);
  assay_layers_place (drawing->layers);
  assay_view_choose_frames (self, drawing->layers);
  assay_view_settle (self, drawing, FALSE);
}

static AssayView *
build (const AssayVerdicts *verdicts, const AssayScopeTree *tree, const AssayViewOptions *options,
       const double *levels)
{
  AssayView *self = view_new (verdicts, tree, options->region);

  self->arena = assay_arena_new ();
  self->node_box = g_new0 (guint32, assay_graph_n_nodes (verdicts->graph) + 1);
  assay_view_build (self, options, levels);
  for (guint32 i = 0; options->drawn != NULL && i < assay_graph_n_values (verdicts->graph); i++)
    if (options->drawn[i])
      self->drawn = self->drawn * 31 + i + 1;

  return self;
}

/**
 * assay_view_new:
 * @verdicts: what to show
 * @tree: the scopes of its graph
 * @options: which part of it
 *
 * Makes the picture of a region: boxes, layout and ways of edges. Always ends, in time linear in
 * nodes and edges; who cancels gets it at once, with more crossings.
 *
 * Returns: (transfer full): the view
 */
AssayView *
assay_view_new (const AssayVerdicts *verdicts, const AssayScopeTree *tree,
                const AssayViewOptions *options)
{
  AssayView *self = build (verdicts, tree, options, NULL);
  AssayView *kept = options->before != NULL ? assay_view_recall (self, options->before) : NULL;

  if (kept == NULL && options->before != NULL)
    {
      g_autofree double *levels = assay_view_find_levels (self, options->before);

      if (levels != NULL)
        {
          assay_view_free (self);
          self = build (verdicts, tree, options, levels);
        }
    }
  if (kept == NULL)
    arrange (self, options->cancellable);
  if (kept == NULL && options->before != NULL)
    kept = assay_view_keep (self, options->before);
  if (kept == NULL)
    return self;

  assay_view_free (self);

  return kept;
}

/**
 * assay_view_ref:
 * @self: a view
 *
 * Takes a reference, from any thread.
 *
 * Returns: (transfer full): the view
 */
AssayView *
assay_view_ref (AssayView *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * assay_view_free:
 * @self: (nullable): a view
 *
 * Gives up a reference; the last one frees the view.
 */
void
assay_view_free (AssayView *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->base == NULL)
    {
      assay_arena_free (self->arena);
      g_free (self->node_box);
    }
  assay_view_free (self->base);
  assay_view_free (self->before);
  assay_verdicts_unref ((AssayVerdicts *) self->verdicts);
  assay_scope_tree_free ((AssayScopeTree *) self->tree);
  g_array_unref (self->boxes);
  g_array_unref (self->nets);
  g_array_unref (self->edges);
  g_array_unref (self->in_edges);
  g_array_unref (self->stubs);
  g_array_unref (self->lane_x);
  g_array_unref (self->track_y);
  g_array_unref (self->segments);
  g_array_unref (self->ranks);
  g_array_unref (self->rank_order);
  g_array_unref (self->frames);
  g_array_unref (self->box_frame);
  g_free (self);
}

/**
 * assay_view_is_before:
 * @self: a view
 * @later: (nullable): another one
 *
 * Tells whether a view has been there before another one, whose places were kept from it, directly
 * or over others. Such a view comes back when it is asked for again, and so does @later itself.
 *
 * Returns: whether it is one of those, or @later
 */
gboolean
assay_view_is_before (const AssayView *self, const AssayView *later)
{
  for (; later != NULL; later = later->before)
    if (later == self)
      return TRUE;

  return FALSE;
}

/**
 * assay_view_find_node:
 * @self: a view
 * @node: a node of the graph
 *
 * Finds the box that shows a node: its own or the folded scope it is in.
 *
 * Returns: the box, or %ASSAY_NO_BOX if it is in another region
 */
guint32
assay_view_find_node (const AssayView *self, AssayNodeId node)
{
  if (node == ASSAY_NO_NODE || node >= assay_graph_n_nodes (self->verdicts->graph))
    return ASSAY_NO_BOX;

  return self->node_box[node] == 0 ? ASSAY_NO_BOX : self->node_box[node] - 1;
}

/**
 * assay_view_ranks_in:
 * @self: a view
 * @y1: top
 * @y2: bottom
 * @first: (out): the first rank that may be seen, with the channel below it
 * @end: (out): one past the last one
 *
 * Finds the ranks in a strip.
 */
void
assay_view_ranks_in (const AssayView *self, double y1, double y2, guint32 *first, guint32 *end)
{
  guint32 low = 0;
  guint32 high = self->ranks->len;

  /* The last rank that begins at or above the strip, since its channel may reach into it. */
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (assay_view_rank (self, middle)->y <= y1)
        low = middle + 1;
      else
        high = middle;
    }
  *first = low > 0 ? low - 1 : 0;

  high = self->ranks->len;
  low = *first;
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (assay_view_rank (self, middle)->y < y2)
        low = middle + 1;
      else
        high = middle;
    }
  *end = low;
}

/* The first box of a rank whose right end is beyond x. */
static guint32
first_right_of (const AssayView *self, const AssayViewRank *rank, double x)
{
  guint32 low = 0;
  guint32 high = rank->n;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      const AssayViewBox *box = assay_view_box (
          self, g_array_index (self->rank_order, guint32, rank->first + middle));

      if (box->x + box->width <= x)
        low = middle + 1;
      else
        high = middle;
    }

  return low;
}

/**
 * assay_view_hit:
 * @self: a view
 * @x: x of a point
 * @y: y of a point
 *
 * Finds the box at a point.
 *
 * Returns: the box, or %ASSAY_NO_BOX
 */
guint32
assay_view_hit (const AssayView *self, double x, double y)
{
  guint32 first, end;

  assay_view_ranks_in (self, y, y + 1, &first, &end);
  for (guint32 r = first; r < end; r++)
    {
      const AssayViewRank *rank = assay_view_rank (self, r);
      guint32 i = first_right_of (self, rank, x);

      if (i < rank->n)
        {
          guint32 index = g_array_index (self->rank_order, guint32, rank->first + i);
          const AssayViewBox *box = assay_view_box (self, index);

          if (x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height)
            return index;
        }
    }

  return ASSAY_NO_BOX;
}

/**
 * assay_view_hit_stub:
 * @self: a view
 * @x: x of a point
 * @y: y of a point
 *
 * Finds the stub at a point.
 *
 * Returns: its index, or %ASSAY_NO_BOX
 */
guint32
assay_view_hit_stub (const AssayView *self, double x, double y)
{
  double reach = ASSAY_STUB_WIDTH + 12;
  guint32 first, end;

  /* Pills of low boxes stand out above and below them. */
  assay_view_ranks_in (self, y - ASSAY_STUB_HEIGHT, y + ASSAY_STUB_HEIGHT, &first, &end);
  for (guint32 r = first; r < end; r++)
    {
      const AssayViewRank *rank = assay_view_rank (self, r);

      for (guint32 i = first_right_of (self, rank, x - reach); i < rank->n; i++)
        {
          const AssayViewBox *box = assay_view_box (
              self, g_array_index (self->rank_order, guint32, rank->first + i));

          if (box->x > x + reach)
            break;
          for (guint32 k = box->first_stub; k < box->first_stub + box->n_stubs; k++)
            {
              const AssayViewStub *stub = &g_array_index (self->stubs, AssayViewStub, k);

              if (x >= stub->x && x < stub->x + ASSAY_STUB_WIDTH && y >= stub->y &&
                  y < stub->y + ASSAY_STUB_HEIGHT)
                return k;
            }
        }
    }

  return ASSAY_NO_BOX;
}

/**
 * assay_view_stub_end:
 * @self: a view
 * @stub: index of a stub
 *
 * Finds the other end of a stub: for a reader the box that writes the value, for the writer its
 * first reader.
 *
 * Returns: the box, or %ASSAY_NO_BOX if it is in another region
 */
guint32
assay_view_stub_end (const AssayView *self, guint32 stub)
{
  const AssayViewStub *from = &g_array_index (self->stubs, AssayViewStub, stub);

  if (from->count == 0)
    return from->other;

  for (guint32 i = 0; i < self->stubs->len; i++)
    {
      const AssayViewStub *to = &g_array_index (self->stubs, AssayViewStub, i);

      if (to->count == 0 && to->value == from->value && to->other == from->box)
        return to->box;
    }

  return ASSAY_NO_BOX;
}

/**
 * assay_view_nearest:
 * @self: a view
 * @x: x of a point
 * @y: y of a point
 *
 * Finds the box whose centre is nearest to a point, looking at the nearest ranks only.
 *
 * Returns: the box, or %ASSAY_NO_BOX in an empty view
 */
guint32
assay_view_nearest (const AssayView *self, double x, double y)
{
  guint32 first, end;
  guint32 best = ASSAY_NO_BOX;
  double best_distance = INFINITY;

  assay_view_ranks_in (self, y - 100, y + 100, &first, &end);
  for (guint32 r = first; r < MAX (end, first + 1) && r < self->ranks->len; r++)
    {
      const AssayViewRank *rank = assay_view_rank (self, r);

      for (guint32 i = 0; i < rank->n; i++)
        {
          guint32 index = g_array_index (self->rank_order, guint32, rank->first + i);
          const AssayViewBox *box = assay_view_box (self, index);
          double distance = hypot (box->x + box->width / 2 - x, box->y + box->height / 2 - y);

          if (distance < best_distance)
            {
              best = index;
              best_distance = distance;
            }
        }
    }

  return best;
}

/**
 * assay_view_count:
 * @self: a view
 * @x1: left
 * @y1: top
 * @x2: right
 * @y2: bottom
 *
 * Counts the boxes in a rectangle, for the choice of detail.
 *
 * Returns: the number
 */
guint
assay_view_count (const AssayView *self, double x1, double y1, double x2, double y2)
{
  guint32 first, end;
  guint count = 0;

  assay_view_ranks_in (self, y1, y2, &first, &end);
  if (first >= end)
    return 0;
  if (x1 <= 0 && x2 >= self->width)
    {
      const AssayViewRank *last = assay_view_rank (self, end - 1);

      return last->before + last->n - assay_view_rank (self, first)->before;
    }

  for (guint32 r = first; r < end; r++)
    {
      const AssayViewRank *rank = assay_view_rank (self, r);
      guint32 i = first_right_of (self, rank, x1);

      while (i < rank->n &&
             assay_view_box (self, g_array_index (self->rank_order, guint32, rank->first + i))->x <
                 x2)
        {
          count++;
          i++;
        }
    }

  return count;
}
