/* test-timing.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The timing model: how close it comes to published figures, that memory is never taken too early,
 * and that full queues push back.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>

#include "api/assay-nnir.h"
#include "api/assay-vm.h"
#include "base/assay-error.h"
#include "calibration-models.h"
#include "calibration-table.h"
#include "backend/stream/assay-stream-program.h"
#include "backend/stream/compile/assay-compile.h"
#include "machine-run.h"
#include "backend/stream/machine/assay-calendar.h"
#include "backend/stream/machine/assay-cycle-mix.h"
#include "backend/stream/machine/assay-sensitivity.h"
#include "backend/stream/machine/assay-timing.h"
#include "source/assay-source.h"
#include "test-program.h"
#include "timing-replay.h"

/* What is asked of every family, in percent; a family of one model has a median of one row. */
#define SPACED_MEDIAN 3.0
#define ONE_MODEL_MEDIAN 5.0
#define CONTIGUOUS_MEDIAN 5.0
#define WORST 12.0

static const char *const tables[] = { "cycles.tsv", "cycles-more.tsv" };

static CalibrationTable *
open_table (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "calibration", name, NULL);
  g_autoptr (GError) error = NULL;
  CalibrationTable *table = calibration_table_read (path, &error);

  g_assert_no_error (error);

  return table;
}

/* From the row to the program by way of the ONNX file that is written for it. */
static AssayStreamCode *
compile_row (const CalibrationRow *row, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-timing-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, row->file, NULL);
  g_autoptr (AssayConfig) config = assay_config_new_preset (row->config, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (GError) failure = NULL;
  int axis;

  calibration_model_write (row->model, row->size, path, &axis, &failure);
  g_assert_no_error (failure);
  graph = assay_model_read (path, NULL, findings, NULL, &failure);
  g_assert_no_error (failure);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  g_unlink (path);
  g_rmdir (folder);

  if (axis >= 0)
    {
      assay_settings_set_axis (&settings, 0, axis);
      options.settings = settings;
    }

  return assay_compile (graph, assay_config_get_values (config), &options, NULL, error);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double l = *(const double *) a;
  double r = *(const double *) b;

  return l < r ? -1 : l > r;
}

static void
check_errors (GArray *errors, double median)
{
  double low, high;

  g_array_sort (errors, compare);
  low = g_array_index (errors, double, (errors->len - 1) / 2);
  high = g_array_index (errors, double, errors->len / 2);
  g_assert_cmpfloat ((low + high) / 2, <, median);
  g_assert_cmpfloat (g_array_index (errors, double, errors->len - 1), <, WORST);
}

/* The model is one of those that ranges are made of; else ./dev bench cycles --leave-one-out has to
 * write them anew. */
static void
check_published (const AssayStreamCode *code)
{
  static const AssayCycleMix published[] = {
#define ASSAY_CYCLE_ERROR(near, slope)
#define ASSAY_CYCLE_MIX(...) { __VA_ARGS__ },
#include "backend/stream/cycle-residuals.def"
#undef ASSAY_CYCLE_ERROR
#undef ASSAY_CYCLE_MIX
  };
  AssayCycleMix mix;
  double nearest = INFINITY;

  assay_cycle_mix_measure (code, 0, &mix);
  for (guint i = 0; i < G_N_ELEMENTS (published); i++)
    nearest = MIN (nearest, assay_cycle_mix_distance (&mix, &published[i]));
  g_assert_cmpfloat (nearest, ==, 0);
  g_assert_cmpfloat_with_epsilon (assay_cycle_mix_error (&mix),
                                  assay_cycle_mix_error (&published[0]), 1e-9);
}

/* The rows of a family in a table: what must not fit does not, for want of room, and the timeline
 * of all else holds. */
