/* machine-reference.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The calibration models in double, straight from the imported graph and the definitions of ONNX,
 * without the compiler or its kernels. With every element goes the sum of the magnitudes that made
 * it, which scales the error that fp32 may make.
 */
#include "machine-reference.h"

#include <math.h>
#include <string.h>

typedef struct
{
  guint rank;
  gint64 dims[8];
  gsize n;
  double *x;
  double *m; /* magnitudes */
} Array;

static gsize
array_resize (Array *self)
{
  self->n = 1;
  for (guint i = 0; i < self->rank; i++)
    self->n *= (gsize) self->dims[i];
  self->x = g_new0 (double, self->n + 1);
  self->m = g_new0 (double, self->n + 1);

  return self->n;
}

static Array
array_like_value (const AssayGraph *graph, AssayValueId id)
{
  const AssayType *type = assay_graph_value (graph, id)->type;
  Array array = { .rank = (guint) type->rank };

  for (guint i = 0; i < array.rank; i++)
    array.dims[i] = type->dims[i].size;
  array_resize (&array);

  return array;
}

static gsize
broadcast (const Array *from, const Array *to, gsize flat)
{
  gint64 index[8];
  gsize at = 0;

  for (guint i = to->rank; i-- > 0;)
    {
      index[i] = (gint64) (flat % (gsize) to->dims[i]);
      flat /= (gsize) to->dims[i];
    }
  for (guint i = 0; i < from->rank; i++)
    at = at * (gsize) from->dims[i] +
         (from->dims[i] == 1 ? 0 : (gsize) index[i + to->rank - from->rank]);

  return at;
}

static double
pointwise (AssayOp op, double a, double b, double c)
{
  switch (op)
    {
    case ASSAY_OP_Add:
      return a + b;
    case ASSAY_OP_Sub:
      return a - b;
    case ASSAY_OP_Mul:
      return a * b;
    case ASSAY_OP_Relu:
      return a > 0 ? a : 0;
    case ASSAY_OP_Exp:
      return exp (a);
    case ASSAY_OP_Tanh:
      return tanh (a);
    case ASSAY_OP_Sigmoid:
      return 1 / (1 + exp (-a));
    case ASSAY_OP_Softplus:
      return log1p (exp (a));
    case ASSAY_OP_Greater:
      return a > b;
    case ASSAY_OP_Where:
      return a != 0 ? b : c;
    case ASSAY_OP_Identity:
      return a;
    default:
      g_error ("the reference does not know %s", assay_op_name (op));
    }
}

static void
run_pointwise (const AssayNode *node, Array *arrays, Array *out)
{
  for (gsize i = 0; i < out->n; i++)
    {
      double v[3] = { 0 }, m = 0;

      for (guint j = 0; j < node->n_inputs; j++)
        {
          const Array *in = &arrays[node->inputs[j]];
          gsize at = broadcast (in, out, i);

          v[j] = in->x[at];
          m = node->op == ASSAY_OP_Mul && j == 1 ? fabs (v[0]) * in->m[at] + fabs (v[1]) * m
                                                 : m + in->m[at];
        }
      out->x[i] = pointwise (node->op, v[0], v[1], v[2]);
      out->m[i] = MAX (m, fabs (out->x[i]));
    }
}

static void
run_matmul (const AssayNode *node, Array *arrays, Array *out)
{
  const Array *a = &arrays[node->inputs[0]];
  const Array *w = &arrays[node->inputs[1]];
  gsize n_k = (gsize) w->dims[0];
  gsize n_o = (gsize) w->dims[1];

  for (gsize i = 0; i < out->n; i++)
    {
      for (gsize k = 0; k < n_k; k++)
        {
          out->x[i] += a->x[i / n_o * n_k + k] * w->x[k * n_o + i % n_o];
          out->m[i] += a->m[i / n_o * n_k + k] * fabs (w->x[k * n_o + i % n_o]);
        }
    }
}

