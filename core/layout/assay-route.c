/* assay-route.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ways of edges: down from the port of the source, sideways on a track of the channel between two
 * ranks, down its lane through the next rank, and so on. Boxes keep clear of lanes, and tracks lie
 * between ranks only, so no way leads through a box.
 */
#include "layout/assay-view-private.h"

#include <math.h>
#include <stdlib.h>

#define PORT_MARGIN 12.0
#define PORT_GAP 12.0
#define PORT_GAP_MIN 4.0
#define TRACK_TOP 5.0
#define TRACK_STEP 4.0
#define TRACK_STEP_MIN 2.0
#define TRACK_BOTTOM 9.0 /* room for the arrowhead */
#define MAX_TRACKS 32

/* Turns of a channel that are compared with each other. */
#define MAX_SIFTED 48

/* Crossings that are better than one line on another. */
#define ON_EACH_OTHER 8

typedef struct
{
  double want;
  double place;
  guint32 item;
} Port;

typedef struct
{
  double from;
  double min;
  double max;
  guint32 net;
  guint32 track;
  guint32 first_drop; /* where it goes down again */
  guint32 n_drops;
} Turn;

/* The turns of one channel; the arrays are used for all of them. */
typedef struct
{
  Turn *turns;
  guint32 n;
  GArray *drops;
  GArray *costs; /* per pair what it costs to have the first one above the second one */
} Bends;

static double
lane_x (const AssayView *self, guint32 index)
{
  return g_array_index (self->lane_x, double, index);
}

static double *
track_y (const AssayView *self, guint32 index)
{
  return &g_array_index (self->track_y, double, index);
}

static int
compare_ports (gconstpointer a, gconstpointer b)
{
  const Port *pa = a;
  const Port *pb = b;

  if (pa->want != pb->want)
    return pa->want < pb->want ? -1 : 1;

  return pa->item < pb->item ? -1 : 1;
}

/* Ports stand where their lines want to go straight, inside the margins and apart from each other.
 */
static void
spread_ports (const AssayViewBox *box, Port *ports, guint32 n)
{
  double low = box->x + PORT_MARGIN;
  double high = box->x + box->width - PORT_MARGIN;
  double gap = n > 1 ? MIN (PORT_GAP, floor ((high - low) / (n - 1) / PORT_GAP_MIN) * PORT_GAP_MIN)
                     : 0;

  if (n > 1 && gap < PORT_GAP_MIN)
    gap = (high - low) / (n - 1);

  qsort (ports, n, sizeof *ports, compare_ports);
  for (guint32 i = 0; i < n; i++)
    {
      ports[i].place = CLAMP (ports[i].want, low, high);
      if (i > 0)
        ports[i].place = MAX (ports[i].place, ports[i - 1].place + gap);
    }
  for (guint32 i = n; i-- > 0;)
    {
      ports[i].place = MIN (ports[i].place, i + 1 < n ? ports[i + 1].place - gap : high);
    }
}

static double
center_of (const AssayViewBox *box)
{
  return box->x + box->width / 2;
}

/* Where a net would like to leave its source: straight down if what comes next allows it. */
static double
wanted_exit (const AssayView *self, const AssayViewNet *net)
{
  const AssayViewBox *source = assay_view_box (self, net->source);
  double next = center_of (source);
  guint32 n = 0;

  if (net->n_lanes > 0)
    {
      next = lane_x (self, net->first_lane);
      n++;
    }
  for (guint32 i = net->first_edge; i < net->first_edge + net->n_edges; i++)
    {
      const AssayViewBox *target = assay_view_box (self, assay_view_edge (self, i)->target);

      if (target->rank != source->rank + 1)
        continue;
      if (center_of (target) == center_of (source))
        return center_of (source);
      next = center_of (target);
      n++;
    }

  return n == 1 ? next : center_of (source);
}

static void
place_exits (AssayView *self, Port *ports)
{
  for (guint32 i = 0; i < self->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (self, i);
      guint32 n = 0;

      for (guint32 k = box->first_net; k < box->first_net + box->n_nets; k++)
        if (assay_view_net (self, k)->n_edges > 0)
          {
            ports[n].want = wanted_exit (self, assay_view_net (self, k));
            ports[n++].item = k;
          }
      spread_ports (box, ports, n);
      for (guint32 k = 0; k < n; k++)
        assay_view_net (self, ports[k].item)->port_x = ports[k].place;
    }
}

