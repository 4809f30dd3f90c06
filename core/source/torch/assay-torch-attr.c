/* assay-torch-attr.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "source/torch/assay-torch-scan-private.h"

/* How far a number goes, and whether it has a fraction. */
static gsize
number_length (AssayTorchScan *self, gboolean *is_float)
{
  const char *p = self->p;

  *is_float = FALSE;
  p += p < self->end && *p == '-';
  if (self->end - p > 2 && p[0] == '0' && p[1] == 'x')
    {
      for (p += 2; p < self->end && g_ascii_isxdigit (*p);)
        p++;
      return (gsize) (p - self->p);
    }
  while (p < self->end && g_ascii_isdigit (*p))
    p++;
  if (p < self->end && *p == '.')
    {
      *is_float = TRUE;
      for (p++; p < self->end && g_ascii_isdigit (*p);)
        p++;
      if (p < self->end && (*p == 'e' || *p == 'E'))
        {
          p++;
          p += p < self->end && (*p == '-' || *p == '+');
          while (p < self->end && g_ascii_isdigit (*p))
            p++;
        }
    }

  return (gsize) (p - self->p);
}

/* `f32`, `bf16`, `tf32`, `f8E4M3FN`. */
static gboolean
is_float_type (const AssayTorchType *type)
{
  const char *text = type != NULL ? type->text : "";

  return (text[0] == 'f' && g_ascii_isdigit (text[1])) || g_str_equal (text, "bf16") ||
         g_str_equal (text, "tf32");
}

/* Hexadecimal digits are the bits of a number whose type has a point. Those of types that nobody
 * computes with stay what they are. */
static gboolean
read_bits (AssayTorchScan *self, AssayTorchAttr *attr)
{
  static const struct
  {
    const char *type;
    guint n_bits;
  } types[] = { { "f64", 64 }, { "f32", 32 }, { "bf16", 16 }, { "f16", 16 } };
  guint64 bits = (guint64) attr->i;
  guint32 low = (guint32) bits;
  float narrow;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      if (!g_str_equal (attr->type->text, types[i].type))
        continue;
      if (types[i].n_bits < 64 && bits >> types[i].n_bits != 0)
        return assay_torch_fail (self, "a number is too large");
      attr->kind = ASSAY_TORCH_ATTR_FLOAT;
      attr->i = 0;
      memcpy (&narrow, &low, sizeof narrow);
      if (types[i].n_bits == 64)
        memcpy (&attr->f, &bits, sizeof attr->f);
      else if (types[i].n_bits == 32)
        attr->f = (double) narrow;
      else
        attr->f = types[i].type[0] == 'b' ? (double) assay_bf16_to_f32 ((guint16) bits)
                                          : (double) assay_f16_to_f32 ((guint16) bits);
    }

  return TRUE;
}

static gboolean
read_number (AssayTorchScan *self, AssayTorchAttr *attr)
{
  gboolean is_float;
  gsize length = number_length (self, &is_float);
  char text[64];
  const char *digits;
  gboolean is_hex;
  guint64 n = 0;

  if (length == 0 || length >= sizeof text)
    return assay_torch_expected (self, "a number");
  memcpy (text, self->p, length);
  text[length] = '\0';

  digits = text + (text[0] == '-');
  is_hex = digits[0] == '0' && digits[1] == 'x';
  if (digits[is_hex ? 2 : 0] == '\0')
    return assay_torch_expected (self, "a number");
  attr->kind = is_float ? ASSAY_TORCH_ATTR_FLOAT : ASSAY_TORCH_ATTR_INT;
  errno = 0;
  if (is_float)
    attr->f = g_ascii_strtod (text, NULL);
  else
    n = g_ascii_strtoull (is_hex ? digits + 2 : digits, NULL, is_hex ? 16 : 10);
  attr->i = (gint64) (digits > text ? 0 - n : n);
  if ((is_float && !isfinite (attr->f)) || (!is_float && errno == ERANGE) ||
      (digits > text && n > (guint64) G_MAXINT64 + 1))
    return assay_torch_fail (self, "a number is too large");
  self->p += length;

  if (assay_torch_accept (self, ":") && (attr->type = assay_torch_read_type (self)) == NULL)
    return FALSE;
  if (n > G_MAXINT64 && digits == text && !is_hex &&
      (attr->type == NULL || !g_str_equal (attr->type->text, "ui64")))
    return assay_torch_fail (self, "a number is too large");
  if (is_float || !is_float_type (attr->type))
    return TRUE;

  return is_hex ? read_bits (self, attr)
                : assay_torch_fail (self, "a number of a type with a point has none");
}

