/* assay-fix-report-json.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-build-report.h"
#include "report/assay-fix-report.h"
#include "report/assay-report-json.h"

static void
write_strings (AssayJsonWriter *json, const char *name, char **strings)
{
  assay_json_writer_begin_member_array (json, name);
  for (guint i = 0; strings != NULL && strings[i] != NULL; i++)
    assay_json_writer_string (json, strings[i]);
  assay_json_writer_end_array (json);
}

static void
write_counts (AssayJsonWriter *json, const char *name, const guint *counts)
{
  assay_json_writer_begin_member_object (json, name);
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    assay_json_writer_member_int (json, assay_verdict_name (i), counts[i]);
  assay_json_writer_end_object (json);
}

static void
write_verdicts (AssayJsonWriter *json, const char *name, AssayVerdicts *verdicts)
{
  guint counts[ASSAY_N_VERDICTS];

  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    counts[i] = assay_verdicts_count (verdicts, i);
  write_counts (json, name, counts);
}

static void
write_record (AssayJsonWriter *json, const AssayFix *fix)
{
  assay_json_writer_member (json, "rewrite", fix->rewrite);
  write_strings (json, "nodes", fix->nodes);
  write_strings (json, "arguments", fix->arguments);
}

static void
write_sameness (AssayJsonWriter *json, const AssayFixOffer *offer)
{
  static const char *const names[] = {
    [ASSAY_FIX_NOT_RUN] = "not-run",   [ASSAY_FIX_IDENTICAL] = "identical",
    [ASSAY_FIX_ROUNDED] = "rounded",   [ASSAY_FIX_DIFFERENT] = "different",
    [ASSAY_FIX_DECISION] = "decision", [ASSAY_FIX_NO_CHANGE] = "no-change",
  };

  assay_json_writer_begin_member_object (json, "outputs");
  assay_json_writer_member (json, "sameness", names[offer->sameness]);
  assay_json_writer_member_int (json, "runs", offer->n_runs);
  assay_json_writer_member_bool (json, "rounds", offer->rounds);
  if (offer->sameness == ASSAY_FIX_NOT_RUN)
    assay_json_writer_member (json, "reason", offer->sameness_reason);
  if (offer->dropped != NULL)
    assay_json_writer_member (json, "dropped", offer->dropped);
  if (offer->sameness == ASSAY_FIX_DIFFERENT || offer->sameness == ASSAY_FIX_ROUNDED)
    {
      assay_json_writer_member_bool (json, "spreads", offer->spreads);
      assay_json_writer_member_uint (json, "max_ulp", offer->max_ulp);
      assay_json_writer_member_double (json, "max_error", offer->max_error);
      assay_json_writer_member_double (json, "max_abs", offer->max_abs);
    }
  assay_json_writer_end_object (json);
}

/* What has to be applied before, where a fix does not help alone. */
static void
write_first (AssayJsonWriter *json, const AssayFixOffer *offer)
{
  assay_json_writer_begin_member_array (json, "first");
  for (guint i = 0; offer->first != NULL && i < offer->first->len; i++)
    {
      assay_json_writer_begin_object (json);
      write_record (json, g_ptr_array_index (offer->first, i));
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
write_offer (AssayJsonWriter *json, const AssayFixOffer *offer, const char *id)
{
  const struct
  {
    const char *name;
    const char *range_name;
    gint64 cycles;
    const AssayCycleRange *range;
  } cycles[] = {
    { "cycles_before", "cycles_before_range", offer->cycles_before, &offer->range_before },
    { "cycles_after", "cycles_after_range", offer->cycles_after, &offer->range_after },
  };

  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "id", id);
  assay_json_writer_member (json, "title", offer->title);
  write_record (json, offer->fix);
  write_first (json, offer);
  write_counts (json, "before", offer->before);
  write_counts (json, "after", offer->after);
  write_strings (json, "added", offer->added);
  write_strings (json, "removed", offer->removed);
  write_strings (json, "changed", offer->changed);
  write_sameness (json, offer);
  for (guint i = 0; i < G_N_ELEMENTS (cycles); i++)
    {
      assay_json_writer_key (json, cycles[i].name);
      if (cycles[i].cycles >= 0)
        assay_json_writer_int (json, cycles[i].cycles);
      else
        assay_json_writer_null (json);
      if (cycles[i].range->high > 0)
        assay_build_report_write_cycle_range (json, cycles[i].range_name, cycles[i].range);
    }
  if (offer->cycles_reason != NULL)
    assay_json_writer_member (json, "cycles_reason", offer->cycles_reason);
  assay_json_writer_end_object (json);
}

static void
write_offers (AssayJsonWriter *json, const char *name, GPtrArray *offers, guint cause,
              const char *prefix)
{
  assay_json_writer_begin_member_array (json, name);
  for (guint i = 0; i < offers->len; i++)
    {
      g_autofree char *id = g_strdup_printf ("%u.%s%u", cause + 1, prefix, i + 1);

      write_offer (json, g_ptr_array_index (offers, i), id);
    }
  assay_json_writer_end_array (json);
}

static void
write_cause (AssayJsonWriter *json, const AssayFixCause *entry, AssayVerdicts *verdicts)
{
  const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, entry->cause);

  assay_json_writer_begin_object (json);
  assay_json_writer_member_int (json, "cause", entry->cause + 1);
  assay_json_writer_member (json, "rule", cause->rule);
  assay_json_writer_member (json, "verdict", assay_verdict_name (cause->kind));
  assay_json_writer_member (json, "op_type", cause->op_type);
  assay_json_writer_member (json, "reason", cause->reason);
  assay_json_writer_member_int (json, "count", cause->nodes->len);
  write_offers (json, "offers", entry->suggestions->offers, entry->cause, "");
  write_offers (json, "cuts", entry->suggestions->cuts, entry->cause, "cut");
  assay_json_writer_begin_member_array (json, "tried");
  for (guint i = 0; i < entry->suggestions->tried->len; i++)
    {
      const AssayFixAttempt *attempt = g_ptr_array_index (entry->suggestions->tried, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "title", attempt->title);
      assay_json_writer_member (json, "outcome", attempt->outcome);
      write_record (json, attempt->fix);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
  assay_json_writer_member_int (json, "tried_further", entry->suggestions->n_more);
  assay_json_writer_member_int (json, "not_tried", entry->suggestions->n_left);
  assay_json_writer_end_object (json);
}

static void
write_saved (AssayJsonWriter *json, const AssayModelSave *saved)
{
  static const char *const proofs[] = {
    [ASSAY_SAVE_OUTPUTS] = "outputs", [ASSAY_SAVE_TEXT] = "text"
  };

  assay_json_writer_key (json, "saved");
  if (saved->proof == ASSAY_SAVE_NONE)
    {
      assay_json_writer_null (json);
      return;
    }

  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "proof", proofs[saved->proof]);
  assay_json_writer_member_int (json, "runs", saved->n_runs);
  assay_json_writer_member_int (json, "outputs", saved->n_outputs);
  assay_json_writer_member (json, "reason", saved->reason);
  assay_json_writer_member_int (json, "opset", saved->opset);
  assay_json_writer_member_int (json, "bytes", (gint64) saved->n_bytes);
  assay_json_writer_member (json, "beside", saved->beside);
  assay_json_writer_end_object (json);
}

