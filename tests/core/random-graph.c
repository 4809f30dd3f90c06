/* random-graph.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random graphs of the operations that can be compiled, with shapes that fit; as text, so that a
 * failing one can be shown, and made smaller by taking statements away.
 */
#include "random-graph.h"

#include <string.h>

typedef struct
{
  guint rank;
  gint64 dims[4];
} Shape;

typedef struct
{
  char *text; /* NULL for an input */
  Shape shape;
  gboolean used; /* in the text */
  gboolean sums; /* whether its bits may depend on which axis is contiguous */
} Statement;

struct _RandomGraph
{
  GArray *statements; /* Statement: value %vI is made by statement I */
  GPtrArray *params;  /* char *: declarations; parameter %pI is the I-th */
  GRand *rand;
  guint output;
};

static void
statement_clear (gpointer data)
{
  g_free (((Statement *) data)->text);
}

static Statement *
statement (const RandomGraph *self, guint index)
{
  return &g_array_index (self->statements, Statement, index);
}

static gint64
below (RandomGraph *self, gint64 n)
{
  return g_rand_int_range (self->rand, 0, (gint32) n);
}

static gint64
count (const Shape *shape)
{
  gint64 n = 1;

  for (guint i = 0; i < shape->rank; i++)
    n *= shape->dims[i];

  return n;
}

static char *
shape_text (const Shape *shape)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < shape->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ",", shape->dims[i]);

  return g_string_free (text, FALSE);
}

/* Adds a statement; its text is what stands behind `%vI = `, and constants may stand before it, up
 * to a bar. */
static void emit (RandomGraph *self, Shape shape, gboolean sums, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

static void
emit (RandomGraph *self, Shape shape, gboolean sums, const char *format, ...)
{
  Statement added = { .shape = shape, .sums = sums };
  g_autofree char *text = NULL;
  const char *bar;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);

  bar = strchr (text, '|');
  added.text = bar == NULL ? g_strdup_printf ("%%v%u = %s", self->statements->len, text)
                           : g_strdup_printf ("%.*s%%v%u = %s", (int) (bar - text), text,
                                              self->statements->len, bar + 1);
  g_array_append_val (self->statements, added);
}

static guint
param (RandomGraph *self, guint rank, gint64 a, gint64 b, gint64 c, gint64 d)
{
  const Shape shape = { rank, { a, b, c, d } };
  g_autofree char *text = shape_text (&shape);

  g_ptr_array_add (self->params,
                   g_strdup_printf ("%%p%u : f32[%s] param", self->params->len, text));

  return self->params->len - 1;
}

