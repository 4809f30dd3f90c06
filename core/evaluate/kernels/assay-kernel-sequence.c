/* assay-kernel-sequence.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <string.h>

#include "base/assay-sentence.h"

/* Sequences and optionals. */

/* An axis of a tensor without elements may be as long as it likes. */
#define MAX_PIECES ((gsize) 1 << 24)

static GPtrArray *
new_items (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
}

/* The items of an input that has to be a sequence. */
static GPtrArray *
get_sequence (AssayKernel *self, guint input, GError **error)
{
  const AssayDatum *datum = assay_kernel_input (self, input);

  if (datum->kind == ASSAY_DATUM_SEQUENCE)
    return datum->items;

  assay_kernel_fail (self, error, "input %u is not a sequence", input);

  return NULL;
}

/* A copy of a sequence that may be changed. */
static GPtrArray *
dup_items (GPtrArray *items)
{
  GPtrArray *copy = new_items ();

  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (copy, assay_datum_ref (g_ptr_array_index (items, i)));

  return copy;
}

static void
give_items (AssayKernel *self, guint output, AssayDatumKind kind, GPtrArray *items)
{
  assay_kernel_take (self, output, assay_datum_new_items (kind, items));
}

/* A position, which may count from the end; @n of them are good. */
static gboolean
get_position (AssayKernel *self, guint input, guint length, guint n, guint *position,
              GError **error)
{
  const AssayDatum *datum = assay_kernel_input (self, input);
  gint64 at;

  if (datum->kind != ASSAY_DATUM_TENSOR || !assay_dtype_is_integer (datum->dtype) || datum->n != 1)
    return assay_kernel_fail (self, error, "input %u is not one integer", input);

  at = assay_datum_get_integer (datum, 0);
  if (at < -(gint64) length || at >= (gint64) n)
    return assay_kernel_fail (self, error, "position %" G_GINT64_FORMAT " in a sequence of %u", at,
                              length);

  *position = (guint) (at < 0 ? at + length : at);

  return TRUE;
}

gboolean
assay_kernel_op_sequence_empty (AssayKernel *self, GError **error)
{
  g_autoptr (GPtrArray) items = new_items ();

  give_items (self, 0, ASSAY_DATUM_SEQUENCE, items);

  return TRUE;
}

gboolean
assay_kernel_op_sequence_construct (AssayKernel *self, GError **error)
{
  g_autoptr (GPtrArray) items = new_items ();

  for (guint i = 0; i < self->n_inputs; i++)
    {
      if (self->inputs[i] == NULL)
        return assay_kernel_fail (self, error, "input %u is missing", i);
      g_ptr_array_add (items, assay_datum_ref (self->inputs[i]));
    }
  give_items (self, 0, ASSAY_DATUM_SEQUENCE, items);

  return TRUE;
}

gboolean
assay_kernel_op_sequence_at (AssayKernel *self, GError **error)
{
  GPtrArray *items = get_sequence (self, 0, error);
  guint at = 0;

  if (items == NULL || !get_position (self, 1, items->len, items->len, &at, error))
    return FALSE;

  assay_kernel_take (self, 0, assay_datum_ref (g_ptr_array_index (items, at)));

  return TRUE;
}

gboolean
assay_kernel_op_sequence_insert (AssayKernel *self, GError **error)
{
  GPtrArray *items = get_sequence (self, 0, error);
  g_autoptr (GPtrArray) changed = NULL;
  guint at;

  if (items == NULL)
    return FALSE;
  at = items->len;
  if (assay_kernel_input (self, 2) != NULL &&
      !get_position (self, 2, items->len, items->len + 1, &at, error))
    return FALSE;

  changed = dup_items (items);
  g_ptr_array_insert (changed, (int) at, assay_datum_ref (assay_kernel_input (self, 1)));
  give_items (self, 0, ASSAY_DATUM_SEQUENCE, changed);

  return TRUE;
}

gboolean
assay_kernel_op_sequence_erase (AssayKernel *self, GError **error)
{
  GPtrArray *items = get_sequence (self, 0, error);
  g_autoptr (GPtrArray) changed = NULL;
  guint at;

  if (items == NULL)
    return FALSE;
  if (items->len == 0)
    return assay_kernel_fail (self, error, "nothing can be erased from an empty sequence");
  at = items->len - 1;
  if (assay_kernel_input (self, 1) != NULL &&
      !get_position (self, 1, items->len, items->len, &at, error))
    return FALSE;

  changed = dup_items (items);
  g_ptr_array_remove_index (changed, at);
  give_items (self, 0, ASSAY_DATUM_SEQUENCE, changed);

  return TRUE;
}

