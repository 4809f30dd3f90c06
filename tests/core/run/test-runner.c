/* test-runner.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * One interface for everything that turns inputs into outputs.
 */
#include <glib.h>
#include <signal.h>
#include <string.h>

#include "base/assay-npy.h"
#include "folder.h"
#include "source/assay-source.h"
#include "run-fixture.h"
#include "run/assay-run-files.h"
#include "run/assay-run-inputs.h"
#include "source/onnx/assay-onnx-write.h"
#include "test-program.h"
#include "wait.h"
#include "graphs.h"

static AssayRunSubject *
new_subject (const int *axes)
{
  return run_fixture_subject (run_fixture_model, axes);
}

static GPtrArray *
new_inputs (void)
{
  return run_fixture_inputs (12);
}

static GPtrArray *
run (const char *spec, AssayRunSubject *subject, GPtrArray *inputs)
{
  return run_fixture_run (spec, subject, inputs);
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
    { "command", "runner command: command takes an argument, such as PATH" },
    { "board:", "runner board:: board takes an argument, such as NAME" },
    { "board:moon", "board moon: expected local or ssh:HOST" },
    { "files:/nonexistent",
      "runner files:/nonexistent: output y: expected /nonexistent/y.npy or output_0.pb there" },
  };
  g_autoptr (AssayGraph) graph = run_fixture_graph (run_fixture_model);
  g_autoptr (AssayRunSubject) subject = new_subject (NULL);
  g_autoptr (AssayRunSubject) model = graph_subject (NULL, graph, NULL);
  g_autoptr (AssayRunSubject)
      program = assay_run_subject_new_for_program ("p.assayprog", subject->program, 0);
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 dims[] = { 1, 12, 7 };
  const float values[84] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_null (assay_runner_open (cases[i].spec, subject, NULL, NULL, &error));
      assert_message (error, ASSAY_ERROR_INVALID, cases[i].message);
      g_clear_error (&error);
    }

  g_assert_null (assay_runner_open ("vm", model, NULL, NULL, &error));
  assert_message (error, ASSAY_ERROR_INVALID,
                  "the subject: runner vm runs programs: name a target");
  g_clear_error (&error);
  g_assert_null (assay_runner_open ("reference", program, NULL, NULL, &error));
  assert_message (error, ASSAY_ERROR_INVALID,
                  "p.assayprog: runner reference runs models, this is a program");
  g_clear_error (&error);

  runner = assay_runner_open ("vm", subject, NULL, NULL, NULL);
  g_assert_null (assay_runner_run (runner, inputs, NULL, NULL, &error));
  g_assert_cmpstr (error->message, ==, "runner vm: got 0 inputs, takes 1");
  g_clear_error (&error);

  g_ptr_array_add (inputs, assay_tensor_new_f32 (3, dims, values));
  g_assert_null (assay_runner_run (runner, inputs, NULL, NULL, &error));
  g_assert_cmpstr (error->message, ==, "input x: shape [1, 12, 7], expected [1, 12, 8]");
}

typedef struct
{
  AssayGraph *graph;
  GString *names;
  guint n_stop; /* 0 for all of them */
  guint n;
} Watch;

static gboolean
watch (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  Watch *self = user_data;

  g_assert_cmpuint (assay_tensor_get_n_elements (tensor), ==, 96);
  g_string_append_printf (self->names, "%s ", assay_graph_value (self->graph, value)->name);
  if (++self->n != self->n_stop)
    return TRUE;

  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "seen enough");
  return FALSE;
}

static const char plain_model[] = "main (%x : f32[1,12,8]) {\n"
                                  "  const %a : f32[8] = [0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5]\n"
                                  "  %p = Mul(%x, %a) : f32[1,12,8] @ \"scale\"\n"
                                  "  %q = Relu(%p) : f32[1,12,8] @ \"bound\"\n"
                                  "  %r = Sigmoid(%q) : f32[1,12,8] @ \"squash\"\n"
                                  "  %y = Add(%r, %x) : f32[1,12,8] @ \"residual\"\n"
                                  "  return %y\n"
                                  "}\n";