static void
run_conv (const AssayNode *node, Array *arrays, Array *out)
{
  const Array *a = &arrays[node->inputs[0]];
  const Array *w = &arrays[node->inputs[1]];
  const Array *b = &arrays[node->inputs[2]];
  guint n;
  const gint64 *pads = assay_node_get_ints (node, "pads", &n);
  const gint64 *dilations = assay_node_get_ints (node, "dilations", &n);
  gint64 T = out->dims[2];

  for (gint64 o = 0; o < out->dims[1]; o++)
    {
      for (gint64 t = 0; t < T; t++)
        {
          double *x = &out->x[o * T + t];
          double *m = &out->m[o * T + t];

          *x = b->x[o];
          *m = fabs (b->x[o]);
          for (gint64 c = 0; c < w->dims[1]; c++)
            {
              for (gint64 k = 0; k < w->dims[2]; k++)
                {
                  gint64 at = t + k * dilations[0] - pads[0];
                  double weight = w->x[(o * w->dims[1] + c) * w->dims[2] + k];

                  if (at < 0 || at >= a->dims[2])
                    continue;
                  *x += weight * a->x[c * a->dims[2] + at];
                  *m += fabs (weight) * a->m[c * a->dims[2] + at];
                }
            }
        }
    }
}

static void
run_rms_norm (const AssayNode *node, Array *arrays, Array *out)
{
  const Array *a = &arrays[node->inputs[0]];
  const Array *g = &arrays[node->inputs[1]];
  gsize n = (gsize) a->dims[a->rank - 1];

  for (gsize row = 0; row < a->n / n; row++)
    {
      double sum = 0, scale, worst = 1;

      for (gsize i = 0; i < n; i++)
        {
          sum += a->x[row * n + i] * a->x[row * n + i];
          if (a->x[row * n + i] != 0)
            worst = MAX (worst, a->m[row * n + i] * fabs (a->x[row * n + i]));
        }
      scale = 1 / sqrt (sum / (double) n + assay_node_get_float (node, "epsilon"));
      for (gsize i = 0; i < n; i++)
        {
          out->x[row * n + i] = a->x[row * n + i] * scale * g->x[i];
          /* An error of one element changes the scale of all. */
          out->m[row * n + i] = fabs (g->x[i]) * scale *
                                (a->m[row * n + i] +
                                 fabs (a->x[row * n + i]) * worst * scale * scale);
        }
    }
}

static void
run_transpose (Array *in, Array *out)
{
  gint64 A = in->dims[1], B = in->dims[2];

  for (gint64 i = 0; i < A; i++)
    {
      for (gint64 j = 0; j < B; j++)
        {
          out->x[j * A + i] = in->x[i * B + j];
          out->m[j * A + i] = in->m[i * B + j];
        }
    }
}

static void
run_slice (const AssayNode *node, Array *arrays, Array *out)
{
  const Array *a = &arrays[node->inputs[0]];
  gsize start = (gsize) arrays[node->inputs[1]].x[0];

  memcpy (out->x, a->x + start, out->n * sizeof *out->x);
  memcpy (out->m, a->m + start, out->n * sizeof *out->m);
}

/* The recurrence damps errors, so a magnitude of one is enough for states between -1 and 1. */
static void
run_lstm (const AssayNode *node, Array *arrays, Array *out)
{
  const Array *x = &arrays[node->inputs[0]];
  const Array *w = &arrays[node->inputs[1]];
  const Array *r = &arrays[node->inputs[2]];
  const Array *b = &arrays[node->inputs[3]];
  gint64 H = r->dims[2], I = w->dims[2];
  g_autofree double *h = g_new0 (double, H);
  g_autofree double *c = g_new0 (double, H);
  g_autofree double *gates = g_new0 (double, 4 * H);

  for (gint64 t = 0; t < x->dims[0]; t++)
    {
      for (gint64 g = 0; g < 4 * H; g++)
        {
          gates[g] = b->x[g] + b->x[4 * H + g];
          for (gint64 i = 0; i < I; i++)
            gates[g] += w->x[g * I + i] * x->x[t * I + i];
          for (gint64 i = 0; i < H; i++)
            gates[g] += r->x[g * H + i] * h[i];
        }
      for (gint64 i = 0; i < H; i++)
        {
          c[i] = c[i] / (1 + exp (-gates[2 * H + i])) +
                 tanh (gates[3 * H + i]) / (1 + exp (-gates[i]));
          h[i] = tanh (c[i]) / (1 + exp (-gates[H + i]));
          out->x[t * H + i] = h[i];
          out->m[t * H + i] = 1;
        }
    }
}

