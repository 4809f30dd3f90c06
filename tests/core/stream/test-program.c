/* test-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "calibration-fixture.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/assay-stream-program.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "int8-model.h"
#include "test-program.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text.h"
#include "work/assay-work.h"

static AssayStreamCode *
compile (const char *model, const char *size)
{
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_420f_c6b32", NULL);
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { .model_name = "test" };
  AssayStreamCode *code;
  int axis;

  graph = calibration_open (model, size, &axis);
  if (axis >= 0)
    {
      assay_settings_set_axis (&settings, 0, axis);
      options.settings = settings;
    }
  code = assay_compile (graph, assay_config_get_values (config), &options, NULL, &error);
  g_assert_no_error (error);

  return code;
}

static void
run (AssayStreamCode *code, float output[40])
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMachine) machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);
  float input[40];
  const float *in = input;

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (input); i++)
    input[i] = (float) i / 40 - 0.5f;
  for (guint step = 0; step < 5; step++)
    g_assert_true (assay_machine_run (machine, 0, &in, &output, NULL, &error));
}

static void
test_round_trip (void)
{
  g_autoptr (AssayStreamCode) code = compile ("cnn", "2 layers, 40 ch, kernel 5");
  g_autoptr (AssayStreamCode) again = compile ("cnn", "2 layers, 40 ch, kernel 5");
  g_autofree char *folder = g_dir_make_tmp ("assay-program-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.assayp", NULL);
  g_autoptr (GBytes) bytes = assay_stream_code_to_bytes (code);
  g_autoptr (GBytes) twin = assay_stream_code_to_bytes (again);
  g_autoptr (GBytes) read_bytes = NULL;
  g_autoptr (AssayProgram) program = assay_stream_program_new (code);
  g_autoptr (AssayProgram) read = NULL;
  g_autoptr (GError) error = NULL;
  float before[40], after[40];

  /* Two compilations of one model give the same bytes. */
  g_assert_true (g_bytes_equal (bytes, twin));

  g_assert_true (assay_program_save (program, path, &error));
  read = assay_program_load (path, &error);
  g_assert_no_error (error);
  read_bytes = assay_program_save_bytes (read, NULL);
  g_assert_true (g_bytes_equal (bytes, read_bytes));

  run (code, before);
  run (assay_stream_program_get_code (read), after);
  g_assert_cmpmem (before, sizeof before, after, sizeof after);

  g_assert_false (assay_program_save (program, "/nonexistent/folder/x", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_unlink (path);
  g_rmdir (folder);
}

/* No prefix and no changed byte crashes, and what is read in spite of a change still runs. */
static void
test_damaged (void)
{
  g_autoptr (AssayStreamCode) code = compile ("slp", "33 -> 33");
  g_autoptr (GBytes) bytes = assay_stream_code_to_bytes (code);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < size; i += 1 + i / 300)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      g_autoptr (GBytes) prefix = g_bytes_new (data, i);
      g_autoptr (GBytes) changed = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_stream_code_from_bytes (prefix, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);

      copy[i] ^= 0x55;
      changed = g_bytes_new (copy, size);
      g_clear_error (&error);
      {
        g_autoptr (AssayStreamCode) read = assay_stream_code_from_bytes (changed, &error);

        /* The name of the writer is the one thing that may differ. */
        if (read == NULL)
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
      }
    }
}

static void
expect_refusal (AssayStreamCode *code, const char *what)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (assay_stream_code_verify (code, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
  if (strstr (error->message, what) == NULL)
    g_error ("'%s' does not say '%s'", error->message, what);
}

/* A program whose digest is right can still lie; each lie has its own message. */
static void
test_verify (void)
{
  g_autoptr (AssayStreamCode) code = compile ("lstm", "1 layer, H 40");
  g_autoptr (GError) error = NULL;

  g_assert_true (assay_stream_code_verify (code, &error));

  for (guint i = 0; i < code->instructions->len; i++)
    {
      AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction, i);
      AssayInstruction good = *instruction;

      instruction->opcode = ASSAY_N_OPCODES;
      expect_refusal (code, "opcode");
      *instruction = good;

      instruction->core = 6;
      expect_refusal (code, "core 6 of 6");
      *instruction = good;

      instruction->lanes = G_MAXINT32;
      expect_refusal (code, "lanes");
      *instruction = good;

      instruction->cores = (guint64) 1 << 6;
      expect_refusal (code, "cores that do not exist");
      *instruction = good;

      if (good.d.store != ASSAY_STORE_NONE)
        {
          instruction->d.base = G_MAXUINT32 - 1;
          expect_refusal (code, "the store has");
          *instruction = good;
          instruction->d.store = ASSAY_STORE_NONE;
          expect_refusal (code, "missing");
          *instruction = good;
        }

      if (good.opcode == ASSAY_OPCODE_MATRIX)
        {
          instruction->weights = code->placed->len;
          expect_refusal (code, "weights");
          *instruction = good;
          instruction->lanes--;
          expect_refusal (code, "not its own");
          *instruction = good;
        }
    }

  g_array_index (code->models, AssayModelEntry, 0).n_instructions++;
  expect_refusal (code, "more instructions");
  g_array_index (code->models, AssayModelEntry, 0).n_instructions--;
  code->config.num_cores = 0;
  expect_refusal (code, "configuration");
}

