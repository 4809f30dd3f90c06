/* ui-fixture.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui-fixture.h"

#include <adwaita.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "../core/fixture/folder.h"
#include "base/assay-sentence.h"
#include "session/list/assay-target-item.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/inspector/assay-fix-list.h"
#include "ui/window/assay-ui.h"

static char *user_folder;

static void
finish (void)
{
  folder_remove (user_folder);
  g_free (user_folder);
}

/* A toast goes after seconds, which a busy machine needs for one frame: it stays ten times as long.
 */
static void
toast_constructed (GObject *object)
{
  AdwToast *toast = ADW_TOAST (object);

  adw_toast_set_timeout (toast, 10 * adw_toast_get_timeout (toast));
}

/* FALSE without a display: there is nothing to test then. Recent files of the user stay untouched.
 */
gboolean
ui_init (int *argc, char ***argv)
{
  user_folder = g_dir_make_tmp ("assay-ui-XXXXXX", NULL);
  atexit (finish);
  g_set_prgname ("assay-workbench");
  g_set_application_name ("Assay");
  g_setenv ("XDG_DATA_HOME", user_folder, TRUE);
  g_setenv ("XDG_CONFIG_HOME", user_folder, TRUE);
  g_setenv ("XDG_STATE_HOME", user_folder, TRUE);
  g_setenv ("GDK_BACKEND", "x11", FALSE);
  g_setenv ("GSK_RENDERER", "cairo", TRUE);
  g_setenv ("ADW_DISABLE_PORTAL", "1", TRUE);
  g_setenv ("GIO_USE_VFS", "local", TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  if (g_getenv ("DISPLAY") == NULL)
    return FALSE;

  if (argc != NULL)
    gtk_test_init (argc, argv);
  else if (!gtk_init_check ())
    return FALSE;
  assay_ui_init ();
  G_OBJECT_CLASS (g_type_class_ref (ADW_TYPE_TOAST))->constructed = toast_constructed;
  ui_set_font (11);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  return TRUE;
}

/* For tests: says why nothing is tested. */
gboolean
ui_begin (int *argc, char ***argv)
{
  if (ui_init (argc, argv))
    return TRUE;

  g_print ("1..0 # SKIP there is no display\n");
  return FALSE;
}

/* What main() of a test does. */
int
ui_run (int argc, char **argv, const UiTest *tests, guint n_tests)
{
  if (!ui_begin (&argc, &argv))
    return 0;

  for (guint i = 0; i < n_tests; i++)
    g_test_add_func (tests[i].path, tests[i].run);

  return g_test_run ();
}

/* What the setting for large text does. */
void
ui_set_text_scale (double scale)
{
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", (int) (96 * 1024 * scale), NULL);
}

void
ui_set_font (double points)
{
  g_autofree char *font = g_strdup_printf ("Cantarell %g", points);

  g_object_set (gtk_settings_get_default (), "gtk-font-name", font, NULL);
}

AssayWindow *
ui_window_new (const char *target, int width, int height)
{
  GtkWidget *window = assay_window_new (NULL, target);

  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_present (GTK_WINDOW (window));
  ui_settle ();

  return ASSAY_WINDOW (window);
}

/* More than the pool of GIO has threads, even after it has grown for some seconds. */
#define N_HELD 64

static GMutex held;
static gboolean is_held;

static void
hold_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  g_mutex_lock (&held);
  g_mutex_unlock (&held);
}

/* Keeps all threads busy: what is opened is being opened until the window closes. */
void
ui_hold_threads (void)
{
  g_mutex_lock (&held);
  is_held = TRUE;
  for (guint i = 0; i < N_HELD; i++)
    {
      g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);

      g_task_run_in_thread (task, hold_thread);
    }
}

void
ui_window_close (AssayWindow *window)
{
  if (is_held)
    g_mutex_unlock (&held);
  is_held = FALSE;
  gtk_window_destroy (GTK_WINDOW (window));
  ui_settle ();
}

char *
ui_example (const char *name)
{
  g_autofree char *folder = assay_ui_find_examples ();

  return g_build_filename (folder != NULL ? folder : ".", name, NULL);
}

