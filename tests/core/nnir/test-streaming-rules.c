/* test-streaming-rules.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Streaming along each axis of the first input of every case in tests/data/infer/rules.txt, held
 * against tests/data/infer/streaming.txt. A node that can be streamed gives each timestep from that
 * one and earlier ones: the reference runs it twice, with inputs that differ from some timestep on.
 */
#include <string.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/analysis/assay-streamed.h"
#include "nnir/analysis/assay-streaming.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

#include "test-program.h"

static char *
read_data (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "infer", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);

  return text;
}

static gboolean
is_static (const AssayType *type)
{
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return FALSE;
  for (int i = 0; i < type->rank; i++)
    if (type->dims[i].size < 1)
      return FALSE;

  return type->dtype == ASSAY_DTYPE_F32 || type->dtype == ASSAY_DTYPE_I64 ||
         type->dtype == ASSAY_DTYPE_BOOL;
}

/* The graph of a block, with the results of its last node as outputs; NULL if an extent is unknown.
 */
static AssayGraph *
read_case (const char *block)
{
  g_auto (GStrv) lines = g_strsplit (block, "\n", -1);
  g_autoptr (GString) text = g_string_new ("nnir 1\nmain (");
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  const AssayNode *node;
  const GArray *nodes, *inputs;

  for (guint i = 1; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "  in "))
      g_string_append (text, lines[i] + strlen ("  in "));
  g_string_append (text, ") {\n");
  for (guint i = 1; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "  !! "))
      return NULL;
    else if (!g_str_has_prefix (lines[i], "  in ") && !g_str_has_prefix (lines[i], "  =") &&
             lines[i][0] == ' ')
      g_string_append_printf (text, "%s\n", lines[i]);
  g_string_append (text, "}\n");
  graph = assay_graph_from_text (text->str, -1, findings, NULL);
  if (graph == NULL || !assay_graph_infer (graph, findings, NULL, NULL))
    return NULL;

  nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  node = assay_graph_node (graph, g_array_index (nodes, AssayNodeId, nodes->len - 1));
  inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  if (inputs->len == 0)
    return NULL;
  for (guint i = 0; i < inputs->len; i++)
    if (!is_static (assay_graph_value (graph, g_array_index (inputs, AssayValueId, i))->type))
      return NULL;
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, node->outputs[i]);

  return g_steal_pointer (&graph);
}

/* Numbers of an input; those from a place along an axis on are other ones in the second of two
 * runs. */
static AssayTensor *
make_input (const AssayType *type, guint32 seed, int axis, gint64 from, gboolean other)
{
  gint64 dims[ASSAY_MAX_RANK] = { 0 };
  gsize n = 1, inner = 1, size = assay_dtype_bits (type->dtype) / 8;
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GBytes) bytes = NULL;
  guint8 *data;

  for (int i = 0; i < type->rank; i++)
    {
      n *= (gsize) (dims[i] = type->dims[i].size);
      inner *= axis >= 0 && i > axis ? (gsize) dims[i] : 1;
    }
  data = g_malloc0 (MAX (n * size, 1));
  for (gsize i = 0; i < n; i++)
    {
      double number = g_rand_double_range (random, 0.1, 1), second = g_rand_double (random);
      gboolean later = axis >= 0 && (gint64) (i / inner % (gsize) dims[axis]) >= from;

      if (type->dtype == ASSAY_DTYPE_F32)
        ((float *) data)[i] = (float) (other && later ? second : number);
      else if (type->dtype == ASSAY_DTYPE_I64)
        ((gint64 *) data)[i] = (other && later ? second : number) > 0.5;
    }
  bytes = g_bytes_new_take (data, n * size);

  return assay_tensor_new (type->dtype, (guint) type->rank, dims, bytes, NULL);
}

static GPtrArray *
run (AssayGraph *graph, int axis, gint64 from, gboolean other)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (inputs, AssayValueId, i));

      g_ptr_array_add (names, (gpointer) value->name);
      g_ptr_array_add (tensors, make_input (value->type, i, i == 0 ? axis : -1, from, other));
    }

  return assay_evaluate_graph (graph, NULL, names->len, (const char *const *) names->pdata,
                               (AssayTensor *const *) tensors->pdata, NULL, NULL);
}

