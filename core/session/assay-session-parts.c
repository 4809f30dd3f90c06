/* assay-session-parts.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The objects of a session that have a state of their own.
 */
#include "session/assay-session-private.h"

/**
 * assay_session_get_compilation:
 * @self: a session
 *
 * Gets the program of the model.
 *
 * Returns: (transfer none): the program, or why there is none
 */
AssayCompilation *
assay_session_get_compilation (AssaySession *self)
{
  return self->compilation;
}

/**
 * assay_session_get_run:
 * @self: a session
 *
 * Gets the run of the program.
 *
 * Returns: (transfer none): the run
 */
AssayRun *
assay_session_get_run (AssaySession *self)
{
  return self->run;
}

/**
 * assay_session_get_versus:
 * @self: a session
 *
 * Gets the comparison of two runs.
 *
 * Returns: (transfer none): the comparison
 */
AssayVersus *
assay_session_get_versus (AssaySession *self)
{
  return self->versus;
}

/**
 * assay_session_get_trial:
 * @self: a session
 *
 * Gets what is being tried to make the program fit.
 *
 * Returns: (transfer none): the trial
 */
AssayTrial *
assay_session_get_trial (AssaySession *self)
{
  return self->trial;
}

/**
 * assay_session_get_rollout:
 * @self: a session
 *
 * Gets the deployment of the program.
 *
 * Returns: (transfer none): the rollout
 */
AssayRollout *
assay_session_get_rollout (AssaySession *self)
{
  return self->rollout;
}
