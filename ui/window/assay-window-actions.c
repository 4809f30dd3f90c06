/* assay-window-actions.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-memory-page.h"
#include "source/torch/assay-torch-export.h"
#include "ui/window/assay-window-private.h"

#include "backend/assay-backend.h"
#include "run/assay-runner.h"
#include "source/assay-importer.h"
#include "ui/window/assay-action.h"
#include "ui/compare/assay-boards-window.h"
#include "ui/compare/assay-inputs-window.h"
#include "ui/memory/assay-instruction-window.h"
#include "ui/inspector/assay-rule-window.h"
#include "ui/sidebar/assay-quantize-window.h"
#include "ui/sidebar/assay-setup-window.h"
#include "ui/window/assay-export-menu.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"

static void
model_chosen_cb (const char *path, gpointer data)
{
  assay_window_open (data, path, NULL);
}

static void
target_chosen_cb (const char *path, gpointer data)
{
  assay_session_set_target_id (ASSAY_WINDOW (data)->session, path);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  g_autofree char *models = assay_importer_dup_patterns (NULL);
  g_autofree char *programs = g_strjoinv (";*", (char **) assay_torch_list_python_suffixes ());
  g_autofree char *patterns = g_strconcat (models, ";*" ASSAY_SESSION_SUFFIX, ";*", programs, NULL);
  const AssayFileKind kind = { "Open a Model or Session", "_Open", patterns,
                               "Models and Sessions" };

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, model_chosen_cb, self);
}

static void
open_target_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const AssayFileKind kind = { "Open a Target File", "_Open", "*.json", "Target Files" };
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, target_chosen_cb, self);
}

static void
tolerance_chosen_cb (const char *path, gpointer data)
{
  assay_compare_activity_set_tolerance (
      assay_session_get_compare_activity (ASSAY_WINDOW (data)->session), path);
}

static void
tolerance_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const AssayFileKind kind = { "Choose Tolerances", "_Choose", "*.json", "Tolerances" };
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, tolerance_chosen_cb, self);
}

static void
open_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_window_open (ASSAY_WINDOW (widget), g_variant_get_string (parameter, NULL), NULL);
}

static void
reload_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_session_reload (ASSAY_WINDOW (widget)->session);
}

static void
close_step (AssayWindow *self)
{
  assay_session_close (self->session);
}

static void
close_model_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_window_ask_to_save (ASSAY_WINDOW (widget), close_step);
}

static void
cancel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (!assay_session_get_busy (self->session))
    return;

  assay_session_cancel (self->session);
  assay_ui_toast (GTK_WIDGET (self->toasts), "Cancelled");
}

static void
find_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_flap_handle_set_shown (self->sidebar_handle, TRUE);
  assay_sidebar_find (self->sidebar);
}

/* From the selection on, around the end. */
static void
step_hit (AssayWindow *self, int direction)
{
  const GArray *hits = assay_session_get_hits (self->session);
  AssayNodeId selection = assay_session_get_selection (self->session);
  int n = hits != NULL ? (int) hits->len : 0;
  int at = direction > 0 ? -1 : n;

  if (n == 0)
    return;

  for (int i = 0; i < n; i++)
    if (g_array_index (hits, AssayNodeId, i) == selection)
      at = i;
  assay_session_set_selection (self->session,
                               g_array_index (hits, AssayNodeId, (at + direction + n) % n));
}

static void
find_next_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  step_hit (ASSAY_WINDOW (widget), 1);
}

static void
find_previous_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  step_hit (ASSAY_WINDOW (widget), -1);
}

static void
show_findings_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_flap_handle_set_shown (self->sidebar_handle, TRUE);
  assay_session_set_filter (self->session, 0);
  assay_sidebar_show_findings (self->sidebar);
  adw_view_stack_set_visible_child_name (self->pages, "graph");
}

static void
step_finding (GtkWidget *widget, int direction)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  gboolean unseen = self->unseen;

  self->unseen = FALSE;
  assay_sidebar_show_findings (self->sidebar);
  /* The first one is selected from the start. */
  if (unseen && assay_session_get_finding (self->session) == 0 &&
      assay_graph_page_reveal_selection (self->graph_page))
    return;

  assay_session_step_finding (self->session, direction);
}

