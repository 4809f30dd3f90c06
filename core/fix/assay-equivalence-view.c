/* assay-equivalence-view.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of what renames, cuts and repeats elements.
 */
#include "base/assay-sentence.h"
#include "fix/assay-equivalence-private.h"

#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"

/* One open dimension can be left to Reshape. */
gboolean
assay_guard_result_shape (AssayEdit *edit)
{
  const AssayType *type = assay_guard_result (edit);
  gint64 dims[ASSAY_MAX_RANK];
  guint n_open = 0;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return assay_edit_refuse (edit, "the rank of its result is not known");
  for (int i = 0; i < type->rank; i++)
    {
      dims[i] = type->dims[i].size >= 0 ? type->dims[i].size : -1;
      n_open += dims[i] < 0;
      if (dims[i] == 0)
        return assay_edit_refuse (edit, "its result is empty");
    }
  if (n_open > 0 && (n_open > 1 || assay_edit_node (edit)->op == ASSAY_OP_Expand))
    return assay_edit_refuse (edit, "its result has %u open dimension%s", n_open,
                              assay_plural (n_open));
  if (assay_edit_node (edit)->op == ASSAY_OP_Reshape &&
      assay_edit_constant (edit, assay_edit_input (edit, 1)) != NULL)
    return assay_edit_refuse (edit, "its shape is constant already");
  assay_bindings_set_ints (edit->bindings, "shape", (guint) type->rank, dims);

  return TRUE;
}

/* A permutation that leaves the order of all axes longer than 1 is a Reshape. */
gboolean
assay_guard_moves_ones (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  int perm[ASSAY_MAX_RANK], last = -1;

  if (!assay_guard_result_shape (edit))
    return FALSE;
  if (type->rank < 0 || !assay_node_get_perm (assay_edit_node (edit), type->rank, perm))
    return assay_edit_refuse (edit, "the rank of its input is not known");
  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[perm[i]].size == 1)
        continue;
      if (perm[i] < last)
        return assay_edit_refuse (edit, "it changes the order of axes longer than 1");
      last = perm[i];
    }

  return TRUE;
}

/* The other way round: a Reshape that only moves axes of extent 1, whose data dimension can be any
 * axis as a Transpose, and only the one of the same stride as a Reshape. */
gboolean
assay_guard_reshapes_ones (AssayEdit *edit)
{
  AssayGuardShape from, to;
  gint64 perm[ASSAY_MAX_RANK];
  gboolean moves = FALSE;
  guint one = 0, other = 0;

  if (!assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 0)), &from) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), &to))
    return FALSE;
  for (guint i = 0; from.rank == to.rank && i < to.rank; i++)
    {
      guint *at = to.dims[i] == 1 ? &one : &other;

      while (*at < from.rank && (from.dims[*at] == 1) != (to.dims[i] == 1))
        (*at)++;
      if (*at == from.rank || from.dims[*at] != to.dims[i])
        return assay_edit_refuse (edit, "it does more than move axes of extent 1");
      moves |= *at != i;
      perm[i] = (*at)++;
    }
  if (!moves)
    return assay_edit_refuse (edit, "it does more than move axes of extent 1, or nothing");
  assay_bindings_set_ints (edit->bindings, "perm", to.rank, perm);

  return TRUE;
}

static gboolean
bind_constant (AssayEdit *edit, const char *name, double number)
{
  const AssayType *type = assay_guard_result (edit);
  AssayGuardShape shape;
  AssayValueId value;

  if (!assay_guard_sizes (edit, type, &shape))
    return FALSE;
  value = assay_guard_filled (edit, type->dtype, shape.rank, shape.dims, number);
  if (value == ASSAY_NO_VALUE)
    return assay_edit_refuse (edit, "its result is too large, or no floats");
  assay_bindings_set_value (edit->bindings, name, value);

  return TRUE;
}

