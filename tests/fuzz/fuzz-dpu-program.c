/* fuzz-dpu-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "backend/assay-build.h"
#include "backend/assay-executor.h"
#include "backend/dpu/assay-dpu-program.h"

#include "fuzz.h"
#include "mutate-numbers.h"

/* More than this takes too long to run. */
#define MAX_VALUES 100000

FUZZ_MUTATOR (dpu_program)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  mutate_digits (data, size, random);

  return size;
}

static gsize
count_values (AssayProgram *program)
{
  const AssayDpuCode *code = assay_dpu_program_get_code (ASSAY_DPU_PROGRAM (program));
  gsize n = code->n_bytes;

  for (AssayValueId id = 1; id < assay_graph_n_values (code->graph); id++)
    {
      gsize size;

      if (!assay_type_count (assay_graph_value (code->graph, id)->type, &size) || size > MAX_VALUES)
        return G_MAXSIZE / 2;
      n += size;
    }

  return n;
}

static void
run (AssayProgram *program)
{
  const AssayModelEntry *model = assay_program_get_model (program, 0);
  g_autoptr (AssayExecutor) executor = assay_executor_new (program, NULL, NULL);
  g_autofree float **inputs = g_new0 (float *, model->n_inputs + 1);
  g_autofree float **outputs = g_new0 (float *, model->n_outputs + 1);

  for (guint i = 0; i < model->n_inputs; i++)
    inputs[i] = g_new0 (float, assay_port_count (&model->inputs[i]));
  for (guint i = 0; i < model->n_outputs; i++)
    outputs[i] = g_new0 (float, assay_port_count (&model->outputs[i]));
  if (executor != NULL)
    (void) !assay_executor_run (executor, 0, 0, (const float *const *) inputs, outputs, NULL, NULL);
  for (guint i = 0; i < model->n_inputs; i++)
    g_free (inputs[i]);
  for (guint i = 0; i < model->n_outputs; i++)
    g_free (outputs[i]);
}

/* Whatever loads can be listed, counted, written out and run. */
FUZZ_TARGET (dpu_program)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayProgram) program = NULL;

  if (size < strlen (ASSAY_DPU_PROGRAM_MARK) ||
      memcmp (data, ASSAY_DPU_PROGRAM_MARK, strlen (ASSAY_DPU_PROGRAM_MARK)) != 0)
    return 0;
  program = assay_dpu_program_load (bytes, &error);
  g_assert ((program == NULL) == (error != NULL));
  if (program == NULL || count_values (program) > MAX_VALUES)
    return 0;
  fuzz_n_taken++;
  assay_program_append_listing (program, 0, 0, text);
  assay_program_get_cycles (program, 0);
  written = assay_program_save_bytes (program, NULL);
  run (program);

  return 0;
}
