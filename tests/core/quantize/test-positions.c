/* test-positions.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of 8 bits with a position, against whole numbers: a number here is n / 16, so that every
 * half and its neighbours are met, and what is expected needs no floating point.
 */
#include <math.h>

#include "base/assay-error.h"
#include "quantize/assay-position.h"
#include "quantize/assay-shift-limits.h"

#include "test-program.h"

#define PARTS 16

/* n / PARTS, rounded. */
static int
divide (int n, AssayRounding rounding)
{
  int below = n >= 0 ? n / PARTS : -((PARTS - 1 - n) / PARTS);
  int twice = 2 * (n - below * PARTS);
  gboolean up = twice > PARTS;

  if (twice == PARTS)
    up = rounding == ASSAY_ROUNDING_UP || (rounding == ASSAY_ROUNDING_AWAY && n > 0) ||
         (rounding == ASSAY_ROUNDING_EVEN && below % 2 != 0);

  return below + (up ? 1 : 0);
}

static void
test_rounding (void)
{
  for (AssayRounding rounding = ASSAY_ROUNDING_AWAY; rounding <= ASSAY_ROUNDING_EVEN; rounding++)
    for (int n = -200 * PARTS; n <= 200 * PARTS; n++)
      {
        double number = (double) n / PARTS;
        int expected = divide (CLAMP (n, -128 * PARTS, 127 * PARTS), rounding);

        g_assert_cmpfloat (assay_rounding_apply (rounding, number), ==, divide (n, rounding));
        for (int position = -3; position <= 3; position++)
          {
            double scaled = ldexp (number, -position);
            float single = (float) scaled;
            gint8 all = 99;

            g_assert_cmpint (assay_position_quantize (scaled, position, rounding), ==, expected);
            assay_position_quantize_all (&single, 1, position, rounding, &all);
            g_assert_cmpint (all, ==, expected);
          }
      }
}

static void
test_not_numbers (void)
{
  static const float numbers[] = { NAN, INFINITY, -INFINITY };
  static const gint8 expected[] = { 0, 127, -128 };
  gint8 all[3];

  for (AssayRounding rounding = ASSAY_ROUNDING_AWAY; rounding <= ASSAY_ROUNDING_EVEN; rounding++)
    {
      assay_position_quantize_all (numbers, 3, 2, rounding, all);
      for (guint i = 0; i < 3; i++)
        {
          g_assert_cmpint (all[i], ==, expected[i]);
          g_assert_cmpint (assay_position_quantize ((double) numbers[i], 2, rounding), ==,
                           expected[i]);
        }
    }
}

/* Nine numbers: the sums are kept four at a time. In sixteenths of a step the losses are whole. */
static void
test_noise (void)
{
  for (AssayRounding rounding = ASSAY_ROUNDING_AWAY; rounding <= ASSAY_ROUNDING_EVEN; rounding++)
    for (int start = -131 * PARTS; start < 130 * PARTS; start += 7)
      {
        float numbers[9];
        double expected = 0;

        for (int i = 0; i < 9; i++)
          {
            int n = start + 5 * i;
            int loss = n - PARTS * divide (CLAMP (n, -128 * PARTS, 127 * PARTS), rounding);

            numbers[i] = (float) n / PARTS / 4;
            expected += loss * loss;
          }
        g_assert_cmpfloat (assay_position_noise (numbers, 9, 2, rounding), ==,
                           expected / (PARTS * PARTS) / 16);
      }
}

