/* test-contrib.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operators that ONNX Runtime takes and no version of ONNX has. Each case of the data is written as
 * it is and run by ONNX Runtime, where it is found, opened and run by the reference, and written as
 * what it became and run by ONNX Runtime again: three times the same numbers. Where the first has
 * no kernel for a processor, twice. Sums of products of 8 bits are integers.nnir, whose outputs are
 * listed: ONNX Runtime has its own on x86 without VNNI.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "backend/assay-build.h"
#include "nnir/text/assay-text.h"
#include "nnir/assay-verify.h"
#include "nnir/shape/assay-infer.h"
#include "run/assay-run-inputs.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"
#include "source/onnx/assay-upgrade.h"
#include "graphs.h"
#include "plain-helpers.h"
#include "test-program.h"
#include "written-fixture.h"

typedef struct
{
  char *folder;
  char *given;  /* the case as it is */
  char *opened; /* what it became */
  gboolean absent;
  guint n_failed;
} Fixture;

static void
setup (Fixture *self, gconstpointer data)
{
  (void) data;
  self->folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  self->given = g_build_filename (self->folder, "given.onnx", NULL);
  self->opened = g_build_filename (self->folder, "opened.onnx", NULL);
}

static void
teardown (Fixture *self, gconstpointer data)
{
  (void) data;
  g_unlink (self->given);
  g_unlink (self->opened);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->given);
  g_free (self->opened);
}

static char **
read_cases (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "contrib", name, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);

  return g_strsplit (strstr (text, "\n// ") + 4, "\n// ", -1);
}

