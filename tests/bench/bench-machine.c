/* bench-machine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The machine in bf16 against ONNX Runtime in fp32: one inference, the same weights, in one run;
 * first in one thread, then beside that in a thread per processor. Of a streamed model both compute
 * one step; ONNX Runtime gets the state as inputs, so that it computes no more than that. A plain
 * sum over as many bytes as the machine's weights have takes its turns between them, and meets its
 * bytes as the machine meets its weights: driven out by ONNX Runtime at first, then as its own last
 * turn left them.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "calibration-models.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-task-scheduler.h"
#include "backend/stream/machine/assay-machine.h"
#include "source/assay-source.h"
#include "ort-api.h"

#define ROUNDS 60
#define CHECKED_STEPS 12
#define HUGE_PAGE ((gsize) 2 << 20)

typedef struct
{
  const char *title;
  const char *model;
  const char *size;
} Case;

static const Case cases[] = {
  { "MLP 3 x 1024", "mlp", "3 layers of 1024" },
  { "MLP 4 x 2048", "mlp", "4 layers of 2048" },
  { "LSTM 3 x 256", "lstm", "3 layers, H 256" },
  { "LSTM 3 x 960, head", "lstm_large", "L 3 H 960" },
  { "CNN 6 x 256, kernel 8", "cnn_medium", "L 6 C 256" },
  { "TCN 3 x 512", "tcn", "channels 512 x3" },
};

/* Large stores: what is measured is the speed of the machine, not what fits. */
static const AssayConfigValues config = {
  .num_cores = 6,
  .block_size = 32,
  .tensor_ram_depth = 65536,
  .tensor_descriptor_count = 65536,
  .weight_store_depth = 65536,
  .accum_store_depth = 16384,
  .cell_state_depth = 1024,
  .clamp_store_depth = 32,
  .max_read_size = 512,
  .io_size = 32,
  .clock_mhz = 320,
  .timing = { 10, 36, 25, 4, 14, 21, 16, 14, 15, 2 },
};

/* Processor time of this thread where it works alone: on a busy machine it is what repeats. Several
 * wait for each other, which is no processor time. */
static double
now (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);

  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

typedef guint64 Lanes __attribute__ ((vector_size (32)));

/* On x86-64 with the vectors that the kernels use. */
#ifdef __x86_64__
__attribute__ ((target ("avx2")))
#endif
static guint64
sum_lanes (const Lanes *data, gsize n)
{
  Lanes a[8] = { 0 };
  guint64 sum = 0;

  for (gsize i = 0; i < n; i += 8)
    {
#pragma GCC unroll 8
      for (guint j = 0; j < 8; j++)
        a[j] += data[i + j];
    }
  for (guint i = 0; i < 8; i++)
    sum += a[i][0] + a[i][1] + a[i][2] + a[i][3];

  return sum;
}

/* Bytes that threads share, in pages of 2 MiB, as the weights of the machine lie; each thread of a
 * scheduler sums its share, so that it starts and ends as an inference does. */
typedef struct
{
  Lanes *data;
  gsize part; /* vectors of a thread */
  AssayTaskScheduler *scheduler;
  AssayTasks *tasks;
  guint64 sum; /* so that they are read */
} Bytes;

static void
bytes_sum_part (gpointer data, guint thread, const AssayTask *task)
{
  Bytes *self = data;
  guint64 sum = sum_lanes (self->data + task->instruction * self->part, self->part);

  (void) thread;
  __atomic_fetch_add (&self->sum, sum, __ATOMIC_RELAXED);
}

static void
bytes_sum (Bytes *self)
{
  (void) assay_task_scheduler_run (self->scheduler, self->tasks, bytes_sum_part, self, NULL, NULL);
}

