/* assay-inspector.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-inspector.h"

#include "ui/assay-property-list.h"
#include "ui/assay-ui.h"
#include "ui/assay-verdict-panel.h"
#include "ui/assay-verdict-text.h"
#include "ui/assay-watchdog.h"

/* Rows of one group; a Concat of a thousand inputs must not make a thousand widgets. */
#define MAX_ROWS 24

struct _AssayInspector
{
  GtkWidget parent_instance;

  AssaySession *session;
  guint idle;

  GtkWidget *scroller;
  GtkLabel *title;
  GtkLabel *subtitle;
  AssayVerdictPanel *verdict_panel;
  AssayFixList *fixes;
  GtkBox *groups;
};

G_DEFINE_FINAL_TYPE (AssayInspector, assay_inspector, GTK_TYPE_WIDGET)

static AssayPropertyList *
begin_group (AssayInspector *self,
             const char     *title)
{
  GtkWidget *list = assay_property_list_new (title);

  gtk_box_append (self->groups, list);
  return ASSAY_PROPERTY_LIST (list);
}

static void
end_group (AssayInspector    *self,
           AssayPropertyList *list)
{
  if (assay_property_list_get_count (list) == 0)
    gtk_box_remove (self->groups, GTK_WIDGET (list));
}

static void
add_count (AssayPropertyList *list,
           const char        *name,
           guint64            count)
{
  g_autofree char *text = assay_ui_format_count (count);

  assay_property_list_add (list, name, text);
}

static void
add_value (AssayPropertyList *list,
           AssayVerdicts     *verdicts,
           AssayValueId       id)
{
  const AssayValue *value = assay_graph_value (verdicts->graph, id);
  g_autofree char *spoken = NULL;
  g_autofree char *markup = assay_value_type_markup (verdicts, id, &spoken);

  assay_property_list_add_stacked (list, *value->name != '\0' ? value->name : "unnamed", markup, spoken);
}

static void
add_more (AssayPropertyList *list,
          guint              n)
{
  if (n > MAX_ROWS)
    {
      g_autofree char *text = g_strdup_printf ("%u more", n - MAX_ROWS);
      assay_property_list_add (list, "…", text);
    }
}

static void
add_shapes (AssayInspector  *self,
            AssayVerdicts   *verdicts,
            const AssayNode *node)
{
  AssayPropertyList *inputs = begin_group (self, "Inputs");
  AssayPropertyList *outputs = begin_group (self, "Outputs");
  AssayPropertyList *weights = begin_group (self, "Weights");

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId id = node->inputs[i];
      AssayPropertyList *list;

      if (id == ASSAY_NO_VALUE)
        continue;
      list = assay_graph_is_constant (verdicts->graph, id) ? weights : inputs;
      if (assay_property_list_get_count (list) < MAX_ROWS)
        add_value (list, verdicts, id);
    }
  add_more (inputs, node->n_inputs);

  for (guint i = 0; i < MIN (node->n_outputs, MAX_ROWS); i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      add_value (outputs, verdicts, node->outputs[i]);
  add_more (outputs, node->n_outputs);

  end_group (self, inputs);
  end_group (self, outputs);
  end_group (self, weights);
}

static void
add_attributes (AssayInspector   *self,
                const AssayGraph *graph,
                const AssayNode  *node)
{
  AssayPropertyList *list = begin_group (self, "Attributes");

  for (guint i = 0; i < MIN (node->n_attrs, MAX_ROWS); i++)
    {
      g_autofree char *text = assay_attr_to_string (graph, &node->attrs[i]);
      assay_property_list_add (list, node->attrs[i].name, text);
    }
  add_more (list, node->n_attrs);
  end_group (self, list);
}

static void
add_provenance (AssayInspector   *self,
                const AssayGraph *graph,
                AssayNodeId       id)
{
  const AssayNode *node = assay_graph_node (graph, id);
  AssayPropertyList *list = begin_group (self, "Provenance");
  g_autofree char *path = assay_graph_node_path (graph, id);

  for (guint i = 0; i < MIN (node->n_origins, MAX_ROWS); i++)
    {
      const AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin, node->origins[i]);
      g_autofree char *text = g_strdup_printf ("%s%s%s, %s/node[%u]", origin->op_type, *origin->name != '\0' ? " " : "",
                                               origin->name, origin->path, origin->index);
      assay_property_list_add (list, "ONNX", text);
    }
  add_more (list, node->n_origins);
  assay_property_list_add (list, "NNIR", path);
  if (*node->domain != '\0')
    assay_property_list_add (list, "Domain", node->domain);
  if (node->op != ASSAY_OP_OPAQUE && assay_op_get_info (node->op)->doc != NULL)
    assay_property_list_add (list, "Operator", assay_op_get_info (node->op)->doc);
}

static void
show_node (AssayInspector *self,
           AssayVerdicts  *verdicts,
           AssayNodeId     id)
{
  const AssayNode *node = assay_graph_node (verdicts->graph, id);

  gtk_label_set_label (self->title, node->op_type);
  gtk_label_set_label (self->subtitle, node->name);
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), *node->name != '\0');

  add_shapes (self, verdicts, node);
  add_attributes (self, verdicts->graph, node);
  add_provenance (self, verdicts->graph, id);
}

typedef struct
{
  const char *op_type;
  guint count;
  guint rejected;
} OpCount;

