/* test-evaluate-corpus.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/pass/assay-canonical.h"
#include "source/assay-source.h"
#include "source/onnx/assay-tensor-file.h"

#include "test-program.h"

/* The test data of ONNX: every case whose operators the evaluator runs gives what the file says, at
 * the tolerance of the ONNX backend tests. */

#define ONNX_DATA "/usr/share/libonnx-testdata/data"

/* Another folder of the same structure, for data of other versions of ONNX. */
static const char *
data_folder (void)
{
  const char *folder = g_getenv ("ASSAY_ONNX_DATA");

  return folder != NULL ? folder : ONNX_DATA;
}

#define RTOL 1e-3
#define ATOL 1e-7

/* Results that the specification leaves open, by the name of the case: only their type and shape
 * are compared. */
static const char *const open_results[] = {
  "test_bernoulli",
  "test_training_dropout",
};

/* Cases whose files are wrong: bf16 that was truncated instead of rounded, and an input of one
 * element where the model has a fixed shape of twelve. */
static const char *const broken_cases[] = {
  "test_cast_FLOAT_to_BFLOAT16",
  "test_castlike_BFLOAT16_to_FLOAT",
  "test_castlike_FLOAT_to_BFLOAT16",
};

typedef struct
{
  const char *group;
  gboolean wide;
  gboolean canonical;
} Corpus;

static AssayDatum *
wrap (AssayDatumKind kind, GPtrArray *tensors, gboolean wide)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);

  for (guint i = 0; i < tensors->len; i++)
    g_ptr_array_add (items, assay_datum_new_tensor (g_ptr_array_index (tensors, i), wide, NULL));

  return assay_datum_new_items (kind, items);
}

/* The files hold bf16 as the 16-bit integers of its bits. */
static AssayTensor *
read_as (AssayTensor *tensor, AssayDType dtype)
{
  g_autoptr (GBytes) bytes = NULL;

  if (dtype != ASSAY_DTYPE_BF16 || assay_tensor_get_dtype (tensor) != ASSAY_DTYPE_U16)
    return assay_tensor_ref (tensor);

  bytes = assay_tensor_dup_bytes (tensor, NULL);

  return assay_tensor_new (dtype, assay_tensor_get_rank (tensor), assay_tensor_get_dims (tensor),
                           bytes, NULL);
}

/* One value of a test data set in the form that its type asks for; NULL if there is no such file.
 */
static AssayDatum *
load_value (const char *folder, const char *kind, guint index, const AssayType *type, gboolean wide)
{
  g_autofree char *path = g_strdup_printf ("%s/%s_%u.pb", folder, kind, index);
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (GError) error = NULL;
  AssayDatum *datum;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;

  tensors = assay_tensor_file_load (path, type->kind, NULL, &error);
  g_assert_no_error (error);

  switch (type->kind)
    {
    case ASSAY_TYPE_KIND_SEQUENCE:
      return wrap (ASSAY_DATUM_SEQUENCE, tensors, wide);
    case ASSAY_TYPE_KIND_MAP:
      return wrap (ASSAY_DATUM_MAP, tensors, wide);
    case ASSAY_TYPE_KIND_OPTIONAL:
      if (type->element->kind == ASSAY_TYPE_KIND_SEQUENCE)
        {
          g_autoptr (GPtrArray)
              items = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);

          g_ptr_array_add (items, wrap (ASSAY_DATUM_SEQUENCE, tensors, wide));
          return assay_datum_new_items (ASSAY_DATUM_OPTIONAL, items);
        }
      return wrap (ASSAY_DATUM_OPTIONAL, tensors, wide);
    default:
      tensor = read_as (g_ptr_array_index (tensors, 0), type->dtype);
      datum = assay_datum_new_tensor (tensor, wide, &error);
      g_assert_no_error (error);
      return datum;
    }
}

static gboolean
equal_elements (const AssayDatum *got, const AssayDatum *expected, gsize i)
{
  double a, b;

  if (expected->storage == ASSAY_DTYPE_STRING)
    return g_bytes_equal (((GBytes **) got->data)[i], ((GBytes **) expected->data)[i]);

  if (!assay_dtype_is_float (expected->storage))
    return assay_datum_get_integer (got, i) == assay_datum_get_integer (expected, i);

  a = assay_datum_get_number (got, i);
  b = assay_datum_get_number (expected, i);

  return a == b || (isnan (a) && isnan (b)) || fabs (a - b) <= ATOL + RTOL * fabs (b);
}

static char *
describe (const AssayDatum *datum)
{
  GString *text = g_string_new (NULL);

  if (datum->kind != ASSAY_DATUM_TENSOR)
    {
      g_string_append_printf (text, "kind %d of %u", datum->kind, datum->items->len);
      return g_string_free (text, FALSE);
    }

  g_string_append_printf (text, "%s", assay_dtype_name (datum->dtype));
  for (guint i = 0; i < datum->rank; i++)
    g_string_append_printf (text, "%c%" G_GINT64_FORMAT, i > 0 ? ',' : '[', datum->dims[i]);

  return g_string_free (text, FALSE);
}

