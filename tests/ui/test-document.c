/* test-document.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a window does with its document: where one was is restored, fixes mark the graph, undo is
 * named, and nothing unsaved is lost by closing.
 */
#include <adwaita.h>
#include <glib/gstdio.h>
#include <string.h>

#include "backend/delegate/assay-gpu-list.h"
#include "base/assay-sentence.h"
#include "onnx-writer.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/compare/assay-inputs-window.h"
#include "ui/inspector/assay-fix-list.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-notice-bar.h"
#include "ui/window/assay-preview-bar.h"
#include "ui/window/assay-ui.h"

static void
saved_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  assay_session_save_finish (ASSAY_SESSION (object), result, &error);
  g_assert_no_error (error);
  *(gboolean *) user_data = TRUE;
}

static gboolean
is_set (gpointer data)
{
  return *(gboolean *) data;
}

static GtkWidget *
find_dialog (void)
{
  return ui_find_window (ADW_TYPE_MESSAGE_DIALOG);
}

static gboolean
has_dialog (gpointer data)
{
  return find_dialog () != NULL;
}

/* Page, colours, scopes and place come back with the session. */
static void
test_view (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  g_autoptr (AssayViewState) view = assay_view_state_new ();
  g_autofree char *folder = g_dir_make_tmp ("assay-document-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "s.assay", NULL);
  g_autofree char *anchor = NULL;
  const char *const scopes[] = { "audio", NULL };
  g_autoptr (GVariant) color = NULL;
  g_auto (GStrv) open = NULL;
  gboolean saved = FALSE;
  double x, y;

  ui_open_example (window, UI_MODEL);
  view->page = g_strdup ("compare");
  view->color_by = g_strdup ("bytes");
  view->open_scopes = g_strdupv ((char **) scopes);
  view->zoom = 2.5;
  assay_canvas_set_place (canvas, scopes, view->zoom, NULL, 300, 200);
  ui_settle ();
  view->anchor = assay_canvas_dup_middle (canvas, &view->x, &view->y);
  assay_session_save_async (session, path, view, saved_cb, &saved);
  wait_until (is_set (&saved));
  ui_window_close (window);

  window = ui_window_new (UI_TARGET, 1280, 800);
  session = assay_window_get_session (window);
  canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_cmpstr (assay_document_get_view (assay_session_get_document (session))->page, ==,
                   "compare");
  color = g_action_group_get_action_state (assay_canvas_get_actions (canvas), "colour-by");
  g_assert_cmpstr (g_variant_get_string (color, NULL), ==, "bytes");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  ui_settle ();
  g_assert_cmpfloat_with_epsilon (assay_canvas_get_zoom (canvas), 2.5, 1e-6);
  open = assay_canvas_list_open_scopes (canvas);
  g_assert_true (g_strv_equal ((const char *const *) open, scopes));
  anchor = assay_canvas_dup_middle (canvas, &x, &y);
  g_assert_cmpstr (anchor, ==, view->anchor);
  g_assert_cmpfloat_with_epsilon (x, view->x, 2);
  g_assert_cmpfloat_with_epsilon (y, view->y, 2);
  ui_window_close (window);

  g_remove (path);
  g_rmdir (folder);
}

/* The best offer has the focus and marks; applied and undone, the counts are those of before. */
static void
test_fix (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *list = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIX_LIST);
  guint before;

  ui_open_example (window, UI_MODEL);
  before = assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
  ui_wait_offer (list);
  ui_settle ();
  g_assert_nonnull (gtk_window_get_focus (GTK_WINDOW (window)));
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), list));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.apply-fix", "s", "0");
  ui_wait_fixed (session);
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), <,
      before);
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Applied to Setup"));
  g_assert_cmpint (assay_session_get_finding (session), >=, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), ==,
      before);
  ui_window_close (window);
}

/* A fix is seen before it is applied: Space on its row shows the model after it, the bar says what
 * both sides come to, and leads back or applies. */
