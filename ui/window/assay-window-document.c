/* assay-window-document.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a window does with files: session files, models with fixes, and what was left behind.
 */
#include "ui/window/assay-window-private.h"

#include <glib/gstdio.h>

#include "base/assay-error.h"
#include "reduce/assay-split.h"
#include "source/assay-importer.h"
#include "ui/window/assay-action.h"
#include "ui/window/assay-ui.h"
#include "ui/canvas/assay-canvas.h"
#include "text/assay-xml-writer.h"

static const AssayFileKind session_kind = { "Save Session", "_Save", "*" ASSAY_SESSION_SUFFIX,
                                            "Assay Sessions" };

static AssayCanvas *
get_canvas (AssayWindow *self)
{
  return assay_graph_page_get_canvas (self->graph_page);
}

/* What a toast offers is about what was done last, in the document that is open. */
void
assay_window_dismiss_toast (AssayWindow *self)
{
  AdwToast *toast = self->toast;

  if (toast == NULL)
    return;

  g_clear_weak_pointer (&self->toast);
  adw_toast_dismiss (toast);
}

void
assay_window_add_toast (AssayWindow *self, const char *title, const char *button,
                        const char *action)
{
  g_autofree char *markup = assay_xml_escape (title);
  AdwToast *toast = adw_toast_new (markup);

  assay_window_dismiss_toast (self);
  if (button != NULL)
    {
      adw_toast_set_button_label (toast, button);
      adw_toast_set_action_name (toast, action);
      self->toast = toast;
      g_object_add_weak_pointer (G_OBJECT (toast), (gpointer *) &self->toast);
    }
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* Files are written under another name than the one that was chosen, which is what the file dialog
 * has asked about. */

typedef void (*Write) (AssayWindow *self, const char *path, const char *how);

typedef struct
{
  AssayWindow *window;
  Write write;
  char *path;
  char *how;
} Replacing;

static void
replacing_free (gpointer data, GClosure *closure)
{
  Replacing *replacing = data;

  g_object_unref (replacing->window);
  g_free (replacing->path);
  g_free (replacing->how);
  g_free (replacing);
}

static void
replace_response_cb (AdwMessageDialog *dialog, const char *response, Replacing *replacing)
{
  AssayWindow *self = replacing->window;

  if (self->session == NULL)
    return;
  if (g_str_equal (response, "replace"))
    replacing->write (self, replacing->path, replacing->how);
  else
    self->after_save = NULL;
}

/* Writes at once if none of the files is there, else as the user says. */
static void
ask_to_replace (AssayWindow *self, char **files, Write write, const char *path, const char *how)
{
  g_autofree char *first = NULL;
  g_autofree char *body = NULL;
  AdwMessageDialog *dialog;
  Replacing *replacing;
  guint n = 0;

  for (guint i = 0; files[i] != NULL; i++)
    if (g_file_test (files[i], G_FILE_TEST_EXISTS) && n++ == 0)
      first = g_filename_display_basename (files[i]);
  if (n == 0)
    {
      write (self, path, how);
      return;
    }

  body = n == 1 ? g_strdup_printf ("%s is there already, and its contents will be lost.", first)
                : g_strdup_printf ("%s and %u more are there already, and their contents will be "
                                   "lost.",
                                   first, n - 1);
  dialog = ADW_MESSAGE_DIALOG (adw_message_dialog_new (
      GTK_WINDOW (self), n == 1 ? "Replace File?" : "Replace Files?", body));
  adw_message_dialog_add_responses (dialog, "cancel", "_Cancel", "replace", "_Replace", NULL);
  adw_message_dialog_set_response_appearance (dialog, "replace", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "cancel");
  adw_message_dialog_set_close_response (dialog, "cancel");
  replacing = g_new0 (Replacing, 1);
  replacing->window = g_object_ref (self);
  replacing->write = write;
  replacing->path = g_strdup (path);
  replacing->how = g_strdup (how);
  g_signal_connect_data (dialog, "response", G_CALLBACK (replace_response_cb), replacing,
                         replacing_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Session files. */

static AssayViewState *
capture_view (AssayWindow *self)
{
  AssayViewState *view = assay_view_state_new ();
  GActionGroup *actions = assay_canvas_get_actions (get_canvas (self));
  g_autoptr (GVariant) color = g_action_group_get_action_state (actions, "colour-by");

  view->page = g_strdup (adw_view_stack_get_visible_child_name (self->pages));
  view->color_by = color != NULL ? g_variant_dup_string (color, NULL) : NULL;
  view->open_scopes = assay_canvas_list_open_scopes (get_canvas (self));
  view->zoom = assay_canvas_get_zoom (get_canvas (self));
  view->anchor = assay_canvas_dup_middle (get_canvas (self), &view->x, &view->y);

  return view;
}

void
assay_window_show_view (AssayWindow *self)
{
  const AssayViewState *view = assay_document_get_view (assay_session_get_document (self->session));
  GActionGroup *actions = assay_canvas_get_actions (get_canvas (self));
  GtkWidget *child;

  if (view == NULL)
    return;

  child = view->page != NULL ? adw_view_stack_get_child_by_name (self->pages, view->page) : NULL;
  if (child != NULL &&
      adw_view_stack_page_get_visible (adw_view_stack_get_page (self->pages, child)))
    adw_view_stack_set_visible_child_name (self->pages, view->page);
  if (view->color_by != NULL)
    g_action_group_activate_action (actions, "colour-by", g_variant_new_string (view->color_by));
  assay_canvas_set_place (get_canvas (self), (const char *const *) view->open_scopes, view->zoom,
                          view->anchor, view->x, view->y);
}

static void
saved_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AssayWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  gboolean ok = assay_session_save_finish (ASSAY_SESSION (object), result, &error);

  if (self->session == NULL)
    return;

  if (!ok)
    {
      self->after_save = NULL;
      if (!g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        assay_notice_bar_add_failure (self->notice_bar, "The session was not saved", error,
                                      "win.save");
      return;
    }

  assay_window_remember (self);
  if (self->after_save != NULL)
    g_steal_pointer (&self->after_save) (self);
  else
    assay_window_add_toast (self, "Session saved", NULL, NULL);
}

static void
write_session (AssayWindow *self, const char *path, const char *how)
{
  g_autoptr (AssayViewState) view = capture_view (self);

  assay_session_save_async (self->session, path, view, saved_cb, g_object_ref (self));
}

/**
 * assay_window_save_session:
 * @self: a window with a model
 * @path: (type filename): a file; the ending of sessions is added where it is missing
 *
 * Saves the session, after asking about a file that is there under the longer name.
 */
void
assay_window_save_session (AssayWindow *self, const char *path)
{
  g_autofree char *whole = g_strconcat (path, ASSAY_SESSION_SUFFIX, NULL);
  char *files[] = { whole, NULL };

  g_return_if_fail (ASSAY_IS_WINDOW (self));

  if (assay_session_file_has_suffix (path))
    write_session (self, path, NULL);
  else
    ask_to_replace (self, files, write_session, whole, NULL);
}

static void
save_to (const char *path, gpointer data)
{
  assay_window_save_session (data, path);
}

void
assay_window_save_as_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  self->after_save = NULL;
  assay_file_choice_save (self->choice, GTK_WINDOW (self), &session_kind, ASSAY_SESSION_SUFFIX,
                          save_to, self);
}

void
assay_window_save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const char *path = assay_document_get_file_path (assay_session_get_document (self->session));

  /* What was to follow a save that was given up is given up with it. */
  self->after_save = NULL;
  if (path != NULL)
    save_to (path, self);
  else
    assay_window_save_as_action (widget, name, parameter);
}

static void
located_cb (const char *path, gpointer data)
{
  assay_session_locate (ASSAY_WINDOW (data)->session, path);
}

void
assay_window_locate_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  g_autofree char *patterns = assay_importer_dup_patterns (NULL);
  const AssayFileKind kind = { "Locate the Model", "_Open", patterns, "Models" };

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, located_cb, self);
}

