/* assay-torch-type.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/torch/assay-torch-scan-private.h"

/* What names of types may stand for together: more than anybody writes, less than memory. */
#define MORE_THAN_WRITTEN 64
#define MAX_EXPANDED (1 << 20)
#define MAX_DEPTH ASSAY_TORCH_MAX_DEPTH

static const struct
{
  const char *word;
  AssayTorchTypeKind kind;
} kinds[] = {
  { "tensor", ASSAY_TORCH_TYPE_TENSOR },     { "vtensor", ASSAY_TORCH_TYPE_VTENSOR },
  { "optional", ASSAY_TORCH_TYPE_OPTIONAL }, { "list", ASSAY_TORCH_TYPE_LIST },
  { "tuple", ASSAY_TORCH_TYPE_TUPLE },       { "union", ASSAY_TORCH_TYPE_UNION },
  { "dict", ASSAY_TORCH_TYPE_DICT },         { "nn.Module", ASSAY_TORCH_TYPE_CLASS },
};

static void
append_inner (GString *text, const AssayTorchType *type)
{
  g_string_append (text, g_str_has_prefix (type->text, "!torch.") ? type->text + strlen ("!torch.")
                                                                  : type->text);
}

static void
append_types (GString *text, const AssayTorchType *type, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    {
      if (i > first)
        g_string_append (text, ", ");
      g_string_append (text, type->inner[i]->text);
    }
}

static void
append_shape (GString *text, const AssayTorchType *type)
{
  const char *between = type->kind == ASSAY_TORCH_TYPE_BUILTIN ? "x" : ",";

  if (type->rank < 0)
    g_string_append_c (text, '*');
  for (int i = 0; i < type->rank; i++)
    {
      char number[24] = "?";

      if (i > 0)
        g_string_append (text, between);
      if (type->dims[i] >= 0)
        g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT, type->dims[i]);
      g_string_append (text, number);
    }
}

static void
append_text (GString *text, const AssayTorchType *type)
{
  if (type->kind == ASSAY_TORCH_TYPE_FUNCTION)
    {
      g_string_append_c (text, '(');
      append_types (text, type, 0, type->n_arguments);
      g_string_append (text, ") -> ");
      if (type->n - type->n_arguments == 1 &&
          type->inner[type->n_arguments]->kind != ASSAY_TORCH_TYPE_FUNCTION)
        g_string_append (text, type->inner[type->n_arguments]->text);
      else
        {
          g_string_append_c (text, '(');
          append_types (text, type, type->n_arguments, type->n);
          g_string_append_c (text, ')');
        }
    }
  else if (type->kind == ASSAY_TORCH_TYPE_BUILTIN)
    {
      g_string_append (text, "tensor<");
      append_shape (text, type);
      g_string_append (text, type->rank != 0 ? "x" : "");
      g_string_append (text, type->element);
      if (type->encoding != NULL)
        {
          g_string_append (text, ", ");
          g_string_append (text, type->encoding);
        }
      g_string_append_c (text, '>');
    }
  else if (type->kind == ASSAY_TORCH_TYPE_TENSOR || type->kind == ASSAY_TORCH_TYPE_VTENSOR)
    {
      g_string_append (text,
                       type->kind == ASSAY_TORCH_TYPE_VTENSOR ? "!torch.vtensor" : "!torch.tensor");
      if (type->rank >= 0 || type->element != NULL || type->encoding != NULL)
        {
          g_string_append (text, type->rank >= 0 ? "<[" : "<");
          append_shape (text, type);
          g_string_append (text, type->rank >= 0 ? "]," : ",");
          g_string_append (text, type->element != NULL ? type->element : "unk");
          if (type->encoding != NULL)
            {
              g_string_append_c (text, ',');
              g_string_append (text, type->encoding);
            }
          g_string_append_c (text, '>');
        }
    }
  else
    {
      for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
        if (kinds[i].kind == type->kind)
          {
            g_string_append (text, "!torch.");
            g_string_append (text, kinds[i].word);
            g_string_append_c (text, '<');
          }
      if (type->kind == ASSAY_TORCH_TYPE_CLASS)
        assay_torch_append_quoted (text, type->element, strlen (type->element));
      for (guint i = 0; i < type->n; i++)
        {
          if (i > 0)
            g_string_append (text, ", ");
          append_inner (text, type->inner[i]);
        }
      g_string_append_c (text, '>');
    }
}