/* Of the outermost stack: start, loading, work or failed. */
const char *
ui_visible_page (AssayWindow *window)
{
  return gtk_stack_get_visible_child_name (
      GTK_STACK (ui_find_type (GTK_WIDGET (window), GTK_TYPE_STACK)));
}

void
ui_wait_ready (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  wait_until (assay_session_get_state (session) != ASSAY_SESSION_LOADING &&
              !assay_session_get_busy (session));
  ui_settle ();
}

/* Many of our models leave their batch open, and cannot be compiled before it has a size. */
void
ui_bind_batch (AssayWindow *window)
{
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
}

/* Until an activity that was started has come to an end, a good one or another. */
void
ui_wait_ended (gpointer activity)
{
  wait_until (assay_activity_get_state (activity) != ASSAY_ACTIVITY_NONE &&
              assay_activity_get_state (activity) != ASSAY_ACTIVITY_RUNNING);
}

/* Until a fix of the finding stands in a list of them. */
void
ui_wait_offer (GtkWidget *list)
{
  wait_until (assay_fix_list_get_offer (ASSAY_FIX_LIST (list), 0) != NULL);
}

/* Until a fix is applied: there is something to undo, and no work left. */
void
ui_wait_fixed (AssaySession *session)
{
  wait_until (g_list_model_get_n_items (assay_session_get_jobs (session)) == 0 &&
              assay_history_get_undo_label (
                  assay_document_get_history (assay_session_get_document (session))) != NULL);
}

/* Until it is known of every target how many nodes it rejects. */
void
ui_wait_survey (AssayWindow *window)
{
  GListModel *targets = assay_session_get_targets (assay_window_get_session (window));

  wait_until (g_list_model_get_n_items (targets) > 0);
  for (guint i = 0; i < g_list_model_get_n_items (targets); i++)
    {
      g_autoptr (AssayTargetItem) item = g_list_model_get_item (targets, i);

      wait_until (assay_target_item_get_rejected (item) >= 0);
    }
  ui_settle ();
}

void
ui_open_example (AssayWindow *window, const char *name)
{
  g_autofree char *path = ui_example (name);

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
}

/* What is not mapped has nothing in it that is. */
static gboolean
is_restless (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (ASSAY_IS_CANVAS (widget) &&
      (ASSAY_CANVAS (widget)->refining != 0 || ASSAY_CANVAS (widget)->tween != NULL))
    return TRUE;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (is_restless (child))
      return TRUE;

  return FALSE;
}

/* Calls that with every window that is shown and its frame clock, until one says FALSE. */
typedef gboolean (*OfWindow) (GtkWidget *window, GdkFrameClock *clock, GHashTable *frames);

static gboolean
all_windows (OfWindow func, GHashTable *frames)
{
  GListModel *toplevels = gtk_window_get_toplevels ();
  gboolean all = TRUE;

  for (guint i = 0; i < g_list_model_get_n_items (toplevels) && all; i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (toplevels, i);

      if (gtk_widget_get_mapped (window))
        all = func (window, gtk_widget_get_frame_clock (window), frames);
    }

  return all;
}

static gboolean
ask_for_frame (GtkWidget *window, GdkFrameClock *clock, GHashTable *frames)
{
  g_hash_table_insert (frames, window,
                       GINT_TO_POINTER ((int) gdk_frame_clock_get_frame_counter (clock)));
  gdk_frame_clock_request_phase (clock, GDK_FRAME_CLOCK_PHASE_PAINT);
  return TRUE;
}

/* And no canvas waits for a better picture. Windows that came since then do not count, and those
 * that went are not held. */
static gboolean
has_frame (GtkWidget *window, GdkFrameClock *clock, GHashTable *frames)
{
  gpointer before;

  if (!g_hash_table_lookup_extended (frames, window, NULL, &before))
    return TRUE;
  if ((int) gdk_frame_clock_get_frame_counter (clock) == GPOINTER_TO_INT (before))
    return FALSE;

  return !is_restless (window);
}

