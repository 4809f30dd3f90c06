/* fuzz-evaluate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-evaluate.h"
#include "source/assay-source.h"

#include "fuzz.h"

/* What one input may take. */
#define SECONDS 1.0
#define BYTES ((gsize) 64 << 20)

/* A model that has no inputs computes its outputs, or says why not. */
FUZZ_TARGET (evaluate)
{
  const AssayEvaluateOptions options = { .n_threads = 1, .seconds = SECONDS, .max_bytes = BYTES };
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "fuzz.nnir", NULL, NULL, NULL, &error);
  g_autoptr (GPtrArray) outputs = NULL;

  g_assert ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    return 0;

  outputs = assay_evaluate_graph (graph, &options, 0, NULL, NULL, NULL, &error);
  g_assert ((outputs == NULL) == (error != NULL));
  fuzz_n_taken += outputs != NULL;

  return 0;
}
