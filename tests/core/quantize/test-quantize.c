/* test-quantize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Small models and what they are in 8 bits, with the positions that moved and what each operation
 * costs: tests/data/quantize/models.txt.
 */
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/assay-verify.h"
#include "nnir/text/assay-text.h"
#include "quantize/assay-quantize-cost.h"

#include "test-models.h"
#include "test-program.h"

typedef struct
{
  AssayQuantizeOptions options;
  AssayGraph *graph;
  GPtrArray *samples; /* char **, a word per number */
  int n_gains;        /* -1 if costs are not asked for */
} Case;

/* Numbers of a sample go into the inputs in turn, in the order of both. */
static GPtrArray *
give_sample (guint index, gpointer data, GError **error)
{
  Case *self = data;
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  char **words;
  guint next = 0;

  g_assert_cmpuint (index, <, self->samples->len);
  words = g_ptr_array_index (self->samples, index);
  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (self->graph,
                                                   g_array_index (inputs, AssayValueId, i));
      gint64 dims[ASSAY_MAX_RANK];
      g_autofree float *numbers = NULL;
      gsize n = 1;

      for (int axis = 0; axis < value->type->rank; axis++)
        n *= (gsize) (dims[axis] = value->type->dims[axis].size);
      numbers = g_new (float, n);
      for (gsize at = 0; at < n; at++)
        {
          g_assert_nonnull (words[next]);
          numbers[at] = (float) g_ascii_strtod (words[next++], NULL);
        }
      g_ptr_array_add (tensors, assay_tensor_new_f32 ((guint) value->type->rank, dims, numbers));
    }
  g_assert_null (words[next]);

  return tensors;
}

static void
read_head (Case *self, const char *head)
{
  g_auto (GStrv) words = g_strsplit (head, " ", -1);
  g_autoptr (GError) error = NULL;

  self->n_gains = -1;
  for (guint i = 1; words[i] != NULL; i++)
    {
      if (g_str_equal (words[i], "equalize"))
        self->options.equalize = TRUE;
      else if (g_str_equal (words[i], "correct"))
        self->options.correct_bias = TRUE;
      else if (g_str_has_prefix (words[i], "gains="))
        self->n_gains = (int) g_ascii_strtoll (words[i] + 6, NULL, 10);
      else
        self->options.quantizer = assay_quantizer_find (words[i], &error);
      g_assert_no_error (error);
    }
  g_assert_nonnull (self->options.quantizer);
}

static AssayGraph *
read_graph (const char *body)
{
  g_autofree char *text = g_strdup_printf ("nnir 1\nopset \"\" 17\n%s", body);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

/* The model as the device computes it does what it did: factors that layers share cancel out. */
static void
check_prepared (Case *self, AssayGraph *prepared)
{
  g_autoptr (GPtrArray) sample = give_sample (0, self, NULL);
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;
  g_autofree const char **names = g_new0 (const char *, inputs->len + 1);
  AssayGraph *const graphs[] = { self->graph, prepared };
  GPtrArray *results[2];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < inputs->len; i++)
    names[i] = assay_graph_value (self->graph, g_array_index (inputs, AssayValueId, i))->name;
  for (guint i = 0; i < 2; i++)
    {
      results[i] = assay_evaluate_graph (graphs[i], NULL, sample->len, names,
                                         (AssayTensor *const *) sample->pdata, NULL, &error);
      g_assert_no_error (error);
    }
  for (guint i = 0; i < results[0]->len; i++)
    {
      AssayTensor *a = g_ptr_array_index (results[0], i), *b = g_ptr_array_index (results[1], i);

      g_assert_cmpuint (assay_tensor_get_n_elements (a), ==, assay_tensor_get_n_elements (b));
      for (gsize j = 0; j < assay_tensor_get_n_elements (a); j++)
        {
          double before, after;

          g_assert_true (assay_tensor_get_element (a, j, &before, NULL));
          g_assert_true (assay_tensor_get_element (b, j, &after, NULL));
          g_assert_cmpfloat_with_epsilon (before, after, 1e-5);
        }
    }
  g_ptr_array_unref (results[0]);
  g_ptr_array_unref (results[1]);
}

