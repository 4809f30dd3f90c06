/* test-threads.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Machines of one program in several threads at once: they share nothing that changes, and give the
 * bits of one thread. The threads are those of the C library, because the thread sanitizer (./dev
 * test threads) sees through these.
 */
#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "calibration-fixture.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-timing.h"

#define THREADS 4
#define STEPS 12

typedef struct
{
  AssayStreamCode *code;
  float *outputs; /* of every step, one after another */
  gsize n_outputs;
  AssayCycles cycles;
} Work;

static gpointer
run_machine (gpointer data)
{
  Work *work = data;
  const AssayModelEntry *entry = &g_array_index (work->code->models, AssayModelEntry, 0);
  gsize n_inputs = (gsize) entry->inputs[0].lanes * entry->inputs[0].n_vectors;
  g_autoptr (AssayMachine) machine = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autofree float *input = g_new (float, n_inputs);
  const float *in = input;

  machine = assay_machine_new (work->code, ASSAY_MACHINE_BF16, NULL);
  g_assert_nonnull (machine);
  work->n_outputs = (gsize) entry->outputs[0].lanes * entry->outputs[0].n_vectors;
  work->outputs = g_new (float, work->n_outputs *STEPS);

  for (guint step = 0; step < STEPS; step++)
    {
      float *out = work->outputs + step * work->n_outputs;

      for (gsize i = 0; i < n_inputs; i++)
        input[i] = (float) g_rand_double_range (rand, -1, 1);
      g_assert_true (assay_machine_run (machine, 0, &in, &out, NULL, NULL));
    }
  assay_timing_run (work->code, 0, &work->cycles, NULL);

  return NULL;
}

static AssayStreamCode *
compile (const char *model, const char *size)
{
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  AssayStreamCode *code;
  int axis;

  graph = calibration_open (model, size, &axis);
  config = assay_config_new_preset ("ia_420f_c6b32", &error);
  g_assert_no_error (error);
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
test_machines (gconstpointer data)
{
  const char *const *model = data;
  g_autoptr (AssayStreamCode) code = compile (model[0], model[1]);
  Work alone = { .code = code };
  Work works[THREADS];
  pthread_t threads[THREADS];

  for (guint i = 0; i < THREADS; i++)
    {
      works[i] = (Work){ .code = code };
      g_assert_cmpint (pthread_create (&threads[i], NULL, run_machine, &works[i]), ==, 0);
    }
  run_machine (&alone);

  for (guint i = 0; i < THREADS; i++)
    {
      gsize size = alone.n_outputs * STEPS * sizeof (float);

      pthread_join (threads[i], NULL);
      g_assert_cmpmem (works[i].outputs, size, alone.outputs, size);
      g_assert_cmpuint (works[i].cycles.spaced, ==, alone.cycles.spaced);
      g_free (works[i].outputs);
    }
  g_free (alone.outputs);
}

int
main (int argc, char **argv)
{
  static const char *const models[][2] = {
    { "mlp-res-rms", "dim 70, hidden 130, silu" },
    { "cnn", "2 layers, 40 ch, kernel 5" },
    { "lstm", "2 layers, H 50" },
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strdup_printf ("/threads/machines/%s", models[i][0]);

      g_test_add_data_func (path, models[i], test_machines);
    }

  return g_test_run ();
}
