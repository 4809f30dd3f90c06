/* assay-torch-run.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program does besides computing: it calls, branches, and looks into its objects.
 */
#include <string.h>

#include "base/assay-error.h"
#include "source/torch/assay-torch-lower-private.h"

#define MAX_CALLS 64

/* Calls of calls may make a short file a long program: by so much longer than the file is. */
#define MAX_RUN 500000

gboolean
assay_torch_fail_at (AssayTorchLower *self, const AssayTorchOp *op, const char *what)
{
  if (self->error == NULL)
    self->error = g_error_new (ASSAY_ERROR, ASSAY_ERROR_IMPORT, "line %u: %s", op->line, what);

  return FALSE;
}

/* @last gets the operation that ends the block. */
gboolean
assay_torch_run_block (AssayTorchLower *self, const AssayTorchBlock *block,
                       const AssayTorchOp **last)
{
  for (const AssayTorchOp *op = block != NULL ? block->first : NULL; op != NULL; op = op->next)
    {
      if (++self->n_run > MAX_RUN + self->module->n_ops)
        return assay_torch_fail_at (self, op, "the program is too long");
      if (op->next == NULL &&
          (g_str_equal (op->name, "func.return") || g_str_has_suffix (op->name, "yield") ||
           g_str_equal (op->name, "torch.prim.Loop.condition")))
        {
          *last = op;
          return TRUE;
        }
      if (!assay_torch_run_op (self, op))
        return FALSE;
    }

  return TRUE;
}

static gboolean
take_results (AssayTorchLower *self, const AssayTorchOp *op, const AssayTorchOp *last,
              const char *otherwise)
{
  if (last == NULL || last->n_operands != op->n_results)
    return assay_torch_fail_at (self, op, otherwise);
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->data = last->operands[i]->data;

  return TRUE;
}

/* A call is the body of the function. */
static gboolean
run_function (AssayTorchLower *self, const AssayTorchOp *op, const AssayTorchOp *function)
{
  const AssayTorchBlock *block = function != NULL && function->n_regions > 0
                                     ? function->regions[0].first
                                     : NULL;
  const AssayTorchOp *last = NULL;
  gboolean done;

  if (block == NULL)
    return assay_torch_fail_at (self, op, "the function that is called is not in the file");
  if (block->n_arguments != op->n_operands)
    return assay_torch_fail_at (self, op, "the function that is called has other arguments");
  if (self->depth >= MAX_CALLS)
    return assay_torch_fail_at (self, op, "functions call each other too deeply");
  for (guint i = 0; i < op->n_operands; i++)
    block->arguments[i]->data = op->operands[i]->data;
  self->depth++;
  done = assay_torch_run_block (self, block, &last);
  self->depth--;

  return done && take_results (self, op, last, "the function that is called has other results");
}

static const AssayTorchOp *
find_function (AssayTorchLower *self, const AssayTorchOp *op, const char *attribute)
{
  g_autofree char *name = assay_torch_op_get_string (op, attribute);

  return name != NULL ? g_hash_table_lookup (self->functions, name) : NULL;
}

static gboolean
run_call (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  return run_function (self, op, find_function (self, op, "callee"));
}

/* A branch that is known is taken. */
static gboolean
run_if (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  const AssayTorchItem *condition = op->n_operands == 1 ? op->operands[0]->data : NULL;
  const AssayTorchOp *last = NULL;

  *is_done = condition != NULL && condition->value == ASSAY_NO_VALUE &&
             condition->kind == ASSAY_TORCH_ITEM_BOOL && op->n_regions == 2;

  return !*is_done ||
         (assay_torch_run_block (self, op->regions[condition->i ? 0 : 1].first, &last) &&
          take_results (self, op, last, "a branch has other results"));
}

/* What the values of a body are in one round says nothing about another. */
static void
forget_block (const AssayTorchBlock *block)
{
  for (guint i = 0; i < block->n_arguments; i++)
    block->arguments[i]->data = NULL;
  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      for (guint i = 0; i < op->n_results; i++)
        op->results[i]->data = NULL;
      for (guint i = 0; i < op->n_regions; i++)
        for (const AssayTorchBlock *inner = op->regions[i].first; inner != NULL;
             inner = inner->next)
          forget_block (inner);
    }
}

static gboolean
is_known (const AssayTorchItem *item, AssayTorchItemKind kind)
{
  return item != NULL && item->kind == kind && item->value == ASSAY_NO_VALUE;
}

/* One round of a loop; @items are what it carries from one to the next. @is_done gets whether the
 * condition is known. */