static void
next_finding_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  step_finding (widget, 1);
}

static void
previous_finding_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  step_finding (widget, -1);
}

/* From a node that was chosen in another way, its own cause is the one to walk through. */
static void
step_node (GtkWidget *widget, int direction)
{
  AssaySession *session = ASSAY_WINDOW (widget)->session;
  GListModel *items = assay_session_get_finding_items (session);
  AssayNodeId selection = assay_session_get_selection (session);

  for (guint i = 0; assay_session_get_finding (session) < 0 && i < g_list_model_get_n_items (items);
       i++)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);
      GArray *nodes = assay_finding_item_get_nodes (item);

      for (guint n = 0; n < nodes->len; n++)
        if (g_array_index (nodes, AssayNodeId, n) == selection)
          {
            assay_session_set_finding (session, (int) i);
            break;
          }
    }

  assay_session_step_node (session, direction);
}

static void
next_node_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  step_node (widget, 1);
}

static void
previous_node_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  step_node (widget, -1);
}

static void
inspect_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_flap_handle_set_shown (ASSAY_WINDOW (widget)->inspector_handle, TRUE);
}

static void
note_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_flap_handle_set_shown (self->inspector_handle, TRUE);
  assay_inspector_edit_note (self->inspector);
}

static void
show_rule_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const AssayVerdict *verdict = assay_verdicts_get (assay_session_get_verdicts (self->session),
                                                    assay_session_get_selection (self->session));

  if (verdict != NULL && verdict->rule != NULL)
    gtk_window_present (GTK_WINDOW (assay_rule_window_new (GTK_WINDOW (self), self->session)));
}

static void
page_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const char *page = g_variant_get_string (parameter, NULL);
  GtkWidget *child = adw_view_stack_get_child_by_name (self->pages, page);

  if (child != NULL &&
      adw_view_stack_page_get_visible (adw_view_stack_get_page (self->pages, child)))
    adw_view_stack_set_visible_child_name (self->pages, page);
}

static void
target_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_session_set_target_id (ASSAY_WINDOW (widget)->session,
                               g_variant_get_string (parameter, NULL));
}

static void
choose_target_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_context_bar_open_targets (ASSAY_WINDOW (widget)->context_bar);
}

static void
bind_batch_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_session_bind_batch (ASSAY_WINDOW (widget)->session);
}

/* The graph is the picture of its own page; other pages have the largest that they show. */
static GtkWidget *
find_picture (AssayWindow *self)
{
  GtkWidget *page = adw_view_stack_get_visible_child (self->pages);
  GtkWidget *canvas = GTK_WIDGET (assay_graph_page_get_canvas (self->graph_page));
  GtkWidget *found = page != NULL && gtk_widget_get_mapped (page)
                         ? assay_export_menu_find_picture (page)
                         : NULL;

  return found != NULL ? found : gtk_widget_get_mapped (canvas) ? canvas : NULL;
}

static void
copy_picture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidget *picture = find_picture (ASSAY_WINDOW (widget));

  if (picture != NULL)
    assay_export_menu_copy_picture (picture);
  else
    assay_window_add_toast (ASSAY_WINDOW (widget), "This page shows no picture", NULL, NULL);
}

/* The graph has a dialog of its own, for all of it and for more forms. */
static void
save_picture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidget *picture = find_picture (ASSAY_WINDOW (widget));

  if (ASSAY_IS_CANVAS (picture))
    gtk_widget_activate_action (widget, "graph.export", NULL);
  else if (picture != NULL)
    assay_export_menu_choose_picture (picture);
  else
    assay_window_add_toast (ASSAY_WINDOW (widget), "This page shows no picture", NULL, NULL);
}

static void
setup_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (self->setup_window == NULL)
    g_set_weak_pointer (&self->setup_window,
                        assay_setup_window_new (GTK_WINDOW (self), self->session));
  gtk_window_present (GTK_WINDOW (self->setup_window));
}

