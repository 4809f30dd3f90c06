/* test-random-programs.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random graphs on random configurations, some with small stores: a graph compiles and runs, with
 * the bits of any other configuration and within the error bounds of an evaluation in double, or
 * fails for want of room or with a refusal that names what it is about. A failing case is made
 * smaller and printed.
 */
#include <glib.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "graph-reference.h"
#include "machine-run.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-timing.h"
#include "random-graph.h"
#include "test-program.h"

#define CASES 1200
#define SLOW_CASES 20000

/* What runs, for the message if it crashes. */
static char current[16384];

static void
tell (int signal)
{
  (void) !write (STDERR_FILENO, current, strlen (current));
  _exit (128 + signal);
}

typedef struct
{
  MachineWay way;
  gboolean plain, dynamic, fp8, reset;
  int axes[2];
  guint32 seed;
  char kept[16];
  char pin[16];
} Setting;

/* Small stores as often as large ones. */
static guint
depth (GRand *rand, guint most)
{
  return g_rand_boolean (rand) ? most : 1u << g_rand_int_range (rand, 0, 14);
}

static Setting
random_setting (GRand *rand)
{
  static const guint blocks[] = { 16, 32, 64, 128 };
  Setting setting = { .way = { .config = MACHINE_CONFIG (1, 16) },
                      .axes = { -1, -1 },
                      .seed = g_rand_int (rand) };
  AssayConfigValues *config = &setting.way.config;

  config->num_cores = (guint) g_rand_int_range (rand, 1, 13);
  config->block_size = blocks[g_rand_int_range (rand, 0, G_N_ELEMENTS (blocks))];
  config->tensor_ram_depth = depth (rand, 8192);
  config->weight_store_depth = depth (rand, 8192);
  config->accum_store_depth = depth (rand, 8192);
  config->cell_state_depth = depth (rand, 4096);
  config->clamp_store_depth = depth (rand, 64);
  config->tensor_descriptor_count = depth (rand, 65536);
  config->max_read_size = depth (rand, 512);
  config->io_size = 16u << g_rand_int_range (rand, 0, 3);
  setting.plain = g_rand_boolean (rand);
  setting.dynamic = g_rand_boolean (rand);
  if (g_rand_boolean (rand))
    setting.axes[0] = g_rand_int_range (rand, 0, 4);
  setting.axes[1] = g_rand_boolean (rand) ? setting.axes[0] : -1;

  config->fabric = (guint) g_rand_int_range (rand, 0, 3);
  setting.fp8 = config->fabric != ASSAY_FABRIC_AGILEX && !setting.dynamic && g_rand_boolean (rand);
  setting.reset = g_rand_int_range (rand, 0, 4) == 0;
  setting.way.n_threads = (guint) g_rand_int_range (rand, 1, 5);
  if (g_rand_int_range (rand, 0, 3) == 0)
    g_snprintf (setting.kept, sizeof setting.kept, "%s%d", g_rand_boolean (rand) ? "node_" : "v",
                g_rand_int_range (rand, 0, 8));
  if (g_rand_int_range (rand, 0, 4) == 0)
    g_snprintf (setting.pin, sizeof setting.pin, "node_%d=%d", g_rand_int_range (rand, 1, 8),
                g_rand_int_range (rand, 0, (gint32) config->num_cores));

  return setting;
}

/* A name that nobody has is an error of the user, so only names that exist are chosen. */
static gboolean
has_name (const AssayGraph *graph, const char *name)
{
  g_autofree char *plain = g_strndup (name, strcspn (name, "="));
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      if (g_str_equal (assay_graph_node (graph, id)->name, plain))
        return TRUE;
    }
  for (guint i = 0; i < inputs->len; i++)
    {
      if (g_str_equal (assay_graph_value (graph, g_array_index (inputs, AssayValueId, i))->name,
                       plain))
        return TRUE;
    }

  return FALSE;
}

/* Whether an error is one of the two that may be, and says what it is about. */
static char *
judge_error (AssayGraph *graph, const GError *error)
{
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION))
    return NULL;
  /* A pass took the node that an option names; a graph from text has no origins by which it would
   * be found. */
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_INVALID) &&
      strstr (error->message, "no such node") != NULL)
    return NULL;
  if (!g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED))
    return g_strdup_printf ("%s, error %d: %s", g_quark_to_string (error->domain), error->code,
                            error->message);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      if (strstr (error->message, assay_graph_node (graph, id)->name) != NULL)
        return NULL;
    }
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      if (strstr (error->message, assay_graph_value (graph, id)->name) != NULL)
        return NULL;
    }

  return g_strdup_printf ("a refusal that names nothing: %s", error->message);
}

