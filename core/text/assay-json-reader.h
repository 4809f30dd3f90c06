/* assay-json-reader.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <json-glib/json-glib.h>

#include "base/assay-arena.h"
#include "base/assay-finding.h"
#include "text/assay-json-index.h"

G_BEGIN_DECLS

/**
 * AssayJsonReader:
 * @name: of the file, for messages
 * @arena: keeps the strings that are read
 * @path: where the reader is, such as `rules[3].when[0]`
 * @n_errors: findings that make the file unusable
 *
 * Reads members of a JSON text with checks; everything that is wrong becomes a finding with line,
 * column and member, and reading goes on.
 */
typedef struct
{
  const char *name;
  AssayArena *arena;
  AssayFindings *findings;
  GString *path;
  guint n_errors;

  /*< private >*/
  GBytes *bytes;
  JsonNode *root;
  AssayJsonIndex *index; /* made when the first place is asked for */
  AssayArena *own_arena;
  guint first_finding;
} AssayJsonReader;

/**
 * AssayJsonEach:
 * @node: the element or member where the walk is
 * @object: (nullable): the same, if it is an object
 * @index: its number
 * @name: (nullable): of a member, its name
 *
 * A walk over the elements of a list or the members of an object, with the reader always where the
 * walk is.
 */
typedef struct
{
  JsonNode *node;
  JsonObject *object;
  guint index;
  const char *name;

  /*< private >*/
  AssayJsonReader *reader;
  JsonArray *array;
  JsonObjectIter iter;
  gboolean is_object;
  guint n;
  guint next;
  gsize outer;
  gsize inner;
} AssayJsonEach;

AssayJsonReader *assay_json_reader_new (GBytes *bytes, const char *name, AssayArena *arena,
                                        AssayFindings *findings,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayJsonReader *assay_json_reader_new_any (GBytes *bytes, const char *name, AssayArena *arena,
                                            AssayFindings *findings,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayJsonReader *assay_json_reader_load (const char *path, AssayFindings *findings,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_json_reader_free (AssayJsonReader *self);
gboolean assay_json_reader_finish (AssayJsonReader *self, GError **error);
JsonNode *assay_json_reader_root_node (AssayJsonReader *self);
JsonObject *assay_json_reader_root (AssayJsonReader *self);
gsize assay_json_reader_enter (AssayJsonReader *self, const char *member);
gsize assay_json_reader_enter_element (AssayJsonReader *self, guint index);
void assay_json_reader_leave (AssayJsonReader *self, gsize mark);
gboolean assay_json_reader_find (AssayJsonReader *self, const char *path, guint *line,
                                 guint *column, gsize *offset);
void assay_json_reader_complain (AssayJsonReader *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
void assay_json_reader_complain_at (AssayJsonReader *self, const char *member, const char *format,
                                    ...) G_GNUC_PRINTF (3, 4);
void assay_json_reader_expect (AssayJsonReader *self, JsonNode *node, const char *expected);
void assay_json_reader_expect_at (AssayJsonReader *self, JsonObject *object, const char *member,
                                  const char *expected);
void assay_json_reader_unknown (AssayJsonReader *self, const char *what, const char *name,
                                GPtrArray *candidates);
gboolean assay_json_reader_members (AssayJsonReader *self, JsonObject *object,
                                    const char *const *allowed, const char *const *required);
const char *assay_json_reader_string (AssayJsonReader *self, JsonObject *object,
                                      const char *member);
gboolean assay_json_reader_bool (AssayJsonReader *self, JsonObject *object, const char *member,
                                 gboolean fallback);
int assay_json_reader_choice (AssayJsonReader *self, JsonObject *object, const char *member,
                              const char *const *names, int fallback);
JsonObject *assay_json_reader_object (AssayJsonReader *self, JsonObject *object,
                                      const char *member);
JsonArray *assay_json_reader_array (AssayJsonReader *self, JsonObject *object, const char *member);
GPtrArray *assay_json_reader_strings (AssayJsonReader *self, JsonNode *node, const char *expected);
GPtrArray *assay_json_reader_strings_at (AssayJsonReader *self, JsonObject *object,
                                         const char *member, const char *expected);
gint64 assay_json_reader_int (AssayJsonReader *self, JsonObject *object, const char *member,
                              gint64 least, gint64 most, gint64 fallback);
double assay_json_reader_double (AssayJsonReader *self, JsonObject *object, const char *member,
                                 double most);
gboolean assay_json_reader_schema (AssayJsonReader *self, JsonObject *object, const char *schema);
AssayJsonEach assay_json_each_in_array (AssayJsonReader *reader, JsonArray *array);
AssayJsonEach assay_json_each_in_node (AssayJsonReader *reader, JsonNode *node);
AssayJsonEach assay_json_each_in_list (AssayJsonReader *reader, JsonObject *object,
                                       const char *member, guint most);
AssayJsonEach assay_json_each_in_object (AssayJsonReader *reader, JsonObject *object,
                                         const char *member);
gboolean assay_json_each_next (AssayJsonEach *self);
gboolean assay_json_each_next_object (AssayJsonEach *self);
gboolean assay_json_node_is_string (JsonNode *node);
gboolean assay_json_node_is_integer (JsonNode *node);
gboolean assay_json_node_is_number (JsonNode *node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayJsonReader, assay_json_reader_free)

G_END_DECLS
