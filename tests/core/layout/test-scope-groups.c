/* test-scope-groups.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Levels with more members than a picture has boxes: how they are cut into groups, for models of
 * every size.
 */
#include <glib.h>
#include <string.h>

#include "layout/assay-repeats.h"
#include "layout/assay-scope-tree.h"
#include "nnir/assay-graph-builder.h"

#include "test-program.h"

typedef enum
{
  EQUAL = 0,
  ALTERNATE = 1 << 0, /* blocks of two kinds in turn */
  DIFFERENT = 1 << 1, /* no two blocks alike */
  FLAT = 1 << 2,      /* names tell nothing */
  SKIPS = 1 << 3,     /* lines across the borders of blocks */
  SHARED = 1 << 4,    /* an input that all blocks read */
  DEEP = 1 << 5,      /* the blocks stand in a scope of their own */
  BRANCHES = 1 << 6,  /* blocks beside each other */
} Shape;

typedef struct
{
  AssayGraph *graph;
  AssayValueId mask;
  guint32 scope;
} Maker;

static AssayValueId
add_node (Maker *self, AssayOp op, AssayValueId a, AssayValueId b)
{
  const AssayValueId inputs[] = { a, b };
  g_autofree char *name = g_strdup_printf ("n%u", assay_graph_n_nodes (self->graph));
  AssayValueId result = assay_graph_add_value (self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                               name, NULL);
  AssayNodeId node = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, op, name,
                                           b != ASSAY_NO_VALUE ? 2 : 1, inputs, 1, &result);

  assay_graph_edit_node (self->graph, node)->scope = self->scope;

  return result;
}

static AssayValueId
add_block (Maker *self, Shape shape, guint index, AssayValueId x)
{
  static const AssayOp ops[] = { ASSAY_OP_Relu, ASSAY_OP_Tanh, ASSAY_OP_Abs, ASSAY_OP_Neg };

  x = add_node (self, ASSAY_OP_Sigmoid, x, ASSAY_NO_VALUE);
  if (shape & SHARED)
    x = add_node (self, ASSAY_OP_Mul, x, self->mask);
  if (shape & DIFFERENT)
    for (guint bits = index + 1; bits > 0; bits >>= 2)
      x = add_node (self, ops[bits & 3], x, ASSAY_NO_VALUE);
  else
    x = add_node (self, shape & ALTERNATE && index % 2 == 1 ? ASSAY_OP_Exp : ASSAY_OP_Sqrt, x,
                  ASSAY_NO_VALUE);

  return x;
}

static AssayGraph *
make_graph (guint n_blocks, Shape shape)
{
  Maker maker = { .graph = assay_graph_new () };
  AssayValueId x = assay_graph_add_input (maker.graph, ASSAY_MAIN_REGION, "x", NULL);
  AssayValueId before[4] = { x, x, x, x };
  AssayValueId all = x;

  if (shape & SHARED)
    maker.mask = assay_graph_add_input (maker.graph, ASSAY_MAIN_REGION, "mask", NULL);
  for (guint i = 0; i < n_blocks; i++)
    {
      g_autofree char *name = g_strdup_printf ("%sblocks.%u", shape & DEEP ? "model/encoder/" : "",
                                               i);

      maker.scope = shape & FLAT ? 0 : assay_graph_add_scope (maker.graph, name);
      x = add_block (&maker, shape, i, shape & BRANCHES ? before[0] : x);
      if (shape & SKIPS)
        x = add_node (&maker, ASSAY_OP_Add, x, before[(i + 1) % 4]);
      if (shape & BRANCHES)
        all = add_node (&maker, ASSAY_OP_Max, all, x);
      else
        before[i % 4] = x;
    }
  assay_graph_add_output (maker.graph, ASSAY_MAIN_REGION, shape & BRANCHES ? all : x);

  return maker.graph;
}

static gboolean
is_inside (const AssayScopeTree *tree, guint32 scope, guint32 around)
{
  for (; scope != around && scope != 0; scope = assay_scope_tree_get (tree, scope)->parent)
    ;

  return scope == around;
}

