/* fuzz-compile.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-program.h"
#include "source/assay-source.h"
#include "target/assay-target.h"
#include "work/assay-work.h"

#include "fuzz.h"

#define TARGET "ia_420f_c6b32"

/* Larger models take time and show nothing that smaller ones do not. */
#define MOST_NODES 64
#define MOST_ELEMENTS ((gsize) 1 << 16)

static AssayTarget *
get_target (void)
{
  static AssayTarget *target;

  if (target == NULL)
    target = assay_target_load (TARGET, NULL);
  g_assert (target != NULL);

  return target;
}

static gboolean
is_small (AssayGraph *graph)
{
  gsize n, sum = 0;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    if (assay_type_count (assay_graph_value (graph, id)->type, &n))
      sum += MIN (n, MOST_ELEMENTS);

  return assay_graph_n_nodes (graph) <= MOST_NODES && sum < MOST_ELEMENTS;
}

/* A model gets its verdicts and, if nothing is in the way, a program that is written and loaded
 * again: what the compiler makes, the verifier takes. */
FUZZ_TARGET (compile)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "fuzz.nnir", NULL, NULL, NULL, &error);
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayProgram) again = NULL;
  g_autoptr (GBytes) written = NULL;
  AssayVerdicts *verdicts;
  AssayProgram *program;

  if (graph == NULL || !is_small (graph))
    return 0;

  work = assay_work_new_for_graph (NULL, graph, get_target (), NULL);
  verdicts = assay_work_get_verdicts (work, NULL, &error);
  g_assert ((verdicts == NULL) == (error != NULL));
  g_clear_error (&error);
  program = assay_work_get_program (work, NULL, &error);
  g_assert ((program == NULL) == (error != NULL));
  if (program == NULL)
    return 0;
  fuzz_n_taken++;

  written = assay_program_save_bytes (program, NULL);
  again = assay_program_load_bytes (written, &error);
  g_assert_no_error (error);

  return 0;
}
