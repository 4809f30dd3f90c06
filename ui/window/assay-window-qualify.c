/* assay-window-qualify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Running a suite, and opening one of its cases to see what differs.
 */
#include "ui/window/assay-window-private.h"

#include "ui/window/assay-ui.h"

void
assay_window_qualify_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  adw_view_stack_set_visible_child_name (self->pages, "qualify");
  assay_qualify_activity_start (assay_session_get_qualify (self->session));
}

/* The model of a case: what goes in is what the case says, and it is compared as the suite ran it.
 */
void
assay_window_open_case_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  g_free (self->pending_case);
  self->pending_case = g_variant_dup_string (parameter, NULL);
  self->case_begun = FALSE;
  assay_window_open (self, self->pending_case, NULL);
}

static void
take_inputs (AssayWindow *self)
{
  AssayRun *run = assay_session_get_run (self->session);
  g_auto (GStrv) sets = assay_input_choice_list_test_sets (self->pending_case);
  g_autoptr (GArray) ports = assay_run_list_inputs (run);
  g_autoptr (AssayInputChoice) choice = assay_input_choice_new ();

  if (sets == NULL || sets[0] == NULL)
    return;

  assay_input_choice_take_test_set (choice, sets[0], (const AssayRunPort *) (gpointer) ports->data,
                                    ports->len);
  assay_run_set_inputs (run, choice);
}

gboolean
assay_window_shows_case (AssayWindow *self)
{
  const char *path = assay_document_get_path (assay_session_get_document (self->session));

  return self->case_from != NULL && self->case_path != NULL &&
         g_strcmp0 (path, self->case_path) == 0;
}

static void
leave_step (AssayWindow *self)
{
  self->returning = TRUE;
  assay_session_open_async (self->session, self->case_from, NULL, NULL, NULL);
  adw_view_stack_set_visible_child_name (self->pages, "qualify");
}

void
assay_window_leave_case_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (assay_window_shows_case (self))
    assay_window_ask_to_save (self, leave_step);
}

/* The model was left with sizes and settings, which are no changes that anybody is asked about. */
static void
finish_return (AssayWindow *self)
{
  AssayQualifyActivity *qualify = assay_session_get_qualify (self->session);
  AssayDocument *document = assay_session_get_document (self->session);
  AssaySettings *setup = assay_qualify_activity_get_setup (qualify);

  AssaySessionState state = assay_session_get_state (self->session);

  if (!self->returning || (state != ASSAY_SESSION_READY && state != ASSAY_SESSION_FAILED))
    return;

  self->returning = FALSE;
  /* A session file brings its own. */
  if (setup != NULL && assay_document_get_file_path (document) == NULL &&
      g_strcmp0 (assay_document_get_path (document), assay_qualify_activity_get_model (qualify)) ==
          0)
    assay_session_set_setup (self->session, setup);
}

/* What the case is of stays to be gone back to, however many cases are opened after each other. */
static void
begin_case (AssayWindow *self)
{
  AssayQualifyActivity *qualify = assay_session_get_qualify (self->session);
  AssaySettings *settings = assay_qualify_activity_get_settings (qualify);
  const char *left = assay_failed_page_get_left (self->failed_page);
  g_autofree char *folder = g_path_get_dirname (self->pending_case);
  g_autofree char *name = g_path_get_basename (folder);
  g_autofree char *from = NULL;
  g_autofree char *text = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *label = NULL;

  if (self->case_begun)
    return;

  self->case_begun = TRUE;
  if (self->case_from == NULL || !assay_qualify_activity_has_case (qualify, left))
    {
      g_free (self->case_from);
      self->case_from = g_strdup (left);
    }
  g_free (self->case_path);
  self->case_path = g_strdup (self->pending_case);
  if (settings != NULL)
    assay_session_set_setup (self->session, settings);
  if (self->case_from == NULL)
    return;

  from = g_filename_display_basename (self->case_from);
  text = g_strdup_printf ("This is the case %s of the suite.", name);
  shown = assay_ui_dup_menu_label (from);
  label = g_strdup_printf ("_Back to %s", shown);
  assay_notice_bar_set_case (self->notice_bar, self->case_path, text, label);
}

/* The model is open, or its program is there: what was asked for a case can go on. */
void
assay_window_continue_case (AssayWindow *self)
{
  AssayCompareActivity *compare = assay_session_get_compare_activity (self->session);
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  const char *runner = assay_qualify_activity_get_runner (
      assay_session_get_qualify (self->session));

  finish_return (self);
  if (self->pending_case == NULL ||
      assay_session_get_state (self->session) != ASSAY_SESSION_READY ||
      g_strcmp0 (assay_document_get_path (assay_session_get_document (self->session)),
                 self->pending_case) != 0 ||
      verdicts == NULL)
    return;

  begin_case (self);
  adw_view_stack_set_visible_child_name (self->pages, "compare");
  take_inputs (self);
  assay_compare_activity_set_runner (compare, 0, "reference");
  if (runner != NULL)
    assay_compare_activity_set_runner (compare, 1, runner);
  /* A program that comes later would make the comparison one of before. */
  if (!assay_compare_activity_can_start (compare) ||
      (assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) == 0 &&
       assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_compilation (self->session))) !=
           ASSAY_ACTIVITY_READY))
    return;

  g_clear_pointer (&self->pending_case, g_free);
  assay_compare_activity_start (compare);
}
