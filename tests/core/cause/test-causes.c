/* test-causes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models with one fault each, run by somebody else who recorded what came out: the cause is named
 * in all, and none where there is none.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/assay-bf16.h"
#include "base/assay-npy.h"
#include "base/assay-tensor-read.h"
#include "cause/assay-causes.h"
#include "cause/assay-trials.h"
#include "run/assay-run-pair.h"
#include "evaluate/assay-evaluate.h"
#include "gpu-fixture.h"
#include "graphs.h"
#include "nnir/assay-dims.h"
#include "nnir/text/assay-text.h"
#include "process/assay-temporary.h"
#include "report/assay-compare-report.h"
#include "test-models.h"
#include "test-program.h"

/* What was done to the numbers that came out; @x is the first input. */
typedef void (*SpoilFunc) (const AssayDatum *x, AssayDatum *y);

/* In a model, `#N` is a constant of its shape with numbers that look random, in [-1, 1]. Behind it:
 * `!I` another number at I, `*F` all times F, `+F` all plus F, `rA` reversed along axis A, `xA.I.J`
 * entries I and J of axis A exchanged, `t` its first axis written last, `n1`, `n2`, `n3` rounded to
 * bf16, f16, fp8. */
typedef struct
{
  const char *name;
  const char *model;
  const char *from; /* what is written otherwise, and how */
  const char *to;
  SpoilFunc spoil;
  double size; /* of the input */
  const char *kind;
  const char *says;
} Fault;

#define CONV                                                                                       \
  "main (%x : f32[1,3,8,8]) {\n"                                                                   \
  "  const %w : f32[4,3,3,3] = #1\n"                                                               \
  "  const %b : f32[4] = #2\n"                                                                     \
  "  %y = Conv(%x, %w, %b) {pads = [1, 1, 1, 1]} : f32[1,4,8,8] @ \"node\"\n"                      \
  "  return %y\n}\n"
#define WIDE_CONV                                                                                  \
  "main (%x : f32[1,2,12,12]) {\n"                                                                 \
  "  const %w : f32[3,2,3,3] = #1\n"                                                               \
  "  %y = Conv(%x, %w) {pads = [2, 2, 2, 2], dilations = [2, 2]} : f32[1,3,12,12] @ \"node\"\n"    \
  "  return %y\n}\n"
#define CAUSAL_CONV                                                                                \
  "main (%x : f32[1,4,16]) {\n"                                                                    \
  "  const %w : f32[4,4,3] = #1\n"                                                                 \
  "  %y = Conv(%x, %w) {pads = [2, 0]} : f32[1,4,16] @ \"node\"\n"                                 \
  "  return %y\n}\n"
#define BACK_CONV                                                                                  \
  "main (%x : f32[1,3,5,5]) {\n"                                                                   \
  "  const %w : f32[3,2,3,3] = #1\n"                                                               \
  "  %y = ConvTranspose(%x, %w) {pads = [1, 1, 0, 0], strides = [2, 2]} : f32[1,2,10,10] @ "       \
  "\"node\"\n"                                                                                     \
  "  return %y\n}\n"
#define GEMM                                                                                       \
  "main (%x : f32[6,8]) {\n"                                                                       \
  "  const %w : f32[8,8] = #1\n"                                                                   \
  "  const %b : f32[8] = #2\n"                                                                     \
  "  %y = Gemm(%x, %w, %b) {transB = 1, alpha = 0.5} : f32[6,8] @ \"node\"\n"                      \
  "  return %y\n}\n"
#define MATMUL                                                                                     \
  "main (%x : f32[4,64]) {\n"                                                                      \
  "  const %w : f32[64,8] = #1\n"                                                                  \
  "  %y = MatMul(%x, %w) : f32[4,8] @ \"node\"\n"                                                  \
  "  return %y\n}\n"
#define SQUARE                                                                                     \
  "main (%x : f32[4,6]) {\n"                                                                       \
  "  const %w : f32[6,6] = #1\n"                                                                   \
  "  %y = MatMul(%x, %w) : f32[4,6] @ \"node\"\n"                                                  \
  "  return %y\n}\n"
#define CHAIN                                                                                      \
  "main (%x : f32[4,6]) {\n"                                                                       \
  "  const %w : f32[6,5] = #1\n"                                                                   \
  "  const %b : f32[5] = #2\n"                                                                     \
  "  const %v : f32[5,3] = #3\n"                                                                   \
  "  %p = MatMul(%x, %w) : f32[4,5] @ \"first\"\n"                                                 \
  "  %q = Add(%p, %b) : f32[4,5] @ \"bias\"\n"                                                     \
  "  %r = Relu(%q) : f32[4,5] @ \"bend\"\n"                                                        \
  "  %y = MatMul(%r, %v) : f32[4,3] @ \"last\"\n"                                                  \
  "  return %y\n}\n"
#define UNARY(op, attributes)                                                                      \
  "main (%x : f32[4,16]) {\n  %y = " op "(%x) {" attributes "} : f32[4,16] @ \"node\"\n"           \
  "  return %y\n}\n"
#define PLAIN(op)                                                                                  \
  "main (%x : f32[4,16]) {\n  %y = " op "(%x) : f32[4,16] @ \"node\"\n  return %y\n}\n"
#define NORM                                                                                       \
  "main (%x : f32[4,16]) {\n"                                                                      \
  "  const %s : f32[16] = #1\n"                                                                    \
  "  const %b : f32[16] = #2\n"                                                                    \
  "  %y = LayerNormalization(%x, %s, %b) {epsilon = 0.01} : f32[4,16] @ \"node\"\n"                \
  "  return %y\n}\n"
#define BATCH                                                                                      \
  "main (%x : f32[2,4,10]) {\n"                                                                    \
  "  const %s : f32[4] = #1\n"                                                                     \
  "  const %b : f32[4] = #2\n"                                                                     \
  "  const %m : f32[4] = #3\n"                                                                     \
  "  const %v : f32[4] = #4+2\n"                                                                   \
  "  %y = BatchNormalization(%x, %s, %b, %m, %v) {epsilon = 0.1} : f32[2,4,10] @ \"node\"\n"       \
  "  return %y\n}\n"
#define GROUPS                                                                                     \
  "main (%x : f32[1,4,10]) {\n"                                                                    \
  "  const %s : f32[4] = #1\n"                                                                     \
  "  const %b : f32[4] = #2\n"                                                                     \
  "  %y = GroupNormalization(%x, %s, %b) {num_groups = 2} : f32[1,4,10] @ \"node\"\n"              \
  "  return %y\n}\n"
#define LSTM_WEIGHTS(how)                                                                          \
  "  const %w : f32[1,12,4] = #1" how "\n"                                                         \
  "  const %r : f32[1,12,3] = #2" how "\n"                                                         \
  "  const %b : f32[1,24] = #3" how "\n"
