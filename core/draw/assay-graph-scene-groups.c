/* assay-graph-scene-groups.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Outlines around what a target fuses into one operation.
 */
#include "draw/assay-graph-scene-private.h"

#define AROUND 5.0
#define RADIUS 9.0

/* Operations that are fused are few and near each other. */
#define MAX_MEMBERS 12

/* The node that stands for the operation a node becomes a part of. */
static AssayNodeId
host_of (const AssayScene *scene, const AssayViewBox *box)
{
  const GArray *verdicts = scene->view->verdicts->verdicts;
  const AssayVerdict *verdict;

  if (box->kind != ASSAY_BOX_NODE || verdicts == NULL || box->node >= verdicts->len)
    return ASSAY_NO_NODE;

  verdict = &g_array_index (verdicts, AssayVerdict, box->node);

  return verdict->kind == ASSAY_VERDICT_FUSED && verdict->into != ASSAY_NO_NODE ? verdict->into
                                                                                : box->node;
}

typedef struct
{
  guint32 boxes[MAX_MEMBERS];
  guint n;
} Members;

static void
add_member (const AssayScene *scene, Members *members, guint32 index, AssayNodeId host)
{
  if (members->n == MAX_MEMBERS || host_of (scene, assay_view_box (scene->view, index)) != host)
    return;
  for (guint i = 0; i < members->n; i++)
    if (members->boxes[i] == index)
      return;
  members->boxes[members->n++] = index;
}

/* Along the edges from a member to its neighbours, as long as they belong to the same operation. */
static void
find_members (const AssayScene *scene, guint32 index, Members *members)
{
  AssayNodeId host = host_of (scene, assay_view_box (scene->view, index));

  members->n = 0;
  add_member (scene, members, index, host);
  for (guint i = 0; i < members->n; i++)
    {
      const AssayViewBox *box = assay_view_box (scene->view, members->boxes[i]);

      for (guint32 k = box->first_in; k < box->first_in + box->n_in; k++)
        {
          guint32 edge = g_array_index (scene->view->in_edges, guint32, k);

          add_member (
              scene, members,
              assay_view_net (scene->view, assay_view_edge (scene->view, edge)->net)->source, host);
        }
      for (guint32 n = box->first_net; n < box->first_net + box->n_nets; n++)
        {
          const AssayViewNet *net = assay_view_net (scene->view, n);

          for (guint32 k = net->first_edge; k < net->first_edge + net->n_edges; k++)
            add_member (scene, members, assay_view_edge (scene->view, k)->target, host);
        }
    }
}

static gboolean
is_member (const Members *members, guint32 index)
{
  for (guint i = 0; i < members->n; i++)
    if (members->boxes[i] == index)
      return TRUE;

  return FALSE;
}

/* Finds the outline of a fused operation whose uppermost box this is. There is none where it would
 * go around a foreign box: the weld at the edge of the fused node says enough then. */
gboolean
assay_scene_find_fused_group (const AssayScene *scene, const AssayViewBox *box,
                              AssaySceneOutline *outline)
{
  guint32 index = (guint32) (box - assay_view_box (scene->view, 0));
  double x1 = box->x, y1 = box->y, x2 = box->x + box->width, y2 = box->y + box->height;
  guint32 last = box->rank;
  Members members;

  if (scene->look->detail > ASSAY_DETAIL_TITLE || host_of (scene, box) == ASSAY_NO_NODE)
    return FALSE;

  find_members (scene, index, &members);
  if (members.n < 2)
    return FALSE;

  for (guint i = 0; i < members.n; i++)
    {
      const AssayViewBox *member = assay_view_box (scene->view, members.boxes[i]);

      if (member->rank < box->rank || (member->rank == box->rank && members.boxes[i] < index))
        return FALSE;
      x1 = MIN (x1, member->x);
      x2 = MAX (x2, member->x + member->width);
      y2 = MAX (y2, member->y + member->height);
      last = MAX (last, member->rank);
    }
  if (last - box->rank > ASSAY_SCENE_OUTLINE_RANKS)
    return FALSE;

  for (guint32 r = box->rank; r <= last; r++)
    {
      const AssayViewRank *rank = assay_view_rank (scene->view, r);

      for (guint32 i = 0; i < rank->n; i++)
        {
          guint32 other = g_array_index (scene->view->rank_order, guint32, rank->first + i);
          const AssayViewBox *foreign = assay_view_box (scene->view, other);

          if (foreign->x < x2 && foreign->x + foreign->width > x1 && !is_member (&members, other))
            return FALSE;
        }
    }

  *outline = (AssaySceneOutline){ x1 - AROUND, y1 - AROUND, x2 + AROUND, y2 + AROUND };
  return TRUE;
}

/* Draws the outline of a fused operation with the uppermost of its boxes. */
void
assay_scene_draw_fused_group (const AssayScene *scene, const AssayViewBox *box)
{
  AssaySceneOutline outline;

  if (assay_scene_find_fused_group (scene, box, &outline))
    assay_display_list_box (scene->list, -1, ASSAY_ROLE_GLYPH_FUSED, ASSAY_LINE_SOLID, scene->hair,
                            scene->look->detail == ASSAY_DETAIL_FULL ? RADIUS : 0, outline.x1,
                            outline.y1, outline.x2 - outline.x1, outline.y2 - outline.y1);
}