/* Where the net of an edge stands just above the rank of a box. */
static double
above_of (const AssayView *self, const AssayViewNet *net, guint32 rank)
{
  guint32 steps = rank - assay_view_box (self, net->source)->rank;

  return steps == 1 ? net->port_x : lane_x (self, net->first_lane + steps - 2);
}

static void
place_entries (AssayView *self, Port *ports)
{
  for (guint32 i = 0; i < self->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (self, i);

      for (guint32 k = 0; k < box->n_in; k++)
        {
          guint32 edge = g_array_index (self->in_edges, guint32, box->first_in + k);

          ports[k].want = above_of (self, assay_view_net (self, assay_view_edge (self, edge)->net),
                                    box->rank);
          ports[k].item = edge;
        }
      spread_ports (box, ports, box->n_in);
      for (guint32 k = 0; k < box->n_in; k++)
        assay_view_edge (self, ports[k].item)->port_x = ports[k].place;
    }
}

static int
compare_turns (gconstpointer a, gconstpointer b)
{
  const Turn *ta = a;
  const Turn *tb = b;
  gboolean right_a = ta->max > ta->from;
  gboolean right_b = tb->max > tb->from;

  if (right_a != right_b)
    return right_a ? -1 : 1;
  /* Of those going right the rightmost turns first, of those going left the leftmost: then they do
   * not cross. */
  if (ta->from != tb->from)
    return (ta->from > tb->from) == right_a ? -1 : 1;

  return ta->net < tb->net ? -1 : 1;
}

static double
drop_of (const Bends *self, const Turn *turn, guint32 index)
{
  return g_array_index (self->drops, double, turn->first_drop + index);
}

/* Crossings of two turns if the first one is above: what goes down from it, and what comes down to
 * the other one. Two lines on each other are worse. */
static guint32
cost_above (const Bends *self, const Turn *above, const Turn *below)
{
  guint32 cost = below->from > above->min && below->from < above->max ? 1 : 0;

  for (guint32 i = 0; i < above->n_drops; i++)
    {
      double x = drop_of (self, above, i);

      cost += x == below->from ? ON_EACH_OTHER : x > below->min && x < below->max ? 1 : 0;
    }

  return cost;
}

/* Tries every turn at all places among the others and leaves it where the crossings are fewest. */
static void
sift_turns (Bends *self)
{
  guint32 n = self->n;
  g_autofree guint32 *order = g_new (guint32, n);
  g_autofree Turn *turns = g_memdup2 (self->turns, n * sizeof *turns);
  const guint32 *costs;
  gboolean changed = TRUE;

  g_array_set_size (self->costs, n * n);
  for (guint32 i = 0; i < n; i++)
    for (guint32 k = 0; k < n; k++)
      g_array_index (self->costs, guint32, i * n + k) = cost_above (self, &turns[i], &turns[k]);
  costs = (const guint32 *) (const void *) self->costs->data;

  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  for (guint step = 0; step < 4 && changed; step++)
    {
      changed = FALSE;
      for (guint32 at = 0; at < n; at++)
        {
          guint32 turn = order[at];
          guint32 best = at;
          int least = 0;
          int sum = 0;

          for (guint32 i = at + 1; i < n; i++)
            {
              sum += (int) costs[order[i] * n + turn] - (int) costs[turn * n + order[i]];
              if (sum < least)
                {
                  least = sum;
                  best = i;
                }
            }
          sum = 0;
          for (guint32 i = at; i-- > 0;)
            {
              sum += (int) costs[turn * n + order[i]] - (int) costs[order[i] * n + turn];
              if (sum < least)
                {
                  least = sum;
                  best = i;
                }
            }
          for (guint32 i = at; i < best; i++)
            order[i] = order[i + 1];
          for (guint32 i = at; i > best; i--)
            order[i] = order[i - 1];
          order[best] = turn;
          changed = changed || best != at;
        }
    }

  for (guint32 i = 0; i < n; i++)
    self->turns[i] = turns[order[i]];
}

