/* assay-inspector.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-inspector.h"

#include "report/assay-model-facts.h"
#include "ui/inspector/assay-inspector-private.h"
#include "ui/inspector/assay-note-editor.h"
#include "ui/window/assay-ui.h"
#include "ui/inspector/assay-verdict-panel.h"
#include "ui/inspector/assay-verdict-text.h"
#include "ui/window/assay-watchdog.h"
#include "ui/window/assay-template.h"

struct _AssayInspector
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayVerdicts *removed_from;
  AssayNodeId removed;
  guint idle;

  GtkWidget *scroller;
  GtkLabel *title;
  GtkLabel *subtitle;
  AssayVerdictPanel *verdict_panel;
  GtkBox *error;
  GtkBox *facts;
  AssayFixList *fixes;
  AssayNoteEditor *note;
  GtkBox *groups;
};

G_DEFINE_FINAL_TYPE (AssayInspector, assay_inspector, GTK_TYPE_WIDGET)

static AssayNodeTable *
get_table (AssayInspector *self)
{
  return assay_session_get_node_table (self->session);
}

static void
add_value (AssayPropertyList *list, AssayVerdicts *verdicts, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (verdicts->graph, id);
  g_autofree char *spoken = NULL;
  g_autofree char *markup = assay_value_type_markup (verdicts, id, &spoken);

  assay_property_list_add_stacked (list, *value->name != '\0' ? value->name : "unnamed", markup,
                                   spoken);
}

static void
add_shapes (AssayInspector *self, AssayVerdicts *verdicts, const AssayNode *node)
{
  AssayPropertyList *inputs = assay_inspector_begin (self->groups, "Inputs");
  AssayPropertyList *outputs = assay_inspector_begin (self->groups, "Outputs");
  guint n = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId id = node->inputs[i];

      if (id == ASSAY_NO_VALUE || assay_graph_is_constant (verdicts->graph, id))
        continue;
      if (n++ < ASSAY_INSPECTOR_ROWS)
        add_value (inputs, verdicts, id);
    }
  assay_inspector_add_more (inputs, n);

  for (guint i = 0; i < MIN (node->n_outputs, ASSAY_INSPECTOR_ROWS); i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      add_value (outputs, verdicts, node->outputs[i]);
  assay_inspector_add_more (outputs, node->n_outputs);

  assay_inspector_end (self->groups, inputs);
  assay_inspector_end (self->groups, outputs);
}

static void
add_attributes (AssayInspector *self, const AssayGraph *graph, const AssayNode *node)
{
  AssayPropertyList *list = assay_inspector_begin (self->groups, "Attributes");

  for (guint i = 0; i < MIN (node->n_attrs, ASSAY_INSPECTOR_ROWS); i++)
    {
      g_autofree char *text = assay_attr_to_string (graph, &node->attrs[i]);
      assay_property_list_add (list, node->attrs[i].name, text);
    }
  assay_inspector_add_more (list, node->n_attrs);
  assay_inspector_end (self->groups, list);
}

static void
show_node (AssayInspector *self, AssayVerdicts *verdicts, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (verdicts->graph, id);

  gtk_label_set_label (self->title, node->op_type);
  gtk_label_set_label (self->subtitle, node->name);
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), *node->name != '\0');

  /* Of a node of a comparison its error is what one has come for. */
  assay_inspector_add_error (self->error, self->session, id);
  add_shapes (self, verdicts, node);
  add_attributes (self, verdicts->graph, node);
  assay_inspector_add_blocks (self->groups, self->session, id);
  assay_inspector_add_origins (self->groups, self->session, id);
  assay_inspector_add_program (self->groups, self->session, id);
  assay_inspector_add_weights (self->groups, self->session, id);
}

typedef struct
{
  const char *op_type;
  guint count;
  guint rejected;
} OpCount;

static int
compare_ops (gconstpointer a, gconstpointer b)
{
  const OpCount *first = a;
  const OpCount *second = b;

  if (first->rejected != second->rejected)
    return first->rejected > second->rejected ? -1 : 1;
  if (first->count != second->count)
    return first->count > second->count ? -1 : 1;
  return strcmp (first->op_type, second->op_type);
}

