/* assay-outcome.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-outcome.h"

#include <stdio.h>

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "session/assay-session.h"

static const char *const fits[] = {
  [ASSAY_FIT_UNKNOWN] = "not compiled",
  [ASSAY_FIT_NONE] = "no program",
  [ASSAY_FIT_YES] = "fits",
  [ASSAY_FIT_NO] = "does not fit",
};

/**
 * assay_outcome_count:
 * @self: an outcome
 * @verdicts: the verdicts of the model
 *
 * Takes the counts of the verdicts; whether it fits stays as it is.
 */
void
assay_outcome_count (AssayOutcome *self, const AssayVerdicts *verdicts)
{
  self->rejected = (int) assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED);
  self->host = assay_verdicts_count (verdicts, ASSAY_VERDICT_HOST);
  self->undecided = assay_verdicts_count (verdicts, ASSAY_VERDICT_UNDECIDED);
}

/**
 * assay_outcome_init_for_session:
 * @self: (out caller-allocates): an outcome
 * @session: a session
 *
 * Says what a session knows at the moment.
 */
void
assay_outcome_init_for_session (AssayOutcome *self, AssaySession *session)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);
  AssayTarget *target = assay_session_get_target (session);
  AssayActivity *compilation = ASSAY_ACTIVITY (assay_session_get_compilation (session));

  *self = ASSAY_OUTCOME_INIT;
  if (verdicts != NULL)
    assay_outcome_count (self, verdicts);
  if (target != NULL && !assay_backend_has (target, ASSAY_CAPABILITY_MAKES_PROGRAMS))
    self->fit = ASSAY_FIT_NONE;
  else if (assay_activity_get_state (compilation) == ASSAY_ACTIVITY_READY)
    self->fit = ASSAY_FIT_YES;
  else if (g_error_matches (assay_activity_get_error (compilation), ASSAY_ERROR,
                            ASSAY_ERROR_ALLOCATION))
    self->fit = ASSAY_FIT_NO;
}

/**
 * assay_outcome_get_verdict:
 * @self: an outcome
 *
 * Gets the worst that there is. A model is only called supported if nothing of it stays open.
 *
 * Returns: the verdict, %ASSAY_N_VERDICTS while it cannot be told
 */
AssayVerdictKind
assay_outcome_get_verdict (const AssayOutcome *self)
{
  if (self->rejected > 0 || self->fit == ASSAY_FIT_NO)
    return ASSAY_VERDICT_REJECTED;
  if (self->undecided > 0)
    return ASSAY_VERDICT_UNDECIDED;
  if (self->host > 0)
    return ASSAY_VERDICT_HOST;

  return self->rejected == 0 && self->fit != ASSAY_FIT_UNKNOWN ? ASSAY_VERDICT_SUPPORTED
                                                               : ASSAY_N_VERDICTS;
}

/**
 * assay_outcome_describe:
 * @self: an outcome
 *
 * Says the worst in a word or two.
 *
 * Returns: (transfer full): such as `3 rejected` or `does not fit`, "" if nothing is known
 */
char *
assay_outcome_describe (const AssayOutcome *self)
{
  if (self->rejected < 0)
    return g_strdup ("");
  if (self->rejected > 0)
    return g_strdup_printf ("%d rejected", self->rejected);
  if (self->fit == ASSAY_FIT_NO)
    return g_strdup (fits[ASSAY_FIT_NO]);
  if (self->undecided > 0)
    return g_strdup_printf ("%u undecided", self->undecided);
  if (self->host > 0)
    return g_strdup_printf ("%u on the host", self->host);

  return g_strdup (self->fit == ASSAY_FIT_NONE ? "all supported" : fits[self->fit]);
}

/**
 * assay_outcome_to_string:
 * @self: an outcome
 *
 * Writes all of it, for assay_outcome_parse().
 *
 * Returns: (transfer full): the text
 */
char *
assay_outcome_to_string (const AssayOutcome *self)
{
  return g_strdup_printf ("%d rejected, %u undecided, %u on the host, %s", self->rejected,
                          self->undecided, self->host, fits[self->fit]);
}

/**
 * assay_outcome_parse:
 * @self: (out caller-allocates): an outcome
 * @text: what assay_outcome_to_string() wrote, or only its first part
 *
 * Reads an outcome.
 *
 * Returns: whether the text was one
 */
gboolean
assay_outcome_parse (AssayOutcome *self, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ", ", -1);
  guint n = g_strv_length (parts);

  *self = ASSAY_OUTCOME_INIT;
  if (n == 0 || sscanf (parts[0], "%d rejected", &self->rejected) != 1 || self->rejected < 0)
    {
      *self = ASSAY_OUTCOME_INIT;
      return FALSE;
    }
  if (n < G_N_ELEMENTS (fits))
    return TRUE;

  self->undecided = (guint) g_ascii_strtoull (parts[1], NULL, 10);
  self->host = (guint) g_ascii_strtoull (parts[2], NULL, 10);
  for (guint i = 0; i < G_N_ELEMENTS (fits); i++)
    if (g_str_equal (parts[3], fits[i]))
      self->fit = (AssayFit) i;

  return TRUE;
}
