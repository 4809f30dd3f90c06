/* assay-kernel-random.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>

/* Random numbers: element @index of the stream of a seed, so that loops may be cut anywhere. The
 * mixing function is that of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators). */
static guint64
draw_bits (guint64 seed, guint64 index)
{
  guint64 z = seed + (index + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);

  return z ^ z >> 31;
}

/* At least 0 and below 1, also when rounded to single precision. */
static double
draw_uniform (guint64 seed, guint64 index)
{
  return (double) (draw_bits (seed, index) >> 40) * 0x1p-24;
}

/* By the method of Box and Muller. */
static double
draw_normal (guint64 seed, guint64 index)
{
  double radius = ((double) (draw_bits (seed, 2 * index) >> 11) + 0.5) * 0x1p-53;
  double angle = (double) (draw_bits (seed, 2 * index + 1) >> 11) * 0x1p-53;

  return sqrt (-2 * log (radius)) * cos (2 * G_PI * angle);
}

typedef struct
{
  AssayDatum *y;
  guint64 seed;
  double base;
  double factor;
  gboolean normal;
} Draw;

static void
draw_numbers (gpointer data, gsize begin, gsize end)
{
  const Draw *draw = data;

  for (gsize i = begin; i < end; i++)
    assay_datum_set_number (draw->y, i,
                            draw->base + draw->factor * (draw->normal
                                                             ? draw_normal (draw->seed, i)
                                                             : draw_uniform (draw->seed, i)));
}

/* The four operators that draw a tensor of numbers: by an attribute or in the shape of the input.
 */
gboolean
assay_kernel_op_random (AssayKernel *self, GError **error)
{
  AssayOp op = self->node->op;
  const AssayDatum *like = assay_kernel_input (self, 0);
  Draw draw = { .seed = assay_kernel_seed (self) };
  AssayDType dtype = like != NULL ? like->dtype : ASSAY_DTYPE_F32;
  const gint64 *dims = NULL;
  guint rank = 0;

  if (like != NULL)
    {
      dims = like->dims;
      rank = like->rank;
    }
  else
    {
      dims = assay_node_get_ints (self->node, "shape", &rank);
    }

  if (!assay_kernel_dtype_attr (self, "dtype", dtype, &dtype, error))
    return FALSE;
  if (!assay_dtype_is_float (dtype))
    return assay_kernel_fail (self, error, "dtype is %s, a floating point type was expected",
                              assay_dtype_name (dtype));

  draw.y = assay_kernel_output (self, 0, dtype, rank, dims, error);
  if (draw.y == NULL)
    return FALSE;

  draw.normal = op == ASSAY_OP_RandomNormal || op == ASSAY_OP_RandomNormalLike;
  draw.base = assay_node_get_float (self->node, draw.normal ? "mean" : "low");
  draw.factor = draw.normal ? assay_node_get_float (self->node, "scale")
                            : assay_node_get_float (self->node, "high") - draw.base;
  assay_kernel_parallel (self, draw.y->n, 4096, draw_numbers, &draw);

  return TRUE;
}

gboolean
assay_kernel_op_bernoulli (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  guint64 seed = assay_kernel_seed (self);
  AssayDType dtype;
  AssayDatum *y;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 0, -1, error) ||
      !assay_kernel_dtype_attr (self, "dtype", x->dtype, &dtype, error))
    return FALSE;
  if (dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (dtype) == 'C')
    return assay_kernel_fail (self, error, "dtype is %s, a type of numbers was expected",
                              assay_dtype_name (dtype));

  y = assay_kernel_output (self, 0, dtype, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, draw_uniform (seed, i) < assay_datum_get_number (x, i) ? 1 : 0);

  return TRUE;
}

gboolean
assay_kernel_op_multinomial (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  guint64 seed = assay_kernel_seed (self);
  gint64 n_samples = assay_node_get_int (self->node, "sample_size");
  g_autofree double *sums = NULL;
  gint64 dims[2];
  gsize n_classes;
  AssayDType dtype;
  AssayDatum *y;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 2, 2, error) ||
      !assay_kernel_dtype_attr (self, "dtype", ASSAY_DTYPE_I32, &dtype, error))
    return FALSE;
  if (dtype != ASSAY_DTYPE_I32 && dtype != ASSAY_DTYPE_I64)
    return assay_kernel_fail (self, error, "dtype is %s, i32 or i64 was expected",
                              assay_dtype_name (dtype));
  if (x->dims[1] == 0)
    return assay_kernel_fail (self, error, "there are no classes to draw from");

  dims[0] = x->dims[0];
  dims[1] = n_samples;
  y = assay_kernel_output (self, 0, dtype, 2, dims, error);
  if (y == NULL)
    return FALSE;

  if (y->n == 0)
    return TRUE;

  n_classes = (gsize) x->dims[1];
  sums = assay_kernel_room (self, double, n_classes, error);
  if (sums == NULL)
    return FALSE;
  for (gsize row = 0; row < (gsize) dims[0]; row++)
    {
      double top = -INFINITY;
      double sum = 0;

      for (gsize i = 0; i < n_classes; i++)
        top = fmax (top, assay_datum_get_number (x, row * n_classes + i));
      for (gsize i = 0; i < n_classes; i++)
        sums[i] = sum += exp (assay_datum_get_number (x, row * n_classes + i) - top);

      for (gsize i = 0; i < (gsize) n_samples; i++)
        {
          gsize to = row * (gsize) n_samples + i;
          double at = draw_uniform (seed, to) * sum;
          gsize drawn = 0;

          while (drawn + 1 < n_classes && sums[drawn] <= at)
            drawn++;
          assay_datum_set_number (y, to, (double) drawn);
        }
    }

  return TRUE;
}

gboolean
assay_kernel_op_dropout (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);
  guint64 seed = assay_node_find_attr (self->node, "seed") != NULL
                     ? (guint64) assay_node_get_int (self->node, "seed")
                     : assay_kernel_seed (self);
  double ratio, training;
  gboolean drops;
  AssayDatum *mask = NULL;
  AssayDatum *y;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 0, -1, error) ||
      !assay_kernel_number (self, 1, 0.5, &ratio, error) ||
      !assay_kernel_number (self, 2, 0, &training, error))
    return FALSE;
  drops = training != 0;
  if (drops && !(ratio >= 0 && ratio < 1))
    return assay_kernel_fail (self, error, "the ratio is %g, at least 0 and below 1 was expected",
                              ratio);

  if (assay_kernel_wants (self, 1) &&
      (mask = assay_kernel_output (self, 1, ASSAY_DTYPE_BOOL, x->rank, x->dims, error)) == NULL)
    return FALSE;
  for (gsize i = 0; mask != NULL && i < x->n; i++)
    ((guint8 *) mask->data)[i] = !drops || draw_uniform (seed, i) >= ratio;

  if (!drops)
    {
      assay_kernel_take (self, 0, assay_datum_ref (x));
      return TRUE;
    }

  y = assay_kernel_output (self, 0, x->dtype, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;
  for (gsize i = 0; i < x->n; i++)
    assay_datum_set_number (
        y, i, draw_uniform (seed, i) < ratio ? 0 : assay_datum_get_number (x, i) / (1 - ratio));

  return TRUE;
}
