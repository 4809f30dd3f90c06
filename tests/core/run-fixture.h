/* run-fixture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-build.h"
#include "nnir/text/assay-text.h"
#include "run/assay-runner.h"
#include "graphs.h"

/* A model with a product, a fused bound, a reduction over lanes and a residual; it streams over
 * axis 1. */
static const char run_fixture_model[] = "main (%x : f32[1,12,8]) {\n"
                                        "  const %a : f32[8,8] = [0.5, -0.25, 0.125, 1, 2, -1, "
                                        "0.75, 0.5, 0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5,\n"
                                        "    0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 1, 2, 3, "
                                        "4, 5, 6, 7, 8, 0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5,\n"
                                        "    0.25, -0.125, 0.1, 1, 1, -2, 0.5, 0.5, -1, -0.25, "
                                        "0.125, 1, 2, -1, 0.75, 0.5, 3, 1, 4, 1, 5, 9, 2, 6]\n"
                                        "  %p = MatMul(%x, %a) : f32[1,12,8] @ \"project\"\n"
                                        "  %q = Relu(%p) : f32[1,12,8] @ \"bound\"\n"
                                        "  %r = Softmax(%q) {axis = -1} : f32[1,12,8] @ \"weigh\"\n"
                                        "  %y = Add(%r, %x) : f32[1,12,8] @ \"residual\"\n"
                                        "  return %y\n"
                                        "}\n";

static inline AssayGraph *
run_fixture_graph (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);

  return graph;
}

/* The model, and a program of it; with an axis one that streams over it. */
static inline AssayRunSubject *
run_fixture_subject (const char *text, const int *axis)
{
  g_autoptr (AssayGraph) graph = run_fixture_graph (text);

  return graph_program_subject (graph, 4, 32, FALSE, axis);
}

static inline GPtrArray *
run_fixture_inputs (gint64 n_steps)
{
  const gint64 dims[] = { 1, n_steps, 8 };
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autofree float *values = g_new (float, (gsize) n_steps * 8);

  for (gint64 i = 0; i < n_steps * 8; i++)
    values[i] = (float) ((i * 37 + 11) % 64) / 16.0f - 2.0f;
  g_ptr_array_add (inputs, assay_tensor_new_f32 (3, dims, values));

  return inputs;
}

static inline GPtrArray *
run_fixture_run (const char *spec, AssayRunSubject *subject, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRunner) runner = assay_runner_open (spec, subject, NULL, NULL, &error);
  GPtrArray *outputs;

  g_assert_no_error (error);
  outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);
  g_assert_no_error (error);

  return outputs;
}

static inline void
assert_same_bits (AssayTensor *a, AssayTensor *b)
{
  gsize n_a, n_b;
  gconstpointer data_a = assay_tensor_get_data (a, &n_a, NULL);
  gconstpointer data_b = assay_tensor_get_data (b, &n_b, NULL);

  g_assert_cmpuint (assay_tensor_get_rank (a), ==, assay_tensor_get_rank (b));
  g_assert_cmpmem (data_a, n_a, data_b, n_b);
}

/* Fails with the message if it is not the one expected. */
static inline void
assert_message (const GError *error, AssayError code, const char *pattern)
{
  g_assert_error (error, ASSAY_ERROR, (int) code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("expected: %s\nis: %s", pattern, error->message);
}
