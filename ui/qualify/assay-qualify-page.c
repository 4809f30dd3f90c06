/* assay-qualify-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/qualify/assay-qualify-page.h"

#include "base/assay-sentence.h"
#include "report/assay-conformance-report.h"
#include "run/assay-runner.h"
#include "session/list/assay-qualify-item.h"
#include "ui/inspector/assay-property-list.h"
#include "ui/inspector/assay-wrap-layout.h"
#include "ui/table/assay-columns.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"

/* Rows of one table of shares, those that fare worst. */
#define MAX_SHARES 24u

struct _AssayQualifyPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayFileChoice *choice;
  const char *form;            /* what is saved, while a file is chosen */
  GSimpleActionGroup *actions; /* "qualify." */

  GtkWidget *root;
  GtkLabel *suite;
  GtkLabel *runner;
  GtkLabel *summary;
  GtkStack *body;
  AdwStatusPage *nothing;
  GtkWidget *setup;
  GtkColumnView *table;
  GtkBox *groups;
};

static void assay_qualify_page_page_init (AssayPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayQualifyPage, assay_qualify_page, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (ASSAY_TYPE_PAGE,
                                                      assay_qualify_page_page_init))

typedef enum
{
  COLUMN_STATUS,
  COLUMN_CASE,
  COLUMN_PREDICTED,
  COLUMN_STAGE,
  COLUMN_SECONDS,
  COLUMN_MESSAGE,
  N_COLUMNS
} Column;

static const AssayCellMark marks[ASSAY_N_CONFORMANCE_STATUSES] = {
  [ASSAY_CONFORMANCE_PASS] = { "emblem-ok-symbolic", "success" },
  [ASSAY_CONFORMANCE_FAIL] = { "dialog-error-symbolic", "error" },
  [ASSAY_CONFORMANCE_XFAIL] = { "emblem-default-symbolic", NULL },
  [ASSAY_CONFORMANCE_XPASS] = { "dialog-warning-symbolic", "warning" },
  [ASSAY_CONFORMANCE_SKIP] = { "action-unavailable-symbolic", NULL },
  [ASSAY_CONFORMANCE_PASS_ON_HOST] = { "computer-symbolic", "success" },
  [ASSAY_CONFORMANCE_TIMEOUT] = { "document-open-recent-symbolic", "error" },
  [ASSAY_CONFORMANCE_CRASH] = { "process-stop-symbolic", "error" },
};

static const AssayCellMark *
get_mark (gpointer item)
{
  return &marks[assay_qualify_item_get_result (item)->status];
}

static const AssayColumn columns[N_COLUMNS] = {
  [COLUMN_STATUS] = { "State", FALSE, FALSE, get_mark },
  [COLUMN_CASE] = { "Case", FALSE, TRUE, NULL },
  [COLUMN_PREDICTED] = { "Target Said", FALSE, FALSE, NULL, 3 },
  [COLUMN_STAGE] = { "Stage", FALSE, FALSE, NULL, 2 },
  [COLUMN_SECONDS] = { "Time, ms", TRUE, FALSE, NULL, 4 },
  [COLUMN_MESSAGE] = { "Why", FALSE, TRUE, NULL, 1 },
};

static char *
dup_cell (gpointer item, guint column)
{
  const AssayConformanceResult *result = assay_qualify_item_get_result (item);
  const char *text = NULL;

  switch (column)
    {
    case COLUMN_STATUS:
      return g_strdup_printf ("%s%s", assay_conformance_status_name (result->status),
                              assay_conformance_result_is_surprise (result) ? ", contradicts" : "");
    case COLUMN_CASE:
      text = result->name;
      break;
    case COLUMN_PREDICTED:
      text = result->predicted;
      break;
    case COLUMN_STAGE:
      text = result->stage;
      break;
    case COLUMN_SECONDS:
      return g_strdup_printf ("%.1f", 1000 * result->seconds);
    default:
      text = result->message != NULL ? result->message : result->rule;
      break;
    }

  return g_strdup (text != NULL ? text : "");
}

