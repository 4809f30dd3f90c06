/* assay-layers-frames.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Frames around groups of boxes. An order that few edges cross knows no groups, so vertices of a
 * rank are sorted anew: those of a group side by side, groups in the same order in all ranks. Each
 * group gets a lane at its left and one at its right over all of its ranks; as lanes come out
 * straight, the frame is what lies between them.
 */
#include "layout/assay-layers-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE G_MAXUINT32

typedef struct
{
  guint32 first;
  guint32 last;
} List;

typedef struct
{
  AssayLayers *layers;
  AssayLayersFrame *frames;
  guint32 n_frames;
  guint32 *frame_of; /* per vertex that is no border: its frame plus one, 0 for none */
  double
      *key; /* per vertex: where it stood; one value for all lanes of a net, if nothing is held */
  gboolean is_held;
  double *frame_key;
  guint32 *rank_frames; /* per rank: where its frames begin in frames_in */
  guint32 *frames_in;
  /* of the rank at hand, per frame plus one */
  List *inside; /* its vertices */
  List *before; /* vertices of the frame around it that stand left of it, but not left of the one
                   before it */
  guint32 *first_child;
  guint32 *next_child;
  guint32 *next_vertex; /* the lists, per vertex */
  guint32 n_before;     /* vertices without borders */
  guint32 *order;       /* the new one */
  guint32 n_placed;
} Framer;

static guint32
parent_of (const Framer *self, guint32 frame)
{
  return frame == 0 ? 0 : self->frames[frame - 1].parent;
}

/* The deepest frame around two. */
static guint32
common_frame (const Framer *self, guint32 a, guint32 b)
{
  while (a != b)
    {
      if (a == 0 || b == 0)
        return 0;
      /* Parents stand before children. */
      if (a > b)
        a = parent_of (self, a);
      else
        b = parent_of (self, b);
    }

  return a;
}

static void
find_ranges (Framer *self)
{
  const AssayLayers *layers = self->layers;

  for (guint32 f = 0; f < self->n_frames; f++)
    {
      self->frames[f].first_rank = G_MAXUINT32;
      self->frames[f].last_rank = 0;
    }
  for (guint32 v = 0; v < layers->n_boxes; v++)
    for (guint32 f = self->frame_of[v]; f != 0; f = parent_of (self, f))
      {
        self->frames[f - 1].first_rank = MIN (self->frames[f - 1].first_rank, layers->rank[v]);
        self->frames[f - 1].last_rank = MAX (self->frames[f - 1].last_rank, layers->rank[v]);
      }
}

/* A line stays in the frame of its source to the lower end of that, and comes into the frame of its
 * targets from the upper end: it crosses frames at the top and at the bottom only, where it can. */
static guint32
frame_of_lane (const Framer *self, guint32 source, guint32 target, guint32 rank)
{
  guint32 common = common_frame (self, source, target);

  for (guint32 f = source; f != common; f = parent_of (self, f))
    if (self->frames[f - 1].last_rank >= rank)
      return f;
  for (guint32 f = target; f != common; f = parent_of (self, f))
    if (self->frames[f - 1].first_rank <= rank)
      return f;

  return common;
}

static void
find_frames_of_lanes (Framer *self)
{
  const AssayLayers *layers = self->layers;

  for (guint32 i = 0; i < layers->n_nets; i++)
    {
      const AssayLayersNet *net = &layers->nets[i];
      guint32 target = net->n_targets > 0 ? self->frame_of[layers->targets[net->first_target]] : 0;
      double sum = 0;

      for (guint32 k = 1; k < net->n_targets; k++)
        target = common_frame (self, target,
                               self->frame_of[layers->targets[net->first_target + k]]);
      for (guint32 k = 0; k < layers->lane_count[i]; k++)
        sum += layers->x[layers->lane_first[i] + k];
      for (guint32 k = 0; k < layers->lane_count[i]; k++)
        {
          guint32 v = layers->lane_first[i] + k;

          self->frame_of[v] = frame_of_lane (self, self->frame_of[net->source], target,
                                             layers->rank[v]);
          self->key[v] = self->is_held ? layers->x[v] : sum / layers->lane_count[i];
        }
    }
}

