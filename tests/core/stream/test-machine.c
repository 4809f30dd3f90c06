/* test-machine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compiled models on the machine: the same bits for every configuration, placement, kernel level
 * and for streaming; and the right numbers, against an evaluation in double by other code.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "calibration-fixture.h"
#include "backend/stream/compile/assay-compile.h"
#include "machine-reference.h"
#include "test-program.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-timing.h"

#define STEPS 100

typedef struct
{
  const char *model;
  const char *size;
} Case;

static const Case cases[] = {
  { "slp", "33 -> 33" },
  { "mlp", "2 layers of 100" },
  { "mlp-res-rms", "dim 70, hidden 130, relu" },
  { "mlp-res-rms", "dim 64, hidden 96, elu" },
  { "mlp-res-rms", "dim 40, hidden 50, silu" },
  { "mlp-res-rms", "dim 40, hidden 50, softplus" },
  { "ffn-swiglu", "dim 64, hidden 96, fused gate" },
  { "ffn-swiglu", "dim 50, hidden 70, separate gate" },
  { "cnn", "2 layers, 40 ch, kernel 5" },
  { "tcn", "channels 20,40" },
  { "lstm", "2 layers, H 50" },
};

typedef struct
{
  guint cores;
  guint block;
} Shape;

static const Shape shapes[] = { { 1, 16 }, { 3, 64 }, { 6, 32 }, { 2, 128 }, { 12, 16 } };

static AssayConfigValues
make_config (Shape shape)
{
  return (AssayConfigValues){
    .num_cores = shape.cores,
    .block_size = shape.block,
    .tensor_ram_depth = 65536,
    .tensor_descriptor_count = 65536,
    .weight_store_depth = 65536,
    .accum_store_depth = 16384,
    .cell_state_depth = 512,
    .clamp_store_depth = 32,
    .max_read_size = 512,
    .io_size = 32,
    .clock_mhz = 300,
    .timing = { 10, 36, 25, 4, 14, 21, 16, 14, 15, 2 },
  };
}

static float *
run_model (AssayGraph *graph, const AssayConfigValues *config, int axis, gboolean optimize,
           AssayMachineFlags flags, const float *input, gsize n_inferences, gsize *n_values)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayMachine) machine = NULL;
  g_autoptr (GError) error = NULL;
  const AssayModelEntry *entry;
  gsize n_in, n_out;
  float *output;

  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, !optimize);
  assay_settings_set_axis (&settings, 0, axis);
  options.settings = settings;

  code = assay_compile (graph, config, &options, NULL, &error);
  g_assert_no_error (error);
  machine = assay_machine_new (code, flags, &error);
  g_assert_no_error (error);

  entry = &g_array_index (code->models, AssayModelEntry, 0);
  n_in = (gsize) entry->inputs[0].lanes * entry->inputs[0].n_vectors;
  n_out = (gsize) entry->outputs[0].lanes * entry->outputs[0].n_vectors;
  output = g_new (float, n_out *n_inferences);

  for (gsize i = 0; i < n_inferences; i++)
    {
      const float *in = input + i * n_in;
      float *out = output + i * n_out;

      g_assert_true (assay_machine_run (machine, 0, &in, &out, NULL, &error));
    }

  *n_values = n_out * n_inferences;
  return output;
}

static float *
random_input (AssayGraph *graph, gsize *n)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  AssayValueId id = g_array_index (main->inputs, AssayValueId, 0);
  float *values;

  g_assert_true (assay_type_count (assay_graph_value (graph, id)->type, n));
  values = g_new (float, *n);
  for (gsize i = 0; i < *n; i++)
    values[i] = (float) g_test_rand_double_range (-1, 1);

  return values;
}

static void
test_same_bits (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree float *input = NULL;
  g_autofree float *first = NULL;
  int axis;
  gsize n, n_values = 0;
  gsize n_inferences;

  graph = calibration_open (test->model, test->size, &axis);
  n_inferences = axis >= 0 ? STEPS : 1;
  input = random_input (graph, &n);

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      AssayConfigValues config = make_config (shapes[i]);

      for (guint way = 0; way < 4; way++)
        {
          g_autofree float *output = NULL;
          gsize count;

          output = run_model (graph, &config, axis, (way & 1) != 0,
                              (way & 2) != 0 ? ASSAY_MACHINE_SCALAR : ASSAY_MACHINE_BF16, input,
                              n_inferences, &count);
          if (first == NULL)
            {
              n_values = count;
              first = g_steal_pointer (&output);
            }
          else
            {
              g_assert_cmpmem (first, n_values * sizeof (float), output, count * sizeof (float));
            }
        }
    }
}

/* Output i of the streamed model is element i of the unstreamed model's output. */
static void
test_streaming (gconstpointer data)
{
  const Case *test = data;
  AssayConfigValues config = make_config ((Shape){ 6, 32 });
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree float *input = NULL;
  g_autofree float *streamed = NULL;
  g_autofree float *whole = NULL;
  int axis;
  gsize n, n_streamed, n_whole;

  graph = calibration_open (test->model, test->size, &axis);
  if (axis < 0)
    {
      g_test_skip ("has no sequence");
      return;
    }

  /* Both take and give vectors in the order of time, since the batch is 1. */
  input = random_input (graph, &n);
  streamed = run_model (graph, &config, axis, TRUE, ASSAY_MACHINE_BF16, input, STEPS, &n_streamed);
  whole = run_model (graph, &config, -1, FALSE, ASSAY_MACHINE_BF16, input, 1, &n_whole);
  g_assert_cmpmem (streamed, n_streamed * sizeof (float), whole, n_whole * sizeof (float));
}

