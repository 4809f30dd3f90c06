/* assay-lower-conv.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions in one and two dimensions. Each tap is a product with a matrix; a group has matrices
 * of its own, since zeros in their place would turn infinities into NaN. Taps come in row-major
 * order, so that those of a streamed axis go from the oldest to the newest.
 */
#include "backend/stream/compile/assay-lower-private.h"
#include "nnir/assay-node-window.h"

/* Weights whose taps lie in the first cache together. */
#define PLACES 64

/* What computes one group of channels. A depthwise convolution has one group of all channels, a
 * product per lane. */
typedef struct
{
  guint32 first_in;
  guint32 n_in;
  guint32 n_out;
  gboolean depthwise;
  guint32 *matrices;
  AssayLirOperand *scales;
  AssayLirOperand bias;
  AssayLirId
      *sources; /* per vector of the input: the channels of the group, when first asked for */
  AssayLirId *windows; /* the same, old ones */
} Group;

typedef struct
{
  AssayNodeWindow window;
  gsize n_taps;
  gint64 n_channel_groups;
  guint n_groups;
  Group *groups;
  guint32 layer;
  int time; /* the axis that became time, or -1 */
} Conv;

static void
conv_clear (Conv *conv)
{
  for (guint g = 0; conv->groups != NULL && g < conv->n_groups; g++)
    {
      g_free (conv->groups[g].matrices);
      g_free (conv->groups[g].scales);
      g_free (conv->groups[g].sources);
      g_free (conv->groups[g].windows);
    }
  g_free (conv->groups);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Conv, conv_clear)

static gboolean
read_window (AssayLower *self, AssayTensor *weight, Conv *conv, GError **error)
{
  AssayNodeWindow *window = &conv->window;
  AssayAttrFault fault;

  if (!assay_node_read_window (self->node, assay_tensor_get_rank (weight) - 2, window, &fault))
    return assay_lower_refuse (self, error, "attribute %s: %s", fault.attribute, fault.text);

  conv->n_channel_groups = assay_node_get_int (self->node, "group");
  conv->n_taps = 1;
  for (guint i = 0; i < window->n; i++)
    {
      window->kernel[i] = assay_tensor_get_dims (weight)[i + 2];
      conv->n_taps *= (gsize) window->kernel[i];
      assay_node_window_resolve (window, i, assay_lower_input (self, 0)->dims[i + 2]);
    }

  return TRUE;
}

/* Weights of one place have their taps side by side, and a tap has a matrix of its own: as many
 * places at a time as lie in the first cache. */
static inline void
part_taps (const AssayLooseFloat *values, gsize n, gsize n_taps, float **matrices)
{
  for (gsize begin = 0; begin < n; begin += PLACES)
    {
      const AssayLooseFloat *places = values + begin * n_taps;
      gsize end = MIN (PLACES, n - begin);

      for (gsize tap = 0; tap < n_taps; tap++)
        {
          float *matrix = matrices[tap] + begin;

          for (gsize i = 0; i < end; i++)
            matrix[i] = places[i * n_taps + tap];
        }
    }
}

static void
add_matrices (AssayLower *self, const Conv *conv, Group *group, const AssayLooseFloat *values)
{
  gsize n = (gsize) group->n_out * group->n_in;
  g_autofree float **matrices = g_new (float *, conv->n_taps);

  for (gsize tap = 0; tap < conv->n_taps; tap++)
    matrices[tap] = assay_lower_new_matrix (group->n_out, group->n_in);
  /* Known distances are taken many at a time. */
  if (conv->n_taps == 2)
    part_taps (values, n, 2, matrices);
  else
    part_taps (values, n, conv->n_taps, matrices);

  for (gsize tap = 0; tap < conv->n_taps; tap++)
    group->matrices[tap] = assay_lower_add_matrix (self, group->n_out, group->n_in, matrices[tap]);
}

static AssayLirOperand
tap_scale (AssayLower *self, const Conv *conv, const Group *group, const AssayLooseFloat *values,
           gsize tap)
{
  g_autofree float *lanes = g_new (float, group->n_out);

  for (guint32 i = 0; i < group->n_out; i++)
    lanes[i] = values[i * conv->n_taps + tap];

  return (AssayLirOperand){ .kind = ASSAY_LIR_CONSTANT,
                            .id = assay_lir_add_constant (self->lir, group->n_out, lanes) };
}

