/* assay-shape-conv.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include <string.h>

typedef struct
{
  int n; /* spatial axes */
  AssayDim kernel[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  gint64 dilations[ASSAY_MAX_RANK];
  gint64 pads[ASSAY_MAX_RANK * 2];
  gboolean same;
  gboolean valid;
  gboolean ceil;
} Window;

static gboolean
read_ints (AssayShapeContext *self, const char *name, guint expected, gint64 minimum,
           gint64 fallback, gint64 *values)
{
  guint n;
  const gint64 *ints = assay_node_get_ints (self->node, name, &n);

  if (ints != NULL && n != expected)
    {
      assay_shape_report (self, "infer.attribute", name, "%u entries, %u were expected", n,
                          expected);
      return FALSE;
    }

  for (guint i = 0; i < expected; i++)
    {
      values[i] = ints == NULL ? fallback : ints[i];
      if (values[i] < minimum || values[i] > G_MAXINT32)
        {
          assay_shape_report (self, "infer.attribute", name, "%" G_GINT64_FORMAT " at index %u",
                              values[i], i);
          return FALSE;
        }
    }

  return TRUE;
}

/* Reads the attributes that convolutions and pooling share. The kernel comes from the attribute or
 * else from the weights. */
static gboolean
read_window (AssayShapeContext *self, int n, const AssayType *weights, Window *window)
{
  const char *auto_pad = assay_node_get_string (self->node, "auto_pad", "NOTSET");
  guint n_kernel;
  const gint64 *kernel = assay_node_get_ints (self->node, "kernel_shape", &n_kernel);

  window->n = n;
  window->same = g_str_has_prefix (auto_pad, "SAME_");
  window->valid = strcmp (auto_pad, "VALID") == 0;
  window->ceil = assay_node_get_int (self->node, "ceil_mode", 0) != 0;

  if (!window->same && !window->valid && strcmp (auto_pad, "NOTSET") != 0 && auto_pad[0] != '\0')
    {
      assay_shape_report (self, "infer.attribute", "auto_pad",
                          "“%s”, one of NOTSET, SAME_UPPER, SAME_LOWER and VALID was expected",
                          auto_pad);
      return FALSE;
    }

  if (kernel != NULL && n_kernel != (guint) n)
    {
      assay_shape_report (self, "infer.attribute", "kernel_shape", "%u entries, %d were expected",
                          n_kernel, n);
      return FALSE;
    }

  for (int i = 0; i < n; i++)
    {
      if (kernel != NULL && (kernel[i] < 1 || kernel[i] > G_MAXINT32))
        {
          assay_shape_report (self, "infer.attribute", "kernel_shape",
                              "%" G_GINT64_FORMAT " at index %d", kernel[i], i);
          return FALSE;
        }
      window->kernel[i] = kernel != NULL ? assay_dim (kernel[i]) : assay_dim_unknown ();
      if (weights != NULL)
        assay_shape_unify (self, &window->kernel[i], weights->dims[i + 2],
                           "the extent of the kernel");
    }

  return read_ints (self, "strides", (guint) n, 1, 1, window->strides) &&
         read_ints (self, "dilations", (guint) n, 1, 1, window->dilations) &&
         read_ints (self, "pads", (guint) n * 2, G_MININT32, 0, window->pads);
}

/* (kernel - 1) * dilation + 1 */
static AssayScalar
window_extent (AssayShapeContext *self, const Window *window, int axis)
{
  AssayScalar extent = assay_scalar_sub (self->arena, assay_scalar_from_dim (window->kernel[axis]),
                                         assay_scalar_int (1));

  extent = assay_scalar_mul (self->arena, extent, assay_scalar_int (window->dilations[axis]));

  return assay_scalar_add (self->arena, extent, assay_scalar_int (1));
}

static AssayDim
slide (AssayShapeContext *self, const Window *window, int axis, AssayDim extent)
{
  AssayScalar in = assay_scalar_from_dim (extent);
  AssayScalar stride = assay_scalar_int (window->strides[axis]);
  gint64 before = window->valid ? 0 : window->pads[axis];
  gint64 after = window->valid ? 0 : window->pads[axis + window->n];
  AssayScalar kernel = window_extent (self, window, axis);
  AssayScalar room;
  AssayScalar out;

  /* The most frequent window leaves the extent as it is. */
  if (kernel.kind == ASSAY_SCALAR_INT && window->strides[axis] == 1 && !window->ceil &&
      (window->same || before + after + 1 == kernel.u.i))
    return extent;
  if (window->same)
    return assay_scalar_to_dim (assay_scalar_ceil_div (self->arena, in, stride));

  room = assay_scalar_sub (
      self->arena, assay_scalar_add (self->arena, in, assay_scalar_int (before + after)), kernel);
  if (room.kind == ASSAY_SCALAR_INT && room.u.i < 0)
    {
      assay_shape_report (self, "infer.shape", NULL,
                          "the window is larger than the padded input, %" G_GINT64_FORMAT
                          " along spatial axis %d",
                          extent.size + before + after, axis);
      return assay_dim_unknown ();
    }

  out = window->ceil ? assay_scalar_ceil_div (self->arena, room, stride)
                     : assay_scalar_floor_div (self->arena, room, stride);
  out = assay_scalar_add (self->arena, out, assay_scalar_int (1));

  /* Rounding up may give a window that would start in the padding behind the input; it does not
   * count. */
  if (window->ceil)
    {
      if (out.kind == ASSAY_SCALAR_INT && in.kind == ASSAY_SCALAR_INT)
        {
          if ((out.u.i - 1) * window->strides[axis] >= in.u.i + before)
            out.u.i--;
        }
      else if (kernel.kind != ASSAY_SCALAR_INT || after + window->strides[axis] > kernel.u.i)
        {
          out = assay_scalar_unknown ();
        }
    }

  return assay_scalar_to_dim (out);
}

