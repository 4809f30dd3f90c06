/* evaluate-models.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models of the usual sorts for the evaluator's benchmark: a residual network of 3 x 3
 * convolutions, a mobile one of depthwise and pointwise convolutions, and encoders of a transformer
 * as exporters write them.
 */
#include "evaluate-models.h"

#include <math.h>

#include "base/assay-error.h"
#include "model-writer.h"

#define FLOAT 1
#define OPSET 17

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
  GRand *rand;
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

static char *
node (Net *net, const char *op, const char *inputs)
{
  char *output = text (net, "%s_%u", op, net->next++);

  model_writer_node (net->w, op, output, inputs, output);

  return output;
}

static char *
binary (Net *net, const char *op, const char *a, const char *b)
{
  return node (net, op, text (net, "%s %s", a, b));
}

static char *
constant (Net *net, float value)
{
  char *name = text (net, "k%u", net->next++);

  model_writer_filled (net->w, name, 0, NULL, value);

  return name;
}

/* Weights that keep the size of what goes through: others make a network that blows up rounding. */
static void
weights (Net *net, const char *name, guint rank, const gint64 *dims)
{
  gsize n = 1, sum = 1;
  g_autofree float *values = NULL;
  double range;

  for (guint i = 0; i < rank; i++)
    {
      n *= (gsize) dims[i];
      sum *= i == 0 ? 1 : (gsize) dims[i];
    }
  range = sqrt (3.0 / (double) sum);
  values = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) g_rand_double_range (net->rand, -range, range);
  model_writer_floats (net->w, name, rank, dims, values);
}

static char *
convolve (Net *net, const char *x, gint64 from, gint64 to, gint64 kernel, gint64 stride,
          gint64 group)
{
  char *weight = text (net, "w%u", net->next);
  char *bias = text (net, "b%u", net->next);
  gint64 pad = kernel / 2;

  weights (net, weight, DIMS (to, from / group, kernel, kernel));
  model_writer_weight (net->w, bias, DIMS (to));
  model_writer_set_ints (net->w, "pads", 4, (gint64[]){ pad, pad, pad, pad });
  model_writer_set_ints (net->w, "strides", 2, (gint64[]){ stride, stride });
  model_writer_set_int (net->w, "group", group);

  return node (net, "Conv", text (net, "%s %s %s", x, weight, bias));
}

static void
finish (Net *net, const char *x, const char *shape)
{
  model_writer_node (net->w, "Identity", "finish", x, "output");
  model_writer_output (net->w, "output", FLOAT, shape);
}

static char *
pool (Net *net, const char *x, gint64 pad)
{
  model_writer_set_ints (net->w, "kernel_shape", 2, (gint64[]){ 3, 3 });
  model_writer_set_ints (net->w, "strides", 2, (gint64[]){ 2, 2 });
  model_writer_set_ints (net->w, "pads", 4, (gint64[]){ pad, pad, pad, pad });

  return node (net, "MaxPool", x);
}

static void
write_residual (Net *net)
{
  const char *x;
  gint64 from = 64;

  model_writer_input (net->w, "input", FLOAT, "1,3,224,224");
  x = node (net, "Relu", convolve (net, "input", 3, 64, 7, 2, 1));
  x = pool (net, x, 1);
  for (gint64 to = 64; to <= 512; to *= 2)
    {
      for (guint block = 0; block < 2; block++)
        {
          gint64 stride = from != to ? 2 : 1;
          const char *side = from != to ? convolve (net, x, from, to, 1, 2, 1) : x;
          char *h = node (net, "Relu", convolve (net, x, from, to, 3, stride, 1));

          x = node (net, "Relu", binary (net, "Add", convolve (net, h, to, to, 3, 1, 1), side));
          from = to;
        }
    }
  finish (net, node (net, "GlobalAveragePool", x), "1,512,1,1");
}

/* Parts that squeeze, and expand with 1 x 1 beside 3 x 3, joined. */
static void
write_squeeze (Net *net)
{
  const char *x;
  gint64 from = 64;

  model_writer_input (net->w, "input", FLOAT, "1,3,224,224");
  x = node (net, "Relu", convolve (net, "input", 3, 64, 3, 2, 1));
  for (gint64 i = 0; i < 8; i++)
    {
      gint64 squeeze = 16 * (i / 2 + 1), to = 4 * squeeze;
      const char *h, *narrow, *wide;

      if (i == 0 || i == 2 || i == 4)
        x = pool (net, x, 0);
      h = node (net, "Relu", convolve (net, x, from, squeeze, 1, 1, 1));
      narrow = node (net, "Relu", convolve (net, h, squeeze, to, 1, 1, 1));
      wide = node (net, "Relu", convolve (net, h, squeeze, to, 3, 1, 1));
      model_writer_set_int (net->w, "axis", 1);
      x = binary (net, "Concat", narrow, wide);
      from = 2 * to;
    }
  x = node (net, "Relu", convolve (net, x, from, 1000, 1, 1, 1));
  finish (net, node (net, "GlobalAveragePool", x), "1,1000,1,1");
}

static char *
clip (Net *net, const char *x)
{
  return node (net, "Clip", text (net, "%s %s %s", x, constant (net, 0.0f), constant (net, 6.0f)));
}