static int
compare_cells (gpointer a, gpointer b, guint column)
{
  g_autofree char *left = NULL;
  g_autofree char *right = NULL;
  double seconds;

  if (column == COLUMN_STATUS)
    return assay_qualify_item_compare (a, b);
  if (column == COLUMN_SECONDS)
    {
      seconds = assay_qualify_item_get_result (a)->seconds -
                assay_qualify_item_get_result (b)->seconds;
      return seconds < 0 ? -1 : seconds > 0;
    }
  left = dup_cell (a, column);
  right = dup_cell (b, column);

  return g_strcmp0 (left, right);
}

static AssayQualifyActivity *
get_activity (AssayQualifyPage *self)
{
  return assay_session_get_qualify (self->session);
}

/* Nodes of the model that no row is about. */
static void
append_left (AssayQualifyPage *self, GString *text)
{
  guint n_left = assay_qualify_activity_get_n_left (get_activity (self));

  if (n_left > 0)
    g_string_append_printf (text,
                            n_left == 1 ? ". %u node is left out: something else than known "
                                          "tensors of numbers goes through it."
                                        : ". %u nodes are left out: something else than known "
                                          "tensors of numbers goes through them.",
                            n_left);
}

/* What is counted of rows that are there. */
static char *
describe_rows (AssayQualifyPage *self)
{
  GListModel *rows = assay_qualify_activity_get_rows (get_activity (self));
  guint n = g_list_model_get_n_items (rows);
  guint n_cases = assay_qualify_activity_get_n_cases (get_activity (self));
  guint counts[ASSAY_N_CONFORMANCE_STATUSES] = { 0 };
  guint n_surprises = 0;
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayQualifyItem) item = g_list_model_get_item (rows, i);

      counts[assay_qualify_item_get_result (item)->status]++;
      n_surprises += assay_conformance_result_is_surprise (assay_qualify_item_get_result (item));
    }
  /* What was stopped has rows and no results. */
  g_string_append_printf (text, "%s%u of %u case%s",
                          assay_activity_get_state (ASSAY_ACTIVITY (get_activity (self))) ==
                                  ASSAY_ACTIVITY_NONE
                              ? "Stopped: "
                              : "",
                          n, MAX (n, n_cases), assay_plural (MAX (n, n_cases)));
  if (n_surprises > 0)
    g_string_append_printf (text, ", %u %s", n_surprises,
                            n_surprises == 1 ? "contradicts what the target said"
                                             : "contradict what the target said");
  for (guint i = 0; i < ASSAY_N_CONFORMANCE_STATUSES; i++)
    if (counts[i] > 0)
      g_string_append_printf (text, ", %u %s", counts[i],
                              assay_conformance_status_name ((AssayConformanceStatus) i));
  append_left (self, text);

  return g_strdup (text->str);
}

static int
compare_shares (gconstpointer a, gconstpointer b)
{
  const AssayQualifyShare *left = a;
  const AssayQualifyShare *right = b;
  double by_share = (double) left->n_passed / left->n_cases -
                    (double) right->n_passed / right->n_cases;

  return by_share < 0 ? -1 : by_share > 0 ? 1 : g_strcmp0 (left->name, right->name);
}

static void
add_shares (AssayQualifyPage *self, const AssayConformance *conformance, AssayQualifyKind kind)
{
  g_autoptr (GArray) shares = assay_qualify_count (conformance, kind);
  AssayPropertyList *list = ASSAY_PROPERTY_LIST (
      assay_property_list_new (assay_qualify_kind_title (kind)));

  g_array_sort (shares, compare_shares);
  for (guint i = 0; i < MIN (shares->len, MAX_SHARES); i++)
    {
      const AssayQualifyShare *share = &g_array_index (shares, AssayQualifyShare, i);
      g_autofree char *text = g_strdup_printf ("right in %u of %u", share->n_passed,
                                               share->n_cases);

      assay_property_list_add (list, share->name, text);
    }
  if (shares->len > MAX_SHARES)
    {
      g_autofree char *text = g_strdup_printf ("and %u more", shares->len - MAX_SHARES);

      assay_property_list_add (list, "", text);
    }
  gtk_box_append (self->groups, GTK_WIDGET (list));
}

