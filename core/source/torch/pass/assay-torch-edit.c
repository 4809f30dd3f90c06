/* assay-torch-edit.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a program: making, placing, replacing, copying them.
 */
#include "source/torch/pass/assay-torch-edit-private.h"

#include <string.h>

#include "source/torch/assay-torch-op.h"

/* Calls @visit for each operation, those of regions behind the one that has them. What is visited
 * may go; what is put behind it is not visited. */
void
assay_torch_edit_walk (AssayTorchBlock *block, AssayTorchVisit visit, gpointer user_data)
{
  AssayTorchOp *next;

  for (AssayTorchOp *op = block->first; op != NULL; op = next)
    {
      next = op->next;
      visit (op, user_data);
      for (guint i = 0; i < op->n_regions; i++)
        for (AssayTorchBlock *inner = op->regions[i].first; inner != NULL; inner = inner->next)
          assay_torch_edit_walk (inner, visit, user_data);
    }
}

static void
clear_op (AssayTorchOp *op, gpointer user_data)
{
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->data = NULL;
  for (guint i = 0; i < op->n_operands; i++)
    op->operands[i]->data = NULL;
  for (guint i = 0; i < op->n_regions; i++)
    for (AssayTorchBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (guint k = 0; k < block->n_arguments; k++)
        block->arguments[k]->data = NULL;
}

/* Forgets what was noted at values. */
void
assay_torch_edit_clear (AssayTorchModule *module)
{
  assay_torch_edit_walk (&module->body, clear_op, NULL);
}

static AssayTorchValue *
find_end (AssayTorchValue *value)
{
  AssayTorchValue *end = value;
  AssayTorchValue *behind = value;

  for (guint n = 1; end->data != NULL; n++)
    {
      end = end->data;
      if (n % 2 == 0)
        behind = behind->data;
      /* What uses its own result would take its own place for ever; it stays where it is. */
      if (end == behind)
        end->data = NULL;
    }
  while (value != end)
    {
      AssayTorchValue *next = value->data;

      value->data = end;
      value = next;
    }

  return end;
}

static void
forward_op (AssayTorchOp *op, gpointer user_data)
{
  for (guint i = 0; i < op->n_operands; i++)
    op->operands[i] = find_end (op->operands[i]);
}

/* Puts what values are to be replaced with in their place within a block. */
void
assay_torch_edit_forward_block (AssayTorchBlock *block)
{
  assay_torch_edit_walk (block, forward_op, NULL);
}

/* Puts what values are to be replaced with in their place, and forgets it. */
void
assay_torch_edit_forward (AssayTorchModule *module)
{
  assay_torch_edit_walk (&module->body, forward_op, NULL);
  assay_torch_edit_clear (module);
}

static void
drop_cast (AssayTorchOp *op, gpointer user_data)
{
  static const char *const names[] = { "torch.tensor_static_info_cast", "torch.aten.to.dtype",
                                       "torch.aten.to.other" };

  if (op->n_operands == 0 || op->n_results != 1 || op->operands[0]->type != op->results[0]->type ||
      op->results[0]->type->kind != ASSAY_TORCH_TYPE_VTENSOR)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], op->name) && (i == 0 || op->results[0]->type->element != NULL))
      {
        op->results[0]->data = op->operands[0];
        assay_torch_edit_unlink (op);
        return;
      }
}

/* Takes away what changes nothing: casts of a value to the type that it has already. */
void
assay_torch_edit_drop_nothing (AssayTorchModule *module)
{
  assay_torch_edit_walk (&module->body, drop_cast, NULL);
  assay_torch_edit_forward (module);
}

/* What the dialect says of an operation, under whatever name the program has it. */
static const AssayTorchOpInfo *
find_info (const AssayTorchOp *op)
{
  g_autofree char *own = NULL;
  g_autofree char *name = NULL;

  if (!g_str_equal (op->name, "torch.operator"))
    return assay_torch_op_info_find (op->name);
  own = assay_torch_op_get_string (op, "name");
  name = own != NULL && g_str_has_prefix (own, "torch.")
             ? g_strdup (own)
             : g_strdup_printf ("torch.%s", own != NULL ? own : "");

  return assay_torch_op_info_find (name);
}

