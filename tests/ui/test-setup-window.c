/* test-setup-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The window of sizes, streaming and cores.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/sidebar/assay-setup-window.h"

static void
collect_entries (GtkWidget *widget, gpointer data)
{
  if (ADW_IS_ENTRY_ROW (widget))
    g_ptr_array_add (data, widget);
}

static gboolean
keeps_input (AssaySession *session)
{
  g_autofree char *kept = assay_settings_dup_text (assay_session_get_setup (session),
                                                   ASSAY_SETTING_KEEP_FP32);

  return g_strcmp0 (kept, "input") == 0;
}

static gboolean
is_bound (gpointer data)
{
  AssaySession *session = data;

  return !assay_settings_is_default (assay_session_get_setup (session)) &&
         !assay_session_get_busy (session);
}

/* Typing sizes into Setup reads the model again, and what was undecided is decided. */
static void
test_setup (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  guint n_dims, before;

  ui_open_example (window, "transformer-block.onnx");
  before = assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_UNDECIDED];
  g_assert_cmpuint (before, >, 0);
  n_dims = assay_session_get_dimensions (session)->len;
  g_assert_cmpuint (n_dims, >, 0);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle ();
  ui_for_each (ui_find_window (ASSAY_TYPE_SETUP_WINDOW), collect_entries, entries);
  g_assert_cmpuint (entries->len, >=, n_dims);
  for (guint i = 0; i < n_dims; i++)
    gtk_editable_set_text (GTK_EDITABLE (g_ptr_array_index (entries, i)), "16");
  wait_until (is_bound (session));
  g_assert_cmpuint (assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_UNDECIDED], <,
                    before);
  ui_window_close (window);
}

/* The cursor is where the first size is missing; what crosses the border can be fp32. */
static gboolean
is_free (gpointer data)
{
  AssaySession *session = data;

  return assay_settings_is_default (assay_session_get_setup (session)) &&
         !assay_session_get_busy (session);
}

/* What is undecided for want of a batch is decided by one press, and can be taken back. */
static void
test_batch (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session;
  GtkWidget *button;

  ui_open_example (window, "transformer-block.onnx");
  session = assay_window_get_session (window);
  button = gtk_widget_get_ancestor (ui_find_label (GTK_WIDGET (window), "batch = 1"),
                                    GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_get_mapped (button));
  gtk_widget_grab_focus (button);
  g_signal_emit_by_name (button, "clicked");
  wait_until (is_bound (session));
  ui_settle ();
  g_assert_false (gtk_widget_get_mapped (button));
  g_assert_false (GTK_IS_TEXT (gtk_window_get_focus (GTK_WINDOW (window))));
  g_assert_null (assay_session_dup_batch (session));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  wait_until (is_free (session));
  ui_settle ();
  g_assert_true (gtk_widget_get_mapped (button));
  ui_window_close (window);
}

static void
test_setup_rows (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *setup_window, *focus, *row;

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle ();
  setup_window = ui_find_window (ASSAY_TYPE_SETUP_WINDOW);
  focus = gtk_root_get_focus (gtk_widget_get_root (setup_window));
  g_assert_nonnull (focus);
  row = gtk_widget_get_ancestor (focus, ADW_TYPE_ENTRY_ROW);
  g_assert_nonnull (row);
  g_assert_nonnull (strstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), "batch"));
  gtk_editable_set_text (GTK_EDITABLE (row), "1");
  wait_until (is_bound (session));

  row = gtk_widget_get_ancestor (ui_find_label (setup_window, "Precision of input"),
                                 ADW_TYPE_COMBO_ROW);
  g_assert_nonnull (row);
  g_assert_cmpuint (adw_combo_row_get_selected (ADW_COMBO_ROW (row)), ==, 0);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 1);
  wait_until (keeps_input (session));
  ui_wait_ready (window);
  g_assert_nonnull (assay_compilation_get_program (assay_session_get_compilation (session)));
  ui_window_close (window);
}

typedef struct
{
  const char *title;
  GtkEditable *row;
} Sought;

static void
seek_row (GtkWidget *widget, gpointer data)
{
  Sought *sought = data;

  if (sought->row == NULL && ADW_IS_ENTRY_ROW (widget) &&
      strstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), sought->title) != NULL)
    sought->row = GTK_EDITABLE (widget);
}

