/* assay-layers-keep.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Places that somebody else has chosen, moved as little as it takes for neighbours to have their
 * distance and for borders of frames to be straight. Pushing everything to the right until it fits
 * is one solution, to the left another, and the mean of two is a third: what has to give way does
 * so to both sides.
 */
#include "layout/assay-layers-private.h"

#include <math.h>
#include <string.h>

#define GRID 4.0
#define NONE G_MAXUINT32

/* Between a line and what it passes, where there is less room than usual. */
#define NARROW 4.0

/* More often than this a drawing is not pulled apart. */
#define MAX_PARTINGS 64

typedef struct
{
  const AssayLayers *layers;
  const guint32 *column;
  const double *offset; /* per vertex from its column, or NULL for none */
  const guint8 *kind;   /* per vertex an AssayLayersKind, or NULL: all of them are free */
  const guint8 *narrow; /* per rank whether lines may stand closer than usual, or NULL */
  guint8 *crowded;      /* per rank whether something held has no room in it, or NULL */
  gboolean only_together;
  guint32 *first; /* per column: its vertices, as a list */
  guint32 *next;  /* per vertex */
  guint32 *n_before;
  guint32 *queue;
  guint32 too_close; /* a held vertex that others leave no room, NONE if there is none */
  double missing;    /* how much room it lacks */
} Keeper;

static AssayLayersKind
kind_of (const Keeper *self, guint32 v)
{
  return self->kind == NULL ? ASSAY_LAYERS_FREE : self->kind[v];
}

/* The neighbour of a vertex in its rank, on the side that is pushed to or the other one. */
static guint32
neighbour (const AssayLayers *layers, guint32 v, gboolean right)
{
  guint32 r = layers->rank[v];
  guint32 at = layers->rank_start[r] + layers->position[v];

  if (right)
    return at + 1 < layers->rank_start[r + 1] ? layers->order[at + 1] : NONE;

  return layers->position[v] > 0 ? layers->order[at - 1] : NONE;
}

/* As far apart as always, or as near as a line and a box, or two lines, may come at all. Frames
 * keep their margin. */
static double
gap_between (const Keeper *self, guint32 v, guint32 w, gboolean right)
{
  const AssayLayers *layers = self->layers;
  guint32 a = right ? v : w;
  guint32 b = right ? w : v;
  gboolean lane_a = assay_layers_is_lane (layers, a);
  gboolean lane_b = assay_layers_is_lane (layers, b);

  if (self->narrow == NULL || !self->narrow[layers->rank[v]] || a >= layers->first_border ||
      b >= layers->first_border || (!lane_a && !lane_b))
    return assay_layers_gap (layers, a, b);

  return NARROW + (lane_a ? 0 : layers->right[a]) + (lane_b ? 0 : layers->left[b]);
}

static double
offset_of (const Keeper *self, guint32 v)
{
  return self->offset == NULL ? 0 : self->offset[v];
}

/* The vertex beside another one that has to keep clear of it. */
static guint32
pushed_by (const Keeper *self, guint32 v, gboolean right)
{
  guint32 w = neighbour (self->layers, v, right);

  if (w == NONE || self->column[w] == self->column[v])
    return NONE;

  if (self->only_together &&
      (kind_of (self, v) != ASSAY_LAYERS_TOGETHER || kind_of (self, w) != ASSAY_LAYERS_TOGETHER))
    return NONE;

  return w;
}

static void
list_columns (Keeper *self)
{
  guint32 n = self->layers->n_vertices;

  for (guint32 v = 0; v < n; v++)
    self->first[v] = NONE;
  for (guint32 v = 0; v < n; v++)
    {
      self->next[v] = self->first[self->column[v]];
      self->first[self->column[v]] = v;
    }
}

/* Longest paths: every column stands where it wants to, or as far on as those before it push it.
 * What is held stays. */
