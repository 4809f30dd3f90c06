/* test-lowering.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every operation that compiles against the expected results of the ONNX test data, which other
 * code computed; and the same bits for every configuration.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "machine-run.h"
#include "nnir/assay-graph-builder.h"
#include "test-models.h"
#include "test-program.h"

typedef struct
{
  guint rank;
  gint64 dims[8];
  gint64 dtype;
  gsize n;
  float *values; /* of a float tensor */
} Data;

static guint64
read_varint (const guint8 **at, const guint8 *end)
{
  guint64 value = 0;

  for (guint shift = 0; *at < end && shift < 64; shift += 7)
    {
      guint8 byte = *(*at)++;

      value |= (guint64) (byte & 127) << shift;
      if (byte < 128)
        break;
    }

  return value;
}

/* The fields of a TensorProto (onnx.proto) that float tensors use. */
static gboolean
read_data (const char *path, Data *data)
{
  g_autofree char *text = NULL;
  const guint8 *raw = NULL;
  gsize size, n_raw = 0;

  *data = (Data){ .n = 1 };
  if (!g_file_get_contents (path, &text, &size, NULL))
    return FALSE;

  for (const guint8 *at = (const guint8 *) text, *end = at + size; at < end;)
    {
      guint64 key = read_varint (&at, end);
      guint64 value = (key & 7) == 5 ? 4 : read_varint (&at, end);
      const guint8 *start = at;

      if (key == (1 << 3))
        data->dims[data->rank++ % 8] = (gint64) value;
      else if (key == (1 << 3 | 2))
        for (const guint8 *p = start; p < start + value;)
          data->dims[data->rank++ % 8] = (gint64) read_varint (&p, start + value);
      else if (key == (2 << 3))
        data->dtype = (gint64) value;
      else if (key == (4 << 3 | 2) || key == (9 << 3 | 2))
        raw = start, n_raw = value;
      if ((key & 7) == 2 || (key & 7) == 5)
        at += value;
    }

  for (guint i = 0; i < MIN (data->rank, 8); i++)
    data->n *= (gsize) data->dims[i];
  if (data->dtype != 1 || n_raw != data->n * sizeof (float) || data->rank > 8)
    return FALSE;
  data->values = g_memdup2 (raw, n_raw);

  return TRUE;
}

static gboolean
read_case (const char *name, const char *kind, guint index, Data *data)
{
  g_autofree char *path = g_strdup_printf (MODELS "/node/%s/test_data_set_0/%s_%u.pb", name, kind,
                                           index);

  return read_data (path, data);
}

/* Sets the inputs behind the first to their values; FALSE if one has no floats. */
static gboolean
set_parameters (AssayGraph *graph, const char *name)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  graph->ir_version = 3;
  for (guint i = 1; i < inputs->len; i++)
    {
      AssayValue *value = assay_graph_edit_value (graph, g_array_index (inputs, AssayValueId, i));
      g_autoptr (AssayTensor) tensor = NULL;
      Data data;

      if (!read_case (name, "input", i, &data))
        return FALSE;
      tensor = assay_tensor_new_f32 (data.rank, data.dims, data.values);
      g_free (data.values);
      assay_graph_set_constant (graph, g_array_index (inputs, AssayValueId, i), tensor);
      value->is_parameter = TRUE;
    }

  return inputs->len > 0;
}

typedef struct
{
  guint cores, block;
  AssayMachineFlags flags;
} Way;

/* All outputs, one behind another. */
static float *
run_case (AssayGraph *graph, Way way, float *input, gsize *n, GError **error)
{
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;
  MachineWay how = { .config = MACHINE_CONFIG (way.cores, way.block), .flags = way.flags };
  g_autoptr (AssaySettings) settings = NULL;
  float *inputs[] = { input, NULL };
  float **outputs;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (float));

  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  how.options.settings = settings;
  outputs = machine_run_graph (graph, &how, inputs, error);
  for (guint i = 0; outputs != NULL && i < ids->len; i++)
    g_array_append_vals (all, outputs[i],
                         (guint) machine_count (graph, g_array_index (ids, AssayValueId, i)));
  *n = all->len;
  if (outputs == NULL)
    return NULL;
  machine_free (outputs);

  return (float *) (gpointer) g_array_free (g_steal_pointer (&all), FALSE);
}