static void
test_preview (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  AssaySession *session = assay_window_get_session (window);
  AssayPreview *preview = assay_session_get_preview (session);
  GtkWidget *list = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIX_LIST);
  GtkWidget *bar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_PREVIEW_BAR);
  GtkWidget *before, *focus;
  guint n, after;

  ui_open_example (window, UI_MODEL);
  n = assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED);
  for (guint end = 0; end < 2; end++)
    {
      g_autofree char *numbers = NULL;

      gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
      ui_wait_offer (list);
      g_assert_nonnull (ui_find_label (list, "Preview"));
      gtk_widget_activate_action (GTK_WIDGET (window), "win.preview-fix", "s", "0");
      ui_wait_ready (window);
      ui_settle ();
      after = assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED);
      g_assert_cmpuint (after, <, n);
      g_assert_null (assay_history_get_undo_label (
          assay_document_get_history (assay_session_get_document (session))));
      numbers = assay_preview_dup_text (preview);
      g_assert_nonnull (ui_find_label (bar, numbers));
      /* Enter applies. */
      focus = gtk_window_get_focus (GTK_WINDOW (window));
      g_assert_true (gtk_widget_is_ancestor (focus, bar));
      g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (focus)), ==, "Apply");

      before = gtk_widget_get_ancestor (ui_find_label (bar, "Before"), GTK_TYPE_TOGGLE_BUTTON);
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (before), TRUE);
      ui_wait_ready (window);
      ui_settle ();
      g_assert_cmpuint (
          assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), ==,
          n);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.toggle-preview", NULL);
      ui_wait_ready (window);
      ui_settle ();
      g_assert_false (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (before)));

      gtk_widget_activate_action (GTK_WIDGET (window), end == 0 ? "win.back" : "win.apply-preview",
                                  NULL);
      ui_wait_ready (window);
      ui_settle ();
      g_assert_false (assay_preview_get_active (preview));
      g_assert_cmpuint (
          assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), ==,
          end == 0 ? n : after);
      g_assert_cmpint (ui_find_label (GTK_WIDGET (window), "Applied to Setup") != NULL, ==,
                       end == 1);
    }
  ui_window_close (window);
}

/* What is counted stands in groups there as in the offer. */
static void
test_preview_digits (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  AssayPreview *preview = assay_session_get_preview (assay_window_get_session (window));
  GtkWidget *list = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIX_LIST);
  GtkWidget *bar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_PREVIEW_BAR);
  g_autoptr (GPtrArray) fixes = NULL;
  g_autofree char *text = NULL, *numbers = NULL;
  AssayFixOffer offer;

  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
  ui_wait_offer (list);
  offer = *assay_fix_list_get_offer (ASSAY_FIX_LIST (list), 0);
  fixes = assay_fix_offer_list_fixes (&offer, NULL);
  offer.title = (char *) "Hold input sr at 16000";
  offer.cycles_before = 12345;
  assay_preview_start (preview, &offer, fixes);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_nonnull (ui_find_label (bar, "Hold input sr at 16\u202f000"));
  text = assay_preview_dup_text (preview);
  numbers = assay_sentence_dup_shown (text);
  g_assert_nonnull (strstr (numbers, "12\u202f345"));
  g_assert_nonnull (ui_find_label (bar, numbers));
  ui_window_close (window);
}

/* Behind the last cause comes not what is only advised, but what was passed by and is worse. */
static void
test_next_cause (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  AssaySession *session = assay_window_get_session (window);
  GListModel *items = assay_session_get_finding_items (session);
  GtkWidget *list = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIX_LIST);
  g_autoptr (AssayFindingItem) next = NULL;
  int last = -1;

  ui_open_example (window, UI_MODEL);
  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);

      if (assay_finding_item_get_group (item) != ASSAY_FINDING_GROUP_ADVICE)
        last = (int) i;
    }
  g_assert_cmpint (last, <, (int) g_list_model_get_n_items (items) - 1);
  assay_session_set_finding (session, last);
  ui_wait_offer (list);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.apply-fix", "s", "0");
  ui_wait_fixed (session);
  ui_settle ();
  g_assert_cmpint (assay_session_get_finding (session), >=, 0);
  next = g_list_model_get_item (items, (guint) assay_session_get_finding (session));
  g_assert_cmpint (assay_finding_item_get_group (next), ==, ASSAY_FINDING_GROUP_REJECTED);
  ui_window_close (window);
}

static gboolean
has_cut (gpointer data)
{
  GtkWidget *button = ui_find_type (data, GTK_TYPE_MENU_BUTTON);

  return button != NULL && gtk_widget_get_visible (button);
}

/* A cut has a menu of its own below the fixes; what is kept has fewer refusals, and Undo brings the
 * rest back. */
