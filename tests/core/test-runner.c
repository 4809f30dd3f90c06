/* test-runner.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * One interface for everything that turns inputs into outputs.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "compile/assay-compile.h"
#include "nnir/assay-analysis.h"
#include "nnir/assay-text.h"
#include "run/assay-runner.h"

static const char model[] =
  "main (%x : f32[1,12,8]) {\n"
  "  const %a : f32[8,8] = [0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5, 0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5,\n"
  "    0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 1, 2, 3, 4, 5, 6, 7, 8, 0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5,\n"
  "    0.25, -0.125, 0.1, 1, 1, -2, 0.5, 0.5, -1, -0.25, 0.125, 1, 2, -1, 0.75, 0.5, 3, 1, 4, 1, 5, 9, 2, 6]\n"
  "  %p = MatMul(%x, %a) : f32[1,12,8] @ \"project\"\n"
  "  %q = Relu(%p) : f32[1,12,8] @ \"bound\"\n"
  "  %r = Softmax(%q) {axis = -1} : f32[1,12,8] @ \"weigh\"\n"
  "  %y = Add(%r, %x) : f32[1,12,8] @ \"residual\"\n"
  "  return %y\n"
  "}\n";

static AssayRunSubject *
new_subject (const int *axes)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (model, -1, findings, &error);
  g_autoptr (AssayConfig) config = assay_config_new (4, 32, NULL);
  AssayCompileOptions options = { .streaming_axes = axes, .n_streaming_axes = axes != NULL ? 1 : 0 };
  g_autoptr (AssayCode) code = NULL;
  AssayRunSubject *subject;

  g_assert_no_error (error);
  code = assay_compile (graph, assay_config_get_values (config), &options, NULL, &error);
  g_assert_no_error (error);
  subject = assay_run_subject_new_for_graph (NULL, graph, NULL, &error);
  g_assert_no_error (error);
  assay_run_subject_set_program (subject, code, 0, axes, axes != NULL ? 1 : 0);

  return subject;
}

static GPtrArray *
new_inputs (void)
{
  const gint64 dims[] = { 1, 12, 8 };
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  float values[96];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) ((i * 37 + 11) % 64) / 16.0f - 2.0f;
  g_ptr_array_add (inputs, assay_tensor_new_f32 (3, dims, values));

  return inputs;
}

static GPtrArray *
run (const char      *spec,
     AssayRunSubject *subject,
     GPtrArray       *inputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRunner) runner = assay_runner_open (spec, subject, NULL, NULL, &error);
  GPtrArray *outputs;

  g_assert_no_error (error);
  outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);
  g_assert_no_error (error);

  return outputs;
}

static void
assert_same_bits (AssayTensor *a,
                  AssayTensor *b)
{
  gsize n_a, n_b;
  gconstpointer data_a = assay_tensor_get_data (a, &n_a, NULL);
  gconstpointer data_b = assay_tensor_get_data (b, &n_b, NULL);

  g_assert_cmpuint (assay_tensor_get_rank (a), ==, assay_tensor_get_rank (b));
  g_assert_cmpmem (data_a, n_a, data_b, n_b);
}

static void
test_machine (void)
{
  const int time = 1;
  g_autoptr (AssayRunSubject) whole = new_subject (NULL);
  g_autoptr (AssayRunSubject) streaming = new_subject (&time);
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) a = run ("vm", whole, inputs);
  g_autoptr (GPtrArray) b = run ("vm", streaming, inputs);
  g_autoptr (GPtrArray) c = run ("vm-fp32", whole, inputs);
  g_autoptr (AssayRunner) runner = assay_runner_open ("vm", streaming, NULL, NULL, NULL);
  const AssayRunPort *ports;
  const float *bf16, *fp32;
  gsize n_bytes;
  guint n;

  assert_same_bits (g_ptr_array_index (a, 0), g_ptr_array_index (b, 0));

  /* The same to the precision of bf16, and not the same. */
  bf16 = assay_tensor_get_data (g_ptr_array_index (a, 0), &n_bytes, NULL);
  fp32 = assay_tensor_get_data (g_ptr_array_index (c, 0), &n_bytes, NULL);
  g_assert_cmpint (memcmp (bf16, fp32, n_bytes), !=, 0);
  for (guint i = 0; i < n_bytes / sizeof *bf16; i++)
    g_assert_cmpfloat_with_epsilon (bf16[i], fp32[i], 0.05);

  ports = assay_runner_get_inputs (runner, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (ports[0].name, ==, "x");
  g_assert_cmpint (ports[0].time_axis, ==, 1);
  g_assert_cmpint (ports[0].dims[1], ==, -1);
  g_clear_pointer (&b, g_ptr_array_unref);
  b = assay_runner_run (runner, inputs, NULL, NULL, NULL);
  assay_runner_get_latencies (runner, &n);
  g_assert_cmpuint (n, ==, 12);
  assert_same_bits (g_ptr_array_index (a, 0), g_ptr_array_index (b, 0));
}

