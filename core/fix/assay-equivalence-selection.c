/* assay-equivalence-selection.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of what picks elements along one axis: Slice, Gather, and Pad that repeats elements.
 */
#include "fix/assay-equivalence-private.h"

#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-slice.h"

/* More parts than this are no help to anybody. */
#define MAX_PIECES 256

typedef struct
{
  int axis;
  gint64 extent;   /* of the axis, before */
  GArray *indices; /* gint64 per element afterwards, -1 for a zero */
} Selection;

static void
selection_clear (Selection *self)
{
  g_clear_pointer (&self->indices, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Selection, selection_clear)

static gboolean
set_axis (AssayEdit *edit, Selection *self, gint64 axis)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));

  if (!assay_axes_normalize (axis, type->rank, &self->axis))
    return assay_edit_refuse (edit, "the rank of its input is not known");
  self->extent = type->dims[self->axis].size;

  return self->extent >= 1 ||
         assay_edit_refuse (edit, "the extent of axis %d is not known", self->axis);
}

static gboolean
select_gather (AssayEdit *edit, Selection *self)
{
  gsize n;
  g_autofree double *indices = assay_guard_read (edit, assay_edit_input (edit, 1), &n);

  if (indices == NULL || assay_edit_type (edit, assay_edit_input (edit, 1))->rank != 1)
    return assay_edit_refuse (edit, "its indices are no constant list");
  if (!set_axis (edit, self, assay_node_get_int (assay_edit_node (edit), "axis")))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      gint64 index = (gint64) indices[i] + (indices[i] < 0 ? self->extent : 0);

      if (index < 0 || index >= self->extent)
        return assay_edit_refuse (edit, "index %g is out of range", indices[i]);
      g_array_append_val (self->indices, index);
    }

  return TRUE;
}

static gboolean
select_slice (AssayEdit *edit, Selection *self)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  g_autofree gint64 *starts = NULL;
  g_autofree gint64 *ends = NULL;
  g_autofree gint64 *axes = NULL;
  g_autofree gint64 *steps = NULL;
  gsize n_starts = 0, n_ends = 0, n_axes = 0, n_steps = 0;
  AssayNodeSlice slice;
  gint64 step;

  starts = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 1), &n_starts);
  ends = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 2), &n_ends);
  axes = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 3), &n_axes);
  steps = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 4), &n_steps);
  if (starts == NULL || ends == NULL || n_starts != 1 || n_ends != 1 ||
      (axes == NULL && type->rank != 1))
    return assay_edit_refuse (edit, "it does not cut one axis at constant places");
  if (!set_axis (edit, self, axes != NULL ? axes[0] : 0))
    return FALSE;

  step = steps != NULL && n_steps == 1 ? steps[0] : 1;
  if (step == 0 || step < -self->extent || step > self->extent)
    return assay_edit_refuse (edit, "its step is %" G_GINT64_FORMAT, step);
  assay_node_slice_init (&slice, 1, &self->extent);
  assay_node_slice_cut (&slice, 0, starts[0], ends[0], step);
  for (gint64 i = 0, at = slice.start[0]; i < slice.length[0]; i++, at += step)
    g_array_append_val (self->indices, at);

  return TRUE;
}

static gint64
reflect (gint64 index, gint64 extent)
{
  gint64 period = extent > 1 ? 2 * (extent - 1) : 1;
  gint64 at = ((index % period) + period) % period;

  return at < extent ? at : period - at;
}

static gboolean
select_pad (AssayEdit *edit, Selection *self)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  const char *mode = assay_node_get_string (assay_edit_node (edit), "mode");
  g_autofree gint64 *pads = NULL;
  gsize n_pads = 0;
  gint64 before, after;
  double value = 0;
  int axis = -1;

  pads = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 1), &n_pads);
  if (pads == NULL || type->rank < 1 || n_pads != 2 * (gsize) type->rank ||
      assay_edit_input (edit, 3) != ASSAY_NO_VALUE)
    return assay_edit_refuse (edit, "its pads are not known");
  for (int i = 0; i < type->rank; i++)
    if (pads[i] != 0 || pads[i + type->rank] != 0)
      {
        if (axis >= 0)
          return assay_edit_refuse (edit, "it pads more than one axis");
        axis = i;
      }
  if (axis < 0 || !set_axis (edit, self, axis))
    return axis < 0 ? assay_edit_refuse (edit, "it pads by nothing") : FALSE;
  if (g_str_equal (mode, "constant") && assay_edit_input (edit, 2) != ASSAY_NO_VALUE &&
      (!assay_guard_number (edit, 2, &value) || value != 0))
    return assay_edit_refuse (edit, "it pads with something else than 0");

  before = pads[axis];
  after = pads[axis + type->rank];
  if (before > G_MAXINT32 || after > G_MAXINT32 || before < -self->extent || after < -self->extent)
    return assay_edit_refuse (edit, "its pads are out of range");
  for (gint64 i = -before; i < self->extent + after; i++)
    {
      gboolean inside = i >= 0 && i < self->extent;
      gint64 index = inside                          ? i
                     : g_str_equal (mode, "reflect") ? reflect (i, self->extent)
                     : g_str_equal (mode, "edge")    ? CLAMP (i, 0, self->extent - 1)
                     : g_str_equal (mode, "wrap")
                         ? ((i % self->extent) + self->extent) % self->extent
                         : -1;

      g_array_append_val (self->indices, index);
    }

  return TRUE;
}

