/* assay-torch-parse-form.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What stands behind the name of an operation.
 */
#include <string.h>

#include "source/torch/assay-torch-parse-private.h"

static const AssayTorchForm forms[] = {
#define FORM(name, format, result) { name, format, result },
#include "source/torch/torch-forms.def"
#undef FORM
};

/* An index over constant data, built once: not state. */
static gpointer
make_index (gpointer ignored)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    g_hash_table_insert (index, (gpointer) forms[i].name, (gpointer) &forms[i]);

  return index;
}

const AssayTorchForm *
assay_torch_form_find (const char *name)
{
  static GOnce once = G_ONCE_INIT;

  return g_hash_table_lookup (g_once (&once, make_index, NULL), name);
}

/* Types of other dialects are kept as they are written, and blanks say nothing. */
static gboolean
is_same_text (const char *a, const char *b)
{
  while (TRUE)
    {
      while (g_ascii_isspace (*a))
        a++;
      while (g_ascii_isspace (*b))
        b++;
      if (*a != *b || *a == '\0')
        return *a == *b;
      a++;
      b++;
    }
}

/* What is not known of a value by what makes it is known by what reads it. It has one type. */
gboolean
assay_torch_learn_type (AssayTorchParser *self, AssayTorchDraft *draft, guint operand,
                        const AssayTorchType *type)
{
  AssayTorchValue *value = g_ptr_array_index (draft->operands, operand);

  if (value->type->kind == ASSAY_TORCH_TYPE_UNKNOWN)
    value->type = type;

  return value->type == type || type->kind == ASSAY_TORCH_TYPE_UNKNOWN ||
         is_same_text (value->type->text, type->text) ||
         assay_torch_fail (&self->scan, "%%%s is of type %s, not %s", value->name,
                           value->type->text, type->text);
}

/* Types of operands, or of results if there is a list. */
static gboolean
read_types (AssayTorchParser *self, AssayTorchDraft *draft, guint n, GPtrArray *types)
{
  for (guint i = 0; i < n; i++)
    {
      const AssayTorchType *type;

      if ((i > 0 && !assay_torch_expect (&self->scan, ",")) ||
          (type = assay_torch_read_type (&self->scan)) == NULL)
        return FALSE;
      if (types != NULL)
        g_ptr_array_add (types, (gpointer) type);
      else if (draft->n_typed < draft->operands->len &&
               !assay_torch_learn_type (self, draft, draft->n_typed++, type))
        return FALSE;
    }

  return TRUE;
}

/* Any number of types, up to what cannot begin one. */
static gboolean
read_result_types (AssayTorchParser *self, AssayTorchDraft *draft)
{
  if (assay_torch_at (&self->scan, ")"))
    return TRUE;
  do
    if (!read_types (self, draft, 1, draft->types))
      return FALSE;
  while (assay_torch_accept (&self->scan, ","));

  return TRUE;
}

static gboolean
read_function (AssayTorchParser *self, AssayTorchDraft *draft)
{
  const AssayTorchType *type = assay_torch_read_function_type (&self->scan);
  guint n = draft->operands->len - draft->n_typed;

  if (type == NULL)
    return FALSE;
  if (type->n_arguments != n)
    return assay_torch_fail (&self->scan, "%u operand%s %u type%s", n, n == 1 ? " has" : "s have",
                             type->n_arguments, type->n_arguments == 1 ? "" : "s");
  for (guint i = 0; i < n; i++)
    if (!assay_torch_learn_type (self, draft, draft->n_typed + i, type->inner[i]))
      return FALSE;
  for (guint i = type->n_arguments; i < type->n; i++)
    g_ptr_array_add (draft->types, (gpointer) type->inner[i]);

  return TRUE;
}

/* What initializes each slot: `@slot(%value : type)`. */
static gboolean
read_slots (AssayTorchParser *self, AssayTorchDraft *draft)
{
  g_autoptr (GArray) symbols = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr));
  AssayTorchAttr attr = { .name = "slotSymNames", .kind = ASSAY_TORCH_ATTR_ARRAY };

  self->scan.depth[ASSAY_TORCH_DEPTH_ATTR]++;
  while (assay_torch_at (&self->scan, "@"))
    {
      AssayTorchAttr symbol = { NULL };

      if (!assay_torch_read_attr (&self->scan, &symbol) ||
          !assay_torch_read_form (self, "'(' o ':' t ')'", draft))
        return FALSE;
      g_array_append_val (symbols, symbol);
    }
  self->scan.depth[ASSAY_TORCH_DEPTH_ATTR]--;
  attr.n = symbols->len;
  attr.items = assay_arena_memdup (self->module->arena, symbols->data,
                                   symbols->len * sizeof (AssayTorchAttr));
  g_array_append_val (draft->attrs, attr);

  return TRUE;
}

