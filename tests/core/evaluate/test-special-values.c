/* test-special-values.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of docs/numerics.md where it matters which rule holds: ties, subnormals, zeros,
 * infinities, NaN, overflow, order of sums, and what is not rounded. Expected values are written
 * out, bit for bit.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "machine-run.h"
#include "test-program.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#define MAX_VALUES 8
#define BITS(b)                                                                                    \
  {                                                                                                \
    .bits = b                                                                                      \
  }

typedef union
{
  guint32 bits;
  float f;
} Number;

typedef struct
{
  const char *name;
  AssayMachineFlags flags;
  gboolean fp8;
  const char *kept; /* a node that is kept in fp32 */
  const char *text;
  Number input[MAX_VALUES];
  Number output[MAX_VALUES];
} Case;

#define PLUS_INF BITS (0x7f800000)
#define MINUS_INF BITS (0xff800000)
#define QNAN BITS (0x7fc00000)
#define MINUS_ZERO BITS (0x80000000)
#define F(x)                                                                                       \
  {                                                                                                \
    .f = x                                                                                         \
  }

static const Case cases[] = {
  { "rounding of inputs",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[7]) { %y = Identity(%x) return %y }",
    { BITS (0x3f80ffff), BITS (0x3f808000), BITS (0x3f818000), BITS (0x7f7fffff), BITS (0xff800001),
      BITS (0x00018000), BITS (0x80000001) },
    { BITS (0x3f810000), BITS (0x3f800000), BITS (0x3f820000), PLUS_INF, QNAN, BITS (0x00020000),
      MINUS_ZERO } },
  { "truncation of inputs",
    ASSAY_MACHINE_TRUNCATE,
    FALSE,
    NULL,
    "(%x : f32[7]) { %y = Identity(%x) return %y }",
    { BITS (0x3f80ffff), BITS (0x3f808000), BITS (0xbf81ffff), BITS (0x7f7fffff), BITS (0xff800001),
      BITS (0x00018000), BITS (0x80000001) },
    { BITS (0x3f800000), BITS (0x3f800000), BITS (0xbf810000), BITS (0x7f7f0000), QNAN,
      BITS (0x00010000), MINUS_ZERO } },
  { "fp32 keeps inputs",
    ASSAY_MACHINE_FP32,
    FALSE,
    NULL,
    "(%x : f32[3]) { %y = Identity(%x) return %y }",
    { BITS (0x3f80ffff), BITS (0x00000001), BITS (0xff800001) },
    { BITS (0x3f80ffff), BITS (0x00000001), QNAN } },
  { "max",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[2,4]) { const %s : i64[2] = [1, 1] %a, %b = Split(%x, %s) {axis = 0} %y = Max(%a, "
    "%b) return %y }",
    { MINUS_ZERO, QNAN, F (1), PLUS_INF, F (0), F (1), QNAN, MINUS_INF },
    { F (0), QNAN, QNAN, PLUS_INF } },
  { "min",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[2,4]) { const %s : i64[2] = [1, 1] %a, %b = Split(%x, %s) {axis = 0} %y = Min(%a, "
    "%b) return %y }",
    { F (0), QNAN, F (1), PLUS_INF, MINUS_ZERO, F (1), QNAN, MINUS_INF },
    { MINUS_ZERO, QNAN, QNAN, MINUS_INF } },
  { "clamp with its bounds the wrong way round",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[4]) { const %l : f32[] = [2.0] const %h : f32[] = [-2.0] %y = Clip(%x, %l, %h) "
    "return %y }",
    { F (0), QNAN, PLUS_INF, MINUS_INF },
    { F (-2), QNAN, F (-2), F (-2) } },
  { "relu",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[4]) { %y = Relu(%x) return %y }",
    { MINUS_ZERO, QNAN, PLUS_INF, MINUS_INF },
    { F (0), QNAN, PLUS_INF, F (0) } },
  { "comparison with NaN",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[4]) { const %a : f32[] = [1.0] const %b : f32[] = [2.0] const %z : f32[] = [0.0] "
    "%c = GreaterOrEqual(%x, %z) %y = Where(%c, %a, %b) return %y }",
    { QNAN, MINUS_ZERO, PLUS_INF, MINUS_INF },
    { F (2), F (1), F (1), F (2) } },
  { "division",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[2,4]) { const %s : i64[2] = [1, 1] %a, %b = Split(%x, %s) {axis = 0} %y = Div(%a, "
    "%b) return %y }",
    { F (1), F (0), PLUS_INF, F (-1), MINUS_ZERO, F (0), PLUS_INF, MINUS_INF },
    { MINUS_INF, QNAN, QNAN, F (0) } },
  { "differences of infinities",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[2]) { %y = Sub(%x, %x) return %y }",
    { PLUS_INF, F (3) },
    { QNAN, F (0) } },
  { "overflow of a product",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[2]) { %y = Mul(%x, %x) return %y }",
    { F (-1e30f), BITS (0x1c800000) },
    { PLUS_INF, BITS (0x00000000) } },
  { "subnormal product",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[3]) { const %h : f32[] = [0.5] %y = Mul(%x, %h) return %y }",
    { BITS (0x00800000), BITS (0x00060000), BITS (0x80010000) },
    { BITS (0x00400000), BITS (0x00030000), MINUS_ZERO } },
  { "functions at infinity",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[4]) { %y = Swish(%x) return %y }",
    { MINUS_INF, PLUS_INF, QNAN, MINUS_ZERO },
    { MINUS_ZERO, PLUS_INF, QNAN, MINUS_ZERO } },
  { "logarithm",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[5]) { %y = Log(%x) return %y }",
    { MINUS_INF, F (-1), MINUS_ZERO, F (1), PLUS_INF },
    { QNAN, QNAN, MINUS_INF, F (0), PLUS_INF } },
  { "softmax with a mask",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[2,3]) { %y = Softmax(%x) {axis = 1} return %y }",
    { F (2), MINUS_INF, F (2), MINUS_INF, MINUS_INF, MINUS_INF },
    { F (0.5), F (0), F (0.5), QNAN, QNAN, QNAN } },
  /* Were it rounded, the sum would start from 1 and come to 1. */
  { "a bias is not rounded",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[1,1]) { const %w : f32[1,1] = [1.0] const %b : f32[1] = [1.00390625] %m = "
    "MatMul(%x, %w) "
    "%y = Add(%m, %b) return %y }",
    { BITS (0x3b000000) },
    { F (1.0078125f) } },
  /* Any other order comes to another number. */
  { "order of a product",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[1,3]) { const %w : f32[3,1] = [1.0, 1.0, -16777216.0] const %b : f32[1] = "
    "[16777216.0] "
    "%m = MatMul(%x, %w) %y = Add(%m, %b) return %y }",
    { F (1), F (1), F (1) },
    { F (0) } },
  { "order of taps",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[1,1,3]) { const %w : f32[1,1,3] = [1.0, 1.0, -16777216.0] const %b : f32[1] = "
    "[16777216.0] "
    "%y = Conv(%x, %w, %b) return %y }",
    { F (1), F (1), F (1) },
    { F (0) } },
  { "order over lanes",
    ASSAY_MACHINE_FP32,
    FALSE,
    NULL,
    "(%x : f32[1,4]) { const %a : i64[1] = [1] %y = ReduceSum(%x, %a) return %y }",
    { F (16777216), F (1), F (0), F (1) },
    { F (16777218) } },
  /* Infinity times a zero of the padding would be NaN. */
  { "padding contributes nothing",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[1,1,3]) { const %w : f32[1,1,2] = [inf, 1.0] %y = Conv(%x, %w) {pads = [1, 0]} "
    "return %y }",
    { F (2), F (3), F (-1) },
    { F (2), PLUS_INF, PLUS_INF } },
  { "groups do not meet",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[1,4,1]) { const %w : f32[2,2,1] = [1.0, 1.0, 2.0, 3.0] %y = Conv(%x, %w) {group = "
    "2} return %y }",
    { PLUS_INF, F (1), F (2), F (3) },
    { PLUS_INF, F (13) } },
  { "fp8 weights",
    ASSAY_MACHINE_BF16,
    TRUE,
    NULL,
    "(%x : f32[1,1]) { const %w : f32[1,5] = [500.0, 0.3, 0.0009765625, 0.0015, -17.0] %y = "
    "MatMul(%x, %w) "
    "return %y }",
    { F (1) },
    { F (448), F (0.3125f), F (0), F (0.001953125f), F (-16) } },
  { "fp8 weights in fp32",
    ASSAY_MACHINE_FP32,
    TRUE,
    NULL,
    "(%x : f32[1,1]) { const %w : f32[1,2] = [500.0, 0.3] %y = MatMul(%x, %w) return %y }",
    { F (1) },
    { F (500), F (0.3f) } },
  { "rounded between nodes",
    ASSAY_MACHINE_BF16,
    FALSE,
    NULL,
    "(%x : f32[1]) { const %c : f32[] = [0.001953125] %s = Add(%x, %c) @ \"s\" %y = Sub(%s, %x) "
    "return %y }",
    { F (1) },
    { F (0) } },
  { "a view of what is kept in fp32",
    ASSAY_MACHINE_BF16,
    FALSE,
    "x",
    "(%x : f32[1,2]) { const %c : i64[2] = [2, 2] %y = Expand(%x, %c) return %y }",
    { BITS (0x3f80ffff), F (1) },
    { BITS (0x3f810000), F (1), BITS (0x3f810000), F (1) } },
  { "kept in fp32",
    ASSAY_MACHINE_BF16,
    FALSE,
    "s",
    "(%x : f32[1]) { const %c : f32[] = [0.001953125] %s = Add(%x, %c) @ \"s\" %y = Sub(%s, %x) "
    "return %y }",
    { F (1) },
    { F (0.001953125f) } },
};

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  static const AssayMachineFlags levels[] = { 0, ASSAY_MACHINE_SCALAR };
  const char *kept[] = { test->kept, NULL };
  g_autoptr (AssayGraph) graph = machine_graph_from_text (test->text);
  float input[MAX_VALUES];
  float *inputs[] = { input, NULL };

  memcpy (input, test->input, sizeof input);
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      MachineWay way = { .config = MACHINE_CONFIG (2, 16), .flags = test->flags | levels[i] };
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (GError) error = NULL;
      float **outputs;
      AssayValueId id = g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs,
                                       AssayValueId, 0);

      way.config.fabric = ASSAY_FABRIC_VERSAL_SG2;
      assay_settings_set_flag (&settings, ASSAY_SETTING_FP8_WEIGHTS, test->fp8);
      assay_settings_set_list (&settings, ASSAY_SETTING_KEEP_FP32, kept);
      way.options.settings = settings;
      outputs = machine_run_graph (graph, &way, inputs, &error);
      g_assert_no_error (error);
      for (gsize j = 0; j < machine_count (graph, id); j++)
        {
          if (assay_f32_bits (outputs[0][j]) != test->output[j].bits)
            g_test_message ("element %" G_GSIZE_FORMAT " is %a, expected %a", j, outputs[0][j],
                            test->output[j].f);
          g_assert_cmphex (assay_f32_bits (outputs[0][j]), ==, test->output[j].bits);
        }
      machine_free (outputs);
    }
}