/* No path leaves a group and comes back; nodes are numbered in the order of the program. */
static void
check_convex (const AssayScopeTree *tree, const AssayGraph *graph, guint32 group)
{
  g_autofree guint8 *left = g_new0 (guint8, assay_graph_n_nodes (graph));

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      gboolean inside = is_inside (tree, assay_scope_tree_of_node (tree, graph, id), group);

      for (guint k = 0; k < node->n_inputs; k++)
        {
          AssayNodeId from = assay_graph_value (graph, node->inputs[k])->producer;

          if (from == ASSAY_NO_NODE)
            continue;
          if (inside)
            g_assert_false (left[from]);
          else
            left[id] |= left[from] ||
                        is_inside (tree, assay_scope_tree_of_node (tree, graph, from), group);
        }
    }
}

static guint
count_boxes (const AssayScopeTree *tree, const AssayGraph *graph, const guint8 *open)
{
  g_autofree guint8 *seen = g_new0 (guint8, tree->scopes->len);
  guint n = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs->len +
            assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs->len;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      guint32 folded = 0;

      for (guint32 s = assay_scope_tree_of_node (tree, graph, id); s != 0;
           s = assay_scope_tree_get (tree, s)->parent)
        folded = open[s] ? folded : s;
      n += folded == 0 || !seen[folded];
      seen[folded] = TRUE;
    }

  return n;
}

/* What every tree has to be like. */
static void
check_tree (const AssayScopeTree *tree, const AssayGraph *graph, guint n_convex)
{
  g_autofree guint8 *open = assay_scope_tree_choose (tree, graph, ASSAY_MAIN_REGION,
                                                     ASSAY_FIRST_BOXES);
  g_autofree guint32 *members = g_new0 (guint32, tree->scopes->len);
  g_autofree guint32 *nodes = g_new0 (guint32, tree->scopes->len);
  g_autoptr (GHashTable) paths = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AssayScopeTree) again = assay_scope_tree_new (graph);

  g_assert_cmpuint (count_boxes (tree, graph, open), <=, ASSAY_FIRST_BOXES);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      guint32 scope = assay_scope_tree_of_node (tree, graph, id);

      g_assert_cmpuint (scope, <, tree->scopes->len);
      g_assert_cmpuint (assay_scope_tree_of_node (again, graph, id), ==, scope);
      members[scope]++;
      nodes[scope]++;
    }
  for (guint32 s = tree->scopes->len; s-- > 1;)
    {
      const AssayScope *scope = assay_scope_tree_get (tree, s);

      g_assert_cmpuint (scope->parent, <, s);
      g_assert_cmpuint (scope->depth, ==, assay_scope_tree_get (tree, scope->parent)->depth + 1);
      g_assert_cmpstr (scope->path, ==, assay_scope_tree_get (again, s)->path);
      g_assert_true (g_hash_table_add (paths, (gpointer) scope->path));
      g_assert_cmpuint (members[s], <=, ASSAY_FIRST_BOXES);
      nodes[scope->parent] += nodes[s];
      members[scope->parent] += nodes[s] > 0;
      if (scope->is_made)
        {
          g_assert_cmpuint (members[s], >=, 2);
          if (n_convex > 0)
            check_convex (tree, graph, s);
          n_convex -= n_convex > 0;
        }
    }
  g_assert_cmpuint (members[0], <=, ASSAY_FIRST_BOXES);
  g_assert_cmpuint (nodes[0], ==, assay_graph_n_nodes (graph) - 1);
}

static const guint sizes[] = { 0,   1,   2,   7,   57,  58,  59,   60,   61,   62,   64,   79,   97,
                               100, 119, 120, 121, 599, 601, 1000, 3481, 3600, 3601, 5000, 10000 };

static const Shape shapes[] = {
  EQUAL,
  ALTERNATE,
  DIFFERENT,
  FLAT,
  SKIPS,
  SHARED,
  DEEP,
  BRANCHES,
  FLAT | ALTERNATE,
  FLAT | DIFFERENT,
  FLAT | BRANCHES,
  FLAT | SKIPS | SHARED,
  FLAT | DIFFERENT | SKIPS,
  DEEP | SKIPS | SHARED,
  DEEP | ALTERNATE | SKIPS,
  DIFFERENT | SKIPS | SHARED,
  DIFFERENT | BRANCHES | DEEP,
};

static void
test_sizes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < G_N_ELEMENTS (shapes); k++)
      {
        g_autoptr (AssayGraph) graph = make_graph (sizes[i], shapes[k]);
        g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (graph);

        check_tree (tree, graph, sizes[i] <= 1000 ? G_MAXUINT : 10);
      }
}

