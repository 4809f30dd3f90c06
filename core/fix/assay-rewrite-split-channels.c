/* assay-rewrite-split-channels.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and products of more channels than an engine takes: parts of the input channels are
 * added up, parts of the output channels and groups are joined, with what works on each channel
 * for itself on the parts.
 */
#include <string.h>

#include "fix/assay-rewrite-private.h"
#include "base/assay-sentence.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-product.h"
#include "nnir/assay-node-window.h"

#define MAX_PARTS 256
/* Nodes behind it that work on each channel. */
#define MAX_BEHIND 3

/* A convolution, or a product of rows with a constant matrix: weights of @out rows of @in times
 * @inner elements. */
typedef struct
{
  gint64 in;
  gint64 out;
  gint64 groups;
  gint64 inner;
  gint64 dilation;
  guint rank; /* of the weights */
  gsize row;  /* elements from output to output, */
  gsize step; /* and from input to input */
  gboolean product;
} Layer;

/* What a layer is cut into. */
typedef struct
{
  gint64 inputs;
  gint64 outputs;
  gint64 groups;
} Parts;

static gboolean
read_product (const AssayGraph *graph, const AssayNode *node, Layer *layer)
{
  const AssayType *data = assay_graph_value (graph, node->inputs[0])->type;
  const AssayType *weight = assay_graph_value (graph, node->inputs[1])->type;
  AssayNodeProduct product = assay_node_get_product (node);
  guint in = product.transposed[1] ? 1 : 0;

  if (data->rank != 2 || weight->rank != 2 || product.transposed[0] || product.alpha != 1 ||
      product.beta != 1)
    return FALSE;
  layer->product = TRUE;
  layer->in = weight->dims[in].size;
  layer->out = weight->dims[1 - in].size;
  layer->row = in == 1 ? (gsize) layer->in : 1;
  layer->step = in == 1 ? 1 : (gsize) layer->out;

  return TRUE;
}

static gboolean
read_layer (const AssayGraph *graph, const AssayNode *node, Layer *layer)
{
  const AssayType *weight;
  AssayNodeWindow window;
  gsize n;

  *layer = (Layer){ .groups = 1, .inner = 1, .dilation = 1 };
  if (node->n_inputs < 2 || assay_graph_constant (graph, node->inputs[1]) == NULL)
    return FALSE;
  weight = assay_graph_value (graph, node->inputs[1])->type;
  if (!assay_type_count (weight, &n) || n == 0)
    return FALSE;
  layer->rank = (guint) weight->rank;
  if (node->op == ASSAY_OP_Gemm || node->op == ASSAY_OP_MatMul)
    return read_product (graph, node, layer);
  if (node->op != ASSAY_OP_Conv || weight->rank < 3 ||
      !assay_node_get_window (graph, node, &window))
    return FALSE;

  layer->groups = assay_node_get_int (node, "group");
  layer->in = weight->dims[1].size * layer->groups;
  layer->out = weight->dims[0].size;
  for (int i = 2; i < weight->rank; i++)
    layer->inner *= weight->dims[i].size;
  for (guint i = 0; i < window.n; i++)
    layer->dilation = MAX (layer->dilation, window.dilation[i]);
  layer->step = (gsize) layer->inner;
  layer->row = (gsize) (weight->dims[1].size * layer->inner);

  return layer->groups >= 1 && layer->out % layer->groups == 0;
}

static gint64
config_int (AssayTarget *target, const char *name)
{
  gint64 value = 0;

  return assay_target_get_config_int (target, name, &value) && value > 0 ? value : G_MAXINT32;
}

/* As few parts as the engine needs. */
static Parts
find_parts (AssayTarget *target, const Layer *layer)
{
  gint64 most = config_int (target, "max_channels");
  gint64 depth = config_int (target, "bank_depth") / layer->inner *
                 config_int (target, "channel_parallel");
  Parts parts = { 1, 1, 1 };

  if (layer->groups == 1)
    {
      gint64 fits = MIN (most / layer->dilation, depth);

      parts.inputs = fits > 0 ? (layer->in + fits - 1) / fits : MAX_PARTS + 1;
      parts.outputs = (layer->out + most - 1) / most;
    }
  else if (layer->groups == layer->in)
    {
      for (parts.groups = 1;
           MAX (layer->in, layer->out) / parts.groups > most || layer->groups % parts.groups != 0;)
        parts.groups++;
    }
  else
    {
      parts.groups = layer->groups;
    }

  return parts;
}

