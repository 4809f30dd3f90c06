/* assay-ui-markup.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-ui-markup.h"

#include "text/assay-xml-writer.h"

/**
 * assay_ui_toast:
 * @from: a widget in a toast overlay, or the overlay
 * @text: plain text
 *
 * Says something in a toast, if there is still a window to say it in.
 */
void
assay_ui_toast (GtkWidget *from, const char *text)
{
  GtkWidget *overlay = gtk_widget_get_ancestor (from, ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *markup = assay_xml_escape (text);

  if (overlay != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (overlay), adw_toast_new (markup));
}

/**
 * assay_ui_describe:
 * @page: a status page
 * @text: (nullable): plain text
 *
 * Sets what stands below the title of a status page.
 */
void
assay_ui_describe (AdwStatusPage *page, const char *text)
{
  g_autofree char *markup = text != NULL ? assay_xml_escape (text) : NULL;

  adw_status_page_set_description (page, markup);
}

/**
 * assay_ui_name_row:
 * @row: an action row
 * @title: plain text
 * @subtitle: (nullable): plain text
 *
 * Sets what a row shows.
 */
void
assay_ui_name_row (GtkWidget *row, const char *title, const char *subtitle)
{
  g_autofree char *title_markup = assay_xml_escape (title);
  g_autofree char *subtitle_markup = subtitle != NULL ? assay_xml_escape (subtitle) : NULL;

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title_markup);
  if (subtitle != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle_markup);
}
