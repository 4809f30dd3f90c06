/* assay-torch-opaque.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operations that are not made. Each is an opaque node with the types of the file. If it may write
 * to lists, dictionaries or tensors, what it leaves in them is an output of that node, so that what
 * reads them later depends on it.
 */
#include "source/torch/assay-torch-lower-private.h"

#include "source/torch/assay-torch-op.h"
#include "source/torch/pass/assay-torch-edit-private.h"

#define MAX_DEPTH 64
#define MAX_LISTED ASSAY_TORCH_MAX_LISTED

/* Tensors of a list, one after the other. */
static void
collect (AssayTorchLower *self, AssayTorchItem *item, GArray *values, guint depth)
{
  AssayValueId value = ASSAY_NO_VALUE;

  if (item == NULL || depth > MAX_DEPTH || ++self->n_listed > ASSAY_TORCH_MAX_LISTED)
    return;
  if (item->kind == ASSAY_TORCH_ITEM_LIST || item->kind == ASSAY_TORCH_ITEM_DICT)
    {
      for (guint i = 0; i < item->n; i++)
        collect (self, item->items[i], values, depth + 1);
      return;
    }
  if (item->kind == ASSAY_TORCH_ITEM_TENSOR)
    value = assay_torch_read (self, item);
  else if (item->value != ASSAY_NO_VALUE)
    value = item->value;
  if (value != ASSAY_NO_VALUE)
    g_array_append_val (values, value);
}

/* Whether something of the type may be written to; without a type anything may. */
static gboolean
may_change (const AssayTorchType *type)
{
  if (type == NULL)
    return TRUE;
  switch (type->kind)
    {
    case ASSAY_TORCH_TYPE_VTENSOR:
    case ASSAY_TORCH_TYPE_BUILTIN:
    case ASSAY_TORCH_TYPE_FUNCTION:
      return FALSE;
    case ASSAY_TORCH_TYPE_WORD:
      return g_str_equal (type->text, "!torch.any");
    case ASSAY_TORCH_TYPE_OPTIONAL:
    case ASSAY_TORCH_TYPE_TUPLE:
    case ASSAY_TORCH_TYPE_UNION:
      for (guint i = 0; i < type->n; i++)
        if (may_change (type->inner[i]))
          return TRUE;
      return FALSE;
    default:
      return TRUE;
    }
}

/* Whether a list, a dictionary or an object may be in something of the type. */
static gboolean
may_hold_container (const AssayTorchType *type)
{
  return type->kind != ASSAY_TORCH_TYPE_TENSOR && may_change (type);
}

typedef struct
{
  AssayTorchLower *lower;
  GHashTable *seen; /* items, operations of functions */
  GPtrArray *items;
} Reach;

/* The type of entry @index. */
static const AssayTorchType *
inner_type (const AssayTorchType *type, guint index)
{
  if (type == NULL)
    return NULL;
  if (type->kind == ASSAY_TORCH_TYPE_OPTIONAL && type->n == 1)
    return inner_type (type->inner[0], index);
  if (type->kind == ASSAY_TORCH_TYPE_LIST && type->n == 1)
    return type->inner[0];
  if (type->kind == ASSAY_TORCH_TYPE_TUPLE && index < type->n)
    return type->inner[index];
  if (type->kind == ASSAY_TORCH_TYPE_DICT && type->n == 2)
    return type->inner[index % 2];

  return NULL;
}

/* All that may be written to by who has the item. */
static void
reach_item (Reach *self, AssayTorchItem *item, const AssayTorchType *type, guint depth)
{
  if (item == NULL || !may_change (type) || depth > MAX_DEPTH ||
      ++self->lower->n_listed > MAX_LISTED || !g_hash_table_add (self->seen, item))
    return;
  switch (item->kind)
    {
    case ASSAY_TORCH_ITEM_TENSOR:
      g_ptr_array_add (self->items, item);
      break;
    case ASSAY_TORCH_ITEM_LIST:
    case ASSAY_TORCH_ITEM_DICT:
    case ASSAY_TORCH_ITEM_OBJECT:
      for (guint i = 0; i < item->n; i++)
        reach_item (self, item->items[i], inner_type (type, i), depth + 1);
      if (item->kind != ASSAY_TORCH_ITEM_OBJECT &&
          (type == NULL || type->kind != ASSAY_TORCH_TYPE_TUPLE))
        g_ptr_array_add (self->items, item);
      break;
    default:
      break;
    }
}

