/* assay-torch-pass-conventions.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How functions are called: arguments get the types that are promised for them, a tuple that is
 * returned comes apart, and nothing is returned for nothing.
 */
#include "source/torch/pass/assay-torch-edit-private.h"

typedef struct
{
  AssayTorchModule *module;
  GHashTable *called; /* names of functions */
} Conventions;

static void
find_called (AssayTorchOp *op, gpointer user_data)
{
  g_autofree char *name = g_str_equal (op->name, "func.call")
                              ? assay_torch_op_get_string (op, "callee")
                              : NULL;

  if (name != NULL)
    g_hash_table_add (user_data, g_steal_pointer (&name));
}

/* Takes the promise out of the attributes of an argument. */
static const AssayTorchType *
take_bound (AssayTorchModule *module, AssayTorchAttr *attrs)
{
  AssayTorchAttr *rest = assay_arena_alloc_n (module->arena, attrs->n + 1, sizeof *rest);
  const AssayTorchType *bound = NULL;
  guint n = 0;

  for (guint i = 0; i < attrs->n; i++)
    if (g_str_equal (attrs->items[i].name, "torch.type_bound") && attrs->items[i].type != NULL)
      bound = attrs->items[i].type;
    else
      rest[n++] = attrs->items[i];
  attrs->items = rest;
  attrs->n = n;

  return bound;
}

static void
bind_arguments (AssayTorchModule *module, AssayTorchOp *function)
{
  AssayTorchBlock *block = function->regions[0].first;
  const AssayTorchAttr *list = assay_torch_op_find_attr (function, "arg_attrs");
  AssayTorchOp *first = block->first;
  AssayTorchAttr attrs;
  guint n_left = 0;

  if (list == NULL || list->n != block->n_arguments)
    return;
  attrs = *list;
  attrs.items = assay_arena_memdup (module->arena, list->items, list->n * sizeof *list->items);
  for (guint i = 0; i < attrs.n; i++)
    {
      const AssayTorchType *bound = take_bound (module, &attrs.items[i]);
      AssayTorchValue *old = block->arguments[i];
      AssayTorchValue *value;
      const AssayTorchType *bare;

      n_left += attrs.items[i].n;
      if (bound == NULL || bound->kind != ASSAY_TORCH_TYPE_VTENSOR || bound == old->type ||
          (old->type->kind != ASSAY_TORCH_TYPE_TENSOR &&
           old->type->kind != ASSAY_TORCH_TYPE_VTENSOR))
        continue;
      /* The argument is a new value; what it was is what the body has. */
      value = assay_arena_memdup (module->arena, old, sizeof *old);
      value->type = bound;
      value->data = NULL;
      block->arguments[i] = value;
      bare = assay_torch_edit_as_value (module, old->type);
      if (bare != bound)
        value = assay_torch_edit_one (module, first, "torch.tensor_static_info_cast", bare,
                                      old->name, 1, &value);
      if (old->type->kind == ASSAY_TORCH_TYPE_TENSOR)
        value = assay_torch_edit_one (module, first, "torch.copy.to_tensor", old->type, old->name,
                                      1, &value);
      old->data = value;
    }
  if (n_left > 0)
    assay_torch_edit_set_attr (module, function, attrs);
  else
    assay_torch_edit_drop_attr (function, "arg_attrs");
}

static void
add_results (AssayTorchModule *module, AssayTorchOp *last, AssayTorchValue *value,
             GPtrArray *values)
{
  if (g_str_equal (value->type->text, "!torch.none"))
    return;
  if (value->type->kind != ASSAY_TORCH_TYPE_TUPLE)
    {
      g_ptr_array_add (values, value);
      return;
    }
  for (guint i = 0; i < value->type->n; i++)
    {
      AssayTorchValue *made = value->op != NULL &&
                                      g_str_equal (value->op->name, "torch.prim.TupleConstruct") &&
                                      value->op->n_operands == value->type->n
                                  ? value->op->operands[i]
                                  : NULL;

      if (made == NULL)
        made = assay_torch_edit_one (
            module, last, "torch.prim.TupleIndex", value->type->inner[i], value->name, 2,
            (AssayTorchValue *[]){ value, assay_torch_edit_int (module, last, i) });
      add_results (module, last, made, values);
    }
}

static void
adjust (AssayTorchOp *op, gpointer user_data)
{
  Conventions *self = user_data;
  AssayTorchOp *last = assay_torch_edit_find_return (op);
  g_autofree char *name = last != NULL ? assay_torch_op_get_string (op, "sym_name") : NULL;
  g_autoptr (GPtrArray) values = NULL;
  g_autofree const AssayTorchType **types = NULL;

  /* Who is still called is called as he was. */
  if (name == NULL || g_hash_table_contains (self->called, name))
    return;

  bind_arguments (self->module, op);
  values = g_ptr_array_new ();
  for (guint i = 0; i < last->n_operands; i++)
    add_results (self->module, last, last->operands[i], values);
  if (values->len != last->n_operands)
    assay_torch_edit_drop_attr (op, "res_attrs");
  last->n_operands = values->len;
  last->operands = assay_arena_memdup (self->module->arena, values->pdata,
                                       values->len * sizeof (gpointer));
  types = g_new (const AssayTorchType *, values->len + 1);
  for (guint i = 0; i < values->len; i++)
    types[i] = last->operands[i]->type;
  assay_torch_edit_set_signature (self->module, op, values->len, types);
}

gboolean
assay_torch_pass_conventions (AssayTorchModule *module, const AssayProgress *progress,
                              GError **error)
{
  g_autoptr (GHashTable) called = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Conventions self = { module, called };

  assay_torch_edit_walk (&module->body, find_called, called);
  assay_torch_edit_walk (&module->body, adjust, &self);
  assay_torch_edit_forward (module);
  assay_torch_edit_sweep (module);

  return TRUE;
}
