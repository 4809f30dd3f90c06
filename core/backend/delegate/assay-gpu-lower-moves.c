/* assay-gpu-lower-moves.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operations that put elements elsewhere.
 */
#include <string.h>

#include "backend/delegate/assay-gpu-lower-private.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-slice.h"

static gboolean
read_ends (AssayGpuLower *self, const AssayNode *node, AssayGpuShape *x, AssayGpuShape *y)
{
  return assay_gpu_lower_shape (self, node->inputs[0], x) &&
         assay_gpu_lower_shape (self, node->outputs[0], y);
}

/* A walk over what comes out, with the strides of both sides as if nothing moved. */
static AssayGpuWalk
plain_walk (const AssayGpuShape *y)
{
  AssayGpuWalk walk = { .n_sides = 2, .rank = y->rank };

  memcpy (walk.dims, y->dims, y->rank * sizeof *y->dims);
  assay_gpu_strides (y->rank, y->dims, walk.strides[1]);

  return walk;
}

static gboolean
finish (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x,
        const AssayGpuWalk *walk, gint64 from)
{
  assay_gpu_lower_move (self, x->form, walk, from, 0, node->inputs[0], node->outputs[0]);
  return TRUE;
}

ASSAY_GPU_LOWERING (view)
{
  AssayGpuShape x, y;

  if (assay_node_output (node, 1) != ASSAY_NO_VALUE)
    return assay_gpu_lower_refuse (self, "there is no shader for its second result");

  return read_ends (self, node, &x, &y) &&
         assay_gpu_lower_alias (self, node->outputs[0], node->inputs[0]);
}

ASSAY_GPU_LOWERING (transpose)
{
  gint64 strides[ASSAY_MAX_RANK];
  int perm[ASSAY_MAX_RANK];
  AssayGpuShape x, y;
  AssayGpuWalk walk;

  if (!read_ends (self, node, &x, &y))
    return FALSE;
  if (!assay_node_get_perm (node, (int) x.rank, perm))
    return assay_gpu_lower_refuse (self, "its axes are not known");
  walk = plain_walk (&y);
  assay_gpu_strides (x.rank, x.dims, strides);
  for (guint i = 0; i < x.rank; i++)
    walk.strides[0][i] = strides[perm[i]];

  return finish (self, node, &x, &walk, 0);
}

ASSAY_GPU_LOWERING (expand)
{
  AssayGpuShape x, y;
  AssayGpuWalk walk;

  if (!read_ends (self, node, &x, &y))
    return FALSE;
  if (x.rank > y.rank)
    return assay_gpu_lower_refuse (self, "its shape is not known");
  walk = plain_walk (&y);
  assay_gpu_walk_broadcast (&walk, 0, &x);

  return finish (self, node, &x, &walk, 0);
}

/* Each axis is walked as two: over the copies, which stay in place, and through the axis. */
ASSAY_GPU_LOWERING (tile)
{
  AssayGpuWalk walk = { .n_sides = 2 };
  gint64 from[ASSAY_MAX_RANK];
  gint64 to[ASSAY_MAX_RANK];
  AssayGpuShape x, y;

  if (!read_ends (self, node, &x, &y))
    return FALSE;
  if (x.rank != y.rank || x.rank > ASSAY_MAX_RANK / 2)
    return assay_gpu_lower_refuse (self, "its shape is not known");
  assay_gpu_strides (x.rank, x.dims, from);
  assay_gpu_strides (y.rank, y.dims, to);
  for (guint i = 0; i < x.rank; i++)
    {
      gint64 copies = x.dims[i] > 0 ? y.dims[i] / x.dims[i] : 0;

      walk.dims[2 * i] = copies;
      walk.dims[2 * i + 1] = x.dims[i];
      walk.strides[0][2 * i + 1] = from[i];
      walk.strides[1][2 * i] = to[i] * x.dims[i];
      walk.strides[1][2 * i + 1] = to[i];
    }
  walk.rank = 2 * x.rank;

  return finish (self, node, &x, &walk, 0);
}

ASSAY_GPU_LOWERING (slice)
{
  gint64 strides[ASSAY_MAX_RANK];
  AssayGpuShape x, y;
  AssayGpuWalk walk;
  AssayNodeSlice slice;
  gint64 from = 0;

  if (!read_ends (self, node, &x, &y))
    return FALSE;
  if (!assay_node_get_slice (self->graph, node, x.rank, x.dims, &slice) || slice.open)
    return assay_gpu_lower_refuse (self, "its bounds are computed");
  walk = plain_walk (&y);
  assay_gpu_strides (x.rank, x.dims, strides);
  for (guint i = 0; i < x.rank; i++)
    {
      from += slice.start[i] * strides[i];
      walk.strides[0][i] = slice.step[i] * strides[i];
    }

  return finish (self, node, &x, &walk, from);
}