/* Models. */

static void
folder_chosen_cb (const char *folder, gpointer data)
{
  AssayWindow *self = data;
  AssayDocument *document = assay_session_get_document (self->session);
  const char *path = assay_document_get_path (document);
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : NULL;
  g_autofree char *there = name != NULL ? g_build_filename (folder, name, NULL) : NULL;

  if (there != NULL && g_file_test (there, G_FILE_TEST_IS_REGULAR))
    assay_window_open (self, there, NULL);
  else if (there != NULL)
    {
      g_autofree char *shown = assay_document_dup_name (document);
      g_autofree char *text = g_strdup_printf ("%s is not in that folder", shown);

      assay_window_add_toast (self, text, NULL, NULL);
    }
}

/* A sandbox is given a folder by the dialog that chooses it. */
void
assay_window_open_folder_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const AssayFileKind kind = { "Open the Folder of the Model", "_Open", "*", "Folders" };

  assay_file_choice_open_folder (self->choice, GTK_WINDOW (self), &kind, folder_chosen_cb, self);
}

static void
exported_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AssayWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *proof = assay_session_save_model_finish (ASSAY_SESSION (object), result, &error);

  if (self->session == NULL)
    return;

  if (proof != NULL)
    {
      g_autofree char *text = g_strdup_printf ("Model saved. %s", proof);
      assay_window_add_toast (self, text, NULL, NULL);
    }
  else if (!g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    assay_notice_bar_add_failure (self->notice_bar, "The model was not saved", error,
                                  "win.save-model-as");
}

