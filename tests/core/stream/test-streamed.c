/* test-streamed.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Streamed models against the same models unstreamed: timestep i is element i of the sequence, bit
 * for bit, whatever the configuration. What needs more than a stream has is refused by name.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "machine-run.h"
#include "test-program.h"

typedef struct
{
  const char *name;
  const char *axes;    /* per run-time input, a digit or - */
  const char *refusal; /* part of the message, or NULL if it is streamed */
  const char *text;
  const char *whole; /* a graph that gives the same unstreamed; NULL for the same one */
} Case;

/* Timestep i of a sequence of vectors of 9. */
#define STEP(i, n)                                                                                 \
  "%v" #i " = Slice(%x, %i" #i ", %i" #n ", %i0) %x" #i " = Squeeze(%v" #i ", %i0) "
#define STEPS                                                                                      \
  "const %i0 : i64[1] = [0] const %i1 : i64[1] = [1] const %i2 : i64[1] = [2] const %i3 : i64[1] " \
  "= [3] " STEP (0, 1) STEP (1, 2) STEP (2, 3)
#define STACK(y, o)                                                                                \
  "%" o "a = Unsqueeze(%" o "0, %i0) %" o "b = Unsqueeze(%" o "1, %i0) %" o "c = Unsqueeze(%" o    \
  "2, %i0) "                                                                                       \
  "%" y " = Concat(%" o "a, %" o "b, %" o "c) {axis = 0} "

#define CAUSAL(y, x, w, pads, more) y " = Conv(" x ", " w ") {pads = " pads more "} "
#define LAYERS(n_in, n, rows, twice)                                                               \
  "(%x : f32[13,1," n_in "], %w : f32[1," rows "," n_in "] param, %r : f32[1," rows "," n          \
  "] param, "                                                                                      \
  "%b : f32[1," twice "] param, %w2 : f32[1," rows "," n "] param, %r2 : f32[1," rows "," n        \
  "] param) "

