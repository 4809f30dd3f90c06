/* assay-import-name.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

#include <string.h>

/* Nearly all names are ASCII, and there are many. */
static gboolean
is_ascii (const char *text, gsize length)
{
  guint64 word;
  guint64 bits = 0;

  for (; length >= sizeof word; length -= sizeof word, text += sizeof word)
    {
      memcpy (&word, text, sizeof word);
      bits |= word;
    }
  for (; length > 0; length--, text++)
    bits |= (guint64) (guchar) *text;

  return (bits & 0x8080808080808080u) == 0;
}

/**
 * assay_import_text:
 * @self: an importer
 * @text: (nullable): text of the file
 *
 * Interns text; what is not UTF-8 becomes it, because names reach screens and JSON.
 *
 * Returns: (transfer none): the interned text, empty for %NULL
 */
const char *
assay_import_text (Importer *self, const char *text)
{
  g_autofree char *valid = NULL;
  gsize length;

  if (text == NULL || text[0] == '\0')
    return self->empty;

  length = strlen (text);
  if (is_ascii (text, length) || g_utf8_validate (text, (gssize) length, NULL))
    return assay_arena_intern_n (self->graph->arena, text, length);

  valid = g_utf8_make_valid (text, -1);
  return assay_arena_intern (self->graph->arena, valid);
}

static const char *
join (Importer *self, const char *left, const char *right)
{
  g_autofree char *joined = NULL;

  if (left[0] == '\0')
    return right;
  if (right[0] == '\0')
    return left;

  joined = g_strconcat (left, "/", right, NULL);
  return assay_arena_intern (self->graph->arena, joined);
}

/**
 * assay_import_value_name:
 * @self: an importer
 * @frame: where the name is
 * @name: interned name in the file
 *
 * Gets the name of a value in the graph: inside of functions that of the call stands in front.
 *
 * Returns: (transfer none): the interned name
 */
const char *
assay_import_value_name (Importer *self, const ImportFrame *frame, const char *name)
{
  return join (self, frame->prefix, name);
}

/**
 * assay_import_node_name:
 * @self: an importer
 * @frame: where the node is
 * @name: interned name in the file, maybe empty
 * @op_type: its type
 * @index: its position
 *
 * Gets a name that no other node of the graph has.
 *
 * Returns: (transfer none): the interned name
 */
const char *
assay_import_node_name (Importer *self, const ImportFrame *frame, const char *name,
                        const char *op_type, guint index)
{
  AssayArena *arena = self->graph->arena;
  gboolean made_up = name[0] == '\0';
  guint n;

  if (made_up)
    {
      g_autofree char *text = g_strdup_printf ("%s_%u", op_type, index);

      name = assay_arena_intern (arena, text);
    }

  name = join (self, frame->prefix, name);
  n = GPOINTER_TO_UINT (assay_pointer_map_lookup (self->node_names, name));
  if (n == 0)
    {
      assay_pointer_map_insert (self->node_names, name, GUINT_TO_POINTER (1));
      return name;
    }

  if (!made_up && self->n_duplicate_names++ < IMPORT_MAX_NOTES)
    assay_findings_add (
        self->findings, ASSAY_SEVERITY_NOTE, "import.duplicate-name", frame->path, name, NULL, -1,
        "another node is called \"%s\" too; this one gets a number behind it", name);

  for (;;)
    {
      g_autofree char *numbered = g_strdup_printf ("%s_%u", name, ++n);
      const char *interned = assay_arena_intern (arena, numbered);

      if (assay_pointer_map_lookup (self->node_names, interned) != NULL)
        continue;

      assay_pointer_map_insert (self->node_names, interned, GUINT_TO_POINTER (1));
      assay_pointer_map_insert (self->node_names, name, GUINT_TO_POINTER (n));
      return interned;
    }
}

/* `['', 'encoder', 'encoder.layer.0', 'linear_3']`: modules from outside in, then the operation
 * itself. */
