/* test-infer-corpus.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Infers every model of libonnx-testdata without the shapes that the file states behind its inputs,
 * and holds the result against the tensors that the model really gives.
 */
#include <string.h>

#include "source/assay-source.h"
#include "base/assay-file-map.h"
#include "source/onnx/assay-onnx-file.h"
#include "source/onnx/assay-tensor-proto.h"

#include "test-program.h"

#define DATA_DIR "/usr/share/libonnx-testdata/data"

static const char *const categories[] = { "node", "simple", "pytorch-operator",
                                          "pytorch-converted" };

static const char *const reasons[] = { "values", "data", "not-a-tensor" };

typedef struct
{
  guint models;
  guint outputs;
  guint exempt[G_N_ELEMENTS (reasons)];
  guint inferred;
  guint open;
  guint contradictions;
  guint findings;
} Counts;

typedef struct
{
  GHashTable *exempt; /* "category/model output" -> reason */
  GHashTable *unused; /* those of them that no output has asked for */
  GString *open;      /* outputs that are neither exempt nor inferred */
  Counts counts[G_N_ELEMENTS (categories)];
} Corpus;

static char *
read_data (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "infer", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);

  return text;
}

static void
load_exempt (Corpus *corpus)
{
  g_autofree char *text = read_data ("exempt.txt");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  corpus->exempt = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  corpus->unused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);
      guint reason = 0;

      if (lines[i][0] == '#' || lines[i][0] == '\0')
        continue;

      g_assert_cmpuint (g_strv_length (words), ==, 3);
      while (reason < G_N_ELEMENTS (reasons) && !g_str_equal (reasons[reason], words[2]))
        reason++;
      g_assert_cmpuint (reason, <, G_N_ELEMENTS (reasons));

      g_hash_table_insert (corpus->exempt, g_strdup_printf ("%s %s", words[0], words[1]),
                           GUINT_TO_POINTER (reason));
      g_hash_table_add (corpus->unused, g_strdup_printf ("%s %s", words[0], words[1]));
    }
}

static AssayTensor *
load_tensor (const char *folder, guint index)
{
  g_autofree char *name = g_strdup_printf ("output_%u.pb", index);
  g_autofree char *path = g_build_filename (folder, "test_data_set_0", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayOnnxFile) file = NULL;
  AssayTensor *tensor;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;

  bytes = assay_file_map_new (path, &error);
  g_assert_no_error (error);
  file = assay_onnx_file_new (bytes, NULL, &assay__onnx__tensor_proto__descriptor, &error);
  g_assert_no_error (error);
  tensor = assay_tensor_from_proto (
      file, (const Assay__Onnx__TensorProto *) assay_onnx_file_get_message (file), &error);
  g_assert_no_error (error);

  return tensor;
}

static gboolean
contradicts (const AssayType *type, AssayTensor *tensor)
{
  const gint64 *dims = assay_tensor_get_dims (tensor);

  if (type->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return FALSE;
  if (type->kind != ASSAY_TYPE_KIND_TENSOR)
    return TRUE;
  /* The tensors were written from NumPy, which has no bfloat16: its bits are there as unsigned
   * integers. */
  if (type->dtype != ASSAY_DTYPE_UNDEFINED && type->dtype != assay_tensor_get_dtype (tensor) &&
      !(type->dtype == ASSAY_DTYPE_BF16 && assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_U16))
    return TRUE;
  if (type->rank >= 0 && type->rank != (int) assay_tensor_get_rank (tensor))
    return TRUE;

  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size >= 0 && type->dims[i].size != dims[i])
        return TRUE;
    }

  return FALSE;
}

static void
check_findings (AssayFindings *findings, const char *model, Counts *counts)
{
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (g_str_has_prefix (finding->rule, "infer.") ||
          g_str_equal (finding->rule, "import.old-opset"))
        {
          g_test_message ("%s: %s: %s", model, finding->rule, finding->message);
          counts->findings++;
        }
    }
}

static void
check_output (Corpus *corpus, Counts *counts, const char *model, const char *folder, guint index,
              const AssayType *stated, const AssayValue *value)
{
  g_autofree char *key = g_strdup_printf ("%s %s", model, value->name);
  g_autofree char *text = assay_type_to_string (value->type);
  g_autoptr (AssayTensor) tensor = NULL;
  gpointer reason;

  counts->outputs++;

  if (stated->kind == ASSAY_TYPE_KIND_TENSOR)
    tensor = load_tensor (folder, index);

  /* Exempt or not, nothing may be wrong. */
  if (tensor != NULL && contradicts (value->type, tensor))
    {
      g_test_message ("%s is %s, which its tensor is not", key, text);
      counts->contradictions++;
      return;
    }

  if (g_hash_table_lookup_extended (corpus->exempt, key, NULL, &reason))
    {
      g_hash_table_remove (corpus->unused, key);
      counts->exempt[GPOINTER_TO_UINT (reason)]++;

      /* What can be inferred has no business on the list. */
      g_assert_cmpint (GPOINTER_TO_UINT (reason) == 2, ==, stated->kind != ASSAY_TYPE_KIND_TENSOR);
      if (assay_type_is_static (value->type))
        g_error ("%s is inferred as %s and need not be exempt", key, text);
      return;
    }

  if (assay_type_is_static (value->type))
    counts->inferred++;
  else
    {
      counts->open++;
      g_string_append_printf (corpus->open, "%s: %s\n", key, text);
    }
}

