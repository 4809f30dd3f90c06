/* dpu-numbers.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints what the loops of the DPU make of all inputs, for test-dpu-numbers.py, which has the
 * formulae a second time: a line of numbers per line that asks, or behind `digest` the digest of
 * their bytes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/dpu/machine/assay-dpu-kernels.h"

#define MAX_ARGUMENTS 16
#define N_PAIRS 65536
#define N_QUARTERS 2401

static gboolean digest;

static void
print_all (const gint8 *results, gsize n)
{
  if (digest)
    {
      g_autofree char *text = g_compute_checksum_for_data (G_CHECKSUM_SHA1,
                                                           (const guchar *) results, n);

      printf ("%s\n", text);
      return;
    }
  for (gsize i = 0; i < n; i++)
    printf ("%d ", results[i]);
  printf ("\n");
}

static gint8
draw (guint32 *state)
{
  *state = *state * 1664525 + 1013904223;

  return (gint8) (*state >> 24);
}

/* All pairs: the first operand is the slower one. */
static void
make_pairs (gint8 *a, gint8 *b)
{
  for (guint i = 0; i < 65536; i++)
    {
      a[i] = (gint8) ((int) (i >> 8) - 128);
      b[i] = (gint8) ((int) (i & 255) - 128);
    }
}

/* What a level makes is what the first one made. */
static void
same_on_level (guint level, gint8 *first, const gint8 *out, gsize n)
{
  if (level == 0)
    memcpy (first, out, n);
  else if (memcmp (first, out, n) != 0)
    g_error ("%s differs from %s", assay_dpu_level_get (level)->name,
             assay_dpu_level_get (0)->name);
}

static void
ask_pairs (const char *what, const int *x)
{
  g_autofree gint8 *a = g_new (gint8, 65536);
  g_autofree gint8 *b = g_new (gint8, 65536);
  g_autofree gint8 *out = g_new (gint8, 65536);
  g_autofree gint8 *first = g_new (gint8, 65536);
  const gint8 *in[] = { a, b };

  make_pairs (a, b);
  if (g_str_equal (what, "add"))
    for (guint i = 0; assay_dpu_level_get (i) != NULL; i++)
      {
        assay_dpu_add (assay_dpu_level_get (i), in, x, 2, 65536, x[2], (AssayDpuActivation) x[3],
                       x[4], out);
        same_on_level (i, first, out, 65536);
      }
  else
    for (guint i = 0; assay_dpu_level_get (i) != NULL; i++)
      {
        assay_dpu_multiply (assay_dpu_level_get (i), a, b, 65536, x[0], (AssayDpuActivation) x[1],
                            x[2], out);
        same_on_level (i, first, out, 65536);
      }
  print_all (out, 65536);
}

static void
ask_one (const char *what, const int *x)
{
  gint8 in[256], out[256], first[256];
  gint32 table[256];
  const gint8 *from = in;
  const guint32 begin = 0;

  for (int i = 0; i < 256; i++)
    {
      in[i] = (gint8) (i - 128);
      table[i] = i;
    }
  if (g_str_equal (what, "move"))
    assay_dpu_move (&from, table, x, &begin, 1, 256, out);
  else if (g_str_equal (what, "leaky"))
    assay_dpu_activate (in, 256, 1,
                        &(AssayDpuFinish){ .activation = ASSAY_DPU_LEAKY, .shift = 1 - x[0] }, out);
  else if (g_str_equal (what, "prelu"))
    assay_dpu_activate (in, 256, 3,
                        &(AssayDpuFinish){ .activation = ASSAY_DPU_PRELU,
                                           .shift = 1 - x[0],
                                           .slopes = (const gint8[]){ 77, -128, 3 },
                                           .slope_shift = x[1] },
                        out);
  else if (g_str_equal (what, "max"))
    for (guint i = 0; assay_dpu_level_get (i) != NULL; i++)
      {
        assay_dpu_max_pool (assay_dpu_level_get (i),
                            &(AssayDpuWindow){ .n = 1,
                                               .h = 256,
                                               .w = 1,
                                               .c = 1,
                                               .oh = 256,
                                               .ow = 1,
                                               .kh = 1,
                                               .kw = 1,
                                               .sh = 1,
                                               .sw = 1,
                                               .dh = 1,
                                               .dw = 1 },
                            in, x[0], out);
        same_on_level (i, first, out, 256);
      }
  else
    for (int i = 0; i < 256; i++)
      out[i] = g_str_equal (what, "sigmoid") ? assay_dpu_hard_sigmoid (in[i], x[0], x[1])
                                             : assay_dpu_hard_swish (in[i], x[0], x[1]);
  print_all (out, 256);
}

