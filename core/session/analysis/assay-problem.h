/* assay-problem.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-error.h"
#include "base/assay-finding.h"

G_BEGIN_DECLS

/**
 * AssayProblem:
 * @code: what kind of failure
 * @what: what went wrong, a few words
 * @where: file, and the place in it if it is known
 * @advice: what to do about it
 * @details: everything that is known, for copying
 * @is_target: whether it is about the target
 * @is_target_file: whether that is a file of the user
 * @can_locate: whether it helps to say where the model is
 *
 * A failure as people are told about it: always all three parts.
 */
typedef struct
{
  AssayError code;
  char *what;
  char *where;
  char *advice;
  char *details;
  gboolean is_target;
  gboolean is_target_file;
  gboolean can_locate;
} AssayProblem;

#define ASSAY_TYPE_PROBLEM (assay_problem_get_type ())

GType assay_problem_get_type (void) G_GNUC_CONST;
AssayProblem *assay_problem_new (const GError *error, const char *path,
                                 AssayFindings *findings) G_GNUC_WARN_UNUSED_RESULT;
AssayProblem *assay_problem_new_lost (GPtrArray *fixes) G_GNUC_WARN_UNUSED_RESULT;
AssayProblem *assay_problem_copy (const AssayProblem *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_problem_set_target (AssayProblem *self, const char *target_id, gboolean has_verdicts);
void assay_problem_set_session (AssayProblem *self, gboolean model_missing);
void assay_problem_set_policy (AssayProblem *self);
void assay_problem_free (AssayProblem *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayProblem, assay_problem_free)

G_END_DECLS
