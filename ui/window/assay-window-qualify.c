/* assay-window-qualify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Running a suite, and opening one of its cases to see what differs.
 */
#include "ui/window/assay-window-private.h"

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

/* The model is open, or its program is there: what was asked for a case can go on. */
void
assay_window_continue_case (AssayWindow *self)
{
  AssayCompareActivity *compare = assay_session_get_compare_activity (self->session);
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  const char *runner = assay_qualify_activity_get_runner (
      assay_session_get_qualify (self->session));

  if (self->pending_case == NULL ||
      assay_session_get_state (self->session) != ASSAY_SESSION_READY ||
      g_strcmp0 (assay_document_get_path (assay_session_get_document (self->session)),
                 self->pending_case) != 0 ||
      verdicts == NULL)
    return;

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