/* Three maps of 100 elements to places in runs of 16, some of which are zeros or one element again
 * and again: element by element, and run by run. */
static void
ask_runs (const int *x)
{
  static const guint32 begins[] = { 0, 100, 200 };
  g_autoptr (GArray) runs = NULL;
  gint8 maps[300], out[300], first[300];
  gint32 table[300];
  const gint8 *in[] = { maps, maps + 100, maps + 200 };

  for (int i = 0; i < 300; i++)
    {
      maps[i] = (gint8) (i * 7 % 256 - 128);
      table[i] = i % 50 < 5 ? -1 : (i / 16 * 53 + (i / 16 % 3 == 1 ? 0 : i % 16)) % 300;
    }
  assay_dpu_move (in, table, x, begins, 3, 300, first);
  runs = assay_dpu_move_runs (table, begins, 3, 300);
  if (runs->len >= 300 / 4)
    g_error ("%u runs of 300 elements", runs->len);
  assay_dpu_move_all (in, runs, x, out);
  if (memcmp (first, out, sizeof out) != 0)
    g_error ("runs are moved to other places");
  print_all (out, 300);
}

/* Every sum that a window can have: elements take turns in being one more. */
static void
ask_average (const int *x)
{
  guint n = (guint) (x[0] * x[1]);
  AssayDpuFactor factor = assay_dpu_average_factor ((guint) x[0], (guint) x[1]);
  AssayDpuWindow window = { 1, (guint) x[0], (guint) x[1], 1, 1, 1,
                            1, (guint) x[0], (guint) x[1], 1, 1, 1,
                            1 };
  g_autofree gint8 *in = g_new (gint8, n);
  gint8 out;

  memset (in, -128, n);
  printf ("%u %d ", factor.factor, factor.shift);
  for (guint i = 0; i <= 255 * n; i++)
    {
      assay_dpu_average_pool (&window, in, factor, x[2], &out);
      printf ("%d ", out);
      if (i < 255 * n)
        in[i % n]++;
    }
  printf ("\n");
}

/* The factor of a kernel alone. */
static void
ask_factor (const int *x)
{
  AssayDpuFactor factor = assay_dpu_average_factor ((guint) x[0], (guint) x[1]);

  printf ("%u %d\n", factor.factor, factor.shift);
}

/* Two neighbours in a row, all pairs of them as channels. */
static void
ask_resize (const int *x)
{
  const AssayDpuWindow window = {
    .n = 1, .h = 1, .w = 2, .c = N_PAIRS, .oh = 1, .ow = 2 * (guint) x[0]
  };
  g_autofree gint8 *in = g_new (gint8, 2 * N_PAIRS);
  g_autofree gint8 *out = g_new (gint8, (gsize) window.ow * N_PAIRS);

  make_pairs (in, in + N_PAIRS);
  assay_dpu_resize (&window, in, x[1], x[2], out);
  print_all (out, (gsize) window.ow * N_PAIRS);
}