static void
prepare_groups (AssayLower *self, const AssayLooseFloat *values, const float *bias, Conv *conv)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  guint32 n_in = x->lanes;
  guint32 n_out = assay_lower_output (self, 0)->lanes;
  gboolean depthwise = conv->n_channel_groups == n_in && n_out == n_in && n_in > 1;

  conv->n_groups = depthwise ? 1 : (guint) conv->n_channel_groups;
  conv->groups = g_new0 (Group, conv->n_groups);
  for (guint g = 0; g < conv->n_groups; g++)
    {
      Group *group = &conv->groups[g];
      const AssayLooseFloat *own;

      group->depthwise = depthwise;
      group->n_in = n_in / conv->n_groups;
      group->n_out = n_out / conv->n_groups;
      group->first_in = g * group->n_in;
      group->matrices = g_new0 (guint32, conv->n_taps);
      group->scales = g_new0 (AssayLirOperand, conv->n_taps);
      group->sources = g_new0 (AssayLirId, x->n_vectors);
      group->windows = g_new0 (AssayLirId, x->n_vectors);
      if (bias != NULL)
        group->bias = assay_lower_bias (self, group->n_out, bias + (gsize) g * group->n_out);

      own = values + (gsize) g * group->n_out * (depthwise ? 1 : group->n_in) * conv->n_taps;
      for (gsize tap = 0; depthwise && tap < conv->n_taps; tap++)
        group->scales[tap] = tap_scale (self, conv, group, own, tap);
      if (!depthwise)
        add_matrices (self, conv, group, own);
    }
  conv->layer = assay_lower_add_layer (self, assay_lir_blocks (self->lir, conv->groups[0].n_out),
                                       1);
}

static AssayLirId
group_source (AssayLower *self, Group *group, guint32 vector)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLirId d;

  if (group->n_in == x->lanes)
    return x->vectors[vector];
  if (group->sources[vector] != 0)
    return group->sources[vector];

  d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, group->n_in);
  assay_lower_shift (self, d, assay_lir_use (x->vectors[vector]), group->first_in, 0, group->n_in,
                     group->n_in);
  group->sources[vector] = d;

  return d;
}

static AssayLirId
group_window (AssayLower *self, const Conv *conv, Group *group, guint32 vector)
{
  guint axis = (guint) conv->time - 2;
  gint64 slots = (conv->window.kernel[axis] - 1) * conv->window.dilation[axis];

  if (group->windows[vector] == 0)
    group->windows[vector] = assay_lower_new_window (self, (guint32) slots, group->n_in,
                                                     (AssayLirOperand){ 0 });

  return group->windows[vector];
}

/* The vector under a tap; FALSE in the padding, which contributes nothing. Along a streamed axis it
 * is always there. */
static gboolean
find_source (AssayLower *self, const Conv *conv, const gint64 *index, gsize tap, guint32 *vector,
             guint32 *age)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  const AssayNodeWindow *window = &conv->window;
  gint64 source[ASSAY_MAX_RANK] = { index[0], 0 };
  guint32 lane;

  *age = 0;
  for (guint i = window->n; i-- > 0;)
    {
      gint64 k = (gint64) (tap % (gsize) window->kernel[i]);

      tap /= (gsize) window->kernel[i];
      if ((int) i + 2 == conv->time)
        {
          *age = (guint32) ((window->kernel[i] - 1 - k) * window->dilation[i]);
          source[i + 2] = 0;
          continue;
        }
      source[i + 2] = index[i + 2] * window->stride[i] + k * window->dilation[i] -
                      window->before[i];
      if (source[i + 2] < 0 || source[i + 2] >= x->dims[i + 2])
        return FALSE;
    }
  assay_lower_locate (x, source, vector, &lane);

  return TRUE;
}

static void
emit_tap (AssayLower *self, const Conv *conv, const Group *group, gsize tap, AssayLirId acc,
          AssayLirOperand x, gboolean deferred)
{
  AssayLirOp *op;

  if (!group->depthwise)
    {
      assay_lower_emit_product (self, acc, conv->layer, group->matrices[tap], x, deferred);
      return;
    }

  op = assay_lower_emit (self, ASSAY_OPCODE_SCALE_ADD, acc, ASSAY_ROUND_F32, x, group->scales[tap]);
  op->layer = conv->layer;
  op->deferred = deferred;
}

