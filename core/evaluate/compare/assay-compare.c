/* assay-compare.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Metrics between two tensors. Bits are those of the fp32 that an element rounds to, so that
 * tensors of other float types compare too; docs/comparison.md has the definitions.
 */
#include "evaluate/compare/assay-compare.h"

#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-tensor-read.h"

/* Elements converted at a time: small enough that cancelling is prompt, large enough that it costs
 * nothing. */
#define CHUNK 4096

/* Names in files, bits of fraction behind the leading one, exponent of the smallest normal number,
 * and the largest number. */
static const char *const names[] = { "bf16", "fp32", "fp16", "fp8e4m3", "fp8e5m2", "int8", NULL };
static const struct
{
  int bits;
  int smallest;
  double largest;
} formats[ASSAY_N_COMPARE_PRECISIONS] = {
  { 7, -126, 0x1.fep127 }, { 23, -126, 0x1.fffffep127 }, { 10, -14, 65504 }, { 3, -6, 448 },
  { 2, -14, 57344 },       { 7, -126, 0x1.fffffep127 },
};

/**
 * assay_compare_precision_names:
 *
 * Gets the names of the precisions in files, in their order.
 *
 * Returns: (transfer none) (array zero-terminated=1): the names
 */
const char *const *
assay_compare_precision_names (void)
{
  return names;
}

/**
 * assay_compare_precision_bits:
 * @precision: a precision
 *
 * Gets how many bits of fraction numbers have.
 *
 * Returns: the bits behind the leading one
 */
guint
assay_compare_precision_bits (AssayComparePrecision precision)
{
  return (guint) formats[precision].bits;
}

/**
 * assay_compare_precision_largest:
 * @precision: a precision
 *
 * Gets the largest number that a precision has.
 *
 * Returns: the number
 */
double
assay_compare_precision_largest (AssayComparePrecision precision)
{
  return formats[precision].largest;
}

/**
 * assay_compare_precision_of:
 * @run: what the two runs compute in
 * @dtype: element type of a tensor
 *
 * Finds the precision to judge a tensor by: the coarser one of the two.
 *
 * Returns: the precision
 */
AssayComparePrecision
assay_compare_precision_of (AssayComparePrecision run, AssayDType dtype)
{
  int bits = assay_dtype_is_float (dtype) ? (int) assay_dtype_fraction_bits (dtype) : 52;

  if (bits >= formats[run].bits)
    return run;
  for (guint i = 0; i < ASSAY_N_COMPARE_PRECISIONS; i++)
    if (formats[i].bits == bits)
      return (AssayComparePrecision) i;

  return ASSAY_COMPARE_FP8_WIDE;
}

/**
 * assay_compare_bucket:
 * @distance: a distance in units in the last place
 *
 * Finds the bucket of a histogram: 0, 1, 2, 3-4, 5-8 and so on.
 *
 * Returns: index of the bucket
 */
guint
assay_compare_bucket (guint64 distance)
{
  guint bucket = distance < 2 ? (guint) distance : 65 - (guint) __builtin_clzll (distance - 1);

  return MIN (bucket, ASSAY_COMPARE_N_BUCKETS - 1);
}

/* Numbers in the order of their values, so that neighbours differ by one; both zeros are 0. */
static gint64
ordered (guint32 bits, guint32 sign)
{
  gint64 magnitude = bits & (sign - 1);

  return (bits & sign) != 0 ? -magnitude : magnitude;
}

static guint64
distance_f32 (float a, float b)
{
  gint64 d = ordered (assay_f32_bits (a), 0x80000000u) - ordered (assay_f32_bits (b), 0x80000000u);

  return (guint64) ABS (d);
}

static guint32
distance_bf16 (float a, float b)
{
  gint64 d = ordered (assay_bf16_from_f32 (a), 0x8000u) -
             ordered (assay_bf16_from_f32 (b), 0x8000u);

  return (guint32) ABS (d);
}

/* The unit in the last place of a size; below the normal numbers it stays that of the smallest. */
static double
unit_of (double size, AssayComparePrecision precision)
{
  int exponent;

  frexp (size, &exponent);

  return ldexp (1.0, MAX (exponent - 1, formats[precision].smallest) - formats[precision].bits);
}