static char *
ints (guint n, const gint64 *values)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ", ", values[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

/* One of a list of texts: the kinds of values that an attribute or an input can take. */
#define ONE_OF(self, ...)                                                                          \
  (((const char *const[]){                                                                         \
      __VA_ARGS__ })[below (self, G_N_ELEMENTS (((const char *const[]){ __VA_ARGS__ })))])

typedef void (*Maker) (RandomGraph *self, guint x, Shape shape);

static void
make_unary (RandomGraph *self, guint x, Shape shape)
{
  static const struct
  {
    const char *op;
    const char *attributes;
  } ops[] = {
    { "Relu" },
    { "Tanh" },
    { "Sigmoid" },
    { "Softplus" },
    { "Gelu" },
    { "Erf" },
    { "Neg" },
    { "Elu" },
    { "Elu", "alpha = 0.3" },
    { "Selu" },
    { "Selu", "alpha = 0.5, gamma = 2.0" },
    { "Celu" },
    { "Celu", "alpha = 0.5" },
    { "HardSigmoid" },
    { "HardSigmoid", "alpha = 0.7, beta = -0.1" },
    { "HardSwish" },
    { "Mish" },
    { "Swish" },
    { "Swish", "alpha = 0.5" },
    { "LeakyRelu" },
    { "LeakyRelu", "alpha = -0.5" },
    { "Exp" },
    { "Sqrt" },
    { "Reciprocal" },
    { "Identity" },
  };
  guint kind = (guint) below (self, G_N_ELEMENTS (ops));

  emit (self, shape, FALSE, "%s(%%v%u) {%s}", ops[kind].op, x,
        ops[kind].attributes == NULL ? "" : ops[kind].attributes);
}

static void
make_binary (RandomGraph *self, guint x, Shape shape)
{
  static const char *const ops[] = { "Add", "Sub", "Mul", "Max", "Min", "Sum", "Mean", "Div" };
  const char *op = ops[below (self, G_N_ELEMENTS (ops))];
  gint64 last = shape.rank == 0 ? 1 : shape.dims[shape.rank - 1];

  for (guint try = 0; try < 4; try++)
    {
      guint y = (guint) below (self, self->statements->len);

      if (memcmp (&statement (self, y)->shape, &shape, sizeof shape) != 0)
        continue;
      if (below (self, 4) == 0)
        emit (self, shape, FALSE, "%%u%u = Greater(%%v%u, %%v%u) |Where(%%u%u, %%v%u, %%v%u)",
              self->statements->len, x, y, self->statements->len, x, y);
      else
        emit (self, shape, FALSE, "%s(%%v%u, %%v%u)", op, x, y);
      return;
    }

  emit (self, shape, FALSE, "%s(%%v%u, %%p%u)", op, x,
        param (self, 1, below (self, 2) == 0 ? 1 : last, 0, 0, 0));
}

static void
make_clip (RandomGraph *self, guint x, Shape shape)
{
  guint id = self->statements->len;

  if (below (self, 2) == 0)
    {
      const char *low = ONE_OF (self, "c", "c", "");
      const char *high = ONE_OF (self, "d", "d", "");
      g_autofree char *first = *low == 0 ? g_strdup ("_") : g_strdup_printf ("%%c%u", id);
      g_autofree char *last = *high == 0 ? g_strdup ("") : g_strdup_printf (", %%d%u", id);

      emit (self, shape, FALSE,
            "const %%c%u : f32[] = [-0.3] const %%d%u : f32[] = [0.9] |Clip(%%v%u, %s%s)", id, id,
            x, first, last);
    }
  else
    emit (self, shape, FALSE, "const %%c%u : f32[] = [%d.0] |Pow(%%v%u, %%c%u)", id,
          2 + (int) below (self, 2), x, id);
}

static void
make_gemm (RandomGraph *self, guint x, Shape shape, gint64 last)
{
  gint64 rows = shape.dims[0], n = shape.dims[1];
  gboolean turned = below (self, 2) == 0;
  guint weight = turned ? param (self, 2, n, last, 0, 0) : param (self, 2, last, n, 0, 0);
  g_autofree char *bias = NULL;

  switch (below (self, 5))
    {
    case 0:
      bias = g_strdup ("");
      break;
    case 1:
      bias = g_strdup_printf (", %%p%u", param (self, 1, 1, 0, 0, 0));
      break;
    case 2:
      bias = g_strdup_printf (", %%p%u", param (self, 2, 1, n, 0, 0));
      break;
    case 3:
      bias = g_strdup_printf (", %%p%u", param (self, 2, rows, 1, 0, 0));
      break;
    default:
      bias = g_strdup_printf (", %%p%u", param (self, 1, n, 0, 0, 0));
      break;
    }

  emit (self, shape, FALSE, "Gemm(%%v%u, %%p%u%s) {transB = %d%s}", x, weight, bias, turned,
        ONE_OF (self, "", ", alpha = 0.5", ", alpha = 0.5, beta = 1.5", ", beta = 0.0"));
}

static void
make_product (RandomGraph *self, guint x, Shape shape)
{
  gint64 n = 1 + below (self, 80);
  gint64 last;

  if (shape.rank == 0)
    return;
  last = shape.dims[shape.rank - 1];
  shape.dims[shape.rank - 1] = n;
  if (shape.rank == 2 && below (self, 3) == 0)
    make_gemm (self, x, shape, last);
  else if (shape.rank == 2 && below (self, 4) == 0)
    emit (self, (Shape){ 2, { n, last } }, FALSE, "MatMul(%%p%u, %%v%u)",
          param (self, 2, n, statement (self, x)->shape.dims[0], 0, 0), x);
  else
    emit (self, shape, FALSE, "MatMul(%%v%u, %%p%u)", x, param (self, 2, last, n, 0, 0));
}

static void
make_dynamic (RandomGraph *self, guint x, Shape shape)
{
  guint y = (guint) below (self, self->statements->len);
  Shape other = statement (self, y)->shape;

  if (shape.rank != 2 || other.rank != 2 || shape.dims[1] != other.dims[0])
    return;
  shape.dims[1] = other.dims[1];
  emit (self, shape, FALSE, "MatMul(%%v%u, %%v%u)", x, y);
}

/* What is given as the value of a Pad: nothing, zero, or something else. */
static char *
pad_value (RandomGraph *self, guint id, const char **input)
{
  const char *value = ONE_OF (self, "", "0.0", "-0.0", "0.5", "-2.0");
  g_autofree char *name = g_strdup_printf (", %%z%u", id);

  *input = *value == 0 ? "" : g_intern_string (name);

  return *value == 0 ? g_strdup ("") : g_strdup_printf ("const %%z%u : f32[] = [%s] ", id, value);
}

/* A Pad in front of the first spatial axis, and the bar that ends what comes before. */
static char *
pad_ahead (RandomGraph *self, guint id, guint x, guint rank, gint64 ahead)
{
  const char *input;
  g_autofree char *value = pad_value (self, id, &input);
  gint64 pads[8] = { 0, 0, ahead };
  g_autofree char *list = ints (2 * rank, pads);

  return g_strdup_printf ("%sconst %%c%u : i64[%u] = %s %%q%u = Pad(%%v%u, %%c%u%s) |", value, id,
                          2 * rank, list, id, x, id, input);
}

static void
make_conv (RandomGraph *self, guint x, Shape shape)
{
  gint64 channels = shape.dims[1];
  gint64 group = below (self, 3) == 0                        ? channels
                 : channels % 3 == 0 && below (self, 3) == 0 ? 3
                                                             : 1;
  gint64 n = group == channels ? channels : group * (1 + below (self, 20));
  gint64 kernel = 1 + below (self, 4), dilation = 1 + below (self, 3);
  gint64 stride = below (self, 4) == 0 ? 2 : 1;
  gint64 pad = below (self, 4) == 0 ? below (self, 3) : (kernel - 1) * dilation;
  gint64 extent, ahead;
  guint id = self->statements->len;
  g_autofree char *source = NULL, *before = NULL, *bias = NULL;

  if (shape.rank < 3)
    return;
  /* A part of the padding, or all of it, may be a node in front. */
  ahead = below (self, 3) == 0 ? below (self, pad + 1) : 0;
  before = ahead == 0 ? g_strdup ("") : pad_ahead (self, id, x, shape.rank, ahead);
  source = ahead == 0 ? g_strdup_printf ("%%v%u", x) : g_strdup_printf ("%%q%u", id);
  extent = shape.dims[2] + pad - (kernel - 1) * dilation;
  if (extent < 1)
    return;

  shape.dims[1] = n;
  shape.dims[2] = (extent - 1) / stride + 1;
  bias = below (self, 3) == 0 ? g_strdup ("")
                              : g_strdup_printf (", %%p%u", param (self, 1, n, 0, 0, 0));
  if (shape.rank == 3)
    emit (self, shape, FALSE,
          "%sConv(%s, %%p%u%s) {group = %d, pads = [%d, 0], dilations = [%d], strides = [%d]}",
          before, source, param (self, 3, n, channels / group, kernel, 0), bias, (int) group,
          (int) (pad - ahead), (int) dilation, (int) stride);
  else
    emit (self, shape, FALSE,
          "%sConv(%s, %%p%u%s) {group = %d, pads = [%d, 1, 0, 1], dilations = [%d, 1], strides = "
          "[%d, 1]}",
          before, source, param (self, 4, n, channels / group, kernel, 3), bias, (int) group,
          (int) (pad - ahead), (int) dilation, (int) stride);
}

static void
make_recurrent (RandomGraph *self, guint x, Shape shape)
{
  static const struct
  {
    const char *op;
    guint gates;
  } layers[] = { { "LSTM", 4 }, { "GRU", 3 }, { "RNN", 1 } };
  guint kind = (guint) below (self, G_N_ELEMENTS (layers));
  gint64 n = 1 + below (self, 40), rows = n * layers[kind].gates;
  gint64 n_in = shape.dims[2];
  gint64 batch;
  guint id = self->statements->len, result, axis;
  g_autofree char *bias = NULL;
  g_auto (GStrv) states = g_new0 (char *, 3);

  if (shape.rank != 3 || shape.dims[0] > 12)
    return;
  shape.dims[2] = n;
  batch = shape.dims[1];
  bias = below (self, 3) == 0 ? g_strdup (", _")
                              : g_strdup_printf (", %%p%u", param (self, 2, 1, 2 * rows, 0, 0));
  for (guint i = 0; i < 2; i++)
    states[i] = i > (guint) (kind == 0) || below (self, 3) != 0
                    ? g_strdup (i == 0 ? ", _" : "")
                    : g_strdup_printf (", %%p%u", param (self, 3, 1, batch, n, 0));
  result = below (self, 6) == 0 ? 1 + (guint) below (self, kind == 0 ? 2 : 1) : 0;
  axis = result == 0 ? 1 : 0;
  if (result > 0)
    shape = (Shape){ 2, { batch, n } };
  emit (self, shape, FALSE,
        "const %%c%u : i64[1] = [%u] %s%%t%u = %s(%%v%u, %%p%u, %%p%u%s, _%s%s) "
        "{hidden_size = %d, direction = \"%s\"%s} |Squeeze(%%t%u, %%c%u)",
        id, axis,
        result == 0   ? ""
        : result == 1 ? "_, "
                      : "_, _, ",
        id, layers[kind].op, x, param (self, 3, 1, rows, n_in, 0), param (self, 3, 1, rows, n, 0),
        bias, states[0], states[1], (int) n, below (self, 4) == 0 ? "reverse" : "forward",
        kind == 1   ? ONE_OF (self, "", ", linear_before_reset = 1")
        : kind == 2 ? ONE_OF (self, "", ", activations = [\"Relu\"]")
                    : "",
        id, id);
}

/* One value for each element of the last axis, or of some more at the end. */
static guint
trailing_param (RandomGraph *self, const Shape *shape)
{
  guint n = below (self, 2) == 0 ? 1 : 1 + (guint) below (self, shape->rank);
  const gint64 *dims = shape->dims + shape->rank - n;

  return param (self, n, dims[0], n > 1 ? dims[1] : 0, n > 2 ? dims[2] : 0, n > 3 ? dims[3] : 0);
}

static void
make_normalization (RandomGraph *self, guint x, Shape shape)
{
  const char *epsilon = ONE_OF (self, "", ", epsilon = 0.5");
  g_autofree char *bias = NULL;
  gint64 channels;

  if (shape.rank == 0)
    return;
  channels = shape.rank > 1 ? shape.dims[1] : 1;
  switch (below (self, 5))
    {
    case 0:
      bias = below (self, 3) == 0 ? g_strdup ("")
                                  : g_strdup_printf (", %%p%u", trailing_param (self, &shape));
      emit (self, shape, TRUE, "LayerNormalization(%%v%u, %%p%u%s) {axis = -1%s}", x,
            trailing_param (self, &shape), bias, epsilon);
      break;
    case 1:
      emit (self, shape, TRUE, "RMSNormalization(%%v%u, %%p%u) {axis = -1%s}", x,
            trailing_param (self, &shape), epsilon);
      break;
    case 2:
      emit (self, shape, TRUE, "Softmax(%%v%u) {axis = %d}", x, (int) below (self, shape.rank));
      break;
    case 3:
      if (shape.rank > 2)
        emit (self, shape, TRUE, "InstanceNormalization(%%v%u, %%p%u, %%p%u)", x,
              param (self, 1, channels, 0, 0, 0), param (self, 1, channels, 0, 0, 0));
      break;
    default:
      if (shape.rank > 2)
        emit (self, shape, TRUE, "GroupNormalization(%%v%u, %%p%u, %%p%u) {num_groups = %d}", x,
              param (self, 1, channels, 0, 0, 0), param (self, 1, channels, 0, 0, 0),
              channels % 2 == 0 ? 2 : 1);
      break;
    }
}

static void
make_reduction (RandomGraph *self, guint x, Shape shape)
{
  static const char *const ops[] = { "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin",
                                     "ReduceL2" };
  gint64 axis = below (self, MAX (shape.rank, 1));
  gboolean keep = below (self, 3) != 0;
  const char *op = ops[below (self, G_N_ELEMENTS (ops))];
  guint id = self->statements->len;

  if (shape.rank == 0)
    return;
  if (shape.rank == 3 && below (self, 2) == 0)
    {
      gint64 kernel = 1 + below (self, MIN (shape.dims[2], 3));

      shape.dims[2] -= kernel - 1;
      emit (self, shape, TRUE, "%s(%%v%u) {kernel_shape = [%d]}",
            below (self, 2) == 0 ? "MaxPool" : "AveragePool", x, (int) kernel);
      return;
    }

  shape.dims[axis] = 1;
  if (!keep)
    {
      for (guint i = (guint) axis; i + 1 < shape.rank; i++)
        shape.dims[i] = shape.dims[i + 1];
      shape.dims[--shape.rank] = 0;
    }
  emit (self, shape, TRUE, "const %%c%u : i64[1] = [%d] |%s(%%v%u, %%c%u) {keepdims = %d}", id,
        (int) axis, op, x, id, keep);
}

static void
make_view (RandomGraph *self, guint x, Shape shape)
{
  Shape out = shape;
  guint id = self->statements->len;
  gint64 perm[4];
  guint axis = (guint) below (self, MAX (shape.rank, 1));
  g_autofree char *list = NULL;

  if (shape.rank == 0)
    return;
  switch (below (self, 7))
    {
    case 0:
      for (guint i = 0; i < shape.rank; i++)
        perm[i] = i;
      for (guint i = shape.rank; i-- > 1;)
        {
          guint j = (guint) below (self, i + 1);
          gint64 swap = perm[i];

          perm[i] = perm[j];
          perm[j] = swap;
        }
      for (guint i = 0; i < shape.rank; i++)
        out.dims[i] = shape.dims[perm[i]];
      list = ints (shape.rank, perm);
      emit (self, out, FALSE, "Transpose(%%v%u) {perm = %s}", x, list);
      break;
    case 1:
      out = (Shape){ 2,
                     { count (&shape) / shape.dims[shape.rank - 1], shape.dims[shape.rank - 1] } };
      if (below (self, 3) == 0)
        out = (Shape){ 1, { count (&shape) } };
      list = ints (out.rank, out.dims);
      emit (self, out, FALSE, "const %%c%u : i64[%u] = %s |Reshape(%%v%u, %%c%u)", id, out.rank,
            list, x, id);
      break;
    case 2:
      {
        gint64 from = below (self, shape.dims[axis]);

        out.dims[axis] = 1 + below (self, shape.dims[axis] - from);
        emit (self, out, FALSE,
              "const %%c%u : i64[1] = [%d] const %%d%u : i64[1] = [%d] const %%e%u : i64[1] = [%u] "
              "|Slice(%%v%u, %%c%u, %%d%u, %%e%u)",
              id, (int) from, id, (int) (from + out.dims[axis]), id, axis, x, id, id, id);
        break;
      }
    case 3:
      out.dims[axis] = 2 * shape.dims[axis];
      if (count (&out) < 3000)
        emit (self, out, FALSE, "Concat(%%v%u, %%v%u) {axis = %u}", x, x, axis);
      break;
    case 4:
      if (shape.rank == 4)
        break;
      memmove (out.dims + axis + 1, out.dims + axis, (shape.rank - axis) * sizeof *out.dims);
      out.dims[axis] = 1;
      out.rank++;
      emit (self, out, FALSE, "const %%c%u : i64[1] = [%u] |Unsqueeze(%%v%u, %%c%u)", id, axis, x,
            id);
      break;
    case 5:
      out.dims[axis] = 2;
      emit (self, out, FALSE, "const %%c%u : i64[2] = [%d, 0] |Gather(%%v%u, %%c%u) {axis = %u}",
            id, (int) below (self, shape.dims[axis]), x, id, axis);
      break;
    default:
      {
        gint64 pads[8] = { 0 };
        g_autofree char *value = NULL;
        const char *input;

        pads[axis] = below (self, 3);
        pads[shape.rank + axis] = below (self, 2);
        out.dims[axis] += pads[axis] + pads[shape.rank + axis];
        list = ints (2 * shape.rank, pads);
        value = pad_value (self, id, &input);
        emit (self, out, FALSE, "%sconst %%c%u : i64[%u] = %s |Pad(%%v%u, %%c%u%s)", value, id,
              2 * shape.rank, list, x, id, input);
        break;
      }
    }
}

static void
make_split (RandomGraph *self, guint x, Shape shape)
{
  guint axis = (guint) below (self, MAX (shape.rank, 1));
  gint64 first;
  guint id = self->statements->len;

  if (shape.rank == 0 || shape.dims[axis] < 2)
    return;
  first = 1 + below (self, shape.dims[axis] - 1);
  shape.dims[axis] = first;
  emit (self, shape, FALSE,
        "const %%c%u : i64[2] = [%d, %d] %%s%u, %%t%u = Split(%%v%u, %%c%u) {axis = %u} "
        "|Identity(%%%c%u)",
        id, (int) first, (int) (statement (self, x)->shape.dims[axis] - first), id, id, x, id, axis,
        2 * first == statement (self, x)->shape.dims[axis] ? 't' : 's', id);
}

/* Two values side by side, one of them perhaps a constant. */
static void
make_concat (RandomGraph *self, guint x, Shape shape)
{
  guint axis = (guint) below (self, MAX (shape.rank, 1));
  guint y = (guint) below (self, self->statements->len);
  Shape other = statement (self, y)->shape;
  Shape out = shape;

  if (shape.rank == 0)
    return;
  if (shape.rank == 2 && below (self, 2) == 0)
    {
      gint64 n = 1 + below (self, 30);

      out.dims[axis] += n;
      emit (self, out, FALSE, "Concat(%%p%u, %%v%u) {axis = %u}",
            param (self, 2, axis == 0 ? n : shape.dims[0], axis == 1 ? n : shape.dims[1], 0, 0), x,
            axis);
      return;
    }
  for (guint i = 0; i < shape.rank; i++)
    {
      if (other.rank != shape.rank || (i != axis && other.dims[i] != shape.dims[i]))
        return;
    }
  out.dims[axis] += other.dims[axis];
  emit (self, out, FALSE, "Concat(%%v%u, %%v%u) {axis = %u}", y, x, axis);
}

static void
make_channelwise (RandomGraph *self, guint x, Shape shape)
{
  gint64 channels = shape.dims[1];

  if (shape.rank < 2)
    return;
  if (below (self, 2) == 0)
    emit (self, shape, FALSE, "PRelu(%%v%u, %%p%u)", x,
          param (self, 1, shape.dims[shape.rank - 1], 0, 0, 0));
  else
    emit (self, shape, FALSE,
          "BatchNormalization(%%v%u, %%p%u, %%p%u, %%p%u, %%p%u) {epsilon = 0.9}", x,
          param (self, 1, channels, 0, 0, 0), param (self, 1, channels, 0, 0, 0),
          param (self, 1, channels, 0, 0, 0), param (self, 1, channels, 0, 0, 0));
}

static void
make_expand (RandomGraph *self, guint x, Shape shape)
{
  guint axis = (guint) below (self, MAX (shape.rank, 1));
  guint id = self->statements->len;
  g_autofree char *list = NULL;

  if (shape.rank == 0 || shape.dims[axis] != 1)
    return;
  shape.dims[axis] = 1 + below (self, 6);
  list = ints (shape.rank, shape.dims);
  emit (self, shape, FALSE, "const %%c%u : i64[%u] = %s |Expand(%%v%u, %%c%u)", id, shape.rank,
        list, x, id);
}

static void
add_input (RandomGraph *self, Shape shape)
{
  Statement input = { .shape = shape };

  g_array_append_val (self->statements, input);
}

static RandomGraph *
empty (void)
{
  RandomGraph *self = g_new0 (RandomGraph, 1);

  self->statements = g_array_new (FALSE, TRUE, sizeof (Statement));
  g_array_set_clear_func (self->statements, statement_clear);
  self->params = g_ptr_array_new_with_free_func (g_free);

  return self;
}

static void
mark (RandomGraph *self)
{
  for (guint i = 0; i < self->statements->len; i++)
    statement (self, i)->used = i == self->output;

  for (guint i = self->statements->len; i-- > 0;)
    {
      for (guint j = 0; j < i && statement (self, i)->used && statement (self, i)->text != NULL;
           j++)
        {
          g_autofree char *name = g_strdup_printf ("%%v%u", j);
          const char *at = statement (self, i)->text;

          while ((at = strstr (at, name)) != NULL)
            {
              at += strlen (name);
              if (!g_ascii_isdigit (*at))
                statement (self, j)->used = TRUE;
            }
        }
    }
}

/**
 * random_graph_new:
 * @rand: where it comes from
 *
 * Makes a random graph of one to ten operations.
 *
 * Returns: (transfer full): the graph
 */
RandomGraph *
random_graph_new (GRand *rand)
{
  static const Maker makers[] = {
    make_unary,     make_unary,         make_binary,      make_binary, make_clip,
    make_product,   make_product,       make_dynamic,     make_conv,   make_conv,
    make_recurrent, make_normalization, make_reduction,   make_view,   make_view,
    make_split,     make_concat,        make_channelwise, make_expand,
  };
  RandomGraph *self = empty ();
  Shape shape = { 0 };
  guint n;

  self->rand = rand;
  shape.rank = (guint) g_rand_int_range (rand, 1, 5);
  for (guint i = 0; i < shape.rank; i++)
    shape.dims[i] = i == 0 && below (self, 2) == 0
                        ? 1
                        : 1 + below (self, shape.rank > 3 ? 8 : 100 / (2 * shape.rank));
  add_input (self, shape);
  if (below (self, 3) == 0)
    add_input (self, shape);

  n = self->statements->len + 1 + (guint) below (self, 10);
  for (guint try = 0; try < 60 && self->statements->len < n; try++)
    {
      guint x = self->statements->len - 1 -
                (below (self, 3) == 0 ? (guint) below (self, self->statements->len) : 0);

      if (count (&statement (self, x)->shape) < 4000)
        makers[below (self, G_N_ELEMENTS (makers))](self, x, statement (self, x)->shape);
    }
  self->output = self->statements->len - 1;
  mark (self);

  return self;
}

void
random_graph_free (RandomGraph *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->statements);
  g_ptr_array_unref (self->params);
  g_free (self);
}

