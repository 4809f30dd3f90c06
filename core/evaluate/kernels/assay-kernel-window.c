/* assay-kernel-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-window.h"

#include <string.h>

static gboolean
read_ints (AssayKernel *self, const char *name, guint n, gint64 least, gint64 fallback,
           gint64 *values, GError **error)
{
  guint n_given = 0;
  const gint64 *given = assay_kernel_get_ints (self, name, &n_given);

  if (given != NULL && n_given != n)
    return assay_kernel_fail (self, error, "attribute %s: %u entries, expected %u", name, n_given,
                              n);

  for (guint i = 0; i < n; i++)
    {
      values[i] = given != NULL ? given[i] : fallback;
      if (values[i] < least || values[i] > G_MAXINT32)
        return assay_kernel_fail (self, error, "attribute %s: %" G_GINT64_FORMAT " at index %u",
                                  name, values[i], i);
    }

  return TRUE;
}

/**
 * assay_kernel_window_attributes:
 * @self: a convolution or pooling
 * @n: number of spatial axes
 * @kernel: (nullable) (array length=n): extents of the weights; %NULL if the attribute says them
 * @window: (out): gets all but the extents of input and output; the padding as the attribute has it
 * @error: return location for a #GError
 *
 * Reads kernel_shape, strides, dilations and pads.
 *
 * Returns: whether they are as they should be
 */
gboolean
assay_kernel_window_attributes (AssayKernel *self, guint n, const gint64 *kernel,
                                AssayKernelWindow *window, GError **error)
{
  gint64 pads[2 * ASSAY_MAX_RANK];

  window->n = n;
  if (!read_ints (self, "strides", n, 1, 1, window->stride, error) ||
      !read_ints (self, "dilations", n, 1, 1, window->dilation, error) ||
      !read_ints (self, "pads", 2 * n, G_MININT32, 0, pads, error) ||
      !read_ints (self, "kernel_shape", n, 1, 1, window->kernel, error))
    return FALSE;

  memcpy (window->before, pads, n * sizeof *pads);
  memcpy (window->after, pads + n, n * sizeof *pads);

  for (guint i = 0; i < n && kernel != NULL; i++)
    {
      if (assay_kernel_has_attr (self, "kernel_shape") && window->kernel[i] != kernel[i])
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
assay_kernel_window_slide (AssayKernel *self, const gint64 *in, AssayKernelWindow *window,
                           GError **error)
{
  const char *auto_pad = assay_kernel_get_string (self, "auto_pad");
  gboolean same = g_str_has_prefix (auto_pad, "SAME_");
  gboolean up = assay_kernel_get_int (self, "ceil_mode") != 0;

  for (guint i = 0; i < window->n; i++)
    {
      gint64 extent = (window->kernel[i] - 1) * window->dilation[i] + 1;
      gint64 stride = window->stride[i];
      gint64 room;

      window->in[i] = in[i];
      if (same)
        {
          gint64 pad;

          window->out[i] = (in[i] + stride - 1) / stride;
          pad = MAX ((window->out[i] - 1) * stride + extent - in[i], 0);
          window->before[i] = strcmp (auto_pad, "SAME_LOWER") == 0 ? pad - pad / 2 : pad / 2;
          window->after[i] = pad - window->before[i];
          continue;
        }

      if (strcmp (auto_pad, "VALID") == 0)
        window->before[i] = window->after[i] = 0;

      room = in[i] + window->before[i] + window->after[i] - extent;
      if (room < 0)
        return assay_kernel_fail (self, error,
                                  "the window covers %" G_GINT64_FORMAT
                                  " of spatial axis %u, which has "
                                  "%" G_GINT64_FORMAT " with its padding",
                                  extent, i, room + extent);

      window->out[i] = (up ? (room + stride - 1) / stride : room / stride) + 1;

      /* A window that would start in the padding behind the input does not count. */
      if (up && (window->out[i] - 1) * stride >= in[i] + window->before[i])
        window->out[i]--;
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
assay_kernel_window_size (const AssayKernelWindow *window, const gint64 *extents)
{
  gsize size = 1;

  for (guint i = 0; i < window->n; i++)
    size *= (gsize) extents[i];

  return size;
}