static void
quantize_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (self->quantize_window == NULL)
    g_set_weak_pointer (&self->quantize_window,
                        assay_quantize_window_new (GTK_WINDOW (self), self->session));
  gtk_window_present (GTK_WINDOW (self->quantize_window));
}

/* Whoever closed the window meanwhile is told. */
void
assay_window_tell_quantized (AssayWindow *self)
{
  AssayQuantizeActivity *activity = assay_session_get_quantize (self->session);
  const AssayQuantizedModel *result = assay_quantize_activity_get_result (activity);
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (activity));
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;

  if (self->quantize_window != NULL)
    return;

  if (error != NULL)
    assay_notice_bar_add_failure (self->notice_bar, "The model was not quantised", error,
                                  "win.quantize");
  else if (result != NULL &&
           assay_activity_get_state (ASSAY_ACTIVITY (activity)) == ASSAY_ACTIVITY_READY)
    {
      name = g_filename_display_basename (result->written);
      text = g_strdup_printf ("Quantised: %s", name);
      assay_window_add_toast (self, text, "Show", "win.quantize");
    }
}

static void
copy_command (AssayWindow *self, const char *kind)
{
  g_autofree char *command = assay_session_dup_command (self->session, kind);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), command);
  assay_ui_toast (GTK_WIDGET (self->toasts), "Command copied");
}

/* What the visible page shows is made by this command. */
static void
copy_command_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  copy_command (self,
                assay_page_find (adw_view_stack_get_visible_child_name (self->pages))->command);
}

static void
copy_command_of_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  copy_command (ASSAY_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
copy_link_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  g_autofree char *command = assay_session_dup_command (self->session, "window");

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), command);
  assay_ui_toast (GTK_WIDGET (self->toasts), "Command copied");
}

static void
copy_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gdk_clipboard_set_text (
      gtk_widget_get_clipboard (widget),
      assay_document_get_path (assay_session_get_document (ASSAY_WINDOW (widget)->session)));
}

/* Escape takes back one thing, from the outermost to the innermost. */
static void
back_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (assay_sidebar_clear_search (self->sidebar))
    return;
  if (assay_preview_get_active (assay_session_get_preview (self->session)))
    assay_window_leave_preview_action (widget, NULL, NULL);
  else if (assay_session_get_filter (self->session) != 0)
    assay_session_set_filter (self->session, 0);
  else if (!assay_flap_handle_uncover (self->inspector_handle) &&
           !assay_flap_handle_uncover (self->sidebar_handle))
    assay_session_set_selection (self->session, ASSAY_NO_NODE);
}

static void
move_pane (AssayWindow *self, int direction)
{
  GtkWidget *panes[] = { GTK_WIDGET (self->context_bar),
                         GTK_WIDGET (self->sidebar),
                         GTK_WIDGET (assay_graph_page_get_canvas (self->graph_page)),
                         GTK_WIDGET (self->node_panel),
                         GTK_WIDGET (self->pages),
                         GTK_WIDGET (self->inspector) };
  int n = G_N_ELEMENTS (panes);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  int now = direction > 0 ? -1 : n;

  for (int i = 0; focus != NULL && i < n; i++)
    if (focus == panes[i] || gtk_widget_is_ancestor (focus, panes[i]))
      now = i;

  for (int step = 1; step <= n; step++)
    {
      GtkWidget *pane = panes[((now + direction * step) % n + n) % n];

      if (gtk_widget_get_mapped (pane) &&
          (gtk_widget_grab_focus (pane) || gtk_widget_child_focus (pane, GTK_DIR_TAB_FORWARD)))
        return;
    }
}

static void
next_pane_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  move_pane (ASSAY_WINDOW (widget), 1);
}

static void
previous_pane_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  move_pane (ASSAY_WINDOW (widget), -1);
}

static void
compile_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_compilation_start (assay_session_get_compilation (ASSAY_WINDOW (widget)->session));
}

static void
pin_baseline_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_baseline_pin (assay_session_get_baseline (ASSAY_WINDOW (widget)->session));
}