/* What differs, or NULL. */
static char *
compare (AssayDatum *got, AssayDatum *expected, gboolean open)
{
  g_autofree char *a = describe (got);
  g_autofree char *b = describe (expected);

  if (!g_str_equal (a, b))
    return g_strdup_printf ("is %s, expected %s", a, b);

  if (expected->kind != ASSAY_DATUM_TENSOR)
    {
      for (guint i = 0; i < expected->items->len; i++)
        {
          char *difference = compare (g_ptr_array_index (got->items, i),
                                      g_ptr_array_index (expected->items, i), open);

          if (difference != NULL)
            return difference;
        }
      return NULL;
    }

  for (gsize i = 0; i < expected->n && !open; i++)
    {
      if (!equal_elements (got, expected, i))
        return expected->storage == ASSAY_DTYPE_STRING
                   ? g_strdup_printf ("string %" G_GSIZE_FORMAT " differs", i)
                   : g_strdup_printf ("element %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                                      " is %.9g, expected %.9g",
                                      i, expected->n, assay_datum_get_number (got, i),
                                      assay_datum_get_number (expected, i));
    }

  return NULL;
}

static gboolean
is_listed (const char *name, const char *const *prefixes, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (g_str_has_prefix (name, prefixes[i]))
        return TRUE;
    }

  return FALSE;
}

static char *
run_data_set (AssayEvaluator *evaluator, const char *folder, const char *name, gboolean wide)
{
  AssayGraph *graph = assay_evaluator_get_graph (evaluator);
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph,
                                                   g_array_index (region->inputs, AssayValueId, i));

      g_ptr_array_add (inputs, load_value (folder, "input", i, value->type, wide));
    }

  outputs = assay_evaluator_run (evaluator, inputs->len, (AssayDatum *const *) inputs->pdata, NULL,
                                 &error);
  if (outputs == NULL)
    return g_strdup (error->message);

  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (
          graph, g_array_index (region->outputs, AssayValueId, i));
      g_autoptr (AssayDatum) expected = load_value (folder, "output", i, value->type, wide);
      g_autofree char *difference = NULL;

      if (expected == NULL)
        return g_strdup_printf ("no file for output %u", i);
      difference = compare (g_ptr_array_index (outputs, i), expected,
                            is_listed (name, open_results, G_N_ELEMENTS (open_results)));
      if (difference != NULL)
        return g_strdup_printf ("output %u %s", i, difference);
    }

  return NULL;
}

/* Whether the case could be run. */
static gboolean
run_case (const Corpus *corpus, const char *name, guint *n_failed)
{
  g_autofree char *model = g_build_filename (data_folder (), corpus->group, name, "model.onnx",
                                             NULL);
  AssayEvaluateOptions options = { .wide = corpus->wide, .n_threads = 1 };
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_model_read (model, NULL, findings, NULL, NULL);
  g_autoptr (AssayEvaluator) evaluator = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (graph);
  if (corpus->canonical)
    {
      AssayGraph *canonical = assay_graph_canonicalize (graph, NULL, NULL, &error);

      g_assert_no_error (error);
      assay_graph_unref (graph);
      graph = canonical;
    }

  evaluator = assay_evaluator_new (graph, &options, &error);
  if (evaluator == NULL)
    {
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
      if (g_test_verbose ())
        g_test_message ("%s left out: %s", name, error->message);
      return FALSE;
    }

  for (guint set = 0;; set++)
    {
      g_autofree char *folder = g_strdup_printf ("%s/%s/%s/test_data_set_%u", data_folder (),
                                                 corpus->group, name, set);
      g_autofree char *difference = NULL;

      if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
        break;
      difference = run_data_set (evaluator, folder, name, corpus->wide);
      if (difference != NULL)
        {
          g_test_message ("%s/%s, set %u: %s", corpus->group, name, set, difference);
          (*n_failed)++;
        }
    }

  return TRUE;
}

static void
test_corpus (gconstpointer data)
{
  const Corpus *corpus = data;
  g_autofree char *path = g_build_filename (data_folder (), corpus->group, NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *only = g_getenv ("ASSAY_TEST_CASE");
  const char *name;
  guint n_run = 0, n_left_out = 0, n_failed = 0;

  if (folder == NULL)
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  while ((name = g_dir_read_name (folder)) != NULL)
    {
      if ((only != NULL && strstr (name, only) == NULL) ||
          is_listed (name, broken_cases, G_N_ELEMENTS (broken_cases)))
        continue;
      if (run_case (corpus, name, &n_failed))
        n_run++;
      else
        n_left_out++;
    }

  g_test_message ("%s: %u run, %u failed, %u left out", corpus->group, n_run, n_failed, n_left_out);
  g_assert_cmpuint (n_failed, ==, 0);
}

TEST_PROGRAM (evaluate_corpus)
{
  static const Corpus corpora[] = {
    { "node", FALSE, FALSE },
    { "simple", FALSE, FALSE },
    { "pytorch-operator", FALSE, FALSE },
    { "pytorch-converted", FALSE, FALSE },
    { "node", TRUE, FALSE },
    { "node", FALSE, TRUE },
    { "pytorch-converted", FALSE, TRUE },
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (corpora); i++)
    {
      const char *form = corpora[i].wide ? "-wide" : corpora[i].canonical ? "-canonical" : "";
      g_autofree char *path = g_strdup_printf ("/evaluate/corpus/%s%s", corpora[i].group, form);

      g_test_add_data_func (path, &corpora[i], test_corpus);
    }

  return g_test_run ();
}
