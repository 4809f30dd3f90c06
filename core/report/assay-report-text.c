/* assay-report-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-report-text.h"

#include "text/assay-text-table.h"

static const AssayTextStyle severity_styles[] = {
  [ASSAY_SEVERITY_NOTE] = ASSAY_TEXT_STYLE_INFO,
  [ASSAY_SEVERITY_WARNING] = ASSAY_TEXT_STYLE_CAUTION,
  [ASSAY_SEVERITY_ERROR] = ASSAY_TEXT_STYLE_BAD,
};

/**
 * assay_report_append_heading:
 * @text: gets the lines
 * @heading: the heading
 * @colours: whether to write terminal sequences
 *
 * Starts a section of a report with an empty line and its heading.
 */
void
assay_report_append_heading (GString *text, const char *heading, gboolean colours)
{
  g_string_append_c (text, '\n');
  assay_terminal_append_styled (text, heading, ASSAY_TEXT_STYLE_BOLD, colours);
  g_string_append_c (text, '\n');
}

static char *
finding_place (const AssayFinding *finding)
{
  g_autoptr (GString) place = g_string_new (finding->graph_path);

  if (finding->node != NULL && finding->node[0] != 0)
    g_string_append_printf (place, "%s%s", place->len > 0 ? " " : "", finding->node);
  if (finding->attribute != NULL)
    g_string_append_printf (place, "%s[%s]", place->len > 0 ? " " : "", finding->attribute);
  if (finding->offset >= 0)
    g_string_append_printf (place, "%sbyte %" G_GINT64_FORMAT, place->len > 0 ? ", " : "",
                            finding->offset);

  return g_string_free (g_steal_pointer (&place), FALSE);
}

/**
 * assay_report_append_findings:
 * @text: gets the lines
 * @findings: findings, possibly none
 * @colours: whether to write terminal sequences
 *
 * Writes findings as aligned columns, the message last; nothing if there is none.
 */
void
assay_report_append_findings (GString *text, AssayFindings *findings, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  if (assay_findings_get_count (findings) == 0)
    return;

  assay_report_append_heading (text, "Findings", colours);
  assay_text_table_init (&table, 4, 48);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      assay_text_table_add (&table, assay_severity_name (finding->severity),
                            severity_styles[finding->severity]);
      assay_text_table_add (&table, finding->rule, ASSAY_TEXT_STYLE_DIM);
      assay_text_table_take (&table, finding_place (finding), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, finding->message, ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
  if (assay_findings_get_dropped (findings) > 0)
    g_string_append_printf (text, "  and %u more\n", assay_findings_get_dropped (findings));
}