/* Worst first: the operators that stop the model are what one looks for here. */
static GArray *
count_ops (AssayVerdicts *verdicts)
{
  GArray *ops = g_array_new (FALSE, FALSE, sizeof (OpCount));
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayNode *node = assay_graph_node (verdicts->graph, id);
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);
      gpointer found;
      OpCount *op;

      if (!g_hash_table_lookup_extended (index, node->op_type, NULL, &found))
        {
          OpCount row = { node->op_type, 0, 0 };

          found = GUINT_TO_POINTER (ops->len);
          g_hash_table_insert (index, (gpointer) node->op_type, found);
          g_array_append_val (ops, row);
        }
      op = &g_array_index (ops, OpCount, GPOINTER_TO_UINT (found));
      op->count++;
      op->rejected += verdict != NULL && verdict->kind == ASSAY_VERDICT_REJECTED;
    }

  g_array_sort (ops, compare_ops);
  return ops;
}

static void
add_ops (AssayInspector *self, AssayVerdicts *verdicts)
{
  AssayPropertyList *list = assay_inspector_begin (self->groups, "Operators");
  g_autoptr (GArray) ops = count_ops (verdicts);

  for (guint i = 0; i < MIN (ops->len, ASSAY_INSPECTOR_ROWS); i++)
    {
      const OpCount *op = &g_array_index (ops, OpCount, i);
      g_autofree char *count = assay_ui_format_nodes (op->count);
      g_autofree char *text = op->rejected > 0
                                  ? g_strdup_printf ("%s, %u rejected", count, op->rejected)
                                  : g_strdup (count);
      assay_property_list_add (list, op->op_type, text);
    }
  assay_inspector_add_more (list, ops->len);
  assay_inspector_end (self->groups, list);
}

static void
add_ends (AssayInspector *self, AssayVerdicts *verdicts)
{
  const AssayRegion *region = assay_graph_region (verdicts->graph, ASSAY_MAIN_REGION);
  AssayPropertyList *inputs = assay_inspector_begin (self->groups, "Inputs");
  AssayPropertyList *outputs = assay_inspector_begin (self->groups, "Outputs");

  for (guint i = 0; i < MIN (region->inputs->len, ASSAY_INSPECTOR_ROWS); i++)
    add_value (inputs, verdicts, g_array_index (region->inputs, AssayValueId, i));
  assay_inspector_add_more (inputs, region->inputs->len);
  for (guint i = 0; i < MIN (region->outputs->len, ASSAY_INSPECTOR_ROWS); i++)
    if (g_array_index (region->outputs, AssayValueId, i) != ASSAY_NO_VALUE)
      add_value (outputs, verdicts, g_array_index (region->outputs, AssayValueId, i));
  assay_inspector_add_more (outputs, region->outputs->len);

  assay_inspector_end (self->groups, inputs);
  assay_inspector_end (self->groups, outputs);
}

/* Multiply-accumulates of one inference; a sum without those of unknown shape is not the whole. */
static char *
describe_macs (const AssayModelFacts *facts)
{
  g_autofree char *count = assay_ui_format_count (facts->macs);
  g_autofree char *unknown = assay_ui_format_nodes (facts->n_macs_unknown);

  return facts->n_macs_unknown > 0
             ? g_strdup_printf ("%s and those of %s of unknown shape", count, unknown)
             : g_steal_pointer (&count);
}

static void
show_several (AssayInspector *self)
{
  g_autofree char *title = assay_ui_format_nodes (
      assay_node_table_get_n_selected (get_table (self)));

  gtk_label_set_label (self->title, title);
  gtk_label_set_label (self->subtitle, "Selected in the table of nodes");
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), TRUE);
  assay_inspector_add_sums (self->groups, self->session);
}