/* Parts of one axis, from or to a whole. */
static gboolean
lower_parts (AssayGpuLower *self, const AssayNode *node, gboolean joins)
{
  guint n = joins ? node->n_inputs : node->n_outputs;
  AssayValueId whole_value = joins ? node->outputs[0] : node->inputs[0];
  gint64 strides[ASSAY_MAX_RANK];
  AssayGpuShape whole, part;
  gint64 at = 0;
  int axis;

  if (!assay_gpu_lower_shape (self, whole_value, &whole))
    return FALSE;
  if (!assay_node_get_axis (node, (int) whole.rank, &axis))
    return assay_gpu_lower_refuse (self, "its axis is not known");
  assay_gpu_strides (whole.rank, whole.dims, strides);
  for (guint i = 0; i < n; i++)
    {
      AssayValueId value = joins ? node->inputs[i] : node->outputs[i];
      AssayGpuWalk walk;

      if (value == ASSAY_NO_VALUE)
        return assay_gpu_lower_refuse (self, "a part of it is not wanted");
      if (!assay_gpu_lower_shape (self, value, &part))
        return FALSE;
      walk = plain_walk (&part);
      memcpy (walk.strides[0], walk.strides[1], sizeof strides);
      memcpy (walk.strides[joins ? 1 : 0], strides, sizeof strides);
      assay_gpu_lower_move (self, whole.form, &walk, joins ? 0 : at * strides[axis],
                            joins ? at * strides[axis] : 0, joins ? value : whole_value,
                            joins ? whole_value : value);
      at += part.dims[axis];
    }

  return TRUE;
}

ASSAY_GPU_LOWERING (concat)
{
  return lower_parts (self, node, TRUE);
}

ASSAY_GPU_LOWERING (split)
{
  return lower_parts (self, node, FALSE);
}

ASSAY_GPU_LOWERING (pad)
{
  const char *mode = assay_node_get_string (node, "mode");
  gint64 from[ASSAY_MAX_RANK];
  gint64 to[ASSAY_MAX_RANK];
  AssayGpuShape x, y;
  AssayGpuWalk walk;
  gint64 source = 0;
  gint64 target = 0;
  double value = 0.0;
  gsize n_axes = 0;
  gsize n;
  g_autofree gint64 *pads = assay_node_dup_ints (self->graph, node, "pads", 1, &n);
  g_autofree gint64 *axes = assay_node_input (node, 3) != ASSAY_NO_VALUE
                                ? assay_value_dup_ints (self->graph, node->inputs[3], &n_axes)
                                : NULL;

  if (!read_ends (self, node, &x, &y))
    return FALSE;
  if (mode != NULL && !g_str_equal (mode, "constant"))
    return assay_gpu_lower_refuse (self, "there is no shader for padding of this mode");
  if (pads == NULL || axes != NULL || assay_node_input (node, 3) != ASSAY_NO_VALUE ||
      n != 2 * x.rank)
    return assay_gpu_lower_refuse (self, "its padding is computed");
  if (assay_node_input (node, 2) != ASSAY_NO_VALUE &&
      !assay_gpu_lower_scalar (self, node->inputs[2], &value))
    return FALSE;

  assay_gpu_lower_fill (self, y.form, y.n, value, node->outputs[0]);
  assay_gpu_strides (x.rank, x.dims, from);
  assay_gpu_strides (y.rank, y.dims, to);
  walk = (AssayGpuWalk){ .n_sides = 2, .rank = x.rank };
  for (guint i = 0; i < x.rank; i++)
    {
      gint64 first = MAX (0, -pads[i]);

      walk.dims[i] = MAX (0, MIN (x.dims[i], y.dims[i] - pads[i]) - first);
      walk.strides[0][i] = from[i];
      walk.strides[1][i] = to[i];
      source += first * from[i];
      target += (first + pads[i]) * to[i];
    }
  assay_gpu_lower_move (self, x.form, &walk, source, target, node->inputs[0], node->outputs[0]);

  return TRUE;
}

/* From [N, C, H, W] with the channels as three axes to [N, C', H, b, W, b]. */
ASSAY_GPU_LOWERING (depth_to_space)
{
  gboolean crd = g_strcmp0 (assay_node_get_string (node, "mode"), "CRD") == 0;
  gint64 b = assay_node_get_int (node, "blocksize");
  AssayGpuWalk walk = { .n_sides = 2, .rank = 6 };
  gint64 channel, plane;
  AssayGpuShape x, y;
  AssayGpuShape six = { .rank = 6 };

  if (!read_ends (self, node, &x, &y))
    return FALSE;
  if (x.rank != 4 || b < 1)
    return assay_gpu_lower_refuse (self, "there is no shader for this rank");
  memcpy (six.dims, (const gint64[]){ y.dims[0], y.dims[1], x.dims[2], b, x.dims[3], b },
          6 * sizeof (gint64));
  plane = x.dims[2] * x.dims[3];
  channel = crd ? plane * b * b : plane;
  walk = plain_walk (&six);
  memcpy (walk.strides[0],
          (const gint64[]){ x.dims[1] * plane, channel, x.dims[3],
                            crd ? plane * b : plane * b * y.dims[1], 1,
                            crd ? plane : plane * y.dims[1] },
          6 * sizeof (gint64));

  return finish (self, node, &x, &walk, 0);
}