static void
export_to (const char *path, gpointer data)
{
  AssayWindow *self = data;

  assay_session_save_model_async (self->session, path, exported_cb, g_object_ref (self));
}

void
assay_window_save_model_as_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const AssayImporter *exchange = assay_importer_get_exchange ();
  g_autofree char *patterns = assay_importer_dup_patterns (exchange);
  g_autofree char *ending = g_strconcat ("-fixed", exchange->suffixes[0], NULL);
  const AssayFileKind kind = { "Save Model As", "_Save", patterns, exchange->models };

  assay_file_choice_save (self->choice, GTK_WINDOW (self), &kind, ending, export_to, self);
}

static void
parts_saved_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AssayWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *what = assay_session_save_model_finish (ASSAY_SESSION (object), result, &error);

  if (self->session == NULL)
    return;

  if (what != NULL)
    {
      g_autofree char *text = g_strdup_printf ("Saved: %s", what);
      assay_window_add_toast (self, text, NULL, NULL);
    }
  else if (!g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    assay_notice_bar_add_failure (self->notice_bar, "The parts were not saved", error, NULL);
}

static void
write_parts (AssayWindow *self, const char *path, const char *nodes)
{
  assay_session_save_parts_async (self->session, path, nodes, parts_saved_cb, g_object_ref (self));
}

/**
 * assay_window_save_parts:
 * @self: a window with a model
 * @nodes: the nodes behind which a model ends, a line for each
 * @path: (type filename): what the files are named after
 *
 * Saves several models, after asking about files that are there.
 */
void
assay_window_save_parts (AssayWindow *self, const char *nodes, const char *path)
{
  g_auto (GStrv) ends = g_strsplit (nodes, "\n", -1);
  g_autoptr (GStrvBuilder) files = g_strv_builder_new ();
  g_auto (GStrv) parts = NULL;

  g_return_if_fail (ASSAY_IS_WINDOW (self));

  for (guint i = 0; i <= g_strv_length (ends); i++)
    {
      g_autofree char *part = assay_split_name_part (path, i);

      g_strv_builder_add (files, part);
    }
  parts = g_strv_builder_end (files);
  ask_to_replace (self, parts, write_parts, path, nodes);
}

static void
split_to (const char *path, gpointer data)
{
  AssayWindow *self = data;

  assay_window_save_parts (self, self->split, path);
}

/* The nodes behind which a model ends, a line for each. */
void
assay_window_save_parts_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const AssayImporter *exchange = assay_importer_get_exchange ();
  g_autofree char *patterns = assay_importer_dup_patterns (exchange);
  g_autofree char *ending = g_strconcat ("-part", exchange->suffixes[0], NULL);
  const AssayFileKind kind = { "Save Parts, Numbered", "_Save", patterns, exchange->models };

  g_free (self->split);
  self->split = g_variant_dup_string (parameter, NULL);
  assay_file_choice_save (self->choice, GTK_WINDOW (self), &kind, ending, split_to, self);
}

/* Undo. */

/* The window is asked for its keys first, but where text is being written they mean that. */
static gboolean
goes_to_text (GtkWidget *widget, const char *action)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (widget));

  return GTK_IS_TEXT (focus) && *gtk_editable_get_text (GTK_EDITABLE (focus)) != '\0' &&
         gtk_widget_activate_action (focus, action, NULL);
}

void
assay_window_undo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  if (goes_to_text (widget, "text.undo"))
    return;

  assay_session_undo (ASSAY_WINDOW (widget)->session);
}

