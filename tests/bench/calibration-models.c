/* calibration-models.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the ONNX file of a row of a calibration table from its two columns `model` and `size`.
 * Models with a sequence also come as one step, with their state as inputs and outputs: `NAME`
 * comes in and `NAME_next` goes out.
 */
#include "calibration-models.h"

#include <stdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "model-writer.h"

#define FLOAT 1
#define OPSET 23
#define STEPS 100

#define DIMS(...)                                                                                  \
  G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ })), (gint64[])                                           \
  {                                                                                                \
    __VA_ARGS__                                                                                    \
  }

typedef struct
{
  ModelWriter *w;
  GStringChunk *names;
  guint next;
  gboolean step;
} Net;

static char *text (Net *net, const char *format, ...) G_GNUC_PRINTF (2, 3);

static char *
text (Net *net, const char *format, ...)
{
  g_autofree char *s = NULL;
  va_list args;

  va_start (args, format);
  s = g_strdup_vprintf (format, args);
  va_end (args);

  return g_string_chunk_insert (net->names, s);
}

/* A node with a made-up name and output. */
static char *
node (Net *net, const char *op, const char *inputs)
{
  char *name = text (net, "%s_%u", op, net->next++);
  char *output = text (net, "%s_out", name);

  model_writer_node (net->w, op, name, inputs, output);

  return output;
}

static char *
linear (Net *net, const char *x, gint64 from, gint64 to, gboolean bias)
{
  char *weight = text (net, "w%u", net->next);
  char *b = text (net, "b%u", net->next);
  char *product;

  model_writer_weight (net->w, weight, DIMS (from, to));
  product = node (net, "MatMul", text (net, "%s %s", x, weight));
  if (!bias)
    return product;

  model_writer_weight (net->w, b, DIMS (to));

  return node (net, "Add", text (net, "%s %s", product, b));
}

static char *
rms_norm (Net *net, const char *x, gint64 n)
{
  char *gamma = text (net, "g%u", net->next);

  model_writer_weight (net->w, gamma, DIMS (n));
  model_writer_set_int (net->w, "axis", -1);

  return node (net, "RMSNormalization", text (net, "%s %s", x, gamma));
}

static char *
activate (Net *net, const char *x, const char *kind)
{
  if (g_str_equal (kind, "silu"))
    return node (net, "Mul", text (net, "%s %s", x, node (net, "Sigmoid", x)));

  if (g_str_equal (kind, "elu"))
    {
      guint id = net->next;
      char *below;
      char *positive;

      model_writer_filled (net->w, text (net, "one%u", id), DIMS (1), 1.0f);
      model_writer_filled (net->w, text (net, "zero%u", id), DIMS (1), 0.0f);
      below = node (net, "Sub", text (net, "%s one%u", node (net, "Exp", x), id));
      positive = node (net, "Greater", text (net, "%s zero%u", x, id));
      return node (net, "Where", text (net, "%s %s %s", positive, x, below));
    }

  return node (net,
               g_str_equal (kind, "relu")       ? "Relu"
               : g_str_equal (kind, "tanh")     ? "Tanh"
               : g_str_equal (kind, "softplus") ? "Softplus"
                                                : "Sigmoid",
               x);
}

static int
steps (const Net *net)
{
  return net->step ? 1 : STEPS;
}

/* The old vectors before the new one; all but the oldest are the state of the next step. */
static char *
with_state (Net *net, const char *x, gint64 channels, gint64 old)
{
  guint id = net->next;
  char *state = text (net, "state%u", id);
  char *window;

  model_writer_input (net->w, state, FLOAT, text (net, "1,%d,%d", (int) channels, (int) old));
  model_writer_set_int (net->w, "axis", 2);
  window = node (net, "Concat", text (net, "%s %s", state, x));
  model_writer_integers (net->w, text (net, "from%u", id), DIMS (1), (gint64[]){ 1 });
  model_writer_integers (net->w, text (net, "to%u", id), DIMS (1), (gint64[]){ old + 1 });
  model_writer_integers (net->w, text (net, "axis%u", id), DIMS (1), (gint64[]){ 2 });
  model_writer_node (net->w, "Slice", text (net, "Slice_%u", id),
                     text (net, "%s from%u to%u axis%u", window, id, id, id),
                     text (net, "%s_next", state));
  model_writer_output (net->w, text (net, "%s_next", state), FLOAT,
                       text (net, "1,%d,%d", (int) channels, (int) old));

  return window;
}

