/* test-several.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several models in one program: each computes what it computes alone, keeps its own state, and
 * shares equal weights.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "calibration-fixture.h"
#include "test-program.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/compile/assay-metrics.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/assay-port.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-timing.h"

#define MAX_MODELS 4
#define MAX_VALUES 4096
#define STEPS 4

typedef struct
{
  const char *model;
  const char *size;
} Row;

typedef struct
{
  guint n;
  AssayGraph *graphs[MAX_MODELS];
  int axes[MAX_MODELS];
  AssayCompileOptions options[MAX_MODELS];
  AssayCompileModel models[MAX_MODELS];
} Set;

static void
set_clear (Set *self)
{
  for (guint i = 0; i < self->n; i++)
    {
      assay_graph_unref (self->graphs[i]);
      assay_settings_unref (self->options[i].settings);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Set, set_clear)

static void
set_open (Set *self, const Row *rows, guint n)
{
  self->n = n;
  for (guint i = 0; i < n; i++)
    {
      self->graphs[i] = calibration_open (rows[i].model, rows[i].size, &self->axes[i]);
      self->options[i].model_name = rows[i].model;
      assay_settings_set_axis (&self->options[i].settings, 0, self->axes[i]);
      self->models[i] = (AssayCompileModel){ self->graphs[i], &self->options[i] };
    }
}

static AssayStreamCode *
compile (const Set *self, guint first, guint n, const AssayConfigValues *config, gboolean optimize)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  AssayStreamCode *code;

  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, !optimize);
  options.settings = settings;
  code = assay_compile_models (self->models + first, n, config, &options, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (assay_stream_code_verify (code, &error));

  return code;
}

/* One inference of a model on values that depend on the model and the step. */
static void
infer (AssayMachine *machine, AssayStreamCode *code, guint model, guint seed, guint step,
       float *result)
{
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, model);
  g_autofree float *input = g_new (float, MAX_VALUES);
  const float *inputs[] = { input };
  float *outputs[] = { result };

  g_assert_cmpuint (entry->n_inputs, ==, 1);
  g_assert_cmpuint (entry->n_outputs, ==, 1);
  g_assert_cmpuint (assay_port_count (entry->inputs), <=, MAX_VALUES);
  g_assert_cmpuint (assay_port_count (entry->outputs), <=, MAX_VALUES);
  for (guint i = 0; i < MAX_VALUES; i++)
    input[i] = (float) ((i * 7 + step * 13 + seed * 29) % 64) / 32 - 1;
  g_assert_true (assay_machine_run (machine, model, inputs, outputs, NULL, NULL));
}

/* Runs the models of a program in turn, step by step, against each one alone. */
static void
check_bits (const Set *set, AssayStreamCode *code, const AssayConfigValues *config)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMachine) machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);
  g_autofree float *together = g_new0 (float, (gsize) set->n *STEPS *MAX_VALUES);
  g_autofree float *alone = g_new0 (float, MAX_VALUES);

  /* Threads change no bit, and each model has a division of its own. */
  assay_machine_set_threads (machine, 2);
  for (guint step = 0; step < STEPS; step++)
    for (guint i = 0; i < set->n; i++)
      infer (machine, code, i, i, step, together + (gsize) (i * STEPS + step) * MAX_VALUES);

  for (guint i = 0; i < set->n; i++)
    {
      g_autoptr (AssayStreamCode) own = compile (set, i, 1, config, FALSE);
      g_autoptr (AssayMachine) own_machine = assay_machine_new (own, ASSAY_MACHINE_BF16, &error);
      gsize n = assay_port_count (g_array_index (own->models, AssayModelEntry, 0).outputs);

      for (guint step = 0; step < STEPS; step++)
        {
          infer (own_machine, own, 0, i, step, alone);
          g_assert_cmpmem (together + (gsize) (i * STEPS + step) * MAX_VALUES, n * sizeof (float),
                           alone, n * sizeof (float));
        }
    }
}

static void
test_state (void)
{
  static const Row rows[] = {
    { "lstm", "1 layer, H 40" },
    { "cnn", "2 layers, 40 ch, kernel 5" },
    { "mlp", "2 layers of 96" },
    { "lstm", "1 layer, H 40" },
  };
  static const char *const presets[] = { "ia_420f_c6b32", "ia_840f_c3b64" };

  for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      for (guint optimize = 0; optimize < 2; optimize++)
        {
          g_autoptr (AssayConfig) config = assay_config_new_preset (presets[i], NULL);
          g_auto (Set) set = { 0 };
          g_autoptr (AssayStreamCode) code = NULL;
          g_autoptr (AssayStreamCode) again = NULL;
          g_autoptr (AssayStreamCode) read = NULL;
          g_autoptr (GBytes) bytes = NULL;
          g_autoptr (GBytes) twin = NULL;
          g_autoptr (GError) error = NULL;

          set_open (&set, rows, G_N_ELEMENTS (rows));
          code = compile (&set, 0, set.n, assay_config_get_values (config), optimize != 0);
          again = compile (&set, 0, set.n, assay_config_get_values (config), optimize != 0);
          g_assert_cmpuint (code->models->len, ==, set.n);
          g_assert_cmpstr (g_array_index (code->models, AssayModelEntry, 0).name, ==, "lstm");
          g_assert_cmpstr (g_array_index (code->models, AssayModelEntry, 3).name, ==, "lstm_2");
          check_bits (&set, code, assay_config_get_values (config));

          bytes = assay_stream_code_to_bytes (code);
          twin = assay_stream_code_to_bytes (again);
          g_assert_true (g_bytes_equal (bytes, twin));
          read = assay_stream_code_from_bytes (bytes, &error);
          g_assert_no_error (error);
          check_bits (&set, read, assay_config_get_values (config));
        }
    }
}

