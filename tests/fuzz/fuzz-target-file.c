/* fuzz-target-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "nnir/assay-graph-builder.h"
#include "target/assay-target.h"

#include "fuzz.h"

/* A few operations in a row, so that what a file says is also applied. */
static AssayGraph *
make_graph (void)
{
  static const AssayOp ops[] = { ASSAY_OP_Conv,       ASSAY_OP_Add,    ASSAY_OP_Relu,
                                 ASSAY_OP_ReduceMean, ASSAY_OP_Resize, ASSAY_OP_OPAQUE };
  AssayGraph *graph = assay_graph_new ();
  const gint64 dims[] = { 2, 3, 4, 5 };
  const AssayType *type = assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 4, dims);
  AssayValueId value = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", type);

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      AssayValueId inputs[] = { value, value };

      value = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, NULL,
                                     i % 2 == 0 ? type : &assay_type_unknown);
      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ops[i], NULL, 2, inputs, 1, &value);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, value);

  return graph;
}

/* Reads a target file; if it is right, checks a graph against it. */
FUZZ_TARGET (target_file)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load_bytes (bytes, "fuzz.json", findings, &error);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayForms) model = NULL;

  g_assert ((target == NULL) == (error != NULL));
  if (target == NULL)
    return 0;
  fuzz_n_taken++;

  graph = make_graph ();
  model = assay_forms_new (graph);
  verdicts = assay_target_check (target, model, NULL, NULL, &error);
  g_assert ((verdicts == NULL) == (error != NULL));

  return 0;
}
