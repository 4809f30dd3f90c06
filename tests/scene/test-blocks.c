/* test-blocks.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cutting a drawing into blocks and joining them, on graphs as text: `a>b a>c b>d c>d` are four
 * edges, and boxes are numbered as letters. A chain of letters `a>b>c` is two edges.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "layout/assay-dot-block.h"
#include "layout/assay-join.h"
#include "layout/assay-layers-private.h"

#include "test-program.h"

#define MAX_EDGES 64

typedef struct
{
  guint32 n_boxes;
  double left[32];
  double right[32];
  guint32 rank[32];
  AssayLayersNet nets[MAX_EDGES];
  guint32 targets[MAX_EDGES];
  guint32 n_nets;
  AssayLayers *layers;
} Drawing;

static void
add_edge (Drawing *self, guint32 from, guint32 to)
{
  self->targets[self->n_nets] = to;
  self->nets[self->n_nets] = (AssayLayersNet){ from, self->n_nets, 1 };
  self->n_nets++;
  self->n_boxes = MAX (self->n_boxes, to + 1);
}

/* Every edge is a net of its own; they have to come in the order of their sources. */
static void
drawing_make (Drawing *self, const char *text)
{
  guint32 n_ranks;

  *self = (Drawing){ 0 };
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '>')
      add_edge (self, (guint32) (c[-1] - 'a'), (guint32) (c[1] - 'a'));
  for (guint32 i = 0; i < self->n_boxes; i++)
    self->left[i] = self->right[i] = 56;

  n_ranks = assay_layers_rank (self->n_boxes, self->n_nets, self->nets, self->targets, NULL,
                               self->rank);
  self->layers = assay_layers_new (self->n_boxes, self->left, self->right, self->n_nets, self->nets,
                                   self->targets, n_ranks, self->rank);
  assay_layers_order (self->layers);
  assay_layers_place (self->layers);
}

static void
drawing_clear (Drawing *self)
{
  assay_layers_free (self->layers);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Drawing, drawing_clear)

/* Blocks as text: letters for boxes, a bar for a lane, `!` at a forced cut. */
static char *
describe (const AssayLayers *layers, const GArray *blocks)
{
  GString *text = g_string_new (NULL);
  guint32 vertices[256];

  for (guint k = 0; k < blocks->len; k++)
    {
      const AssayBlock *block = &g_array_index (blocks, AssayBlock, k);
      guint32 n = assay_block_list (block, layers, vertices);

      g_assert_cmpuint (n, ==, block->n_vertices);
      g_string_append (text, k == 0 ? "" : block->pinned_top ? "!" : " ");
      for (guint32 i = 0; i < n; i++)
        g_string_append_c (text, vertices[i] < layers->n_boxes ? (char) ('a' + vertices[i]) : '|');
    }

  return g_string_free (text, FALSE);
}

static void
test_cut (void)
{
  static const struct
  {
    const char *graph;
    guint max_boxes;
    const char *blocks;
  } rows[] = {
    /* a chain falls apart at every box */
    { "a>b>c>d", 100, "ab bc cd" },
    /* a diamond hangs on its ends, and so does what follows */
    { "a>b a>c b>d c>d d>e", 100, "abcd de" },
    { "a>b a>c b>d c>d d>e d>f e>g f>g", 100, "abcd defg" },
    /* a line past a box is a second way: no cut there */
    { "a>b a>c b>c", 100, "ab|c" },
    { "a>b a>d b>c c>d d>e", 100, "ab|c|d de" },
    /* what leads nowhere belongs to the block in which it ends, and cuts nothing */
    { "a>b a>c c>d d>e d>f", 100, "abc cd def" },
    /* two towers have no cut */
    { "a>c b>d c>e d>f", 100, "abcdef" },
    /* too large: cut at the narrowest rank of the lower half, both sides know what stands there */
    { "a>c b>d c>e d>f e>g f>h", 4, "abcd!cdef!efgh" },
    { "a>b a>c b>d b>e c>f d>g e>g f>h g>i h>i", 6, "abcdef!defghi" },
    /* a block of two ranks cannot be cut any further */
    { "a>b a>c a>d a>e a>f a>g", 3, "abcdefg" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Drawing) drawing = { 0 };
      g_autoptr (GArray) blocks = NULL;
      g_autofree char *text = NULL;

      drawing_make (&drawing, rows[i].graph);
      blocks = assay_blocks_cut (drawing.layers, rows[i].max_boxes, 1000);
      text = describe (drawing.layers, blocks);
      g_assert_cmpstr (text, ==, rows[i].blocks);
    }
}

static void
test_nothing (void)
{
  g_auto (Drawing) drawing = { 0 };
  g_autoptr (GArray) blocks = NULL;

  drawing_make (&drawing, "");
  blocks = assay_blocks_cut (drawing.layers, 10, 10);
  g_assert_cmpuint (blocks->len, ==, 0);
  assay_blocks_join (drawing.layers, blocks, NULL);
}