static gboolean
is_one_of (const AssayTorchOp *op, guint n, const char *const *names)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal (names[i], op->name))
      return TRUE;

  return FALSE;
}

/* Whether an operation may write to what it is given. What is not known may. */
gboolean
assay_torch_edit_may_write (const AssayTorchOp *op)
{
  static const char *const names[] = {
    "func.return",
    "torch.copy.to_tensor",
    "torch.copy.to_vtensor",
    "torch.derefine",
    "torch.global_slot.get",
    "torch.bind_symbolic_shape",
    "torch.prim.CreateObject",
    "torch.prim.DictConstruct",
    "torch.prim.GetAttr",
    "torch.prim.If.yield",
    "torch.prim.ListConstruct",
    "torch.prim.ListUnpack",
    "torch.prim.Load",
    "torch.prim.Loop.condition",
    "torch.prim.Print",
    "torch.prim.RaiseException",
    "torch.prim.TupleConstruct",
    "torch.prim.TupleIndex",
    "torch.prim.TupleUnpack",
    "torch.prim.device",
    "torch.prim.layout",
    "torch.prim.unchecked_cast",
    "torch.runtime.assert",
    "torch.symbolic_int",
    "torch.tensor.literal",
    "torch.tensor_static_info_cast",
    "torch.vtensor.literal",
  };
  const AssayTorchOpInfo *info = find_info (op);

  if (info != NULL && (info->traits & (ASSAY_TORCH_OP_VALUE | ASSAY_TORCH_OP_VIEW)) != 0)
    return FALSE;

  return !g_str_has_prefix (op->name, "torch.constant.") &&
         !is_one_of (op, G_N_ELEMENTS (names), names);
}

/* Whether nothing is missing if nobody has the results. */
static gboolean
is_pure (const AssayTorchOp *op)
{
  static const char *const names[] = {
    "torch.prim.ListConstruct",  "torch.prim.TupleConstruct",     "torch.derefine",
    "torch.copy.to_tensor",      "torch.copy.to_vtensor",         "torch.prim.TupleIndex",
    "torch.prim.ListUnpack",     "torch.prim.TupleUnpack",        "torch.vtensor.literal",
    "torch.tensor.literal",      "torch.tensor_static_info_cast", "torch.global_slot.get",
    "torch.prim.unchecked_cast", "torch.prim.DictConstruct",
  };
  const AssayTorchOpInfo *info = assay_torch_op_info_find (op->name);

  if (op->n_results == 0 || op->n_regions > 0)
    return FALSE;
  if (info != NULL && (info->traits & (ASSAY_TORCH_OP_VALUE | ASSAY_TORCH_OP_VIEW)) != 0)
    return TRUE;

  return is_one_of (op, G_N_ELEMENTS (names), names) ||
         g_str_has_prefix (op->name, "torch.constant.");
}

/* An operation that leaves the list in its operand as it is, and gives it to nothing else. */
static gboolean
only_reads_list (const AssayTorchOp *op)
{
  if (op->n_regions > 0 || assay_torch_edit_may_write (op))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    {
      const AssayTorchType *type = op->results[i]->type;

      if (type->kind != ASSAY_TORCH_TYPE_TENSOR && type->kind != ASSAY_TORCH_TYPE_VTENSOR &&
          type->kind != ASSAY_TORCH_TYPE_WORD)
        return FALSE;
    }

  return g_str_equal (op->name, "func.return") || op->n_results > 0;
}

static gboolean
is_derefine (const AssayTorchOp *op)
{
  return g_str_equal (op->name, "torch.derefine") && op->n_operands == 1 && op->n_results == 1;
}

