/* assay-check-report-sarif.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-check-report.h"

#include <string.h>

#include "text/assay-json-writer.h"

/* The format is SARIF 2.1.0 (OASIS). A rule is a rule of the target or of the importer, a result is
 * a node that is not done by the target, or a finding. Nodes have no line and column, so their
 * place is a logical location. */

typedef struct
{
  AssayJsonWriter json;
  const AssayCheckReport *report;
  GHashTable *rules; /* rule id -> index + 1 */
  GPtrArray *rule_rows;
  char *uri;
} Sarif;

typedef struct
{
  const char *id;
  const char *description;
  const char *level;
  const char *source;
} Rule;

static const char *const verdict_levels[ASSAY_N_VERDICTS] = {
  [ASSAY_VERDICT_REJECTED] = "error",
  [ASSAY_VERDICT_HOST] = "note",
  [ASSAY_VERDICT_UNDECIDED] = "warning",
};

static void
collect_rule (Sarif *self, const char *id, const char *description, const char *level,
              const char *source)
{
  Rule *rule;

  if (g_hash_table_contains (self->rules, id))
    return;

  rule = g_new (Rule, 1);
  *rule = (Rule){ id, description, level, source };
  g_ptr_array_add (self->rule_rows, rule);
  g_hash_table_insert (self->rules, (gpointer) id, GUINT_TO_POINTER (self->rule_rows->len));
}

/* Target rules without an id of their own are named after the verdict. */
static const char *
row_rule (const AssayCheckRow *row)
{
  return row->rule != NULL && row->rule[0] != 0 ? row->rule : assay_verdict_name (row->kind);
}

static const char *
finding_rule (const AssayFinding *finding)
{
  return finding->rule != NULL && finding->rule[0] != 0 ? finding->rule : "finding";
}

static gboolean
is_result (const AssayCheckRow *row)
{
  return row->verdict != NULL && verdict_levels[row->kind] != NULL;
}

