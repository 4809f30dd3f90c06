/* assay-sidebar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/sidebar/assay-sidebar.h"

#include "backend/assay-backend.h"
#include "ui/sidebar/assay-sidebar-row.h"
#include "session/analysis/assay-query.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-watchdog.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

/* Results that are there in the first frame. */
#define N_FIRST_RESULTS 50

struct _AssaySidebar
{
  GtkWidget parent_instance;

  AssaySession *session;
  GListStore *finding_rows; /* headings and findings */
  GtkTreeListModel *finding_tree;
  GtkSingleSelection *finding_selection;
  GtkTreeListModel *outline_tree;
  GtkSingleSelection *outline_selection;
  GtkSingleSelection *result_selection;
  guint filling; /* source that shows more than the first results */
  gboolean syncing;

  GtkWidget *box;
  GtkSearchEntry *entry;
  GtkWidget *switcher;
  GtkToggleButton *findings_toggle;
  GtkToggleButton *outline_toggle;
  GtkLabel *result_label;
  GtkStack *stack;
  GtkListView *findings_list;
  AdwStatusPage *clean_page;
  AdwStatusPage *nothing_page;
  GtkButton *clean_button;
  GtkWidget *clean_run_button;
  GtkListView *outline_list;
  GtkListView *results_list;
};

G_DEFINE_FINAL_TYPE (AssaySidebar, assay_sidebar, GTK_TYPE_WIDGET)

/* Rows. */

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  GtkWidget *expander = gtk_tree_expander_new ();

  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander), assay_sidebar_row_new ());
  gtk_list_item_set_child (list_item, expander);
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  GtkTreeExpander *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (list_item));
  gpointer entry = gtk_list_item_get_item (list_item);
  g_autoptr (GObject) item = NULL;
  g_autofree char *name = NULL;
  gboolean heading;
  gboolean in_outline = FALSE;

  if (GTK_IS_TREE_LIST_ROW (entry))
    {
      gtk_tree_expander_set_list_row (expander, entry);
      item = gtk_tree_list_row_get_item (entry);
    }
  else
    item = g_object_ref (entry);

  heading = GTK_IS_STRING_OBJECT (item);
  in_outline = ASSAY_IS_OUTLINE_ITEM (item) && GTK_IS_TREE_LIST_ROW (entry);
  gtk_tree_expander_set_indent_for_icon (expander, in_outline);
  gtk_list_item_set_selectable (list_item, !heading);
  gtk_list_item_set_activatable (list_item, !heading);
  name = assay_sidebar_row_bind (ASSAY_SIDEBAR_ROW (gtk_tree_expander_get_child (expander)), item);
  assay_ui_set_row_name (GTK_WIDGET (expander), name);
}

/* Results are flat: 200 rows are made anew with each search, and an expander would be half of the
 * work. */
static void
setup_result_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  gtk_list_item_set_child (list_item, assay_sidebar_row_new ());
}

static void
bind_result_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  GtkWidget *row = gtk_list_item_get_child (list_item);
  g_autofree char *name = assay_sidebar_row_bind (ASSAY_SIDEBAR_ROW (row),
                                                  gtk_list_item_get_item (list_item));

  assay_ui_set_row_name (row, name);
}

static void
unbind_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (gtk_list_item_get_child (list_item)), NULL);
}

static GtkListItemFactory *
make_factory (void)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  return factory;
}

static void
select_row (AssaySidebar *self, GtkListView *list, GtkSingleSelection *selection, guint position)
{
  self->syncing = TRUE;
  gtk_single_selection_set_selected (selection, position);
  self->syncing = FALSE;

  if (position != GTK_INVALID_LIST_POSITION)
    gtk_widget_activate_action (GTK_WIDGET (list), "list.scroll-to-item", "u", position);
}

/* Findings. */