#define LSTM                                                                                       \
  "main (%x : f32[5,1,4]) {\n" LSTM_WEIGHTS (                                                      \
      "") "  const %h : f32[1,1,3] = #4\n"                                                         \
          "  const %c : f32[1,1,3] = #5\n"                                                         \
          "  %y = LSTM(%x, %w, %r, %b, _, %h, %c) {hidden_size = 3} : f32[5,1,1,3] @ \"node\"\n"   \
          "  return %y\n}\n"
#define GRU                                                                                        \
  "main (%x : f32[5,1,4]) {\n"                                                                     \
  "  const %w : f32[1,9,4] = #1\n"                                                                 \
  "  const %r : f32[1,9,3] = #2\n"                                                                 \
  "  const %b : f32[1,18] = #3\n"                                                                  \
  "  %y = GRU(%x, %w, %r, %b) {hidden_size = 3, linear_before_reset = 1} : f32[5,1,1,3] @ "        \
  "\"node\"\n"                                                                                     \
  "  return %y\n}\n"
#define POOL                                                                                       \
  "main (%x : f32[1,2,7,7]) {\n"                                                                   \
  "  %y = AveragePool(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : f32[1,2,7,7] @ "          \
  "\"node\"\n"                                                                                     \
  "  return %y\n}\n"
#define RESIZE                                                                                     \
  "main (%x : f32[1,2,4,4]) {\n"                                                                   \
  "  const %s : f32[4] = [1, 1, 1.75, 1.75]\n"                                                     \
  "  %y = Resize(%x, _, %s) {mode = \"nearest\"} : f32[1,2,7,7] @ \"node\"\n"                      \
  "  return %y\n}\n"
#define REDUCE                                                                                     \
  "main (%x : f32[4,6,5]) {\n"                                                                     \
  "  const %a : i64[1] = [1]\n"                                                                    \
  "  %y = ReduceMean(%x, %a) : f32[4,1,5] @ \"node\"\n"                                            \
  "  return %y\n}\n"
#define SUM_EXP                                                                                    \
  "main (%x : f32[4,16]) {\n"                                                                      \
  "  const %a : i64[1] = [1]\n"                                                                    \
  "  %y = ReduceLogSumExp(%x, %a) : f32[4,1] @ \"node\"\n"                                         \
  "  return %y\n}\n"
#define TO_INT                                                                                     \
  "main (%x : f32[4,16]) {\n  %y = Cast(%x) {to = 6} : i32[4,16] @ \"node\"\n  return %y\n}\n"
#define BINARY(op)                                                                                 \
  "main (%x : f32[4,16]) {\n  const %c : f32[4,16] = #1+3\n"                                       \
  "  %y = " op "(%x, %c) : f32[4,16] @ \"node\"\n  return %y\n}\n"
#define TURN                                                                                       \
  "main (%x : f32[4,4,4]) {\n  %y = Transpose(%x) {perm = [1, 2, 0]} : f32[4,4,4] @ \"node\"\n"    \
  "  return %y\n}\n"
#define CLIP                                                                                       \
  "main (%x : f32[4,16]) {\n  const %l : f32[] = [-0.5]\n  const %h : f32[] = [0.5]\n"             \
  "  %y = Clip(%x, %l, %h) : f32[4,16] @ \"node\"\n  return %y\n}\n"
#define PAD                                                                                        \
  "main (%x : f32[4,16]) {\n  const %p : i64[4] = [0, 2, 0, 2]\n"                                  \
  "  %y = Pad(%x, %p) {mode = \"reflect\"} : f32[4,20] @ \"node\"\n  return %y\n}\n"
#define RUNNING                                                                                    \
  "main (%x : f32[4,16]) {\n  const %a : i64[] = [1]\n"                                            \
  "  %y = CumSum(%x, %a) : f32[4,16] @ \"node\"\n  return %y\n}\n"
#define SPACE                                                                                      \
  "main (%x : f32[1,8,3,3]) {\n"                                                                   \
  "  %y = DepthToSpace(%x) {blocksize = 2} : f32[1,2,6,6] @ \"node\"\n  return %y\n}\n"
#define JOIN                                                                                       \
  "main (%x : f32[4,4]) {\n  %s = Tanh(%x) : f32[4,4] @ \"bend\"\n"                                \
  "  %y = Concat(%x, %s) {axis = 1} : f32[4,8] @ \"node\"\n  return %y\n}\n"
#define MODULO                                                                                     \
  "main (%x : f32[4,16]) {\n  const %c : f32[4,16] = #1+3\n"                                       \
  "  %y = Mod(%x, %c) {fmod = 1} : f32[4,16] @ \"node\"\n  return %y\n}\n"

static void
set_all (AssayDatum *y, double (*func) (double x))
{
  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, func (assay_datum_get_number (y, i)));
}

static double
cut_off (double x)
{
  return (double) assay_bf16_to_f32 (assay_bf16_truncate_f32 ((float) x));
}

static double
flush (double x)
{
  return fabs (x) < 0x1p-126 ? 0 : x;
}

static void
spoil_cut (const AssayDatum *x, AssayDatum *y)
{
  set_all (y, cut_off);
}

static void
spoil_denormals (const AssayDatum *x, AssayDatum *y)
{
  set_all (y, flush);
}

/* Channels 1 and 3 of the last axis but two. */
static void
spoil_channels (const AssayDatum *x, AssayDatum *y)
{
  gsize inner = (gsize) (y->dims[2] * y->dims[3]);

  for (gsize i = 0; i < inner; i++)
    {
      double kept = assay_datum_get_number (y, inner + i);

      assay_datum_set_number (y, inner + i, assay_datum_get_number (y, 3 * inner + i));
      assay_datum_set_number (y, 3 * inner + i, kept);
    }
}

static void
spoil_late (const AssayDatum *x, AssayDatum *y)
{
  gsize n = (gsize) y->dims[y->rank - 1];

  for (gsize i = y->n; i-- > 0;)
    assay_datum_set_number (y, i, i % n == 0 ? 0 : assay_datum_get_number (y, i - 1));
}

static void
spoil_double (const AssayDatum *x, AssayDatum *y)
{
  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, 1.5 * assay_datum_get_number (y, i));
}

static void
spoil_softmax (const AssayDatum *x, AssayDatum *y)
{
  for (gsize row = 0; row < 4; row++)
    {
      float sum = 0;

      for (gsize i = 0; i < 16; i++)
        sum += expf ((float) assay_datum_get_number (x, row * 16 + i));
      for (gsize i = 0; i < 16; i++)
        assay_datum_set_number (
            y, row * 16 + i,
            (double) (expf ((float) assay_datum_get_number (x, row * 16 + i)) / sum));
    }
}

