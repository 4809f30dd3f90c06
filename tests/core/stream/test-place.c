/* test-place.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Placement: what fits exactly, what does not, and that no placement changes a bit.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "calibration-fixture.h"
#include "test-program.h"
#include "backend/stream/compile/assay-bound.h"
#include "backend/stream/compile/assay-compile-private.h"
#include "backend/stream/compile/assay-emit.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-timing.h"
#include "nnir/pass/assay-canonical.h"

typedef struct
{
  const char *model;
  const char *size;
  const char *preset;
} Row;

static AssayStreamCode *
compile (AssayGraph *graph, const AssayConfigValues *config, int axis, gboolean optimize,
         GError **error)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };

  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, !optimize);
  assay_settings_set_axis (&settings, 0, axis);
  options.settings = settings;

  return assay_compile (graph, config, &options, NULL, error);
}

static AssayConfig *
preset (const char *id)
{
  g_autoptr (GError) error = NULL;
  AssayConfig *config = assay_config_new_preset (id, &error);

  g_assert_no_error (error);

  return config;
}

/* Three matrices of 32 x 32 blocks are 6 x 512, which is all that the weight stores have: every
 * core must get half of each matrix, rows that do not divide evenly dealt out in turn. */
static void
test_exact (void)
{
  static const Row row = { "mlp", "3 layers of 1024", "ia_420f_c6b32" };
  g_autoptr (AssayConfig) config = preset (row.preset);
  const AssayConfigValues *values = assay_config_get_values (config);
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  guint32 used[ASSAY_MAX_CORES] = { 0 };
  int axis;

  graph = calibration_open (row.model, row.size, &axis);
  code = compile (graph, values, axis, TRUE, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);
      const AssayMatrix *matrix = &g_array_index (code->matrices, AssayMatrix, placed->matrix);

      used[placed->core] += (placed->n_rows + 31) / 32 * ((matrix->n_inputs + 31) / 32);
    }

  g_assert_cmpuint (values->num_cores, ==, 6);
  for (guint core = 0; core < values->num_cores; core++)
    g_assert_cmpuint (used[core], ==, 512);
  g_assert_cmpuint (values->weight_store_depth, ==, 512);
}

/* Who does not ask what is too small gets the same answer without that reason. */
static void
check_unexplained (AssayGraph *imported, const AssayConfigValues *config, int axis,
                   const GError *explained)
{
  const AssayCanonicalOptions form = ASSAY_CANONICAL_OPTIONS_COMPILE;
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GPtrArray) lirs = NULL;
  g_autoptr (GError) error = NULL;
  AssayCompileOptions options = { 0 };
  AssayCompileModel model = { 0 };

  graph = assay_graph_canonicalize (imported, &form, NULL, &error);
  g_assert_no_error (error);
  assay_settings_set_axis (&settings, 0, axis);
  options.settings = settings;
  model = (AssayCompileModel){ graph, &options, TRUE };
  lirs = assay_compile_lower (&model, 1, config, NULL, &error);
  g_assert_no_error (error);
  code = assay_compile_lowered (lirs, &options, NULL, NULL, &error);
  g_assert_null (code);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  g_assert_cmpstr (error->message, !=, explained->message);
}

/* Rows of the published table that must not fit. */
static void
test_too_large (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (AssayConfig) config = preset (row->preset);
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  int axis;

  graph = calibration_open (row->model, row->size, &axis);
  code = compile (graph, assay_config_get_values (config), axis, TRUE, &error);
  g_assert_null (code);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  check_unexplained (graph, assay_config_get_values (config), axis, error);
}

static void
count_refused (const AssayAllocation *allocation, const GError *error, gpointer data)
{
  guint *n = data;

  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  g_assert_cmpuint (allocation->ways_out->len, ==, 0);
  *n += 1;
}

