/* test-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The window under a virtual display: templates, states, target, sizes, pages.
 */
#include <glib/gstdio.h>
#include <unistd.h>

#include "test-program.h"
#include "ui-fixture.h"
#include "ui/window/assay-context-bar.h"
#include "ui/sidebar/assay-setup-window.h"
#include "ui/graph/assay-selection-card.h"
#include "ui/sidebar/assay-target-chooser.h"
#include "ui/window/assay-watchdog.h"

static void
check_type (GType type, guint *n)
{
  guint n_children;
  g_autofree GType *children = g_type_children (type, &n_children);

  if (g_str_has_prefix (g_type_name (type), "Assay") && !G_TYPE_IS_ABSTRACT (type) &&
      !g_type_is_a (type, GTK_TYPE_ROOT))
    {
      GtkWidget *widget = g_object_ref_sink (g_object_new (type, NULL));

      g_test_message ("%s", g_type_name (type));
      g_assert_finalize_object (widget);
      (*n)++;
    }

  for (guint i = 0; i < n_children; i++)
    check_type (children[i], n);
}

static void
test_templates (void)
{
  guint n = 0;

  g_type_ensure (ASSAY_TYPE_WINDOW);
  check_type (GTK_TYPE_WIDGET, &n);
  g_assert_cmpuint (n, >, 15);
}

static void
finalized_cb (gpointer data, GObject *object)
{
  *(gboolean *) data = TRUE;
}

static void
test_finalize (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  gboolean window_gone = FALSE, session_gone = FALSE;

  ui_open_example (window, UI_MODEL);
  g_object_weak_ref (G_OBJECT (window), finalized_cb, &window_gone);
  g_object_weak_ref (G_OBJECT (session), finalized_cb, &session_gone);
  ui_window_close (window);
  g_assert_true (window_gone);
  g_assert_true (session_gone);
}

static void
test_states (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autofree char *junk = NULL;
  int fd = g_file_open_tmp ("assay-XXXXXX.onnx", &junk, NULL);

  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_set_contents (junk, "no model at all", -1, NULL));

  g_assert_cmpstr (ui_visible_page (window), ==, "start");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, "Assay");

  ui_open_example (window, UI_MODEL);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==,
                   UI_MODEL " - " UI_TARGET " - Assay");
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), UI_MODEL));

  assay_window_open (window, junk, NULL);
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "failed");
  g_assert_nonnull (ui_find_label (
      GTK_WIDGET (window), assay_session_get_problem (assay_window_get_session (window))->what));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-model", NULL);
  ui_settle ();
  g_assert_cmpstr (ui_visible_page (window), ==, "start");
  ui_window_close (window);
  g_remove (junk);
}

typedef struct
{
  guint words;
  guint toggles;
} Counted;

static void
count_verdicts (GtkWidget *widget, gpointer data)
{
  Counted *counted = data;
  GtkWidget *toggle = gtk_widget_get_ancestor (widget, GTK_TYPE_TOGGLE_BUTTON);

  if (!gtk_widget_get_mapped (widget))
    return;
  if (gtk_widget_has_css_class (widget, "verdict-toggle"))
    counted->toggles++;
  if (!GTK_IS_LABEL (widget) || toggle == NULL ||
      !gtk_widget_has_css_class (toggle, "verdict-toggle"))
    return;
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))));
  counted->words += g_ascii_isalpha (gtk_label_get_label (GTK_LABEL (widget))[0]);
}

/* Where there is no room for all words of the verdicts there are none, and no half ones. */
static void
test_verdict_words (void)
{
  static const int widths[] = { 1000, 1300, 1340, 1380, 1420, 1460, 1590 };
  g_autofree char *model = ui_example ("transformer-block.onnx");
  g_autofree char *folder = g_dir_make_tmp ("assay-words-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a-name-that-takes-all-it-is-given.onnx", NULL);
  g_autofree char *target = g_build_filename (folder,
                                              "my-own-card-in-the-lab-on-the-second-floor-behind-"
                                              "the-door-with-the-blue-sign-and-no-window.json",
                                              NULL);
  gboolean some = FALSE, none = FALSE;

  g_assert_cmpint (symlink (model, path), ==, 0);
  g_assert_true (g_file_set_contents (
      target,
      "{ \"schema\": \"assay.target/1\", \"id\": \"mine\", \"title\": \"Mine\","
      "  \"extends\": \"" UI_TARGET "\", \"summary\": \"Mine\", \"source\": \"lab\" }",
      -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      AssayWindow *window = ui_window_new (target, widths[i], 700);
      Counted counted = { 0, 0 };

      assay_window_open (window, path, NULL);
      ui_wait_ready (window);
      ui_settle ();
      ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR), count_verdicts,
                   &counted);
      g_test_message ("%d: %u of %u words", widths[i], counted.words, counted.toggles);
      g_assert_cmpuint (counted.toggles, >, 2);
      g_assert_true (counted.words == 0 || counted.words == counted.toggles);
      some = some || counted.words > 0;
      none = none || counted.words == 0;
      ui_window_close (window);
    }
  g_assert_true (some && none);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_remove (target), ==, 0);
  g_rmdir (folder);
}