static void
write_mobile (Net *net)
{
  static const struct
  {
    gint64 expand, to, repeat, stride;
  } rows[] = {
    { 1, 16, 1, 1 }, { 6, 24, 2, 2 },  { 6, 32, 3, 2 },  { 6, 64, 4, 2 },
    { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 },
  };
  gint64 from = 32;
  const char *x;

  model_writer_input (net->w, "input", FLOAT, "1,3,224,224");
  x = clip (net, convolve (net, "input", 3, 32, 3, 2, 1));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      for (gint64 j = 0; j < rows[i].repeat; j++)
        {
          gint64 hidden = from * rows[i].expand, stride = j == 0 ? rows[i].stride : 1;
          const char *h = hidden != from ? clip (net, convolve (net, x, from, hidden, 1, 1, 1)) : x;

          h = clip (net, convolve (net, h, hidden, hidden, 3, stride, hidden));
          h = convolve (net, h, hidden, rows[i].to, 1, 1, 1);
          x = stride == 1 && from == rows[i].to ? binary (net, "Add", x, h) : h;
          from = rows[i].to;
        }
    }
  x = clip (net, convolve (net, x, from, 1280, 1, 1, 1));
  finish (net, node (net, "GlobalAveragePool", x), "1,1280,1,1");
}

static char *
linear (Net *net, const char *x, gint64 from, gint64 to)
{
  char *weight = text (net, "w%u", net->next);
  char *bias = text (net, "b%u", net->next);

  model_writer_weight (net->w, weight, DIMS (from, to));
  model_writer_weight (net->w, bias, DIMS (to));

  return binary (net, "Add", binary (net, "MatMul", x, weight), bias);
}

static char *
layer_norm (Net *net, const char *x, gint64 n)
{
  char *scale = text (net, "w%u", net->next);
  char *bias = text (net, "b%u", net->next);

  model_writer_filled (net->w, scale, DIMS (n), 1.0f);
  model_writer_weight (net->w, bias, DIMS (n));

  return node (net, "LayerNormalization", text (net, "%s %s %s", x, scale, bias));
}

static char *
reshape (Net *net, const char *x, guint rank, const gint64 *dims)
{
  char *shape = text (net, "s%u", net->next);

  model_writer_integers (net->w, shape, 1, (gint64[]){ rank }, dims);

  return binary (net, "Reshape", x, shape);
}

static char *
transpose (Net *net, const char *x, const gint64 *order)
{
  model_writer_set_ints (net->w, "perm", 4, order);

  return node (net, "Transpose", x);
}

static char *
gelu (Net *net, const char *x)
{
  char *erf = node (net, "Erf", binary (net, "Div", x, constant (net, 1.41421354f)));
  char *sum = binary (net, "Add", erf, constant (net, 1.0f));

  return binary (net, "Mul", binary (net, "Mul", x, sum), constant (net, 0.5f));
}

static void
write_encoder (Net *net, gint64 layers, gint64 n, gint64 heads, gint64 length)
{
  const gint64 split[4] = { 1, length, heads, n / heads }, joined[3] = { 1, length, n };
  const gint64 rows[4] = { 0, 2, 1, 3 }, columns[4] = { 0, 2, 3, 1 };
  char *shape = text (net, "1,%d,%d", (int) length, (int) n);
  const char *x = "input";

  model_writer_input (net->w, "input", FLOAT, shape);
  for (gint64 layer = 0; layer < layers; layer++)
    {
      char *q = transpose (net, reshape (net, linear (net, x, n, n), 4, split), rows);
      char *k = transpose (net, reshape (net, linear (net, x, n, n), 4, split), columns);
      char *v = transpose (net, reshape (net, linear (net, x, n, n), 4, split), rows);
      char *scores = binary (net, "Div", binary (net, "MatMul", q, k), constant (net, 8.0f));
      char *h;

      model_writer_set_int (net->w, "axis", -1);
      h = transpose (net, binary (net, "MatMul", node (net, "Softmax", scores), v), rows);
      h = linear (net, reshape (net, h, 3, joined), n, n);
      x = layer_norm (net, binary (net, "Add", h, x), n);
      h = linear (net, gelu (net, linear (net, x, n, 4 * n)), 4 * n, n);
      x = layer_norm (net, binary (net, "Add", h, x), n);
    }
  finish (net, x, shape);
}

/**
 * evaluate_model_write:
 * @name: `residual`, `mobile`, `squeeze`, `encoder-384` or `encoder-768`
 * @path: the file to write
 * @error: return location for a #GError
 *
 * Writes one of the models.
 *
 * Returns: whether it could be written
 */
gboolean
evaluate_model_write (const char *name, const char *path, GError **error)
{
  g_auto (ModelWriter) w = { 0 };
  g_autoptr (GStringChunk) names = g_string_chunk_new (4096);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  Net net = { &w, names, 0, rand };

  model_writer_init (&w, name);
  if (g_str_equal (name, "residual"))
    write_residual (&net);
  else if (g_str_equal (name, "squeeze"))
    write_squeeze (&net);
  else if (g_str_equal (name, "mobile"))
    write_mobile (&net);
  else if (g_str_equal (name, "encoder-384"))
    write_encoder (&net, 6, 384, 6, 128);
  else
    write_encoder (&net, 4, 768, 12, 128);

  return model_writer_save (&w, path, OPSET, error);
}