/* How a type is written, as the one text of the module that says so. */
static const char *
written (AssayTorchModule *self, const AssayTorchType *type)
{
  g_string_truncate (self->scratch, 0);
  append_text (self->scratch, type);

  return assay_arena_intern_n (self->arena, self->scratch->str, self->scratch->len);
}

/**
 * assay_torch_type_intern:
 * @self: a module
 * @type: a type, of which only the text may be missing; what it points to may go
 *
 * Gets the one type of a module that is the same.
 *
 * Returns: the type
 */
const AssayTorchType *
assay_torch_type_intern (AssayTorchModule *self, AssayTorchType type)
{
  const char *text = type.text != NULL ? assay_arena_intern (self->arena, type.text)
                                       : written (self, &type);
  AssayTorchType *made = assay_pointer_map_lookup (&self->types, text);

  if (made != NULL)
    return made;

  type.text = text;
  type.depth = 0;
  for (guint i = 0; i < type.n; i++)
    type.depth = MAX (type.depth, type.inner[i]->depth);
  type.depth++;
  type.dims = type.rank > 0 ? assay_arena_memdup (self->arena, type.dims,
                                                  (gsize) type.rank * sizeof *type.dims)
                            : NULL;
  type.inner = type.n > 0
                   ? assay_arena_memdup (self->arena, type.inner, type.n * sizeof *type.inner)
                   : NULL;
  made = assay_arena_memdup (self->arena, &type, sizeof type);
  assay_pointer_map_insert (&self->types, text, made);

  return made;
}

static const AssayTorchType *
plain (AssayTorchScan *self, AssayTorchTypeKind kind, const char *text)
{
  return assay_torch_type_intern (self->module,
                                  (AssayTorchType){ .kind = kind, .text = text, .rank = -1 });
}

/* What a text does not say. It is written, too, where a reader of a value has to say its type. */
const AssayTorchType *
assay_torch_type_unknown (AssayTorchModule *module)
{
  return assay_torch_type_intern (
      module, (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_UNKNOWN, .text = "?", .rank = -1 });
}

/* Extents that are being read. */
typedef struct
{
  guint n;
  gint64 dims[64];
} Shape;

static gboolean
read_extent (AssayTorchScan *self, Shape *shape)
{
  gint64 size = -1;

  if (!assay_torch_accept (self, "?"))
    {
      if (!assay_torch_read_integer (self, &size))
        return FALSE;
      if (size < 0)
        return assay_torch_fail (self, "an extent of less than nothing");
    }
  if (shape->n == G_N_ELEMENTS (shape->dims))
    return assay_torch_fail (self, "a tensor of more than 64 dimensions");
  shape->dims[shape->n++] = size;

  return TRUE;
}

static const char *
read_part (AssayTorchScan *self, const char *stop)
{
  const char *text;
  gsize length;

  if (!assay_torch_read_balanced (self, stop, &text, &length))
    return NULL;
  if (length == 0 || !g_utf8_validate (text, (gssize) length, NULL))
    {
      assay_torch_expected (self, "a type");
      return NULL;
    }

  return assay_arena_intern_n (self->module->arena, text, length);
}

/* Behind the name of a tensor of torch; nothing is known of one without brackets. */
static gboolean
read_tensor (AssayTorchScan *self, AssayTorchType *type, Shape *shape)
{
  const char *element;

  type->rank = -1;
  if (!assay_torch_accept (self, "<"))
    return TRUE;
  if (assay_torch_accept (self, "["))
    {
      while (!assay_torch_accept (self, "]"))
        if ((shape->n > 0 && !assay_torch_expect (self, ",")) || !read_extent (self, shape))
          return FALSE;
      type->rank = (int) shape->n;
      type->dims = shape->dims;
    }
  else if (!assay_torch_expect (self, "*"))
    return FALSE;

  if (!assay_torch_expect (self, ",") || (element = read_part (self, ",>")) == NULL)
    return FALSE;
  type->element = g_str_equal (element, "unk") ? NULL : element;
  if (assay_torch_accept (self, ",") && (type->encoding = read_part (self, ">")) == NULL)
    return FALSE;

  return assay_torch_expect (self, ">");
}