static void
spoil_sum_exp (const AssayDatum *x, AssayDatum *y)
{
  for (gsize row = 0; row < 4; row++)
    {
      float sum = 0;

      for (gsize i = 0; i < 16; i++)
        sum += expf ((float) assay_datum_get_number (x, row * 16 + i));
      assay_datum_set_number (y, row, (double) logf (sum));
    }
}

static float number_of (guint seed, gsize index);

/* The scale and the bias of the norm are the constants 1 and 2 of its model. */
static void
spoil_norm (const AssayDatum *x, AssayDatum *y, gboolean one_pass)
{
  for (gsize row = 0; row < 4; row++)
    {
      float sum = 0, energy = 0;
      double mean, variance, wide = 0;

      for (gsize i = 0; i < 16; i++)
        {
          float value = (float) assay_datum_get_number (x, row * 16 + i);

          sum += value;
          energy += value * value;
        }
      mean = (double) sum / 16;
      for (gsize i = 0; i < 16; i++)
        wide += pow (assay_datum_get_number (x, row * 16 + i) - mean, 2);
      variance = one_pass ? MAX ((double) (energy / 16 - sum / 16 * (sum / 16)), 0) : wide / 15;
      for (gsize i = 0; i < 16; i++)
        assay_datum_set_number (y, row * 16 + i,
                                (assay_datum_get_number (x, row * 16 + i) - mean) /
                                        sqrt (variance + 0.01) * (double) number_of (1, i) +
                                    (double) number_of (2, i));
    }
}

static void
spoil_one_pass (const AssayDatum *x, AssayDatum *y)
{
  spoil_norm (x, y, TRUE);
}

static void
spoil_sample (const AssayDatum *x, AssayDatum *y)
{
  spoil_norm (x, y, FALSE);
}

static void
spoil_batch (const AssayDatum *x, AssayDatum *y)
{
  for (gsize c = 0; c < 4; c++)
    {
      double sum = 0, energy = 0;

      for (gsize i = 0; i < x->n; i++)
        if (i / 10 % 4 == c)
          sum += assay_datum_get_number (x, i);
      for (gsize i = 0; i < x->n; i++)
        if (i / 10 % 4 == c)
          energy += pow (assay_datum_get_number (x, i) - sum / 20, 2);
      for (gsize i = 0; i < x->n; i++)
        if (i / 10 % 4 == c)
          assay_datum_set_number (y, i,
                                  (assay_datum_get_number (x, i) - sum / 20) /
                                          sqrt (energy / 20 + 0.1) * (double) number_of (1, c) +
                                      (double) number_of (2, c));
    }
}

static float
narrow_bf16 (float x)
{
  return assay_bf16_to_f32 (assay_bf16_from_f32 (x));
}

static float
narrow_f16 (float x)
{
  return assay_f16_to_f32 (assay_f16_from_f32 (x));
}

static float
narrow_none (float x)
{
  return x;
}

/* The product of the model MATMUL, in @lanes that are added up in the end. */
static void
multiply (const AssayDatum *x, AssayDatum *y, float (*narrow) (float x), guint lanes,
          gboolean backward)
{
  for (gsize row = 0; row < 4; row++)
    for (gsize column = 0; column < 8; column++)
      {
        float sums[16] = { 0 };

        for (gsize i = 0; i < 64; i++)
          {
            gsize k = backward ? 63 - i : i;
            float term = (float) assay_datum_get_number (x, row * 64 + k) *
                         number_of (1, k * 8 + column);

            sums[i % lanes] = narrow (sums[i % lanes] + term);
          }
        for (guint width = lanes / 2; width > 0; width /= 2)
          for (guint i = 0; i < width; i++)
            sums[i] += sums[i + width];
        assay_datum_set_number (y, row * 8 + column, (double) sums[0]);
      }
}

static void
spoil_sum_bf16 (const AssayDatum *x, AssayDatum *y)
{
  multiply (x, y, narrow_bf16, 1, FALSE);
}

static void
spoil_sum_f16 (const AssayDatum *x, AssayDatum *y)
{
  multiply (x, y, narrow_f16, 1, FALSE);
}

static void
spoil_backward (const AssayDatum *x, AssayDatum *y)
{
  multiply (x, y, narrow_none, 1, TRUE);
}

static void
spoil_lanes (const AssayDatum *x, AssayDatum *y)
{
  multiply (x, y, narrow_none, 8, FALSE);
}

static void
spoil_round (const AssayDatum *x, AssayDatum *y)
{
  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, round (assay_datum_get_number (x, i)));
}

static void
spoil_nearest (const AssayDatum *x, AssayDatum *y)
{
  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, rint (assay_datum_get_number (x, i)));
}

static void
spoil_down (const AssayDatum *x, AssayDatum *y)
{
  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, floor (assay_datum_get_number (x, i)));
}

static void
spoil_gelu (const AssayDatum *x, AssayDatum *y)
{
  for (gsize i = 0; i < y->n; i++)
    {
      double value = assay_datum_get_number (x, i);

      assay_datum_set_number (y, i, value / (1 + exp (-1.702 * value)));
    }
}

static void
spoil_sigmoid (const AssayDatum *x, AssayDatum *y)
{
  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, CLAMP (0.2 * assay_datum_get_number (x, i) + 0.5, 0, 1));
}

static AssayRunSubject *new_subject (const char *text);

/* The layer begins with what it ended with. */
static void
spoil_state (const AssayDatum *x, AssayDatum *y)
{
  g_auto (GStrv) head = g_strsplit (GRU, "f32[5,1,4]", 2);
  g_autofree char *wider = g_strjoinv ("f32[5,1,4], %h : f32[1,1,3]", head);
  g_auto (GStrv) tail = g_strsplit (wider, "%b)", 2);
  g_autofree char *text = g_strjoinv ("%b, _, %h)", tail);
  g_autoptr (AssayRunSubject) subject = new_subject (text);
  const gint64 x_dims[] = { 5, 1, 4 }, h_dims[] = { 1, 1, 3 };
  float values[20], state[3];
  const char *names[] = { "x", "h" };
  g_autoptr (AssayTensor) input = NULL;
  g_autoptr (AssayTensor) last = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) assay_datum_get_number (x, i);
  for (gsize i = 0; i < G_N_ELEMENTS (state); i++)
    state[i] = (float) assay_datum_get_number (y, y->n - G_N_ELEMENTS (state) + i);
  input = assay_tensor_new_f32 (3, x_dims, values);
  last = assay_tensor_new_f32 (3, h_dims, state);
  outputs = assay_evaluate_graph (subject->imported, NULL, 2, names,
                                  (AssayTensor *[]){ input, last }, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < y->n; i++)
    {
      double value;

      g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, 0), i, &value, &error));
      assay_datum_set_number (y, i, value);
    }
}