static void
unpin_baseline_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_baseline_clear (assay_session_get_baseline (ASSAY_WINDOW (widget)->session));
}

static void
run_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  self->run_asked = TRUE;
  assay_run_start (assay_session_get_run (self->session));
}

static void
compare_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_compare_activity_start (assay_session_get_compare_activity (self->session));
  adw_view_stack_set_visible_child_name (self->pages, "compare");
}

static void
deploy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_deploy_activity_start (assay_session_get_deploy_activity (self->session));
  adw_view_stack_set_visible_child_name (self->pages, "compare");
}

static void
manage_boards_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  gtk_window_present (GTK_WINDOW (assay_boards_window_new (GTK_WINDOW (self), self->session)));
}

static void
run_inputs_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  self->run_asked = TRUE;
  gtk_window_present (GTK_WINDOW (assay_inputs_window_new (GTK_WINDOW (self), self->session)));
}

static void
show_result_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  assay_window_show_result (ASSAY_WINDOW (widget));
}

static void
show_instructions_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  gtk_window_present (GTK_WINDOW (assay_instruction_window_new (GTK_WINDOW (self), self->session)));
}

static void
first_divergent_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssaySession *session = ASSAY_WINDOW (widget)->session;
  const AssayComparison *comparison = assay_compare_activity_get_comparison (
      assay_session_get_compare_activity (session));
  const AssayComparisonRow *row = assay_comparison_row (comparison,
                                                        (guint) comparison->first_divergent);

  assay_session_select_name (session, row->node_name);
}

static void
to_timeline_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  adw_view_stack_set_visible_child_name (ASSAY_WINDOW (widget)->pages, "timeline");
}

static void
to_compare_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  adw_view_stack_set_visible_child_name (ASSAY_WINDOW (widget)->pages, "compare");
}

/* What the table says of handlers and parameters. */
static const struct
{
  const char *name;
  const char *parameter_type;
  GtkWidgetActionActivateFunc activate;
} handlers[] = {
#define IN(place) 0
#define ASSAY_ACTION(name, label, description, accels, keys, type, need, group, menus, command,    \
                     handler)                                                                      \
  { name, type, handler },
#include "ui/window/actions.def"
#undef ASSAY_ACTION
#undef IN
};

void
assay_window_class_init_actions (AssayWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  for (guint i = 0; i < G_N_ELEMENTS (handlers); i++)
    if (handlers[i].activate != NULL)
      gtk_widget_class_install_action (widget_class, handlers[i].name, handlers[i].parameter_type,
                                       handlers[i].activate);

  gtk_widget_class_install_property_action (widget_class, "win.show-sidebar", "show-sidebar");
  gtk_widget_class_install_property_action (widget_class, "win.show-inspector", "show-inspector");
  gtk_widget_class_install_property_action (widget_class, "win.graph-beside", "graph-beside");
  gtk_widget_class_install_property_action (widget_class, "win.node-table", "node-table");
  gtk_widget_class_install_property_action (widget_class, "win.runner", "runner");
  gtk_widget_class_install_property_action (widget_class, "win.board", "board");
}

/* Why there is no program to run: what is said of everything that needs one. */
static char *
explain_no_program (AssayWindow *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayTarget *target = assay_session_get_target (self->session);
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  guint rejected = verdicts != NULL ? assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) : 0;

  if (assay_session_get_state (self->session) != ASSAY_SESSION_READY)
    return g_strdup ("No model is open");
  if (target != NULL && !assay_backend_has (target, ASSAY_CAPABILITY_MAKES_PROGRAMS))
    return g_strdup (assay_backend_get_lack (ASSAY_CAPABILITY_MAKES_PROGRAMS));
  if (rejected > 0 && !assay_backend_builds_checked (target))
    {
      g_autofree char *nodes = assay_ui_format_nodes (rejected);

      return g_strdup_printf ("%s %s rejected; F8 goes through them", nodes,
                              rejected == 1 ? "is" : "are");
    }
  if (assay_compilation_get_reason (compilation) != NULL)
    return g_strdup (assay_compilation_get_reason (compilation));

  return g_strdup ("There is no program yet");
}