static void
find_keys (Framer *self)
{
  const AssayLayers *layers = self->layers;
  g_autofree double *sum = g_new0 (double, self->n_frames + 1);
  g_autofree guint32 *count = g_new0 (guint32, self->n_frames + 1);

  for (guint32 v = 0; v < layers->n_boxes; v++)
    {
      self->key[v] = layers->x[v];
      for (guint32 f = self->frame_of[v]; f != 0; f = parent_of (self, f))
        {
          sum[f] += layers->x[v];
          count[f]++;
        }
    }
  for (guint32 f = 0; f < self->n_frames; f++)
    self->frame_key[f] = count[f + 1] > 0 ? sum[f + 1] / count[f + 1] : 0;
}

typedef struct
{
  double key;
  guint32 frame;
} Child;

static int
compare_children (gconstpointer a, gconstpointer b)
{
  const Child *ca = a;
  const Child *cb = b;

  if (ca->key != cb->key)
    return ca->key < cb->key ? -1 : 1;

  return ca->frame < cb->frame ? -1 : 1;
}

/* Lists the frames of each rank from left to right. */
static void
list_frames (Framer *self)
{
  const AssayLayers *layers = self->layers;
  g_autofree Child *sorted = g_new (Child, self->n_frames + 1);
  g_autofree guint32 *filled = g_new0 (guint32, layers->n_ranks + 1);

  self->rank_frames = g_new0 (guint32, layers->n_ranks + 2);
  for (guint32 f = 0; f < self->n_frames; f++)
    {
      sorted[f] = (Child){ self->frame_key[f], f + 1 };
      for (guint32 r = self->frames[f].first_rank; r <= self->frames[f].last_rank; r++)
        self->rank_frames[r + 1]++;
    }
  for (guint32 r = 0; r < layers->n_ranks; r++)
    self->rank_frames[r + 1] += self->rank_frames[r];

  self->frames_in = g_new (guint32, self->rank_frames[layers->n_ranks] + 1);
  qsort (sorted, self->n_frames, sizeof *sorted, compare_children);
  for (guint32 i = 0; i < self->n_frames; i++)
    {
      const AssayLayersFrame *frame = &self->frames[sorted[i].frame - 1];

      for (guint32 r = frame->first_rank; r <= frame->last_rank; r++)
        self->frames_in[self->rank_frames[r] + filled[r]++] = sorted[i].frame;
    }
}

/* A frame that holds everything in its ranks has nothing to keep out, and needs no borders. */
static void
find_lonely (Framer *self)
{
  const AssayLayers *layers = self->layers;
  g_autofree guint32 *inside = g_new0 (guint32, self->n_frames + 1);

  for (guint32 v = 0; v < layers->n_vertices; v++)
    for (guint32 f = self->frame_of[v]; f != 0; f = parent_of (self, f))
      inside[f]++;
  for (guint32 f = 0; f < self->n_frames; f++)
    {
      guint32 all = layers->rank_start[self->frames[f].last_rank + 1] -
                    layers->rank_start[self->frames[f].first_rank];

      self->frames[f].first_border = inside[f + 1] == all ? NONE : 0;
    }
}

static gboolean
has_borders (const Framer *self, guint32 frame)
{
  return self->frames[frame].first_border != NONE;
}

/* Borders are vertices too: two for each rank of each frame. */
static void
make_borders (Framer *self)
{
  AssayLayers *layers = self->layers;
  guint32 n = layers->n_vertices;
  guint32 *rank;

  self->n_before = n;
  for (guint32 f = 0; f < self->n_frames; f++)
    if (has_borders (self, f))
      {
        self->frames[f].first_border = n;
        n += 2 * (self->frames[f].last_rank - self->frames[f].first_rank + 1);
      }

  layers->n_vertices = n;
  rank = g_renew (guint32, layers->rank, n + 1);
  layers->weight = g_renew (guint32, layers->weight, n + 1);
  for (guint32 v = self->n_before; v < n; v++)
    layers->weight[v] = 1;
  for (guint32 f = 0; f < self->n_frames; f++)
    for (guint32 r = self->frames[f].first_rank;
         has_borders (self, f) && r <= self->frames[f].last_rank; r++)
      for (guint side = 0; side < 2; side++)
        rank[assay_layers_border (&self->frames[f], r, side)] = r;
  layers->rank = rank;
}

