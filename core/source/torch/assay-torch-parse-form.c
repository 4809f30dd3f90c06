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

const AssayTorchForm *
assay_torch_form_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_equal (forms[i].name, name))
      return &forms[i];

  return NULL;
}

/* What is not known of a value by what makes it is known by what reads it. */
void
assay_torch_learn_type (AssayTorchDraft *draft, guint operand, const AssayTorchType *type)
{
  AssayTorchValue *value = g_ptr_array_index (draft->operands, operand);

  if (value->type->kind == ASSAY_TORCH_TYPE_UNKNOWN)
    value->type = type;
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
      else if (draft->n_typed < draft->operands->len)
        assay_torch_learn_type (draft, draft->n_typed++, type);
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
    assay_torch_learn_type (draft, draft->n_typed + i, type->inner[i]);
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

  while (assay_torch_at (&self->scan, "@"))
    {
      AssayTorchAttr symbol = { NULL };

      if (!assay_torch_read_attr (&self->scan, &symbol) ||
          !assay_torch_read_form (self, "'(' o ':' t ')'", draft))
        return FALSE;
      g_array_append_val (symbols, symbol);
    }
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
  return assay_torch_read_form (self, "'keys' '(' [ O ':' T ] ')' 'values' '('", draft) &&
         (!assay_torch_at (&self->scan, "%") || assay_torch_read_form (self, "O ':' T", draft)) &&
         assay_torch_expect (&self->scan, ")");
}

static gboolean
read_attr (AssayTorchParser *self, const char *name, gsize length, gboolean is_symbol,
           AssayTorchDraft *draft)
{
  AssayTorchAttr attr = { NULL };

  assay_torch_skip (&self->scan);
  if (is_symbol && !assay_torch_at (&self->scan, "@"))
    return assay_torch_expected (&self->scan, "“@” and a name");
  if (!assay_torch_read_attr (&self->scan, &attr))
    return FALSE;
  /* A symbol that is defined here is the text of an attribute. */
  if (is_symbol)
    attr.kind = ASSAY_TORCH_ATTR_STRING;
  attr.name = assay_arena_intern_n (self->module->arena, name, length);
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
        g_autofree char *word = g_strndup (piece + 1, length - 2);

        return assay_torch_expect (&self->scan, word);
      }
    case '=':
    case '@':
      return read_attr (self, piece + 1, length - 1, piece[0] == '@', draft);
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

      /* A bracket that stands for itself is quoted. */
      if (*p == '[' && !assay_torch_at (&self->scan, "%"))
        length = (gsize) (strchr (p, ']') + 1 - p);
      else if (*p != '[' && *p != ']' && !read_piece (self, p, length, draft))
        return FALSE;
      p += length;
      p += strspn (p, " ");
    }

  return TRUE;
}

/* Whether a name is followed by what it means, as arguments of regions are. */
static gboolean
names_something (const AssayTorchScan *scan)
{
  const char *p = scan->p + 1;

  while (p < scan->end && (assay_torch_is_word (*p) || *p == '-'))
    p++;
  while (p < scan->end && *p == ' ')
    p++;

  return p < scan->end && *p == '=';
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
  g_autoptr (GString) template = g_string_new (NULL);
  g_autofree char *valid = NULL;

  while (scan->p < scan->end && *scan->p == ' ')
    scan->p++;
  if (scan->p < scan->end && *scan->p == '\n')
    {
      *raw = "";
      return TRUE;
    }
  if (!assay_torch_read_balanced (scan, "\n", &text, &length))
    return FALSE;

  stop = scan->p;
  scan->p = text;
  while (scan->p < text + length)
    {
      if (*scan->p == '%' && braces == 0 && !names_something (scan))
        {
          AssayTorchValue *value = assay_torch_read_operand (self);

          if (value == NULL)
            return FALSE;
          g_ptr_array_add (draft->operands, value);
          g_string_append (template, "%v");
          continue;
        }
      if (*scan->p == '{')
        braces++;
      else if (*scan->p == '}' && braces > 0)
        braces--;
      /* Within braces a sign is one of the text. */
      if (*scan->p == '%')
        g_string_append_c (template, '%');
      g_string_append_c (template, *scan->p++);
    }
  scan->p = stop;
  valid = g_utf8_make_valid (template->str, (gssize) template->len);
  *raw = assay_arena_intern (self->module->arena, valid);

  return TRUE;
}
