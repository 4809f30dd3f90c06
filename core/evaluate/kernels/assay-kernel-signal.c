/* assay-kernel-signal.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>
#include <string.h>

#include "base/assay-sentence.h"
#include "evaluate/assay-fourier.h"
#include "nnir/assay-dims.h"

/* A transform takes some hundred bytes for each element. */
#define MAX_LENGTH ((gint64) 1 << 24)

/* One integer in a tensor of one element; @fallback if the input is omitted. */
static gboolean
get_scalar (AssayKernel *self, guint input, gint64 fallback, gint64 *value, GError **error)
{
  const AssayDatum *datum = assay_kernel_input (self, input);

  *value = fallback;
  if (datum == NULL)
    return TRUE;
  if (!assay_dtype_is_integer (datum->dtype) || datum->n != 1)
    return assay_kernel_fail (self, error, "input %u is not one integer", input);
  *value = assay_datum_get_integer (datum, 0);

  return TRUE;
}

/* Sequences of complex numbers that are transformed one by one: where they lie in the input and in
 * the output, and what is read and written of each. */
typedef struct
{
  AssayKernel *kernel;
  const AssayFourier *fourier;
  const AssayDatum *x;
  const AssayDatum *window;
  AssayDatum *y;

  gsize length;     /* of the transform */
  gsize n_read;     /* values of the input that are used */
  gsize n_written;  /* values of the output */
  gsize parts_read; /* 1 for real, 2 for complex numbers */
  gsize parts_written;
  gboolean inverse;
  gboolean hermitian; /* the upper half is the conjugate of the lower one */

  gsize from_outer; /* elements from one outer index to the next */
  gsize from_step;  /* pairs or numbers between two values of a sequence */
  gsize from_inner;
  gsize to_outer;
  gsize to_step;
  gsize n_inner;
} Spectrum;

static void
read_sequence (const Spectrum *self, gsize begin, double *values)
{
  memset (values, 0, 2 * self->length * sizeof *values);
  for (gsize i = 0; i < self->n_read; i++)
    {
      gsize at = (begin + i * self->from_step) * self->parts_read;
      double weight = self->window != NULL ? assay_datum_get_number (self->window, i) : 1;

      values[2 * i] = assay_datum_get_number (self->x, at) * weight;
      values[2 * i + 1] = self->parts_read == 2 ? assay_datum_get_number (self->x, at + 1) * weight
                                                : 0;
    }

  for (gsize i = self->length / 2 + 1; self->hermitian && i < self->length; i++)
    {
      values[2 * i] = values[2 * (self->length - i)];
      values[2 * i + 1] = -values[2 * (self->length - i) + 1];
    }

  /* The inverse is the conjugate of the transform of the conjugate. */
  for (gsize i = 0; self->inverse && i < self->length; i++)
    values[2 * i + 1] = -values[2 * i + 1];
}

static void
transform_sequences (gpointer data, gsize begin, gsize end)
{
  const Spectrum *self = data;
  g_autofree double *values = assay_kernel_room (self->kernel, double, 2 * self->length + 2, NULL);
  g_autofree double *scratch = assay_kernel_room (self->kernel, double,
                                                  assay_fourier_scratch (self->fourier), NULL);
  double factor = self->inverse ? 1 / (double) self->length : 1;
  double sign = self->inverse ? -1 : 1;

  if (values == NULL || scratch == NULL)
    return;

  for (gsize sequence = begin; sequence < end; sequence++)
    {
      gsize outer = sequence / self->n_inner;
      gsize inner = sequence % self->n_inner;

      read_sequence (self, outer * self->from_outer + inner * self->from_inner, values);
      assay_fourier_transform (self->fourier, values, scratch);
      for (gsize i = 0; i < self->n_written; i++)
        {
          gsize at = (outer * self->to_outer + i * self->to_step + inner) * self->parts_written;

          assay_datum_set_number (self->y, at, values[2 * i] * factor);
          if (self->parts_written == 2)
            assay_datum_set_number (self->y, at + 1, values[2 * i + 1] * factor * sign);
        }
    }
}

