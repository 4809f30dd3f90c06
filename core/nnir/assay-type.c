/* assay-type.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-type.h"

#include <string.h>

#include "base/assay-tensor.h"
#include "nnir/text/assay-text-lexer.h"

const AssayType assay_type_unknown = { ASSAY_TYPE_KIND_UNKNOWN, ASSAY_DTYPE_UNDEFINED, -1, NULL,
                                       NULL };

/**
 * assay_type_new_tensor:
 * @arena: where the type lives
 * @dtype: element type
 * @rank: number of dimensions, or -1
 * @dims: (array length=rank) (nullable): the dimensions, %NULL if none is known; symbols are
 * interned in @arena
 *
 * Makes a tensor type.
 *
 * Returns: (transfer none): the type
 */
const AssayType *
assay_type_new_tensor (AssayArena *arena, AssayDType dtype, int rank, const AssayDim *dims)
{
  AssayType *self = assay_arena_alloc (arena, sizeof *self);

  self->kind = ASSAY_TYPE_KIND_TENSOR;
  self->dtype = dtype;
  self->rank = rank;

  if (rank > 0)
    {
      AssayDim *copy = assay_arena_alloc_n (arena, (gsize) rank, sizeof *copy);

      for (int i = 0; i < rank; i++)
        {
          AssayDim dim = dims != NULL ? dims[i] : (AssayDim){ -1, NULL };

          copy[i].size = dim.size;
          copy[i].symbol = dim.size >= 0 ? NULL : assay_arena_intern (arena, dim.symbol);
        }
      self->dims = copy;
    }

  return self;
}

/**
 * assay_type_new_fixed:
 * @arena: where the type lives
 * @dtype: element type
 * @rank: number of dimensions
 * @dims: (array length=rank): the extents, all known
 *
 * Makes a tensor type of known shape.
 *
 * Returns: (transfer none): the type
 */
const AssayType *
assay_type_new_fixed (AssayArena *arena, AssayDType dtype, guint rank, const gint64 *dims)
{
  AssayType *self = assay_arena_alloc (arena, sizeof *self);
  AssayDim *copy = assay_arena_alloc_n (arena, rank, sizeof *copy);

  for (guint i = 0; i < rank; i++)
    copy[i].size = dims[i];

  self->kind = ASSAY_TYPE_KIND_TENSOR;
  self->dtype = dtype;
  self->rank = (int) rank;
  self->dims = copy;

  return self;
}

/**
 * assay_type_new_wrapped:
 * @arena: where the type lives
 * @kind: sequence, optional, map or opaque
 * @key: key type of a map, else %ASSAY_DTYPE_UNDEFINED
 * @element: (nullable): what it holds, of the same arena
 *
 * Makes a type that holds another.
 *
 * Returns: (transfer none): the type
 */
const AssayType *
assay_type_new_wrapped (AssayArena *arena, AssayTypeKind kind, AssayDType key,
                        const AssayType *element)
{
  AssayType *self = assay_arena_alloc (arena, sizeof *self);

  self->kind = kind;
  self->dtype = key;
  self->rank = -1;
  self->element = element;

  return self;
}

/**
 * assay_type_copy:
 * @arena: where the copy lives
 * @type: a type, usually of another arena
 *
 * Copies a type into an arena.
 *
 * Returns: (transfer none): the copy
 */
const AssayType *
assay_type_copy (AssayArena *arena, const AssayType *type)
{
  AssayType *self;

  if (type == NULL || type->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return &assay_type_unknown;

  if (type->kind == ASSAY_TYPE_KIND_TENSOR)
    return assay_type_new_tensor (arena, type->dtype, type->rank, type->dims);

  self = (AssayType *) assay_type_new_tensor (arena, type->dtype, type->rank, type->dims);
  self->kind = type->kind;
  self->element = type->element == NULL ? NULL : assay_type_copy (arena, type->element);

  return self;
}

/**
 * assay_type_equal:
 * @a: a type
 * @b: a type
 *
 * Tells whether two types say the same, symbols included.
 *
 * Returns: whether they are equal
 */
gboolean
assay_type_equal (const AssayType *a, const AssayType *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL || a->kind != b->kind || a->dtype != b->dtype || a->rank != b->rank)
    return FALSE;

  for (int i = 0; i < a->rank; i++)
    {
      if (a->dims[i].size != b->dims[i].size ||
          g_strcmp0 (a->dims[i].symbol, b->dims[i].symbol) != 0)
        return FALSE;
    }

  return a->element == b->element || assay_type_equal (a->element, b->element);
}

