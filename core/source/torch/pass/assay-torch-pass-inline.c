/* assay-torch-pass-inline.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls become what is called. Functions that call themselves stay, as do those that the outside
 * may call.
 */
#include "base/assay-error.h"
#include "source/torch/pass/assay-torch-edit-private.h"

/* Calls of calls may make a short file a long program. */
#define MAX_OPS 500000
#define MAX_CALLS 64
#define MAX_NESTING 150

typedef struct
{
  AssayTorchModule *module;
  GHashTable *functions; /* by name */
  GHashTable *states; /* of functions: 1 while it is looked at, 2 and its depth when it is done */
  const AssayProgress *progress;
  GError *error;
} Inline;

static void
find_function (AssayTorchOp *op, gpointer user_data)
{
  Inline *self = user_data;
  g_autofree char *name = assay_torch_op_get_string (op, "sym_name");

  if (name != NULL && assay_torch_edit_find_return (op) != NULL)
    g_hash_table_insert (self->functions, (gpointer) assay_arena_intern (self->module->arena, name),
                         op);
}

static void
find_call (AssayTorchOp *op, gpointer user_data)
{
  if (g_str_equal (op->name, "func.call"))
    g_ptr_array_add (user_data, op);
}

static guint
measure (const AssayTorchBlock *block)
{
  guint deepest = 0;

  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    for (guint i = 0; i < op->n_regions; i++)
      for (const AssayTorchBlock *inner = op->regions[i].first; inner != NULL; inner = inner->next)
        deepest = MAX (deepest, 1 + measure (inner));

  return deepest;
}

static AssayTorchOp *
callee_of (Inline *self, const AssayTorchOp *call)
{
  g_autofree char *name = assay_torch_op_get_string (call, "callee");
  AssayTorchOp *function = name != NULL ? g_hash_table_lookup (self->functions, name) : NULL;
  AssayTorchOp *last = function != NULL ? assay_torch_edit_find_return (function) : NULL;

  return last != NULL && function->regions[0].first->n_arguments == call->n_operands &&
                 last->n_operands == call->n_results
             ? function
             : NULL;
}

static gboolean
put_in (Inline *self, AssayTorchOp *call, const AssayTorchOp *function)
{
  const AssayTorchBlock *block = function->regions[0].first;
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < block->n_arguments; i++)
    g_hash_table_insert (values, block->arguments[i], call->operands[i]);
  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      if (op == block->last)
        break;
      if (self->module->n_ops > MAX_OPS)
        {
          self->error = g_error_new (ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                                     "line %u: the program is too long", call->line);
          return FALSE;
        }
      assay_torch_edit_before (call, assay_torch_edit_clone (self->module, op, values));
    }
  for (guint i = 0; i < call->n_results; i++)
    {
      AssayTorchValue *other = g_hash_table_lookup (values, block->last->operands[i]);

      call->results[i]->data = other != NULL ? other : block->last->operands[i];
    }
  assay_torch_edit_unlink (call);

  return assay_progress_check (self->progress, &self->error);
}

static gboolean
resolve (Inline *self, AssayTorchOp *function, guint depth)
{
  g_autoptr (GPtrArray) calls = g_ptr_array_new ();

  guint own = measure (function->regions[0].first);
  guint deepest = own;

  g_hash_table_insert (self->states, function, GUINT_TO_POINTER (1));
  assay_torch_edit_walk (function->regions[0].first, find_call, calls);
  for (guint i = 0; i < calls->len; i++)
    {
      AssayTorchOp *callee = callee_of (self, calls->pdata[i]);
      gpointer state = callee != NULL ? g_hash_table_lookup (self->states, callee) : NULL;
      guint nested;

      if (callee == NULL || GPOINTER_TO_UINT (state) == 1 || depth > MAX_CALLS)
        continue;
      if (state == NULL && !resolve (self, callee, depth + 1))
        return FALSE;
      /* How deep the call stands is not known here, so the whole function counts. */
      nested = own + GPOINTER_TO_UINT (g_hash_table_lookup (self->states, callee)) - 2;
      if (nested > MAX_NESTING)
        continue;
      deepest = MAX (deepest, nested);
      if (!put_in (self, calls->pdata[i], callee))
        return FALSE;
    }
  g_hash_table_insert (self->states, function, GUINT_TO_POINTER (2 + deepest));
  /* What was returned by calls is known by what they became, before others copy it. */
  assay_torch_edit_forward_block (function->regions[0].first);

  return TRUE;
}

static void
keep_called (AssayTorchOp *op, gpointer user_data)
{
  Inline *self = user_data;
  AssayTorchOp *callee = g_str_equal (op->name, "func.call") ? callee_of (self, op) : NULL;

  if (callee != NULL)
    g_hash_table_remove (self->states, callee);
}

gboolean
assay_torch_pass_inline (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) functions = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) states = g_hash_table_new (NULL, NULL);
  Inline self = { module, functions, states, progress, NULL };
  GHashTableIter iter;
  gpointer function;
  gboolean any_public = FALSE;

  assay_torch_edit_walk (&module->body, find_function, &self);
  g_hash_table_iter_init (&iter, functions);
  while (g_hash_table_iter_next (&iter, NULL, &function))
    {
      any_public |= !assay_torch_edit_is_private (function);
      if (g_hash_table_lookup (states, function) == NULL && !resolve (&self, function, 0))
        {
          g_propagate_error (error, self.error);
          return FALSE;
        }
    }

  /* Private functions that nobody calls any more go. */
  assay_torch_edit_walk (&module->body, keep_called, &self);
  g_hash_table_iter_init (&iter, states);
  while (any_public && g_hash_table_iter_next (&iter, &function, NULL))
    if (assay_torch_edit_is_private (function))
      assay_torch_edit_unlink (function);

  return TRUE;
}
