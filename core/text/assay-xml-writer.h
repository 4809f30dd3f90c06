/* assay-xml-writer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ASSAY_XML_WRITER_MAX_DEPTH 63

/**
 * AssayXmlWriter:
 *
 * Writes one XML 1.0 document into a string, front to back. Every element begins a line, but within
 * an element with text nothing does, as that would be part of it. Names and values can hold any
 * bytes: what is no XML character is `\xNN`.
 */
typedef struct
{
  /*< private >*/
  GString *text;
  guint depth;
  guint indent;
  gboolean in_tag;
  guint64 has_children;
  guint64 has_text;
  const char *names[ASSAY_XML_WRITER_MAX_DEPTH + 1];
} AssayXmlWriter;

void assay_xml_append (GString *text, const char *string);
const char *assay_xml_format_number (char *buffer, double value);
char *assay_xml_escape (const char *string) G_GNUC_WARN_UNUSED_RESULT;

void assay_xml_writer_init (AssayXmlWriter *self, guint indent);
char *assay_xml_writer_finish (AssayXmlWriter *self, gsize *length) G_GNUC_WARN_UNUSED_RESULT;
void assay_xml_writer_begin (AssayXmlWriter *self, const char *name);
void assay_xml_writer_end (AssayXmlWriter *self);
void assay_xml_writer_attribute (AssayXmlWriter *self, const char *name, const char *value);
void assay_xml_writer_attribute_format (AssayXmlWriter *self, const char *name, const char *format,
                                        ...) G_GNUC_PRINTF (3, 4);
void assay_xml_writer_attribute_numbers (AssayXmlWriter *self, const char *name,
                                         const double *values, gsize n, char between);
void assay_xml_writer_text (AssayXmlWriter *self, const char *string);
void assay_xml_writer_text_element (AssayXmlWriter *self, const char *name, const char *string);

G_END_DECLS
