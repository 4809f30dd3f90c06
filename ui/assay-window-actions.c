/* assay-window-actions.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-window-private.h"

#include "run/assay-runner.h"
#include "ui/assay-boards-window.h"
#include "ui/assay-inputs-window.h"
#include "ui/assay-rule-window.h"
#include "ui/assay-ui.h"

static void
model_chosen_cb (const char *path,
                 gpointer    data)
{
  assay_window_open (data, path, NULL);
}

static void
target_chosen_cb (const char *path,
                  gpointer    data)
{
  assay_session_set_target_id (ASSAY_WINDOW (data)->session, path);
}

static void
open_action (GtkWidget  *widget,
             const char *name,
             GVariant   *parameter)
{
  static const AssayFileKind kind = { "Open a Model", "_Open", "*.onnx", "ONNX Models" };
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, model_chosen_cb, self);
}

static void
open_target_action (GtkWidget  *widget,
                    const char *name,
                    GVariant   *parameter)
{
  static const AssayFileKind kind = { "Open a Target File", "_Open", "*.json", "Target Files" };
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, target_chosen_cb, self);
}

static void
open_path_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  assay_window_open (ASSAY_WINDOW (widget), g_variant_get_string (parameter, NULL), NULL);
}

static void
reload_action (GtkWidget  *widget,
               const char *name,
               GVariant   *parameter)
{
  assay_session_reload (ASSAY_WINDOW (widget)->session);
}

static void
close_model_action (GtkWidget  *widget,
                    const char *name,
                    GVariant   *parameter)
{
  assay_session_close (ASSAY_WINDOW (widget)->session);
}

static void
cancel_action (GtkWidget  *widget,
               const char *name,
               GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (!assay_session_get_busy (self->session))
    return;

  assay_session_cancel (self->session);
  adw_toast_overlay_add_toast (self->toasts, adw_toast_new ("Cancelled"));
}

static void
find_action (GtkWidget  *widget,
             const char *name,
             GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  adw_flap_set_reveal_flap (self->sidebar_flap, TRUE);
  assay_sidebar_find (self->sidebar);
}

static void
show_findings_action (GtkWidget  *widget,
                      const char *name,
                      GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  adw_flap_set_reveal_flap (self->sidebar_flap, TRUE);
  assay_session_set_filter (self->session, 0);
  assay_sidebar_show_findings (self->sidebar);
  adw_view_stack_set_visible_child_name (self->pages, "graph");
}

static void
step_finding (GtkWidget *widget,
              int        direction)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_sidebar_show_findings (self->sidebar);
  assay_session_step_finding (self->session, direction);
}

static void
next_finding_action (GtkWidget  *widget,
                     const char *name,
                     GVariant   *parameter)
{
  step_finding (widget, 1);
}

static void
previous_finding_action (GtkWidget  *widget,
                         const char *name,
                         GVariant   *parameter)
{
  step_finding (widget, -1);
}

/* From a node that was chosen in another way, its own cause is the one to walk through. */
static void
step_node (GtkWidget *widget,
           int        direction)
{
  AssaySession *session = ASSAY_WINDOW (widget)->session;
  GListModel *items = assay_session_get_finding_items (session);
  AssayNodeId selection = assay_session_get_selection (session);

  for (guint i = 0; assay_session_get_finding (session) < 0 && i < g_list_model_get_n_items (items); i++)
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
next_node_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  step_node (widget, 1);
}

static void
previous_node_action (GtkWidget  *widget,
                      const char *name,
                      GVariant   *parameter)
{
  step_node (widget, -1);
}

static void
inspect_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  adw_flap_set_reveal_flap (ASSAY_WINDOW (widget)->inspector_flap, TRUE);
}

static void
show_rule_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const AssayVerdict *verdict = assay_verdicts_get (assay_session_get_verdicts (self->session),
                                                    assay_session_get_selection (self->session));

  if (verdict != NULL && verdict->rule != NULL)
    gtk_window_present (GTK_WINDOW (assay_rule_window_new (GTK_WINDOW (self), self->session)));
}