/**
 * assay_compare_unit:
 * @self: statistics that were begun
 *
 * Gets the smallest difference that counts as one unit in them.
 *
 * Returns: a unit in the last place of the size of the tensor, or its step
 */
double
assay_compare_unit (const AssayCompareStats *self)
{
  return self->step > 0 ? self->step : unit_of (self->scale, self->precision);
}

/**
 * assay_compare_unit_name:
 * @self: statistics
 *
 * Names what distances of elements are counted in.
 *
 * Returns: (transfer none): `steps` of 8 bits, `integers`, or `ULP` of the precision
 */
const char *
assay_compare_unit_name (const AssayCompareStats *self)
{
  return self->step > 0 ? "steps" : self->grid > 0 ? "integers" : "ULP";
}

/**
 * assay_compare_set_step:
 * @self: statistics that were begun, without elements
 * @step: the step of numbers of 8 bits, 0 for others
 * @dtype: type of the elements
 *
 * Says what elements are multiples of.
 */
void
assay_compare_set_step (AssayCompareStats *self, double step, AssayDType dtype)
{
  self->step = step;
  self->grid = step > 0 ? step : assay_dtype_is_float (dtype) ? 0 : 1;
}

/* How many numbers of their own type two elements are apart. */
static guint64
distance_of (const AssayCompareStats *self, const AssayCompareElement *element)
{
  double unit = self->grid;

  if (unit <= 0 && self->precision == ASSAY_COMPARE_BF16)
    return element->ulp_bf16;
  if (unit <= 0 && (self->precision == ASSAY_COMPARE_FP32 || self->precision == ASSAY_COMPARE_INT8))
    return element->ulp_f32;
  if (!isfinite (element->a) || !isfinite (element->b))
    return element->a < element->b || element->a > element->b ? G_MAXINT64 : 0;
  if (unit <= 0)
    unit = unit_of (MAX (fabs (element->a), fabs (element->b)), self->precision);

  return (guint64) MIN (fabs (element->a - element->b) / unit + 0.5, (double) (G_MAXINT64 / 2));
}

static void
keep_worst (AssayCompareStats *self, const AssayCompareElement *element)
{
  guint at = self->n_worst;

  if (at == ASSAY_COMPARE_N_WORST && !(element->error > self->worst[at - 1].error))
    return;
  if (at == ASSAY_COMPARE_N_WORST)
    at--;
  else
    self->n_worst++;

  for (; at > 0 && element->error > self->worst[at - 1].error; at--)
    self->worst[at] = self->worst[at - 1];
  self->worst[at] = *element;
}

static void
add_finite (AssayCompareStats *self, AssayCompareElement *element)
{
  double difference = fabs (element->a - element->b);
  double size = fabs (element->a);

  if (difference > 0)
    element->error = difference / (self->step > 0
                                       ? self->step
                                       : unit_of (MAX (size, self->scale), self->precision));
  self->n_finite++;
  self->sum_abs += difference;
  self->sum += element->b - element->a;
  self->difference += difference * difference;
  self->dot += element->a * element->b;
  self->energy[0] += element->a * element->a;
  self->energy[1] += element->b * element->b;
  self->peak = MAX (self->peak, size);
  self->max_abs = MAX (self->max_abs, difference);
  if (size > 0)
    self->max_rel = MAX (self->max_rel, difference / size);
  if (element->a * element->b < 0)
    self->n_signs++;
  self->error = MAX (self->error, element->error);
}

/* Whether one is beyond what the format has and the other is what it has instead. */
static gboolean
overflows (double a, double b, AssayComparePrecision precision)
{
  double finite = isfinite (a) ? a : b, other = isfinite (a) ? b : a;

  return isinf (other) && fabs (finite) > formats[precision].largest && finite * other > 0;
}

