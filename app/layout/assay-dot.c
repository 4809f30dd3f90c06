/* assay-dot.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * One block through dot. Every edge of a block leads to the next rank, so that ranks which are
 * already given are the ones with the shortest edges, and dot finds the same; what hangs together
 * with nothing gets a thin edge that keeps it in its rank. A point of dot is a cell of ours.
 */
#include "assay-dot.h"

#include <graphviz/gvc.h>
#include <math.h>
#include <stdio.h>

/* Room between neighbours in cells: 24 units between boxes, 16 to 20 between a box and a lane, 12
 * between lanes. */
#define GAP 3
#define BOX_MARGIN 1.5

struct _AssayDot
{
  GVC_t *context;
};

typedef struct
{
  const AssayDotBlock *block;
  Agraph_t *graph;
  Agnode_t **nodes;
  Agraph_t **groups;
  guint32 *set; /* union and find over vertices */
} Drawing;

/**
 * assay_dot_new:
 *
 * Loads Graphviz.
 *
 * Returns: (transfer full): the engine
 */
AssayDot *
assay_dot_new (void)
{
  AssayDot *self = g_new0 (AssayDot, 1);

  self->context = gvContext ();

  return self;
}

void
assay_dot_free (AssayDot *self)
{
  if (self == NULL)
    return;

  gvFreeContext (self->context);
  g_free (self);
}

static void
set_default (Agraph_t *graph, int kind, const char *name, const char *value)
{
  /* The library takes text that it does not change without saying so. */
  agattr (graph, kind, (char *) name, (char *) value);
}

static void
set (gpointer object, const char *name, const char *value)
{
  agset (object, (char *) name, (char *) value);
}

static Agraph_t *
make_graph (void)
{
  Agraph_t *graph = agopen ((char *) "block", Agdirected, NULL);
  char gap[G_ASCII_DTOSTR_BUF_SIZE];

  set_default (graph, AGRAPH, "nodesep", g_ascii_dtostr (gap, sizeof gap, GAP / 72.0));
  set_default (graph, AGRAPH, "ranksep", "0.1");
  set_default (graph, AGRAPH, "splines", "none");
  set_default (graph, AGRAPH, "newrank", "true");
  set_default (graph, AGRAPH, "nslimit", "2");
  set_default (graph, AGRAPH, "nslimit1", "2");
  set_default (graph, AGRAPH, "margin", "0");
  set_default (graph, AGRAPH, "label", "");
  set_default (graph, AGNODE, "shape", "box");
  set_default (graph, AGNODE, "fixedsize", "true");
  set_default (graph, AGNODE, "label", "");
  set_default (graph, AGNODE, "height", "0.02");
  set_default (graph, AGNODE, "width", "0");
  set_default (graph, AGNODE, "ordering", "");
  set_default (graph, AGEDGE, "weight", "1");
  set_default (graph, AGEDGE, "minlen", "1");
  set_default (graph, AGEDGE, "arrowhead", "none");

  return graph;
}

static guint32
find_set (guint32 *set, guint32 v)
{
  while (set[v] != v)
    v = set[v] = set[set[v]];

  return v;
}

static Agnode_t *
add_node (Agraph_t *graph, guint32 number)
{
  char name[16];

  g_snprintf (name, sizeof name, "%u", number);

  return agnode (graph, name, TRUE);
}

static gboolean
is_lane (const AssayDotBlock *block, guint32 v)
{
  return block->vertices[v].reach == ASSAY_DOT_LANE;
}

/* What is pinned stays outside of frames, since dot knows no order of nodes across the border of a
 * cluster. */
static void
add_vertices (Drawing *self, gboolean in_groups)
{
  const AssayDotBlock *block = self->block;
  g_autofree guint8 *pinned = g_new0 (guint8, block->n_vertices);

  for (guint32 i = 0; in_groups && i < block->n_groups; i++)
    {
      char name[32];

      g_snprintf (name, sizeof name, "cluster%u", i);
      self->groups[i] = agsubg (
          block->groups[i] == 0 ? self->graph : self->groups[block->groups[i] - 1], name, TRUE);
    }

  for (guint32 i = 0; i < block->n_bottom; i++)
    pinned[block->bottom[i]] = TRUE;
  for (guint32 i = 0; i < block->n_vertices; i++)
    {
      const AssayDotVertex *vertex = &block->vertices[i];
      char width[G_ASCII_DTOSTR_BUF_SIZE];

      self->nodes[i] = add_node (self->graph, i);
      self->set[i] = i;
      if (in_groups && vertex->group != 0 && !pinned[i] &&
          !(block->pinned_top && vertex->rank == 0))
        agsubnode (self->groups[vertex->group - 1], self->nodes[i], TRUE);
      if (!is_lane (block, i))
        set (self->nodes[i], "width",
             g_ascii_dtostr (width, sizeof width, 2 * (vertex->reach + BOX_MARGIN) / 72.0));
    }
}

static Agedge_t *
join (Drawing *self, Agnode_t *from, Agnode_t *to)
{
  return agedge (self->graph, from, to, NULL, TRUE);
}

/* Long edges are to be straight before short ones, as dot does it with its own. */
static void
add_edges (Drawing *self)
{
  static const char *const weights[] = { "1", "2", "8" };
  const AssayDotBlock *block = self->block;

  for (guint32 i = 0; i < block->n_edges; i++)
    {
      const AssayDotEdge *edge = &block->edges[i];
      guint lanes = (is_lane (block, edge->from) ? 1 : 0) + (is_lane (block, edge->to) ? 1 : 0);

      set (join (self, self->nodes[edge->from], self->nodes[edge->to]), "weight", weights[lanes]);
      self->set[find_set (self->set, edge->from)] = find_set (self->set, edge->to);
    }
}

