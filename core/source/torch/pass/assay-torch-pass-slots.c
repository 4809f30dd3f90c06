/* assay-torch-pass-slots.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Global slots that nobody writes to become what they begin with. One may write to a slot itself,
 * or to the tensor in it; a tensor that is in several slots is one tensor.
 */
#include "source/torch/assay-torch-op.h"
#include "source/torch/pass/assay-torch-edit-private.h"

typedef struct
{
  AssayTorchModule *module;
  AssayTorchOp *initializer;
  AssayTorchOp *list;  /* torch.initialize.global_slots */
  GHashTable *slots;   /* by name: torch.global_slot */
  GHashTable *values;  /* by name: what it begins with */
  GHashTable *written; /* names of slots that something unknown happens to */
  GHashTable *tainted; /* values of the initializer that something unknown happens to */
} Slots;

static void
find_slots (AssayTorchOp *op, gpointer user_data)
{
  Slots *self = user_data;
  g_autofree char *name = NULL;

  if (g_str_equal (op->name, "torch.global_slot.module_initializer"))
    self->initializer = op;
  else if (g_str_equal (op->name, "torch.initialize.global_slots"))
    self->list = op;
  else if (g_str_equal (op->name, "torch.global_slot"))
    {
      name = assay_torch_op_get_string (op, "sym_name");
      if (name != NULL)
        g_hash_table_insert (self->slots, (gpointer) assay_arena_intern (self->module->arena, name),
                             op);
    }
}

/* What may be what was in the slot: the result as well as what it is made of. */
static gboolean
gives_on (const AssayTorchOp *op)
{
  static const char *const names[] = {
    "torch.prim.ListConstruct",      "torch.prim.TupleConstruct", "torch.prim.ListUnpack",
    "torch.prim.TupleUnpack",        "torch.prim.TupleIndex",     "torch.derefine",
    "torch.tensor_static_info_cast", "torch.prim.unchecked_cast",
  };
  const AssayTorchOpInfo *info = assay_torch_op_info_find (op->name);

  if (info != NULL && (info->traits & ASSAY_TORCH_OP_VIEW) != 0)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], op->name))
      return TRUE;

  return FALSE;
}

static gboolean
only_reads (const AssayTorchOp *op)
{
  const AssayTorchOpInfo *info = assay_torch_op_info_find (op->name);

  return g_str_equal (op->name, "torch.copy.to_vtensor") ||
         (info != NULL && (info->traits & ASSAY_TORCH_OP_VALUE) != 0);
}

/* Values that came out of a slot have its name; those that came out of several are of none. */
static void
follow (AssayTorchOp *op, gpointer user_data)
{
  Slots *self = user_data;
  g_autofree char *slot = NULL;
  const char *name = NULL;

  if (g_str_equal (op->name, "torch.global_slot.get") && op->n_results == 1)
    {
      slot = assay_torch_op_get_string (op, "slot");
      op->results[0]->data = (gpointer) assay_arena_intern (self->module->arena,
                                                            slot != NULL ? slot : "");
      return;
    }
  if (g_str_equal (op->name, "torch.global_slot.set"))
    {
      slot = assay_torch_op_get_string (op, "slot");
      if (slot != NULL)
        g_hash_table_add (self->written, (gpointer) assay_arena_intern (self->module->arena, slot));
    }
  for (guint i = 0; i < op->n_operands; i++)
    {
      const char *other = op->operands[i]->data;

      if (other == NULL || only_reads (op))
        continue;
      if (!gives_on (op) || (name != NULL && name != other))
        {
          g_hash_table_add (self->written, (gpointer) other);
          if (name != NULL)
            g_hash_table_add (self->written, (gpointer) name);
        }
      name = other;
    }
  if (name == NULL || g_hash_table_contains (self->written, name))
    return;
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->data = (gpointer) name;
}

/* A value that may be written to, and with it all that it is made of and that is made of it. */
static void
taint (Slots *self, AssayTorchValue *value)
{
  g_autoptr (GPtrArray) left = g_ptr_array_new ();

  g_ptr_array_add (left, value);
  while (left->len > 0)
    {
      AssayTorchValue *next = g_ptr_array_remove_index_fast (left, left->len - 1);

      if (!g_hash_table_add (self->tainted, next) || next->op == NULL)
        continue;
      for (guint i = 0; i < next->op->n_operands; i++)
        g_ptr_array_add (left, next->op->operands[i]);
    }
}

static gboolean
can_change (const AssayTorchType *type)
{
  static const AssayTorchTypeKind kinds[] = {
    ASSAY_TORCH_TYPE_TENSOR,
    ASSAY_TORCH_TYPE_LIST,
    ASSAY_TORCH_TYPE_DICT,
    ASSAY_TORCH_TYPE_CLASS,
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (assay_torch_edit_holds (type, kinds[i]))
      return TRUE;

  return FALSE;
}

static gboolean
is_tainted (Slots *self, AssayTorchValue *value)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) left = g_ptr_array_new ();

  g_ptr_array_add (left, value);
  while (left->len > 0)
    {
      AssayTorchValue *next = g_ptr_array_remove_index_fast (left, left->len - 1);

      if (!g_hash_table_add (seen, next))
        continue;
      if (g_hash_table_contains (self->tainted, next) && can_change (next->type))
        return TRUE;
      for (guint i = 0; next->op != NULL && i < next->op->n_operands; i++)
        g_ptr_array_add (left, next->op->operands[i]);
    }

  return FALSE;
}