static void
update_groups (AssayQualifyPage *self)
{
  const AssayConformance *conformance = assay_qualify_activity_get_conformance (
      get_activity (self));
  const char *trend = assay_qualify_activity_get_trend (get_activity (self));
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->groups))) != NULL)
    gtk_box_remove (self->groups, child);
  if (conformance == NULL)
    return;

  if (trend != NULL)
    {
      g_autofree char *text = g_strstrip (g_strdup (trend));
      GtkWidget *label = gtk_label_new (text);

      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_selectable (GTK_LABEL (label), TRUE);
      gtk_box_append (self->groups, label);
    }
  for (AssayQualifyKind kind = 0; kind < ASSAY_N_QUALIFY_KINDS; kind++)
    add_shares (self, conformance, kind);
}

static void
set_enabled (AssayQualifyPage *self, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), name);

  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

/* Of the rows that are there, else of what would be run. */
static char *
dup_title (AssayQualifyPage *self)
{
  const char *suite = assay_qualify_activity_get_suite (get_activity (self));
  const char *model = assay_qualify_activity_get_model (get_activity (self));
  g_autofree char *name = model != NULL ? g_filename_display_basename (model) : NULL;

  return suite != NULL  ? g_filename_display_name (suite)
         : name != NULL ? g_strdup_printf ("Operators of %s", name)
                        : g_strdup ("Operators of This Model");
}

static char *
dup_where (AssayQualifyPage *self)
{
  AssayQualifyActivity *activity = get_activity (self);
  const char *target = assay_qualify_activity_get_target (activity);
  gboolean ran = target != NULL;
  const char *on = ran ? assay_qualify_activity_get_runner (activity)
                       : assay_compare_activity_get_runner (
                             assay_session_get_compare_activity (self->session), 1);
  const AssayRunnerKind *kind = assay_runner_kind_find (on, NULL);
  const char *path = assay_qualify_activity_get_expected (activity);
  g_autofree char *expected = path != NULL ? g_path_get_basename (path) : NULL;

  return g_strdup_printf (
      "%son %s, target %s%s%s",
      ran && !assay_qualify_activity_is_current (activity) ? "○ Not of what is chosen now: " : "",
      kind != NULL ? kind->label : on, ran ? target : assay_session_get_target_id (self->session),
      path != NULL ? ", expected failures of " : "", path != NULL ? expected : "");
}

/* Why there are no rows, and where the sizes are set that are missing most often. */
static void
update_nothing (AssayQualifyPage *self, const GError *error)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  g_autofree char *sentence = error != NULL ? assay_sentence_new (error->message) : NULL;
  g_autofree char *why = sentence != NULL ? assay_sentence_dup_closed (sentence) : NULL;
  g_autofree char *escaped = why != NULL ? g_markup_escape_text (why, -1) : NULL;

  adw_status_page_set_title (self->nothing,
                             error != NULL ? "The Suite Did Not Run" : "Nothing Qualified");
  adw_status_page_set_description (
      self->nothing, escaped != NULL ? escaped
                                     : "Run a folder of cases, or the operators of this model, "
                                       "each in a process of its own: what is right, and what the "
                                       "target said otherwise.");
  gtk_widget_set_visible (self->setup,
                          error != NULL && verdicts != NULL &&
                              assay_verdicts_count (verdicts, ASSAY_VERDICT_UNDECIDED) > 0);
}

static void
update (AssayQualifyPage *self)
{
  AssayQualifyActivity *activity = get_activity (self);
  AssayActivityState state = assay_activity_get_state (ASSAY_ACTIVITY (activity));
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (activity));
  guint n = g_list_model_get_n_items (assay_qualify_activity_get_rows (activity));
  g_autofree char *summary = describe_rows (self);
  g_autofree char *title = dup_title (self);
  g_autofree char *where = dup_where (self);

  gtk_label_set_label (self->suite, title);
  gtk_label_set_label (self->runner, where);
  update_nothing (self, error);
  gtk_label_set_label (self->summary, n > 0 || state == ASSAY_ACTIVITY_RUNNING ? summary : "");
  gtk_stack_set_visible_child_name (self->body,
                                    n > 0 || state == ASSAY_ACTIVITY_RUNNING ? "table" : "nothing");
  set_enabled (self, "save", assay_qualify_activity_get_conformance (activity) != NULL);
  set_enabled (self, "forget-expected", assay_qualify_activity_get_expected (activity) != NULL);
  update_groups (self);
}