/* clang-format off */
static const Case cases[] = {
  { "cnn", "2", NULL,
    "(%x : f32[1,19,13], %w : f32[40,19,3] param, %b : f32[40] param, %v : f32[40,40,5] param, "
    "%u : f32[7,40,1] param) {"
    "%c = Conv(%x, %w, %b) {pads = [2, 0]} %d = Relu(%c) "
    CAUSAL ("%e", "%d", "%v", "[4, 0]", "") "%f = Add(%e, %d) %y = Conv(%f, %u) return %y }" },
  { "cnn with normalization", "2", NULL,
    "(%x : f32[1,19,13], %s : f32[19] param, %w : f32[19,19,4] param) {"
    "%t = Transpose(%x) {perm = [0, 2, 1]} %n = RMSNormalization(%t, %s) {axis = -1} "
    "%c = Transpose(%n) {perm = [0, 2, 1]} " CAUSAL ("%d", "%c", "%w", "[3, 0]", "")
    "%e = Swish(%d) %y = Add(%e, %x) return %y }" },
  { "cnn dilated", "2", NULL,
    "(%x : f32[1,5,13], %w : f32[37,5,3] param, %v : f32[37,37,2] param) {"
    CAUSAL ("%c", "%x", "%w", "[6, 0]", ", dilations = [3]")
    CAUSAL ("%y", "%c", "%v", "[5, 0]", ", dilations = [5]") "return %y }" },
  { "cnn in groups", "2", NULL,
    "(%x : f32[1,12,13], %w : f32[20,3,4] param, %b : f32[20] param, %v : f32[40,10,2] param) {"
    "%c = Conv(%x, %w, %b) {pads = [3, 0], group = 4} "
    CAUSAL ("%y", "%c", "%v", "[1, 0]", ", group = 2") "return %y }" },
  { "cnn depthwise", "2", NULL,
    "(%x : f32[1,40,13], %w : f32[40,1,4] param, %v : f32[9,40,1] param) {"
    CAUSAL ("%c", "%x", "%w", "[6, 0]", ", group = 40, dilations = [2]") "%y = Conv(%c, %v) "
    "return %y }" },
  { "cnn of a batch", "2", NULL,
    "(%x : f32[3,6,13], %w : f32[9,6,3] param) {" CAUSAL ("%y", "%x", "%w", "[2, 0]", "") "return "
    "%y }" },
  { "cnn padded by a node", "2", NULL,
    "(%x : f32[1,6,13], %w : f32[9,6,3] param) { const %p : i64[6] = [0, 0, 2, 0, 0, 0] %q = "
    "Pad(%x, %p) "
    "%y = Conv(%q, %w) return %y }" },
  { "cnn 2-D", "2", NULL,
    "(%x : f32[1,3,13,8], %w : f32[9,3,3,3] param, %b : f32[9] param, %v : f32[5,9,2,1] param) {"
    "%c = Conv(%x, %w, %b) {pads = [2, 1, 0, 1]} %d = Relu(%c) "
    CAUSAL ("%y", "%d", "%v", "[2, 0, 0, 0]", ", dilations = [2, 1]") "return %y }" },
  { "cnn 2-D strided across", "2", NULL,
    "(%x : f32[1,3,13,9], %w : f32[9,3,3,3] param, %v : f32[9,9,2,2] param) {"
    CAUSAL ("%c", "%x", "%w", "[2, 0, 0, 0]", ", strides = [1, 2]")
    CAUSAL ("%y", "%c", "%v", "[1, 0, 0, 1]", ", strides = [1, 3], dilations = [1, 2]") "return "
    "%y }" },
  { "cnn 2-D along the second axis", "3", NULL,
    "(%x : f32[1,3,5,13], %w : f32[9,3,1,4] param) {" CAUSAL ("%y", "%x", "%w", "[0, 3, 0, 0]",
    "") "return %y }" },
  { "cnn 2-D in groups", "2", NULL,
    "(%x : f32[1,6,13,5], %w : f32[8,3,3,2] param) {"
    CAUSAL ("%y", "%x", "%w", "[2, 0, 0, 1]", ", group = 2") "return %y }" },
  { "cnn padded by a node with a value", "2", "timesteps that are not zero",
    "(%x : f32[1,6,13], %w : f32[9,6,3] param) { const %p : i64[6] = [0, 0, 2, 0, 0, 0] "
    "const %v : f32[] = [0.5] %q = Pad(%x, %p, %v) %y = Conv(%q, %w) return %y }" },
  { "cnn padded by a node and itself, with a value", "2", "timesteps that are not zero",
    "(%x : f32[1,6,13], %w : f32[9,6,3] param) { const %p : i64[6] = [0, 0, 1, 0, 0, 0] "
    "const %v : f32[] = [0.5] %q = Pad(%x, %p, %v) "
    CAUSAL ("%y", "%q", "%w", "[1, 0]", "") "return %y }" },
  { "cnn depthwise padded by a node with a value", "2", "timesteps that are not zero",
    "(%x : f32[1,6,13], %w : f32[6,1,3] param) { const %p : i64[6] = [0, 0, 2, 0, 0, 0] "
    "const %v : f32[] = [-1.0] %q = Pad(%x, %p, %v) %y = Conv(%q, %w) {group = 6} return %y }" },
  { "cnn padded by a node with a written zero", "2", NULL,
    "(%x : f32[1,6,13], %w : f32[9,6,3] param) { const %p : i64[6] = [0, 0, 1, 0, 0, 0] "
    "const %v : f32[] = [0.0] %q = Pad(%x, %p, %v) "
    CAUSAL ("%y", "%q", "%w", "[1, 0]", "") "return %y }" },
  { "cnn of a batch that a node pads", "0", "adds 1 timestep in front",
    "(%x : f32[3,6,13], %w : f32[9,6,3] param) { const %p : i64[6] = [1, 0, 0, 0, 0, 0] "
    "%q = Pad(%x, %p) %y = Conv(%q, %w) return %y }" },
  { "padded across the sequence with a value", "2", NULL,
    "(%x : f32[1,6,13], %w : f32[9,8,3] param) { const %p : i64[6] = [0, 1, 0, 0, 1, 0] "
    "const %v : f32[] = [0.5] %q = Pad(%x, %p, %v) "
    CAUSAL ("%y", "%q", "%w", "[2, 0]", "") "return %y }" },
  { "cnn strided along time", "2", "stride",
    "(%x : f32[1,6,13], %w : f32[9,6,3] param) {"
    CAUSAL ("%y", "%x", "%w", "[2, 0]", ", strides = [2]") "return %y }" },
  { "cnn that looks ahead", "2", "in front and",
    "(%x : f32[1,6,13], %w : f32[9,6,3] param) {" CAUSAL ("%y", "%x", "%w", "[1, 1]", "") "return "
    "%y }" },
  { "tcn", "2", NULL,
    "(%x : f32[1,1,13], %a : f32[20,1,3] param, %b : f32[20,20,3] param, %c : f32[20,1,1] param, "
    "%d : f32[40,20,3] param, %e : f32[40,40,3] param, %f : f32[40,20,1] param) {"
    CAUSAL ("%a1", "%x", "%a", "[2, 0]", "") "%a2 = Relu(%a1) " CAUSAL ("%a3", "%a2", "%b", "[2, "
    "0]", "")
    "%a4 = Relu(%a3) %a5 = Conv(%x, %c) %a6 = Add(%a4, %a5) %a7 = Relu(%a6) "
    CAUSAL ("%b1", "%a7", "%d", "[4, 0]", ", dilations = [2]") "%b2 = Relu(%b1) "
    CAUSAL ("%b3", "%b2", "%e", "[4, 0]", ", dilations = [2]")
    "%b4 = Relu(%b3) %b5 = Conv(%a7, %f) %b6 = Add(%b4, %b5) %y = Relu(%b6) return %y }" },
  { "lstm", "0", NULL,
    LAYERS ("9", "20", "80", "160") "{ const %a : i64[1] = [1] %h = LSTM(%x, %w, %r, %b) "
    "{hidden_size = 20} "
    "%s = Squeeze(%h, %a) %g = LSTM(%s, %w2, %r2) {hidden_size = 20} %y = Squeeze(%g, %a) return "
    "%y }" },
  { "lstm of a batch", "0", NULL,
    "(%x : f32[13,3,9], %w : f32[1,160,9] param, %r : f32[1,160,40] param) {"
    "%y = LSTM(%x, %w, %r) {hidden_size = 40} return %y }" },
  { "gru", "0", NULL,
    LAYERS ("9", "20", "60", "120") "{ const %a : i64[1] = [1] %h = GRU(%x, %w, %r, %b) "
    "{hidden_size = 20} "
    "%s = Squeeze(%h, %a) %g = GRU(%s, %w2, %r2) {hidden_size = 20, linear_before_reset = 1} "
    "%y = Squeeze(%g, %a) return %y }" },
  { "gru reset after, with biases", "0", NULL,
    LAYERS ("9", "40", "120", "240") "{ const %a : i64[1] = [1] "
    "%h = GRU(%x, %w, %r, %b) {hidden_size = 40, linear_before_reset = 1} "
    "%s = Squeeze(%h, %a) %g = GRU(%s, %w2, %r2, %b) {hidden_size = 40} return %g }" },
  { "rnn", "0", NULL,
    LAYERS ("9", "20", "20", "40") "{ const %a : i64[1] = [1] %h = RNN(%x, %w, %r, %b) "
    "{hidden_size = 20} "
    "%s = Squeeze(%h, %a) %y = RNN(%s, %w2, %r2) {hidden_size = 20, activations = [\"Tanh\"]} "
    "return %y }" },
  { "rnn with Relu", "0", NULL,
    "(%x : f32[13,1,9], %w : f32[1,4,9] param, %r : f32[1,4,4] param) {"
    "%y = RNN(%x, %w, %r) {hidden_size = 4, activations = [\"Relu\"]} return %y }" },
  { "layers of all kinds with a head", "0", NULL,
    "(%x : f32[13,1,9], %w : f32[1,80,9] param, %r : f32[1,80,20] param, %v : f32[1,60,20] param, "
    "%u : f32[1,60,20] param, %q : f32[1,20,20] param, %p : f32[1,20,20] param, %m : f32[20,10] "
    "param, "
    "%g : f32[10] param, %o : f32[10] param) {"
    "const %a : i64[1] = [1] %h1 = LSTM(%x, %w, %r) {hidden_size = 20} %s1 = Squeeze(%h1, %a) "
    "%h2 = GRU(%s1, %v, %u) {hidden_size = 20} %s2 = Squeeze(%h2, %a) %s3 = Add(%s2, %s1) "
    "%h3 = RNN(%s3, %q, %p) {hidden_size = 20} %s4 = Squeeze(%h3, %a) %l = MatMul(%s4, %m) "
    "%n = LayerNormalization(%l, %g, %o) {axis = -1} %y = Softmax(%n) return %y, %s4 }" },
  { "two streams and what does not change", "0-0", NULL,
    "(%x : f32[13,20], %z : f32[20], %v : f32[13,20], %w : f32[20,33] param) {"
    "%a = Mul(%x, %z) %b = Sub(%a, %v) %c = MatMul(%b, %w) %y = Gelu(%c) return %y, %a }" },
  { "lstm from a given state", "0", NULL,
    "(%x : f32[13,1,9], %w : f32[1,80,9] param, %r : f32[1,80,20] param, %h : f32[1,1,20] param) {"
    "%y = LSTM(%x, %w, %r, _, _, %h) {hidden_size = 20} return %y }" },
  { "lstm of a batch from given states", "0", NULL,
    "(%x : f32[13,2,9], %w : f32[1,160,9] param, %r : f32[1,160,40] param, %h : f32[1,2,40] param, "
    "%c : f32[1,2,40] param) {%y = LSTM(%x, %w, %r, _, _, %h, %c) {hidden_size = 40} return %y }" },
  { "lstm from a given cell", "0", NULL,
    "(%x : f32[13,1,9], %w : f32[1,80,9] param, %r : f32[1,80,20] param, %h : f32[1,1,20] param) {"
    "%y = LSTM(%x, %w, %r, _, _, _, %h) {hidden_size = 20} return %y }" },
  { "gru from a given state", "0", NULL,
    "(%x : f32[13,1,9], %w : f32[1,120,9] param, %r : f32[1,120,40] param, %h : f32[1,1,40] "
    "param) {"
    "%y = GRU(%x, %w, %r, _, _, %h) {hidden_size = 40} return %y }" },
  { "rnn from a given state", "0", NULL,
    "(%x : f32[13,1,9], %w : f32[1,20,9] param, %r : f32[1,20,20] param, %h : f32[1,1,20] param) {"
    "%y = RNN(%x, %w, %r, _, _, %h) {hidden_size = 20} return %y }" },
  { "scan", "0", NULL,
    "(%x : f32[3,1,40], %w : f32[40,40] param) { const %z : f32[] = [0.0] const %d : i64[2] = [1, "
    "40] "
    "%s = Expand(%z, %d) _, %y = Scan(%s, %x) {num_scan_inputs = 1, body = region \"body\" "
    "(%h : f32[1,40], %v : f32[1,40]) { %p = MatMul(%h, %w) %q = Add(%p, %v) %n = Tanh(%q) %o = "
    "Relu(%q) "
    "return %n, %o }} return %y }",
    "(%x : f32[3,1,40], %w : f32[40,40] param) {" STEPS
    "%o0 = Relu(%x0) %n0 = Tanh(%x0) %p1 = MatMul(%n0, %w) %q1 = Add(%p1, %x1) %n1 = Tanh(%q1) "
    "%o1 = Relu(%q1) "
    "%p2 = MatMul(%n1, %w) %q2 = Add(%p2, %x2) %o2 = Relu(%q2) " STACK ("y", "o") "return %y }" },
  { "scan of two states from given values", "1", NULL,
    "(%x : f32[4,3]) { const %s : f32[4] = [1.0, 2.0, -0.5, 0.25] const %t : f32[4] = [0.0, 0.0, "
    "0.0, 0.0] "
    "_, _, %y, %k = Scan(%s, %t, %x) {num_scan_inputs = 1, scan_input_axes = [1], "
    "scan_output_axes = [1, 0], "
    "body = region \"body\" (%a : f32[4], %b : f32[4], %v : f32[4]) { const %half : f32[] = [0.5] "
    "%c = Mul(%a, %half) %n = Add(%c, %v) %m = Max(%b, %v) %o = Sub(%n, %m) return %n, %m, %o, %b "
    "}} return %y, %k }",
    "(%x : f32[4,3]) { const %s : f32[4] = [1.0, 2.0, -0.5, 0.25] const %t : f32[4] = [0.0, 0.0, "
    "0.0, 0.0] "
    "const %half : f32[] = [0.5] const %i0 : i64[1] = [0] const %i1 : i64[1] = [1] const %i2 : "
    "i64[1] = [2] "
    "const %i3 : i64[1] = [3] %r = Transpose(%x) {perm = [1, 0]} "
    "%u0 = Slice(%r, %i0, %i1, %i0) %x0 = Squeeze(%u0, %i0) %u1 = Slice(%r, %i1, %i2, %i0) %x1 = "
    "Squeeze(%u1, %i0) "
    "%u2 = Slice(%r, %i2, %i3, %i0) %x2 = Squeeze(%u2, %i0) "
    "%c0 = Mul(%s, %half) %n0 = Add(%c0, %x0) %m0 = Max(%t, %x0) %o0 = Sub(%n0, %m0) "
    "%c1 = Mul(%n0, %half) %n1 = Add(%c1, %x1) %m1 = Max(%m0, %x1) %o1 = Sub(%n1, %m1) "
    "%c2 = Mul(%n1, %half) %n2 = Add(%c2, %x2) %m2 = Max(%m1, %x2) %o2 = Sub(%n2, %m2) "
    STACK ("l", "o") "%y = Transpose(%l) {perm = [1, 0]} %jm = Mul(%x0, %t) %j0 = Max(%jm, %t) "
    "%j1 = Add(%j0, %m0) "
    "%j2 = Add(%j0, %m1) "
    STACK ("k", "j") "return %y, %k }" },
  { "scan of a state that is computed", "0", "is computed, not constant",
    "(%x : f32[3,9], %z : f32[9]) { _, %y = Scan(%z, %x) {num_scan_inputs = 1, body = region "
    "\"body\" "
    "(%h : f32[9], %v : f32[9]) { %n = Add(%h, %v) return %n, %n }} return %y }",
    "(%x : f32[3,9], %z : f32[9]) { %y = Add(%x, %z) return %y }" },
  { "lstm from a state of zeros", "0", NULL,
    "(%x : f32[13,1,9], %w : f32[1,8,9] param, %r : f32[1,8,2] param) { const %h : f32[1,1,2] = "
    "[0.0, 0.0] "
    "%y = LSTM(%x, %w, %r, _, _, %h, %h) {hidden_size = 2} return %y }" },
  { "layer norm scaled by the timestep", "0", "operand 1 of ",
    "(%x : f32[13,8], %s : f32[13,8] param, %b : f32[8] param) {"
    "%y = LayerNormalization(%x, %s, %b) {axis = -1} return %y }" },
  { "layer norm shifted by the timestep", "0", "operand 2 of ",
    "(%x : f32[13,8], %s : f32[8] param, %b : f32[13,1] param) {"
    "%y = LayerNormalization(%x, %s, %b) {axis = -1} return %y }" },
  { "RMS norm scaled by the timestep", "0", "operand 1 of ",
    "(%x : f32[13,8], %s : f32[13,8] param) {"
    "%y = RMSNormalization(%x, %s) {axis = -1} return %y }" },
  { "lstm a sequence at a time", "1", NULL,
    "(%x : f32[3,13,9], %w : f32[1,160,9] param, %r : f32[1,160,40] param) {"
    "%y, %h, %c = LSTM(%x, %w, %r) {hidden_size = 40} return %y, %h, %c }" },
  { "lstm a sequence at a time from states of their own", "1", "operand 5 of ",
    "(%x : f32[3,13,9], %w : f32[1,160,9] param, %r : f32[1,160,40] param, %h : f32[1,13,40] "
    "param) {%y = LSTM(%x, %w, %r, _, _, %h) {hidden_size = 40} return %y }" },
  { "gru a sequence at a time from states of their own", "1", "operand 5 of ",
    "(%x : f32[3,13,9], %w : f32[1,120,9] param, %r : f32[1,120,40] param, %h : f32[1,13,40] "
    "param) {%y = GRU(%x, %w, %r, _, _, %h) {hidden_size = 40} return %y }" },
  { "lstm both ways", "0", "direction",
    "(%x : f32[13,1,9], %w : f32[2,80,9] param, %r : f32[2,80,20] param) {"
    "%y = LSTM(%x, %w, %r) {hidden_size = 20, direction = \"bidirectional\"} return %y }" },
  { "gru backwards", "0", "direction",
    "(%x : f32[13,1,9], %w : f32[1,60,9] param, %r : f32[1,60,20] param) {"
    "%y = GRU(%x, %w, %r) {hidden_size = 20, direction = \"reverse\"} return %y }" },
};
/* clang-format on */