static void
page_action (GtkWidget  *widget,
             const char *name,
             GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const char *page = g_variant_get_string (parameter, NULL);
  GtkWidget *child = adw_view_stack_get_child_by_name (self->pages, page);

  if (child != NULL && adw_view_stack_page_get_visible (adw_view_stack_get_page (self->pages, child)))
    adw_view_stack_set_visible_child_name (self->pages, page);
}

static void
target_action (GtkWidget  *widget,
               const char *name,
               GVariant   *parameter)
{
  assay_session_set_target_id (ASSAY_WINDOW (widget)->session, g_variant_get_string (parameter, NULL));
}

static void
choose_target_action (GtkWidget  *widget,
                      const char *name,
                      GVariant   *parameter)
{
  assay_context_bar_open_targets (ASSAY_WINDOW (widget)->context_bar);
}

static void
setup_action (GtkWidget  *widget,
              const char *name,
              GVariant   *parameter)
{
  assay_context_bar_open_setup (ASSAY_WINDOW (widget)->context_bar);
}

static char *
dup_command (AssayWindow *self)
{
  g_autofree char *path = g_shell_quote (assay_session_get_path (self->session));
  g_autofree char *target = g_shell_quote (assay_session_get_target_id (self->session));

  return g_strdup_printf ("assay check %s --target %s", path, target);
}

static void
copy_command_action (GtkWidget  *widget,
                     const char *name,
                     GVariant   *parameter)
{
  g_autofree char *command = dup_command (ASSAY_WINDOW (widget));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), command);
}

static void
copy_path_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                          assay_session_get_path (ASSAY_WINDOW (widget)->session));
}

/* Escape takes back one thing, from the outermost to the innermost. */
static void
back_action (GtkWidget  *widget,
             const char *name,
             GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (assay_sidebar_clear_search (self->sidebar))
    return;
  if (assay_session_get_filter (self->session) != 0)
    assay_session_set_filter (self->session, 0);
  else if (adw_flap_get_folded (self->inspector_flap) && adw_flap_get_reveal_flap (self->inspector_flap))
    adw_flap_set_reveal_flap (self->inspector_flap, FALSE);
  else if (adw_flap_get_folded (self->sidebar_flap) && adw_flap_get_reveal_flap (self->sidebar_flap))
    adw_flap_set_reveal_flap (self->sidebar_flap, FALSE);
  else
    assay_session_set_selection (self->session, ASSAY_NO_NODE);
}

static void
move_pane (AssayWindow *self,
           int          direction)
{
  GtkWidget *panes[] = { GTK_WIDGET (self->context_bar), GTK_WIDGET (self->sidebar),
                         GTK_WIDGET (assay_graph_page_get_canvas (self->graph_page)), GTK_WIDGET (self->pages),
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

      if (gtk_widget_get_mapped (pane)
          && (gtk_widget_grab_focus (pane) || gtk_widget_child_focus (pane, GTK_DIR_TAB_FORWARD)))
        return;
    }
}

static void
next_pane_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  move_pane (ASSAY_WINDOW (widget), 1);
}

static void
previous_pane_action (GtkWidget  *widget,
                      const char *name,
                      GVariant   *parameter)
{
  move_pane (ASSAY_WINDOW (widget), -1);
}

static void
compile_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  assay_compilation_start (assay_session_get_compilation (ASSAY_WINDOW (widget)->session));
}

static void
to_peak_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_compilation_go_to_peak (assay_session_get_compilation (self->session));
  adw_view_stack_set_visible_child_name (self->pages, "memory");
}

static void
run_action (GtkWidget  *widget,
            const char *name,
            GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  self->run_asked = TRUE;
  assay_run_start (assay_session_get_run (self->session));
}

static void
compare_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_versus_start (assay_session_get_versus (self->session));
  adw_view_stack_set_visible_child_name (self->pages, "compare");
}

static void
deploy_action (GtkWidget  *widget,
               const char *name,
               GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  assay_rollout_start (assay_session_get_rollout (self->session));
  adw_view_stack_set_visible_child_name (self->pages, "compare");
}

static void
copy_deploy_action (GtkWidget  *widget,
                    const char *name,
                    GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  g_autofree char *path = g_shell_quote (assay_session_get_path (self->session));
  g_autofree char *target = g_shell_quote (assay_session_get_target_id (self->session));
  g_autofree char *board = g_shell_quote (assay_rollout_get_board (assay_session_get_rollout (self->session)));
  g_autofree char *command = g_strdup_printf ("assay deploy %s --target %s --board %s --runs 1000", path, target,
                                              board);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), command);
}