static void
note_change (AssayTorchOp *op, gpointer user_data)
{
  gboolean only_reads = is_derefine (op) || only_reads_list (op);

  for (guint i = 0; i < op->n_operands; i++)
    op->operands[i]->may_change |= !only_reads;
}

/* A list is the same list as an optional one. */
static void
note_optional (AssayTorchOp *op, gpointer user_data)
{
  if (is_derefine (op))
    op->operands[0]->may_change |= op->results[0]->may_change;
}

static void
clear_change (AssayTorchOp *op, gpointer user_data)
{
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->may_change = FALSE;
}

/* Finds out which lists stay as they are made; assay_torch_edit_find_list() asks for it. */
void
assay_torch_edit_note_changes (AssayTorchModule *module)
{
  assay_torch_edit_walk (&module->body, clear_change, NULL);
  assay_torch_edit_walk (&module->body, note_change, NULL);
  assay_torch_edit_walk (&module->body, note_optional, NULL);
}

/* What makes a list that stays as it is made, or NULL. */
AssayTorchOp *
assay_torch_edit_find_list (const AssayTorchValue *value)
{
  return value->op != NULL && !value->may_change &&
                 g_str_equal (value->op->name, "torch.prim.ListConstruct")
             ? value->op
             : NULL;
}

static void
count_uses (AssayTorchOp *op, gpointer user_data)
{
  for (guint i = 0; i < op->n_operands; i++)
    op->operands[i]->data = GUINT_TO_POINTER (GPOINTER_TO_UINT (op->operands[i]->data) + 1);
}

static gboolean
is_unused (const AssayTorchOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i]->data != NULL)
      return FALSE;

  return is_pure (op);
}

static void
collect_unused (AssayTorchOp *op, gpointer user_data)
{
  if (is_unused (op))
    g_ptr_array_add (user_data, op);
}

/* Takes away what computes something that nobody uses. */
void
assay_torch_edit_sweep (AssayTorchModule *module)
{
  g_autoptr (GPtrArray) unused = g_ptr_array_new ();

  assay_torch_edit_clear (module);
  assay_torch_edit_walk (&module->body, count_uses, NULL);
  assay_torch_edit_walk (&module->body, collect_unused, unused);
  while (unused->len > 0)
    {
      AssayTorchOp *op = g_ptr_array_remove_index_fast (unused, unused->len - 1);

      assay_torch_edit_unlink (op);
      for (guint i = 0; i < op->n_operands; i++)
        {
          AssayTorchValue *value = op->operands[i];

          value->data = GUINT_TO_POINTER (GPOINTER_TO_UINT (value->data) - 1);
          if (value->data == NULL && value->op != NULL && value->op->parent != NULL &&
              is_unused (value->op))
            g_ptr_array_add (unused, value->op);
        }
    }
  assay_torch_edit_clear (module);
}

static AssayTorchValue *
new_result (AssayTorchModule *module, AssayTorchOp *op, guint index, const AssayTorchType *type,
            const char *base, gboolean is_one)
{
  AssayTorchValue *value = assay_arena_alloc (module->arena, sizeof *value);

  *value = (AssayTorchValue){ .name = assay_arena_intern (module->arena, base),
                              .type = type,
                              .op = op,
                              .index = index,
                              .part = is_one ? 0 : index,
                              .is_defined = TRUE };

  return value;
}

/* An operation that stands nowhere yet. Its results are called @base, or as the printer makes of
 * it; it comes from where @like comes from. */
AssayTorchOp *
assay_torch_edit_new (AssayTorchModule *module, const char *name, const AssayTorchOp *like,
                      guint n_operands, AssayTorchValue *const *operands, guint n_results,
                      const AssayTorchType *const *types, const char *base)
{
  AssayTorchOp *op = assay_arena_alloc (module->arena, sizeof *op);

  *op = (AssayTorchOp){
    .name = assay_arena_intern (module->arena, name),
    .n_operands = n_operands,
    .n_results = n_results,
    .operands = assay_arena_memdup (module->arena, operands, n_operands * sizeof *operands),
    .results = assay_arena_alloc_n (module->arena, MAX (n_results, 1), sizeof (gpointer)),
    .loc = like != NULL ? like->loc : NULL,
    .line = like != NULL ? like->line : 0,
  };
  for (guint i = 0; i < n_results; i++)
    op->results[i] = new_result (module, op, i, types[i], base, n_results == 1);
  module->n_ops++;

  return op;
}

