/* assay-gpu-lower-attention.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Attention as two products and a softmax between, and features that are rotated by position.
 */
#include <math.h>

#include "backend/delegate/assay-gpu-lower-private.h"

/* Heads of rows of features: in an axis of their own, or side by side in each row. */
typedef struct
{
  AssayGpuShape shape;
  gint64 batch;
  gint64 heads;
  gint64 rows;
  gint64 columns;
  gint64 batch_stride;
  gint64 head_stride;
  gint64 row_stride;
} Heads;

static gboolean
read_heads (AssayGpuLower *self, const AssayNode *node, AssayValueId value, const char *attribute,
            Heads *heads)
{
  const gint64 *dims = heads->shape.dims;
  gboolean apart;

  if (!assay_gpu_lower_float_shape (self, value, &heads->shape))
    return FALSE;
  apart = heads->shape.rank == 4;
  heads->heads = apart ? dims[1] : assay_node_get_int (node, attribute);
  if ((!apart && heads->shape.rank != 3) || heads->heads < 1 ||
      (!apart && dims[2] % heads->heads != 0) || heads->shape.n == 0)
    return assay_gpu_lower_refuse (self, "its heads are not known");
  heads->batch = dims[0];
  heads->rows = apart ? dims[2] : dims[1];
  heads->columns = apart ? dims[3] : dims[2] / heads->heads;
  heads->batch_stride = heads->shape.n / heads->batch;
  heads->head_stride = apart ? heads->rows * heads->columns : heads->columns;
  heads->row_stride = apart ? heads->columns : heads->heads * heads->columns;

  return TRUE;
}

/* Heads of keys and values serve as many heads of queries as there are for each. */
static void
walk_heads (AssayGpuWalk *walk, guint side, const Heads *heads, gint64 group)
{
  walk->strides[side][0] = heads->batch_stride;
  walk->strides[side][1] = heads->head_stride * group;
  walk->strides[side][2] = group > 1 ? heads->head_stride : 0;
}

