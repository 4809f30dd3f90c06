/* assay-dot-peer.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The same boxes and edges drawn by dot, to compare with: boxes of the same sizes and distances,
 * frames as clusters, stubs left out as they are on our side.
 */
#include "tests/scene/assay-dot-peer.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/scene/assay-layout-crossings.h"

/* Pieces that stand for one curve. */
#define STEPS 6

#define INCH 72.0

static gboolean
is_in_frame (const AssayView *view, const AssayViewBox *box, guint32 frame)
{
  guint32 wanted = assay_view_frame (view, frame)->scope;
  guint32 scope = box->kind >= ASSAY_BOX_INPUT ? 0 : box->scope;

  if (box->kind == ASSAY_BOX_SCOPE)
    scope = assay_scope_tree_get (view->tree, scope)->parent;
  for (; scope != 0 && scope != wanted; scope = assay_scope_tree_get (view->tree, scope)->parent)
    ;

  return scope == wanted;
}

static void
write_frame (const AssayView *view, guint32 frame, GString *text)
{
  g_string_append_printf (text, "subgraph cluster_%u {\n", frame);
  for (guint32 f = frame + 1; f < view->frames->len; f++)
    if (assay_view_frame (view, f)->parent == frame + 1)
      write_frame (view, f, text);
  for (guint32 i = 0; i < view->boxes->len; i++)
    if (is_in_frame (view, assay_view_box (view, i), frame))
      g_string_append_printf (text, "b%u;", i);
  g_string_append (text, "}\n");
}

static char *
write_graph (const AssayView *view, gboolean frames)
{
  GString *text = g_string_new ("digraph g {\nnodesep=0.33; ranksep=0.31; "
                                "node [shape=box, fixedsize=true, label=\"\"]; "
                                "edge [arrowhead=none];\n");

  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (view, i);

      g_string_append_printf (text, "b%u [width=%.3f, height=%.3f];\n", i, box->width / INCH,
                              box->height / INCH);
    }
  for (guint32 f = 0; frames && f < view->frames->len; f++)
    if (assay_view_frame (view, f)->parent == 0)
      write_frame (view, f, text);
  for (guint32 e = 0; e < view->edges->len; e++)
    {
      const AssayViewEdge *edge = assay_view_edge (view, e);

      g_string_append_printf (text, "b%u -> b%u;\n", assay_view_net (view, edge->net)->source,
                              edge->target);
    }
  g_string_append (text, "}\n");

  return g_string_free (text, FALSE);
}

static double
bezier (double p0, double p1, double p2, double p3, double t)
{
  double u = 1 - t;

  return u * u * u * p0 + 3 * u * u * t * p1 + 3 * u * t * t * p2 + t * t * t * p3;
}

static void
add_curve (GArray *pieces, const double *p, guint32 net)
{
  AssayPiece piece = { .x2 = p[0], .y2 = p[1], .net = net };

  for (guint i = 1; i <= STEPS; i++)
    {
      double t = (double) i / STEPS;

      piece.x1 = piece.x2;
      piece.y1 = piece.y2;
      piece.x2 = bezier (p[0], p[2], p[4], p[6], t);
      piece.y2 = bezier (p[1], p[3], p[5], p[7], t);
      g_array_append_val (pieces, piece);
    }
}

/* Which value an edge of the answer is a way of; of two between the same boxes each is found once.
 */
static guint32
find_net (const AssayView *view, const char *tail, const char *head, guint8 *taken)
{
  const AssayViewBox *source = assay_view_box (view, (guint32) strtoul (tail + 1, NULL, 10));
  guint32 target = (guint32) strtoul (head + 1, NULL, 10);

  for (guint32 n = source->first_net; n < source->first_net + source->n_nets; n++)
    for (guint32 e = assay_view_net (view, n)->first_edge;
         e < assay_view_net (view, n)->first_edge + assay_view_net (view, n)->n_edges; e++)
      if (assay_view_edge (view, e)->target == target && !taken[e])
        {
          taken[e] = TRUE;
          return n;
        }

  g_assert_not_reached ();
}

/* A line of plain output: edge TAIL HEAD N X1 Y1 ... */
static void
read_edge (const AssayView *view, const char *line, guint8 *taken, GArray *pieces)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  guint n = g_strv_length (words) > 4 ? (guint) strtoul (words[3], NULL, 10) : 0;
  guint32 net = find_net (view, words[1], words[2], taken);
  g_autofree double *points = g_new (double, 2 * n + 1);

  for (guint i = 0; i < 2 * n; i++)
    points[i] = g_ascii_strtod (words[4 + i], NULL);
  for (guint i = 0; i + 3 < n; i += 3)
    add_curve (pieces, points + 2 * i, net);
}

static void
read_answer (const AssayView *view, const char *out, const char *messages, AssayDotResult *result)
{
  g_autofree guint8 *taken = g_new0 (guint8, view->edges->len + 1);
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (AssayPiece));
  g_auto (GStrv) lines = g_strsplit (out, "\n", -1);
  g_auto (GStrv) said = g_strsplit (messages, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "edge "))
      read_edge (view, lines[i], taken, pieces);
  result->crossings = assay_count_crossings (pieces);

  result->counted = 0;
  for (guint i = 0; said[i] != NULL; i++)
    {
      const char *at = g_str_has_prefix (said[i], "mincross g: ")
                           ? said[i] + strlen ("mincross g: ")
                           : NULL;

      if (at != NULL)
        result->counted += g_ascii_strtoull (at, NULL, 10);
    }
}

/* Has dot draw a view. Returns whether there is a dot; where it takes more than so many seconds,
 * the result says so. */
gboolean
assay_dot_run (const AssayView *view, gboolean frames, guint seconds, AssayDotResult *result)
{
  g_autofree char *dot = g_find_program_in_path ("dot");
  g_autofree char *limit = g_strdup_printf ("%u", seconds);
  g_autofree char *graph = NULL;
  g_autofree char *out = NULL;
  g_autofree char *messages = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  gint64 begin;

  if (dot == NULL)
    return FALSE;

  graph = write_graph (view, frames);
  begin = g_get_monotonic_time ();
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                  G_SUBPROCESS_FLAGS_STDERR_PIPE,
                              &error, "timeout", limit, dot, "-v", "-Tplain", NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, graph, NULL, &out, &messages, &error);
  result->seconds = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  if (error != NULL || !g_subprocess_get_successful (process))
    result->seconds = -1;
  else
    read_answer (view, out, messages, result);

  return TRUE;
}
