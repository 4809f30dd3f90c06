/* assay-run-parts.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-parts.h"

#include "base/assay-error.h"
#include "base/assay-npz.h"

/**
 * assay_run_parts_new:
 *
 * Makes an empty list.
 *
 * Returns: (transfer full): the list
 */
AssayRunParts *
assay_run_parts_new (void)
{
  AssayRunParts *self = g_new0 (AssayRunParts, 1);

  self->names = g_ptr_array_new_with_free_func (g_free);
  self->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  return self;
}

void
assay_run_parts_free (AssayRunParts *self)
{
  if (self == NULL)
    return;

  g_ptr_array_unref (self->names);
  g_ptr_array_unref (self->tensors);
  g_free (self);
}

/**
 * assay_run_parts_add:
 * @self: the parts
 * @name: which part
 * @tensor: (transfer none): its value
 *
 * Adds a tensor.
 */
void
assay_run_parts_add (AssayRunParts *self, const char *name, AssayTensor *tensor)
{
  g_ptr_array_add (self->names, g_strdup (name));
  g_ptr_array_add (self->tensors, assay_tensor_ref (tensor));
}

/**
 * assay_run_parts_join:
 * @name: a part, or nothing for the whole
 * @part: a part of that
 *
 * Names a part of a part.
 *
 * Returns: (transfer full): the name
 */
char *
assay_run_parts_join (const char *name, const char *part)
{
  return *name == '\0' ? g_strdup (part) : g_strconcat (name, ".", part, NULL);
}

/**
 * assay_run_parts_add_empty:
 * @self: the parts
 * @name: which part, or nothing for the whole
 *
 * Notes that something holds nothing.
 */
void
assay_run_parts_add_empty (AssayRunParts *self, const char *name)
{
  g_autofree char *full = assay_run_parts_join (name, "empty");
  const gint64 none = 0;
  g_autoptr (AssayTensor) tensor = assay_tensor_new_i64 (1, &none, NULL);

  assay_run_parts_add (self, full, tensor);
}

/* What items of a kind are called; those of a sequence by their place. */
static char *
item_name (AssayTypeKind kind, const char *name, guint index)
{
  g_autofree char *number = g_strdup_printf ("%u", index);

  return assay_run_parts_join (name, kind == ASSAY_TYPE_KIND_MAP ? index == 0 ? "keys" : "values"
                                     : kind == ASSAY_TYPE_KIND_OPTIONAL ? "value"
                                                                        : number);
}

/**
 * assay_run_parts_add_datum:
 * @self: the parts
 * @name: which part it is, or nothing for the whole
 * @datum: a value of the evaluator
 * @wide: whether it was computed in double
 * @error: return location for a #GError
 *
 * Adds the tensors of a value.
 *
 * Returns: whether all could be read
 */
gboolean
assay_run_parts_add_datum (AssayRunParts *self, const char *name, AssayDatum *datum, gboolean wide,
                           GError **error)
{
  static const AssayTypeKind kinds[] = { [ASSAY_DATUM_SEQUENCE] = ASSAY_TYPE_KIND_SEQUENCE,
                                         [ASSAY_DATUM_OPTIONAL] = ASSAY_TYPE_KIND_OPTIONAL,
                                         [ASSAY_DATUM_MAP] = ASSAY_TYPE_KIND_MAP };

  if (datum->kind == ASSAY_DATUM_TENSOR)
    {
      g_autoptr (AssayTensor) tensor = assay_datum_to_tensor (datum, wide, error);

      if (tensor == NULL)
        return FALSE;
      assay_run_parts_add (self, name, tensor);
      return TRUE;
    }

  for (guint i = 0; i < datum->items->len; i++)
    {
      g_autofree char *part = item_name (kinds[datum->kind], name, i);

      if (!assay_run_parts_add_datum (self, part, g_ptr_array_index (datum->items, i), wide, error))
        return FALSE;
    }
  if (datum->items->len == 0)
    assay_run_parts_add_empty (self, name);

  return TRUE;
}