ASSAY_GPU_LOWERING (attention)
{
  gboolean causal = assay_node_get_int (node, "is_causal") != 0;
  Heads q, k, v, y;
  gint64 group, n_rows;
  AssayGpuMatrices made = { .walk = { .n_sides = 3, .rank = 3 } };
  AssayGpuRef scores, chances, result;
  AssayGpuForm form;

  for (guint i = 3; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE)
      return assay_gpu_lower_refuse (self, "there is no shader for masks and earlier keys");
  for (guint i = 1; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      return assay_gpu_lower_refuse (self, "there is no shader that tells keys and scores");
  if (fabs (assay_node_get_float (node, "softcap")) > 0.0)
    return assay_gpu_lower_refuse (self, "there is no shader for scores with a cap");
  if (!read_heads (self, node, node->inputs[0], "q_num_heads", &q) ||
      !read_heads (self, node, node->inputs[1], "kv_num_heads", &k) ||
      !read_heads (self, node, node->inputs[2], "kv_num_heads", &v) ||
      !read_heads (self, node, node->outputs[0], "q_num_heads", &y))
    return FALSE;
  form = q.shape.form;
  if (form != k.shape.form || form != v.shape.form || form != y.shape.form || q.batch != k.batch ||
      q.batch != v.batch || q.heads % k.heads != 0 || k.heads != v.heads || k.rows != v.rows ||
      q.columns != k.columns || y.heads != q.heads || y.rows != q.rows || y.columns != v.columns)
    return assay_gpu_lower_refuse (self, "its inputs do not fit each other");

  group = q.heads / k.heads;
  n_rows = q.batch * q.heads * q.rows;
  scores = assay_gpu_lower_scratch (self, form, n_rows * k.rows);
  chances = assay_gpu_lower_scratch (self, form, n_rows * k.rows);
  result = y.shape.rank == 4 ? node->outputs[0] : assay_gpu_lower_scratch (self, form, y.shape.n);

  made.form = form;
  made.rows = q.rows;
  made.columns = k.rows;
  made.length = q.columns;
  made.alpha = 1.0 / sqrt ((double) q.columns);
  assay_node_find_float (node, "scale", &made.alpha);
  made.steps[0][0] = q.row_stride;
  made.steps[0][1] = 1;
  made.steps[1][0] = 1;
  made.steps[1][1] = k.row_stride;
  made.walk.dims[0] = q.batch;
  made.walk.dims[1] = k.heads;
  made.walk.dims[2] = group;
  walk_heads (&made.walk, 0, &q, group);
  walk_heads (&made.walk, 1, &k, 1);
  made.refs[0] = node->inputs[0];
  made.refs[1] = node->inputs[1];
  made.refs[3] = scores;
  assay_gpu_lower_matrices (self, &made);

  assay_gpu_lower_begin (self, n_rows);
  assay_gpu_lower_word (self, k.rows);
  assay_gpu_lower_word (self, 1);
  assay_gpu_lower_word (self, q.rows);
  assay_gpu_lower_end (self,
                       form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_SOFTMAX_F16
                                                  : ASSAY_GPU_SHADER_SOFTMAX_F32,
                       causal ? 2 : 0, (const AssayGpuRef[]){ scores, chances });

  made.columns = v.columns;
  made.length = k.rows;
  made.alpha = 1.0;
  made.steps[0][0] = k.rows;
  made.steps[1][0] = v.row_stride;
  made.steps[1][1] = 1;
  assay_gpu_strides (3, made.walk.dims, made.walk.strides[0]);
  for (guint i = 0; i < 3; i++)
    made.walk.strides[0][i] *= q.rows * k.rows;
  walk_heads (&made.walk, 1, &v, 1);
  made.refs[0] = chances;
  made.refs[1] = node->inputs[2];
  made.refs[3] = result;
  assay_gpu_lower_matrices (self, &made);

  if (y.shape.rank == 3)
    {
      AssayGpuWalk walk = { .n_sides = 2,
                            .rank = 4,
                            .dims = { y.batch, y.heads, y.rows, y.columns },
                            .strides = { { 0 },
                                         { y.batch_stride, y.head_stride, y.row_stride, 1 } } };

      assay_gpu_strides (4, walk.dims, walk.strides[0]);
      assay_gpu_lower_move (self, form, &walk, 0, 0, result, node->outputs[0]);
    }

  return TRUE;
}

ASSAY_GPU_LOWERING (rotary)
{
  AssayGpuShape x, tables[2];
  gint64 half;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_float_shape (self, node->inputs[1], &tables[0]) ||
      !assay_gpu_lower_float_shape (self, node->inputs[2], &tables[1]))
    return FALSE;
  if (x.rank != 4 || assay_node_input (node, 3) != ASSAY_NO_VALUE ||
      assay_node_get_int (node, "rotary_embedding_dim") != 0 || x.dims[3] % 2 != 0)
    return assay_gpu_lower_refuse (self, "there is no shader for parts of heads and for positions");
  half = x.dims[3] / 2;
  for (guint i = 0; i < 2; i++)
    if (tables[i].form != x.form || tables[i].rank != 3 || tables[i].dims[0] != x.dims[0] ||
        tables[i].dims[1] != x.dims[2] || tables[i].dims[2] != half)
      return assay_gpu_lower_refuse (self, "its inputs do not fit each other");

  assay_gpu_lower_begin (self, x.n);
  assay_gpu_lower_word (self, x.dims[1]);
  assay_gpu_lower_word (self, x.dims[2]);
  assay_gpu_lower_word (self, half);
  assay_gpu_lower_end (
      self,
      x.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_ROTARY_F16 : ASSAY_GPU_SHADER_ROTARY_F32,
      assay_node_get_int (node, "interleaved") != 0 ? 1 : 0,
      (const AssayGpuRef[]){ node->inputs[0], node->inputs[1], node->inputs[2], node->outputs[0] });

  return TRUE;
}