static gboolean
run_round (AssayTorchLower *self, const AssayTorchOp *op, gint64 round, AssayTorchItem **items,
           gboolean *goes_on, gboolean *is_done)
{
  const AssayTorchBlock *block = op->regions[0].first;
  const AssayTorchOp *last = NULL;
  const AssayTorchItem *condition;

  block->arguments[0]->data = assay_torch_int (self, round);
  for (guint i = 0; i < op->n_results; i++)
    block->arguments[i + 1]->data = items[i];
  if (!assay_torch_run_block (self, block, &last))
    return FALSE;
  if (last == NULL || last->n_operands != op->n_results + 1)
    return assay_torch_fail_at (self, op, "the body of a loop has other results");
  condition = last->operands[0]->data;
  *is_done = is_known (condition, ASSAY_TORCH_ITEM_BOOL);
  *goes_on = *is_done && condition->i != 0;
  for (guint i = 0; i < op->n_results; i++)
    items[i] = last->operands[i + 1]->data;

  return TRUE;
}

/* A loop whose rounds are known is its body so many times. */
static gboolean
run_loop (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  const AssayTorchBlock *block = op->n_regions == 1 ? op->regions[0].first : NULL;
  const AssayTorchItem *most = op->n_operands >= 2 ? op->operands[0]->data : NULL;
  const AssayTorchItem *first = op->n_operands >= 2 ? op->operands[1]->data : NULL;
  g_autoptr (GPtrArray) reach = NULL;
  g_autofree AssayTorchItem **items = NULL;
  gboolean goes_on;

  *is_done = block != NULL && is_known (most, ASSAY_TORCH_ITEM_INT) &&
             is_known (first, ASSAY_TORCH_ITEM_BOOL) && op->n_operands == op->n_results + 2 &&
             block->n_arguments == op->n_results + 1;
  if (!*is_done)
    return TRUE;

  reach = assay_torch_find_reach (self, op);
  items = g_new (AssayTorchItem *, op->n_results + 1);
  for (guint i = 0; i < op->n_results; i++)
    items[i] = op->operands[i + 2]->data;
  goes_on = first->i != 0;
  for (gint64 i = 0; goes_on && i < most->i; i++)
    {
      if (++self->n_run > MAX_RUN + self->module->n_ops)
        return assay_torch_fail_at (self, op, "the program is too long");
      if (!run_round (self, op, i, items, &goes_on, is_done))
        return FALSE;
    }
  forget_block (block);
  if (!*is_done)
    {
      g_clear_pointer (&self->left, g_ptr_array_unref);
      self->left = g_steal_pointer (&reach);
      return TRUE;
    }
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->data = items[i];

  return TRUE;
}

/* The entry of a class, counted among those of the same kind. */
static const AssayTorchOp *
find_entry (const AssayTorchOp *class, const char *kind, const char *name, guint *index)
{
  const AssayTorchBlock *block = class->n_regions > 0 ? class->regions[0].first : NULL;

  *index = 0;
  for (const AssayTorchOp *op = block != NULL ? block->first : NULL; op != NULL; op = op->next)
    {
      g_autofree char *own = assay_torch_op_get_string (op, "name");

      if (!g_str_equal (op->name, kind))
        continue;
      if (g_strcmp0 (own, name) == 0)
        return op;
      (*index)++;
    }

  return NULL;
}

/**
 * assay_torch_find_method:
 * @self: a function on its way to a graph
 * @object: an object
 * @name: name of a method
 *
 * Looks for the function that a method is.
 *
 * Returns: (nullable): the function
 */
const AssayTorchOp *
assay_torch_find_method (AssayTorchLower *self, const AssayTorchItem *object, const char *name)
{
  guint index;
  const AssayTorchOp *entry = find_entry (object->class, "torch.method", name, &index);

  return entry != NULL ? find_function (self, entry, "function") : NULL;
}

/* The attribute of an object that an operation names. */
AssayTorchItem **
assay_torch_find_place (const AssayTorchOp *op)
{
  const AssayTorchItem *object = op->n_operands > 0 ? op->operands[0]->data : NULL;
  g_autofree char *name = assay_torch_op_get_string (op, "name");
  guint index;

  if (object == NULL || object->kind != ASSAY_TORCH_ITEM_OBJECT || name == NULL ||
      find_entry (object->class, "torch.attr", name, &index) == NULL || index >= object->n)
    return NULL;

  return &object->items[index];
}

static gboolean
run_get_attr (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  AssayTorchItem **place = assay_torch_find_place (op);

  if (place == NULL || op->n_results != 1)
    return assay_torch_fail_at (self, op, "an object has no such attribute");
  op->results[0]->data = *place;

  return TRUE;
}

static gboolean
run_set_attr (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  AssayTorchItem **place = assay_torch_find_place (op);

  if (place == NULL || op->n_operands != 2)
    return assay_torch_fail_at (self, op, "an object has no such attribute");
  *place = op->operands[1]->data;

  return TRUE;
}

static gboolean
run_method (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  const AssayTorchItem *object = op->n_operands > 0 ? op->operands[0]->data : NULL;
  g_autofree char *name = assay_torch_op_get_string (op, "name");

  if (object == NULL || object->kind != ASSAY_TORCH_ITEM_OBJECT || name == NULL)
    return assay_torch_fail_at (self, op, "a method of something that is no object");

  return run_function (self, op, assay_torch_find_method (self, object, name));
}