static void
manage_boards_action (GtkWidget  *widget,
                      const char *name,
                      GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  gtk_window_present (GTK_WINDOW (assay_boards_window_new (GTK_WINDOW (self), self->session)));
}

static void
run_inputs_action (GtkWidget  *widget,
                   const char *name,
                   GVariant   *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  self->run_asked = TRUE;
  gtk_window_present (GTK_WINDOW (assay_inputs_window_new (GTK_WINDOW (self), self->session)));
}

static void
show_result_action (GtkWidget  *widget,
                    const char *name,
                    GVariant   *parameter)
{
  _assay_window_show_result (ASSAY_WINDOW (widget));
}

static void
to_timeline_action (GtkWidget  *widget,
                    const char *name,
                    GVariant   *parameter)
{
  adw_view_stack_set_visible_child_name (ASSAY_WINDOW (widget)->pages, "timeline");
}

static void
to_compare_action (GtkWidget  *widget,
                   const char *name,
                   GVariant   *parameter)
{
  adw_view_stack_set_visible_child_name (ASSAY_WINDOW (widget)->pages, "compare");
}

/* When an action makes sense. */
typedef enum
{
  NEEDS_NOTHING,
  NEEDS_PATH,
  NEEDS_MODEL,
  NEEDS_WORK,
  NEEDS_FINDINGS,
  NEEDS_SELECTION,
  NEEDS_NO_REFUSAL,
  NEEDS_COMPILED,
  NEEDS_PROGRAM,
  NEEDS_RESULT,
} Needs;

