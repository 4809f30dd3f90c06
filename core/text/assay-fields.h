/* assay-fields.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean assay_fields_is_formula (const char *field);
void assay_fields_append_csv (GString *text, const char *field);
void assay_fields_append_tsv (GString *text, const char *field);

G_END_DECLS