static const Fault faults[] = {
  { "pad", CONV, "pads = [1, 1, 1, 1]", "pads = [0, 0, 2, 2]", NULL, 1, "attribute",
    "pads are [0" },
  { "pad-one", CONV, "pads = [1, 1, 1, 1]", "pads = [1, 2, 1, 0]", NULL, 1, "attribute",
    "pads are" },
  { "pad-causal", CAUSAL_CONV, "pads = [2, 0]", "pads = [1, 1]", NULL, 1, "attribute", "[1, 1]" },
  { "no-bias", CONV, "(%x, %w, %b)", "(%x, %w)", NULL, 1, "operand", "operand 2 (b) is left out" },
  { "wrong-weight", CONV, "= #1", "= #1!40", NULL, 1, "weight", "constant w has" },
  { "wrong-bias", CONV, "= #2", "= #2!2", NULL, 1, "weight", "constant b has" },
  { "input-channels", CONV, "= #1", "= #1x1.0.2", NULL, 1, "layout", "axis 1" },
  { "output-channels", CONV, "", "", spoil_channels, 1, "layout", "channels 1 and 3" },
  { "flipped-kernel", CONV, "= #1", "= #1r3", NULL, 1, "layout", "reversed along axis 3" },
  { "weights-transposed", SQUARE, "= #1", "= #1t", NULL, 1, "layout", "transposed" },
  { "weights-order", CONV, "= #1", "= #1t", NULL, 1, "layout", "transposed" },
  { "weights-negative", CONV, "= #1", "= #1*-1", NULL, 1, "weight", "other sign" },
  { "weights-zero", CONV, "= #1", "= #1*0", NULL, 1, "weight", "is zero" },
  { "weights-scaled", GEMM, "= #1", "= #1*1.25", NULL, 1, "scale", "1.25 times" },
  { "weights-bf16", CONV, "= #1", "= #1n1", NULL, 1, "constants", "rounded to bf16" },
  { "weights-f16", MATMUL, "= #1", "= #1n2", NULL, 1, "constants", "rounded to f16" },
  { "weights-fp8", CONV, "= #1", "= #1n3", NULL, 1, "constants", "rounded to fp8" },
  { "dilations", WIDE_CONV, "pads = [2, 2, 2, 2], dilations = [2, 2]", "pads = [1, 1, 1, 1]", NULL,
    1, "attribute", "dilations" },
  { "pad-back", BACK_CONV, "pads = [1, 1, 0, 0]", "pads = [0, 0, 1, 1]", NULL, 1, "attribute",
    "pads are [0, 0, 1, 1]" },
  { "transB", GEMM, "transB = 1", "transB = 0", NULL, 1, "attribute", "transB is 0" },
  { "alpha", GEMM, "alpha = 0.5", "alpha = 1.0", NULL, 1, "attribute", "alpha is 1" },
  { "sum-bf16", MATMUL, "", "", spoil_sum_bf16, 1, "accumulation", "accumulated in bf16" },
  { "sum-f16", MATMUL, "", "", spoil_sum_f16, 1, "accumulation", "accumulated in f16" },
  { "sum-backward", MATMUL, "", "", spoil_backward, 1, "order", "backward" },
  { "sum-lanes", MATMUL, "", "", spoil_lanes, 1, "order", "8 lanes" },
  { "cut", CONV, "", "", spoil_cut, 1, "rounding", "cut off to bf16" },
  { "denormals", PLAIN ("Neg"), "", "", spoil_denormals, 1e-39, "denormals", "flushed" },
  { "chain-bias", CHAIN, "Add(%p, %b)", "Sub(%p, %b)", NULL, 1, "operation", "Sub" },
  { "chain-relu", CHAIN, "Relu(%q)", "Identity(%q)", NULL, 1, "left-out", "left out" },
  { "chain-weight", CHAIN, "= #1", "= #1x1.0.4", NULL, 1, "layout", "exchanged" },
  { "softmax-axis", UNARY ("Softmax", "axis = 1"), "axis = 1", "axis = 0", NULL, 1, "attribute",
    "axis is 0" },
  { "softmax-maximum", UNARY ("Softmax", "axis = 1"), "", "", spoil_softmax, 200, "maximum",
    "without the maximum" },
  { "softmax-log", UNARY ("Softmax", "axis = 1"), "Softmax", "LogSoftmax", NULL, 1, "operation",
    "LogSoftmax" },
  { "sum-exp-maximum", SUM_EXP, "", "", spoil_sum_exp, 200, "maximum", "without the maximum" },
  { "norm-epsilon", NORM, "epsilon = 0.01", "epsilon = 1e-5", NULL, 0.1, "attribute", "epsilon" },
  { "norm-one-pass", NORM, "", "", spoil_one_pass, -3000, "normalisation", "cancels" },
  { "norm-sample", NORM, "", "", spoil_sample, 1, "normalisation", "n - 1" },
  { "norm-operands", NORM, "(%x, %s, %b)", "(%x, %b, %s)", NULL, 1, "operands", "exchanged" },
  { "batch-statistics", BATCH, "", "", spoil_batch, 1, "normalisation", "these inputs" },
  { "batch-epsilon", BATCH, "epsilon = 0.1", "epsilon = 0.00001", NULL, 1, "attribute", "epsilon" },
  { "norm-groups", GROUPS, "num_groups = 2", "num_groups = 1", NULL, 1, "attribute", "num_groups" },
  { "gelu-tanh", UNARY ("Gelu", "approximate = \"none\""), "none", "tanh", NULL, 2, "attribute",
    "approximate is “tanh”" },
  { "gelu-sigmoid", UNARY ("Gelu", "approximate = \"none\""), "", "", spoil_gelu, 2, "function",
    "1.702" },
  { "sigmoid-hard", PLAIN ("Sigmoid"), "", "", spoil_sigmoid, 3, "function", "0.2 x" },
  { "slope", UNARY ("LeakyRelu", "alpha = 0.2"), "alpha = 0.2", "alpha = 0.01", NULL, 1,
    "attribute", "alpha is 0.01" },
  { "softplus", PLAIN ("Relu"), "Relu", "Softplus", NULL, 1, "operation", "Softplus" },
  { "round", PLAIN ("Round"), "", "", spoil_round, 0.5, "function", "away from zero" },
  { "cast-round", TO_INT, "", "", spoil_nearest, 9, "cast", "rounds to the nearest" },
  { "cast-down", TO_INT, "", "", spoil_down, 9, "cast", "rounds down" },
  { "gates", LSTM, LSTM_WEIGHTS (""), LSTM_WEIGHTS ("g"), NULL, 1, "layout", "gates" },
  { "state-zero", LSTM, "_, %h, %c)", "_, _, %c)", NULL, 1, "operand", "left out" },
  { "state-stale", GRU, "", "", spoil_state, 1, "state", "run before" },
  { "direction", GRU, "hidden_size = 3", "direction = \"reverse\", hidden_size = 3", NULL, 1,
    "attribute", "direction is “reverse”" },
  { "before-reset", GRU, "linear_before_reset = 1", "linear_before_reset = 0", NULL, 1, "attribute",
    "linear_before_reset is 0" },
  { "late", CAUSAL_CONV, "", "", spoil_late, 1, "layout", "late along axis 2" },
  { "result-scaled", PLAIN ("Tanh"), "", "", spoil_double, 1, "scale", "1.5 times" },
  { "count-pads", POOL, "kernel_shape", "count_include_pad = 1, kernel_shape", NULL, 1, "attribute",
    "count_include_pad is 1" },
  { "pool", POOL, "AveragePool", "MaxPool", NULL, 1, "operation", "MaxPool" },
  { "nearest", RESIZE, "mode = \"nearest\"", "mode = \"nearest\", nearest_mode = \"ceil\"", NULL, 1,
    "attribute", "nearest_mode is “ceil”" },
  { "coordinates", RESIZE, "mode = \"nearest\"",
    "mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\"", NULL, 1, "attribute",
    "“asymmetric”" },
  { "mean", REDUCE, "ReduceMean", "ReduceSum", NULL, 1, "operation", "ReduceSum" },
  { "division", BINARY ("Div"), "(%x, %c)", "(%c, %x)", NULL, 1, "operands", "exchanged" },
  { "difference", BINARY ("Sub"), "(%x, %c)", "(%c, %x)", NULL, 1, "operands", "exchanged" },
  { "product", BINARY ("Mul"), "Mul", "Add", NULL, 1, "operation", "Add" },
  { "constant", BINARY ("Mul"), "= #1+3", "= #1+3!9", NULL, 1, "weight", "[0, 9]" },
  { "permutation", TURN, "[1, 2, 0]", "[2, 0, 1]", NULL, 1, "attribute", "perm are [2, 0, 1]" },
  { "bound", CLIP, "[0.5]", "[0.75]", NULL, 1, "weight", "high bound is 0.75" },
  { "no-bound", CLIP, "%l, %h", "%l", NULL, 1, "operand", "left out" },
  { "pad-mode", PAD, "reflect", "edge", NULL, 1, "attribute", "“edge”" },
  { "running-sum", RUNNING, "(%x, %a)", "(%x, %a) {exclusive = 1}", NULL, 1, "attribute",
    "exclusive is 1" },
  { "blocks", SPACE, "blocksize = 2", "blocksize = 2, mode = \"CRD\"", NULL, 1, "attribute",
    "“CRD”" },
  { "joined", JOIN, "(%x, %s)", "(%s, %x)", NULL, 1, "operands", "exchanged" },
  { "remainder", MODULO, "fmod = 1", "fmod = 0", NULL, 5, "attribute", "fmod is 0" },
};