static void
compare_rows (const char *family, const CalibrationTable *table, GArray *spaced, GArray *contiguous)
{
  for (guint i = 0; i < table->rows->len; i++)
    {
      const CalibrationRow *row = &g_array_index (table->rows, CalibrationRow, i);
      g_autoptr (AssayStreamCode) code = NULL;
      g_autoptr (GError) error = NULL;
      AssayCycles cycles;
      double off;

      if (!g_str_equal (row->model, family))
        continue;

      g_test_message ("%s on %s", row->size, row->config);
      code = compile_row (row, &error);
      if (g_str_equal (row->figures[0], "does_not_fit"))
        {
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
          continue;
        }

      g_assert_no_error (error);
      timing_replay (code, 0);
      check_published (code);
      assay_timing_run (code, 0, &cycles, NULL);
      off = 100 * fabs (cycles.spaced / atof (row->figures[0]) - 1);
      g_array_append_val (spaced, off);
      off = 100 * fabs (cycles.contiguous / atof (row->figures[1]) - 1);
      g_array_append_val (contiguous, off);
    }
}

/* A family of both tables comes close. */
static void
test_family (gconstpointer data)
{
  g_autoptr (GArray) spaced = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) contiguous = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autoptr (CalibrationTable) table = open_table (tables[i]);

      compare_rows (data, table, spaced, contiguous);
    }

  g_assert_cmpuint (spaced->len, >, 0);
  check_errors (spaced, spaced->len > 3 ? SPACED_MEDIAN : ONE_MODEL_MEDIAN);
  check_errors (contiguous, CONTIGUOUS_MEDIAN);
}

/* Every row of the table of latencies compiles, and so fits. */
static void
test_latencies (void)
{
  g_autoptr (CalibrationTable) table = open_table ("latency.tsv");

  g_assert_true (table->latencies);
  g_assert_cmpuint (table->rows->len, ==, 12);
  for (guint i = 0; i < table->rows->len; i++)
    {
      const CalibrationRow *row = &g_array_index (table->rows, CalibrationRow, i);
      g_autoptr (AssayStreamCode) code = NULL;
      g_autoptr (GError) error = NULL;
      AssayConfigValues values;
      AssayCycles cycles;

      code = compile_row (row, &error);
      g_assert_no_error (error);
      timing_replay (code, 0);
      assay_timing_run (code, 0, &cycles, NULL);
      values = code->config;
      /* The rest of the way takes most of a microsecond at least. */
      g_assert_cmpfloat ((double) cycles.spaced / values.clock_mhz, <,
                         atof (row->figures[0]) - 0.8);
    }
}

/* A chain over vectors of one width, with results of any step coming back later. */
static char *
random_graph (GRand *rand)
{
  static const char *const functions[] = { "Relu", "Sigmoid", "Tanh", "Exp", "Neg" };
  static const char *const pairs[] = { "Add", "Mul", "Sub", "Max", "Min" };
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (GString) params = g_string_new (NULL);
  guint n = (guint) g_rand_int_range (rand, 20, 300);
  guint steps = (guint) g_rand_int_range (rand, 3, 16);

  for (guint i = 1; i <= steps; i++)
    {
      guint a = (guint) g_rand_int_range (rand, (gint32) MAX (i, 4) - 4, (gint32) i);
      guint b = (guint) g_rand_int_range (rand, 0, (gint32) i);

      switch (g_rand_int_range (rand, 0, 5))
        {
        case 0:
        case 1:
          g_string_append_printf (params, ", %%w%u : f32[%u,%u] param", i, n, n);
          g_string_append_printf (body, "%%x%u = MatMul(%%x%u, %%w%u) ", i, a, i);
          break;
        case 2:
          g_string_append_printf (body, "%%x%u = %s(%%x%u) ", i,
                                  functions[g_rand_int_range (rand, 0, G_N_ELEMENTS (functions))],
                                  a);
          break;
        case 3:
          g_string_append_printf (body, "%%x%u = Softmax(%%x%u) {axis = -1} ", i, a);
          break;
        default:
          g_string_append_printf (body, "%%x%u = %s(%%x%u, %%x%u) ", i,
                                  pairs[g_rand_int_range (rand, 0, G_N_ELEMENTS (pairs))], a, b);
          break;
        }
    }

  return g_strdup_printf ("(%%x0 : f32[%d,%u]%s) { %sreturn %%x%u }", g_rand_int_range (rand, 1, 4),
                          n, params->str, body->str, steps);
}

