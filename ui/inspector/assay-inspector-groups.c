/* assay-inspector-groups.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the inspector says of a node beyond the graph: where it comes from, what the program does
 * with it, how far it is off, its weights; and of several nodes what they come to.
 */
#include "ui/inspector/assay-inspector-private.h"

#include "base/assay-sentence.h"
#include "draw/assay-memory-scene.h"
#include "source/assay-importer.h"
#include "ui/compare/assay-cause-note.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/tensor/assay-tensor-figures.h"
#include "ui/tensor/assay-tensor-window.h"
#include "ui/window/assay-ui.h"
#include "ui/inspector/assay-verdict-text.h"

/* Weights whose figures are offered in place; those of further ones are in their window. */
#define MAX_FIGURES 4

AssayPropertyList *
assay_inspector_begin (GtkBox *groups, const char *title)
{
  GtkWidget *list = assay_property_list_new (title);

  gtk_box_append (groups, list);
  return ASSAY_PROPERTY_LIST (list);
}

/* A group without rows is not shown. */
void
assay_inspector_end (GtkBox *groups, AssayPropertyList *list)
{
  if (assay_property_list_get_count (list) == 0)
    gtk_box_remove (groups, GTK_WIDGET (list));
}

void
assay_inspector_add_more (AssayPropertyList *list, guint n)
{
  if (n > ASSAY_INSPECTOR_ROWS)
    {
      g_autofree char *count = assay_ui_format_count (n - ASSAY_INSPECTOR_ROWS);
      g_autofree char *text = g_strdup_printf ("%s more", count);

      assay_property_list_add (list, "…", text);
    }
}

void
assay_inspector_add_count (AssayPropertyList *list, const char *name, guint64 count)
{
  g_autofree char *text = assay_ui_format_count (count);

  assay_property_list_add (list, name, text);
}

static void
add_size (AssayPropertyList *list, const char *name, double bytes)
{
  g_autofree char *text = g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_IEC_UNITS);

  assay_property_list_add (list, name, text);
}

/* Where it comes from. */

static void
show_onnx_cb (GtkButton *button, const char *place)
{
  gtk_widget_activate_action (GTK_WIDGET (button), "win.page", "s", "graph");
  gtk_widget_activate_action (GTK_WIDGET (button), "graph.show-origin", "s", place);
}

static void
show_node_cb (GtkButton *button)
{
  gtk_widget_activate_action (GTK_WIDGET (button), "win.page", "s", "graph");
  gtk_widget_activate_action (GTK_WIDGET (button), "graph.level", "s", "nnir");
  gtk_widget_activate_action (GTK_WIDGET (button), "graph.fit-selection", NULL);
}

static void
show_instructions_cb (GtkButton *button)
{
  gtk_widget_activate_action (GTK_WIDGET (button), "win.show-instructions", NULL);
}

static void
free_closure (gpointer data, GClosure *closure)
{
  g_free (data);
}

static void
add_origin (AssayPropertyList *list, const AssayOrigin *origin, const char *source)
{
  g_autofree char *place = g_strdup_printf ("%s" ASSAY_ORIGIN_PLACE "%u]", origin->path,
                                            origin->index);
  g_autofree char *text = g_strdup_printf ("%s%s%s, %s", origin->op_type,
                                           *origin->name != '\0' ? " " : "", origin->name, place);

  g_signal_connect_data (
      assay_property_list_add_jump (list, source, text, "Show the node in the graph of the file"),
      "clicked", G_CALLBACK (show_onnx_cb), g_steal_pointer (&place), free_closure, 0);
}

