/* test-parts.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a model: the border, the outputs and the sizes of each, the symptoms that are looked
 * for, and the folder that shows one.
 */
#include <string.h>

#include "base/assay-error.h"
#include "reduce/assay-extract.h"
#include "reduce/assay-reduce-folder.h"
#include "reduce/assay-shrink.h"
#include "reduce/assay-split.h"
#include "reduce/assay-suite-cut.h"
#include "source/assay-source.h"

#include "folder.h"
#include "test-program.h"

/* Values of the model by index, in the order of the graph, and the values that each node reads. */
static const char model[] = "main (%x : f32[4,8], %k : f32[8,8]) {\n"
                            "  %a = Relu(%x) : f32[4,8] @ \"a\"\n"
                            "  %b = MatMul(%a, %k) : f32[4,8] @ \"b\"\n"
                            "  %c = Erf(%b) : f32[4,8] @ \"c\"\n"
                            "  %d = Tanh(%b) : f32[4,8] @ \"d\"\n"
                            "  %e = Add(%c, %d) : f32[4,8] @ \"e\"\n"
                            "  return %e\n}\n";
/* The same with sums that are long enough to be rounded. */
static const char wide[] = "main (%x : f32[4,256], %k : f32[256,8]) {\n"
                           "  %a = Relu(%x) : f32[4,256] @ \"a\"\n"
                           "  %b = MatMul(%a, %k) : f32[4,8] @ \"b\"\n"
                           "  %c = Erf(%b) : f32[4,8] @ \"c\"\n"
                           "  %d = Tanh(%b) : f32[4,8] @ \"d\"\n"
                           "  %e = Add(%c, %d) : f32[4,8] @ \"e\"\n"
                           "  return %e\n}\n";
static const char values[] = "xkabcde";
static const struct
{
  char name;
  const char *reads;
} nodes[] = { { 'a', "x" }, { 'b', "ak" }, { 'c', "b" }, { 'd', "b" }, { 'e', "cd" } };

static AssayGraph *
read_text (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_model_read_bytes (bytes, "x.nnir", NULL, NULL, NULL, &error);

  g_assert_no_error (error);

  return graph;
}

static void
append_values (GString *text, const AssayGraph *graph, const GArray *ids)
{
  for (guint i = 0; i < ids->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (ids, AssayValueId, i));

      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", value->name);
      for (int j = 0; j < value->type->rank; j++)
        g_string_append_printf (text, "%c%" G_GINT64_FORMAT, j == 0 ? ':' : 'x',
                                value->type->dims[j].size);
    }
}

/* Inputs, operations with those inputs that are constants in brackets, and outputs. */
static char *
describe (AssayGraph *graph)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  GString *text = g_string_new (NULL);

  append_values (text, graph, main->inputs);
  g_string_append (text, " |");
  for (guint i = 0; i < main->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, g_array_index (main->nodes, AssayNodeId, i));

      g_string_append_printf (text, " %s", node->op_type);
      for (guint j = 0; j < node->n_inputs; j++)
        {
          AssayTensor *tensor = assay_graph_constant (graph, node->inputs[j]);
          double first;

          if (tensor != NULL && assay_tensor_get_element (tensor, 0, &first, NULL))
            g_string_append_printf (text, "[%g]", first);
        }
    }
  g_string_append (text, " | ");
  append_values (text, graph, main->outputs);

  return g_string_free (text, FALSE);
}

static void
append_letter (GString *text, char letter)
{
  g_string_append_printf (text, "%s%c", text->len > 0 ? " " : "", letter);
}

static void
append_names (GString *text, AssayGraph *graph, const GArray *ids)
{
  for (guint i = 0; i < ids->len; i++)
    append_letter (text, assay_graph_value (graph, g_array_index (ids, AssayValueId, i))->name[0]);
}

/* Every set of nodes: its inputs are the values that it reads and does not make, its border is
 * those of them that nodes make, and its outputs are the values that it makes and does not read,
 * and the output of the model. */