static void
show_list (AssaySidebar *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  gboolean searching = *text != '\0' || assay_session_get_filter (self->session) != 0;
  gboolean clean = g_list_model_get_n_items (assay_session_get_finding_items (self->session)) == 0;
  GListModel *results = G_LIST_MODEL (self->result_selection);

  gtk_widget_set_visible (self->switcher, !searching);
  gtk_widget_set_visible (GTK_WIDGET (self->result_label), searching);
  if (searching)
    gtk_stack_set_visible_child_name (
        self->stack, g_list_model_get_n_items (results) > 0 ? "results" : "nothing");
  else if (assay_session_get_verdicts (self->session) == NULL)
    gtk_stack_set_visible_child_name (self->stack, "blank");
  else if (gtk_toggle_button_get_active (self->outline_toggle))
    gtk_stack_set_visible_child_name (self->stack, "outline");
  else
    gtk_stack_set_visible_child_name (self->stack, clean ? "clean" : "findings");
}

static GListModel *
finding_children_cb (gpointer item, gpointer data)
{
  AssaySidebar *self = data;
  AssayOutline *outline = assay_session_get_outline (self->session);

  if (!ASSAY_IS_FINDING_ITEM (item) || outline == NULL ||
      assay_finding_item_get_nodes (item)->len == 0)
    return NULL;

  return assay_outline_list_nodes (outline, assay_finding_item_get_nodes (item));
}

static int
finding_index (AssaySidebar *self, gpointer item)
{
  GListModel *items = assay_session_get_finding_items (self->session);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem) each = g_list_model_get_item (items, i);

      if (each == item)
        return (int) i;
    }

  return -1;
}

static void
finding_selected_cb (AssaySidebar *self)
{
  g_autoptr (GtkTreeListRow) parent = NULL;
  g_autoptr (GObject) item = NULL;
  GtkTreeListRow *row;

  if (self->syncing)
    return;

  row = gtk_single_selection_get_selected_item (self->finding_selection);
  if (row == NULL)
    return;

  item = gtk_tree_list_row_get_item (row);
  if (ASSAY_IS_FINDING_ITEM (item))
    assay_session_set_finding (self->session, finding_index (self, item));
  else if (ASSAY_IS_OUTLINE_ITEM (item))
    {
      g_autoptr (GObject) finding = NULL;

      assay_session_set_selection (self->session,
                                   assay_outline_item_get_node (ASSAY_OUTLINE_ITEM (item)));
      parent = gtk_tree_list_row_get_parent (row);
      finding = gtk_tree_list_row_get_item (parent);
      assay_session_set_finding (self->session, finding_index (self, finding));
    }
}

/* The chosen finding opens to its nodes, the others fold. */
static void
unfold_only (AssaySidebar *self, GtkTreeListRow *chosen)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->finding_tree)); i++)
    {
      g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (self->finding_tree), i);

      if (gtk_tree_list_row_get_depth (row) == 0 && row != chosen)
        gtk_tree_list_row_set_expanded (row, FALSE);
    }

  gtk_tree_list_row_set_expanded (chosen, TRUE);
}

/* Selects the row of the selected node below its finding, or else the finding. */
static void
select_finding_node (AssaySidebar *self, GtkTreeListRow *row)
{
  AssayNodeId node = assay_session_get_selection (self->session);
  GListModel *children = gtk_tree_list_row_get_children (row);

  for (guint i = 0; children != NULL && i < g_list_model_get_n_items (children); i++)
    {
      g_autoptr (AssayOutlineItem) item = g_list_model_get_item (children, i);

      if (assay_outline_item_get_node (item) == node)
        {
          g_autoptr (GtkTreeListRow) child = gtk_tree_list_row_get_child_row (row, i);

          select_row (self, self->findings_list, self->finding_selection,
                      gtk_tree_list_row_get_position (child));
          return;
        }
    }

  select_row (self, self->findings_list, self->finding_selection,
              gtk_tree_list_row_get_position (row));
}

