/* test-dpu-listings.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of the DPU by their operations, and what they compute. Numbers of the cases are such
 * that nothing is rounded, so that the built-in reference gives the same ones in floats.
 */
#include <string.h>

#include "backend/assay-executor.h"
#include "backend/dpu/assay-dpu-executor.h"
#include "backend/dpu/assay-dpu-program.h"
#include "evaluate/assay-datum.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

#include "graphs.h"
#include "test-models.h"
#include "golden.h"
#include "test-program.h"

/* A value `%y!3 = ...` of a case has 8 bits at position 3: a pair of nodes comes after it. */
static char *
expand (const char *section)
{
  GString *text = g_string_new ("nnir 1\ngraph \"t\" {level = onnx, ir_version = 10}\n"
                                "opset \"\" 17\n");
  g_auto (GStrv) lines = g_strsplit (section, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *mark = strchr (lines[i], '!');
      g_autofree char *name = NULL;
      const char *made;

      if (g_str_has_prefix (lines[i], "//"))
        continue;
      if (mark == NULL)
        {
          g_string_append_printf (text, "%s\n", lines[i]);
          if (g_str_has_prefix (lines[i], "main "))
            g_string_append (text, "  const %z : i8[] = [0]\n  const %s0 : f32[] = [1]\n"
                                   "  const %s1 : f32[] = [0.5]\n  const %s2 : f32[] = [0.25]\n"
                                   "  const %s3 : f32[] = [0.125]\n"
                                   "  const %s4 : f32[] = [0.0625]\n");
          continue;
        }
      name = g_strndup (lines[i] + 2, (gsize) (mark - lines[i]) - 2);
      made = mark + strlen ("!0 = ");
      if (made[0] != '%')
        g_string_append_printf (text, "  %s_f = %s @ \"%s\"\n", name, made, name + 1);
      g_string_append_printf (text,
                              "  %s_q = QuantizeLinear(%s%s, %%s%c, %%z) @ \"%s_q\"\n"
                              "  %s = DequantizeLinear(%s_q, %%s%c, %%z) @ \"%s_d\"\n",
                              name, made[0] == '%' ? made : name, made[0] == '%' ? "" : "_f",
                              mark[1], name + 1, name, name, mark[1], name + 1);
    }

  return g_string_free (text, FALSE);
}

static gboolean
keep (AssayEvaluator *self, AssayNodeId node, guint output, AssayDatum **datum, gpointer user_data,
      GError **error)
{
  AssayValueId id = assay_graph_node (assay_evaluator_get_graph (self), node)->outputs[output];

  g_hash_table_insert (user_data, GUINT_TO_POINTER (id), assay_datum_ref (*datum));

  return TRUE;
}

typedef struct
{
  const AssayGraph *graph;
  GHashTable *values; /* value -> AssayDatum, of the reference */
  GString *words;     /* names of what was shown */
} Watch;

static gboolean
watch (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  Watch *self = user_data;
  AssayDatum *expected = g_hash_table_lookup (self->values, GUINT_TO_POINTER (value));
  const char *name = assay_graph_value (self->graph, value)->name;

  g_assert_nonnull (expected);
  g_string_append_printf (self->words, " %s", name);
  g_assert_cmpuint (assay_tensor_get_n_elements (tensor), ==, expected->n);
  for (gsize i = 0; i < expected->n; i++)
    {
      double number;

      g_assert_true (assay_tensor_get_element (tensor, i, &number, NULL));
      if (number != assay_datum_get_number (expected, i))
        g_error ("%s is shown as %g at %" G_GSIZE_FORMAT ", expected %g", name, number, i,
                 assay_datum_get_number (expected, i));
    }

  return TRUE;
}

static gboolean
ignore (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  return TRUE;
}

/* Each operation works on what the reference has. */
static gboolean
force (AssayValueId value, gint64 step, AssayTensor **tensor, gpointer user_data, GError **error)
{
  const Watch *self = user_data;

  *tensor = assay_datum_to_tensor (g_hash_table_lookup (self->values, GUINT_TO_POINTER (value)),
                                   FALSE, error);

  return *tensor != NULL;
}

static void
explain (AssayValueId value, const char *rule, gsize n, gpointer user_data)
{
  const Watch *self = user_data;

  g_string_append_printf (self->words, " %s: %" G_GSIZE_FORMAT " %s;",
                          assay_graph_value (self->graph, value)->name, n, rule);
}

/* Runs a program, which gives what the reference does. */
static void
run_once (AssayProgram *program, gboolean quantiser, const AssayRunObserver *observer,
          const GPtrArray *in, const GPtrArray *out, const GPtrArray *expected)
{
  const AssayExecutorOptions how = { .n_threads = 1, .quantiser = quantiser };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayExecutor) executor = assay_executor_new (program, &how, &error);

  g_assert_no_error (error);
  if (observer != NULL)
    assay_executor_watch (executor, observer);
  assay_executor_run (executor, 0, 0, (const float *const *) in->pdata, (float *const *) out->pdata,
                      NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < out->len; i++)
    {
      const AssayDatum *datum = g_ptr_array_index (expected, i);
      float *numbers = g_ptr_array_index (out, i);

      for (gsize j = 0; j < datum->n; j++)
        if (numbers[j] != (float) assay_datum_get_number (datum, j))
          g_error ("output %u has %g at %" G_GSIZE_FORMAT ", expected %g", i, (double) numbers[j],
                   j, assay_datum_get_number (datum, j));
      memset (numbers, 0, datum->n * sizeof *numbers);
    }
}

