/* assay-torch-pass-values.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tensors that may be written to become values, also through views. All tensors that look at a copy
 * are one family; if everything that happens to them is known, each of them is followed from the
 * copy on. What is written to a view is written back into what it looks at, by the operation that
 * undoes the view; the other views are taken anew where somebody reads them.
 */
#include <string.h>

#include "source/torch/pass/assay-torch-edit-private.h"

#define COPY_TO_TENSOR "torch.copy.to_tensor"
#define COPY_TO_VTENSOR "torch.copy.to_vtensor"
#define OVERWRITE "torch.overwrite.tensor.contents"
#define CAST "torch.tensor_static_info_cast"

/* How what is written to a view comes back into what it looks at. */
typedef enum
{
  BACK_NOT,     /* nobody knows */
  BACK_SAME,    /* as it is */
  BACK_RESHAPE, /* with the sizes from before */
  BACK_AGAIN,   /* the same once more undoes it */
  BACK_PERMUTE, /* with the order that undoes it */
  BACK_SCATTER, /* another operation, with the same operands behind the two tensors */
} Back;

/* Whether it looks at what it is given, or may be a copy. */
typedef enum
{
  LOOKS,
  LOOKS_AT_ROWS, /* if the elements lie one after the other */
  LOOKS_AT_SAME, /* if nothing is to be changed */
} Looks;

static const struct
{
  const char *name;
  Back back;
  Looks looks;
  const char *scatter;
  guint copies; /* the operand that asks for a copy, 0 if there is none */
} views[] = {
  { "torch.aten.view", BACK_RESHAPE, LOOKS, NULL },
  { "torch.aten.reshape", BACK_RESHAPE, LOOKS_AT_ROWS, NULL },
  { "torch.aten._reshape_alias", BACK_RESHAPE, LOOKS_AT_ROWS, NULL },
  { "torch.aten.reshape_as", BACK_RESHAPE, LOOKS_AT_ROWS, NULL },
  { "torch.aten.flatten.using_ints", BACK_RESHAPE, LOOKS_AT_ROWS, NULL },
  { "torch.aten.unflatten.int", BACK_RESHAPE, LOOKS, NULL },
  { "torch.aten.squeeze", BACK_RESHAPE, LOOKS, NULL },
  { "torch.aten.squeeze.dim", BACK_RESHAPE, LOOKS, NULL },
  { "torch.aten.unsqueeze", BACK_RESHAPE, LOOKS, NULL },
  { "torch.aten.transpose.int", BACK_AGAIN, LOOKS, NULL },
  { "torch.aten.t", BACK_AGAIN, LOOKS, NULL },
  { "torch.aten.numpy_T", BACK_AGAIN, LOOKS, NULL },
  { "torch.aten.permute", BACK_PERMUTE, LOOKS, NULL },
  { "torch.aten.slice.Tensor", BACK_SCATTER, LOOKS, "torch.aten.slice_scatter" },
  { "torch.aten.select.int", BACK_SCATTER, LOOKS, "torch.aten.select_scatter" },
  { "torch.aten.detach", BACK_SAME, LOOKS, NULL },
  { "torch.aten.alias", BACK_SAME, LOOKS, NULL },
  { "torch.prims.view_of", BACK_SAME, LOOKS, NULL },
  { CAST, BACK_SAME, LOOKS, NULL },
  { "torch.aten.contiguous", BACK_SAME, LOOKS_AT_ROWS, NULL },
  { "torch.aten.to.dtype", BACK_SAME, LOOKS_AT_SAME, NULL, 3 },
  { "torch.aten.to.dtype_layout", BACK_SAME, LOOKS_AT_SAME, NULL, 6 },
  { "torch.aten.to.other", BACK_SAME, LOOKS_AT_SAME, NULL, 3 },
  { "torch.aten.to.device", BACK_SAME, LOOKS_AT_SAME, NULL, 4 },
  { "torch.aten.to.prim_Device", BACK_SAME, LOOKS_AT_SAME, NULL, 4 },
  { "torch.aten.cpu", BACK_SAME, LOOKS_AT_SAME, NULL },
  { "torch.aten.cuda", BACK_SAME, LOOKS_AT_SAME, NULL },
  /* Lists of views, and what is in them. */
  { "torch.aten.split.Tensor", BACK_NOT, LOOKS, NULL },
  { "torch.aten.split_with_sizes", BACK_NOT, LOOKS, NULL },
  { "torch.aten.split.sizes", BACK_NOT, LOOKS, NULL },
  { "torch.aten.tensor_split.sections", BACK_NOT, LOOKS, NULL },
  { "torch.aten.unbind.int", BACK_NOT, LOOKS, NULL },
  { "torch.aten.chunk", BACK_NOT, LOOKS, NULL },
  { "torch.prim.ListUnpack", BACK_NOT, LOOKS, NULL },
  { "torch.aten.__getitem__.t", BACK_NOT, LOOKS, NULL },
  { "torch.aten.expand", BACK_NOT, LOOKS, NULL },
  { "torch.aten.expand_as", BACK_NOT, LOOKS, NULL },
  { "torch.aten.broadcast_to", BACK_NOT, LOOKS, NULL },
  { "torch.aten.as_strided", BACK_NOT, LOOKS, NULL },
  { "torch.aten.diagonal", BACK_NOT, LOOKS, NULL },
  { "torch.aten.unfold", BACK_NOT, LOOKS, NULL },
  { "torch.aten.movedim.int", BACK_NOT, LOOKS, NULL },
  { "torch.aten.narrow", BACK_NOT, LOOKS, NULL },
  { "torch.aten.view_as_real", BACK_NOT, LOOKS, NULL },
  { "torch.aten.view_as_complex", BACK_NOT, LOOKS, NULL },
  { "torch.aten.real", BACK_NOT, LOOKS, NULL },
  { "torch.aten.imag", BACK_NOT, LOOKS, NULL },
};

