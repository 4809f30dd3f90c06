/* assay-fix-offer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-suggest.h"

#include <string.h>

#include "base/assay-sentence.h"

/* Between the parts of a line, each of which begins with it. */
#define SEPARATOR ", "

void
assay_fix_offer_free (AssayFixOffer *self)
{
  g_clear_pointer (&self->first, g_ptr_array_unref);
  g_clear_pointer (&self->fix, assay_fix_free);
  g_free (self->title);
  g_strfreev (self->added);
  g_strfreev (self->removed);
  g_strfreev (self->changed);
  g_free (self->dropped);
  g_free (self->sameness_reason);
  g_free (self->cycles_reason);
  g_free (self);
}

/* Of the nodes of a fix those that are @node or were made for it, which have its name in front. */
static AssayFix *
restrict_to (const AssayFix *fix, const char *node)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *prefix = g_strconcat (node, "/", NULL);
  g_auto (GStrv) nodes = NULL;

  if (fix->nodes[0] == NULL)
    return assay_fix_copy (fix);

  for (guint i = 0; fix->nodes[i] != NULL; i++)
    if (g_str_equal (fix->nodes[i], node) || g_str_has_prefix (fix->nodes[i], prefix))
      g_strv_builder_add (builder, fix->nodes[i]);
  nodes = g_strv_builder_end (builder);
  if (nodes[0] == NULL)
    return NULL;

  return assay_fix_new (fix->rewrite, (const char *const *) nodes,
                        (const char *const *) fix->arguments);
}

/**
 * assay_fix_offer_list_fixes:
 * @self: an offer
 * @node: (nullable): name of the only node to apply it to
 *
 * Lists what an offer consists of, in the order in which it is applied.
 *
 * Returns: (transfer full) (element-type AssayFix) (nullable): the fixes, or %NULL if none of them
 * is about @node
 */
GPtrArray *
assay_fix_offer_list_fixes (const AssayFixOffer *self, const char *node)
{
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  guint n = self->first != NULL ? self->first->len : 0;
  gboolean found = FALSE;

  for (guint i = 0; i <= n; i++)
    {
      const AssayFix *fix = i < n ? g_ptr_array_index (self->first, i) : self->fix;
      AssayFix *part = node != NULL ? restrict_to (fix, node) : assay_fix_copy (fix);

      if (part == NULL)
        continue;
      found |= i == n || part->nodes[0] != NULL;
      g_ptr_array_add (fixes, part);
    }

  return found ? g_steal_pointer (&fixes) : NULL;
}

/**
 * assay_fix_offer_is_same:
 * @self: an offer
 *
 * Tells whether the fixed model is the same but for rounding, as far as is known: it was in every
 * run, or it could not be run and everything that is applied promises it. Nothing else is applied
 * unasked.
 *
 * Returns: whether it is
 */
gboolean
assay_fix_offer_is_same (const AssayFixOffer *self)
{
  gboolean promised = assay_fix_get_keeps (self->fix) <= ASSAY_FIX_KEEPS_NUMBERS;

  if (self->dropped != NULL)
    return FALSE;
  for (guint i = 0; self->first != NULL && i < self->first->len; i++)
    promised &= assay_fix_get_keeps (g_ptr_array_index (self->first, i)) <= ASSAY_FIX_KEEPS_NUMBERS;

  return self->sameness == ASSAY_FIX_NOT_RUN || self->sameness == ASSAY_FIX_NO_CHANGE
             ? promised
             : self->sameness != ASSAY_FIX_DIFFERENT && self->sameness != ASSAY_FIX_DECISION;
}

static void
append_runs (GString *text, const AssayFixOffer *self)
{
  g_string_append_printf (text, " on %u random input%s", self->n_runs,
                          self->n_runs == 1 ? "" : "s");
}

/* Floats and integers have units of their own. */
static void
append_distance (GString *text, const AssayFixOffer *self)
{
  if (self->max_ulp > 0 || self->max_integer <= 0)
    g_string_append_printf (text, "%.1f ULP of fp32 (%.2g)", self->max_error, self->max_abs);
  if (self->max_integer > 0)
    g_string_append_printf (text, "%s%.0f in integers", self->max_ulp > 0 ? " and " : "",
                            self->max_integer);
}

/* What came of running both. */
static void
append_sameness (GString *text, const AssayFixOffer *self)
{
  switch (self->sameness)
    {
    case ASSAY_FIX_IDENTICAL:
      g_string_append (text, ", bit-identical");
      append_runs (text, self);
      if (self->rounds)
        g_string_append (text, ", elsewhere up to rounding");
      break;
    case ASSAY_FIX_ROUNDED:
      if (self->max_ulp == 0 && self->max_integer == 0)
        g_string_append (text, ", the same but for the signs of zeros");
      else
        {
          g_string_append (text, ", the same up to rounding, ");
          append_distance (text, self);
          g_string_append (text, " at most,");
        }
      append_runs (text, self);
      break;
    case ASSAY_FIX_DIFFERENT:
      if (self->spreads)
        g_string_append (text,
                         ", the same up to rounding, but no number where an input is infinite,");
      else if (self->max_error == 0 && self->max_abs == 0 && self->max_integer == 0)
        g_string_append (text, ", outputs differ: numbers on one side only,");
      else
        {
          g_string_append (text, ", outputs differ by up to ");
          append_distance (text, self);
          g_string_append (text, ", more than rounding,");
        }
      append_runs (text, self);
      break;
    case ASSAY_FIX_DECISION:
      if (self->dropped != NULL)
        g_string_append_printf (text, ", a decision: %s", self->dropped);
      else
        g_string_append (text, ", a decision: the model is another one, without this input");
      break;
    case ASSAY_FIX_NOT_RUN:
      g_string_append_printf (text, ", not compared: %s", self->sameness_reason);
      break;
    case ASSAY_FIX_NO_CHANGE:
    default:
      if (!assay_fix_offer_is_same (self))
        g_string_append (text, ", a decision: the program is used in another way");
      break;
    }
}

static void
append_count (GString *text, const AssayFixOffer *self, AssayVerdictKind kind)
{
  if (self->before[kind] != self->after[kind])
    g_string_append_printf (text, "%s%s %u to %u", text->len > 0 ? ", " : "",
                            assay_verdict_name (kind), self->before[kind], self->after[kind]);
}

/**
 * assay_fix_offer_describe:
 * @self: an offer
 *
 * Says in one line what came of the trial, such as `rejected 12 to 1, adds 1 node, bit-identical on
 * 16 random inputs`.
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
      g_string_append_printf (text, ", %s %u node%s", changes[i].verb, changes[i].n,
                              changes[i].n == 1 ? "" : "s");

  append_sameness (text, self);
  if (g_str_has_prefix (text->str, SEPARATOR))
    g_string_erase (text, 0, (gssize) strlen (SEPARATOR));
  if (self->cycles_before >= 0 && self->cycles_after >= 0)
    g_string_append_printf (text, ", %+" G_GINT64_FORMAT " cycle%s",
                            self->cycles_after - self->cycles_before,
                            assay_plural (self->cycles_after - self->cycles_before));
  else if (self->cycles_after >= 0 && self->range_after.high > 0)
    g_string_append_printf (text, ", %" G_GINT64_FORMAT " (%u to %u) cycles", self->cycles_after,
                            self->range_after.low, self->range_after.high);
  else if (self->cycles_after >= 0)
    g_string_append_printf (text, ", %" G_GINT64_FORMAT " cycle%s", self->cycles_after,
                            assay_plural (self->cycles_after));

  return g_string_free (text, FALSE);
}