void
assay_inspector_add_origins (GtkBox *groups, AssaySession *session, AssayNodeId id)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);
  const AssayGraph *graph = verdicts->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  const AssayNodeWork *work = assay_compilation_get_work (assay_session_get_compilation (session));
  const AssayNodeEffort *effort = work != NULL ? assay_node_work_find (work, node->name) : NULL;
  AssayPropertyList *list = assay_inspector_begin (groups, "Provenance");
  g_autofree char *path = assay_graph_node_path (graph, id);

  for (guint i = 0; i < MIN (node->n_origins, ASSAY_INSPECTOR_ROWS); i++)
    add_origin (list, &g_array_index (graph->origins, AssayOrigin, node->origins[i]),
                assay_importer_of_graph (graph)->title);
  assay_inspector_add_more (list, node->n_origins);
  g_signal_connect (
      assay_property_list_add_jump (list, "NNIR", path, "Show the node in the checked graph"),
      "clicked", G_CALLBACK (show_node_cb), NULL);
  if (effort != NULL)
    {
      g_autofree char *count = assay_ui_format_count (effort->n_instructions);

      g_signal_connect (assay_property_list_add_jump (list, "Instructions", count,
                                                      "List the instructions of the node"),
                        "clicked", G_CALLBACK (show_instructions_cb), NULL);
    }
  if (*node->domain != '\0')
    assay_property_list_add (list, "Domain", node->domain);
  if (node->op != ASSAY_OP_OPAQUE && assay_op_get_info (node->op)->doc != NULL)
    assay_property_list_add (list, "Operator", assay_op_get_info (node->op)->doc);
}

/* What the program does with it. */

static void
show_tensor_cb (GtkButton *button, AssaySession *session)
{
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayMemoryMap *map = assay_compilation_get_memory (compilation);
  guint32 tensor = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "tensor"));
  const AssayPlanned *planned;

  if (map == NULL || tensor >= assay_program_get_facts (map->program)->tensors->len)
    return;

  planned = assay_memory_map_get_tensor (map, tensor);
  assay_compilation_set_core (compilation, planned->core);
  assay_compilation_set_playhead (compilation, planned->born);
  assay_compilation_set_tensor (compilation, tensor);
  gtk_widget_activate_action (GTK_WIDGET (button), "win.page", "s", "memory");
}

static char *
describe_tensor (const AssayMemoryMap *map, const AssayPlanned *planned)
{
  g_autofree char *blocks = assay_ui_format_count (planned->blocks);
  g_autofree char *base = assay_ui_format_count (planned->base);
  g_autofree char *born = assay_ui_format_count (planned->born);
  g_autofree char *died = assay_ui_format_count (assay_memory_map_get_last_step (map, planned));
  g_autofree char *life = planned->died == G_MAXUINT32
                              ? g_strdup ("always")
                              : g_strdup_printf ("steps %s to %s", born, died);
  g_autofree char *core = map->n_cores > 1 ? g_strdup_printf (", core %u", planned->core)
                                           : g_strdup ("");

  return g_strdup_printf ("%s%s, %s %s at %s, %s%s%s", assay_memory_kind_name (planned->kind), core,
                          blocks, planned->blocks == 1 ? "block" : "blocks", base, life,
                          planned->note != NULL ? "; " : "",
                          planned->note != NULL ? planned->note : "");
}

static void
add_memory (GtkBox *groups, AssaySession *session, AssayMemoryMap *map, const char *name)
{
  AssayPropertyList *list = assay_inspector_begin (groups, "Memory");
  AssayCompilation *compilation = assay_session_get_compilation (session);
  guint n = 0;

  for (guint32 i = 0; i < assay_program_get_facts (map->program)->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (map, i);
      g_autofree char *text = NULL;
      GtkWidget *button;

      if (g_strcmp0 (assay_compilation_get_node_name (compilation, planned->node), name) != 0 ||
          n++ >= ASSAY_INSPECTOR_ROWS)
        continue;
      text = describe_tensor (map, planned);
      button = assay_property_list_add_jump (list, planned->name, text,
                                             "Show the tensor in the memory map");
      g_object_set_data (G_OBJECT (button), "tensor", GUINT_TO_POINTER (i));
      g_signal_connect_object (button, "clicked", G_CALLBACK (show_tensor_cb), session, 0);
    }
  assay_inspector_add_more (list, n);
  assay_inspector_end (groups, list);
}

