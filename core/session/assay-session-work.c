/* assay-session-work.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-error.h"
#include "process/assay-temporary.h"
#include "session/assay-session-private.h"
#include "source/assay-importer.h"
#include "source/torch/assay-torch-export.h"

AssaySessionWork *
assay_session_work_new (void)
{
  return g_new0 (AssaySessionWork, 1);
}

void
assay_session_work_free (AssaySessionWork *self)
{
  if (self == NULL)
    return;

  g_free (self->path);
  if (self->python_folder != NULL)
    assay_temporary_delete (self->python_folder);
  g_free (self->python_folder);
  g_free (self->python_text);
  g_free (self->python_key);
  g_free (self->python_name);
  g_free (self->session_path);
  g_free (self->located);
  g_free (self->target_id);
  g_clear_pointer (&self->file, assay_session_file_unref);
  g_clear_pointer (&self->setup, assay_settings_unref);
  g_clear_pointer (&self->source, assay_work_free);
  g_clear_pointer (&self->model, assay_work_free);
  g_clear_pointer (&self->fixes, g_ptr_array_unref);
  g_clear_pointer (&self->lost, g_ptr_array_unref);
  g_clear_pointer (&self->findings, assay_findings_unref);
  g_clear_pointer (&self->target, assay_target_unref);
  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
  g_clear_pointer (&self->outline, assay_outline_unref);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_clear_pointer (&self->dimensions, g_ptr_array_unref);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->test_data, assay_input_choice_free);
  g_clear_error (&self->check_error);
  g_free (self);
}

static gboolean
check (AssaySessionWork *self, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayWork) model = NULL;
  AssayVerdicts *verdicts;

  if (self->target == NULL)
    {
      self->target = assay_target_load (self->target_id, error);
      if (self->target == NULL)
        {
          self->target_failed = TRUE;
          return FALSE;
        }
    }

  model = g_steal_pointer (&self->model);
  self->model = assay_work_for_document (model, self->target, self->setup);
  verdicts = assay_work_get_verdicts (self->model, progress, error);
  self->verdicts = verdicts != NULL ? assay_verdicts_ref (verdicts) : NULL;

  return verdicts != NULL;
}

/* What the session file says takes the place of what the session had. */
static gboolean
load_file (AssaySessionWork *self, GError **error)
{
  const char *target_id;

  self->findings = assay_findings_new ();
  self->file = assay_session_file_load (self->session_path, self->findings, error);
  if (self->file == NULL)
    {
      self->file_failed = TRUE;
      return FALSE;
    }

  if (self->located != NULL)
    {
      g_free (self->file->model);
      self->file->model = g_strdup (self->located);
    }
  if (!g_file_test (self->file->model, G_FILE_TEST_EXISTS))
    {
      self->model_missing = TRUE;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: its model %s is not there",
                   self->session_path, self->file->model);
      return FALSE;
    }

  g_free (self->path);
  self->path = g_strdup (self->file->model);
  assay_settings_unref (self->setup);
  self->setup = assay_settings_ref (assay_edits_get_setup (self->file->edits));
  g_ptr_array_unref (self->fixes);
  self->fixes = g_ptr_array_ref (assay_edits_get_fixes (self->file->edits));
  target_id = assay_edits_get_target_id (self->file->edits);
  if (self->target != NULL && !g_str_equal (assay_target_get_id (self->target), target_id))
    g_clear_pointer (&self->target, assay_target_unref);
  g_free (self->target_id);
  self->target_id = g_strdup (target_id);

  return TRUE;
}

/* What was found before, in a session file, comes first. */
static gboolean
import (AssaySessionWork *self, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayFindings) before = g_steal_pointer (&self->findings);

  if (assay_torch_is_python_file (self->path))
    {
      g_autofree char *stem = assay_importer_dup_stem (self->path);

      if (!assay_session_work_export (self, progress, error))
        return FALSE;
      self->source = assay_work_new (self->python_text, NULL, self->setup);
      assay_work_set_name (self->source, stem);
    }
  else
    self->source = assay_work_new (self->path, NULL, self->setup);
  self->findings = assay_findings_ref (assay_work_get_findings (self->source));
  if (before != NULL)
    assay_findings_append (self->findings, before);

  return assay_work_get_graph (self->source, progress, error) != NULL;
}

static void
list_inputs (AssaySessionWork *self)
{
  AssayGraph *graph = assay_work_get_graph (self->source, NULL, NULL);

  self->dimensions = assay_graph_list_dimensions (graph);
  self->inputs = assay_graph_list_inputs (graph);
}

/* A changed file may have lost the inputs that the user gave sizes to: first it is read as it is.
 */
