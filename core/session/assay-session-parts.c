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
 * assay_session_get_compare_activity:
 * @self: a session
 *
 * Gets the comparison of two runs.
 *
 * Returns: (transfer none): the comparison
 */
AssayCompareActivity *
assay_session_get_compare_activity (AssaySession *self)
{
  return self->comparing;
}

/**
 * assay_session_get_cause_search:
 * @self: a session
 *
 * Gets the search for what makes a tensor of the comparison differ.
 *
 * Returns: (transfer none): the search
 */
AssayCauseSearch *
assay_session_get_cause_search (AssaySession *self)
{
  return self->causes;
}

/**
 * assay_session_get_baseline:
 * @self: a session
 *
 * Gets the results that later ones are held against.
 *
 * Returns: (transfer none): the baseline
 */
AssayBaseline *
assay_session_get_baseline (AssaySession *self)
{
  return self->baseline;
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
 * assay_session_get_preview:
 * @self: a session
 *
 * Gets the fix that is looked at before it is applied.
 *
 * Returns: (transfer none): the preview
 */
AssayPreview *
assay_session_get_preview (AssaySession *self)
{
  return self->preview;
}

/**
 * assay_session_get_fix_search:
 * @self: a session
 *
 * Gets the search for fixes.
 *
 * Returns: (transfer none): the search
 */
AssayFixSearch *
assay_session_get_fix_search (AssaySession *self)
{
  return self->fix_search;
}

/**
 * assay_session_get_deploy_activity:
 * @self: a session
 *
 * Gets the deployment of the program.
 *
 * Returns: (transfer none): the deployment
 */
AssayDeployActivity *
assay_session_get_deploy_activity (AssaySession *self)
{
  return self->deploying;
}

/**
 * assay_session_get_passes:
 * @self: a session
 *
 * Gets the program of the file behind each of its passes.
 *
 * Returns: (transfer none): the passes
 */
AssayPassActivity *
assay_session_get_passes (AssaySession *self)
{
  return self->passes;
}

/**
 * assay_session_get_qualify:
 * @self: a session
 *
 * Gets the run of a suite.
 *
 * Returns: (transfer none): the run
 */
AssayQualifyActivity *
assay_session_get_qualify (AssaySession *self)
{
  return self->qualifying;
}

/**
 * assay_session_get_quantize:
 * @self: a session
 *
 * Gets what quantises the model.
 *
 * Returns: (transfer none): the activity
 */
AssayQuantizeActivity *
assay_session_get_quantize (AssaySession *self)
{
  return self->quantizing;
}

/**
 * assay_session_get_ways_search:
 * @self: a session
 *
 * Gets the search for what helps a program that does not fit.
 *
 * Returns: (transfer none): the search
 */
AssayWaysSearch *
assay_session_get_ways_search (AssaySession *self)
{
  return self->ways;
}

/**
 * assay_session_get_node_table:
 * @self: a session
 *
 * Gets all nodes as a flat list.
 *
 * Returns: (transfer none): the table
 */
AssayNodeTable *
assay_session_get_node_table (AssaySession *self)
{
  return self->nodes;
}