static void
test_cut (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *list = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIX_LIST);
  g_autoptr (GVariant) target = NULL;
  g_autofree char *label = NULL;
  GMenuModel *menu;
  guint before;

  ui_open_example (window, UI_MODEL);
  before = assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
  wait_until (has_cut (list));
  menu = gtk_menu_button_get_menu_model (
      GTK_MENU_BUTTON (ui_find_type (list, GTK_TYPE_MENU_BUTTON)));
  g_assert_cmpint (g_menu_model_get_n_items (menu), ==, 2);
  g_assert_true (g_menu_model_get_item_attribute (menu, 0, G_MENU_ATTRIBUTE_LABEL, "s", &label));
  g_assert_true (g_str_has_prefix (label, "Cut here and keep what comes before: rejected "));
  g_assert_true (g_str_has_suffix (label, ", not compared: the outputs are others"));
  target = g_menu_model_get_item_attribute_value (menu, 0, G_MENU_ATTRIBUTE_TARGET,
                                                  G_VARIANT_TYPE_STRING);
  gtk_widget_activate_action_variant (GTK_WIDGET (window), "win.apply-fix", target);
  ui_wait_fixed (session);
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), <,
      before);
  /* What was cut away is not supported: that is a part of what is left. */
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_SUPPORTED), <,
      assay_graph_n_nodes (assay_session_get_verdicts (session)->graph));
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REMOVED), >, 0);
  g_assert_cmpstr (assay_history_get_undo_label (
                       assay_document_get_history (assay_session_get_document (session))),
                   ==, "Fix: Cut here and keep what comes before");

  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), ==,
      before);
  ui_window_close (window);
}

static void
gone_cb (gpointer data, GObject *object)
{
  *(gboolean *) data = TRUE;
}

/* Parts have other names than the file that was chosen: what is there already is asked about. */
static void
test_parts (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autofree char *folder = g_dir_make_tmp ("assay-parts-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "part.onnx", NULL);
  g_autofree char *first = g_build_filename (folder, "part-1.onnx", NULL);
  g_autofree char *second = g_build_filename (folder, "part-2.onnx", NULL);
  g_autofree char *named = g_build_filename (folder, "work", NULL);
  g_autofree char *saved = g_build_filename (folder, "work.assay", NULL);
  g_autofree char *text = NULL;
  g_autofree char *node = NULL;
  AssayGraph *graph;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  graph = assay_session_get_graph (session);
  node = g_strdup (
      assay_graph_node (graph, g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes,
                                              AssayNodeId, 0))
          ->name);
  g_assert_true (g_file_set_contents (second, "mine", -1, NULL));
  assay_window_save_parts (window, node, path);
  wait_until (has_dialog (NULL));
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (find_dialog ()), "cancel");
  ui_settle ();
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_get_contents (second, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");

  assay_window_save_parts (window, node, path);
  wait_until (has_dialog (NULL));
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (find_dialog ()), "replace");
  wait_until (g_file_test (first, G_FILE_TEST_EXISTS) &&
              ui_find_label (GTK_WIDGET (window), "Saved: 2 models, each read back") != NULL);
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents (second, &text, NULL, NULL));
  g_assert_cmpstr (text, !=, "mine");

  /* A session whose ending was not typed is as much another file. */
  g_assert_true (g_file_set_contents (saved, "mine", -1, NULL));
  assay_window_save_session (window, named);
  wait_until (has_dialog (NULL));
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (find_dialog ()), "cancel");
  ui_settle ();
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents (saved, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
  g_remove (saved);
  g_remove (first);
  g_remove (second);
  g_rmdir (folder);
  ui_window_close (window);
}

static void
answer_close (AssayWindow *window, const char *response)
{
  gtk_window_close (GTK_WINDOW (window));
  wait_until (has_dialog (NULL));
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (find_dialog ()), response);
}

/* Cancel keeps the window, Discard lets it go. Who wants to save and then chooses no file has not
 * closed anything, and the next save is a save. */
static void
test_close (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "close.assay", NULL);
  gboolean saved = FALSE;
  gboolean gone = FALSE;

  ui_open_example (window, UI_MODEL);
  assay_session_set_note (session, "pinned", "mine");
  g_object_weak_ref (G_OBJECT (window), gone_cb, &gone);
  answer_close (window, "cancel");
  ui_settle ();
  g_assert_false (gone);
  g_assert_cmpstr (assay_session_get_note (session, "pinned"), ==, "mine");

  answer_close (window, "save");
  wait_until (ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG) != NULL);
  gtk_dialog_response (GTK_DIALOG (ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG)),
                       GTK_RESPONSE_CANCEL);
  ui_settle ();
  g_assert_false (gone);
  assay_session_save_async (session, path, NULL, saved_cb, &saved);
  wait_until (saved);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.save", NULL);
  wait_until (gone || ui_find_label (GTK_WIDGET (window), "Session saved") != NULL);
  g_assert_false (gone);

  assay_session_set_note (session, "pinned", "again");
  answer_close (window, "discard");
  wait_until (gone);
  g_remove (path);
}