/* Every command of the window: a row here is all that menus, keys, the shortcuts window and the tests know of it. */
static const struct
{
  AssayWindowAction public;
  const char *parameter_type;
  GtkWidgetActionActivateFunc activate;
  Needs needs;
} actions[] = {
  { { "win.open", "<Control>o", "Choose a model and open it in this window" }, NULL, open_action, NEEDS_NOTHING },
  { { "win.open-path", NULL, "Open the model at a path" }, "s", open_path_action, NEEDS_NOTHING },
  { { "win.open-target", NULL, "Choose a target file and check against it" }, NULL, open_target_action, NEEDS_MODEL },
  { { "win.reload", "F5", "Read model and target from their files again" }, NULL, reload_action, NEEDS_PATH },
  { { "win.close-model", NULL, "Close the model and go back to the start page" }, NULL,
    close_model_action, NEEDS_PATH },
  { { "win.cancel", NULL, "Stop what is running" }, NULL, cancel_action, NEEDS_WORK },
  { { "win.find", "<Control>f", "Search nodes by name or operator" }, NULL, find_action, NEEDS_MODEL },
  { { "win.show-findings", NULL, "Show what was found" }, NULL, show_findings_action, NEEDS_MODEL },
  { { "win.next-finding", "F8", "Go to the next finding" }, NULL, next_finding_action, NEEDS_FINDINGS },
  { { "win.previous-finding", "<Shift>F8", "Go to the previous finding" }, NULL, previous_finding_action,
    NEEDS_FINDINGS },
  { { "win.next-node", NULL, "Go to the next node of the finding" }, NULL, next_node_action, NEEDS_FINDINGS },
  { { "win.previous-node", NULL, "Go to the previous node of the finding" }, NULL, previous_node_action,
    NEEDS_FINDINGS },
  { { "win.inspect", NULL, "Show everything about the selected node" }, NULL, inspect_action, NEEDS_SELECTION },
  { { "win.show-rule", NULL, "Show the rule behind the verdict of the selected node" }, NULL, show_rule_action,
    NEEDS_SELECTION },
  { { "win.page", NULL, "Go to a page" }, "s", page_action, NEEDS_MODEL },
  { { "win.page::graph", "<Alt>1", "Go to the graph" }, NULL, NULL, NEEDS_MODEL },
  { { "win.page::memory", "<Alt>2", "Go to the memory map" }, NULL, NULL, NEEDS_MODEL },
  { { "win.page::timeline", "<Alt>3", "Go to the timeline" }, NULL, NULL, NEEDS_MODEL },
  { { "win.page::compare", "<Alt>4", "Go to the comparison" }, NULL, NULL, NEEDS_MODEL },
  { { "win.target", NULL, "Check against another target" }, "s", target_action, NEEDS_MODEL },
  { { "win.choose-target", "<Control><Shift>t", "Choose another target" }, NULL, choose_target_action, NEEDS_MODEL },
  { { "win.setup", "<Control>comma", "Set sizes of inputs, streaming and options" }, NULL, setup_action, NEEDS_MODEL },
  { { "win.compile", "<Control>b", "Compile the model for the target" }, NULL, compile_action, NEEDS_NO_REFUSAL },
  { { "win.run", "<Control>r", "Run the program on the chosen inputs" }, NULL, run_action, NEEDS_PROGRAM },
  { { "win.compare", "<Control><Shift>r", "Compare two runs on the chosen inputs" }, NULL, compare_action,
    NEEDS_PROGRAM },
  { { "win.deploy", "<Control><Shift>d", "Put the program on the board and run it there" }, NULL, deploy_action,
    NEEDS_PROGRAM },
  { { "win.board", NULL, "Choose where the program goes" }, "s", NULL, NEEDS_NOTHING },
  { { "win.manage-boards", NULL, "Choose a board and see what is in order" }, NULL, manage_boards_action,
    NEEDS_MODEL },
  { { "win.copy-deploy", NULL, "Copy the command line that deploys the program" }, NULL, copy_deploy_action,
    NEEDS_MODEL },
  { { "win.run-inputs", NULL, "Choose what goes into a run" }, NULL, run_inputs_action, NEEDS_PROGRAM },
  { { "win.runner", NULL, "Choose what the program runs on" }, "s", NULL, NEEDS_NOTHING },
  { { "win.show-result", NULL, "Show what came out of the last run" }, NULL, show_result_action, NEEDS_RESULT },
  { { "win.to-peak", NULL, "Go to where tensor RAM is fullest" }, NULL, to_peak_action, NEEDS_COMPILED },
  { { "win.to-timeline", NULL, "Go to what every core does when" }, NULL, to_timeline_action, NEEDS_COMPILED },
  { { "win.to-compare", NULL, "Go to the last comparison" }, NULL, to_compare_action, NEEDS_COMPILED },
  { { "win.show-sidebar", "F9", "Show or hide the sidebar" }, NULL, NULL, NEEDS_NOTHING },
  { { "win.show-inspector", "<Shift>F9", "Show or hide the inspector" }, NULL, NULL, NEEDS_NOTHING },
  { { "win.graph-beside", "<Control>backslash", "Keep the graph beside the other pages" }, NULL, NULL, NEEDS_NOTHING },
  { { "win.copy-command", "<Control><Shift>x", "Copy the command line that does the same" }, NULL,
    copy_command_action, NEEDS_PATH },
  { { "win.copy-path", NULL, "Copy the path of the model" }, NULL, copy_path_action, NEEDS_PATH },
  { { "win.back", NULL, "Go back one thing" }, NULL, back_action, NEEDS_NOTHING },
  { { "win.next-pane", "F6", "Move the focus to the next pane" }, NULL, next_pane_action, NEEDS_MODEL },
  { { "win.previous-pane", "<Shift>F6", "Move the focus to the previous pane" }, NULL, previous_pane_action,
    NEEDS_MODEL },
  { { "graph.colour-by", NULL, "Choose what the bodies of nodes are coloured by" }, "s", NULL, NEEDS_MODEL },
  { { "graph.zoom-in", "<Control>plus <Control>equal <Control>KP_Add", "Enlarge the graph" }, NULL, NULL,
    NEEDS_MODEL },
  { { "graph.zoom-out", "<Control>minus <Control>KP_Subtract", "Shrink the graph" }, NULL, NULL, NEEDS_MODEL },
  { { "graph.zoom-normal", "<Control>0 <Control>KP_0", "Show the graph at 100 %" }, NULL, NULL, NEEDS_MODEL },
};