typedef struct
{
  GArray *blocks;
  AssayBlockPart parts[16];
  guint32 vertices[256];
  gint32 places[256];
} Cut;

/* Cuts, and says for every block that everything is to stand where the drawing has it, moved by
 * some cells. */
static void
cut_make (Cut *self, AssayLayers *layers, guint32 max_boxes, gint32 shift)
{
  guint32 used = 0;

  *self = (Cut){ .blocks = assay_blocks_cut (layers, max_boxes, 1000) };
  for (guint k = 0; k < self->blocks->len; k++)
    {
      const AssayBlock *block = &g_array_index (self->blocks, AssayBlock, k);
      AssayBlockPart *part = &self->parts[k];

      part->vertices = self->vertices + used;
      part->n_vertices = assay_block_list (block, layers, self->vertices + used);
      for (guint32 i = 0; i < part->n_vertices; i++)
        self->places[used + i] = (gint32) (layers->x[part->vertices[i]] / ASSAY_DOT_CELL) +
                                 shift * (gint32) (k + 1);
      part->places = self->places + used;
      used += part->n_vertices;
    }
}

static void
cut_clear (Cut *self)
{
  g_array_unref (self->blocks);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cut, cut_clear)

/* Blocks that were laid out far from each other come together again, whichever way they were cut.
 */
static void
test_join (void)
{
  static const char *const graphs[] = {
    "a>b>c>d",
    "a>b a>c b>d c>d d>e d>f e>g f>g",
    "a>c b>d c>e d>f e>g f>h",
    "a>b a>c b>d b>e c>f d>g e>g f>h g>i h>i",
  };

  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    for (guint32 max_boxes = 3; max_boxes < 20; max_boxes += 3)
      {
        g_auto (Drawing) drawing = { 0 };
        g_auto (Cut) cut = { NULL };
        g_autofree double *x = NULL;

        drawing_make (&drawing, graphs[i]);
        x = g_memdup2 (drawing.layers->x, drawing.layers->n_vertices * sizeof *x);
        cut_make (&cut, drawing.layers, max_boxes, 1000);
        assay_blocks_join (drawing.layers, cut.blocks, cut.parts);
        for (guint k = 0; k < cut.blocks->len; k++)
          g_assert_cmpint (cut.parts[k].fate, ==, ASSAY_BLOCK_TAKEN);
        for (guint32 v = 0; v < drawing.layers->n_vertices; v++)
          g_assert_cmpfloat (drawing.layers->x[v] - drawing.layers->x[0], ==, x[v] - x[0]);
      }
}

/* A block that nobody laid out comes along with the others, and those that end aside are brought
 * back. */
static void
test_drift (void)
{
  g_auto (Drawing) drawing = { 0 };
  g_auto (Cut) cut = { NULL };
  double first;

  drawing_make (&drawing, "a>b a>c b>d c>d d>e d>f e>g f>g g>h g>i h>j i>j");
  first = drawing.layers->x[0];
  cut_make (&cut, drawing.layers, 100, 0);
  g_assert_cmpuint (cut.blocks->len, ==, 3);
  cut.parts[1].places = NULL;
  /* The first and the last block go a long way aside. */
  for (guint k = 0; k < 3; k += 2)
    for (guint32 i = 0; i < cut.parts[k].n_vertices; i++)
      cut.places[(cut.parts[k].vertices - cut.vertices) + i] +=
          10 * (gint32) drawing.rank[cut.parts[k].vertices[i]];
  assay_blocks_join (drawing.layers, cut.blocks, cut.parts);
  g_assert_cmpint (cut.parts[0].fate, ==, ASSAY_BLOCK_TAKEN);
  g_assert_cmpint (cut.parts[1].fate, ==, ASSAY_BLOCK_KEPT);
  g_assert_cmpint (cut.parts[2].fate, ==, ASSAY_BLOCK_TAKEN);
  g_assert_cmpfloat (drawing.layers->x[0], ==, first);
  g_assert_cmpfloat (drawing.layers->x[3], ==, first + 80);
  g_assert_cmpfloat (drawing.layers->x[6], ==, first + 80);
  g_assert_cmpfloat (drawing.layers->x[9], ==, first + 80);
}

/* Most of what goes through a cut goes straight on: one that was laid out far aside does not move
 * the others. */
