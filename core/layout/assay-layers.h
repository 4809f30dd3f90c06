/* assay-layers.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Distances between neighbours of a rank; multiples of the grid of 4 units, as are all sizes. */
#define ASSAY_GAP_BOX 24.0
#define ASSAY_GAP_MIXED 16.0
#define ASSAY_GAP_LANE 12.0

/**
 * AssayLayersNet:
 * @source: the box it leaves
 * @first_target: index of its first target
 * @n_targets: number of targets, each a box with a greater index than @source
 *
 * One value on its way from a box to its readers; readers further down share one lane per rank.
 */
typedef struct
{
  guint32 source;
  guint32 first_target;
  guint32 n_targets;
} AssayLayersNet;

/**
 * AssayLayers:
 * @n_boxes: number of boxes; they are the first vertices
 * @left: how far each box reaches to the left of its centre
 * @right: how far each box reaches to the right
 * @n_nets: number of nets
 * @nets: the nets
 * @targets: the targets of all nets
 * @n_ranks: number of ranks
 * @n_vertices: boxes, lanes and borders of frames
 * @first_border: the first vertex that is the border of a frame
 * @rank: rank of each vertex
 * @weight: for each vertex how many edges the line down to it stands for
 * @x: centre of each vertex
 * @order: vertices, rank by rank from left to right
 * @rank_start: where each rank begins in @order, and the end
 * @position: place of each vertex in its rank
 * @lane_first: first lane of each net, one per rank between its source and its last target
 * @lane_count: number of lanes of each net
 * @up_start: where the upper neighbours of each vertex begin
 * @up: upper neighbours, from left to right
 * @down_start: where the lower neighbours begin
 * @down: lower neighbours, from left to right
 * @crossings: number of crossings between ranks
 * @cancellable: (nullable): whoever cancels it gets the first order that there is
 *
 * A layered drawing of boxes and nets: ranks, order within ranks, x. Every step takes time linear
 * in the number of boxes, targets and lanes, apart from sorting.
 */
typedef struct
{
  guint32 n_boxes;
  const double *left;
  const double *right;
  guint32 n_nets;
  const AssayLayersNet *nets;
  const guint32 *targets;

  guint32 n_ranks;
  guint32 n_vertices;
  guint32 first_border;
  guint32 *rank;
  guint32 *weight;
  double *x;
  guint32 *order;
  guint32 *rank_start;
  guint32 *position;
  guint32 *lane_first;
  guint32 *lane_count;
  guint32 *up_start;
  guint32 *up;
  guint32 *down_start;
  guint32 *down;
  guint64 crossings;
  GCancellable *cancellable;
} AssayLayers;

/**
 * AssayLayersFrame:
 * @parent: the frame around it plus one, 0 for none
 * @first_rank: rank of its first box
 * @last_rank: rank of its last box
 * @first_border: its first border: left and right for each rank; %G_MAXUINT32 if nothing else is in
 * its ranks
 * @left: how far its boxes and lines reach to the left, with a margin
 * @right: how far they reach to the right
 * @is_together: whether what is in it keeps its places to each other where others are held
 *
 * A group of boxes that has a frame around it.
 */
typedef struct
{
  guint32 parent;
  guint32 first_rank;
  guint32 last_rank;
  guint32 first_border;
  double left;
  double right;
  gboolean is_together;
} AssayLayersFrame;

/**
 * AssayLayersHold:
 * @kind: per box an #AssayLayersKind
 * @may_part: whether what is held may give way to both sides where there is no room
 * @is_reordered: whether lines that are not held, or what moves together, passed each other
 * @parted: by how much what is held gave way
 * @fits: whether there was room
 *
 * Which boxes stay where they are.
 */
typedef struct
{
  const guint8 *kind;
  gboolean may_part;
  gboolean is_reordered;
  double parted;
  gboolean fits;
} AssayLayersHold;

/**
 * AssayLayersGroups:
 * @n_groups: number of groups
 * @parent: per group the one around it; parents stand before children, 0 is everything
 * @of_box: per box its group
 *
 * Which boxes belong together.
 */
typedef struct
{
  guint32 n_groups;
  const guint32 *parent;
  const guint32 *of_box;
} AssayLayersGroups;

guint32 assay_layers_rank (guint32 n_boxes, guint32 n_nets, const AssayLayersNet *nets,
                           const guint32 *targets, const AssayLayersGroups *groups, guint32 *rank);
AssayLayers *assay_layers_new (guint32 n_boxes, const double *left, const double *right,
                               guint32 n_nets, const AssayLayersNet *nets, const guint32 *targets,
                               guint32 n_ranks, const guint32 *rank) G_GNUC_WARN_UNUSED_RESULT;
void assay_layers_free (AssayLayers *self);
void assay_layers_order (AssayLayers *self);
void assay_layers_place (AssayLayers *self);
void assay_layers_enclose (AssayLayers *self, guint32 n_frames, AssayLayersFrame *frames,
                           const guint32 *frame_of, gboolean keep, AssayLayersHold *hold);
double assay_layers_gap (const AssayLayers *self, guint32 a, guint32 b);

static inline gboolean
assay_layers_is_lane (const AssayLayers *self, guint32 vertex)
{
  return vertex >= self->n_boxes;
}

/* The vertex at the left (side 0) or right (1) of a frame in a rank. */
static inline guint32
assay_layers_border (const AssayLayersFrame *frame, guint32 rank, guint side)
{
  return frame->first_border + 2 * (rank - frame->first_rank) + side;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayLayers, assay_layers_free)

G_END_DECLS