static void
test_extract (void)
{
  g_autoptr (AssayGraph) graph = read_text (model);

  for (guint set = 0; set < 1u << G_N_ELEMENTS (nodes); set++)
    {
      guint8 kept[G_N_ELEMENTS (nodes) + 1] = { 0 };
      g_autoptr (GString) inputs = g_string_new (NULL), outputs = g_string_new (NULL);
      g_autoptr (GString) cut = g_string_new (NULL), seen = g_string_new (NULL);
      g_autoptr (GArray) border = NULL;
      g_autoptr (AssayGraph) part = NULL;
      g_autoptr (GError) error = NULL;

      for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
        kept[i + 1] = set >> i & 1;
      for (guint v = 0; values[v] != '\0'; v++)
        {
          gboolean is_read = FALSE, is_made = v > 1 && kept[v - 1] != 0;

          for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
            is_read |= kept[i + 1] != 0 && strchr (nodes[i].reads, values[v]) != NULL;
          if (is_read && !is_made)
            append_letter (inputs, values[v]);
          if (is_read && !is_made && v > 1)
            append_letter (cut, values[v]);
          if (is_made && (!is_read || values[v] == 'e'))
            append_letter (outputs, values[v]);
        }

      border = assay_graph_list_border (graph, kept);
      append_names (seen, graph, border);
      g_assert_cmpstr (seen->str, ==, cut->str);
      part = assay_graph_extract (graph, kept, NULL, NULL, &error);
      if (set == 0)
        {
          g_assert_null (part);
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
          continue;
        }
      g_assert_no_error (error);
      g_string_truncate (seen, 0);
      append_names (seen, part, assay_graph_region (part, ASSAY_MAIN_REGION)->inputs);
      g_assert_cmpstr (seen->str, ==, inputs->str);
      g_string_truncate (seen, 0);
      append_names (seen, part, assay_graph_region (part, ASSAY_MAIN_REGION)->outputs);
      g_assert_cmpstr (seen->str, ==, outputs->str);
    }
}

/* A few integers that are known become a constant; more of them, or other numbers, are an input. */
static void
test_known (void)
{
  static const struct
  {
    AssayDType dtype;
    gint64 n;
    const char *part;
  } cases[] = {
    { ASSAY_DTYPE_I64, 64, "x:4x8 | my.Op[0] | z" },
    { ASSAY_DTYPE_I64, 65, "x:4x8 s | my.Op | z" },
    { ASSAY_DTYPE_F32, 2, "x:4x8 s | my.Op | z" },
  };
  g_autoptr (AssayGraph) graph = read_text ("main (%x : f32[4,8]) {\n  %s = my.From(%x)\n"
                                            "  %z = my.Op(%x, %s)\n  return %z\n}\n");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const guint8 kept[] = { 0, 0, 1 };
      gsize n_bytes = (gsize) cases[i].n * assay_dtype_bits (cases[i].dtype) / 8;
      g_autoptr (GBytes) bytes = g_bytes_new_take (g_malloc0 (n_bytes), n_bytes);
      g_autoptr (AssayTensor)
          tensor = assay_tensor_new (cases[i].dtype, 1, &cases[i].n, bytes, NULL);
      g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
      g_autoptr (AssayGraph) part = NULL;
      g_autofree char *text = NULL;

      for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
        if (g_str_equal (assay_graph_value (graph, id)->name, "s"))
          g_hash_table_insert (known, GUINT_TO_POINTER (id), tensor);
      part = assay_graph_extract (graph, kept, known, NULL, NULL);
      g_assert_nonnull (part);
      text = describe (part);
      g_assert_cmpstr (text, ==, cases[i].part);
    }
}