void
assay_shape_rule_conv (AssayShapeContext *self)
{
  gboolean quantized = self->node->op == ASSAY_OP_QLinearConv;
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  const AssayType *w = assay_shape_tensor (self, quantized ? 3 : 1, 2, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  gint64 group = assay_node_get_int (self->node, "group", 1);
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
                            " channels, the weights take %" G_GINT64_FORMAT
                            " times %" G_GINT64_FORMAT " groups",
                            x->dims[1].size, w->dims[1].size, group);
    }

  if (x != NULL && read_window (self, rank - 2, w, &window))
    {
      for (int i = 0; i < window.n; i++)
        dims[i + 2] = slide (self, &window, i, x->dims[i + 2]);
    }

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

void
assay_shape_rule_deform_conv (AssayShapeContext *self)
{
  assay_shape_rule_conv (self);
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
        for (int i = 0; i < window.n; i++)
          dims[i + 2] = slide (self, &window, i, x->dims[i + 2]);
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
  gint64 output_padding[ASSAY_MAX_RANK];
  guint n_shape;
  const gint64 *shape = assay_node_get_ints (self->node, "output_shape", &n_shape);
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
                                 assay_dim (MAX (assay_node_get_int (self->node, "group", 1), -1)));

  if (read_window (self, x->rank - 2, w, &window) &&
      read_ints (self, "output_padding", (guint) window.n, 0, 0, output_padding))
    {
      /* Some files list the leading two extents too. */
      guint skip = n_shape == (guint) x->rank ? 2 : 0;

      if (shape != NULL && n_shape != (guint) window.n + skip)
        {
          assay_shape_report (self, "infer.attribute", "output_shape",
                              "%u entries, %d were expected", n_shape, window.n);
          shape = NULL;
        }

      for (int i = 0; i < window.n; i++)
        {
          AssayScalar in = assay_scalar_from_dim (x->dims[i + 2]);
          AssayScalar stride = assay_scalar_int (window.strides[i]);
          AssayScalar out;

          if (shape != NULL)
            {
              out = assay_scalar_int (shape[(guint) i + skip]);
            }
          else if (window.same)
            {
              out = assay_scalar_mul (self->arena, in, stride);
            }
          else
            {
              gint64 pads = window.valid ? 0 : window.pads[i] + window.pads[i + window.n];

              out = assay_scalar_mul (
                  self->arena, assay_scalar_sub (self->arena, in, assay_scalar_int (1)), stride);
              out = assay_scalar_add (self->arena, out, window_extent (self, &window, i));
              out = assay_scalar_add (self->arena, out,
                                      assay_scalar_int (output_padding[i] - pads));
            }

          if (out.kind == ASSAY_SCALAR_INT && out.u.i < 0)
            assay_shape_report (self, "infer.shape", NULL,
                                "spatial axis %d would have extent %" G_GINT64_FORMAT, i, out.u.i);
          dims[i + 2] = assay_scalar_to_dim (out);
        }
    }

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
  gint64 pooled[2];
  AssayDim dims[4] = { assay_dim_unknown (), assay_dim_unknown (), assay_dim_unknown (),
                       assay_dim_unknown () };

  if (x != NULL)
    dims[1] = x->dims[1];
  if (rois != NULL)
    dims[0] = rois->dims[0];
  if (read_ints (self, "pooled_shape", 2, 1, 0, pooled))
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
  dims[2] = assay_dim (MAX (assay_node_get_int (self->node, "output_height", 1), -1));
  dims[3] = assay_dim (MAX (assay_node_get_int (self->node, "output_width", 1), -1));

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
      for (int i = 0; i < window.n; i++)
        {
          AssayDim spread = assay_shape_dim_mul (
              self, assay_shape_dim_add (self, x->dims[i + 2], -1), assay_dim (window.strides[i]));

          if (window.kernel[i].size >= 0)
            dims[i + 2] = assay_shape_dim_add (
                self, spread, window.kernel[i].size - window.pads[i] - window.pads[i + window.n]);
        }
    }

  assay_shape_set_tensor (self, 0, dtype, x->rank, dims);
}