static void
add_cycles (GtkBox *groups, AssaySession *session, AssayProgram *program,
            const AssayNodeEffort *effort)
{
  g_autofree char *title = g_strconcat ("Cycles, ", assay_program_get_cycles_word (program), NULL);
  AssayPropertyList *list = assay_inspector_begin (groups, title);
  AssayNodeTable *table = assay_session_get_node_table (session);
  g_autofree char *cores = assay_node_facts_dup_cores (assay_node_table_get_facts (table),
                                                       assay_session_get_selection (session));
  g_autofree char *start = assay_ui_format_count (effort->start);
  g_autofree char *end = assay_ui_format_count (effort->end);
  g_autofree char *span = g_strdup_printf ("%s to %s", start, end);

  assay_inspector_add_count (list, "Busy", effort->cycles);
  assay_property_list_add (list, "From, to", span);
  if (assay_program_get_facts (program)->config->num_cores > 1)
    assay_property_list_add (list, "Cores", cores);
  for (guint unit = 0; unit < assay_program_get_facts (program)->n_units; unit++)
    if (effort->by_unit[unit] > 0)
      assay_inspector_add_count (list, assay_program_get_unit (program, unit)->title,
                                 effort->by_unit[unit]);
}

void
assay_inspector_add_program (GtkBox *groups, AssaySession *session, AssayNodeId id)
{
  const char *name = assay_graph_node (assay_session_get_verdicts (session)->graph, id)->name;
  AssayCompilation *compilation = assay_session_get_compilation (session);
  const AssayNodeWork *work = assay_compilation_get_work (compilation);
  const AssayNodeEffort *effort = work != NULL ? assay_node_work_find (work, name) : NULL;
  AssayMemoryMap *map = assay_compilation_get_memory (compilation);

  if (map != NULL)
    add_memory (groups, session, map, name);
  if (effort != NULL && effort->cores != 0)
    add_cycles (groups, session, work->program, effort);
}

/* How far it is off. */

static void
show_comparison_cb (GtkButton *button)
{
  gtk_widget_activate_action (GTK_WIDGET (button), "win.to-compare", NULL);
}

/* Why, as the Compare page tells it. */
static void
add_causes (GtkBox *groups, AssaySession *session, const char *name)
{
  guint row = assay_cause_search_find_row (assay_session_get_cause_search (session), name);
  GtkWidget *note;

  if (row == G_MAXUINT)
    return;
  note = g_object_new (ASSAY_TYPE_CAUSE_NOTE, NULL);
  assay_cause_note_set_session (ASSAY_CAUSE_NOTE (note), session);
  assay_cause_note_set_index (ASSAY_CAUSE_NOTE (note), row);
  gtk_box_append (groups, note);
}

void
assay_inspector_add_error (GtkBox *groups, AssaySession *session, AssayNodeId id)
{
  const char *name = assay_graph_node (assay_session_get_verdicts (session)->graph, id)->name;
  GListModel *rows = assay_compare_activity_get_rows (assay_session_get_compare_activity (session));
  AssayPropertyList *list = assay_inspector_begin (groups, "Error");

  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (AssayCompareItem) item = g_list_model_get_item (rows, i);
      g_autofree char *error = assay_ui_format_ulp (assay_compare_item_get_error (item));
      g_autofree char *inherited = assay_ui_format_ulp (assay_compare_item_get_inherited (item));
      g_autofree char *limit = assay_ui_format_ulp (assay_compare_item_get_limit (item));
      g_autofree char *text = NULL;

      if (!g_str_equal (assay_compare_item_get_node_name (item), name))
        continue;
      text = assay_compare_item_get_note (item) != NULL
                 ? g_strdup (assay_compare_item_get_note (item))
                 : g_strdup_printf ("%s %s unit%s, limit %s, inherited %s",
                                    assay_compare_item_has_own (item) ? "own" : "total", error,
                                    assay_plural_of (error), limit, inherited);
      g_signal_connect (assay_property_list_add_jump (list, assay_compare_item_get_name (item),
                                                      text, "Show the comparison"),
                        "clicked", G_CALLBACK (show_comparison_cb), NULL);
      if (assay_property_list_get_count (list) >= ASSAY_INSPECTOR_ROWS)
        break;
    }
  assay_inspector_end (groups, list);
  add_causes (groups, session, name);
}

/* Its weights. */