static void
test_majority (void)
{
  g_auto (Drawing) drawing = { 0 };
  g_auto (Cut) cut = { NULL };
  guint32 rightmost;

  drawing_make (&drawing, "a>d b>e c>f d>g e>h f>i");
  cut_make (&cut, drawing.layers, 6, 0);
  g_assert_cmpuint (cut.blocks->len, ==, 2);
  rightmost = drawing.layers->order[drawing.layers->rank_start[2] - 1];
  for (guint32 i = 0; i < cut.parts[1].n_vertices; i++)
    if (cut.parts[1].vertices[i] == rightmost)
      cut.places[(cut.parts[1].vertices - cut.vertices) + i] += 10;
  assay_blocks_join (drawing.layers, cut.blocks, cut.parts);
  g_assert_cmpint (cut.parts[1].fate, ==, ASSAY_BLOCK_TAKEN);
  for (guint32 v = 6; v < 9; v++)
    g_assert_cmpfloat (drawing.layers->x[v], ==, drawing.layers->x[v - 3]);
}

/* What would cross more is not taken, and neither is what turns around what is pinned. */
static void
test_refused (void)
{
  g_auto (Drawing) drawing = { 0 };
  g_auto (Cut) cut = { NULL };
  guint32 order[6];

  drawing_make (&drawing, "a>b a>c b>d c>e d>f e>f");
  memcpy (order, drawing.layers->order, sizeof order);
  cut_make (&cut, drawing.layers, 100, 0);
  g_assert_cmpuint (cut.blocks->len, ==, 1);
  for (guint32 i = 0; i < cut.parts[0].n_vertices; i++)
    if (cut.parts[0].vertices[i] == 3 || cut.parts[0].vertices[i] == 4)
      cut.places[i] = -cut.places[i];
  assay_blocks_join (drawing.layers, cut.blocks, cut.parts);
  g_assert_cmpint (cut.parts[0].fate, ==, ASSAY_BLOCK_CROSSED);
  g_assert_cmpmem (order, sizeof order, drawing.layers->order, sizeof order);
  g_assert_cmpuint (drawing.layers->crossings, ==, 0);
}

static void
test_pinned (void)
{
  g_auto (Drawing) drawing = { 0 };
  g_auto (Cut) cut = { NULL };

  drawing_make (&drawing, "a>c b>d c>e d>f e>g f>h");
  cut_make (&cut, drawing.layers, 4, 0);
  g_assert_cmpuint (cut.blocks->len, ==, 3);
  /* The mirror picture of the middle block has no crossings by itself, but would have with those
   * around it. */
  for (guint32 i = 0; i < cut.parts[1].n_vertices; i++)
    cut.places[(cut.parts[1].vertices - cut.vertices) + i] *= -1;
  assay_blocks_join (drawing.layers, cut.blocks, cut.parts);
  g_assert_cmpint (cut.parts[0].fate, ==, ASSAY_BLOCK_TAKEN);
  g_assert_cmpint (cut.parts[1].fate, ==, ASSAY_BLOCK_CROSSED);
  g_assert_cmpuint (drawing.layers->crossings, ==, 0);
}

/* Equal blocks are equal bytes wherever they are; another width, another line or another order
 * makes a difference. */
static void
test_bytes (void)
{
  g_auto (Drawing) drawing = { 0 };
  g_auto (Cut) cut = { NULL };
  guint32 local[64];
  GBytes *bytes[4];

  drawing_make (&drawing, "a>b a>c b>d c>d d>e d>f e>g f>g g>h g>i h>j i>j j>k j>l k>m l>m");
  drawing.left[7] = 76;
  drawing.right[7] = 76;
  cut_make (&cut, drawing.layers, 100, 0);
  g_assert_cmpuint (cut.blocks->len, ==, 4);
  for (guint k = 0; k < 4; k++)
    {
      AssayDotBlock block;
      gsize size;
      gconstpointer data;

      bytes[k] = assay_dot_block_write (&g_array_index (cut.blocks, AssayBlock, k), drawing.layers,
                                        cut.parts[k].vertices, cut.parts[k].n_vertices, NULL, NULL,
                                        local);
      data = g_bytes_get_data (bytes[k], &size);
      g_assert_true (assay_dot_block_read (&block, data, size));
      g_assert_cmpuint (block.n_vertices, ==, 4);
      g_assert_cmpuint (block.n_edges, ==, 4);
      g_assert_cmpuint (block.vertices[0].reach, ==, 14);
    }
  g_assert_true (g_bytes_equal (bytes[0], bytes[1]));
  g_assert_false (g_bytes_equal (bytes[0], bytes[2]));
  g_assert_true (g_bytes_equal (bytes[0], bytes[3]));
  for (guint k = 0; k < 4; k++)
    g_bytes_unref (bytes[k]);
}

/* Whatever is changed in the bytes of a block, reading it says yes or no and touches nothing else.
 */