static void
push (Keeper *self, gboolean right, double *x)
{
  const AssayLayers *layers = self->layers;
  double sign = right ? 1 : -1;
  guint32 head = 0;
  guint32 tail = 0;

  memset (self->n_before, 0, layers->n_vertices * sizeof *self->n_before);
  for (guint32 v = 0; v < layers->n_vertices; v++)
    self->n_before[self->column[v]] += pushed_by (self, v, !right) != NONE ? 1 : 0;
  for (guint32 v = 0; v < layers->n_vertices; v++)
    if (self->column[v] == v && self->n_before[v] == 0)
      self->queue[tail++] = v;

  while (head < tail)
    {
      guint32 column = self->queue[head++];

      for (guint32 v = self->first[column]; v != NONE; v = self->next[v])
        {
          guint32 w = pushed_by (self, v, right);
          double least;

          if (w == NONE)
            continue;
          least = x[column] + offset_of (self, v) + sign * gap_between (self, v, w, right) -
                  offset_of (self, w);
          w = self->column[w];
          if (kind_of (self, w) != ASSAY_LAYERS_HELD)
            x[w] = right ? MAX (x[w], least) : MIN (x[w], least);
          else if ((least - x[w]) * sign > 0)
            {
              if (self->crowded != NULL)
                self->crowded[layers->rank[w]] = TRUE;
              if ((least - x[w]) * sign > self->missing)
                {
                  self->missing = (least - x[w]) * sign;
                  self->too_close = w;
                }
            }
          if (--self->n_before[w] == 0)
            self->queue[tail++] = w;
        }
    }
}

/* What goes on below a vertex, if that is one line which nothing else joins. */
static guint32
find_next (const AssayLayers *layers, guint32 v)
{
  guint32 w;

  if (layers->down_start[v + 1] - layers->down_start[v] != 1)
    return NONE;
  w = layers->down[layers->down_start[v]];

  return layers->up_start[w + 1] - layers->up_start[w] == 1 ? w : NONE;
}

static gboolean
has_before (const AssayLayers *layers, guint32 v)
{
  return layers->up_start[v + 1] - layers->up_start[v] == 1 &&
         find_next (layers, layers->up[layers->up_start[v]]) == v;
}

/* Between which places a vertex may stand. */
static void
find_room (const AssayLayers *layers, guint32 v, double *low, double *high)
{
  guint32 left = neighbour (layers, v, FALSE);
  guint32 right = neighbour (layers, v, TRUE);

  if (left != NONE)
    *low = MAX (*low, layers->x[left] + assay_layers_gap (layers, left, v));
  if (right != NONE)
    *high = MIN (*high, layers->x[right] - assay_layers_gap (layers, v, right));
}

/* A chain may be bent anywhere between two ends that stand aside of each other without a line
 * getting longer. It is to be bent once: all of it goes as far towards what stands above it as its
 * vertices already did, while there is room. Returns where the rest begins. */
static guint32
straighten_chain (AssayLayers *layers, const guint8 *kind, guint32 first)
{
  double low = -INFINITY;
  double high = INFINITY;
  double min = INFINITY;
  double max = -INFINITY;
  guint32 end = first;
  double x;

  while (end != NONE && end < layers->first_border &&
         (kind == NULL || kind[end] == ASSAY_LAYERS_FREE))
    {
      double next_low = low;
      double next_high = high;

      find_room (layers, end, &next_low, &next_high);
      if (next_low > next_high)
        break;
      low = next_low;
      high = next_high;
      min = MIN (min, layers->x[end]);
      max = MAX (max, layers->x[end]);
      end = find_next (layers, end);
    }
  if (end == first)
    return find_next (layers, first);

  x = layers->up_start[first] < layers->up_start[first + 1]
          ? layers->x[layers->up[layers->up_start[first]]]
          : layers->x[first];
  x = CLAMP (CLAMP (x, min, max), low, high);
  for (guint32 v = first; v != end; v = find_next (layers, v))
    layers->x[v] = x;

  return end;
}

static void
straighten (AssayLayers *layers, const guint8 *kind)
{
  for (guint32 i = 0; i < layers->rank_start[layers->n_ranks]; i++)
    {
      guint32 v = layers->order[i];

      if (v < layers->first_border && !has_before (layers, v))
        while (v != NONE && v < layers->first_border)
          v = straighten_chain (layers, kind, v);
    }
}

static double
to_grid (double x)
{
  return floor (x / GRID + 0.5) * GRID;
}

static void
begin_at_zero (AssayLayers *layers)
{
  double least = INFINITY;

  for (guint32 v = 0; v < layers->n_vertices; v++)
    least = MIN (least, layers->x[v] - (assay_layers_is_lane (layers, v) ? 0 : layers->left[v]));
  for (guint32 v = 0; v < layers->n_vertices; v++)
    layers->x[v] -= least;
}

