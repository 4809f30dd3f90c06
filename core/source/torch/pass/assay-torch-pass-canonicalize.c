/* assay-torch-pass-canonicalize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is known is folded: the function that opens is carried out on what is known, as when it
 * becomes a graph, and each number that comes out of it is a constant. Constants that come twice
 * are one, branches that are known are taken, and what nobody uses goes.
 */
#include "source/torch/assay-torch-lower-private.h"
#include "source/torch/assay-torch-parse-private.h"
#include "source/torch/pass/assay-torch-edit-private.h"

/* A result that is known, and what it is. */
typedef struct
{
  AssayTorchOp *op;
  guint result;
  const char *type;
  AssayTorchAttr value;
} Fact;

typedef struct
{
  AssayTorchModule *module;
  GArray *facts;
  GArray *branches; /* of those that are known: the condition as the fact */
} Canonicalize;

static const char *
word_of_kind (AssayTorchItemKind kind)
{
  switch (kind)
    {
    case ASSAY_TORCH_ITEM_NONE:
      return "none";
    case ASSAY_TORCH_ITEM_INT:
      return "int";
    case ASSAY_TORCH_ITEM_FLOAT:
      return "float";
    case ASSAY_TORCH_ITEM_BOOL:
      return "bool";
    case ASSAY_TORCH_ITEM_STRING:
      return "str";
    default:
      return NULL;
    }
}

static AssayTorchAttr
attr_of_item (const AssayTorchItem *item)
{
  switch (item->kind)
    {
    case ASSAY_TORCH_ITEM_INT:
      return (AssayTorchAttr){ .kind = ASSAY_TORCH_ATTR_INT, .i = item->i };
    case ASSAY_TORCH_ITEM_FLOAT:
      return (AssayTorchAttr){ .kind = ASSAY_TORCH_ATTR_FLOAT, .f = item->f };
    case ASSAY_TORCH_ITEM_BOOL:
      return (AssayTorchAttr){ .kind = ASSAY_TORCH_ATTR_BOOL, .i = item->i };
    default:
      return (AssayTorchAttr){ NULL };
    }
}

/* Only what is of exactly that type can be such a constant. Texts belong to what carries the
 * program out, and are left. */
static void
learn_op (AssayTorchOp *op, gpointer user_data)
{
  Canonicalize *self = user_data;

  if (g_str_equal (op->name, "torch.prim.If") && op->n_operands == 1 && op->n_regions == 2)
    {
      const AssayTorchItem *item = op->operands[0]->data;
      const Fact fact = { .op = op };

      if (item != NULL && item->kind == ASSAY_TORCH_ITEM_BOOL && item->value == ASSAY_NO_VALUE)
        {
          g_array_append_val (self->branches, fact);
          g_array_index (self->branches, Fact, self->branches->len - 1).value.i = item->i;
        }
    }
  if (g_str_has_prefix (op->name, "torch.constant."))
    return;
  for (guint i = 0; i < op->n_results; i++)
    {
      const AssayTorchItem *item = op->results[i]->data;
      const char *word = item != NULL && item->value == ASSAY_NO_VALUE ? word_of_kind (item->kind)
                                                                       : NULL;
      const char *text = op->results[i]->type->text;
      Fact fact = { op, i, word, { NULL } };

      if (word == NULL || item->kind == ASSAY_TORCH_ITEM_STRING ||
          !g_str_has_prefix (text, "!torch.") || !g_str_equal (text + strlen ("!torch."), word))
        continue;
      fact.value = attr_of_item (item);
      g_array_append_val (self->facts, fact);
    }
}

static void
learn (AssayTorchLower *lower, const AssayTorchOp *function, gpointer user_data)
{
  assay_torch_edit_walk (function->regions[0].first, learn_op, user_data);
}

/* The operations of the branch stand where the branch stood. */
static void
take_branch (AssayTorchOp *op, guint index)
{
  AssayTorchBlock *block = op->regions[index].first;
  AssayTorchOp *last = block != NULL && block->next == NULL ? block->last : NULL;

  if (last == NULL || op->parent == NULL || !g_str_equal (last->name, "torch.prim.If.yield") ||
      last->n_operands != op->n_results)
    return;
  while (block->first != last)
    {
      AssayTorchOp *first = block->first;

      assay_torch_edit_unlink (first);
      assay_torch_edit_before (op, first);
    }
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->data = last->operands[i];
  assay_torch_edit_unlink (op);
}

static const char *
key_of_constant (AssayTorchModule *module, const AssayTorchOp *op)
{
  g_autoptr (GString) key = g_string_new (op->name);

  for (guint i = 0; i < op->n_attrs; i++)
    {
      g_string_append_printf (key, " %s=", op->attrs[i].name);
      assay_torch_append_attr (key, &op->attrs[i]);
    }

  return assay_arena_intern (module->arena, key->str);
}

/* Constants of a function, the outer ones for the inner ones. */
static void
merge_constants (AssayTorchModule *module, AssayTorchBlock *block, GHashTable *known, guint depth)
{
  AssayTorchOp *next;

  for (AssayTorchOp *op = block->first; op != NULL; op = next)
    {
      next = op->next;
      if (g_str_has_prefix (op->name, "torch.constant.") && op->n_results == 1)
        {
          const char *key = key_of_constant (module, op);
          AssayTorchValue *other = g_hash_table_lookup (known, key);

          if (other != NULL)
            op->results[0]->data = other;
          else if (depth == 0)
            g_hash_table_insert (known, (gpointer) key, op->results[0]);
        }
      for (guint i = 0; i < op->n_regions; i++)
        for (AssayTorchBlock *inner = op->regions[i].first; inner != NULL; inner = inner->next)
          merge_constants (module, inner, known, depth + 1);
    }
}

static void
merge_in_function (AssayTorchOp *op, gpointer user_data)
{
  g_autoptr (GHashTable) known = NULL;

  if (!g_str_equal (op->name, "func.func") || op->n_regions != 1 || op->regions[0].first == NULL ||
      op->regions[0].first->next != NULL)
    return;
  known = g_hash_table_new (g_str_hash, g_str_equal);
  merge_constants (user_data, op->regions[0].first, known, 0);
}

gboolean
assay_torch_pass_canonicalize (AssayTorchModule *module, const AssayProgress *progress,
                               GError **error)
{
  g_autoptr (GArray) facts = g_array_new (FALSE, FALSE, sizeof (Fact));
  g_autoptr (GArray) branches = g_array_new (FALSE, FALSE, sizeof (Fact));
  Canonicalize self = { module, facts, branches };
  g_autoptr (GError) reason = NULL;

  /* A program that cannot be carried out is tidied all the same. */
  if (!assay_torch_learn (module, learn, &self, progress, &reason) &&
      g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }

  for (guint i = 0; i < facts->len; i++)
    {
      const Fact *fact = &g_array_index (facts, Fact, i);

      fact->op->results[fact->result]->data = assay_torch_edit_constant (module, fact->op,
                                                                         fact->type, fact->value);
    }
  for (guint i = 0; i < branches->len; i++)
    take_branch (g_array_index (branches, Fact, i).op,
                 g_array_index (branches, Fact, i).value.i ? 0 : 1);
  assay_torch_edit_forward (module);
  assay_torch_edit_drop_nothing (module);
  assay_torch_edit_walk (&module->body, merge_in_function, module);
  assay_torch_edit_forward (module);
  assay_torch_edit_sweep (module);

  return TRUE;
}