static char *
scope_from_name_scopes (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "'", -1);
  GString *path = g_string_new (NULL);
  const char *outer = "";
  guint n = g_strv_length (parts);

  /* Quotes enclose every second part; the last entry is the operation. */
  for (guint i = 1; i + 2 < n; i += 2)
    {
      const char *module = parts[i];
      gsize length = strlen (outer);

      if (module[0] == '\0')
        continue;
      if (path->len > 0)
        g_string_append_c (path, '/');
      g_string_append (path,
                       length > 0 && strncmp (module, outer, length) == 0 && module[length] == '.'
                           ? module + length + 1
                           : module);
      outer = module;
    }

  return g_string_free (path, FALSE);
}

/* `: Model/encoder: Encoder/encoder.layer.0: Layer/linear_3: aten.linear`. */
static char *
scope_from_namespace (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", -1);
  GString *path = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL && parts[i + 1] != NULL; i++)
    {
      const char *colon = strstr (parts[i], ": ");
      gsize length = colon != NULL ? (gsize) (colon - parts[i]) : strlen (parts[i]);

      if (length == 0)
        continue;
      if (path->len > 0)
        g_string_append_c (path, '/');
      g_string_append_len (path, parts[i], (gssize) length);
    }

  return g_string_free (path, FALSE);
}

/**
 * assay_onnx_name_scope:
 * @name: name of a node
 * @length: (out): bytes of its scope, 0 for none
 *
 * Finds what a name says about the scope of its node: what stands before the last slash.
 *
 * Returns: (transfer none): where in @name the scope begins
 */
const char *
assay_onnx_name_scope (const char *name, gsize *length)
{
  const char *slash;

  while (*name == '/')
    name++;
  slash = strrchr (name, '/');
  *length = slash == NULL ? 0 : (gsize) (slash - name);

  return name;
}

static const struct
{
  const char *key;
  char *(*parse) (const char *text);
} scope_properties[] = {
  { "pkg.torch.onnx.name_scopes", scope_from_name_scopes },
  { "namespace", scope_from_namespace },
};

static const char *
own_scope (Importer *self, const Assay__Onnx__NodeProto *proto)
{
  const char *start;
  gsize length;

  for (gsize i = 0; i < proto->n_metadata_props; i++)
    {
      const Assay__Onnx__StringStringEntryProto *entry = proto->metadata_props[i];

      for (guint j = 0; j < G_N_ELEMENTS (scope_properties); j++)
        {
          g_autofree char *path = NULL;

          if (entry->value == NULL || entry->value[0] == '\0' ||
              g_strcmp0 (entry->key, scope_properties[j].key) != 0)
            continue;

          /* No module at all is an answer too: the node stands outside of them whatever its name
           * looks like. */
          path = scope_properties[j].parse (entry->value);
          return assay_import_text (self, path);
        }
    }

  if (proto->name == NULL)
    return self->empty;

  start = assay_onnx_name_scope (proto->name, &length);
  if (length == 0 || !g_utf8_validate (start, (gssize) length, NULL))
    return self->empty;

  return assay_arena_intern_n (self->graph->arena, start, length);
}

/**
 * assay_import_scope_path:
 * @self: an importer
 * @frame: where the node is
 * @proto: a node
 *
 * Gets the scope of a node: that of the calls around it, then what its exporter says in its
 * properties, or else what its name has in front of the last slash.
 *
 * Returns: (transfer none): the interned path, empty for none
 */
const char *
assay_import_scope_path (Importer *self, const ImportFrame *frame,
                         const Assay__Onnx__NodeProto *proto)
{
  return join (self, frame->scope, own_scope (self, proto));
}

/**
 * assay_import_scope:
 * @self: an importer
 * @path: an interned path
 *
 * Gets the index of a scope.
 *
 * Returns: the index, 0 for an empty path
 */
guint32
assay_import_scope (Importer *self, const char *path)
{
  guint32 index;

  if (path[0] == '\0')
    return 0;

  index = GPOINTER_TO_UINT (assay_pointer_map_lookup (self->scopes, path));
  if (index == 0)
    {
      g_array_append_val (self->graph->scopes, path);
      index = self->graph->scopes->len - 1;
      assay_pointer_map_insert (self->scopes, path, GUINT_TO_POINTER (index));
    }

  return index;
}
