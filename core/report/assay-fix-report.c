/* assay-fix-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-fix-report.h"

#include "base/assay-sentence.h"
#include <string.h>

#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

/* What a shell takes as it is. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,/:+"

static void
cause_clear (gpointer data)
{
  assay_fix_suggestions_free (((AssayFixCause *) data)->suggestions);
}

/**
 * assay_fix_report_new: (skip)
 * @model: path of the model
 * @target: the target
 * @before: verdicts of the model as it is
 * @verdicts: verdicts with the fixes that are applied
 * @applied: (element-type AssayFix): these fixes
 * @findings: what was found besides
 *
 * Begins a report on fixes.
 *
 * Returns: (transfer full): the report
 */
AssayFixReport *
assay_fix_report_new (const char *model, AssayTarget *target, AssayVerdicts *before,
                      AssayVerdicts *verdicts, GPtrArray *applied, AssayFindings *findings)
{
  AssayFixReport *self = g_new0 (AssayFixReport, 1);

  self->model = g_strdup (model);
  self->target = assay_target_ref (target);
  self->before = assay_verdicts_ref (before);
  self->verdicts = assay_verdicts_ref (verdicts);
  self->applied = g_ptr_array_ref (applied);
  self->findings = assay_findings_ref (findings);
  self->causes = g_array_new (FALSE, FALSE, sizeof (AssayFixCause));
  g_array_set_clear_func (self->causes, cause_clear);

  return self;
}

void
assay_fix_report_free (AssayFixReport *self)
{
  g_free (self->model);
  g_strfreev (self->options);
  g_free (self->written);
  assay_model_save_clear (&self->saved);
  assay_target_unref (self->target);
  assay_verdicts_unref (self->before);
  assay_verdicts_unref (self->verdicts);
  g_ptr_array_unref (self->applied);
  assay_findings_unref (self->findings);
  g_array_unref (self->causes);
  g_free (self);
}

/**
 * assay_fix_report_add_cause:
 * @self: a report
 * @cause: index of a cause
 * @suggestions: (transfer full): what can be done about it
 *
 * Adds what can be done about a cause.
 */
void
assay_fix_report_add_cause (AssayFixReport *self, guint cause, AssayFixSuggestions *suggestions)
{
  AssayFixCause entry = { cause, suggestions };

  g_array_append_val (self->causes, entry);
}

/**
 * assay_fix_report_is_clean:
 * @self: a report
 *
 * Tells whether the target takes the fixed model.
 *
 * Returns: whether nothing is rejected or undecided
 */
gboolean
assay_fix_report_is_clean (const AssayFixReport *self)
{
  return assay_verdicts_count (self->verdicts, ASSAY_VERDICT_REJECTED) == 0 &&
         assay_verdicts_count (self->verdicts, ASSAY_VERDICT_UNDECIDED) == 0;
}

static void
append_counts (GString *text, AssayVerdicts *verdicts)
{
  for (guint i = 0; i <= ASSAY_VERDICT_UNDECIDED; i++)
    assay_terminal_append_format (text, "%s%u %s", i > 0 ? ", " : "",
                                  assay_verdicts_count (verdicts, i), assay_verdict_name (i));
}

/* The number of rewrites that the budget left untried. */
static void
append_left (GString *text, const AssayFixSuggestions *suggestions)
{
  if (suggestions->n_left > 0)
    g_string_append_printf (
        text, "  %u rewrite%s not tried, which would take long: --thorough tries every one\n",
        suggestions->n_left, assay_plural (suggestions->n_left));
}

