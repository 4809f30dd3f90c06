/* test-models.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/assay-source.h"
#include "target/assay-target.h"
#include "graphs.h"

/* For tests of targets over the models of the package libonnx-testdata. */
#define MODELS "/usr/share/libonnx-testdata/data"

static inline AssayTarget *
load_target (const char *id)
{
  g_autoptr (GError) error = NULL;
  AssayTarget *target = assay_target_load (id, &error);

  g_assert_no_error (error);

  return target;
}

static inline AssayGraph *
load_model (const char *model)
{
  g_autofree char *path = g_build_filename (MODELS, model, "model.onnx", NULL);
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_model_read (path, NULL, NULL, NULL, &error);

  g_assert_no_error (error);

  return graph;
}

static inline AssayVerdicts *
check_model (AssayTarget *target, const char *model)
{
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayGraph) graph = load_model (model);
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts;

  assay_settings_set_flag (&settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS, TRUE);
  verdicts = graph_verdicts (target, graph, settings, &error);
  g_assert_no_error (error);

  return verdicts;
}

static inline const AssayVerdict *
find_op (AssayVerdicts *verdicts, const char *op)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayNode *node = assay_graph_node (verdicts->graph, id);

      if (g_str_equal (node->op_type, op) || g_str_equal (assay_op_name (node->op), op))
        return assay_verdicts_get (verdicts, id);
    }

  return NULL;
}

/* Checks one model and compares the verdict of its first node of an operation. */
static inline void
expect_case (AssayTarget *target, const char *model, const char *op, AssayVerdictKind kind,
             const char *rule)
{
  g_autoptr (AssayVerdicts) verdicts = check_model (target, model);
  const AssayVerdict *verdict = find_op (verdicts, op);

  if (verdict == NULL || verdict->kind != kind || g_strcmp0 (verdict->rule, rule) != 0)
    g_test_message ("%s: %s %s %s: %s; expected %s %s", model, op,
                    verdict ? assay_verdict_name (verdict->kind) : "-",
                    verdict ? verdict->rule : "-", verdict ? verdict->reason : "no such node",
                    assay_verdict_name (kind), rule);
  g_assert_nonnull (verdict);
  g_assert_cmpstr (verdict->rule, ==, rule);
  g_assert_cmpint (verdict->kind, ==, kind);
  g_assert_nonnull (verdict->reason);
  if (kind == ASSAY_VERDICT_REJECTED && !g_str_equal (rule, "no-form"))
    {
      g_assert_nonnull (verdict->actual);
      g_assert_nonnull (verdict->allowed);
    }
}