/* The operations of the program and the values that are shown, in order; of one that rounds, where
 * positions are 0, the rules by which it differs from the reference. */
static void
run_case (AssayTarget *target, const char *section, gboolean rounds, GString *words)
{
  g_autoptr (GRegex) positions = g_regex_new ("![0-9]", 0, 0, NULL);
  g_autofree char *coarse = g_regex_replace_literal (positions, section, -1, 0, "!0", 0, NULL);
  g_autofree char *text = expand (rounds ? coarse : section);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, &error);
  g_autoptr (GHashTable)
      values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray) data = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayEvaluator) evaluator = NULL;
  AssayEvaluateOptions options = { .n_threads = 1, .observer = keep, .observer_data = values };
  const AssayDpuCode *code;
  AssayProgram *program;
  Watch self = { .values = values, .words = words };
  AssayRunObserver shown = { .func = watch, .user_data = &self };
  AssayRunObserver forced = {
    .func = ignore, .user_data = &self, .force = force, .explain = explain
  };
  const GArray *ids;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_no_error (error);
  g_assert_true (assay_graph_infer (graph, NULL, NULL, NULL));
  work = assay_work_new_for_graph (NULL, graph, target, NULL);
  program = assay_work_get_program (work, NULL, &error);
  if (program == NULL)
    {
      g_string_append_printf (words, "// FAILS: %s\n", error->message);
      return;
    }
  code = assay_dpu_program_get_code (ASSAY_DPU_PROGRAM (program));
  if (!rounds)
    {
      g_string_append (words, "// OPERATIONS:");
      for (guint i = 0; i < code->ops->len; i++)
        g_string_append_printf (words, "%s %s", i > 0 ? "," : "",
                                assay_dpu_kind_name (assay_dpu_code_op (code, i)->kind));
      g_string_append (words, "\n");
    }
  g_string_append (words, rounds ? "// DIFFERS:" : "// SHOWN:");

  ids = assay_graph_region (code->graph, ASSAY_MAIN_REGION)->inputs;
  for (guint i = 0; i < ids->len; i++)
    {
      const AssayType *type =
          assay_graph_value (code->graph, g_array_index (ids, AssayValueId, i))->type;
      gint64 dims[ASSAY_MAX_RANK];
      g_autoptr (AssayTensor) tensor = NULL;
      float *numbers;
      gsize n;

      g_assert_true (assay_type_count (type, &n));
      numbers = g_new (float, n);
      for (gsize j = 0; j < n; j++)
        numbers[j] = (rounds ? 0.75f : 1.0f) * (float) ((int) ((j * 7 + i * 5 + 3) % 11) - 5);
      for (int j = 0; j < type->rank; j++)
        dims[j] = type->dims[j].size;
      tensor = assay_tensor_new_f32 ((guint) type->rank, dims, numbers);
      g_ptr_array_add (in, numbers);
      g_ptr_array_add (data, assay_datum_new_tensor (tensor, FALSE, NULL));
    }
  evaluator = assay_evaluator_new (code->graph, &options, &error);
  g_assert_no_error (error);
  expected = assay_evaluator_run (evaluator, data->len, (AssayDatum *const *) data->pdata, NULL,
                                  &error);
  g_assert_no_error (error);
  for (guint i = 0; i < expected->len; i++)
    g_ptr_array_add (out, g_new0 (float, ((AssayDatum *) g_ptr_array_index (expected, i))->n));

  self.graph = code->graph;
  if (rounds)
    {
      run_once (program, FALSE, &forced, in, out, expected);
    }
  else
    {
      g_autoptr (GBytes) bytes = assay_program_save_bytes (program, &error);
      g_autoptr (AssayProgram) loaded = assay_program_load_bytes (bytes, &error);

      g_assert_no_error (error);
      run_once (program, FALSE, NULL, in, out, expected);
      run_once (program, FALSE, &shown, in, out, expected);
      run_once (loaded, FALSE, NULL, in, out, expected);
      /* The simulation of the tool that quantised has nothing to round either. */
      run_once (program, TRUE, NULL, in, out, expected);
    }
  g_string_append_c (words, '\n');
}

static void
test_programs (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "dpu", "programs.txt", NULL);
  g_autoptr (AssayTarget) target = load_target ("dpu_zdx8g_b512");
  g_autoptr (GString) anew = g_string_new (NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) sections = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  sections = g_strsplit (text, "// ---- ", -1);
  g_string_append (anew, sections[0]);
  for (guint i = 1; sections[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (sections[i], strcspn (sections[i], "\n"));
      const char *body = strstr (sections[i], "main ");

      g_test_message ("%s", name);
      g_string_append_printf (anew, "// ---- %s\n", name);
      if (!g_str_has_suffix (name, ", rounded"))
        run_case (target, body, FALSE, anew);
      if (!g_str_has_suffix (name, ", refused"))
        run_case (target, body, TRUE, anew);
      g_string_append (anew, body);
    }
  golden_check (path, anew->str);
}

TEST_PROGRAM (dpu_listings)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/dpu/programs", test_programs);

  return g_test_run ();
}