/* A session that names a program is asked about with its whole command; only yes gives it to the
 * session, and the answer is remembered. */
static void
test_programs (void)
{
  static const char command[] = "command:/bin/program --with arguments";
  static const char *const answers[] = { "refuse", "allow", NULL };
  g_autofree char *folder = g_dir_make_tmp ("assay-document-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "others.assay", NULL);
  g_autofree char *model = ui_example (UI_MODEL);
  g_autofree char *text = g_strdup_printf ("{ \"schema\": \"assay.session/1\","
                                           "  \"model\": { \"path\": \"%s\" },"
                                           "  \"target\": { \"id\": \"" UI_TARGET "\" },"
                                           "  \"run\": { \"runner\": \"%s\" } }",
                                           model, command);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
      AssayRun *run = assay_session_get_run (assay_window_get_session (window));

      assay_window_open (window, path, NULL);
      ui_wait_ready (window);
      if (answers[i] != NULL)
        {
          const char *body;

          wait_until (has_dialog (NULL));
          body = adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (find_dialog ()));
          g_assert_nonnull (strstr (body, command));
          g_assert_nonnull (strstr (body, path));
          g_assert_cmpstr (assay_run_get_runner (run), !=, command);
          adw_message_dialog_response (ADW_MESSAGE_DIALOG (find_dialog ()), answers[i]);
          /* The signal alone closes nothing. */
          gtk_window_destroy (GTK_WINDOW (find_dialog ()));
        }
      ui_settle ();
      g_assert_false (has_dialog (NULL));
      g_assert_cmpint (g_strcmp0 (assay_run_get_runner (run), command) == 0, ==, i > 0);
      ui_window_close (window);
    }

  g_remove (path);
  g_rmdir (folder);
}

static void
never (const char *path, gpointer data)
{
  g_assert_not_reached ();
}

typedef struct
{
  const char *folder;
  const char *name;
} Start;

static gboolean
starts_so (gpointer data)
{
  const Start *start = data;
  GtkWidget *dialog = ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);
  g_autoptr (GFile) folder = NULL;
  g_autofree char *name = NULL;

  if (dialog == NULL)
    return FALSE;

  folder = gtk_file_chooser_get_current_folder (GTK_FILE_CHOOSER (dialog));
  if (start->name != NULL)
    name = gtk_file_chooser_get_current_name (GTK_FILE_CHOOSER (dialog));
  return folder != NULL && g_strcmp0 (g_file_peek_path (folder), start->folder) == 0 &&
         g_strcmp0 (name, start->name) == 0;
}

static void
expect_start (const char *folder, const char *name)
{
  wait_until (starts_so (&(Start){ folder, name }));
  gtk_dialog_response (GTK_DIALOG (ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG)),
                       GTK_RESPONSE_CANCEL);
  ui_settle ();
}

/* Each way to ask for a file, from the window and from one that belongs to it. */
static void
check_choices (GtkWindow *parent, const char *folder, const char *saves, const char *name)
{
  static const AssayFileKind kind = { "A File", "_Choose", "*", "Files" };
  AssayFileChoice *choice = assay_file_choice_new ();

  assay_file_choice_open (choice, parent, &kind, never, NULL);
  expect_start (folder, NULL);
  assay_file_choice_open_folder (choice, parent, &kind, never, NULL);
  expect_start (folder, NULL);
  assay_file_choice_save (choice, parent, &kind, "-end.csv", never, NULL);
  expect_start (saves, name);
  assay_file_choice_free (choice);
}

/* Dialogs start beside the model that is open and name files after it; without a model, or where
 * its folder is gone, they start where the last one ended. */