/**
 * random_graph_to_text:
 * @self: a graph
 *
 * Writes the main region as NNIR text.
 *
 * Returns: (transfer full): the text
 */
char *
random_graph_to_text (const RandomGraph *self)
{
  GString *text = g_string_new ("(");
  g_autoptr (GString) body = g_string_new (NULL);
  gboolean first = TRUE;

  for (guint i = 0; i < self->statements->len; i++)
    {
      g_autofree char *dims = shape_text (&statement (self, i)->shape);

      if (!statement (self, i)->used)
        continue;
      if (statement (self, i)->text != NULL)
        {
          g_string_append_printf (body, "  %s\n", statement (self, i)->text);
          continue;
        }
      g_string_append_printf (text, "%s%%v%u : f32[%s]", first ? "" : ", ", i, dims);
      first = FALSE;
    }

  for (guint i = 0; i < self->params->len; i++)
    {
      g_autofree char *before = g_strdup_printf ("%%p%u,", i);
      g_autofree char *last = g_strdup_printf ("%%p%u)", i);

      if (strstr (body->str, before) != NULL || strstr (body->str, last) != NULL)
        g_string_append_printf (text, ", %s", (const char *) g_ptr_array_index (self->params, i));
    }
  g_string_append_printf (text, ") {\n%s  return %%v%u\n}", body->str, self->output);

  return g_string_free (text, FALSE);
}