/* Without a node: an input of the same type takes the place of its result, else zeros do. */
static void
test_bypass (void)
{
  static const struct
  {
    const char *text;
    AssayNodeId node;
    const char *left; /* (nullable) */
  } cases[] = {
    { model, 1, "x:4x8 k:8x8 | MatMul Erf Tanh Add | e:4x8" },
    { model, 2, "x:4x8 | Relu Erf Tanh Add | e:4x8" },
    { model, 3, "x:4x8 k:8x8 | Relu MatMul Tanh Add | e:4x8" },
    { "main (%x : f32[4,8], %k : f32[8,2]) {\n  %b = MatMul(%x, %k) : f32[4,2]\n  %y = Tanh(%b) : "
      "f32[4,2]\n  return %y\n}\n",
      1, " | Tanh[0] | y:4x2" },
    { "main (%x : f32[4]) {\n  %b = Greater(%x, %x) : bool[4]\n  %y = Not(%b) : bool[4]\n  return "
      "%y\n}\n",
      1, NULL },
    { "main (%x : f32[n], %k : f32[n]) {\n  %b = Relu(%x) : f32[n]\n  %y = Add(%b, %k) : "
      "f32[n]\n  return %y\n}\n",
      1, NULL },
    /* Outputs keep their names: what comes before makes them, unless it is an output or an input.
     */
    { "main (%x : f32[4]) {\n  %b = Relu(%x) : f32[4]\n  %y = Tanh(%b) : f32[4]\n  return %y\n}\n",
      2, "x:4 | Relu | y:4" },
    { "main (%x : f32[4]) {\n  %b = Relu(%x) : f32[4]\n  %y = Tanh(%b) : f32[4]\n  %z = Erf(%b) : "
      "f32[4]\n  return %y, %z\n}\n",
      2, "x:4 | Relu Erf | y:4 z:4" },
    { "main (%x : f32[4]) {\n  %b = Relu(%x) : f32[4]\n  %y = Tanh(%b) : f32[4]\n  return %b, "
      "%y\n}\n",
      2, NULL },
    { "main (%x : f32[4]) {\n  %y = Tanh(%x) : f32[4]\n  return %y\n}\n", 1, NULL },
    { "main (%x : f32[4]) {\n  %b = Relu(%x) : f32[4]\n  %y, %z = Split(%b) {axis = 0} : f32[2], "
      "f32[2]\n  return %y, %z\n}\n",
      2, " | | y:2 z:2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = read_text (cases[i].text);
      g_autoptr (AssayGraph) left = assay_graph_bypass (graph, cases[i].node, NULL, NULL);
      g_autofree char *text = left != NULL ? describe (left) : NULL;

      g_assert_cmpstr (text, ==, cases[i].left);
    }
}

/* One axis of one input, or each axis of a size; the values of the inputs are cut with them. */
static void
test_shrink (void)
{
  static const struct
  {
    const char *only; /* (nullable) */
    guint axis;
    gint64 size, wanted;
    const char *part; /* (nullable) */
  } cases[] = {
    { "x", 0, 4, 2, "x:2x8 y:4x8 | Concat | z:6x8" },
    { "y", 0, 4, 1, "x:4x8 y:1x8 | Concat | z:5x8" },
    { "y", 1, 8, 2, NULL },
    { NULL, 0, 4, 2, "x:2x8 y:2x8 | Concat | z:4x8" },
    { NULL, 0, 8, 3, "x:4x3 y:4x3 | Concat | z:8x3" },
    { NULL, 0, 8, 9, NULL },
  };
  g_autoptr (AssayGraph)
      graph = read_text ("main (%x : f32[4,8], %y : f32[4,8]) {\n  %z = Concat(%x, %y) {axis = 0} "
                         ": f32[8,8]\n  return %z\n}\n");
  const gint64 dims[] = { 4, 8 };
  const float numbers[32] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
      g_autoptr (GHashTable) shrunk = assay_reduce_inputs_new ();
      const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
      g_autoptr (AssayGraph) part = NULL;
      g_autofree char *text = NULL;
      AssayValueId only = ASSAY_NO_VALUE;

      g_hash_table_insert (inputs, g_strdup ("x"), assay_tensor_new_f32 (2, dims, numbers));
      g_hash_table_insert (inputs, g_strdup ("y"), assay_tensor_new_f32 (2, dims, numbers));
      if (cases[i].only != NULL)
        only = g_array_index (ids, AssayValueId, cases[i].only[0] == 'x' ? 0 : 1);
      part = assay_graph_shrink (graph, inputs, only, cases[i].axis, cases[i].size, cases[i].wanted,
                                 shrunk, NULL);
      text = part != NULL ? describe (part) : NULL;
      g_assert_cmpstr (text, ==, cases[i].part);
      for (guint j = 0; part != NULL && j < ids->len; j++)
        {
          const AssayValue *input = assay_graph_value (part, g_array_index (ids, AssayValueId, j));
          AssayTensor *tensor = g_hash_table_lookup (shrunk, input->name);

          for (guint axis = 0; axis < 2; axis++)
            g_assert_cmpint (assay_tensor_get_dims (tensor)[axis], ==,
                             input->type->dims[axis].size);
        }
    }
}