gboolean
assay_guard_known_shape (AssayEdit *edit)
{
  return bind_constant (edit, "ones", 1);
}

gboolean
assay_guard_known_zeros (AssayEdit *edit)
{
  return bind_constant (edit, "zeros", 0);
}

static AssayValueId
add_slice (AssayEdit *edit, AssayValueId value, int axis, gint64 start, gint64 end)
{
  const gint64 wide = axis;
  const AssayValueId inputs[] = { value, assay_builder_ints (&edit->builder, "constant", 1, &start),
                                  assay_builder_ints (&edit->builder, "constant", 1, &end),
                                  assay_builder_ints (&edit->builder, "constant", 1, &wide) };

  return assay_builder_add (&edit->builder, ASSAY_OP_Slice, NULL, 4, inputs);
}

gboolean
assay_guard_split_slices (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  guint n = assay_edit_node (edit)->n_outputs;
  AssayValueId data = assay_edit_input (edit, 0), first = ASSAY_NO_VALUE;
  gint64 begin = 0;
  int axis;

  if (!assay_node_get_axis (assay_edit_node (edit), type->rank, &axis))
    return assay_edit_refuse (edit, "the rank of its input is not known");
  for (guint i = 0; i < n; i++)
    if (assay_node_output (assay_edit_node (edit), i) == ASSAY_NO_VALUE ||
        assay_type_dim (assay_edit_type (edit, assay_node_output (assay_edit_node (edit), i)),
                        axis) < 0)
      return assay_edit_refuse (edit, "the extent of part %u is not known", i);

  for (guint i = 0; i < n; i++)
    {
      gint64 size = assay_type_dim (
          assay_edit_type (edit, assay_node_output (assay_edit_node (edit), i)), axis);
      AssayValueId part = add_slice (edit, data, axis, begin, begin + size);

      if (i == 0)
        first = part;
      else
        assay_edit_replace (edit, i, part);
      begin += size;
    }
  assay_bindings_set_value (edit->bindings, "result", first);

  return TRUE;
}

/* Gets the positions of a constant Gather, and whether it is a scalar. */
gboolean
assay_guard_consecutive_gather (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  AssayValueId where = assay_edit_input (edit, 1), value;
  g_autofree double *indices = NULL;
  gint64 wide;
  gsize n;
  int axis;

  if (!assay_node_get_axis (assay_edit_node (edit), type->rank, &axis))
    return assay_edit_refuse (edit, "the rank of its input is not known");
  indices = assay_guard_read (edit, where, &n);
  if (indices == NULL || n == 0 || assay_edit_type (edit, where)->rank > 1)
    return assay_edit_refuse (edit, "its indices are no constant list");
  for (gsize i = 1; i < n; i++)
    if (indices[i] != indices[0] + (double) i)
      return assay_edit_refuse (edit, "its indices do not follow one another");
  if (indices[0] < 0 && indices[n - 1] >= 0)
    return assay_edit_refuse (edit, "its indices go around the end");

  value = add_slice (edit, assay_edit_input (edit, 0), axis, (gint64) indices[0],
                     indices[n - 1] == -1 ? G_MAXINT64 : (gint64) indices[n - 1] + 1);
  if (assay_edit_type (edit, where)->rank == 0)
    {
      const AssayValueId inputs[] = { value, assay_builder_ints (&edit->builder, "constant", 1,
                                                                 (wide = axis, &wide)) };

      value = assay_builder_add (&edit->builder, ASSAY_OP_Squeeze, NULL, 2, inputs);
    }
  assay_bindings_set_value (edit->bindings, "result", value);

  return TRUE;
}

