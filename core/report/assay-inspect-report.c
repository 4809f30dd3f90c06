/* assay-inspect-report.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the vendor's inspector tells of a model before it is quantised: which device each node is
 * on, what keeps it off, the subgraphs, a picture; and what it does not tell: what helps, and what
 * each change of sides moves.
 */
#include "report/assay-inspect-report.h"

#include "base/assay-sentence.h"
#include "nnir/analysis/assay-analysis.h"
#include "report/assay-report-dot.h"
#include "report/assay-report-json.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

static gboolean
is_live (const AssayVerdicts *verdicts, AssayNodeId id)
{
  return g_array_index (verdicts->verdicts, AssayVerdict, id).kind != ASSAY_VERDICT_REMOVED &&
         assay_graph_node (verdicts->graph, id)->region == ASSAY_MAIN_REGION;
}

static gboolean
is_on_device (const AssayVerdicts *verdicts, AssayNodeId id)
{
  return g_array_index (verdicts->verdicts, AssayVerdict, id).kind > ASSAY_VERDICT_UNDECIDED;
}

/* The value that stands for one behind nodes of which nothing is left. */
static AssayValueId
origin_of (const AssayVerdicts *verdicts, AssayValueId value)
{
  for (guint hops = 0; hops < 1000; hops++)
    {
      AssayNodeId id = assay_graph_value (verdicts->graph, value)->producer;
      AssayValueId next;

      if (id == ASSAY_NO_NODE || is_live (verdicts, id))
        break;
      next = assay_node_input (assay_graph_node (verdicts->graph, id), 0);
      if (next == ASSAY_NO_VALUE)
        break;
      value = next;
    }

  return value;
}

static void
add_transition (AssayInspectReport *self, GHashTable *seen, AssayValueId value, AssayNodeId to)
{
  const AssayGraph *graph = self->verdicts->graph;
  AssayTransition transition = { .to = to };
  gboolean there = to != ASSAY_NO_NODE && is_on_device (self->verdicts, to);
  gboolean here;
  gsize key;

  transition.value = value = origin_of (self->verdicts, value);
  if (assay_graph_constant (graph, value) != NULL || assay_graph_value (graph, value)->is_parameter)
    return;
  transition.from = assay_graph_value (graph, value)->producer;
  here = transition.from != ASSAY_NO_NODE && is_on_device (self->verdicts, transition.from);
  key = (gsize) value * 2 + there;
  if (here == there || !g_hash_table_add (seen, GSIZE_TO_POINTER (key)))
    return;
  transition.to_device = there;
  transition.is_known = assay_type_count (assay_graph_value (graph, value)->type,
                                          &transition.bytes);
  g_array_append_val (self->transitions, transition);
}

static void
find_transitions (AssayInspectReport *self)
{
  const AssayGraph *graph = self->verdicts->graph;
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) order = assay_graph_sort_region (graph, ASSAY_MAIN_REGION, NULL);

  for (guint i = 0; i < order->len; i++)
    {
      AssayNodeId id = g_array_index (order, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (graph, id);

      for (guint j = 0; j < node->n_inputs && is_live (self->verdicts, id); j++)
        if (node->inputs[j] != ASSAY_NO_VALUE)
          add_transition (self, seen, node->inputs[j], id);
    }
  for (guint i = 0; i < main->outputs->len; i++)
    if (g_array_index (main->outputs, AssayValueId, i) != ASSAY_NO_VALUE)
      add_transition (self, seen, g_array_index (main->outputs, AssayValueId, i), ASSAY_NO_NODE);
}

static void
free_help (gpointer suggestions)
{
  if (suggestions != NULL)
    assay_fix_suggestions_free (suggestions);
}

/**
 * assay_inspect_report_new:
 * @model: path of the model
 * @target: what it was checked against
 * @verdicts: the result
 *
 * Begins a report.
 *
 * Returns: (transfer full): the report
 */
AssayInspectReport *
assay_inspect_report_new (const char *model, AssayTarget *target, AssayVerdicts *verdicts)
{
  AssayInspectReport *self = g_new0 (AssayInspectReport, 1);

  self->model = g_strdup (model);
  self->target = assay_target_ref (target);
  self->verdicts = assay_verdicts_ref (verdicts);
  self->transitions = g_array_new (FALSE, TRUE, sizeof (AssayTransition));
  self->help = g_ptr_array_new_with_free_func (free_help);
  g_ptr_array_set_size (self->help, (int) verdicts->causes->len);
  find_transitions (self);

  return self;
}

