/* test-small-floats.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every code of every small float against its definition: ONNX IR, float stored in 8 bits, and OCP
 * MX.
 */
#include <math.h>

#include "base/assay-small-float.h"

#include "test-program.h"

typedef struct
{
  AssayDType dtype;
  guint n_exponent, n_mantissa;
  int bias;
  gboolean infinities; /* the top exponent has infinities and NaNs, as in IEEE 754 */
  guint nan;           /* the only NaN, without its sign; G_MAXUINT for none */
  gboolean no_minus_zero;
} Format;

static const Format formats[] = {
  { ASSAY_DTYPE_F16, 5, 10, 15, TRUE, G_MAXUINT, FALSE },
  { ASSAY_DTYPE_BF16, 8, 7, 127, TRUE, G_MAXUINT, FALSE },
  { ASSAY_DTYPE_F8E4M3FN, 4, 3, 7, FALSE, 0x7f, FALSE },
  { ASSAY_DTYPE_F8E4M3FNUZ, 4, 3, 8, FALSE, G_MAXUINT, TRUE },
  { ASSAY_DTYPE_F8E5M2, 5, 2, 15, TRUE, G_MAXUINT, FALSE },
  { ASSAY_DTYPE_F8E5M2FNUZ, 5, 2, 16, FALSE, G_MAXUINT, TRUE },
  { ASSAY_DTYPE_F4E2M1, 2, 1, 1, FALSE, G_MAXUINT, FALSE },
};

/* By sums of powers of two, bit by bit. */
static double
value_of (const Format *format, guint code)
{
  guint n = format->n_exponent + format->n_mantissa;
  guint magnitude = code & ((1u << n) - 1);
  guint exponent = magnitude >> format->n_mantissa;
  double value = exponent > 0 ? 1 : 0;

  if (format->no_minus_zero && code == 1u << n)
    return NAN;
  if (magnitude == format->nan)
    return NAN;
  if (format->infinities && exponent == (1u << format->n_exponent) - 1)
    value = (magnitude & ((1u << format->n_mantissa) - 1)) == 0 ? INFINITY : NAN;
  for (guint bit = 1; bit <= format->n_mantissa; bit++)
    if ((magnitude >> (format->n_mantissa - bit) & 1) != 0)
      value += pow (2, -(double) bit);
  value *= pow (2, (double) MAX (exponent, 1) - format->bias);

  return code >> n == 1 ? -value : value;
}

static void
check_same (double actual, double expected)
{
  if (isnan (expected))
    g_assert_true (isnan (actual));
  else
    g_assert_cmpfloat (actual, ==, expected);
  g_assert_cmpint (signbit (actual) != 0 && !isnan (actual), ==,
                   signbit (expected) != 0 && !isnan (expected));
}

static void
test_codes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      const Format *format = &formats[i];

      g_assert_true (assay_small_float_is (format->dtype));
      for (guint code = 0; code < 2u << (format->n_exponent + format->n_mantissa); code++)
        {
          double value = value_of (format, code);

          check_same (assay_small_float_decode (format->dtype, code), value);
          check_same (value_of (format, assay_small_float_encode (format->dtype, value)), value);
          if (!isnan (value))
            g_assert_cmpuint (assay_small_float_encode (format->dtype, value), ==, code);
        }
    }
  g_assert_false (assay_small_float_is (ASSAY_DTYPE_F32));
  g_assert_false (assay_small_float_is (ASSAY_DTYPE_I8));
}

/* The code whose value is nearest, of two the one that is even; every number between two values. */
static void
test_nearest (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      const Format *format = &formats[i];
      guint step = format->n_mantissa > 5 ? 37 : 1;

      for (guint code = 0; code + 1 < 1u << (format->n_exponent + format->n_mantissa); code += step)
        {
          double low = value_of (format, code), high = value_of (format, code + 1);

          if (!isfinite (low) || !isfinite (high))
            continue;
          for (guint part = 0; part <= 8; part++)
            {
              double number = low + (high - low) * part / 8;
              double nearest = part < 4 ? low : part > 4 ? high : code & 1u ? high : low;
              double minus = nearest == 0 && format->no_minus_zero ? 0.0 : -nearest;

              for (guint saturate = 0; saturate < 2; saturate++)
                {
                  check_same (assay_small_float_round (format->dtype, number, saturate != 0,
                                                       ASSAY_ROUNDING_NEAREST),
                              nearest);
                  check_same (assay_small_float_round (format->dtype, -number, saturate != 0,
                                                       ASSAY_ROUNDING_NEAREST),
                              number == 0 && !format->no_minus_zero ? -0.0 : minus);
                }
            }
        }
    }
}

