/* assay-problem.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-problem.h"

#include <gio/gio.h>

#include "base/assay-sentence.h"

/* One row per code: the words of the first and the last part. The middle one comes from the failure
 * itself. */
static const struct
{
  const char *what;
  const char *advice;
} templates[] = {
  [ASSAY_ERROR_IMPORT] = { "Not a readable model",
                           "Open another file, or this one once it was exported again." },
  [ASSAY_ERROR_UNSUPPORTED] = { "This cannot be done yet with this model",
                                "Change the model as the message says, or choose another target." },
  [ASSAY_ERROR_INVALID] = { "A setting does not fit the model",
                            "Correct the value in Setup, or reset it there." },
  [ASSAY_ERROR_ALLOCATION] = { "The model does not fit the target",
                               "Choose a larger target, or reduce what is alive at the step that "
                               "is named." },
  [ASSAY_ERROR_SAVE] = { "The file was not written", "Nothing was replaced. Make room or choose "
                                                     "another folder, then save again." },
  [ASSAY_ERROR_LOAD] = { "The program file cannot be used",
                         "Compile the model again with this version." },
  [ASSAY_ERROR_CANCELLED] = { "Cancelled",
                              "Nothing was changed. Start it again when you want to." },
  [ASSAY_ERROR_IO] = { "The file cannot be read",
                       "Check that the file exists and that you may read it." },
  [ASSAY_ERROR_DEVICE] = { "The device did not answer as expected",
                           "Check power, cable and network, then try again." },
  [ASSAY_ERROR_MEMORY] = { "This computer has not enough memory",
                           "Close other programs, or bind dimensions to smaller numbers in Setup, "
                           "then try again." },
};

G_DEFINE_BOXED_TYPE (AssayProblem, assay_problem, assay_problem_copy, assay_problem_free)

static const AssayFinding *
first_error (AssayFindings *findings)
{
  if (findings == NULL)
    return NULL;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (finding->severity == ASSAY_SEVERITY_ERROR)
        return finding;
    }

  return NULL;
}

static void
append_place (GString *text, const AssayFinding *finding)
{
  if (finding->offset >= 0)
    g_string_append_printf (text, ", byte %" G_GINT64_FORMAT, finding->offset);
  if (finding->graph_path != NULL && *finding->graph_path != '\0')
    g_string_append_printf (text, ", %s", finding->graph_path);
  if (finding->node != NULL && *finding->node != '\0')
    g_string_append_printf (text, ", node %s", finding->node);
  if (finding->attribute != NULL && *finding->attribute != '\0')
    g_string_append_printf (text, ", %s", finding->attribute);
}

/**
 * assay_problem_new:
 * @error: what failed
 * @path: (nullable): the file it is about
 * @findings: (nullable): what was found until then
 *
 * Turns a failure into its three parts: what, where, what to do.
 *
 * Returns: (transfer full): the problem
 */
AssayProblem *
assay_problem_new (const GError *error, const char *path, AssayFindings *findings)
{
  AssayProblem *self = g_new0 (AssayProblem, 1);
  const AssayFinding *finding = first_error (findings);
  g_autoptr (GString) where = g_string_new (path != NULL ? path : "The open model");
  g_autoptr (GString) details = g_string_new (NULL);
  g_autofree char *message = NULL;

  self->code = error->domain == ASSAY_ERROR ? (AssayError) error->code
               : g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ? ASSAY_ERROR_CANCELLED
                                                                           : ASSAY_ERROR_IO;
  if ((guint) self->code >= G_N_ELEMENTS (templates))
    self->code = ASSAY_ERROR_INVALID;

  if (finding != NULL)
    append_place (where, finding);

  g_string_append_printf (details, "%s\n%s: %s\n", where->str, assay_error_code_name (self->code),
                          error->message);
  for (guint i = 0; findings != NULL && i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *entry = assay_findings_get (findings, i);

      g_string_append_printf (details, "%s: %s: %s", assay_severity_name (entry->severity),
                              entry->rule, entry->message);
      append_place (details, entry);
      g_string_append_c (details, '\n');
    }

  self->what = g_strdup (templates[self->code].what);
  self->advice = g_strdup (templates[self->code].advice);
  /* Most messages begin with the file; once is enough. */
  message = assay_sentence_dup_shown (error->message);
  self->where = path != NULL && g_str_has_prefix (message, path)
                    ? g_steal_pointer (&message)
                    : g_strdup_printf ("%s\n%s", where->str, message);
  self->details = g_strdup (details->str);

  return self;
}