/* One output vector of one group. Old taps of a streamed axis were added by the inference before.
 */
static AssayLirId
emit_group (AssayLower *self, const Conv *conv, Group *group, const gint64 *index)
{
  gboolean old = conv->time >= 0 && conv->window.kernel[conv->time - 2] > 1;
  AssayLirId acc = assay_lower_new_accumulator (self, group->n_out, conv->layer, old);

  assay_lower_emit_start (self, acc, conv->layer, group->bias, old);
  for (gsize tap = 0; tap < conv->n_taps; tap++)
    {
      guint32 vector, age;

      if (!find_source (self, conv, index, tap, &vector, &age))
        continue;
      if (age > 0)
        emit_tap (self, conv, group, tap, acc,
                  assay_lir_use_old (group_window (self, conv, group, vector), age), TRUE);
      else
        emit_tap (self, conv, group, tap, acc, assay_lir_use (group_source (self, group, vector)),
                  FALSE);
    }

  return assay_lower_emit_drain (self, acc, group->n_out);
}

static void
push_windows (AssayLower *self, Group *group)
{
  for (guint32 v = 0; v < assay_lower_input (self, 0)->n_vectors; v++)
    {
      if (group->windows[v] != 0)
        assay_lower_emit (self, ASSAY_OPCODE_MOVE, group->windows[v], ASSAY_ROUND_BF16,
                          assay_lir_use (group_source (self, group, v)), (AssayLirOperand){ 0 });
    }
}

static void
emit_conv (AssayLower *self, Conv *conv)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  guint32 each = conv->groups[0].n_out;

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      gint64 index[ASSAY_MAX_RANK];
      AssayLirId whole;

      assay_lower_index (out, v, index);
      if (conv->n_groups == 1)
        {
          out->vectors[v] = emit_group (self, conv, &conv->groups[0], index);
          continue;
        }

      whole = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      for (guint g = 0; g < conv->n_groups; g++)
        {
          AssayLirId part = emit_group (self, conv, &conv->groups[g], index);

          assay_lower_shift (self, whole, assay_lir_use (part), 0, g * each, each,
                             g == 0 ? out->lanes : 0);
        }
      out->vectors[v] = whole;
    }

  for (guint g = 0; g < conv->n_groups; g++)
    push_windows (self, &conv->groups[g]);
}

gboolean
assay_lower_conv (AssayLower *self, GError **error)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayTensor *weight = assay_graph_constant (self->graph, assay_node_input (self->node, 1));
  AssayTensor *bias = assay_graph_constant (self->graph, assay_node_input (self->node, 2));
  g_auto (Conv)
      conv = { .time = self->vanishing == NULL ? -1 : self->vanishing[self->node->inputs[0]] };
  g_autofree float *own = NULL;
  g_autofree float *biases = NULL;
  const AssayLooseFloat *values;
  gsize n;

  if (weight == NULL)
    return assay_lower_refuse (self, error, "the weight must be constant");
  if (bias == NULL && assay_node_input (self->node, 2) != ASSAY_NO_VALUE)
    return assay_lower_refuse (self, error, "the bias must be constant");
  if (x->rank != 3 && x->rank != 4)
    return assay_lower_refuse (self, error,
                               "rank %u, 3 and 4 are possible (1-D and 2-D convolution)", x->rank);
  if (x->data_dim != 1 || out->data_dim != 1)
    return assay_lower_refuse (self, error, "the channels must be the data dimension");
  if (conv.time < 2)
    conv.time = -1;
  values = assay_lower_weights (weight, &own, error);
  if (values == NULL || (bias != NULL && !assay_lower_floats (bias, &biases, &n, error)))
    return FALSE;

  if (!read_window (self, weight, &conv, error))
    return FALSE;
  if (conv.time == 3 && conv.window.kernel[1] > 1 && conv.window.kernel[0] > 1)
    return assay_lower_refuse (self, error,
                               "of a 2-D convolution only the first spatial axis can be streamed");

  prepare_groups (self, values, biases, &conv);
  emit_conv (self, &conv);

  return TRUE;
}
