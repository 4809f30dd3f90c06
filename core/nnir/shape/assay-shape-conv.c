/* assay-shape-conv.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include "base/assay-sentence.h"
#include "nnir/assay-node-window.h"

/* A window whose kernel may be a symbol. */
typedef struct
{
  AssayNodeWindow window;
  AssayDim kernel[ASSAY_MAX_RANK];
} Window;

/* Reads the attributes that convolutions and pooling share. The kernel comes from the attribute or
 * else from the weights. */
static gboolean
read_window (AssayShapeContext *self, int n, const AssayType *weights, Window *result)
{
  AssayNodeWindow *window = &result->window;
  AssayAttrFault fault;

  if (!assay_node_read_window (self->node, (guint) n, window, &fault))
    {
      assay_shape_report (self, "infer.attribute", fault.attribute, "%s", fault.text);
      return FALSE;
    }

  for (int i = 0; i < n; i++)
    {
      result->kernel[i] = assay_dim (window->kernel[i]);
      if (weights != NULL)
        assay_shape_unify (self, &result->kernel[i], weights->dims[i + 2],
                           "the extent of the kernel");
    }

  return TRUE;
}

/* Whether a pooling window does not fit into the padded input. */
static gboolean
is_overhang (const AssayNodeWindow *window, guint axis, AssayDim in)
{
  gint64 reach = (window->kernel[axis] - 1) * window->dilation[axis] + 1;

  return window->pools && !window->same && in.size >= 0 && window->kernel[axis] > 0 &&
         in.size + window->before[axis] + window->after[axis] < reach;
}

/* The extents of the output behind the first two. */
static void
slide (AssayShapeContext *self, const Window *window, const AssayType *x, AssayDim *dims)
{
  for (guint i = 0; i < window->window.n; i++)
    {
      AssayScalar in = assay_scalar_from_dim (x->dims[i + 2]);
      AssayScalar out = assay_node_window_slide (&window->window, self->arena, i,
                                                 assay_scalar_from_dim (window->kernel[i]), in);

      if (out.kind == ASSAY_SCALAR_INT && out.u.i < 0 && window->window.transposed)
        assay_shape_report (self, "infer.shape", NULL,
                            "spatial axis %u would have extent %" G_GINT64_FORMAT, i, out.u.i);
      else if (out.kind == ASSAY_SCALAR_INT && out.u.i < 0)
        assay_shape_report (
            self, "infer.shape", NULL,
            "the window is larger than the padded input, %" G_GINT64_FORMAT
            " along spatial axis %u",
            x->dims[i + 2].size + window->window.before[i] + window->window.after[i], i);
      else if (self->node->region == ASSAY_MAIN_REGION && out.kind == ASSAY_SCALAR_INT &&
               is_overhang (&window->window, i, x->dims[i + 2]))
        assay_shape_warn (self, "infer.shape", NULL,
                          "the window is larger than the padded input along spatial axis %u, which "
                          "leaves %" G_GINT64_FORMAT " %s",
                          i, out.u.i, assay_noun (out.u.i, "place", "places"));
      dims[i + 2] = assay_scalar_to_dim (out);
    }
}