/* Four neighbours, drawn. */
static void
ask_square (const int *x)
{
  const AssayDpuWindow window = {
    .n = 1, .h = 2, .w = 2, .c = 64, .oh = 2 * (guint) x[0], .ow = 2 * (guint) x[0]
  };
  guint32 state = (guint32) x[3];
  g_autofree gint8 *out = g_new (gint8, (gsize) window.oh * window.ow * window.c);
  gint8 in[4 * 64];

  for (guint i = 0; i < sizeof in; i++)
    in[i] = draw (&state);
  assay_dpu_resize (&window, in, x[1], x[2], out);
  print_all (out, (gsize) window.oh * window.ow * window.c);
}

/* Which of two channels is larger, all pairs of them. */
static void
ask_arg_max (void)
{
  g_autofree gint8 *a = g_new (gint8, N_PAIRS);
  g_autofree gint8 *b = g_new (gint8, N_PAIRS);
  g_autofree gint8 *in = g_new (gint8, 2 * N_PAIRS);
  g_autofree gint8 *out = g_new (gint8, N_PAIRS);

  make_pairs (a, b);
  for (guint i = 0; i < N_PAIRS; i++)
    {
      in[2 * i] = a[i];
      in[2 * i + 1] = b[i];
    }
  assay_dpu_arg_max (in, N_PAIRS, 2, out);
  print_all (out, N_PAIRS);
}

/* Floats on all quarters of a step, and what is no number, at a position. */
static void
ask_fix (const int *x)
{
  float numbers[N_QUARTERS + 3];
  gint8 out[N_QUARTERS + 3], first[N_QUARTERS + 3];

  for (int i = 0; i < N_QUARTERS; i++)
    numbers[i] = ldexpf ((float) (i - N_QUARTERS / 2), -2 - x[0]);
  numbers[N_QUARTERS] = INFINITY;
  numbers[N_QUARTERS + 1] = -INFINITY;
  numbers[N_QUARTERS + 2] = NAN;
  for (guint i = 0; assay_dpu_level_get (i) != NULL; i++)
    {
      assay_dpu_level_get (i)->fix (numbers, ldexpf (1, x[0]), G_N_ELEMENTS (numbers), out);
      same_on_level (i, first, out, sizeof out);
    }
  print_all (out, sizeof out);
}

static void
ask_finish (const int *x)
{
  guint n = (guint) ((x[9] - x[8]) / x[10]) + 1;
  g_autofree gint64 *bias = g_new (gint64, n);
  g_autofree gint8 *slopes = g_new (gint8, n);
  AssayDpuFinish finish = { .up = x[0],
                            .shift = x[1],
                            .activation = (AssayDpuActivation) x[2],
                            .cap = x[3],
                            .narrow = x[4],
                            .bias = bias,
                            .slopes = slopes,
                            .slope_shift = x[7] };
  g_autofree gint32 *sums = g_new (gint32, n);
  g_autofree gint8 *out = g_new (gint8, n);
  g_autofree gint8 *first = g_new (gint8, n);

  for (guint i = 0; i < n; i++)
    {
      sums[i] = x[8] + (int) i * x[10];
      bias[i] = x[5];
      slopes[i] = (gint8) x[6];
    }
  for (guint i = 0; assay_dpu_level_get (i) != NULL; i++)
    {
      assay_dpu_finish (assay_dpu_level_get (i), &finish, sums, n, 1, n, out);
      same_on_level (i, first, out, n);
    }
  print_all (first, n);
}