static float
number_of (guint seed, gsize index)
{
  guint32 mixed = (guint32) (index + 1) * 2654435761u ^ (seed + 1) * 40503u;

  mixed = (mixed ^ mixed >> 15) * 2246822519u;
  mixed ^= mixed >> 13;
  return (float) ((double) (mixed % 20011) / 10005.5 - 1);
}

static double
narrow (double x, int to)
{
  const gint64 dims[] = { 1 };
  static const AssayDType types[] = { ASSAY_DTYPE_BF16, ASSAY_DTYPE_F16, ASSAY_DTYPE_F8E4M3FN };
  g_autoptr (AssayDatum) datum = assay_datum_new (types[to - 1], ASSAY_DTYPE_F32, 1, dims, NULL);

  assay_datum_set_number (datum, 0, x);
  assay_datum_round (datum);
  return assay_datum_get_number (datum, 0);
}

/* Element @i of a tensor whose entries were moved as the letter says. */
static gsize
moved (const char *how, guint rank, const gint64 *dims, gsize n, gsize i)
{
  guint axis = how[1] >= '0' && how[1] <= '9' ? (guint) (how[1] - '0') : 0;
  gsize inner = assay_dims_product (dims, axis + 1, rank), extent = (gsize) dims[axis];
  gsize at = i / inner % extent, to = at;

  if (how[0] == 'r')
    to = extent - 1 - at;
  else if (how[0] == 'x')
    {
      gsize one = (gsize) (how[3] - '0'), other = (gsize) (how[5] - '0');

      to = at == one ? other : at == other ? one : at;
    }
  else if (how[0] == 't')
    return i % extent * (n / extent) + i / extent;
  else if (how[0] == 'g')
    {
      /* The last two of four gates, three wide, of the input and of the state. */
      inner = rank > 2 ? (gsize) dims[2] : 1;
      at = i / inner % (gsize) dims[1];
      to = at % 12 >= 9 ? at - 3 : at % 12 >= 6 ? at + 3 : at;
    }

  return i + (to - at) * inner;
}

/* Writes out the constants of a model. */
static char *
fill (const char *text)
{
  GString *filled = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    {
      const char *line = at, *shape;
      gint64 dims[8];
      guint rank = 0, seed;
      double factor = 1, more = 0;
      gsize n = 1, other = G_MAXSIZE;
      int narrowed = 0;
      char *end;
      const char *how = "-0";

      if (*at != '#')
        {
          g_string_append_c (filled, *at);
          continue;
        }
      while (*line != '[')
        line--;
      for (shape = line + 1; shape[-1] != ']'; shape = end + 1)
        {
          dims[rank] = g_ascii_strtoll (shape, &end, 10);
          n *= (gsize) dims[rank++];
        }
      seed = (guint) g_ascii_strtoull (at + 1, &end, 10);
      for (at = end; *at != '\n'; at = end)
        {
          end = (char *) at + 1;
          if (*at == '!')
            other = g_ascii_strtoull (at + 1, &end, 10);
          else if (*at == '*')
            factor = g_ascii_strtod (at + 1, &end);
          else if (*at == '+')
            more = g_ascii_strtod (at + 1, &end);
          else if (*at == 'n')
            narrowed = (int) g_ascii_strtoll (at + 1, &end, 10);
          else
            {
              how = at;
              end = (char *) strchr (at, '\n');
            }
        }
      g_string_append_c (filled, '[');
      for (gsize i = 0; i < n; i++)
        {
          double value = factor * (double) number_of (seed, moved (how, rank, dims, n, i)) + more +
                         (i == other ? 0.75 : 0);
          char buffer[G_ASCII_DTOSTR_BUF_SIZE];

          g_string_append_printf (filled, "%s%s", i > 0 ? ", " : "",
                                  g_ascii_dtostr (buffer, sizeof buffer,
                                                  narrowed > 0 ? narrow (value, narrowed) : value));
        }
      g_string_append (filled, "]\n");
    }

  return g_string_free (filled, FALSE);
}

