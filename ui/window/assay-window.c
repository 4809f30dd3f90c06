/* assay-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-window.h"

#include <math.h>

#include "backend/assay-backend.h"
#include "run/board/assay-board-list.h"
#include "run/assay-runner.h"
#include "source/torch/assay-torch-export.h"
#include "ui/window/assay-action.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/window/assay-recent.h"
#include "ui/compare/assay-result-window.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-window-private.h"
#include "ui/window/assay-watchdog.h"
#include "ui/window/assay-template.h"

/* A faster file never shows the loading page, which would only flicker. */
#define LOADING_DELAY_MS 200
enum
{
  PROP_0,
  PROP_SESSION,
  PROP_WIDTH_CLASS,
  PROP_SHOW_SIDEBAR,
  PROP_SHOW_INSPECTOR,
  PROP_GRAPH_BESIDE,
  PROP_NODE_TABLE,
  PROP_RUNNER,
  PROP_BOARD,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayWindow, assay_window, ADW_TYPE_APPLICATION_WINDOW)

G_DEFINE_ENUM_TYPE (AssayWidthClass, assay_width_class,
                    G_DEFINE_ENUM_VALUE (ASSAY_WIDTH_COMPACT, "compact"),
                    G_DEFINE_ENUM_VALUE (ASSAY_WIDTH_MEDIUM, "medium"),
                    G_DEFINE_ENUM_VALUE (ASSAY_WIDTH_NORMAL, "normal"),
                    G_DEFINE_ENUM_VALUE (ASSAY_WIDTH_WIDE, "wide"),
                    G_DEFINE_ENUM_VALUE (ASSAY_WIDTH_VAST, "vast"))

static void
assay_window_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GTK_WIDGET_CLASS (assay_window_parent_class)->size_allocate (widget, width, height, baseline);
  assay_window_follow_width (ASSAY_WINDOW (widget), width);
}

/* The focus goes to what comes instead of a part that is hidden. GTK would give it to the nearest
 * parent that takes it, which is the separator between graph and pages. */
static void
hide_part (AssayWindow *self, GtkWidget *part, GtkWidget *instead)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  if (focus != NULL && gtk_widget_is_ancestor (focus, part) && !gtk_widget_grab_focus (instead))
    gtk_window_set_focus (GTK_WINDOW (self), NULL);
  gtk_widget_set_visible (part, FALSE);
}

static GtkWidget *
get_canvas (AssayWindow *self)
{
  return GTK_WIDGET (assay_graph_page_get_canvas (self->graph_page));
}

/* A stack gives the focus on while what had it is still seen. */
static gboolean
is_gone (GtkWidget *widget)
{
  gboolean gone = !gtk_widget_get_mapped (widget);

  for (GtkWidget *child = widget, *parent = gtk_widget_get_parent (widget); !gone && parent != NULL;
       child = parent, parent = gtk_widget_get_parent (parent))
    gone = GTK_IS_STACK (parent) && gtk_stack_get_visible_child (GTK_STACK (parent)) != child;

  return gone;
}

/* A button that goes away by what it did leaves the focus to whatever Tab comes to next. Where that
 * is a field, it would swallow the letters that are keys of the page, and text that can be copied
 * would get a cursor. */
static void
focus_changed_cb (AssayWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GtkWidget *before = self->focused;
  gboolean gone = before != NULL && is_gone (before) &&
                  gtk_widget_get_ancestor (before, GTK_TYPE_POPOVER) == NULL;

  g_set_weak_pointer (&self->focused, focus);
  if (gone && (GTK_IS_TEXT (focus) || GTK_IS_LABEL (focus)) && gtk_widget_get_mapped (focus))
    gtk_widget_grab_focus (gtk_widget_get_mapped (get_canvas (self))
                               ? get_canvas (self)
                               : adw_view_stack_get_visible_child (self->pages));
}

/* GTK's own keys for its debugger are among those of the program: where they can do nothing, as
 * there is nothing to deploy, they say why. */
static gboolean
assay_window_enable_debugging (GtkWindow *window, gboolean toggle)
{
  AssayWindow *self = ASSAY_WINDOW (window);
  g_autofree char *reason = toggle ? assay_window_explain_action (self, "win.deploy") : NULL;

  if (reason != NULL)
    assay_window_add_toast (self, reason, NULL, NULL);

  return TRUE;
}