static void
append_offers (GString *text, const AssayFixReport *self, guint index, gboolean colours)
{
  const AssayFixCause *entry = &g_array_index (self->causes, AssayFixCause, index);
  const AssayCause *cause = &g_array_index (self->verdicts->causes, AssayCause, entry->cause);
  const AssayFixSuggestions *suggestions = entry->suggestions;

  g_string_append_printf (text, "\n%u ", entry->cause + 1);
  assay_terminal_append_styled (text, assay_verdict_name (cause->kind), ASSAY_TEXT_STYLE_BOLD,
                                colours);
  assay_terminal_append_format (text, " (%s, %u node%s): %s\n", cause->op_type, cause->nodes->len,
                                cause->nodes->len == 1 ? "" : "s", cause->reason);

  for (guint i = 0; i < suggestions->offers->len; i++)
    {
      const AssayFixOffer *offer = g_ptr_array_index (suggestions->offers, i);
      g_autofree char *outcome = assay_fix_offer_describe (offer);

      g_string_append_printf (text, "  %u.%u ", entry->cause + 1, i + 1);
      assay_terminal_append_styled (text, offer->title, ASSAY_TEXT_STYLE_GOOD, colours);
      assay_terminal_append_format (text, ": %s\n", outcome);
    }
  if (suggestions->offers->len > 0)
    {
      append_left (text, suggestions);
      return;
    }

  for (guint i = 0; i < suggestions->cuts->len; i++)
    {
      const AssayFixOffer *cut = g_ptr_array_index (suggestions->cuts, i);
      g_autofree char *outcome = assay_fix_offer_describe (cut);

      assay_terminal_append_format (text, "  %u.cut%u %s: %s\n", entry->cause + 1, i + 1,
                                    cut->title, outcome);
    }
  g_string_append_printf (text, "  No rewrite known, %u tried", suggestions->tried->len);
  if (suggestions->n_more > 0)
    g_string_append_printf (text, ", and %u pair%s or rewrite%s of nodes beside these",
                            suggestions->n_more, assay_plural (suggestions->n_more),
                            assay_plural (suggestions->n_more));
  g_string_append_c (text, '\n');
  append_left (text, suggestions);
  for (guint i = 0; i < suggestions->tried->len; i++)
    {
      const AssayFixAttempt *attempt = g_ptr_array_index (suggestions->tried, i);

      assay_terminal_append_format (text, "    %s: %s\n", attempt->title, attempt->outcome);
    }
}

/* What was written, and what has to be said to check it as it was checked here. */
static void
append_written (GString *text, const AssayFixReport *self)
{
  g_autofree char *proof = assay_model_save_describe (&self->saved);

  assay_terminal_append_format (text, "written: %s\n%s\n", self->written, proof);
  if (self->options == NULL || self->options[0] == NULL)
    return;

  assay_terminal_append_format (text, "check it with:");
  for (guint i = 0; self->options[i] != NULL; i++)
    {
      gboolean plain = strspn (self->options[i], PLAIN) == strlen (self->options[i]);
      g_autofree char *word = plain ? g_strdup (self->options[i])
                                    : g_shell_quote (self->options[i]);

      assay_terminal_append_format (text, " %s", word);
    }
  g_string_append_c (text, '\n');
}

/**
 * assay_fix_report_to_text: (skip)
 * @self: a report
 * @flags: whether with colours
 * @length: (out): length of the text
 *
 * Writes a report for people.
 *
 * Returns: (transfer full): the text
 */
char *
assay_fix_report_to_text (const AssayFixReport *self, AssayReportFlags flags, gsize *length)
{
  gboolean colours = (flags & ASSAY_REPORT_COLOURS) != 0;
  GString *text = g_string_new (NULL);

  assay_terminal_append_styled (text, self->model, ASSAY_TEXT_STYLE_BOLD, colours);
  assay_terminal_append_format (text, " on %s: ", assay_target_get_id (self->target));
  append_counts (text, self->before);
  g_string_append_c (text, '\n');

  for (guint i = 0; i < self->applied->len; i++)
    {
      g_autofree char *words = assay_fix_describe (g_ptr_array_index (self->applied, i));

      assay_terminal_append_format (text, "applied: %s\n", words);
    }
  if (self->applied->len > 0)
    {
      g_string_append (text, "now: ");
      append_counts (text, self->verdicts);
      g_string_append_c (text, '\n');
    }
  assay_report_append_findings (text, self->findings, colours);
  if (self->unasked && self->causes->len > 0)
    g_string_append (text, "\nNot applied unasked, as the model would not be the same; "
                           "--apply CAUSE.OFFER does it:\n");
  for (guint i = 0; i < self->causes->len; i++)
    append_offers (text, self, i, colours);
  if (self->written != NULL)
    append_written (text, self);
  *length = text->len;

  return g_string_free (text, FALSE);
}