static void
finding_changed_cb (AssaySidebar *self)
{
  int finding = assay_session_get_finding (self->session);
  g_autoptr (AssayFindingItem) item = NULL;

  if (self->syncing)
    return;
  if (finding < 0)
    {
      select_row (self, self->findings_list, self->finding_selection, GTK_INVALID_LIST_POSITION);
      return;
    }

  item = g_list_model_get_item (assay_session_get_finding_items (self->session), (guint) finding);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->finding_tree)); i++)
    {
      g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (self->finding_tree), i);
      g_autoptr (GObject) each = gtk_tree_list_row_get_item (row);

      if ((gpointer) each == (gpointer) item)
        {
          self->syncing = TRUE;
          unfold_only (self, row);
          self->syncing = FALSE;
          select_finding_node (self, row);
          return;
        }
    }
}

/* Nodes of the file that the target has something to do for. */
static guint
count_left (AssayVerdicts *verdicts)
{
  guint n = 0;

  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    if (kind != ASSAY_VERDICT_REMOVED)
      n += assay_verdicts_count (verdicts, kind);

  return n;
}

static void
update_findings (AssaySidebar *self)
{
  GListModel *items = assay_session_get_finding_items (self->session);
  guint n = g_list_model_get_n_items (items);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  g_autofree char *count = assay_ui_format_count (n);
  g_autofree char *label = n > 0 ? g_strdup_printf ("Findings %s", count) : g_strdup ("Findings");
  int group = -1;

  for (guint i = 0; i < n; i++)
    {
      AssayFindingItem *item = g_list_model_get_item (items, i);

      if ((int) assay_finding_item_get_group (item) != group)
        {
          group = (int) assay_finding_item_get_group (item);
          g_ptr_array_add (
              rows, gtk_string_object_new (assay_finding_group_title ((AssayFindingGroup) group)));
        }
      g_ptr_array_add (rows, item);
    }

  self->syncing = TRUE;
  g_list_store_splice (self->finding_rows, 0,
                       g_list_model_get_n_items (G_LIST_MODEL (self->finding_rows)), rows->pdata,
                       rows->len);
  self->syncing = FALSE;
  gtk_button_set_label (GTK_BUTTON (self->findings_toggle), label);

  if (verdicts != NULL && n == 0)
    {
      guint n_removed = assay_verdicts_count (verdicts, ASSAY_VERDICT_REMOVED);
      guint n_left = count_left (verdicts);
      g_autofree char *nodes = assay_ui_format_nodes (n_left);
      g_autofree char *removed = assay_ui_format_nodes (n_removed);
      g_autofree char *text = g_strdup_printf (
          n_left == 1 ? "The only %s%s runs on %s.%s%s%s" : "All %s%s run on %s.%s%s%s",
          n_left == 1 ? "node" : nodes,
          n_removed == 0 ? ""
          : n_left == 1  ? " that is left"
                         : " that are left",
          verdicts->target_id, n_removed > 0 ? " " : "", n_removed > 0 ? removed : "",
          n_removed == 0   ? ""
          : n_removed == 1 ? " was removed."
                           : " were removed.");
      AssayTarget *target = assay_session_get_target (self->session);
      gboolean programs = assay_backend_has (target, ASSAY_CAPABILITY_MAKES_PROGRAMS);

      adw_status_page_set_title (self->clean_page, "Everything Runs");
      assay_ui_describe (self->clean_page, text);
      gtk_button_set_label (self->clean_button, programs ? "_Compile" : "_Targets…");
      gtk_actionable_set_action_name (GTK_ACTIONABLE (self->clean_button),
                                      programs ? "win.compile" : "win.choose-target");
      gtk_widget_set_visible (self->clean_run_button, programs);
    }
}

/* Outline. */