static void
collect_rules (Sarif *self)
{
  const AssayCheckReport *report = self->report;

  for (guint i = 0; i < report->rows->len; i++)
    {
      const AssayCheckRow *row = &g_array_index (report->rows, AssayCheckRow, i);

      if (is_result (row))
        collect_rule (self, row_rule (row), row->verdict->reason, verdict_levels[row->kind],
                      row->verdict->source);
    }
  for (guint i = 0; i < assay_findings_get_count (report->findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (report->findings, i);

      collect_rule (self, finding_rule (finding), finding->message,
                    assay_severity_name (finding->severity), NULL);
    }
}

static void
write_text (AssayJsonWriter *json, const char *key, const char *text)
{
  assay_json_writer_begin_member_object (json, key);
  assay_json_writer_member (json, "text", text != NULL && text[0] != 0 ? text : "No description.");
  assay_json_writer_end_object (json);
}

static void
write_driver (Sarif *self)
{
  AssayJsonWriter *json = &self->json;

  assay_json_writer_begin_member_object (json, "tool");
  assay_json_writer_begin_member_object (json, "driver");
  assay_json_writer_member (json, "name", "assay");
  assay_json_writer_member (json, "version", ASSAY_VERSION);
  assay_json_writer_member (json, "semanticVersion", ASSAY_VERSION);
  assay_json_writer_begin_member_array (json, "rules");
  for (guint i = 0; i < self->rule_rows->len; i++)
    {
      const Rule *rule = g_ptr_array_index (self->rule_rows, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "id", rule->id);
      write_text (json, "shortDescription", rule->description);
      assay_json_writer_begin_member_object (json, "defaultConfiguration");
      assay_json_writer_member (json, "level", rule->level);
      assay_json_writer_end_object (json);
      if (rule->source != NULL)
        write_text (json, "help", rule->source);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
  assay_json_writer_end_object (json);
  assay_json_writer_end_object (json);
}

/* The same refusal of the same node keeps its print while the rest of the model changes. */
static void
write_fingerprint (Sarif *self, const char *rule, const char *name)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  g_checksum_update (checksum, (const guchar *) assay_target_get_id (self->report->target), -1);
  g_checksum_update (checksum, (const guchar *) "\n", 1);
  g_checksum_update (checksum, (const guchar *) rule, -1);
  g_checksum_update (checksum, (const guchar *) "\n", 1);
  g_checksum_update (checksum, (const guchar *) name, -1);

  assay_json_writer_begin_member_object (&self->json, "partialFingerprints");
  assay_json_writer_member (&self->json, "assayNode/v1", g_checksum_get_string (checksum));
  assay_json_writer_end_object (&self->json);
}

/* SARIF 2.1.0, 3.35: what a policy accepts is suppressed outside of the source. With a policy, a
 * result that is not suppressed says so. */
static void
write_suppressions (Sarif *self, const AssayPolicyEntry *accepted)
{
  AssayJsonWriter *json = &self->json;

  if (self->report->policy == NULL)
    return;

  assay_json_writer_begin_member_array (json, "suppressions");
  if (accepted != NULL)
    {
      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "kind", "external");
      assay_json_writer_member (json, "status", "accepted");
      assay_json_writer_member (json, "justification", accepted->reason);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
write_result (Sarif *self, const char *rule, const char *level, const char *message,
              const char *name, const char *full_name, const AssayPolicyEntry *accepted)
{
  AssayJsonWriter *json = &self->json;

  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "ruleId", rule);
  assay_json_writer_member_int (json, "ruleIndex",
                                GPOINTER_TO_UINT (g_hash_table_lookup (self->rules, rule)) - 1);
  assay_json_writer_member (json, "level", level);
  write_text (json, "message", message);

  assay_json_writer_begin_member_array (json, "locations");
  assay_json_writer_begin_object (json);
  assay_json_writer_begin_member_object (json, "physicalLocation");
  assay_json_writer_begin_member_object (json, "artifactLocation");
  assay_json_writer_member (json, "uri", self->uri);
  assay_json_writer_member_int (json, "index", 0);
  assay_json_writer_end_object (json);
  assay_json_writer_end_object (json);
  if (full_name != NULL)
    {
      assay_json_writer_begin_member_array (json, "logicalLocations");
      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", name);
      assay_json_writer_member (json, "fullyQualifiedName", full_name);
      assay_json_writer_member (json, "kind", "element");
      assay_json_writer_end_object (json);
      assay_json_writer_end_array (json);
    }
  assay_json_writer_end_object (json);
  assay_json_writer_end_array (json);

  write_fingerprint (self, rule, full_name != NULL ? full_name : message);
  write_suppressions (self, accepted);
  assay_json_writer_end_object (json);
}

static void
write_results (Sarif *self)
{
  const AssayCheckReport *report = self->report;

  assay_json_writer_begin_member_array (&self->json, "results");
  for (guint i = 0; i < report->rows->len; i++)
    {
      const AssayCheckRow *row = &g_array_index (report->rows, AssayCheckRow, i);
      g_autofree char *message = NULL;
      g_autofree char *path = NULL;

      if (!is_result (row))
        continue;
      path = assay_graph_node_path (report->verdicts->graph, row->node);
      message = g_strdup_printf (
          "%s %s is %s: %s", row->op_type, row->name, assay_verdict_name (row->kind),
          row->verdict->reason != NULL ? row->verdict->reason : "no reason given");
      write_result (self, row_rule (row), verdict_levels[row->kind], message, row->name, path,
                    row->accepted);
    }
  for (guint i = 0; i < assay_findings_get_count (report->findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (report->findings, i);
      const char *name = finding->node != NULL && finding->node[0] != 0 ? finding->node
                                                                        : finding->graph_path;
      g_autofree char *path = NULL;

      if (finding->graph_path != NULL && finding->node != NULL && finding->node[0] != 0)
        path = g_strdup_printf ("%s/%s", finding->graph_path, finding->node);
      write_result (self, finding_rule (finding), assay_severity_name (finding->severity),
                    finding->message, name, path != NULL ? path : name,
                    assay_check_report_accepts (report, i));
    }
  assay_json_writer_end_array (&self->json);
}

/**
 * assay_check_report_to_sarif:
 * @self: a report
 * @flags: not used by this format
 * @length: (out) (optional): bytes of the text
 *
 * Writes a report as a SARIF 2.1.0 log with one run: rejected nodes are errors, undecided ones
 * warnings, those of the host notes; findings keep their severity.
 *
 * Returns: (transfer full): the text
 */
char *
assay_check_report_to_sarif (const AssayCheckReport *self, AssayReportFlags flags, gsize *length)
{
  g_autoptr (GHashTable) rules = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) rule_rows = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *uri = g_uri_escape_bytes ((const guint8 *) self->model, strlen (self->model),
                                             "/");
  Sarif sarif = { .report = self, .rules = rules, .rule_rows = rule_rows, .uri = uri };
  AssayJsonWriter *json = &sarif.json;

  collect_rules (&sarif);

  assay_json_writer_init (json, 5);
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "$schema",
                            "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                            "sarif-schema-2.1.0.json");
  assay_json_writer_member (json, "version", "2.1.0");
  assay_json_writer_begin_member_array (json, "runs");
  assay_json_writer_begin_object (json);
  write_driver (&sarif);
  assay_json_writer_begin_member_array (json, "invocations");
  assay_json_writer_begin_object (json);
  assay_json_writer_member_bool (json, "executionSuccessful", TRUE);
  assay_json_writer_end_object (json);
  assay_json_writer_end_array (json);
  assay_json_writer_begin_member_array (json, "artifacts");
  assay_json_writer_begin_object (json);
  assay_json_writer_begin_member_object (json, "location");
  assay_json_writer_member (json, "uri", uri);
  assay_json_writer_end_object (json);
  assay_json_writer_end_object (json);
  assay_json_writer_end_array (json);
  assay_json_writer_member (json, "columnKind", "utf16CodeUnits");
  assay_json_writer_begin_member_object (json, "properties");
  assay_json_writer_member (json, "target", assay_target_get_id (self->target));
  assay_json_writer_end_object (json);
  write_results (&sarif);
  assay_json_writer_end_object (json);
  assay_json_writer_end_array (json);
  return assay_json_writer_end_document (json, length);
}