static char *
causal_conv (Net *net, const char *x, gint64 from, gint64 to, gint64 kernel, gint64 dilation)
{
  char *weight = text (net, "w%u", net->next);
  char *bias = text (net, "b%u", net->next);

  model_writer_weight (net->w, weight, DIMS (to, from, kernel));
  model_writer_weight (net->w, bias, DIMS (to));
  if (net->step && kernel > 1)
    x = with_state (net, x, from, (kernel - 1) * dilation);
  else
    model_writer_set_ints (net->w, "pads", 2, (gint64[]){ (kernel - 1) * dilation, 0 });
  model_writer_set_ints (net->w, "dilations", 1, (gint64[]){ dilation });

  return node (net, "Conv", text (net, "%s %s %s", x, weight, bias));
}

static char *
swap_last (Net *net, const char *x)
{
  model_writer_set_ints (net->w, "perm", 3, (gint64[]){ 0, 2, 1 });

  return node (net, "Transpose", x);
}

static void
finish (Net *net, const char *x, const char *shape)
{
  model_writer_node (net->w, "Identity", "finish", x, "output");
  model_writer_output (net->w, "output", FLOAT, shape);
}

static gboolean
write_mlp (Net *net, const char *model, const char *size)
{
  int layers = 1;
  int n, to;
  const char *x = "input";

  if (g_str_equal (model, "slp") ? sscanf (size, "%d -> %d", &n, &to) != 2
                                 : sscanf (size, "%d layers of %d", &layers, &n) != 2)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "1,%d", n));
  for (int i = 0; i < layers; i++)
    x = node (net, "Relu", linear (net, x, n, n, TRUE));
  finish (net, x, text (net, "1,%d", n));

  return TRUE;
}

static gboolean
write_residual (Net *net, const char *size)
{
  int n, hidden;
  char kind[32];
  const char *x = "input";

  if (sscanf (size, "dim %d, hidden %d, %31s", &n, &hidden, kind) != 3)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "1,%d", n));
  for (int i = 0; i < 2; i++)
    {
      char *h = activate (net, linear (net, rms_norm (net, x, n), n, hidden, TRUE), kind);

      x = node (net, "Add", text (net, "%s %s", x, linear (net, h, hidden, n, TRUE)));
    }
  finish (net, x, text (net, "1,%d", n));

  return TRUE;
}

static char *
part (Net *net, const char *x, gint64 from, gint64 to)
{
  guint id = net->next;

  model_writer_integers (net->w, text (net, "from%u", id), DIMS (1), &from);
  model_writer_integers (net->w, text (net, "to%u", id), DIMS (1), &to);
  model_writer_integers (net->w, text (net, "axis%u", id), DIMS (1), (gint64[]){ 1 });

  return node (net, "Slice", text (net, "%s from%u to%u axis%u", x, id, id, id));
}

/* In the order in which silu (gate (x)) * value (x) is evaluated. */
static gboolean
write_swiglu (Net *net, const char *size)
{
  int n, hidden;
  char *x, *gate, *value;

  if (sscanf (size, "dim %d, hidden %d,", &n, &hidden) != 2)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "1,%d", n));
  x = rms_norm (net, "input", n);
  if (strstr (size, "fused") != NULL)
    {
      char *both = linear (net, x, n, 2 * hidden, FALSE);

      gate = part (net, both, 0, hidden);
      value = part (net, both, hidden, 2 * hidden);
      gate = activate (net, gate, "silu");
    }
  else
    {
      gate = activate (net, linear (net, x, n, hidden, FALSE), "silu");
      value = linear (net, x, n, hidden, FALSE);
    }
  x = node (net, "Mul", text (net, "%s %s", gate, value));
  finish (net, node (net, "Add", text (net, "input %s", linear (net, x, hidden, n, FALSE))),
          text (net, "1,%d", n));

  return TRUE;
}

static gboolean
write_cnn (Net *net, const char *size)
{
  int layers, n, kernel;
  const char *x = "input";

  if (sscanf (size, "%d layers, %d ch, kernel %d", &layers, &n, &kernel) != 3)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "1,%d,%d", n, steps (net)));
  for (int i = 0; i < layers; i++)
    {
      char *h = swap_last (net, rms_norm (net, swap_last (net, x), n));

      h = node (net, "Relu", causal_conv (net, h, n, n, kernel, 1));
      x = node (net, "Add", text (net, "%s %s", h, x));
    }
  finish (net, x, text (net, "1,%d,%d", n, steps (net)));

  return TRUE;
}