/* A model twice takes the weight store of one, but not its state. */
static void
test_shared (void)
{
  static const Row rows[] = { { "lstm", "2 layers, H 100" }, { "lstm", "2 layers, H 100" } };
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_420f_c6b32", NULL);
  g_auto (Set) set = { 0 };
  g_autoptr (AssayStreamCode) two = NULL;
  g_autoptr (AssayStreamCode) one = NULL;
  g_autoptr (AssayCodeMetrics) both = NULL;
  g_autoptr (AssayCodeMetrics) single = NULL;
  AssayCycles cycles[3];

  set_open (&set, rows, G_N_ELEMENTS (rows));
  two = compile (&set, 0, 2, assay_config_get_values (config), TRUE);
  one = compile (&set, 0, 1, assay_config_get_values (config), TRUE);
  both = assay_stream_code_metrics_new (two);
  single = assay_stream_code_metrics_new (one);

  g_assert_cmpuint (two->matrices->len, ==, one->matrices->len);
  g_assert_cmpuint (two->placed->len, ==, one->placed->len);
  for (guint core = 0; core < single->n_cores; core++)
    {
      g_assert_cmpuint (both->cores[core].weight_store, ==, single->cores[core].weight_store);
      g_assert_cmpuint (both->cores[core].cell_state, ==, 2 * single->cores[core].cell_state);
      g_assert_cmpuint (both->cores[core].instrs, ==, 2 * single->cores[core].instrs);
    }

  assay_timing_run (two, 0, &cycles[0], NULL);
  assay_timing_run (two, 1, &cycles[1], NULL);
  assay_timing_run (one, 0, &cycles[2], NULL);
  g_assert_cmpuint (cycles[0].spaced, ==, cycles[2].spaced);
  g_assert_cmpuint (cycles[1].spaced, ==, cycles[2].spaced);
  g_assert_cmpuint (cycles[1].contiguous, ==, cycles[2].contiguous);
}

/* Two models that each want the first cores are spread until both fit; one too many says which
 * store is full. */
static void
test_full (void)
{
  static const Row rows[] = { { "mlp", "3 layers of 200" },
                              { "mlp", "2 layers of 512" },
                              { "mlp", "4 layers of 160" } };
  g_autoptr (AssayConfig) preset = assay_config_new_preset ("ia_420f_c6b32", NULL);
  AssayConfigValues config = *assay_config_get_values (preset);
  g_auto (Set) set = { 0 };
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayAllocation) allocation = NULL;
  const AssayCompileOptions options = { .allocation = &allocation };
  g_autoptr (GError) error = NULL;
  guint32 blocks = 3 * 7 * 7 + 2 * 16 * 16 + 4 * 5 * 5;

  set_open (&set, rows, G_N_ELEMENTS (rows));
  config.weight_store_depth = (blocks + 5) / 6 + 16;
  code = compile (&set, 0, set.n, &config, TRUE);
  check_bits (&set, code, &config);

  config.weight_store_depth = blocks / 6 - 1;
  g_assert_null (assay_compile_models (set.models, set.n, &config, &options, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  g_assert_nonnull (allocation);
  g_assert_cmpstr (allocation->store, ==, "weight store");
  g_assert_cmpuint (allocation->ways_out->len, >, 0);
}

/* Whatever is asked for: the same bytes each time, and the bits of a compilation without options.
 */
static void
test_options (void)
{
  static const Row rows[] = { { "lstm", "1 layer, H 40" }, { "cnn", "2 layers, 40 ch, kernel 5" } };
  static const struct
  {
    AssaySetting flag;
    const char *cores;
  } options[] = {
    { ASSAY_SETTING_STATE_RESET, NULL },
    { ASSAY_SETTING_INPUTS_ARE_PARAMETERS, "1,3,5" }, /* which a compiler does not look at */
    { ASSAY_SETTING_STATE_RESET, "5" },
    { ASSAY_SETTING_DYNAMIC_WEIGHTS, NULL },
  };
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_420f_c6b32", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_auto (Set) set = { 0 };
      g_auto (Set) plain = { 0 };
      g_autoptr (AssayStreamCode) code = NULL;
      g_autoptr (AssayStreamCode) again = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GBytes) twin = NULL;

      set_open (&set, rows, G_N_ELEMENTS (rows));
      set_open (&plain, rows, G_N_ELEMENTS (rows));
      for (guint j = 0; j < set.n; j++)
        {
          assay_settings_set_flag (&set.options[j].settings, options[i].flag, TRUE);
          assay_settings_set_text (&set.options[j].settings, ASSAY_SETTING_CORES, options[i].cores);
        }
      code = compile (&set, 0, set.n, assay_config_get_values (config), TRUE);
      again = compile (&set, 0, set.n, assay_config_get_values (config), TRUE);
      bytes = assay_stream_code_to_bytes (code);
      twin = assay_stream_code_to_bytes (again);
      g_assert_true (g_bytes_equal (bytes, twin));
      check_bits (&plain, code, assay_config_get_values (config));
    }
}

TEST_PROGRAM (several)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/several/state", test_state);
  g_test_add_func ("/several/shared", test_shared);
  g_test_add_func ("/several/full", test_full);
  g_test_add_func ("/several/options", test_options);

  return g_test_run ();
}