/**
 * assay_layers_keep:
 * @self: an ordered drawing
 * @column: per vertex the first of those that stand straight above each other with it, be it itself
 *
 * Gives every vertex a place near the one it has, on the grid, with the left end of the drawing at
 * 0.
 */
void
assay_layers_keep (AssayLayers *self, const guint32 *column)
{
  guint32 n = self->n_vertices;
  g_autofree guint32 *numbers = g_new (guint32, (gsize) n * 4 + 1);
  g_autofree double *right = g_new (double, n + 1);
  g_autofree double *left = g_new (double, n + 1);
  Keeper keeper = {
    .layers = self,
    .column = column,
    .first = numbers,
    .next = numbers + n,
    .n_before = numbers + (gsize) n * 2,
    .queue = numbers + (gsize) n * 3,
  };

  list_columns (&keeper);
  for (guint32 v = 0; v < n; v++)
    self->x[v] = to_grid (self->x[v]);

  memcpy (right, self->x, n * sizeof *right);
  memcpy (left, self->x, n * sizeof *left);
  push (&keeper, TRUE, right);
  push (&keeper, FALSE, left);
  for (guint32 v = 0; v < n; v++)
    {
      /* Distances are whole cells, so that rounding down keeps them. */
      self->x[v] = floor ((right[column[v]] + left[column[v]]) / 2 / GRID) * GRID;
    }
  straighten (self, NULL);
  begin_at_zero (self);
}

/* What moves together is put right in itself, as if nothing else were there, and is one column from
 * then on. Returns that column. */
static guint32
join_together (Keeper *self, guint32 *column, double *offset, double *right, double *left)
{
  AssayLayers *layers = (AssayLayers *) self->layers;
  guint32 n = layers->n_vertices;
  guint32 first = NONE;

  self->only_together = TRUE;
  memcpy (right, layers->x, n * sizeof *right);
  memcpy (left, layers->x, n * sizeof *left);
  push (self, TRUE, right);
  push (self, FALSE, left);
  self->only_together = FALSE;

  for (guint32 v = 0; v < n; v++)
    if (kind_of (self, v) == ASSAY_LAYERS_TOGETHER)
      {
        layers->x[v] = floor ((right[column[v]] + left[column[v]]) / 2 / GRID) * GRID;
        first = first == NONE ? v : first;
      }
  for (guint32 v = 0; v < n; v++)
    if (kind_of (self, v) == ASSAY_LAYERS_TOGETHER)
      {
        column[v] = first;
        offset[v] = layers->x[v] - layers->x[first];
      }
  list_columns (self);

  return first;
}

/* Where every column may stand between what is held. */
static void
find_limits (Keeper *self, double *low, double *high)
{
  const AssayLayers *layers = self->layers;

  self->missing = 0;
  self->too_close = NONE;
  for (guint32 v = 0; v < layers->n_vertices; v++)
    {
      low[v] = self->kind[v] == ASSAY_LAYERS_HELD ? layers->x[v] : -INFINITY;
      high[v] = self->kind[v] == ASSAY_LAYERS_HELD ? layers->x[v] : INFINITY;
    }
  push (self, TRUE, low);
  push (self, FALSE, high);
}

/* Everything held that stands at a place or right of it gives way by one amount. */
static void
part (Keeper *self, double from, double by)
{
  AssayLayers *layers = (AssayLayers *) self->layers;

  for (guint32 v = 0; v < layers->n_vertices; v++)
    if (self->kind[v] != ASSAY_LAYERS_TOGETHER && layers->x[v] >= from)
      layers->x[v] += by;
}

/* The leftmost of what is held right of what moves together. */
static double
right_of_together (const Keeper *self)
{
  const AssayLayers *layers = self->layers;
  double x = INFINITY;

  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      gboolean passed = FALSE;

      for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
        {
          guint32 v = layers->order[i];

          if (self->kind[v] == ASSAY_LAYERS_TOGETHER)
            passed = TRUE;
          else if (passed && self->kind[v] == ASSAY_LAYERS_HELD)
            {
              x = MIN (x, layers->x[v]);
              break;
            }
        }
    }

  return x;
}

static gboolean
is_narrow (const AssayLayers *layers, const guint8 *narrow)
{
  for (guint32 r = 0; r < layers->n_ranks; r++)
    if (!narrow[r])
      return FALSE;

  return TRUE;
}