static GBytes *
refuse_to_load (AssayTensor *tensor, gpointer data, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "the file of the weights is gone");
  return NULL;
}

/* A constant that the host reads, and whose file is gone when the program is written: no backend
 * writes a program without its graph. */
static void
test_unreadable (void)
{
  static const char *const targets[] = { "dpu_zdx8g_b4096", "vulkan-seed" };
  static const gint64 dims[] = { 1, 2, 2, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autoptr (GString) text = g_string_new (int8_model);
      g_autoptr (AssayTarget) target = assay_target_load (targets[i], NULL);
      g_autoptr (AssayTensor) tensor = NULL;
      g_autoptr (AssayGraph) graph = NULL;
      g_autoptr (AssayWork) work = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      AssayProgram *program;
      AssayValueId constant;

      g_string_replace (text, "  return %y",
                        "  const %c : f32[1,2,2,2] = [1, 2, 3, 4, 5, 6, 7, 8]\n"
                        "  %p = Pow(%y, %c) : f32[1,2,2,2] @ \"p\" from [2]\n  return %p",
                        0);
      graph = assay_graph_from_text (text->str, (gssize) text->len, NULL, &error);
      g_assert_no_error (error);
      constant = assay_graph_node (graph, assay_graph_n_nodes (graph) - 1)->inputs[1];
      tensor = assay_tensor_new_lazy (ASSAY_DTYPE_F32, 4, dims, refuse_to_load, NULL, NULL, &error);
      assay_graph_set_constant (graph, constant, tensor);
      work = assay_work_new_for_graph ("model.nnir", graph, target, NULL);
      program = assay_work_get_program (work, NULL, &error);
      g_assert_no_error (error);
      g_assert_nonnull (program);
      bytes = assay_program_save_bytes (program, &error);
      g_assert_null (bytes);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
      g_clear_error (&error);
      g_assert_false (assay_program_save (program, "/nonexistent/folder/x", &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
    }
}

/* What a program tells of itself, and what computes nothing in its place has the same ports. */
static void
test_told (void)
{
  g_autoptr (AssayStreamCode) code = compile ("slp", "33 -> 33");
  g_autoptr (AssayProgram) program = assay_stream_program_new (code);
  g_autoptr (AssayProgram) empty = NULL;
  g_autofree char *count = assay_program_dup_count (program, 448);
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;
  const AssayModelEntry *a, *b;
  AssayCycleRange range;

  g_assert_true (assay_program_get_cycle_range (program, 448, &range));
  g_assert_cmpuint (range.low, <=, 448);
  g_assert_cmpuint (range.high, >=, 448);
  expected = g_strdup_printf ("448 (%u to %u)", range.low, range.high);
  g_assert_cmpstr (count, ==, expected);
  g_assert_cmpstr (assay_program_get_cycles_word (program), ==, "predicted");

  empty = assay_program_new_io_only (program, &error);
  g_assert_no_error (error);
  a = assay_program_get_model (program, 0);
  b = assay_program_get_model (empty, 0);
  g_assert_cmpuint (assay_program_num_models (empty), ==, 1);
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpuint (a->n_inputs, ==, b->n_inputs);
  g_assert_cmpuint (a->n_outputs, ==, b->n_outputs);
  g_assert_cmpuint (assay_port_count (&a->inputs[0]), ==, assay_port_count (&b->inputs[0]));
  g_assert_cmpuint (assay_port_count (&a->outputs[0]), ==, assay_port_count (&b->outputs[0]));
  g_assert_cmpuint (b->n_instructions, <, a->n_instructions);
}

TEST_PROGRAM (program)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/program/round-trip", test_round_trip);
  g_test_add_func ("/program/damaged", test_damaged);
  g_test_add_func ("/program/verify", test_verify);
  g_test_add_func ("/program/unreadable", test_unreadable);
  g_test_add_func ("/program/told", test_told);

  return g_test_run ();
}
