/* assay-position.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of 8 bits with a position: the value is q * 2^-position.
 */
#include "quantize/assay-position.h"

#include <float.h>
#include <math.h>

#include "base/assay-error.h"

/* How many positions beyond the first without overflow the search tries. */
#define N_TRIED 5

static const AssayQuantizer quantizers[] = {
#define QUANTIZER(name, input, weights, bias, activation, summary)                                 \
  { name,                                                                                          \
    ASSAY_ROUNDING_##input,                                                                        \
    ASSAY_ROUNDING_##weights,                                                                      \
    ASSAY_ROUNDING_##bias,                                                                         \
    ASSAY_ROUNDING_##activation,                                                                   \
    summary },
#include "quantize/quantizers.def"
#undef QUANTIZER
};

/**
 * assay_quantizer_get:
 * @index: which row
 *
 * Lists the tools whose rounding is known.
 *
 * Returns: (nullable): the tool, %NULL behind the last
 */
const AssayQuantizer *
assay_quantizer_get (guint index)
{
  return index < G_N_ELEMENTS (quantizers) ? &quantizers[index] : NULL;
}

/**
 * assay_quantizer_find:
 * @name: (nullable): what the user calls it; %NULL for the first
 * @error: return location for a #GError
 *
 * Finds a tool.
 *
 * Returns: (nullable): the tool
 */
const AssayQuantizer *
assay_quantizer_find (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (quantizers); i++)
    {
      if (name == NULL || g_str_equal (quantizers[i].name, name))
        return &quantizers[i];
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", quantizers[i].name);
    }
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "quantizer %s: expected one of %s", name,
               names->str);

  return NULL;
}

/**
 * assay_rounding_apply:
 * @rounding: what becomes of a half
 * @number: a number
 *
 * Rounds to a whole number.
 *
 * Returns: the whole number
 */
double
assay_rounding_apply (AssayRounding rounding, double number)
{
  double below = floor (number);
  double rest = number - below;

  switch (rounding)
    {
    case ASSAY_ROUNDING_AWAY:
      return round (number);
    case ASSAY_ROUNDING_UP:
      return rest < 0.5 ? below : below + 1;
    case ASSAY_ROUNDING_EVEN:
    default:
      if (fabs (rest - 0.5) > 0)
        return rest < 0.5 ? below : below + 1;
      return fabs (fmod (below, 2)) > 0 ? below + 1 : below;
    }
}

/* What is no number becomes 0: neither files nor machines have such a value in 8 bits. */
static inline double
quantize (double number, double factor, AssayRounding rounding)
{
  double scaled = number * factor;

  if (isnan (scaled))
    return 0;

  return assay_rounding_apply (rounding, CLAMP (scaled, -128.0, 127.0));
}

/**
 * assay_position_quantize:
 * @number: a number
 * @position: the position
 * @rounding: what becomes of a half
 *
 * Puts a number into 8 bits: saturated first, then rounded.
 *
 * Returns: the number times two to the position
 */
gint8
assay_position_quantize (double number, int position, AssayRounding rounding)
{
  return (gint8) quantize (number, ldexp (1.0, position), rounding);
}

/**
 * assay_position_quantize_all:
 * @numbers: (array length=n): the numbers
 * @n: how many
 * @position: their position
 * @rounding: what becomes of a half
 * @quantized: (out caller-allocates) (array length=n): the same in 8 bits
 *
 * Puts numbers into 8 bits.
 */
void
assay_position_quantize_all (const float *numbers, gsize n, int position, AssayRounding rounding,
                             gint8 *quantized)
{
  double factor = ldexp (1.0, position);

  /* A float has few enough bits that what is added here is exact, and what is cut off then is the
   * rounding. */
#define QUANTIZE(ROUNDED)                                                                          \
  for (gsize i = 0; i < n; i++)                                                                    \
    {                                                                                              \
      double y = (double) numbers[i] * factor;                                                     \
                                                                                                   \
      y = isnan (y) ? 0.0 : y < -128.0 ? -128.0 : y > 127.0 ? 127.0 : y;                           \
      quantized[i] = (gint8) (ROUNDED);                                                            \
    }
  if (rounding == ASSAY_ROUNDING_UP)
    QUANTIZE ((int) (y + 128.5) - 128)
  else if (rounding == ASSAY_ROUNDING_EVEN)
    QUANTIZE ((int) ((y + 6755399441055744.0) - 6755399441055744.0))
  else
    QUANTIZE ((int) (y + copysign (0.5, y)))
#undef QUANTIZE
}

/* Sums over each rounding in loops without choices, so that they become vectors. What saturates has
 * no half to round; floor (x + 0.5) is exact for what doubles make of floats of this size. */