/**
 * random_graph_has_sums:
 * @self: a graph
 *
 * Tells whether it has sums whose order is another one over lanes than over vectors.
 *
 * Returns: whether it has
 */
gboolean
random_graph_has_sums (const RandomGraph *self)
{
  for (guint i = 0; i < self->statements->len; i++)
    {
      if (statement (self, i)->used && statement (self, i)->sums)
        return TRUE;
    }

  return FALSE;
}

/* Lets readers of one value read another one of the same shape. */
static void
bypass (RandomGraph *self, guint from, guint to)
{
  g_autofree char *pattern = g_strdup_printf ("%%v%u\\b(?! =)", from);
  g_autofree char *replacement = g_strdup_printf ("%%v%u", to);
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);

  for (guint i = from + 1; i < self->statements->len; i++)
    {
      char *text = statement (self, i)->text;

      if (text == NULL)
        continue;
      statement (self, i)->text = g_regex_replace_literal (regex, text, -1, 0, replacement, 0,
                                                           NULL);
      g_free (text);
    }
}

/**
 * random_graph_smaller:
 * @self: a graph
 * @attempt: which of the ways to make it smaller
 *
 * Takes something away: what stands behind a value, or a value for which another one can stand.
 *
 * Returns: (transfer full) (nullable): the smaller graph, or %NULL if there is no such way
 */
RandomGraph *
random_graph_smaller (const RandomGraph *self, guint attempt)
{
  guint n = self->statements->len;
  guint value = attempt % n, other = attempt / n;
  RandomGraph *result;

  if (other > n)
    return NULL;

  result = empty ();
  result->output = self->output;
  for (guint i = 0; i < n; i++)
    {
      Statement copy = *statement (self, i);

      copy.text = g_strdup (copy.text);
      g_array_append_val (result->statements, copy);
    }
  for (guint i = 0; i < self->params->len; i++)
    g_ptr_array_add (result->params, g_strdup (g_ptr_array_index (self->params, i)));

  if (other == 0 && statement (self, value)->text != NULL && value < self->output)
    result->output = value;
  else if (other > 0 && other - 1 < value && statement (self, value)->used &&
           statement (self, value)->text != NULL &&
           memcmp (&statement (self, value)->shape, &statement (self, other - 1)->shape,
                   sizeof (Shape)) == 0 &&
           value != self->output)
    bypass (result, value, other - 1);
  mark (result);

  return result;
}