/**
 * assay_problem_new_lost:
 * @fixes: (element-type utf8): a line per fix
 *
 * Says that fixes do not apply any more, because the model or its setup changed.
 *
 * Returns: (transfer full): the problem
 */
AssayProblem *
assay_problem_new_lost (GPtrArray *fixes)
{
  AssayProblem *self = g_new0 (AssayProblem, 1);
  g_autoptr (GString) where = g_string_new (NULL);

  for (guint i = 0; i < fixes->len; i++)
    g_string_append_printf (where, "%s%s", i > 0 ? "\n" : "",
                            (const char *) g_ptr_array_index (fixes, i));

  self->code = ASSAY_ERROR_INVALID;
  self->what = fixes->len == 1 ? g_strdup ("A fix does not apply as before")
                               : g_strdup_printf ("%u fixes do not apply as before", fixes->len);
  self->where = g_strdup (where->str);
  self->advice = g_strdup (
      "What applies is kept. Look for fixes again where something is rejected.");
  self->details = g_strdup (where->str);

  return self;
}

/**
 * assay_problem_set_target:
 * @self: a problem
 * @target_id: id of a target, or path of a target file
 * @has_verdicts: whether an earlier target had some
 *
 * Says of a problem that it is about the target: what is shown is still what the one before said.
 */
void
assay_problem_set_target (AssayProblem *self, const char *target_id, gboolean has_verdicts)
{
  gboolean is_file = strchr (target_id, G_DIR_SEPARATOR) != NULL;

  self->is_target = TRUE;
  self->is_target_file = is_file;
  g_free (self->what);
  self->what = g_strdup (is_file ? "The target file cannot be used" : "There is no such target");
  g_free (self->advice);
  self->advice = g_strconcat (has_verdicts ? "The verdicts shown are those of before. " : "",
                              is_file ? "Correct the file, then reload." : "Choose another target.",
                              NULL);
}

/**
 * assay_problem_set_session:
 * @self: a problem
 * @model_missing: whether only its model is not there
 *
 * Says of a problem that it is about a session file.
 */
void
assay_problem_set_session (AssayProblem *self, gboolean model_missing)
{
  self->can_locate = model_missing;
  g_free (self->what);
  self->what = g_strdup (model_missing ? "The model of this session is missing"
                                       : "The session file cannot be used");
  g_free (self->advice);
  self->advice = g_strdup (
      model_missing ? "Locate the model, or put it back where it was. The session stays as it is."
                    : "Correct the file at the place that is named, or open the model itself.");
}

/**
 * assay_problem_set_policy:
 * @self: a problem
 *
 * Says of a problem that it is about the policy file: nothing is accepted then.
 */
void
assay_problem_set_policy (AssayProblem *self)
{
  g_free (self->what);
  self->what = g_strdup ("The policy file cannot be used");
  g_free (self->advice);
  self->advice = g_strdup ("Nothing is shown as accepted. Correct the file, then reload.");
}

/**
 * assay_problem_copy:
 * @self: a problem
 *
 * Copies a problem.
 *
 * Returns: (transfer full): the copy
 */
AssayProblem *
assay_problem_copy (const AssayProblem *self)
{
  AssayProblem *copy = g_new0 (AssayProblem, 1);

  copy->code = self->code;
  copy->what = g_strdup (self->what);
  copy->where = g_strdup (self->where);
  copy->advice = g_strdup (self->advice);
  copy->details = g_strdup (self->details);
  copy->is_target = self->is_target;
  copy->is_target_file = self->is_target_file;
  copy->can_locate = self->can_locate;

  return copy;
}

/**
 * assay_problem_free:
 * @self: (nullable): a problem
 *
 * Frees a problem.
 */
void
assay_problem_free (AssayProblem *self)
{
  if (self == NULL)
    return;

  g_free (self->what);
  g_free (self->where);
  g_free (self->advice);
  g_free (self->details);
  g_free (self);
}
