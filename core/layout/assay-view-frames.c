/* assay-view-frames.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Frames of open scopes: which there are, and where they are once everything else has its place.
 */
#include "layout/assay-view-private.h"

#include <stdlib.h>
#include <string.h>

/* Places in ranks that all frames together may take for each that boxes and lines take: keeps the
 * time linear where many long scopes lie beside each other. */
#define MAX_BORDERS 4

/* More frames than this inside of each other get no room of their own above their boxes. */
#define MAX_NESTED 6

static gboolean
is_framed (const AssayView *self, guint32 scope)
{
  return self->has_groups || !assay_scope_tree_get (self->tree, scope)->is_made;
}

/* The scope that a box is in; for a folded scope the one around it. */
guint32
assay_view_scope_around (const AssayView *self, const AssayViewBox *box)
{
  guint32 scope = box->kind >= ASSAY_BOX_INPUT ? 0 : box->scope;

  if (box->kind == ASSAY_BOX_SCOPE)
    scope = assay_scope_tree_get (self->tree, scope)->parent;
  while (!is_framed (self, scope))
    scope = assay_scope_tree_get (self->tree, scope)->parent;

  return scope;
}

static void
add_counts (AssayViewFrame *frame, const AssayViewBox *box)
{
  frame->n_boxes++;
  frame->n_nodes += box->n_nodes;
  if (box->counts != NULL)
    for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
      frame->counts[i] += box->counts[i];
  else if (box->verdict < ASSAY_N_VERDICTS)
    frame->counts[box->verdict]++;
}

/* A scope gets a frame if it has at least two boxes, and more than a scope inside of it: two frames
 * around the same boxes would say the same. Returns per scope its frame plus one, or that of the
 * scope around it. */
static guint32 *
choose_frames (AssayView *self)
{
  guint32 n_scopes = self->tree->scopes->len;
  guint32 *frame_of = g_new0 (guint32, n_scopes);
  g_autofree guint32 *n_boxes = g_new0 (guint32, n_scopes);
  g_autofree guint8 *filled = g_new0 (guint8, n_scopes);

  for (guint32 i = 0; i < self->boxes->len; i++)
    n_boxes[assay_view_scope_around (self, assay_view_box (self, i))]++;
  for (guint32 s = n_scopes; s-- > 1;)
    n_boxes[assay_scope_tree_get (self->tree, s)->parent] += n_boxes[s];
  for (guint32 s = 1; s < n_scopes; s++)
    if (n_boxes[s] == n_boxes[assay_scope_tree_get (self->tree, s)->parent] && is_framed (self, s))
      filled[assay_scope_tree_get (self->tree, s)->parent] = TRUE;

  for (guint32 s = 1; s < n_scopes; s++)
    {
      guint32 parent = frame_of[assay_scope_tree_get (self->tree, s)->parent];
      AssayViewFrame frame = { .scope = s, .parent = parent };

      frame_of[s] = parent;
      if (n_boxes[s] < 2 || filled[s] || !is_framed (self, s))
        continue;
      if (parent != 0)
        frame.depth = assay_view_frame (self, parent - 1)->depth + 1;
      g_array_append_val (self->frames, frame);
      frame_of[s] = self->frames->len;
    }

  return frame_of;
}

