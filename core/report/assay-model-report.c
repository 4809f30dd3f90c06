/* assay-model-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-model-report.h"

#include "base/assay-sentence.h"
#include "report/assay-model-facts.h"
#include "report/assay-report-json.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

static const char *const level_names[] = {
  [ASSAY_GRAPH_ONNX] = "onnx",
  [ASSAY_GRAPH_NNIR] = "nnir",
  [ASSAY_GRAPH_STREAMED] = "streamed",
};

static void
append_values (GString *text, const char *heading, AssayGraph *graph, GArray *values,
               gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  assay_report_append_heading (text, heading, colours);
  assay_text_table_init (&table, 2, 48);
  for (guint i = 0; i < values->len; i++)
    {
      AssayValueId id = g_array_index (values, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);

      if (id == ASSAY_NO_VALUE || (value->kind == ASSAY_VALUE_INPUT && value->is_parameter))
        continue;

      assay_text_table_add (&table, value->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, assay_type_to_string (value->type), ASSAY_TEXT_STYLE_INFO);
    }
  assay_text_table_print (&table, text, colours);
}

static char *
opsets_to_string (AssayGraph *graph)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (graph->opsets, AssayOpset, i);

      assay_terminal_append_format (text, "%s%s %" G_GINT64_FORMAT, i > 0 ? ", " : "",
                                    opset->domain[0] != 0 ? opset->domain : "ai.onnx",
                                    opset->version);
    }

  return g_string_free (text, FALSE);
}

static void
append_facts (GString *text, AssayGraph *graph, const AssayModelFacts *facts, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };
  g_autofree char *bytes = g_format_size_full (facts->parameter_bytes, G_FORMAT_SIZE_IEC_UNITS);

  assay_text_table_init (&table, 2, 48);
  if (graph->producer_name != NULL && graph->producer_name[0] != 0)
    assay_text_table_take_fact (
        &table, "producer",
        g_strdup_printf ("%s %s", graph->producer_name,
                         graph->producer_version != NULL ? graph->producer_version : ""));
  assay_text_table_take_fact (&table, "ir version",
                              g_strdup_printf ("%" G_GINT64_FORMAT, graph->ir_version));
  assay_text_table_take_fact (&table, "opsets", opsets_to_string (graph));
  assay_text_table_take_fact (
      &table, "nodes",
      facts->n_regions > 1 ? g_strdup_printf ("%u in %u graphs", facts->n_nodes, facts->n_regions)
                           : g_strdup_printf ("%u", facts->n_nodes));
  assay_text_table_take_fact (
      &table, "parameters",
      g_strdup_printf ("%" G_GUINT64_FORMAT ", %s", facts->n_parameters, bytes));
  assay_text_table_take_fact (&table, "macs",
                              facts->n_macs_unknown > 0
                                  ? g_strdup_printf ("%" G_GUINT64_FORMAT
                                                     " and those of %u node%s with unknown shapes",
                                                     facts->macs, facts->n_macs_unknown,
                                                     assay_plural (facts->n_macs_unknown))
                                  : g_strdup_printf ("%" G_GUINT64_FORMAT, facts->macs));
  assay_text_table_print (&table, text, colours);
}

static void
append_ops (GString *text, const AssayModelFacts *facts, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  assay_report_append_heading (text, "Operators", colours);
  assay_text_table_init (&table, 3, 48);
  assay_text_table_set_right (&table, 0);
  for (guint i = 0; i < facts->ops->len; i++)
    {
      const AssayOpCount *op = &g_array_index (facts->ops, AssayOpCount, i);

      assay_text_table_take (&table, g_strdup_printf ("%u", op->count), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, op->op_type, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, op->domain, ASSAY_TEXT_STYLE_DIM);
    }
  assay_text_table_print (&table, text, colours);
}

/**
 * assay_model_report_to_text:
 * @model: path of the model as the user gave it
 * @graph: the graph
 * @findings: what the importer found
 * @colours: whether to use terminal colours
 * @length: (out) (optional): bytes of the text
 *
 * Tells people what a model is made of: its interface, operators, parameters and products.
 *
 * Returns: (transfer full): the text
 */
char *
assay_model_report_to_text (const char *model, AssayGraph *graph, AssayFindings *findings,
                            gboolean colours, gsize *length)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_auto (AssayModelFacts) facts = { 0 };
  GString *text = g_string_new (NULL);

  assay_model_facts_init (&facts, graph);
  assay_terminal_append_styled (text, model, ASSAY_TEXT_STYLE_BOLD, colours);
  if (graph->name != NULL && graph->name[0] != 0)
    {
      g_string_append (text, ": ");
      assay_terminal_append_styled (text, graph->name, ASSAY_TEXT_STYLE_PLAIN, colours);
    }
  g_string_append_c (text, '\n');
  append_facts (text, graph, &facts, colours);
  append_values (text, "Inputs", graph, region->inputs, colours);
  append_values (text, "Outputs", graph, region->outputs, colours);
  append_ops (text, &facts, colours);
  assay_report_append_findings (text, findings, colours);

  if (length != NULL)
    *length = text->len;
  return g_string_free (text, FALSE);
}

static void
write_facts (AssayJsonWriter *json, AssayGraph *graph, const AssayModelFacts *facts)
{
  assay_json_writer_member (json, "graph", graph->name);
  assay_json_writer_member (json, "level", level_names[graph->level]);
  assay_json_writer_member (json, "producer", graph->producer_name);
  assay_json_writer_member (json, "producer_version", graph->producer_version);
  assay_json_writer_member_int (json, "ir_version", graph->ir_version);
  assay_json_writer_begin_member_object (json, "opsets");
  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (graph->opsets, AssayOpset, i);

      assay_json_writer_member_int (json, opset->domain[0] != 0 ? opset->domain : "ai.onnx",
                                    opset->version);
    }
  assay_json_writer_end_object (json);
  assay_json_writer_member_int (json, "nodes", facts->n_nodes);
  assay_json_writer_member_int (json, "graphs", facts->n_regions);
  assay_json_writer_member_uint (json, "parameters", facts->n_parameters);
  assay_json_writer_member_uint (json, "parameter_bytes", facts->parameter_bytes);
  assay_json_writer_member_uint (json, "macs", facts->macs);
  assay_json_writer_member_int (json, "macs_unknown", facts->n_macs_unknown);
}

/**
 * assay_model_report_to_json:
 * @model: path of the model as the user gave it
 * @graph: the graph
 * @findings: what the importer found
 * @length: (out) (optional): bytes of the text
 *
 * Writes what a model is made of as one JSON document of the schema `assay.show/1`.
 *
 * Returns: (transfer full): the text
 */
char *
assay_model_report_to_json (const char *model, AssayGraph *graph, AssayFindings *findings,
                            gsize *length)
{
  g_auto (AssayModelFacts) facts = { 0 };
  AssayJsonWriter json;

  assay_model_facts_init (&facts, graph);
  assay_json_writer_begin_document (&json, 2, "assay.show/1");
  assay_json_writer_member (&json, "model", model);
  write_facts (&json, graph, &facts);
  assay_report_write_interface (&json, graph);
  assay_json_writer_begin_member_array (&json, "ops");
  for (guint i = 0; i < facts.ops->len; i++)
    {
      const AssayOpCount *op = &g_array_index (facts.ops, AssayOpCount, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "op_type", op->op_type);
      assay_json_writer_member (&json, "domain", op->domain);
      assay_json_writer_member_int (&json, "count", op->count);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_report_write_findings (&json, findings);
  return assay_json_writer_end_document (&json, length);
}