/* The graph of a case whose nodes are still what the text says. */
static AssayGraph *
read_case (const char *text)
{
  const char *end = strstr (text, "\n}\n");
  g_autofree char *graph_text = end == NULL ? g_strdup (text) : g_strndup (text, end + 3 - text);
  g_autofree char *whole = g_strconcat ("nnir 1\ngraph \"g\" {level = onnx, ir_version = 10}\n",
                                        strchr (graph_text, '\n') + 1, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (whole, -1, findings, &error);

  if (graph == NULL || assay_findings_get_count (findings) > 0)
    g_error ("%s: %s", text,
             error != NULL ? error->message : assay_findings_get (findings, 0)->message);

  return graph;
}

/* What lies between is asked for as a comparison does; the file has it or it is not asked for. */
static gboolean
look (AssayValueId id, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  (void) id, (void) step, (void) tensor, (void) user_data, (void) error;

  return TRUE;
}

static GPtrArray *
run (const char *runner_id, const char *path, AssayGraph *graph, GError **error)
{
  g_autoptr (AssayRunSubject) subject = graph_subject (path, graph, error);
  g_autoptr (AssayRunInputs) source = assay_run_inputs_new ();
  const AssayRunObserver observer = { look, NULL, NULL, 0 };
  /* Where there is nothing to divide, further threads would only spin. */
  const AssayRunnerOptions options = { .n_threads = g_str_equal (runner_id, "ort") };
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (GPtrArray) inputs = NULL;

  g_assert_nonnull (subject);
  ports = assay_run_subject_get_inputs (subject);
  assay_run_inputs_set_seed (source, 1, TRUE);
  inputs = assay_run_inputs_make (source, (AssayRunPort *) (gpointer) ports->data, ports->len, 0,
                                  error);
  runner = inputs == NULL ? NULL : assay_runner_open (runner_id, subject, &options, NULL, error);

  return runner == NULL
             ? NULL
             : assay_runner_run (runner, inputs, g_str_equal (runner_id, "ort") ? &observer : NULL,
                                 NULL, error);
}

/* A step of quantized numbers, or what rounding makes in another order. */
static char *
find_difference (GPtrArray *expected, GPtrArray *found)
{
  for (guint i = 0; i < expected->len; i++)
    {
      AssayTensor *a = g_ptr_array_index (expected, i);
      AssayTensor *b = i < found->len ? g_ptr_array_index (found, i) : NULL;
      gboolean real = assay_dtype_is_float (assay_tensor_get_dtype (a));

      if (b == NULL || assay_tensor_get_dtype (a) != assay_tensor_get_dtype (b) ||
          assay_tensor_get_n_elements (a) != assay_tensor_get_n_elements (b) ||
          assay_tensor_get_rank (a) != assay_tensor_get_rank (b))
        return g_strdup_printf ("output %u has another type", i);
      for (gsize j = 0; j < assay_tensor_get_n_elements (a); j++)
        {
          double x, y;

          g_assert_true (assay_tensor_get_element (a, j, &x, NULL));
          g_assert_true (assay_tensor_get_element (b, j, &y, NULL));
          if (!(fabs (x - y) <= (real ? 2e-5 * (1.0 + fabs (x)) : 1.0)))
            return g_strdup_printf ("output %u [%" G_GSIZE_FORMAT "] is %g, expected %g", i, j, y,
                                    x);
        }
    }

  return NULL;
}

/* The outputs that a case lists by a rule. */
static char *
get_listed (const char *text, const char *rule)
{
  g_autofree char *begin = g_strdup_printf ("\n%s: ", rule);
  const char *found = strstr (text, begin);

  return found == NULL ? NULL
                       : g_strndup (found + strlen (begin), strcspn (found + strlen (begin), "\n"));
}

/* What a step of rounding does not make: bytes are the same, numbers to the last digits. */
static char *
find_unlisted (const char *listed, GPtrArray *found)
{
  g_auto (GStrv) numbers = g_strsplit (listed, " ", -1);
  AssayTensor *tensor = g_ptr_array_index (found, 0);
  gboolean real = assay_dtype_is_float (assay_tensor_get_dtype (tensor));

  if (assay_tensor_get_n_elements (tensor) != g_strv_length (numbers))
    return g_strdup_printf ("%" G_GSIZE_FORMAT " elements, expected %u",
                            assay_tensor_get_n_elements (tensor), g_strv_length (numbers));
  for (guint i = 0; numbers[i] != NULL; i++)
    {
      double expected = g_ascii_strtod (numbers[i], NULL), x;

      g_assert_true (assay_tensor_get_element (tensor, i, &x, NULL));
      if (!(fabs (x - expected) <= (real ? 1e-6 * (1.0 + fabs (expected)) : 0.0)))
        return g_strdup_printf ("[%u] is %.9g, expected %s", i, x, numbers[i]);
    }

  return NULL;
}

static void
fail (Fixture *self, const char *text, const char *what, const char *why)
{
  g_test_message ("%.*s: %s: %s", (int) strcspn (text, "\n"), text, what, why);
  self->n_failed++;
}

/* ONNX Runtime adds exactly, or in pairs throughout. */
static char *
find_other_sums (const char *text, GPtrArray *found)
{
  g_autofree char *exact = get_listed (text, "exact"), *paired = get_listed (text, "paired");
  g_autofree char *from_exact = find_unlisted (exact, found);
  g_autofree char *from_paired = NULL;

  if (from_exact == NULL || paired == NULL)
    return g_steal_pointer (&from_exact);
  from_paired = find_unlisted (paired, found);
  if (from_paired != NULL)
    return g_strdup_printf ("exact: %s; paired: %s", from_exact, from_paired);
  g_test_message ("%.*s: ONNX Runtime adds pairs in 16 bits here", (int) strcspn (text, "\n"),
                  text);

  return NULL;
}

static void
check_case (Fixture *self, const char *text)
{
  g_autoptr (AssayGraph) graph = read_case (text);
  g_autoptr (AssayGraph) opened = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GPtrArray) expected = NULL, found = NULL, written = NULL;
  g_autofree char *exact = get_listed (text, "exact"), *inexact = NULL;
  g_autofree char *difference = NULL, *again = NULL;
  g_autofree char *title = g_strndup (text, strcspn (text, "\n"));
  g_autoptr (GError) error = NULL;

  assay_onnx_write_file (graph, self->given, NULL, NULL, &error);
  g_assert_no_error (error);
  if (strstr (title, "(opset 7)") != NULL)
    set_opset (self->given, 7);
  opened = assay_model_read (self->given, NULL, findings, NULL, &error);
  g_assert_no_error (error);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (opened); id++)
    {
      g_assert_cmpuint (assay_graph_node (opened, id)->n_origins, ==, 1);
      if (assay_graph_node (opened, id)->op == ASSAY_OP_OPAQUE)
        fail (self, text, "open",
              assay_findings_get_count (findings) > 0 ? assay_findings_get (findings, 0)->message
                                                      : "it stays opaque");
    }

  found = run ("reference", self->given, opened, &error);
  if (found == NULL)
    {
      fail (self, text, "reference", error->message);
      return;
    }
  inexact = exact != NULL ? find_unlisted (exact, found) : NULL;
  if (inexact != NULL)
    fail (self, text, "reference", inexact);
  if (self->absent)
    return;

  if (strstr (title, "(no kernel)") != NULL)
    expected = g_ptr_array_ref (found);
  else
    expected = run ("ort", self->given, opened, &error);
  if (expected == NULL)
    {
      self->absent = strstr (error->message, "was not found") != NULL;
      if (!self->absent)
        fail (self, text, "ONNX Runtime", error->message);
      return;
    }
  difference = exact != NULL ? find_other_sums (text, expected) : find_difference (expected, found);
  if (difference != NULL)
    fail (self, text, exact != NULL ? "ONNX Runtime" : "reference", difference);

  assay_onnx_write_file (opened, self->opened, NULL, NULL, &error);
  g_assert_no_error (error);
  written = run ("ort", self->opened, opened, &error);
  again = written == NULL ? g_strdup (error->message)
          : exact != NULL ? find_other_sums (text, written)
                          : find_difference (expected, written);
  if (again != NULL)
    fail (self, text, "what was written", again);
}

