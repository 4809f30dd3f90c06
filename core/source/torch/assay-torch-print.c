/* assay-torch-print.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/torch/assay-torch-parse-private.h"

typedef struct
{
  const AssayTorchModule *module;
  GString *text;
  GHashTable *names;      /* value to the name it is printed with */
  AssayPointerMap *taken; /* names that are in use in a function: how many there are of each */
  guint depth;
} Printer;

static void print_ops (Printer *self, const AssayTorchBlock *block);

static void
new_line (Printer *self)
{
  if (self->text->len > 0)
    g_string_append_c (self->text, '\n');
  for (guint i = 0; i < self->depth; i++)
    g_string_append (self->text, "  ");
}

/* The name in the file, if nobody has it here. */
static const char *
take_name (Printer *self, const AssayTorchValue *value)
{
  const char *own = assay_arena_intern (self->module->arena, value->name);
  guint n = GPOINTER_TO_UINT (assay_pointer_map_lookup (self->taken, own));
  const char *name = own;

  for (guint i = n; n > 0 && assay_pointer_map_lookup (self->taken, name) != NULL; i++)
    {
      g_autofree char *other = g_strdup_printf ("%s_%u", own, i - 1);

      name = assay_arena_intern (self->module->arena, other);
      n = i;
    }
  assay_pointer_map_insert (self->taken, own, GUINT_TO_POINTER (n + 1));
  if (name != own)
    assay_pointer_map_insert (self->taken, name, GUINT_TO_POINTER (1));

  return name;
}

static void
print_value (Printer *self, const AssayTorchValue *value)
{
  const AssayTorchValue *first = value;
  const char *name;

  if (value->part > 0)
    first = value->op->results[value->index - value->part];
  name = g_hash_table_lookup (self->names, first);
  g_string_append_c (self->text, '%');
  g_string_append (self->text, name != NULL ? name : first->name);
  if (value->part > 0 || (value->op != NULL && value->index + 1 < value->op->n_results &&
                          value->op->results[value->index + 1]->part == 1))
    g_string_append_printf (self->text, "#%u", value->part);
}

static void
print_definition (Printer *self, const AssayTorchValue *value)
{
  const char *name = take_name (self, value);

  g_hash_table_insert (self->names, (gpointer) value, (gpointer) name);
  g_string_append_c (self->text, '%');
  g_string_append (self->text, name);
}

static void
print_operands (Printer *self, const AssayTorchOp *op, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    {
      g_string_append (self->text, i > from ? ", " : "");
      print_value (self, op->operands[i]);
    }
}

static void
print_types (Printer *self, AssayTorchValue *const *values, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    {
      g_string_append (self->text, i > from ? ", " : "");
      g_string_append (self->text, values[i]->type->text);
    }
}

static void
print_function_type (Printer *self, const AssayTorchOp *op, guint from)
{
  gboolean is_one = op->n_results == 1 && op->results[0]->type->text[0] != '(';

  g_string_append_c (self->text, '(');
  print_types (self, op->operands, from, op->n_operands);
  g_string_append (self->text, is_one ? ") -> " : ") -> (");
  print_types (self, op->results, 0, op->n_results);
  g_string_append (self->text, is_one ? "" : ")");
}

static void
print_region (Printer *self, const AssayTorchRegion *region, gboolean is_function)
{
  g_string_append_c (self->text, '{');
  for (const AssayTorchBlock *block = region->first; block != NULL; block = block->next)
    {
      /* Its arguments are those of the function. */
      if (block->name != NULL && !(is_function && block == region->first))
        {
          new_line (self);
          g_string_append_printf (self->text, "^%s", block->name);
          for (guint i = 0; i < block->n_arguments; i++)
            {
              g_string_append (self->text, i > 0 ? ", " : "(");
              print_definition (self, block->arguments[i]);
              g_string_append_printf (self->text, ": %s", block->arguments[i]->type->text);
              if (block->arguments[i]->loc != NULL)
                g_string_append_printf (self->text, " loc(%s)", block->arguments[i]->loc);
            }
          g_string_append (self->text, block->n_arguments > 0 ? "):" : ":");
        }
      self->depth++;
      print_ops (self, block);
      self->depth--;
    }
  new_line (self);
  g_string_append_c (self->text, '}');
}