static GListModel *
outline_children_cb (gpointer item, gpointer data)
{
  AssayOutlineItem *outline_item = item;

  if (!assay_outline_item_is_scope (outline_item))
    return NULL;

  return assay_outline_list (assay_outline_item_get_outline (outline_item),
                             assay_outline_item_get_scope (outline_item));
}

static void
select_in_outline (AssaySidebar *self)
{
  AssayOutline *outline = assay_session_get_outline (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);
  g_autoptr (GArray) path = NULL;
  g_autoptr (GtkTreeListRow) row = NULL;

  if (outline == NULL || self->outline_tree == NULL || node == ASSAY_NO_NODE)
    {
      select_row (self, self->outline_list, self->outline_selection, GTK_INVALID_LIST_POSITION);
      return;
    }

  path = assay_outline_locate (outline, node);
  for (guint i = 0; i < path->len; i++)
    {
      guint index = g_array_index (path, guint, i);
      GtkTreeListRow *next;

      /* Rows that move are no choice of the user. */
      self->syncing = TRUE;
      if (row != NULL)
        gtk_tree_list_row_set_expanded (row, TRUE);
      self->syncing = FALSE;
      next = row == NULL ? gtk_tree_list_model_get_child_row (self->outline_tree, index)
                         : gtk_tree_list_row_get_child_row (row, index);
      g_set_object (&row, next);
      g_clear_object (&next);
      if (row == NULL)
        return;
    }

  if (row != NULL)
    select_row (self, self->outline_list, self->outline_selection,
                gtk_tree_list_row_get_position (row));
}