void
assay_inspect_report_free (AssayInspectReport *self)
{
  if (self == NULL)
    return;

  g_free (self->model);
  g_ptr_array_unref (self->help);
  g_array_unref (self->transitions);
  assay_verdicts_unref (self->verdicts);
  assay_target_unref (self->target);
  g_free (self);
}

/**
 * assay_inspect_report_set_help:
 * @self: a report
 * @cause: index of a cause
 * @suggestions: (transfer full): what was tried
 *
 * Adds what helps with a cause.
 */
void
assay_inspect_report_set_help (AssayInspectReport *self, guint cause,
                               AssayFixSuggestions *suggestions)
{
  free_help (g_ptr_array_index (self->help, cause));
  g_ptr_array_index (self->help, cause) = suggestions;
}

static const char *
device_of (const AssayInspectReport *self, AssayNodeId id)
{
  return is_on_device (self->verdicts, id) ? "DPU" : "CPU";
}

static guint
count_nodes (const AssayInspectReport *self, gboolean on_device)
{
  guint n = 0;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->verdicts->graph); id++)
    n += is_live (self->verdicts, id) && is_on_device (self->verdicts, id) == on_device;

  return n;
}

static const char *
name_of (const AssayInspectReport *self, AssayNodeId id, const char *none)
{
  return id != ASSAY_NO_NODE ? assay_graph_node (self->verdicts->graph, id)->name : none;
}

