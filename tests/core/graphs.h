/* graphs.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * One stage of the way of a graph, for tests that have nothing else of it.
 */
#pragma once

#include "backend/assay-build.h"
#include "work/assay-work.h"

/* What a target says to a graph. */
static inline AssayVerdicts *
graph_verdicts (AssayTarget *target, AssayGraph *graph, AssaySettings *settings, GError **error)
{
  g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, target, settings);
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, error);

  return verdicts != NULL ? assay_verdicts_ref (verdicts) : NULL;
}

/* What runners run of a graph without a program. */
static inline AssayRunSubject *
graph_subject (const char *path, AssayGraph *graph, GError **error)
{
  g_autoptr (AssayWork) work = assay_work_new_for_graph (path, graph, NULL, NULL);
  AssayRunSubject *subject = assay_work_get_subject (work, FALSE, NULL, error);

  return subject != NULL ? assay_run_subject_ref (subject) : NULL;
}

/* The same with a program for @cores cores of @block values; with an axis one that streams over it.
 */
static inline AssayRunSubject *
graph_program_subject (AssayGraph *graph, guint cores, guint block, gboolean observable,
                       const int *axis)
{
  g_autoptr (AssayConfig) config = assay_config_new (cores, block, NULL);
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { .observable = observable };
  AssayRunSubject *subject;

  assay_settings_set_axes (&settings, axis, axis != NULL ? 1 : 0);
  options.settings = settings;
  program = assay_build_model (NULL, graph, assay_config_get_values (config), &options, NULL,
                               &error);
  g_assert_no_error (error);
  subject = graph_subject (NULL, graph, &error);
  g_assert_no_error (error);
  assay_run_subject_set_program (subject, program, 0, axis, axis != NULL ? 1 : 0);

  return subject;
}