void
assay_window_redo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  if (goes_to_text (widget, "text.redo"))
    return;

  assay_session_redo (ASSAY_WINDOW (widget)->session);
}

static gboolean
replace_label (GMenuModel *menu, const char *action, const char *label)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autofree char *name = NULL;

      if (section != NULL && replace_label (section, action, label))
        return TRUE;
      if (!g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_ACTION, "s", &name) ||
          !g_str_equal (name, action))
        continue;

      {
        g_autoptr (GMenuItem) item = g_menu_item_new (label, action);

        g_menu_remove (G_MENU (menu), i);
        g_menu_insert_item (G_MENU (menu), i, item);
      }
      return TRUE;
    }

  return FALSE;
}

/* The menu says what would be undone. */
void
assay_window_update_history (AssayWindow *self)
{
  AssayHistory *history = assay_document_get_history (assay_session_get_document (self->session));
  GMenuModel *menu = gtk_menu_button_get_menu_model (self->menu_button);
  const struct
  {
    const char *action;
    const char *verb;
    const char *what;
  } rows[] = {
    { "win.undo", "_Undo", assay_history_get_undo_label (history) },
    { "win.redo", "_Redo", assay_history_get_redo_label (history) },
  };

  for (guint i = 0; menu != NULL && i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *what = assay_ui_dup_menu_label (rows[i].what != NULL ? rows[i].what : "");
      g_autofree char *label = rows[i].what != NULL ? g_strdup_printf ("%s %s", rows[i].verb, what)
                                                    : g_strdup (rows[i].verb);

      replace_label (menu, rows[i].action, label);
    }
  assay_window_update_actions (self);
}

/* Fixes. */

void
assay_window_fix_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (assay_session_get_selection (self->session) == ASSAY_NO_NODE)
    assay_session_set_finding (self->session, MAX (assay_session_get_finding (self->session), 0));
  assay_graph_page_reveal_selection (self->graph_page);
  assay_flap_handle_set_shown (self->inspector_handle, TRUE);
  assay_inspector_show_fixes (self->inspector);
}

/* What the toast says once a fix is applied, and where to go on then. */
static void
remember_fix (AssayWindow *self, GPtrArray *fixes)
{
  const AssayFix *fix = g_ptr_array_index (fixes, fixes->len - 1);

  self->fixed_nodes = MAX (1, g_strv_length (fix->nodes));
  self->fixed_setup = assay_fix_get_kind (fix) != ASSAY_FIX_GRAPH;
  self->next_finding = assay_fix_list_get_finding (assay_inspector_get_fixes (self->inspector));
}

static void
apply_fix (AssayWindow *self, const char *row, gboolean one_node)
{
  AssayFixList *list = assay_inspector_get_fixes (self->inspector);
  const AssayFixOffer *offer = assay_fix_list_get_offer (list,
                                                         (guint) g_ascii_strtoull (row, NULL, 10));
  AssayNodeId selection = assay_session_get_selection (self->session);
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  g_autoptr (GPtrArray) fixes = NULL;

  if (offer == NULL)
    return;

  fixes = assay_fix_offer_list_fixes (offer,
                                      one_node && selection != ASSAY_NO_NODE
                                          ? assay_graph_node (verdicts->graph, selection)->name
                                          : NULL);
  if (fixes == NULL)
    {
      assay_window_add_toast (self, "This fix cannot be applied to one node alone", NULL, NULL);
      return;
    }

  remember_fix (self, fixes);
  gtk_widget_grab_focus (GTK_WIDGET (get_canvas (self)));
  assay_session_apply_fixes (self->session, fixes);
}

void
assay_window_apply_fix_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  apply_fix (ASSAY_WINDOW (widget), g_variant_get_string (parameter, NULL), FALSE);
}

void
assay_window_apply_fix_to_node_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  apply_fix (ASSAY_WINDOW (widget), g_variant_get_string (parameter, NULL), TRUE);
}