/* The neighbours of before, and each border under the one above it. */
static void
join_borders (Framer *self, guint32 **start, guint32 **others, gboolean upward)
{
  guint32 n = self->layers->n_vertices;
  guint32 *new_start = g_new (guint32, n + 2);
  guint32 *new_others = g_new (guint32, (*start)[self->n_before] + (n - self->n_before) + 1);
  guint32 filled = (*start)[self->n_before];

  memcpy (new_start, *start, (self->n_before + 1) * sizeof *new_start);
  memcpy (new_others, *others, filled * sizeof *new_others);
  for (guint32 f = 0; f < self->n_frames; f++)
    for (guint32 r = self->frames[f].first_rank;
         has_borders (self, f) && r <= self->frames[f].last_rank; r++)
      for (guint side = 0; side < 2; side++)
        {
          new_start[assay_layers_border (&self->frames[f], r, side)] = filled;
          if (upward && r > self->frames[f].first_rank)
            new_others[filled++] = assay_layers_border (&self->frames[f], r - 1, side);
          else if (!upward && r < self->frames[f].last_rank)
            new_others[filled++] = assay_layers_border (&self->frames[f], r + 1, side);
        }
  new_start[n] = filled;

  g_free (*start);
  g_free (*others);
  *start = new_start;
  *others = new_others;
}

static void
place (Framer *self, guint32 vertex)
{
  self->order[self->n_placed++] = vertex;
}

static void
append (const Framer *self, List *list, guint32 vertex)
{
  self->next_vertex[vertex] = NONE;
  if (list->first == NONE)
    list->first = vertex;
  else
    self->next_vertex[list->last] = vertex;
  list->last = vertex;
}

static void
place_list (Framer *self, const List *list)
{
  for (guint32 v = list->first; v != NONE; v = self->next_vertex[v])
    place (self, v);
}

/* The first of some frames that stands right of a place. */
static guint32
first_right_of (const Framer *self, const guint32 *children, guint32 n, double key)
{
  guint32 low = 0;

  while (low < n)
    {
      guint32 middle = low + (n - low) / 2;

      if (self->frame_key[children[middle] - 1] < key)
        low = middle + 1;
      else
        n = middle;
    }

  return low;
}

/* What a frame has in a rank, from left to right: each frame inside of it stands where its boxes
 * stand on average, and the rest is left or right of that. */
static void
place_frame (Framer *self, guint32 frame, guint32 rank)
{
  g_autoptr (GArray) children = g_array_new (FALSE, FALSE, sizeof (guint32));
  List rest = { NONE, NONE };
  guint32 v = self->inside[frame].first;

  for (guint32 child = self->first_child[frame]; child != 0; child = self->next_child[child])
    g_array_append_val (children, child);

  while (v != NONE)
    {
      guint32 next = self->next_vertex[v];
      guint32 k = first_right_of (self, (const guint32 *) (const void *) children->data,
                                  children->len, self->key[v]);

      append (self, k < children->len ? &self->before[g_array_index (children, guint32, k)] : &rest,
              v);
      v = next;
    }

  for (guint i = 0; i < children->len; i++)
    {
      guint32 child = g_array_index (children, guint32, i);

      place_list (self, &self->before[child]);
      if (has_borders (self, child - 1))
        place (self, assay_layers_border (&self->frames[child - 1], rank, 0));
      place_frame (self, child, rank);
      if (has_borders (self, child - 1))
        place (self, assay_layers_border (&self->frames[child - 1], rank, 1));
    }
  place_list (self, &rest);
}

/* Puts what is in a rank into the lists of its frames. */
static void
fill_lists (Framer *self, guint32 rank)
{
  const AssayLayers *layers = self->layers;
  List empty = { NONE, NONE };

  self->inside[0] = empty;
  self->first_child[0] = 0;
  for (guint32 k = self->rank_frames[rank + 1]; k-- > self->rank_frames[rank];)
    {
      guint32 f = self->frames_in[k];

      self->inside[f] = self->before[f] = empty;
      self->first_child[f] = 0;
    }
  for (guint32 k = self->rank_frames[rank + 1]; k-- > self->rank_frames[rank];)
    {
      guint32 f = self->frames_in[k];

      self->next_child[f] = self->first_child[parent_of (self, f)];
      self->first_child[parent_of (self, f)] = f;
    }
  for (guint32 i = layers->rank_start[rank]; i < layers->rank_start[rank + 1]; i++)
    append (self, &self->inside[self->frame_of[layers->order[i]]], layers->order[i]);
}