/* Whether a Resize repeats every element a whole number of times. */
static gboolean
repeats (AssayEdit *edit, AssayGuardShape *from, AssayGuardShape *to)
{
  const AssayNode *node = assay_edit_node (edit);
  const char *mode = assay_node_get_string (node, "mode");
  const char *place = assay_node_get_string (node, "coordinate_transformation_mode");
  const char *nearest = assay_node_get_string (node, "nearest_mode");
  gboolean half = g_str_has_suffix (place, "half_pixel") &&
                  g_str_has_prefix (nearest, "round_prefer");
  gboolean floor = g_str_equal (place, "asymmetric") && g_str_equal (nearest, "floor");
  gboolean twice = g_str_equal (place, "asymmetric") && g_str_equal (nearest, "round_prefer_floor");

  if (!assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 0)), from) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), to))
    return FALSE;
  if (!g_str_equal (mode, "nearest") || !(half || floor || twice) || from->rank != to->rank)
    return assay_edit_refuse (edit,
                              "mode is %s of %s with %s, expected nearest neighbours that repeat",
                              mode, place, nearest);
  for (guint i = 0; i < from->rank; i++)
    {
      gint64 factor = from->dims[i] > 0 ? to->dims[i] / from->dims[i] : 0;

      if (factor < 1 || factor * from->dims[i] != to->dims[i] || (twice && factor > 2))
        return assay_edit_refuse (edit, "axis %u does not grow by a whole factor", i);
    }

  return TRUE;
}

/* Splits every axis that grows into its elements and their copies. */
static guint
split_axes (const AssayGuardShape *from, const AssayGuardShape *to, gint64 *inner, gint64 *outer)
{
  guint n = 0;

  for (guint i = 0; i < from->rank && n + 2 <= ASSAY_MAX_RANK; i++)
    {
      inner[n] = outer[n] = from->dims[i];
      n++;
      if (to->dims[i] == from->dims[i])
        continue;
      inner[n] = 1;
      outer[n++] = to->dims[i] / from->dims[i];
    }

  return n;
}

gboolean
assay_guard_nearest_factors (AssayEdit *edit)
{
  gint64 inner[ASSAY_MAX_RANK], outer[ASSAY_MAX_RANK];
  AssayGuardShape from, to;
  guint n;

  if (!repeats (edit, &from, &to))
    return FALSE;
  n = split_axes (&from, &to, inner, outer);
  assay_bindings_set_ints (edit->bindings, "inner", n, inner);
  assay_bindings_set_ints (edit->bindings, "outer", n, outer);
  assay_bindings_set_ints (edit->bindings, "shape", to.rank, to.dims);

  return TRUE;
}

static AssayValueId
add_reshape (AssayEdit *edit, AssayValueId value, guint n, const gint64 *dims)
{
  const AssayValueId inputs[] = { value, assay_builder_ints (&edit->builder, "constant", n, dims) };

  return assay_builder_add (&edit->builder, ASSAY_OP_Reshape, NULL, 2, inputs);
}

gboolean
assay_guard_nearest_concat (AssayEdit *edit)
{
  gint64 inner[ASSAY_MAX_RANK], outer[ASSAY_MAX_RANK];
  AssayGuardShape from, to;
  AssayValueId value;
  guint n;

  if (!repeats (edit, &from, &to))
    return FALSE;
  n = split_axes (&from, &to, inner, outer);
  value = add_reshape (edit, assay_edit_input (edit, 0), n, inner);
  for (guint i = 0; i < n; i++)
    {
      AssayValueId copies[8];

      if (outer[i] == inner[i])
        continue;
      if (outer[i] > (gint64) G_N_ELEMENTS (copies))
        return assay_edit_refuse (edit, "an axis grows by more than %d",
                                  (int) G_N_ELEMENTS (copies));
      for (gint64 j = 0; j < outer[i]; j++)
        copies[j] = value;
      value = assay_builder_add (&edit->builder, ASSAY_OP_Concat, NULL, (guint) outer[i], copies);
      assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "axis", i);
    }
  assay_bindings_set_value (edit->bindings, "result", add_reshape (edit, value, to.rank, to.dims));

  return TRUE;
}