static void
test_find (void)
{
  static const struct
  {
    float numbers[4];
    int position;
  } cases[] = {
    { { 0, 0, 0, 0 }, 18 },
    { { INFINITY, 0, 0, 0 }, 18 },
    { { 1e-39f, 0, 0, 0 }, 18 },
    /* Without loss: the first one that saturates nothing. */
    { { 1, 0, 0, 0 }, 6 },
    { { 0.5f, -0.25f, 0, 0 }, 7 },
    { { -1, 0, 0, 0 }, 7 },
    { { 127, 0, 0, 0 }, 0 },
    { { -128, 0, 0, 0 }, 0 },
    { { 128, 0, 0, 0 }, -1 },
    /* -129 loses 1 as -128 and as -130: of equal ones the first. */
    { { -129, 0, 0, 0 }, -1 },
    { { 254, 0, 0, 0 }, -1 },
    { { 3.0e38f, 0, 0, 0 }, ASSAY_POSITION_LEAST },
    { { 1e-35f, 0, 0, 0 }, ASSAY_POSITION_MOST - 5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (assay_position_find (cases[i].numbers, 4, ASSAY_ROUNDING_EVEN), ==,
                     cases[i].position);

  /* Every choice by the losses themselves: no other of the five positions is better, and no earlier
   * one as good. */
  for (guint turn = 0; turn < 2000; turn++)
    {
      float numbers[5];
      double step = 0, least = INFINITY;
      int first, best = 0;

      for (guint i = 0; i < 5; i++)
        {
          numbers[i] = (float) ldexp (g_test_rand_double_range (-1, 1),
                                      g_test_rand_int_range (-8, 8));
          step = MAX (step, (double) numbers[i] / (numbers[i] < 0 ? -128.5 : 127.5));
        }
      first = (int) floor (-log2 (step));
      for (int position = first; position < first + 5; position++)
        {
          double noise = 0;

          for (guint i = 0; i < 5; i++)
            {
              double scaled = ldexp ((double) numbers[i], position);
              double loss = (double) numbers[i] -
                            ldexp (nearbyint (CLAMP (scaled, -128, 127)), -position);

              noise += loss * loss;
            }
          if (noise < least * (1 - 1e-12))
            {
              least = noise;
              best = position;
            }
        }
      g_assert_cmpint (assay_position_find (numbers, 5, ASSAY_ROUNDING_EVEN), ==, best);
    }
}

static void
test_scales (void)
{
  int position = 0;

  for (int i = -80; i <= 80; i++)
    {
      gboolean known = i >= ASSAY_POSITION_LEAST && i <= ASSAY_POSITION_MOST;

      g_assert_cmpint (assay_position_of_scale (ldexp (1, -i), &position), ==, known);
      g_assert_cmpint (position, ==, i);
      g_assert_false (assay_position_of_scale (ldexp (1.5, -i), &position));
      g_assert_false (assay_position_of_scale (ldexp (-1, -i), &position));
      position = CLAMP (i, ASSAY_POSITION_LEAST, ASSAY_POSITION_MOST);
      /* Of two powers the middle is their square root: 1.41 is still nearer to 1, and 1.42 to 2. */
      g_assert_cmpint (assay_position_nearest (ldexp (1, -i)), ==, position);
      g_assert_cmpint (assay_position_nearest (ldexp (1.41, -i)), ==, position);
      g_assert_cmpint (assay_position_nearest (ldexp (1.42, -i)), ==,
                       CLAMP (i - 1, ASSAY_POSITION_LEAST, ASSAY_POSITION_MOST));
      position = 0;
    }
  g_assert_false (assay_position_of_scale (0, &position));
  g_assert_false (assay_position_of_scale ((double) NAN, &position));
  g_assert_false (assay_position_of_scale ((double) INFINITY, &position));
}

static void
test_centred (void)
{
  static const struct
  {
    AssayDType dtype;
    int zero; /* -1 for none */
    gboolean centred;
  } cases[] = {
    { ASSAY_DTYPE_I8, -1, TRUE },  { ASSAY_DTYPE_I8, 0, TRUE },    { ASSAY_DTYPE_I8, 128, FALSE },
    { ASSAY_DTYPE_I8, 1, FALSE },  { ASSAY_DTYPE_U8, -1, FALSE },  { ASSAY_DTYPE_U8, 0, FALSE },
    { ASSAY_DTYPE_U8, 128, TRUE }, { ASSAY_DTYPE_U8, 127, FALSE }, { ASSAY_DTYPE_I16, 0, FALSE },
  };
  const gint64 two = 2, zeros[] = { 0, 0 };
  g_autoptr (AssayTensor) several = assay_tensor_new_i64 (1, &two, zeros);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const gint64 number = cases[i].zero;
      g_autoptr (AssayTensor) zero = number >= 0 ? assay_tensor_new_i64 (0, NULL, &number) : NULL;

      g_assert_cmpint (assay_position_is_centred (cases[i].dtype, zero), ==, cases[i].centred);
    }
  g_assert_false (assay_position_is_centred (ASSAY_DTYPE_I8, several));
}

/* Half of the numbers in 8 bits lose nothing with steps half as large; the others lose half a new
 * step, whose square is a quarter of the smallest number's. */
static void
test_nearest (void)
{
  static const struct
  {
    double scale;
    const char *text;
  } cases[] = {
    { 0.75, "the nearest is 2^0 = 1, whose steps are 1.33 times as coarse (-2.5 dB of SQNR)" },
    { 1.25, "the nearest is 2^0 = 1, whose steps are 1.25 times as fine (+1.9 dB of SQNR), and "
            "whose numbers end at 127 instead of 158.8" },
    { 0.3, "the nearest is 2^-2 = 0.25, whose steps are 1.20 times as fine (+1.6 dB of SQNR), and "
           "whose numbers end at 31.75 instead of 38.1" },
  };
  const gint64 n = 4;
  /* 3, 6, 9 and 12 at a scale of 1.5 are 4.5, 9, 13.5 and 18: at 2 they are 4, 8 or 10, 14 and 18.
   */
  static const gint8 elements[] = { 3, 6, 9, 12 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (elements, sizeof elements);
  g_autoptr (AssayTensor) numbers = assay_tensor_new (ASSAY_DTYPE_I8, 1, &n, bytes, NULL);
  double energy = 4.5 * 4.5 + 9 * 9 + 13.5 * 13.5 + 18 * 18, noise = 0.5 * 0.5 + 1 + 0.5 * 0.5;
  g_autofree char *expected = g_strdup_printf (
      "the nearest is 2^1 = 2, where its numbers have %.1f dB of SQNR",
      10 * log10 (energy / noise));
  g_autofree char *text = assay_position_describe_nearest (1.5, numbers);

  g_assert_cmpstr (text, ==, expected);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *described = assay_position_describe_nearest (cases[i].scale, NULL);

      g_assert_cmpstr (described, ==, cases[i].text);
    }
}

/* How the vendor's tools round, as docs/dpu.md says. */
static void
test_quantizers (void)
{
  static const struct
  {
    const char *name;
    AssayRounding input, weights, bias, activation;
  } rows[] = {
    { "pytorch", ASSAY_ROUNDING_AWAY, ASSAY_ROUNDING_AWAY, ASSAY_ROUNDING_AWAY, ASSAY_ROUNDING_UP },
    { "tensorflow2", ASSAY_ROUNDING_UP, ASSAY_ROUNDING_EVEN, ASSAY_ROUNDING_EVEN,
      ASSAY_ROUNDING_UP },
    { "onnx", ASSAY_ROUNDING_EVEN, ASSAY_ROUNDING_EVEN, ASSAY_ROUNDING_EVEN, ASSAY_ROUNDING_EVEN },
  };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const AssayQuantizer *found = assay_quantizer_find (rows[i].name, &error);

      g_assert_no_error (error);
      g_assert_true (found == assay_quantizer_get (i));
      g_assert_cmpstr (found->name, ==, rows[i].name);
      g_assert_cmpint (found->input, ==, rows[i].input);
      g_assert_cmpint (found->weights, ==, rows[i].weights);
      g_assert_cmpint (found->bias, ==, rows[i].bias);
      g_assert_cmpint (found->activation, ==, rows[i].activation);
    }
  g_assert_null (assay_quantizer_get (G_N_ELEMENTS (rows)));
  g_assert_true (assay_quantizer_find (NULL, NULL) == assay_quantizer_get (0));
  g_assert_null (assay_quantizer_find ("keras", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==,
                   "quantizer keras: expected one of pytorch, tensorflow2, onnx");
}

TEST_PROGRAM (positions)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quantize/positions/rounding", test_rounding);
  g_test_add_func ("/quantize/positions/not-numbers", test_not_numbers);
  g_test_add_func ("/quantize/positions/noise", test_noise);
  g_test_add_func ("/quantize/positions/find", test_find);
  g_test_add_func ("/quantize/positions/scales", test_scales);
  g_test_add_func ("/quantize/positions/centred", test_centred);
  g_test_add_func ("/quantize/positions/nearest", test_nearest);
  g_test_add_func ("/quantize/positions/quantizers", test_quantizers);

  return g_test_run ();
}