static Bytes *
bytes_new (gsize n_bytes, guint n_threads)
{
  Bytes *self = g_new0 (Bytes, 1);
  gsize n;

  self->part = n_bytes / sizeof (Lanes) / 8 / n_threads * 8;
  n = self->part * n_threads;
  self->data = g_aligned_alloc (n, sizeof (Lanes), HUGE_PAGE);
#ifdef MADV_HUGEPAGE
  (void) madvise (self->data, n * sizeof (Lanes), MADV_HUGEPAGE);
#endif
  memset (self->data, 1, n * sizeof (Lanes));

  self->scheduler = assay_task_scheduler_new (n_threads);
  self->tasks = g_new0 (AssayTasks, 1);
  self->tasks->n_lists = n_threads;
  self->tasks->lists = g_new (AssayTaskList, n_threads);
  for (guint i = 0; i < n_threads; i++)
    {
      AssayTask task = { .instruction = i, .n_joined = 1 };

      self->tasks->lists[i].tasks = g_array_new (FALSE, FALSE, sizeof (AssayTask));
      self->tasks->lists[i].waits = g_array_new (FALSE, FALSE, sizeof (AssayTaskWait));
      g_array_append_val (self->tasks->lists[i].tasks, task);
    }

  return self;
}

static void
bytes_free (Bytes *self)
{
  if (self == NULL)
    return;

  assay_task_scheduler_free (self->scheduler);
  assay_tasks_free (self->tasks);
  g_aligned_free (self->data);
  g_free (self);
}

static gsize
count_weights (const AssayStreamCode *code)
{
  gsize n = 0;

  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);

      n += (gsize) placed->n_rows *
           g_array_index (code->matrices, AssayMatrix, placed->matrix).n_inputs;
    }

  return n;
}

static AssayStreamCode *
compile (const Case *test, const char *path, GError **error)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  int axis;

  if (!calibration_model_write (test->model, test->size, path, &axis, error))
    return NULL;
  graph = assay_model_read (path, NULL, NULL, NULL, error);
  if (graph == NULL)
    return NULL;
  if (axis >= 0)
    {
      assay_settings_set_axis (&settings, 0, axis);
      options.settings = settings;
    }

  return assay_compile (graph, &config, &options, NULL, error);
}

/* Both get the same vectors; the outputs may differ by what bf16 loses. Returns the difference
 * relative to the largest output of the step. */
static double
compare_step (AssayMachine *machine, OrtModel *ort, GRand *rand, float *input, float *output)
{
  const float *in = input;
  gsize n_in, n_out;
  float *ort_input = ort_model_get (ort, "input", &n_in);
  const float *expected;
  double largest = 0;
  double difference = 0;

  for (gsize i = 0; i < n_in; i++)
    ort_input[i] = input[i] = (float) g_rand_double_range (rand, -1, 1);

  assay_machine_run (machine, 0, &in, &output, NULL, NULL);
  ort_model_run (ort);
  expected = ort_model_get (ort, "output", &n_out);
  for (gsize i = 0; i < n_out; i++)
    {
      largest = MAX (largest, fabs ((double) expected[i]));
      difference = MAX (difference, fabs ((double) expected[i] - (double) output[i]));
    }
  ort_model_keep_state (ort);

  return difference / largest;
}

typedef struct
{
  AssayMachine *machine;
  OrtModel *ort;
  Bytes *bytes;
  float *input;
  float *output;
} Runs;

typedef enum
{
  TURN_OURS,
  TURN_THEIRS,
  TURN_SUM,
  N_TURNS
} Turn;

/* Milliseconds, the shortest of all: right behind another's turn, and behind its own. And what part
 * of the speed of the sum the machine had, of each round: what else runs on a busy machine changes
 * from one to the next, and the shortest of the one may be of another round than that of the other.
 */
typedef struct
{
  double first[N_TURNS];
  double again[N_TURNS];
  double first_part[ROUNDS];
  double again_part[ROUNDS];
} Times;

static void
times_clear (Times *times)
{
  for (guint i = 0; i < N_TURNS; i++)
    times->first[i] = times->again[i] = HUGE_VAL;
}

static void
take_turn (const Runs *runs, Turn turn, guint n, clockid_t clock, Times *times)
{
  const float *in = runs->input;
  float *out = runs->output;

  for (guint i = 0; i < n; i++)
    {
      double *best = i == 0 ? &times->first[turn] : &times->again[turn];
      double before = now (clock);

      switch (turn)
        {
        case TURN_OURS:
          assay_machine_run (runs->machine, 0, &in, &out, NULL, NULL);
          break;
        case TURN_THEIRS:
          ort_model_run (runs->ort);
          ort_model_keep_state (runs->ort);
          break;
        default:
          bytes_sum (runs->bytes);
          break;
        }
      *best = MIN (*best, now (clock) - before);
    }
}

