/* graphs.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * One stage of the way of a graph, for tests that have nothing else of it.
 */
#pragma once

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
