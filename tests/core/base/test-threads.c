/* test-threads.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Machines of one program in several threads at once: they share nothing that changes, and give the
 * bits of one thread. The threads are those of the C library, because the thread sanitizer (./dev
 * test threads) sees through these. And one machine whose instructions several threads share: the
 * bits of one thread, whoever looks on or cancels.
 */
#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "base/assay-error.h"
#include "calibration-fixture.h"
#include "test-program.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-tasks.h"
#include "backend/stream/machine/assay-timing.h"

#define THREADS 4
#define STEPS 12

typedef struct
{
  AssayStreamCode *code;
  float *outputs; /* of every step, one after another */
  gsize n_outputs;
  AssayCycles cycles;
  guint n_threads;     /* of the machine, 0 for one */
  AssayMachineTap tap; /* nullable: looks on */
  gpointer tap_data;
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
  assay_machine_set_threads (machine, MAX (work->n_threads, 1));
  assay_machine_set_tap (machine, work->tap, work->tap_data);
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
compile (const char *model, const char *size, const char *preset)
{
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  AssayStreamCode *code;
  int axis;

  graph = calibration_open (model, size, &axis);
  config = assay_config_new_preset (preset, &error);
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
  g_autoptr (AssayStreamCode) code = compile (model[0], model[1], "ia_420f_c6b32");
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

static gboolean
count_instruction (AssayMachine *machine, const AssayInstruction *instruction, gpointer user_data,
                   GError **error)
{
  guint *n = user_data;

  (*n)++;

  return TRUE;
}

static void
assert_same (const Work *expected, Work *work)
{
  gsize size = expected->n_outputs * STEPS * sizeof (float);

  run_machine (work);
  g_assert_cmpmem (work->outputs, size, expected->outputs, size);
  g_clear_pointer (&work->outputs, g_free);
}

/* Matrices of every family that are large enough to be divided, on few and on many cores. */
static void
test_division (gconstpointer data)
{
  static const char *const presets[] = { "ia_420f_c6b32", "ia_840f_c3b64" };
  const char *const *model = data;

  for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AssayStreamCode) code = compile (model[0], model[1], presets[i]);
      Work one = { .code = code };
      guint n_seen = 0;

      run_machine (&one);
      for (guint n_threads = 2; n_threads <= THREADS; n_threads++)
        {
          Work several = { .code = code, .n_threads = n_threads };

          assert_same (&one, &several);
        }

      /* Who looks on sees every instruction of every step, in one thread. */
      {
        Work watched = {
          .code = code, .n_threads = THREADS, .tap = count_instruction, .tap_data = &n_seen
        };

        assert_same (&one, &watched);
        g_assert_cmpuint (n_seen, >, 0);
        g_assert_cmpuint (n_seen % STEPS, ==, 0);
      }
      g_free (one.outputs);
    }
}

/* Whether anybody waits for so many tasks of a list. */
static gboolean
is_awaited (const AssayTasks *tasks, guint list, guint32 count)
{
  for (guint i = 0; i < tasks->n_lists; i++)
    {
      const GArray *waits = tasks->lists[i].waits;

      for (guint j = 0; j < waits->len; j++)
        {
          const AssayTaskWait *wait = &g_array_index (waits, AssayTaskWait, j);

          if (wait->list == list && wait->count == count)
            return TRUE;
        }
    }

  return FALSE;
}

/* Products go together, and nobody has to wait longer for one of them. */
static void
test_joined (void)
{
  g_autoptr (AssayStreamCode) code = compile ("cnn", "2 layers, 200 ch, kernel 5", "ia_420f_c6b32");
  guint n_joined = 0;

  for (guint n_lists = 1; n_lists <= THREADS; n_lists++)
    {
      g_autoptr (AssayTasks) tasks = assay_tasks_new (code, 0, n_lists);

      for (guint list = 0; list < n_lists; list++)
        {
          const AssayTask *task = (const AssayTask *) (gpointer) tasks->lists[list].tasks->data;
          guint n = tasks->lists[list].tasks->len;

          for (guint i = 0; i < n; i += task[i].n_joined)
            {
              g_assert_cmpuint (task[i].n_joined, >=, 1);
              g_assert_cmpuint (task[i].n_joined, <=, MIN (n - i, ASSAY_JOINED_PRODUCTS));
              n_joined += task[i].n_joined - 1;
              for (guint j = i + 1; j < i + task[i].n_joined; j++)
                {
                  g_assert_cmpuint (task[j - 1].n_rows, >, 0);
                  g_assert_cmpuint (task[j].n_rows, >, 0);
                  g_assert_cmpuint (task[j].n_waits, ==, 0);
                  g_assert_false (is_awaited (tasks, list, j));
                }
            }
        }
    }
  g_assert_cmpuint (n_joined, >, 50);
}