/* Finds room for what moves together and for lines beside what is held; first with lines closer to
 * each other, then, if that is allowed, by pulling everything apart. */
static gboolean
make_room (Keeper *self, guint32 together, gboolean may_part, guint8 *narrow, double *low,
           double *high, double *parted)
{
  AssayLayers *layers = (AssayLayers *) self->layers;

  *parted = 0;
  for (guint i = 0; i < MAX_PARTINGS; i++)
    {
      find_limits (self, low, high);
      if (self->too_close != NONE)
        {
          guint32 v = self->too_close;
          double missing = self->missing;

          if (!narrow[layers->rank[v]])
            {
              for (guint32 r = 0; r < layers->n_ranks; r++)
                narrow[r] = narrow[r] || self->crowded[r];
              continue;
            }
          if (!may_part)
            return FALSE;
          part (self, layers->x[v], missing);
          *parted += missing;
          continue;
        }
      if (together == NONE || low[together] <= high[together])
        return TRUE;
      if (!is_narrow (layers, narrow))
        {
          memset (narrow, TRUE, layers->n_ranks);
          continue;
        }
      if (!may_part)
        return FALSE;
      {
        double missing = low[together] - high[together];
        double from = right_of_together (self);

        part (self, isinf (from) ? layers->x[together] + 1 : from, missing);
        *parted += missing;
      }
    }

  return FALSE;
}

/**
 * assay_layers_hold:
 * @self: an ordered drawing
 * @column: per vertex the first of those that stand straight above each other with it, be it
 * itself; changed
 * @kind: per vertex an #AssayLayersKind
 * @may_part: whether what is held may give way to both sides where there is no room
 * @parted: (out): by how much it did
 *
 * Gives everything that is not held a place near the one it has. What is held stays where it is;
 * what moves together stands between it, as near to its place as there is room.
 *
 * Returns: whether there was room
 */
gboolean
assay_layers_hold (AssayLayers *self, guint32 *column, const guint8 *kind, gboolean may_part,
                   double *parted)
{
  guint32 n = self->n_vertices;
  g_autofree guint32 *numbers = g_new (guint32, (gsize) n * 4 + 1);
  g_autofree double *right = g_new (double, n + 1);
  g_autofree double *left = g_new (double, n + 1);
  g_autofree double *offset = g_new0 (double, n + 1);
  g_autofree guint8 *kinds = g_memdup2 (kind, n + 1);
  g_autofree guint8 *narrow = g_new0 (guint8, self->n_ranks + 1);
  g_autofree guint8 *crowded = g_new0 (guint8, self->n_ranks + 1);
  guint32 together;
  Keeper keeper = {
    .layers = self,
    .column = column,
    .offset = offset,
    .kind = kinds,
    .narrow = narrow,
    .crowded = crowded,
    .first = numbers,
    .next = numbers + n,
    .n_before = numbers + (gsize) n * 2,
    .queue = numbers + (gsize) n * 3,
  };

  list_columns (&keeper);
  for (guint32 v = 0; v < n; v++)
    self->x[v] = to_grid (self->x[v]);
  together = join_together (&keeper, column, offset, right, left);
  if (!make_room (&keeper, together, may_part, narrow, left, right, parted))
    return FALSE;

  if (together != NONE)
    {
      double x = CLAMP (self->x[together], left[together], right[together]);

      for (guint32 v = 0; v < n; v++)
        if (kinds[v] == ASSAY_LAYERS_TOGETHER)
          {
            self->x[v] = x + offset[v];
            kinds[v] = ASSAY_LAYERS_HELD;
          }
      find_limits (&keeper, left, right);
    }
  /* Nothing is pushed beyond its limit, since limits keep their distance too. */
  for (guint32 v = 0; v < n; v++)
    left[v] = MIN (MAX (self->x[v], left[v]), right[v]);
  push (&keeper, TRUE, left);
  for (guint32 v = 0; v < n; v++)
    self->x[v] = left[column[v]] + offset[v];
  straighten (self, kinds);
  begin_at_zero (self);

  return TRUE;
}

/* How far all lines together go sideways. */
double
assay_layers_measure_sideways (const AssayLayers *self)
{
  double sum = 0;

  for (guint32 v = 0; v < self->first_border; v++)
    for (guint32 k = self->down_start[v]; k < self->down_start[v + 1]; k++)
      sum += fabs (self->x[self->down[k]] - self->x[v]);

  return sum;
}
