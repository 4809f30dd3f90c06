/* test-metrics.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program uses, counted three times: by the metrics, from the plan, and from what the
 * instructions touch. And what happens when it does not fit.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "calibration-fixture.h"
#include "test-program.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/compile/assay-metrics.h"
#include "backend/stream/machine/assay-disassemble.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/assay-port.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-timing.h"
#include "backend/stream/machine/assay-touch.h"

typedef struct
{
  const char *model;
  const char *size;
} Case;

static const Case cases[] = {
  { "slp", "33 -> 33" },
  { "mlp", "3 layers of 200" },
  { "mlp-res-rms", "dim 70, hidden 130, relu" },
  { "ffn-swiglu", "dim 64, hidden 96, fused gate" },
  { "cnn", "2 layers, 40 ch, kernel 5" },
  { "tcn", "channels 20,40" },
  { "lstm", "2 layers, H 50" },
};

static AssayStreamCode *
compile (const Case *test, const AssayConfigValues *config, gboolean streamed,
         AssayAllocation **allocation, GError **error)
{
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { .allocation = allocation };
  int axis;

  graph = calibration_open (test->model, test->size, &axis);
  if (axis >= 0 && streamed)
    {
      assay_settings_set_axis (&settings, 0, axis);
      options.settings = settings;
    }

  return assay_compile (graph, config, &options, NULL, error);
}

static void
check_uses (const AssayStreamCode *code)
{
  g_autoptr (AssayCodeMetrics) metrics = assay_stream_code_metrics_new (code);
  guint32 touched[ASSAY_MAX_CORES][ASSAY_N_STORES] = { 0 };
  guint32 planned[ASSAY_MAX_CORES][ASSAY_N_STORES] = { 0 };
  guint32 instrs[ASSAY_MAX_CORES] = { 0 };

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);

      instrs[instruction->core]++;
      for (AssaySlot slot = ASSAY_SLOT_D; slot < ASSAY_N_SLOTS; slot++)
        {
          AssayTouch touch;

          if (!assay_instruction_touch (code, instruction, slot, &touch))
            continue;
          for (guint core = 0; core < metrics->n_cores; core++)
            {
              if ((touch.cores >> core & 1) != 0)
                touched[core][touch.store] = MAX (touched[core][touch.store],
                                                  touch.base + touch.blocks);
            }
        }
    }

  for (guint i = 0; i < code->plan->len; i++)
    {
      const AssayPlanned *tensor = &g_array_index (code->plan, AssayPlanned, i);

      planned[tensor->core][tensor->store] = MAX (planned[tensor->core][tensor->store],
                                                  tensor->base + tensor->blocks);
    }

  for (guint core = 0; core < metrics->n_cores; core++)
    {
      const AssayCoreMetrics *used = &metrics->cores[core];

      g_assert_cmpuint (used->tensor_ram, ==, touched[core][ASSAY_STORE_TENSOR]);
      g_assert_cmpuint (used->tensor_ram, ==, planned[core][ASSAY_STORE_TENSOR]);
      g_assert_cmpuint (used->accum_store, ==, touched[core][ASSAY_STORE_ACCUMULATOR]);
      g_assert_cmpuint (used->accum_store, ==, planned[core][ASSAY_STORE_ACCUMULATOR]);
      g_assert_cmpuint (used->cell_state, ==, touched[core][ASSAY_STORE_CELL]);
      g_assert_cmpuint (used->cell_state, ==, planned[core][ASSAY_STORE_CELL]);
      g_assert_cmpuint (used->instrs, ==, instrs[core]);
    }
}

static void
test_uses (gconstpointer data)
{
  static const char *const presets[] = { "ia_420f_c6b32", "ia_840f_c3b64", "v80_c6b32" };

  for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      for (guint streamed = 0; streamed < 2; streamed++)
        {
          g_autoptr (AssayConfig) config = assay_config_new_preset (presets[i], NULL);
          g_autoptr (GError) error = NULL;
          g_autoptr (AssayStreamCode)
              code = compile (data, assay_config_get_values (config), streamed != 0, NULL, &error);

          if (code != NULL)
            check_uses (code);
          else
            g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
        }
    }
}

/* Of several models in one program too: what one uses and leaves, another takes. */
static void
test_uses_several (void)
{
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_420f_c6b32", NULL);
  g_autoptr (GPtrArray)
      graphs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_graph_unref);
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (GError) error = NULL;
  AssayCompileOptions options[G_N_ELEMENTS (cases)] = { 0 };
  AssayCompileModel models[G_N_ELEMENTS (cases)];
  int axes[G_N_ELEMENTS (cases)];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_ptr_array_add (graphs, calibration_open (cases[i].model, cases[i].size, &axes[i]));
      if (axes[i] >= 0)
        assay_settings_set_axis (&options[i].settings, 0, axes[i]);
      models[i] = (AssayCompileModel){ g_ptr_array_index (graphs, i), &options[i] };
    }

  code = assay_compile_models (models, G_N_ELEMENTS (cases), assay_config_get_values (config), NULL,
                               NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (code->models->len, ==, G_N_ELEMENTS (cases));
  check_uses (code);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_clear_pointer (&options[i].settings, assay_settings_unref);
}