/* One graph widget for all pages: Graph has it alone, others keep it beside them if asked to and if
 * there is room. */
void
assay_window_update_paned (AssayWindow *self)
{
  gboolean graph = g_strcmp0 (adw_view_stack_get_visible_child_name (self->pages), "graph") == 0;
  gboolean beside = self->graph_beside && self->beside_fits;
  GtkWidget *page = adw_view_stack_get_visible_child (self->pages);
  GtkWidget *canvas = get_canvas (self);

  if (graph || beside)
    gtk_widget_show (GTK_WIDGET (self->graph_paned));
  if (graph)
    hide_part (self, GTK_WIDGET (self->pages), canvas);
  else
    gtk_widget_show (GTK_WIDGET (self->pages));
  if (graph && self->node_table)
    gtk_widget_show (GTK_WIDGET (self->node_panel));
  else
    hide_part (self, GTK_WIDGET (self->node_panel), graph ? canvas : page);
  if (!graph && !beside)
    hide_part (self, GTK_WIDGET (self->graph_paned), page);
  assay_window_update_card (self);
}

/* The widget of a page of the table. */
GtkWidget *
assay_window_get_page (AssayWindow *self, const char *name)
{
  return adw_view_stack_get_child_by_name (self->pages, name);
}

/* Session. */

static void
update_title (AssayWindow *self)
{
  g_autofree char *name = assay_document_dup_name (assay_session_get_document (self->session));
  g_autofree char *target = g_path_get_basename (assay_session_get_target_id (self->session));
  g_autofree char *title = NULL;

  if (assay_session_get_state (self->session) == ASSAY_SESSION_READY)
    title = g_strdup_printf ("%s - %s - Assay", name, target);
  else if (*name != '\0')
    title = g_strdup_printf ("%s - Assay", name);

  gtk_window_set_title (GTK_WINDOW (self), title != NULL ? title : "Assay");
  adw_view_switcher_title_set_title (self->switcher_title, *name != '\0' ? name : "Assay");
}

static void
update_pages (AssayWindow *self)
{
  AssayTarget *target = assay_session_get_target (self->session);
  const char *shown = adw_view_stack_get_visible_child_name (self->pages);
  const AssayPageRow *rows;
  guint n;

  rows = assay_page_list (&n);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *page = assay_window_get_page (self, rows[i].name);
      gboolean there = target == NULL || assay_backend_has (target, rows[i].needs);

      if (!there && g_strcmp0 (shown, rows[i].name) == 0)
        adw_view_stack_set_visible_child_name (self->pages, rows[0].name);
      adw_view_stack_page_set_visible (adw_view_stack_get_page (self->pages, page), there);
    }
}

/* Two files of one name are told apart by where they are. */
static char *
dup_recent_label (GPtrArray *files, const AssayRecent *recent)
{
  g_autofree char *folder = g_path_get_basename (recent->folder);
  g_autofree char *whole = g_strdup_printf ("%s, in %s", recent->name, folder);
  guint n = 0;

  for (guint i = 0; i < files->len; i++)
    n += g_str_equal (((const AssayRecent *) g_ptr_array_index (files, i))->name, recent->name);

  return assay_ui_dup_menu_label (n > 1 ? whole : recent->name);
}

void
assay_window_update_recent (AssayWindow *self)
{
  g_autoptr (GPtrArray) files = assay_recent_list (assay_ui_recent_limit ());

  g_menu_remove_all (self->recent_section);
  for (guint i = 0; i < files->len; i++)
    {
      const AssayRecent *recent = g_ptr_array_index (files, i);
      g_autofree char *label = dup_recent_label (files, recent);
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target (item, "win.open-path", "s", recent->path);
      g_menu_append_item (self->recent_section, item);
    }
}

/* What was changed in memory alone says nothing of the file. */
static gboolean
is_as_in_file (AssayWindow *self)
{
  return !assay_history_get_modified (
             assay_document_get_history (assay_session_get_document (self->session))) ||
         (assay_document_get_fixes (assay_session_get_document (self->session))->len == 0 &&
          assay_settings_is_default (assay_session_get_setup (self->session)));
}