static void
test_dialogs (void)
{
  static const char *const pages[] = { "memory", "timeline" };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWindow *child = GTK_WINDOW (gtk_window_new ());
  g_autofree char *example = ui_example ("streaming-cnn.onnx");
  g_autofree char *folder = g_dir_make_tmp ("assay-beside-XXXXXX", NULL);
  g_autofree char *last = g_dir_make_tmp ("assay-last-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "voice.onnx", NULL);
  g_autoptr (GSettings) settings = assay_ui_get_settings ();
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (example, &data, &length, NULL));
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
  g_settings_set_string (settings, "last-folder", last);
  gtk_window_set_transient_for (child, GTK_WINDOW (window));
  check_choices (GTK_WINDOW (window), last, last, "model-end.csv");

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  check_choices (GTK_WINDOW (window), folder, folder, "voice-end.csv");
  check_choices (child, folder, folder, "voice-end.csv");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.save-model-as", NULL);
  expect_start (folder, "voice-fixed.onnx");
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      g_autofree char *name = g_strdup_printf ("voice-%s.svg", pages[i]);

      gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", pages[i]);
      ui_settle ();
      gtk_widget_activate_action (GTK_WIDGET (window), "win.save-picture", NULL);
      expect_start (folder, name);
    }

  g_remove (path);
  g_rmdir (folder);
  check_choices (child, last, last, "voice-end.csv");
  gtk_window_destroy (child);
  ui_window_close (window);
  g_rmdir (last);
}

/* Writes the labels of a menu as they are shown, without the marks of keys, a line for each. */
static void
list_labels (GMenuModel *menu, GString *labels)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autofree char *label = NULL;

      if (section != NULL)
        list_labels (section, labels);
      else if (g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &label))
        {
          g_auto (GStrv) parts = g_strsplit (label, "__", -1);

          for (guint k = 0; parts[k] != NULL; k++)
            {
              g_auto (GStrv) marks = g_strsplit (parts[k], "_", -1);
              g_autofree char *bare = g_strjoinv ("", marks);

              g_string_append_printf (labels, "%s%s", k > 0 ? "_" : "", bare);
            }
          g_string_append_c (labels, '\n');
        }
    }
}

static void
list_menu (GtkWidget *widget, gpointer labels)
{
  GMenuModel *menu = ADW_IS_SPLIT_BUTTON (widget)
                         ? adw_split_button_get_menu_model (ADW_SPLIT_BUTTON (widget))
                     : GTK_IS_MENU_BUTTON (widget)
                         ? gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget))
                         : NULL;

  if (menu != NULL)
    list_labels (menu, labels);
}

static gboolean
has_label (GtkWidget *window, const char *label)
{
  g_autoptr (GString) labels = g_string_new ("\n");
  g_autofree char *line = g_strdup_printf ("\n%s\n", label);

  ui_for_each (window, list_menu, labels);
  return strstr (labels->str, line) != NULL;
}

/* Names keep their underscores in menus, and files of one name are told apart. */
static void
test_menu_names (void)
{
  static const char *const folders[] = { "first_one", "second_one" };
  static const char device[] = "Graphics processor (Vulkan)";
  g_autofree char *helper = assay_gpu_find_helper (NULL);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (g_get_user_data_dir (), folders[i], "a_net_v1.nnir",
                                                NULL);
      g_autofree char *folder = g_path_get_dirname (path);
      g_autofree char *set = g_build_filename (folder, "test_data_set_0", NULL);

      g_autofree char *input = g_build_filename (set, "input_0.pb", NULL);

      g_assert_cmpint (g_mkdir_with_parents (set, 0700), ==, 0);
      g_assert_true (g_file_set_contents (input, "", 0, NULL));
      g_assert_true (g_file_set_contents (path,
                                          "nnir 1\nmain (%x : f32[1,4]) {\n"
                                          "  %y = Relu(%x) : f32[1,4] @ \"relu\"\n  return %y\n}\n",
                                          -1, NULL));
      assay_window_open (window, path, NULL);
      ui_wait_ready (window);
      wait_until (has_label (GTK_WIDGET (window),
                             i == 0 ? "a_net_v1.nnir" : "a_net_v1.nnir, in second_one"));
    }
  g_assert_true (has_label (GTK_WIDGET (window), "a_net_v1.nnir, in first_one"));

  assay_deploy_activity_set_board (assay_session_get_deploy_activity (session), "ssh:a_host_x");
  g_assert_true (has_label (GTK_WIDGET (window), "a_host_x"));

  /* A device is a place for programs that are made for it. */
  g_assert_false (has_label (GTK_WIDGET (window), device));
  assay_session_set_target_id (session, "vulkan-main");
  ui_wait_ready (window);
  g_assert_true (has_label (GTK_WIDGET (window), device) == (helper != NULL));
  assay_session_set_target_id (session, UI_TARGET);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-inputs", NULL);
  ui_settle ();
  g_assert_true (has_label (ui_find_window (ASSAY_TYPE_INPUTS_WINDOW), "test_data_set_0"));
  ui_window_close (window);
}