static void
test_random (void)
{
  static const guint blocks[] = { 16, 32, 64, 128 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  guint n_reused = 0;

  for (guint i = 0; i < 60; i++)
    {
      AssayConfigValues config = MACHINE_CONFIG (1, 32);
      g_autofree char *body = random_graph (rand);
      g_autoptr (AssayGraph) graph = machine_graph_from_text (body);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayStreamCode) code = NULL;

      config.num_cores = (guint) g_rand_int_range (rand, 1, 9);
      config.block_size = blocks[g_rand_int_range (rand, 0, 4)];
      config.tensor_ram_depth = 600;
      g_test_message ("%u cores of %u: %s", config.num_cores, config.block_size, body);
      code = assay_compile (graph, &config, NULL, NULL, &error);
      if (code == NULL)
        {
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
          continue;
        }
      n_reused += timing_replay (code, 0);
    }

  /* Addresses do get used again. */
  g_assert_cmpuint (n_reused, >, 0);
}

static AssayCycles
count (const AssayStreamCode *code, guint write, guint output)
{
  const AssayQueues queues = { write, output };
  AssayCycles cycles;

  assay_timing_run_with_queues (code, 0, &queues, &cycles, NULL);

  return cycles;
}

/* The less room there is, the longer an inference takes; what is published is what a program is
 * counted with. */
static void
test_write_queue (void)
{
  const CalibrationRow row = {
    .model = "mlp-res-rms",
    .size = "dim 320, hidden 768, relu",
    .config = "ia_840f_c3b64",
    .file = (char *) "m.onnx",
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode) code = compile_row (&row, &error);
  AssayCycles before, cycles;

  g_assert_no_error (error);
  assay_timing_run (code, 0, &before, NULL);
  g_assert_cmpuint (count (code, ASSAY_WRITE_QUEUE_CAPACITY, ASSAY_OUTPUT_BUFFER_CAPACITY).spaced,
                    ==, before.spaced);

  before = count (code, 1, 64);
  g_assert_cmpuint (before.spaced, >, count (code, G_MAXUINT, 64).spaced);
  for (guint room = 2; room <= 64; room *= 2)
    {
      cycles = count (code, room, 64);
      g_assert_cmpuint (cycles.spaced, <=, before.spaced);
      before = cycles;
    }
}

/* A core that cannot get rid of its outputs has no time for the next inference. */
static void
test_output_buffer (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  AssayConfigValues config = MACHINE_CONFIG (6, 32);
  g_autoptr (AssayGraph)
      graph = machine_graph_from_text ("(%x : f32[1,32,9], %w : f32[2048,32,8] param) { %y = "
                                       "Conv(%x, %w) {pads = [7, 0]} return %y }");
  const int axis = 2;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  AssayCycles before, cycles;

  assay_settings_set_axis (&settings, 0, axis);
  options.settings = settings;
  code = assay_compile (graph, &config, &options, NULL, &error);
  g_assert_no_error (error);
  before = count (code, 32, 1);
  g_assert_cmpuint (before.contiguous, >, count (code, 32, 64).contiguous);
  for (guint room = 2; room <= 128; room *= 2)
    {
      cycles = count (code, 32, room);
      g_assert_cmpuint (cycles.contiguous, <=, before.contiguous);
      g_assert_cmpuint (cycles.spaced, <=, before.spaced);
      before = cycles;
    }
}

static AssayProgram *
make_program (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-timing-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_840f_c3b64", NULL);
  g_autoptr (AssayNnir) nnir = NULL;
  AssayProgram *program;
  int axis;

  calibration_model_write ("mlp-res-rms", "dim 320, hidden 768, relu", path, &axis, &error);
  g_assert_no_error (error);
  nnir = assay_nnir_from_onnx (path, NULL, &error);
  g_assert_no_error (error);
  program = assay_nnir_to_program (nnir, config, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);

  return program;
}