static void
show_values_cb (GtkButton *button, AssaySession *session)
{
  AssayTensor *tensor = g_object_get_data (G_OBJECT (button), "tensor");
  const char *name = g_object_get_data (G_OBJECT (button), "name");
  g_autofree char *command = assay_session_dup_tensor_command (session, name);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (button));
  GtkWidget *window = assay_tensor_window_new (GTK_WINDOW (root), name, tensor);

  assay_tensor_window_set_command (ASSAY_TENSOR_WINDOW (window), command);
  gtk_window_present (GTK_WINDOW (window));
}

static void
add_weight (AssayPropertyList *list, AssaySession *session, AssayValueId id, gboolean figures)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);
  const AssayValue *value = assay_graph_value (verdicts->graph, id);
  AssayTensor *tensor = assay_graph_constant (verdicts->graph, id);
  g_autofree char *spoken = NULL;
  g_autofree char *markup = assay_value_type_markup (verdicts, id, &spoken);
  g_autofree char *size = NULL;
  g_autofree char *sized = NULL;
  g_autofree char *told = NULL;
  GtkWidget *button;

  size = g_format_size_full (tensor != NULL ? assay_tensor_get_n_bytes (tensor) : 0,
                             G_FORMAT_SIZE_IEC_UNITS);
  sized = g_strdup_printf ("%s, %s", markup, size);
  told = g_strdup_printf ("%s, %s", spoken, size);
  if (tensor == NULL || assay_tensor_is_absent (tensor))
    {
      assay_property_list_add_stacked (list, *value->name != '\0' ? value->name : "unnamed", markup,
                                       spoken);
      return;
    }

  button = assay_property_list_add_jump_markup (
      list, *value->name != '\0' ? value->name : "unnamed", sized, told, "Show the values");
  g_object_set_data_full (G_OBJECT (button), "tensor", assay_tensor_ref (tensor),
                          (GDestroyNotify) assay_tensor_unref);
  g_object_set_data_full (G_OBJECT (button), "name", g_strdup (value->name), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (show_values_cb), session, 0);
  if (figures)
    assay_property_list_add_widget (list, assay_tensor_figures_new (tensor));
}

/* Large ones are read when that is asked for; their figures stand below them. */
void
assay_inspector_add_weights (GtkBox *groups, AssaySession *session, AssayNodeId id)
{
  const AssayGraph *graph = assay_session_get_verdicts (session)->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  AssayPropertyList *list = assay_inspector_begin (groups, "Weights");
  guint n = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (node->inputs[i] == ASSAY_NO_VALUE || !assay_graph_is_constant (graph, node->inputs[i]))
        continue;
      if (n < ASSAY_INSPECTOR_ROWS)
        add_weight (list, session, node->inputs[i], n < MAX_FIGURES);
      n++;
    }
  assay_inspector_add_more (list, n);
  assay_inspector_end (groups, list);
}

/* Of several nodes what they come to. */
void
assay_inspector_add_sums (GtkBox *groups, AssaySession *session)
{
  AssayNodeTable *table = assay_session_get_node_table (session);
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);
  AssayNodeSums sums = assay_node_table_sum_selected (table);
  g_autoptr (GArray) nodes = assay_node_table_list_selected (table);
  AssayPropertyList *list = assay_inspector_begin (groups, "Together");
  guint counts[ASSAY_N_VERDICTS] = { 0 };

  assay_inspector_add_count (list, "Nodes", sums.n);
  add_size (list, "Parameters", sums.parameters);
  if (sums.n_activations > 0)
    add_size (list, "Activations", sums.activations);
  if (sums.n_activations < sums.n)
    assay_inspector_add_count (list, "Shape unknown", sums.n - sums.n_activations);
  if (sums.n_cycles > 0)
    assay_inspector_add_count (list, "Cycles, pred.", (guint64) sums.cycles);

  list = assay_inspector_begin (groups, "Verdicts");
  for (guint i = 0; i < nodes->len; i++)
    counts[assay_verdicts_get (verdicts, g_array_index (nodes, guint32, i))->kind]++;
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    if (counts[kind] > 0)
      assay_inspector_add_count (list, assay_verdict_word (kind), counts[kind]);
}