static void
draw_frame (void)
{
  g_autoptr (GHashTable) frames = g_hash_table_new (NULL, NULL);

  all_windows (ask_for_frame, frames);
  wait_until (all_windows (has_frame, frames));
}

/* Until what was asked for so far is done and seen: two frames of every window, since the first one
 * may ask for another, and each time a main loop with nothing left to do. What comes from a thread
 * or after a delay has to be waited for by its own condition. */
void
ui_settle (void)
{
  for (guint i = 0; i < 2; i++)
    {
      draw_frame ();
      wait_idle ();
    }
}

void
ui_for_each (GtkWidget *root, UiVisitor visitor, gpointer data)
{
  visitor (root, data);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    ui_for_each (child, visitor, data);
}

GtkWidget *
ui_find_type (GtkWidget *root, GType type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (root, type))
    return root;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = ui_find_type (child, type);

      if (found != NULL)
        return found;
    }

  return NULL;
}

/* A mapped label with exactly this text. */
GtkWidget *
ui_find_label (GtkWidget *root, const char *label)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root) &&
      g_strcmp0 (gtk_label_get_text (GTK_LABEL (root)), label) == 0)
    return root;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = ui_find_label (child, label);

      if (found != NULL)
        return found;
    }

  return NULL;
}

/* One that is shown: a closed one may still be held. */
GtkWidget *
ui_find_window (GType type)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (toplevel, type) && gtk_widget_get_visible (toplevel))
        return toplevel;
    }

  return NULL;
}

typedef struct
{
  const char *tooltip;
  GtkWidget *found;
} ButtonSearch;

static void
match_button (GtkWidget *widget, gpointer data)
{
  ButtonSearch *search = data;

  if (search->found == NULL && GTK_IS_BUTTON (widget) && gtk_widget_is_sensitive (widget) &&
      g_strcmp0 (gtk_widget_get_tooltip_text (widget), search->tooltip) == 0)
    search->found = widget;
}

/* Presses the first button that has this tooltip; it has to be there. */
void
ui_click (GtkWidget *root, const char *tooltip)
{
  ButtonSearch search = { tooltip, NULL };

  ui_for_each (root, match_button, &search);
  if (search.found == NULL)
    g_error ("no button with the tooltip %s", tooltip);
  g_signal_emit_by_name (search.found, "clicked");
  ui_settle ();
}

/* Between two texts an entry tells that it is empty. */
static void
searched_cb (GtkEditable *entry, const char **awaited)
{
  if (g_strcmp0 (gtk_editable_get_text (entry), *awaited) == 0)
    *awaited = NULL;
}

/* Puts a text into the first search entry below, which tells of it a moment later. */
void
ui_search (GtkWidget *root, const char *text)
{
  GtkWidget *entry = ui_find_type (root, GTK_TYPE_SEARCH_ENTRY);
  const char *awaited = text;
  gulong handler = g_signal_connect (entry, "search-changed", G_CALLBACK (searched_cb), &awaited);

  if (g_str_equal (gtk_editable_get_text (GTK_EDITABLE (entry)), text))
    awaited = NULL;
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  wait_until (awaited == NULL);
  g_signal_handler_disconnect (entry, handler);
  ui_settle ();
}

/* Asking whether it has an item is an error while the list has none at all. */
static gboolean
is_recent (const char *uri)
{
  g_autoptr (GtkRecentInfo)
      info = gtk_recent_manager_lookup_item (gtk_recent_manager_get_default (), uri, NULL);

  return info != NULL;
}

/* Until an example that was opened is among the recent files. */
void
ui_wait_recent (const char *example)
{
  g_autofree char *path = ui_example (example);
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

  wait_until (is_recent (uri));
  ui_settle ();
}

static void
append_field (GByteArray *bytes, guint8 tag, GByteArray *content)
{
  guint8 head[] = { tag, (guint8) content->len };

  g_byte_array_append (bytes, head, sizeof head);
  g_byte_array_append (bytes, content->data, content->len);
}

/* A model of which nothing comes out: version 8, opset 13, a graph with one input of floats, and a
 * node or none. */