static void
show_model (AssayInspector *self, AssayVerdicts *verdicts)
{
  const AssayGraph *graph = assay_session_get_graph (self->session);
  g_autofree char *name = assay_document_dup_name (assay_session_get_document (self->session));
  g_autoptr (GString) opsets = g_string_new (NULL);
  g_autoptr (GString) producer = g_string_new (graph->producer_name);
  AssayPropertyList *list;
  g_auto (AssayModelFacts) facts = { 0 };
  g_autofree char *size = NULL;
  g_autofree char *macs = NULL;

  gtk_label_set_label (self->title, name);
  gtk_label_set_label (self->subtitle, graph->name);
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), *graph->name != '\0');

  list = assay_inspector_begin (self->groups, "Model");
  assay_inspector_add_count (list, "Nodes", assay_graph_n_nodes (verdicts->graph) - 1);
  assay_model_facts_init (&facts, graph);
  assay_inspector_add_count (list, "Parameters", facts.n_parameters);
  size = g_format_size_full (facts.parameter_bytes, G_FORMAT_SIZE_IEC_UNITS);
  assay_property_list_add (list, "Weights", size);
  macs = describe_macs (&facts);
  assay_property_list_add (list, "MACs", macs);

  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (graph->opsets, AssayOpset, i);

      g_string_append_printf (opsets, "%s%s%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", opset->domain,
                              *opset->domain != '\0' ? " " : "", opset->version);
    }
  if (opsets->len > 0)
    assay_property_list_add (list, "Opset", opsets->str);
  if (*graph->producer_version != '\0')
    g_string_append_printf (producer, " %s", graph->producer_version);
  if (producer->len > 0)
    assay_property_list_add (list, "Producer", producer->str);

  list = assay_inspector_begin (self->groups, "Verdicts");
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    {
      guint count = assay_verdicts_count (verdicts, kind);

      if (count > 0)
        assay_inspector_add_count (list, assay_verdict_word (kind), count);
    }
  if (verdicts->n_partitions > 0)
    {
      assay_inspector_add_count (list, "Partitions", verdicts->n_partitions);
      assay_inspector_add_count (list, "Transitions", verdicts->n_transitions);
    }
  assay_inspector_end (self->groups, list);

  assay_inspector_add_notes (self->groups, self->session);
  add_ends (self, verdicts);
  add_ops (self, verdicts);
}

/* A node of the file that is not in the checked graph, and so has nothing in the session. */
static void
show_removed (AssayInspector *self)
{
  const AssayNode *node = assay_graph_node (self->removed_from->graph, self->removed);
  const AssayVerdict *verdict = assay_verdicts_get (self->removed_from, self->removed);
  AssayPropertyList *list;

  gtk_label_set_label (self->title, node->op_type);
  gtk_label_set_label (self->subtitle, node->name);
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), *node->name != '\0');

  list = assay_inspector_begin (self->groups, "Not in the Checked Graph");
  assay_property_list_add (list, "Verdict", assay_verdict_word (verdict->kind));
  if (verdict->rule != NULL)
    assay_property_list_add (list, "Rewrite", verdict->rule);
  add_shapes (self, self->removed_from, node);
  add_attributes (self, self->removed_from->graph, node);
}

static GtkWidget *
find_named (GtkWidget *root, const char *name)
{
  GtkWidget *found = g_strcmp0 (gtk_widget_get_name (root), name) == 0 ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_named (child, name);

  return found;
}

/* The name of a button in the groups that has the focus and will be there again. */
static char *
dup_focus (AssayInspector *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  return focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->groups)) &&
                 g_str_has_prefix (gtk_widget_get_name (focus), ASSAY_INSPECTOR_STEP)
             ? g_strdup (gtk_widget_get_name (focus))
             : NULL;
}

