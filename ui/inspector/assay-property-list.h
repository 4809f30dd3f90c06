/* assay-property-list.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayPropertyList:
 *
 * A headed group of name and value rows; every value can be selected and copied.
 */
#define ASSAY_TYPE_PROPERTY_LIST (assay_property_list_get_type ())

G_DECLARE_FINAL_TYPE (AssayPropertyList, assay_property_list, ASSAY, PROPERTY_LIST, GtkWidget)

GtkWidget *assay_property_list_new (const char *title);
void assay_property_list_clear (AssayPropertyList *self);
void assay_property_list_add (AssayPropertyList *self, const char *name, const char *value);
void assay_property_list_add_markup (AssayPropertyList *self, const char *name, const char *markup,
                                     const char *spoken);
void assay_property_list_add_stacked (AssayPropertyList *self, const char *name, const char *markup,
                                      const char *spoken);
GtkWidget *assay_property_list_add_jump (AssayPropertyList *self, const char *name,
                                         const char *value, const char *tooltip);
GtkWidget *assay_property_list_add_jump_markup (AssayPropertyList *self, const char *name,
                                                const char *markup, const char *spoken,
                                                const char *tooltip);
void assay_property_list_add_widget (AssayPropertyList *self, GtkWidget *widget);
guint assay_property_list_get_count (AssayPropertyList *self);

G_END_DECLS