static void
check_model (Corpus *corpus, Counts *counts, const char *category, const char *name)
{
  const AssayImportOptions alone = { .ignore_value_info = TRUE };
  const AssayImportOptions as_stated = { .skip_inference = TRUE };
  g_autofree char *model = g_strdup_printf ("%s/%s", category, name);
  g_autofree char *folder = g_build_filename (DATA_DIR, category, name, NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayFindings) with_stated = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayGraph) stated = NULL;
  g_autoptr (AssayGraph) both = NULL;
  g_autoptr (GError) error = NULL;
  const GArray *outputs;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return;

  counts->models++;
  graph = assay_model_read (path, &alone, findings, NULL, &error);
  g_assert_no_error (error);
  stated = assay_model_read (path, &as_stated, NULL, NULL, &error);
  g_assert_no_error (error);
  both = assay_model_read (path, NULL, with_stated, NULL, &error);
  g_assert_no_error (error);
  check_findings (findings, model, counts);
  check_findings (with_stated, model, counts);

  outputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;
  for (guint i = 0; i < outputs->len; i++)
    {
      AssayValueId id = g_array_index (outputs, AssayValueId, i);
      AssayValueId other = g_array_index (assay_graph_region (stated, ASSAY_MAIN_REGION)->outputs,
                                          AssayValueId, i);

      check_output (corpus, counts, model, folder, i, assay_graph_value (stated, other)->type,
                    assay_graph_value (graph, id));
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
check_category (Corpus *corpus, guint category)
{
  g_autofree char *path = g_build_filename (DATA_DIR, categories[category], NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);

  for (guint i = 0; i < names->len; i++)
    check_model (corpus, &corpus->counts[category], categories[category],
                 g_ptr_array_index (names, i));
}

static char *
print_counts (const Corpus *corpus)
{
  GString *text = g_string_new (
      "# Outputs of the models of libonnx-testdata, inferred from their inputs alone.\n"
      "# Checked by: the tensors that come with the models, each of which "
      "tests/core/nnir/test-infer-corpus.c holds against what was inferred.\n");

  for (guint i = 0; i < G_N_ELEMENTS (categories); i++)
    {
      const Counts *counts = &corpus->counts[i];

      g_string_append_printf (text, "%s: %u models, %u outputs, %u inferred, %u open",
                              categories[i], counts->models, counts->outputs, counts->inferred,
                              counts->open);
      for (guint j = 0; j < G_N_ELEMENTS (reasons); j++)
        g_string_append_printf (text, ", %u %s", counts->exempt[j], reasons[j]);
      g_string_append_c (text, '\n');
    }

  return g_string_free (text, FALSE);
}

static void
test_corpus (void)
{
  Corpus corpus = { .open = g_string_new (NULL) };
  g_autofree char *counts_path = g_test_build_filename (G_TEST_DIST, "data", "infer", "counts.txt",
                                                        NULL);
  g_autofree char *counts = NULL;
  guint models = 0;
  guint contradictions = 0;
  guint findings = 0;

  if (!g_file_test (DATA_DIR "/node", G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  load_exempt (&corpus);
  for (guint i = 0; i < G_N_ELEMENTS (categories); i++)
    {
      check_category (&corpus, i);
      models += corpus.counts[i].models;
      contradictions += corpus.counts[i].contradictions;
      findings += corpus.counts[i].findings;
    }

  counts = print_counts (&corpus);
  g_test_message ("%s", counts);
  g_test_message ("open:\n%s", corpus.open->str);

  g_assert_cmpuint (models, ==, 1072);
  g_assert_cmpuint (contradictions, ==, 0);
  g_assert_cmpuint (findings, ==, 0);
  g_assert_cmpuint (g_hash_table_size (corpus.unused), ==, 0);

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    {
      g_file_set_contents (counts_path, counts, -1, NULL);
    }
  else
    {
      g_autofree char *expected = read_data ("counts.txt");

      g_assert_cmpstr (counts, ==, expected);
    }

  g_hash_table_unref (corpus.exempt);
  g_hash_table_unref (corpus.unused);
  g_string_free (corpus.open, TRUE);
}

TEST_PROGRAM (infer_corpus)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/infer/corpus/outputs", test_corpus);

  return g_test_run ();
}