void
assay_shape_rule_conv (AssayShapeContext *self)
{
  gboolean quantized = self->node->op == ASSAY_OP_QLinearConv;
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  const AssayType *w = assay_shape_tensor (self, quantized ? 3 : 1, 2, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  gint64 group = assay_node_get_int (self->node, "group");
  AssayDim dims[ASSAY_MAX_RANK];
  Window window;
  int rank;

  if (quantized)
    dtype = assay_shape_dtype (self, 7);
  else if (self->node->op == ASSAY_OP_ConvInteger)
    dtype = ASSAY_DTYPE_I32;

  if (x != NULL && w != NULL && x->rank != w->rank)
    {
      assay_shape_report (self, "infer.rank", NULL,
                          "the input has rank %d, the weights have rank %d", x->rank, w->rank);
      w = NULL;
    }

  rank = x != NULL ? x->rank : w != NULL ? w->rank : -1;
  if (rank < 0)
    {
      assay_shape_set_tensor (self, 0, dtype, -1, NULL);
      return;
    }

  for (int i = 0; i < rank; i++)
    dims[i] = assay_dim_unknown ();
  dims[0] = x != NULL ? x->dims[0] : assay_dim_unknown ();
  dims[1] = w != NULL ? w->dims[0] : assay_dim_unknown ();

  for (int i = 1; w != NULL && i < rank; i++)
    if (w->dims[i].size == 0)
      assay_shape_report (self, "infer.shape", NULL, "the weights are empty");

  if (group < 1)
    {
      assay_shape_report (self, "infer.attribute", "group",
                          "%" G_GINT64_FORMAT ", 1 or more was expected", group);
    }
  else if (x != NULL && w != NULL && x->dims[1].size >= 0 && w->dims[1].size >= 0)
    {
      gint64 channels;

      if (__builtin_mul_overflow (w->dims[1].size, group, &channels) || channels != x->dims[1].size)
        assay_shape_report (self, "infer.shape", "group",
                            "the input has %" G_GINT64_FORMAT
                            " channel%s, the weights take %" G_GINT64_FORMAT
                            " times %" G_GINT64_FORMAT " group%s",
                            x->dims[1].size, assay_plural (x->dims[1].size), w->dims[1].size, group,
                            assay_plural (group));
    }

  if (x != NULL && read_window (self, rank - 2, w, &window))
    slide (self, &window, x, dims);

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

void
assay_shape_rule_pool (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  Window window;
  int rank = -1;

  if (x != NULL)
    {
      rank = x->rank;
      dims[0] = x->dims[0];
      dims[1] = x->dims[1];
      for (int i = 2; i < rank; i++)
        dims[i] = assay_dim_unknown ();

      if (assay_node_find_attr (self->node, "kernel_shape") == NULL)
        assay_shape_report (self, "infer.attribute", "kernel_shape", "missing");
      else if (read_window (self, rank - 2, NULL, &window))
        slide (self, &window, x, dims);
    }

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
  assay_shape_set_tensor (self, 1, ASSAY_DTYPE_I64, rank, dims);
}

void
assay_shape_rule_global_pool (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  AssayDim dims[ASSAY_MAX_RANK];

  for (int i = 0; x != NULL && i < x->rank; i++)
    dims[i] = i < 2 ? x->dims[i] : assay_dim (1);

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x == NULL ? -1 : x->rank, dims);
}

void
assay_shape_rule_conv_transpose (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  const AssayType *w = assay_shape_tensor (self, 1, 2, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  Window window;

  if (x == NULL || w == NULL || x->rank != w->rank)
    {
      if (x != NULL && w != NULL)
        assay_shape_report (self, "infer.rank", NULL,
                            "the input has rank %d, the weights have rank %d", x->rank, w->rank);
      assay_shape_set_tensor (self, 0, dtype, x == NULL ? -1 : x->rank, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = assay_dim_unknown ();
  dims[0] = x->dims[0];
  dims[1] = assay_shape_dim_mul (self, w->dims[1],
                                 assay_dim (MAX (assay_node_get_int (self->node, "group"), -1)));

  if (read_window (self, x->rank - 2, w, &window))
    slide (self, &window, x, dims);

  assay_shape_set_tensor (self, 0, dtype, x->rank, dims);
}

/* Columns of patches [N, C*prod(block), L] become an image [N, C, image...]. */
void
assay_shape_rule_col2im (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 3, 3);
  AssayDType dtype = assay_shape_dtype (self, 0);
  guint n_image;
  guint n_block;
  const AssayScalar *image = assay_shape_vector (self, 1, &n_image);
  const AssayScalar *block = assay_shape_vector (self, 2, &n_block);
  AssayScalar area = assay_scalar_int (1);
  AssayDim dims[ASSAY_MAX_RANK];

  if (image == NULL || n_image > ASSAY_MAX_RANK - 2)
    {
      assay_shape_set_tensor (self, 0, dtype, -1, NULL);
      return;
    }

  for (guint i = 0; block != NULL && i < n_block; i++)
    area = assay_scalar_mul (self->arena, area, block[i]);
  if (block == NULL)
    area = assay_scalar_unknown ();

  dims[0] = x == NULL ? assay_dim_unknown () : x->dims[0];
  dims[1] = x == NULL ? assay_dim_unknown ()
                      : assay_scalar_to_dim (assay_scalar_floor_div (
                            self->arena, assay_scalar_from_dim (x->dims[1]), area));
  for (guint i = 0; i < n_image; i++)
    dims[i + 2] = assay_scalar_to_dim (image[i]);

  assay_shape_set_tensor (self, 0, dtype, (int) n_image + 2, dims);
}

void
assay_shape_rule_max_roi_pool (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 4, 4);
  const AssayType *rois = assay_shape_tensor (self, 1, 2, 2);
  AssayAttrFault fault;
  gint64 pooled[2];
  AssayDim dims[4] = { assay_dim_unknown (), assay_dim_unknown (), assay_dim_unknown (),
                       assay_dim_unknown () };

  if (x != NULL)
    dims[1] = x->dims[1];
  if (rois != NULL)
    dims[0] = rois->dims[0];
  if (!assay_node_read_ints (self->node, "pooled_shape", 2, 1, 0, pooled, &fault))
    assay_shape_report (self, "infer.attribute", fault.attribute, "%s", fault.text);
  else
    {
      dims[2] = assay_dim (pooled[0]);
      dims[3] = assay_dim (pooled[1]);
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 4, dims);
}

void
assay_shape_rule_roi_align (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 4, 4);
  const AssayType *rois = assay_shape_tensor (self, 1, 2, 2);
  const AssayType *batch = assay_shape_tensor (self, 2, 1, 1);
  AssayDim dims[4] = { assay_dim_unknown (), assay_dim_unknown () };

  if (rois != NULL)
    dims[0] = rois->dims[0];
  if (batch != NULL)
    assay_shape_unify (self, &dims[0], batch->dims[0], "the number of regions");
  if (x != NULL)
    dims[1] = x->dims[1];
  dims[2] = assay_dim (MAX (assay_node_get_int (self->node, "output_height"), -1));
  dims[3] = assay_dim (MAX (assay_node_get_int (self->node, "output_width"), -1));

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 4, dims);
}

