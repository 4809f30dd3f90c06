/* assay-quantize-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-quantize-report.h"

#include "base/assay-sentence.h"
#include <math.h>

#include "report/assay-report-json.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

/* Rows that people are shown. */
#define SHOWN_ROWS 12

static char *
db_text (double db)
{
  return isinf (db) ? g_strdup ("exact") : g_strdup_printf ("%.1f", db);
}

static void
append_costs (const AssayQuantizeCosts *self, GString *text, gboolean colours)
{
  static const char *const titles[] = { "operation", "node",     "position",      "own dB",
                                        "total dB",  "in float", "other position" };
  g_auto (AssayTextTable) table = { 0 };
  g_autofree char *output = db_text (self->output_db);

  assay_report_append_heading (text, "What costs most, SQNR against float on the first sample",
                               colours);
  assay_text_table_init (&table, G_N_ELEMENTS (titles), 48);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
  for (guint i = 0; i < MIN (self->rows->len, SHOWN_ROWS); i++)
    {
      const AssayQuantizeCost *cost = &g_array_index (self->rows, AssayQuantizeCost, i);

      assay_text_table_add (&table, cost->op_type, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, cost->node, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, g_strdup_printf ("%d", cost->loss.position),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, db_text (cost->loss.own_db), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, db_text (cost->loss.total_db), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             cost->loss.has_gain ? g_strdup_printf ("%+.2f", cost->loss.float_db)
                                                 : g_strdup (""),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (
          &table,
          !cost->loss.has_gain ? g_strdup ("")
          : cost->loss.other == cost->loss.position
              ? g_strdup ("none better")
              : g_strdup_printf ("%d: %+.2f", cost->loss.other, cost->loss.other_db),
          ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
  assay_terminal_append_format (text, "  outputs: %s%s; gains are of the outputs\n", output,
                                isinf (self->output_db) ? "" : " dB");
}

/* What equalisation and correction were applied to. */
static char *
dup_counts (const AssayQuantizedModel *self)
{
  const AssayQuantizeCounts *counts = &self->counts;
  g_autofree char *pairs = g_strdup_printf ("%u pair%s of layers equalised", counts->n_equalized,
                                            assay_plural (counts->n_equalized));
  g_autofree char *biases = g_strdup_printf ("%u bias%s corrected", counts->n_corrected,
                                             counts->n_corrected == 1 ? "" : "es");

  if (counts->n_equalized > 0 && counts->n_corrected > 0)
    return g_strdup_printf ("%s, %s", pairs, biases);
  if (counts->n_equalized > 0)
    return g_steal_pointer (&pairs);

  return counts->n_corrected > 0 ? g_steal_pointer (&biases)
                                 : g_strdup ("Nothing was to be equalised or corrected");
}

/* And what they brought, so that nobody has to believe in them. */
static char *
dup_trials (const AssayQuantizedModel *self)
{
  g_autofree char *now = self->costs != NULL ? db_text (self->costs->output_db) : NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (now == NULL)
    return NULL;

  for (guint i = 0; i < self->trials->len; i++)
    {
      const AssayQuantizeTrial *trial = &g_array_index (self->trials, AssayQuantizeTrial, i);
      g_autofree char *db = db_text (trial->output_db);

      g_string_append_printf (text, "%s %s dB with %s", i == 0 ? "Outputs:" : ",", db, trial->name);
    }
  g_string_append_printf (text, ", %s dB as written", now);

  return g_strdup (text->str);
}

/**
 * assay_quantize_report_list_sentences:
 * @self: what became of it
 *
 * Says what was quantised, with which samples, what moved, what the options brought, and how the
 * written model was proven.
 *
 * Returns: (transfer full): the sentences, each a line
 */
char **
assay_quantize_report_list_sentences (const AssayQuantizedModel *self)
{
  g_autoptr (GStrvBuilder) lines = g_strv_builder_new ();
  g_autofree char *head = g_strdup_printf (
      "%u activations and %u constants in 8 bits, rounded as %s does, from %u %ssample%s",
      self->counts.n_activations, self->counts.n_weights, self->quantizer->name, self->n_samples,
      self->random ? "random " : "", self->n_samples == 1 ? "" : "s");
  g_autofree char *moved = g_strdup_printf (
      "%u position%s moved to what the device has shifts for.", self->counts.n_moved,
      self->counts.n_moved == 1 ? "" : "s");
  g_autofree char *counts = dup_counts (self);
  g_autofree char *trials = dup_trials (self);
  g_autofree char *proof = assay_model_save_describe (&self->saved);

  g_strv_builder_add (lines, head);
  if (self->random)
    g_strv_builder_add (lines, "Positions of random samples say nothing about accuracy.");
  if (self->counts.n_moved > 0)
    g_strv_builder_add (lines, moved);
  if (self->trials->len > 0)
    g_strv_builder_add (lines, counts);
  if (self->trials->len > 0 && trials != NULL)
    g_strv_builder_add (lines, trials);
  g_strv_builder_add (lines, proof);

  return g_strv_builder_end (lines);
}

static void
write_trials (const AssayQuantizedModel *self, AssayJsonWriter *json)
{
  assay_json_writer_member_uint (json, "equalized", self->counts.n_equalized);
  assay_json_writer_member_uint (json, "corrected", self->counts.n_corrected);
  assay_json_writer_begin_member_array (json, "without");
  for (guint i = 0; i < self->trials->len; i++)
    {
      const AssayQuantizeTrial *trial = &g_array_index (self->trials, AssayQuantizeTrial, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", trial->name);
      assay_json_writer_member_double (json, "output_db", trial->output_db);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/**
 * assay_quantize_report_write_loss:
 * @json: a writer within an object
 * @loss: what 8 bits cost an operation
 *
 * Writes it as members.
 */
void
assay_quantize_report_write_loss (AssayJsonWriter *json, const AssayQuantizeLoss *loss)
{
  assay_json_writer_member_int (json, "position", loss->position);
  assay_json_writer_member_double (json, "own_db", loss->own_db);
  assay_json_writer_member_double (json, "total_db", loss->total_db);
  if (!loss->has_gain)
    return;

  assay_json_writer_member_double (json, "float_gain_db", loss->float_db);
  assay_json_writer_member_int (json, "other_position", loss->other);
  assay_json_writer_member_double (json, "other_gain_db", loss->other_db);
}

static void
write_costs (const AssayQuantizeCosts *self, AssayJsonWriter *json)
{
  assay_json_writer_member_double (json, "output_db", self->output_db);
  assay_json_writer_begin_member_array (json, "costs");
  for (guint i = 0; i < self->rows->len; i++)
    {
      const AssayQuantizeCost *cost = &g_array_index (self->rows, AssayQuantizeCost, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "value", cost->value);
      assay_json_writer_member (json, "node", cost->node);
      assay_json_writer_member (json, "op_type", cost->op_type);
      assay_quantize_report_write_loss (json, &cost->loss);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/**
 * assay_quantize_report_to_text:
 * @self: what became of it
 * @colours: whether to use colours
 * @length: (out): bytes of the text
 *
 * Writes what was quantised for people.
 *
 * Returns: (transfer full): the text
 */
char *
assay_quantize_report_to_text (const AssayQuantizedModel *self, gboolean colours, gsize *length)
{
  GString *text = g_string_new (NULL);
  g_auto (GStrv) lines = assay_quantize_report_list_sentences (self);

  assay_terminal_append_styled (text, self->written, ASSAY_TEXT_STYLE_BOLD, colours);
  assay_terminal_append_format (text, " for %s: ", self->target);
  for (guint i = 0; lines[i] != NULL; i++)
    assay_terminal_append_format (text, "%s\n", lines[i]);
  if (self->costs != NULL)
    append_costs (self->costs, text, colours);
  assay_report_append_findings (text, self->findings, colours);
  *length = text->len;

  return g_string_free (text, FALSE);
}

/**
 * assay_quantize_report_to_json:
 * @self: what became of it
 * @path: the model that was quantised
 * @length: (out): bytes of the document
 *
 * Writes what was quantised as a document.
 *
 * Returns: (transfer full): the document
 */
char *
assay_quantize_report_to_json (const AssayQuantizedModel *self, const char *path, gsize *length)
{
  AssayJsonWriter json;
  g_autofree char *proof = assay_model_save_describe (&self->saved);

  assay_json_writer_begin_document (&json, 2, "assay.quantize/1");
  assay_json_writer_member (&json, "model", path);
  assay_json_writer_member (&json, "written", self->written);
  assay_json_writer_member (&json, "target", self->target);
  assay_json_writer_member (&json, "quantizer", self->quantizer->name);
  assay_json_writer_member_uint (&json, "samples", self->n_samples);
  assay_json_writer_member_bool (&json, "random", self->random);
  assay_json_writer_member_uint (&json, "activations", self->counts.n_activations);
  assay_json_writer_member_uint (&json, "constants", self->counts.n_weights);
  assay_json_writer_member_uint (&json, "moved", self->counts.n_moved);
  write_trials (self, &json);
  assay_json_writer_member (&json, "proof", proof);
  if (self->costs != NULL)
    write_costs (self->costs, &json);
  assay_report_write_findings (&json, self->findings);

  return assay_json_writer_end_document (&json, length);
}