static char *
judge_numbers (AssayGraph *graph, const Numerics *numerics, float **inputs, const float *output)
{
  ReferenceTensor expected = { 0 };
  char *complaint = NULL;

  graph_reference (graph, numerics, (const float *const *) inputs, &expected);
  for (gsize i = 0; i < expected.n && complaint == NULL; i++)
    {
      if (!isinf (expected.v[i].e) && !(fabs (output[i] - expected.v[i].x) <= expected.v[i].e))
        complaint = g_strdup_printf (
            "%s: element %" G_GSIZE_FORMAT " is %.9g, expected %.9g, at most %.3g off",
            numerics->name, i, output[i], expected.v[i].x, expected.v[i].e);
    }
  g_free (expected.v);

  return complaint;
}

/* Compiles for a setting and runs; (*outputs) stays NULL if that may be refused and is. */
static char *
run_setting (AssayGraph *graph, MachineWay *way, float **inputs, float ***outputs)
{
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayStreamCode) loaded = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  AssayCycles cycles;

  *outputs = NULL;
  code = assay_compile (graph, &way->config, &way->options, NULL, &error);
  if (code == NULL)
    return judge_error (graph, error);

  /* Loading verifies every instruction. */
  bytes = assay_stream_code_to_bytes (code);
  loaded = assay_stream_code_from_bytes (bytes, &error);
  if (loaded == NULL)
    return g_strdup_printf ("the program does not load: %s", error->message);
  assay_timing_run (loaded, 0, &cycles, NULL);
  if (cycles.spaced == 0 || cycles.contiguous == 0)
    return g_strdup ("it takes no time");

  *outputs = machine_run_code (loaded, graph, way, inputs, &error);

  return *outputs == NULL ? g_strdup_printf ("it does not run: %s", error->message) : NULL;
}

static char *
judge_bits (AssayGraph *graph, float **expected, float **got)
{
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;
  gsize n = machine_count (graph, g_array_index (ids, AssayValueId, 0));

  for (gsize i = 0; i < n; i++)
    {
      if (memcmp (&expected[0][i], &got[0][i], sizeof (float)) != 0)
        return g_strdup_printf ("element %" G_GSIZE_FORMAT " is %a, elsewhere %a", i, got[0][i],
                                expected[0][i]);
    }

  return NULL;
}

/* What is wrong with a case, or NULL. (*ran) tells whether the random setting ran. */
static char *
judge (const RandomGraph *random, const Setting *setting, gboolean *ran)
{
  static const Numerics *const fp32[] = { &numerics_allowance, &numerics_fp32 };
  const Numerics *numerics = setting->fp8 ? &numerics_fp8 : &numerics_bf16;
  g_autofree char *text = random_graph_to_text (random);
  g_autoptr (AssayGraph) graph = machine_graph_from_text (text);
  g_autoptr (GRand) rand = g_rand_new_with_seed (setting->seed);
  float **inputs = machine_inputs (graph, rand, -1.5, 1.5);
  guint n_inputs = inputs[1] == NULL ? 1 : 2;
  const char *kept[] = { has_name (graph, setting->kept) ? setting->kept : NULL, NULL };
  const char *pins[] = { has_name (graph, setting->pin) ? setting->pin : NULL, NULL };
  MachineWay plain = { .config = MACHINE_CONFIG (3, 32) };
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssaySettings) all = NULL;
  MachineWay way = setting->way;
  float **first = NULL, **other = NULL;
  gboolean streams = setting->axes[0] >= 0;
  char *complaint;

  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, setting->plain);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DYNAMIC_WEIGHTS, setting->dynamic);
  assay_settings_set_flag (&settings, ASSAY_SETTING_FP8_WEIGHTS, setting->fp8);
  assay_settings_set_flag (&settings, ASSAY_SETTING_STATE_RESET, setting->reset);
  assay_settings_set_list (&settings, ASSAY_SETTING_KEEP_FP32, kept);
  all = assay_settings_ref (settings);
  assay_settings_set_list (&all, ASSAY_SETTING_PIN, pins);
  plain.config.fabric = way.config.fabric;
  for (guint i = 0; i < n_inputs && streams; i++)
    {
      AssayValueId id = g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs,
                                       AssayValueId, i);

      streams = setting->axes[i] < assay_graph_value (graph, id)->type->rank;
    }
  if (streams)
    assay_settings_set_axes (&all, setting->axes, n_inputs);
  plain.options.settings = settings;
  way.options.settings = all;

  complaint = run_setting (graph, &plain, inputs, &first);
  if (complaint == NULL && first != NULL)
    complaint = judge_numbers (graph, numerics, inputs, first[0]);
  if (complaint == NULL && first != NULL)
    {
      plain.flags = ASSAY_MACHINE_FP32;
      complaint = run_setting (graph, &plain, inputs, &other);
      for (guint i = 0; i < G_N_ELEMENTS (fp32) && complaint == NULL; i++)
        complaint = judge_numbers (graph, fp32[i], inputs, other[0]);
      machine_free (g_steal_pointer (&other));
    }

  if (complaint == NULL)
    complaint = run_setting (graph, &way, inputs, &other);
  *ran = other != NULL;
  /* A stream may lie along another axis than the whole, and sums over lanes have another order than
   * over vectors. */
  if (complaint == NULL && other != NULL && first != NULL &&
      (!streams || !random_graph_has_sums (random)))
    complaint = judge_bits (graph, first, other);
  if (complaint == NULL && other != NULL)
    complaint = judge_numbers (graph, numerics, inputs, other[0]);

  machine_free (inputs);
  machine_free (first);
  machine_free (other);

  return complaint;
}