/**
 * assay_window_list_actions:
 * @n: (out): number of rows
 *
 * Lists the commands of a window with their keys.
 *
 * Returns: (transfer none) (array length=n): the rows
 */
const AssayWindowAction *
assay_window_list_actions (guint *n)
{
  static AssayWindowAction list[G_N_ELEMENTS (actions)];
  static gsize done = 0;

  if (g_once_init_enter (&done))
    {
      for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
        list[i] = actions[i].public;
      g_once_init_leave (&done, 1);
    }

  *n = G_N_ELEMENTS (actions);
  return list;
}

void
_assay_window_class_init_actions (AssayWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (actions[i].activate != NULL)
      gtk_widget_class_install_action (widget_class, actions[i].public.name, actions[i].parameter_type,
                                       actions[i].activate);

  gtk_widget_class_install_property_action (widget_class, "win.show-sidebar", "show-sidebar");
  gtk_widget_class_install_property_action (widget_class, "win.show-inspector", "show-inspector");
  gtk_widget_class_install_property_action (widget_class, "win.graph-beside", "graph-beside");
  gtk_widget_class_install_property_action (widget_class, "win.runner", "runner");
  gtk_widget_class_install_property_action (widget_class, "win.board", "board");
}

/* Run and Deploy say why they cannot be used: there is nothing they could run. */
static void
update_program_buttons (AssayWindow *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayTarget *target = assay_session_get_target (self->session);
  g_autofree char *reason = NULL;

  if (target != NULL && assay_target_get_family (target) != ASSAY_TARGET_BLOCK_STREAMING)
    reason = g_strdup ("Assay makes no programs for this target: it knows its verdicts only");
  else if (verdicts != NULL && assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) > 0)
    {
      g_autofree char *nodes = assay_ui_format_nodes (assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED));
      reason = g_strdup_printf ("%s rejected; F8 goes through them", nodes);
    }
  else
    reason = g_strdup ("There is no program yet");

  if (assay_run_can_start (assay_session_get_run (self->session)))
    {
      const char *runner = assay_run_get_runner (assay_session_get_run (self->session));
      const AssayRunnerKind *kind = assay_runner_kind_find (runner, NULL);
      g_autofree char *run = g_strdup_printf ("Run on %s", kind != NULL ? kind->label : "the machine");
      g_autofree char *board =
        assay_board_dup_label (assay_rollout_get_board (assay_session_get_rollout (self->session)));
      g_autofree char *deploy = g_strdup_printf ("Deploy to %s", board);

      gtk_widget_set_tooltip_text (GTK_WIDGET (self->run_button), run);
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->deploy_button), deploy);
      return;
    }

  gtk_widget_set_tooltip_text (GTK_WIDGET (self->run_button), reason);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->deploy_button), reason);
}

/* The one place that decides what can be done. */
void
_assay_window_update_actions (AssayWindow *self)
{
  AssaySessionState state = assay_session_get_state (self->session);
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  AssayRun *run = assay_session_get_run (self->session);
  gboolean model = state == ASSAY_SESSION_READY;
  gboolean met[] = {
    [NEEDS_NOTHING] = TRUE,
    [NEEDS_PATH] = assay_session_get_path (self->session) != NULL,
    [NEEDS_MODEL] = model,
    [NEEDS_WORK] = assay_session_get_busy (self->session),
    [NEEDS_FINDINGS] = model && g_list_model_get_n_items (assay_session_get_finding_items (self->session)) > 0,
    [NEEDS_NO_REFUSAL] = model && assay_compilation_can_start (compilation),
    [NEEDS_COMPILED] = model && (assay_compilation_get_code (compilation) != NULL
                                 || assay_compilation_get_error (compilation) != NULL),
    [NEEDS_PROGRAM] = model && assay_run_can_start (run),
    [NEEDS_RESULT] = assay_activity_get_error (ASSAY_ACTIVITY (run)) != NULL
                     || g_list_model_get_n_items (assay_run_get_results (run)) > 0,
    [NEEDS_SELECTION] = model && assay_session_get_selection (self->session) != ASSAY_NO_NODE,
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (actions[i].activate != NULL)
      gtk_widget_action_set_enabled (GTK_WIDGET (self), actions[i].public.name, met[actions[i].needs]);

  update_program_buttons (self);
}