static gboolean
is_met (AssayWindow *self, AssayNeed need)
{
  AssaySession *session = self->session;
  gboolean model = assay_session_get_state (session) == ASSAY_SESSION_READY;
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayRun *run = assay_session_get_run (session);
  const AssayComparison *comparison = assay_compare_activity_get_comparison (
      assay_session_get_compare_activity (session));
  const AssayVerdict *verdict;

  switch (need)
    {
    case ASSAY_NEEDS_PATH:
      return assay_document_get_path (assay_session_get_document (session)) != NULL;
    case ASSAY_NEEDS_MODEL:
      return model;
    case ASSAY_NEEDS_WORK:
      return assay_session_get_busy (session);
    case ASSAY_NEEDS_FINDINGS:
      return model && g_list_model_get_n_items (assay_session_get_finding_items (session)) > 0;
    case ASSAY_NEEDS_SELECTION:
      return model && assay_session_get_selection (session) != ASSAY_NO_NODE;
    case ASSAY_NEEDS_RULE:
      if (!model || assay_session_get_selection (session) == ASSAY_NO_NODE)
        return FALSE;
      verdict = assay_verdicts_get (assay_session_get_verdicts (session),
                                    assay_session_get_selection (session));
      return verdict != NULL && verdict->rule != NULL;
    case ASSAY_NEEDS_HITS:
      return model && assay_session_get_hits (session) != NULL &&
             assay_session_get_hits (session)->len > 0;
    case ASSAY_NEEDS_NO_REFUSAL:
      return model && assay_compilation_can_start (compilation);
    case ASSAY_NEEDS_FLOAT:
      return assay_quantize_activity_get_refusal (assay_session_get_quantize (session)) == NULL;
    case ASSAY_NEEDS_COMPILED:
      return model && assay_compilation_get_program (compilation) != NULL;
    case ASSAY_NEEDS_MEMORY:
      return model && assay_compilation_get_memory (compilation) != NULL;
    case ASSAY_NEEDS_WAY:
      return model &&
             assay_memory_page_has_way (ASSAY_MEMORY_PAGE (assay_window_get_page (self, "memory")));
    case ASSAY_NEEDS_PROGRAM:
      return model &&
             assay_activity_get_state (ASSAY_ACTIVITY (compilation)) == ASSAY_ACTIVITY_READY;
    case ASSAY_NEEDS_RUN:
      return model && assay_run_can_start (run);
    case ASSAY_NEEDS_SIDES:
      return model &&
             assay_compare_activity_can_start (assay_session_get_compare_activity (session));
    case ASSAY_NEEDS_INPUTS:
      return is_met (self, ASSAY_NEEDS_RUN) || is_met (self, ASSAY_NEEDS_SIDES);
    case ASSAY_NEEDS_RESULT:
      return assay_activity_get_error (ASSAY_ACTIVITY (run)) != NULL ||
             g_list_model_get_n_items (assay_run_get_results (run)) > 0;
    case ASSAY_NEEDS_COMPARISON:
      return model && comparison != NULL;
    case ASSAY_NEEDS_BASELINE:
      return assay_baseline_is_pinned (assay_session_get_baseline (session));
    case ASSAY_NEEDS_FINDING:
      return model && assay_window_can_accept (self);
    case ASSAY_NEEDS_UNDO:
      return assay_history_get_undo_label (
                 assay_document_get_history (assay_session_get_document (session))) != NULL;
    case ASSAY_NEEDS_REDO:
      return assay_history_get_redo_label (
                 assay_document_get_history (assay_session_get_document (session))) != NULL;
    case ASSAY_NEEDS_PICTURE:
      return model;
    case ASSAY_NEEDS_PREVIEW:
      return assay_preview_get_active (assay_session_get_preview (session));
    case ASSAY_NEEDS_SESSION_FILE:
      return assay_document_get_file_path (assay_session_get_document (session)) != NULL;
    case ASSAY_NEEDS_CASE:
      return assay_window_shows_case (self);
    case ASSAY_NEEDS_RECOVERED:
      return self->shown_recovered != NULL;
    case ASSAY_NEEDS_DIVERGENCE:
      return model && comparison != NULL && comparison->first_divergent >= 0;
    case ASSAY_NEEDS_ROOM:
      return self->beside_fits;
    default:
      return TRUE;
    }
}