/* Parts after the nodes that are named, and the names of their files. */
static void
test_split (void)
{
  static const struct
  {
    const char *nodes[3];
    const char *parts; /* (nullable) */
  } cases[] = {
    { { NULL }, "x:4x8 k:8x8 | Relu MatMul Erf Tanh Add | e:4x8\n" },
    { { "a" }, "x:4x8 | Relu | a:4x8\nk:8x8 a:4x8 | MatMul Erf Tanh Add | e:4x8\n" },
    { { "a", "b" },
      "x:4x8 | Relu | a:4x8\nk:8x8 a:4x8 | MatMul | b:4x8\nb:4x8 | Erf Tanh Add | e:4x8\n" },
    { { "b", "a" }, NULL },
    { { "nothing" }, NULL },
  };
  static const char *const names[][2] = {
    { "model.onnx", "model-2.onnx" }, { "a.b/model.onnx", "a.b/model-2.onnx" },
    { "a.b/model", "a.b/model-2" },   { ".onnx", ".onnx-2" },
    { "a.b.onnx", "a.b-2.onnx" },     { "a/.onnx", "a/.onnx-2" },
  };
  g_autoptr (AssayGraph) graph = read_text (model);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) parts = assay_graph_split (graph, cases[i].nodes, NULL, &error);
      g_autoptr (GString) text = g_string_new (NULL);

      for (guint j = 0; parts != NULL && j < parts->len; j++)
        {
          g_autofree char *part = describe (g_ptr_array_index (parts, j));

          g_string_append_printf (text, "%s\n", part);
        }
      g_assert_cmpstr (parts != NULL ? text->str : NULL, ==, cases[i].parts);
      if (parts == NULL)
        g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = assay_split_name_part (names[i][0], 1);

      g_assert_cmpstr (name, ==, names[i][1]);
    }
}

/* Each form of a symptom that users write, and those that are none. */
static void
test_specs (void)
{
  static const char *const right[] = { "rejected",    "rejected:a:b",       "refused",   "outside",
                                       "outside:Add", "command:test -s {}", "command:{}" };
  static const char *const wrong[] = { "",         "rejecte", "rejected:", "refused:x",
                                       "outside:", "command", "command:",  "command:ls" };

  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autoptr (AssaySymptom) symptom = assay_symptom_new (right[i], NULL);
      g_autofree char *text = NULL;

      g_assert_nonnull (symptom);
      text = assay_symptom_to_string (symptom);
      g_assert_cmpstr (text, ==, right[i]);
      g_assert_cmpstr (symptom->a, ==, "reference");
      g_assert_cmpstr (symptom->b, ==, "vm");
    }
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_symptom_new (wrong[i], &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
}

/* A model that cannot be run is an error; a part of it shows nothing. Cancelling ends both. */
static void
test_unknown (void)
{
  static const struct
  {
    const char *b;
    const char *expected; /* (nullable) */
    gboolean cancelled;
    int code; /* or -1 */
  } cases[] = {
    { "no-such-runner", NULL, FALSE, ASSAY_ERROR_INVALID },
    { "no-such-runner", "Add", FALSE, -1 },
    { "reference", NULL, TRUE, ASSAY_ERROR_CANCELLED },
    { "reference", "Add", TRUE, ASSAY_ERROR_CANCELLED },
  };
  g_autoptr (AssayGraph) graph = read_text (model);
  g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssaySymptom) symptom = assay_symptom_new ("outside", NULL);
      g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
      g_autoptr (GError) error = NULL;
      g_autofree char *seen = NULL;

      assay_symptom_set_runners (symptom, "reference", cases[i].b);
      if (cases[i].cancelled)
        g_cancellable_cancel (cancellable);
      seen = assay_symptom_observe (symptom, work, inputs, cases[i].expected, &progress, &error);
      g_assert_null (seen);
      if (cases[i].code >= 0)
        g_assert_error (error, ASSAY_ERROR, cases[i].code);
      else
        g_assert_no_error (error);
    }
}

static int
compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_names (GString *text, const char *folder, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_strings);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      g_autofree char *inside = g_strconcat (prefix, names->pdata[i], NULL);
      g_autofree char *deeper = g_strconcat (inside, "/", NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        add_names (text, path, deeper);
      else
        g_string_append_printf (text, "%s ", inside);
    }
}

/* Each node becomes a case with all its inputs and outputs. */
static void
test_suite (void)
{
  static const struct
  {
    const char *name;
    guint n_inputs;
  } cases[] = { { "00001-Relu", 1 },
                { "00002-MatMul", 2 },
                { "00003-Erf", 1 },
                { "00004-Tanh", 1 },
                { "00005-Add", 2 } };
  g_autoptr (GString) expected = g_string_new (NULL);
  g_autoptr (AssayGraph) graph = read_text (model);
  g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, NULL, NULL);
  g_autofree char *folder = g_dir_make_tmp ("assay-parts-XXXXXX", NULL);
  g_autoptr (GString) files = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  AssaySuiteCut cut;

  assay_suite_cut (work, 1, folder, &cut, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (cut.n_cases, ==, G_N_ELEMENTS (cases));
  g_assert_cmpuint (cut.n_left, ==, 0);
  add_names (files, folder, "");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_string_append_printf (expected, "%s/model.onnx ", cases[i].name);
      for (guint j = 0; j < cases[i].n_inputs; j++)
        g_string_append_printf (expected, "%s/test_data_set_0/input_%u.pb ", cases[i].name, j);
      g_string_append_printf (expected, "%s/test_data_set_0/output_0.pb ", cases[i].name);
    }
  g_assert_cmpstr (files->str, ==, expected->str);
  folder_remove (folder);
}

