/* assay-kernel-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-window.h"

/**
 * assay_kernel_window_attributes:
 * @self: a convolution or pooling
 * @n: number of spatial axes
 * @kernel: (nullable) (array length=n): extents of the weights; %NULL if the attribute says them
 * @window: (out): gets all but the extents of input and output; the padding as the attribute has it
 * @error: return location for a #GError
 *
 * Reads the attributes of a window.
 *
 * Returns: whether they are as they should be
 */
gboolean
assay_kernel_window_attributes (AssayKernel *self, guint n, const gint64 *kernel,
                                AssayNodeWindow *window, GError **error)
{
  AssayAttrFault fault;

  if (!assay_node_read_window (self->node, n, window, &fault))
    return assay_kernel_fail (self, error, "attribute %s: %s", fault.attribute, fault.text);

  for (guint i = 0; i < n; i++)
    {
      if (kernel == NULL && window->kernel[i] < 1)
        return assay_kernel_fail (self, error, "attribute kernel_shape is missing");
      if (kernel == NULL)
        continue;
      if (window->kernel[i] >= 0 && window->kernel[i] != kernel[i])
        return assay_kernel_fail (self, error,
                                  "attribute kernel_shape: %" G_GINT64_FORMAT
                                  " at index %u, the weights "
                                  "have %" G_GINT64_FORMAT,
                                  window->kernel[i], i, kernel[i]);
      if (kernel[i] < 1)
        return assay_kernel_fail (self, error, "the weights are empty");
      window->kernel[i] = kernel[i];
    }

  return TRUE;
}

/**
 * assay_kernel_window_slide:
 * @self: a convolution or pooling
 * @in: (array): extents of the input
 * @window: (inout): attributes; gets padding and extents
 * @error: return location for a #GError
 *
 * Works out padding and extents of the output from auto_pad and ceil_mode.
 *
 * Returns: whether the window fits
 */
gboolean
assay_kernel_window_slide (AssayKernel *self, const gint64 *in, AssayNodeWindow *window,
                           GError **error)
{
  for (guint i = 0; i < window->n; i++)
    {
      assay_node_window_resolve (window, i, in[i]);
      if (window->out[i] >= 0)
        continue;
      if (window->transposed)
        return assay_kernel_fail (self, error, "spatial axis %u of the output would be negative",
                                  i);

      return assay_kernel_fail (self, error,
                                "the window covers %" G_GINT64_FORMAT
                                " of spatial axis %u, which has "
                                "%" G_GINT64_FORMAT " with its padding",
                                (window->kernel[i] - 1) * window->dilation[i] + 1, i,
                                in[i] + window->before[i] + window->after[i]);
    }

  return TRUE;
}

/**
 * assay_kernel_window_size:
 * @window: a window
 * @extents: one of its arrays
 *
 * Multiplies extents.
 *
 * Returns: the product
 */
gsize
assay_kernel_window_size (const AssayNodeWindow *window, const gint64 *extents)
{
  gsize size = 1;

  for (guint i = 0; i < window->n; i++)
    size *= (gsize) extents[i];

  return size;
}