/* Who wants ways out is told why first, once, however many programs are tried for them. */
static void
test_refused (void)
{
  g_autoptr (AssayConfig) config = preset ("ia_420f_c6b32");
  AssayConfigValues values = *assay_config_get_values (config);
  g_autoptr (AssayAllocation) allocation = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  AssayCompileOptions options = { 0 };
  guint n = 0;
  int axis;

  graph = calibration_open ("mlp", "2 layers of 512", &axis);
  values.tensor_ram_depth = 2;
  assay_settings_set_axis (&settings, 0, axis);
  options.settings = settings;
  options.allocation = &allocation;
  options.refused = count_refused;
  options.refused_data = &n;
  code = assay_compile (graph, &values, &options, NULL, &error);
  g_assert_null (code);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (allocation->ways_out->len, >, 0);
}

/* What is timed while a placement is looked for takes as long as the program that is kept. */
static void
check_trial (const AssayLir *lir, const AssayPlacement *placements, const AssayStreamCode *code)
{
  g_autoptr (AssayStreamCode) trial = assay_emit (lir, placements, ASSAY_EMIT_TRIAL, NULL, NULL);

  g_assert_cmpint (trial != NULL, ==, code != NULL);
  for (guint i = 0; trial != NULL && i < code->models->len; i++)
    {
      AssayCycles kept = { 0 }, tried = { 0 };

      assay_timing_run (code, i, &kept, NULL);
      assay_timing_run (trial, i, &tried, NULL);
      g_assert_cmpmem (&kept, sizeof kept, &tried, sizeof tried);
    }
}

static gboolean
emits_at_random (const AssayLir *lir, GRand *rand)
{
  g_autofree AssayPlacement *placements = g_new0 (AssayPlacement, lir->layers->len + 1);
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < lir->layers->len; i++)
    {
      const AssayLirLayer *layer = &g_array_index (lir->layers, AssayLirLayer, i);
      guint n_allowed = assay_lir_n_allowed (layer);
      guint cores = (guint) g_rand_int_range (rand, 1, (int) MIN (n_allowed, layer->n_units) + 1);

      placements[i].cores = (guint16) cores;
      placements[i].first = (guint16) g_rand_int_range (rand, 0, (int) (n_allowed - cores) + 1);
    }
  code = assay_emit (lir, placements, ASSAY_EMIT_PROGRAM, NULL, &error);
  if (code == NULL)
    g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  check_trial (lir, placements, code);

  return code != NULL;
}

/* What is needed in all is told of every store, and only what is too large for all placements is
 * more than there is. */
static void
check_needs (const AssayLir *lir, gboolean refused)
{
  g_autoptr (AssayAllocation) allocation = assay_allocation_new ("tensor RAM", 0, 1);

  assay_bound_add_needs (lir, allocation);
  g_assert_cmpuint (allocation->needs->len, >, 0);
  for (guint i = 0; i < allocation->needs->len; i++)
    {
      const AssayStoreNeed *need = &g_array_index (allocation->needs, AssayStoreNeed, i);

      g_assert_cmpuint (need->needed, >, 0);
      if (need->needed > need->depth)
        g_assert_true (refused);
    }
}