/* Between the brackets of a tensor of MLIR: extents, each with an x, and the element. */
static gboolean
read_builtin (AssayTorchScan *self, AssayTorchType *type, Shape *shape)
{
  if (!assay_torch_expect (self, "<"))
    return FALSE;
  type->rank = 0;
  if (assay_torch_accept (self, "*"))
    {
      type->rank = -1;
      if (self->p < self->end && *self->p == 'x')
        self->p++;
    }
  else
    for (assay_torch_skip (self);
         self->p < self->end && (*self->p == '?' || g_ascii_isdigit (*self->p));)
      {
        if (!read_extent (self, shape))
          return FALSE;
        if (self->p == self->end || *self->p != 'x')
          return assay_torch_expected (self, "“x”");
        self->p++;
        assay_torch_skip (self);
      }
  if (type->rank == 0)
    {
      type->rank = (int) shape->n;
      type->dims = shape->dims;
    }

  type->element = read_part (self, ",>");
  if (type->element == NULL ||
      (assay_torch_accept (self, ",") && (type->encoding = read_part (self, ">")) == NULL))
    return FALSE;

  return assay_torch_expect (self, ">");
}

/* A tensor, of torch or of MLIR. */
static const AssayTorchType *
read_shaped (AssayTorchScan *self, AssayTorchTypeKind kind)
{
  Shape shape;
  AssayTorchType type = { .kind = kind, .rank = -1 };

  shape.n = 0;
  if (!(kind == ASSAY_TORCH_TYPE_BUILTIN ? read_builtin : read_tensor) (self, &type, &shape))
    return NULL;

  return assay_torch_type_intern (self->module, type);
}

/* The inner types of a type that was read, which are the last of those that are being read. */
static const AssayTorchType *
intern_last (AssayTorchScan *self, AssayTorchType type, guint first)
{
  const AssayTorchType *result;

  /* A list that nothing was added to has no array. */
  type.n = self->types->len - first;
  type.inner = type.n > 0 ? (const AssayTorchType *const *) self->types->pdata + first : NULL;
  result = assay_torch_type_intern (self->module, type);
  g_ptr_array_set_size (self->types, (gint) first);

  return result;
}

static const AssayTorchType *read_torch (AssayTorchScan *self);

/* Within types of torch, what has no sign is of torch. */
static gboolean
read_inner (AssayTorchScan *self)
{
  guint first = self->types->len;

  if (!assay_torch_expect (self, "<"))
    return FALSE;
  while (!assay_torch_accept (self, ">"))
    {
      const AssayTorchType *type;

      if (self->types->len > first && !assay_torch_expect (self, ","))
        return FALSE;
      assay_torch_skip (self);
      type = self->p < self->end && *self->p == '!' ? assay_torch_read_type (self)
                                                    : read_torch (self);
      if (type == NULL)
        return FALSE;
      if (type->text[0] != '!')
        return assay_torch_fail (self, "%s stands in no type of torch", type->text);
      g_ptr_array_add (self->types, (gpointer) type);
    }

  return TRUE;
}

/* A type of torch without its prefix, as it stands within another. */
static const AssayTorchType *
read_torch (AssayTorchScan *self)
{
  AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_WORD, .rank = -1 };
  const AssayTorchType *result = NULL;
  const char *word = assay_torch_read_word (self);

  if (word == NULL)
    {
      assay_torch_expected (self, "a type");
      return NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].word, word))
      type.kind = kinds[i].kind;
  if (type.kind == ASSAY_TORCH_TYPE_WORD)
    {
      GString *text = self->module->scratch;

      g_string_assign (text, "!torch.");
      g_string_append (text, word);
      return plain (self, ASSAY_TORCH_TYPE_WORD,
                    assay_arena_intern_n (self->module->arena, text->str, text->len));
    }

  if (!assay_torch_deeper (self, ASSAY_TORCH_DEPTH_TYPE))
    return NULL;
  if (type.kind == ASSAY_TORCH_TYPE_TENSOR || type.kind == ASSAY_TORCH_TYPE_VTENSOR)
    result = read_shaped (self, type.kind);
  else if (type.kind == ASSAY_TORCH_TYPE_CLASS)
    {
      if (assay_torch_expect (self, "<") &&
          (type.element = assay_torch_read_quoted_name (self)) != NULL &&
          assay_torch_expect (self, ">"))
        result = assay_torch_type_intern (self->module, type);
    }
  else
    {
      guint first = self->types->len;
      gboolean done = read_inner (self);

      type.n = self->types->len - first;
      if (done && (type.kind == ASSAY_TORCH_TYPE_LIST || type.kind == ASSAY_TORCH_TYPE_OPTIONAL) &&
          type.n != 1)
        done = assay_torch_fail (self, "such a type has one inner type, not %u", type.n);
      if (done && type.kind == ASSAY_TORCH_TYPE_DICT && type.n != 2)
        done = assay_torch_fail (self, "a dictionary has two inner types, not %u", type.n);
      if (done)
        result = intern_last (self, type, first);
    }
  self->depth[ASSAY_TORCH_DEPTH_TYPE]--;

  return result;
}