/* A thread that flushes subnormals gets the same bits, and finds its modes as they were. */
static void
test_flush (void)
{
#ifdef __x86_64__
  const MachineWay way = { .config = MACHINE_CONFIG (1, 16) };
  g_autoptr (AssayGraph) graph = machine_graph_from_text (
      "(%x : f32[1]) { const %h : f32[] = [0.5] %y = Mul(%x, %h) return %y }");
  g_autoptr (GError) error = NULL;
  float input = 0x1p-130f;
  float *inputs[] = { &input, NULL };
  guint before = _mm_getcsr ();
  float **outputs;
  guint after;

  _mm_setcsr (before | 0x8040);
  if ((_mm_getcsr () & 0x8040) != 0x8040)
    {
      g_test_skip ("an emulator that does not have these modes");
      return;
    }
  outputs = machine_run_graph (graph, &way, inputs, &error);
  after = _mm_getcsr ();
  _mm_setcsr (before);

  g_assert_no_error (error);
  g_assert_cmphex (after & 0x8040, ==, 0x8040);
  g_assert_cmphex (assay_f32_bits (outputs[0][0]), ==, assay_f32_bits (0x1p-131f));
  machine_free (outputs);
#else
  g_test_skip ("only x86 processors have these modes");
#endif
}

TEST_PROGRAM (special_values)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/special-values/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/special-values/a thread that flushes", test_flush);

  return g_test_run ();
}