static void
order_ranks (Framer *self)
{
  AssayLayers *layers = self->layers;
  guint32 n = layers->n_vertices;
  guint32 *rank_start = g_new0 (guint32, layers->n_ranks + 1);

  self->order = g_new (guint32, n + 1);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      rank_start[r] = self->n_placed;
      fill_lists (self, r);
      place_frame (self, 0, r);
    }
  rank_start[layers->n_ranks] = self->n_placed;
  g_assert (self->n_placed == n);

  g_free (layers->order);
  layers->order = self->order;
  g_free (layers->rank_start);
  layers->rank_start = rank_start;
  layers->position = g_renew (guint32, layers->position, n + 1);
  layers->x = g_renew (double, layers->x, n + 1);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    for (guint32 i = rank_start[r]; i < rank_start[r + 1]; i++)
      layers->position[self->order[i]] = i - rank_start[r];
}

/* No two borders are of one group, so nothing passes them. */
static void
order_in_frames (Framer *self)
{
  AssayLayers *layers = self->layers;
  g_autofree guint32 *group = g_new (guint32, layers->n_vertices + 1);

  for (guint32 v = 0; v < layers->n_vertices; v++)
    group[v] = v < self->n_before ? self->frame_of[v] : self->n_frames + v;
  assay_layers_order_groups (layers, group);
}

/* Frames stand out beyond what is in them; the left end of all is at 0 again. */
static void
make_margin (Framer *self)
{
  AssayLayers *layers = self->layers;
  double left = 0;

  for (guint32 f = 0; f < self->n_frames; f++)
    left = MIN (left, self->frames[f].left);
  for (guint32 f = 0; f < self->n_frames; f++)
    {
      self->frames[f].left -= left;
      self->frames[f].right -= left;
    }
  for (guint32 v = 0; v < layers->n_vertices; v++)
    layers->x[v] -= left;
}

/* Borders are free to stand far from what they enclose; a frame is as wide as it has to be. */
static void
find_widths (Framer *self)
{
  const AssayLayers *layers = self->layers;

  for (guint32 f = 0; f < self->n_frames; f++)
    {
      self->frames[f].left = INFINITY;
      self->frames[f].right = -INFINITY;
    }
  for (guint32 v = 0; v < self->n_before; v++)
    if (self->frame_of[v] != 0)
      {
        AssayLayersFrame *frame = &self->frames[self->frame_of[v] - 1];
        gboolean lane = assay_layers_is_lane (layers, v);

        frame->left = MIN (frame->left,
                           layers->x[v] - (lane ? 0 : layers->left[v]) - ASSAY_GAP_LANE);
        frame->right = MAX (frame->right,
                            layers->x[v] + (lane ? 0 : layers->right[v]) + ASSAY_GAP_LANE);
      }
  for (guint32 f = self->n_frames; f-- > 0;)
    if (self->frames[f].parent != 0)
      {
        AssayLayersFrame *parent = &self->frames[self->frames[f].parent - 1];

        parent->left = MIN (parent->left, self->frames[f].left - ASSAY_GAP_LANE);
        parent->right = MAX (parent->right, self->frames[f].right + ASSAY_GAP_LANE);
      }
}

/* Finds which frame each lane is in; boxes know it. */
void
assay_layers_find_frames (AssayLayers *self, guint32 n_frames, AssayLayersFrame *frames,
                          guint32 *frame_of)
{
  g_autofree double *key = g_new0 (double, self->n_vertices + 1);
  Framer framer = {
    .layers = self, .frames = frames, .n_frames = n_frames, .frame_of = frame_of, .key = key
  };

  find_ranges (&framer);
  find_frames_of_lanes (&framer);
}

/* Places everything as if there were no borders, in the order that they need. Borders come first in
 * a placement that knows them, and push everything else aside over all of their ranks; where they
 * only have to be kept clear of, little gives way. */
