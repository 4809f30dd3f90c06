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
      if (i > 0)
        g_string_append (text, between);
      if (type->dims[i] < 0)
        g_string_append_c (text, '?');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, type->dims[i]);
    }
}

static char *
type_text (const AssayTorchType *type)
{
  GString *text = g_string_new (NULL);

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
      g_string_append_printf (text, "%s%s", type->rank != 0 ? "x" : "", type->element);
      if (type->encoding != NULL)
        g_string_append_printf (text, ", %s", type->encoding);
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
          g_string_append_printf (text, "%s,%s", type->rank >= 0 ? "]" : "",
                                  type->element != NULL ? type->element : "unk");
          if (type->encoding != NULL)
            g_string_append_printf (text, ",%s", type->encoding);
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

  return g_string_free (text, FALSE);
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
  g_autofree char *written = type.text == NULL ? type_text (&type) : NULL;
  const char *text = assay_arena_intern (self->arena, type.text != NULL ? type.text : written);
  AssayTorchType *made = g_hash_table_lookup (self->types, text);

  if (made != NULL)
    return made;

  type.text = text;
  type.depth = 0;
  for (guint i = 0; i < type.n; i++)
    type.depth = MAX (type.depth, type.inner[i]->depth);
  type.depth++;
  if (type.rank > 0)
    type.dims = assay_arena_memdup (self->arena, type.dims, (gsize) type.rank * sizeof *type.dims);
  if (type.n > 0)
    type.inner = assay_arena_memdup (self->arena, type.inner, type.n * sizeof *type.inner);
  made = assay_arena_memdup (self->arena, &type, sizeof type);
  g_hash_table_insert (self->types, (gpointer) text, made);

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

static gboolean
read_extent (AssayTorchScan *self, GArray *dims)
{
  gint64 size = -1;

  if (!assay_torch_accept (self, "?"))
    {
      if (!assay_torch_read_integer (self, &size))
        return FALSE;
      if (size < 0)
        return assay_torch_fail (self, "an extent of less than nothing");
    }
  if (dims->len >= 64)
    return assay_torch_fail (self, "a tensor of more than 64 dimensions");
  g_array_append_val (dims, size);

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
read_tensor (AssayTorchScan *self, AssayTorchType *type, GArray *dims)
{
  const char *element;

  type->rank = -1;
  if (!assay_torch_accept (self, "<"))
    return TRUE;
  if (assay_torch_accept (self, "["))
    {
      while (!assay_torch_accept (self, "]"))
        if ((dims->len > 0 && !assay_torch_expect (self, ",")) || !read_extent (self, dims))
          return FALSE;
      type->rank = (int) dims->len;
      type->dims = (const gint64 *) (gconstpointer) dims->data;
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
read_builtin (AssayTorchScan *self, AssayTorchType *type, GArray *dims)
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
        if (!read_extent (self, dims))
          return FALSE;
        if (self->p == self->end || *self->p != 'x')
          return assay_torch_expected (self, "“x”");
        self->p++;
        assay_torch_skip (self);
      }
  if (type->rank == 0)
    {
      type->rank = (int) dims->len;
      type->dims = (const gint64 *) (gconstpointer) dims->data;
    }

  type->element = read_part (self, ",>");
  if (type->element == NULL ||
      (assay_torch_accept (self, ",") && (type->encoding = read_part (self, ">")) == NULL))
    return FALSE;

  return assay_torch_expect (self, ">");
}

static const AssayTorchType *read_torch (AssayTorchScan *self);

/* Within types of torch, what has no sign is of torch. */
static gboolean
read_inner (AssayTorchScan *self, GPtrArray *inner)
{
  if (!assay_torch_expect (self, "<"))
    return FALSE;
  while (!assay_torch_accept (self, ">"))
    {
      const AssayTorchType *type;

      if (inner->len > 0 && !assay_torch_expect (self, ","))
        return FALSE;
      assay_torch_skip (self);
      type = self->p < self->end && *self->p == '!' ? assay_torch_read_type (self)
                                                    : read_torch (self);
      if (type == NULL)
        return FALSE;
      if (type->text[0] != '!')
        return assay_torch_fail (self, "%s stands in no type of torch", type->text);
      g_ptr_array_add (inner, (gpointer) type);
    }

  return TRUE;
}

/* A type of torch without its prefix, as it stands within another. */
static const AssayTorchType *
read_torch (AssayTorchScan *self)
{
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) inner = g_ptr_array_new ();
  AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_WORD, .rank = -1 };
  const AssayTorchType *result = NULL;
  const char *word = assay_torch_read_word (self);
  gboolean done = TRUE;

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
      g_autofree char *text = g_strconcat ("!torch.", word, NULL);

      return plain (self, ASSAY_TORCH_TYPE_WORD, text);
    }

  if (!assay_torch_deeper (self, ASSAY_TORCH_DEPTH_TYPE))
    return NULL;
  if (type.kind == ASSAY_TORCH_TYPE_TENSOR || type.kind == ASSAY_TORCH_TYPE_VTENSOR)
    done = read_tensor (self, &type, dims);
  else if (type.kind == ASSAY_TORCH_TYPE_CLASS)
    {
      done = assay_torch_expect (self, "<") &&
             (type.element = assay_torch_read_quoted_name (self)) != NULL &&
             assay_torch_expect (self, ">");
    }
  else
    {
      done = read_inner (self, inner);
      type.n = inner->len;
      type.inner = (const AssayTorchType *const *) inner->pdata;
      if (done && (type.kind == ASSAY_TORCH_TYPE_LIST || type.kind == ASSAY_TORCH_TYPE_OPTIONAL) &&
          type.n != 1)
        done = assay_torch_fail (self, "such a type has one inner type, not %u", type.n);
      if (done && type.kind == ASSAY_TORCH_TYPE_DICT && type.n != 2)
        done = assay_torch_fail (self, "a dictionary has two inner types, not %u", type.n);
    }
  self->depth[ASSAY_TORCH_DEPTH_TYPE]--;
  if (done)
    result = assay_torch_type_intern (self->module, type);

  return result;
}