gboolean
assay_kernel_op_dft (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gboolean onesided = assay_node_get_int (self->node, "onesided") != 0;
  Spectrum spectrum = {
    .kernel = self, .x = x, .inverse = assay_node_get_int (self->node, "inverse") != 0, .n_inner = 1
  };
  g_autoptr (AssayFourier) fourier = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 length, at;
  gsize outer;
  guint axis;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 2, -1, error) ||
      !get_scalar (self, 2, -2, &at, error) || !assay_kernel_axis (self, at, x->rank, &axis, error))
    return FALSE;
  if (axis == x->rank - 1 || x->dims[x->rank - 1] < 1 || x->dims[x->rank - 1] > 2)
    return assay_kernel_fail (self, error,
                              "axis %u, of which the last one holds the one or two parts of the "
                              "numbers, here %" G_GINT64_FORMAT,
                              axis, x->dims[x->rank - 1]);

  spectrum.hermitian = onesided && spectrum.inverse;
  length = spectrum.hermitian ? 2 * (x->dims[axis] - 1) : x->dims[axis];
  if (!get_scalar (self, 1, length, &length, error))
    return FALSE;
  if (length < 1 || length > MAX_LENGTH)
    return assay_kernel_fail (self, error, "a transform of length %" G_GINT64_FORMAT, length);

  spectrum.length = (gsize) length;
  spectrum.n_written = onesided && !spectrum.inverse ? spectrum.length / 2 + 1 : spectrum.length;
  spectrum.n_read = (gsize) MIN (x->dims[axis], spectrum.hermitian ? length / 2 + 1 : length);
  spectrum.parts_read = (gsize) x->dims[x->rank - 1];
  spectrum.parts_written = spectrum.hermitian ? 1 : 2;

  memcpy (dims, x->dims, x->rank * sizeof *dims);
  dims[axis] = (gint64) spectrum.n_written;
  dims[x->rank - 1] = (gint64) spectrum.parts_written;
  spectrum.y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (spectrum.y == NULL)
    return FALSE;

  outer = assay_dims_product (dims, 0, axis);
  spectrum.n_inner = assay_dims_product (dims, axis + 1, x->rank - 1);
  spectrum.from_inner = 1;
  spectrum.from_step = spectrum.to_step = spectrum.n_inner;
  spectrum.from_outer = (gsize) x->dims[axis] * spectrum.n_inner;
  spectrum.to_outer = spectrum.n_written * spectrum.n_inner;
  fourier = assay_fourier_new (self, spectrum.length, error);
  if (fourier == NULL)
    return FALSE;
  spectrum.fourier = fourier;
  assay_kernel_parallel (self, outer * spectrum.n_inner, 8192 / spectrum.length + 1,
                         transform_sequences, &spectrum);

  return TRUE;
}

gboolean
assay_kernel_op_stft (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *window = assay_kernel_input (self, 2);
  Spectrum spectrum = {
    .kernel = self, .x = x, .window = window, .parts_written = 2, .to_step = 1, .from_step = 1
  };
  g_autoptr (AssayFourier) fourier = NULL;
  gint64 dims[4];
  gint64 step, length, extent, n_frames;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 2, 3, error) ||
      !get_scalar (self, 1, 1, &step, error))
    return FALSE;
  if (window != NULL && !assay_kernel_expect (self, 2, ASSAY_DTYPE_UNDEFINED, 1, 1, error))
    return FALSE;

  extent = x->dims[1];
  if (!get_scalar (self, 3, window != NULL ? window->dims[0] : extent, &length, error))
    return FALSE;
  spectrum.parts_read = x->rank == 3 ? (gsize) x->dims[2] : 1;
  if (step < 1 || length < 1 || length > MIN (extent, MAX_LENGTH) || spectrum.parts_read < 1 ||
      spectrum.parts_read > 2 || (window != NULL && window->dims[0] > length))
    return assay_kernel_fail (self, error,
                              "frames of %" G_GINT64_FORMAT " in steps of %" G_GINT64_FORMAT
                              " do not suit a signal of %" G_GINT64_FORMAT " and its window",
                              length, step, extent);

  n_frames = (extent - length) / step + 1;
  spectrum.length = (gsize) length;
  spectrum.n_read = (gsize) (window != NULL ? window->dims[0] : length);
  spectrum.n_written = assay_node_get_int (self->node, "onesided") != 0 ? spectrum.length / 2 + 1
                                                                        : spectrum.length;
  dims[0] = x->dims[0];
  dims[1] = n_frames;
  dims[2] = (gint64) spectrum.n_written;
  dims[3] = 2;
  spectrum.y = assay_kernel_output (self, 0, x->dtype, 4, dims, error);
  if (spectrum.y == NULL)
    return FALSE;

  fourier = assay_fourier_new (self, spectrum.length, error);
  if (fourier == NULL)
    return FALSE;
  spectrum.fourier = fourier;
  spectrum.n_inner = 1;
  for (gint64 batch = 0; batch < dims[0]; batch++)
    {
      /* The frames are the outer index; each batch is a tensor of its own. */
      AssayDatum from = *x;
      AssayDatum to = *spectrum.y;
      Spectrum part = spectrum;

      from.data = (guint8 *) x->data +
                  (gsize) (batch * extent) * spectrum.parts_read * assay_storage_size (x->storage);
      to.data = (guint8 *) to.data + (gsize) (batch * n_frames) * spectrum.n_written * 2 *
                                         assay_storage_size (x->storage);
      part.x = &from;
      part.y = &to;
      part.from_outer = (gsize) step;
      part.to_outer = spectrum.n_written;
      assay_kernel_parallel (self, (gsize) n_frames, 8192 / spectrum.length + 1,
                             transform_sequences, &part);
    }

  return TRUE;
}

/* Windows are sums of cosines; a Hann window is sin^2 in the specification, which is the same. */
static const struct
{
  AssayOp op;
  double terms[3];
} windows[] = {
  { ASSAY_OP_BlackmanWindow, { 0.42, -0.5, 0.08 } },
  { ASSAY_OP_HammingWindow, { 25.0 / 46.0, -21.0 / 46.0, 0 } },
  { ASSAY_OP_HannWindow, { 0.5, -0.5, 0 } },
};