/* The evaluator shows values in program order, all of them or those that are asked for, and stops
 * when told to. */
static void
test_reference (void)
{
  g_autoptr (AssayRunSubject) subject = run_fixture_subject (plain_model, NULL);
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) machine = run ("vm-fp32", subject, inputs);
  g_autoptr (GPtrArray) narrow = run ("reference", subject, inputs);
  g_autoptr (GPtrArray) wide = run ("reference-fp64", subject, inputs);
  g_autoptr (AssayRunner) runner = assay_runner_open ("reference", subject, NULL, NULL, NULL);
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  Watch data = { subject->graph, names, 0, 0 };
  AssayRunObserver observer = { watch, &data, NULL, 0 };
  AssayValueId some[2] = { 0 };

  g_assert_cmpint (assay_tensor_get_dtype (g_ptr_array_index (wide, 0)), ==, ASSAY_DTYPE_F64);
  for (gsize i = 0; i < 96; i++)
    {
      double a, b, c;

      assay_tensor_get_element (g_ptr_array_index (machine, 0), i, &a, NULL);
      assay_tensor_get_element (g_ptr_array_index (narrow, 0), i, &b, NULL);
      assay_tensor_get_element (g_ptr_array_index (wide, 0), i, &c, NULL);
      g_assert_cmpfloat_with_epsilon (a, c, 1e-5);
      g_assert_cmpfloat_with_epsilon (b, c, 1e-5);
    }

  outputs = assay_runner_run (runner, inputs, &observer, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (names->str, ==, "p q r y ");
  g_clear_pointer (&outputs, g_ptr_array_unref);

  for (AssayValueId id = 1; id < assay_graph_n_values (subject->graph); id++)
    {
      const char *name = assay_graph_value (subject->graph, id)->name;

      if (g_str_equal (name, "r"))
        some[0] = id;
      if (g_str_equal (name, "q"))
        some[1] = id;
    }
  g_string_truncate (names, 0);
  observer.values = some;
  observer.n_values = 2;
  outputs = assay_runner_run (runner, inputs, &observer, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (names->str, ==, "q r ");
  g_clear_pointer (&outputs, g_ptr_array_unref);

  data.n_stop = data.n + 1;
  g_assert_null (assay_runner_run (runner, inputs, &observer, NULL, &error));
  assert_message (error, ASSAY_ERROR_UNSUPPORTED, "*seen enough");
}

static gboolean
collect_values (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data,
                GError **error)
{
  g_hash_table_insert (user_data, GUINT_TO_POINTER (value), assay_tensor_ref (tensor));

  return TRUE;
}

static GHashTable *
values_of (const char *spec, AssayRunSubject *subject, GPtrArray *inputs, GPtrArray **outputs,
           GError **error)
{
  g_autoptr (GHashTable)
      values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_tensor_unref);
  const AssayRunObserver observer = { collect_values, values, NULL, 0 };
  g_autoptr (AssayRunner) runner = assay_runner_open (spec, subject, NULL, NULL, error);

  *outputs = runner != NULL ? assay_runner_run (runner, inputs, &observer, NULL, error) : NULL;

  return *outputs != NULL ? g_steal_pointer (&values) : NULL;
}

/* ONNX Runtime where it is found: outputs, and all values between that the file names, agree with
 * the evaluator. */