/* Equal blocks come out in equal groups, named by their numbers. */
static void
test_equal (void)
{
  static const struct
  {
    guint n_blocks;
    guint n_groups; /* in the level of the blocks */
    guint n_blocks_each;
    const char *first;
    const char *last;
  } cases[] = {
    { 61, 6, 10, "blocks.0 … 9", "blocks.50 … 59" },
    { 64, 8, 8, "blocks.0 … 7", "blocks.56 … 63" },
    { 96, 8, 12, "blocks.0 … 11", "blocks.84 … 95" },
    { 100, 10, 10, "blocks.0 … 9", "blocks.90 … 99" },
    { 1000, 50, 20, "blocks.0 … 19", "blocks.980 … 999" },
    { 5000, 50, 100, "blocks.0 … 99", "blocks.4900 … 4999" },
    { 10000, 50, 200, "blocks.0 … 199", "blocks.9800 … 9999" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = make_graph (cases[i].n_blocks, SKIPS | SHARED);
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (graph);
      guint per_block = (assay_graph_n_nodes (graph) - 1) / cases[i].n_blocks;
      g_autofree guint *nodes = g_new0 (guint, tree->scopes->len);
      const AssayScope *first = NULL;
      const AssayScope *last = NULL;
      guint n_groups = 0;

      for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
        nodes[assay_scope_tree_of_node (tree, graph, id)]++;
      for (guint32 s = tree->scopes->len; s-- > 1;)
        {
          const AssayScope *scope = assay_scope_tree_get (tree, s);

          nodes[scope->parent] += nodes[s];
          if (!scope->is_made || scope->depth != 1)
            continue;
          first = scope;
          last = last == NULL ? scope : last;
          n_groups++;
          g_assert_cmpuint (nodes[s], ==, cases[i].n_blocks_each * per_block);
        }
      g_assert_cmpuint (n_groups, ==, cases[i].n_groups);
      g_assert_cmpstr (first->name, ==, cases[i].first);
      g_assert_cmpstr (last->name, ==, cases[i].last);
    }
}

/* A block that stands alone beside groups is equal to those in them: each is found from the one
 * before. */
static void
test_next_equal (void)
{
  g_autoptr (AssayGraph) graph = make_graph (61, EQUAL);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (graph);
  AssayNodeId node = 1;

  for (guint i = 0; i < 61; i++)
    {
      AssayEqualBlocks blocks;

      assay_scope_tree_find_equal (tree, graph, node, 1, &blocks);
      g_assert_cmpuint (blocks.n, ==, 61);
      g_assert_cmpuint (blocks.index, ==, i);
      g_assert_false (assay_scope_tree_get (tree, blocks.scope)->is_made);
      g_assert_cmpuint (blocks.node, ==, (node + 1) % 122 + 1);
      node = blocks.node;
    }
  g_assert_cmpuint (node, ==, 1);
}

/* Scopes that inputs each other in a circle stay together, whatever is between them in the program,
 * and are cut if they are too many for one picture. */
static void
test_circles (void)
{
  for (guint n_circle = 2; n_circle <= 200; n_circle += 66)
    {
      Maker maker = { .graph = assay_graph_new () };
      AssayValueId x = assay_graph_add_input (maker.graph, ASSAY_MAIN_REGION, "x", NULL);
      g_autoptr (AssayScopeTree) tree = NULL;

      for (guint i = 0; i < 150; i++)
        {
          g_autofree char *name = g_strdup_printf ("plain.%u", i);

          maker.scope = assay_graph_add_scope (maker.graph, name);
          x = add_block (&maker, EQUAL, i, x);
        }
      for (guint turn = 0; turn < 2; turn++)
        for (guint i = 0; i < n_circle; i++)
          {
            g_autofree char *name = g_strdup_printf ("circle.%u", i);

            maker.scope = assay_graph_add_scope (maker.graph, name);
            x = add_block (&maker, EQUAL, i, x);
          }
      assay_graph_add_output (maker.graph, ASSAY_MAIN_REGION, x);
      tree = assay_scope_tree_new (maker.graph);
      check_tree (tree, maker.graph, n_circle <= 60 ? G_MAXUINT : 0);
      assay_graph_unref (maker.graph);
    }
}

/* A scope whose first node stands before what feeds it comes behind that. */
static void
test_order (void)
{
  Maker maker = { .graph = assay_graph_new () };
  AssayValueId x = assay_graph_add_input (maker.graph, ASSAY_MAIN_REGION, "x", NULL);
  AssayValueId early[100];
  g_autoptr (AssayScopeTree) tree = NULL;

  for (guint turn = 0; turn < 2; turn++)
    for (guint i = 0; i < G_N_ELEMENTS (early); i++)
      {
        g_autofree char *name = g_strdup_printf ("s%u", 99 - i);

        if (turn == 1)
          {
            g_free (name);
            name = g_strdup_printf ("s%u", i);
          }
        maker.scope = assay_graph_add_scope (maker.graph, name);
        if (turn == 0)
          early[99 - i] = add_node (&maker, ASSAY_OP_Relu, x, ASSAY_NO_VALUE);
        else
          x = add_node (&maker, ASSAY_OP_Add, x, early[i]);
      }
  assay_graph_add_output (maker.graph, ASSAY_MAIN_REGION, x);
  tree = assay_scope_tree_new (maker.graph);
  check_tree (tree, maker.graph, G_MAXUINT);
  assay_graph_unref (maker.graph);
}

/* Many inputs leave less room for groups; more of them than boxes leave things as they are. */
static void
test_ports (void)
{
  static const guint n_inputs[] = { 10, 40, 55, 57, 90 };

  for (guint i = 0; i < G_N_ELEMENTS (n_inputs); i++)
    {
      Maker maker = { .graph = assay_graph_new () };
      AssayValueId x = assay_graph_add_input (maker.graph, ASSAY_MAIN_REGION, "x", NULL);
      g_autoptr (AssayScopeTree) tree = NULL;
      g_autofree guint8 *open = NULL;
      guint n_boxes;

      for (guint k = 1; k < n_inputs[i]; k++)
        {
          g_autofree char *name = g_strdup_printf ("x%u", k);

          x = add_node (&maker, ASSAY_OP_Add, x,
                        assay_graph_add_input (maker.graph, ASSAY_MAIN_REGION, name, NULL));
        }
      for (guint k = 0; k < 30; k++)
        x = add_node (&maker, ASSAY_OP_Relu, x, ASSAY_NO_VALUE);
      assay_graph_add_output (maker.graph, ASSAY_MAIN_REGION, x);
      tree = assay_scope_tree_new (maker.graph);
      open = assay_scope_tree_choose (tree, maker.graph, ASSAY_MAIN_REGION, ASSAY_FIRST_BOXES);
      n_boxes = count_boxes (tree, maker.graph, open);
      if (n_inputs[i] < ASSAY_FIRST_BOXES)
        g_assert_cmpuint (n_boxes, <=, ASSAY_FIRST_BOXES);
      else
        g_assert_cmpuint (n_boxes, <=, n_inputs[i] + 1 + ASSAY_FIRST_BOXES);
      assay_graph_unref (maker.graph);
    }
}

/* Whatever a sequence is like: parts cover it, are as few as asked for, and at least two. */
static void
test_repeats (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (5);

  for (guint n_symbols = 2; n_symbols < 700; n_symbols += 1 + n_symbols / 9)
    for (guint n_kinds = 1; n_kinds < 40; n_kinds = n_kinds * 2 + 1)
      for (guint max_parts = 2; max_parts < MIN (n_symbols, 70); max_parts += 1 + max_parts / 3)
        {
          g_autofree guint32 *symbols = g_new (guint32, n_symbols);
          g_autoptr (GArray) ends = NULL;

          for (guint i = 0; i < n_symbols; i++)
            symbols[i] = (guint32) g_rand_int_range (random, 0, (gint32) n_kinds);
          ends = assay_find_repeats (symbols, n_symbols, max_parts);
          g_assert_cmpuint (ends->len, >=, 2);
          g_assert_cmpuint (ends->len, <=, max_parts);
          for (guint i = 1; i < ends->len; i++)
            g_assert_cmpuint (g_array_index (ends, guint32, i), >,
                              g_array_index (ends, guint32, i - 1));
          g_assert_cmpuint (g_array_index (ends, guint32, ends->len - 1), ==, n_symbols);
        }
}

TEST_PROGRAM (scope_groups)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/layout/groups/sizes", test_sizes);
  g_test_add_func ("/layout/groups/equal", test_equal);
  g_test_add_func ("/layout/groups/next-equal", test_next_equal);
  g_test_add_func ("/layout/groups/circles", test_circles);
  g_test_add_func ("/layout/groups/order", test_order);
  g_test_add_func ("/layout/groups/ports", test_ports);
  g_test_add_func ("/layout/groups/repeats", test_repeats);

  return g_test_run ();
}