/* Attributes that stand nowhere else. */
static void
print_rest (Printer *self, const AssayTorchOp *op, const char *const *printed, guint n,
            const char *before)
{
  g_autoptr (GArray) rest = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr));

  for (guint i = 0; i < op->n_attrs; i++)
    {
      gboolean is_printed = FALSE;

      for (guint j = 0; j < n; j++)
        is_printed |= g_str_equal (printed[j], op->attrs[i].name);
      if (!is_printed)
        g_array_append_val (rest, op->attrs[i]);
    }
  if (rest->len == 0)
    return;
  g_string_append (self->text, before);
  assay_torch_append_dict (self->text, rest->len,
                           (const AssayTorchAttr *) (gconstpointer) rest->data);
}

typedef struct
{
  const char *printed[8];
  guint n_printed;
  guint n_operands;
  guint n_typed;
  guint n_regions;
} Done;

static void
print_slots (Printer *self, const AssayTorchOp *op)
{
  const AssayTorchAttr *symbols = assay_torch_op_find_attr (op, "slotSymNames");

  for (guint i = 0; symbols != NULL && i < op->n_operands && i < symbols->n; i++)
    {
      g_string_append_c (self->text, ' ');
      assay_torch_append_attr (self->text, &symbols->items[i]);
      g_string_append_c (self->text, '(');
      print_value (self, op->operands[i]);
      g_string_append_printf (self->text, " : %s)", op->operands[i]->type->text);
    }
  g_string_append_c (self->text, ' ');
}

/* The first half are keys. */
static void
print_entries (Printer *self, const AssayTorchOp *op, guint from, const char *what)
{
  g_string_append (self->text, what);
  print_operands (self, op, from, from + op->n_operands / 2);
  g_string_append (self->text, op->n_operands > 0 ? " : " : "");
  print_types (self, op->operands, from, from + op->n_operands / 2);
  g_string_append_c (self->text, ')');
}

static void
print_piece (Printer *self, const AssayTorchOp *op, const char *piece, gsize length, Done *done)
{
  switch (piece[0])
    {
    case '\'':
      g_string_append_len (self->text, piece + 1, (gssize) length - 2);
      break;
    case '=':
    case '&':
    case '@':
      for (guint i = 0; i < op->n_attrs; i++)
        if (strlen (op->attrs[i].name) == length - 1 &&
            memcmp (op->attrs[i].name, piece + 1, length - 1) == 0)
          {
            if (piece[0] == '@')
              {
                g_autofree char *name = assay_torch_op_get_string (op, op->attrs[i].name);

                assay_torch_append_symbol (self->text, name != NULL ? name : "");
              }
            else
              assay_torch_append_attr (self->text, &op->attrs[i]);
          }
      break;
    case '?':
      for (guint i = 0; i < op->n_attrs; i++)
        if (g_str_equal (op->attrs[i].name, piece[1] == '"' ? "sym_visibility" : "isPrivate"))
          g_string_append_len (self->text, piece + 1, (gssize) length - 1);
      break;
    case 'O':
      print_operands (self, op, done->n_operands, op->n_operands);
      done->n_operands = op->n_operands;
      break;
    case 'o':
    case 'u':
      print_operands (self, op, done->n_operands, done->n_operands + 1);
      done->n_operands++;
      done->n_typed += piece[0] == 'u';
      break;
    case 'D':
      print_rest (self, op, done->printed, done->n_printed, "");
      break;
    case 'T':
      print_types (self, op->operands, done->n_typed, done->n_operands);
      done->n_typed = done->n_operands;
      break;
    case 't':
      print_types (self, op->operands, done->n_typed, done->n_typed + 1);
      done->n_typed++;
      break;
    case 'R':
    case 'r':
      print_types (self, op->results, 0, op->n_results);
      break;
    case 'F':
      print_function_type (self, op, done->n_typed);
      break;
    case 'S':
      print_slots (self, op);
      break;
    case 'K':
      print_entries (self, op, 0, "keys(");
      print_entries (self, op, op->n_operands / 2, " values(");
      break;
    default:
      for (guint i = 0; i < (length == 1 ? 1 : op->n_regions) && done->n_regions < op->n_regions;
           i++)
        {
          g_string_append (self->text, i > 0 ? ", " : "");
          print_region (self, &op->regions[done->n_regions++], FALSE);
        }
    }
}

