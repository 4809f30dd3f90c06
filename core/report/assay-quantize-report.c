/* assay-quantize-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-quantize-report.h"

#include "report/assay-report-json.h"
#include "report/assay-report-text.h"
#include "text/assay-terminal.h"

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
assay_quantize_report_to_text (const AssayQuantizeReport *self, gboolean colours, gsize *length)
{
  GString *text = g_string_new (NULL);
  g_autofree char *proof = assay_model_save_describe (self->saved);

  assay_terminal_append_styled (text, self->written, ASSAY_TEXT_STYLE_BOLD, colours);
  assay_terminal_append_format (text,
                                " for %s: %u activations and %u constants in 8 bits, rounded as %s "
                                "does, from %u %ssample%s\n",
                                self->target, self->counts.n_activations, self->counts.n_weights,
                                self->quantizer->name, self->n_samples,
                                self->random ? "random " : "", self->n_samples == 1 ? "" : "s");
  if (self->random)
    assay_terminal_append_format (text,
                                  "Positions of random samples say nothing about accuracy.\n");
  if (self->counts.n_moved > 0)
    assay_terminal_append_format (text, "%u position%s moved to what the device has shifts for.\n",
                                  self->counts.n_moved, self->counts.n_moved == 1 ? "" : "s");
  assay_terminal_append_format (text, "%s\n", proof);
  assay_report_append_findings (text, self->findings, colours);
  *length = text->len;

  return g_string_free (text, FALSE);
}

/**
 * assay_quantize_report_to_json:
 * @self: what became of it
 * @length: (out): bytes of the document
 *
 * Writes what was quantised as a document.
 *
 * Returns: (transfer full): the document
 */
char *
assay_quantize_report_to_json (const AssayQuantizeReport *self, gsize *length)
{
  AssayJsonWriter json;
  g_autofree char *proof = assay_model_save_describe (self->saved);

  assay_json_writer_begin_document (&json, 2, "assay.quantize/1");
  assay_json_writer_member (&json, "model", self->path);
  assay_json_writer_member (&json, "written", self->written);
  assay_json_writer_member (&json, "target", self->target);
  assay_json_writer_member (&json, "quantizer", self->quantizer->name);
  assay_json_writer_member_uint (&json, "samples", self->n_samples);
  assay_json_writer_member_bool (&json, "random", self->random);
  assay_json_writer_member_uint (&json, "activations", self->counts.n_activations);
  assay_json_writer_member_uint (&json, "constants", self->counts.n_weights);
  assay_json_writer_member_uint (&json, "moved", self->counts.n_moved);
  assay_json_writer_member (&json, "proof", proof);
  assay_report_write_findings (&json, self->findings);

  return assay_json_writer_end_document (&json, length);
}