static gboolean
read_list (AssayTorchScan *self, GPtrArray *types)
{
  guint first = types->len;

  while (!assay_torch_accept (self, ")"))
    {
      const AssayTorchType *type;

      if (types->len > first && !assay_torch_expect (self, ","))
        return FALSE;
      type = assay_torch_read_type (self);
      if (type == NULL)
        return FALSE;
      g_ptr_array_add (types, (gpointer) type);
    }

  return TRUE;
}

/* `(types) -> type` or `(types) -> (types)`; behind an operation, whose operands and results these
 * are, it is not one type that nests. */
const AssayTorchType *
assay_torch_read_function_type (AssayTorchScan *self)
{
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_FUNCTION, .rank = -1 };
  gboolean done;

  if (!assay_torch_expect (self, "(") || !read_list (self, types))
    return NULL;
  type.n_arguments = types->len;
  if (!assay_torch_expect (self, "->"))
    return NULL;
  if (assay_torch_accept (self, "("))
    done = read_list (self, types);
  else
    {
      const AssayTorchType *result = assay_torch_read_type (self);

      done = result != NULL;
      g_ptr_array_add (types, (gpointer) result);
    }
  if (!done)
    return NULL;
  type.n = types->len;
  type.inner = (const AssayTorchType *const *) types->pdata;

  return assay_torch_type_intern (self->module, type);
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
      const AssayTorchType *meant = g_hash_table_lookup (self->type_aliases,
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
      g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (gint64));
      AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_BUILTIN, .rank = -1 };

      self->p += strlen ("tensor");
      return read_builtin (self, &type, dims) ? assay_torch_type_intern (self->module, type) : NULL;
    }

  return self->p < self->end ? read_foreign (self) : (assay_torch_expected (self, "a type"), NULL);
}