static void
test_onnxruntime (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_BUILDDIR"),
                                            "../data/examples/mlp.onnx", NULL);
  g_autoptr (AssaySettings) settings = NULL;
  AssayImportOptions options = { 0 };
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (AssayRunInputs) source = assay_run_inputs_new ();
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) outputs_a = NULL;
  g_autoptr (GPtrArray) outputs_b = NULL;
  g_autoptr (GHashTable) a = NULL;
  g_autoptr (GHashTable) b = NULL;
  GHashTableIter iter;
  gpointer id, tensor;

  assay_settings_set_number (&settings, ASSAY_SETTING_BIND, "batch", 2);
  options.settings = settings;
  graph = assay_model_read (path, &options, findings, NULL, &error);
  g_assert_no_error (error);
  subject = graph_subject (path, graph, &error);
  g_assert_no_error (error);
  ports = assay_run_subject_get_inputs (subject);
  assay_run_inputs_set_seed (source, 1, TRUE);
  inputs = assay_run_inputs_make (source, (AssayRunPort *) (gpointer) ports->data, ports->len, 0,
                                  &error);
  g_assert_no_error (error);

  b = values_of ("ort", subject, inputs, &outputs_b, &error);
  if (error != NULL && strstr (error->message, "was not found") != NULL)
    {
      g_test_skip ("ONNX Runtime is not installed");
      return;
    }
  g_assert_no_error (error);
  a = values_of ("reference", subject, inputs, &outputs_a, &error);
  g_assert_no_error (error);

  g_assert_cmpuint (g_hash_table_size (b), >=, 5);
  g_hash_table_iter_init (&iter, b);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    {
      AssayTensor *other = g_hash_table_lookup (a, id);

      g_assert_nonnull (other);
      g_assert_cmpuint (assay_tensor_get_n_elements (tensor), ==,
                        assay_tensor_get_n_elements (other));
      for (gsize i = 0; i < assay_tensor_get_n_elements (tensor); i++)
        {
          double x, y;

          assay_tensor_get_element (tensor, i, &x, NULL);
          assay_tensor_get_element (other, i, &y, NULL);
          g_assert_cmpfloat_with_epsilon (x, y, 1e-5);
        }
    }
}

/* A program of the test's own, in a folder that the caller deletes. */
static char *
write_script (const char *folder, const char *text)
{
  g_autofree char *path = g_build_filename (folder, "runner", NULL);
  g_autofree char *spec = g_strconcat ("command:", path, NULL);
  g_autofree char *contents = g_strconcat ("#!/bin/sh\n", text, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents_full (path, contents, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0700, &error);
  g_assert_no_error (error);

  return g_steal_pointer (&spec);
}

static const char identity_model[] =
    "main (%x : f32[1,12,8]) {\n  %y = Relu(%x) : f32[1,12,8]\n  return %y\n}\n";

static AssayRunSubject *
identity_subject (const char *folder)
{
  AssayRunSubject *subject = run_fixture_subject (identity_model, NULL);
  g_autoptr (GError) error = NULL;

  subject->path = g_build_filename (folder, "identity.onnx", NULL);
  assay_onnx_write_file (subject->imported, subject->path, NULL, NULL, &error);
  g_assert_no_error (error);

  return subject;
}

/* Each of these programs runs twice; the second time as it was left, or started anew. */
static void
test_command (void)
{
  static const struct
  {
    const char *script;
    const char *message; /* NULL if it works */
  } cases[] = {
    { "echo ready; while read -r f; do cp $f/input-0.npy $f/output-0.npy; echo ok; done", NULL },
    { "echo ready; read -r f; cp $f/input-0.npy $f/output-0.npy;\n"
      "echo '{\"latencies_ns\": [7]}' > $f/result.json; echo ok",
      NULL },
    { "echo ready; read -r f; cp $f/input-0.npy $f/output-0.npy; echo ok; exec >&-; read -r f",
      NULL },
    { "echo ready; read -r f; cp $f/input-0.npy $f/output-0.npy; echo ok; read -r f; exit 3",
      "runner command:*: exit status 3" },
    { "exit 3", "runner command:*: exit status 3" },
    { "exit 0", "runner command:*: */runner: ended its output too early" },
    { "echo 'no licence' >&2; exit 4", "runner command:*: exit status 4: no licence" },
    { "echo ready; read -r f; echo 'device lost' >&2; kill -9 $$",
      "runner command:*: killed by signal 9: device lost" },
    { "echo hello", "runner command:*: answered `hello`, expected ok or error" },
    { "echo 'error cannot load it'", "runner command:*: cannot load it" },
    { "echo ready; read -r f; echo error no memory", "runner command:*: no memory" },
    { "echo ready; read -r f; echo ok",
      "runner command:*: output y was not written, expected in output-0.npy" },
    { "echo ready; read -r f; echo junk > $f/output-0.npy; echo ok",
      "runner command:*: output y: */output-0.npy: Not a usable .npy*" },
    { "echo ready; read -r f; ln -s /etc/passwd $f/output-0.npy; echo ok",
      "runner command:*: output y was not written*" },
    { "head -c 10000 /dev/zero | tr '\\0' x",
      "runner command:*: */runner: answered with a line of over 4096 bytes" },
  };
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autoptr (AssayRunSubject) subject = identity_subject (folder);
  g_autoptr (GPtrArray) inputs = new_inputs ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *spec = write_script (folder, cases[i].script);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayRunner) runner = assay_runner_open (spec, subject, NULL, NULL, &error);

      for (guint j = 0; j < 2 && runner != NULL && error == NULL; j++)
        {
          g_autoptr (GPtrArray) outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);
          guint n;

          if (outputs == NULL)
            continue;
          assert_same_bits (g_ptr_array_index (inputs, 0), g_ptr_array_index (outputs, 0));
          assay_runner_get_latencies (runner, &n);
          g_assert_cmpuint (n, ==, i == 1 ? 1 : 0);
        }

      if (cases[i].message == NULL)
        g_assert_no_error (error);
      else
        assert_message (error, ASSAY_ERROR_DEVICE, cases[i].message);
    }
  folder_remove (folder);
}