static void
test_numbers (Fixture *self, gconstpointer data)
{
  g_auto (GStrv) cases = read_cases (data);

  for (guint i = 0; cases[i] != NULL; i++)
    check_case (self, cases[i]);
  g_assert_cmpuint (self->n_failed, ==, 0);
  if (self->absent)
    g_test_skip ("ONNX Runtime is not installed");
}

/* Each operator of the table has a case. */
static void
test_all (void)
{
  static const char *const names[] = {
#define CONTRIB(domain, type, function) domain "::" #type,
#define VENDOR(domain, type, function)
#include "source/onnx/contrib/contrib.def"
#undef CONTRIB
  };
  g_auto (GStrv) cases = read_cases ("cases.nnir"), integers = read_cases ("integers.nnir");
  g_autofree char *real = g_strjoinv ("\n", cases), *whole = g_strjoinv ("\n", integers);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *name = g_str_has_prefix (names[i], "::") ? names[i] + 2 : names[i];
      g_autofree char *call = g_strconcat ("= ", name, "(", NULL);

      if (strstr (real, call) == NULL && strstr (whole, call) == NULL)
        g_error ("%s has no case in tests/data/contrib", name);
    }
}

/* Any number of inputs and outputs, and attributes of no sense, do no harm. */
static void
test_hostile (void)
{
  static const char *const names[] = {
#define CONTRIB(domain, type, function) domain "::" #type,
#include "source/onnx/contrib/contrib.def"
#undef CONTRIB
  };
  static const char *const attrs[] = {
    "num_heads = 9223372036854775807, kv_num_heads = 9223372036854775807, N = -1, K = "
    "9223372036854775807, block_size = 16, channels_last = 1, transA = 1, activation = \"Relu\"",
    "num_heads = 2, kv_num_heads = 1, N = 2, K = 2147483647, block_size = 2147483647, border = "
    "[1], "
    "bias = [], activation = \"none\", qkv_hidden_sizes = [-1, -1, -1], activation_params = [1.0]",
    "num_heads = 1.5, kv_num_heads = \"x\", bits = 64, border = [-1, 9223372036854775807, 1, 1], "
    "groups = 1, axes = [], activation = \"Clip\", activation_params = [1.0, 2.0, 3.0]",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names) * 15 * 5 * G_N_ELEMENTS (attrs); i++)
    {
      const char *name = names[i % G_N_ELEMENTS (names)];
      guint n_inputs = i / G_N_ELEMENTS (names) % 15;
      guint n_outputs = i / G_N_ELEMENTS (names) / 15 % 5;
      const char *with = attrs[i / G_N_ELEMENTS (names) / 75];
      g_autoptr (GString)
          text = g_string_new ("\nmain (%x : f32[2,2]) {\n  const %c : u8[2,2] = [1, "
                               "2, 3, 4]\n  ");
      g_autoptr (AssayGraph) graph = NULL;
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayFindings) broken = assay_findings_new ();
      g_autoptr (GError) error = NULL;

      for (guint j = 0; j < n_outputs; j++)
        g_string_append_printf (text, "%s%%y%u", j > 0 ? ", " : "", j);
      g_string_append_printf (text, "%s%s(", n_outputs > 0 ? " = " : "",
                              g_str_has_prefix (name, "::") ? name + 2 : name);
      for (guint j = 0; j < n_inputs; j++)
        g_string_append_printf (text, "%s%s", j > 0 ? ", " : "", j % 3 == 1 ? "%c" : "%x");
      g_string_append_printf (text, ") {%s}\n  return %s\n}\n", with, n_outputs > 0 ? "%y0" : "%x");

      graph = read_case (text->str);
      g_assert_true (assay_onnx_upgrade (graph, NULL, findings, &error));
      g_assert_true (assay_graph_infer (graph, findings, NULL, &error));
      assay_graph_verify (graph, broken);
      for (guint j = 0; j < assay_findings_get_count (broken); j++)
        {
          const AssayFinding *finding = assay_findings_get (broken, j);

          if (finding->severity == ASSAY_SEVERITY_ERROR)
            g_error ("%s: %s: %s", text->str, finding->rule, finding->message);
        }
    }
}