/* All that look at one copy. */
typedef struct
{
  AssayTorchBlock *block;
  guint version;
  gboolean is_used;    /* for something that nobody knows */
  gboolean is_written; /* at all */
  gboolean is_lost;    /* what is written to a view of it cannot be put back */
  gboolean is_unsure;  /* a view may be a copy */
} Family;

/* A tensor of a family. @value is what it is as of @version of the family. */
typedef struct _Member Member;
struct _Member
{
  Family *family;
  Member *base; /* what it looks at, NULL for the copy itself */
  AssayTorchOp *op;
  const AssayTorchValue *tensor;
  guint view;
  AssayTorchValue *value;
  guint version;
};

typedef struct
{
  AssayTorchModule *module;
  GPtrArray *around; /* operations whose regions it is in */
} Values;

static guint
find_view (const char *name)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (views) && !g_str_equal (views[i].name, name))
    i++;

  return i;
}

static Member *
member_of (const AssayTorchValue *value)
{
  return value->data;
}

/* Whether everything that happens to a family is known. */
static gboolean
is_known (const Family *family)
{
  return !family->is_used && !family->is_lost && !(family->is_written && family->is_unsure);
}

static gboolean
is_same_element (const AssayTorchOp *op)
{
  const char *before = op->operands[0]->type->element;
  const char *after = op->results[0]->type->element;

  return before != NULL && after != NULL && g_str_equal (before, after);
}

/* Whether it may be asked for a copy: all but a known no. */
static gboolean
may_copy (const AssayTorchOp *op, guint operand)
{
  const AssayTorchOp *asked = operand > 0 && operand < op->n_operands ? op->operands[operand]->op
                                                                      : NULL;
  const AssayTorchAttr *value = asked != NULL && g_str_equal (asked->name, "torch.constant.bool")
                                    ? assay_torch_op_find_attr (asked, "value")
                                    : NULL;

  return operand > 0 && operand < op->n_operands && (value == NULL || value->i != 0);
}

