/* assay-json-writer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define ASSAY_JSON_WRITER_MAX_DEPTH 63

/**
 * AssayJsonWriter:
 *
 * Writes one JSON document into a string, front to back, without building a tree. The text is valid
 * UTF-8 whatever it is given: a byte that is not becomes the four characters `\xNN`. Integers are
 * exact, floating point numbers read back as the same number, and what JSON has no number for
 * (infinities, NaN) is null.
 *
 * The outer levels are broken into lines, so that one node or finding is one line and line tools
 * work on the output.
 */
typedef struct
{
  /*< private >*/
  GString *text;
  guint depth;
  guint broken_depth;
  guint64 filled;
  guint64 first_keys;
  gsize key_starts[ASSAY_JSON_WRITER_MAX_DEPTH + 1];
  gboolean after_key;
} AssayJsonWriter;

void assay_json_writer_init (AssayJsonWriter *self, guint broken_depth);
char *assay_json_writer_finish (AssayJsonWriter *self, gsize *length) G_GNUC_WARN_UNUSED_RESULT;
void assay_json_writer_begin_document (AssayJsonWriter *self, guint broken_depth,
                                       const char *schema);
char *assay_json_writer_end_document (AssayJsonWriter *self,
                                      gsize *length) G_GNUC_WARN_UNUSED_RESULT;
void assay_json_writer_begin_object (AssayJsonWriter *self);
void assay_json_writer_end_object (AssayJsonWriter *self);
void assay_json_writer_end_section (AssayJsonWriter *self);
void assay_json_writer_begin_array (AssayJsonWriter *self);
void assay_json_writer_end_array (AssayJsonWriter *self);
void assay_json_writer_key (AssayJsonWriter *self, const char *name);
void assay_json_writer_string (AssayJsonWriter *self, const char *value);
void assay_json_writer_int (AssayJsonWriter *self, gint64 value);
void assay_json_writer_uint (AssayJsonWriter *self, guint64 value);
void assay_json_writer_double (AssayJsonWriter *self, double value);
void assay_json_writer_bool (AssayJsonWriter *self, gboolean value);
void assay_json_writer_null (AssayJsonWriter *self);
void assay_json_writer_member (AssayJsonWriter *self, const char *name, const char *value);
void assay_json_writer_member_int (AssayJsonWriter *self, const char *name, gint64 value);
void assay_json_writer_member_uint (AssayJsonWriter *self, const char *name, guint64 value);
void assay_json_writer_member_double (AssayJsonWriter *self, const char *name, double value);
void assay_json_writer_member_bool (AssayJsonWriter *self, const char *name, gboolean value);
void assay_json_writer_begin_member_object (AssayJsonWriter *self, const char *name);
void assay_json_writer_begin_member_array (AssayJsonWriter *self, const char *name);
gsize assay_json_writer_tell (const AssayJsonWriter *self);
void assay_json_writer_repeat (AssayJsonWriter *self, gsize start, gsize end);
void assay_json_writer_node (AssayJsonWriter *self, JsonNode *node);
char *assay_json_node_to_text (JsonNode *node, guint broken_depth) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