void
assay_rewrite_propose_split_channels (AssayProposals *proposals)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (config_int (proposals->target, "max_channels") == G_MAXINT32)
    return;
  for (guint i = 0; i < proposals->nodes->len; i++)
    {
      const AssayNode *node = assay_proposals_node (proposals, i);
      const char *names[] = { node->name, NULL };
      g_autofree char *inputs = NULL;
      g_autofree char *outputs = NULL;
      g_autofree char *groups = NULL;
      const char *arguments[4] = { NULL };
      Layer layer;
      Parts parts;

      if (!read_layer (proposals->graph, node, &layer))
        continue;
      parts = find_parts (proposals->target, &layer);
      if (parts.inputs * parts.outputs * parts.groups < 2 || parts.inputs > MAX_PARTS ||
          parts.outputs > MAX_PARTS || parts.groups > MAX_PARTS ||
          !g_hash_table_add (seen, g_strdup (node->name)))
        continue;
      inputs = g_strdup_printf ("inputs=%" G_GINT64_FORMAT, parts.inputs);
      outputs = g_strdup_printf ("outputs=%" G_GINT64_FORMAT, parts.outputs);
      groups = g_strdup_printf ("groups=%" G_GINT64_FORMAT, parts.groups);
      arguments[0] = inputs;
      arguments[1] = outputs;
      arguments[2] = groups;
      assay_proposals_add (proposals, "split-channels", names, arguments);
    }
}

static gint64
get_parts (const AssayFix *fix, const char *name)
{
  const char *text = assay_fix_get_argument (fix, name);

  return text != NULL ? g_ascii_strtoll (text, NULL, 10) : 1;
}

char *
assay_rewrite_title_split_channels (const AssayFix *fix)
{
  static const char *const names[] = { "inputs", "outputs", "groups" };
  static const char *const words[] = { "input channels", "output channels", "groups" };
  GString *title = g_string_new ("Split ");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gint64 parts = get_parts (fix, names[i]);

      if (parts > 1)
        g_string_append_printf (title, "%s%s into %" G_GINT64_FORMAT, title->len > 6 ? ", " : "",
                                words[i], parts);
    }

  return g_string_free (title, title->len == 6);
}

/* Where part @index of @n begins. */
static gint64
begin_of (gint64 size, gint64 n, gint64 index)
{
  return size * index / n;
}

/* Some channels of a computed value. */
static AssayValueId
slice (AssayEdit *edit, AssayValueId value, gint64 begin, gint64 end)
{
  static const gint64 axis = 1;
  const AssayValueId inputs[] = { value, assay_builder_ints (&edit->builder, "constant", 1, &begin),
                                  assay_builder_ints (&edit->builder, "constant", 1, &end),
                                  assay_builder_ints (&edit->builder, "constant", 1, &axis) };

  return assay_builder_add (&edit->builder, ASSAY_OP_Slice, NULL, G_N_ELEMENTS (inputs), inputs);
}

/* Some rows and columns of the weights; of a product as a window of one pixel. */
static AssayValueId
cut_weights (AssayEdit *edit, const Layer *layer, AssayTensor *weights, gint64 out, gint64 n_out,
             gint64 in, gint64 n_in)
{
  gsize size = assay_dtype_bits (assay_tensor_get_dtype (weights)) / 8;
  gsize inner = (gsize) layer->inner * size;
  const guint8 *data = assay_tensor_get_data (weights, NULL, NULL);
  gint64 dims[ASSAY_MAX_RANK] = { n_out, n_in, 1, 1 };
  guint rank = layer->product ? 4 : layer->rank;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTensor) part = NULL;
  guint8 *to;

  for (guint i = 2; i < rank && !layer->product; i++)
    dims[i] = assay_tensor_get_dims (weights)[i];
  to = g_try_malloc ((gsize) (n_out * n_in) * inner);
  if (to == NULL || data == NULL)
    {
      g_free (to);
      return ASSAY_NO_VALUE;
    }
  bytes = g_bytes_new_take (to, (gsize) (n_out * n_in) * inner);
  for (gint64 i = 0; i < n_out; i++)
    for (gint64 j = 0; j < n_in; j++, to += inner)
      memcpy (to, data + ((gsize) (out + i) * layer->row + (gsize) (in + j) * layer->step) * size,
              inner);
  part = assay_tensor_new (assay_tensor_get_dtype (weights), rank, dims, bytes, NULL);

  return part != NULL ? assay_builder_tensor (&edit->builder, "constant", part) : ASSAY_NO_VALUE;
}