/* What ONNX Runtime does not take alone becomes QuantizeLinear and DequantizeLinear, if it has 8
 * bits; vai_q_onnx writes their number as a string, vai_q_pytorch the least and greatest number. */
static void
test_vendor (void)
{
  static const struct
  {
    const char *name;
    const char *function;
  } rows[] = {
#define CONTRIB(domain, type, function)
#define VENDOR(domain, type, function) { domain "::" #type, #function },
#include "source/onnx/contrib/contrib.def"
#undef CONTRIB
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows) * 4; i++)
    {
      gboolean wide = i % 2 == 1;
      const char *quote = i % 4 >= 2 ? "\"" : "";
      const char *function = rows[i / 4].function;
      gboolean bounds = g_str_equal (function, "vendor_quantize_bounds");
      gboolean steps = g_str_equal (function, "vendor_fix_steps");
      gboolean from_bits = g_str_equal (function, "vendor_dequantize");
      gboolean both = g_str_equal (function, "vendor_fix") || steps;
      g_autofree char *text = g_strdup_printf (
          "vendor\nmain (%%x : %s[2,2]) {\n  const %%s : f32[] = [0.5]\n  const %%z : i8[] = [0]\n"
          "  const %%least : i32[] = [-%d]\n  const %%most : i32[] = [%d]\n"
          "  %%y = %s(%%x, %s) {bit_width = %s%d%s} : %s[2,2] @ \"y\"\n  return %%y\n}\n",
          from_bits ? "i8" : "f32", wide ? 32768 : 128, wide ? 32767 : 127, rows[i / 4].name,
          bounds  ? "%least, %most, %s, %z"
          : steps ? "%most, %s"
                  : "%s, %z",
          quote, wide ? 16 : 8, quote,
          g_str_equal (function, "vendor_quantize") || bounds ? "i8" : "f32");
      g_autoptr (AssayGraph) graph = read_case (text);
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (GError) error = NULL;
      AssayOp last;

      g_assert_true (assay_onnx_upgrade (graph, NULL, findings, &error));
      last = assay_graph_node (
                 graph,
                 assay_graph_value (
                     graph, g_array_index (assay_graph_region (graph, 0)->outputs, AssayValueId, 0))
                     ->producer)
                 ->op;
      g_assert_cmpuint (last, ==,
                        wide                ? ASSAY_OP_OPAQUE
                        : from_bits || both ? ASSAY_OP_DequantizeLinear
                                            : ASSAY_OP_QuantizeLinear);
      g_assert_cmpuint (assay_graph_n_nodes (graph), ==, both && !wide ? 3 : 2);
      g_assert_cmpint (assay_findings_get_count (findings) > 0, ==, wide);
    }
}

static const char block[] = "fused\n"
                            "main (%x : f32[1,16,8], %s : f32[1,16,8]) {\n"
                            "  const %g : f32[8] = [1, 2, 0.5, 1, 1, 2, 0.25, 1]\n"
                            "  const %b : f32[8] = [0.5, -0.5, 0.25, 0, 1, -1, 0.75, 0.125]\n"
                            "  %h = com.microsoft::SkipLayerNormalization(%x, %s, %g, %b) : "
                            "f32[1,16,8] @ \"block/skip\"\n"
                            "  %y = com.microsoft::BiasGelu(%h, %b) : f32[1,16,8] @ "
                            "\"block/gelu\"\n"
                            "  return %y\n"
                            "}\n";

