/* assay-torch-pass-variants.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operations that write in place, or work on tensors that may be written to, become those on
 * values: with copies before and behind, and what is written as an operation of its own.
 */
#include <string.h>

#include "source/torch/assay-torch-elements.h"
#include "source/torch/assay-torch-lower-private.h"
#include "source/torch/assay-torch-op.h"
#include "source/torch/pass/assay-torch-edit-private.h"

#define MAX_DEPTH 16

/* A tensor, or what a list or an optional one of them is made of here, can be copied. */
static gboolean
can_copy (const AssayTorchValue *value, guint depth)
{
  if (!assay_torch_edit_holds (value->type, ASSAY_TORCH_TYPE_TENSOR) ||
      value->type->kind == ASSAY_TORCH_TYPE_TENSOR)
    return TRUE;
  if (value->op == NULL || depth > MAX_DEPTH ||
      (assay_torch_edit_find_list (value) == NULL &&
       !g_str_equal (value->op->name, "torch.derefine")))
    return FALSE;
  for (guint i = 0; i < value->op->n_operands; i++)
    if (!can_copy (value->op->operands[i], depth + 1))
      return FALSE;

  return TRUE;
}

/* The value that a tensor is before @place, or the list of those that it is made of. */
static AssayTorchValue *
copy_value (AssayTorchModule *module, AssayTorchOp *place, AssayTorchValue *value)
{
  const AssayTorchType *type = assay_torch_edit_as_value (module, value->type);
  g_autofree AssayTorchValue **parts = NULL;

  if (type == value->type)
    return value;
  if (value->type->kind == ASSAY_TORCH_TYPE_TENSOR)
    return assay_torch_edit_one (module, place, "torch.copy.to_vtensor", type, value->name, 1,
                                 &value);

  parts = g_new (AssayTorchValue *, value->op->n_operands + 1);
  for (guint i = 0; i < value->op->n_operands; i++)
    parts[i] = copy_value (module, place, value->op->operands[i]);

  return assay_torch_edit_one (module, place, value->op->name, type, value->name,
                               value->op->n_operands, parts);
}

static gboolean
can_copy_operands (const AssayTorchOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!can_copy (op->operands[i], 0))
      return FALSE;

  return TRUE;
}

static void
to_values (AssayTorchModule *module, AssayTorchOp *op)
{
  gboolean any = FALSE;

  for (guint i = 0; i < op->n_operands; i++)
    any |= assay_torch_edit_holds (op->operands[i]->type, ASSAY_TORCH_TYPE_TENSOR);
  for (guint i = 0; i < op->n_results; i++)
    {
      const AssayTorchType *type = op->results[i]->type;

      any |= type->kind == ASSAY_TORCH_TYPE_TENSOR;
      if (type->kind != ASSAY_TORCH_TYPE_TENSOR &&
          assay_torch_edit_holds (type, ASSAY_TORCH_TYPE_TENSOR))
        return;
    }
  if (!any || !can_copy_operands (op))
    return;

  for (guint i = 0; i < op->n_operands; i++)
    op->operands[i] = copy_value (module, op, op->operands[i]);
  for (guint i = op->n_results; i-- > 0;)
    if (op->results[i]->type->kind == ASSAY_TORCH_TYPE_TENSOR)
      assay_torch_edit_wrap (module, op, i,
                             assay_torch_edit_as_value (module, op->results[i]->type),
                             "torch.copy.to_tensor");
}

/* What gives truths whatever it is given. */
static gboolean
gives_truths (const char *name)
{
  static const char *const names[] = { "eq.", "ne.", "lt.", "le.", "gt.", "ge.", "logical_" };
  const char *own = name + strlen ("torch.aten.");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (own, names[i]))
      return TRUE;

  return FALSE;
}

/* Whether the value form gives the element type of the first operand by itself. */
static gboolean
keeps_type (const AssayTorchOp *op, const char *form)
{
  const AssayTorchType *self = op->operands[0]->type;

  if (gives_truths (form))
    return FALSE;
  for (guint i = 1; i < op->n_operands; i++)
    {
      const AssayTorchType *type = op->operands[i]->type;

      if ((type->kind == ASSAY_TORCH_TYPE_TENSOR || type->kind == ASSAY_TORCH_TYPE_VTENSOR) &&
          (self->element == NULL || type->element == NULL ||
           !g_str_equal (self->element, type->element)))
        return FALSE;
    }

  return TRUE;
}

