/* test-actions.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of actions: every one is done by somebody, has its key or place, and says why it cannot
 * be used.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/window/assay-action.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/qualify/assay-qualify-page.h"
#include "ui/window/assay-page.h"

/* What an action that takes something is given. */
static const struct
{
  const char *name;
  const char *value;
} parameters[] = {
  { "win.open-path", NULL },        { "win.open-case", NULL },
  { "win.page", "memory" },         { "win.runner", "vm-fp32" },
  { "win.board", "local" },         { "win.target", UI_OTHER_TARGET },
  { "win.apply-fix", "0" },         { "win.preview-fix", "0" },
  { "win.apply-fix-to-node", "0" }, { "win.copy-command-of", "check" },
  { "graph.colour-by", "bytes" },   { "graph.level", "onnx" },
  { "graph.pass", "inline" },       { "graph.show-origin", "graph/node[0]" },
  { "memory.core", "1" },           { "memory.store", "weights" },
  { "memory.playhead", "2" },       { "memory.try-way", "0" },
  { "qualify.save", "csv" },        { "win.save-parts", "node" },
};

static const char *
find_parameter (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    if (g_str_equal (parameters[i].name, name))
      return parameters[i].value;

  g_error ("%s takes something, and this test does not know what", name);
}

static GVariant *
new_parameter (const AssayAction *action)
{
  const char *value;

  if (action->parameter_type == NULL)
    return NULL;

  value = find_parameter (action->name);
  return g_variant_ref_sink (g_str_equal (action->parameter_type, "i")
                                 ? g_variant_new_int32 (atoi (value))
                                 : g_variant_new_string (value));
}

static void
activate_all (AssayWindow *window)
{
  /* These open dialogs of the system, or end what the loop needs. */
  static const char *const skipped[] = {
    "win.open-target",         "compare.tolerance",     "win.close-model",
    "win.open-path",           "qualify.choose-suite",  "win.open-case",
    "qualify.choose-expected", "win.show-help-overlay", NULL
  };
  guint n;
  const AssayAction *actions = assay_action_list (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GVariant) parameter = NULL;

      if (g_strv_contains (skipped, actions[i].name) || strstr (actions[i].name, "::") != NULL ||
          g_str_has_prefix (actions[i].name, "app.") ||
          g_str_has_prefix (actions[i].name, "window."))
        continue;
      parameter = new_parameter (&actions[i]);
      gtk_widget_activate_action_variant (GTK_WIDGET (window), actions[i].name, parameter);
      ui_settle ();
    }
  ui_wait_ready (window);
}

static void
test_actions (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autofree char *path = ui_example (UI_MODEL);

  activate_all (window);
  ui_open_example (window, UI_MODEL);
  activate_all (window);
  assay_window_open (window, path, NULL);
  activate_all (window);
  ui_window_close (window);
}

static gboolean
is_class_action (GtkWidget *widget, const char *name)
{
  GType owner;
  const char *found, *property;
  const GVariantType *type;

  for (guint i = 0; gtk_widget_class_query_action (GTK_WIDGET_GET_CLASS (widget), i, &owner, &found,
                                                   &type, &property);
       i++)
    if (g_str_equal (found, name))
      return TRUE;

  return FALSE;
}

/* Someone carries it out: the window, the graph, the memory page, or the application, which has its
 * own test. */
static gboolean
is_alive (AssayWindow *window, const char *full_name)
{
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
  GtkWidget *memory = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  GtkWidget *qualify = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE);
  g_auto (GStrv) parts = g_strsplit (full_name, "::", 2);
  const char *name = parts[0];

  if (is_class_action (GTK_WIDGET (window), name))
    return TRUE;
  if (g_str_has_prefix (name, "app.") || g_str_has_prefix (name, "window."))
    return TRUE;
  if (g_str_has_prefix (name, "memory."))
    return g_action_group_has_action (assay_page_get_actions (ASSAY_PAGE (memory)),
                                      name + strlen ("memory."));
  if (g_str_has_prefix (name, "qualify."))
    return g_action_group_has_action (assay_page_get_actions (ASSAY_PAGE (qualify)),
                                      name + strlen ("qualify."));
  if (g_str_has_prefix (name, "graph."))
    return g_action_group_has_action (assay_canvas_get_actions (ASSAY_CANVAS (canvas)),
                                      name + strlen ("graph."));

  return g_str_equal (name, "win.show-help-overlay") &&
         g_action_group_has_action (G_ACTION_GROUP (window), "show-help-overlay");
}

static gboolean
is_header_case (const char *label)
{
  static const char *const small[] = { "a",  "along", "an", "and", "as",  "at", "by",   "for",
                                       "in", "of",    "on", "or",  "the", "to", "with", NULL };
  g_auto (GStrv) words = g_strsplit (label, " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      const char *word = *words[i] == '_' ? words[i] + 1 : words[i];

      if (!g_ascii_isupper (*word) && (i == 0 || !g_strv_contains (small, word)))
        return FALSE;
    }

  return TRUE;
}