static void
append_costs (GString *text, const AssayQuantizeCosts *costs)
{
  g_string_append_printf (text, "outputs %.1f dB\n", costs->output_db);
  for (guint i = 0; i < costs->rows->len; i++)
    {
      const AssayQuantizeCost *cost = &g_array_index (costs->rows, AssayQuantizeCost, i);
      const AssayQuantizeLoss *loss = &cost->loss;

      g_string_append_printf (text, "cost %s of %s %s at %d: own %.1f, total %.1f", cost->value,
                              cost->op_type, cost->node, loss->position, loss->own_db,
                              loss->total_db);
      if (loss->has_gain)
        g_string_append_printf (text, ", in float %+.1f", loss->float_db);
      if (loss->other != loss->position)
        g_string_append_printf (text, ", at %d %+.1f", loss->other, loss->other_db);
      g_string_append_c (text, '\n');
    }
}

static char *
quantize (Case *self)
{
  g_autoptr (AssayTarget) target = load_target ("dpu_zdx8g_b4096");
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayFindings) broken = assay_findings_new ();
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayGraph) prepared = NULL;
  g_autoptr (AssayGraph) quantized = NULL;
  g_autoptr (AssayQuantizeCosts) costs = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *nnir = NULL;
  AssayQuantizeCounts counts;
  GString *text = g_string_new (NULL);

  verdicts = graph_verdicts (target, self->graph, NULL, &error);
  g_assert_no_error (error);
  self->options.source = give_sample;
  self->options.source_data = self;
  self->options.n_samples = self->samples->len;
  self->options.findings = findings;

  prepared = assay_quantize_prepare (verdicts, &self->options, &counts);
  check_prepared (self, prepared);
  quantized = assay_quantize (verdicts, prepared, &self->options, &counts, NULL, &error);
  if (quantized == NULL)
    {
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
      g_string_append_printf (text, "fails: %s\n", error->message);
      return g_string_free (text, FALSE);
    }
  if (!assay_graph_verify (quantized, broken))
    g_error ("%s", assay_findings_get (broken, 0)->message);
  nnir = assay_graph_to_text (quantized, ASSAY_TEXT_ALL_DATA, &error);
  g_assert_no_error (error);
  g_string_append (text, strstr (nnir, "\nmain (") + 1);
  g_string_append_printf (text,
                          "%u activations, %u weights, %u equalized, %u corrected, %u moved\n",
                          counts.n_activations, counts.n_weights, counts.n_equalized,
                          counts.n_corrected, counts.n_moved);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_string_append_printf (text, "! %s\n", assay_findings_get (findings, i)->message);
  if (self->n_gains >= 0)
    {
      costs = assay_quantize_measure (prepared, quantized, &self->options, (guint) self->n_gains,
                                      NULL, &error);
      g_assert_no_error (error);
      append_costs (text, costs);
    }

  return g_string_free (text, FALSE);
}

/* NAME QUANTIZER [equalize] [correct] [gains=N], a line `sample NUMBERS` per sample, the model. */
static char *
run_case (const char *given)
{
  g_auto (GStrv) lines = g_strsplit (given, "\n", -1);
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (GPtrArray) samples = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr (AssayGraph) graph = NULL;
  Case self = { .samples = samples };

  read_head (&self, lines[0]);
  for (guint i = 1; lines[i] != NULL; i++)
    {
      if (g_str_has_prefix (lines[i], "sample "))
        g_ptr_array_add (samples, g_strsplit (lines[i] + 7, " ", -1));
      else
        g_string_append_printf (body, "%s\n", lines[i]);
    }
  graph = self.graph = read_graph (body->str);

  return quantize (&self);
}

static void
test_models (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "quantize", "models.txt",
                                                 NULL);
  g_autoptr (GString) anew = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) blocks = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  blocks = g_strsplit (text, "\n\n", -1);
  g_string_append_printf (anew, "%s\n", blocks[0]);
  for (guint i = 1; blocks[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (g_strchomp (blocks[i]), "\n->\n", 2);
      g_autofree char *result = NULL;

      g_test_message ("%s", parts[0]);
      result = g_strchomp (run_case (parts[0]));
      g_string_append_printf (anew, "\n%s\n->\n%s\n", parts[0], result);
      if (g_getenv ("ASSAY_REGENERATE") == NULL)
        g_assert_cmpstr (result, ==, parts[1]);
    }
  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, anew->str, -1, NULL));
}

TEST_PROGRAM (quantize)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quantize/models", test_models);

  return g_test_run ();
}
