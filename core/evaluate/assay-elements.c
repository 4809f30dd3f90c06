/* assay-elements.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-elements.h"

#include "evaluate/assay-kernel.h"

/* Rows of any number type, in a type to compute in. A packed row is a loop that the compiler makes
 * vectors of. */
#define READ_CASE(storage_, type)                                                                  \
  case ASSAY_DTYPE_##storage_:                                                                     \
    {                                                                                              \
      const type *from = (const type *) datum->data + offset;                                      \
      if (stride == 1)                                                                             \
        for (gsize i = 0; i < n; i++)                                                              \
          to[i] = (__typeof__ (*to)) from[i];                                                      \
      else                                                                                         \
        for (gsize i = 0; i < n; i++)                                                              \
          to[i] = (__typeof__ (*to)) from[i * stride];                                             \
    }                                                                                              \
    break;

#define WRITE_CASE(storage_, type)                                                                 \
  case ASSAY_DTYPE_##storage_:                                                                     \
    {                                                                                              \
      type *to = (type *) datum->data + offset;                                                    \
      if (stride == 1)                                                                             \
        for (gsize i = 0; i < n; i++)                                                              \
          to[i] = (type) from[i];                                                                  \
      else                                                                                         \
        for (gsize i = 0; i < n; i++)                                                              \
          to[i * stride] = (type) from[i];                                                         \
    }                                                                                              \
    break;

/**
 * assay_elements_read:
 * @datum: a tensor of numbers or booleans
 * @offset: first element
 * @stride: elements from one to the next
 * @n: how many
 * @to: (array length=n): where to put them
 *
 * Reads elements as doubles; 64-bit integers may be rounded.
 */
void
assay_elements_read (const AssayDatum *datum, gsize offset, gsize stride, gsize n, double *to)
{
  switch (datum->storage)
    {
      ASSAY_KERNEL_NUMBER_TYPES (READ_CASE)
      READ_CASE (BOOL, guint8)
    default:
      g_assert_not_reached ();
    }
}

/**
 * assay_elements_read_ints:
 * @datum: a tensor of integers or booleans
 * @offset: first element
 * @stride: elements from one to the next
 * @n: how many
 * @to: (array length=n): where to put them
 *
 * Reads elements as integers; unsigned 64-bit ones wrap.
 */
void
assay_elements_read_ints (const AssayDatum *datum, gsize offset, gsize stride, gsize n, gint64 *to)
{
  switch (datum->storage)
    {
      ASSAY_KERNEL_INTEGER_TYPES (READ_CASE)
      READ_CASE (BOOL, guint8)
    default:
      g_assert_not_reached ();
    }
}

/**
 * assay_elements_write:
 * @datum: a tensor of numbers or booleans
 * @offset: first element
 * @stride: elements from one to the next
 * @n: how many
 * @from: (array length=n): the elements, within the range of the type
 *
 * Writes elements that are doubles; integers lose the fraction.
 */
void
assay_elements_write (AssayDatum *datum, gsize offset, gsize stride, gsize n, const double *from)
{
  switch (datum->storage)
    {
      ASSAY_KERNEL_NUMBER_TYPES (WRITE_CASE)
      WRITE_CASE (BOOL, guint8)
    default:
      g_assert_not_reached ();
    }
}

/**
 * assay_elements_write_ints:
 * @datum: a tensor of integers or booleans
 * @offset: first element
 * @stride: elements from one to the next
 * @n: how many
 * @from: (array length=n): the elements
 *
 * Writes elements that are integers; what the type does not hold wraps.
 */
void
assay_elements_write_ints (AssayDatum *datum, gsize offset, gsize stride, gsize n,
                           const gint64 *from)
{
  switch (datum->storage)
    {
      ASSAY_KERNEL_INTEGER_TYPES (WRITE_CASE)
      WRITE_CASE (BOOL, guint8)
    default:
      g_assert_not_reached ();
    }
}

/**
 * assay_elements_sum:
 * @n: how many
 * @row: (array length=n): elements
 * @centre: what is subtracted from each
 * @square: whether the difference is squared
 *
 * Sums elements up, in eight parts that a vector holds side by side.
 *
 * Returns: the sum
 */
double
assay_elements_sum (gsize n, const double *row, double centre, gboolean square)
{
  double parts[8] = { 0 };
  gsize i = 0;

  for (; i + 8 <= n; i += 8)
    {
      for (guint j = 0; j < 8; j++)
        {
          double x = row[i + j] - centre;

          parts[j] += square ? x * x : x;
        }
    }
  for (; i < n; i++)
    parts[0] += square ? (row[i] - centre) * (row[i] - centre) : row[i] - centre;

  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
         ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}