static void
add_members (Values *self, AssayTorchOp *op, Member *base, guint view)
{
  Family *family = base != NULL ? base->family : NULL;

  if (family == NULL)
    {
      family = assay_arena_alloc (self->module->arena, sizeof *family);
      *family = (Family){ .block = op->parent };
    }
  for (guint i = 0; i < op->n_results; i++)
    {
      Member *member = assay_arena_alloc (self->module->arena, sizeof *member);

      *member = (Member){
        .family = family, .base = base, .op = op, .tensor = op->results[i], .view = view
      };
      op->results[i]->data = member;
    }
  if (base != NULL && ((views[view].looks == LOOKS_AT_ROWS && base->base != NULL) ||
                       (views[view].looks == LOOKS_AT_SAME &&
                        (!is_same_element (op) || may_copy (op, views[view].copies)))))
    family->is_unsure = TRUE;
}

/* The axis of an order that is known, or -1. */
static gint64
axis_of_order (const AssayTorchOp *list, guint index)
{
  const AssayTorchOp *op = list->operands[index]->op;
  const AssayTorchAttr *value = op != NULL && g_str_equal (op->name, "torch.constant.int")
                                    ? assay_torch_op_find_attr (op, "value")
                                    : NULL;

  if (value == NULL || value->i < -(gint64) list->n_operands || value->i >= list->n_operands)
    return -1;

  return value->i < 0 ? value->i + list->n_operands : value->i;
}

static gboolean
is_order (const AssayTorchValue *list)
{
  g_autofree gboolean *seen = NULL;

  if (assay_torch_edit_find_list (list) == NULL)
    return FALSE;
  seen = g_new0 (gboolean, list->op->n_operands + 1);
  for (guint i = 0; i < list->op->n_operands; i++)
    {
      gint64 axis = axis_of_order (list->op, i);

      if (axis < 0 || seen[axis])
        return FALSE;
      seen[axis] = TRUE;
    }

  return TRUE;
}

static gboolean
can_put_back (const Member *view)
{
  switch (views[view->view].back)
    {
    case BACK_NOT:
      return FALSE;
    case BACK_PERMUTE:
      return view->op->n_operands == 2 && is_order (view->op->operands[1]);
    default:
      return TRUE;
    }
}

static void
note_use (AssayTorchOp *op, guint operand)
{
  Member *member = member_of (op->operands[operand]);
  gboolean is_inside = op->parent != member->family->block;

  if (g_str_equal (op->name, COPY_TO_VTENSOR) ||
      (g_str_equal (op->name, "func.return") && !is_inside))
    return;
  if (g_str_equal (op->name, OVERWRITE) && operand == 1 && op->n_operands == 2 && !is_inside &&
      op->operands[0]->type->kind == ASSAY_TORCH_TYPE_VTENSOR)
    {
      member->family->is_written = TRUE;
      for (; member->base != NULL; member = member->base)
        member->family->is_lost |= !can_put_back (member);
      return;
    }
  member->family->is_used = TRUE;
}

static void
collect (AssayTorchOp *op, gpointer user_data)
{
  Values *self = user_data;
  guint view = find_view (op->name);
  Member *base = op->n_operands > 0 ? member_of (op->operands[0]) : NULL;
  gboolean is_view = view < G_N_ELEMENTS (views) && base != NULL &&
                     op->parent == base->family->block;

  for (guint i = 0; i < op->n_results; i++)
    is_view = is_view && assay_torch_edit_holds (op->results[i]->type, ASSAY_TORCH_TYPE_TENSOR);
  if (is_view)
    add_members (self, op, base, view);
  else if (g_str_equal (op->name, COPY_TO_TENSOR) && op->n_results == 1 && op->n_operands == 1 &&
           op->operands[0]->type->kind == ASSAY_TORCH_TYPE_VTENSOR)
    add_members (self, op, NULL, view);

  /* Other operands of a view are only asked for their sizes. */
  for (guint i = is_view; i < op->n_operands; i++)
    if (member_of (op->operands[i]) != NULL &&
        (!is_view || member_of (op->operands[i])->family->block != op->parent))
      note_use (op, i);
}

static const AssayTorchType *
value_type (Values *self, const AssayTorchValue *tensor)
{
  return assay_torch_edit_as_value (self->module, tensor->type);
}