/**
 * assay_run_parts_for_tensors:
 * @kind: a sequence, an optional or a map
 * @tensors: (element-type AssayTensor): what it is made of
 *
 * Names the parts of a value that was read from a file of ONNX.
 *
 * Returns: (transfer full): the parts
 */
AssayRunParts *
assay_run_parts_for_tensors (AssayTypeKind kind, GPtrArray *tensors)
{
  AssayRunParts *self = assay_run_parts_new ();

  for (guint i = 0; i < tensors->len; i++)
    {
      g_autofree char *name = item_name (kind, "", i);

      assay_run_parts_add (self, name, g_ptr_array_index (tensors, i));
    }
  if (tensors->len == 0)
    assay_run_parts_add_empty (self, "");

  return self;
}

/**
 * assay_run_parts_new_optional:
 * @value: what an optional holds
 *
 * Makes the parts of an optional of those of its value, for runners that do not tell them apart.
 *
 * Returns: (transfer full): the parts
 */
AssayRunParts *
assay_run_parts_new_optional (const AssayRunParts *value)
{
  AssayRunParts *self = assay_run_parts_new ();

  for (guint i = 0; i < value->names->len; i++)
    {
      const char *name = g_ptr_array_index (value->names, i);
      g_autofree char *full = *name == '\0' ? g_strdup ("value")
                                            : assay_run_parts_join ("value", name);

      assay_run_parts_add (self, g_str_equal (name, "empty") ? name : full,
                           g_ptr_array_index (value->tensors, i));
    }

  return self;
}

/**
 * assay_run_parts_load:
 * @path: a `.npz` file
 * @error: return location for a #GError
 *
 * Reads what assay_run_parts_save() wrote.
 *
 * Returns: (transfer full) (nullable): the parts
 */
AssayRunParts *
assay_run_parts_load (const char *path, GError **error)
{
  g_autoptr (AssayRunParts) self = assay_run_parts_new ();

  if (!assay_npz_load (path, self->names, self->tensors, NULL, error))
    return NULL;
  if (self->names->len == 0)
    assay_run_parts_add_empty (self, "");

  return g_steal_pointer (&self);
}

/**
 * assay_run_parts_save:
 * @self: the parts
 * @path: where to
 * @error: return location for a #GError
 *
 * Writes the parts into one `.npz` file, an array each.
 *
 * Returns: whether it is written
 */
gboolean
assay_run_parts_save (const AssayRunParts *self, const char *path, GError **error)
{
  return assay_npz_save (self->names, self->tensors, path, error);
}

/**
 * assay_run_parts_spread:
 * @self: the parts
 * @whole: the output that they are parts of
 * @ports: (element-type AssayRunPort): gets a port for each
 * @tensors: (element-type AssayTensor): gets the tensors
 *
 * Puts the parts in the place of the output.
 */
void
assay_run_parts_spread (const AssayRunParts *self, const AssayRunPort *whole, GArray *ports,
                        GPtrArray *tensors)
{
  for (guint i = 0; i < self->names->len; i++)
    {
      const char *part = g_ptr_array_index (self->names, i);
      AssayTensor *tensor = g_ptr_array_index (self->tensors, i);
      guint rank = assay_tensor_get_rank (tensor);
      AssayRunPort port = {
        .name = g_strdup_printf ("%s[%s]", whole->name, part),
        .whole = g_strdup (whole->name),
        .part = g_strdup (part),
        .output = whole->output,
        .dtype = assay_tensor_get_dtype (tensor),
        .rank = (int) rank,
        .dims = g_new0 (gint64, rank + 1),
        .time_axis = -1,
      };

      for (guint j = 0; j < rank; j++)
        port.dims[j] = assay_tensor_get_dims (tensor)[j];
      g_array_append_val (ports, port);
      g_ptr_array_add (tensors, assay_tensor_ref (tensor));
    }
}