/* The virtual machine counts with the queues it is given, and computes the same with all. */
static void
test_vm (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayProgram) program = make_program ();
  g_autofree float *input = g_new (float, 320);
  float *outputs[2];
  guint64 cycles[2];
  gsize n = 0;

  for (guint i = 0; i < 320; i++)
    input[i] = 0.01f * (float) i;
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (AssayVm) vm = assay_program_to_vm (
          program, i == 0 ? 1 : ASSAY_WRITE_QUEUE_CAPACITY, 64, TRUE, &error);

      g_assert_no_error (error);
      outputs[i] = assay_vm_run_flat (vm, 0, input, 320, &n, &error);
      g_assert_no_error (error);
      cycles[i] = assay_vm_cycle_count (vm);
    }

  g_assert_cmpuint (cycles[0], >, cycles[1]);
  g_assert_cmpuint (cycles[1], ==, assay_program_cycle_count_per_inference (program, 0, TRUE));
  g_assert_cmpmem (outputs[0], n * sizeof (float), outputs[1], n * sizeof (float));
  g_free (outputs[0]);
  g_free (outputs[1]);
}

/* Four layers, one behind the other: four matrix latencies, three ways between cores, one port on
 * each side. */
static void
test_sensitivity (void)
{
  const CalibrationRow row = {
    .model = "mlp",
    .size = "4 layers of 512",
    .config = "ia_420f_c6b32",
    .file = (char *) "m.onnx",
  };
  static const struct
  {
    const char *name;
    gint32 spaced;
  } expected[] = {
    { "input_latency", 1 },  { "output_latency", 1 }, { "matrix_latency", 4 },
    { "drain_latency", 4 },  { "network_hop", 3 },    { "vector_latency", 0 },
    { "recurrent_cell", 0 },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode) code = compile_row (&row, &error);
  g_autoptr (GArray) parameters = NULL;
  guint n_found = 0;

  g_assert_no_error (error);
  parameters = assay_timing_sensitivity (code, 0);
  for (guint i = 0; i < parameters->len; i++)
    {
      const AssaySensitivity *parameter = &g_array_index (parameters, AssaySensitivity, i);

      for (guint j = 0; j < G_N_ELEMENTS (expected); j++)
        {
          if (!g_str_equal (parameter->name, expected[j].name))
            continue;
          g_assert_cmpint (parameter->spaced, ==, expected[j].spaced);
          g_assert_cmpint (parameter->contiguous, ==, expected[j].spaced);
          n_found++;
        }
    }
  g_assert_cmpuint (n_found, ==, G_N_ELEMENTS (expected));
}

static AssayCycleRange
get_range (AssayProgram *program, guint32 count)
{
  AssayCycleRange range;

  g_assert_true (assay_program_get_cycle_range (program, count, &range));

  return range;
}

/* Models are as unlike as the parts of their cycles, their sizes and their hardware are. */
static void
test_mix (void)
{
  const AssayCycleMix mix = { 400, 6, 32, { 20, 60, 50, 140, 30, 450 } };
  const AssayCycleMix others[] = {
    { 400, 6, 32, { 20, 60, 50, 140, 30, 350, 100 } }, { 800, 6, 32, { 20, 60, 50, 140, 30, 450 } },
    { 400, 3, 32, { 20, 60, 50, 140, 30, 450 } },      { 400, 6, 64, { 20, 60, 50, 140, 30, 450 } },
    { 400, 6, 32, { 20, 60, 50, 140, 30, 400 } },
  };
  const AssayCycleMix strange = { 400, 6, 32, { [8] = 1000 } };
  const AssayCycleMix large = { 400 << 12, 6, 32, { 20, 60, 50, 140, 30, 450 } };

  g_assert_cmpfloat (assay_cycle_mix_distance (&mix, &mix), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      double apart = assay_cycle_mix_distance (&mix, &others[i]);

      g_assert_cmpfloat_with_epsilon (apart, i == 0 ? 0.1 : 0.05, 1e-9);
      g_assert_cmpfloat (apart, ==, assay_cycle_mix_distance (&others[i], &mix));
    }
  g_assert_cmpfloat_with_epsilon (assay_cycle_mix_distance (&mix, &strange), 1, 1e-9);
  g_assert_cmpfloat (assay_cycle_mix_error (&strange), >, 3 * assay_cycle_mix_error (&mix));
  g_assert_cmpfloat (assay_cycle_mix_error (&large), >, 2 * assay_cycle_mix_error (&mix));
}