/* Every type of numbers gets to ONNX Runtime and back with its bits, those of less than a byte too,
 * where it runs them at all. */
static void
test_types (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  guint n_run = 0;

  for (AssayDType dtype = ASSAY_DTYPE_F32; dtype < ASSAY_N_DTYPES; dtype++)
    {
      const gint64 n = 5;
      const char *name = assay_dtype_name (dtype);
      /* It does not copy integers of less than a byte, but it casts them. */
      g_autofree char *text = assay_dtype_is_integer (dtype) && assay_dtype_bits (dtype) < 8
                                  ? g_strdup_printf ("main (%%x : %s[5]) {\n"
                                                     "  %%z = Cast(%%x) {to = 6} : i32[5]\n"
                                                     "  %%y = Cast(%%z) {to = %d} : %s[5]\n"
                                                     "  return %%y\n}\n",
                                                     name, dtype, name)
                                  : g_strdup_printf ("main (%%x : %s[5]) {\n"
                                                     "  %%y = Identity(%%x) : %s[5]\n"
                                                     "  return %%y\n}\n",
                                                     name, name);
      g_autoptr (AssayGraph) graph = run_fixture_graph (text);
      g_autoptr (AssayRunSubject) subject = NULL;
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray)
          inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
      g_autoptr (GPtrArray) outputs = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      const guint8 *found;
      guint8 data[80] = { 0x12, 0x0c, 0x03, 0x01, 0x01, 0x01 };
      gsize size;

      if (!assay_dtype_byte_size (dtype, 5, &size))
        continue;
      if (assay_dtype_bits (dtype) < 8)
        data[size - 1] &= (guint8) ((1u << (5 * assay_dtype_bits (dtype) % 8)) - 1);
      if (dtype == ASSAY_DTYPE_BOOL)
        memset (data, 1, sizeof data);
      bytes = g_bytes_new (data, size);
      g_ptr_array_add (inputs, assay_tensor_new (dtype, 1, &n, bytes, NULL));
      assay_onnx_write_file (graph, path, NULL, NULL, &error);
      g_assert_no_error (error);
      subject = graph_subject (path, graph, NULL);
      runner = assay_runner_open ("ort", subject, NULL, NULL, &error);
      if (runner == NULL && strstr (error->message, "was not found") != NULL)
        {
          g_test_skip ("ONNX Runtime is not installed");
          break;
        }
      outputs = runner == NULL ? NULL : assay_runner_run (runner, inputs, NULL, NULL, &error);
      if (outputs == NULL)
        {
          if (strstr (error->message, "ONNX Runtime: ") == NULL)
            g_error ("%s: %s", name, error->message);
          g_test_message ("%s: %s", name, error->message);
          continue;
        }
      g_assert_cmpint (assay_tensor_get_dtype (g_ptr_array_index (outputs, 0)), ==, dtype);
      found = assay_tensor_get_data (g_ptr_array_index (outputs, 0), NULL, NULL);
      if (memcmp (found, data, size) != 0)
        g_error ("%s: the first bytes are %02x %02x, not %02x %02x", name, found[0], found[1],
                 data[0], data[1]);
      n_run++;
    }

  g_assert_cmpuint (n_run == 0 ? 16 : n_run, >=, 16);
  folder_remove (folder);
}