static const MachineWay ways[] = {
  { .config = MACHINE_CONFIG (6, 32) },
  { .config = MACHINE_CONFIG (1, 16) },
  { .config = MACHINE_CONFIG (3, 64), .flags = ASSAY_MACHINE_SCALAR },
};

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (AssayGraph) graph = machine_graph_from_text (test->text);
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) other = test->whole == NULL ? NULL : machine_graph_from_text (test->whole);
  float **inputs = machine_inputs (graph, rand, -2, 2);
  float **whole = machine_run_graph (other != NULL ? other : graph, &ways[0], inputs, &error);
  int axes[8];
  guint n = (guint) strlen (test->axes);

  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    axes[i] = test->axes[i] == '-' ? -1 : test->axes[i] - '0';

  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    {
      MachineWay streamed = ways[way];
      g_autoptr (AssaySettings) settings = NULL;
      float **outputs;

      assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, way == 1);
      assay_settings_set_axes (&settings, axes, n);
      streamed.options.settings = settings;
      outputs = machine_run_graph (graph, &streamed, inputs, &error);
      if (test->refusal != NULL)
        {
          g_assert_null (outputs);
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
          if (strstr (error->message, test->refusal) == NULL)
            g_error ("%s: %s", test->refusal, error->message);
          break;
        }
      g_assert_no_error (error);
      for (guint i = 0; i < ids->len; i++)
        {
          gsize size = machine_count (graph, g_array_index (ids, AssayValueId, i)) * sizeof (float);

          g_assert_cmpmem (outputs[i], size, whole[i], size);
        }
      machine_free (outputs);
    }

  machine_free (inputs);
  machine_free (whole);
}

TEST_PROGRAM (streamed)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/streamed/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }

  return g_test_run ();
}