void
assay_torch_edit_before (AssayTorchOp *place, AssayTorchOp *op)
{
  op->parent = place->parent;
  op->next = place;
  op->previous = place->previous;
  if (place->previous != NULL)
    place->previous->next = op;
  else
    place->parent->first = op;
  place->previous = op;
}

void
assay_torch_edit_append (AssayTorchBlock *block, AssayTorchOp *op)
{
  op->parent = block;
  op->next = NULL;
  op->previous = block->last;
  if (block->last != NULL)
    block->last->next = op;
  else
    block->first = op;
  block->last = op;
}

void
assay_torch_edit_after (AssayTorchOp *place, AssayTorchOp *op)
{
  if (place->next != NULL)
    assay_torch_edit_before (place->next, op);
  else
    assay_torch_edit_append (place->parent, op);
}

void
assay_torch_edit_unlink (AssayTorchOp *op)
{
  if (op->parent == NULL)
    return;
  *(op->previous != NULL ? &op->previous->next : &op->parent->first) = op->next;
  *(op->next != NULL ? &op->next->previous : &op->parent->last) = op->previous;
  op->parent = NULL;
}

void
assay_torch_edit_set_attr (AssayTorchModule *module, AssayTorchOp *op, AssayTorchAttr attr)
{
  AssayTorchAttr *attrs = assay_arena_alloc_n (module->arena, op->n_attrs + 1, sizeof *attrs);
  guint n = 0;
  gboolean is_set = FALSE;

  for (; n < op->n_attrs; n++)
    {
      gboolean is_same = g_str_equal (op->attrs[n].name, attr.name);

      attrs[n] = is_same ? attr : op->attrs[n];
      is_set |= is_same;
    }
  if (!is_set)
    attrs[n++] = attr;
  op->attrs = attrs;
  op->n_attrs = n;
}

void
assay_torch_edit_drop_attr (AssayTorchOp *op, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < op->n_attrs; i++)
    if (!g_str_equal (op->attrs[i].name, name))
      op->attrs[n++] = op->attrs[i];
  op->n_attrs = n;
}

/* An operation of one result, before @place. */
AssayTorchValue *
assay_torch_edit_one (AssayTorchModule *module, AssayTorchOp *place, const char *name,
                      const AssayTorchType *type, const char *base, guint n,
                      AssayTorchValue *const *operands)
{
  AssayTorchOp *op = assay_torch_edit_new (module, name, place, n, operands, 1, &type, base);

  assay_torch_edit_before (place, op);

  return op->results[0];
}

AssayTorchValue *
assay_torch_edit_constant (AssayTorchModule *module, AssayTorchOp *place, const char *type,
                           AssayTorchAttr value)
{
  g_autofree char *word = g_strdup_printf ("!torch.%s", type);
  g_autofree char *whole = g_strdup_printf ("torch.constant.%s", type);
  g_autofree char *base = value.kind == ASSAY_TORCH_ATTR_INT
                              ? g_strdup_printf ("int%" G_GINT64_FORMAT, value.i)
                              : g_strdup (value.kind != ASSAY_TORCH_ATTR_BOOL ? type
                                          : value.i                           ? "true"
                                                                              : "false");
  AssayTorchValue *result = assay_torch_edit_one (
      module, place, whole, assay_torch_edit_word (module, word), base, 0, NULL);

  if (!g_str_equal (type, "none"))
    {
      value.name = "value";
      assay_torch_edit_set_attr (module, result->op, value);
    }

  return result;
}

