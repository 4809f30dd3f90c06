/* assay-view.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-scope-tree.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/* Sizes in units of the canvas. */
#define ASSAY_BOX_HEIGHT 44.0
#define ASSAY_SCOPE_WIDTH 168.0
#define ASSAY_SCOPE_HEIGHT 52.0
#define ASSAY_PORT_HEIGHT 28.0
#define ASSAY_STUB_WIDTH 84.0
#define ASSAY_STUB_HEIGHT 18.0
#define ASSAY_CHANNEL_HEIGHT 22.0
#define ASSAY_FRAME_HEADER 28.0
#define ASSAY_FRAME_PAD 8.0

#define ASSAY_NO_BOX G_MAXUINT32

/**
 * AssayBoxKind:
 * @ASSAY_BOX_NODE: a node
 * @ASSAY_BOX_SCOPE: a folded scope
 * @ASSAY_BOX_INPUT: an input of the region
 * @ASSAY_BOX_OUTPUT: an output of the region
 */
typedef enum
{
  ASSAY_BOX_NODE,
  ASSAY_BOX_SCOPE,
  ASSAY_BOX_INPUT,
  ASSAY_BOX_OUTPUT,
} AssayBoxKind;

/**
 * AssayViewBox:
 * @kind: an #AssayBoxKind
 * @verdict: the verdict, the worst one inside for a scope, %ASSAY_N_VERDICTS for inputs and outputs
 * @has_regions: whether nested graphs are inside
 * @node: the node, the first one of a scope, 0 for inputs and outputs
 * @scope: index in the scope tree, of a folded scope itself
 * @value: the value of an input or output
 * @rank: its rank
 * @n_nodes: number of nodes it stands for
 * @counts: (nullable): nodes per verdict, of a folded scope
 * @title: first line
 * @name: second line, or %NULL
 * @x: left
 * @y: top
 * @width: width
 * @height: height
 * @first_net: the first net that leaves it
 * @n_nets: number of nets
 * @first_in: its first entry in the incoming edges
 * @n_in: number of incoming edges
 * @first_stub: its first stub
 * @n_stubs: number of stubs
 *
 * A box of the picture.
 */
typedef struct
{
  guint8 kind;
  guint8 verdict;
  guint8 has_regions;
  AssayNodeId node;
  guint32 scope;
  AssayValueId value;
  guint32 rank;
  guint32 n_nodes;
  guint32 *counts;
  const char *title;
  const char *name;
  double x;
  double y;
  double width;
  double height;
  guint32 first_net;
  guint32 n_nets;
  guint32 first_in;
  guint32 n_in;
  guint32 first_stub;
  guint32 n_stubs;
} AssayViewBox;

/**
 * AssayNetFlags:
 * @ASSAY_NET_REVERSED: the value flows upward: the source is its reader, the target writes it
 * @ASSAY_NET_CAPTURE: read by a nested graph
 * @ASSAY_NET_MERGED: stands for further values between folded scopes
 */
typedef enum
{
  ASSAY_NET_REVERSED = 1 << 0,
  ASSAY_NET_CAPTURE = 1 << 1,
  ASSAY_NET_MERGED = 1 << 2,
} AssayNetFlags;

/**
 * AssayViewNet:
 * @source: the box it leaves at the bottom
 * @value: the value
 * @flags: #AssayNetFlags
 * @first_edge: its first edge
 * @n_edges: number of edges
 * @first_lane: its first entry in the lanes, one per rank between
 * @n_lanes: number of lanes
 * @first_track: its first entry in the tracks, one more than lanes
 * @port_x: where it leaves its source
 *
 * A value on its way to all its readers.
 */
typedef struct
{
  guint32 source;
  AssayValueId value;
  guint32 flags;
  guint32 first_edge;
  guint32 n_edges;
  guint32 first_lane;
  guint32 n_lanes;
  guint32 first_track;
  double port_x;
} AssayViewNet;