void
assay_window_preview_fix_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const char *row = g_variant_get_string (parameter, NULL);
  const AssayFixOffer *offer = assay_fix_list_get_offer (
      assay_inspector_get_fixes (self->inspector), (guint) g_ascii_strtoull (row, NULL, 10));
  g_autoptr (GPtrArray) fixes = NULL;

  if (offer == NULL)
    return;

  fixes = assay_fix_offer_list_fixes (offer, NULL);
  remember_fix (self, fixes);
  self->previewed_nodes = self->fixed_nodes;
  self->fixed_nodes = 0;
  /* It is what the change is watched at, and stays in sight when the bar opens. */
  assay_canvas_reveal (get_canvas (self), assay_canvas_get_selection (get_canvas (self)));
  assay_preview_start (assay_session_get_preview (self->session), offer, fixes);
}

void
assay_window_toggle_preview_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayPreview *preview = assay_session_get_preview (ASSAY_WINDOW (widget)->session);

  assay_preview_show (preview, !assay_preview_get_after (preview));
}

/* Where the model after the fix is what is seen, no check follows that would say what was done. */
void
assay_window_apply_preview_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  AssayPreview *preview = assay_session_get_preview (self->session);
  gboolean checked = assay_preview_get_after (preview) &&
                     g_list_model_get_n_items (assay_session_get_jobs (self->session)) == 0;

  self->fixed_nodes = self->previewed_nodes;
  gtk_widget_grab_focus (GTK_WIDGET (get_canvas (self)));
  assay_preview_apply (preview);
  if (checked)
    assay_window_finish_fix (self);
}

void
assay_window_leave_preview_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  gtk_widget_grab_focus (GTK_WIDGET (get_canvas (self)));
  assay_preview_back (assay_session_get_preview (self->session));
}

static gboolean
is_advice (AssayWindow *self, int finding)
{
  g_autoptr (AssayFindingItem) item = g_list_model_get_item (
      assay_session_get_finding_items (self->session), (guint) finding);

  return item == NULL || assay_finding_item_get_group (item) == ASSAY_FINDING_GROUP_ADVICE;
}

/* The counts are there: says what was done, and goes on to the next cause. */
void
assay_window_finish_fix (AssayWindow *self)
{
  guint n = self->fixed_nodes;
  g_autofree char *text = NULL;

  if (n == 0 || assay_session_get_verdicts (self->session) == NULL)
    return;

  self->fixed_nodes = 0;
  text = self->fixed_setup
             ? g_strdup ("Applied to Setup")
             : g_strdup_printf (n == 1 ? "Applied to %u node" : "Applied to %u nodes", n);
  assay_window_add_toast (self, text, "Undo", "win.undo");
  /* What is worse and was passed by comes before what is only advised. */
  assay_session_set_finding (self->session,
                             is_advice (self, self->next_finding) ? 0 : self->next_finding);
}

/* Accepting. */

static AssayFindingItem *
get_finding (AssayWindow *self)
{
  int finding = assay_session_get_finding (self->session);

  return finding >= 0 ? g_list_model_get_item (assay_session_get_finding_items (self->session),
                                               (guint) finding)
                      : NULL;
}

/* Nodes that are refused for a rule; advice needs no consent. */
gboolean
assay_window_can_accept (AssayWindow *self)
{
  g_autoptr (AssayFindingItem) item = get_finding (self);

  return item != NULL && assay_finding_item_get_rule (item) != NULL &&
         assay_finding_item_get_group (item) != ASSAY_FINDING_GROUP_ADVICE;
}

static void
reason_changed_cb (AdwMessageDialog *dialog, GParamSpec *pspec, GtkEditable *entry)
{
  adw_message_dialog_set_response_enabled (dialog, "accept",
                                           *gtk_editable_get_text (entry) != '\0');
}

static gboolean
answer_finding (AssayWindow *self, const char *response, int finding, const char *reason,
                GError **error)
{
  if (g_str_equal (response, "withdraw"))
    return assay_session_withdraw_finding (self->session, finding, error);

  return assay_session_accept_finding (self->session, finding, reason, error);
}

