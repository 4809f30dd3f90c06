/* assay-layout-crossings.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Crossings as the eye counts them: of the lines as they are drawn, edge by edge, so that pictures
 * of different programs can be compared. A line that several edges share counts once for each of
 * them.
 */
#include "tests/scene/assay-layout-crossings.h"

#include <math.h>
#include <stdlib.h>

static int
compare_top (gconstpointer a, gconstpointer b)
{
  const AssayPiece *pa = a;
  const AssayPiece *pb = b;
  double ya = MIN (pa->y1, pa->y2);
  double yb = MIN (pb->y1, pb->y2);

  return ya < yb ? -1 : ya > yb;
}

/* Left of a piece or on it, else right: points on it belong to one side, so that a way through a
 * corner counts once. */
static gboolean
is_left (const AssayPiece *piece, double x, double y)
{
  return (piece->x2 - piece->x1) * (y - piece->y1) - (piece->y2 - piece->y1) * (x - piece->x1) >= 0;
}

static gboolean
do_cross (const AssayPiece *a, const AssayPiece *b)
{
  return is_left (a, b->x1, b->y1) != is_left (a, b->x2, b->y2) &&
         is_left (b, a->x1, a->y1) != is_left (b, a->x2, a->y2);
}

/* Counts the crossings between pieces of different values; sorts the pieces. */
guint64
assay_count_crossings (GArray *pieces)
{
  g_autoptr (GArray) active = g_array_new (FALSE, FALSE, sizeof (guint));
  guint64 crossings = 0;

  qsort (pieces->data, pieces->len, sizeof (AssayPiece), compare_top);
  for (guint i = 0; i < pieces->len; i++)
    {
      const AssayPiece *piece = &g_array_index (pieces, AssayPiece, i);
      double top = MIN (piece->y1, piece->y2);
      guint kept = 0;

      for (guint k = 0; k < active->len; k++)
        {
          guint index = g_array_index (active, guint, k);
          const AssayPiece *other = &g_array_index (pieces, AssayPiece, index);

          if (MAX (other->y1, other->y2) < top)
            continue;
          g_array_index (active, guint, kept++) = index;
          crossings += other->net != piece->net && do_cross (piece, other);
        }
      g_array_set_size (active, kept);
      g_array_append_val (active, i);
    }

  return crossings;
}

/* Lists the ways of all edges of a view. */
void
assay_list_pieces (const AssayView *view, GArray *pieces)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, 2 * sizeof (double));

  for (guint32 e = 0; e < view->edges->len; e++)
    {
      const double *p;

      g_array_set_size (points, 0);
      assay_view_edge_path (view, e, points);
      p = (const double *) (const void *) points->data;
      for (guint i = 0; i + 1 < points->len; i++, p += 2)
        {
          AssayPiece piece = { p[0], p[1], p[2], p[3], assay_view_edge (view, e)->net };

          g_array_append_val (pieces, piece);
        }
    }
}

static gboolean
lie_on_each_other (const AssayViewSegment *a, const AssayViewSegment *b)
{
  gboolean upright = a->x1 == a->x2;

  if (upright != (b->x1 == b->x2))
    return FALSE;
  if (upright)
    return a->x1 == b->x1 && MIN (a->y1, a->y2) < MAX (b->y1, b->y2) &&
           MIN (b->y1, b->y2) < MAX (a->y1, a->y2);

  return a->y1 == b->y1 && MIN (a->x1, a->x2) < MAX (b->x1, b->x2) &&
         MIN (b->x1, b->x2) < MAX (a->x1, a->x2);
}

/* Counts the pairs of lines of different values that lie on each other, where one cannot be told
 * from the other. */
guint
assay_count_overlaps (const AssayView *view)
{
  guint n = 0;

  for (guint32 r = 0; r < view->ranks->len; r++)
    {
      const AssayViewRank *rank = assay_view_rank (view, r);

      for (guint32 i = rank->first_segment; i < rank->first_segment + rank->n_segments; i++)
        for (guint32 k = rank->first_segment; k < i; k++)
          {
            const AssayViewSegment *a = &g_array_index (view->segments, AssayViewSegment, i);
            const AssayViewSegment *b = &g_array_index (view->segments, AssayViewSegment, k);

            n += a->net != b->net && lie_on_each_other (a, b);
          }
    }

  return n;
}

static gboolean
is_in (const AssayView *view, guint32 box, guint32 frame)
{
  guint32 at = g_array_index (view->box_frame, guint32, box);

  /* Parents stand before what is in them. */
  while (at > frame + 1)
    at = assay_view_frame (view, at - 1)->parent;

  return at == frame + 1;
}

static gboolean
belongs_to (const AssayView *view, guint32 index, guint32 frame)
{
  const AssayViewNet *net = assay_view_net (view, index);

  if (is_in (view, net->source, frame))
    return TRUE;
  for (guint32 e = net->first_edge; e < net->first_edge + net->n_edges; e++)
    if (is_in (view, assay_view_edge (view, e)->target, frame))
      return TRUE;

  return FALSE;
}

/* Counts the frames that the lines of a value lead through although it is neither written nor read
 * there. */
guint
assay_count_intruders (const AssayView *view)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint32 f = 0; f < view->frames->len; f++)
    {
      const AssayViewFrame *frame = assay_view_frame (view, f);
      guint32 first =
          assay_view_rank (view, frame->first_rank > 0 ? frame->first_rank - 1 : 0)->first_segment;
      const AssayViewRank *last = assay_view_rank (view, frame->last_rank);

      for (guint32 s = first; s < last->first_segment + last->n_segments; s++)
        {
          const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, s);
          gint64 key = (gint64) segment->net << 32 | f;

          if (MAX (segment->x1, segment->x2) <= frame->x ||
              MIN (segment->x1, segment->x2) >= frame->x + frame->width ||
              MAX (segment->y1, segment->y2) <= frame->y ||
              MIN (segment->y1, segment->y2) >= frame->y + frame->height)
            continue;
          if (!belongs_to (view, segment->net, f))
            g_hash_table_add (seen, g_memdup2 (&key, sizeof key));
        }
    }

  return g_hash_table_size (seen);
}