/**
 * AssayViewEdge:
 * @net: its net
 * @target: the box it enters at the top
 * @port_x: where it enters
 *
 * One reader of a net.
 */
typedef struct
{
  guint32 net;
  guint32 target;
  double port_x;
} AssayViewEdge;

/**
 * AssayViewStub:
 * @box: the box it belongs to
 * @value: the value
 * @other: for a reader the box that writes the value, else %ASSAY_NO_BOX
 * @count: for the writer the number of readers, else 0
 * @more: stubs of this side that found no room and are told by this one
 * @x: left
 * @y: top
 *
 * A pill in place of edges of a value with many or far readers: at the reader left of its box, at
 * the writer right.
 */
typedef struct
{
  guint32 box;
  AssayValueId value;
  guint32 other;
  guint32 count;
  guint32 more;
  double x;
  double y;
} AssayViewStub;

/**
 * AssayViewSegment:
 * @x1: x of the start
 * @y1: y of the start
 * @x2: x of the end; the same as @x1 or
 * @y2: y of the end; the same as @y1
 * @net: the net it belongs to
 *
 * A piece of an edge along an axis.
 */
typedef struct
{
  double x1;
  double y1;
  double x2;
  double y2;
  guint32 net;
} AssayViewSegment;

/**
 * AssayViewRank:
 * @y: top of the boxes
 * @height: height of the highest box
 * @first: its first entry in the rank order
 * @n: number of boxes
 * @first_segment: its first segment, those of the channel below included
 * @n_segments: number of segments
 * @before: number of boxes in the ranks above
 * @above: room above the boxes for frames that begin here
 * @below: room below the boxes for frames that end here
 * @channel: height of the channel below
 *
 * A row of boxes.
 */
typedef struct
{
  double y;
  double height;
  guint32 first;
  guint32 n;
  guint32 first_segment;
  guint32 n_segments;
  guint32 before;
  double above;
  double below;
  double channel;
} AssayViewRank;

/**
 * AssayViewFrame:
 * @scope: index in the scope tree
 * @parent: the frame around it plus one, 0 for none
 * @depth: frames around it
 * @first_rank: rank of its first box
 * @last_rank: rank of its last box
 * @n_boxes: number of boxes inside
 * @n_nodes: number of nodes they stand for
 * @counts: nodes per verdict
 * @above: from its upper end to the boxes of its first rank
 * @below: from the boxes of its last rank to its lower end
 * @x: left
 * @y: top, where its header is
 * @width: width
 * @height: height
 *
 * The frame around an open scope.
 */
typedef struct
{
  guint32 scope;
  guint32 parent;
  guint32 depth;
  guint32 first_rank;
  guint32 last_rank;
  guint32 n_boxes;
  guint32 n_nodes;
  guint32 counts[ASSAY_N_VERDICTS];
  double above;
  double below;
  double x;
  double y;
  double width;
  double height;
} AssayViewFrame;

/**
 * AssayViewOptions:
 * @region: the region to show
 * @open: (nullable): per scope of the tree whether it is open; %NULL opens all
 * @drawn: (nullable): per value of the graph whether its edges are drawn where they would be stubs
 * @before: (nullable): what was shown; where no more than one scope was folded or opened since,
 * what is outside of that keeps its place
 * @cancellable: (nullable): ends the search for an order with few crossings
 */
typedef struct _AssayView AssayView;
typedef struct
{
  AssayRegionId region;
  const guint8 *open;
  const guint8 *drawn;
  AssayView *before;
  GCancellable *cancellable;
} AssayViewOptions;