AssayTorchValue *
assay_torch_edit_int (AssayTorchModule *module, AssayTorchOp *place, gint64 value)
{
  return assay_torch_edit_constant (module, place, "int",
                                    (AssayTorchAttr){ .kind = ASSAY_TORCH_ATTR_INT, .i = value });
}

AssayTorchValue *
assay_torch_edit_bool (AssayTorchModule *module, AssayTorchOp *place, gboolean value)
{
  return assay_torch_edit_constant (module, place, "bool",
                                    (AssayTorchAttr){ .kind = ASSAY_TORCH_ATTR_BOOL, .i = value });
}

AssayTorchValue *
assay_torch_edit_none (AssayTorchModule *module, AssayTorchOp *place)
{
  return assay_torch_edit_constant (module, place, "none", (AssayTorchAttr){ NULL });
}

static void
clone_block (AssayTorchModule *module, const AssayTorchBlock *block, AssayTorchBlock *copy,
             GHashTable *values)
{
  copy->name = block->name;
  copy->n_arguments = block->n_arguments;
  copy->arguments = assay_arena_alloc_n (module->arena, MAX (block->n_arguments, 1),
                                         sizeof (gpointer));
  for (guint i = 0; i < block->n_arguments; i++)
    {
      copy->arguments[i] = assay_arena_memdup (module->arena, block->arguments[i],
                                               sizeof *block->arguments[i]);
      g_hash_table_insert (values, block->arguments[i], copy->arguments[i]);
    }
  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    assay_torch_edit_append (copy, assay_torch_edit_clone (module, op, values));
}

/* A copy that stands nowhere yet. @values has what operands are replaced with, and gets the
 * results. */
AssayTorchOp *
assay_torch_edit_clone (AssayTorchModule *module, const AssayTorchOp *op, GHashTable *values)
{
  AssayTorchOp *copy = assay_arena_memdup (module->arena, op, sizeof *op);

  copy->parent = NULL;
  copy->operands = assay_arena_memdup (module->arena, op->operands,
                                       op->n_operands * sizeof (gpointer));
  copy->results = assay_arena_alloc_n (module->arena, MAX (op->n_results, 1), sizeof (gpointer));
  copy->regions = assay_arena_alloc_n (module->arena, MAX (op->n_regions, 1),
                                       sizeof *copy->regions);
  module->n_ops++;
  for (guint i = 0; i < op->n_operands; i++)
    {
      AssayTorchValue *other = g_hash_table_lookup (values, op->operands[i]);

      if (other != NULL)
        copy->operands[i] = other;
    }
  for (guint i = 0; i < op->n_results; i++)
    {
      copy->results[i] = assay_arena_memdup (module->arena, op->results[i], sizeof *op->results[i]);
      copy->results[i]->op = copy;
      copy->results[i]->data = NULL;
      g_hash_table_insert (values, op->results[i], copy->results[i]);
    }
  for (guint i = 0; i < op->n_regions; i++)
    {
      AssayTorchBlock **link = &copy->regions[i].first;

      *link = NULL;
      for (const AssayTorchBlock *block = op->regions[i].first; block != NULL; block = block->next)
        {
          *link = assay_arena_alloc (module->arena, sizeof **link);
          **link = (AssayTorchBlock){ NULL };
          clone_block (module, block, *link, values);
          link = &(*link)->next;
        }
    }

  return copy;
}

/* Gives a result another type; who has it gets it by way of a new operation behind, such as a
 * copy. */
void
assay_torch_edit_wrap (AssayTorchModule *module, AssayTorchOp *op, guint result,
                       const AssayTorchType *type, const char *name)
{
  AssayTorchValue *old = op->results[result];
  AssayTorchValue *fresh = assay_arena_memdup (module->arena, old, sizeof *old);
  AssayTorchOp *after = assay_torch_edit_new (module, name, op, 1, &fresh, 1, &old->type,
                                              old->name != NULL ? old->name : "tensor");

  fresh->type = type;
  fresh->data = NULL;
  op->results[result] = fresh;
  old->op = after;
  old->name = after->results[0]->name;
  old->index = old->part = 0;
  after->results[0] = old;
  assay_torch_edit_after (op, after);
}