/* The script of a folder. */
static void
test_folder (void)
{
  static const struct
  {
    const char *spec;
    const char *target; /* (nullable) */
    const char *line;   /* the last one */
    const char *files;
  } cases[] = {
    { "command:! grep -q Erf {}", NULL, "! grep -q Erf model.onnx", "model.onnx run.sh " },
    { "rejected", "ia_420f_c6b32",
      "exec \"${ASSAY:-assay}\" check model.onnx --target ia_420f_c6b32", "model.onnx run.sh " },
    { "outside", NULL,
      "exec \"${ASSAY:-assay}\" compare model.onnx --a reference-fp64 --b reference --input "
      "k=inputs/k.npy --input a=inputs/a.npy",
      "inputs/a.npy inputs/k.npy model.onnx run.sh " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = read_text (wide);
      g_autoptr (AssayTarget)
          target = cases[i].target != NULL ? assay_target_load (cases[i].target, NULL) : NULL;
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssayWork) work = NULL;
      g_autoptr (AssaySymptom) symptom = assay_symptom_new (cases[i].spec, NULL);
      g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
      g_autoptr (AssayReduction) reduction = NULL;
      g_autofree char *folder = g_dir_make_tmp ("assay-parts-XXXXXX", NULL);
      g_autofree char *path = g_build_filename (folder, "run.sh", NULL);
      const AssayReduceNames names = { "some/where.onnx", cases[i].target, NULL };
      g_autoptr (GString) files = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) lines = NULL;
      g_autofree char *content = NULL;

      work = assay_work_new_for_graph (NULL, graph, target, settings);
      if (symptom->kind->runs)
        {
          static const char tolerance[] =
              "{\"schema\": \"assay.tolerance/1\", \"bf16\": {\"any\": 64}, \"fp32\": {\"any\": "
              "1000000, \"rules\": [{\"op\": [\"MatMul\"], \"ulp\": 0}]}}";
          g_autoptr (GBytes) bytes = g_bytes_new_static (tolerance, strlen (tolerance));
          const gint64 x_dims[] = { 4, 256 }, k_dims[] = { 256, 8 };
          float numbers[2048];

          for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
            numbers[j] = (float) ((j * 619) % 2039) * 0.0031f - 1;
          g_hash_table_insert (inputs, g_strdup ("x"), assay_tensor_new_f32 (2, x_dims, numbers));
          g_hash_table_insert (inputs, g_strdup ("k"), assay_tensor_new_f32 (2, k_dims, numbers));
          assay_symptom_set_runners (symptom, "reference-fp64", "reference");
          symptom->tolerance = assay_tolerance_load_bytes (bytes, "x", &error);
          g_assert_no_error (error);
        }
      reduction = assay_reduce (work, symptom, inputs, 1000, NULL, &error);
      g_assert_no_error (error);
      assay_reduction_save (reduction, symptom, &names, folder, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE));
      g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
      lines = g_strsplit (content, "\n", -1);
      g_assert_cmpuint (g_strv_length (lines), ==, 6);
      g_assert_cmpstr (lines[0], ==, "#!/bin/sh");
      g_assert_true (g_str_has_prefix (lines[2], "# 1 of the 5 nodes of where.onnx, by Assay "));
      g_assert_cmpstr (lines[4], ==, cases[i].line);
      add_names (files, folder, "");
      g_assert_cmpstr (files->str, ==, cases[i].files);

      /* It is not written into twice. */
      g_assert_false (assay_reduction_save (reduction, symptom, &names, folder, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      folder_remove (folder);
    }
}

TEST_PROGRAM (parts)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/parts/extract", test_extract);
  g_test_add_func ("/parts/known", test_known);
  g_test_add_func ("/parts/bypass", test_bypass);
  g_test_add_func ("/parts/shrink", test_shrink);
  g_test_add_func ("/parts/split", test_split);
  g_test_add_func ("/parts/specs", test_specs);
  g_test_add_func ("/parts/unknown", test_unknown);
  g_test_add_func ("/parts/suite", test_suite);
  g_test_add_func ("/parts/folder", test_folder);

  return g_test_run ();
}