/* What the bound refuses, no placement fits; and it refuses stores that are much too small. */
static void
test_bound (gconstpointer data)
{
  static const gsize depths[] = {
    G_STRUCT_OFFSET (AssayConfigValues, tensor_ram_depth),
    G_STRUCT_OFFSET (AssayConfigValues, accum_store_depth),
    G_STRUCT_OFFSET (AssayConfigValues, cell_state_depth),
    G_STRUCT_OFFSET (AssayConfigValues, weight_store_depth),
  };
  const Row *row = data;
  g_autoptr (AssayConfig) config = preset (row->preset);
  g_autoptr (AssayGraph) imported = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (GPtrArray) lirs = NULL;
  g_autoptr (GError) error = NULL;
  AssayCompileOptions options = { 0 };
  AssayCompileModel model = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress cancelled = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  const AssayCanonicalOptions form = ASSAY_CANONICAL_OPTIONS_COMPILE;
  guint n_refused = 0, n_fit = 0;
  AssayLir *lir;
  int axis;

  imported = calibration_open (row->model, row->size, &axis);
  graph = assay_graph_canonicalize (imported, &form, NULL, &error);
  g_assert_no_error (error);
  assay_settings_set_axis (&settings, 0, axis);
  options.settings = settings;
  model = (AssayCompileModel){ graph, &options, TRUE };
  /* Who stops while a model is lowered has no lowered model. */
  g_cancellable_cancel (cancellable);
  g_assert_null (
      assay_compile_lower (&model, 1, assay_config_get_values (config), &cancelled, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  g_clear_error (&error);
  lirs = assay_compile_lower (&model, 1, assay_config_get_values (config), NULL, &error);
  g_assert_no_error (error);
  lir = g_ptr_array_index (lirs, 0);
  assay_lir_find_twins (lir);
  assay_lir_find_lives (lir);

  for (guint store = 0; store < G_N_ELEMENTS (depths); store++)
    {
      AssayConfigValues values = *assay_config_get_values (config);
      guint *depth = &G_STRUCT_MEMBER (guint, &values, depths[store]);

      lir->config = &values;
      for (*depth = 4096; *depth > 0; *depth = *depth * 3 / 4)
        {
          gboolean refused = assay_bound_exceeds (lir);

          n_refused += refused;
          check_needs (lir, refused);
          for (guint i = 0; i < 12; i++)
            {
              gboolean fits = emits_at_random (lir, rand);

              n_fit += fits;
              g_assert_false (refused && fits);
            }
        }
      lir->config = assay_config_get_values (config);
    }
  g_assert_cmpuint (n_refused, >, 0);
  g_assert_cmpuint (n_fit, >, 0);
}

/* The search finds nothing slower than what it starts from, and changes no bit. */
static void
test_search (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (AssayConfig) config = preset (row->preset);
  g_autoptr (AssayGraph) graph = NULL;
  float *outputs[2] = { NULL, NULL };
  AssayCycles cycles[2];
  gsize n_outputs = 0;
  int axis;

  graph = calibration_open (row->model, row->size, &axis);

  for (guint way = 0; way < 2; way++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayStreamCode)
          code = compile (graph, assay_config_get_values (config), axis, way == 1, &error);
      g_autoptr (AssayMachine) machine = NULL;
      g_autoptr (GRand) rand = g_rand_new_with_seed (7);
      g_autofree float *input = NULL;
      const AssayModelEntry *entry;
      gsize n_inputs;

      g_assert_no_error (error);
      machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);
      g_assert_no_error (error);
      entry = &g_array_index (code->models, AssayModelEntry, 0);
      n_inputs = (gsize) entry->inputs[0].lanes * entry->inputs[0].n_vectors;
      n_outputs = (gsize) entry->outputs[0].lanes * entry->outputs[0].n_vectors;
      input = g_new (float, n_inputs);
      outputs[way] = g_new (float, n_outputs);

      for (guint step = 0; step < 10; step++)
        {
          const float *in = input;

          for (gsize i = 0; i < n_inputs; i++)
            input[i] = (float) g_rand_double_range (rand, -1, 1);
          g_assert_true (assay_machine_run (machine, 0, &in, &outputs[way], NULL, &error));
        }
      assay_timing_run (code, 0, &cycles[way], NULL);
    }

  g_assert_cmpmem (outputs[0], n_outputs * sizeof (float), outputs[1], n_outputs * sizeof (float));
  g_assert_cmpuint (cycles[1].spaced, <=, cycles[0].spaced + 2);
  g_free (outputs[0]);
  g_free (outputs[1]);
}

static AssayStreamCode *
compile_row (const Row *row, gboolean optimize)
{
  g_autoptr (AssayConfig) config = preset (row->preset);
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  AssayStreamCode *code;
  int axis;

  graph = calibration_open (row->model, row->size, &axis);
  code = compile (graph, assay_config_get_values (config), axis, optimize, &error);
  g_assert_no_error (error);

  return code;
}