static void
place_inside (Framer *self)
{
  const AssayLayers *layers = self->layers;
  AssayLayers inside = *layers;
  guint32 n = 0;

  inside.n_vertices = self->n_before;
  inside.first_border = self->n_before;
  inside.order = g_new (guint32, self->n_before + 1);
  inside.position = g_new (guint32, self->n_before + 1);
  inside.rank_start = g_new (guint32, layers->n_ranks + 1);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      inside.rank_start[r] = n;
      for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
        if (layers->order[i] < self->n_before)
          {
            inside.position[layers->order[i]] = n - inside.rank_start[r];
            inside.order[n++] = layers->order[i];
          }
    }
  inside.rank_start[layers->n_ranks] = n;
  assay_layers_place (&inside);

  g_free (inside.order);
  g_free (inside.position);
  g_free (inside.rank_start);
}

/* Borders of frames as straight columns, next to what is in the frames. */
static guint32 *
make_columns (Framer *self)
{
  AssayLayers *layers = self->layers;
  guint32 *column = g_new (guint32, layers->n_vertices + 1);

  for (guint32 v = 0; v < self->n_before; v++)
    column[v] = v;
  find_widths (self);
  for (guint32 f = 0; f < self->n_frames; f++)
    for (guint32 r = self->frames[f].first_rank;
         has_borders (self, f) && r <= self->frames[f].last_rank; r++)
      for (guint side = 0; side < 2; side++)
        {
          guint32 v = assay_layers_border (&self->frames[f], r, side);

          column[v] = assay_layers_border (&self->frames[f], self->frames[f].first_rank, side);
          layers->x[v] = side == 0 ? self->frames[f].left : self->frames[f].right;
        }

  return column;
}

/* Keeps the places of what is no border, as far as borders let it. */
static void
keep_places (Framer *self)
{
  g_autofree guint32 *column = make_columns (self);

  assay_layers_keep (self->layers, column);
}

/* Takes out crossings in the ranks of what moves together, without touching what is held: lines
 * pass each other, and so does what moves. */
static gboolean
order_together (Framer *self, const AssayLayersHold *hold)
{
  AssayLayers *layers = self->layers;
  g_autofree guint32 *group = g_new (guint32, layers->n_vertices + 1);
  guint32 first = G_MAXUINT32;
  guint32 end = 0;

  for (guint32 v = 0; v < layers->n_vertices; v++)
    {
      group[v] = v >= self->n_before || (v < layers->n_boxes && hold->kind[v] == ASSAY_LAYERS_HELD)
                     ? self->n_frames + 1 + v
                     : self->frame_of[v];
      if (v < layers->n_boxes && hold->kind[v] == ASSAY_LAYERS_TOGETHER)
        {
          first = MIN (first, layers->rank[v]);
          end = MAX (end, layers->rank[v] + 1);
        }
    }

  return assay_layers_order_groups_in (layers, group, first, end);
}

/* What moves together is placed anew in its order; the rest keeps its wishes. */
static void
place_together (Framer *self, const guint8 *kind)
{
  AssayLayers *layers = self->layers;
  g_autofree double *wishes = g_memdup2 (layers->x, layers->n_vertices * sizeof *wishes);
  double shift = 0;
  guint32 n = 0;

  place_inside (self);
  for (guint32 v = 0; v < layers->n_boxes; v++)
    if (kind[v] == ASSAY_LAYERS_TOGETHER)
      {
        shift += wishes[v] - layers->x[v];
        n++;
      }
  for (guint32 v = 0; v < self->n_before; v++)
    layers->x[v] = kind[v] == ASSAY_LAYERS_TOGETHER ? layers->x[v] + shift / n : wishes[v];
}

