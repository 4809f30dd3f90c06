/* assay-torch-parse-function.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions, modules, and what stands behind all operations.
 */
#include <string.h>

#include "source/torch/assay-torch-parse-private.h"

/* Who may call a function, if it says so. */
const char *const assay_torch_visibilities[] = { "private", "public", "nested", NULL };

static void
add_string (AssayTorchDraft *draft, const char *name, const char *text)
{
  const AssayTorchAttr attr = {
    .name = name, .kind = ASSAY_TORCH_ATTR_STRING, .s = text, .length = strlen (text)
  };

  g_array_append_val (draft->attrs, attr);
}

static gboolean
read_name (AssayTorchParser *self, AssayTorchDraft *draft)
{
  AssayTorchAttr attr = { NULL };

  for (guint i = 0; assay_torch_visibilities[i] != NULL; i++)
    if (assay_torch_accept (&self->scan, assay_torch_visibilities[i]))
      {
        add_string (draft, "sym_visibility", assay_torch_visibilities[i]);
        break;
      }
  if (!assay_torch_at (&self->scan, "@"))
    return assay_torch_expected (&self->scan, "“@” and a name");
  if (!assay_torch_read_attr (&self->scan, &attr))
    return FALSE;
  if (attr.kind != ASSAY_TORCH_ATTR_SYMBOL)
    return assay_torch_fail (&self->scan, "%s is no name of its own", attr.s);
  add_string (draft, "sym_name", attr.s);

  return TRUE;
}

/* The attributes of an argument or a result, maybe none. */
static gboolean
read_attrs (AssayTorchParser *self, GArray *list)
{
  AssayTorchAttr attr = { .kind = ASSAY_TORCH_ATTR_DICT };

  if (assay_torch_at (&self->scan, "{") && !assay_torch_read_attr (&self->scan, &attr))
    return FALSE;
  g_array_append_val (list, attr);

  return TRUE;
}

static gboolean
read_argument_loc (AssayTorchParser *self, AssayTorchValue *value)
{
  const char *text;
  gsize length;

  if (!assay_torch_accept (&self->scan, "loc"))
    return TRUE;
  if (!assay_torch_expect (&self->scan, "(") ||
      !assay_torch_read_balanced (&self->scan, ")", &text, &length) ||
      !assay_torch_expect (&self->scan, ")"))
    return FALSE;
  if (value != NULL)
    value->loc = assay_arena_intern_n (self->module->arena, text, length);

  return TRUE;
}

/* Arguments of a declaration have no names. */
static gboolean
read_arguments (AssayTorchParser *self, GPtrArray *arguments, GPtrArray *types, GArray *attrs)
{
  if (!assay_torch_expect (&self->scan, "("))
    return FALSE;
  while (!assay_torch_accept (&self->scan, ")"))
    {
      const AssayTorchType *type;
      AssayTorchValue *value = NULL;
      const char *name = NULL;

      if (types->len > 0 && !assay_torch_expect (&self->scan, ","))
        return FALSE;
      if (assay_torch_accept (&self->scan, "%") &&
          ((name = assay_torch_read_id (&self->scan)) == NULL ||
           !assay_torch_expect (&self->scan, ":")))
        return FALSE;
      type = assay_torch_read_type (&self->scan);
      if (type == NULL || (name != NULL && !assay_torch_define (self, name, type, &value)) ||
          !read_attrs (self, attrs) || !read_argument_loc (self, value))
        return FALSE;
      g_ptr_array_add (types, (gpointer) type);
      if (value != NULL)
        {
          value->index = arguments->len;
          g_ptr_array_add (arguments, value);
        }
    }

  return TRUE;
}

static gboolean
read_results (AssayTorchParser *self, GPtrArray *types, GArray *attrs)
{
  const AssayTorchType *type;
  guint n = 0;

  if (!assay_torch_accept (&self->scan, "->"))
    return TRUE;
  if (!assay_torch_accept (&self->scan, "("))
    {
      type = assay_torch_read_type (&self->scan);
      if (type != NULL)
        g_ptr_array_add (types, (gpointer) type);
      return type != NULL;
    }
  for (; !assay_torch_accept (&self->scan, ")"); n++)
    {
      if ((n > 0 && !assay_torch_expect (&self->scan, ",")) ||
          (type = assay_torch_read_type (&self->scan)) == NULL || !read_attrs (self, attrs))
        return FALSE;
      g_ptr_array_add (types, (gpointer) type);
    }

  return TRUE;
}

/* A list of dictionaries is an attribute if one of them says something. */
static void
add_attrs (AssayTorchParser *self, AssayTorchDraft *draft, const char *name, const GArray *list)
{
  AssayTorchAttr attr = { .name = name, .kind = ASSAY_TORCH_ATTR_ARRAY, .n = list->len };

  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, AssayTorchAttr, i).n > 0)
      {
        attr.items = assay_arena_memdup (self->module->arena, list->data,
                                         list->len * sizeof (AssayTorchAttr));
        g_array_append_val (draft->attrs, attr);
        return;
      }
}