static AssayTorchValue *read_value (Values *self, Member *member, AssayTorchOp *place);

/* An operand of a view that is made anew, as it is at @place. */
static AssayTorchValue *
read_operand (Values *self, AssayTorchValue *value, AssayTorchOp *place)
{
  Member *member = member_of (value);

  if (member != NULL && is_known (member->family))
    return read_value (self, member, place);
  if (value->type->kind != ASSAY_TORCH_TYPE_TENSOR)
    return value;

  return assay_torch_edit_one (self->module, place, COPY_TO_VTENSOR, value_type (self, value),
                               value->name, 1, &value);
}

/* Makes a view anew before @place, with all its results. */
static void
look_again (Values *self, const AssayTorchOp *op, AssayTorchOp *place,
            AssayTorchValue *const *operands)
{
  g_autofree const AssayTorchType **types = g_new (const AssayTorchType *, op->n_results);
  AssayTorchOp *made;

  for (guint i = 0; i < op->n_results; i++)
    types[i] = value_type (self, op->results[i]);
  made = assay_torch_edit_new (self->module, op->name, op, op->n_operands, operands, op->n_results,
                               types, op->results[0]->name);
  assay_torch_edit_before (place, made);
  for (guint i = 0; i < op->n_results; i++)
    {
      Member *member = member_of (op->results[i]);

      member->value = made->results[i];
      member->version = member->family->version;
    }
}

/* What a member is before @place. */
static AssayTorchValue *
read_value (Values *self, Member *member, AssayTorchOp *place)
{
  g_autoptr (GPtrArray) stale = g_ptr_array_new ();
  Member *fresh = member;

  for (; fresh->base != NULL && (fresh->value == NULL || fresh->version != fresh->family->version);
       fresh = fresh->base)
    g_ptr_array_add (stale, fresh);

  while (stale->len > 0)
    {
      Member *view = g_ptr_array_remove_index (stale, stale->len - 1);
      g_autofree AssayTorchValue **operands = g_new (AssayTorchValue *, view->op->n_operands);

      operands[0] = view->base->value;
      for (guint i = 1; i < view->op->n_operands; i++)
        operands[i] = read_operand (self, view->op->operands[i], place);
      look_again (self, view->op, place, operands);
    }

  return member->value;
}

/* The order that undoes an order. */
static AssayTorchValue *
invert_order (Values *self, AssayTorchValue *list, AssayTorchOp *place)
{
  guint n = list->op->n_operands;
  g_autofree AssayTorchValue **inverse = g_new0 (AssayTorchValue *, n + 1);

  for (guint i = 0; i < n; i++)
    inverse[axis_of_order (list->op, i)] = assay_torch_edit_int (self->module, place, i);

  return assay_torch_edit_one (self->module, place, list->op->name, list->type, list->name, n,
                               inverse);
}

/* What the base of a view is once @value is written to the view. */
static AssayTorchValue *
put_back (Values *self, const Member *view, AssayTorchValue *base, AssayTorchValue *value,
          AssayTorchOp *place)
{
  AssayTorchModule *module = self->module;
  const AssayTorchOp *op = view->op;
  g_autofree AssayTorchValue **operands = g_new0 (AssayTorchValue *, op->n_operands + 2);
  const char *name = op->name;
  guint n = op->n_operands;

  memcpy (operands, op->operands, n * sizeof *operands);
  operands[0] = value;
  switch (views[view->view].back)
    {
    case BACK_SAME:
      name = CAST;
      n = 1;
      break;
    case BACK_AGAIN:
      break;
    case BACK_RESHAPE:
      name = "torch.aten.view";
      operands[1] = assay_torch_edit_one (
          module, place, "torch.aten.size",
          assay_torch_type_intern (
              module,
              (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_LIST,
                                .rank = -1,
                                .n = 1,
                                .inner = (const AssayTorchType *const[]){ assay_torch_edit_word (
                                    module, "!torch.int") } }),
          "size", 1, &base);
      n = 2;
      break;
    case BACK_PERMUTE:
      operands[1] = invert_order (self, op->operands[1], place);
      break;
    case BACK_SCATTER:
      name = views[view->view].scatter;
      memcpy (operands + 2, op->operands + 1, (n - 1) * sizeof *operands);
      operands[0] = base;
      operands[1] = value;
      n++;
      break;
    default:
      break;
    }

  return assay_torch_edit_one (module, place, name, base->type, base->name, n, operands);
}