/* Without a target there are no verdicts of before, and another one is a press away. */
static void
test_no_target (void)
{
  static const char *const ids[] = { "nope", "dpu_zdx8g" };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      AssayWindow *window = ui_window_new (ids[i], 1280, 800);
      const AssayProblem *problem;

      ui_open_example (window, UI_MODEL);
      ui_settle ();
      problem = assay_session_get_check_problem (assay_window_get_session (window));
      g_assert_nonnull (problem);
      g_assert_cmpstr (problem->advice, ==, "Choose another target.");
      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Choose Target…"));
      assay_session_set_target_id (assay_window_get_session (window), UI_TARGET);
      ui_wait_ready (window);
      g_assert_null (assay_session_get_check_problem (assay_window_get_session (window)));
      ui_window_close (window);
    }
}

static void
collect_open_popovers (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    g_ptr_array_add (data, widget);
}

/* The window of Setup ends with the one that it belongs to. */
static void
test_open_setup (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  gboolean gone = FALSE;

  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle ();
  g_assert_nonnull (ui_find_window (ASSAY_TYPE_SETUP_WINDOW));
  g_object_weak_ref (G_OBJECT (ui_find_window (ASSAY_TYPE_SETUP_WINDOW)), finalized_cb, &gone);
  ui_window_close (window);
  g_assert_true (gone);
}

/* A window that ends with an open popover takes it along: one that stays alive without its surface
 * is what the tooltip that GTK waits to show complains about. */
static void
test_open_popover (void)
{
  static const char *const actions[] = { "win.choose-target", "graph.menu" };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
      g_autoptr (GPtrArray) popovers = g_ptr_array_new ();
      gboolean gone = FALSE;

      ui_open_example (window, UI_MODEL);
      gtk_widget_activate_action (GTK_WIDGET (window), actions[i], NULL);
      ui_settle ();
      ui_for_each (GTK_WIDGET (window), collect_open_popovers, popovers);
      g_assert_cmpuint (popovers->len, ==, 1);
      g_object_weak_ref (g_ptr_array_index (popovers, 0), finalized_cb, &gone);
      ui_window_close (window);
      g_assert_true (gone);
    }
}

static gboolean
is_changed (gpointer data)
{
  return assay_document_get_changed_files (assay_session_get_document (data)) != 0;
}

/* A model that is written while it is open is told of in the bar, and Reload keeps what was
 * selected. */
static void
test_reload (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  GtkInfoBar *bar = GTK_INFO_BAR (ui_find_type (GTK_WIDGET (window), GTK_TYPE_INFO_BAR));
  g_autofree char *folder = g_dir_make_tmp ("assay-reload-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *first = ui_example (UI_MODEL);
  g_autofree char *second = ui_example ("mlp.onnx");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFile) from = g_file_new_for_path (first);
  g_autoptr (GFile) other = g_file_new_for_path (second);
  guint before;

  g_assert_true (g_file_copy (from, file, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  before = assay_graph_n_nodes (assay_session_get_graph (session));
  g_assert_null (ui_find_label (GTK_WIDGET (bar), "Reload"));
  assay_session_set_filter (session, 1u << ASSAY_VERDICT_REJECTED);

  g_assert_true (g_file_copy (other, file, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL));
  wait_until (is_changed (session));
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (bar), "Reload"));
  g_assert_cmpint (gtk_info_bar_get_message_type (bar), ==, GTK_MESSAGE_INFO);
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (session)), ==, before);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.reload", NULL);
  ui_wait_ready (window);
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (session)), !=, before);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  g_assert_cmpuint (assay_document_get_changed_files (assay_session_get_document (session)), ==, 0);
  ui_window_close (window);
  g_remove (path);
  g_rmdir (folder);
}

static void
test_target (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  guint before;

  ui_open_example (window, UI_MODEL);
  before = assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_REJECTED];
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Memory"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", UI_OTHER_TARGET);
  ui_wait_ready (window);
  g_assert_cmpstr (assay_session_get_verdicts (session)->target_id, ==, UI_OTHER_TARGET);
  g_assert_cmpuint (assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_REJECTED], !=,
                    before);
  g_assert_nonnull (strstr (gtk_window_get_title (GTK_WINDOW (window)), UI_OTHER_TARGET));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), UI_OTHER_TARGET));
  /* The steps of a delegate take nobody knows how long: it has no timeline. */
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Memory"));
  g_assert_null (ui_find_label (GTK_WIDGET (window), "Timeline"));
  ui_window_close (window);
}