static void
append_nodes (const AssayInspectReport *self, gboolean all, GString *text, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  assay_report_append_heading (text, all ? "Nodes" : "Nodes on the CPU", colours);
  assay_text_table_init (&table, 4, 56);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->verdicts->graph); id++)
    {
      const AssayNode *node = assay_graph_node (self->verdicts->graph, id);
      const AssayVerdict *verdict = assay_verdicts_get (self->verdicts, id);
      gboolean device = is_on_device (self->verdicts, id);

      if (!is_live (self->verdicts, id) || (device && !all))
        continue;
      assay_text_table_add (&table, device_of (self, id),
                            device ? ASSAY_TEXT_STYLE_GOOD : ASSAY_TEXT_STYLE_CAUTION);
      assay_text_table_add (&table, node->op_type, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, node->name, ASSAY_TEXT_STYLE_PLAIN);
      if (device)
        assay_text_table_take (
            &table,
            g_strdup_printf ("%s%s%s%s%s", verdict->engine != NULL ? verdict->engine : "",
                             verdict->mapping != NULL ? "  " : "",
                             verdict->mapping != NULL ? verdict->mapping : "",
                             verdict->positions != NULL ? "; positions: " : "",
                             verdict->positions != NULL ? verdict->positions : ""),
            ASSAY_TEXT_STYLE_DIM);
      else
        assay_text_table_take (&table, assay_verdict_sentence (self->verdicts, verdict),
                               ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

static void
append_help (const AssayInspectReport *self, GString *text, gboolean colours)
{
  gboolean first = TRUE;

  for (guint i = 0; i < self->help->len; i++)
    {
      const AssayFixSuggestions *help = g_ptr_array_index (self->help, i);
      const AssayCause *cause = &g_array_index (self->verdicts->causes, AssayCause, i);

      if (help == NULL)
        continue;
      if (first)
        assay_report_append_heading (text, "What helps, each tried", colours);
      first = FALSE;
      assay_terminal_append_format (text, "  %u %s: %s\n", cause->nodes->len, cause->op_type,
                                    cause->reason);
      for (guint j = 0; j < help->offers->len; j++)
        {
          const AssayFixOffer *offer = g_ptr_array_index (help->offers, j);
          g_autofree char *words = assay_fix_offer_describe (offer);

          assay_terminal_append_format (text, "    %u.%u %s: %s\n", i + 1, j + 1, offer->title,
                                        words);
        }
      if (help->offers->len == 0)
        assay_terminal_append_format (text, "    nothing of %u rewrite%s\n",
                                      help->tried->len + help->n_more,
                                      assay_plural (help->tried->len + help->n_more));
      if (help->n_left > 0)
        assay_terminal_append_format (
            text, "    %u rewrite%s not tried, which would take long: `assay fix --thorough`\n",
            help->n_left, assay_plural (help->n_left));
    }
}

static void
append_transitions (const AssayInspectReport *self, GString *text, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };
  gsize total = 0;
  guint n_unknown = 0;

  assay_report_append_heading (text, "Transitions, bytes of 8-bit numbers per inference", colours);
  assay_text_table_init (&table, 4, 56);
  assay_text_table_set_right (&table, 1);
  for (guint i = 0; i < self->transitions->len; i++)
    {
      const AssayTransition *transition = &g_array_index (self->transitions, AssayTransition, i);

      total += transition->is_known ? transition->bytes : 0;
      n_unknown += !transition->is_known;
      assay_text_table_add (&table, transition->to_device ? "CPU to DPU" : "DPU to CPU",
                            ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             transition->is_known
                                 ? g_strdup_printf ("%" G_GSIZE_FORMAT, transition->bytes)
                                 : g_strdup ("?"),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, name_of (self, transition->from, "input of the model"),
                            ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, name_of (self, transition->to, "output of the model"),
                            ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
  assay_terminal_append_format (text, "  %u transition%s, %" G_GSIZE_FORMAT " byte%s",
                                self->transitions->len, assay_plural (self->transitions->len),
                                total, assay_plural (total));
  if (n_unknown > 0)
    assay_terminal_append_format (text, " and %u of open sizes, which --bind gives", n_unknown);
  g_string_append_c (text, '\n');
}

/**
 * assay_inspect_report_to_text:
 * @self: a report
 * @all: whether to list every node, rather than those on the CPU
 * @colours: whether to use colours
 * @length: (out): bytes of the text
 *
 * Writes a report for people.
 *
 * Returns: (transfer full): the text
 */
char *
assay_inspect_report_to_text (const AssayInspectReport *self, gboolean all, gboolean colours,
                              gsize *length)
{
  GString *text = g_string_new (NULL);
  guint n_host = count_nodes (self, FALSE);
  guint n_dpu = count_nodes (self, TRUE);

  assay_terminal_append_styled (text, self->model, ASSAY_TEXT_STYLE_BOLD, colours);
  g_string_append (text, " on ");
  assay_terminal_append_styled (text, assay_target_get_id (self->target), ASSAY_TEXT_STYLE_BOLD,
                                colours);
  assay_terminal_append_format (text, " (%s)\n", assay_target_get_summary (self->target));
  if (n_host == 0)
    assay_terminal_append_format (text, "Everything is on the DPU: %u node%s in %u subgraph%s\n",
                                  n_dpu, assay_plural (n_dpu), self->verdicts->n_partitions,
                                  assay_plural (self->verdicts->n_partitions));
  else
    assay_terminal_append_format (text, "%u node%s on the DPU, in %u subgraph%s; %u on the CPU\n",
                                  n_dpu, assay_plural (n_dpu), self->verdicts->n_partitions,
                                  assay_plural (self->verdicts->n_partitions), n_host);
  if (n_host > 0 || all)
    append_nodes (self, all, text, colours);
  append_help (self, text, colours);
  append_transitions (self, text, colours);
  *length = text->len;

  return g_string_free (text, FALSE);
}

static void
write_nodes (const AssayInspectReport *self, AssayJsonWriter *json)
{
  assay_json_writer_begin_member_array (json, "nodes");
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->verdicts->graph); id++)
    {
      const AssayNode *node = assay_graph_node (self->verdicts->graph, id);
      const AssayVerdict *verdict = assay_verdicts_get (self->verdicts, id);
      g_autofree char *sentence = NULL;

      if (!is_live (self->verdicts, id))
        continue;
      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", node->name);
      assay_json_writer_member (json, "op_type", node->op_type);
      assay_json_writer_member (json, "device", device_of (self, id));
      if (is_on_device (self->verdicts, id))
        {
          assay_json_writer_member_int (json, "subgraph", verdict->partition);
          assay_json_writer_member (json, "engine", verdict->engine);
          assay_json_writer_member (json, "mapping", verdict->mapping);
          if (verdict->positions != NULL)
            assay_json_writer_member (json, "positions", verdict->positions);
        }
      else
        {
          sentence = assay_verdict_sentence (self->verdicts, verdict);
          assay_json_writer_member (json, "constraint", sentence);
          assay_json_writer_member (json, "rule", verdict->rule);
        }
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/**
 * assay_inspect_report_to_json:
 * @self: a report
 * @length: (out): bytes of the document
 *
 * Writes a report as a document.
 *
 * Returns: (transfer full): the document
 */
char *
assay_inspect_report_to_json (const AssayInspectReport *self, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 3, "assay.inspect/1");
  assay_json_writer_member (&json, "model", self->model);
  assay_json_writer_member (&json, "target", assay_target_get_id (self->target));
  assay_json_writer_member_uint (&json, "on_dpu", count_nodes (self, TRUE));
  assay_json_writer_member_uint (&json, "on_cpu", count_nodes (self, FALSE));
  assay_json_writer_member_uint (&json, "subgraphs", self->verdicts->n_partitions);
  write_nodes (self, &json);
  assay_json_writer_begin_member_array (&json, "transitions");
  for (guint i = 0; i < self->transitions->len; i++)
    {
      const AssayTransition *transition = &g_array_index (self->transitions, AssayTransition, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "value",
                                assay_graph_value (self->verdicts->graph, transition->value)->name);
      assay_json_writer_member (&json, "to", transition->to_device ? "DPU" : "CPU");
      assay_json_writer_member (&json, "made_by", name_of (self, transition->from, NULL));
      assay_json_writer_member (&json, "read_by", name_of (self, transition->to, NULL));
      if (transition->is_known)
        assay_json_writer_member_uint (&json, "bytes", transition->bytes);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_json_writer_begin_member_array (&json, "help");
  for (guint i = 0; i < self->help->len; i++)
    {
      const AssayFixSuggestions *help = g_ptr_array_index (self->help, i);

      for (guint j = 0; help != NULL && j < help->offers->len; j++)
        {
          const AssayFixOffer *offer = g_ptr_array_index (help->offers, j);
          g_autofree char *words = assay_fix_offer_describe (offer);
          g_autofree char *id = g_strdup_printf ("%u.%u", i + 1, j + 1);

          assay_json_writer_begin_object (&json);
          assay_json_writer_member (&json, "id", id);
          assay_json_writer_member (&json, "title", offer->title);
          assay_json_writer_member (&json, "effect", words);
          assay_json_writer_end_object (&json);
        }
    }
  assay_json_writer_end_array (&json);

  return assay_json_writer_end_document (&json, length);
}

/**
 * assay_inspect_report_to_dot:
 * @self: a report
 * @length: (out): bytes of the text
 *
 * Writes the graph for Graphviz: what is on the DPU blue, what is on the CPU red.
 *
 * Returns: (transfer full): the text
 */
char *
assay_inspect_report_to_dot (const AssayInspectReport *self, gsize *length)
{
  const AssayGraph *graph = self->verdicts->graph;
  GString *text = g_string_new ("digraph \"");

  assay_dot_append (text, graph->name != NULL ? graph->name : "");
  g_string_append (text, "\" {\n  node [shape=box, style=filled, fontcolor=white];\n");
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      if (!is_live (self->verdicts, id))
        continue;
      g_string_append_printf (text, "  n%u [fillcolor=\"%s\", label=\"", id,
                              is_on_device (self->verdicts, id) ? "#1a5fb4" : "#a51d2d");
      assay_dot_append (text, node->op_type);
      g_string_append (text, "\\n");
      assay_dot_append (text, node->name);
      g_string_append (text, "\"];\n");
      for (guint i = 0; i < node->n_inputs; i++)
        {
          AssayNodeId from = node->inputs[i] == ASSAY_NO_VALUE
                                 ? ASSAY_NO_NODE
                                 : assay_graph_value (graph,
                                                      origin_of (self->verdicts, node->inputs[i]))
                                       ->producer;

          if (from != ASSAY_NO_NODE && is_live (self->verdicts, from))
            g_string_append_printf (text, "  n%u -> n%u;\n", from, id);
        }
    }
  g_string_append (text, "}\n");
  *length = text->len;

  return g_string_free (text, FALSE);
}