static const AssayTorchOp *
find_callee (AssayTorchLower *self, const AssayTorchOp *op)
{
  g_autofree char *name = NULL;
  const AssayTorchItem *object;

  if (g_str_equal (op->name, "func.call"))
    {
      name = assay_torch_op_get_string (op, "callee");
      return name != NULL ? g_hash_table_lookup (self->functions, name) : NULL;
    }
  if (!g_str_equal (op->name, "torch.prim.CallMethod") || op->n_operands == 0)
    return NULL;
  name = assay_torch_op_get_string (op, "name");
  object = op->operands[0]->data;

  return name != NULL && object != NULL && object->kind == ASSAY_TORCH_ITEM_OBJECT
             ? assay_torch_find_method (self, object, name)
             : NULL;
}

/* Whether an operation, or one of its regions, may write to something. */
static gboolean
may_write (AssayTorchLower *self, const AssayTorchOp *op, guint depth)
{
  const AssayTorchOp *callee = find_callee (self, op);
  const AssayTorchOp *outer = callee != NULL ? callee : op;
  gboolean is_known = callee != NULL || g_str_equal (op->name, "torch.prim.If") ||
                      g_str_equal (op->name, "torch.prim.Loop");

  if (!is_known)
    return assay_torch_edit_may_write (op);
  for (guint i = 0; i < outer->n_regions; i++)
    for (const AssayTorchBlock *block = outer->regions[i].first; block != NULL; block = block->next)
      for (const AssayTorchOp *inner = block->first; inner != NULL; inner = inner->next)
        if (depth > MAX_DEPTH || may_write (self, inner, depth + 1))
          return TRUE;

  return FALSE;
}

static void
reach_op (Reach *self, const AssayTorchOp *op, guint depth)
{
  const AssayTorchOp *callee = find_callee (self->lower, op);
  const AssayTorchOp *outer = callee != NULL ? callee : op;
  g_autofree char *slot = NULL;

  if (depth > MAX_DEPTH || ++self->lower->n_listed > MAX_LISTED)
    return;
  for (guint i = 0; i < op->n_operands; i++)
    reach_item (self, op->operands[i]->data, op->operands[i]->type, 0);
  if (g_str_has_prefix (op->name, "torch.global_slot."))
    {
      slot = assay_torch_op_get_string (op, "slot");
      if (slot != NULL)
        reach_item (self, g_hash_table_lookup (self->lower->slots, slot), NULL, 0);
    }
  if (callee != NULL && !g_hash_table_add (self->seen, (gpointer) callee))
    return;
  for (guint i = 0; i < outer->n_regions; i++)
    for (const AssayTorchBlock *block = outer->regions[i].first; block != NULL; block = block->next)
      for (const AssayTorchOp *inner = block->first; inner != NULL; inner = inner->next)
        reach_op (self, inner, depth + 1);
}

/**
 * assay_torch_find_reach:
 * @self: a function on its way to a graph
 * @op: an operation
 *
 * Finds all that an operation and its regions can write to.
 *
 * Returns: (transfer full): items
 */
GPtrArray *
assay_torch_find_reach (AssayTorchLower *self, const AssayTorchOp *op)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  Reach reach = { self, seen, g_ptr_array_new () };

  reach_op (&reach, op, 0);

  return reach.items;
}

typedef struct
{
  gboolean writes; /* to what it reaches */
  gboolean gives;  /* what it reaches, or a view of it */
  gboolean gives_containers;
} Effect;

static Effect
find_effect (AssayTorchLower *self, gboolean is_in_place)
{
  const AssayTorchOp *op = self->op;
  const AssayTorchOpInfo *info = assay_torch_op_info_find (op->name);
  Effect effect = { .writes = is_in_place || may_write (self, op, 0) };

  if (info != NULL && (info->traits & ASSAY_TORCH_OP_VALUE) != 0)
    return effect;
  for (guint i = 0; i < op->n_results; i++)
    {
      effect.gives |= may_change (op->results[i]->type);
      effect.gives_containers |= may_hold_container (op->results[i]->type);
    }

  return effect;
}