static void
run_node (const AssayNode *node, Array *arrays, Array *out)
{
  Array *in = &arrays[node->inputs[0]];

  switch (node->op)
    {
    case ASSAY_OP_MatMul:
      run_matmul (node, arrays, out);
      break;
    case ASSAY_OP_Conv:
      run_conv (node, arrays, out);
      break;
    case ASSAY_OP_RMSNormalization:
      run_rms_norm (node, arrays, out);
      break;
    case ASSAY_OP_Transpose:
      run_transpose (in, out);
      break;
    case ASSAY_OP_Slice:
      run_slice (node, arrays, out);
      break;
    case ASSAY_OP_LSTM:
      run_lstm (node, arrays, out);
      break;
    case ASSAY_OP_Squeeze:
      memcpy (out->x, in->x, out->n * sizeof *out->x);
      memcpy (out->m, in->m, out->n * sizeof *out->m);
      break;
    default:
      run_pointwise (node, arrays, out);
      break;
    }
}

static void
read_constant (AssayTensor *tensor, Array *array)
{
  for (gsize i = 0; i < array->n; i++)
    {
      assay_tensor_get_element (tensor, i, &array->x[i], NULL);
      array->m[i] = fabs (array->x[i]);
    }
}

/* The machine takes and gives time steps; a model with channels before time wants them the other
 * way round. */
static void
swap (double *x, gint64 rows, gint64 columns)
{
  g_autofree double *copy = g_memdup2 (x, (gsize) (rows * columns) * sizeof *x);

  for (gint64 i = 0; i < rows; i++)
    {
      for (gint64 j = 0; j < columns; j++)
        x[j * rows + i] = copy[i * columns + j];
    }
}

/**
 * machine_reference:
 * @graph: a calibration model as imported
 * @axis: its axis of time, or -1
 * @input: the input in the order of the machine
 * @n_values: number of output values
 * @expected: (out): the output in the order of the machine
 * @magnitude: (out): what scales the error of each
 *
 * Evaluates a model in double.
 */
void
machine_reference (AssayGraph *graph, int axis, const float *input, gsize n_values,
                   double **expected, double **magnitude)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autofree Array *arrays = g_new0 (Array, assay_graph_n_values (graph));
  AssayValueId first = g_array_index (main->inputs, AssayValueId, 0);
  Array *result;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      arrays[id] = array_like_value (graph, id);
      if (assay_graph_is_constant (graph, id))
        read_constant (assay_graph_constant (graph, id), &arrays[id]);
    }

  for (gsize i = 0; i < arrays[first].n; i++)
    arrays[first].x[i] = input[i];
  if (axis == 2)
    swap (arrays[first].x, arrays[first].dims[2], arrays[first].dims[1]);
  for (gsize i = 0; i < arrays[first].n; i++)
    arrays[first].m[i] = fabs (arrays[first].x[i]);

  for (guint i = 0; i < main->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, g_array_index (main->nodes, AssayNodeId, i));

      run_node (node, arrays, &arrays[node->outputs[0]]);
    }

  result = &arrays[g_array_index (main->outputs, AssayValueId, 0)];
  g_assert_cmpuint (result->n, ==, n_values);
  if (axis == 2)
    {
      swap (result->x, result->dims[1], result->dims[2]);
      swap (result->m, result->dims[1], result->dims[2]);
    }
  *expected = g_memdup2 (result->x, n_values * sizeof (double));
  *magnitude = g_memdup2 (result->m, n_values * sizeof (double));

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      g_free (arrays[id].x);
      g_free (arrays[id].m);
    }
}
