/* assay-torch-module.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/torch/assay-torch-module.h"

#include <string.h>

/* Locations may refer to others, and those to others. */
#define MAX_LOCATION_DEPTH 16

/**
 * assay_torch_module_free:
 * @self: (nullable): a module
 *
 * Frees a module with everything in it.
 */
void
assay_torch_module_free (AssayTorchModule *self)
{
  if (self == NULL)
    return;

  g_string_free (self->scratch, TRUE);
  assay_pointer_map_clear (&self->types);
  assay_pointer_map_clear (&self->aliases);
  g_clear_pointer (&self->alias_names, g_ptr_array_unref);
  assay_pointer_map_clear (&self->resources);
  g_clear_pointer (&self->resource_list, g_ptr_array_unref);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_pointer (&self->arena, assay_arena_free);
  g_free (self);
}

/**
 * assay_torch_op_find_attr:
 * @self: an operation
 * @name: name of an attribute
 *
 * Looks for an attribute.
 *
 * Returns: (nullable): the attribute
 */
const AssayTorchAttr *
assay_torch_op_find_attr (const AssayTorchOp *self, const char *name)
{
  for (guint i = 0; i < self->n_attrs; i++)
    if (g_str_equal (self->attrs[i].name, name))
      return &self->attrs[i];

  return NULL;
}

/**
 * assay_torch_op_get_string:
 * @self: an operation
 * @name: name of an attribute
 *
 * Gets a text that an operation has as an attribute.
 *
 * Returns: (transfer full) (nullable): the text, valid UTF-8
 */
char *
assay_torch_op_get_string (const AssayTorchOp *self, const char *name)
{
  const AssayTorchAttr *attr = assay_torch_op_find_attr (self, name);

  if (attr == NULL ||
      (attr->kind != ASSAY_TORCH_ATTR_STRING && attr->kind != ASSAY_TORCH_ATTR_SYMBOL))
    return NULL;

  return g_utf8_make_valid (attr->s, (gssize) attr->length);
}

/* The first place in a file that a location names: `"file":line:column`. Of a call within a call,
 * that is the innermost one. */
static gboolean
find_place (const char *text, char **file, guint *line)
{
  for (const char *p = strchr (text, '"'); p != NULL; p = strchr (p + 1, '"'))
    {
      const char *stop = strchr (p + 1, '"');
      guint64 number;

      if (stop == NULL)
        return FALSE;
      if (stop[1] == ':' && g_ascii_isdigit (stop[2]))
        {
          number = g_ascii_strtoull (stop + 2, NULL, 10);
          *file = g_strndup (p + 1, (gsize) (stop - p - 1));
          *line = (guint) MIN (number, G_MAXUINT);
          return TRUE;
        }
      p = stop;
    }

  return FALSE;
}

/**
 * assay_torch_module_find_location:
 * @self: a module
 * @loc: (nullable): a location, as it stands between the parentheses of `loc`
 * @file: (out): name of the file
 * @line: (out): line in it
 *
 * Looks up what line of what file a location means.
 *
 * Returns: whether it means one
 */
gboolean
assay_torch_module_find_location (const AssayTorchModule *self, const char *loc, char **file,
                                  guint *line)
{
  for (guint i = 0; loc != NULL && i < MAX_LOCATION_DEPTH; i++)
    {
      const char *reference = strchr (loc, '#');
      gsize length = 0;
      const char *name;

      if (find_place (loc, file, line))
        return TRUE;
      if (reference == NULL)
        return FALSE;
      while (g_ascii_isalnum (reference[1 + length]) || reference[1 + length] == '_')
        length++;
      name = assay_arena_intern_n (self->arena, reference, length + 1);
      loc = assay_pointer_map_lookup (&self->aliases, name);
    }

  return FALSE;
}