char *
ui_write_model_without_outputs (gboolean has_node)
{
  static const guint8 opset[] = { 0x10, 13 }, version[] = { 0x08, 8 };
  static const guint8 name[] = { 0x12, 1, 'e' };
  /* name x; type { tensor_type { elem_type float, shape { dim 4 } } } */
  static const guint8 input[] = { 0x0a, 1,    'x', 0x12, 10, 0x0a, 8, 0x08,
                                  1,    0x12, 4,   0x0a, 2,  0x08, 4 };
  /* input x, output y, op_type Relu */
  static const guint8 node[] = { 0x0a, 1, 'x', 0x12, 1, 'y', 0x22, 4, 'R', 'e', 'l', 'u' };
  g_autoptr (GByteArray) model = g_byte_array_new ();
  g_autoptr (GByteArray) graph = g_byte_array_new ();
  g_autoptr (GByteArray) part = g_byte_array_new ();
  char *path = g_build_filename (g_get_user_data_dir (),
                                 has_node ? "no-outputs.onnx" : "empty.onnx", NULL);

  if (has_node)
    {
      g_byte_array_append (part, node, sizeof node);
      append_field (graph, 0x0a, part);
      g_byte_array_set_size (part, 0);
    }
  g_byte_array_append (graph, name, sizeof name);
  g_byte_array_append (part, input, sizeof input);
  append_field (graph, 0x5a, part);
  g_byte_array_append (model, version, sizeof version);
  append_field (model, 0x3a, graph);
  g_byte_array_set_size (part, 0);
  g_byte_array_append (part, opset, sizeof opset);
  append_field (model, 0x42, part);
  g_assert_true (g_file_set_contents (path, (const char *) model->data, (gssize) model->len, NULL));
  return path;
}

/* A model of 96 timesteps whose state is a sum that is rounded in each: its errors grow. */
void
ui_open_drifting_model (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "drift.nnir", NULL);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (GString) text = g_string_new ("nnir 1\nmain (%x : f32[96,1,8]) {\n  const %w : "
                                           "f32[1,8,8] = [");

  for (guint i = 0; i < 64; i++)
    g_string_append_printf (text, "%s%g", i > 0 ? ", " : "", 0.07 + (i % 5) / 64.0);
  g_string_append (text, "]\n  const %r : f32[1,8,8] = [");
  for (guint i = 0; i < 64; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", i % 9 == 0);
  g_string_append (text, "]\n  %p = Mul(%x, %x) : f32[96,1,8] @ \"size\"\n  %h = RNN(%p, %w, %r) "
                         "{hidden_size = 8, activations = [\"Relu\"]} : "
                         "f32[96,1,1,8] @ \"state\"\n  return %h\n}\n");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  assay_settings_set_axis (&setup, 0, 0);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
}

/* How many timesteps runs have, 0 for as many as the model says. */
void
ui_set_steps (AssaySession *session, guint n_steps)
{
  AssayRun *run = assay_session_get_run (session);
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_copy (assay_run_get_inputs (run));

  assay_input_choice_set_steps (inputs, n_steps);
  assay_run_set_inputs (run, inputs);
}

static void
saved_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_assert_true (assay_session_save_finish (ASSAY_SESSION (object), result, NULL));
}

/* Saves the session, and again while no file may grow, as on a disk that is full: the file stays
 * what it was. */
char *
ui_save_on_full_disk (AssayWindow *window)
{
  char *path = g_build_filename (g_get_user_data_dir (), "work.assay", NULL);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  struct rlimit limit, none;
  GLogLevelFlags fatal;

  assay_session_save_async (assay_window_get_session (window), path, NULL, saved_cb, NULL);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_true (g_file_get_contents (path, &before, NULL, NULL));

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  none = limit;
  none.rlim_cur = 0;
  /* GTK writes its list of recent files when it likes, and warns that it cannot. */
  fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &none), ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.save", NULL);
  wait_until (ui_find_label (GTK_WIDGET (window), "Try Again"));
  ui_settle ();
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_log_set_always_fatal (fatal);
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);

  return path;
}

/* What no sentence says: the same word twice before and behind a colon, a gap where a word is
 * missing, several of one. */