static int
compare_ops (gconstpointer a,
             gconstpointer b)
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
add_ops (AssayInspector *self,
         AssayVerdicts  *verdicts)
{
  AssayPropertyList *list = begin_group (self, "Operators");
  g_autoptr (GArray) ops = count_ops (verdicts);

  for (guint i = 0; i < MIN (ops->len, MAX_ROWS); i++)
    {
      const OpCount *op = &g_array_index (ops, OpCount, i);
      g_autofree char *count = assay_ui_format_nodes (op->count);
      g_autofree char *text = op->rejected > 0 ? g_strdup_printf ("%s, %u rejected", count, op->rejected)
                                               : g_strdup (count);
      assay_property_list_add (list, op->op_type, text);
    }
  add_more (list, ops->len);
  end_group (self, list);
}

static void
add_ends (AssayInspector *self,
          AssayVerdicts  *verdicts)
{
  const AssayRegion *region = assay_graph_region (verdicts->graph, ASSAY_MAIN_REGION);
  AssayPropertyList *inputs = begin_group (self, "Inputs");
  AssayPropertyList *outputs = begin_group (self, "Outputs");

  for (guint i = 0; i < MIN (region->inputs->len, MAX_ROWS); i++)
    add_value (inputs, verdicts, g_array_index (region->inputs, AssayValueId, i));
  add_more (inputs, region->inputs->len);
  for (guint i = 0; i < MIN (region->outputs->len, MAX_ROWS); i++)
    if (g_array_index (region->outputs, AssayValueId, i) != ASSAY_NO_VALUE)
      add_value (outputs, verdicts, g_array_index (region->outputs, AssayValueId, i));
  add_more (outputs, region->outputs->len);

  end_group (self, inputs);
  end_group (self, outputs);
}

static void
count_parameters (const AssayGraph *graph,
                  guint64          *parameters,
                  guint64          *bytes)
{
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);
      gsize n;

      if (value->kind == ASSAY_VALUE_CONSTANT && assay_type_count (value->type, &n))
        {
          *parameters += n;
          *bytes += (guint64) n * assay_dtype_bits (value->type->dtype) / 8;
        }
    }
}

static void
show_model (AssayInspector *self,
            AssayVerdicts  *verdicts)
{
  const AssayGraph *graph = assay_session_get_graph (self->session);
  g_autofree char *name = assay_session_dup_name (self->session);
  g_autoptr (GString) opsets = g_string_new (NULL);
  g_autoptr (GString) producer = g_string_new (graph->producer_name);
  AssayPropertyList *list;
  guint64 parameters = 0, bytes = 0;
  g_autofree char *size = NULL;

  gtk_label_set_label (self->title, name);
  gtk_label_set_label (self->subtitle, graph->name);
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), *graph->name != '\0');

  list = begin_group (self, "Model");
  add_count (list, "Nodes", assay_graph_n_nodes (verdicts->graph) - 1);
  count_parameters (graph, &parameters, &bytes);
  add_count (list, "Parameters", parameters);
  size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  assay_property_list_add (list, "Weights", size);

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

  list = begin_group (self, "Verdicts");
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    {
      guint count = assay_verdicts_count (verdicts, kind);

      if (count > 0)
        add_count (list, assay_verdict_word (kind), count);
    }
  if (verdicts->n_partitions > 0)
    {
      add_count (list, "Partitions", verdicts->n_partitions);
      add_count (list, "Transitions", verdicts->n_transitions);
    }
  end_group (self, list);

  add_ends (self, verdicts);
  add_ops (self, verdicts);
}

static gboolean
update_cb (gpointer data)
{
  ASSAY_WATCH ("inspector");
  AssayInspector *self = data;
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId selection = assay_session_get_selection (self->session);
  GtkWidget *child;

  self->idle = 0;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->groups))) != NULL)
    gtk_box_remove (self->groups, child);

  if (verdicts == NULL)
    {
      gtk_label_set_label (self->title, "");
      gtk_label_set_label (self->subtitle, "");
    }
  else if (selection != ASSAY_NO_NODE)
    show_node (self, verdicts, selection);
  else
    show_model (self, verdicts);

  return G_SOURCE_REMOVE;
}

/* A walk with F8 held down changes the selection more often than the rows need to be built. */
static void
queue_update (AssayInspector *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (update_cb, self);
}

static void
assay_inspector_dispose (GObject *object)
{
  AssayInspector *self = ASSAY_INSPECTOR (object);

  g_clear_handle_id (&self->idle, g_source_remove);
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
  gtk_widget_class_set_template_from_resource (widget_class, "/org/assay/Workbench/ui/assay-inspector.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayInspector, scroller);
  gtk_widget_class_bind_template_child (widget_class, AssayInspector, title);
  gtk_widget_class_bind_template_child (widget_class, AssayInspector, subtitle);
  gtk_widget_class_bind_template_child (widget_class, AssayInspector, verdict_panel);
  gtk_widget_class_bind_template_child (widget_class, AssayInspector, fixes);
  gtk_widget_class_bind_template_child (widget_class, AssayInspector, groups);
}

static void
assay_inspector_init (AssayInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
assay_inspector_set_session (AssayInspector *self,
                             AssaySession   *session)
{
  g_set_object (&self->session, session);
  assay_verdict_panel_set_session (self->verdict_panel, session);
  assay_fix_list_set_session (self->fixes, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (queue_update), self, G_CONNECT_SWAPPED);
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