static char *
with_fault (const Fault *fault)
{
  g_auto (GStrv) parts = NULL;

  if (fault->from[0] == '\0')
    return g_strdup (fault->model);
  parts = g_strsplit (fault->model, fault->from, 2);
  g_assert_nonnull (parts[1]);

  return g_strjoinv (fault->to, parts);
}

/* As it was written: what the passes would take out may be what was planted. */
static AssayRunSubject *
new_subject (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *filled = fill (text);
  g_autoptr (AssayGraph) graph = assay_graph_from_text (filled, -1, findings, &error);
  AssayRunSubject *subject;

  g_assert_no_error (error);
  subject = graph_subject (NULL, graph, &error);
  g_assert_no_error (error);
  assay_graph_unref (subject->graph);
  subject->graph = assay_graph_ref (subject->imported);

  return subject;
}

/* Negative sizes are of numbers that lie close together far from zero. */
static AssayTensor *
new_input (AssayRunSubject *subject, double size)
{
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  const AssayRunPort *port = &g_array_index (ports, AssayRunPort, 0);
  gsize n = assay_dims_product (port->dims, 0, (guint) port->rank);
  g_autofree float *values = g_new (float, n + 1);

  for (gsize i = 0; i < n; i++)
    values[i] = size < 0 ? (float) (number_of (9, i) - (float) size)
                         : (float) ((double) number_of (9, i) * size);
  /* Halves, for what is rounded. */
  for (gsize i = 0; i < n && fabs (size - 0.5) < 1e-9; i++)
    values[i] = (float) (i % 9) - 4.5f;

  return assay_tensor_new_f32 ((guint) port->rank, port->dims, values);
}

/* What somebody else would have recorded. */
static void
record (AssayRunSubject *subject, AssayTensor *input, SpoilFunc spoil, gboolean wide,
        const char *folder)
{
  const AssayEvaluateOptions options = { .wide = wide, .n_threads = 1 };
  g_autoptr (GError) error = NULL;
  const char *names[] = { "x" };
  g_autoptr (GPtrArray)
      outputs = assay_evaluate_graph (subject->imported, &options, 1, names, &input, NULL, &error);
  g_autoptr (AssayDatum) x = assay_datum_new_tensor (input, FALSE, &error);
  g_autoptr (AssayDatum) y = NULL;
  g_autoptr (AssayDatum) copy = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  g_autofree char *path = g_build_filename (folder, "y.npy", NULL);

  g_assert_no_error (error);
  y = assay_datum_new_tensor (g_ptr_array_index (outputs, 0), FALSE, &error);
  g_assert_no_error (error);
  copy = assay_datum_new (y->dtype, y->storage, y->rank, y->dims, &error);
  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (copy, i, assay_datum_get_number (y, i));
  if (spoil != NULL)
    spoil (x, copy);
  tensor = assay_datum_to_tensor (copy, FALSE, &error);
  g_assert_no_error (error);
  g_assert_true (assay_npy_save (tensor, path, &error));
}

static AssayComparison *
compare (AssayRunSubject *subject, AssayTensor *input, const char *folder, guint n_rows)
{
  g_autofree char *spec = g_strconcat ("files:", folder, NULL);
  const AssayComparisonSide a = { "reference", subject }, b = { spec, subject };
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  AssayComparison *comparison;

  g_ptr_array_add (inputs, input);
  comparison = assay_compare_runs (&a, &b, inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_causes_find (comparison, &a, &b, inputs, n_rows, NULL, &error));
  g_assert_no_error (error);

  return comparison;
}

static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;
  g_autofree char *wrong = with_fault (fault);
  g_autoptr (AssayRunSubject) right_subject = new_subject (fault->model);
  g_autoptr (AssayRunSubject) wrong_subject = NULL;
  g_autoptr (AssayTensor) input = new_input (right_subject, fault->size);
  g_autofree char *folder = assay_temporary_folder ("causes", NULL);
  g_autoptr (AssayComparison) comparison = NULL;
  g_autofree char *headline = NULL;
  const AssayComparisonRow *row;
  const AssayDivergenceCause *cause;

  wrong_subject = new_subject (wrong);
  record (wrong_subject, input, fault->spoil, FALSE, folder);
  comparison = compare (right_subject, input, folder, 1);
  g_assert_cmpuint (comparison->rows->len, ==, 1);
  row = assay_comparison_row (comparison, 0);
  headline = assay_compare_report_headline (comparison);
  g_test_message ("%s (%u trials)", headline, row->n_trials);
  for (guint i = 0; row->causes != NULL && i < row->causes->len; i++)
    {
      cause = g_ptr_array_index (row->causes, i);
      g_test_message ("%s %s: %s, %g to %g", cause->kind, cause->node, cause->sentence,
                      cause->before, cause->after);
    }
  assay_temporary_delete (folder);
  cause = row->causes != NULL && row->causes->len > 0 ? g_ptr_array_index (row->causes, 0) : NULL;
  if (cause == NULL)
    g_test_fail_printf ("no cause: %s", headline);
  else if (!g_str_equal (cause->kind, fault->kind) || strstr (cause->sentence, fault->says) == NULL)
    g_test_fail_printf ("%s: %s", cause->kind, cause->sentence);
  else if (strstr (headline, cause->sentence) == NULL || !(cause->after < cause->before))
    g_test_fail_printf ("%s, %g to %g", headline, cause->before, cause->after);
}

/* The same models as they should be, in double: whoever recorded them rounds otherwise, and does
 * nothing wrong. */
static void
test_healthy (gconstpointer data)
{
  static const char *const roundings[] = { "constants", "inputs",       "rounding", "denormals",
                                           "order",     "accumulation", NULL };
  const Fault *fault = data;
  g_autoptr (AssayRunSubject) subject = new_subject (fault->model);
  g_autoptr (AssayTensor) input = new_input (subject, fault->size);
  g_autofree char *folder = assay_temporary_folder ("causes", NULL);
  g_autoptr (AssayComparison) plain = NULL;
  g_autoptr (AssayComparison) explained = NULL;
  const AssayComparisonRow *row;

  record (subject, input, NULL, TRUE, folder);
  plain = compare (subject, input, folder, 0);
  g_assert_cmpint (plain->verdict, <=, ASSAY_COMPARISON_WITHIN);
  g_assert_null (assay_comparison_row (plain, 0)->causes);

  explained = compare (subject, input, folder, 1);
  row = assay_comparison_row (explained, 0);
  for (guint i = 0; row->causes != NULL && i < row->causes->len; i++)
    {
      const AssayDivergenceCause *cause = g_ptr_array_index (row->causes, i);

      g_test_message ("%s: %s", cause->kind, cause->sentence);
      g_assert_true (g_strv_contains (roundings, cause->kind));
    }
  assay_temporary_delete (folder);
}