/* Strings go through files: those of two lengths, with letters of every plane, and with bytes that
 * are no letters. The machine refuses them. */
static void
test_strings (void)
{
  static const char model[] =
      "main (%s : string[3]) {\n  %y = Identity(%s) : string[3]\n  return %y\n}\n";
  static const char *const texts[][3] = { { "a", "", "b" },
                                          { "\xc3\xa4\xe4\xb8\xad", "\xf0\x9f\x98\x80",
                                            "plain text" },
                                          { "\xff\xfe", "a", "bc" } };
  g_autoptr (AssayGraph) graph = run_fixture_graph (model);
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "strings.onnx", NULL);
  g_autofree char *files = g_strconcat ("files:", folder, NULL);
  g_autoptr (AssayRunSubject) subject = graph_subject (path, graph, NULL);
  g_autoptr (AssayRunSubject) machine = new_subject (NULL);
  g_autofree char *spec = write_script (
      folder, "echo ready; while read -r f; do cp $f/input-0.npy $f/output-0.npy; echo ok; done");
  const char *const specs[] = { "reference", spec, "ort", files };
  g_autoptr (AssayRunner) vm = assay_runner_open ("vm", machine, NULL, NULL, NULL);
  g_autoptr (GArray) ports = assay_run_subject_get_outputs (subject);
  const gint64 n = 3;
  g_autoptr (GError) error = NULL;

  assay_onnx_write_file (graph, path, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GPtrArray)
          strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      g_autoptr (GPtrArray)
          inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
      g_autoptr (GPtrArray) paths = NULL;

      for (guint j = 0; j < n; j++)
        g_ptr_array_add (strings, g_bytes_new (texts[i][j], strlen (texts[i][j])));
      g_ptr_array_add (inputs, assay_tensor_new_strings (1, &n, strings, NULL));
      paths = assay_run_files_save (folder, (AssayRunPort *) (gpointer) ports->data, inputs,
                                    &error);
      g_assert_no_error (error);
      for (guint j = 0; j < G_N_ELEMENTS (specs); j++)
        {
          g_autoptr (AssayRunner)
              runner = assay_runner_open (specs[j], subject, NULL, NULL, &error);
          g_autoptr (GPtrArray) outputs = NULL;

          if (runner == NULL && strstr (error->message, "was not found") != NULL)
            {
              g_clear_error (&error);
              continue;
            }
          g_assert_no_error (error);
          outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);
          g_assert_no_error (error);
          for (guint k = 0; k < n; k++)
            g_assert_true (
                g_bytes_equal (g_ptr_array_index (assay_tensor_get_strings (outputs->pdata[0]), k),
                               strings->pdata[k]));
        }
      g_assert_null (assay_runner_run (vm, inputs, NULL, NULL, &error));
      assert_message (error, ASSAY_ERROR_INVALID,
                      "input x: elements of type string, expected numbers");
      g_clear_error (&error);
    }
  folder_remove (folder);
}