static AssayProgram *
make_chain (void)
{
  g_autoptr (AssayConfig) config = assay_config_new_preset ("v80_c6b32", NULL);
  g_autoptr (GString) text = g_string_new ("(%x0 : f32[1,32]) { ");
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 60; i++)
    g_string_append_printf (text, "%%x%u = Tanh(%%x%u) ", i + 1, i);
  g_string_append (text, "return %x60 }");
  graph = machine_graph_from_text (text->str);
  code = assay_compile (graph, assay_config_get_values (config), NULL, NULL, &error);
  g_assert_no_error (error);

  return assay_stream_program_new (code);
}

/* The count lies in its range, which is as wide as those of published models are off, and wider for
 * a model of functions alone. */
static void
test_range (void)
{
  g_autoptr (AssayProgram) program = make_program ();
  g_autoptr (AssayProgram) chain = make_chain ();
  const AssayCycleRange like = get_range (program, 1000), unlike = get_range (chain, 1000);

  g_assert_cmpuint (like.high - like.low, <, 120);
  g_assert_cmpuint (unlike.high - unlike.low, >, 2 * (like.high - like.low));
  for (guint32 count = 0; count < 5000; count++)
    {
      const AssayCycleRange range = get_range (program, count);

      g_assert_cmpuint (range.low, <=, count);
      g_assert_cmpuint (range.high, >=, count);
    }
  g_assert_cmpuint (get_range (program, G_MAXUINT32).high, ==, G_MAXUINT32);
}

static void
test_calendar (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autofree gboolean *taken = g_new0 (gboolean, 4000);
  AssayCalendar calendar = { 0 };

  for (guint i = 0; i < 1500; i++)
    {
      guint32 earliest = (guint32) g_rand_int_range (rand, 0, 2000);
      guint32 expected = earliest;

      while (taken[expected])
        expected++;
      taken[expected] = TRUE;
      g_assert_cmpuint (assay_calendar_take (&calendar, earliest), ==, expected);
    }
  assay_calendar_clear (&calendar);
  g_assert_cmpuint (assay_calendar_take (&calendar, G_MAXUINT32), ==, G_MAXUINT32);
  assay_calendar_clear (&calendar);
}

TEST_PROGRAM (timing)
{
  static const char *const families[] = { "slp", "mlp",  "mlp-res-rms", "ffn-swiglu", "cnn",
                                          "tcn", "lstm", "wavenet",     "gru",        "mobilenet" };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autofree char *path = g_strdup_printf ("/timing/calibration/%s", families[i]);

      g_test_add_data_func (path, families[i], test_family);
    }
  g_test_add_func ("/timing/calibration/latencies", test_latencies);
  g_test_add_func ("/timing/replay/random", test_random);
  g_test_add_func ("/timing/queues/write", test_write_queue);
  g_test_add_func ("/timing/queues/output", test_output_buffer);
  g_test_add_func ("/timing/queues/vm", test_vm);
  g_test_add_func ("/timing/sensitivity/layers", test_sensitivity);
  g_test_add_func ("/timing/mix", test_mix);
  g_test_add_func ("/timing/range", test_range);
  g_test_add_func ("/timing/calendar/take", test_calendar);

  return g_test_run ();
}