/* Keys and values: `keys(%a, … : types) values(%b, … : types) -> type`. */
static gboolean
read_entries (AssayTorchParser *self, AssayTorchDraft *draft)
{
  guint n_keys;

  if (!assay_torch_read_form (self, "'keys' '(' [ O ':' T ] ')' 'values' '('", draft))
    return FALSE;
  n_keys = draft->operands->len;
  if (assay_torch_at (&self->scan, "%") && !assay_torch_read_form (self, "O ':' T", draft))
    return FALSE;

  return draft->operands->len == 2 * n_keys
             ? assay_torch_expect (&self->scan, ")")
             : assay_torch_fail (&self->scan, "%u of keys and %u of values", n_keys,
                                 draft->operands->len - n_keys);
}

static gboolean
read_attr (AssayTorchParser *self, const char *piece, gsize length, AssayTorchDraft *draft)
{
  AssayTorchAttr attr = { NULL };

  if (!assay_torch_read_attr (&self->scan, &attr))
    return FALSE;
  if (piece[0] == '@' && attr.kind != ASSAY_TORCH_ATTR_SYMBOL)
    return assay_torch_expected (&self->scan, "“@” and a name");
  if (piece[0] == '&' && attr.kind != ASSAY_TORCH_ATTR_SYMBOL &&
      attr.kind != ASSAY_TORCH_ATTR_STRING)
    return assay_torch_expected (&self->scan, "a name");
  /* A symbol that is defined here is the text of an attribute. */
  if (piece[0] == '@')
    attr.kind = ASSAY_TORCH_ATTR_STRING;
  attr.name = assay_arena_intern_n (self->module->arena, piece + 1, length - 1);
  g_array_append_val (draft->attrs, attr);

  return TRUE;
}

/* A word that is there or not. In quotes it is the visibility of a symbol. */
static void
read_flag (AssayTorchParser *self, const char *word, gsize length, AssayTorchDraft *draft)
{
  g_autofree char *text = g_strndup (word, length);
  AssayTorchAttr attr = { .name = "isPrivate", .kind = ASSAY_TORCH_ATTR_UNIT };

  if (!assay_torch_accept (&self->scan, text))
    return;
  if (text[0] == '"')
    attr = (AssayTorchAttr){ .name = "sym_visibility",
                             .kind = ASSAY_TORCH_ATTR_STRING,
                             .s = "private",
                             .length = strlen ("private") };
  g_array_append_val (draft->attrs, attr);
}