static void
check_ellipsis (GtkWidget *widget, gpointer data)
{
  const char *text;

  if (!GTK_IS_LABEL (widget) || !gtk_widget_get_mapped (widget))
    return;

  text = gtk_label_get_text (GTK_LABEL (widget));
  /* The name of a file may be cut in the middle; everything else has to be read whole. */
  if (g_str_has_suffix (text, ".onnx"))
    return;
  if (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    {
      g_test_message ("cut: %s", text);
      g_test_fail ();
    }
}

/* What a target is can be read whole in the list of targets: every family has longer sentences than
 * the first. */
static void
test_chooser (void)
{
  static const char *const searches[] = { "", "dpu", "vulkan" };
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  GtkWidget *chooser;
  GtkListView *list;

  ui_open_example (window, UI_MODEL);
  ui_wait_survey (window);
  chooser = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TARGET_CHOOSER);
  list = GTK_LIST_VIEW (ui_find_type (chooser, GTK_TYPE_LIST_VIEW));
  /* Its rows are made when somebody looks at them. */
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (list))), ==,
                    0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.choose-target", NULL);
  ui_settle ();
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (list))), >, 2);
  for (guint i = 0; i < G_N_ELEMENTS (searches); i++)
    {
      ui_search (chooser, searches[i]);
      ui_for_each (chooser, check_ellipsis, NULL);
    }
  ui_window_close (window);
}

static void
test_sizes (void)
{
  static const int sizes[][2] = { { 720, 480 }, { 1024, 640 }, { 1280, 800 }, { 1920, 1080 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, sizes[i][0], sizes[i][1]);
      int minimum, width, height;

      ui_open_example (window, UI_MODEL);
      ui_settle ();
      gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                          NULL);
      g_assert_cmpint (minimum, <=, 720);
      gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_VERTICAL, -1, &minimum, NULL, NULL,
                          NULL);
      g_assert_cmpint (minimum, <=, 480);
      width = gtk_widget_get_width (GTK_WIDGET (window));
      height = gtk_widget_get_height (GTK_WIDGET (window));
      g_test_message ("%d x %d", width, height);
      /* A few pixels less: the frame that a window without compositor draws. */
      g_assert_cmpint (width, <=, sizes[i][0]);
      g_assert_cmpint (height, <=, sizes[i][1]);
      g_assert_cmpint (width, >=, sizes[i][0] - 20);
      ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR), check_ellipsis,
                   NULL);
      for (GtkWidget *child = gtk_widget_get_first_child (
               gtk_widget_get_parent (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR)));
           child != NULL; child = gtk_widget_get_next_sibling (child))
        if (ADW_IS_HEADER_BAR (child))
          ui_for_each (child, check_ellipsis, NULL);
      ui_window_close (window);
    }
}

static void
test_width_class (void)
{
  static const struct
  {
    int width;
    AssayWidthClass expected;
  } cases[] = {
    { 720, ASSAY_WIDTH_COMPACT }, { 1100, ASSAY_WIDTH_MEDIUM }, { 1400, ASSAY_WIDTH_NORMAL },
    { 1800, ASSAY_WIDTH_WIDE },   { 2400, ASSAY_WIDTH_VAST },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, cases[i].width, 700);

      ui_settle ();
      g_assert_cmpint (assay_window_get_width_class (window), ==, cases[i].expected);
      ui_window_close (window);
    }
}

static void
test_card (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  GtkWidget *card;

  ui_open_example (window, UI_MODEL);
  ui_settle ();
  card = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SELECTION_CARD);
  g_assert_true (gtk_widget_get_visible (card));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect", NULL);
  ui_settle ();
  g_assert_false (gtk_widget_get_visible (card));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  ui_settle ();
  g_assert_true (gtk_widget_get_visible (card));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  g_assert_false (gtk_widget_get_visible (card));
  ui_window_close (window);
}

static void
test_pages (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);

  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "No Program to Measure"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-findings", NULL);
  ui_settle ();
  g_assert_null (ui_find_label (GTK_WIDGET (window), "No Program to Measure"));
  ui_window_close (window);
}

static void
watch_shortly (void)
{
  ASSAY_WATCH ("short");
}

static void
test_watchdog (void)
{
  guint before = assay_watchdog_get_count ();

  {
    ASSAY_WATCH ("too long");
    gint64 end = g_get_monotonic_time () + 20 * G_TIME_SPAN_MILLISECOND;

    wait_until (g_get_monotonic_time () >= end);
  }
  g_assert_cmpuint (assay_watchdog_get_count (), ==, before + 1);
  /* Another program may take the processor in the middle of it, but not each time. */
  wait_until ((before = assay_watchdog_get_count (), watch_shortly (),
               assay_watchdog_get_count () == before));
}

static const UiTest tests[] = {
  { "/ui/types/templates", test_templates },
  { "/ui/window/finalize", test_finalize },
  { "/ui/window/states", test_states },
  { "/ui/window/no-target", test_no_target },
  { "/ui/window/verdict-words", test_verdict_words },
  { "/ui/window/reload", test_reload },
  { "/ui/window/target", test_target },
  { "/ui/window/sizes", test_sizes },
  { "/ui/window/chooser", test_chooser },
  { "/ui/window/width-class", test_width_class },
  { "/ui/window/card", test_card },
  { "/ui/window/pages", test_pages },
  { "/ui/window/open-setup", test_open_setup },
  { "/ui/window/open-popover", test_open_popover },
  { "/ui/watchdog/counts", test_watchdog },
};

TEST_PROGRAM (window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