/* Outputs that are no tensors have their parts in their place: from the evaluator, from the files
 * that these are written to, and from ONNX Runtime. */
static void
test_parts (void)
{
  static const char model[] = "main (%x : f32[4,2]) {\n"
                              "  const %two : i64[2] = [2, 2]\n"
                              "  %s = SplitToSequence(%x, %two) : seq<f32[2,2]>\n"
                              "  %e = SequenceEmpty() {dtype = 1} : seq<f32[*]>\n"
                              "  %z = Relu(%x) : f32[4,2]\n"
                              "  %o = Optional(%x) : opt<f32[4,2]>\n"
                              "  %n = Optional() {type = type f32[4,2]} : opt<f32[4,2]>\n"
                              "  return %s, %z, %e, %o, %n\n}\n";
  static const char *const names[] = { "s[0]", "s[1]", "z", "e[empty]", "o[value]", "n[empty]" };
  g_autoptr (AssayGraph) graph = run_fixture_graph (model);
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "parts.onnx", NULL);
  g_autofree char *files = g_strconcat ("files:", folder, NULL);
  const char *const specs[] = { "reference", files, "ort" };
  g_autoptr (AssayRunSubject) subject = graph_subject (path, graph, NULL);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) first = NULL;
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (inputs, assay_tensor_new_f32 (2, (gint64[]){ 4, 2 },
                                                 (float[]){ 1, -2, 3, -4, 5, -6, 7, -8 }));
  assay_onnx_write_file (graph, path, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (AssayRunner) runner = assay_runner_open (specs[i], subject, NULL, NULL, &error);
      const AssayRunPort *ports;
      guint n;

      if (runner == NULL && strstr (error->message, "was not found") != NULL)
        {
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      for (guint turn = 0; turn < 2; turn++)
        {
          g_autoptr (GPtrArray) outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);

          g_assert_no_error (error);
          ports = assay_runner_get_outputs (runner, &n);
          g_assert_cmpuint (n, ==, G_N_ELEMENTS (names));
          g_assert_cmpuint (outputs->len, ==, n);
          for (guint j = 0; j < n; j++)
            {
              g_assert_cmpstr (ports[j].name, ==, names[j]);
              if (first != NULL)
                assert_same_bits (g_ptr_array_index (first, j), g_ptr_array_index (outputs, j));
            }
          if (first == NULL)
            {
              g_autoptr (GPtrArray) paths = assay_run_files_save (folder, ports, outputs, &error);

              g_assert_no_error (error);
              g_assert_true (g_str_has_suffix (g_ptr_array_index (paths, 1), "/s.npz"));
              first = g_steal_pointer (&outputs);
            }
        }
    }
  folder_remove (folder);
}

/* Dead, if not buried. */
static gboolean
is_gone (const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "stat", NULL);
  g_autofree char *stat = NULL;

  return !g_file_get_contents (path, &stat, NULL, NULL) || strstr (stat, ") Z ") != NULL;
}