/* Some elements of what there is one of per channel. */
static AssayValueId
cut_vector (AssayEdit *edit, AssayValueId value, gint64 size, gint64 begin, gint64 end)
{
  AssayTensor *tensor = value != ASSAY_NO_VALUE ? assay_edit_constant (edit, value) : NULL;
  gsize n = tensor != NULL ? assay_tensor_get_n_elements (tensor) : 0;
  const guint8 *data = tensor != NULL ? assay_tensor_get_data (tensor, NULL, NULL) : NULL;
  gint64 dims[ASSAY_MAX_RANK];
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTensor) part = NULL;
  gsize bits;

  if (value == ASSAY_NO_VALUE || n == 1)
    return value;
  if (data == NULL || n != (gsize) size)
    return ASSAY_NO_VALUE;
  bits = assay_dtype_bits (assay_tensor_get_dtype (tensor)) / 8;
  bytes = g_bytes_new (data + (gsize) begin * bits, (gsize) (end - begin) * bits);
  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    dims[i] = assay_tensor_get_dims (tensor)[i] == 1 ? 1 : end - begin;
  part = assay_tensor_new (assay_tensor_get_dtype (tensor), assay_tensor_get_rank (tensor), dims,
                           bytes, NULL);

  return part != NULL ? assay_builder_tensor (&edit->builder, "constant", part) : ASSAY_NO_VALUE;
}

static gboolean
is_bias (AssayEdit *edit, AssayValueId value, gint64 size)
{
  AssayTensor *tensor = value != ASSAY_NO_VALUE ? assay_edit_constant (edit, value) : NULL;

  return value == ASSAY_NO_VALUE || (tensor != NULL && assay_tensor_get_rank (tensor) == 1 &&
                                     assay_tensor_get_n_elements (tensor) == (gsize) size);
}

