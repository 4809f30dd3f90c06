/* test-program-objects.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Objects of the API for programs of every kind of target: stores that a kind does not have are
 * empty.
 */
#include <string.h>

#include "api/assay-metrics-object.h"
#include "api/assay-nnir.h"
#include "base/assay-error.h"
#include "folder.h"
#include "model-writer.h"
#include "nnir/text/assay-text.h"
#include "work/assay-work.h"

#include "test-program.h"

typedef guint (*LimitFunc) (AssayMetrics *metrics);
typedef guint *(*UsesFunc) (AssayMetrics *metrics, gsize *n_cores);

static const struct
{
  const char *name;
  LimitFunc limit;
  UsesFunc uses;
} stores[] = {
#define STORE(name, limit)                                                                         \
  {                                                                                                \
#name, assay_metrics_get_##name##_##limit, assay_metrics_get_##name##_used                     \
  }
  STORE (clamp_store, depth),
  STORE (tensor_ram, depth),
  STORE (weight_store, depth),
  STORE (accum_store, depth),
  STORE (cell_state, depth),
  STORE (tensor_descriptor, count),
  { "instrs", NULL, assay_metrics_get_num_instrs },
#undef STORE
};

static AssayMetrics *
measure (const char *target_id)
{
  static const char text[] = "nnir 1\n"
                             "main (%x : f32[1,64], %y : f32[64]) {\n"
                             "  %a = Add(%x, %y) : f32[1,64] @ \"add\"\n"
                             "  return %a\n"
                             "}\n";
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, NULL);
  g_autoptr (AssayTarget) target = assay_target_load (target_id, NULL);
  g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, target, NULL);
  g_autoptr (GError) error = NULL;
  AssayProgram *program;

  assay_work_set_name (work, "model");
  program = assay_work_get_program (work, NULL, &error);
  g_assert_no_error (error);

  return assay_program_metrics (program);
}

static void
test_stores (void)
{
  /* Two blocks of 32 for each of three tensors in bf16, which two inputs, an addition and an output
   * make. */
  static const struct
  {
    const char *target;
    guint n_cores;
    guint limits[G_N_ELEMENTS (stores)];
    guint uses[G_N_ELEMENTS (stores)]; /* of the first core */
    guint64 n_bytes[2];                /* of inputs and outputs */
  } rows[] = {
    { "ia_420f_c6b32",
      6,
      { 32, 4096, 512, 1024, 512, 1024 },
      { 0, 6, 0, 0, 0, 3, 4 },
      { 256, 128 } },
    { "vulkan-seed", 1, { 0 }, { 0 }, { 512, 256 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayMetrics) metrics = measure (rows[i].target);
      g_auto (GStrv) names = assay_metrics_get_model_names (metrics);
      gsize n;
      g_autofree guint64 *inputs = assay_metrics_get_input_bytes (metrics, &n);
      g_autofree guint64 *outputs = assay_metrics_get_output_bytes (metrics, &n);

      g_test_message ("%s", rows[i].target);
      g_assert_cmpuint (n, ==, 1);
      g_assert_cmpuint (g_strv_length (names), ==, 1);
      g_assert_cmpstr (names[0], ==, "model");
      g_assert_cmpuint (inputs[0], ==, rows[i].n_bytes[0]);
      g_assert_cmpuint (outputs[0], ==, rows[i].n_bytes[1]);
      for (guint k = 0; k < G_N_ELEMENTS (stores); k++)
        {
          g_autofree guint *uses = stores[k].uses (metrics, &n);

          g_test_message ("%s: %u, %u of %u", stores[k].name, (guint) n, uses[0],
                          stores[k].limit != NULL ? stores[k].limit (metrics) : 0);
          g_assert_cmpuint (n, ==, rows[i].n_cores);
          g_assert_cmpuint (uses[0], ==, rows[i].uses[k]);
          if (stores[k].limit != NULL)
            g_assert_cmpuint (stores[k].limit (metrics), ==, rows[i].limits[k]);
        }
    }
}

/* A model that cannot be read is none, and there is an error. */
static void
test_unreadable (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-api-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *expected = g_strconcat (path, ": graph: \"none\" is read, but nothing writes it",
                                           NULL);
  g_autoptr (AssayNnir) nnir = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (ModelWriter) writer;

  model_writer_init (&writer, "graph");
  model_writer_input (&writer, "x", 1, "2");
  model_writer_output (&writer, "y", 1, "2");
  model_writer_node (&writer, "Relu", "relu", "none", "y");
  g_assert_true (model_writer_save (&writer, path, 17, NULL));
  nnir = assay_nnir_from_onnx (path, NULL, &error);
  g_assert_null (nnir);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_assert_cmpstr (error->message, ==, expected);
  folder_remove (folder);
}

TEST_PROGRAM (program_objects)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/program-objects/stores", test_stores);
  g_test_add_func ("/program-objects/unreadable", test_unreadable);

  return g_test_run ();
}
