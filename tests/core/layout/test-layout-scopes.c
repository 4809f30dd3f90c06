/* test-layout-scopes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the scopes of a picture come from: names of nodes, functions, what exporters write down,
 * and what repeats.
 */
#include <glib.h>
#include <string.h>

#include "layout/assay-scope-tree.h"

#include "import-fixture.h"
#include "test-program.h"

#define N_BLOCKS 5

static const char *const block[] = {
  "Relu", "Exp", "Neg",  "Abs", "Sqrt", "Floor", "Ceil",  "Sigmoid",
  "Tanh", "Erf", "Sign", "Cos", "Sin",  "Atan",  "Round", "Identity",
};

typedef enum
{
  FROM_NAMES,
  FROM_FUNCTIONS,
  FROM_METADATA,
  FROM_REPEATS,
} Source;

static GByteArray *
make_function (void)
{
  GByteArray *function = wire_new ();

  wire_string (function, FUNCTION_NAME, "Layer");
  wire_string (function, FUNCTION_DOMAIN, "local");
  wire_string (function, FUNCTION_INPUT, "a0");
  wire_string (function, FUNCTION_OUTPUT, "a16");
  for (guint i = 0; i < G_N_ELEMENTS (block); i++)
    {
      g_autofree char *from = g_strdup_printf ("a%u", i);
      g_autofree char *to = g_strdup_printf ("a%u", i + 1);

      wire_message (function, FUNCTION_NODE, onnx_node (block[i], "", from, to));
    }

  return function;
}

static GByteArray *
make_node (Source source, guint b, guint i)
{
  g_autofree char *name = g_strdup_printf (
      source == FROM_NAMES ? "/encoder/layer.%u/n%u" : "n%u_%u", b, i);
  g_autofree char *from = g_strdup_printf ("t%u", b * 16 + i);
  g_autofree char *to = g_strdup_printf ("t%u", b * 16 + i + 1);
  GByteArray *node = onnx_node (block[i], name, from, to);

  if (source == FROM_METADATA)
    {
      g_autofree char *value = g_strdup_printf ("['', 'encoder', 'encoder.layer.%u', 'op_%u']", b,
                                                i);
      GByteArray *entry = wire_new ();

      wire_string (entry, 1, "pkg.torch.onnx.name_scopes");
      wire_string (entry, 2, value);
      wire_message (node, NODE_METADATA, entry);
    }

  return node;
}

static Imported
make_model (Source source)
{
  GByteArray *graph = wire_new ();
  GByteArray *model;

  for (guint b = 0; b < N_BLOCKS; b++)
    if (source == FROM_FUNCTIONS)
      {
        g_autofree char *name = g_strdup_printf ("layer.%u", b);
        g_autofree char *from = g_strdup_printf ("t%u", b * 16);
        g_autofree char *to = g_strdup_printf ("t%u", (b + 1) * 16);
        GByteArray *node = onnx_node ("Layer", name, from, to);

        wire_string (node, NODE_DOMAIN, "local");
        wire_message (graph, GRAPH_NODE, node);
      }
    else
      for (guint i = 0; i < G_N_ELEMENTS (block); i++)
        wire_message (graph, GRAPH_NODE, make_node (source, b, i));

  wire_message (graph, GRAPH_INPUT, onnx_info ("t0", 1, "4"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("t80", 1, "4"));
  model = onnx_model (graph);
  if (source == FROM_FUNCTIONS)
    wire_message (model, MODEL_FUNCTIONS, make_function ());

  return imported_new (model, NULL);
}

/* How many nodes of a model a picture hides in each of its folded scopes. */
static guint32 *
count_hidden (const AssayScopeTree *tree, const AssayGraph *graph, const guint8 *open,
              guint *n_boxes)
{
  guint32 *hidden = g_new0 (guint32, tree->scopes->len);

  *n_boxes = 0;
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      guint32 folded = 0;

      for (guint32 s = assay_scope_tree_of_node (tree, graph, id); s != 0;
           s = assay_scope_tree_get (tree, s)->parent)
        folded = open[s] ? folded : s;
      if (hidden[folded]++ == 0 || folded == 0)
        (*n_boxes)++;
    }

  return hidden;
}

static void
test_source (gconstpointer data)
{
  Source source = GPOINTER_TO_UINT (data);
  g_auto (Imported) imported = make_model (source);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (imported.graph);
  g_autofree guint8 *open = assay_scope_tree_choose (tree, imported.graph, ASSAY_MAIN_REGION,
                                                     ASSAY_FIRST_BOXES);
  g_autofree guint32 *hidden = NULL;
  guint n_boxes;
  guint n_equal = 0;

  g_assert_cmpuint (assay_graph_n_nodes (imported.graph), ==, N_BLOCKS * 16 + 1);
  hidden = count_hidden (tree, imported.graph, open, &n_boxes);
  g_assert_cmpuint (n_boxes, <=, ASSAY_FIRST_BOXES);

  /* Nothing says where a layer ends in the last model: equal stretches have to be found, which may
   * be shorter. */
  for (guint32 s = 1; s < tree->scopes->len; s++)
    if (source == FROM_REPEATS)
      n_equal += hidden[s] >= 2;
    else if (hidden[s] > 0)
      {
        g_autofree char *name = g_strdup_printf ("layer.%u", n_equal++);

        g_assert_cmpstr (assay_scope_tree_get (tree, s)->name, ==, name);
        g_assert_cmpuint (hidden[s], ==, 16);
      }
  g_assert_cmpuint (n_equal, >=, N_BLOCKS);
  g_assert_cmpuint (hidden[0], <, ASSAY_FIRST_BOXES);
  if (source != FROM_REPEATS)
    g_assert_cmpuint (n_equal, ==, N_BLOCKS);
}

/* Of levels that leave few enough boxes the deepest one is chosen: with room for all nodes nothing
 * is folded, and the next smaller number folds the innermost scopes only. */
static void
test_level (void)
{
  g_auto (Imported) imported = make_model (FROM_NAMES);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (imported.graph);
  static const struct
  {
    guint room;
    guint n_boxes;
  } cases[] = { { 82, 80 }, { 81, 5 }, { 7, 5 }, { 6, 1 }, { 3, 1 }, { 0, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree guint8 *open = assay_scope_tree_choose (tree, imported.graph, ASSAY_MAIN_REGION,
                                                         cases[i].room);
      guint n_boxes;
      g_autofree guint32 *hidden = count_hidden (tree, imported.graph, open, &n_boxes);

      g_assert_cmpuint (n_boxes, ==, cases[i].n_boxes);
    }
}

TEST_PROGRAM (layout_scopes)
{
  static const char *const names[] = { "names", "functions", "metadata", "repeats" };

  g_test_init (&argc, &argv, NULL);

  for (Source source = FROM_NAMES; source <= FROM_REPEATS; source++)
    {
      g_autofree char *path = g_strdup_printf ("/layout/scopes/%s", names[source]);

      g_test_add_data_func (path, GUINT_TO_POINTER (source), test_source);
    }
  g_test_add_func ("/layout/scopes/level", test_level);

  return g_test_run ();
}