/* In fp32 the machine stays within 1e-5 of the sum of magnitudes that enters each element. */
static void
test_reference (gconstpointer data)
{
  const Case *test = data;
  AssayConfigValues config = make_config ((Shape){ 3, 32 });
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree float *input = NULL;
  g_autofree float *output = NULL;
  g_autofree double *expected = NULL;
  g_autofree double *magnitude = NULL;
  int axis;
  gsize n, n_values;

  graph = calibration_open (test->model, test->size, &axis);
  input = random_input (graph, &n);
  output = run_model (graph, &config, axis, TRUE, ASSAY_MACHINE_FP32, input, axis >= 0 ? STEPS : 1,
                      &n_values);
  machine_reference (graph, axis, input, n_values, &expected, &magnitude);

  for (gsize i = 0; i < n_values; i++)
    g_assert_cmpfloat (fabs (output[i] - expected[i]), <=, 1e-5 * magnitude[i]);
}

/* A program that ran before leaves nothing behind after a reset. */
static void
test_reset (void)
{
  const Case test = { "cnn", "2 layers, 40 ch, kernel 5" };
  AssayConfigValues config = make_config ((Shape){ 2, 32 });
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayMachine) machine = NULL;
  g_autoptr (GError) error = NULL;
  float input[40], first[40], again[40];
  const float *in = input;
  float *out = first;
  int axis;

  graph = calibration_open (test.model, test.size, &axis);
  assay_settings_set_axis (&settings, 0, axis);
  options.settings = settings;
  code = assay_compile (graph, &config, &options, NULL, &error);
  g_assert_no_error (error);
  machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);
  for (guint i = 0; i < G_N_ELEMENTS (input); i++)
    input[i] = (float) g_test_rand_double_range (-1, 1);

  g_assert_true (assay_machine_run (machine, 0, &in, &out, NULL, &error));
  out = again;
  g_assert_true (assay_machine_run (machine, 0, &in, &out, NULL, &error));
  g_assert_true (memcmp (first, again, sizeof first) != 0);
  assay_machine_reset (machine, 0);
  g_assert_true (assay_machine_run (machine, 0, &in, &out, NULL, &error));
  g_assert_cmpmem (first, sizeof first, again, sizeof again);
}

/* No two tensors that are alive at one step share a block of one core. */
static void
test_plan (gconstpointer data)
{
  const Case *test = data;
  AssayConfigValues config = make_config ((Shape){ 3, 32 });
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (GError) error = NULL;
  int axis;

  graph = calibration_open (test->model, test->size, &axis);
  if (axis >= 0)
    {
      assay_settings_set_axis (&settings, 0, axis);
      options.settings = settings;
    }
  code = assay_compile (graph, &config, &options, NULL, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < code->plan->len; i++)
    {
      const AssayPlanned *a = &g_array_index (code->plan, AssayPlanned, i);

      for (guint j = 0; j < i; j++)
        {
          const AssayPlanned *b = &g_array_index (code->plan, AssayPlanned, j);

          if (a->core != b->core || a->store != b->store || a->died < b->born || b->died < a->born)
            continue;
          g_assert_true (a->base + a->blocks <= b->base || b->base + b->blocks <= a->base);
        }
    }
}

TEST_PROGRAM (machine)
{
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } kinds[] = {
    { "same-bits", test_same_bits },
    { "streaming", test_streaming },
    { "reference", test_reference },
    { "plan", test_plan },
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      for (guint j = 0; j < G_N_ELEMENTS (kinds); j++)
        {
          g_autofree char *path = g_strdup_printf ("/machine/%s/%s %s", kinds[j].name,
                                                   cases[i].model, cases[i].size);

          g_test_add_data_func (path, &cases[i], kinds[j].func);
        }
    }
  g_test_add_func ("/machine/reset", test_reset);

  return g_test_run ();
}
