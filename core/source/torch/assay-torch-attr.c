/* assay-torch-attr.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

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

static gboolean
is_float_type (const AssayTorchType *type)
{
  return type != NULL && (type->text[0] == 'f' || type->text[0] == 'b');
}

static gboolean
read_number (AssayTorchScan *self, AssayTorchAttr *attr)
{
  gboolean is_float;
  gsize length = number_length (self, &is_float);
  char text[64];

  if (length == 0 || length >= sizeof text)
    return assay_torch_expected (self, "a number");
  memcpy (text, self->p, length);
  text[length] = '\0';

  attr->kind = is_float ? ASSAY_TORCH_ATTR_FLOAT : ASSAY_TORCH_ATTR_INT;
  if (is_float)
    attr->f = g_ascii_strtod (text, NULL);
  else if (strstr (text, "0x") != NULL)
    attr->i = (gint64) g_ascii_strtoull (strstr (text, "0x") + 2, NULL, 16) *
              (text[0] == '-' ? -1 : 1);
  else if (!assay_torch_read_integer (self, &attr->i))
    return FALSE;
  else
    self->p -= length;
  self->p += length;

  if (assay_torch_accept (self, ":") && (attr->type = assay_torch_read_type (self)) == NULL)
    return FALSE;

  /* Hexadecimal digits are the bits of a number whose type has a point. */
  if (attr->kind == ASSAY_TORCH_ATTR_INT && is_float_type (attr->type))
    {
      gint64 bits = attr->i;
      float narrow;
      guint32 low = (guint32) bits;

      attr->kind = ASSAY_TORCH_ATTR_FLOAT;
      memcpy (&narrow, &low, sizeof narrow);
      memcpy (&attr->f, &bits, sizeof attr->f);
      if (g_str_equal (attr->type->text, "f32"))
        attr->f = (double) narrow;
    }

  return TRUE;
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
      assay_torch_skip (self);
      if (self->p < self->end && *self->p == '"')
        {
          const char *text;

          if (!assay_torch_read_quoted (self, &text, &attr->length))
            return FALSE;
          attr->s = assay_arena_intern_n (self->module->arena, text, attr->length);
        }
      else
        attr->s = assay_torch_read_id (self);
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

static gboolean
read_symbol (AssayTorchScan *self, AssayTorchAttr *attr)
{
  GString *whole = g_string_new (NULL);
  gboolean done;

  attr->kind = ASSAY_TORCH_ATTR_SYMBOL;
  do
    {
      const char *part;
      gsize length;

      self->p++;
      if (whole->len > 0)
        g_string_append (whole, "::");
      if (self->p < self->end && *self->p == '"')
        done = assay_torch_read_quoted (self, &part, &length);
      else
        {
          part = assay_torch_read_id (self);
          done = part != NULL;
          length = done ? strlen (part) : 0;
        }
      if (done)
        g_string_append_len (whole, part, (gssize) length);
    }
  while (done && self->end - self->p > 2 && memcmp (self->p, "::@", 3) == 0 && (self->p += 2));

  attr->s = assay_arena_intern_n (self->module->arena, whole->str, whole->len);
  attr->length = whole->len;
  g_string_free (whole, TRUE);

  return done;
}

static gboolean
read_foreign (AssayTorchScan *self, AssayTorchAttr *attr)
{
  attr->kind = ASSAY_TORCH_ATTR_FOREIGN;
  if (!assay_torch_read_balanced (self, ",", &attr->s, &attr->length))
    return FALSE;

  return attr->length > 0 || assay_torch_expected (self, "an attribute");
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

  return !(g_str_has_prefix (attr->s, "sparse") || g_str_has_prefix (attr->s, "opaque")) ||
         !assay_torch_accept (self, ":") || (attr->type = assay_torch_read_type (self)) != NULL;
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
      if (!assay_torch_read_dict (self, items))
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
    {
      attr->kind = ASSAY_TORCH_ATTR_TYPE;
      attr->type = assay_torch_read_type (self);
      return attr->type != NULL;
    }
  if (c == '#' || g_ascii_isalpha (c))
    return read_named (self, attr);

  return read_foreign (self, attr);
}

gboolean
assay_torch_read_attr (AssayTorchScan *self, AssayTorchAttr *attr)
{
  gboolean done = assay_torch_deeper (self) && read_plain (self, attr);

  self->depth--;

  return done;
}

/* Of one operation. */
#define MAX_ATTRS 65536

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
      assay_torch_skip (self);
      if (self->p < self->end && *self->p == '"')
        {
          const char *text;
          gsize length;

          if (!assay_torch_read_quoted (self, &text, &length))
            return FALSE;
          name = assay_arena_intern_n (self->module->arena, text, length);
        }
      else
        name = assay_torch_read_word (self);
      if (name == NULL)
        return assay_torch_expected (self, "the name of an attribute");
      if (assay_torch_accept (self, "=") && !assay_torch_read_attr (self, &attr))
        return FALSE;
      attr.name = name;
      g_array_append_val (attrs, attr);
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

void
assay_torch_append_symbol (GString *text, const char *name)
{
  gboolean is_plain = g_ascii_isalpha (name[0]) || name[0] == '_';

  for (const char *p = name; *p != '\0'; p++)
    is_plain &= assay_torch_is_word (*p);
  g_string_append_c (text, '@');
  if (is_plain)
    g_string_append (text, name);
  else
    assay_torch_append_quoted (text, name, strlen (name));
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
      g_string_append_printf (text, "%" G_GINT64_FORMAT, attr->i);
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
      g_string_append_printf (text, "dense_resource<%s>", attr->s);
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
    g_string_append_printf (text, "%s%s", attr->kind == ASSAY_TORCH_ATTR_TYPE ? "" : " : ",
                            attr->type->text);
}

void
assay_torch_append_dict (GString *text, guint n, const AssayTorchAttr *attrs)
{
  g_string_append_c (text, '{');
  for (guint i = 0; i < n; i++)
    {
      const char *p = attrs[i].name;

      g_string_append (text, i > 0 ? ", " : "");
      while (assay_torch_is_word (*p))
        p++;
      if (*p == '\0' && p > attrs[i].name && !g_ascii_isdigit (attrs[i].name[0]))
        g_string_append (text, attrs[i].name);
      else
        assay_torch_append_quoted (text, attrs[i].name, strlen (attrs[i].name));
      if (attrs[i].kind == ASSAY_TORCH_ATTR_UNIT)
        continue;
      g_string_append (text, " = ");
      assay_torch_append_attr (text, &attrs[i]);
    }
  g_string_append_c (text, '}');
}