/* A model whose only weights are two numbers of `weights.bin` beside it. */
static void
write_model_with_weights_beside (const char *path)
{
  GByteArray *tensor = onnx_tensor ("t", 1, 1, (const gint64[]){ 2 });
  GByteArray *entry = wire_new ();
  GByteArray *graph = wire_new ();
  g_autoptr (GByteArray) model = NULL;

  wire_string (entry, 1, "location");
  wire_string (entry, 2, "weights.bin");
  wire_message (tensor, TENSOR_EXTERNAL_DATA, entry);
  wire_int (tensor, TENSOR_DATA_LOCATION, 1);
  wire_message (graph, GRAPH_INITIALIZER, tensor);
  wire_message (graph, GRAPH_NODE, onnx_node ("Add", "add", "x t", "y"));
  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "2"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "2"));
  model = onnx_model (graph);
  g_assert_true (g_file_set_contents (path, (const char *) model->data, (gssize) model->len, NULL));
}

static gboolean
offers_folder (gpointer window)
{
  GtkWidget *bar = ui_find_type (window, ASSAY_TYPE_NOTICE_BAR);

  return ui_find_label (bar, "Open Folder…") != NULL;
}

static gboolean
has_chosen (gpointer folder)
{
  GtkWidget *dialog = ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);
  g_autoptr (GFile) file = NULL;

  if (dialog == NULL)
    return FALSE;

  file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  return file != NULL && g_strcmp0 (g_file_peek_path (file), folder) == 0;
}

/* The document portal shares a model alone, or a folder with all files of the model. */
static void
test_shared_alone (void)
{
  g_autofree char *portal = g_build_filename (g_get_user_runtime_dir (), "doc", NULL);
  g_autofree char *alone = g_build_filename (portal, "a55a1", NULL);
  g_autofree char *above = g_build_filename (portal, "a55a2", NULL);
  g_autofree char *folder = g_build_filename (above, "models", NULL);
  g_autofree char *shared = g_build_filename (alone, "m.onnx", NULL);
  g_autofree char *path = g_build_filename (folder, "m.onnx", NULL);
  g_autofree char *weights = g_build_filename (folder, "weights.bin", NULL);
  g_autoptr (GFile) place = g_file_new_for_path (folder);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayDocument *document = assay_session_get_document (assay_window_get_session (window));

  g_assert_no_errno (g_mkdir_with_parents (alone, 0700));
  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  write_model_with_weights_beside (shared);
  write_model_with_weights_beside (path);

  /* Without the weights, but in a folder that is shared as a whole, the dialog would not help. */
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_false (offers_folder (window));

  g_assert_true (g_file_set_contents (weights, "\0\0\x80\x3f\0\0\0\xc0", 8, NULL));
  assay_window_open (window, shared, NULL);
  ui_wait_ready (window);
  wait_until (offers_folder (window));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.open-folder", NULL);
  wait_until (ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG) != NULL);
  g_assert_true (gtk_file_chooser_set_current_folder (
      GTK_FILE_CHOOSER (ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG)), place, NULL));
  wait_until (has_chosen (folder));
  gtk_dialog_response (GTK_DIALOG (ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG)),
                       GTK_RESPONSE_ACCEPT);
  wait_until (g_strcmp0 (assay_document_get_path (document), path) == 0);
  ui_wait_ready (window);
  wait_until (!offers_folder (window));
  ui_window_close (window);

  g_remove (weights);
  g_remove (path);
  g_remove (shared);
  g_rmdir (folder);
  g_rmdir (above);
  g_rmdir (alone);
  g_rmdir (portal);
}

static const UiTest tests[] = {
  { "/ui/document/menu-names", test_menu_names },
  { "/ui/document/programs", test_programs },
  { "/ui/document/view", test_view },
  { "/ui/document/fix", test_fix },
  { "/ui/document/preview", test_preview },
  { "/ui/document/preview-digits", test_preview_digits },
  { "/ui/document/next-cause", test_next_cause },
  { "/ui/document/cut", test_cut },
  { "/ui/document/close", test_close },
  { "/ui/document/parts", test_parts },
  { "/ui/document/dialogs", test_dialogs },
  { "/ui/document/shared-alone", test_shared_alone },
};

TEST_PROGRAM (document)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
