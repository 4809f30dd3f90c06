/* bench-machine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The machine in bf16 against ONNX Runtime in fp32: one inference, one thread, the same weights, in
 * one run. Of a streamed model both compute one step; ONNX Runtime gets the state as inputs, so
 * that it computes no more than that.
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
#include "backend/stream/machine/assay-machine.h"
#include "source/assay-source.h"
#include "ort-api.h"

#define ROUNDS 25
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

/* Processor time of this thread: on a busy machine it is what repeats. */
static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);

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

/* GB/s at which so many bytes can be read again and again: from the caches if they fit there, else
 * from memory. They lie in pages of 2 MiB, as the weights of the machine do. */
static double
read_bandwidth (gsize n_bytes)
{
  gsize n = n_bytes / sizeof (Lanes) / 8 * 8;
  Lanes *data = g_aligned_alloc (n, sizeof (Lanes), HUGE_PAGE);
  double best = HUGE_VAL;
  volatile guint64 sink;

#ifdef MADV_HUGEPAGE
  (void) madvise (data, n * sizeof (Lanes), MADV_HUGEPAGE);
#endif
  memset (data, 1, n * sizeof (Lanes));
  for (guint round = 0; round < ROUNDS; round++)
    {
      double start = now ();

      sink = sum_lanes (data, n);
      best = MIN (best, now () - start);
    }
  (void) sink;
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

static gboolean
run_case (const Case *test, const char *library, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "bench-machine.onnx", NULL);
  g_autoptr (AssayStreamCode) code = compile (test, path, error);
  g_autoptr (AssayMachine) machine = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autofree float *input = NULL;
  g_autofree float *output = NULL;
  const AssayModelEntry *entry;
  OrtModel *ort;
  double ours = HUGE_VAL;
  double theirs = HUGE_VAL;
  double difference = 0;
  double megabytes, goal, roofline;

  if (code == NULL || !calibration_model_write_step (test->model, test->size, path, error))
    return FALSE;
  machine = assay_machine_new (code, ASSAY_MACHINE_BF16, error);
  if (machine == NULL)
    return FALSE;
  ort = ort_model_open (library, path);
  g_unlink (path);

  entry = &g_array_index (code->models, AssayModelEntry, 0);
  input = g_new0 (float, (gsize) entry->inputs[0].lanes * entry->inputs[0].n_vectors);
  output = g_new0 (float, (gsize) entry->outputs[0].lanes * entry->outputs[0].n_vectors);

  for (guint i = 0; i < CHECKED_STEPS; i++)
    difference = MAX (difference, compare_step (machine, ort, rand, input, output));

  megabytes = (double) count_weights (code) * sizeof (float) / 1e6;
  /* In turn, so that both meet the same load; each starts with its own weights as its last run left
   * them. */
  for (guint round = 0; round < ROUNDS; round++)
    {
      guint n = (guint) CLAMP (200 / megabytes, 2, 100);
      const float *in = input;
      float *out = output;

      for (guint i = 0; i < n; i++)
        {
          double before = now ();

          assay_machine_run (machine, 0, &in, &out, NULL, NULL);
          if (i > 0)
            ours = MIN (ours, now () - before);
        }
      for (guint i = 0; i < n; i++)
        {
          double before = now ();

          ort_model_run (ort);
          ort_model_keep_state (ort);
          if (i > 0)
            theirs = MIN (theirs, now () - before);
        }
    }

  roofline = read_bandwidth ((gsize) (megabytes * 1e6 / 2));
  goal = megabytes > 64 ? 1.5 : 1;
  g_print ("%-22s %9.1f %9.3f %9.3f %7.2f  %-7s %5.1f %9.1f %9.1f %10.4f\n", test->title, megabytes,
           ours, theirs, theirs / ours, theirs / ours >= goal ? "reached" : "MISSED", goal,
           megabytes / 2 / ours, roofline, difference);

  return TRUE;
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    {
      g_printerr ("usage: bench-machine LIBRARY FOLDER [CASE]\n");
      return 2;
    }

  g_print ("%-22s %9s %9s %9s %7s  %-7s %5s %9s %9s %10s\n", "model", "MB fp32", "assay ms",
           "ORT ms", "ratio", "goal", "", "GB/s", "can read", "difference");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      if (argc > 3 && strstr (cases[i].title, argv[3]) == NULL)
        continue;
      if (!run_case (&cases[i], argv[1], argv[2], &error))
        {
          g_printerr ("%s: %s\n", cases[i].title, error->message);
          return 1;
        }
    }

  return 0;
}
