/* assay-ui.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_RESOURCE_PATH "/org/assay/Workbench"

void assay_ui_init (void);
char *assay_ui_format_count (guint64 count) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_format_nodes (guint count) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_format_share (guint64 part, guint64 whole) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_format_seconds (double seconds) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_format_ulp (double error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_dup_menu_label (const char *text) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_find_examples (void) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_find_help (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_ui_keep_figures (GtkWidget *label);
float assay_ui_get_number_xalign (void);
double assay_ui_get_text_scale (GtkWidget *widget);
gboolean assay_ui_is_tight (GtkWidget *widget);
PangoLayout *assay_ui_new_layout (GtkWidget *widget, const char *text,
                                  gboolean number) G_GNUC_WARN_UNUSED_RESULT;
void assay_ui_show_whole (GtkWidget *label);
void assay_ui_set_tooltip (GtkWidget *widget, const char *text);
void assay_ui_name_parts (GtkWidget *root);
gboolean assay_ui_focus_part (GtkWidget *page, GtkStack *stack, const char *name, GtkWidget *part);
void assay_ui_set_row_name (GtkWidget *child, const char *name);
GSettings *assay_ui_get_settings (void) G_GNUC_WARN_UNUSED_RESULT;
guint assay_ui_recent_limit (void);
gboolean assay_ui_counts_bytes (void);
gboolean assay_ui_counts_in_hexadecimal (void);
char *assay_ui_format_address (guint64 address) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_format_kib (guint64 blocks, guint block_bytes) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_format_blocks (guint64 blocks, guint block_bytes) G_GNUC_WARN_UNUSED_RESULT;
char *assay_ui_format_use (guint64 used, guint64 depth,
                           guint block_bytes) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