/* Whether a node works on each channel for itself, and its constants can be cut. */
static gboolean
works_on_channels (AssayEdit *edit, const AssayNode *node, gint64 channels)
{
  static const struct
  {
    AssayOp op;
    gsize most; /* constants of one element, or of one per channel */
  } known[] = {
    { ASSAY_OP_Relu, 0 },        { ASSAY_OP_LeakyRelu, 0 },
    { ASSAY_OP_HardSigmoid, 0 }, { ASSAY_OP_Clip, 1 },
    { ASSAY_OP_HardSwish, 0 },   { ASSAY_OP_PRelu, G_MAXSIZE },
    { ASSAY_OP_Sigmoid, 0 },     { ASSAY_OP_BatchNormalization, G_MAXSIZE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      gboolean cut = known[i].op == node->op && node->n_outputs == 1;

      for (guint j = 1; j < node->n_inputs && cut; j++)
        {
          AssayTensor *tensor = node->inputs[j] != ASSAY_NO_VALUE
                                    ? assay_edit_constant (edit, node->inputs[j])
                                    : NULL;
          gsize n = tensor != NULL ? assay_tensor_get_n_elements (tensor) : 1;

          cut = (tensor != NULL || node->inputs[j] == ASSAY_NO_VALUE) &&
                (n == 1 || (known[i].most > 1 && n == (gsize) channels));
        }
      if (cut)
        return TRUE;
    }

  return FALSE;
}

/* What stands behind the layer alone and can be done on its parts. */
static guint
find_behind (AssayEdit *edit, AssayNodeId id, gint64 channels, AssayNodeId *behind)
{
  g_autoptr (AssayUses) uses = assay_uses_new (edit->graph);
  guint n_behind = 0;

  while (n_behind < MAX_BEHIND)
    {
      AssayValueId value = assay_node_output (assay_graph_node (edit->graph, id), 0);
      const AssayNodeId *readers;
      guint n;

      readers = assay_uses_get (uses, value, &n);
      if (n != 1 || assay_uses_is_output (uses, value) ||
          assay_node_input (assay_graph_node (edit->graph, readers[0]), 0) != value ||
          !works_on_channels (edit, assay_graph_node (edit->graph, readers[0]), channels))
        break;
      id = behind[n_behind++] = readers[0];
    }

  return n_behind;
}

static void
copy_attrs (AssayEdit *edit, const AssayNode *from)
{
  assay_graph_set_attrs (edit->graph, assay_builder_last (&edit->builder), from->n_attrs,
                         from->attrs);
}

/* One part of what stands behind. */
static AssayValueId
repeat_behind (AssayEdit *edit, const AssayNodeId *behind, guint n_behind, AssayValueId value,
               gint64 channels, gint64 begin, gint64 end)
{
  for (guint i = 0; i < n_behind; i++)
    {
      const AssayNode *node = assay_graph_node (edit->graph, behind[i]);
      guint n_inputs = node->n_inputs;
      AssayOp op = node->op;
      g_autofree AssayValueId *inputs = g_memdup2 (node->inputs, n_inputs * sizeof *inputs);

      inputs[0] = value;
      for (guint j = 1; j < n_inputs; j++)
        inputs[j] = cut_vector (edit, inputs[j], channels, begin, end);
      value = assay_builder_add (&edit->builder, op, NULL, n_inputs, inputs);
      copy_attrs (edit, assay_graph_node (edit->graph, behind[i]));
    }

  return value;
}

/* Output channels from one to another: sums over parts of the input. */
static AssayValueId
write_part (AssayEdit *edit, const Layer *layer, AssayNodeId id, const Parts *parts,
            const AssayValueId *data, gint64 group, gint64 begin, gint64 end)
{
  gint64 in = layer->in / layer->groups, each = layer->groups / parts->groups;
  AssayTensor *weights = assay_edit_constant (edit, assay_graph_node (edit->graph, id)->inputs[1]);
  AssayValueId sum = ASSAY_NO_VALUE;

  for (gint64 i = 0; i < parts->inputs; i++)
    {
      gint64 first = begin_of (in, parts->inputs, i), last = begin_of (in, parts->inputs, i + 1);
      AssayValueId bias = assay_node_input (assay_graph_node (edit->graph, id), 2);
      AssayValueId inputs[3] = {
        data[parts->groups > 1 ? group : i],
        cut_weights (edit, layer, weights, begin, end - begin, first, last - first),
        i == 0 ? cut_vector (edit, bias, layer->out, begin, end) : ASSAY_NO_VALUE
      };
      AssayValueId product;

      if (inputs[1] == ASSAY_NO_VALUE)
        return ASSAY_NO_VALUE;
      product = assay_builder_add (&edit->builder, ASSAY_OP_Conv, NULL,
                                   inputs[2] != ASSAY_NO_VALUE ? 3 : 2, inputs);
      if (!layer->product)
        {
          copy_attrs (edit, assay_graph_node (edit->graph, id));
          assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "group", each);
        }
      if (sum != ASSAY_NO_VALUE)
        product = assay_builder_add (&edit->builder, ASSAY_OP_Add, NULL, 2,
                                     (AssayValueId[]){ sum, product });
      sum = product;
    }

  return sum;
}

static AssayValueId
reshape (AssayEdit *edit, AssayValueId value, guint rank, const gint64 *dims)
{
  return assay_builder_add (
      &edit->builder, ASSAY_OP_Reshape, NULL, 2,
      (AssayValueId[]){ value, assay_builder_ints (&edit->builder, "constant", rank, dims) });
}

