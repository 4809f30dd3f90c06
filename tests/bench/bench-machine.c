/* bench-machine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The machine in bf16 against ONNX Runtime in fp32: one inference, the same weights, in one run;
 * first in one thread, then beside that in a thread per processor. Of a streamed model both compute
 * one step; ONNX Runtime gets the state as inputs, so that it computes no more than that.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "calibration-models.h"
#include "base/assay-workers.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-machine.h"
#include "source/assay-source.h"
#include "ort-api.h"

#define ROUNDS 25
#define ROUNDS_TOGETHER 100
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

typedef struct
{
  const Lanes *data;
  guint64 sum; /* so that they are read */
} Share;

static void
sum_range (gpointer data, gsize begin, gsize end)
{
  Share *share = data;
  guint64 sum = sum_lanes (share->data + begin, end - begin);

  __atomic_fetch_add (&share->sum, sum, __ATOMIC_RELAXED);
}

/* GB/s at which so many bytes can be read again and again by so many threads: from the caches if
 * they fit there, else from memory. They lie in pages of 2 MiB, as the weights of the machine do.
 */
static double
read_bandwidth (gsize n_bytes, guint n_threads, clockid_t clock)
{
  g_autoptr (AssayWorkers) workers = assay_workers_new (n_threads);
  gsize part = n_bytes / sizeof (Lanes) / 8 / n_threads * 8;
  gsize n = part * n_threads;
  Lanes *data = g_aligned_alloc (n, sizeof (Lanes), HUGE_PAGE);
  Share share = { data, 0 };
  double best = HUGE_VAL;

#ifdef MADV_HUGEPAGE
  (void) madvise (data, n * sizeof (Lanes), MADV_HUGEPAGE);
#endif
  memset (data, 1, n * sizeof (Lanes));
  for (guint round = 0; round < (n_threads > 1 ? ROUNDS_TOGETHER : ROUNDS); round++)
    {
      double start = now (clock);

      assay_workers_run (workers, n, part, sum_range, &share, NULL);
      best = MIN (best, now (clock) - start);
    }
  g_aligned_free (data);

  return (double) n * sizeof (Lanes) / best / 1e6;
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
  float *input;
  float *output;
} Runs;

/* The shortest of so many inferences of each, in turn, so that both meet the same load; each starts
 * with its own weights as its last run left them. */
static void
time_both (const Runs *runs, guint n, clockid_t clock, double *ours, double *theirs)
{
  const float *in = runs->input;
  float *out = runs->output;

  for (guint i = 0; i < n; i++)
    {
      double before = now (clock);

      assay_machine_run (runs->machine, 0, &in, &out, NULL, NULL);
      if (i > 0)
        *ours = MIN (*ours, now (clock) - before);
    }
  for (guint i = 0; i < n; i++)
    {
      double before = now (clock);

      ort_model_run (runs->ort);
      ort_model_keep_state (runs->ort);
      if (i > 0)
        *theirs = MIN (*theirs, now (clock) - before);
    }
}

static void
print_alone (const Case *test, const Runs *runs, double megabytes, double difference)
{
  double ours = HUGE_VAL, theirs = HUGE_VAL;
  double goal = megabytes > 64 ? 1.5 : 1;

  for (guint round = 0; round < ROUNDS; round++)
    time_both (runs, (guint) CLAMP (200 / megabytes, 2, 100), CLOCK_THREAD_CPUTIME_ID, &ours,
               &theirs);
  g_print ("%-22s %9.1f %9.3f %9.3f %7.2f  %-7s %5.1f %9.1f %9.1f %10.4f\n", test->title, megabytes,
           ours, theirs, theirs / ours, theirs / ours >= goal ? "reached" : "MISSED", goal,
           megabytes / 2 / ours,
           read_bandwidth ((gsize) (megabytes * 1e6 / 2), 1, CLOCK_THREAD_CPUTIME_ID), difference);
}

/* One thread and several in turn. */
static void
print_together (const Case *test, const Runs *one, const Runs *more, guint n_threads,
                double megabytes)
{
  double ours[2] = { HUGE_VAL, HUGE_VAL }, theirs[2] = { HUGE_VAL, HUGE_VAL };
  guint n = (guint) CLAMP (200 / megabytes, 3, 100);

  for (guint round = 0; round < ROUNDS_TOGETHER; round++)
    {
      time_both (one, n, CLOCK_MONOTONIC, &ours[0], &theirs[0]);
      time_both (more, n, CLOCK_MONOTONIC, &ours[1], &theirs[1]);
    }
  g_print ("%-22s %7u %9.3f %9.3f %7.2f %9.3f %9.3f %7.2f %7.2f %9.1f %9.1f\n", test->title,
           n_threads, ours[0], ours[1], ours[0] / ours[1], theirs[0], theirs[1],
           theirs[0] / theirs[1], theirs[1] / ours[1], megabytes / 2 / ours[1],
           read_bandwidth ((gsize) (megabytes * 1e6 / 2), n_threads, CLOCK_MONOTONIC));
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
  Runs one, more = { 0 };

  if (code == NULL || !calibration_model_write_step (test->model, test->size, path, error))
    return FALSE;
  machine = assay_machine_new (code, ASSAY_MACHINE_BF16, error);
  if (machine == NULL)
    return FALSE;

  entry = &g_array_index (code->models, AssayModelEntry, 0);
  input = g_new0 (float, (gsize) entry->inputs[0].lanes * entry->inputs[0].n_vectors);
  output = g_new0 (float, (gsize) entry->outputs[0].lanes * entry->outputs[0].n_vectors);
  one = (Runs){ machine, ort_model_open (library, path, 1), input, output };
  if (n_threads > 1)
    {
      several = assay_machine_new (code, ASSAY_MACHINE_BF16, error);
      if (several == NULL)
        return FALSE;
      assay_machine_set_threads (several, n_threads);
      more = (Runs){ several, ort_model_open (library, path, n_threads), input, output };
    }
  g_unlink (path);

  megabytes = (double) count_weights (code) * sizeof (float) / 1e6;
  if (n_threads > 1)
    {
      print_together (test, &one, &more, n_threads, megabytes);
      return TRUE;
    }

  for (guint i = 0; i < CHECKED_STEPS; i++)
    difference = MAX (difference, compare_step (machine, one.ort, rand, input, output));
  print_alone (test, &one, megabytes, difference);

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

  g_print ("%-22s %9s %9s %9s %7s  %-7s %5s %9s %9s %10s\n", "model", "MB fp32", "assay ms",
           "ORT ms", "ratio", "goal", "", "GB/s", "can read", "difference");
  if (!run_cases (argv[1], argv[2], which, 1))
    return 1;
  if (n_threads == 1)
    return 0;

  g_print ("\nseveral threads, wall time\n%-22s %7s %9s %9s %7s %9s %9s %7s %7s %9s %9s\n", "model",
           "threads", "assay 1", "assay", "gain", "ORT 1", "ORT", "gain", "ratio", "GB/s",
           "can read");

  return run_cases (argv[1], argv[2], which, n_threads) ? 0 : 1;
}