gboolean
assay_kernel_op_sequence_length (AssayKernel *self, GError **error)
{
  GPtrArray *items = get_sequence (self, 0, error);
  AssayDatum *y = items == NULL ? NULL
                                : assay_kernel_output (self, 0, ASSAY_DTYPE_I64, 0, NULL, error);

  if (y == NULL)
    return FALSE;

  *(gint64 *) y->data = items->len;

  return TRUE;
}

/* The extents that a tensor is cut into: as given, or equal ones with a rest. */
static gint64 *
split_extents (AssayKernel *self, const AssayDatum *split, gint64 extent, gsize *n, GError **error)
{
  gint64 each = 1;
  gint64 *extents;

  if (split != NULL && (split->kind != ASSAY_DATUM_TENSOR || split->rank > 1 ||
                        !assay_dtype_is_integer (split->dtype)))
    {
      assay_kernel_fail (self, error, "the extents are not a list of integers");
      return NULL;
    }
  if (split != NULL && split->rank == 1)
    return assay_kernel_dup_integers (self, 1, n, error);

  if (split != NULL)
    each = assay_datum_get_integer (split, 0);
  if (each < 1)
    {
      assay_kernel_fail (self, error, "pieces of %" G_GINT64_FORMAT " element%s", each,
                         assay_plural (each));
      return NULL;
    }

  *n = extent == 0 ? 0 : (gsize) ((extent - 1) / each + 1);
  if (*n > MAX_PIECES)
    {
      assay_kernel_fail (self, error, "%" G_GSIZE_FORMAT " pieces are too many", *n);
      return NULL;
    }
  extents = assay_kernel_room (self, gint64, *n + 1, error);
  if (extents == NULL)
    return NULL;
  for (gsize i = 0; i < *n; i++)
    extents[i] = MIN (each, extent - (gint64) i * each);

  return extents;
}

gboolean
assay_kernel_op_split_to_sequence (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *split = assay_kernel_input (self, 1);
  g_autoptr (GPtrArray) pieces = NULL;
  g_autofree gint64 *extents = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gsize n;
  guint axis;

  if (x->kind != ASSAY_DATUM_TENSOR)
    return assay_kernel_fail (self, error, "input 0 is not a tensor");
  if (!assay_kernel_node_axis (self, x->rank, &axis, error))
    return FALSE;

  extents = split_extents (self, split, x->dims[axis], &n, error);
  if (extents == NULL)
    return FALSE;
  pieces = assay_kernel_cut (self, x, axis, (guint) n, extents, error);
  if (pieces == NULL)
    return FALSE;

  if (split == NULL && assay_node_get_int (self->node, "keepdims") == 0)
    {
      memcpy (dims, x->dims, axis * sizeof *dims);
      memcpy (dims + axis, x->dims + axis + 1, (x->rank - axis - 1) * sizeof *dims);
      for (guint i = 0; i < pieces->len; i++)
        {
          AssayDatum *view = assay_datum_new_view (g_ptr_array_index (pieces, i), x->rank - 1, dims,
                                                   error);

          if (view == NULL)
            return FALSE;
          assay_datum_unref (g_ptr_array_index (pieces, i));
          g_ptr_array_index (pieces, i) = view;
        }
    }
  give_items (self, 0, ASSAY_DATUM_SEQUENCE, pieces);

  return TRUE;
}