/* The test data rounds to fp32 too; the scale is the greatest magnitude of the result, and of the
 * input for sums. */
static gboolean
is_near (const float *got, const Data *expected, double magnitude, gsize *where)
{
  for (gsize i = 0; i < expected->n; i++)
    {
      if (isnan (expected->values[i]) && isnan (got[i]))
        continue;
      if (!isfinite (expected->values[i]) && got[i] == expected->values[i])
        continue;
      *where = i;
      if (!(fabs ((double) got[i] - expected->values[i]) <= 1e-5 * magnitude))
        return FALSE;
    }

  return TRUE;
}

static gboolean
check_case (const char *name, guint *n_checked)
{
  static const Way ways[] = { { 3, 32, ASSAY_MACHINE_BF16 },
                              { 1, 16, ASSAY_MACHINE_BF16 },
                              { 5, 64, ASSAY_MACHINE_SCALAR } };
  g_autofree char *path = g_build_filename (MODELS, "node", name, "model.onnx", NULL);
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree float *exact = NULL;
  g_autofree float *first = NULL;
  double magnitude = 0;
  gboolean good = TRUE;
  Data input = { 0 };
  gsize n, at = 0, where = 0;

  if (graph == NULL || !set_parameters (graph, name) || !read_case (name, "input", 0, &input))
    return TRUE;

  exact = run_case (graph, (Way){ 3, 32, ASSAY_MACHINE_FP32 }, input.values, &n, &error);
  if (exact == NULL)
    {
      good = error->code == ASSAY_ERROR_UNSUPPORTED || error->code == ASSAY_ERROR_ALLOCATION;
      g_free (input.values);
      return good;
    }

  for (gsize i = 0; i < input.n; i++)
    magnitude = MAX (magnitude, isfinite (input.values[i]) ? fabs (input.values[i]) : 0);
  (*n_checked)++;
  for (guint output = 0; at < n; output++)
    {
      Data expected;
      double scale = magnitude;

      if (!read_case (name, "output", output, &expected))
        break;
      for (gsize i = 0; i < expected.n; i++)
        scale = MAX (scale, isfinite (expected.values[i]) ? fabs (expected.values[i]) : 0);
      if (at + expected.n > n || !is_near (exact + at, &expected, scale, &where))
        {
          g_test_message ("%s: output %u element %" G_GSIZE_FORMAT " is %g, expected %g", name,
                          output, where, exact[at + where], expected.values[where]);
          good = FALSE;
        }
      at += expected.n;
      g_free (expected.values);
    }

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree float *bits = run_case (graph, ways[i], input.values, &n, &error);

      g_assert_no_error (error);
      if (first == NULL)
        first = g_steal_pointer (&bits);
      else if (memcmp (first, bits, n * sizeof *bits) != 0)
        {
          g_test_message ("%s: %u cores of block size %u give other bits", name, ways[i].cores,
                          ways[i].block);
          good = FALSE;
        }
    }
  g_free (input.values);

  return good;
}

static void
test_cases (void)
{
  g_autoptr (GDir) dir = g_dir_open (MODELS "/node", 0, NULL);
  guint n_bad = 0, n_checked = 0;
  const char *name;

  if (dir == NULL)
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  while ((name = g_dir_read_name (dir)) != NULL)
    n_bad += !check_case (name, &n_checked);

  g_test_message ("%u cases run, %u wrong", n_checked, n_bad);
  g_assert_cmpuint (n_bad, ==, 0);
  g_assert_cmpuint (n_checked, >=, 100);
}

TEST_PROGRAM (lowering)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lowering/cases", test_cases);

  return g_test_run ();
}