static gboolean
write_tcn (Net *net, const char *size)
{
  g_auto (GStrv) parts = NULL;
  const char *x = "input";
  gint64 from = 1;
  gint64 dilation = 1;
  int n, levels;

  if (!g_str_has_prefix (size, "channels "))
    return FALSE;

  if (sscanf (size, "channels %d x%d", &n, &levels) == 2)
    {
      parts = g_new0 (char *, (gsize) levels + 1);
      for (int i = 0; i < levels; i++)
        parts[i] = g_strdup_printf ("%d", n);
    }
  else
    {
      parts = g_strsplit (size + strlen ("channels "), ",", -1);
    }

  model_writer_input (net->w, "input", FLOAT, text (net, "1,1,%d", steps (net)));
  for (guint i = 0; parts[i] != NULL; i++, dilation *= 2)
    {
      gint64 to = g_ascii_strtoll (parts[i], NULL, 10);
      char *h = node (net, "Relu", causal_conv (net, x, from, to, 3, dilation));

      h = node (net, "Relu", causal_conv (net, h, to, to, 3, dilation));
      if (from != to)
        x = causal_conv (net, x, from, to, 1, 1);
      x = node (net, "Relu", node (net, "Add", text (net, "%s %s", h, x)));
      from = to;
    }
  finish (net, x, text (net, "1,%d,%d", (int) from, steps (net)));

  return TRUE;
}

/* The rows of the latency table: three layers, the input of a batch. */
static gboolean
write_batch (Net *net, const char *size)
{
  static const int widths[] = { 256, 384, 384, 128 };
  const char *x = "input";
  int batch;

  if (sscanf (size, "batch %d", &batch) != 1)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "%d,%d", batch, widths[0]));
  for (guint i = 0; i + 1 < G_N_ELEMENTS (widths); i++)
    {
      x = linear (net, x, widths[i], widths[i + 1], TRUE);
      if (i < 2)
        x = node (net, "Relu", x);
    }
  finish (net, x, text (net, "%d,%d", batch, widths[3]));

  return TRUE;
}

/* As `cnn`, without normalization. */
static gboolean
write_plain_cnn (Net *net, const char *size)
{
  int layers, n;
  const char *x = "input";

  if (sscanf (size, "L %d C %d", &layers, &n) != 2)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "1,%d,%d", n, steps (net)));
  for (int i = 0; i < layers; i++)
    x = node (net, "Add",
              text (net, "%s %s", node (net, "Relu", causal_conv (net, x, n, n, 8, 1)), x));
  finish (net, x, text (net, "1,%d,%d", n, steps (net)));

  return TRUE;
}

static char *
lstm_layer (Net *net, const char *x, int i, gint64 n)
{
  char *output = text (net, "h%d_all", i);

  model_writer_set_int (net->w, "hidden_size", n);
  if (net->step)
    {
      const char *const states[] = { "h", "c" };

      for (guint j = 0; j < G_N_ELEMENTS (states); j++)
        {
          model_writer_input (net->w, text (net, "%s%d", states[j], i), FLOAT,
                              text (net, "1,1,%d", (int) n));
          model_writer_output (net->w, text (net, "%s%d_next", states[j], i), FLOAT,
                               text (net, "1,1,%d", (int) n));
        }
      model_writer_node (net->w, "LSTM", text (net, "LSTM_%d", i),
                         text (net, "%s W%d R%d B%d - h%d c%d", x, i, i, i, i, i),
                         text (net, "%s h%d_next c%d_next", output, i, i));
      return output;
    }

  return node (net, "LSTM", text (net, "%s W%d R%d B%d", x, i, i, i));
}