static void
test_hostile_bytes (void)
{
  g_auto (Drawing) drawing = { 0 };
  g_auto (Cut) cut = { NULL };
  g_autoptr (GBytes) bytes = NULL;
  guint32 local[64];
  gsize size;
  const guint32 *words;
  static const guint32 values[] = { 0, 1, 2, 3, 7, 100, 0x7fffffff, 0x80000000, 0xffffffff };
  guint refused = 0;

  drawing_make (&drawing, "a>c b>d c>e d>f e>g f>h");
  cut_make (&cut, drawing.layers, 4, 0);
  bytes = assay_dot_block_write (&g_array_index (cut.blocks, AssayBlock, 1), drawing.layers,
                                 cut.parts[1].vertices, cut.parts[1].n_vertices, NULL, NULL, local);
  words = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size / sizeof *words; i++)
    for (guint k = 0; k < G_N_ELEMENTS (values); k++)
      {
        g_autofree guint32 *copy = g_memdup2 (words, size);
        AssayDotBlock block;

        copy[i] = values[k];
        if (!assay_dot_block_read (&block, copy, size))
          {
            refused++;
            continue;
          }
        for (guint32 e = 0; e < block.n_edges; e++)
          g_assert_cmpuint (MAX (block.edges[e].from, block.edges[e].to), <, block.n_vertices);
        for (guint32 v = 0; v < block.n_vertices; v++)
          g_assert_cmpuint (block.vertices[v].group, <=, block.n_groups);
      }
  for (gsize n = 0; n < size; n++)
    {
      g_autofree guint32 *copy = g_memdup2 (words, MAX (n, 1));
      AssayDotBlock block;

      g_assert_false (assay_dot_block_read (&block, copy, n));
    }
  g_assert_cmpuint (refused, >, 50);
}

/* Places that are kept give way to both sides, and end on the grid with their distances. */
static void
test_keep (void)
{
  g_auto (Drawing) drawing = { 0 };
  guint32 column[8];
  AssayLayers *layers;

  drawing_make (&drawing, "a>b a>c a>d");
  layers = drawing.layers;
  for (guint32 v = 0; v < layers->n_vertices; v++)
    column[v] = v;
  layers->x[0] = 1001.3;
  layers->x[1] = layers->x[2] = layers->x[3] = 1000;
  assay_layers_keep (layers, column);
  g_assert_cmpfloat (layers->x[layers->order[1]], ==, 56);
  g_assert_cmpfloat (layers->x[layers->order[2]], ==, 56 + 136);
  g_assert_cmpfloat (layers->x[layers->order[3]], ==, 56 + 2 * 136);
  g_assert_cmpfloat (layers->x[0], ==, 56 + 136);
}

/* A chain that goes aside step by step does so at once: it stands below what is above it as far as
 * there is room. */
static void
test_straight (void)
{
  g_auto (Drawing) drawing = { 0 };
  guint32 column[32];
  AssayLayers *layers;

  drawing_make (&drawing, "a>b a>c b>d c>e d>f e>g f>h g>h");
  layers = drawing.layers;
  for (guint32 v = 0; v < layers->n_vertices; v++)
    column[v] = v;
  /* One arm leaves its column by a cell in each rank, the other one stands where it would have to
   * be passed. */
  layers->x[0] = 100;
  for (guint32 v = 1; v < 7; v++)
    layers->x[v] = (v % 2 == 1 ? 100 : 300) + (v % 2 == 1 ? 4 : 0) * layers->rank[v];
  layers->x[7] = 200;
  for (guint32 r = 1; r <= 3; r++)
    g_assert_cmpuint (layers->order[layers->rank_start[r]] % 2, ==, 1);
  assay_layers_keep (layers, column);
  g_assert_cmpfloat (layers->x[1], ==, layers->x[3]);
  g_assert_cmpfloat (layers->x[3], ==, layers->x[5]);
  g_assert_cmpfloat (layers->x[2], ==, layers->x[6]);
  g_assert_cmpfloat (layers->x[1] - layers->x[0], ==, 4);
  g_assert_cmpfloat (layers->x[2] - layers->x[0], ==, 200);
}

TEST_PROGRAM (blocks)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/scene/blocks/cut", test_cut);
  g_test_add_func ("/scene/blocks/nothing", test_nothing);
  g_test_add_func ("/scene/blocks/join", test_join);
  g_test_add_func ("/scene/blocks/drift", test_drift);
  g_test_add_func ("/scene/blocks/majority", test_majority);
  g_test_add_func ("/scene/blocks/refused", test_refused);
  g_test_add_func ("/scene/blocks/pinned", test_pinned);
  g_test_add_func ("/scene/blocks/bytes", test_bytes);
  g_test_add_func ("/scene/blocks/hostile-bytes", test_hostile_bytes);
  g_test_add_func ("/scene/blocks/keep", test_keep);
  g_test_add_func ("/scene/blocks/straight", test_straight);

  return g_test_run ();
}