/* What such an operator is made of compiles, and says which node of the file it came from. */
static void
test_compile (Fixture *self, gconstpointer data)
{
  const int axes[] = { 1, 1 };
  g_autoptr (AssayGraph) graph = read_case (block);
  g_autoptr (AssayGraph) opened = NULL;
  g_autoptr (AssayConfig) config = assay_config_new (4, 32, NULL);
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (GError) error = NULL;
  guint n_fused = 0;

  (void) data;
  assay_onnx_write_file (graph, self->given, NULL, NULL, &error);
  g_assert_no_error (error);
  opened = assay_model_read (self->given, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (opened); id++)
    {
      const AssayNode *node = assay_graph_node (opened, id);
      const AssayOrigin *origin;

      g_assert_cmpuint (node->n_origins, ==, 1);
      origin = &g_array_index (opened->origins, AssayOrigin, node->origins[0]);
      g_assert_cmpstr (origin->domain, ==, "com.microsoft");
      g_assert_true (g_str_has_suffix (origin->name,
                                       g_array_index (opened->scopes, const char *, node->scope)));
      g_assert_cmpuint (node->scope, !=, 0);
      n_fused++;
    }
  g_assert_cmpuint (n_fused, ==, 4);

  assay_settings_set_axes (&settings, axes, 2);
  options.settings = settings;
  program = assay_build_model (NULL, opened, assay_config_get_values (config), &options, NULL,
                               &error);
  g_assert_no_error (error);
}

/* A target with a rule for an operator says of what it is made of what it says of the operator. */
static void
test_rows (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *text;
    AssayOp op; /* of a node that it is made of */
    const char *rule;
  } rows[] = {
    { "attention\nmain (%q : f32[1,3,8], %k : f32[1,3,8], %v : f32[1,3,8]) {\n"
      "  %y = com.microsoft::MultiHeadAttention(%q, %k, %v) {num_heads = 2, unidirectional = 1} : "
      "f32[1,3,8]\n  return %y\n}\n",
      ASSAY_OP_Attention, "multi-head-attention" },
    { "attention of two\nmain (%q : f32[2,3,8], %k : f32[2,3,8], %v : f32[2,3,8]) {\n"
      "  %y = com.microsoft::MultiHeadAttention(%q, %k, %v) {num_heads = 2, unidirectional = 1} : "
      "f32[2,3,8]\n  return %y\n}\n",
      ASSAY_OP_Attention, "attention.batch" },
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayGraph) graph = read_case (rows[i].text);
      g_autoptr (AssayGraph) opened = NULL;
      g_autoptr (AssayTarget) target = assay_target_load ("vulkan-main", NULL);
      g_autoptr (AssayForms) forms = NULL;
      g_autoptr (AssayVerdicts) verdicts = NULL;
      g_autoptr (GError) error = NULL;
      guint n = 0;

      assay_onnx_write_file (graph, self->given, NULL, NULL, &error);
      g_assert_no_error (error);
      opened = assay_model_read (self->given, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      forms = assay_forms_new (opened);
      verdicts = assay_target_check (target, forms, NULL, NULL, &error);
      g_assert_no_error (error);
      for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
        if (assay_graph_node (verdicts->graph, id)->op == rows[i].op)
          {
            g_assert_cmpstr (assay_verdicts_get (verdicts, id)->rule, ==, rows[i].rule);
            n++;
          }
      g_assert_cmpuint (n, >, 0);
    }
}

TEST_PROGRAM (contrib)
{
  g_test_init (&argc, &argv, NULL);
  use_plain_helpers ();
  g_test_add ("/contrib/numbers", Fixture, "cases.nnir", setup, test_numbers, teardown);
  g_test_add ("/contrib/integers", Fixture, "integers.nnir", setup, test_numbers, teardown);
  g_test_add ("/contrib/compile", Fixture, NULL, setup, test_compile, teardown);
  g_test_add ("/contrib/rows", Fixture, NULL, setup, test_rows, teardown);
  g_test_add_func ("/contrib/hostile", test_hostile);
  g_test_add_func ("/contrib/vendor", test_vendor);
  g_test_add_func ("/contrib/all", test_all);

  return g_test_run ();
}