static gboolean
write_lstm (Net *net, const char *size)
{
  int layers, n;
  const char *x = "input";
  gboolean head = sscanf (size, "L %d H %d", &layers, &n) == 2;
  int width;

  if (!head && sscanf (size, "%d layer, H %d", &layers, &n) != 2 &&
      sscanf (size, "%d layers, H %d", &layers, &n) != 2)
    return FALSE;

  width = head ? 32 : n;

  model_writer_input (net->w, "input", FLOAT, text (net, "%d,1,%d", steps (net), n));
  for (int i = 0; i < layers; i++)
    {
      char *h;

      model_writer_weight (net->w, text (net, "W%d", i), DIMS (1, 4 * n, n));
      model_writer_weight (net->w, text (net, "R%d", i), DIMS (1, 4 * n, n));
      model_writer_weight (net->w, text (net, "B%d", i), DIMS (1, 8 * n));
      h = lstm_layer (net, x, i, n);
      model_writer_integers (net->w, text (net, "axes%d", i), DIMS (1), (gint64[]){ 1 });
      x = node (net, "Squeeze", text (net, "%s axes%d", h, i));
    }
  finish (net, head ? linear (net, x, n, width, TRUE) : x,
          text (net, "%d,1,%d", steps (net), width));

  return TRUE;
}

/* A convolution of kernel 1 or more in @groups groups, without bias if @bias is false. */
static char *
grouped_conv (Net *net, const char *x, gint64 from, gint64 to, gint64 kernel, gint64 groups,
              gboolean bias)
{
  char *weight = text (net, "w%u", net->next);
  char *b = text (net, "b%u", net->next);

  model_writer_weight (net->w, weight, DIMS (to, from / groups, kernel));
  if (bias)
    model_writer_weight (net->w, b, DIMS (to));
  if (net->step && kernel > 1)
    x = with_state (net, x, from, kernel - 1);
  else
    model_writer_set_ints (net->w, "pads", 2, (gint64[]){ kernel - 1, 0 });
  model_writer_set_int (net->w, "group", groups);

  return node (net, "Conv",
               bias ? text (net, "%s %s %s", x, weight, b) : text (net, "%s %s", x, weight));
}

static gboolean
write_wavenet (Net *net, const char *size)
{
  int layers, n;
  char *x, *skip = NULL;

  if (sscanf (size, "%d layers, hidden %d", &layers, &n) != 2)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "1,1,%d", steps (net)));
  x = causal_conv (net, "input", 1, n, 1, 1);
  for (int i = 0; i < layers; i++)
    {
      char *both = causal_conv (net, x, n, 2 * n, 2, (gint64) 1 << i);
      char *a = node (net, "Tanh", part (net, both, 0, n));
      char *c = node (net, "Sigmoid", part (net, both, n, 2 * n));
      char *gated = node (net, "Mul", text (net, "%s %s", a, c));
      char *out = causal_conv (net, gated, n, n, 1, 1);

      skip = skip == NULL ? out : node (net, "Add", text (net, "%s %s", skip, out));
      if (i + 1 < layers)
        x = node (net, "Add", text (net, "%s %s", causal_conv (net, gated, n, n, 1, 1), x));
    }
  x = causal_conv (net, node (net, "Relu", skip), n, n, 1, 1);
  x = causal_conv (net, node (net, "Relu", x), n, 3, 1, 1);
  finish (net, x, text (net, "1,3,%d", steps (net)));

  return TRUE;
}

static gboolean
write_gru (Net *net, const char *size)
{
  int from, n, layers;
  char *h;

  if (sscanf (size, "in %d, H %d, %d layer", &from, &n, &layers) != 3 || layers != 1)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "%d,1,%d", steps (net), from));
  model_writer_weight (net->w, "W0", DIMS (1, 3 * n, from));
  model_writer_weight (net->w, "R0", DIMS (1, 3 * n, n));
  model_writer_weight (net->w, "B0", DIMS (1, 6 * n));
  model_writer_set_int (net->w, "hidden_size", n);
  model_writer_set_int (net->w, "linear_before_reset", 1);
  if (net->step)
    {
      model_writer_input (net->w, "h0", FLOAT, text (net, "1,1,%d", n));
      model_writer_output (net->w, "h0_next", FLOAT, text (net, "1,1,%d", n));
      model_writer_node (net->w, "GRU", "GRU_0", "input W0 R0 B0 - h0", "h_all h0_next");
      h = text (net, "h_all");
    }
  else
    {
      h = node (net, "GRU", "input W0 R0 B0");
    }
  model_writer_integers (net->w, "axes0", DIMS (1), (gint64[]){ 1 });
  finish (net, node (net, "Squeeze", text (net, "%s axes0", h)),
          text (net, "%d,1,%d", steps (net), n));

  return TRUE;
}

static char *
norm_relu (Net *net, const char *x, gint64 n)
{
  return node (net, "Relu", swap_last (net, rms_norm (net, swap_last (net, x), n)));
}