/* Everything in the first rank hangs on one node, in its order if that is pinned, and so does what
 * is pinned at the bottom. Of what is still apart the uppermost vertex hangs on one of the rank
 * above it. */
static void
hold_together (Drawing *self)
{
  const AssayDotBlock *block = self->block;
  Agnode_t *top = add_node (self->graph, block->n_vertices);
  guint32 first_of_rank = 0;
  guint32 above = 0;

  if (block->pinned_top)
    set (top, "ordering", "out");
  for (guint32 i = 0; i < block->n_vertices && block->vertices[i].rank == 0; i++)
    {
      join (self, top, self->nodes[i]);
      self->set[find_set (self->set, i)] = find_set (self->set, 0);
    }
  for (guint32 i = 1; i < block->n_vertices; i++)
    {
      if (block->vertices[i].rank != block->vertices[i - 1].rank)
        {
          above = first_of_rank;
          first_of_rank = i;
        }
      if (block->vertices[i].rank > 0 && find_set (self->set, i) != find_set (self->set, 0))
        {
          join (self, self->nodes[above], self->nodes[i]);
          self->set[find_set (self->set, i)] = find_set (self->set, 0);
        }
    }

  if (block->n_bottom > 1)
    {
      Agnode_t *bottom = add_node (self->graph, block->n_vertices + 1);

      set (bottom, "ordering", "in");
      for (guint32 i = 0; i < block->n_bottom; i++)
        join (self, self->nodes[block->bottom[i]], bottom);
    }
}

/* Edges of no length along each rank leave dot no choice but the order that the block came with;
 * frames are side by side in it already. */
static void
fix_order (Drawing *self)
{
  const AssayDotBlock *block = self->block;

  for (guint32 i = 1; i < block->n_vertices; i++)
    if (block->vertices[i].rank == block->vertices[i - 1].rank)
      {
        Agedge_t *edge = join (self, self->nodes[i - 1], self->nodes[i]);

        set (edge, "minlen", "0");
        set (edge, "weight", "0");
      }
}

static gboolean
take_places (const Drawing *self, gint32 *x)
{
  const AssayDotBlock *block = self->block;
  int first = ND_rank (self->nodes[0]);

  for (guint32 i = 0; i < block->n_vertices; i++)
    {
      double at = ND_coord (self->nodes[i]).x;

      if (ND_rank (self->nodes[i]) - first != (int) block->vertices[i].rank || !isfinite (at) ||
          fabs (at) > ASSAY_DOT_MAX_CELL)
        return FALSE;
      x[i] = (gint32) lround (at);
    }

  return TRUE;
}

static gboolean
lay_out (AssayDot *self, const AssayDotBlock *block, gboolean in_order, gint32 *x)
{
  g_autofree Agnode_t **nodes = g_new0 (Agnode_t *, block->n_vertices);
  g_autofree Agraph_t **groups = g_new0 (Agraph_t *, block->n_groups + 1);
  g_autofree guint32 *sets = g_new0 (guint32, block->n_vertices);
  Drawing drawing = {
    .block = block, .graph = make_graph (), .nodes = nodes, .groups = groups, .set = sets
  };
  gboolean placed = FALSE;

  add_vertices (&drawing, !in_order);
  add_edges (&drawing);
  hold_together (&drawing);
  if (in_order)
    fix_order (&drawing);
  if (gvLayout (self->context, drawing.graph, "dot") == 0)
    {
      placed = take_places (&drawing, x);
      gvFreeLayout (self->context, drawing.graph);
    }
  agclose (drawing.graph);

  return placed;
}

/* Crossings when every vertex stands at a place; the edges between two ranks are few. */
static guint64
count_crossings (const AssayDotBlock *block, const gint32 *x)
{
  guint64 crossings = 0;

  /* Edges come rank by rank. */
  for (guint32 a = 0; a < block->n_edges; a++)
    for (guint32 b = a + 1; b < block->n_edges; b++)
      {
        const AssayDotEdge *ea = &block->edges[a];
        const AssayDotEdge *eb = &block->edges[b];

        if (block->vertices[ea->from].rank != block->vertices[eb->from].rank)
          break;
        if (((gint64) x[ea->from] - x[eb->from]) * ((gint64) x[ea->to] - x[eb->to]) < 0)
          crossings++;
      }

  return crossings;
}

/* Whether what is pinned stands in its order, and nothing crosses more than it did. */
static gboolean
is_better (const AssayDotBlock *block, const gint32 *x)
{
  g_autofree gint32 *before = g_new (gint32, block->n_vertices);

  for (guint32 i = 0; i < block->n_vertices; i++)
    before[i] = (gint32) i;
  for (guint32 i = 1; block->pinned_top && i < block->n_vertices && block->vertices[i].rank == 0;
       i++)
    if (x[i] <= x[i - 1])
      return FALSE;
  for (guint32 i = 1; i < block->n_bottom; i++)
    if (x[block->bottom[i]] <= x[block->bottom[i - 1]])
      return FALSE;

  return count_crossings (block, x) <= count_crossings (block, before);
}

/**
 * assay_dot_layout:
 * @self: the engine
 * @block: a block
 * @x: (array): room for a place per vertex
 *
 * Lays out a block; if dot finds an order that is worse than the one that the block has, in that
 * one. Places are in cells.
 *
 * Returns: whether dot has placed every vertex in its rank
 */
gboolean
assay_dot_layout (AssayDot *self, const AssayDotBlock *block, gint32 *x)
{
  if (lay_out (self, block, FALSE, x) && is_better (block, x))
    return TRUE;

  return lay_out (self, block, TRUE, x);
}
