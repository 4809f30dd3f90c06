/* assay-xml-writer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void assay_xml_append (GString *text, const char *string);
char *assay_xml_escape (const char *string) G_GNUC_WARN_UNUSED_RESULT;
void assay_xml_append_attribute (GString *text, const char *name, const char *value);

G_END_DECLS