static const struct
{
  const char *pattern;
  const char *fault;
} slips[] = {
  { "\\b(\\w{3,}): \\1\\b", "says twice" },
  { "\\b(by|at|of|in|from|to|with|on|for)  |\\w ,|: ,|\\(\\)", "has a gap" },
  { "`", "has a backtick" },
  { "(^|[^.])\\.\\.(\\s|$)", "ends twice" },
  { "(?-i)\\d\\s*[kKMG]B\\b", "counts bytes in thousands" },
  { "(?-i)^[a-z]+: [A-Z][a-z]+ [a-z]", "begins small" },
  { "(^|[^\\w.,\u202f-])1 (blocks|nodes|cores|steps|cycles|tensors|outputs|inputs|timesteps|cases|"
    "findings|files|units|causes|pieces|vectors|models|instructions|elements|refusals|fixes)\\b",
    "counts one as several" },
};

/* The same few patterns are looked for in thousands of texts. */
gboolean
ui_matches (const char *pattern, GRegexCompileFlags flags, const char *text)
{
  static GHashTable *known[2];
  gboolean caseless = (flags & G_REGEX_CASELESS) != 0;
  GRegex *regex;

  if (known[caseless] == NULL)
    known[caseless] = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                             (GDestroyNotify) g_regex_unref);
  regex = g_hash_table_lookup (known[caseless], pattern);
  if (regex == NULL)
    {
      regex = g_regex_new (pattern, flags | G_REGEX_OPTIMIZE, 0, NULL);
      g_assert_nonnull (regex);
      g_hash_table_insert (known[caseless], (gpointer) pattern, regex);
    }

  return g_regex_match (regex, text, 0, NULL);
}

/* What is wrong with what a widget says. */
void
ui_check_sentence (GtkWidget *widget, const char *text, GPtrArray *complaints)
{
  for (guint i = 0; text != NULL && i < G_N_ELEMENTS (slips); i++)
    if (ui_matches (slips[i].pattern, G_REGEX_CASELESS, text))
      g_ptr_array_add (complaints, g_strdup_printf ("%s %s: “%s”", G_OBJECT_TYPE_NAME (widget),
                                                    slips[i].fault, text));

  /* A sentence, not a shape, a command or a name. */
  if (text != NULL && ui_matches ("[a-z] .* [a-z]", 0, text) && strstr (text, "assay ") == NULL)
    {
      g_autofree char *shown = assay_sentence_dup_shown (text);

      if (strchr (text, '`') == NULL && !g_str_equal (text, shown))
        g_ptr_array_add (complaints, g_strdup_printf ("%s has digits together: “%s”",
                                                      G_OBJECT_TYPE_NAME (widget), text));
    }
}

/* What is wrong with the words of a widget, and whether a fact of the first rank is faded. */
void
ui_check_words (GtkWidget *widget, GPtrArray *complaints)
{
  g_autofree char *spoken = NULL;

  /* It gives what a widget is called where that is not this. */
  if (gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL))
    spoken = gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget),
                                                 GTK_ACCESSIBLE_PROPERTY_LABEL, "");
  ui_check_sentence (widget, spoken, complaints);
  if (GTK_IS_LABEL (widget))
    ui_check_sentence (widget, gtk_label_get_text (GTK_LABEL (widget)), complaints);
  ui_check_sentence (widget, gtk_widget_get_tooltip_text (widget), complaints);
  if (GTK_IS_BUTTON (widget) && gtk_widget_has_css_class (widget, "error") &&
      !gtk_widget_is_sensitive (widget))
    g_ptr_array_add (complaints,
                     g_strdup_printf ("faded: “%s”", gtk_button_get_label (GTK_BUTTON (widget))));
}

static void
visit_words (GtkWidget *widget, gpointer complaints)
{
  if (gtk_widget_get_mapped (widget))
    ui_check_words (widget, complaints);
}

/* The same of all that is seen below a widget. */
void
ui_check_seen_words (GtkWidget *root, GPtrArray *complaints)
{
  ui_for_each (root, visit_words, complaints);
}