/* The result with the element type of what it is written to. */
static AssayTorchValue *
cast_back (AssayTorchModule *module, AssayTorchOp *op, AssayTorchValue *value,
           AssayTorchValue *self, const AssayTorchType *type)
{
  AssayTorchValue *none = assay_torch_edit_none (module, op);
  AssayTorchValue *no = assay_torch_edit_bool (module, op, FALSE);
  AssayDType dtype;

  if (assay_torch_dtype_from_name (type->element, &dtype))
    return assay_torch_edit_one (
        module, op, "torch.aten.to.dtype", type, value->name, 5,
        (AssayTorchValue *[]){ value,
                               assay_torch_edit_int (module, op, assay_torch_code_of_dtype (dtype)),
                               no, no, none });

  return assay_torch_edit_one (module, op, "torch.aten.to.other", type, value->name, 5,
                               (AssayTorchValue *[]){ value, self, no, no, none });
}

static void
in_place (AssayTorchModule *module, AssayTorchOp *op, const AssayTorchOpInfo *form)
{
  AssayTorchValue *self = op->operands[0];
  const AssayTorchType *type = assay_torch_edit_as_value (module, self->type);
  gboolean keeps = keeps_type (op, form->name);
  const AssayTorchType *made =
      keeps ? type : assay_torch_edit_with (module, ASSAY_TORCH_TYPE_VTENSOR, type, NULL);
  g_autofree AssayTorchValue **operands = g_new (AssayTorchValue *, op->n_operands);
  const char *base = op->n_results > 0 && op->results[0]->name != NULL ? op->results[0]->name
                                                                       : self->name;
  AssayTorchValue *value;
  AssayTorchOp *write;

  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = copy_value (module, op, op->operands[i]);
  value = assay_torch_edit_one (module, op, form->name, made, base, op->n_operands, operands);
  value->op->attrs = op->attrs;
  value->op->n_attrs = op->n_attrs;
  if (!keeps)
    value = cast_back (module, op, value, operands[0], type);
  write = assay_torch_edit_new (module, "torch.overwrite.tensor.contents", op, 2,
                                (AssayTorchValue *[]){ value, self }, 0, NULL, NULL);
  assay_torch_edit_before (op, write);
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->data = self;
  assay_torch_edit_unlink (op);
}

/* A literal is a value of the type of its elements; what it is called besides is a cast and a
 * copy. */
static void
literal (AssayTorchModule *module, AssayTorchOp *op)
{
  const AssayTorchAttr *value = assay_torch_op_find_attr (op, "value");
  const AssayTorchType *elements = value != NULL ? value->type : NULL;
  const AssayTorchType *type = op->results[0]->type;
  const AssayTorchType *whole;

  if (elements == NULL || elements->kind != ASSAY_TORCH_TYPE_BUILTIN ||
      type->kind != ASSAY_TORCH_TYPE_TENSOR)
    return;
  op->name = "torch.vtensor.literal";
  assay_torch_edit_wrap (module, op, 0, assay_torch_edit_as_value (module, type),
                         "torch.copy.to_tensor");
  whole = assay_torch_edit_with (module, ASSAY_TORCH_TYPE_VTENSOR, elements, elements->element);
  if (whole != op->results[0]->type)
    assay_torch_edit_wrap (module, op, 0, whole, "torch.tensor_static_info_cast");
}

static void
reduce_op (AssayTorchOp *op, gpointer user_data)
{
  AssayTorchModule *module = user_data;
  const AssayTorchOpInfo *info = assay_torch_op_info_find (op->name);
  const AssayTorchOpInfo *form;

  if (g_str_equal (op->name, "torch.tensor.literal") && op->n_results == 1)
    literal (module, op);
  if (info == NULL)
    return;
  if ((info->traits & ASSAY_TORCH_OP_VALUE) != 0)
    {
      to_values (module, op);
      return;
    }
  form = op->n_operands > 0 && op->n_results <= 1 &&
                 op->operands[0]->type->kind == ASSAY_TORCH_TYPE_TENSOR
             ? assay_torch_op_info_find_value_form (op->name)
             : NULL;
  if (form != NULL && can_copy_operands (op))
    in_place (module, op, form);
}

gboolean
assay_torch_pass_variants (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  assay_torch_edit_note_changes (module);
  assay_torch_edit_walk (&module->body, reduce_op, module);
  assay_torch_edit_forward (module);
  assay_torch_edit_sweep (module);

  return TRUE;
}