/* Going through what was found with keys, the row goes along. */
static void
select_in_results (AssaySidebar *self)
{
  const GArray *hits = assay_session_get_hits (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);
  guint low = 0, high = hits != NULL ? hits->len : 0;

  if (self->syncing || g_list_model_get_n_items (G_LIST_MODEL (self->result_selection)) != high)
    return;

  /* Results are in the order of ids. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (hits, AssayNodeId, middle) < node)
        low = middle + 1;
      else
        high = middle;
    }
  if (hits != NULL && low < hits->len && g_array_index (hits, AssayNodeId, low) == node)
    select_row (self, self->results_list, self->result_selection, low);
}

static void
selection_changed_cb (AssaySidebar *self)
{
  ASSAY_WATCH ("sidebar selection");
  finding_changed_cb (self);
  select_in_outline (self);
  select_in_results (self);
}

static void
outline_selected_cb (AssaySidebar *self)
{
  GtkTreeListRow *row = gtk_single_selection_get_selected_item (self->outline_selection);
  g_autoptr (AssayOutlineItem) item = NULL;

  if (self->syncing || row == NULL)
    return;

  item = gtk_tree_list_row_get_item (row);
  if (!assay_outline_item_is_scope (item))
    assay_session_set_selection (self->session, assay_outline_item_get_node (item));
}

static void
update_outline (AssaySidebar *self)
{
  AssayOutline *outline = assay_session_get_outline (self->session);

  self->syncing = TRUE;
  g_clear_object (&self->outline_tree);
  if (outline != NULL)
    self->outline_tree = gtk_tree_list_model_new (assay_outline_list (outline, 0), FALSE, FALSE,
                                                  outline_children_cb, NULL, NULL);
  gtk_single_selection_set_model (self->outline_selection, G_LIST_MODEL (self->outline_tree));
  self->syncing = FALSE;
}

/* Search. */

static AssayNodeFacts *
get_facts (AssaySidebar *self)
{
  return assay_node_table_get_facts (assay_session_get_node_table (self->session));
}

/* From the entry the results are one key away, and Enter goes through them. */
static gboolean
entry_key_cb (AssaySidebar *self, guint keyval)
{
  if ((keyval != GDK_KEY_Down && keyval != GDK_KEY_KP_Down) ||
      !gtk_widget_get_mapped (GTK_WIDGET (self->results_list)))
    return FALSE;

  return gtk_widget_child_focus (GTK_WIDGET (self->results_list), GTK_DIR_TAB_FORWARD);
}

static void
next_match_cb (AssaySidebar *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.find-next", NULL);
}

static void
previous_match_cb (AssaySidebar *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.find-previous", NULL);
}

/* The list makes 200 rows at once, far more than are seen: the first frame gets the first, the next
 * one the rest. */
static gboolean
fill_cb (gpointer data)
{
  AssaySidebar *self = data;
  GtkSliceListModel *slice = GTK_SLICE_LIST_MODEL (
      gtk_single_selection_get_model (self->result_selection));

  self->filling = 0;
  gtk_slice_list_model_set_size (slice, G_MAXUINT);
  select_in_results (self);
  return G_SOURCE_REMOVE;
}

static void
show_results (AssaySidebar *self, GListModel *results)
{
  g_autoptr (GtkSliceListModel) slice = NULL;

  g_clear_handle_id (&self->filling, g_source_remove);
  if (results != NULL)
    {
      slice = gtk_slice_list_model_new (g_object_ref (results), 0, N_FIRST_RESULTS);
      if (g_list_model_get_n_items (results) > N_FIRST_RESULTS)
        self->filling = g_idle_add_full (GDK_PRIORITY_REDRAW + 10, fill_cb, self, NULL);
    }
  self->syncing = TRUE;
  gtk_single_selection_set_model (self->result_selection, G_LIST_MODEL (slice));
  self->syncing = FALSE;
}

static void
update_results (AssaySidebar *self)
{
  ASSAY_WATCH ("search");
  AssayOutline *outline = assay_session_get_outline (self->session);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  guint filter = assay_session_get_filter (self->session);
  g_autoptr (GListModel) results = NULL;
  g_autoptr (GArray) found = NULL;

  if (outline != NULL && (*text != '\0' || filter != 0))
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayQuery) query = assay_query_new (text, &error);
      g_autofree char *nodes = NULL;

      found = query != NULL ? assay_query_run_facts (query, get_facts (self), filter)
                            : g_array_new (FALSE, FALSE, sizeof (guint32));
      results = assay_outline_list_nodes (outline, found);
      nodes = assay_ui_format_nodes (found->len);
      gtk_label_set_label (self->result_label, nodes);
      adw_status_page_set_title (self->nothing_page, error != NULL ? "Not a Search" : "No Results");
      if (found->len == 0)
        {
          g_autofree char *why = query != NULL
                                     ? assay_query_explain_nothing (query, get_facts (self), filter)
                                     : NULL;

          assay_ui_describe (self->nothing_page, why != NULL ? why : error->message);
        }
    }
  /* A filter fades the others already. */
  assay_session_set_hits (self->session, *text != '\0' ? found : NULL);

  show_results (self, results);
  show_list (self);
}

static void
result_selected_cb (AssaySidebar *self)
{
  AssayOutlineItem *item = gtk_single_selection_get_selected_item (self->result_selection);

  if (!self->syncing && item != NULL)
    assay_session_set_selection (self->session, assay_outline_item_get_node (item));
}

static void
search_changed_cb (AssaySidebar *self)
{
  if (self->session != NULL)
    update_results (self);
}

static void
stop_search_cb (AssaySidebar *self)
{
  if (!assay_sidebar_clear_search (self))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.back", NULL);
}

static void
toggled_cb (AssaySidebar *self)
{
  if (self->session != NULL)
    show_list (self);
}

static void
verdicts_changed_cb (AssaySidebar *self)
{
  ASSAY_WATCH ("sidebar");
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);

  update_findings (self);
  update_outline (self);
  update_results (self);
  select_in_outline (self);

  if (verdicts == NULL)
    return;
  if (assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) > 0)
    gtk_toggle_button_set_active (self->findings_toggle, TRUE);
  show_list (self);
}

