/* assay-check-report-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-sentence.h"
#include "report/assay-check-report.h"
#include "backend/assay-backend.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

/* Wider names push the rest of their line to the right. */
#define MAX_COLUMN 56

static const AssayTextStyle verdict_styles[ASSAY_N_VERDICTS] = {
  [ASSAY_VERDICT_REJECTED] = ASSAY_TEXT_STYLE_BAD,
  [ASSAY_VERDICT_HOST] = ASSAY_TEXT_STYLE_CAUTION,
  [ASSAY_VERDICT_UNDECIDED] = ASSAY_TEXT_STYLE_CAUTION,
  [ASSAY_VERDICT_FUSED] = ASSAY_TEXT_STYLE_INFO,
  [ASSAY_VERDICT_TRANSFORMED] = ASSAY_TEXT_STYLE_INFO,
  [ASSAY_VERDICT_REMOVED] = ASSAY_TEXT_STYLE_DIM,
  [ASSAY_VERDICT_SUPPORTED] = ASSAY_TEXT_STYLE_GOOD,
};

static void
append_summary (GString *text, const AssayCheckReport *self, gboolean colours)
{
  assay_terminal_append_styled (text, self->model, ASSAY_TEXT_STYLE_BOLD, colours);
  g_string_append (text, " on ");
  assay_terminal_append_styled (text, assay_target_get_id (self->target), ASSAY_TEXT_STYLE_BOLD,
                                colours);
  g_string_append_printf (text, ": %u node%s", self->rows->len, self->rows->len == 1 ? "" : "s");
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    {
      g_autofree char *accepted = self->accepted[i] > 0
                                      ? g_strdup_printf (" (%u accepted)", self->accepted[i])
                                      : NULL;
      g_autofree char *count = g_strdup_printf ("%u %s%s", self->counts[i], assay_verdict_name (i),
                                                accepted != NULL ? accepted : "");

      if (self->counts[i] == 0)
        continue;
      g_string_append (text, ", ");
      assay_terminal_append_styled (text, count, verdict_styles[i], colours);
    }
  g_string_append_c (text, '\n');

  if (assay_backend_for_target (self->target)->check.divides)
    g_string_append_printf (
        text, "%u partition%s, %u transition%s between device and host\n",
        self->verdicts->n_partitions, assay_plural (self->verdicts->n_partitions),
        self->verdicts->n_transitions, assay_plural (self->verdicts->n_transitions));
}

/* The operator types of a cause, each once, as many as a line has room for. */
static char *
cause_op_types (const AssayCheckReport *self, const AssayCause *cause)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GString *types = g_string_new (NULL);

  for (guint i = 0; i < cause->nodes->len; i++)
    {
      AssayNodeId id = g_array_index (cause->nodes, AssayNodeId, i);
      const char *type = assay_graph_node (self->verdicts->graph, id)->op_type;

      if (!g_hash_table_add (seen, (gpointer) type))
        continue;
      if (types->len > 18)
        {
          g_string_append (types, ", ...");
          break;
        }
      g_string_append_printf (types, "%s%s", types->len > 0 ? ", " : "", type);
    }

  return g_string_free (types, FALSE);
}