/* The model itself runs without a program. */
static char *
explain_no_run (AssayWindow *self)
{
  g_autofree char *reason = explain_no_program (self);

  return assay_session_get_state (self->session) == ASSAY_SESSION_READY
             ? g_strconcat (reason, ". The reference and ONNX Runtime run the model as it is", NULL)
             : g_steal_pointer (&reason);
}

static char *
explain_need (AssayWindow *self, AssayNeed need)
{
  static const char *const sentences[ASSAY_N_NEEDS] = {
    [ASSAY_NEEDS_PATH] = "No file is open",
    [ASSAY_NEEDS_MODEL] = "No model is open",
    [ASSAY_NEEDS_WORK] = "Nothing is running",
    [ASSAY_NEEDS_FINDINGS] = "Nothing was found",
    [ASSAY_NEEDS_SELECTION] = "No node is selected",
    [ASSAY_NEEDS_RULE] = "The selection has no rule behind its verdict",
    [ASSAY_NEEDS_HITS] = "The search has no results",
    [ASSAY_NEEDS_WAY] = "Nothing is known to free room",
    [ASSAY_NEEDS_RESULT] = "Nothing ran yet",
    [ASSAY_NEEDS_COMPARISON] = "Nothing was compared yet",
    [ASSAY_NEEDS_BASELINE] = "No baseline is pinned",
    [ASSAY_NEEDS_FINDING] = "No finding with a rule is selected",
    [ASSAY_NEEDS_UNDO] = "There is nothing to undo",
    [ASSAY_NEEDS_REDO] = "There is nothing to redo",
    [ASSAY_NEEDS_PICTURE] = "No model is open",
    [ASSAY_NEEDS_PREVIEW] = "No fix is previewed",
    [ASSAY_NEEDS_SESSION_FILE] = "No session file is open",
    [ASSAY_NEEDS_CASE] = "No case of a suite is open",
    [ASSAY_NEEDS_RECOVERED] = "Nothing was left behind",
    [ASSAY_NEEDS_DIVERGENCE] = "No comparison found a divergence",
    [ASSAY_NEEDS_ROOM] = "The window is too narrow for the graph beside a page",
  };

  if (need == ASSAY_NEEDS_FLOAT)
    return g_strdup (
        assay_quantize_activity_get_refusal (assay_session_get_quantize (self->session)));
  if (need == ASSAY_NEEDS_RUN || need == ASSAY_NEEDS_SIDES || need == ASSAY_NEEDS_INPUTS)
    return explain_no_run (self);

  return sentences[need] != NULL ? g_strdup (sentences[need]) : explain_no_program (self);
}

/**
 * assay_window_explain_action:
 * @self: a window
 * @name: full name of an action
 *
 * Tells why an action cannot be used at the moment.
 *
 * Returns: (transfer full) (nullable): the sentence; %NULL if it can be used, or is none of the
 * table
 */
char *
assay_window_explain_action (AssayWindow *self, const char *name)
{
  const AssayAction *action = assay_action_find (name);

  if (action == NULL || self->session == NULL || is_met (self, action->need))
    return NULL;

  return explain_need (self, action->need);
}

/* The row of what a control calls; one with a target of its own goes before the general one. */
static const AssayAction *
action_of (GtkWidget *widget)
{
  GtkActionable *actionable = GTK_IS_ACTIONABLE (widget) ? GTK_ACTIONABLE (widget) : NULL;
  const char *name = actionable != NULL ? gtk_actionable_get_action_name (actionable) : NULL;
  GVariant *target = actionable != NULL ? gtk_actionable_get_action_target_value (actionable)
                                        : NULL;
  const AssayAction *action = NULL;

  if (name != NULL && target != NULL && g_variant_is_of_type (target, G_VARIANT_TYPE_STRING))
    {
      g_autofree char *detailed = g_strdup_printf ("%s::%s", name,
                                                   g_variant_get_string (target, NULL));

      action = assay_action_find (detailed);
    }

  return action != NULL ? action : assay_action_find (name);
}