static gboolean
find_selection (AssayEdit *edit, Selection *self)
{
  AssayOp op = assay_edit_node (edit)->op;

  self->indices = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!(op == ASSAY_OP_Gather  ? select_gather (edit, self)
        : op == ASSAY_OP_Slice ? select_slice (edit, self)
                               : select_pad (edit, self)))
    return FALSE;
  if (self->indices->len == 0 || self->indices->len > (1 << 20))
    return assay_edit_refuse (edit, "its result has %u element%s along the axis",
                              self->indices->len, assay_plural (self->indices->len));

  return TRUE;
}

static gboolean
has_zeros (const Selection *self)
{
  for (guint i = 0; i < self->indices->len; i++)
    if (g_array_index (self->indices, gint64, i) < 0)
      return TRUE;

  return FALSE;
}

gboolean
assay_guard_selection (AssayEdit *edit)
{
  g_auto (Selection) selection = { 0 };
  g_autoptr (AssayTensor) tensor = NULL;
  gint64 count;

  if (!find_selection (edit, &selection))
    return FALSE;
  if (has_zeros (&selection))
    return assay_edit_refuse (edit, "it fills up with zeros");

  count = selection.indices->len;
  tensor = assay_tensor_new_i64 (1, &count, (const gint64 *) (gpointer) selection.indices->data);
  assay_bindings_set_value (edit->bindings, "indices",
                            assay_builder_tensor (&edit->builder, "constant", tensor));
  assay_bindings_set_int (edit->bindings, "axis", selection.axis);

  return TRUE;
}

gboolean
assay_guard_selection_matrix (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  g_auto (Selection) selection = { 0 };
  g_autofree double *numbers = NULL;
  AssayValueId matrix;
  gint64 dims[2];
  gsize n;

  if (!find_selection (edit, &selection))
    return FALSE;
  if (selection.axis != type->rank - 1 || type->rank < 2 || !assay_dtype_is_float (type->dtype))
    return assay_edit_refuse (edit, "it does not pick along the last axis of floats");
  dims[0] = selection.extent;
  dims[1] = selection.indices->len;
  if (!assay_dims_count (2, dims, &n) || n > ((gsize) 1 << 22))
    return assay_edit_refuse (edit, "the matrix would be too large");

  numbers = g_new0 (double, n);
  for (guint i = 0; i < selection.indices->len; i++)
    if (g_array_index (selection.indices, gint64, i) >= 0)
      numbers[g_array_index (selection.indices, gint64, i) * dims[1] + i] = 1;
  matrix = assay_guard_floats (edit, type->dtype, 2, dims, numbers);
  assay_bindings_set_value (edit->bindings, "matrix", matrix);

  return TRUE;
}

/* Runs of neighbours are cut out together. */
gboolean
assay_guard_selection_pieces (AssayEdit *edit)
{
  g_auto (Selection) selection = { 0 };
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  AssayValueId data = assay_edit_input (edit, 0), value;
  const gint64 *indices;
  guint n, n_pieces = 1;

  if (!find_selection (edit, &selection))
    return FALSE;
  if (has_zeros (&selection))
    return assay_edit_refuse (edit, "it fills up with zeros");
  indices = (const gint64 *) (gpointer) selection.indices->data;
  n = selection.indices->len;
  for (guint i = 1; i < n; i++)
    n_pieces += indices[i] != indices[i - 1] + 1;
  if (n_pieces > MAX_PIECES || n_pieces < 2)
    return assay_edit_refuse (edit, "it would take %u piece%s", n_pieces, assay_plural (n_pieces));

  for (guint i = 0; i < n;)
    {
      guint end = i + 1;
      gint64 bounds[3] = { indices[i], 0, selection.axis };
      AssayValueId inputs[4] = { data };

      while (end < n && indices[end] == indices[end - 1] + 1)
        end++;
      bounds[1] = indices[end - 1] + 1;
      for (guint j = 0; j < 3; j++)
        inputs[j + 1] = assay_builder_ints (&edit->builder, "constant", 1, &bounds[j]);
      value = assay_builder_add (&edit->builder, ASSAY_OP_Slice, NULL, 4, inputs);
      g_array_append_val (pieces, value);
      i = end;
    }
  value = assay_builder_add (&edit->builder, ASSAY_OP_Concat, NULL, pieces->len,
                             (const AssayValueId *) (gpointer) pieces->data);
  assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "axis", selection.axis);
  assay_bindings_set_value (edit->bindings, "result", value);

  return TRUE;
}
