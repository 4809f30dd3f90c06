/* assay-fix-offer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-suggest.h"

void
assay_fix_offer_free (AssayFixOffer *self)
{
  g_clear_pointer (&self->fix, assay_fix_free);
  g_free (self->title);
  g_strfreev (self->added);
  g_strfreev (self->removed);
  g_strfreev (self->changed);
  g_free (self->sameness_reason);
  g_free (self->cycles_reason);
  g_free (self);
}

static void
append_count (GString             *text,
              const AssayFixOffer *self,
              AssayVerdictKind     kind)
{
  if (self->before[kind] != self->after[kind])
    g_string_append_printf (text, "%s%s %u to %u", text->len > 0 ? ", " : "", assay_verdict_name (kind),
                            self->before[kind], self->after[kind]);
}

/**
 * assay_fix_offer_describe:
 * @self: an offer
 *
 * Says in one line what came of the trial, such as `rejected 12 to 1, adds 1 node, bit-identical on 16 random inputs`.
 *
 * Returns: (transfer full): the line
 */
char *
assay_fix_offer_describe (const AssayFixOffer *self)
{
  const struct
  {
    const char *verb;
    guint n;
  } changes[] = {
    { "adds", g_strv_length (self->added) },
    { "removes", g_strv_length (self->removed) },
    { "changes", g_strv_length (self->changed) },
  };
  GString *text = g_string_new (NULL);

  append_count (text, self, ASSAY_VERDICT_REJECTED);
  append_count (text, self, ASSAY_VERDICT_HOST);
  append_count (text, self, ASSAY_VERDICT_UNDECIDED);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    if (changes[i].n > 0)
      g_string_append_printf (text, ", %s %u node%s", changes[i].verb, changes[i].n, changes[i].n == 1 ? "" : "s");

  switch (self->sameness)
    {
    case ASSAY_FIX_IDENTICAL:
      g_string_append_printf (text, ", bit-identical on %u random input%s%s", self->n_runs,
                              self->n_runs == 1 ? "" : "s", self->rounds ? ", elsewhere up to rounding" : "");
      break;
    case ASSAY_FIX_DIFFERENT:
      if (self->max_ulp == 0)
        g_string_append_printf (text, ", the same but for the signs of zeros on %u random input%s", self->n_runs,
                                self->n_runs == 1 ? "" : "s");
      else if (self->max_ulp == G_MAXUINT64)
        g_string_append_printf (text, ", outputs differ beyond measure on %u random inputs", self->n_runs);
      else
        g_string_append_printf (text, ", outputs differ by up to %.1f ULP of fp32 (%.2g) on %u random input%s",
                                self->max_error, self->max_abs, self->n_runs, self->n_runs == 1 ? "" : "s");
      break;
    case ASSAY_FIX_NOT_RUN:
      g_string_append_printf (text, ", not compared: %s", self->sameness_reason);
      break;
    case ASSAY_FIX_NO_CHANGE:
    default:
      break;
    }

  if (self->cycles_before >= 0 && self->cycles_after >= 0)
    g_string_append_printf (text, ", %+" G_GINT64_FORMAT " cycles", self->cycles_after - self->cycles_before);
  else if (self->cycles_after >= 0)
    g_string_append_printf (text, ", %" G_GINT64_FORMAT " cycles", self->cycles_after);

  return g_string_free (text, FALSE);
}