/* Beyond the largest number, per format of the table: saturated, and not. */
static void
test_overflow (void)
{
  static const struct
  {
    AssayDType dtype;
    double largest, saturated, otherwise;
  } rows[] = {
    { ASSAY_DTYPE_F16, 65504, INFINITY, INFINITY },
    { ASSAY_DTYPE_BF16, 0x1.fep127, INFINITY, INFINITY },
    { ASSAY_DTYPE_F8E4M3FN, 448, 448, NAN },
    { ASSAY_DTYPE_F8E4M3FNUZ, 240, 240, NAN },
    { ASSAY_DTYPE_F8E5M2, 57344, 57344, INFINITY },
    { ASSAY_DTYPE_F8E5M2FNUZ, 57344, 57344, NAN },
    { ASSAY_DTYPE_F4E2M1, 6, 6, 6 },
  };
  const double beyond[] = { 4, INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayDType dtype = rows[i].dtype;

      check_same (assay_small_float_round (dtype, rows[i].largest, FALSE, ASSAY_ROUNDING_NEAREST),
                  rows[i].largest);
      for (guint j = 0; j < G_N_ELEMENTS (beyond); j++)
        {
          double number = rows[i].largest * beyond[j];

          check_same (assay_small_float_round (dtype, number, TRUE, ASSAY_ROUNDING_NEAREST),
                      rows[i].saturated);
          check_same (assay_small_float_round (dtype, -number, TRUE, ASSAY_ROUNDING_NEAREST),
                      -rows[i].saturated);
          check_same (assay_small_float_round (dtype, number, FALSE, ASSAY_ROUNDING_NEAREST),
                      rows[i].otherwise);
          check_same (assay_small_float_round (dtype, -number, FALSE, ASSAY_ROUNDING_NEAREST),
                      -rows[i].otherwise);
        }
      check_same (assay_small_float_round (dtype, NAN, FALSE, ASSAY_ROUNDING_NEAREST),
                  dtype == ASSAY_DTYPE_F4E2M1 ? -0.0 : (double) NAN);
    }
  g_assert_cmpuint (assay_small_float_encode (ASSAY_DTYPE_F8E4M3FN, INFINITY), ==, 0x7e);
  g_assert_cmpuint (assay_small_float_encode (ASSAY_DTYPE_F8E5M2, -INFINITY), ==, 0xfc);
  g_assert_cmpuint (assay_small_float_encode (ASSAY_DTYPE_F4E2M1, -INFINITY), ==, 0xf);
  g_assert_cmpuint (assay_small_float_encode (ASSAY_DTYPE_F4E2M1, (double) NAN), ==, 0x8);
  g_assert_cmpuint (assay_small_float_encode (ASSAY_DTYPE_F16, (double) NAN), ==, 0x7e00);
}

/* Powers of two alone, and a NaN: the scales of MX formats. */
static void
test_scales (void)
{
  static const struct
  {
    double value;
    gboolean saturate;
    AssayRounding rounding;
    double expected;
  } rows[] = {
    { 1, TRUE, ASSAY_ROUNDING_NEAREST, 1 },
    { 1.25, TRUE, ASSAY_ROUNDING_NEAREST, 1 },
    { 1.5, TRUE, ASSAY_ROUNDING_NEAREST, 2 },
    { 1.25, TRUE, ASSAY_ROUNDING_UP, 2 },
    { 1, TRUE, ASSAY_ROUNDING_UP, 1 },
    { 1.75, TRUE, ASSAY_ROUNDING_DOWN, 1 },
    { 0.75, TRUE, ASSAY_ROUNDING_DOWN, 0.5 },
    { 0, TRUE, ASSAY_ROUNDING_NEAREST, 0x1p-127 },
    { 0, FALSE, ASSAY_ROUNDING_NEAREST, NAN },
    { -3, TRUE, ASSAY_ROUNDING_NEAREST, 0x1p-127 },
    { INFINITY, TRUE, ASSAY_ROUNDING_NEAREST, 0x1p127 },
    { INFINITY, FALSE, ASSAY_ROUNDING_NEAREST, NAN },
    { NAN, TRUE, ASSAY_ROUNDING_NEAREST, NAN },
    { 0x1p127, FALSE, ASSAY_ROUNDING_NEAREST, 0x1p127 },
    { 0x1.8p127, FALSE, ASSAY_ROUNDING_NEAREST, NAN },
    { 0x1.8p127, TRUE, ASSAY_ROUNDING_NEAREST, 0x1p127 },
    { 0x1p-127, FALSE, ASSAY_ROUNDING_NEAREST, 0x1p-127 },
    { 0x1p-128, FALSE, ASSAY_ROUNDING_NEAREST, NAN },
    { 0x1p-128, TRUE, ASSAY_ROUNDING_NEAREST, 0x1p-127 },
  };

  g_assert_true (assay_small_float_is (ASSAY_DTYPE_F8E8M0));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check_same (assay_small_float_round (ASSAY_DTYPE_F8E8M0, rows[i].value, rows[i].saturate,
                                         rows[i].rounding),
                rows[i].expected);
  for (guint code = 0; code < 255; code++)
    {
      double value = pow (2, (double) code - 127);

      check_same (assay_small_float_decode (ASSAY_DTYPE_F8E8M0, code), value);
      g_assert_cmpuint (assay_small_float_encode (ASSAY_DTYPE_F8E8M0, value), ==, code);
    }
  g_assert_true (isnan (assay_small_float_decode (ASSAY_DTYPE_F8E8M0, 255)));
  g_assert_cmpuint (assay_small_float_encode (ASSAY_DTYPE_F8E8M0, (double) NAN), ==, 255);
}

TEST_PROGRAM (small_floats)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/small-floats/codes", test_codes);
  g_test_add_func ("/base/small-floats/nearest", test_nearest);
  g_test_add_func ("/base/small-floats/overflow", test_overflow);
  g_test_add_func ("/base/small-floats/scales", test_scales);

  return g_test_run ();
}