/* Other numbers of pairs than the published one have more or fewer of the width that repeats. */
static gboolean
write_mobilenet (Net *net, const char *size)
{
  static const int first[] = { 64, 128, 128, 256, 256 };
  guint n_pairs = 13;
  double width;
  gint64 n;
  char *x;

  if (sscanf (size, "width %lf, %u pairs", &width, &n_pairs) < 1)
    return FALSE;

  model_writer_input (net->w, "input", FLOAT, text (net, "1,3,%d", steps (net)));
  n = (gint64) (32 * width);
  x = norm_relu (net, grouped_conv (net, "input", 3, n, 3, 1, FALSE), n);
  for (guint i = 0; i < n_pairs; i++)
    {
      int last = i + 2 < n_pairs ? 512 : 1024;
      gint64 to = (gint64) ((i < G_N_ELEMENTS (first) ? first[i] : last) * width);

      x = norm_relu (net, grouped_conv (net, x, n, n, 3, n, FALSE), n);
      x = norm_relu (net, grouped_conv (net, x, n, to, 1, 1, FALSE), to);
      n = to;
    }
  finish (net, grouped_conv (net, x, n, 1000, 1, 1, TRUE), text (net, "1,1000,%d", steps (net)));

  return TRUE;
}

static gboolean
write_model (const char *model, const char *size, gboolean step, const char *path,
             int *streaming_axis, GError **error)
{
  g_auto (ModelWriter) w = { 0 };
  g_autoptr (GStringChunk) names = g_string_chunk_new (4096);
  Net net = { &w, names, 0, step };
  gboolean known = FALSE;

  model_writer_init (&w, model);
  *streaming_axis = -1;

  if (g_str_equal (model, "slp") || g_str_equal (model, "mlp"))
    known = write_mlp (&net, model, size);
  else if (g_str_has_prefix (model, "mlp_b"))
    known = write_batch (&net, size);
  else if (g_str_equal (model, "mlp-res-rms"))
    known = write_residual (&net, size);
  else if (g_str_equal (model, "ffn-swiglu"))
    known = write_swiglu (&net, size);
  else if (g_str_equal (model, "cnn") || g_str_has_prefix (model, "cnn_"))
    {
      known = g_str_equal (model, "cnn") ? write_cnn (&net, size) : write_plain_cnn (&net, size);
      *streaming_axis = 2;
    }
  else if (g_str_equal (model, "tcn") || g_str_equal (model, "wavenet") ||
           g_str_equal (model, "mobilenet"))
    {
      known = g_str_equal (model, "tcn")       ? write_tcn (&net, size)
              : g_str_equal (model, "wavenet") ? write_wavenet (&net, size)
                                               : write_mobilenet (&net, size);
      *streaming_axis = 2;
    }
  else if (g_str_equal (model, "gru"))
    {
      known = write_gru (&net, size);
      *streaming_axis = 0;
    }
  else if (g_str_equal (model, "lstm") || g_str_has_prefix (model, "lstm_"))
    {
      known = write_lstm (&net, size);
      *streaming_axis = 0;
    }

  if (!known)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "No calibration model '%s', '%s'",
                   model, size);
      return FALSE;
    }

  return model_writer_save (&w, path, OPSET, error);
}

/**
 * calibration_model_write:
 * @model: the first column of a row
 * @size: the second column
 * @path: where to write the ONNX file
 * @streaming_axis: (out): the axis of its input that is streamed, or -1
 * @error: return location for a #GError
 *
 * Writes the model that a row of a calibration table was measured on; weights come from a fixed
 * seed.
 *
 * Returns: whether it could be written
 */
gboolean
calibration_model_write (const char *model, const char *size, const char *path, int *streaming_axis,
                         GError **error)
{
  return write_model (model, size, FALSE, path, streaming_axis, error);
}

/**
 * calibration_model_write_step:
 * @model: the first column of a row
 * @size: the second column
 * @path: where to write the ONNX file
 * @error: return location for a #GError
 *
 * Writes the same model for one step of its sequence: what it has to remember comes in as `NAME`
 * and goes out as `NAME_next`. A model without a sequence is written as it is.
 *
 * Returns: whether it could be written
 */
gboolean
calibration_model_write_step (const char *model, const char *size, const char *path, GError **error)
{
  int axis;

  return write_model (model, size, TRUE, path, &axis, error);
}