/* Which attributes have a place of their own in a form. */
static void
find_printed (const char *format, AssayTorchModule *module, Done *done)
{
  for (const char *p = format; *p != '\0';)
    {
      gsize length = strcspn (p, " ");

      if (strchr ("=&@", *p) != NULL && done->n_printed < G_N_ELEMENTS (done->printed))
        done->printed[done->n_printed++] = assay_arena_intern_n (module->arena, p + 1, length - 1);
      else if (*p == '?' && done->n_printed < G_N_ELEMENTS (done->printed))
        done->printed[done->n_printed++] = p[1] == '"' ? "sym_visibility" : "isPrivate";
      else if (*p == 'S' && done->n_printed < G_N_ELEMENTS (done->printed))
        done->printed[done->n_printed++] = "slotSymNames";
      p += length;
      p += strspn (p, " ");
    }
}

static gboolean
hugs (char before, const char *piece)
{
  return before == '(' || before == '[' || strchr (")],", piece[1]) != NULL;
}

static void
print_form (Printer *self, const AssayTorchOp *op, const char *format)
{
  Done done = { .n_printed = 0 };

  find_printed (format, (AssayTorchModule *) self->module, &done);
  for (const char *p = format; *p != '\0';)
    {
      gsize length = strcspn (p, " ");
      gsize before = self->text->len;
      char last = self->text->str[before - 1];

      if (*p == '[' && op->n_operands <= done.n_operands)
        length = (gsize) (strchr (p, ']') + 1 - p);
      else if (*p != '[' && *p != ']')
        {
          gboolean is_tight = last == '(' || last == '[' || (*p == '\'' && hugs (last, p)) ||
                              (p[0] == '\'' && p[1] == '(' && last != '>');

          if (!is_tight)
            g_string_append_c (self->text, ' ');
          print_piece (self, op, p, length, &done);
          if (self->text->len == before + 1 && !is_tight)
            g_string_truncate (self->text, before);
        }
      p += length;
      p += strspn (p, " ");
    }
}

static void
print_function (Printer *self, const AssayTorchOp *op)
{
  static const char *const printed[] = { "sym_name", "sym_visibility", "function_type", "arg_attrs",
                                         "res_attrs" };
  const AssayTorchAttr *type = assay_torch_op_find_attr (op, "function_type");
  const AssayTorchAttr *arguments = assay_torch_op_find_attr (op, "arg_attrs");
  const AssayTorchAttr *results = assay_torch_op_find_attr (op, "res_attrs");
  g_autofree char *visibility = assay_torch_op_get_string (op, "sym_visibility");
  g_autofree char *name = assay_torch_op_get_string (op, "sym_name");
  const AssayTorchBlock *block = op->n_regions > 0 ? op->regions[0].first : NULL;
  guint n_results = type->type->n - type->type->n_arguments;
  gboolean is_one = n_results == 1 && results == NULL;

  g_string_append_printf (self->text, "func.func %s%s", visibility != NULL ? visibility : "",
                          visibility != NULL ? " " : "");
  assay_torch_append_symbol (self->text, name);
  g_string_append_c (self->text, '(');
  for (guint i = 0; i < type->type->n_arguments; i++)
    {
      const char *loc = NULL;

      g_string_append (self->text, i > 0 ? ", " : "");
      if (block != NULL && i < block->n_arguments)
        {
          print_definition (self, block->arguments[i]);
          g_string_append (self->text, ": ");
          loc = block->arguments[i]->loc;
        }
      g_string_append (self->text, type->type->inner[i]->text);
      if (arguments != NULL && i < arguments->n && arguments->items[i].n > 0)
        {
          g_string_append_c (self->text, ' ');
          assay_torch_append_attr (self->text, &arguments->items[i]);
        }
      if (loc != NULL)
        g_string_append_printf (self->text, " loc(%s)", loc);
    }
  g_string_append_c (self->text, ')');
  if (n_results > 0)
    g_string_append (self->text, is_one ? " -> " : " -> (");
  for (guint i = 0; i < n_results; i++)
    {
      g_string_append_printf (self->text, "%s%s", i > 0 ? ", " : "",
                              type->type->inner[type->type->n_arguments + i]->text);
      if (results != NULL && i < results->n && results->items[i].n > 0)
        {
          g_string_append_c (self->text, ' ');
          assay_torch_append_attr (self->text, &results->items[i]);
        }
    }
  if (n_results > 0 && !is_one)
    g_string_append_c (self->text, ')');
  print_rest (self, op, printed, G_N_ELEMENTS (printed), " attributes ");
  if (block != NULL)
    {
      g_string_append_c (self->text, ' ');
      print_region (self, &op->regions[0], TRUE);
    }
}