/* Of a session its own file: that leads to the model too. */
void
assay_window_remember (AssayWindow *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayDocument *document = assay_session_get_document (self->session);
  AssayOutcome outcome;

  if (verdicts == NULL || assay_session_get_state (self->session) != ASSAY_SESSION_READY ||
      !is_as_in_file (self))
    return;

  assay_outcome_init_for_session (&outcome, self->session);
  assay_recent_remember (assay_document_get_opened_path (document),
                         assay_session_get_target_id (self->session), &outcome);
}

/* Runners with an argument are chosen where it can be given. */
static void
fill_runners (AssayWindow *self)
{
  const AssayRunnerKind *kind;

  g_menu_remove_all (self->runner_section);
  for (guint i = 0; (kind = assay_session_get_runner_choice (self->session, i)) != NULL; i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (kind->label, NULL);

      g_menu_item_set_action_and_target (item, "win.runner", "s", kind->name);
      g_menu_append_item (self->runner_section, item);
    }
}

/* This computer, its graphics processor, and the hosts that the user's SSH knows by name; a host
 * that was typed as long as it is chosen. */
static void
fill_boards (AssayWindow *self)
{
  g_autoptr (GPtrArray) boards = assay_session_list_boards (self->session);

  g_menu_remove_all (self->board_section);
  for (guint i = 0; i < boards->len; i++)
    {
      g_autofree char *name = assay_board_dup_label (g_ptr_array_index (boards, i));
      g_autofree char *label = assay_ui_dup_menu_label (name);
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target (item, "win.board", "s", g_ptr_array_index (boards, i));
      g_menu_append_item (self->board_section, item);
    }
}

static void
verdicts_changed_cb (AssayWindow *self)
{
  assay_window_finish_fix (self);
  fill_runners (self);
  fill_boards (self);
  update_pages (self);
  update_title (self);
  assay_window_remember (self);
  assay_window_update_actions (self);
}

/* All of the model is shown first; the first finding is gone to when it is asked for. */
static void
select_first_finding (AssayWindow *self)
{
  assay_graph_page_set_still (self->graph_page, TRUE);
  assay_session_set_finding (self->session, 0);
  assay_graph_page_set_still (self->graph_page, FALSE);
  self->unseen = TRUE;
}

static gboolean
loading_timeout_cb (gpointer data)
{
  AssayWindow *self = data;

  self->loading_timeout = 0;
  assay_loading_page_set_quiet (self->loading_page, FALSE);
  gtk_stack_set_visible_child_name (self->stack, "loading");
  return G_SOURCE_REMOVE;
}

static void
state_changed_cb (AssayWindow *self)
{
  ASSAY_WATCH ("window state");
  g_clear_handle_id (&self->loading_timeout, g_source_remove);

  switch (assay_session_get_state (self->session))
    {
    case ASSAY_SESSION_EMPTY:
      assay_start_page_refresh (self->start_page);
      gtk_stack_set_visible_child_name (self->stack, "start");
      break;
    case ASSAY_SESSION_LOADING:
      assay_window_dismiss_toast (self);
      /* A window that opens with a file shows its frame alone until it is known to take long. */
      if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
        {
          assay_loading_page_set_quiet (self->loading_page, TRUE);
          gtk_stack_set_visible_child_full (self->stack, "loading", GTK_STACK_TRANSITION_TYPE_NONE);
        }
      self->loading_timeout = g_timeout_add (LOADING_DELAY_MS, loading_timeout_cb, self);
      break;
    case ASSAY_SESSION_READY:
      gtk_stack_set_visible_child_name (self->stack, "work");
      /* The keys of the graph work from the start. */
      gtk_widget_grab_focus (get_canvas (self));
      if (self->pending_node != NULL)
        assay_session_select_name (self->session, self->pending_node);
      else if (assay_document_get_view (assay_session_get_document (self->session)) == NULL)
        select_first_finding (self);
      g_clear_pointer (&self->pending_node, g_free);
      break;
    case ASSAY_SESSION_FAILED:
      gtk_stack_set_visible_child_name (self->stack, "failed");
      break;
    }

  verdicts_changed_cb (self);
}

/* A page has a dot while nobody has seen its new results. */
static void
tell_results (AssayWindow *self, AssayPageSource source, gboolean ready)
{
  const AssayPageRow *rows;
  guint n;

  rows = assay_page_list (&n);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *page = assay_window_get_page (self, rows[i].name);

      if (rows[i].source == source)
        adw_view_stack_page_set_needs_attention (
            adw_view_stack_get_page (self->pages, page),
            ready && adw_view_stack_get_visible_child (self->pages) != page);
    }
  assay_window_update_actions (self);
}