/* In turn, so that all meet the same load; ONNX Runtime, which reads twice as many bytes, between
 * the other two. */
static void
take_turns (const Runs *runs, guint round, guint n, clockid_t clock, Times *times)
{
  static const Turn turns[] = { TURN_OURS, TURN_THEIRS, TURN_SUM, TURN_THEIRS };
  Times these;

  times_clear (&these);
  for (guint i = 0; i < G_N_ELEMENTS (turns); i++)
    take_turn (runs, turns[i], n, clock, &these);

  for (guint i = 0; i < N_TURNS; i++)
    {
      times->first[i] = MIN (times->first[i], these.first[i]);
      times->again[i] = MIN (times->again[i], these.again[i]);
    }
  times->first_part[round] = these.first[TURN_SUM] / these.first[TURN_OURS];
  times->again_part[round] = these.again[TURN_SUM] / these.again[TURN_OURS];
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* The one in the middle; sorts them. */
static double
median (double *values, guint n)
{
  qsort (values, n, sizeof *values, compare_doubles);

  return values[n / 2];
}

/* What a window that is not full yet lacks is not computed, so that the first inferences are short.
 */
static void
fill_windows (const Runs *runs, const AssayStreamCode *code)
{
  const float *in = runs->input;
  float *out = runs->output;
  guint slots = 0;

  for (guint i = 0; i < code->rings->len; i++)
    slots = MAX (slots, g_array_index (code->rings, AssayRing, i).slots);
  for (guint i = 0; i < slots; i++)
    assay_machine_run (runs->machine, 0, &in, &out, NULL, NULL);
}

static guint
count_turns (double megabytes)
{
  return (guint) CLAMP (200 / megabytes, 3, 100);
}

static void
print_reading (Times *times, double megabytes)
{
  g_print (" %6.1f %6.1f %4.0f %% %6.1f %6.1f %4.0f %%", megabytes / 2 / times->again[TURN_OURS],
           megabytes / 2 / times->again[TURN_SUM], 100 * median (times->again_part, ROUNDS),
           megabytes / 2 / times->first[TURN_OURS], megabytes / 2 / times->first[TURN_SUM],
           100 * median (times->first_part, ROUNDS));
}

static void
print_alone (const Case *test, const Runs *runs, double megabytes, double difference)
{
  double goal = megabytes > 64 ? 1.5 : 1;
  Times times;
  double ratio;

  times_clear (&times);
  for (guint round = 0; round < ROUNDS; round++)
    take_turns (runs, round, count_turns (megabytes), CLOCK_THREAD_CPUTIME_ID, &times);
  ratio = times.again[TURN_THEIRS] / times.again[TURN_OURS];
  g_print ("%-22s %9.1f %9.3f %9.3f %7.2f  %-7s %5.1f", test->title, megabytes,
           times.again[TURN_OURS], times.again[TURN_THEIRS], ratio,
           ratio >= goal ? "reached" : "MISSED", goal);
  print_reading (&times, megabytes);
  g_print (" %10.4f\n", difference);
}

/* One thread and several in turn. */
static void
print_together (const Case *test, const Runs *one, const Runs *more, guint n_threads,
                double megabytes)
{
  guint n = count_turns (megabytes);
  Times alone, together;
  const double *a = alone.again, *t = together.again;

  times_clear (&alone);
  times_clear (&together);
  for (guint round = 0; round < ROUNDS; round++)
    {
      take_turns (one, round, n, CLOCK_MONOTONIC, &alone);
      take_turns (more, round, n, CLOCK_MONOTONIC, &together);
    }
  g_print ("%-22s %7u %9.3f %9.3f %7.2f %9.3f %9.3f %7.2f %7.2f", test->title, n_threads,
           a[TURN_OURS], t[TURN_OURS], a[TURN_OURS] / t[TURN_OURS], a[TURN_THEIRS], t[TURN_THEIRS],
           a[TURN_THEIRS] / t[TURN_THEIRS], t[TURN_THEIRS] / t[TURN_OURS]);
  print_reading (&together, megabytes);
  g_print ("\n");
}

static gboolean
run_case (const Case *test, const char *library, const char *folder, guint n_threads,
          GError **error)
{
  g_autofree char *path = g_build_filename (folder, "bench-machine.onnx", NULL);
  g_autoptr (AssayStreamCode) code = compile (test, path, error);
  g_autoptr (AssayMachine) machine = NULL;
  g_autoptr (AssayMachine) several = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autofree float *input = NULL;
  g_autofree float *output = NULL;
  const AssayModelEntry *entry;
  double difference = 0;
  double megabytes;
  gsize n_bytes;
  Runs one = { 0 }, more = { 0 };

  if (code == NULL || !calibration_model_write_step (test->model, test->size, path, error))
    return FALSE;
  machine = assay_machine_new (code, ASSAY_MACHINE_BF16, error);
  if (machine == NULL)
    return FALSE;

  entry = &g_array_index (code->models, AssayModelEntry, 0);
  input = g_new0 (float, (gsize) entry->inputs[0].lanes * entry->inputs[0].n_vectors);
  output = g_new0 (float, (gsize) entry->outputs[0].lanes * entry->outputs[0].n_vectors);
  megabytes = (double) count_weights (code) * sizeof (float) / 1e6;
  n_bytes = count_weights (code) * sizeof (guint16);
  one = (Runs){ machine, ort_model_open (library, path, 1), bytes_new (n_bytes, 1), input, output };
  if (n_threads > 1)
    {
      several = assay_machine_new (code, ASSAY_MACHINE_BF16, error);
      if (several == NULL)
        return FALSE;
      assay_machine_set_threads (several, n_threads);
      more = (Runs){ several, ort_model_open (library, path, n_threads),
                     bytes_new (n_bytes, n_threads), input, output };
      fill_windows (&one, code);
      fill_windows (&more, code);
    }
  g_unlink (path);

  if (n_threads > 1)
    {
      print_together (test, &one, &more, n_threads, megabytes);
    }
  else
    {
      for (guint i = 0; i < CHECKED_STEPS; i++)
        difference = MAX (difference, compare_step (machine, one.ort, rand, input, output));
      fill_windows (&one, code);
      print_alone (test, &one, megabytes, difference);
    }
  bytes_free (one.bytes);
  bytes_free (more.bytes);

  return TRUE;
}

static gboolean
run_cases (const char *library, const char *folder, const char *which, guint n_threads)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      if (which != NULL && strstr (cases[i].title, which) == NULL)
        continue;
      if (!run_case (&cases[i], library, folder, n_threads, &error))
        {
          g_printerr ("%s: %s\n", cases[i].title, error->message);
          return FALSE;
        }
    }

  return TRUE;
}

int
main (int argc, char **argv)
{
  const char *which = argc > 3 ? argv[3] : NULL;
  guint n_threads = g_get_num_processors ();

  if (argc < 3)
    {
      g_printerr ("usage: bench-machine LIBRARY FOLDER [CASE]\n");
      return 2;
    }

  g_print ("%66s GB/s again  of sum    GB/s first  of sum\n", "");
  g_print ("%-22s %9s %9s %9s %7s  %-7s %5s %6s %6s %6s %6s %6s %6s %10s\n", "model", "MB fp32",
           "assay ms", "ORT ms", "ratio", "goal", "", "assay", "sum", "", "assay", "sum", "",
           "difference");
  if (!run_cases (argv[1], argv[2], which, 1))
    return 1;
  if (n_threads == 1)
    return 0;

  g_print (
      "\nseveral threads, wall time\n%-22s %7s %9s %9s %7s %9s %9s %7s %7s %6s %6s %6s %6s %6s\n",
      "model", "threads", "assay 1", "assay", "gain", "ORT 1", "ORT", "gain", "ratio", "again",
      "sum", "", "first", "sum");

  return run_cases (argv[1], argv[2], which, n_threads) ? 0 : 1;
}