static gboolean
can_inline (Slots *self, const char *name)
{
  AssayTorchOp *slot = g_hash_table_lookup (self->slots, name);
  AssayTorchValue *value = g_hash_table_lookup (self->values, name);

  return slot != NULL && value != NULL && assay_torch_edit_is_private (slot) &&
         !g_hash_table_contains (self->written, name) && !is_tainted (self, value);
}

/* A copy of what makes a value, before @place. */
static AssayTorchValue *
copy_chain (Slots *self, AssayTorchValue *value, AssayTorchOp *place)
{
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) left = g_ptr_array_new ();

  /* What an operation needs comes first. */
  g_ptr_array_add (left, value->op);
  while (left->len > 0)
    {
      AssayTorchOp *op = left->pdata[left->len - 1];
      gboolean is_ready = TRUE;

      for (guint i = 0; i < op->n_operands; i++)
        if (op->operands[i]->op != NULL && !g_hash_table_contains (copies, op->operands[i]))
          {
            g_ptr_array_add (left, op->operands[i]->op);
            is_ready = FALSE;
          }
      if (!is_ready)
        continue;
      g_ptr_array_set_size (left, left->len - 1);
      if (op->n_results > 0 && !g_hash_table_contains (copies, op->results[0]))
        assay_torch_edit_before (place, assay_torch_edit_clone (self->module, op, copies));
    }

  return g_hash_table_lookup (copies, value);
}

static void
inline_get (AssayTorchOp *op, gpointer user_data)
{
  Slots *self = user_data;
  g_autofree char *slot = NULL;
  AssayTorchValue *value;
  const AssayTorchType *type;

  if (!g_str_equal (op->name, "torch.global_slot.get") || op->n_results != 1)
    return;
  slot = assay_torch_op_get_string (op, "slot");
  if (slot == NULL || !can_inline (self, slot))
    return;

  value = copy_chain (self, g_hash_table_lookup (self->values, slot), op);
  type = op->results[0]->type;
  if (value->type != type)
    value = assay_torch_edit_one (self->module, op,
                                  type->kind == ASSAY_TORCH_TYPE_TENSOR ||
                                          type->kind == ASSAY_TORCH_TYPE_VTENSOR
                                      ? "torch.tensor_static_info_cast"
                                      : "torch.derefine",
                                  type, value->name, 1, &value);
  op->results[0]->data = value;
  assay_torch_edit_unlink (op);
}

/* Slots that nobody asks for any more go, and with the last one the initializer. */
static void
remove_slots (Slots *self, GHashTable *gone)
{
  const AssayTorchAttr *names = assay_torch_op_find_attr (self->list, "slotSymNames");
  AssayTorchAttr left = *names;
  guint n = 0;

  left.items = assay_arena_memdup (self->module->arena, names->items,
                                   names->n * sizeof *names->items);
  for (guint i = 0; i < names->n && i < self->list->n_operands; i++)
    {
      const char *name = names->items[i].s;

      if (name != NULL && g_hash_table_contains (gone, name))
        {
          assay_torch_edit_unlink (g_hash_table_lookup (self->slots, name));
          continue;
        }
      left.items[n] = names->items[i];
      self->list->operands[n++] = self->list->operands[i];
    }
  left.n = n;
  self->list->n_operands = n;
  assay_torch_edit_set_attr (self->module, self->list, left);
  if (n == 0)
    assay_torch_edit_unlink (self->initializer);
}

gboolean
assay_torch_pass_slots (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) slots = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) written = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) tainted = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) gone = g_hash_table_new (g_str_hash, g_str_equal);
  Slots self = { module, NULL, NULL, slots, values, written, tainted };
  const AssayTorchAttr *names;
  GHashTableIter iter;
  gpointer name, value;

  assay_torch_edit_walk (&module->body, find_slots, &self);
  names = self.list != NULL ? assay_torch_op_find_attr (self.list, "slotSymNames") : NULL;
  if (self.initializer == NULL || names == NULL)
    return TRUE;
  for (guint i = 0; i < names->n && i < self.list->n_operands; i++)
    if (names->items[i].kind == ASSAY_TORCH_ATTR_SYMBOL && self.list->operands[i]->op != NULL)
      g_hash_table_insert (values, (gpointer) names->items[i].s, self.list->operands[i]);

  assay_torch_edit_walk (&module->body, follow, &self);
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      AssayTorchOp *slot = g_hash_table_lookup (slots, name);

      if (slot == NULL || !assay_torch_edit_is_private (slot) ||
          g_hash_table_contains (written, name))
        taint (&self, value);
    }

  assay_torch_edit_clear (module);
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (can_inline (&self, name))
      g_hash_table_add (gone, name);
  assay_torch_edit_walk (&module->body, inline_get, &self);
  assay_torch_edit_forward (module);
  remove_slots (&self, gone);
  assay_torch_edit_sweep (module);

  return TRUE;
}