static void
compilation_changed_cb (AssayWindow *self)
{
  AssayActivityState state = assay_activity_get_state (
      ASSAY_ACTIVITY (assay_session_get_compilation (self->session)));

  if (state == ASSAY_ACTIVITY_READY || state == ASSAY_ACTIVITY_FAILED)
    assay_window_remember (self);
  tell_results (self, ASSAY_PAGE_SOURCE_PROGRAM, state == ASSAY_ACTIVITY_READY);
}

static void
comparing_changed_cb (AssayWindow *self)
{
  tell_results (self, ASSAY_PAGE_SOURCE_COMPARISON,
                assay_activity_get_state (ASSAY_ACTIVITY (
                    assay_session_get_compare_activity (self->session))) == ASSAY_ACTIVITY_READY);
}

static void
page_changed_cb (AssayWindow *self)
{
  GtkWidget *child = adw_view_stack_get_visible_child (self->pages);

  if (self->session == NULL)
    return;

  if (child != NULL)
    adw_view_stack_page_set_needs_attention (adw_view_stack_get_page (self->pages, child), FALSE);
  assay_window_update_paned (self);
}

/* Values for the graph colour the model that is there; every further model has a window. */
static void
take_file (AssayWindow *self, const char *path, gboolean further)
{
  AssayWindow *window = self;

  if (g_str_has_suffix (path, ".csv") || g_str_has_suffix (path, ".json"))
    {
      assay_window_open_overlay (self, path);
      return;
    }

  if (further)
    {
      window = ASSAY_WINDOW (assay_window_new (gtk_window_get_application (GTK_WINDOW (self)),
                                               assay_session_get_target_id (self->session)));
      gtk_window_present (GTK_WINDOW (window));
    }
  assay_window_open (window, path, NULL);
}

static gboolean
drop_cb (AssayWindow *self, const GValue *value)
{
  g_autoptr (GSList) files = G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST)
                                 ? gdk_file_list_get_files (g_value_get_boxed (value))
                                 : g_slist_prepend (NULL, g_value_get_object (value));
  guint n = 0;

  /* A drop ends without leaving. */
  gtk_widget_set_visible (self->drop_frame, FALSE);
  for (GSList *l = files; l != NULL; l = l->next)
    {
      g_autofree char *path = l->data != NULL ? g_file_get_path (l->data) : NULL;

      if (path != NULL)
        take_file (self, path, n++ > 0);
    }
  if (n == 0)
    assay_window_add_toast (self, "Only files of this computer can be opened", NULL, NULL);

  return n > 0;
}

static GdkDragAction
drag_enter_cb (AssayWindow *self)
{
  gtk_widget_set_visible (self->drop_frame, TRUE);
  return GDK_ACTION_COPY;
}

static void
drag_leave_cb (AssayWindow *self)
{
  gtk_widget_set_visible (self->drop_frame, FALSE);
}

/* What is dropped may turn out to be no file: then there is neither a drop nor a leaving. */
static void
drag_changed_cb (AssayWindow *self)
{
  if (gtk_drop_target_get_current_drop (self->drop_target) == NULL)
    gtk_widget_set_visible (self->drop_frame, FALSE);
}

static void
forget_result_cb (AssayWindow *self)
{
  self->result_window = NULL;
}

void
assay_window_show_result (AssayWindow *self)
{
  if (self->result_window == NULL)
    {
      self->result_window = assay_result_window_new (GTK_WINDOW (self), self->session);
      g_signal_connect_object (self->result_window, "destroy", G_CALLBACK (forget_result_cb), self,
                               G_CONNECT_SWAPPED);
    }
  gtk_window_present (GTK_WINDOW (self->result_window));
}

/* What was asked for is shown when it is there; what runs by itself disturbs nobody. */
static void
run_changed_cb (AssayWindow *self)
{
  AssayActivityState state = assay_activity_get_state (
      ASSAY_ACTIVITY (assay_session_get_run (self->session)));

  if (self->run_asked && (state == ASSAY_ACTIVITY_READY || state == ASSAY_ACTIVITY_FAILED))
    {
      self->run_asked = FALSE;
      assay_window_show_result (self);
    }
  tell_results (self, ASSAY_PAGE_SOURCE_RUN,
                state == ASSAY_ACTIVITY_READY &&
                    assay_run_get_times (assay_session_get_run (self->session)) != NULL);
}