static gboolean
read_list (AssayTorchScan *self)
{
  guint first = self->types->len;

  while (!assay_torch_accept (self, ")"))
    {
      const AssayTorchType *type;

      if (self->types->len > first && !assay_torch_expect (self, ","))
        return FALSE;
      type = assay_torch_read_type (self);
      if (type == NULL)
        return FALSE;
      g_ptr_array_add (self->types, (gpointer) type);
    }

  return TRUE;
}

/* `(types) -> type` or `(types) -> (types)`; behind an operation, whose operands and results these
 * are, it is not one type that nests. */
const AssayTorchType *
assay_torch_read_function_type (AssayTorchScan *self)
{
  AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_FUNCTION, .rank = -1 };
  guint first = self->types->len;
  gboolean done;

  if (!assay_torch_expect (self, "(") || !read_list (self))
    return NULL;
  type.n_arguments = self->types->len - first;
  if (!assay_torch_expect (self, "->"))
    return NULL;
  if (assay_torch_accept (self, "("))
    done = read_list (self);
  else
    {
      const AssayTorchType *result = assay_torch_read_type (self);

      done = result != NULL;
      g_ptr_array_add (self->types, (gpointer) result);
    }

  return done ? intern_last (self, type, first) : NULL;
}

/* A short name may stand for much, and for others that do. */
static const AssayTorchType *
expand (AssayTorchScan *self, const AssayTorchType *type)
{
  gsize most = MORE_THAN_WRITTEN * (gsize) (self->end - self->begin) + MAX_EXPANDED;

  self->expanded += strlen (type->text);
  if (self->expanded > most)
    assay_torch_fail (self, "the types that names stand for have more bytes than %" G_GSIZE_FORMAT,
                      most);
  else if (self->depth[ASSAY_TORCH_DEPTH_TYPE] + type->depth > MAX_DEPTH)
    assay_torch_fail (self, "nested deeper than %d levels", MAX_DEPTH);

  return self->error == NULL ? type : NULL;
}

/* A type of another dialect: a name, maybe with brackets behind it. */
static const AssayTorchType *
read_foreign (AssayTorchScan *self)
{
  const char *from = self->p;

  self->p += *self->p == '!';
  while (self->p < self->end && assay_torch_is_word (*self->p))
    self->p++;
  if (self->p < self->end && *self->p == '<' && self->p > from)
    {
      const char *text;
      gsize length;

      self->p++;
      if (!assay_torch_read_balanced (self, ">", &text, &length) || !assay_torch_expect (self, ">"))
        return NULL;
    }
  if (self->p <= from + 1)
    {
      self->p = from;
      assay_torch_expected (self, "a type");
      return NULL;
    }
  if (*from == '!')
    {
      const AssayTorchType *meant = assay_pointer_map_lookup (&self->type_aliases,
                                                              assay_torch_take (self, from + 1));

      if (meant != NULL)
        return expand (self, meant);
    }

  return plain (self, ASSAY_TORCH_TYPE_FOREIGN, assay_torch_take (self, from));
}

const AssayTorchType *
assay_torch_read_type (AssayTorchScan *self)
{
  assay_torch_skip (self);
  if (self->p < self->end && *self->p == '(')
    {
      const AssayTorchType *type = NULL;

      if (assay_torch_deeper (self, ASSAY_TORCH_DEPTH_TYPE))
        type = assay_torch_read_function_type (self);
      self->depth[ASSAY_TORCH_DEPTH_TYPE]--;
      return type;
    }
  if (assay_torch_accept (self, "?"))
    return assay_torch_type_unknown (self->module);
  if ((gsize) (self->end - self->p) >= strlen ("!torch.") &&
      memcmp (self->p, "!torch.", strlen ("!torch.")) == 0)
    {
      self->p += strlen ("!torch.");
      return read_torch (self);
    }
  if (assay_torch_at (self, "tensor"))
    {
      self->p += strlen ("tensor");
      return read_shaped (self, ASSAY_TORCH_TYPE_BUILTIN);
    }

  return self->p < self->end ? read_foreign (self) : (assay_torch_expected (self, "a type"), NULL);
}