/* Weights are stored in whole blocks, and all of them somewhere. */
static void
test_weights (void)
{
  const Case test = { "mlp", "3 layers of 200" };
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_420f_c6b32", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode)
      code = compile (&test, assay_config_get_values (config), FALSE, NULL, &error);
  g_autoptr (AssayCodeMetrics) metrics = NULL;
  guint32 sum = 0;

  g_assert_no_error (error);
  metrics = assay_stream_code_metrics_new (code);
  for (guint core = 0; core < metrics->n_cores; core++)
    sum += metrics->cores[core].weight_store;
  g_assert_cmpuint (sum, ==, 3 * 7 * 7);
  /* 200 values in and out are padded to 224. */
  g_assert_cmpuint (metrics->input_bytes[0], ==, 448);
  g_assert_cmpuint (metrics->output_bytes[0], ==, 448);
  g_assert_cmpuint (metrics->n_models, ==, 1);
}

static void
test_disassembly (gconstpointer data)
{
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_420f_c6b32", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode)
      code = compile (data, assay_config_get_values (config), TRUE, NULL, &error);
  guint lines = 0;

  g_assert_no_error (error);
  for (guint core = 0; core < code->config.num_cores; core++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_auto (GStrv) split = NULL;

      assay_disassemble_core (code, 0, core, text);
      split = g_strsplit (text->str, "\n", -1);
      for (guint i = 0; split[i] != NULL && split[i][0] != 0; i++)
        {
          guint index = (guint) g_ascii_strtoull (split[i], NULL, 10);
          const AssayInstruction *instruction = &g_array_index (code->instructions,
                                                                AssayInstruction, index);

          g_assert_cmpuint (instruction->core, ==, core);
          g_assert_nonnull (
              strstr (split[i], assay_opcode_get_info ((AssayOpcode) instruction->opcode)->name));
          g_assert_nonnull (strstr (split[i], " ; step "));
          lines++;
        }
    }
  g_assert_cmpuint (lines, ==, code->instructions->len);
}

