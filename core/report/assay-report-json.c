/* assay-report-json.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-report-json.h"

static void
write_shape (AssayJsonWriter *json, const AssayType *type)
{
  assay_json_writer_key (json, "shape");
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    {
      assay_json_writer_null (json);
      return;
    }

  assay_json_writer_begin_array (json);
  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size >= 0)
        assay_json_writer_int (json, type->dims[i].size);
      else
        assay_json_writer_string (json, type->dims[i].symbol);
    }
  assay_json_writer_end_array (json);
}

static void
write_values (AssayJsonWriter *json, const char *key, const AssayGraph *graph, GArray *values)
{
  assay_json_writer_begin_member_array (json, key);
  for (guint i = 0; i < values->len; i++)
    {
      AssayValueId id = g_array_index (values, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);
      g_autofree char *type = NULL;

      /* Older files list each parameter among the inputs. */
      if (id == ASSAY_NO_VALUE || (value->kind == ASSAY_VALUE_INPUT && value->is_parameter))
        continue;

      type = assay_type_to_string (value->type);
      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", value->name);
      assay_json_writer_member (json, "type", type);
      write_shape (json, value->type);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/**
 * assay_report_write_interface:
 * @json: a writer inside an object
 * @graph: a graph
 *
 * Writes the members `inputs` and `outputs`: name, type, and shape with symbols as strings and
 * unknown extents as null.
 */
void
assay_report_write_interface (AssayJsonWriter *json, const AssayGraph *graph)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);

  write_values (json, "inputs", graph, region->inputs);
  write_values (json, "outputs", graph, region->outputs);
}

/**
 * assay_report_write_findings:
 * @json: a writer inside an object
 * @findings: findings
 *
 * Writes the member `findings`, and `findings_dropped` if there were too many to keep.
 */
void
assay_report_write_findings (AssayJsonWriter *json, AssayFindings *findings)
{
  assay_json_writer_begin_member_array (json, "findings");
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "severity", assay_severity_name (finding->severity));
      assay_json_writer_member (json, "rule", finding->rule);
      assay_json_writer_member (json, "message", finding->message);
      assay_json_writer_member (json, "graph_path", finding->graph_path);
      assay_json_writer_member (json, "node", finding->node);
      assay_json_writer_member (json, "attribute", finding->attribute);
      if (finding->offset >= 0)
        assay_json_writer_member_int (json, "offset", finding->offset);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
  if (assay_findings_get_dropped (findings) > 0)
    assay_json_writer_member_int (json, "findings_dropped", assay_findings_get_dropped (findings));
}