/* A reason that could not be written is there again when the dialog is opened the next time. */
static void
accept_response_cb (AssayWindow *self, const char *response, AdwMessageDialog *dialog)
{
  const char *reason = gtk_editable_get_text (
      GTK_EDITABLE (adw_message_dialog_get_extra_child (dialog)));
  AssayFindingItem *item = g_object_get_data (G_OBJECT (dialog), "finding");
  /* The model may have been checked again while the dialog was open. */
  int finding = assay_finding_item_find (item, assay_session_get_finding_items (self->session));
  gboolean withdraw = g_str_equal (response, "withdraw");
  g_autoptr (GError) error = NULL;

  if (g_str_equal (response, "cancel"))
    return;

  g_clear_pointer (&self->refused_reason, g_free);
  g_clear_object (&self->refused_finding);
  if (finding >= 0 && answer_finding (self, response, finding, reason, &error))
    {
      assay_window_add_toast (self,
                              withdraw ? "No longer accepted in assay-policy.json"
                                       : "Accepted in assay-policy.json",
                              NULL, NULL);
      return;
    }

  if (error == NULL)
    g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "the model does not have it any more: %s", assay_finding_item_get_title (item));
  self->refused_finding = g_object_ref (item);
  self->refused_reason = g_strdup (reason);
  assay_notice_bar_add_failure (
      self->notice_bar, withdraw ? "The finding is still accepted" : "The finding was not accepted",
      error, "win.accept-finding");
}

void
assay_window_accept_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  g_autoptr (AssayFindingItem) item = get_finding (self);
  const char *accepted = assay_finding_item_get_accepted (item);
  GtkWidget *window = adw_message_dialog_new (
      GTK_WINDOW (self), accepted != NULL ? "Accepted Finding" : "Accept Finding?",
      assay_finding_item_get_title (item));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (window);
  GtkWidget *entry = gtk_entry_new ();

  gtk_window_set_title (GTK_WINDOW (dialog), "Accept Finding");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "Why it is accepted");
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Why it is accepted", -1);
  adw_message_dialog_set_extra_child (dialog, entry);
  adw_message_dialog_add_response (dialog, "cancel", "_Cancel");
  if (accepted != NULL)
    adw_message_dialog_add_response (dialog, "withdraw", "_No Longer Accept");
  adw_message_dialog_add_response (dialog, "accept", "_Accept");
  adw_message_dialog_set_response_appearance (dialog, "accept", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_response_enabled (dialog, "accept", FALSE);
  adw_message_dialog_set_default_response (dialog, "accept");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_object (entry, "notify::text", G_CALLBACK (reason_changed_cb), dialog,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (dialog, "response", G_CALLBACK (accept_response_cb), self,
                           G_CONNECT_SWAPPED);
  g_object_set_data_full (G_OBJECT (dialog), "finding", g_object_ref (item), g_object_unref);
  if (self->refused_finding != NULL && assay_finding_item_is_same (self->refused_finding, item))
    gtk_editable_set_text (GTK_EDITABLE (entry), self->refused_reason);
  else if (accepted != NULL)
    gtk_editable_set_text (GTK_EDITABLE (entry), accepted);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* What was left behind. */

static void
update_recovery_bar (AssayWindow *self)
{
  const AssayRecovered *first = NULL;
  const char *path = assay_document_get_path (assay_session_get_document (self->session));
  AssaySessionState state = assay_session_get_state (self->session);

  for (guint i = 0; i < self->recovered->len && first == NULL; i++)
    {
      const AssayRecovered *recovered = g_ptr_array_index (self->recovered, i);

      /* Another window may have taken it over. */
      if (!g_file_test (recovered->path, G_FILE_TEST_EXISTS))
        continue;
      if (state == ASSAY_SESSION_EMPTY ||
          (state == ASSAY_SESSION_READY && g_strcmp0 (path, recovered->model) == 0 &&
           !assay_history_get_modified (
               assay_document_get_history (assay_session_get_document (self->session)))))
        first = recovered;
    }

  if (first != NULL)
    {
      g_autofree char *name = g_filename_display_basename (first->model);
      g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (first->time);
      g_autofree char *when = g_date_time_format (time, "%x %H:%M");
      g_autofree char *fixes = g_strdup_printf (
          first->n_fixes == 1 ? "%u unsaved fix" : "%u unsaved fixes", first->n_fixes);
      g_autofree char *text = g_strdup_printf (
          "Assay ended unexpectedly: %s of %s from %s can be restored.",
          first->n_fixes > 0 ? fixes : "unsaved changes", name, when);

      gtk_label_set_label (self->recovery_label, text);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->recovery_bar),
                                      GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
    }
  self->shown_recovered = first;
  gtk_revealer_set_reveal_child (self->recovery_revealer, first != NULL);
}

static void
forget_recovered (AssayWindow *self)
{
  g_ptr_array_remove (self->recovered, (gpointer) self->shown_recovered);
  self->shown_recovered = NULL;
  update_recovery_bar (self);
}

void
assay_window_restore_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  g_autofree char *path = NULL;

  if (self->shown_recovered == NULL)
    return;

  /* Opening it changes what the bar is about. */
  path = g_strdup (self->shown_recovered->path);
  forget_recovered (self);
  assay_session_recover (self->session, path);
}