/* Gives the turns of a channel their tracks, top down. Each track remembers the span of what lies
 * on it. */
static guint32
share_tracks (Bends *self)
{
  double min[MAX_TRACKS];
  double max[MAX_TRACKS];
  guint32 used = 0;

  qsort (self->turns, self->n, sizeof *self->turns, compare_turns);
  if (self->n > 1 && self->n <= MAX_SIFTED)
    sift_turns (self);
  for (guint32 i = 0; i < self->n; i++)
    {
      Turn *turn = &self->turns[i];
      guint32 track = 0;

      for (guint32 t = used; t-- > 0 && track == 0;)
        if (turn->min <= max[t] + PORT_GAP_MIN && turn->max >= min[t] - PORT_GAP_MIN)
          track = t + 1;

      /* A channel that is full doubles lines up rather than grow without end. */
      if (track >= MAX_TRACKS)
        track = i % MAX_TRACKS;
      if (track >= used)
        {
          used = track + 1;
          min[track] = turn->min;
          max[track] = turn->max;
        }
      min[track] = MIN (min[track], turn->min);
      max[track] = MAX (max[track], turn->max);
      turn->track = track;
    }

  return used;
}

static void
add_drop (Bends *self, Turn *turn, double x)
{
  g_array_append_val (self->drops, x);
  turn->n_drops++;
  turn->min = MIN (turn->min, x);
  turn->max = MAX (turn->max, x);
}

/* Lists what passes between each rank and the next. */
void
assay_view_list_channels (const AssayView *self, AssayViewChannels *channels)
{
  guint32 n_ranks = self->ranks->len;
  g_autofree guint32 *filled = g_new0 (guint32, n_ranks + 1);

  channels->start = g_new0 (guint32, n_ranks + 2);
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint32 i = 0; i < self->nets->len; i++)
        {
          const AssayViewNet *net = assay_view_net (self, i);
          guint32 first = assay_view_box (self, net->source)->rank;

          if (net->n_edges == 0)
            continue;
          for (guint32 r = first; r <= first + net->n_lanes; r++)
            if (pass == 0)
              channels->start[r + 1]++;
            else
              channels->nets[channels->start[r] + filled[r]++] = i;
        }
      if (pass == 0)
        {
          for (guint32 r = 0; r < n_ranks; r++)
            channels->start[r + 1] += channels->start[r];
          channels->nets = g_new (guint32, channels->start[n_ranks] + 1);
        }
    }
}

/* Edges of a net that end below a channel; they stand sorted by the rank of their targets. */
static void
edges_ending (const AssayView *self, const AssayViewNet *net, guint32 rank, guint32 *first,
              guint32 *end)
{
  guint32 low = net->first_edge;
  guint32 high = net->first_edge + net->n_edges;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (assay_view_box (self, assay_view_edge (self, middle)->target)->rank < rank)
        low = middle + 1;
      else
        high = middle;
    }
  *first = low;
  while (low < net->first_edge + net->n_edges &&
         assay_view_box (self, assay_view_edge (self, low)->target)->rank == rank)
    low++;
  *end = low;
}