/* A new model opens on what is wrong with it, or else on its structure. */
static void
state_changed_cb (AssaySidebar *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);

  if (assay_session_get_state (self->session) != ASSAY_SESSION_READY || verdicts == NULL)
    return;

  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  gtk_toggle_button_set_active (assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) > 0
                                    ? self->findings_toggle
                                    : self->outline_toggle,
                                TRUE);
  show_list (self);
}

static void
assay_sidebar_dispose (GObject *object)
{
  AssaySidebar *self = ASSAY_SIDEBAR (object);

  self->syncing = TRUE;
  g_clear_handle_id (&self->filling, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_SIDEBAR);
  g_clear_object (&self->finding_selection);
  g_clear_object (&self->outline_selection);
  g_clear_object (&self->result_selection);
  g_clear_object (&self->finding_tree);
  g_clear_object (&self->outline_tree);
  g_clear_object (&self->finding_rows);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_sidebar_parent_class)->dispose (object);
}

static void
assay_sidebar_class_init (AssaySidebarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_sidebar_dispose;

  gtk_widget_class_set_css_name (widget_class, "sidebar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssaySidebar, "assay-sidebar", box, entry, switcher, findings_toggle,
                       outline_toggle, result_label, stack, findings_list, clean_page, nothing_page,
                       clean_button, clean_run_button, outline_list, results_list);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_search_cb);
  gtk_widget_class_bind_template_callback (widget_class, entry_key_cb);
  gtk_widget_class_bind_template_callback (widget_class, next_match_cb);
  gtk_widget_class_bind_template_callback (widget_class, previous_match_cb);
  gtk_widget_class_bind_template_callback (widget_class, toggled_cb);
}

static GtkSingleSelection *
make_selection (AssaySidebar *self, GtkListView *list, GListModel *model, GCallback callback)
{
  GtkSingleSelection *selection = gtk_single_selection_new (NULL);
  g_autoptr (GtkListItemFactory) factory = make_factory ();

  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_single_selection_set_model (selection, model);
  g_signal_connect_object (selection, "notify::selected-item", callback, self, G_CONNECT_SWAPPED);
  gtk_list_view_set_factory (list, factory);
  gtk_list_view_set_model (list, GTK_SELECTION_MODEL (selection));
  return selection;
}

static void
assay_sidebar_init (AssaySidebar *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));

  self->finding_rows = g_list_store_new (G_TYPE_OBJECT);
  self->finding_tree = gtk_tree_list_model_new (G_LIST_MODEL (g_object_ref (self->finding_rows)),
                                                FALSE, FALSE, finding_children_cb, self, NULL);
  self->finding_selection = make_selection (self, self->findings_list,
                                            G_LIST_MODEL (self->finding_tree),
                                            G_CALLBACK (finding_selected_cb));
  self->outline_selection = make_selection (self, self->outline_list, NULL,
                                            G_CALLBACK (outline_selected_cb));
  self->result_selection = make_selection (self, self->results_list, NULL,
                                           G_CALLBACK (result_selected_cb));
  g_signal_connect (factory, "setup", G_CALLBACK (setup_result_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_result_cb), NULL);
  gtk_list_view_set_factory (self->results_list, factory);
}

void
assay_sidebar_set_session (AssaySidebar *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::finding", G_CALLBACK (finding_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::filter", G_CALLBACK (update_results), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  verdicts_changed_cb (self);
}

void
assay_sidebar_find (AssaySidebar *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
  gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
}

/**
 * assay_sidebar_clear_search:
 * @self: a sidebar
 *
 * Ends a search.
 *
 * Returns: whether there was one
 */
gboolean
assay_sidebar_clear_search (AssaySidebar *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->entry)) == '\0')
    return FALSE;

  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  update_results (self);
  return TRUE;
}

void
assay_sidebar_show_findings (AssaySidebar *self)
{
  assay_sidebar_clear_search (self);
  gtk_toggle_button_set_active (self->findings_toggle, TRUE);
}