static AssayTorchItemKind
kind_of_type (const AssayTorchType *type)
{
  static const struct
  {
    const char *text;
    AssayTorchItemKind kind;
  } words[] = {
    { "!torch.int", ASSAY_TORCH_ITEM_INT },
    { "!torch.float", ASSAY_TORCH_ITEM_FLOAT },
    { "!torch.bool", ASSAY_TORCH_ITEM_BOOL },
  };

  for (guint i = 0; type->kind == ASSAY_TORCH_TYPE_WORD && i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (type->text, words[i].text))
      return words[i].kind;

  return ASSAY_TORCH_ITEM_TENSOR;
}

/* An item that is written to is @value from now on. */
static void
change_item (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value)
{
  if (item->kind == ASSAY_TORCH_ITEM_TENSOR)
    assay_torch_spoil (self, item, value);
  else
    *item = (AssayTorchItem){ .kind = ASSAY_TORCH_ITEM_TENSOR, .value = value };
}

/* Attributes of objects and slots that a branch sets are outputs from now on. */
typedef struct
{
  const AssayTorchOp *op;
  AssayTorchItem **place;
  const char *slot;
} Set;

static void
find_sets (AssayTorchLower *self, const AssayTorchOp *op, GHashTable *seen, GArray *sets,
           guint depth)
{
  const AssayTorchOp *callee = find_callee (self, op);
  const AssayTorchOp *outer = callee != NULL ? callee : op;
  Set set = { .op = op };

  if (depth > MAX_DEPTH || (callee != NULL && !g_hash_table_add (seen, (gpointer) callee)))
    return;
  if (g_str_equal (op->name, "torch.prim.SetAttr"))
    set.place = assay_torch_find_place (op);
  if (g_str_equal (op->name, "torch.global_slot.set"))
    {
      g_autofree char *slot = assay_torch_op_get_string (op, "slot");

      set.slot = assay_arena_intern (self->arena, slot);
    }
  if (set.place != NULL || set.slot != NULL)
    g_array_append_val (sets, set);
  for (guint i = 0; i < outer->n_regions; i++)
    for (const AssayTorchBlock *block = outer->regions[i].first; block != NULL; block = block->next)
      for (const AssayTorchOp *inner = block->first; inner != NULL; inner = inner->next)
        find_sets (self, inner, seen, sets, depth + 1);
}

static void
apply_set (AssayTorchLower *self, const Set *set, AssayValueId value)
{
  AssayTorchItem *before = set->place != NULL ? *set->place
                                              : g_hash_table_lookup (self->slots, set->slot);
  AssayTorchItem *item = assay_torch_tensor (self, value);

  if (before != NULL && before->kind != ASSAY_TORCH_ITEM_LIST &&
      before->kind != ASSAY_TORCH_ITEM_DICT && before->kind != ASSAY_TORCH_ITEM_OBJECT &&
      before->kind != ASSAY_TORCH_ITEM_NONE && before->kind != ASSAY_TORCH_ITEM_STRING)
    item->kind = before->kind;
  if (set->place != NULL)
    *set->place = item;
  else
    g_hash_table_insert (self->slots, (gpointer) set->slot, item);
}

static void
note_opaque (AssayTorchLower *self, AssayNodeId node)
{
  const AssayTorchOp *op = self->op;

  assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "torch.opaque", NULL,
                      assay_graph_node (self->graph, node)->name, NULL, -1,
                      "line %u: %s is not made of operations: %s", op->line, self->op_type,
                      self->reason != NULL ? self->reason
                      : assay_torch_op_info_find (op->name) != NULL
                          ? "nobody said yet how"
                          : "the dialect has no such operation");
}