static double
add_noise (const float *numbers, gsize n, double factor, AssayRounding rounding)
{
  double sums[4] = { 0 };
  double unit = 1.0 / factor;

#define SUM(ROUNDED)                                                                               \
  for (gsize i = 0; i < n; i++)                                                                    \
    {                                                                                              \
      double x = (double) numbers[i];                                                              \
      double y = x * factor;                                                                       \
      double e;                                                                                    \
                                                                                                   \
      y = y < -128.0 ? -128.0 : y > 127.0 ? 127.0 : y;                                             \
      e = x - (ROUNDED) *unit;                                                                     \
      sums[i & 3] += e * e;                                                                        \
    }
  if (rounding == ASSAY_ROUNDING_UP)
    SUM (floor (y + 0.5))
  else if (rounding == ASSAY_ROUNDING_EVEN)
    SUM ((y + 6755399441055744.0) - 6755399441055744.0)
  else
    SUM (copysign (floor (fabs (y) + 0.5), y))
#undef SUM

  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/**
 * assay_position_noise:
 * @numbers: (array length=n): the numbers
 * @n: how many
 * @position: their position
 * @rounding: what becomes of a half
 *
 * Adds up the squares of what 8 bits lose.
 *
 * Returns: the sum
 */
double
assay_position_noise (const float *numbers, gsize n, int position, AssayRounding rounding)
{
  return add_noise (numbers, n, ldexp (1.0, position), rounding);
}

/**
 * assay_position_find:
 * @numbers: (array length=n): the numbers
 * @n: how many
 * @rounding: what becomes of a half
 *
 * Finds the position that loses least, among the one that saturates nothing and the four behind it;
 * of equal ones the first.
 *
 * Returns: the position, 18 for zeros alone
 */
int
assay_position_find (const float *numbers, gsize n, AssayRounding rounding)
{
  float least = 0, most = 0;
  double step, best = INFINITY;
  int first, found;

  for (gsize i = 0; i < n; i++)
    {
      least = numbers[i] < least ? numbers[i] : least;
      most = numbers[i] > most ? numbers[i] : most;
    }
  step = MAX ((double) least / -128.5, (double) most / 127.5);
  if (!(step > (double) FLT_MIN) || isinf (step))
    return 18;

  first = found = CLAMP ((int) floor (log2 (1.0 / step)), ASSAY_POSITION_LEAST,
                         ASSAY_POSITION_MOST - N_TRIED);
  for (int position = first; position < first + N_TRIED; position++)
    {
      double noise = add_noise (numbers, n, ldexp (1.0, position), rounding);

      if (noise < best)
        {
          best = noise;
          found = position;
        }
    }

  return found;
}

/**
 * assay_position_of_scale:
 * @scale: a scale
 * @position: (out): its position
 *
 * Tells whether a scale is a power of two that devices know.
 *
 * Returns: whether it is
 */
gboolean
assay_position_of_scale (double scale, int *position)
{
  int exponent;

  if (!(scale > 0.0) || isinf (scale) || fabs (frexp (scale, &exponent) - 0.5) > 0.0)
    return FALSE;
  *position = 1 - exponent;

  return *position >= ASSAY_POSITION_LEAST && *position <= ASSAY_POSITION_MOST;
}

/**
 * assay_position_is_centred:
 * @dtype: what numbers are held in
 * @zero: (nullable): their zero point, none if it is 0
 *
 * Tells whether numbers are 8 bits around zero, as those of the device: i8 as they are, u8 if they
 * are 128 more.
 *
 * Returns: whether they are
 */
gboolean
assay_position_is_centred (AssayDType dtype, AssayTensor *zero)
{
  double point = 0;

  if (zero != NULL && (assay_tensor_get_n_elements (zero) != 1 ||
                       !assay_tensor_get_element (zero, 0, &point, NULL)))
    return FALSE;

  return (dtype == ASSAY_DTYPE_I8 && point == 0.0) || (dtype == ASSAY_DTYPE_U8 && point == 128.0);
}

/**
 * assay_position_nearest:
 * @scale: a positive scale
 *
 * Finds the position whose scale is nearest in ratio.
 *
 * Returns: the position
 */
int
assay_position_nearest (double scale)
{
  return CLAMP ((int) -round (log2 (scale)), ASSAY_POSITION_LEAST, ASSAY_POSITION_MOST);
}

/* SQNR of 8 bits with a scale that go to the position nearest to it. */
static gboolean
measure_move (double scale, AssayTensor *numbers, double *decibels)
{
  gsize n = numbers != NULL ? assay_tensor_get_n_elements (numbers) : 0;
  g_autofree float *values = g_new (float, MAX (n, 1));
  double power = 0, element;

  if (n == 0 || assay_tensor_get_dtype (numbers) != ASSAY_DTYPE_I8)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      if (!assay_tensor_get_element (numbers, i, &element, NULL))
        return FALSE;
      values[i] = (float) (element * scale);
      power += (double) values[i] * values[i];
    }
  *decibels = 10 * log10 (power / assay_position_noise (values, n, assay_position_nearest (scale),
                                                        ASSAY_ROUNDING_EVEN));

  return isfinite (*decibels);
}

/**
 * assay_position_describe_nearest:
 * @scale: a positive scale that is no power of two
 * @numbers: (nullable): the numbers in i8, if they are constant
 *
 * Says which power of two is nearest to a scale and what that costs: what constants lose is
 * measured, of numbers that are not known it is what steps and reach make of them.
 *
 * Returns: (transfer full): part of a sentence
 */
char *
assay_position_describe_nearest (double scale, AssayTensor *numbers)
{
  int position = assay_position_nearest (scale);
  double nearest = ldexp (1.0, -position);
  double decibels;

  if (measure_move (scale, numbers, &decibels))
    return g_strdup_printf ("the nearest is 2^%d = %.9g, where its numbers have %.1f dB of SQNR",
                            -position, nearest, decibels);
  if (nearest < scale)
    return g_strdup_printf ("the nearest is 2^%d = %.9g, whose steps are %.2f times as fine (%+.1f "
                            "dB of SQNR), and whose numbers end at %.4g instead of %.4g",
                            -position, nearest, scale / nearest, 20.0 * log10 (scale / nearest),
                            127 * nearest, 127 * scale);

  return g_strdup_printf ("the nearest is 2^%d = %.9g, whose steps are %.2f times as coarse (%+.1f "
                          "dB of SQNR)",
                          -position, nearest, nearest / scale, 20.0 * log10 (scale / nearest));
}
