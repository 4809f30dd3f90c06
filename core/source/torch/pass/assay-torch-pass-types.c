/* assay-torch-pass-types.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shapes and element types that can be known are written down: the function that opens is carried
 * out on what is known, as when it becomes a graph. What has to be of a certain type, such as what
 * a function returns, is cast back to that.
 */
#include "source/torch/assay-torch-elements.h"
#include "source/torch/assay-torch-lower-private.h"
#include "source/torch/pass/assay-torch-edit-private.h"

/* An operand whose type is promised elsewhere. */
typedef struct
{
  AssayTorchOp *op;
  guint operand;
  const AssayTorchType *type;
} Promise;

typedef struct
{
  AssayTorchModule *module;
  AssayTorchLower *lower;
  GArray *promises;
} Types;

static void
note_promises (AssayTorchOp *op, gpointer user_data)
{
  static const char *const names[] = {
    "func.return",
    "func.call",
    "torch.prim.If.yield",
    "torch.prim.Loop.condition",
    "torch.overwrite.tensor.contents",
    "torch.global_slot.set",
  };
  Types *self = user_data;
  gboolean is_promised = op->n_regions > 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    is_promised |= g_str_equal (names[i], op->name);
  for (guint i = 0; is_promised && i < op->n_operands; i++)
    {
      const Promise promise = { op, i, op->operands[i]->type };

      g_array_append_val (self->promises, promise);
    }
}

/* The type with what is known besides; what is stated is not taken back. */
static const AssayTorchType *
refine (Types *self, const AssayTorchType *stated, const AssayType *known)
{
  AssayTorchType type = *stated;
  gint64 dims[ASSAY_MAX_RANK];

  if (known->kind != ASSAY_TYPE_KIND_TENSOR)
    return stated;
  if (type.element == NULL && known->dtype != ASSAY_DTYPE_UNDEFINED)
    {
      const char *name = assay_torch_name_of_dtype (known->dtype);

      type.element = name != NULL ? assay_arena_intern (self->module->arena, name) : NULL;
    }
  if (known->rank >= 0 && known->rank <= ASSAY_MAX_RANK &&
      (type.rank < 0 || type.rank == known->rank))
    {
      for (int i = 0; i < known->rank; i++)
        dims[i] = type.rank >= 0 && type.dims[i] >= 0 ? type.dims[i]
                                                      : MAX (known->dims[i].size, -1);
      type.rank = known->rank;
      type.dims = dims;
    }
  type.text = NULL;

  return assay_torch_type_intern (self->module, type);
}

static void
learn_op (AssayTorchOp *op, gpointer user_data)
{
  Types *self = user_data;

  for (guint i = 0; op->n_regions == 0 && i < op->n_results; i++)
    {
      AssayTorchValue *value = op->results[i];
      const AssayTorchItem *item = value->data;

      if (item != NULL && item->kind == ASSAY_TORCH_ITEM_TENSOR && item->value != ASSAY_NO_VALUE &&
          (value->type->kind == ASSAY_TORCH_TYPE_TENSOR ||
           value->type->kind == ASSAY_TORCH_TYPE_VTENSOR))
        value->type = refine (self, value->type, assay_torch_type (self->lower, item->value));
    }
}

static void
learn (AssayTorchLower *lower, const AssayTorchOp *function, gpointer user_data)
{
  Types *self = user_data;

  self->lower = lower;
  assay_torch_edit_walk (function->regions[0].first, learn_op, self);
}

gboolean
assay_torch_pass_types (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  g_autoptr (GArray) promises = g_array_new (FALSE, FALSE, sizeof (Promise));
  Types self = { module, NULL, promises };

  assay_torch_edit_walk (&module->body, note_promises, &self);
  if (!assay_torch_learn (module, learn, &self, progress, error))
    return FALSE;

  for (guint i = 0; i < promises->len; i++)
    {
      const Promise *promise = &g_array_index (promises, Promise, i);
      AssayTorchValue *value = promise->op->operands[promise->operand];

      if (value->type != promise->type)
        promise->op->operands[promise->operand] = assay_torch_edit_one (
            module, promise->op, "torch.tensor_static_info_cast", promise->type, value->name, 1,
            &value);
    }

  return TRUE;
}