/* Rows come many at once; counting them all is for when they have come. */
static void
rows_changed_cb (AssayQualifyPage *self)
{
  g_autofree char *summary = describe_rows (self);

  gtk_label_set_label (self->summary, summary);
}

/* A list stays with the row that it began with, while those before it come later: once all are
 * there it begins with the first, which is the worst, unless one was chosen meanwhile. */
static void
show_first (AssayQualifyPage *self)
{
  GtkSelectionModel *rows = self->table != NULL ? gtk_column_view_get_model (self->table) : NULL;
  g_autoptr (GtkBitset) chosen = NULL;

  /* A list may still be sorted while its window is taken apart. */
  if (rows == NULL ||
      assay_activity_get_state (ASSAY_ACTIVITY (get_activity (self))) == ASSAY_ACTIVITY_RUNNING)
    return;

  chosen = gtk_selection_model_get_selection (rows);
  /* GTK 4.8 has this action and no function. */
  if (gtk_bitset_is_empty (chosen) && g_list_model_get_n_items (G_LIST_MODEL (rows)) > 0)
    gtk_widget_activate_action (gtk_widget_get_last_child (GTK_WIDGET (self->table)),
                                "list.scroll-to-item", "u", 0);
}

static void
activated_cb (AssayQualifyPage *self, guint position)
{
  g_autoptr (AssayQualifyItem) item = g_list_model_get_item (
      G_LIST_MODEL (gtk_column_view_get_model (self->table)), position);
  g_autofree char *path = item != NULL
                              ? assay_qualify_activity_dup_case (
                                    get_activity (self), assay_qualify_item_get_result (item)->name)
                              : NULL;

  if (path != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-case", "s", path);
}

static void
suite_chosen_cb (const char *path, gpointer data)
{
  AssayQualifyPage *self = data;

  assay_qualify_activity_set_suite (get_activity (self), path);
  update (self);
}

static void
choose_suite_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  static const AssayFileKind kind = { "Choose a Folder of Cases", "_Choose", "*", "Folders" };
  AssayQualifyPage *self = user_data;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  if (GTK_IS_WINDOW (root))
    assay_file_choice_open_folder (self->choice, GTK_WINDOW (root), &kind, suite_chosen_cb, self);
}

static void
from_model_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayQualifyPage *self = user_data;

  assay_qualify_activity_set_suite (get_activity (self), NULL);
  update (self);
}

static void
expected_chosen_cb (const char *path, gpointer data)
{
  AssayQualifyPage *self = data;

  assay_qualify_activity_set_expected (get_activity (self), path);
  update (self);
}

static void
choose_expected_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  static const AssayFileKind kind = { "Choose Expected Failures", "_Choose", "*",
                                      "Lists of Patterns" };
  AssayQualifyPage *self = user_data;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  if (GTK_IS_WINDOW (root))
    assay_file_choice_open (self->choice, GTK_WINDOW (root), &kind, expected_chosen_cb, self);
}

static void
forget_expected_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  expected_chosen_cb (NULL, user_data);
}

static const struct
{
  const char *form;
  AssayFileKind kind;
  const char *ending;
} savings[] = {
  { "junit", { "Save as JUnit", "_Save", "*.xml", "JUnit" }, "-qualify.xml" },
  { "csv", { "Save as CSV", "_Save", "*.csv", "CSV" }, "-qualify.csv" },
  { "json", { "Save as JSON", "_Save", "*.json", "JSON" }, "-qualify.json" },
  { "xfail", { "Save Failures as Expected", "_Save", "*.txt", "Text" }, "-expected.txt" },
};