/* Every argument of what has a body is a value there. */
static gboolean
read_body (AssayTorchParser *self, AssayTorchRegion *region, GPtrArray *arguments,
           guint n_arguments)
{
  if (!assay_torch_at (&self->scan, "{"))
    return TRUE;
  if (arguments->len != n_arguments)
    return assay_torch_fail (&self->scan, "an argument of a function with a body has no name");

  return assay_torch_read_region (self, region, arguments);
}

static gboolean
read_signature (AssayTorchParser *self, AssayTorchDraft *draft, GPtrArray *arguments,
                guint *n_arguments)
{
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  g_autoptr (GArray) argument_attrs = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr));
  g_autoptr (GArray) result_attrs = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr));
  AssayTorchAttr attr = { .name = "function_type", .kind = ASSAY_TORCH_ATTR_TYPE };
  AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_FUNCTION, .rank = -1 };

  /* As deep as in the attributes that they are. */
  self->scan.depth[ASSAY_TORCH_DEPTH_TYPE]++;
  self->scan.depth[ASSAY_TORCH_DEPTH_ATTR]++;
  if (!read_arguments (self, arguments, types, argument_attrs))
    return FALSE;
  type.n_arguments = *n_arguments = types->len;
  if (!read_results (self, types, result_attrs))
    return FALSE;
  self->scan.depth[ASSAY_TORCH_DEPTH_TYPE]--;
  self->scan.depth[ASSAY_TORCH_DEPTH_ATTR]--;
  type.n = types->len;
  type.inner = (const AssayTorchType *const *) types->pdata;
  attr.type = assay_torch_type_intern (self->module, type);
  g_array_append_val (draft->attrs, attr);
  add_attrs (self, draft, "arg_attrs", argument_attrs);
  add_attrs (self, draft, "res_attrs", result_attrs);

  return !assay_torch_accept (&self->scan, "attributes") ||
         assay_torch_read_dict (&self->scan, draft->attrs);
}

gboolean
assay_torch_read_function (AssayTorchParser *self, AssayTorchDraft *draft)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  AssayTorchRegion region = { NULL };
  guint n_arguments = 0;
  guint32 outer;
  guint mark;
  gboolean done;

  if (!read_name (self, draft))
    return FALSE;
  assay_torch_open_scope (self, &outer, &mark);
  done = read_signature (self, draft, arguments, &n_arguments) &&
         read_body (self, &region, arguments, n_arguments);
  assay_torch_close_scope (self, outer, mark);
  if (region.first != NULL)
    g_array_append_val (draft->regions, region);

  return done && self->scan.error == NULL;
}

gboolean
assay_torch_read_module (AssayTorchParser *self, AssayTorchDraft *draft)
{
  if (assay_torch_at (&self->scan, "@") && !read_name (self, draft))
    return FALSE;
  if (assay_torch_accept (&self->scan, "attributes") &&
      !assay_torch_read_dict (&self->scan, draft->attrs))
    return FALSE;

  return assay_torch_read_form (self, "G", draft);
}

static gboolean
read_resource (AssayTorchParser *self, const char *dialect, gboolean is_first)
{
  AssayTorchScan *scan = &self->scan;
  AssayTorchResource *resource = assay_arena_alloc (self->module->arena, sizeof *resource);

  if (!is_first && !assay_torch_expect (scan, ","))
    return FALSE;
  resource->name = assay_torch_at (scan, "\"") ? assay_torch_read_quoted_name (scan)
                                               : assay_torch_read_id (scan);
  resource->dialect = dialect;
  if (resource->name == NULL || !assay_torch_expect (scan, ":") ||
      !assay_torch_read_balanced (scan, ",", &resource->text, &resource->length))
    return FALSE;
  g_ptr_array_add (self->module->resource_list, resource);
  if (g_strcmp0 (dialect, "builtin") == 0)
    assay_pointer_map_insert (&self->module->resources, resource->name, resource);

  return TRUE;
}

/* `{-# dialect_resources: { builtin: { name: "0x…" } } #-}`. */
gboolean
assay_torch_read_resources (AssayTorchParser *self)
{
  AssayTorchScan *scan = &self->scan;

  if (!assay_torch_expect (scan, "{-#"))
    return FALSE;
  while (!assay_torch_accept (scan, "#-}"))
    {
      const char *section = assay_torch_read_word (scan);

      if (section == NULL || !assay_torch_expect (scan, ":") || !assay_torch_expect (scan, "{"))
        return assay_torch_expected (scan, "resources");
      while (!assay_torch_accept (scan, "}"))
        {
          const char *dialect = assay_torch_read_word (scan);
          guint n = 0;

          if (dialect == NULL || !assay_torch_expect (scan, ":") || !assay_torch_expect (scan, "{"))
            return assay_torch_expected (scan, "a dialect with its resources");
          if (!g_str_equal (section, "dialect_resources"))
            dialect = NULL;
          for (; !assay_torch_accept (scan, "}"); n++)
            if (!read_resource (self, dialect, n == 0))
              return FALSE;
          assay_torch_accept (scan, ",");
        }
      assay_torch_accept (scan, ",");
    }

  return TRUE;
}