static double
lay_channel (AssayView *self, guint32 r, const AssayViewChannels *channels, double top,
             Bends *bends)
{
  double height = assay_view_rank (self, r)->channel;
  double distance = TRACK_STEP;
  guint32 tracks;

  bends->n = 0;
  g_array_set_size (bends->drops, 0);

  for (guint32 i = channels->start[r]; i < channels->start[r + 1]; i++)
    {
      guint32 index = channels->nets[i];
      const AssayViewNet *net = assay_view_net (self, index);
      guint32 step = r - assay_view_box (self, net->source)->rank;
      guint32 first, end;
      Turn turn = { .from = above_of (self, net, r + 1),
                    .net = index,
                    .first_drop = bends->drops->len };

      turn.min = turn.max = turn.from;
      if (step < net->n_lanes)
        add_drop (bends, &turn, lane_x (self, net->first_lane + step));
      edges_ending (self, net, r + 1, &first, &end);
      for (guint32 k = first; k < end; k++)
        add_drop (bends, &turn, assay_view_edge (self, k)->port_x);

      *track_y (self, net->first_track + step) = NAN;
      if (turn.min < turn.max)
        bends->turns[bends->n++] = turn;
    }

  tracks = share_tracks (bends);
  /* A channel that was there before stays as high as it was, with its tracks closer to each other
   * if it has to be. */
  if (height > 0 && tracks > 1)
    distance = CLAMP (floor ((height - TRACK_TOP - TRACK_BOTTOM) / (tracks - 1)), TRACK_STEP_MIN,
                      TRACK_STEP);
  height = MAX (height, ASSAY_CHANNEL_HEIGHT);
  for (guint32 i = 0; i < bends->n; i++)
    {
      const Turn *turn = &bends->turns[i];
      const AssayViewNet *net = assay_view_net (self, turn->net);

      *track_y (self, net->first_track + r - assay_view_box (self, net->source)->rank) =
          top + TRACK_TOP + turn->track * distance;
    }

  return MAX (height, tracks == 0 ? 0 : TRACK_TOP + (tracks - 1) * distance + TRACK_BOTTOM);
}

static void
add_segment (AssayView *self, guint32 net, double x1, double y1, double x2, double y2)
{
  AssayViewSegment segment = { x1, y1, x2, y2, net };

  if (x1 != x2 || y1 != y2)
    g_array_append_val (self->segments, segment);
}

/* Adds the pieces of lines between a rank and the next. */
static void
draw_channel (AssayView *self, guint32 r, const AssayViewChannels *channels)
{
  const AssayViewRank *rank = assay_view_rank (self, r);
  const AssayViewRank *below = assay_view_rank (self, r + 1);

  for (guint32 i = channels->start[r]; i < channels->start[r + 1]; i++)
    {
      guint32 index = channels->nets[i];
      const AssayViewNet *net = assay_view_net (self, index);
      const AssayViewBox *source = assay_view_box (self, net->source);
      guint32 step = r - source->rank;
      double x = above_of (self, net, r + 1);
      double turn = *track_y (self, net->first_track + step);
      double top = step == 0 ? source->y + source->height : rank->y;
      double min = x;
      double max = x;
      double down = isnan (turn) ? top : turn;
      guint32 first, end;

      edges_ending (self, net, r + 1, &first, &end);
      add_segment (self, index, x, top, x, down);
      if (step < net->n_lanes)
        {
          double lane = lane_x (self, net->first_lane + step);

          min = MIN (min, lane);
          max = MAX (max, lane);
          add_segment (self, index, lane, down, lane, below->y);
        }
      for (guint32 k = first; k < end; k++)
        {
          const AssayViewEdge *edge = assay_view_edge (self, k);

          min = MIN (min, edge->port_x);
          max = MAX (max, edge->port_x);
          add_segment (self, index, edge->port_x, down, edge->port_x,
                       assay_view_box (self, edge->target)->y);
        }
      if (!isnan (turn))
        add_segment (self, index, min, turn, max, turn);
    }
}

/* Sorts the edges of each net by the rank of their target; nets have few edges, since many readers
 * make stubs. */
static void
sort_edges (AssayView *self)
{
  for (guint32 i = 0; i < self->nets->len; i++)
    {
      const AssayViewNet *net = assay_view_net (self, i);

      for (guint32 k = net->first_edge + 1; k < net->first_edge + net->n_edges; k++)
        {
          AssayViewEdge edge = *assay_view_edge (self, k);
          guint32 rank = assay_view_box (self, edge.target)->rank;
          guint32 m = k;

          for (; m > net->first_edge &&
                 assay_view_box (self, assay_view_edge (self, m - 1)->target)->rank > rank;
               m--)
            *assay_view_edge (self, m) = *assay_view_edge (self, m - 1);
          *assay_view_edge (self, m) = edge;
        }
    }
}

static void
relist_in_edges (AssayView *self)
{
  g_autofree guint32 *filled = g_new0 (guint32, self->boxes->len + 1);

  for (guint32 i = 0; i < self->edges->len; i++)
    {
      guint32 target = assay_view_edge (self, i)->target;

      g_array_index (self->in_edges, guint32,
                     assay_view_box (self, target)->first_in + filled[target]++) = i;
    }
}