/* Room above the first rank and below the last one, for the frames that begin and end there. */
static void
make_room (AssayView *self, const AssayLayersFrame *layout)
{
  for (guint32 f = self->frames->len; f-- > 0;)
    {
      AssayViewFrame *frame = assay_view_frame (self, f);
      AssayViewRank *first = assay_view_rank (self, layout[f].first_rank);
      AssayViewRank *last = assay_view_rank (self, layout[f].last_rank);

      frame->above = MIN (frame->above + ASSAY_FRAME_PAD + ASSAY_FRAME_HEADER,
                          MAX_NESTED * (ASSAY_FRAME_PAD + ASSAY_FRAME_HEADER));
      frame->below = MIN (frame->below + ASSAY_FRAME_PAD, MAX_NESTED * ASSAY_FRAME_PAD);
      first->above = MAX (first->above, frame->above);
      last->below = MAX (last->below, frame->below);

      if (frame->parent == 0)
        continue;
      {
        AssayViewFrame *parent = assay_view_frame (self, frame->parent - 1);

        if (layout[frame->parent - 1].first_rank == layout[f].first_rank)
          parent->above = MAX (parent->above, frame->above);
        if (layout[frame->parent - 1].last_rank == layout[f].last_rank)
          parent->below = MAX (parent->below, frame->below);
      }
    }
}

static guint32
common_frame (const AssayView *self, guint32 a, guint32 b)
{
  /* Parents stand before children. */
  while (a != b)
    if (a > b)
      a = assay_view_frame (self, a - 1)->parent;
    else
      b = assay_view_frame (self, b - 1)->parent;

  return a;
}

/* The frame around everything that an input is read by, or that writes an output. */
static guint32
frame_beside (const AssayView *self, const AssayViewBox *box, const guint32 *frame_of_box)
{
  guint32 frame = G_MAXUINT32;

  for (guint32 k = box->first_in; k < box->first_in + box->n_in; k++)
    {
      const AssayViewEdge *edge = assay_view_edge (self,
                                                   g_array_index (self->in_edges, guint32, k));
      guint32 other = frame_of_box[assay_view_net (self, edge->net)->source];

      frame = frame == G_MAXUINT32 ? other : common_frame (self, frame, other);
    }
  for (guint32 n = box->first_net; n < box->first_net + box->n_nets; n++)
    for (guint32 k = assay_view_net (self, n)->first_edge;
         k < assay_view_net (self, n)->first_edge + assay_view_net (self, n)->n_edges; k++)
      {
        guint32 other = frame_of_box[assay_view_edge (self, k)->target];

        frame = frame == G_MAXUINT32 ? other : common_frame (self, frame, other);
      }

  return frame == G_MAXUINT32 ? 0 : frame;
}

/* An input or output that stands beside boxes of a frame goes into it: outside, it would push the
 * frame aside. */
static void
take_ports (const AssayView *self, const AssayLayers *layers, guint32 *frame_of_box)
{
  guint32 n = self->frames->len;
  g_autofree guint32 *first = g_new (guint32, n + 1);
  g_autofree guint32 *last = g_new0 (guint32, n + 1);

  for (guint32 f = 0; f <= n; f++)
    first[f] = G_MAXUINT32;
  for (guint32 i = 0; i < self->boxes->len; i++)
    for (guint32 f = frame_of_box[i]; f != 0; f = assay_view_frame (self, f - 1)->parent)
      {
        first[f] = MIN (first[f], layers->rank[i]);
        last[f] = MAX (last[f], layers->rank[i]);
      }
  for (guint32 i = 0; i < self->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (self, i);
      guint32 f = box->kind >= ASSAY_BOX_INPUT ? frame_beside (self, box, frame_of_box) : 0;

      while (f != 0 && (layers->rank[i] < first[f] || layers->rank[i] > last[f]))
        f = assay_view_frame (self, f - 1)->parent;
      if (f != 0)
        frame_of_box[i] = f;
    }
}

/* Chooses frames and finds what is in which. */
void
assay_view_choose_frames (AssayView *self, const AssayLayers *layers)
{
  g_autofree guint32 *frame_of_scope = choose_frames (self);
  guint32 *frame_of_box;

  if (self->frames->len == 0)
    return;

  g_array_set_size (self->box_frame, self->boxes->len);
  frame_of_box = (guint32 *) (void *) self->box_frame->data;
  for (guint32 i = 0; i < self->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (self, i);

      frame_of_box[i] = frame_of_scope[assay_view_scope_around (self, box)];
      for (guint32 f = frame_of_box[i]; f != 0; f = assay_view_frame (self, f - 1)->parent)
        add_counts (assay_view_frame (self, f - 1), box);
    }

  take_ports (self, layers, frame_of_box);
}