static gboolean
query_tooltip_cb (AssayWindow *self, int x, int y, gboolean keyboard_mode, GtkTooltip *tooltip,
                  GtkWidget *widget)
{
  const AssayAction *action = action_of (widget);
  g_autofree char *reason = NULL;
  g_autofree char *text = NULL;

  if (action == NULL)
    return FALSE;

  reason = assay_window_explain_action (self, action->name);
  text = assay_action_dup_tooltip (action, reason);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* Every control that calls an action says what it does and, where it cannot, why. A tooltip of its
 * own stays. */
void
assay_window_describe_controls (AssayWindow *self, GtkWidget *root)
{
  const AssayAction *action = action_of (root);

  if (action != NULL && !gtk_widget_get_has_tooltip (root))
    {
      gtk_widget_set_has_tooltip (root, TRUE);
      g_signal_connect_object (root, "query-tooltip", G_CALLBACK (query_tooltip_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_accessible_update_property (GTK_ACCESSIBLE (root), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      action->description, -1);
    }

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    assay_window_describe_controls (self, child);
}

/* Run and Deploy say where, or why they cannot be used. */
static void
update_program_buttons (AssayWindow *self)
{
  const char *runner = assay_run_get_runner (assay_session_get_run (self->session));
  const AssayRunnerKind *kind = assay_runner_kind_find (runner, NULL);
  g_autofree char *board = assay_board_dup_label (
      assay_deploy_activity_get_board (assay_session_get_deploy_activity (self->session)));
  g_autofree char *run = is_met (self, ASSAY_NEEDS_RUN)
                             ? g_strdup_printf ("Run on %s",
                                                kind != NULL ? kind->label : "the machine")
                             : explain_no_run (self);
  g_autofree char *deploy = is_met (self, ASSAY_NEEDS_PROGRAM)
                                ? g_strdup_printf ("Deploy to %s", board)
                                : explain_no_program (self);

  assay_ui_set_tooltip (GTK_WIDGET (self->run_button), run);
  assay_ui_set_tooltip (GTK_WIDGET (self->deploy_button), deploy);
}

/* The graph and the pages have groups of their own. */
static GAction *
find_in_groups (AssayWindow *self, const char *name)
{
  const char *dot = strchr (name, '.');
  g_autofree char *prefix = g_strndup (name, (gsize) (dot - name));
  GtkWidget *page = assay_window_get_page (self, prefix);
  GActionGroup *group = NULL;

  if (g_str_equal (prefix, "graph"))
    group = assay_canvas_get_actions (assay_graph_page_get_canvas (self->graph_page));
  else if (ASSAY_IS_PAGE (page))
    group = assay_page_get_actions (ASSAY_PAGE (page));

  return group != NULL ? g_action_map_lookup_action (G_ACTION_MAP (group), dot + 1) : NULL;
}

/* The one place that decides what can be done. */
void
assay_window_update_actions (AssayWindow *self)
{
  gboolean met[ASSAY_N_NEEDS];
  const AssayAction *actions;
  guint n;

  for (guint i = 0; i < ASSAY_N_NEEDS; i++)
    met[i] = is_met (self, i);

  actions = assay_action_list (&n);
  for (guint i = 0; i < n; i++)
    {
      GAction *action = find_in_groups (self, actions[i].name);

      if (handlers[i].activate != NULL || actions[i].need == ASSAY_NEEDS_ROOM)
        gtk_widget_action_set_enabled (GTK_WIDGET (self), actions[i].name, met[actions[i].need]);
      else if (action != NULL)
        g_simple_action_set_enabled (G_SIMPLE_ACTION (action), met[actions[i].need]);
    }

  update_program_buttons (self);
}
