/* assay-check-report-json.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-check-report.h"
#include "text/assay-json-writer.h"
#include "report/assay-report-json.h"

static void
write_accepted (AssayJsonWriter *json, const AssayPolicyEntry *entry)
{
  if (entry == NULL)
    return;

  assay_json_writer_begin_member_object (json, "accepted");
  assay_json_writer_member (json, "reason", entry->reason);
  assay_json_writer_member (json, "by", entry->by);
  assay_json_writer_member (json, "expires", entry->expires);
  assay_json_writer_member_int (json, "line", entry->line);
  assay_json_writer_end_object (json);
}

/* What each entry of the policy did. */
static void
write_policy (AssayJsonWriter *json, const AssayCheckReport *self)
{
  if (self->policy == NULL)
    return;

  assay_json_writer_begin_member_object (json, "policy");
  assay_json_writer_member (json, "file", assay_policy_get_name (self->policy));
  assay_json_writer_member_int (json, "accepted", assay_check_report_accepted (self));
  assay_json_writer_begin_member_array (json, "entries");
  for (guint i = 0; i < assay_policy_get_n_entries (self->policy); i++)
    {
      const AssayPolicyEntry *entry = assay_policy_get_entry (self->policy, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "rule", entry->rule);
      assay_json_writer_member (json, "op_type", entry->op_type);
      assay_json_writer_member (json, "node", entry->node);
      assay_json_writer_member (json, "target", entry->target);
      assay_json_writer_member (json, "reason", entry->reason);
      assay_json_writer_member_int (json, "line", entry->line);
      assay_json_writer_member_int (json, "matches", self->n_used[i]);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
  assay_json_writer_end_object (json);
}

static void
write_summary (AssayJsonWriter *json, const AssayCheckReport *self)
{
  assay_json_writer_begin_member_object (json, "summary");
  assay_json_writer_member_int (json, "nodes", self->rows->len);
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    assay_json_writer_member_int (json, assay_verdict_name (i), self->counts[i]);
  assay_json_writer_member_int (json, "partitions", self->verdicts->n_partitions);
  assay_json_writer_member_int (json, "transitions", self->verdicts->n_transitions);
  if (self->policy != NULL)
    assay_json_writer_member_int (json, "accepted", assay_check_report_accepted (self));
  assay_json_writer_member_bool (json, "clean", assay_check_report_is_clean (self));
  assay_json_writer_end_object (json);
}

static void
write_causes (AssayJsonWriter *json, const AssayCheckReport *self)
{
  assay_json_writer_begin_member_array (json, "causes");
  for (guint i = 0; i < self->verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (self->verdicts->causes, AssayCause, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "rule", cause->rule);
      assay_json_writer_member (json, "verdict", assay_verdict_name (cause->kind));
      assay_json_writer_member (json, "op_type", cause->op_type);
      assay_json_writer_member (json, "reason", cause->reason);
      assay_json_writer_member_int (json, "count", cause->nodes->len);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
write_optional (AssayJsonWriter *json, const char *name, const char *value)
{
  if (value != NULL)
    assay_json_writer_member (json, name, value);
}

static void
write_verdict_details (AssayJsonWriter *json, const AssayCheckReport *self,
                       const AssayCheckRow *row)
{
  const AssayVerdict *verdict = row->verdict;
  const AssayNode *node = assay_graph_node (self->verdicts->graph, row->node);
  AssayValueId output = assay_node_output (node, 0);

  write_optional (json, "actual", verdict->actual);
  write_optional (json, "allowed", verdict->allowed);
  write_optional (json, "attribute", verdict->attribute);
  write_optional (json, "mapping", verdict->mapping);
  write_optional (json, "positions", verdict->positions);
  write_optional (json, "layout", verdict->layout);
  if (verdict->moved > 0)
    assay_json_writer_member_int (json, "moved_bytes", (gint64) verdict->moved);
  if (node->domain[0] != 0)
    assay_json_writer_member (json, "domain", node->domain);
  if (verdict->partition >= 0)
    assay_json_writer_member_int (json, "partition", verdict->partition);
  if (verdict->cause >= 0)
    assay_json_writer_member_int (json, "cause", verdict->cause);
  if (self->verdicts->data_dims != NULL && output != ASSAY_NO_VALUE)
    assay_json_writer_member_int (json, "data_dim", self->verdicts->data_dims[output]);
  if (verdict->n_details > 0)
    {
      assay_json_writer_begin_member_array (json, "details");
      for (guint i = 0; i < verdict->n_details; i++)
        {
          AssayNodeId about = verdict->details[i].node;

          assay_json_writer_begin_object (json);
          assay_json_writer_member (json, "text", verdict->details[i].text);
          if (about != ASSAY_NO_NODE)
            assay_json_writer_member (json, "node",
                                      assay_graph_node (self->verdicts->graph, about)->name);
          assay_json_writer_end_object (json);
        }
      assay_json_writer_end_array (json);
    }
  if (verdict->notes != NULL && verdict->notes[0] != NULL)
    {
      assay_json_writer_begin_member_array (json, "notes");
      for (guint i = 0; verdict->notes[i] != NULL; i++)
        assay_json_writer_string (json, verdict->notes[i]);
      assay_json_writer_end_array (json);
    }
  if (verdict->earlier != NULL)
    {
      assay_json_writer_begin_member_array (json, "earlier");
      for (const AssayVerdict *v = verdict->earlier; v != NULL; v = v->earlier)
        {
          assay_json_writer_begin_object (json);
          assay_json_writer_member (json, "verdict", assay_verdict_name (v->kind));
          assay_json_writer_member (json, "stage", assay_stage_name (v->stage));
          assay_json_writer_member (json, "rule", v->rule);
          assay_json_writer_member (json, "reason", v->reason);
          assay_json_writer_end_object (json);
        }
      assay_json_writer_end_array (json);
    }
}

/* An ONNX node that the compiler's graph does not have. */
static const char *
absorbed_reason (const AssayCheckRow *row)
{
  return row->into != NULL ? "It became part of another node before the target saw it"
                           : "Nothing is left of it in the compiler's graph";
}

/* What decided on a row, and where the document has it. */
typedef struct
{
  const char *rule;
  const char *reason;
  const char *source;
  AssayStage stage;
  gsize start;
  gsize end;
} Decision;

/* A few decisions are those of nearly all rows; each has the place of its reason. */
typedef struct
{
  Decision places[64];
} Decisions;

static void
write_decision (AssayJsonWriter *json, Decisions *written, const AssayCheckRow *row)
{
  const AssayVerdict *verdict = row->verdict;
  Decision now = {
    .rule = row->rule,
    .reason = verdict != NULL ? verdict->reason : absorbed_reason (row),
    .source = verdict != NULL ? verdict->source : ASSAY_SOURCE_CANONICAL,
    .stage = verdict != NULL ? verdict->stage : ASSAY_STAGE_SCHEMA,
  };
  gsize hash = GPOINTER_TO_SIZE (now.rule) / 8 + GPOINTER_TO_SIZE (now.reason) / 16;
  Decision *place = &written->places[hash % G_N_ELEMENTS (written->places)];

  /* A report does not change while it is written: one pointer is one text. */
  if (place->end > 0 && place->rule == now.rule && place->reason == now.reason &&
      place->source == now.source && place->stage == now.stage)
    {
      assay_json_writer_repeat (json, place->start, place->end);
      return;
    }

  now.start = assay_json_writer_tell (json);
  assay_json_writer_member (json, "rule", now.rule);
  assay_json_writer_member (json, "reason", now.reason);
  assay_json_writer_member (json, "stage", assay_stage_name (now.stage));
  assay_json_writer_member (json, "source", now.source);
  now.end = assay_json_writer_tell (json);
  *place = now;
}

static void
write_node (AssayJsonWriter *json, Decisions *written, const AssayCheckReport *self,
            const AssayCheckRow *row)
{
  const AssayVerdict *verdict = row->verdict;

  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "name", row->name);
  assay_json_writer_member (json, "op_type", row->op_type);
  assay_json_writer_member (json, "verdict", assay_verdict_name (row->kind));
  assay_json_writer_member (json, "engine", verdict != NULL ? verdict->engine : NULL);
  assay_json_writer_member (json, "into", row->into);
  write_decision (json, written, row);
  if (verdict != NULL)
    write_verdict_details (json, self, row);
  write_accepted (json, row->accepted);
  assay_json_writer_end_object (json);
}

/**
 * assay_check_report_to_json:
 * @self: a report
 * @flags: not used by this format
 * @length: (out) (optional): bytes of the text
 *
 * Writes a report as one JSON document of the schema `assay.check/1`; docs/cli.md lists its
 * members.
 *
 * Returns: (transfer full): the text
 */
char *
assay_check_report_to_json (const AssayCheckReport *self, AssayReportFlags flags, gsize *length)
{
  Decisions written = { 0 };
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 2, "assay.check/1");
  assay_json_writer_member (&json, "model", self->model);
  assay_json_writer_member (&json, "target", assay_target_get_id (self->target));
  write_summary (&json, self);
  write_policy (&json, self);
  assay_report_write_interface (&json, self->verdicts->graph);
  assay_report_write_findings (&json, self->findings);
  write_causes (&json, self);
  assay_json_writer_begin_member_array (&json, "nodes");
  for (guint i = 0; i < self->rows->len; i++)
    write_node (&json, &written, self, &g_array_index (self->rows, AssayCheckRow, i));
  assay_json_writer_end_array (&json);
  return assay_json_writer_end_document (&json, length);
}