typedef struct
{
  GCancellable *cancellable;
  int started;
} Stop;

static gpointer
cancel_later (gpointer data)
{
  Stop *stop = data;

  while (g_atomic_int_get (&stop->started) == 0)
    g_thread_yield ();
  g_cancellable_cancel (stop->cancellable);

  return NULL;
}

/* Whenever it comes, everybody stops; and after a reset the machine is as good as new. */
static void
test_cancel (void)
{
  g_autoptr (AssayStreamCode) code = compile ("cnn", "4 layers, 200 ch, kernel 8", "ia_420f_c6b32");
  g_autoptr (AssayMachine) machine = assay_machine_new (code, ASSAY_MACHINE_BF16, NULL);
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, 0);
  g_autofree float *input = g_new0 (float, assay_port_count (entry->inputs));
  g_autofree float *output = g_new0 (float, assay_port_count (entry->outputs));
  g_autofree float *first = g_new0 (float, assay_port_count (entry->outputs));
  const float *in = input;
  float *out = first;

  for (gsize i = 0; i < assay_port_count (entry->inputs); i++)
    input[i] = (float) (i % 7) / 8 - 0.25f;
  assay_machine_set_threads (machine, THREADS);
  g_assert_true (assay_machine_run (machine, 0, &in, &out, NULL, NULL));

  out = output;
  for (guint i = 0; i < STEPS; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
      Stop stop = { cancellable, 0 };
      pthread_t thread;
      gsize size = assay_port_count (entry->outputs) * sizeof (float);

      g_assert_cmpint (pthread_create (&thread, NULL, cancel_later, &stop), ==, 0);
      g_atomic_int_set (&stop.started, 1);
      while (assay_machine_run (machine, 0, &in, &out, &progress, &error))
        g_assert_no_error (error);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
      pthread_join (thread, NULL);

      assay_machine_reset (machine, 0);
      g_assert_true (assay_machine_run (machine, 0, &in, &out, NULL, NULL));
      g_assert_cmpmem (output, size, first, size);
    }
}

TEST_PROGRAM (threads)
{
  static const char *const models[][2] = {
    { "mlp-res-rms", "dim 70, hidden 130, silu" },
    { "cnn", "2 layers, 40 ch, kernel 5" },
    { "lstm", "2 layers, H 50" },
  };
  static const char *const divided[][2] = {
    { "slp", "300 -> 300" },
    { "mlp", "2 layers of 200" },
    { "mlp-res-rms", "dim 130, hidden 250, silu" },
    { "ffn-swiglu", "dim 128, hidden 256, separate gate" },
    { "ffn-swiglu", "dim 128, hidden 256, fused gate" },
    { "cnn", "2 layers, 200 ch, kernel 5" },
    { "tcn", "channels 128 x2" },
    { "lstm", "2 layers, H 130" },
    { "gru", "in 128, H 128, 1 layer, bf16 state" },
    { "wavenet", "2 layers, hidden 160" },
    { "mobilenet", "width 0.42" },
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strdup_printf ("/threads/machines/%s", models[i][0]);

      g_test_add_data_func (path, models[i], test_machines);
    }

  for (guint i = 0; i < G_N_ELEMENTS (divided); i++)
    {
      g_autofree char *path = g_strdup_printf ("/threads/division/%s/%s", divided[i][0],
                                               divided[i][1]);

      g_test_add_data_func (path, divided[i], test_division);
    }
  g_test_add_func ("/threads/joined", test_joined);
  g_test_add_func ("/threads/cancel", test_cancel);

  return g_test_run ();
}
