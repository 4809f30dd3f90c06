/* assay-conformance.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-conformance-case.h"

G_BEGIN_DECLS

/**
 * AssayConformance:
 * @results: (element-type AssayConformanceResult): by name
 * @counts: how many of each status
 *
 * A run over folders of ONNX test data.
 */
typedef struct
{
  GPtrArray *results;
  guint counts[ASSAY_N_CONFORMANCE_STATUSES];
} AssayConformance;

/**
 * AssayConformanceFunc:
 * @result: the result of a case
 * @user_data: data of the plan
 *
 * Gets each result as soon as it is there, one after the other.
 */
typedef void (*AssayConformanceFunc) (const AssayConformanceResult *result, gpointer user_data);

/**
 * AssayConformancePlan:
 * @program: (array zero-terminated=1): the command that runs one case, to which a folder that it
 * may write to and that of the case are added; it writes a line made by
 * assay_conformance_result_to_line()
 * @filter: (nullable): pattern of the names that are run, with `*` and `?`
 * @expected: (nullable): text of a list of expected failures: a pattern per line, and behind it the
 * reason
 * @expected_name: (nullable): name of that list, for messages
 * @timeout: seconds that a case may take
 * @n_jobs: how many cases at once, 0 for one per processor
 * @names: (nullable) (element-type utf8): the cases that are run; %NULL for all that match
 * @done: (nullable): gets each result
 * @user_data: data for @done
 *
 * What is run, and how.
 */
typedef struct
{
  const char *const *program;
  const char *filter;
  const char *expected;
  const char *expected_name;
  guint timeout;
  guint n_jobs;
  GPtrArray *names;
  AssayConformanceFunc done;
  gpointer user_data;
} AssayConformancePlan;

char *
assay_conformance_result_to_line (const AssayConformanceResult *result) G_GNUC_WARN_UNUSED_RESULT;
AssayConformanceResult *
assay_conformance_result_from_line (const char *name, const char *line) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_conformance_find (const char *folder, const char *filter,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConformance *assay_conformance_run (const char *folder, const AssayConformancePlan *plan,
                                         const AssayProgress *progress,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
char **assay_conformance_dup_command (const char *program, const AssayConformanceOptions *options,
                                      AssayPipelineStages stages) G_GNUC_WARN_UNUSED_RESULT;
void assay_conformance_take (AssayConformance *self, AssayConformanceResult *result);
guint assay_conformance_n_bad (const AssayConformance *self);
void assay_conformance_free (AssayConformance *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayConformance, assay_conformance_free)

G_END_DECLS
