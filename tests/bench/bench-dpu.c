/* bench-dpu.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The integer machine of the DPU against ONNX Runtime on the same quantised model: one inference,
 * one thread, the same input, in turn. And how long quantising takes.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <time.h>

#include "backend/assay-executor.h"
#include "backend/dpu/machine/assay-dpu-kernels.h"
#include "base/assay-error.h"
#include "evaluate-models.h"
#include "fix/assay-model-save.h"
#include "ort-api.h"
#include "quantize/assay-quantize.h"
#include "source/assay-source.h"
#include "work/assay-work.h"

#define ROUNDS 15
#define N_SAMPLES 4
#define N_IMAGES 100

/* Of the time of ONNX Runtime, what its speed may be above ours. */
#define GOAL 1.0
/* Seconds of processor time that quantising with all images may take. */
#define GOAL_SECONDS 20.0

static const char *const models[] = { "mobile", "residual", "squeeze" };
/* What the generated models take in. */
static const gint64 image_dims[] = { 1, 3, 224, 224 };

static double
read_clock (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);

  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static float *
draw_image (guint seed, gsize n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  float *image = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    image[i] = (float) g_rand_double_range (rand, -1, 1);

  return image;
}

static GPtrArray *
make_sample (guint index, gpointer data, GError **error)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autofree float *image = draw_image (index + 1,
                                        (gsize) (image_dims[1] * image_dims[2] * image_dims[3]));

  g_ptr_array_add (inputs, assay_tensor_new_f32 (G_N_ELEMENTS (image_dims), image_dims, image));

  return inputs;
}

/* Quantises a model as the tool of PyTorch does. */
static AssayGraph *
quantize (const char *path, AssayTarget *target, guint n_samples, double *seconds, GError **error)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, findings, NULL, error);
  g_autoptr (AssayGraph) prepared = NULL;
  g_autoptr (AssayWork) work = NULL;
  AssayQuantizeCounts counts = { 0 };
  const AssayQuantizeOptions options = { .quantizer = assay_quantizer_get (0),
                                         .source = make_sample,
                                         .n_samples = n_samples,
                                         .findings = findings };
  double before = read_clock (CLOCK_PROCESS_CPUTIME_ID);
  AssayVerdicts *verdicts;
  AssayGraph *quantized;

  if (graph == NULL)
    return NULL;
  work = assay_work_new_for_graph (path, graph, target, settings);
  verdicts = assay_work_get_verdicts (work, NULL, error);
  if (verdicts == NULL)
    return NULL;
  prepared = assay_quantize_prepare (verdicts, &options, &counts);
  quantized = assay_quantize (verdicts, prepared, &options, &counts, NULL, error);
  *seconds = (read_clock (CLOCK_PROCESS_CPUTIME_ID) - before) / 1e3;

  return quantized;
}