/* Writes to a member, and with it to all that it looks at. */
static void
write_value (Values *self, Member *member, AssayTorchValue *value, AssayTorchOp *place)
{
  Family *family = member->family;
  const AssayTorchType *type = value_type (self, member->tensor);

  if (value->type != type)
    value = assay_torch_edit_one (self->module, place, CAST, type, value->name, 1, &value);
  for (Member *m = member; m != NULL; m = m->base)
    {
      AssayTorchValue *written = value;

      if (m->base != NULL)
        value = put_back (self, m, read_value (self, m->base, place), written, place);
      m->value = written;
      m->version = family->version + 1;
    }
  family->version++;
}

static void follow_block (Values *self, AssayTorchBlock *block);

/* The operation of the block of a family that @op is, or is in. */
static AssayTorchOp *
find_place (const Values *self, const Family *family, AssayTorchOp *op)
{
  for (guint i = self->around->len; i-- > 0 && op->parent != family->block;)
    op = self->around->pdata[i];

  return op;
}

/* The value of a tensor of a family that is known. */
static AssayTorchValue *
take (Values *self, const AssayTorchValue *tensor, AssayTorchOp *op)
{
  Member *member = member_of (tensor);

  return member != NULL && is_known (member->family)
             ? read_value (self, member, find_place (self, member->family, op))
             : NULL;
}

static void
start_member (Values *self, Member *member, AssayTorchOp *op)
{
  const AssayTorchType *type = value_type (self, op->results[0]);

  if (member->base == NULL)
    member->value = op->operands[0]->type == type
                        ? op->operands[0]
                        : assay_torch_edit_one (self->module, op, CAST, type, op->operands[0]->name,
                                                1, op->operands);
  assay_torch_edit_unlink (op);
}

static void
follow (Values *self, AssayTorchOp *op)
{
  Member *own = op->n_results > 0 ? member_of (op->results[0]) : NULL;
  Member *target = op->n_operands == 2 && g_str_equal (op->name, OVERWRITE)
                       ? member_of (op->operands[1])
                       : NULL;
  AssayTorchValue *value;

  if (own != NULL && is_known (own->family))
    {
      start_member (self, own, op);
      return;
    }
  if (target != NULL && is_known (target->family))
    {
      write_value (self, target, op->operands[0], op);
      assay_torch_edit_unlink (op);
      return;
    }
  for (guint i = 0; i < op->n_operands; i++)
    {
      value = take (self, op->operands[i], op);
      if (value == NULL)
        continue;
      if (g_str_equal (op->name, COPY_TO_VTENSOR))
        op->name = CAST;
      else
        value = assay_torch_edit_one (self->module, op, COPY_TO_TENSOR, op->operands[i]->type,
                                      op->operands[i]->name, 1, &value);
      op->operands[i] = value;
    }

  g_ptr_array_add (self->around, op);
  for (guint i = 0; i < op->n_regions; i++)
    for (AssayTorchBlock *inner = op->regions[i].first; inner != NULL; inner = inner->next)
      follow_block (self, inner);
  g_ptr_array_set_size (self->around, self->around->len - 1);
}

static void
follow_block (Values *self, AssayTorchBlock *block)
{
  AssayTorchOp *next;

  for (AssayTorchOp *op = block->first; op != NULL; op = next)
    {
      next = op->next;
      follow (self, op);
    }
}

gboolean
assay_torch_pass_values (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) around = g_ptr_array_new ();
  Values self = { module, around };

  assay_torch_edit_note_changes (module);
  assay_torch_edit_walk (&module->body, collect, &self);
  follow_block (&self, &module->body);

  assay_torch_edit_clear (module);
  assay_torch_edit_drop_nothing (module);
  assay_torch_edit_sweep (module);

  return TRUE;
}