static gboolean
read_piece (AssayTorchParser *self, const char *piece, gsize length, AssayTorchDraft *draft)
{
  AssayTorchRegion region = { NULL };
  AssayTorchValue *value;

  switch (piece[0])
    {
    case '\'':
      {
        char word[16];

        g_assert (length - 2 < sizeof word);
        g_strlcpy (word, piece + 1, length - 1);
        return assay_torch_expect (&self->scan, word);
      }
    case '=':
    case '&':
    case '@':
      return read_attr (self, piece, length, draft);
    case '?':
      read_flag (self, piece + 1, length - 1, draft);
      return TRUE;
    case 'O':
      return assay_torch_read_operands (self, draft);
    case 'o':
    case 'u':
      value = assay_torch_read_operand (self);
      if (value != NULL)
        g_ptr_array_add (draft->operands, value);
      draft->n_typed += piece[0] == 'u';
      return value != NULL;
    case 'D':
      return !assay_torch_at (&self->scan, "{") ||
             assay_torch_read_dict (&self->scan, draft->attrs);
    case 'T':
      return read_types (self, draft, draft->operands->len - draft->n_typed, NULL);
    case 't':
      return read_types (self, draft, 1, NULL);
    case 'R':
      return read_result_types (self, draft);
    case 'r':
      return read_types (self, draft, 1, draft->types);
    case 'F':
      return read_function (self, draft);
    case 'S':
      return read_slots (self, draft);
    case 'K':
      return read_entries (self, draft);
    case 'G':
      while (length == 1 || assay_torch_at (&self->scan, "{"))
        {
          if (!assay_torch_read_region (self, &region, NULL))
            return FALSE;
          g_array_append_val (draft->regions, region);
          region.first = NULL;
          if (length == 1 || !assay_torch_accept (&self->scan, ","))
            break;
        }
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

/* Reads what a form says, piece by piece. */
gboolean
assay_torch_read_form (AssayTorchParser *self, const char *format, AssayTorchDraft *draft)
{
  for (const char *p = format; *p != '\0';)
    {
      gsize length = strcspn (p, " ");

      /* A bracket that stands for itself is quoted. Outside of parentheses, a name on another line
       * is one that is given. */
      if (*p == '[' && ((p[-2] != '\'' && assay_torch_at_new_line (&self->scan)) ||
                        !assay_torch_at (&self->scan, "%")))
        length = (gsize) (strchr (p, ']') + 1 - p);
      else if (*p != '[' && *p != ']' && !read_piece (self, p, length, draft))
        return FALSE;
      p += length;
      p += strspn (p, " ");
    }

  return TRUE;
}

static gboolean
is_assigned (const AssayTorchScan *scan, const char *p)
{
  while (p < scan->end && *p == ' ')
    p++;

  return p < scan->end && *p == '=';
}

/* Whether a name is followed by what it means, as arguments of regions are. */
static gboolean
names_something (const AssayTorchScan *scan)
{
  const char *p = scan->p + 1;

  while (p < scan->end && (assay_torch_is_word (*p) || *p == '-'))
    p++;

  return is_assigned (scan, p);
}

/* A value may be called otherwise in print, with or without the number behind its name. */
static gboolean
read_raw_operand (AssayTorchParser *self, AssayTorchDraft *draft)
{
  AssayTorchScan *scan = &self->scan;
  AssayTorchValue *value = assay_torch_read_operand (self);

  if (value == NULL)
    return FALSE;
  if (is_assigned (scan, scan->p) ||
      (scan->p < scan->end &&
       (assay_torch_is_word (*scan->p) || *scan->p == '#' ||
        (*scan->p == '-' && !(scan->p + 1 < scan->end && scan->p[1] == '>')))))
    return assay_torch_expected (scan, "the end of a name");
  g_ptr_array_add (draft->operands, value);

  return TRUE;
}

/* A text whose form is not known goes on to the end of its line, where no bracket is open. What it
 * reads stands outside of braces. */
gboolean
assay_torch_read_raw (AssayTorchParser *self, AssayTorchDraft *draft, const char **raw)
{
  AssayTorchScan *scan = &self->scan;
  const char *text;
  const char *stop;
  gsize length;
  guint braces = 0;
  gboolean is_quoted = FALSE;
  g_autoptr (GString) template = g_string_sized_new (64);
  g_autofree char *valid = NULL;

  *raw = "";
  if (assay_torch_at_new_line (scan))
    return TRUE;
  text = scan->p;
  if (!assay_torch_read_balanced (scan, "\n", &(const char *){ NULL }, &length))
    return FALSE;

  stop = scan->p;
  scan->p = text;
  while (scan->p < stop)
    {
      char c = *scan->p;

      if (c == '%' && braces == 0 && !is_quoted && !names_something (scan))
        {
          if (!read_raw_operand (self, draft))
            return FALSE;
          g_string_append (template, "%v");
          continue;
        }
      if (!is_quoted && c == '/' && stop - scan->p > 1 && scan->p[1] == '/')
        {
          while (scan->p < stop && *scan->p != '\n')
            scan->p++;
          continue;
        }
      if (c == '"')
        is_quoted = !is_quoted;
      else if (c == '{' && !is_quoted)
        braces++;
      else if (c == '}' && !is_quoted && braces > 0)
        braces--;
      else if (c == '\\' && is_quoted && stop - scan->p > 1)
        g_string_append_c (template, *scan->p++);
      /* Within braces and quotes a sign is one of the text. */
      if (*scan->p == '%')
        g_string_append_c (template, '%');
      g_string_append_c (template, *scan->p++);
    }
  g_strchomp (template->str);
  g_string_set_size (template, strlen (template->str));
  valid = g_utf8_make_valid (template->str, (gssize) template->len);
  *raw = assay_arena_intern (self->module->arena, valid);

  return TRUE;
}