static void
append_causes (GString *text, const AssayCheckReport *self, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  if (self->verdicts->causes->len == 0)
    return;

  assay_report_append_heading (text, "Causes", colours);
  assay_text_table_init (&table, 5, MAX_COLUMN);
  assay_text_table_set_right (&table, 1);
  for (guint i = 0; i < self->verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (self->verdicts->causes, AssayCause, i);

      assay_text_table_add (&table, assay_verdict_name (cause->kind), verdict_styles[cause->kind]);
      assay_text_table_take (&table, g_strdup_printf ("%u", cause->nodes->len),
                             ASSAY_TEXT_STYLE_BOLD);
      assay_text_table_take (&table, cause_op_types (self, cause), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, cause->rule, ASSAY_TEXT_STYLE_DIM);
      assay_text_table_add (&table, cause->reason, ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

/* Notes change no verdict: what they say once, and of how many nodes. How much of an engine each
 * takes is a figure, and stays in the documents for machines. */
static void
append_notes (GString *text, const AssayCheckReport *self, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) notes = g_ptr_array_new ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < self->rows->len; i++)
    {
      const AssayCheckRow *row = &g_array_index (self->rows, AssayCheckRow, i);
      const char *const *list = row->verdict != NULL ? row->verdict->notes : NULL;

      for (guint j = 0; list != NULL && list[j] != NULL; j++)
        {
          guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, list[j]));

          if (g_str_has_prefix (list[j], assay_stage_name (ASSAY_STAGE_CAPACITY)))
            continue;
          if (n == 0)
            {
              g_ptr_array_add (notes, (gpointer) list[j]);
              g_ptr_array_add (names, (gpointer) row->name);
            }
          g_hash_table_insert (counts, (gpointer) list[j], GUINT_TO_POINTER (n + 1));
        }
    }
  if (notes->len == 0)
    return;

  assay_report_append_heading (text, "Notes", colours);
  assay_text_table_init (&table, 3, MAX_COLUMN);
  assay_text_table_set_right (&table, 0);
  for (guint i = 0; i < notes->len; i++)
    {
      const char *note = g_ptr_array_index (notes, i), *name = g_ptr_array_index (names, i);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, note));

      assay_text_table_take (&table, g_strdup_printf ("%u", n), ASSAY_TEXT_STYLE_BOLD);
      assay_text_table_take (&table, g_strdup_printf (n > 1 ? "%s, ..." : "%s", name),
                             ASSAY_TEXT_STYLE_DIM);
      assay_text_table_add (&table, note, ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

/* What the policy accepts, by entry. */
static void
append_accepted (GString *text, const AssayCheckReport *self, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  guint n_findings = self->policy != NULL ? self->accepted_findings->len : 0;

  for (guint i = 0; self->policy != NULL && i < self->rows->len + n_findings; i++)
    {
      const AssayPolicyEntry *entry = i < self->rows->len
                                          ? g_array_index (self->rows, AssayCheckRow, i).accepted
                                          : assay_check_report_accepts (self, i - self->rows->len);

      if (entry != NULL)
        g_hash_table_insert (
            counts, (gpointer) entry,
            GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, entry)) + 1));
    }
  if (g_hash_table_size (counts) == 0)
    return;

  assay_report_append_heading (text, "Accepted", colours);
  assay_text_table_init (&table, 4, MAX_COLUMN);
  assay_text_table_set_right (&table, 0);
  for (guint i = 0; i < assay_policy_get_n_entries (self->policy); i++)
    {
      const AssayPolicyEntry *entry = assay_policy_get_entry (self->policy, i);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, entry));
      gboolean both = entry->by != NULL && entry->expires != NULL;

      if (n == 0)
        continue;
      assay_text_table_take (&table, g_strdup_printf ("%u", n), ASSAY_TEXT_STYLE_BOLD);
      assay_text_table_take (&table, assay_policy_entry_describe (entry), ASSAY_TEXT_STYLE_DIM);
      assay_text_table_take (&table,
                             g_strconcat (entry->by != NULL ? entry->by : "", both ? ", " : "",
                                          entry->expires != NULL ? "until " : "", entry->expires,
                                          NULL),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, entry->reason, ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

/* What a reader wants to know next about a node: why it was refused, or where it went. */
static void
add_remark (AssayTextTable *table, const AssayCheckRow *row)
{
  if (row->into != NULL)
    assay_text_table_take (table, g_strdup_printf ("into %s", row->into), ASSAY_TEXT_STYLE_PLAIN);
  else if (row->verdict == NULL)
    assay_text_table_add (table, row->rule, ASSAY_TEXT_STYLE_PLAIN);
  else if (row->kind <= ASSAY_VERDICT_UNDECIDED || row->verdict->mapping == NULL)
    assay_text_table_add (table, row->verdict->reason, ASSAY_TEXT_STYLE_PLAIN);
  else
    assay_text_table_add (table, row->verdict->mapping, ASSAY_TEXT_STYLE_PLAIN);
}

static void
append_nodes (GString *text, const AssayCheckReport *self, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  assay_report_append_heading (text, "Nodes", colours);
  assay_text_table_init (&table, 5, MAX_COLUMN);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const AssayCheckRow *row = &g_array_index (self->rows, AssayCheckRow, i);

      assay_text_table_add (&table, assay_verdict_name (row->kind), verdict_styles[row->kind]);
      assay_text_table_add (&table, row->op_type, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, row->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, row->verdict != NULL ? row->verdict->engine : NULL,
                            ASSAY_TEXT_STYLE_DIM);
      add_remark (&table, row);
    }
  assay_text_table_print (&table, text, colours);
}

/**
 * assay_check_report_to_text:
 * @self: a report
 * @flags: whether to use terminal colours
 * @length: (out) (optional): bytes of the text
 *
 * Writes a report for people: one line that sums it up, then causes, notes, what is accepted,
 * findings and nodes as aligned columns.
 *
 * Returns: (transfer full): the text
 */
char *
assay_check_report_to_text (const AssayCheckReport *self, AssayReportFlags flags, gsize *length)
{
  gboolean colours = (flags & ASSAY_REPORT_COLOURS) != 0;
  GString *text = g_string_new (NULL);

  append_summary (text, self, colours);
  append_causes (text, self, colours);
  append_notes (text, self, colours);
  append_accepted (text, self, colours);
  assay_report_append_findings (text, self->findings, colours);
  append_nodes (text, self, colours);

  if (length != NULL)
    *length = text->len;
  return g_string_free (text, FALSE);
}