static GtkEditable *
find_row (GtkWidget *root, const char *title)
{
  Sought sought = { title, NULL };

  ui_for_each (root, seek_row, &sought);
  g_assert_nonnull (sought.row);
  return sought.row;
}

typedef struct
{
  GtkWidget *root;
  const char *words;
  gboolean found;
} Said;

static void
find_said (GtkWidget *widget, gpointer data)
{
  Said *said = data;

  said->found |= GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
                 gtk_widget_has_css_class (widget, "error") &&
                 strstr (gtk_label_get_text (GTK_LABEL (widget)), said->words) != NULL;
}

static gboolean
is_said (gpointer data)
{
  Said *said = data;

  said->found = FALSE;
  ui_for_each (said->root, find_said, said);
  return said->found;
}

/* What cannot be taken is said in the window where it was typed, until it is right. */
static void
test_troubles (void)
{
  static const struct
  {
    const char *row;
    const char *typed;
    const char *said;
    const char *right;
  } entries[] = {
    { "batch", "abc", "“abc” is not a size", "1" },
    { "input (", "foo", "“foo” is not a shape", "" },
    { "input (", "1,2,3,4,5", "1,2,3,4,5", "" },
    { "depth", "0", "“0” is not a depth", "4096" },
    { "Cores of nodes", "nope=0", "Pin nope: the model has no such node", "" },
  };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  GtkWidget *setup_window;

  ui_open_example (window, "mlp.onnx");
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 4096);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle ();
  setup_window = ui_find_window (ASSAY_TYPE_SETUP_WINDOW);
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      GtkEditable *row = find_row (setup_window, entries[i].row);
      Said said = { setup_window, entries[i].said, FALSE };
      Said any = { setup_window, "", FALSE };

      gtk_editable_set_text (row, entries[i].typed);
      wait_until (is_said (&said));
      gtk_editable_set_text (row, entries[i].right);
      wait_until (!is_said (&any));
    }
  ui_window_close (window);
}

/* What was typed holds, however quickly the window is closed behind it. */
static void
test_closed (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *setup_window;

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle ();
  setup_window = ui_find_window (ASSAY_TYPE_SETUP_WINDOW);
  gtk_editable_set_text (find_row (setup_window, "batch"), "1");
  gtk_widget_activate_action (setup_window, "window.close", NULL);
  wait_until (is_bound (session));
  ui_window_close (window);
}

/* The dialog that the file choice of a window has up. */
static GtkWidget *
find_chooser (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  GtkWidget *found = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (GTK_IS_FILE_CHOOSER (window) && gtk_widget_get_mapped (window))
        found = window;
    }

  return found;
}

static gboolean
has_chooser (gpointer data)
{
  return find_chooser () != NULL;
}

static gboolean
has_file (gpointer data)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (data);

  return file != NULL;
}

static gboolean
has_profile (gpointer data)
{
  g_autofree char *text = assay_settings_dup_text (assay_session_get_setup (data),
                                                   ASSAY_SETTING_DEVICE_PROFILE);

  return text != NULL && g_path_is_absolute (text) && !assay_session_get_busy (data);
}

/* A device is named in Setup, or the file that describes it chosen; both are checked against. */
static void
test_profile (void)
{
  AssayWindow *window = ui_window_new ("vulkan-main", 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "devices", "old.json", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *text = NULL;
  GtkWidget *setup, *chooser;

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle ();
  setup = ui_find_window (ASSAY_TYPE_SETUP_WINDOW);
  ui_click (setup, "Choose a file of vulkaninfo --json");
  wait_until (has_chooser (NULL));
  chooser = find_chooser ();
  g_assert_true (gtk_file_chooser_set_file (GTK_FILE_CHOOSER (chooser), file, NULL));
  wait_until (has_file (chooser));
  gtk_dialog_response (GTK_DIALOG (chooser), GTK_RESPONSE_ACCEPT);
  wait_until (has_profile (session));
  text = assay_settings_dup_text (assay_session_get_setup (session), ASSAY_SETTING_DEVICE_PROFILE);
  g_assert_cmpstr (text, ==, path);
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/setup/binding", test_setup }, { "/ui/setup/rows", test_setup_rows },
  { "/ui/setup/batch", test_batch },   { "/ui/setup/troubles", test_troubles },
  { "/ui/setup/closed", test_closed }, { "/ui/setup/profile", test_profile },
};

TEST_PROGRAM (setup_window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