static gboolean
read_array (AssayTorchScan *self, AssayTorchAttr *attr)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr));

  attr->kind = ASSAY_TORCH_ATTR_ARRAY;
  self->p++;
  while (!assay_torch_accept (self, "]"))
    {
      AssayTorchAttr item = { NULL };

      if ((items->len > 0 && !assay_torch_expect (self, ",")) ||
          !assay_torch_read_attr (self, &item))
        return FALSE;
      g_array_append_val (items, item);
    }
  attr->n = items->len;
  attr->items = assay_arena_memdup (self->module->arena, items->data,
                                    items->len * sizeof (AssayTorchAttr));

  return TRUE;
}

/* Elements stay where they are. */
static gboolean
read_dense (AssayTorchScan *self, AssayTorchAttr *attr, gboolean is_resource)
{
  attr->kind = is_resource ? ASSAY_TORCH_ATTR_RESOURCE : ASSAY_TORCH_ATTR_DENSE;
  if (!assay_torch_expect (self, "<"))
    return FALSE;
  if (is_resource)
    {
      attr->s = assay_torch_at (self, "\"") ? assay_torch_read_quoted_name (self)
                                            : assay_torch_read_id (self);
      if (attr->s == NULL)
        return FALSE;
      attr->length = strlen (attr->s);
    }
  else if (!assay_torch_read_balanced (self, ">", &attr->s, &attr->length))
    return FALSE;
  if (!assay_torch_expect (self, ">") || !assay_torch_expect (self, ":"))
    return FALSE;
  attr->type = assay_torch_read_type (self);

  return attr->type != NULL;
}

/* A symbol within another, `@a::@b`, is kept as it is written: nothing here has any. */
static gboolean
read_symbol (AssayTorchScan *self, AssayTorchAttr *attr)
{
  g_autoptr (GString) whole = g_string_new (NULL);

  attr->kind = ASSAY_TORCH_ATTR_SYMBOL;
  while (TRUE)
    {
      self->p++;
      attr->s = self->p < self->end && *self->p == '"' ? assay_torch_read_quoted_name (self)
                                                       : assay_torch_read_id (self);
      if (attr->s == NULL)
        return FALSE;
      assay_torch_append_symbol (whole, attr->s);
      if (self->end - self->p < 3 || memcmp (self->p, "::@", 3) != 0)
        break;
      attr->kind = ASSAY_TORCH_ATTR_FOREIGN;
      g_string_append (whole, "::");
      self->p += 2;
    }
  if (attr->kind == ASSAY_TORCH_ATTR_FOREIGN)
    attr->s = assay_arena_intern (self->module->arena, whole->str);
  attr->length = strlen (attr->s);

  return TRUE;
}

/* Whether what stands behind a colon is the type of an attribute. */
gboolean
assay_torch_attr_takes_type (const AssayTorchAttr *attr)
{
  return attr->type == NULL &&
         (attr->kind == ASSAY_TORCH_ATTR_INT || attr->kind == ASSAY_TORCH_ATTR_FLOAT ||
          (attr->kind == ASSAY_TORCH_ATTR_FOREIGN &&
           (g_str_has_prefix (attr->s, "sparse<") || g_str_has_prefix (attr->s, "opaque<"))));
}