/**
 * AssayView:
 * @verdicts: what is shown
 * @tree: its scopes
 * @region: the region that is shown
 * @boxes: (element-type AssayViewBox): the boxes, in program order
 * @nets: (element-type AssayViewNet): the nets, in the order of their sources
 * @edges: (element-type AssayViewEdge): the edges, in the order of their nets
 * @in_edges: (element-type guint32): edges in the order of their targets
 * @stubs: (element-type AssayViewStub): the stubs, in the order of their boxes
 * @lane_x: (element-type double): x of the lanes of all nets
 * @track_y: (element-type double): y of the turns of all nets in the channels they pass, NAN where
 * they go straight
 * @segments: (element-type AssayViewSegment): what is drawn of the nets, rank by rank
 * @ranks: (element-type AssayViewRank): the ranks
 * @rank_order: (element-type guint32): boxes, rank by rank from left to right
 * @frames: (element-type AssayViewFrame): frames of open scopes, outer ones before those inside
 * @box_frame: (element-type guint32): per box the frame it is in plus one, 0 for none
 * @node_box: per node of the graph the box that shows it plus one, 0 if none does
 * @crossings: crossings between ranks
 * @width: width of everything
 * @height: height of everything
 *
 * A picture of a region before anything is drawn: boxes with places and edges with ways. All sizes
 * are whole multiples of units, so that equal parts look equal.
 */
struct _AssayView
{
  gatomicrefcount ref_count;
  AssayView *base;   /* what this one was refined from: texts are there */
  AssayView *before; /* what its places were kept from */
  gboolean is_kept;
  gboolean has_groups; /* whether groups that we made of neighbours have frames */
  guint n_before;      /* how many views there are before this one */
  guint32 drawn;       /* a digest of which stubs are drawn in full */
  const AssayVerdicts *verdicts;
  const AssayScopeTree *tree;
  AssayRegionId region;
  AssayArena *arena;
  GArray *boxes;
  GArray *nets;
  GArray *edges;
  GArray *in_edges;
  GArray *stubs;
  GArray *lane_x;
  GArray *track_y;
  GArray *segments;
  GArray *ranks;
  GArray *rank_order;
  GArray *frames;
  GArray *box_frame;
  guint32 *node_box;
  guint64 crossings;
  double width;
  double height;
};

AssayView *assay_view_new (const AssayVerdicts *verdicts, const AssayScopeTree *tree,
                           const AssayViewOptions *options) G_GNUC_WARN_UNUSED_RESULT;
AssayView *assay_view_ref (AssayView *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_view_free (AssayView *self);
gboolean assay_view_is_before (const AssayView *self, const AssayView *later);
guint32 assay_view_find_node (const AssayView *self, AssayNodeId node);
guint32 assay_view_hit (const AssayView *self, double x, double y);
guint32 assay_view_hit_stub (const AssayView *self, double x, double y);
guint32 assay_view_stub_end (const AssayView *self, guint32 stub);
guint32 assay_view_nearest (const AssayView *self, double x, double y);
void assay_view_ranks_in (const AssayView *self, double y1, double y2, guint32 *first,
                          guint32 *end);
guint assay_view_count (const AssayView *self, double x1, double y1, double x2, double y2);
guint32 assay_view_hit_frame (const AssayView *self, double x, double y, double top);
double assay_view_frame_header (const AssayView *self, guint32 index, double top);
void assay_view_edge_path (const AssayView *self, guint32 edge, GArray *points);

static inline AssayViewBox *
assay_view_box (const AssayView *self, guint32 index)
{
  return &g_array_index (self->boxes, AssayViewBox, index);
}

static inline AssayViewNet *
assay_view_net (const AssayView *self, guint32 index)
{
  return &g_array_index (self->nets, AssayViewNet, index);
}

static inline AssayViewEdge *
assay_view_edge (const AssayView *self, guint32 index)
{
  return &g_array_index (self->edges, AssayViewEdge, index);
}

static inline AssayViewRank *
assay_view_rank (const AssayView *self, guint32 index)
{
  return &g_array_index (self->ranks, AssayViewRank, index);
}

static inline AssayViewFrame *
assay_view_frame (const AssayView *self, guint32 index)
{
  return &g_array_index (self->frames, AssayViewFrame, index);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayView, assay_view_free)

G_END_DECLS
