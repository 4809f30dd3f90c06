/* assay-outcome.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-verdict.h"

G_BEGIN_DECLS

typedef struct _AssaySession AssaySession;

/**
 * AssayFit:
 * @ASSAY_FIT_UNKNOWN: no program was made yet
 * @ASSAY_FIT_NONE: the target knows no programs, so there is nothing to fit
 * @ASSAY_FIT_YES: the program has room
 * @ASSAY_FIT_NO: it has not
 *
 * Whether a program of a model has room in a target.
 */
typedef enum
{
  ASSAY_FIT_UNKNOWN,
  ASSAY_FIT_NONE,
  ASSAY_FIT_YES,
  ASSAY_FIT_NO,
} AssayFit;

/**
 * AssayOutcome:
 * @rejected: number of nodes, -1 while nothing is known
 * @host: number of nodes
 * @undecided: number of nodes
 * @fit: whether the program has room
 *
 * What comes of a model on a target, in the least that lists of models and of targets say.
 */
typedef struct
{
  int rejected;
  guint host;
  guint undecided;
  AssayFit fit;
} AssayOutcome;

#define ASSAY_OUTCOME_INIT                                                                         \
  (AssayOutcome)                                                                                   \
  {                                                                                                \
    .rejected = -1                                                                                 \
  }

void assay_outcome_count (AssayOutcome *self, const AssayVerdicts *verdicts);
void assay_outcome_init_for_session (AssayOutcome *self, AssaySession *session);
AssayVerdictKind assay_outcome_get_verdict (const AssayOutcome *self);
char *assay_outcome_describe (const AssayOutcome *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_outcome_to_string (const AssayOutcome *self) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_outcome_parse (AssayOutcome *self, const char *text);

G_END_DECLS