/* A reference to an alias, or an attribute of another dialect with its brackets. */
static gboolean
read_named (AssayTorchScan *self, AssayTorchAttr *attr)
{
  const char *from = self->p;
  const char *text;
  gsize length;

  attr->kind = ASSAY_TORCH_ATTR_FOREIGN;
  self->p += *self->p == '#';
  while (self->p < self->end && assay_torch_is_word (*self->p))
    self->p++;
  if (self->p < self->end && *self->p == '<')
    {
      self->p++;
      if (!assay_torch_read_balanced (self, ">", &text, &length) || !assay_torch_expect (self, ">"))
        return FALSE;
    }
  attr->length = (gsize) (self->p - from);
  attr->s = assay_arena_intern_n (self->module->arena, from, attr->length);
  if (attr->length < 2)
    return assay_torch_expected (self, "an attribute");

  return !assay_torch_attr_takes_type (attr) || !assay_torch_accept (self, ":") ||
         (attr->type = assay_torch_read_type (self)) != NULL;
}

/* A type whose text is a word is not told from other words, by whatever name it was called. */
static gboolean
read_type (AssayTorchScan *self, AssayTorchAttr *attr)
{
  const AssayTorchType *type = assay_torch_read_type (self);

  if (type == NULL)
    return FALSE;
  if (type->kind == ASSAY_TORCH_TYPE_UNKNOWN)
    return assay_torch_expected (self, "a type that is known");
  if (type->kind == ASSAY_TORCH_TYPE_FOREIGN && type->text[0] != '!')
    {
      attr->kind = ASSAY_TORCH_ATTR_FOREIGN;
      attr->s = type->text;
      attr->length = strlen (type->text);
      return TRUE;
    }
  attr->kind = ASSAY_TORCH_ATTR_TYPE;
  attr->type = type;

  return TRUE;
}

static gboolean
read_plain (AssayTorchScan *self, AssayTorchAttr *attr)
{
  g_autoptr (GArray) items = NULL;
  char c;

  assay_torch_skip (self);
  if (self->p == self->end)
    return assay_torch_expected (self, "an attribute");

  c = *self->p;
  if (g_ascii_isdigit (c) || c == '-')
    return read_number (self, attr);
  if (c == '"')
    {
      attr->kind = ASSAY_TORCH_ATTR_STRING;
      return assay_torch_read_quoted (self, &attr->s, &attr->length);
    }
  if (c == '[')
    return read_array (self, attr);
  if (c == '@')
    return read_symbol (self, attr);
  if (c == '{')
    {
      items = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr));
      attr->kind = ASSAY_TORCH_ATTR_DICT;
      if (!assay_torch_read_dict (self, items) || !assay_torch_check_names (self, items))
        return FALSE;
      attr->n = items->len;
      attr->items = assay_arena_memdup (self->module->arena, items->data,
                                        items->len * sizeof (AssayTorchAttr));
      return TRUE;
    }
  if (assay_torch_accept (self, "true") || assay_torch_accept (self, "false"))
    {
      attr->kind = ASSAY_TORCH_ATTR_BOOL;
      attr->i = self->p[-2] == 'u';
      return TRUE;
    }
  if (assay_torch_accept (self, "unit"))
    {
      attr->kind = ASSAY_TORCH_ATTR_UNIT;
      return TRUE;
    }
  if (assay_torch_accept (self, "dense"))
    return read_dense (self, attr, FALSE);
  if (assay_torch_accept (self, "dense_resource"))
    return read_dense (self, attr, TRUE);
  if (c == '!' || c == '(' || assay_torch_at (self, "tensor"))
    return read_type (self, attr);
  if (c == '#' || g_ascii_isalpha (c))
    return read_named (self, attr);

  return assay_torch_expected (self, "an attribute");
}