static gboolean
import_again (AssaySessionWork *self, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssaySettings) wanted = self->setup;
  g_autoptr (AssayWork) plain = NULL;

  /* A program of PyTorch is run once, with the shapes that it had. */
  self->setup = assay_torch_is_python_file (self->path) ? assay_settings_ref (wanted)
                                                        : assay_settings_new ();
  if (!import (self, progress, error))
    return FALSE;

  list_inputs (self);
  assay_settings_keep_known (&wanted, self->dimensions, self->inputs);
  assay_settings_unref (self->setup);
  self->setup = g_steal_pointer (&wanted);
  plain = g_steal_pointer (&self->source);
  self->source = assay_work_with_settings (plain, self->setup);
  assay_findings_unref (self->findings);
  self->findings = assay_findings_ref (assay_work_get_findings (self->source));

  return assay_work_get_graph (self->source, progress, error) != NULL;
}

/* Applies one fix; says so if it does not apply, or not everywhere. */
static gboolean
apply_fix (AssaySessionWork *self, const AssayFix *fix, gboolean *applies,
           const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) one = assay_fixes_new ();
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayWork) fixed = NULL;
  g_autofree char *title = NULL;
  guint n_misses = 0;

  g_ptr_array_add (one, assay_fix_copy (fix));
  fixed = assay_work_with_fixes (self->model, one, findings, progress, error);
  if (fixed == NULL)
    return FALSE;

  title = assay_fix_describe (fix);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (finding->rule == NULL || !g_str_has_prefix (finding->rule, "fix."))
        continue;
      if (n_misses++ == 0)
        g_ptr_array_add (self->lost, g_strdup_printf ("%s: %s", title, finding->message));
    }

  *applies = n_misses < MAX (1, g_strv_length (fix->nodes));
  if (*applies)
    {
      assay_work_free (self->model);
      self->model = g_steal_pointer (&fixed);
    }

  return TRUE;
}

/* One after the other, so that it is known which of them a changed model does not take any more. */
static gboolean
apply_fixes (AssaySessionWork *self, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) kept = assay_fixes_new ();

  self->lost = g_ptr_array_new_with_free_func (g_free);
  self->model = assay_work_with_graph (
      self->source, assay_work_get_graph (self->source, NULL, NULL), self->setup);
  for (guint i = 0; i < self->fixes->len; i++)
    {
      const AssayFix *fix = g_ptr_array_index (self->fixes, i);
      gboolean applies;

      if (!apply_fix (self, fix, &applies, progress, error))
        return FALSE;
      if (applies)
        g_ptr_array_add (kept, assay_fix_copy (fix));
    }

  if (kept->len < self->fixes->len)
    {
      g_ptr_array_unref (self->fixes);
      self->fixes = g_steal_pointer (&kept);
    }

  return TRUE;
}

/* Files may be large, so they are looked at here. */
static void
find_test_data (AssaySessionWork *self)
{
  AssayGraph *graph = assay_work_get_graph (self->model, NULL, NULL);
  g_autoptr (GArray) ports = graph != NULL ? assay_run_ports_for_graph (graph) : NULL;

  if (ports != NULL)
    self->test_data = assay_input_choice_new_beside (
        self->path, (const AssayRunPort *) (gpointer) ports->data, ports->len);
}

/**
 * assay_session_work_run:
 * @self: a request
 * @progress: progress and cancel
 * @error: return location for a #GError
 *
 * Reads the model if it has to be read, checks it, and prepares the lists that views show. Runs in
 * a worker. A failing check is no failure: the model is open and @check_error says what was wrong.
 *
 * Returns: %FALSE if the model could not be opened or the user cancelled
 */
gboolean
assay_session_work_run (AssaySessionWork *self, const AssayProgress *progress, GError **error)
{
  g_autofree char *policy = NULL;
  AssayProgress reading = assay_progress_part (progress, 0.0, 0.6);
  AssayProgress checking = assay_progress_part (progress, self->source != NULL ? 0.0 : 0.6, 0.9);

  if (self->source == NULL)
    {
      assay_progress_report (&reading, 0, "Reading");
      if (self->session_path != NULL && self->kind == ASSAY_WORK_OPEN && !load_file (self, error))
        return FALSE;
      if (self->kind == ASSAY_WORK_RELOAD ? !import_again (self, &reading, error)
                                          : !import (self, &reading, error))
        return FALSE;
      if (self->kind == ASSAY_WORK_OPEN)
        list_inputs (self);
    }

  if (self->model == NULL && !apply_fixes (self, &checking, error))
    return FALSE;
  if (self->kind == ASSAY_WORK_OPEN && self->path != NULL)
    find_test_data (self);

  if (!assay_progress_check (progress, error))
    return FALSE;

  assay_progress_report (&checking, 0, "Verdicts");
  if (!check (self, &checking, &self->check_error))
    {
      if (g_error_matches (self->check_error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&self->check_error));
          return FALSE;
        }
      return TRUE;
    }

  if (!assay_progress_check (progress, error))
    return FALSE;

  assay_progress_report (progress, 0.9, "Lists");
  self->outline = assay_outline_new (self->verdicts);
  self->items = assay_finding_items_new (self->verdicts, self->findings);
  policy = assay_session_find_policy (self->path);
  self->policy_failed = !assay_session_accept_items (self->items, self->verdicts, policy,
                                                     &self->check_error);
  assay_progress_report (progress, 1.0, NULL);

  return assay_progress_check (progress, error);
}