static void
add_element (AssayCompareStats *self, double a, double b)
{
  float fa = (float) a, fb = (float) b;
  gboolean same = memcmp (&a, &b, sizeof a) == 0 || (isnan (a) && isnan (b));
  AssayCompareElement element = { .index = self->n++, .a = a, .b = b };

  self->nan[0] += isnan (a) != 0;
  self->nan[1] += isnan (b) != 0;
  self->inf[0] += isinf (a) != 0;
  self->inf[1] += isinf (b) != 0;
  self->n_different += !same;

  if (isfinite (a) && isfinite (b))
    {
      add_finite (self, &element);
    }
  else if (!same && !overflows (a, b, self->precision))
    {
      self->n_wrong++;
      self->error = element.error = INFINITY;
    }

  if (!isnan (a) && !isnan (b))
    {
      element.ulp_bf16 = distance_bf16 (fa, fb);
      element.ulp_f32 = distance_f32 (fa, fb);
      self->max_ulp_bf16 = MAX (self->max_ulp_bf16, element.ulp_bf16);
      self->max_ulp_f32 = MAX (self->max_ulp_f32, element.ulp_f32);
      self->histogram_bf16[assay_compare_bucket (element.ulp_bf16)]++;
      self->histogram_f32[assay_compare_bucket (element.ulp_f32)]++;
      element.distance = distance_of (self, &element);
      self->histogram[assay_compare_bucket (element.distance)]++;
    }

  if (!same)
    keep_worst (self, &element);
}

/**
 * assay_compare_scale:
 * @reference: a tensor of numbers
 * @scale: (out): its root mean square over the finite elements, 0 if there is none
 * @error: return location for a #GError
 *
 * Measures the size of a tensor, by which small elements are judged.
 *
 * Returns: whether it could be read
 */
gboolean
assay_compare_scale (AssayTensor *reference, double *scale, GError **error)
{
  gsize n = assay_tensor_get_n_elements (reference), n_finite = 0;
  double values[CHUNK], sum = 0;

  for (gsize first = 0; first < n; first += CHUNK)
    {
      gsize count = MIN (n - first, CHUNK);

      if (!assay_tensor_read_doubles (reference, first, count, values, error))
        return FALSE;
      for (gsize i = 0; i < count; i++)
        {
          sum += isfinite (values[i]) ? values[i] * values[i] : 0;
          n_finite += isfinite (values[i]) != 0;
        }
    }

  *scale = n_finite > 0 ? sqrt (sum / (double) n_finite) : 0;

  return TRUE;
}

/**
 * assay_compare_begin:
 * @self: (out caller-allocates): the statistics
 * @precision: in whose units the scaled error counts
 * @scale: root mean square of the reference
 *
 * Begins with no elements.
 */
void
assay_compare_begin (AssayCompareStats *self, AssayComparePrecision precision, double scale)
{
  memset (self, 0, sizeof *self);
  self->precision = precision;
  self->scale = scale;
}

/**
 * assay_compare_add:
 * @self: statistics between assay_compare_begin() and assay_compare_end()
 * @a: (array length=n): elements of the reference
 * @b: (array length=n): the elements to compare with them
 * @n: how many
 *
 * Adds elements, which follow those added before.
 */
void
assay_compare_add (AssayCompareStats *self, const double *a, const double *b, gsize n)
{
  /* Sums that nobody else sees stay in registers. */
  AssayCompareStats sums = *self;

  for (gsize i = 0; i < n; i++)
    add_element (&sums, a[i], b[i]);
  *self = sums;
}

/**
 * assay_compare_end:
 * @self: statistics to which every element has been added
 *
 * Works out means and ratios.
 */
void
assay_compare_end (AssayCompareStats *self)
{
  double n = (double) self->n_finite;

  self->mean_abs = n > 0 ? self->sum_abs / n : 0;
  self->mean_error = n > 0 ? self->sum / n : 0;
  self->rms_error = n > 0 ? sqrt (self->difference / n) : 0;
  /* Equal tensors have the cosine 1, whatever the square roots are rounded to. */
  if (self->difference > 0 && self->energy[0] > 0 && self->energy[1] > 0)
    self->cosine = CLAMP (self->dot / (sqrt (self->energy[0]) * sqrt (self->energy[1])), -1, 1);
  else
    self->cosine = self->difference > 0 ? 0 : 1;
  self->sqnr_db = self->difference > 0 ? 10 * log10 (self->energy[0] / self->difference) : INFINITY;
  self->psnr_db = self->difference > 0 ? 10 * log10 (self->peak * self->peak * n / self->difference)
                                       : INFINITY;
}