static void
runner_changed_cb (AssayWindow *self)
{
  assay_window_update_actions (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUNNER]);
}

/* A program that runs on a board is held against the reference as well. */
static void
deploying_changed_cb (AssayWindow *self)
{
  AssayCompareActivity *comparing = assay_session_get_compare_activity (self->session);
  AssayActivityState compared = assay_activity_get_state (ASSAY_ACTIVITY (comparing));

  if (assay_activity_get_state (ASSAY_ACTIVITY (
          assay_session_get_deploy_activity (self->session))) == ASSAY_ACTIVITY_READY &&
      (compared == ASSAY_ACTIVITY_NONE || compared == ASSAY_ACTIVITY_STALE))
    assay_compare_activity_start (comparing);
}

static void
board_changed_cb (AssayWindow *self)
{
  fill_boards (self);
  assay_window_update_actions (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BOARD]);
}

static void
removed_changed_cb (AssayWindow *self)
{
  AssayVerdicts *verdicts;
  AssayNodeId node = assay_graph_page_get_removed (self->graph_page, &verdicts);

  assay_inspector_set_removed (self->inspector, verdicts, node);
}

/* What an action of a page can do depends on the state of the others. */
static void
set_pages_session (AssayWindow *self, AssaySession *session)
{
  const AssayPageRow *rows;
  guint n;

  rows = assay_page_list (&n);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *page = assay_window_get_page (self, rows[i].name);
      GActionGroup *actions;

      if (!ASSAY_IS_PAGE (page))
        continue;
      assay_page_set_session (ASSAY_PAGE (page), session);
      actions = assay_page_get_actions (ASSAY_PAGE (page));
      if (actions != NULL)
        g_signal_connect_object (actions, "action-state-changed",
                                 G_CALLBACK (assay_window_update_actions), self, G_CONNECT_SWAPPED);
    }
}