/**
 * assay_fix_report_to_json: (skip)
 * @self: a report
 * @length: (out): length of the text
 *
 * Writes a report as a JSON document with the schema `assay.fix/1`.
 *
 * Returns: (transfer full): the text
 */
char *
assay_fix_report_to_json (const AssayFixReport *self, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 3, "assay.fix/1");
  assay_json_writer_member (&json, "model", self->model);
  assay_json_writer_member (&json, "target", assay_target_get_id (self->target));
  write_verdicts (&json, "before", self->before);
  write_verdicts (&json, "after", self->verdicts);
  assay_report_write_findings (&json, self->findings);
  assay_json_writer_begin_member_array (&json, "applied");
  for (guint i = 0; i < self->applied->len; i++)
    {
      assay_json_writer_begin_object (&json);
      write_record (&json, g_ptr_array_index (self->applied, i));
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_json_writer_begin_member_array (&json, "causes");
  for (guint i = 0; i < self->causes->len; i++)
    write_cause (&json, &g_array_index (self->causes, AssayFixCause, i), self->verdicts);
  assay_json_writer_end_array (&json);
  assay_json_writer_begin_member_array (&json, "options");
  for (guint i = 0; self->options != NULL && self->options[i] != NULL; i++)
    assay_json_writer_string (&json, self->options[i]);
  assay_json_writer_end_array (&json);
  assay_json_writer_member (&json, "written", self->written);
  write_saved (&json, &self->saved);
  return assay_json_writer_end_document (&json, length);
}
