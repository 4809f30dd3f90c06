/* assay-json-index.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * AssayJsonIndex:
 *
 * Where each member of a JSON text stands, made when the first message about the file needs it. A
 * member is named by its path, such as `rules[3].when[0].max`.
 */
typedef struct _AssayJsonIndex AssayJsonIndex;

JsonNode *assay_json_parse (const char *text, gsize length,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayJsonIndex *assay_json_index_new (const char *text, gsize length) G_GNUC_WARN_UNUSED_RESULT;
void assay_json_index_free (AssayJsonIndex *self);
gboolean assay_json_index_find (const AssayJsonIndex *self, const char *path, guint *line,
                                guint *column, gsize *offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayJsonIndex, assay_json_index_free)

G_END_DECLS
