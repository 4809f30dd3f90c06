/* assay-torch-pass-returns.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Public functions return values of the types that are known, not what the file promised at first.
 */
#include "source/torch/pass/assay-torch-edit-private.h"

static gboolean
is_one_of (const AssayTorchOp *op, const char *const *names)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (op->name, names[i]))
      return TRUE;

  return FALSE;
}

/* What stands behind copies and casts. What may be written to between a copy and the end is what it
 * is at the end. */
static AssayTorchValue *
look_through (AssayTorchValue *value)
{
  static const char *const names[] = { "torch.copy.to_tensor", "torch.tensor_static_info_cast",
                                       "torch.derefine", NULL };

  while (value->op != NULL && value->op->n_operands == 1 && value->data == NULL &&
         is_one_of (value->op, names))
    value = value->op->operands[0];

  return value;
}

/* Notes at values that somebody may write to them, and collects what else they are called. */
static void
note_writers (AssayTorchOp *op, gpointer user_data)
{
  static const char *const readers[] = { "func.return", "torch.copy.to_vtensor", NULL };
  static const char *const aliases[] = { "torch.tensor_static_info_cast", "torch.derefine", NULL };
  GPtrArray *casts = user_data;

  if (is_one_of (op, aliases) && op->n_operands == 1 && op->n_results == 1)
    g_ptr_array_add (casts, op);
  else if (!is_one_of (op, readers))
    for (guint i = 0; i < op->n_operands; i++)
      if (op->operands[i]->type->kind == ASSAY_TORCH_TYPE_TENSOR)
        op->operands[i]->data = op;
}

static void
note_all_writers (AssayTorchModule *module)
{
  g_autoptr (GPtrArray) casts = g_ptr_array_new ();

  assay_torch_edit_walk (&module->body, note_writers, casts);
  for (guint i = casts->len; i-- > 0;)
    {
      AssayTorchOp *op = casts->pdata[i];

      if (op->results[0]->data != NULL)
        op->operands[0]->data = op;
    }
  for (guint i = 0; i < casts->len; i++)
    {
      AssayTorchOp *op = casts->pdata[i];

      if (op->operands[0]->data != NULL)
        op->results[0]->data = op;
    }
}

static void
refine (AssayTorchOp *op, gpointer user_data)
{
  AssayTorchModule *module = user_data;
  AssayTorchOp *last = assay_torch_edit_find_return (op);
  g_autofree const AssayTorchType **types = NULL;

  if (last == NULL || assay_torch_edit_is_private (op))
    return;

  types = g_new (const AssayTorchType *, last->n_operands + 1);
  for (guint i = 0; i < last->n_operands; i++)
    {
      AssayTorchValue *value = look_through (last->operands[i]);

      if (value->type->kind == ASSAY_TORCH_TYPE_TENSOR)
        value = assay_torch_edit_one (module, last, "torch.copy.to_vtensor",
                                      assay_torch_edit_as_value (module, value->type), value->name,
                                      1, &value);
      last->operands[i] = value;
      types[i] = value->type;
    }
  assay_torch_edit_set_signature (module, op, last->n_operands, types);
}

gboolean
assay_torch_pass_returns (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  note_all_writers (module);
  assay_torch_edit_walk (&module->body, refine, module);
  assay_torch_edit_sweep (module);

  return TRUE;
}