gboolean
assay_torch_read_attr (AssayTorchScan *self, AssayTorchAttr *attr)
{
  gboolean done = assay_torch_deeper (self, ASSAY_TORCH_DEPTH_ATTR) && read_plain (self, attr);

  self->depth[ASSAY_TORCH_DEPTH_ATTR]--;

  return done;
}

/* Of one operation. */
#define MAX_ATTRS 65536
#define FEW_ATTRS 6

/* `{name = attribute, name}`. */
gboolean
assay_torch_read_dict (AssayTorchScan *self, GArray *attrs)
{
  guint first = attrs->len;

  if (!assay_torch_expect (self, "{"))
    return FALSE;
  while (!assay_torch_accept (self, "}"))
    {
      AssayTorchAttr attr = { .kind = ASSAY_TORCH_ATTR_UNIT };
      const char *name;

      if (attrs->len > first && !assay_torch_expect (self, ","))
        return FALSE;
      if (attrs->len - first >= MAX_ATTRS)
        return assay_torch_fail (self, "more than %d attributes", MAX_ATTRS);
      name = assay_torch_at (self, "\"") ? assay_torch_read_quoted_name (self)
                                         : assay_torch_read_word (self);
      if (name == NULL)
        return assay_torch_expected (self, "the name of an attribute");
      if (assay_torch_accept (self, "=") && !assay_torch_read_attr (self, &attr))
        return FALSE;
      attr.name = name;
      g_array_append_val (attrs, attr);
    }

  return TRUE;
}

static gboolean
is_twice (AssayTorchScan *self, const char *name)
{
  return assay_torch_fail (self, "there are two attributes “%s”", name);
}

static gboolean
check_few_names (AssayTorchScan *self, const GArray *attrs)
{
  for (guint i = 1; i < attrs->len; i++)
    for (guint j = 0; j < i; j++)
      if (g_str_equal (g_array_index (attrs, AssayTorchAttr, i).name,
                       g_array_index (attrs, AssayTorchAttr, j).name))
        return is_twice (self, g_array_index (attrs, AssayTorchAttr, i).name);

  return TRUE;
}

/* Of two attributes with one name there is no telling which is meant. */
gboolean
assay_torch_check_names (AssayTorchScan *self, const GArray *attrs)
{
  g_autoptr (GHashTable) names = NULL;

  /* Most operations have few, and no table is needed to tell those apart. */
  if (attrs->len <= FEW_ATTRS)
    return check_few_names (self, attrs);
  names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < attrs->len; i++)
    {
      const char *name = g_array_index (attrs, AssayTorchAttr, i).name;

      if (!g_hash_table_add (names, (gpointer) name))
        return is_twice (self, name);
    }

  return TRUE;
}

void
assay_torch_append_quoted (GString *text, const char *string, gsize length)
{
  g_string_append_c (text, '"');
  for (gsize i = 0; i < length; i++)
    {
      guchar c = (guchar) string[i];

      if (c == '"' || c == '\\')
        g_string_append_printf (text, "\\%c", c);
      else if (c < 32 || c >= 127)
        g_string_append_printf (text, "\\%02X", c);
      else
        g_string_append_c (text, (char) c);
    }
  g_string_append_c (text, '"');
}

/* In quotes, if it is not one word. */
void
assay_torch_append_name (GString *text, const char *name)
{
  gboolean is_plain = g_ascii_isalpha (name[0]) || name[0] == '_';

  for (const char *p = name; *p != '\0'; p++)
    is_plain &= assay_torch_is_word (*p);
  if (is_plain)
    g_string_append (text, name);
  else
    assay_torch_append_quoted (text, name, strlen (name));
}

void
assay_torch_append_symbol (GString *text, const char *name)
{
  g_string_append_c (text, '@');
  assay_torch_append_name (text, name);
}