static void
print_module (Printer *self, const AssayTorchOp *op)
{
  static const char *const printed[] = { "sym_name" };
  g_autofree char *name = assay_torch_op_get_string (op, "sym_name");

  g_string_append (self->text, "module");
  if (name != NULL)
    {
      g_string_append_c (self->text, ' ');
      assay_torch_append_symbol (self->text, name);
    }
  print_rest (self, op, printed, 1, " attributes ");
  g_string_append_c (self->text, ' ');
  print_region (self, &op->regions[0], FALSE);
}

static void
print_generic (Printer *self, const AssayTorchOp *op)
{
  assay_torch_append_quoted (self->text, op->name, strlen (op->name));
  g_string_append_c (self->text, '(');
  print_operands (self, op, 0, op->n_operands);
  g_string_append_c (self->text, ')');
  for (guint i = 0; i < op->n_regions; i++)
    {
      g_string_append (self->text, i > 0 ? ", " : " (");
      print_region (self, &op->regions[i], FALSE);
    }
  if (op->n_regions > 0)
    g_string_append_c (self->text, ')');
  print_rest (self, op, NULL, 0, " ");
  g_string_append (self->text, " : ");
  print_function_type (self, op, 0);
}

static void
print_raw (Printer *self, const AssayTorchOp *op)
{
  guint next = 0;

  g_string_append (self->text, op->name);
  g_string_append (self->text, op->raw[0] != '\0' ? " " : "");
  for (const char *p = op->raw; *p != '\0'; p++)
    if (*p != '%')
      g_string_append_c (self->text, *p);
    else if (*++p == 'v' && next < op->n_operands)
      print_value (self, op->operands[next++]);
    else
      g_string_append_c (self->text, '%');
}

/* Most operations: operands, attributes, types. */
static void
print_standard (Printer *self, const AssayTorchOp *op)
{
  g_string_append (self->text, op->name);
  g_string_append (self->text, op->n_operands > 0 ? " " : "");
  print_operands (self, op, 0, op->n_operands);
  print_rest (self, op, NULL, 0, " ");
  if (op->n_operands + op->n_results > 0)
    g_string_append (self->text, " : ");
  print_types (self, op->operands, 0, op->n_operands);
  if (op->n_operands > 0 && op->n_results > 0)
    g_string_append (self->text, " -> ");
  print_types (self, op->results, 0, op->n_results);
}