/**
 * assay_type_is_static:
 * @type: a type
 *
 * Tells whether this is a tensor whose element type and extents are all known.
 *
 * Returns: whether it is
 */
gboolean
assay_type_is_static (const AssayType *type)
{
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0 ||
      type->dtype == ASSAY_DTYPE_UNDEFINED)
    return FALSE;

  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size < 0)
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_type_count:
 * @type: a type
 * @n_elements: (out): where to put the number of elements
 *
 * Counts the elements of a static tensor type.
 *
 * Returns: %FALSE if the type is not static or the product overflows
 */
gboolean
assay_type_count (const AssayType *type, gsize *n_elements)
{
  gint64 dims[ASSAY_MAX_RANK];

  if (!assay_type_is_static (type) || type->rank > ASSAY_MAX_RANK)
    return FALSE;

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  return assay_dims_count ((guint) type->rank, dims, n_elements);
}

/**
 * assay_type_append:
 * @type: a type
 * @text: where to append
 *
 * Appends the NNIR text of a type: `f32[1,seq,?]`, `f32[*]` for unknown rank, `seq<f32[2]>`,
 * `opt<...>`, `map<i64,...>`, `sparse<f32[3,3]>`, `opaque`, `?` for an unknown type.
 */
void
assay_type_append (const AssayType *type, GString *text)
{
  static const char *const wrappers[] = {
    [ASSAY_TYPE_KIND_SEQUENCE] = "seq<",
    [ASSAY_TYPE_KIND_OPTIONAL] = "opt<",
    [ASSAY_TYPE_KIND_MAP] = "map<",
  };

  switch (type->kind)
    {
    case ASSAY_TYPE_KIND_UNKNOWN:
      g_string_append_c (text, '?');
      break;

    case ASSAY_TYPE_KIND_OPAQUE:
      g_string_append (text, "opaque");
      break;

    case ASSAY_TYPE_KIND_TENSOR:
    case ASSAY_TYPE_KIND_SPARSE_TENSOR:
      if (type->kind == ASSAY_TYPE_KIND_SPARSE_TENSOR)
        g_string_append (text, "sparse<");
      g_string_append (text, assay_dtype_name (type->dtype));
      g_string_append_c (text, '[');
      if (type->rank < 0)
        g_string_append_c (text, '*');
      for (int i = 0; i < type->rank; i++)
        {
          if (i > 0)
            g_string_append_c (text, ',');
          if (type->dims[i].size >= 0)
            g_string_append_printf (text, "%" G_GINT64_FORMAT, type->dims[i].size);
          else if (type->dims[i].symbol != NULL)
            assay_text_append_word (text, type->dims[i].symbol);
          else
            g_string_append_c (text, '?');
        }
      g_string_append_c (text, ']');
      if (type->kind == ASSAY_TYPE_KIND_SPARSE_TENSOR)
        g_string_append_c (text, '>');
      break;

    default:
      g_string_append (text, wrappers[type->kind]);
      if (type->kind == ASSAY_TYPE_KIND_MAP)
        g_string_append_printf (text, "%s,", assay_dtype_name (type->dtype));
      assay_type_append (type->element != NULL ? type->element : &assay_type_unknown, text);
      g_string_append_c (text, '>');
      break;
    }
}

/**
 * assay_type_to_string:
 * @type: a type
 *
 * Gets the NNIR text of a type.
 *
 * Returns: (transfer full): the text
 */
char *
assay_type_to_string (const AssayType *type)
{
  GString *text = g_string_new (NULL);

  assay_type_append (type, text);

  return g_string_free (text, FALSE);
}