/* Makes the pieces of all lines, which have their turns. */
void
assay_view_draw_channels (AssayView *self, const AssayViewChannels *channels)
{
  g_array_set_size (self->segments, 0);
  for (guint32 r = 0; r < self->ranks->len; r++)
    {
      AssayViewRank *rank = assay_view_rank (self, r);

      rank->first_segment = self->segments->len;
      if (r + 1 < self->ranks->len)
        draw_channel (self, r, channels);
      rank->n_segments = self->segments->len - rank->first_segment;
    }
}

void
assay_view_channels_clear (AssayViewChannels *channels)
{
  g_clear_pointer (&channels->start, g_free);
  g_clear_pointer (&channels->nets, g_free);
}

/**
 * assay_view_route:
 * @self: a view whose boxes and lanes have their x
 * @layers: the drawing they come from
 *
 * Gives ranks their y and edges their ways.
 */
void
assay_view_route (AssayView *self, const AssayLayers *layers)
{
  AssayViewChannels channels = { NULL, NULL };
  g_autofree Port *ports = NULL;
  g_autofree Turn *turns = NULL;
  g_autoptr (GArray) drops = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) costs = g_array_new (FALSE, FALSE, sizeof (guint32));
  Bends bends = { .drops = drops, .costs = costs };
  guint32 most = 1;
  guint32 widest = 1;
  double y = 0;

  sort_edges (self);
  relist_in_edges (self);
  for (guint32 i = 0; i < self->boxes->len; i++)
    most = MAX (most, MAX (assay_view_box (self, i)->n_in, assay_view_box (self, i)->n_nets));
  ports = g_new (Port, most);
  place_exits (self, ports);
  place_entries (self, ports);

  assay_view_list_channels (self, &channels);
  for (guint32 r = 0; r < self->ranks->len; r++)
    widest = MAX (widest, channels.start[r + 1] - channels.start[r]);
  turns = g_new (Turn, widest);
  bends.turns = turns;

  for (guint32 r = 0; r < self->ranks->len; r++)
    {
      AssayViewRank *rank = assay_view_rank (self, r);

      y += rank->above;
      rank->y = y;
      for (guint32 i = 0; i < rank->n; i++)
        {
          AssayViewBox *box = assay_view_box (
              self, g_array_index (self->rank_order, guint32, rank->first + i));

          box->y = y + (rank->height - box->height) / 2;
        }
      y += rank->height + rank->below;
      if (r + 1 < self->ranks->len)
        {
          rank->channel = lay_channel (self, r, &channels, y, &bends);
          y += rank->channel;
        }
    }
  self->height = y;

  assay_view_draw_channels (self, &channels);
  assay_view_channels_clear (&channels);
}

static void
add_point (GArray *points, double x, double y)
{
  double point[2] = { x, y };

  g_array_append_vals (points, point, 1);
}

/**
 * assay_view_edge_path:
 * @self: a view
 * @edge: an edge
 * @points: (element-type double): pairs of doubles are appended
 *
 * Gets the way of one edge from its source to its target, for drawing it over the rest.
 */
void
assay_view_edge_path (const AssayView *self, guint32 edge, GArray *points)
{
  const AssayViewEdge *e = assay_view_edge (self, edge);
  const AssayViewNet *net = assay_view_net (self, e->net);
  const AssayViewBox *source = assay_view_box (self, net->source);
  const AssayViewBox *target = assay_view_box (self, e->target);
  double x = net->port_x;

  add_point (points, x, source->y + source->height);
  for (guint32 step = 0; source->rank + step < target->rank; step++)
    {
      double turn = *track_y (self, net->first_track + step);
      double next = source->rank + step + 1 == target->rank ? e->port_x
                                                            : lane_x (self, net->first_lane + step);

      if (!isnan (turn) && next != x)
        {
          add_point (points, x, turn);
          add_point (points, next, turn);
        }
      x = next;
    }
  add_point (points, x, target->y);
}