/* What runs programs here, each with its target, and what it does not show: a fault that is within
 * its own roundings is none. And what it does itself: the delegate knows no other gelu. */
static const struct
{
  const char *runner;
  const char *target;
  guint fewest;
  const char *const below[8];
  const char *does;
  const char *doing;
} machines[] = {
  { "vm", "v80_c6b32", 30, { "weights-bf16", "weights-f16", "gelu-tanh", "constant" } },
  { "vulkan", "vulkan-main", 30, { NULL }, "Gelu", "gelu is computed by tanh" },
};

/* Words for the same in the form in which programs are made: products are Linear. */
static const struct
{
  const char *name;
  const char *says;
} synonyms[] = {
  { "weights-transposed", "transpose_weight is 1" },
  { "transB", "transpose_weight is 0" },
  { "weights-scaled", "constant w is 1.25" },
};

/* A model with a program of it; NULL where the target does not take it. */
static AssayRunSubject *
new_program (const char *text, const char *target_id)
{
  g_autoptr (AssayTarget) target = load_target (target_id);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autofree char *filled = fill (text);
  g_autoptr (AssayGraph) graph = assay_graph_from_text (filled, -1, findings, NULL);
  g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, target, NULL);
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);

  return subject != NULL ? assay_run_subject_ref (subject) : NULL;
}

/* Values have the same ids where passes have left both models the same nodes. */
static gboolean
is_alike (const AssayGraph *a, const AssayGraph *b)
{
  const GArray *nodes = assay_graph_region (a, ASSAY_MAIN_REGION)->nodes;

  if (assay_graph_n_values (a) != assay_graph_n_values (b) ||
      assay_graph_n_nodes (a) != assay_graph_n_nodes (b))
    return FALSE;
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);

      if (!g_str_equal (assay_graph_node (a, id)->name, assay_graph_node (b, id)->name))
        return FALSE;
    }

  return TRUE;
}

/* Whether the fault was named by a machine that runs the wrong model. */
static gboolean
try_machine (const Fault *fault, guint machine, AssayRunSubject *right, AssayRunSubject *wrong)
{
  g_autoptr (AssayTensor) input = new_input (right, fault->size);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (AssayComparison) comparison = NULL;
  g_autofree char *headline = NULL;
  g_autoptr (GError) error = NULL;
  const AssayComparisonSide a = { "reference", right }, b = { machines[machine].runner, wrong };
  const char *says = fault->says;
  gboolean is_below = g_strv_contains (machines[machine].below, fault->name);

  for (guint i = 0; i < G_N_ELEMENTS (synonyms); i++)
    if (g_str_equal (synonyms[i].name, fault->name))
      says = synonyms[i].says;
  g_ptr_array_add (inputs, input);
  comparison = assay_compare_runs (&a, &b, inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_causes_find (comparison, &a, &b, inputs, 0, NULL, &error));
  headline = assay_compare_report_headline (comparison);
  g_test_message ("%s: %s", fault->name, headline);
  if (machines[machine].does != NULL && strstr (fault->model, machines[machine].does) != NULL)
    {
      g_assert_nonnull (strstr (headline, machines[machine].doing));
      return FALSE;
    }
  if (is_below || right == wrong)
    {
      g_assert_cmpint (comparison->verdict, <=, ASSAY_COMPARISON_WITHIN);
      return FALSE;
    }
  if (strstr (headline, says) == NULL)
    g_test_fail_printf ("%s: %s", fault->name, headline);

  return TRUE;
}

/* Models whose fault is in their program: the machine computes it with its own roundings. */
static void
test_machine (gconstpointer data)
{
  g_autoptr (AssayGpuLease) lease = NULL;
  guint machine = GPOINTER_TO_UINT (data), n_named = 0, n_healthy = 0;

  if (g_str_equal (machines[machine].runner, "vulkan") && !gpu_fixture_has_device ())
    return;
  lease = assay_gpu_lease_new ();
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *wrong_text = with_fault (&faults[i]);
      g_autoptr (AssayRunSubject) right = new_program (faults[i].model, machines[machine].target);
      g_autoptr (AssayRunSubject) wrong = NULL;

      if (right == NULL)
        continue;
      n_healthy++;
      try_machine (&faults[i], machine, right, right);
      wrong = faults[i].spoil == NULL ? new_program (wrong_text, machines[machine].target) : NULL;
      if (wrong != NULL && is_alike (right->graph, wrong->graph))
        n_named += try_machine (&faults[i], machine, right, wrong);
    }
  g_test_message ("%s: the cause of %u is named, none in %u healthy ones", machines[machine].runner,
                  n_named, n_healthy);
  g_assert_cmpuint (n_named, >=, machines[machine].fewest);
}

/* What is named, or that there is nothing to name. */
static void
expect_headline (const AssayComparison *comparison, const char *says)
{
  g_autofree char *headline = assay_compare_report_headline (comparison);

  g_test_message ("%s", headline);
  if (says == NULL)
    g_assert_cmpint (comparison->verdict, <=, ASSAY_COMPARISON_WITHIN);
  else
    g_assert_nonnull (strstr (headline, says));
}