/* Lines and borders of frames that move together do so too. */
static void
hold_places (Framer *self, AssayLayersHold *hold)
{
  AssayLayers *layers = self->layers;
  g_autofree guint32 *column = NULL;
  g_autofree guint8 *kind = g_new0 (guint8, layers->n_vertices + 1);

  memcpy (kind, hold->kind, layers->n_boxes);
  /* An input or output that stands among what moves cannot stay. */
  for (guint32 v = 0; v < layers->n_boxes; v++)
    if (kind[v] == ASSAY_LAYERS_HELD && self->frame_of[v] != 0 &&
        self->frames[self->frame_of[v] - 1].is_together)
      {
        hold->fits = FALSE;
        return;
      }
  for (guint32 v = layers->n_boxes; v < self->n_before; v++)
    if (self->frame_of[v] != 0 && self->frames[self->frame_of[v] - 1].is_together)
      kind[v] = ASSAY_LAYERS_TOGETHER;
  if (hold->is_reordered)
    place_together (self, kind);
  column = make_columns (self);
  for (guint32 f = 0; f < self->n_frames; f++)
    for (guint32 r = self->frames[f].first_rank;
         self->frames[f].is_together && has_borders (self, f) && r <= self->frames[f].last_rank;
         r++)
      for (guint side = 0; side < 2; side++)
        kind[assay_layers_border (&self->frames[f], r, side)] = ASSAY_LAYERS_TOGETHER;
  hold->fits = assay_layers_hold (layers, column, kind, hold->may_part, &hold->parted);
}

/* Of lines that go a long way aside, frames around them are in the way; otherwise they are not.
 * Both are tried. */
static void
place_anew (Framer *self)
{
  AssayLayers *layers = self->layers;
  g_autofree double *x = NULL;
  double sideways;

  place_inside (self);
  keep_places (self);
  sideways = assay_layers_measure_sideways (layers);
  x = g_memdup2 (layers->x, layers->n_vertices * sizeof *x);

  assay_layers_place (layers);
  if (assay_layers_measure_sideways (layers) > sideways)
    memcpy (layers->x, x, layers->n_vertices * sizeof *x);
}

/**
 * assay_layers_enclose:
 * @self: a drawing with its places
 * @n_frames: number of frames
 * @frames: (array length=n_frames): the frames, parents before children; ranks and borders are
 * filled in
 * @frame_of: (array): per box its frame plus one, 0 for none
 * @keep: whether to keep the places as far as that is possible, instead of placing everything anew
 * @hold: (nullable): which boxes stay where they are; whether that was possible is filled in
 *
 * Sorts the drawing so that every frame holds its own boxes only, and places it.
 */
void
assay_layers_enclose (AssayLayers *self, guint32 n_frames, AssayLayersFrame *frames,
                      const guint32 *frame_of, gboolean keep, AssayLayersHold *hold)
{
  guint32 n = self->n_vertices;
  g_autofree guint32 *all_frames = g_new0 (guint32, n + 1);
  g_autofree double *key = g_new0 (double, n + 1);
  g_autofree double *frame_key = g_new0 (double, n_frames + 1);
  g_autofree List *lists = g_new0 (List, (gsize) (n_frames + 1) * 2);
  g_autofree guint32 *children = g_new0 (guint32, (gsize) (n_frames + 1) * 2);
  g_autofree guint32 *next_vertex = g_new (guint32, n + 1);
  Framer framer = {
    .layers = self,
    .frames = frames,
    .n_frames = n_frames,
    .frame_of = all_frames,
    .key = key,
    .is_held = hold != NULL,
    .frame_key = frame_key,
    .inside = lists,
    .before = lists + n_frames + 1,
    .first_child = children,
    .next_child = children + n_frames + 1,
    .next_vertex = next_vertex,
  };

  memcpy (all_frames, frame_of, self->n_boxes * sizeof *all_frames);
  find_ranges (&framer);
  find_keys (&framer);
  find_frames_of_lanes (&framer);
  list_frames (&framer);
  find_lonely (&framer);
  make_borders (&framer);
  join_borders (&framer, &self->up_start, &self->up, TRUE);
  join_borders (&framer, &self->down_start, &self->down, FALSE);
  order_ranks (&framer);
  if (hold != NULL)
    hold->is_reordered = order_together (&framer, hold);
  else if (!keep)
    order_in_frames (&framer);
  assay_layers_take_positions (self);
  if (hold != NULL)
    hold_places (&framer, hold);
  else if (keep)
    keep_places (&framer);
  else
    place_anew (&framer);
  find_widths (&framer);
  make_margin (&framer);

  g_free (framer.rank_frames);
  g_free (framer.frames_in);
}