/* Adds what an operation may change besides its results to the items that it leaves unknown. */
static void
find_changed (AssayTorchLower *self, const Effect *effect, gboolean is_in_place, GPtrArray *changed,
              GPtrArray *tied)
{
  g_autoptr (GPtrArray) reach = self->left != NULL ? g_steal_pointer (&self->left)
                                                   : g_ptr_array_new ();
  g_autoptr (GPtrArray) own = assay_torch_find_reach (self, self->op);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  const AssayTorchItem *target = is_in_place ? assay_torch_arg (self, 0) : NULL;

  g_ptr_array_extend (reach, own, NULL, NULL);
  for (guint i = 0; i < reach->len; i++)
    {
      AssayTorchItem *item = reach->pdata[i];
      gboolean is_tensor = item->kind == ASSAY_TORCH_ITEM_TENSOR;

      if (!g_hash_table_add (seen, item))
        continue;
      if (is_in_place ? item == target : effect->writes || (effect->gives_containers && !is_tensor))
        g_ptr_array_add (changed, item);
      if (is_tensor && effect->gives)
        g_ptr_array_add (tied, item);
    }
}

/* Makes an opaque node of an operation. One that writes in place writes to its first operand. */
void
assay_torch_make_opaque (AssayTorchLower *self, gboolean is_in_place)
{
  const AssayTorchOp *op = self->op;
  const Effect effect = find_effect (self, is_in_place);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GArray) sets = g_array_new (FALSE, FALSE, sizeof (Set));
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();
  g_autoptr (GPtrArray) tied = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autofree AssayValueId *outputs = NULL;
  AssayTorchItem *target = is_in_place ? assay_torch_arg (self, 0) : NULL;
  guint n = op->n_results;
  AssayNodeId node;

  find_changed (self, &effect, is_in_place, changed, tied);
  find_sets (self, op, seen, sets, 0);
  for (guint i = 0; i < op->n_operands; i++)
    collect (self, op->operands[i]->data, inputs, 0);
  if (n + changed->len + sets->len == 0)
    {
      if (self->reason != NULL)
        assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "torch.left-out", NULL, NULL,
                            NULL, -1, "line %u: %s is left out: %s", op->line, self->op_type,
                            self->reason);
      return;
    }

  outputs = g_new0 (AssayValueId, n + changed->len + sets->len);
  node = assay_torch_node (self, ASSAY_OP_OPAQUE, inputs->len,
                           (const AssayValueId *) (gconstpointer) inputs->data,
                           n + changed->len + sets->len, outputs);
  assay_graph_edit_node (self->graph, node)->op_type = assay_arena_intern (self->graph->arena,
                                                                           self->op_type);
  assay_graph_edit_node (self->graph, node)->domain = assay_arena_intern (self->graph->arena,
                                                                          "torch");
  for (guint i = 0; i < n; i++)
    {
      const AssayType *type = assay_torch_type_of (self, op->results[i]->type, self->base, TRUE);

      if (type != NULL)
        assay_graph_edit_value (self->graph, outputs[i])->type = type;
      self->results[i] = assay_torch_tensor (self, outputs[i]);
      self->results[i]->kind = kind_of_type (op->results[i]->type);
      if (effect.gives && self->results[i]->kind == ASSAY_TORCH_ITEM_TENSOR &&
          may_change (op->results[i]->type))
        g_ptr_array_add (tied, self->results[i]);
    }
  for (guint i = 0; i < changed->len; i++)
    {
      const AssayTorchItem *item = changed->pdata[i];

      if (item->kind == ASSAY_TORCH_ITEM_TENSOR)
        assay_graph_edit_value (self->graph, outputs[n + i])->type = assay_torch_type (self,
                                                                                       item->value);
    }
  assay_torch_infer (self, node);
  note_opaque (self, node);

  for (guint i = 0; i < changed->len; i++)
    change_item (self, changed->pdata[i], outputs[n + i]);
  for (guint i = 0; i < sets->len; i++)
    apply_set (self, &g_array_index (sets, Set, i), outputs[n + changed->len + i]);
  if (is_in_place && n == 1 && target != NULL)
    self->results[0] = target;
  else if (tied->len > 1)
    assay_torch_tie (self, tied->len, (AssayTorchItem *const *) tied->pdata);
}