/* Both on a model in 8 bits with one input and one output of known shape. */
static gboolean
time_both (AssayGraph *graph, AssayTarget *target, const char *title, const char *library,
           const char *path, GError **error)
{
  const AssayExecutorOptions options = { .n_threads = 1 };
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  const AssayType *in =
      assay_graph_value (graph, g_array_index (region->inputs, AssayValueId, 0))->type;
  const AssayType *out =
      assay_graph_value (graph, g_array_index (region->outputs, AssayValueId, 0))->type;
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  g_autoptr (AssayWork) work = assay_work_new_for_graph (path, graph, target, settings);
  AssayProgram *program = assay_work_get_program (work, NULL, error);
  g_autoptr (AssayExecutor) executor = NULL;
  g_autofree float *image = NULL;
  g_autofree float *result = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  OrtInput given = { 1, (gsize) in->rank, dims, NULL, 0 };
  OrtModel *ort;
  double ours = HUGE_VAL, theirs = HUGE_VAL;
  gsize n, n_out;

  if (program == NULL || (executor = assay_executor_new (program, &options, error)) == NULL)
    return FALSE;
  if (!assay_type_count (in, &n) || !assay_type_count (out, &n_out))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s has a shape that is open", path);
      return FALSE;
    }
  for (int i = 0; i < in->rank; i++)
    dims[i] = in->dims[i].size;
  image = draw_image (99, n);
  result = g_new (float, n_out);
  given.data = image;
  given.n_bytes = n * sizeof *image;
  ort = ort_model_open_given (library, path, 1, &given);
  ort_model_run (ort);
  for (guint round = 0; round < ROUNDS; round++)
    {
      double before = read_clock (CLOCK_THREAD_CPUTIME_ID), between;

      if (!assay_executor_run (executor, 0, 0, (const float *const[]){ image },
                               (float *const[]){ result }, NULL, error))
        return FALSE;
      between = read_clock (CLOCK_THREAD_CPUTIME_ID);
      ort_model_run (ort);
      ours = MIN (ours, between - before);
      theirs = MIN (theirs, read_clock (CLOCK_THREAD_CPUTIME_ID) - between);
    }
  g_print ("%-34s %9.3f %9.3f %7.2f  %s\n", title, ours, theirs, theirs / ours,
           theirs / ours >= GOAL ? "reached" : "MISSED");

  return TRUE;
}

static gboolean
run_model (const char *name, AssayTarget *target, const char *library, const char *folder,
           GError **error)
{
  g_autofree char *path = g_build_filename (folder, "bench-dpu.onnx", NULL);
  g_autofree char *written = g_build_filename (folder, "bench-dpu-int8.onnx", NULL);
  g_auto (AssayModelSave) saved = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  double seconds;
  gboolean done;

  if (!evaluate_model_write (name, path, error) ||
      (graph = quantize (path, target, N_SAMPLES, &seconds, error)) == NULL ||
      !assay_model_save (graph, written, NULL, &saved, error))
    return FALSE;
  done = time_both (graph, target, name, library, written, error);
  g_unlink (written);
  if (done && g_str_equal (name, models[0]))
    {
      g_clear_pointer (&graph, assay_graph_unref);
      graph = quantize (path, target, N_IMAGES, &seconds, error);
      done = graph != NULL;
      g_print ("%s quantised with %d images: %.1f s of processor time  %s: %.0f s\n", name,
               N_IMAGES, seconds, seconds <= GOAL_SECONDS ? "reached" : "MISSED", GOAL_SECONDS);
    }
  g_unlink (path);

  return done;
}

/* A model that came in 8 bits. */
static gboolean
run_file (const char *path, AssayTarget *target, const char *library, GError **error)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, findings, NULL, error);
  g_autofree char *name = g_path_get_basename (path);

  return graph != NULL && time_both (graph, target, name, library, path, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = NULL;

  if (argc < 3)
    {
      g_printerr ("usage: bench-dpu LIBRARY FOLDER [MODEL|FILE.onnx…]\n");
      return 2;
    }
  target = assay_target_load ("dpu_zdx8g_b4096", &error);
  if (target != NULL)
    g_print ("level of vectors: %s\n%-34s %9s %9s %7s  %s\n", assay_dpu_level_get_default ()->name,
             "model in 8 bits", "assay ms", "ORT ms", "ratio", "goal");
  for (int i = 3; target != NULL && error == NULL && i < argc; i++)
    if (g_str_has_suffix (argv[i], ".onnx"))
      run_file (argv[i], target, argv[1], &error);
    else
      run_model (argv[i], target, argv[1], argv[2], &error);
  for (guint i = 0; target != NULL && error == NULL && argc == 3 && i < G_N_ELEMENTS (models); i++)
    run_model (models[i], target, argv[1], argv[2], &error);
  if (error != NULL)
    g_printerr ("bench-dpu: %s\n", error->message);

  return error != NULL ? 1 : 0;
}