/* Every row is whole, has a key or a place, and somebody who does it. */
static void
test_action_table (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  guint n;
  const AssayAction *actions = assay_action_list (&n);

  g_assert_cmpuint (n, >, 50);
  for (guint i = 0; i < n; i++)
    {
      g_test_message ("%s", actions[i].name);
      g_assert_true (assay_action_find (actions[i].name) == &actions[i]);
      g_assert_true (is_header_case (actions[i].label));
      g_assert_cmpuint (strlen (actions[i].description), >, 5);
      g_assert_true (g_ascii_isupper (actions[i].description[0]));
      g_assert_null (strchr (actions[i].description, '\n'));
      g_assert_false (g_str_has_suffix (actions[i].description, "."));
      g_assert_true (actions[i].accels != NULL || actions[i].keys != NULL ||
                     actions[i].menus != ASSAY_MENU_NONE);
      g_assert_true (is_alive (window, actions[i].name));
    }
  ui_window_close (window);
}

static void
take_keys (GHashTable *taken, const AssayAction *action, const char *accels)
{
  g_auto (GStrv) list = g_strsplit (accels != NULL ? accels : "", " ", -1);

  for (guint i = 0; list[i] != NULL; i++)
    {
      guint key;
      GdkModifierType modifiers;
      g_autofree char *name = NULL;

      g_assert_true (gtk_accelerator_parse (list[i], &key, &modifiers));
      name = gtk_accelerator_name (key, modifiers);
      if (!g_hash_table_insert (taken, g_steal_pointer (&name), (gpointer) action))
        {
          g_test_message ("%s of %s is taken", list[i], action->name);
          g_test_fail ();
        }
    }
}

/* The keys of the design, each of one action; a letter means one thing in the graph and may mean
 * another in the map. */
static void
test_keys (void)
{
  static const struct
  {
    const char *key;
    const char *action;
  } designed[] = {
    { "<Control>o", "app.open" },
    { "<Alt>1", "win.page::graph" },
    { "<Alt>4", "win.page::compare" },
    { "F9", "win.show-sidebar" },
    { "<Shift>F9", "win.show-inspector" },
    { "F6", "win.next-pane" },
    { "<Shift>F6", "win.previous-pane" },
    { "<Control>f", "win.find" },
    { "<Control>g", "win.find-next" },
    { "<Shift><Control>g", "win.find-previous" },
    { "<Control>b", "win.compile" },
    { "<Control>r", "win.run" },
    { "<Shift><Control>r", "win.compare" },
    { "<Shift><Control>d", "win.deploy" },
    { "<Control>backslash", "win.graph-beside" },
    { "<Control>plus", "graph.zoom-in" },
    { "<Control>minus", "graph.zoom-out" },
    { "<Control>0", "graph.zoom-normal" },
    { "F8", "win.next-finding" },
    { "<Shift>F8", "win.previous-finding" },
    { "n", "win.next-node" },
    { "<Shift>n", "win.previous-node" },
    { "d", "compare.first-divergent" },
    { "Down", "graph.first-reader" },
    { "Up", "graph.first-producer" },
    { "Left", "graph.left" },
    { "Right", "graph.right" },
    { "Return", "graph.unfold" },
    { "BackSpace", "graph.fold" },
    { "f", "graph.fit" },
    { "period", "graph.fit-selection" },
    { "i", "graph.fan-in" },
    { "o", "graph.fan-out" },
    { "<Control>c", "graph.copy-name" },
    { "<Shift><Control>c", "graph.copy-nnir" },
    { "bracketleft", "memory.previous-step" },
    { "bracketright", "memory.next-step" },
    { "braceleft", "memory.previous-peak" },
    { "braceright", "memory.next-peak" },
    { "m", "memory.pin" },
    { "F1", "app.help" },
    { "<Control>question", "win.show-help-overlay" },
    { "<Shift>F10", "graph.menu" },
  };
  const AssayPageRow *pages;
  guint n_pages;
  g_autoptr (GHashTable) everywhere = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) graph = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) memory = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n;
  const AssayAction *actions = assay_action_list (&n);

  for (guint i = 0; i < n; i++)
    {
      take_keys (everywhere, &actions[i], actions[i].accels);
      if (!g_str_has_prefix (actions[i].name, "memory."))
        take_keys (graph, &actions[i], actions[i].keys);
      if (!g_str_has_prefix (actions[i].name, "graph."))
        take_keys (memory, &actions[i], actions[i].keys);
    }

  for (guint i = 0; i < G_N_ELEMENTS (designed); i++)
    {
      guint key;
      GdkModifierType modifiers;
      g_autofree char *name = NULL;
      const AssayAction *found;

      g_assert_true (gtk_accelerator_parse (designed[i].key, &key, &modifiers));
      name = gtk_accelerator_name (key, modifiers);
      found = g_hash_table_lookup (everywhere, name);
      if (found == NULL)
        found = g_str_has_prefix (designed[i].action, "memory.")
                    ? assay_action_for_key ("memory.", key, modifiers)
                    : assay_action_for_key ("graph.", key, modifiers);
      g_test_message ("%s", designed[i].key);
      g_assert_nonnull (found);
      g_assert_cmpstr (found->name, ==, designed[i].action);
    }
  /* The search entry never loses a letter to the window. */
  g_assert_null (g_hash_table_lookup (everywhere, "f"));

  /* Every page has a key. */
  pages = assay_page_list (&n_pages);
  for (guint i = 0; i < n_pages; i++)
    {
      g_autofree char *name = g_strconcat ("win.page::", pages[i].name, NULL);

      g_test_message ("%s", name);
      g_assert_nonnull (assay_action_find (name));
      g_assert_nonnull (assay_action_find (name)->accels);
    }
}