/* Convolutions on every level of vectors, of numbers that both sides draw. */
static void
ask_conv (const char *what, const int *x)
{
  AssayDpuWindow w = { 1,
                       (guint) x[0],
                       (guint) x[1],
                       (guint) x[2],
                       0,
                       0,
                       (guint) x[3],
                       (guint) x[4],
                       (guint) x[5],
                       (guint) x[6],
                       (guint) x[6],
                       (guint) x[7],
                       (guint) x[7],
                       x[8],
                       x[9] };
  gboolean depthwise = g_str_equal (what, "depthwise");
  guint32 state = (guint32) x[10];
  AssayDpuFinish finish = { .shift = x[11], .cap = 127, .narrow = TRUE };
  g_autofree gint64 *bias = g_new0 (gint64, w.oc);
  g_autofree gint8 *in = NULL, *weights = NULL, *out = NULL, *first = NULL;
  gsize n_weights = (gsize) w.kh * w.kw * w.oc * (depthwise ? 1 : w.c);

  w.oh = (w.h + 2 * (guint) w.top - (w.kh - 1) * w.dh - 1) / w.sh + 1;
  w.ow = (w.w + 2 * (guint) w.left - (w.kw - 1) * w.dw - 1) / w.sw + 1;
  in = g_new (gint8, (gsize) w.h * w.w * w.c);
  weights = g_new (gint8, n_weights);
  out = g_new0 (gint8, (gsize) w.oh * w.ow * w.oc);
  first = g_new0 (gint8, (gsize) w.oh * w.ow * w.oc);
  for (gsize i = 0; i < (gsize) w.h * w.w * w.c; i++)
    in[i] = draw (&state);
  for (gsize i = 0; i < n_weights; i++)
    weights[i] = draw (&state);
  for (guint i = 0; i < w.oc; i++)
    bias[i] = draw (&state) * 64;
  finish.bias = bias;

  for (guint i = 0; depthwise && assay_dpu_level_get (i) != NULL; i++)
    {
      assay_dpu_depthwise (assay_dpu_level_get (i), &w, in, weights, &finish, out);
      same_on_level (i, first, out, (gsize) w.oh * w.ow * w.oc);
    }
  if (depthwise)
    {
      printf ("depthwise ");
      print_all (first, (gsize) w.oh * w.ow * w.oc);
    }
  for (guint i = 0; !depthwise && assay_dpu_level_get (i) != NULL; i++)
    {
      const AssayDpuLevel *level = assay_dpu_level_get (i);
      g_autofree gint32 *sums = g_new (gint32, assay_dpu_filled (w.oc, level->lanes));
      g_autofree gint8 *packed = assay_dpu_pack (level, weights, w.oc, w.kh * w.kw * w.c, sums);

      assay_dpu_conv (level, &w, in, packed, sums, &finish, out);
      printf ("%s ", level->name);
      print_all (out, (gsize) w.oh * w.ow * w.oc);
    }
  printf ("\n");
}

int
main (void)
{
  char line[256];

  while (fgets (line, sizeof line, stdin) != NULL)
    {
      const char *asked = g_strstrip (line);
      g_auto (GStrv) words = NULL;
      int x[MAX_ARGUMENTS] = { 0 };

      digest = g_str_has_prefix (asked, "digest ");
      words = g_strsplit (asked + (digest ? strlen ("digest ") : 0), " ", MAX_ARGUMENTS);
      for (guint i = 1; words[i] != NULL && i < MAX_ARGUMENTS; i++)
        x[i - 1] = atoi (words[i]);
      if (g_str_equal (words[0], "add") || g_str_equal (words[0], "multiply"))
        ask_pairs (words[0], x);
      else if (g_str_equal (words[0], "average"))
        ask_average (x);
      else if (g_str_equal (words[0], "factor"))
        ask_factor (x);
      else if (g_str_equal (words[0], "resize"))
        ask_resize (x);
      else if (g_str_equal (words[0], "square"))
        ask_square (x);
      else if (g_str_equal (words[0], "argmax"))
        ask_arg_max ();
      else if (g_str_equal (words[0], "fix"))
        ask_fix (x);
      else if (g_str_equal (words[0], "runs"))
        ask_runs (x);
      else if (g_str_equal (words[0], "finish"))
        ask_finish (x);
      else if (g_str_equal (words[0], "conv") || g_str_equal (words[0], "depthwise"))
        ask_conv (words[0], x);
      else
        ask_one (words[0], x);
    }

  return 0;
}