static void
print_op (Printer *self, const AssayTorchOp *op)
{
  const AssayTorchForm *form = assay_torch_form_find (op->name);
  gboolean is_named = op->n_results > 0 && op->results[0]->name != NULL;

  for (guint i = 0; is_named && i < op->n_results; i++)
    {
      guint n = 1;

      while (i + n < op->n_results && op->results[i + n]->part == n)
        n++;
      g_string_append (self->text, i > 0 ? ", " : "");
      print_definition (self, op->results[i]);
      if (n > 1)
        g_string_append_printf (self->text, ":%u", n);
      i += n - 1;
    }
  if (is_named)
    g_string_append (self->text, " = ");

  if (op->raw != NULL)
    print_raw (self, op);
  else if (g_str_equal (op->name, "func.func") && assay_torch_can_print_function (op))
    print_function (self, op);
  else if (g_str_equal (op->name, "builtin.module") && assay_torch_can_print_module (op))
    print_module (self, op);
  else if (form != NULL && assay_torch_fits_form (op, form))
    {
      /* Functions give their operations short names. */
      g_string_append (self->text, g_str_equal (op->name, "func.return") ? "return"
                                   : g_str_equal (op->name, "func.call") ? "call"
                                                                         : op->name);
      print_form (self, op, form->format);
    }
  else if (form == NULL && assay_torch_can_print_standard (op))
    print_standard (self, op);
  else
    print_generic (self, op);

  if (op->loc != NULL)
    g_string_append_printf (self->text, " loc(%s)", op->loc);
}

/* Names are those of a function; those of a nested region may not be those around it. */
static void
print_ops (Printer *self, const AssayTorchBlock *block)
{
  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      gboolean is_function = g_str_equal (op->name, "func.func");
      g_auto (AssayPointerMap) own = { NULL };
      AssayPointerMap *outer = self->taken;

      if (is_function)
        self->taken = &own;
      new_line (self);
      print_op (self, op);
      self->taken = outer;
    }
}

static void
print_resources (Printer *self)
{
  const GPtrArray *list = self->module->resource_list;
  const char *dialect = NULL;
  gboolean is_open = FALSE;

  for (guint i = 0; i < list->len; i++)
    {
      const AssayTorchResource *resource = g_ptr_array_index (list, i);

      if (resource->dialect == NULL)
        continue;
      if (!is_open)
        g_string_append (self->text, "\n{-#\n  dialect_resources: {");
      if (g_strcmp0 (dialect, resource->dialect) != 0)
        g_string_append_printf (self->text, "%s\n    %s: {", is_open ? "\n    }," : "",
                                resource->dialect);
      else
        g_string_append_c (self->text, ',');
      is_open = TRUE;
      dialect = resource->dialect;
      g_string_append (self->text, "\n      ");
      assay_torch_append_name (self->text, resource->name);
      g_string_append (self->text, ": ");
      g_string_append_len (self->text, resource->text, (gssize) resource->length);
    }
  if (is_open)
    g_string_append (self->text, "\n    }\n  }\n#-}\n");
}

/**
 * assay_torch_module_print:
 * @self: a module
 *
 * Writes a module as text that reads as the same module.
 *
 * Returns: (transfer full): the text
 */
char *
assay_torch_module_print (const AssayTorchModule *self)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);

  return assay_torch_module_print_named (self, names);
}

/**
 * assay_torch_module_print_named:
 * @self: a module
 * @names: (element-type AssayTorchValue utf8): gets what each value is called in the text
 *
 * Writes a module as text that reads as the same module, and tells what is called how in it.
 *
 * Returns: (transfer full): the text
 */
char *
assay_torch_module_print_named (const AssayTorchModule *self, GHashTable *names)
{
  g_auto (AssayPointerMap) taken = { NULL };
  Printer printer = { self, g_string_sized_new (256), names, &taken, 0 };

  for (guint i = 0; i < self->alias_names->len; i++)
    {
      const char *name = g_ptr_array_index (self->alias_names, i);

      g_string_append (printer.text, name);
      g_string_append (printer.text, " = ");
      g_string_append (printer.text, assay_pointer_map_lookup (&self->aliases, name));
      g_string_append_c (printer.text, '\n');
    }
  print_ops (&printer, &self->body);
  g_string_append_c (printer.text, '\n');
  print_resources (&printer);

  return g_string_free (printer.text, FALSE);
}