/* How many products of a core stand behind another one with nothing but its drain between them. */
static guint
count_followed (const AssayStreamCode *code, guint core)
{
  const AssayInstruction *last = NULL;
  guint n = 0;

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);

      if (instruction->core != core || instruction->deferred ||
          instruction->opcode == ASSAY_OPCODE_START ||
          assay_instruction_get_unit (instruction) == ASSAY_UNIT_DRAIN)
        continue;
      n += last != NULL && last->opcode == ASSAY_OPCODE_MATRIX &&
           instruction->opcode == ASSAY_OPCODE_MATRIX;
      last = instruction;
    }

  return n;
}

/* The product that adds to the block's input does not wait for the sum of the skips behind the
 * other one, and not for its accumulators. */
static void
test_order (void)
{
  static const Row row = { "wavenet", "3 layers, hidden 192", "v80_c6b32" };
  g_autoptr (AssayStreamCode) plain = compile_row (&row, FALSE);
  g_autoptr (AssayStreamCode) ordered = compile_row (&row, TRUE);

  g_assert_cmpuint (count_followed (ordered, 0), >, count_followed (plain, 0));
}

/* Both halves of a layer on all of its cores lie on all of them. */
static void
test_halves (void)
{
  static const Row row = { "ffn-swiglu", "dim 192, hidden 768, fused gate", "v80_c6b32" };
  g_autoptr (AssayStreamCode) code = compile_row (&row, FALSE);
  guint64 cores = 0;

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);

      if (instruction->opcode != ASSAY_OPCODE_FUNCTION ||
          instruction->function != ASSAY_FUNCTION_SILU)
        continue;
      cores |= (guint64) 1 << instruction->core;
      g_assert_cmpuint (instruction->lanes, ==, 768 / 6);
    }
  g_assert_cmpuint (cores, ==, 0x3f);
}

TEST_PROGRAM (place)
{
  static const Row too_large[] = {
    { "cnn", "4 layers, 256 ch, kernel 32", "ia_420f_c6b32" },
    { "cnn", "4 layers, 256 ch, kernel 32", "ia_840f_c3b64" },
    { "tcn", "channels 512 x3", "ia_420f_c6b32" },
    { "tcn", "channels 32,64,128,256,512,1024", "ia_420f_c6b32" },
    { "tcn", "channels 32,64,128,256,512,1024", "ia_840f_c3b64" },
  };
  static const Row searched[] = {
    { "mlp", "2 layers of 512", "ia_420f_c6b32" },
    { "mlp-res-rms", "dim 96, hidden 200, silu", "ia_840f_c3b64" },
    { "ffn-swiglu", "dim 192, hidden 768, separate gate", "v80_c6b32" },
    { "cnn", "2 layers, 64 ch, kernel 8", "ia_420f_c6b32" },
    { "tcn", "channels 64 x2", "ia_840f_c3b64" },
    { "lstm", "2 layers, H 100", "v80_c6b32" },
    { "wavenet", "3 layers, hidden 96", "v80_c6b32" },
    { "gru", "in 64, H 100, 1 layer", "ia_420f_c6b32" },
    { "mobilenet", "width 0.1", "ia_840f_c3b64" },
  };

  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/place/exact-fit", test_exact);
  g_test_add_func ("/place/refused-first", test_refused);
  g_test_add_func ("/place/order", test_order);
  g_test_add_func ("/place/halves", test_halves);
  for (guint i = 0; i < G_N_ELEMENTS (too_large); i++)
    {
      g_autofree char *path = g_strdup_printf ("/place/too-large/%s %s on %s", too_large[i].model,
                                               too_large[i].size, too_large[i].preset);

      g_test_add_data_func (path, &too_large[i], test_too_large);
    }
  for (guint i = 0; i < G_N_ELEMENTS (searched); i++)
    {
      g_autofree char *path = g_strdup_printf ("/place/search/%s %s on %s", searched[i].model,
                                               searched[i].size, searched[i].preset);
      g_autofree char *bound = g_strdup_printf ("/place/bound/%s %s on %s", searched[i].model,
                                                searched[i].size, searched[i].preset);

      g_test_add_data_func (path, &searched[i], test_search);
      g_test_add_data_func (bound, &searched[i], test_bound);
    }

  return g_test_run ();
}