gboolean
assay_kernel_op_concat_from_sequence (AssayKernel *self, GError **error)
{
  GPtrArray *items = get_sequence (self, 0, error);
  gboolean stack = assay_node_get_int (self->node, "new_axis") != 0;
  g_autoptr (GPtrArray) views = new_items ();
  const AssayDatum *first;
  AssayDatum *y;
  guint axis;

  if (items == NULL)
    return FALSE;
  if (items->len == 0)
    return assay_kernel_fail (self, error, "the sequence is empty, so the result has no shape");

  first = g_ptr_array_index (items, 0);
  for (guint i = 0; i < items->len; i++)
    if (((AssayDatum *) g_ptr_array_index (items, i))->kind != ASSAY_DATUM_TENSOR)
      return assay_kernel_fail (self, error, "item %u of the sequence is not a tensor", i);
  if (!assay_kernel_node_axis (self, first->rank + (stack ? 1 : 0), &axis, error))
    return FALSE;

  for (guint i = 0; i < items->len; i++)
    {
      AssayDatum *item = g_ptr_array_index (items, i);
      gint64 dims[ASSAY_MAX_RANK + 1];

      if (stack)
        {
          if (item->rank != first->rank)
            return assay_kernel_fail (self, error, "item %u has rank %u, the first one %u", i,
                                      item->rank, first->rank);
          memcpy (dims, item->dims, axis * sizeof *dims);
          dims[axis] = 1;
          memcpy (dims + axis + 1, item->dims + axis, (item->rank - axis) * sizeof *dims);
          item = assay_datum_new_view (item, item->rank + 1, dims, error);
          if (item == NULL)
            return FALSE;
        }
      else
        {
          assay_datum_ref (item);
        }
      g_ptr_array_add (views, item);
    }

  y = assay_kernel_join (self, views->len, (AssayDatum *const *) views->pdata, axis, error);
  if (y == NULL)
    return FALSE;

  assay_kernel_take (self, 0, y);

  return TRUE;
}

/* The body gets the items at one place of each sequence; tensors are the same for every place. */
gboolean
assay_kernel_op_sequence_map (AssayKernel *self, GError **error)
{
  const AssayAttr *body = assay_node_find_attr (self->node, "body");
  GPtrArray *first = get_sequence (self, 0, error);
  g_autofree AssayDatum **inputs = g_new0 (AssayDatum *, self->n_inputs);
  g_autofree AssayDatum **outputs = g_new0 (AssayDatum *, self->n_outputs);
  g_autoptr (GPtrArray)
      sequences = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  if (first == NULL)
    return FALSE;
  if (body == NULL || body->kind != ASSAY_ATTR_GRAPH)
    return assay_kernel_fail (self, error, "body is not a graph");
  for (guint i = 0; i < self->n_inputs; i++)
    {
      const AssayDatum *input = self->inputs[i];

      if (input == NULL || (input->kind == ASSAY_DATUM_SEQUENCE && input->items->len != first->len))
        return assay_kernel_fail (
            self, error, "input %u is missing, or a sequence of another length than the first", i);
    }
  for (guint i = 0; i < self->n_outputs; i++)
    g_ptr_array_add (sequences, new_items ());

  for (guint i = 0; i < first->len; i++)
    {
      for (guint j = 0; j < self->n_inputs; j++)
        inputs[j] = self->inputs[j]->kind == ASSAY_DATUM_SEQUENCE
                        ? g_ptr_array_index (self->inputs[j]->items, i)
                        : self->inputs[j];
      if (!assay_kernel_run_region (self, body->u.region, self->n_inputs, inputs, self->n_outputs,
                                    outputs, error))
        return FALSE;
      for (guint j = 0; j < self->n_outputs; j++)
        g_ptr_array_add (g_ptr_array_index (sequences, j), g_steal_pointer (&outputs[j]));
    }

  for (guint i = 0; i < self->n_outputs; i++)
    if (assay_kernel_wants (self, i))
      give_items (self, i, ASSAY_DATUM_SEQUENCE, g_ptr_array_index (sequences, i));

  return TRUE;
}

gboolean
assay_kernel_op_optional (AssayKernel *self, GError **error)
{
  g_autoptr (GPtrArray) items = new_items ();

  if (assay_kernel_input (self, 0) != NULL)
    g_ptr_array_add (items, assay_datum_ref (assay_kernel_input (self, 0)));
  give_items (self, 0, ASSAY_DATUM_OPTIONAL, items);

  return TRUE;
}

/* What is no optional counts as one that holds it. */
gboolean
assay_kernel_op_optional_has_element (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  AssayDatum *y = assay_kernel_output (self, 0, ASSAY_DTYPE_BOOL, 0, NULL, error);

  if (y == NULL)
    return FALSE;

  *(guint8 *) y->data = x != NULL && (x->kind != ASSAY_DATUM_OPTIONAL || x->items->len > 0);

  return TRUE;
}

gboolean
assay_kernel_op_optional_get_element (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);

  if (x->kind == ASSAY_DATUM_OPTIONAL && x->items->len == 0)
    return assay_kernel_fail (self, error, "the optional is empty");

  assay_kernel_take (
      self, 0,
      assay_datum_ref (x->kind == ASSAY_DATUM_OPTIONAL ? g_ptr_array_index (x->items, 0) : x));

  return TRUE;
}