static gboolean
run_class (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  g_autofree char *name = assay_torch_op_get_string (op, "sym_name");

  if (name != NULL)
    g_hash_table_insert (self->classes, (gpointer) assay_arena_intern (self->arena, name),
                         (gpointer) op);

  return TRUE;
}

static gboolean
run_object (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  const AssayTorchType *type = op->n_results == 1 ? op->results[0]->type : NULL;
  const AssayTorchOp *class = type != NULL && type->kind == ASSAY_TORCH_TYPE_CLASS
                                  ? g_hash_table_lookup (self->classes, type->element)
                                  : NULL;
  const AssayTorchBlock *block = op->n_regions > 0 ? op->regions[0].first : NULL;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  AssayTorchItem *object;

  if (class == NULL)
    return assay_torch_fail_at (self, op, "the class of an object is not in the file");
  for (const AssayTorchOp *slot = block != NULL ? block->first : NULL; slot != NULL;
       slot = slot->next)
    if (g_str_equal (slot->name, "torch.slot") && slot->n_operands == 1)
      {
        if (slot->operands[0]->data == self->root)
          self->root = NULL;
        g_ptr_array_add (items, slot->operands[0]->data);
      }
  object = assay_torch_list (self, items->len, (AssayTorchItem **) items->pdata);
  object->kind = ASSAY_TORCH_ITEM_OBJECT;
  object->class = class;
  op->results[0]->data = object;
  self->root = object;

  return TRUE;
}

static void
set_slot (AssayTorchLower *self, const char *name, AssayTorchItem *item)
{
  if (name != NULL && item != NULL)
    g_hash_table_insert (self->slots, (gpointer) assay_arena_intern (self->arena, name), item);
}

/* What a slot begins with stands in it, or in the initializer of the file. */
static gboolean
run_slot (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  const AssayTorchBlock *block = op->n_regions > 0 ? op->regions[0].first : NULL;
  const AssayTorchAttr *names;

  for (const AssayTorchOp *inner = block != NULL ? block->first : NULL; inner != NULL;
       inner = inner->next)
    {
      if (!g_str_equal (inner->name, "torch.initialize.global_slots"))
        {
          if (!assay_torch_run_op (self, inner))
            return FALSE;
          continue;
        }
      names = assay_torch_op_find_attr (inner, "slotSymNames");
      for (guint i = 0; names != NULL && i < inner->n_operands && i < names->n; i++)
        set_slot (self, names->items[i].s, inner->operands[i]->data);
    }

  return TRUE;
}

static gboolean
run_get_slot (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  g_autofree char *name = assay_torch_op_get_string (op, "slot");
  AssayTorchItem *item = name != NULL ? g_hash_table_lookup (self->slots, name) : NULL;

  if (item == NULL || op->n_results != 1)
    return assay_torch_fail_at (self, op, "a global slot has no value");
  op->results[0]->data = item;

  return TRUE;
}

static gboolean
run_set_slot (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  g_autofree char *name = assay_torch_op_get_string (op, "slot");

  set_slot (self, name, op->n_operands == 1 ? op->operands[0]->data : NULL);

  return TRUE;
}

static const struct
{
  const char *name;
  gboolean (*run) (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done);
} structures[] = {
  { "func.call", run_call },
  { "torch.prim.If", run_if },
  { "torch.prim.Loop", run_loop },
  { "torch.prim.GetAttr", run_get_attr },
  { "torch.prim.SetAttr", run_set_attr },
  { "torch.prim.CallMethod", run_method },
  { "torch.class_type", run_class },
  { "torch.nn_module", run_object },
  { "torch.global_slot", run_slot },
  { "torch.global_slot.module_initializer", run_slot },
  { "torch.global_slot.get", run_get_slot },
  { "torch.global_slot.set", run_set_slot },
};

/* Whatever computes nothing itself; @is_done tells whether this was such an operation. */
gboolean
assay_torch_run_structure (AssayTorchLower *self, const AssayTorchOp *op, gboolean *is_done)
{
  *is_done = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (structures); i++)
    if (g_str_equal (structures[i].name, op->name))
      return structures[i].run (self, op, is_done);
  *is_done = FALSE;

  return TRUE;
}

/* What stands outside of functions: classes first, as objects need them. */
gboolean
assay_torch_run_file (AssayTorchLower *self, const AssayTorchBlock *block, guint depth)
{
  gboolean is_done;

  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    if (g_str_equal (op->name, "torch.class_type") && !run_class (self, op, &is_done))
      return FALSE;
  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      if (g_str_equal (op->name, "func.func") || g_str_equal (op->name, "torch.class_type"))
        continue;
      if (g_str_equal (op->name, "builtin.module"))
        {
          if (op->n_regions > 0 && op->regions[0].first != NULL && depth < MAX_CALLS &&
              !assay_torch_run_file (self, op->regions[0].first, depth + 1))
            return FALSE;
        }
      else if (g_str_has_prefix (op->name, "torch.") && !assay_torch_run_op (self, op))
        return FALSE;
    }

  return TRUE;
}
