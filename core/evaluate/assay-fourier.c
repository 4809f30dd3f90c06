/* assay-fourier.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-fourier.h"

#include <math.h>
#include <string.h>

/* A power of two is split into halves. Any other length becomes a convolution of a power of two, by
 * the method of Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2. Complex numbers lie as pairs. */
struct _AssayFourier
{
  gsize n;
  gsize size;     /* power of two */
  double *roots;  /* size / 2 of them */
  double *chirp;  /* n of them; NULL for a power of two */
  double *filter; /* transform of the conjugate chirp */
};

static void
multiply (double *to, const double *a, const double *b)
{
  double re = a[0] * b[0] - a[1] * b[1];
  double im = a[0] * b[1] + a[1] * b[0];

  to[0] = re;
  to[1] = im;
}

static void
transform_power (const AssayFourier *self, double *values)
{
  gsize n = self->size;

  /* Into the order of reversed bits, then from pairs to halves. */
  for (gsize i = 1, j = 0; i < n; i++)
    {
      gsize bit = n >> 1;

      for (; (j & bit) != 0; bit >>= 1)
        j ^= bit;
      j ^= bit;
      if (i < j)
        for (guint part = 0; part < 2; part++)
          {
            double swapped = values[2 * i + part];

            values[2 * i + part] = values[2 * j + part];
            values[2 * j + part] = swapped;
          }
    }

  for (gsize half = 1; half < n; half *= 2)
    for (gsize begin = 0; begin < n; begin += 2 * half)
      for (gsize i = 0; i < half; i++)
        {
          double *low = values + 2 * (begin + i);
          double *high = low + 2 * half;
          double turned[2];

          multiply (turned, high, self->roots + 2 * (i * (n / 2 / half)));
          high[0] = low[0] - turned[0];
          high[1] = low[1] - turned[1];
          low[0] += turned[0];
          low[1] += turned[1];
        }
}

/**
 * assay_fourier_new:
 * @kernel: the node it is for
 * @n: the length, at least 1 and below 2^40
 * @error: return location for a #GError
 *
 * Prepares a transform.
 *
 * Returns: (transfer full) (nullable): the transform
 */
AssayFourier *
assay_fourier_new (AssayKernel *kernel, gsize n, GError **error)
{
  g_autoptr (AssayFourier) self = g_new0 (AssayFourier, 1);

  self->n = n;
  self->size = 1;
  while (self->size < ((n & (n - 1)) == 0 ? n : 2 * n - 1))
    self->size *= 2;

  self->roots = assay_kernel_room (kernel, double, self->size + 2, error);
  if (self->roots == NULL)
    return NULL;
  for (gsize i = 0; i < MAX (self->size / 2, 1); i++)
    {
      self->roots[2 * i] = cos (2 * G_PI * (double) i / (double) self->size);
      self->roots[2 * i + 1] = -sin (2 * G_PI * (double) i / (double) self->size);
    }
  if ((n & (n - 1)) == 0)
    return g_steal_pointer (&self);

  self->chirp = assay_kernel_room (kernel, double, 2 * n, error);
  if (self->chirp == NULL)
    return NULL;
  self->filter = assay_kernel_room0 (kernel, double, 2 * self->size, error);
  if (self->filter == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    {
      /* The square is reduced before it is a floating point number, so that the angle stays exact.
       */
      double angle = G_PI * (double) (i * i % (2 * n)) / (double) n;
      gsize mirror = (self->size - i) % self->size;

      self->chirp[2 * i] = cos (angle);
      self->chirp[2 * i + 1] = -sin (angle);
      self->filter[2 * i] = self->filter[2 * mirror] = cos (angle);
      self->filter[2 * i + 1] = self->filter[2 * mirror + 1] = sin (angle);
    }
  transform_power (self, self->filter);

  return g_steal_pointer (&self);
}

/**
 * assay_fourier_free:
 * @self: (nullable): a transform
 *
 * Frees a transform.
 */
void
assay_fourier_free (AssayFourier *self)
{
  if (self == NULL)
    return;

  g_free (self->roots);
  g_free (self->chirp);
  g_free (self->filter);
  g_free (self);
}

/**
 * assay_fourier_scratch:
 * @self: a transform
 *
 * Says how much memory a transform needs beside the values.
 *
 * Returns: number of doubles
 */
gsize
assay_fourier_scratch (const AssayFourier *self)
{
  return self->chirp != NULL ? 2 * self->size : 1;
}

/**
 * assay_fourier_transform:
 * @self: a transform
 * @values: (inout) (array): as many pairs of real and imaginary part as the length
 * @scratch: (array): memory of the size that assay_fourier_scratch() says
 *
 * Transforms numbers, forwards and without a factor.
 */
void
assay_fourier_transform (const AssayFourier *self, double *values, double *scratch)
{
  double factor = 1 / (double) self->size;

  if (self->chirp == NULL)
    {
      transform_power (self, values);
      return;
    }

  memset (scratch, 0, 2 * self->size * sizeof *scratch);
  for (gsize i = 0; i < self->n; i++)
    multiply (scratch + 2 * i, values + 2 * i, self->chirp + 2 * i);
  transform_power (self, scratch);

  /* Back by the conjugates of a forward transform. */
  for (gsize i = 0; i < self->size; i++)
    {
      multiply (scratch + 2 * i, scratch + 2 * i, self->filter + 2 * i);
      scratch[2 * i + 1] = -scratch[2 * i + 1];
    }
  transform_power (self, scratch);
  for (gsize i = 0; i < self->n; i++)
    {
      scratch[2 * i] *= factor;
      scratch[2 * i + 1] *= -factor;
      multiply (values + 2 * i, scratch + 2 * i, self->chirp + 2 * i);
    }
}