/* Operation by operation on the machine gives the bits of the whole program. */
static void
test_parts (gconstpointer data)
{
  const int time = 1;
  g_autoptr (AssayRunSubject) subject = new_subject (GPOINTER_TO_INT (data) ? &time : NULL);
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) whole = run ("vm", subject, inputs);
  g_autoptr (GArray) order = assay_graph_sort_region (subject->graph, ASSAY_MAIN_REGION, NULL);
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                         (GDestroyNotify) assay_tensor_unref);

  g_assert_cmpuint (order->len, ==, 4);
  g_hash_table_insert (values, g_strdup ("x"), assay_tensor_ref (g_ptr_array_index (inputs, 0)));
  for (guint i = 0; i < order->len; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayRunSubject) part =
        assay_run_subject_new_part (subject, &g_array_index (order, AssayNodeId, i), 1, TRUE, NULL, &error);
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray) part_inputs = g_ptr_array_new ();
      g_autoptr (GPtrArray) outputs = NULL;
      const AssayRunPort *ports;
      guint n;

      g_assert_no_error (error);
      runner = assay_runner_open ("vm", part, NULL, NULL, &error);
      g_assert_no_error (error);
      ports = assay_runner_get_inputs (runner, &n);
      for (guint j = 0; j < n; j++)
        g_ptr_array_add (part_inputs, g_hash_table_lookup (values, ports[j].name));
      outputs = assay_runner_run (runner, part_inputs, NULL, NULL, &error);
      g_assert_no_error (error);
      ports = assay_runner_get_outputs (runner, &n);
      g_assert_cmpuint (n, ==, 1);
      g_hash_table_insert (values, g_strdup (ports[0].name), assay_tensor_ref (g_ptr_array_index (outputs, 0)));
    }

  assert_same_bits (g_hash_table_lookup (values, "y"), g_ptr_array_index (whole, 0));
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *spec;
    const char *message;
  } cases[] = {
    { "warp", "runner warp: expected one of vm, vm-fp32*" },
    { "vm:fast", "runner vm:fast: vm takes no argument" },
    { "", "runner : expected one of*" },
  };
  g_autoptr (AssayRunSubject) subject = new_subject (NULL);
  g_autoptr (AssayRunSubject) part = NULL;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 dims[] = { 1, 12, 7 };
  const float values[84] = { 0 };
  AssayNodeId node = 1;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_null (assay_runner_open (cases[i].spec, subject, NULL, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      if (!g_pattern_match_simple (cases[i].message, error->message))
        g_error ("%s: %s", cases[i].spec, error->message);
      g_clear_error (&error);
    }

  part = assay_run_subject_new_part (subject, &node, 1, FALSE, NULL, NULL);
  g_assert_null (assay_runner_open ("vm", part, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_clear_error (&error);

  runner = assay_runner_open ("vm", subject, NULL, NULL, NULL);
  g_assert_null (assay_runner_run (runner, inputs, NULL, NULL, &error));
  g_assert_cmpstr (error->message, ==, "runner vm: got 0 inputs, takes 1");
  g_clear_error (&error);

  g_ptr_array_add (inputs, assay_tensor_new_f32 (3, dims, values));
  g_assert_null (assay_runner_run (runner, inputs, NULL, NULL, &error));
  g_assert_cmpstr (error->message, ==, "input x: shape [1, 12, 7], expected [1, 12, 8]");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/run/machine", test_machine);
  g_test_add_data_func ("/run/parts/whole", GINT_TO_POINTER (0), test_parts);
  g_test_add_data_func ("/run/parts/streaming", GINT_TO_POINTER (1), test_parts);
  g_test_add_func ("/run/refusals", test_refusals);

  return g_test_run ();
}