static gboolean
is_within (const AssayScopeTree *tree, guint32 scope, guint32 around)
{
  while (scope > around)
    scope = assay_scope_tree_get (tree, scope)->parent;

  return scope == around;
}

/* Has the drawing make room for the frames, and keep its places apart from that. With @hold, frames
 * of @scope and in it move together. */
void
assay_view_enclose (AssayView *self, AssayLayers *layers, gboolean keep, AssayLayersHold *hold,
                    guint32 scope)
{
  g_autofree AssayLayersFrame *layout = NULL;
  guint32 n = self->frames->len;

  if (n == 0)
    return;

  layout = g_new0 (AssayLayersFrame, n);
  for (guint32 f = 0; f < n; f++)
    {
      layout[f].parent = assay_view_frame (self, f)->parent;
      layout[f].is_together = hold != NULL &&
                              is_within (self->tree, assay_view_frame (self, f)->scope, scope);
    }
  assay_layers_enclose (layers, n, layout, (const guint32 *) (const void *) self->box_frame->data,
                        keep, hold);
  for (guint32 f = 0; f < n; f++)
    {
      AssayViewFrame *frame = assay_view_frame (self, f);

      frame->first_rank = layout[f].first_rank;
      frame->last_rank = layout[f].last_rank;
      frame->x = layout[f].left;
      frame->width = layout[f].right - frame->x;
    }
}

/* Asks for room in the ranks, which exist by now. */
void
assay_view_make_room (AssayView *self)
{
  g_autofree AssayLayersFrame *layout = g_new0 (AssayLayersFrame, self->frames->len + 1);

  for (guint32 f = 0; f < self->frames->len; f++)
    {
      layout[f].first_rank = assay_view_frame (self, f)->first_rank;
      layout[f].last_rank = assay_view_frame (self, f)->last_rank;
    }
  make_room (self, layout);
}

void
assay_view_place_frames (AssayView *self)
{
  for (guint32 f = 0; f < self->frames->len; f++)
    {
      AssayViewFrame *frame = assay_view_frame (self, f);
      const AssayViewRank *last = assay_view_rank (self, frame->last_rank);

      frame->y = assay_view_rank (self, frame->first_rank)->y - frame->above;
      frame->height = last->y + last->height + frame->below - frame->y;
    }
}

/**
 * assay_view_hit_frame:
 * @self: a view
 * @x: x of a point
 * @y: y of a point
 * @top: y of what is seen first: headers of frames that begin above stand there
 *
 * Finds the frame whose header is at a point.
 *
 * Returns: its index, or %ASSAY_NO_BOX
 */
guint32
assay_view_hit_frame (const AssayView *self, double x, double y, double top)
{
  for (guint32 f = self->frames->len; f-- > 0;)
    {
      const AssayViewFrame *frame = assay_view_frame (self, f);
      double header = assay_view_frame_header (self, f, top);

      if (x >= frame->x && x < frame->x + frame->width && y >= header &&
          y < header + ASSAY_FRAME_HEADER)
        return f;
    }

  return ASSAY_NO_BOX;
}

/**
 * assay_view_frame_header:
 * @self: a view
 * @index: a frame
 * @top: y of what is seen first
 *
 * Gets where the header of a frame stands: at its upper end, or below @top and the headers around
 * it while something of the frame is seen.
 *
 * Returns: y of the header
 */
double
assay_view_frame_header (const AssayView *self, guint32 index, double top)
{
  const AssayViewFrame *frame = assay_view_frame (self, index);
  double stuck = top + frame->depth * ASSAY_FRAME_HEADER;
  double last = frame->y + frame->height - ASSAY_FRAME_HEADER;

  return MAX (frame->y, MIN (stuck, last));
}
