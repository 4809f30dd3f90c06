/* assay-layers.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-layers.h"

#include <string.h>

static guint32
count_beyond (const AssayLayers *self, const guint32 *ranks, const AssayLayersNet *net,
              guint32 rank)
{
  guint32 n = 0;

  for (guint32 k = 0; k < net->n_targets; k++)
    n += ranks[self->targets[net->first_target + k]] > rank ? 1 : 0;

  return n;
}

static void
make_lanes (AssayLayers *self, const guint32 *rank)
{
  guint32 n = self->n_boxes;

  for (guint32 i = 0; i < self->n_nets; i++)
    {
      const AssayLayersNet *net = &self->nets[i];
      guint32 last = 0;

      for (guint32 k = 0; k < net->n_targets; k++)
        last = MAX (last, rank[self->targets[net->first_target + k]]);

      self->lane_first[i] = n;
      self->lane_count[i] = last > rank[net->source] ? last - rank[net->source] - 1 : 0;
      n += self->lane_count[i];
    }

  self->n_vertices = n;
  self->first_border = n;
  self->rank = g_new (guint32, n + 1);
  memcpy (self->rank, rank, self->n_boxes * sizeof *rank);
  self->weight = g_new (guint32, n + 1);
  for (guint32 i = 0; i < self->n_boxes; i++)
    self->weight[i] = 1;
  for (guint32 i = 0; i < self->n_nets; i++)
    for (guint32 k = 0; k < self->lane_count[i]; k++)
      {
        self->rank[self->lane_first[i] + k] = rank[self->nets[i].source] + 1 + k;
        self->weight[self->lane_first[i] + k] = count_beyond (self, rank, &self->nets[i],
                                                              rank[self->nets[i].source] + 1 + k);
      }
}

/* Calls out every pair of vertices in neighbouring ranks that a net joins; once to count, once to
 * fill. */
static void
join (AssayLayers *self, gboolean fill, guint32 *n_up, guint32 *n_down)
{
  for (guint32 i = 0; i < self->n_nets; i++)
    {
      const AssayLayersNet *net = &self->nets[i];
      guint32 first_rank = self->rank[net->source];

      for (guint32 k = 0; k < self->lane_count[i] + net->n_targets; k++)
        {
          gboolean is_lane = k < self->lane_count[i];
          guint32 below = is_lane ? self->lane_first[i] + k
                                  : self->targets[net->first_target + k - self->lane_count[i]];
          guint32 steps = self->rank[below] - first_rank;
          guint32 above = steps == 1 ? net->source : self->lane_first[i] + steps - 2;

          if (fill)
            {
              self->down[self->down_start[above] + n_down[above]] = below;
              self->up[self->up_start[below] + n_up[below]] = above;
            }
          n_down[above]++;
          n_up[below]++;
        }
    }
}

static void
make_neighbours (AssayLayers *self)
{
  guint32 n = self->n_vertices;
  g_autofree guint32 *n_up = g_new0 (guint32, n + 1);
  g_autofree guint32 *n_down = g_new0 (guint32, n + 1);

  join (self, FALSE, n_up, n_down);

  self->up_start = g_new0 (guint32, n + 1);
  self->down_start = g_new0 (guint32, n + 1);
  for (guint32 i = 0; i < n; i++)
    {
      self->up_start[i + 1] = self->up_start[i] + n_up[i];
      self->down_start[i + 1] = self->down_start[i] + n_down[i];
    }
  self->up = g_new (guint32, self->up_start[n] + 1);
  self->down = g_new (guint32, self->down_start[n] + 1);

  memset (n_up, 0, n * sizeof *n_up);
  memset (n_down, 0, n * sizeof *n_down);
  join (self, TRUE, n_up, n_down);
}

static void
make_ranks (AssayLayers *self)
{
  self->rank_start = g_new0 (guint32, self->n_ranks + 1);
  self->order = g_new (guint32, self->n_vertices + 1);
  self->position = g_new0 (guint32, self->n_vertices + 1);
  self->x = g_new0 (double, self->n_vertices + 1);

  for (guint32 i = 0; i < self->n_vertices; i++)
    self->rank_start[self->rank[i] + 1]++;
  for (guint32 r = 0; r < self->n_ranks; r++)
    self->rank_start[r + 1] += self->rank_start[r];
}

/**
 * assay_layers_new:
 * @n_boxes: number of boxes
 * @left: (array length=n_boxes): reach to the left; kept, not copied
 * @right: (array length=n_boxes): reach to the right; kept, not copied
 * @n_nets: number of nets
 * @nets: (array length=n_nets): the nets, in the order of their sources; kept, not copied
 * @targets: the targets of all nets; kept, not copied
 * @n_ranks: number of ranks
 * @rank: (array length=n_boxes): ranks, as assay_layers_rank() makes them
 *
 * Begins a drawing: lanes and neighbours. Order and x follow with assay_layers_order() and
 * assay_layers_place().
 *
 * Returns: (transfer full): the drawing
 */
AssayLayers *
assay_layers_new (guint32 n_boxes, const double *left, const double *right, guint32 n_nets,
                  const AssayLayersNet *nets, const guint32 *targets, guint32 n_ranks,
                  const guint32 *rank)
{
  AssayLayers *self = g_new0 (AssayLayers, 1);

  self->n_boxes = n_boxes;
  self->left = left;
  self->right = right;
  self->n_nets = n_nets;
  self->nets = nets;
  self->targets = targets;
  self->n_ranks = n_ranks;
  self->lane_first = g_new0 (guint32, n_nets + 1);
  self->lane_count = g_new0 (guint32, n_nets + 1);
  make_lanes (self, rank);
  make_neighbours (self);
  make_ranks (self);

  return self;
}

void
assay_layers_free (AssayLayers *self)
{
  if (self == NULL)
    return;

  g_free (self->rank);
  g_free (self->weight);
  g_free (self->x);
  g_free (self->order);
  g_free (self->rank_start);
  g_free (self->position);
  g_free (self->lane_first);
  g_free (self->lane_count);
  g_free (self->up_start);
  g_free (self->up);
  g_free (self->down_start);
  g_free (self->down);
  g_free (self);
}

/**
 * assay_layers_gap:
 * @self: a drawing
 * @a: a vertex
 * @b: its right neighbour
 *
 * Gets how far the centres of two neighbours have to be apart.
 *
 * Returns: the distance
 */
double
assay_layers_gap (const AssayLayers *self, guint32 a, guint32 b)
{
  gboolean lane_a = assay_layers_is_lane (self, a);
  gboolean lane_b = assay_layers_is_lane (self, b);

  if (lane_a && lane_b)
    return ASSAY_GAP_LANE;
  if (lane_a)
    return ASSAY_GAP_MIXED + self->left[b];
  if (lane_b)
    return ASSAY_GAP_MIXED + self->right[a];

  return self->right[a] + ASSAY_GAP_BOX + self->left[b];
}