static char *
describe (const RandomGraph *random, const Setting *setting)
{
  const AssayConfigValues *config = &setting->way.config;
  g_autofree char *text = random_graph_to_text (random);

  return g_strdup_printf (
      "%u cores of block size %u, tensor RAM %u, weights %u, accumulators %u, cells %u, clamps %u, "
      "descriptors %u, axes %d %d, dynamic %d, optimized %d, fp8 %d, reset %d, kept in fp32 '%s', "
      "pinned '%s', input seed %u\nmain %s\n",
      config->num_cores, config->block_size, config->tensor_ram_depth, config->weight_store_depth,
      config->accum_store_depth, config->cell_state_depth, config->clamp_store_depth,
      config->tensor_descriptor_count, setting->axes[0], setting->axes[1], setting->dynamic,
      !setting->plain, setting->fp8, setting->reset, setting->kept, setting->pin, setting->seed,
      text);
}

/* Takes away what can go while the case still fails. */
static void
shrink (RandomGraph **random, const Setting *setting, char **complaint)
{
  guint attempt = 0;
  RandomGraph *smaller;

  while ((smaller = random_graph_smaller (*random, attempt)) != NULL)
    {
      g_autofree char *before = random_graph_to_text (*random);
      g_autofree char *after = random_graph_to_text (smaller);
      gboolean ran;
      char *still = strlen (after) < strlen (before) ? judge (smaller, setting, &ran) : NULL;

      attempt++;
      if (still == NULL)
        {
          random_graph_free (smaller);
          continue;
        }
      random_graph_free (*random);
      *random = smaller;
      g_free (*complaint);
      *complaint = still;
      attempt = 0;
    }
}

static void
test_random (void)
{
  guint n = g_test_slow () ? SLOW_CASES : CASES, n_ran = 0, n_bad = 0;

  for (guint32 seed = 0; seed < n; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      RandomGraph *random = random_graph_new (rand);
      Setting setting = random_setting (rand);
      g_autofree char *title = describe (random, &setting);
      char *complaint;
      gboolean ran = FALSE;

      g_snprintf (current, sizeof current, "crash in case %u: %s", seed, title);
      complaint = judge (random, &setting, &ran);
      n_ran += ran;
      if (complaint != NULL)
        {
          g_autofree char *smallest = NULL;

          shrink (&random, &setting, &complaint);
          smallest = describe (random, &setting);
          g_test_message ("case %u: %s\n%s", seed, complaint, smallest);
          n_bad++;
        }
      g_free (complaint);
      random_graph_free (random);
    }

  g_test_message ("%u of %u cases ran", n_ran, n);
  g_assert_cmpuint (n_bad, ==, 0);
  /* Most stores are small; what is left must not be too little to mean anything. */
  g_assert_cmpuint (n_ran, >=, n / 5);
}

TEST_PROGRAM (random_programs)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGSEGV, tell);
  signal (SIGABRT, tell);
  signal (SIGTRAP, tell);
  signal (SIGFPE, tell);
  g_test_add_func ("/random-programs/run-or-refuse", test_random);

  return g_test_run ();
}
