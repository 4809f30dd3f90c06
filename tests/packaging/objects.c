/* objects.c: uses each object of the library as an installed program would.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <api/assay.h>
#include <backend/assay-cycles.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the line that failed; a release build has no assertions. */
#define CHECK(condition)                                                                           \
  do                                                                                               \
    {                                                                                              \
      if (!(condition))                                                                            \
        {                                                                                          \
          fprintf (stderr, "line %d: %s: %s\n", __LINE__, #condition,                              \
                   error != NULL ? error->message : "failed");                                     \
          exit (1);                                                                                \
        }                                                                                          \
    }                                                                                              \
  while (0)

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  const char *shape[] = { "1,64", NULL };
  const gint64 dims[] = { 1, 64 };
  g_autoptr (GBytes)
      zeros = g_bytes_new_take (g_malloc0 (64 * sizeof (float)), 64 * sizeof (float));
  g_autoptr (AssayConfig) config = assay_config_new_preset ("ia_420f_c6b32", &error);
  g_autoptr (AssayNnir) model = NULL;
  g_autoptr (AssayOptions) options = assay_options_new ();
  g_autoptr (AssayReport) report = NULL;
  g_autoptr (AssayProgramBuilder) builder = NULL;
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (AssayMetrics) metrics = NULL;
  g_autoptr (AssayTensor) input = assay_tensor_new (ASSAY_DTYPE_F32, 2, dims, zeros, &error);
  g_autoptr (AssayVm) vm = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  CHECK (argc == 2 && config != NULL && input != NULL);
  model = assay_nnir_from_onnx (argv[1], shape, &error);
  CHECK (model != NULL);
  report = assay_nnir_check (model, "ia_420f_c6b32", options, NULL, &error);
  CHECK (report != NULL && assay_report_is_clean (report));

  builder = assay_program_builder_new (config);
  assay_program_builder_add_nnir (builder, model, "mlp", options);
  program = assay_program_builder_to_program (builder, NULL, &error);
  CHECK (program != NULL);
  metrics = assay_program_metrics (program);
  CHECK (assay_metrics_get_weight_store_depth (metrics) > 0);
  vm = assay_program_to_vm (program, ASSAY_WRITE_QUEUE_CAPACITY, ASSAY_OUTPUT_BUFFER_CAPACITY, TRUE,
                            &error);
  CHECK (vm != NULL);
  outputs = assay_vm_run (vm, 0, &input, 1, &error);
  CHECK (outputs != NULL && outputs->len == 1 && assay_vm_cycle_count (vm) > 0);
  puts ("ok");

  return 0;
}