static void
test_failure (void)
{
  const Case test = { "mlp", "3 layers of 200" };
  const Case residual = { "mlp-res-rms", "dim 70, hidden 130, relu" };
  g_autoptr (AssayConfig) preset = assay_config_new_preset ("ia_420f_c6b32", NULL);
  AssayConfigValues config = *assay_config_get_values (preset);
  g_autoptr (AssayAllocation) weights = NULL;
  g_autoptr (AssayAllocation) tensors = NULL;
  g_autoptr (GError) error = NULL;
  guint32 live = 0;

  config.weight_store_depth = 20;
  g_assert_null (compile (&test, &config, FALSE, &weights, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  g_assert_cmpstr (weights->store, ==, "weight store");
  g_assert_cmpuint (weights->available, ==, 20);
  g_assert_cmpuint (weights->needed, >, 20);
  for (guint i = 0; i < weights->live->len; i++)
    live += g_array_index (weights->live, AssayLiveTensor, i).blocks;
  g_assert_cmpuint (live, ==, weights->needed);
  g_assert_cmpuint (weights->ways_out->len, >, 3);
  for (guint i = 1; i < weights->ways_out->len; i++)
    g_assert_cmpuint (g_array_index (weights->ways_out, AssayWayOut, i - 1).blocks_freed, >=,
                      g_array_index (weights->ways_out, AssayWayOut, i).blocks_freed);

  /* What is added at the end lives as long as the hidden layer. */
  config.weight_store_depth = 512;
  config.tensor_ram_depth = 6;
  g_clear_error (&error);
  g_assert_null (compile (&residual, &config, FALSE, &tensors, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  g_assert_cmpstr (tensors->store, ==, "tensor RAM");
  g_assert_cmpuint (tensors->needed, >, tensors->largest_hole);
  g_assert_cmpuint (tensors->largest_hole, <=, tensors->available);
  live = 0;
  for (guint i = 0; i < tensors->live->len; i++)
    {
      const AssayLiveTensor *tensor = &g_array_index (tensors->live, AssayLiveTensor, i);

      g_assert_cmpuint (tensor->born, <=, tensors->step);
      g_assert_cmpuint (tensor->died, >=, tensors->step);
      live += tensor->blocks;
    }
  g_assert_cmpuint (live, ==, tensors->depth - tensors->available);
}

/* The depth that a way out names is enough, and one block less is not. */
static void
test_way_out (void)
{
  const Case test = { "cnn", "2 layers, 40 ch, kernel 5" };
  g_autoptr (AssayConfig) preset = assay_config_new_preset ("ia_420f_c6b32", NULL);
  AssayConfigValues config = *assay_config_get_values (preset);
  g_autoptr (AssayAllocation) allocation = NULL;
  g_autoptr (GError) error = NULL;
  gboolean streams = FALSE;

  config.tensor_ram_depth = 60;
  g_assert_null (compile (&test, &config, FALSE, &allocation, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  for (guint i = 0; i < allocation->ways_out->len; i++)
    {
      const AssayWayOut *way = &g_array_index (allocation->ways_out, AssayWayOut, i);
      g_autoptr (AssayStreamCode) code = NULL;

      streams = streams || way->kind == ASSAY_WAY_STREAM;
      if (way->kind != ASSAY_WAY_DEPTH)
        continue;
      g_assert_cmpstr (way->name, ==, "tensor_ram_depth");
      config.tensor_ram_depth = way->value;
      g_assert_cmpuint (config.tensor_ram_depth, ==, 60 + way->blocks_freed);
      g_clear_error (&error);
      code = compile (&test, &config, FALSE, NULL, &error);
      g_assert_no_error (error);
    }
  g_assert_true (streams);
  g_assert_cmpuint (config.tensor_ram_depth, >, 60);
}

static void
run_once (AssayStreamCode *code, float *output)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMachine) machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, 0);
  g_autofree float *input = g_new (float, assay_port_count (entry->inputs));
  const float *in = input;

  g_assert_no_error (error);
  for (gsize i = 0; i < assay_port_count (entry->inputs); i++)
    input[i] = (float) (i % 17) / 8 - 1;
  for (guint step = 0; step < 3; step++)
    g_assert_true (assay_machine_run (machine, 0, &in, &output, NULL, &error));
}

/* However short operands have to be, the bits are the same. */
static void
test_max_read (gconstpointer data)
{
  g_autoptr (AssayConfig) preset = assay_config_new_preset ("ia_420f_c6b32", NULL);
  AssayConfigValues config = *assay_config_get_values (preset);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode) whole = compile (data, &config, TRUE, NULL, &error);
  g_autoptr (AssayCodeMetrics) metrics = NULL;
  g_autofree float *expected = g_new0 (float, 65536);
  g_autofree float *output = g_new0 (float, 65536);
  gsize n;

  g_assert_no_error (error);
  n = assay_port_count (g_array_index (whole->models, AssayModelEntry, 0).outputs);
  run_once (whole, expected);
  metrics = assay_stream_code_metrics_new (whole);

  for (guint most = 1; most <= 4; most += 3)
    {
      g_autoptr (AssayStreamCode) code = NULL;
      g_autoptr (AssayCodeMetrics) own = NULL;

      config.max_read_size = most;
      code = compile (data, &config, TRUE, NULL, &error);
      if (code == NULL)
        {
          /* A sum over lanes is not divided. */
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
          g_assert_nonnull (strstr (error->message, "max_read_size"));
          g_clear_error (&error);
          continue;
        }
      g_assert_true (assay_stream_code_verify (code, &error));
      run_once (code, output);
      g_assert_cmpmem (output, n * sizeof (float), expected, n * sizeof (float));
      own = assay_stream_code_metrics_new (code);
      for (guint core = 0; core < own->n_cores; core++)
        g_assert_cmpuint (own->cores[core].longest_read, <=, most);
      check_uses (code);
    }
}

/* Every field of a configuration that is no depth of a store has its effect; those are in the tests
 * above. */
static void
test_fields (void)
{
  const Case relu = { "mlp-res-rms", "dim 70, hidden 130, relu" };
  g_autoptr (AssayConfig) preset = assay_config_new_preset ("ia_420f_c6b32", NULL);
  static const struct
  {
    const char *store;
    gsize field;
    guint value;
  } limits[] = {
    { "clamp store", G_STRUCT_OFFSET (AssayConfigValues, clamp_store_depth), 0 },
    { "tensor descriptors", G_STRUCT_OFFSET (AssayConfigValues, tensor_descriptor_count), 3 },
    { "cell state store", G_STRUCT_OFFSET (AssayConfigValues, cell_state_depth), 0 },
    { "accumulator store", G_STRUCT_OFFSET (AssayConfigValues, accum_store_depth), 1 },
  };
  const Case lstm = { "lstm", "2 layers, H 50" };
  AssayConfigValues config = *assay_config_get_values (preset);
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayCodeMetrics) narrow = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autoptr (AssayAllocation) allocation = NULL;

      config = *assay_config_get_values (preset);
      G_STRUCT_MEMBER (guint, &config, limits[i].field) = limits[i].value;
      g_assert_null (compile (i < 2 ? &relu : &lstm, &config, i >= 2, &allocation, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
      g_assert_nonnull (allocation);
      g_assert_cmpstr (allocation->store, ==, limits[i].store);
      g_assert_cmpuint (allocation->ways_out->len, >, 0);
      g_clear_error (&error);
    }

  config = *assay_config_get_values (preset);
  config.io_size = 64;
  code = compile (&relu, &config, FALSE, NULL, &error);
  narrow = assay_stream_code_metrics_new (code);
  g_assert_cmpuint (narrow->input_bytes[0], ==, 128 * 2);
  for (guint core = 0; core < narrow->n_cores; core++)
    g_assert_cmpuint (narrow->cores[core].tensor_ram_live, <=, narrow->cores[core].tensor_ram);
  g_assert_cmpuint (narrow->cores[0].bias_store, >, 0);
  g_assert_cmpuint (narrow->cores[0].clamp_store, ==, 1);
}

/* A tensor comes back from the vectors of a port as it went in, whatever its data dimension and
 * axis of time. */
static void
test_ports (void)
{
  static const gint64 dims[] = { 2, 3, 4 };

  for (int data_dim = 0; data_dim < 3; data_dim++)
    {
      for (int axis = -1; axis <= 3; axis++)
        {
          AssayPort port = { .name = "x",
                             .rank = 3,
                             .dims = dims,
                             .streaming_dim = axis,
                             .data_dim = data_dim,
                             .lanes = (guint32) dims[data_dim],
                             .n_vectors = (guint32) (24 / dims[data_dim]) };
          gint64 steps = axis < 0 ? 1 : 5;
          gint64 full[4];
          float tensor[24 * 5], back[24 * 5], vectors[24];

          g_assert_cmpuint (assay_port_dims (&port, axis, steps, full), ==, axis < 0 ? 3 : 4);
          for (guint i = 0; i < 24 * 5; i++)
            tensor[i] = (float) i;
          memset (back, 0, sizeof back);

          for (gint64 step = 0; step < steps; step++)
            {
              assay_port_pack (&port, axis, steps, step, tensor, vectors);
              assay_port_unpack (&port, axis, steps, step, vectors, back);

              /* Lane 1 of the first vector is one further along the data dimension, at the same
               * timestep. */
              if (axis < 0)
                g_assert_cmpfloat (vectors[1], ==, data_dim == 0 ? 12 : data_dim == 1 ? 4 : 1);
              if (axis == 3)
                g_assert_cmpfloat (vectors[1], ==,
                                   5 * (data_dim == 0   ? 12
                                        : data_dim == 1 ? 4
                                                        : 1) +
                                       (float) step);
              if (axis == 0)
                g_assert_cmpfloat (vectors[0], ==, 24 * (float) step);
            }
          g_assert_cmpmem (tensor, (gsize) steps * 24 * sizeof (float), back,
                           (gsize) steps * 24 * sizeof (float));
        }
    }
}

TEST_PROGRAM (metrics)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *uses = g_strdup_printf ("/metrics/uses/%s/%u", cases[i].model, i);
      g_autofree char *reads = g_strdup_printf ("/metrics/max-read/%s/%u", cases[i].model, i);
      g_autofree char *disassembly = g_strdup_printf ("/metrics/disassembly/%s/%u", cases[i].model,
                                                      i);

      g_test_add_data_func (uses, &cases[i], test_uses);
      g_test_add_data_func (disassembly, &cases[i], test_disassembly);
      g_test_add_data_func (reads, &cases[i], test_max_read);
    }
  g_test_add_func ("/metrics/uses/several", test_uses_several);
  g_test_add_func ("/metrics/weights", test_weights);
  g_test_add_func ("/metrics/failure", test_failure);
  g_test_add_func ("/metrics/way-out", test_way_out);
  g_test_add_func ("/metrics/fields", test_fields);
  g_test_add_func ("/metrics/ports", test_ports);

  return g_test_run ();
}