static void
connect_session (AssayWindow *self)
{
  AssaySession *session = self->session;

  assay_context_bar_set_session (self->context_bar, session);
  assay_sidebar_set_session (self->sidebar, session);
  assay_inspector_set_session (self->inspector, session);
  assay_graph_page_set_session (self->graph_page, session);
  g_signal_connect_object (self->graph_page, "removed-changed", G_CALLBACK (removed_changed_cb),
                           self, G_CONNECT_SWAPPED);
  assay_node_panel_set_session (self->node_panel, session);
  set_pages_session (self, session);
  assay_loading_page_set_session (self->loading_page, session);
  assay_failed_page_set_session (self->failed_page, session);
  assay_job_bar_set_session (self->job_bar, session);
  assay_notice_bar_set_session (self->notice_bar, session);
  assay_preview_bar_set_session (self->preview_bar, session);
  g_signal_connect_object (assay_session_get_preview (session), "notify::active",
                           G_CALLBACK (assay_window_update_actions), self, G_CONNECT_SWAPPED);

  g_signal_connect_object (session, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::target-id", G_CALLBACK (update_title), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_document (session), "notify::path",
                           G_CALLBACK (verdicts_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (assay_window_update_actions),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::state", G_CALLBACK (assay_window_continue_case), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (assay_window_continue_case), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_ways_search (session), "found",
                           G_CALLBACK (assay_window_update_actions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::finding", G_CALLBACK (assay_window_update_actions),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::hits", G_CALLBACK (assay_window_update_actions), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compare_activity (session), "notify::state",
                           G_CALLBACK (comparing_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (compilation_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_run (session), "notify::state",
                           G_CALLBACK (run_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_quantize (session), "notify::state",
                           G_CALLBACK (assay_window_tell_quantized), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_deploy_activity (session), "notify::state",
                           G_CALLBACK (deploying_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_deploy_activity (session), "notify::board",
                           G_CALLBACK (board_changed_cb), self, G_CONNECT_SWAPPED);
  fill_boards (self);
  g_signal_connect_object (assay_session_get_run (session), "notify::runner",
                           G_CALLBACK (runner_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compare_activity (session), "notify::setting",
                           G_CALLBACK (assay_window_update_actions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_baseline (session), "notify::pinned",
                           G_CALLBACK (assay_window_update_actions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::busy", G_CALLBACK (assay_window_update_actions), self,
                           G_CONNECT_SWAPPED);
}

static void
close_popovers (GtkWidget *widget)
{
  if (GTK_IS_POPOVER (widget))
    {
      gtk_widget_set_visible (widget, FALSE);
      return;
    }

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    close_popovers (child);
}

/* A popover that is open when its window ends, or has its focus, is kept by GTK 4.8 for ever: it
 * leaks, and a tooltip that waits over it asks a surface that is gone for the pointer. */
static void
assay_window_unmap (GtkWidget *widget)
{
  gtk_window_set_focus (GTK_WINDOW (widget), NULL);
  close_popovers (widget);
  GTK_WIDGET_CLASS (assay_window_parent_class)->unmap (widget);
}

static void
assay_window_dispose (GObject *object)
{
  AssayWindow *self = ASSAY_WINDOW (object);

  g_clear_handle_id (&self->width_idle, g_source_remove);
  g_clear_handle_id (&self->loading_timeout, g_source_remove);
  g_clear_weak_pointer (&self->setup_window);
  g_clear_weak_pointer (&self->quantize_window);
  g_clear_weak_pointer (&self->focused);
  if (self->session != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      assay_session_cancel (self->session);
    }
  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_pointer (&self->split, g_free);
  g_clear_weak_pointer (&self->toast);
  g_clear_pointer ((GtkWindow **) &self->result_window, gtk_window_destroy);
  g_clear_object (&self->session);
  g_clear_object (&self->settings);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_WINDOW);
  g_clear_pointer (&self->pending_node, g_free);
  g_clear_pointer (&self->pending_path, g_free);
  assay_jobs_cancel (&self->summing);
  g_clear_pointer (&self->pending_case, g_free);
  g_clear_pointer (&self->case_path, g_free);
  g_clear_pointer (&self->case_from, g_free);
  g_clear_pointer (&self->refused_reason, g_free);
  g_clear_object (&self->refused_finding);
  g_clear_pointer (&self->recovered, g_ptr_array_unref);

  G_OBJECT_CLASS (assay_window_parent_class)->dispose (object);
}

static void
assay_window_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayWindow *self = ASSAY_WINDOW (object);

  switch (prop_id)
    {
    case PROP_SESSION:
      g_value_set_object (value, self->session);
      break;
    case PROP_WIDTH_CLASS:
      g_value_set_enum (value, (int) self->width_class);
      break;
    case PROP_SHOW_SIDEBAR:
      g_value_set_boolean (value, assay_flap_handle_get_shown (self->sidebar_handle));
      break;
    case PROP_SHOW_INSPECTOR:
      g_value_set_boolean (value, assay_flap_handle_get_shown (self->inspector_handle));
      break;
    case PROP_GRAPH_BESIDE:
      g_value_set_boolean (value, self->graph_beside);
      break;
    case PROP_NODE_TABLE:
      g_value_set_boolean (value, self->node_table);
      break;
    case PROP_BOARD:
      g_value_set_string (value, self->session != NULL
                                     ? assay_deploy_activity_get_board (
                                           assay_session_get_deploy_activity (self->session))
                                     : "");
      break;
    case PROP_RUNNER:
      g_value_set_string (value, self->session != NULL
                                     ? assay_run_get_runner (assay_session_get_run (self->session))
                                     : "");
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_window_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  AssayWindow *self = ASSAY_WINDOW (object);

  switch (prop_id)
    {
    case PROP_SHOW_SIDEBAR:
      assay_flap_handle_set_shown (self->sidebar_handle, g_value_get_boolean (value));
      break;
    case PROP_SHOW_INSPECTOR:
      assay_flap_handle_set_shown (self->inspector_handle, g_value_get_boolean (value));
      break;
    case PROP_NODE_TABLE:
      self->node_table = g_value_get_boolean (value);
      if (self->node_table)
        adw_view_stack_set_visible_child_name (self->pages, "graph");
      assay_window_update_paned (self);
      g_object_notify_by_pspec (object, pspec);
      break;
    case PROP_GRAPH_BESIDE:
      self->graph_beside_chosen = TRUE;
      self->graph_beside = g_value_get_boolean (value);
      assay_window_update_paned (self);
      g_object_notify_by_pspec (object, pspec);
      break;
    case PROP_BOARD:
      assay_deploy_activity_set_board (assay_session_get_deploy_activity (self->session),
                                       g_value_get_string (value));
      break;
    case PROP_RUNNER:
      assay_run_set_runner (assay_session_get_run (self->session), g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_window_class_init (AssayWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GParamFlags writable = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->dispose = assay_window_dispose;
  object_class->get_property = assay_window_get_property;
  object_class->set_property = assay_window_set_property;
  widget_class->size_allocate = assay_window_size_allocate;
  widget_class->unmap = assay_window_unmap;
  GTK_WINDOW_CLASS (klass)->close_request = assay_window_close_request;
  GTK_WINDOW_CLASS (klass)->enable_debugging = assay_window_enable_debugging;

  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, ASSAY_TYPE_SESSION,
                                                  readable);
  properties[PROP_WIDTH_CLASS] = g_param_spec_enum (
      "width-class", NULL, NULL, ASSAY_TYPE_WIDTH_CLASS, ASSAY_WIDTH_COMPACT, readable);
  properties[PROP_SHOW_SIDEBAR] = g_param_spec_boolean ("show-sidebar", NULL, NULL, TRUE, writable);
  properties[PROP_SHOW_INSPECTOR] = g_param_spec_boolean ("show-inspector", NULL, NULL, TRUE,
                                                          writable);
  properties[PROP_GRAPH_BESIDE] = g_param_spec_boolean ("graph-beside", NULL, NULL, FALSE,
                                                        writable);
  properties[PROP_NODE_TABLE] = g_param_spec_boolean ("node-table", NULL, NULL, FALSE, writable);
  properties[PROP_BOARD] = g_param_spec_string ("board", NULL, NULL, NULL, writable);
  properties[PROP_RUNNER] = g_param_spec_string ("runner", NULL, NULL, NULL, writable);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  ASSAY_BIND_TEMPLATE (klass, AssayWindow, "assay-window", toasts, drop_target, drop_frame, stack,
                       start_page, loading_page, failed_page, header, open_button, run_button,
                       deploy_button, switcher_title, context_bar, notice_bar, preview_bar,
                       recovery_revealer, recovery_bar, recovery_label, sidebar_handle,
                       inspector_handle, sidebar, inspector, paned, graph_paned, graph_page,
                       node_panel, pages, job_bar, recent_section, menu_button, runner_section,
                       run_section, deploy_section, board_section);

  assay_window_class_init_actions (klass);
}

/* The list of all keys is made when somebody looks at it. */
static void
show_shortcuts (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkApplicationWindow *window = data;

  if (gtk_application_window_get_help_overlay (window) == NULL)
    {
      g_autoptr (GtkWidget) shortcuts = assay_action_new_shortcuts_window ();

      gtk_application_window_set_help_overlay (window, GTK_SHORTCUTS_WINDOW (shortcuts));
    }
  gtk_window_present (GTK_WINDOW (gtk_application_window_get_help_overlay (window)));
}

/* Everything that the table of actions feeds but the actions of the window. */
static void
add_menus (AssayWindow *self)
{
  static const GActionEntry shown[] = { { .name = "show-help-overlay",
                                          .activate = show_shortcuts } };
  g_autoptr (GMenuModel) main_menu = assay_action_new_main_menu ();

  gtk_menu_button_set_menu_model (self->menu_button, main_menu);
  assay_action_fill_section (self->run_section, ASSAY_MENU_RUN);
  assay_action_fill_section (self->deploy_section, ASSAY_MENU_DEPLOY);
  g_action_map_add_action_entries (G_ACTION_MAP (self), shown, G_N_ELEMENTS (shown), self);
  assay_window_describe_controls (self, GTK_WIDGET (self));
}

/* The pages of the table, each with its own actions under its name. */
static void
add_pages (AssayWindow *self)
{
  const AssayPageRow *rows;
  guint n;

  rows = assay_page_list (&n);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *page = g_object_new (rows[i].get_type (), NULL);
      AdwViewStackPage *place = adw_view_stack_add_titled (self->pages, page, rows[i].name,
                                                           rows[i].title);

      adw_view_stack_page_set_icon_name (place, rows[i].icon);
      if (ASSAY_IS_PAGE (page) && assay_page_get_actions (ASSAY_PAGE (page)) != NULL)
        gtk_widget_insert_action_group (GTK_WIDGET (self), rows[i].name,
                                        assay_page_get_actions (ASSAY_PAGE (page)));
    }
}

static void
assay_window_init (AssayWindow *self)
{
  GType types[] = { GDK_TYPE_FILE_LIST, G_TYPE_FILE };

  /* The narrowest first: a window cannot be made smaller than what it shows at the moment. */
  self->width_class = self->next_width_class = ASSAY_WIDTH_COMPACT;
  self->text_scale = self->next_text_scale = 1;
  self->choice = assay_file_choice_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_window_update_tight (self);
  /* The focus that comes to a label by itself would mark all of its text. */
  g_object_set (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-label-select-on-focus", FALSE,
                NULL);

  add_pages (self);
  gtk_widget_insert_action_group (
      GTK_WIDGET (self), "graph",
      assay_canvas_get_actions (assay_graph_page_get_canvas (self->graph_page)));
  gtk_drop_target_set_gtypes (self->drop_target, types, G_N_ELEMENTS (types));
  g_signal_connect_swapped (self->drop_target, "drop", G_CALLBACK (drop_cb), self);
  g_signal_connect_swapped (self->drop_target, "enter", G_CALLBACK (drag_enter_cb), self);
  g_signal_connect_swapped (self->drop_target, "leave", G_CALLBACK (drag_leave_cb), self);
  g_signal_connect_swapped (self->drop_target, "notify::current-drop", G_CALLBACK (drag_changed_cb),
                            self);
  g_signal_connect_swapped (self->pages, "notify::visible-child", G_CALLBACK (page_changed_cb),
                            self);
  g_signal_connect (self, "notify::focus-widget", G_CALLBACK (focus_changed_cb), NULL);
  g_signal_connect_swapped (self->sidebar_handle, "changed",
                            G_CALLBACK (assay_window_flap_changed_cb), self);
  g_signal_connect_swapped (self->inspector_handle, "changed",
                            G_CALLBACK (assay_window_flap_changed_cb), self);
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed",
                           G_CALLBACK (assay_window_update_recent), self, G_CONNECT_SWAPPED);
  add_menus (self);
  assay_ui_name_parts (GTK_WIDGET (self));
}

/**
 * assay_window_new:
 * @application: (nullable): the program
 * @target_id: the target to check against at first
 *
 * Makes a window with an empty session.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_window_new (GtkApplication *application, const char *target_id)
{
  AssayWindow *self = g_object_new (ASSAY_TYPE_WINDOW, "application", application, NULL);

  self->session = assay_session_new (target_id);
  connect_session (self);
  /* The menus were made before there was anything to choose. */
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUNNER]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BOARD]);
  assay_window_follow_document (self);
  assay_window_update_recent (self);
  assay_window_follow_settings (self);
  assay_window_update_for_width (self);
  state_changed_cb (self);

  return GTK_WIDGET (self);
}

/**
 * assay_window_get_session:
 * @self: a window
 *
 * Gets what the window shows.
 *
 * Returns: (transfer none): the session
 */
AssaySession *
assay_window_get_session (AssayWindow *self)
{
  return self->session;
}

static void
open_step (AssayWindow *self)
{
  g_autofree char *path = g_steal_pointer (&self->pending_path);

  assay_jobs_cancel (&self->summing);
  assay_failed_page_note_left (self->failed_page);
  if (assay_torch_is_python_file (path))
    assay_window_open_python (self, path);
  else
    assay_session_open_async (self->session, path, NULL, NULL, NULL);
}

/**
 * assay_window_open:
 * @self: a window
 * @path: path of a model or session file
 * @node: (nullable): name of the node to select
 *
 * Opens a model in the window.
 */
void
assay_window_open (AssayWindow *self, const char *path, const char *node)
{
  g_return_if_fail (ASSAY_IS_WINDOW (self));

  g_free (self->pending_path);
  self->pending_path = g_strdup (path);
  g_free (self->pending_node);
  self->pending_node = g_strdup (node);
  assay_window_ask_to_save (self, open_step);
}

/**
 * assay_window_open_overlay:
 * @self: a window
 * @path: (type filename): path of a CSV or JSON file of names and values
 *
 * Colours the graph by a file; a window without a model keeps it until one is open.
 */
void
assay_window_open_overlay (AssayWindow *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_WINDOW (self));

  assay_graph_page_open_overlay (self->graph_page, path);
}

AssayWidthClass
assay_window_get_width_class (AssayWindow *self)
{
  return self->width_class;
}