void
assay_window_discard_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayWindow *self = ASSAY_WINDOW (widget);

  if (self->shown_recovered == NULL)
    return;

  assay_recovery_discard (self->shown_recovered->path);
  forget_recovered (self);
}

void
assay_window_follow_document (AssayWindow *self)
{
  AssayHistory *history = assay_document_get_history (assay_session_get_document (self->session));

  assay_session_set_recovery (self->session, NULL);
  self->recovered = assay_recovery_list (NULL);
  g_signal_connect_object (history, "notify::undo-label", G_CALLBACK (assay_window_update_history),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_document (self->session), "notify::view",
                           G_CALLBACK (assay_window_show_view), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::withheld",
                           G_CALLBACK (assay_window_ask_to_trust), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::state", G_CALLBACK (update_recovery_bar), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (update_recovery_bar), NULL);
  assay_window_update_history (self);
  update_recovery_bar (self);
}

/* Closing. */

static gboolean
has_unsaved (AssayWindow *self)
{
  AssayHistory *history = assay_document_get_history (assay_session_get_document (self->session));

  return assay_session_get_state (self->session) == ASSAY_SESSION_READY &&
         assay_history_get_modified (history) &&
         (assay_document_get_file_path (assay_session_get_document (self->session)) != NULL ||
          assay_document_get_fixes (assay_session_get_document (self->session))->len > 0 ||
          (self->fixed_setup &&
           !assay_settings_is_default (assay_session_get_setup (self->session))) ||
          assay_edits_n_notes (assay_history_get_edits (history)) > 0);
}

/* Not while the dialog is telling: it goes with its window. */
static gboolean
step_cb (gpointer data)
{
  AssayWindow *self = data;
  AssayWindowStep step = g_steal_pointer (&self->after_ask);

  if (step != NULL && self->session != NULL)
    step (self);
  return G_SOURCE_REMOVE;
}

static void
ask_response_cb (AssayWindow *self, const char *response)
{
  if (g_str_equal (response, "discard"))
    g_idle_add_full (G_PRIORITY_DEFAULT, step_cb, g_object_ref (self), g_object_unref);
  else if (g_str_equal (response, "save"))
    {
      assay_window_save_action (GTK_WIDGET (self), NULL, NULL);
      self->after_save = g_steal_pointer (&self->after_ask);
    }
}

/* Goes on at once if nothing would be lost, else as the user says. */
gboolean
assay_window_ask_to_save (AssayWindow *self, AssayWindowStep step)
{
  g_autofree char *name = assay_document_dup_name (assay_session_get_document (self->session));
  g_autofree char *body = NULL;
  GtkWidget *widget;
  AdwMessageDialog *dialog;

  if (!has_unsaved (self))
    {
      step (self);
      return FALSE;
    }

  body = g_strdup_printf ("Fixes and notes on %s that are not saved will be lost.", name);
  widget = adw_message_dialog_new (GTK_WINDOW (self), "Save Session?", body);
  dialog = ADW_MESSAGE_DIALOG (widget);
  adw_message_dialog_add_responses (dialog, "cancel", "_Cancel", "discard", "_Discard", "save",
                                    "_Save", NULL);
  adw_message_dialog_set_response_appearance (dialog, "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "save");
  adw_message_dialog_set_close_response (dialog, "cancel");
  self->after_ask = step;
  g_signal_connect_object (dialog, "response", G_CALLBACK (ask_response_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));

  return TRUE;
}

/* Who waits for what is being saved keeps the window, and would keep it at work. */
static void
destroy_step (AssayWindow *self)
{
  assay_session_cancel (self->session);
  gtk_window_destroy (GTK_WINDOW (self));
}

gboolean
assay_window_close_request (GtkWindow *window)
{
  AssayWindow *self = ASSAY_WINDOW (window);

  if (self->session == NULL)
    return FALSE;
  if (!has_unsaved (self))
    {
      assay_session_cancel (self->session);
      return FALSE;
    }

  assay_window_ask_to_save (self, destroy_step);
  return TRUE;
}