gboolean
assay_kernel_op_window (AssayKernel *self, GError **error)
{
  gint64 n;
  double period;
  AssayDType dtype;
  AssayDatum *y;
  guint row = 0;

  if (!get_scalar (self, 0, 0, &n, error) ||
      !assay_kernel_dtype_attr (self, "output_datatype", ASSAY_DTYPE_F32, &dtype, error))
    return FALSE;
  if (!assay_dtype_is_float (dtype) && !assay_dtype_is_integer (dtype))
    return assay_kernel_fail (self, error, "output_datatype is %s, a type of numbers was expected",
                              assay_dtype_name (dtype));
  if (n > MAX_LENGTH)
    return assay_kernel_fail (self, error, "a window of %" G_GINT64_FORMAT " element%s", n,
                              assay_plural (n));
  y = assay_kernel_output (self, 0, dtype, 1, &n, error);
  if (y == NULL)
    return FALSE;

  while (windows[row].op != self->node->op)
    row++;
  period = (double) MAX (assay_node_get_int (self->node, "periodic") != 0 ? n : n - 1, 1);
  for (gint64 i = 0; i < n; i++)
    {
      double angle = 2 * G_PI * (double) i / period;
      const double *terms = windows[row].terms;

      assay_datum_set_number (y, (gsize) i,
                              terms[0] + terms[1] * cos (angle) + terms[2] * cos (2 * angle));
    }

  return TRUE;
}

/* The mel scale of the specification. */
static double
mel_of_hertz (double hertz)
{
  return 2595 * log10 (1 + hertz / 700);
}

static double
hertz_of_mel (double mel)
{
  return 700 * (pow (10, mel / 2595) - 1);
}

gboolean
assay_kernel_op_mel_weight_matrix (AssayKernel *self, GError **error)
{
  gint64 n_bands, length, rate;
  double low, high, step;
  g_autofree gint64 *edges = NULL;
  gint64 dims[2];
  AssayDType dtype;
  AssayDatum *y;

  if (!get_scalar (self, 0, 0, &n_bands, error) || !get_scalar (self, 1, 0, &length, error) ||
      !get_scalar (self, 2, 0, &rate, error) ||
      !assay_kernel_expect (self, 3, ASSAY_DTYPE_UNDEFINED, 0, 1, error) ||
      !assay_kernel_expect (self, 4, ASSAY_DTYPE_UNDEFINED, 0, 1, error) ||
      !assay_kernel_dtype_attr (self, "output_datatype", ASSAY_DTYPE_F32, &dtype, error))
    return FALSE;
  if (n_bands < 1 || n_bands > MAX_LENGTH || length < 1 || length > MAX_LENGTH || rate < 1 ||
      self->inputs[3]->n != 1 || self->inputs[4]->n != 1)
    return assay_kernel_fail (self, error,
                              "%" G_GINT64_FORMAT " bands of a transform of %" G_GINT64_FORMAT
                              " at %" G_GINT64_FORMAT " samples per second",
                              n_bands, length, rate);
  if (!assay_dtype_is_float (dtype) && !assay_dtype_is_integer (dtype))
    return assay_kernel_fail (self, error, "output_datatype is %s, a type of numbers was expected",
                              assay_dtype_name (dtype));

  dims[0] = length / 2 + 1;
  dims[1] = n_bands;
  high = assay_datum_get_number (self->inputs[4], 0);
  if (!(high >= 0 && floor ((double) (length + 1) * high / (double) rate) < (double) dims[0]))
    return assay_kernel_fail (
        self, error,
        "the last band ends at %g Hz, beyond half of the sample rate, %" G_GINT64_FORMAT, high,
        rate);
  y = assay_kernel_output (self, 0, dtype, 2, dims, error);
  if (y == NULL)
    return FALSE;

  /* The bins in which the triangles begin, peak and end. */
  low = mel_of_hertz (assay_datum_get_number (self->inputs[3], 0));
  step = (mel_of_hertz (high) - low) / (double) (n_bands + 2);
  edges = assay_kernel_room (self, gint64, (gsize) n_bands + 2, error);
  if (edges == NULL)
    return FALSE;
  for (gint64 i = 0; i < n_bands + 2; i++)
    edges[i] = assay_kernel_whole (
        floor ((double) (length + 1) * hertz_of_mel (low + (double) i * step) / (double) rate), 0,
        (double) dims[0]);

  assay_elements_fill (y, NULL);
  for (gint64 band = 0; band < n_bands; band++)
    {
      const gint64 *edge = edges + band;

      for (gint64 bin = edge[0]; bin <= edge[1] && bin < dims[0]; bin++)
        assay_datum_set_number (
            y, (gsize) (bin * n_bands + band),
            edge[1] == edge[0] ? 1 : (double) (bin - edge[0]) / (double) (edge[1] - edge[0]));
      for (gint64 bin = edge[1]; bin < edge[2]; bin++)
        assay_datum_set_number (y, (gsize) (bin * n_bands + band),
                                (double) (edge[2] - bin) / (double) (edge[2] - edge[1]));
    }

  return TRUE;
}