static gboolean
same_shape (AssayTensor *a, AssayTensor *b)
{
  guint rank = assay_tensor_get_rank (a);

  return assay_tensor_get_rank (b) == rank &&
         (rank == 0 || memcmp (assay_tensor_get_dims (a), assay_tensor_get_dims (b),
                               rank * sizeof (gint64)) == 0);
}

static char *
shape_text (AssayTensor *tensor)
{
  GString *text = g_string_new (assay_dtype_name (assay_tensor_get_dtype (tensor)));

  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? " " : "x",
                            assay_tensor_get_dims (tensor)[i]);

  return g_string_free (text, FALSE);
}

static gboolean
compare_strings (AssayTensor *a, AssayTensor *b, AssayCompareStats *stats)
{
  GPtrArray *from = assay_tensor_get_strings (a), *to = assay_tensor_get_strings (b);

  for (guint i = 0; i < from->len; i++)
    {
      gboolean same = g_bytes_equal (g_ptr_array_index (from, i), g_ptr_array_index (to, i));

      stats->n++;
      stats->n_different += !same;
      stats->n_wrong += !same;
    }
  if (stats->n_wrong > 0)
    stats->error = INFINITY;
  assay_compare_end (stats);

  return TRUE;
}

/* 64-bit integers that a double cannot tell apart. */
static void
add_large_integers (AssayCompareStats *self, AssayTensor *a, AssayTensor *b)
{
  AssayDType dtype = assay_tensor_get_dtype (a);
  gsize n = assay_tensor_get_n_elements (a);
  const gint64 *from, *to;

  if ((dtype != ASSAY_DTYPE_I64 && dtype != ASSAY_DTYPE_U64) || assay_tensor_get_dtype (b) != dtype)
    return;

  from = assay_tensor_get_data (a, NULL, NULL);
  to = assay_tensor_get_data (b, NULL, NULL);
  for (gsize i = 0; i < n; i++)
    self->n_different += from[i] != to[i] && (double) from[i] == (double) to[i];
}

/**
 * assay_compare_tensors:
 * @a: the reference
 * @b: what is compared with it
 * @precision: in whose units the scaled error counts
 * @progress: (nullable): cancel
 * @stats: (out caller-allocates): how they differ
 * @error: return location for a #GError
 *
 * Compares two whole tensors. Other shapes are %ASSAY_ERROR_INVALID; other element types are
 * compared by value, but numbers are not compared with strings.
 *
 * Returns: whether they could be compared
 */
gboolean
assay_compare_tensors (AssayTensor *a, AssayTensor *b, AssayComparePrecision precision,
                       const AssayProgress *progress, AssayCompareStats *stats, GError **error)
{
  gsize n = assay_tensor_get_n_elements (a);
  gboolean strings = assay_tensor_get_strings (a) != NULL;
  double from[CHUNK], to[CHUNK], scale = 0;

  if (!same_shape (a, b) || strings != (assay_tensor_get_strings (b) != NULL))
    {
      g_autofree char *left = shape_text (a);
      g_autofree char *right = shape_text (b);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s cannot be compared with %s", left,
                   right);
      return FALSE;
    }

  if (!strings && !assay_compare_scale (a, &scale, error))
    return FALSE;

  assay_compare_begin (stats, precision, scale);
  assay_compare_set_step (stats, 0, assay_tensor_get_dtype (a));
  if (strings)
    return compare_strings (a, b, stats);

  for (gsize first = 0; first < n; first += CHUNK)
    {
      gsize count = MIN (n - first, CHUNK);

      if (!assay_progress_check (progress, error) ||
          !assay_tensor_read_doubles (a, first, count, from, error) ||
          !assay_tensor_read_doubles (b, first, count, to, error))
        return FALSE;
      assay_compare_add (stats, from, to, count);
    }
  add_large_integers (stats, a, b);
  assay_compare_end (stats);

  return TRUE;
}