static gboolean
split (AssayEdit *edit, const Layer *layer, AssayNodeId id, const Parts *parts)
{
  static const gint64 image[] = { 0, -1, 1, 1 }, rows[] = { 0, -1 };
  gint64 n = parts->outputs * parts->groups, n_in = parts->inputs * parts->groups;
  AssayNodeId behind[MAX_BEHIND] = { ASSAY_NO_NODE };
  guint n_behind = n > 1 && !layer->product ? find_behind (edit, id, layer->out, behind) : 0;
  g_autofree AssayValueId *joined = g_new0 (AssayValueId, n);
  g_autofree AssayValueId *data = g_new0 (AssayValueId, n_in);
  AssayValueId value;

  /* New nodes stand before the anchor, and what it makes is made by them. */
  if (n_behind > 0 &&
      !assay_edit_at (edit, assay_graph_node (edit->graph, behind[n_behind - 1])->name))
    return FALSE;
  value = assay_rewriter_input (&edit->rewriter, id, 0);
  if (layer->product)
    value = reshape (edit, value, G_N_ELEMENTS (image), image);
  for (gint64 i = 0; i < n_in; i++)
    data[i] = n_in > 1 ? slice (edit, value, begin_of (layer->in, n_in, i),
                                begin_of (layer->in, n_in, i + 1))
                       : value;
  for (gint64 i = 0; i < n; i++)
    {
      gint64 begin = begin_of (layer->out, n, i), end = begin_of (layer->out, n, i + 1);

      joined[i] = write_part (edit, layer, id, parts, data, i, begin, end);
      if (joined[i] == ASSAY_NO_VALUE)
        {
          assay_edit_abandon (edit);
          return assay_edit_refuse (edit, "its weights cannot be read");
        }
      joined[i] = repeat_behind (edit, behind, n_behind, joined[i], layer->out, begin, end);
    }
  value = joined[0];
  if (n > 1)
    {
      value = assay_builder_add (&edit->builder, ASSAY_OP_Concat, NULL, (guint) n, joined);
      assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "axis", 1);
    }
  if (layer->product)
    value = reshape (edit, value, G_N_ELEMENTS (rows), rows);
  assay_edit_replace (edit, 0, value);
  assay_edit_remove (edit);
  edit->tidy = TRUE;

  return TRUE;
}

/* No part is empty, and each has whole groups. */
static gboolean
has_parts (const Layer *layer, const Parts *parts)
{
  gint64 in = layer->in / layer->groups;

  if (parts->inputs < 1 || parts->outputs < 1 || parts->groups < 1 ||
      parts->inputs > MIN (in, MAX_PARTS) || parts->outputs > MIN (layer->out, MAX_PARTS) ||
      parts->groups > MIN (layer->groups, MAX_PARTS))
    return FALSE;

  return layer->groups % parts->groups == 0 &&
         (layer->groups == 1 || (parts->inputs == 1 && parts->outputs == 1)) &&
         parts->inputs * parts->outputs * parts->groups > 1;
}

gboolean
assay_rewrite_apply_split_channels (AssayEdit *edit, const AssayFix *fix)
{
  const Parts parts = { get_parts (fix, "inputs"), get_parts (fix, "outputs"),
                        get_parts (fix, "groups") };
  gboolean applied = FALSE;

  for (guint i = 0; fix->nodes[i] != NULL; i++)
    {
      AssayNodeId id;
      Layer layer;

      if (!assay_edit_at (edit, fix->nodes[i]))
        continue;
      id = edit->anchor;
      if (!read_layer (edit->graph, assay_edit_node (edit), &layer))
        assay_edit_refuse (edit, "it is no convolution or product of rows with constant weights");
      else if (!has_parts (&layer, &parts))
        assay_edit_refuse (edit,
                           "its %d input and %d output channels in %d group%s are not that "
                           "many parts",
                           (int) layer.in, (int) layer.out, (int) layer.groups,
                           assay_plural ((int) layer.groups));
      else if (!is_bias (edit, assay_edit_input (edit, 2), layer.out))
        assay_edit_refuse (edit, "its bias is no constant with an element per channel");
      else
        applied |= split (edit, &layer, id, &parts);
    }

  return applied;
}