static void
append_float (GString *text, const AssayTorchAttr *attr)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  guint64 bits;
  float narrow = (float) attr->f;
  guint32 low;

  if (isfinite (attr->f))
    {
      /* As short as MLIR writes it, if that is the same number. */
      g_ascii_formatd (number, sizeof number, "%.6e", attr->f);
      if (g_ascii_strtod (number, NULL) != attr->f)
        g_ascii_formatd (number, sizeof number, "%.17e", attr->f);
      g_string_append (text, number);
      return;
    }

  memcpy (&bits, &attr->f, sizeof bits);
  memcpy (&low, &narrow, sizeof low);
  if (attr->type != NULL && g_str_equal (attr->type->text, "f32"))
    g_string_append_printf (text, "0x%08X", low);
  else if (attr->type != NULL && g_str_has_suffix (attr->type->text, "f16"))
    g_string_append_printf (text, "0x%04X",
                            attr->type->text[0] == 'b' ? assay_bf16_from_f32 (narrow)
                                                       : assay_f16_from_f32 (narrow));
  else
    g_string_append_printf (text, "0x%016" G_GINT64_MODIFIER "X", bits);
}

static void
append_value (GString *text, const AssayTorchAttr *attr)
{
  switch (attr->kind)
    {
    case ASSAY_TORCH_ATTR_UNIT:
      g_string_append (text, "unit");
      break;
    case ASSAY_TORCH_ATTR_BOOL:
      g_string_append (text, attr->i ? "true" : "false");
      break;
    case ASSAY_TORCH_ATTR_INT:
      g_string_append_printf (text,
                              is_float_type (attr->type) ? "0x%" G_GINT64_MODIFIER "X"
                              : attr->type != NULL && g_str_equal (attr->type->text, "ui64")
                                  ? "%" G_GUINT64_FORMAT
                                  : "%" G_GINT64_FORMAT,
                              attr->i);
      break;
    case ASSAY_TORCH_ATTR_FLOAT:
      append_float (text, attr);
      break;
    case ASSAY_TORCH_ATTR_STRING:
      assay_torch_append_quoted (text, attr->s, attr->length);
      break;
    case ASSAY_TORCH_ATTR_SYMBOL:
      assay_torch_append_symbol (text, attr->s);
      break;
    case ASSAY_TORCH_ATTR_TYPE:
      break;
    case ASSAY_TORCH_ATTR_ARRAY:
      g_string_append_c (text, '[');
      for (guint i = 0; i < attr->n; i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          assay_torch_append_attr (text, &attr->items[i]);
        }
      g_string_append_c (text, ']');
      break;
    case ASSAY_TORCH_ATTR_DICT:
      assay_torch_append_dict (text, attr->n, attr->items);
      break;
    case ASSAY_TORCH_ATTR_DENSE:
      g_string_append (text, "dense<");
      g_string_append_len (text, attr->s, (gssize) attr->length);
      g_string_append_c (text, '>');
      break;
    case ASSAY_TORCH_ATTR_RESOURCE:
      g_string_append (text, "dense_resource<");
      assay_torch_append_name (text, attr->s);
      g_string_append_c (text, '>');
      break;
    case ASSAY_TORCH_ATTR_FOREIGN:
      g_string_append_len (text, attr->s, (gssize) attr->length);
      break;
    }
}

void
assay_torch_append_attr (GString *text, const AssayTorchAttr *attr)
{
  append_value (text, attr);
  if (attr->type != NULL)
    {
      g_string_append (text, attr->kind == ASSAY_TORCH_ATTR_TYPE ? "" : " : ");
      g_string_append (text, attr->type->text);
    }
}

void
assay_torch_append_dict (GString *text, guint n, const AssayTorchAttr *attrs)
{
  g_string_append_c (text, '{');
  for (guint i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      assay_torch_append_name (text, attrs[i].name);
      if (attrs[i].kind == ASSAY_TORCH_ATTR_UNIT)
        continue;
      g_string_append (text, " = ");
      assay_torch_append_attr (text, &attrs[i]);
    }
  g_string_append_c (text, '}');
}