static gboolean
update_cb (gpointer data)
{
  ASSAY_WATCH ("inspector");
  AssayInspector *self = data;
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId selection = assay_session_get_selection (self->session);
  g_autofree char *focus = dup_focus (self);
  GtkWidget *child;
  gboolean several;

  self->idle = 0;
  several = assay_node_table_get_n_selected (get_table (self)) > 1;
  gtk_widget_set_visible (GTK_WIDGET (self->verdict_panel), selection != ASSAY_NO_NODE && !several);
  gtk_widget_set_visible (GTK_WIDGET (self->facts), selection != ASSAY_NO_NODE && !several);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->groups))) != NULL)
    gtk_box_remove (self->groups, child);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->error))) != NULL)
    gtk_box_remove (self->error, child);

  if (verdicts == NULL)
    {
      gtk_label_set_label (self->title, "");
      gtk_label_set_label (self->subtitle, "");
    }
  else if (several)
    show_several (self);
  else if (selection != ASSAY_NO_NODE)
    show_node (self, verdicts, selection);
  else if (self->removed != ASSAY_NO_NODE)
    show_removed (self);
  else
    show_model (self, verdicts);

  /* A gap is for what has one; a box that is hidden while it is filled keeps its size in GTK 4.8.
   */
  gtk_widget_set_margin_bottom (GTK_WIDGET (self->error),
                                gtk_widget_get_first_child (GTK_WIDGET (self->error)) != NULL ? 18
                                                                                              : 0);

  child = focus != NULL ? find_named (GTK_WIDGET (self->groups), focus) : NULL;
  if (child != NULL)
    gtk_widget_grab_focus (child);

  return G_SOURCE_REMOVE;
}

/* A walk with F8 held down changes the selection more often than the rows need to be built. */
static void
queue_update (AssayInspector *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (update_cb, self);
}

/* Another node is read from its beginning. */
static void
selection_changed_cb (AssayInspector *self)
{
  gtk_adjustment_set_value (
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller)), 0);
  queue_update (self);
}

/* The note on a node has its own place; the summary of the model lists all. */
static void
pins_changed_cb (AssayInspector *self)
{
  if (assay_session_get_selection (self->session) == ASSAY_NO_NODE)
    queue_update (self);
}

static void
assay_inspector_dispose (GObject *object)
{
  AssayInspector *self = ASSAY_INSPECTOR (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->removed_from, assay_verdicts_unref);
  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_INSPECTOR);

  G_OBJECT_CLASS (assay_inspector_parent_class)->dispose (object);
}

static void
assay_inspector_class_init (AssayInspectorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_inspector_dispose;

  gtk_widget_class_set_css_name (widget_class, "inspector");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayInspector, "assay-inspector", scroller, title, subtitle,
                       verdict_panel, fixes, error, facts, note, groups);
}

static void
assay_inspector_init (AssayInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
assay_inspector_set_session (AssayInspector *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  assay_verdict_panel_set_session (self->verdict_panel, session, self->facts);
  assay_fix_list_set_session (self->fixes, session);
  assay_note_editor_set_session (self->note, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::pins", G_CALLBACK (pins_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (get_table (self), "notify::n-selected", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compare_activity (session), "notify::state",
                           G_CALLBACK (queue_update), self, G_CONNECT_SWAPPED);
  queue_update (self);
}

/**
 * assay_inspector_get_fixes:
 * @self: an inspector
 *
 * Gets its list of fixes.
 *
 * Returns: (transfer none): the list
 */
AssayFixList *
assay_inspector_get_fixes (AssayInspector *self)
{
  return self->fixes;
}

/**
 * assay_inspector_show_fixes:
 * @self: an inspector
 *
 * Gives the best fix the focus, as soon as it is known; the pane scrolls to it.
 */
void
assay_inspector_show_fixes (AssayInspector *self)
{
  assay_fix_list_present (self->fixes);
}

/**
 * assay_inspector_edit_note:
 * @self: an inspector
 *
 * Gives the entry for the note on the selected node the focus; the pane scrolls to it.
 */
void
assay_inspector_edit_note (AssayInspector *self)
{
  assay_note_editor_present (self->note);
}

/**
 * assay_inspector_set_removed:
 * @self: an inspector
 * @verdicts: (nullable): the graph as it is in the file
 * @node: a node of it that the target never sees, or %ASSAY_NO_NODE
 *
 * Describes a node of the file that nothing of the checked graph stands for, while no other is
 * selected.
 */
void
assay_inspector_set_removed (AssayInspector *self, AssayVerdicts *verdicts, AssayNodeId node)
{
  g_clear_pointer (&self->removed_from, assay_verdicts_unref);
  self->removed_from = verdicts != NULL ? assay_verdicts_ref (verdicts) : NULL;
  self->removed = verdicts != NULL ? node : ASSAY_NO_NODE;
  queue_update (self);
}