/* The same numbers in both up to a place along an axis. */
static gboolean
same_before (AssayTensor *a, AssayTensor *b, int axis, gint64 end)
{
  const gint64 *dims = assay_tensor_get_dims (a);
  gsize inner = 1;

  for (guint i = (guint) axis + 1; i < assay_tensor_get_rank (a); i++)
    inner *= (gsize) dims[i];
  for (gsize i = 0; i < assay_tensor_get_n_elements (a); i++)
    {
      double x, y;

      if ((gint64) (i / inner % (gsize) dims[axis]) >= end)
        continue;
      if (!assay_tensor_get_element (a, i, &x, NULL) || !assay_tensor_get_element (b, i, &y, NULL))
        return FALSE;
      if (memcmp (&x, &y, sizeof x) != 0)
        return FALSE;
    }

  return TRUE;
}

/* Whether the outputs up to each timestep come from the inputs up to it. -1 if it cannot be run. */
static int
is_causal (AssayGraph *graph, int axis, const int *output_axes)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  gint64 n =
      assay_graph_value (graph, g_array_index (inputs, AssayValueId, 0))->type->dims[axis].size;

  for (gint64 from = 1; from < n; from++)
    {
      g_autoptr (GPtrArray) before = run (graph, axis, from, FALSE);
      g_autoptr (GPtrArray) after = run (graph, axis, from, TRUE);

      if (before == NULL || after == NULL)
        return -1;
      for (guint i = 0; i < before->len; i++)
        {
          AssayTensor *a = g_ptr_array_index (before, i), *b = g_ptr_array_index (after, i);

          if (a == NULL || b == NULL)
            return -1;
          if (output_axes[i] >= (int) assay_tensor_get_rank (a) ||
              (output_axes[i] >= 0 && (assay_tensor_get_dims (a)[output_axes[i]] != n ||
                                       !same_before (a, b, output_axes[i], from))))
            return FALSE;
        }
    }

  return TRUE;
}

static void
describe (GString *text, const char *name, AssayGraph *graph, int axis)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreaming) found = assay_graph_trace_streaming (graph, &axis, 1, &error);
  g_autofree guint32 *states = NULL;
  guint32 n_states = 0;

  if (found == NULL)
    {
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_string_append_printf (text, "%s %d: %s\n", name, axis, error->message);
      return;
    }
  g_string_append_printf (text, "%s %d:", name, axis);
  for (guint i = 0; i < found->n_outputs; i++)
    g_string_append_printf (text, " %d", found->output_axes[i]);
  for (guint i = 0; i < found->refusals->len; i++)
    {
      const AssayStreamingRefusal *refusal = &g_array_index (found->refusals, AssayStreamingRefusal,
                                                             i);

      g_string_append_printf (text, " %s: %s", refusal->rule, refusal->text);
    }
  states = assay_streaming_list_states (found, graph);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    n_states += states[id];
  if (n_states > 0)
    g_string_append_printf (text, " looks back %u", n_states);
  g_string_append_c (text, '\n');

  if (found->refusals->len == 0 && !is_causal (graph, axis, found->output_axes))
    g_error ("%s: streamed over axis %d, an output depends on later timesteps", name, axis);
}

static void
add_cases (GString *text, const char *file)
{
  g_autofree char *cases = read_data (file);
  g_auto (GStrv) blocks = g_strsplit (cases, "\n\n", -1);

  for (guint i = 1; blocks[i] != NULL; i++)
    {
      g_autoptr (AssayGraph) graph = read_case (blocks[i]);
      g_autofree char *name = g_strndup (blocks[i], strcspn (blocks[i], "\n"));
      const AssayType *type;

      if (graph == NULL)
        continue;
      type = assay_graph_value (
                 graph, g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs,
                                       AssayValueId, 0))
                 ->type;
      for (int axis = 0; axis < type->rank && type->dtype != ASSAY_DTYPE_BOOL; axis++)
        describe (text, name, graph, axis);
    }
}

static void
test_rules (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "infer", "streaming.txt",
                                                 NULL);
  g_autofree char *expected = NULL;
  g_autoptr (GString) text = g_string_new (
      "# The first input of each case in rules.txt and streaming-cases.txt streamed over each of "
      "its "
      "axes: the axes of the\n# outputs (-1 for none), or the rule and its sentence; how many "
      "earlier timesteps are looked back to.\n"
      "# Checked by: tests/core/nnir/test-streaming-rules.c, which runs what can be streamed; "
      "sentences were read by hand.\n");

  add_cases (text, "rules.txt");
  add_cases (text, "streaming-cases.txt");
  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  expected = read_data ("streaming.txt");
  g_assert_cmpstr (text->str, ==, expected);
}

TEST_PROGRAM (streaming_rules)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nnir/streaming/rules", test_rules);

  return g_test_run ();
}