typedef struct
{
  AssayWindow *window;
  guint n;
} Described;

/* A control that calls an action is known to the table, and says something when it is pointed at.
 */
static void
check_control (GtkWidget *widget, gpointer data)
{
  static const char *const prefixes[] = { "app.", "win.", "graph.", "memory.", "compare." };
  Described *described = data;
  const char *name = GTK_IS_ACTIONABLE (widget)
                         ? gtk_actionable_get_action_name (GTK_ACTIONABLE (widget))
                         : NULL;
  gboolean ours = FALSE;

  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (prefixes); i++)
    ours = ours || g_str_has_prefix (name, prefixes[i]);
  if (!ours)
    return;

  g_test_message ("%s", name);
  g_assert_nonnull (assay_action_find (name));
  g_assert_true (gtk_widget_get_has_tooltip (widget));
  described->n++;
}

/* What cannot be used says why: nothing is open, nodes are rejected, there is no selection. */
static void
test_reasons (void)
{
  static const struct
  {
    const char *action;
    const char *start;
    const char *refused;
  } cases[] = {
    { "app.open", NULL, NULL },
    { "win.find", "No model is open", NULL },
    { "win.compile", "No model is open", "nodes are rejected; F8 goes through them" },
    { "win.deploy", "No model is open", "nodes are rejected; F8 goes through them" },
    { "win.find-next", "The search has no results", "The search has no results" },
    { "compare.first-divergent", "No comparison found a divergence",
      "No comparison found a divergence" },
    { "graph.copy-name", "No node is selected", NULL },
    { "memory.core", "No model is open", "nodes are rejected; F8 goes through them" },
    { "memory.try-way", "Nothing is known to free room", "Nothing is known to free room" },
    { "compare.tolerance", "No model is open", NULL },
  };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
  Described described = { window, 0 };
  gboolean handled[2] = { FALSE, FALSE };
  g_autofree char *refused = NULL;
  guint n_windows;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *reason = assay_window_explain_action (window, cases[i].action);

      g_assert_cmpstr (reason, ==, cases[i].start);
    }
  g_assert_false (g_action_group_get_action_enabled (
      assay_canvas_get_actions (ASSAY_CANVAS (canvas)), "copy-name"));

  ui_open_example (window, UI_MODEL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *reason = assay_window_explain_action (window, cases[i].action);

      if (cases[i].refused == NULL)
        g_assert_null (reason);
      else
        g_assert_nonnull (strstr (reason, cases[i].refused));
    }
  g_assert_true (g_action_group_get_action_enabled (
      assay_canvas_get_actions (ASSAY_CANVAS (canvas)), "copy-name"));
  /* The keys of Deploy are those of GTK's debugger too, which is not what anybody asked for. */
  n_windows = g_list_model_get_n_items (gtk_window_get_toplevels ());
  for (guint toggle = 0; toggle < 2; toggle++)
    g_signal_emit_by_name (window, "enable-debugging", toggle, &handled[toggle]);
  g_assert_true (handled[0] && handled[1]);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n_windows);
  refused = assay_window_explain_action (window, "win.deploy");
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), refused));
  ui_for_each (GTK_WIDGET (window), check_control, &described);
  g_assert_cmpuint (described.n, >, 15);
  ui_window_close (window);
}

static void
collect_shortcut (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_SHORTCUTS_SHORTCUT (widget))
    {
      char *accelerator;

      g_object_get (widget, "accelerator", &accelerator, NULL);
      g_hash_table_add (data, accelerator);
    }
}

/* Everything that has keys is in the shortcuts window. */
static void
test_shortcuts (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (GHashTable) listed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n;
  const AssayAction *actions = assay_action_list (&n);
  GtkWidget *shown;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.show-help-overlay", NULL));
  ui_settle ();
  shown = ui_find_window (GTK_TYPE_SHORTCUTS_WINDOW);
  g_assert_nonnull (shown);
  ui_for_each (shown, collect_shortcut, listed);
  for (guint i = 0; i < n; i++)
    {
      const char *keys = actions[i].accels != NULL ? actions[i].accels : actions[i].keys;
      g_auto (GStrv) list = g_strsplit (keys != NULL ? keys : "", " ", 2);

      if (keys == NULL)
        continue;
      g_test_message ("%s: %s", actions[i].name, list[0]);
      g_assert_true (g_hash_table_contains (listed, list[0]));
    }
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/actions/table", test_action_table },  { "/ui/actions/keys", test_keys },
  { "/ui/actions/reasons", test_reasons },     { "/ui/actions/activate", test_actions },
  { "/ui/actions/shortcuts", test_shortcuts },
};

TEST_PROGRAM (actions)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