void
assay_shape_rule_max_unpool (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  Window window;

  if (x == NULL)
    {
      assay_shape_set_tensor (self, 0, dtype, -1, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = i < 2 ? x->dims[i] : assay_dim_unknown ();

  if (assay_shape_has_input (self, 2))
    {
      guint n;
      const AssayScalar *shape = assay_shape_vector (self, 2, &n);

      if (shape != NULL && n == (guint) x->rank)
        for (guint i = 0; i < n; i++)
          dims[i] = assay_scalar_to_dim (shape[i]);
    }
  else if (read_window (self, x->rank - 2, NULL, &window))
    {
      /* It undoes a pooling: the same as a transposed convolution. */
      window.window.transposed = TRUE;
      slide (self, &window, x, dims);
    }

  assay_shape_set_tensor (self, 0, dtype, x->rank, dims);
}

void
assay_shape_rule_causal_conv (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 3, 3);
  const AssayType *weight = assay_shape_tensor (self, 1, 3, 3);
  const AssayType *past = assay_shape_has_input (self, 3) ? assay_shape_tensor (self, 3, 3, 3)
                                                          : NULL;
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim state[3] = { assay_dim_unknown (), assay_dim_unknown (), assay_dim_unknown () };

  if (weight != NULL && weight->dims[2].size == 0)
    assay_shape_report (self, "infer.shape", NULL, "the kernel has no elements");
  if (weight != NULL && weight->dims[2].size > 0)
    state[2] = assay_dim (weight->dims[2].size - 1);
  if (past != NULL && past->dims[2].size >= 0 && state[2].size >= 0 &&
      past->dims[2].size != state[2].size)
    assay_shape_report (self, "infer.shape", NULL,
                        "the past state has %" G_GINT64_FORMAT
                        " position%s, expected %" G_GINT64_FORMAT,
                        past->dims[2].size, assay_plural (past->dims[2].size), state[2].size);
  if (x != NULL)
    {
      state[0] = x->dims[0];
      state[1] = x->dims[1];
    }
  assay_shape_set_tensor (self, 0, dtype, x != NULL ? 3 : -1, x != NULL ? x->dims : NULL);
  assay_shape_set_tensor (self, 1, dtype, 3, state);
}