/* A convolution in 8 bits on a device: what goes wrong there is called as it is elsewhere. */
static void
test_dpu (void)
{
  static const struct
  {
    const char *pads;
    gboolean reversed;
    int wrong; /* by how much one weight */
    const char *says;
  } cases[] = {
    { "[1, 1, 1, 1]", FALSE, 0, NULL },
    { "[0, 0, 2, 2]", FALSE, 0, "pads are [0, 0, 2, 2]" },
    { "[1, 1, 1, 1]", TRUE, 0, "reversed along axis 1" },
    { "[1, 1, 1, 1]", FALSE, 60, "constant w has" },
  };
  g_autoptr (AssayRunSubject) right = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) weights = g_string_new (NULL);
      g_autofree char *text = NULL;
      g_autoptr (AssayRunSubject) wrong = NULL;
      g_autoptr (AssayTensor) input = NULL;
      g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
      g_autoptr (AssayComparison) comparison = NULL;
      g_autoptr (GError) error = NULL;
      AssayComparisonSide a = { "reference", NULL }, b = { "dpu", NULL };

      for (guint j = 0; j < 108; j++)
        {
          guint from = cases[i].reversed ? j / 27 * 27 + (2 - j / 9 % 3) * 9 + j % 9 : j;

          g_string_append_printf (weights, "%s%d", j > 0 ? ", " : "",
                                  (int) (number_of (1, from) * 40) +
                                      (j == 40 ? cases[i].wrong : 0));
        }
      text = g_strdup_printf ("main (%%x : f32[1,3,8,8]) {\n"
                              "  const %%s : f32[] = [0.03125]\n"
                              "  const %%z : i8[] = [0]\n"
                              "  const %%ws : f32[] = [0.015625]\n"
                              "  const %%os : f32[] = [0.0625]\n"
                              "  const %%wq : i8[4,3,3,3] = [%s]\n"
                              "  %%q = QuantizeLinear(%%x, %%s, %%z) : i8[1,3,8,8]\n"
                              "  %%d = DequantizeLinear(%%q, %%s, %%z) : f32[1,3,8,8]\n"
                              "  %%w = DequantizeLinear(%%wq, %%ws, %%z) : f32[4,3,3,3]\n"
                              "  %%c = Conv(%%d, %%w) {pads = %s} : f32[1,4,8,8] @ \"node\"\n"
                              "  %%qc = QuantizeLinear(%%c, %%os, %%z) : i8[1,4,8,8]\n"
                              "  %%y = DequantizeLinear(%%qc, %%os, %%z) : f32[1,4,8,8]\n"
                              "  return %%y\n}\n",
                              weights->str, cases[i].pads);
      wrong = new_program (text, "dpu_zdx8g_b4096");
      g_assert_nonnull (wrong);
      if (right == NULL)
        right = assay_run_subject_ref (wrong);
      a.subject = right;
      b.subject = wrong;
      input = new_input (right, 1);
      g_ptr_array_add (inputs, input);
      comparison = assay_compare_runs (&a, &b, inputs, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (assay_causes_find (comparison, &a, &b, inputs, 0, NULL, &error));
      expect_headline (comparison, cases[i].says);
    }
}

/* Functions of ONNX Runtime that keep no small numbers: what it computes is known to the last bit.
 * It is within the limit of ONNX Runtime, and not within that of anybody else. */
static void
test_onnxruntime (void)
{
  static const struct
  {
    const char *model;
    float from, span;
    const char *says;
  } cases[] = {
    { PLAIN ("Sigmoid"), -13, 2, "0.5 + a fraction of polynomials" },
    { PLAIN ("Sigmoid"), 0, 4, NULL },
    { PLAIN ("Tanh"), 0, 1e-4f, NULL },
    { PLAIN ("Elu"), 0, 1e-4f, "exp(x) - 1 is computed as a difference" },
    { UNARY ("Elu", "alpha = 0.3"), 0, 1e-4f, "exp(x) - 1 is computed as a difference" },
    { PLAIN ("Elu"), 0, 4, NULL },
    { UNARY ("Celu", "alpha = 0.3"), 0, 1e-4f, "exp(x) - 1 is computed as a difference" },
    { PLAIN ("Selu"), 0, 1e-4f, "exp(x) - 1 is computed as a difference" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayRunSubject) subject = new_subject (cases[i].model);
      const AssayComparisonSide a = { "reference", subject }, b = { "ort", subject };
      g_autofree char *folder = assay_temporary_folder ("causes", NULL);
      g_autofree char *path = g_build_filename (folder, "y.npy", NULL);
      g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
      g_autoptr (AssayTensor) input = NULL;
      g_autoptr (AssayTensor) value_a = NULL;
      g_autoptr (AssayTensor) value_b = NULL;
      g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
      g_autoptr (AssayComparison) comparison = NULL;
      g_autoptr (AssayComparison) recorded = NULL;
      g_autoptr (GError) error = NULL;
      AssayValueId y;
      float values[64];

      for (guint j = 0; j < G_N_ELEMENTS (values); j++)
        values[j] = cases[i].from + cases[i].span * number_of (9, j);
      input = assay_tensor_new_f32 (2, (const gint64[]){ 4, 16 }, values);
      g_ptr_array_add (inputs, input);
      comparison = assay_compare_runs (&a, &b, inputs, NULL, NULL, &error);
      if (comparison == NULL && strstr (error->message, "was not found") != NULL)
        {
          assay_temporary_delete (folder);
          g_test_skip (error->message);
          return;
        }
      g_assert_no_error (error);
      g_assert_cmpint (comparison->verdict, <=, ASSAY_COMPARISON_WITHIN);
      y = assay_comparison_row (comparison, 0)->value;
      g_assert_true (assay_run_pair (&a, &b, ports, inputs, y, NULL, &value_a, &value_b, &error));
      g_assert_no_error (error);
      g_assert_true (assay_npy_save (value_b, path, &error));
      recorded = compare (subject, input, folder, 1);
      expect_headline (recorded, cases[i].says);
      assay_temporary_delete (folder);
    }
}

/* Two numbers that differ read differently. */
static void
test_apart (void)
{
  static const struct
  {
    double value, other;
    const char *text;
  } cases[] = {
    { 1, 2, "1" },
    { 1.66529, 1.5, "1.66529" },
    { 1.665290001, 1.66529, "1.665290001" },
    { 1.66529, 1.665290001, "1.66529" },
    { 1000000.25, 1000000.5, "1000000.2" },
    { 0.1, 0.10000000000000002, "0.10000000000000001" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = assay_trials_dup_apart (cases[i].value, cases[i].other);
      g_autofree char *other = assay_trials_dup_apart (cases[i].other, cases[i].value);

      g_assert_cmpstr (text, ==, cases[i].text);
      g_assert_cmpstr (text, !=, other);
    }
}

TEST_PROGRAM (causes)
{
  char *folder;

  g_test_init (&argc, &argv, NULL);
  folder = gpu_fixture_init ();
  /* The shaders are those of test-gpu, which has the layers; here all trials are on one device,
   * and half of the time would be the layers. */
  g_unsetenv ("ASSAY_GPU_VALIDATE");

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strconcat ("/causes/fault/", faults[i].name, NULL);
      g_autofree char *healthy = g_strconcat ("/causes/healthy/", faults[i].name, NULL);

      g_test_add_data_func (path, &faults[i], test_fault);
      g_test_add_data_func (healthy, &faults[i], test_healthy);
    }

  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autofree char *path = g_strconcat ("/causes/machine/", machines[i].runner, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_machine);
    }

  g_test_add_func ("/causes/apart", test_apart);
  g_test_add_func ("/causes/machine/dpu", test_dpu);
  g_test_add_func ("/causes/onnxruntime", test_onnxruntime);

  return gpu_fixture_finish (folder, g_test_run ());
}
