/* assay-overlay-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-overlay-file-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"

/* A row for each of a million nodes. */
#define MAX_BYTES (64 * 1024 * 1024)

void
assay_overlay_file_free (AssayOverlayFile *self)
{
  if (self == NULL)
    return;

  g_free (self->title);
  g_free (self->unit);
  g_ptr_array_unref (self->names);
  g_array_unref (self->values);
  g_ptr_array_unref (self->words);
  g_free (self);
}

/* A number, or a word if there is one. */
void
assay_overlay_file_add (AssayOverlayFile *self, const char *name, double value, const char *word)
{
  g_ptr_array_add (self->names, g_strdup (name));
  if (word != NULL)
    g_ptr_array_add (self->words, g_strdup (word));
  else
    g_array_append_val (self->values, value);
}

/**
 * assay_overlay_file_parse:
 * @bytes: content of a file
 * @name: its name, for messages and as title
 * @error: return location for a #GError
 *
 * Reads what a file says of nodes. CSV: a name and a value per line, separated by comma, semicolon
 * or tab, with or without a line of headings, quoted as in RFC 4180. JSON: an object of names and
 * values; a list of objects with `name` (or `node`) and `value`; an object with `values` and maybe
 * `title` and `unit`; or a report of `assay check` or `assay compare`. Values are all numbers, or
 * all words.
 *
 * Returns: (transfer full) (nullable): what it says, or %NULL with %ASSAY_ERROR_INVALID naming the
 * line or member
 */
AssayOverlayFile *
assay_overlay_file_parse (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (AssayOverlayFile) self = g_new0 (AssayOverlayFile, 1);
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autofree char *text = NULL;
  g_autoptr (GBytes) plain = NULL;
  const char *wrong, *first;
  gboolean ok;

  self->names = g_ptr_array_new_with_free_func (g_free);
  self->words = g_ptr_array_new_with_free_func (g_free);
  self->values = g_array_new (FALSE, FALSE, sizeof (double));
  self->title = g_strdup (name);
  self->unit = g_strdup ("");

  if (length > MAX_BYTES)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: %" G_GSIZE_FORMAT " bytes are more than an overlay can have (%d)", name,
                   length, MAX_BYTES);
      return NULL;
    }
  if (length >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0)
    {
      data += 3;
      length -= 3;
    }
  if (!g_utf8_validate (data, (gssize) length, &wrong))
    {
      guint line = 1;

      for (const char *p = data; p < wrong; p++)
        line += *p == '\n';
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: line %u: not text in UTF-8", name,
                   line);
      return NULL;
    }

  text = g_strndup (data, length);
  for (first = text; *first != '\0' && g_ascii_isspace (*first);)
    first++;
  plain = g_bytes_new_static (text, length);
  ok = *first == '{' || *first == '[' ? assay_overlay_file_read_json (self, plain, name, error)
                                      : assay_overlay_file_read_csv (self, text, name, error);
  if (!ok)
    return NULL;
  if (self->names->len == 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: no node has a value; expected names and values", name);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/**
 * assay_overlay_file_load:
 * @path: (type filename): path of a file
 * @error: return location for a #GError
 *
 * Reads an overlay from a file, as assay_overlay_file_parse() does.
 *
 * Returns: (transfer full) (nullable): what it says, or %NULL on error
 */
AssayOverlayFile *
assay_overlay_file_load (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autoptr (GBytes) bytes = NULL;
  char *contents;
  gsize length;

  if (!assay_file_read (path, MAX_BYTES, &contents, &length, error))
    return NULL;
  bytes = g_bytes_new_take (contents, length);

  return assay_overlay_file_parse (bytes, name, error);
}

/* Names of nodes first: where one is also the ONNX name of another node, it means the node. */
static GHashTable *
index_nodes (const AssayGraph *graph)
{
  GHashTable *nodes = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId i = assay_graph_n_nodes (graph); i-- > 1;)
    {
      const AssayNode *node = assay_graph_node (graph, i);

      for (guint k = 0; k < node->n_origins; k++)
        g_hash_table_insert (
            nodes, (gpointer) g_array_index (graph->origins, AssayOrigin, node->origins[k]).name,
            GUINT_TO_POINTER (i));
    }
  for (AssayNodeId i = assay_graph_n_nodes (graph); i-- > 1;)
    g_hash_table_insert (nodes, (gpointer) assay_graph_node (graph, i)->name, GUINT_TO_POINTER (i));

  return nodes;
}

/**
 * assay_overlay_file_apply:
 * @self: what a file says
 * @verdicts: a checked graph
 * @n_unknown: (out): how many names no node has
 * @first_unknown: (out) (optional) (transfer none): the first of them, or %NULL
 *
 * Looks up the nodes that a file names. Of several values for one node the last one counts.
 *
 * Returns: (transfer full) (nullable): the overlay, %NULL if the graph has none of the nodes
 */
AssayOverlay *
assay_overlay_file_apply (const AssayOverlayFile *self, const AssayVerdicts *verdicts,
                          guint *n_unknown, const char **first_unknown)
{
  guint32 n = assay_graph_n_nodes (verdicts->graph);
  g_autoptr (GHashTable) nodes = index_nodes (verdicts->graph);
  g_autofree const char **words = g_new0 (const char *, n + 1);
  g_autofree double *values = g_new (double, n + 1);

  *n_unknown = 0;
  if (first_unknown != NULL)
    *first_unknown = NULL;
  for (guint32 i = 0; i <= n; i++)
    values[i] = NAN;

  for (guint i = 0; i < self->names->len; i++)
    {
      const char *name = g_ptr_array_index (self->names, i);
      AssayNodeId node = GPOINTER_TO_UINT (g_hash_table_lookup (nodes, name));

      if (node == ASSAY_NO_NODE)
        {
          if (first_unknown != NULL && *n_unknown == 0)
            *first_unknown = name;
          (*n_unknown)++;
        }
      else if (self->words->len > 0)
        words[node] = g_ptr_array_index (self->words, i);
      else
        values[node] = g_array_index (self->values, double, i);
    }
  if (*n_unknown == self->names->len)
    return NULL;

  return self->words->len > 0 ? assay_overlay_new_groups (self->title, words, n)
                              : assay_overlay_new_values (self->title, self->unit, values, n);
}