/* What an external program has started goes with it when the user cancels. */
static void
test_command_cancel (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autoptr (AssayRunSubject) subject = identity_subject (folder);
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autofree char *pids = g_build_filename (folder, "pids", NULL);
  g_autofree char *script = g_strdup_printf (
      "echo ready; read -r f; sleep 600 & echo $$ $! > %s; wait", pids);
  g_autofree char *spec = write_script (folder, script);
  /* It says who it is outside of its own folder. */
  g_autofree char *unconfined = g_strconcat ("unconfined", strchr (spec, ':'), NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRunner) runner = assay_runner_open (unconfined, subject, NULL, &progress, &error);
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  CancelAtFile what = { cancellable, pids };
  GThread *thread;

  g_assert_no_error (error);
  thread = g_thread_new ("cancel", cancel_at_file, &what);
  g_assert_null (assay_runner_run (runner, inputs, NULL, &progress, &error));
  assert_message (error, ASSAY_ERROR_CANCELLED, "Cancelled");
  g_clear_error (&error);
  g_thread_join (thread);

  g_assert_true (g_file_get_contents (pids, &text, NULL, &error));
  words = g_strsplit (g_strstrip (text), " ", 2);
  g_assert_cmpint (kill (atoi (words[0]), 0), ==, -1);
  /* The other one is init's to bury. */
  wait_until (is_gone (words[1]));
  folder_remove (folder);
}

/* What was recorded is what is given back, values between too. */
static void
test_files (void)
{
  g_autoptr (AssayRunSubject) subject = new_subject (NULL);
  g_autoptr (GPtrArray) inputs = new_inputs ();
  g_autoptr (GPtrArray) outputs = run ("vm", subject, inputs);
  g_autoptr (GArray) ports = assay_run_subject_get_outputs (subject);
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *spec = g_strconcat ("files:", folder, NULL);
  g_autofree char *value = g_build_filename (folder, "q.npy", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) paths = assay_run_files_save (
      folder, (AssayRunPort *) (gpointer) ports->data, outputs, &error);
  g_autoptr (GPtrArray) again = NULL;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GString) names = g_string_new (NULL);
  Watch data = { subject->graph, names, 0, 0 };
  const AssayRunObserver observer = { watch, &data, NULL, 0 };

  g_assert_no_error (error);
  again = run (spec, subject, inputs);
  assert_same_bits (g_ptr_array_index (outputs, 0), g_ptr_array_index (again, 0));

  assay_npy_save (g_ptr_array_index (outputs, 0), value, NULL);
  runner = assay_runner_open (spec, subject, NULL, NULL, NULL);
  g_clear_pointer (&again, g_ptr_array_unref);
  again = assay_runner_run (runner, inputs, &observer, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (names->str, ==, "q y ");
  folder_remove (folder);
}

/* Names of outputs may hold anything, names of files may not, and no two outputs share one. */
static void
test_file_names (void)
{
  const AssayRunPort ports[] = { { .name = (char *) "a/b" },
                                 { .name = (char *) "a:b", .output = 1 },
                                 { .name = (char *) "../x" },
                                 { .name = (char *) "" } };
  g_autoptr (GPtrArray) paths = assay_run_files_name ("out", ports, G_N_ELEMENTS (ports));

  g_assert_cmpstr (g_ptr_array_index (paths, 0), ==, "out/a_b.npy");
  g_assert_cmpstr (g_ptr_array_index (paths, 1), ==, "out/a_b-1.npy");
  g_assert_cmpstr (g_ptr_array_index (paths, 2), ==, "out/_._x.npy");
  g_assert_cmpstr (g_ptr_array_index (paths, 3), ==, "out/_.npy");
}

TEST_PROGRAM (runner)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/run/machine", test_machine);
  g_test_add_func ("/run/refusals", test_refusals);
  g_test_add_func ("/run/reference", test_reference);
  g_test_add_func ("/run/onnxruntime", test_onnxruntime);
  g_test_add_func ("/run/command", test_command);
  g_test_add_func ("/run/command-cancel", test_command_cancel);
  g_test_add_func ("/run/strings", test_strings);
  g_test_add_func ("/run/parts", test_parts);
  g_test_add_func ("/run/types", test_types);
  g_test_add_func ("/run/files", test_files);
  g_test_add_func ("/run/file-names", test_file_names);

  return g_test_run ();
}