const AssayTorchType *
assay_torch_edit_word (AssayTorchModule *module, const char *text)
{
  return assay_torch_type_intern (
      module, (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_WORD, .text = text, .rank = -1 });
}

/* The type with another kind of tensor and another element type. */
const AssayTorchType *
assay_torch_edit_with (AssayTorchModule *module, AssayTorchTypeKind kind,
                       const AssayTorchType *type, const char *element)
{
  AssayTorchType made = *type;

  made.kind = kind;
  made.element = element;
  made.text = NULL;

  return assay_torch_type_intern (module, made);
}

gboolean
assay_torch_edit_holds (const AssayTorchType *type, AssayTorchTypeKind kind)
{
  if (type->kind == kind)
    return TRUE;
  for (guint i = 0; i < type->n; i++)
    if (assay_torch_edit_holds (type->inner[i], kind))
      return TRUE;

  return FALSE;
}

/* The type with tensors that are values, in lists and optional ones too. */
const AssayTorchType *
assay_torch_edit_as_value (AssayTorchModule *module, const AssayTorchType *type)
{
  AssayTorchType made = *type;
  g_autofree const AssayTorchType **inner = NULL;

  if (type->kind == ASSAY_TORCH_TYPE_TENSOR)
    return assay_torch_edit_with (module, ASSAY_TORCH_TYPE_VTENSOR, type, type->element);
  if (!assay_torch_edit_holds (type, ASSAY_TORCH_TYPE_TENSOR))
    return type;

  inner = g_new (const AssayTorchType *, type->n);
  for (guint i = 0; i < type->n; i++)
    inner[i] = assay_torch_edit_as_value (module, type->inner[i]);
  made.inner = inner;
  made.text = NULL;

  return assay_torch_type_intern (module, made);
}

/* The types of a function: those of its arguments as they are, and these of its results. */
void
assay_torch_edit_set_signature (AssayTorchModule *module, AssayTorchOp *function, guint n,
                                const AssayTorchType *const *results)
{
  const AssayTorchBlock *block = function->regions[0].first;
  g_autofree const AssayTorchType **inner = g_new (const AssayTorchType *,
                                                   block->n_arguments + n + 1);

  for (guint i = 0; i < block->n_arguments; i++)
    inner[i] = block->arguments[i]->type;
  for (guint i = 0; i < n; i++)
    inner[block->n_arguments + i] = results[i];
  assay_torch_edit_set_attr (
      module, function,
      (AssayTorchAttr){ .name = "function_type",
                        .kind = ASSAY_TORCH_ATTR_TYPE,
                        .type = assay_torch_type_intern (
                            module, (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_FUNCTION,
                                                      .rank = -1,
                                                      .n = block->n_arguments + n,
                                                      .n_arguments = block->n_arguments,
                                                      .inner = inner }) });
}

/* What a function of one block ends with. */
AssayTorchOp *
assay_torch_edit_find_return (const AssayTorchOp *function)
{
  const AssayTorchBlock *block = function->n_regions == 1 ? function->regions[0].first : NULL;
  const AssayTorchAttr *type = assay_torch_op_find_attr (function, "function_type");

  if (!g_str_equal (function->name, "func.func") || block == NULL || block->next != NULL ||
      block->last == NULL || !g_str_equal (block->last->name, "func.return") || type == NULL ||
      type->type == NULL || type->type->kind != ASSAY_TORCH_TYPE_FUNCTION ||
      type->type->n_arguments != block->n_arguments ||
      type->type->n - type->type->n_arguments != block->last->n_operands)
    return NULL;

  return block->last;
}

gboolean
assay_torch_edit_is_private (const AssayTorchOp *op)
{
  g_autofree char *visibility = assay_torch_op_get_string (op, "sym_visibility");

  return g_strcmp0 (visibility, "private") == 0;
}