static void
saved_cb (const char *path, gpointer data)
{
  AssayQualifyPage *self = data;
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (assay_qualify_activity_get_conformance (get_activity (self)) == NULL)
    return;

  text = assay_qualify_activity_save (get_activity (self), self->form, path, &error)
             ? g_strdup_printf ("Saved %s", name)
             : g_strdup_printf ("Not saved: %s", error->message);
  assay_ui_toast (GTK_WIDGET (self), text);
}

static void
save_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayQualifyPage *self = user_data;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  for (guint i = 0; GTK_IS_WINDOW (root) && i < G_N_ELEMENTS (savings); i++)
    if (g_str_equal (savings[i].form, g_variant_get_string (parameter, NULL)))
      {
        self->form = savings[i].form;
        assay_file_choice_save (self->choice, GTK_WINDOW (root), &savings[i].kind,
                                savings[i].ending, saved_cb, self);
      }
}

static const GActionEntry actions[] = {
  { "choose-suite", choose_suite_action, NULL, NULL, NULL, { 0 } },
  { "from-model", from_model_action, NULL, NULL, NULL, { 0 } },
  { "choose-expected", choose_expected_action, NULL, NULL, NULL, { 0 } },
  { "forget-expected", forget_expected_action, NULL, NULL, NULL, { 0 } },
  { "save", save_action, "s", NULL, NULL, { 0 } },
};

static void
assay_qualify_page_set_session (AssayPage *page, AssaySession *session)
{
  AssayQualifyPage *self = ASSAY_QUALIFY_PAGE (page);
  AssayQualifyActivity *activity = assay_session_get_qualify (session);
  GListModel *rows = assay_qualify_activity_get_rows (activity);
  GtkSortListModel *sorted;
  g_autoptr (GtkSingleSelection) selection = NULL;
  GtkColumnViewColumn *first = NULL;

  g_set_object (&self->session, session);
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      GtkColumnViewColumn *column = assay_columns_add (self->table, &columns[i], i, dup_cell,
                                                       compare_cells);

      first = first == NULL ? column : first;
    }
  sorted = gtk_sort_list_model_new (g_object_ref (rows),
                                    g_object_ref (gtk_column_view_get_sorter (self->table)));
  gtk_sort_list_model_set_incremental (sorted, TRUE);
  /* The row that came first is not the first row, and nobody chose it. */
  selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_column_view_set_model (self->table, GTK_SELECTION_MODEL (selection));
  gtk_column_view_sort_by_column (self->table, first, GTK_SORT_ASCENDING);
  g_signal_connect_object (rows, "items-changed", G_CALLBACK (rows_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (activity, "notify::state", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (activity, "notify::state", G_CALLBACK (show_first), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sorted, "notify::pending", G_CALLBACK (show_first), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::setup", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compare_activity (session), "notify",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static GActionGroup *
assay_qualify_page_get_actions (AssayPage *page)
{
  return G_ACTION_GROUP (ASSAY_QUALIFY_PAGE (page)->actions);
}

static void
assay_qualify_page_page_init (AssayPageInterface *iface)
{
  iface->set_session = assay_qualify_page_set_session;
  iface->get_actions = assay_qualify_page_get_actions;
}

static void
assay_qualify_page_dispose (GObject *object)
{
  AssayQualifyPage *self = ASSAY_QUALIFY_PAGE (object);

  for (guint i = 0; self->actions != NULL && i < G_N_ELEMENTS (actions); i++)
    g_action_map_remove_action (G_ACTION_MAP (self->actions), actions[i].name);
  g_clear_object (&self->actions);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_QUALIFY_PAGE);
  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_qualify_page_parent_class)->dispose (object);
}

static void
assay_qualify_page_class_init (AssayQualifyPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_qualify_page_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (ASSAY_TYPE_WRAP_LAYOUT);
  ASSAY_BIND_TEMPLATE (klass, AssayQualifyPage, "assay-qualify-page", root, suite, runner, summary,
                       body, nothing, setup, table, groups);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
}

static void
assay_qualify_page_init (AssayQualifyPage *self)
{
  self->choice = assay_file_choice_new ();
  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), actions, G_N_ELEMENTS (actions),
                                   self);
  gtk_widget_init_template (GTK_WIDGET (self));
}
