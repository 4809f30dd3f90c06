/* assay-contrib-attention.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "source/onnx/contrib/assay-contrib-private.h"

static const gint64 swap_heads[4] = { 0, 2, 1, 3 };

/* What is attended to, and how. Query, key and value have heads side by side in each row. */
typedef struct
{
  AssayValueId q;
  AssayValueId k;
  AssayValueId v;
  AssayValueId mask;   /* of integers, or none */
  AssayValueId bias;   /* added to the scores, or none */
  AssayValueId past_k; /* heads in an axis of their own, or none */
  AssayValueId past_v;
  gint64 n_heads;
  gboolean causal;
  double scale; /* 0 for the default */
  double filter;
} Attend;

static Attend
read_attributes (UpgradeContext *self)
{
  return (Attend){
    .n_heads = contrib_int (self, "num_heads", 0),
    .causal = contrib_int (self, "unidirectional", 0) != 0,
    .scale = contrib_float (self, "scale", 0.0),
    .filter = contrib_float (self, "mask_filter_value", -10000.0),
  };
}

/* The mask of integers: a length for each sample, or a flag for each position of the key, or for
 * each pair of positions. */
static gboolean
check_mask (UpgradeContext *self, AssayValueId mask, AssayValueId input)
{
  const AssayType *type = contrib_type (self, mask);
  gint64 samples = contrib_extent (contrib_type (self, input), 0);

  if (mask == ASSAY_NO_VALUE)
    return TRUE;
  if (!contrib_needs (self, type->rank > 0))
    return FALSE;
  if (type->rank > 3)
    return contrib_refuse (self, NULL, "a mask of more than three dimensions");
  if (type->rank == 1 && samples >= 0 && contrib_extent (type, 0) != samples)
    return contrib_refuse (self, NULL, "a mask of other than one length for each sample");

  return TRUE;
}

/* As a number that is added to the scores. */
static AssayValueId
make_bias (UpgradeContext *self, const Attend *attend, int mask_rank)
{
  static const gint64 flags[2] = { 1, 2 }, pairs[1] = { 1 }, lengths[3] = { 1, 2, 3 };
  static const gint64 ones[2] = { 1, 1 };
  AssayValueId zero, filter, where, bias, shape;

  if (attend->mask == ASSAY_NO_VALUE)
    return attend->bias;

  if (mask_rank == 1)
    {
      static const gint64 first = 0, step = 1;
      AssayValueId rows = assay_builder_extents (&self->builder, "rows", attend->k, 1, 2);
      AssayValueId columns, length;

      if (attend->past_k != ASSAY_NO_VALUE)
        rows = ASSAY_BUILD (
            &self->builder, Add, "all_rows", rows,
            assay_builder_extents (&self->builder, "past_rows", attend->past_k, 2, 3));
      rows = ASSAY_BUILD (&self->builder, Squeeze, "end", rows);
      columns = ASSAY_BUILD (&self->builder, Range, "columns",
                             assay_builder_int (&self->builder, "start", first), rows,
                             assay_builder_int (&self->builder, "step", step));
      length = assay_builder_unsqueeze (
          &self->builder, "lengths",
          assay_builder_cast (&self->builder, "lengths", attend->mask, ASSAY_DTYPE_I64), 3,
          lengths);
      where = ASSAY_BUILD (&self->builder, Less, "inside", columns, length);
    }
  else
    {
      AssayValueId flag = assay_builder_cast (&self->builder, "flags", attend->mask,
                                              ASSAY_DTYPE_F32);

      flag = ASSAY_BUILD (&self->builder, Greater, "inside", flag,
                          assay_builder_number (&self->builder, "off", ASSAY_DTYPE_F32, 0.0));
      where = mask_rank == 2 ? assay_builder_unsqueeze (&self->builder, "inside", flag, 2, flags)
                             : assay_builder_unsqueeze (&self->builder, "inside", flag, 1, pairs);
    }

  zero = assay_builder_number_like (&self->builder, "kept", 0.0, attend->q);
  filter = assay_builder_number_like (&self->builder, "filter", attend->filter, attend->q);
  bias = ASSAY_BUILD (&self->builder, Where, "mask", where, zero, filter);
  if (attend->bias != ASSAY_NO_VALUE)
    return ASSAY_BUILD (&self->builder, Add, "mask", bias, attend->bias);
  if (mask_rank == 3)
    return bias;

  /* ONNX lets the rows of the mask broadcast, ONNX Runtime does not. */
  shape = ASSAY_BUILD (&self->builder, Concat, "mask_shape",
                       assay_builder_ints (&self->builder, "front", 2, ones),
                       assay_builder_extents (&self->builder, "query_rows", attend->q, 1, 2),
                       assay_builder_one_int (&self->builder, "back", 1));
  assay_builder_set_int (&self->builder, shape, "axis", 0);

  return ASSAY_BUILD (&self->builder, Expand, "mask", bias, shape);
}

/* The node becomes the attention of ONNX; present keys and values are its outputs as there. */
static void
become_attention (UpgradeContext *self, const Attend *attend, AssayValueId bias,
                  AssayValueId present_k, AssayValueId present_v)
{
  AssayValueId outputs[3] = { contrib_output (self, 0), present_k, present_v };
  AssayNode *node;

  ASSAY_BECOME (&self->builder, Attention, attend->q, attend->k, attend->v, bias, attend->past_k,
                attend->past_v);
  node = assay_graph_edit_node (self->graph, self->id);
  node->outputs = assay_arena_memdup (self->graph->arena, outputs, sizeof outputs);
  node->n_outputs = 3;
  while (node->n_outputs > 1 && outputs[node->n_outputs - 1] == ASSAY_NO_VALUE)
    node->n_outputs--;
  for (guint i = 1; i < 3; i++)
    {
      if (outputs[i] != ASSAY_NO_VALUE)
        {
          assay_graph_edit_value (self->graph, outputs[i])->producer = self->id;
          assay_graph_edit_value (self->graph, outputs[i])->output = i;
        }
    }
  assay_graph_set_int (self->graph, self->id, "q_num_heads", attend->n_heads);
  assay_graph_set_int (self->graph, self->id, "kv_num_heads", attend->n_heads);
  if (attend->causal)
    assay_graph_set_int (self->graph, self->id, "is_causal", 1);
  if (attend->scale != 0.0)
    assay_graph_set_float (self->graph, self->id, "scale", attend->scale);
}

/* Past keys and values in one tensor, and present ones. */
static void
attend_with_pair (UpgradeContext *self, Attend *attend, AssayValueId past, int mask_rank)
{
  static const gint64 front[1] = { 0 };
  AssayValueId present = contrib_output (self, 1);
  AssayValueId halves[2], made[2] = { ASSAY_NO_VALUE, ASSAY_NO_VALUE }, bias;

  if (past != ASSAY_NO_VALUE)
    {
      AssayValueId axes = assay_builder_one_int (&self->builder, "pair", 0);

      assay_builder_split (&self->builder, "past", past, 0, NULL, 2, halves);
      attend->past_k = ASSAY_BUILD (&self->builder, Squeeze, "past_key", halves[0], axes);
      attend->past_v = ASSAY_BUILD (&self->builder, Squeeze, "past_value", halves[1], axes);
    }
  bias = make_bias (self, attend, mask_rank);
  if (present != ASSAY_NO_VALUE)
    {
      static const char *const names[2] = { "present_key", "present_value" };

      for (guint i = 0; i < 2; i++)
        {
          g_autofree char *name = g_strdup_printf ("%s/%s", upgrade_node (self)->name, names[i]);

          made[i] = assay_graph_add_value (self->graph, upgrade_node (self)->region,
                                           ASSAY_VALUE_RESULT, name, NULL);
        }
    }
  become_attention (self, attend, bias, made[0], made[1]);
  if (present != ASSAY_NO_VALUE)
    {
      upgrade_place (self);
      halves[0] = assay_builder_unsqueeze (&self->builder, "key", made[0], 1, front);
      halves[1] = assay_builder_unsqueeze (&self->builder, "value", made[1], 1, front);
      assay_builder_add_to (&self->builder, ASSAY_OP_Concat, "present", 2, halves, present);
      assay_builder_set_int (&self->builder, present, "axis", 0);
    }
}

/* Query, key and value are one product of the input, or parts of different widths of one. */
static gboolean
read_sizes (UpgradeContext *self, gint64 sizes[3], gboolean *given)
{
  const AssayAttr *attr = upgrade_attr (self, "qkv_hidden_sizes");

  *given = attr != NULL && attr->kind == ASSAY_ATTR_INTS && attr->n > 0;
  if (!*given)
    return TRUE;
  if (attr->n != 3)
    return contrib_refuse (self, "qkv_hidden_sizes", "there are not three");
  for (guint i = 0; i < 3; i++)
    sizes[i] = attr->u.ints[i];

  return TRUE;
}

static gboolean
refuse_attention (UpgradeContext *self)
{
  if (contrib_int (self, "do_rotary", 0) != 0)
    return contrib_refuse (self, "do_rotary", "rotary positions inside of it are not read");
  if (contrib_int (self, "past_present_share_buffer", 0) != 0)
    return contrib_refuse (self, "past_present_share_buffer",
                           "a cache that is written in place is not read");
  if (contrib_int (self, "num_heads", 0) < 1)
    return contrib_refuse (self, "num_heads", "there are no heads");

  return TRUE;
}

gboolean
contrib_attention (UpgradeContext *self)
{
  Attend attend = read_attributes (self);
  AssayValueId mask = upgrade_input (self, 3), past = upgrade_input (self, 4);
  AssayValueId product, parts[3], offset = upgrade_input (self, 2);
  gint64 sizes[3];
  gboolean given;

  attend.bias = upgrade_input (self, 5);
  attend.mask = mask;
  if (!refuse_attention (self) || !read_sizes (self, sizes, &given) ||
      !check_mask (self, mask, upgrade_input (self, 0)))
    return FALSE;

  product = ASSAY_BUILD (&self->builder, MatMul, "product", upgrade_input (self, 0),
                         upgrade_input (self, 1));
  if (offset != ASSAY_NO_VALUE)
    product = ASSAY_BUILD (&self->builder, Add, "product", product, offset);
  assay_builder_split (&self->builder, "parts", product, -1, given ? sizes : NULL, 3, parts);
  attend.q = parts[0];
  attend.k = parts[1];
  attend.v = parts[2];
  attend_with_pair (self, &attend, past, contrib_type (self, mask)->rank);
  return TRUE;
}

/* The same with a product of quantized numbers. */
gboolean
contrib_q_attention (UpgradeContext *self)
{
  Attend attend = read_attributes (self);
  AssayValueId input = upgrade_input (self, 0), weight = upgrade_input (self, 1);
  AssayValueId offset = upgrade_input (self, 2), past = upgrade_input (self, 8);
  AssayValueId product, scale, parts[3];

  attend.mask = upgrade_input (self, 5);
  if (!refuse_attention (self) || !check_mask (self, attend.mask, input))
    return FALSE;

  scale = ASSAY_BUILD (&self->builder, Mul, "scale", upgrade_input (self, 3),
                       upgrade_input (self, 4));
  product = ASSAY_BUILD (&self->builder, MatMulInteger, "product", input, weight,
                         upgrade_input (self, 6), upgrade_input (self, 7));
  product = ASSAY_BUILD (&self->builder, CastLike, "product", product, offset);
  product = ASSAY_BUILD (&self->builder, Mul, "product", product, scale);
  product = ASSAY_BUILD (&self->builder, Add, "product", product, offset);
  assay_builder_split (&self->builder, "parts", product, -1, NULL, 3, parts);
  attend.q = parts[0];
  attend.k = parts[1];
  attend.v = parts[2];
  attend_with_pair (self, &attend, past, contrib_type (self, attend.mask)->rank);
  return TRUE;
}

/* One of several that lie side by side in an axis behind the heads. */
static void
unpack (UpgradeContext *self, const char *suffix, AssayValueId packed, guint n, AssayValueId *parts)
{
  static const gint64 rows[3] = { 0, 0, -1 };

  assay_builder_split (&self->builder, suffix, packed, 3, NULL, n, parts);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s_%u", suffix, i);

      parts[i] = assay_builder_reshape (&self->builder, name, parts[i], 3, rows);
    }
}

/* Heads in an axis of their own to heads side by side. */
static AssayValueId
join_heads (UpgradeContext *self, const char *suffix, AssayValueId value)
{
  static const gint64 rows[3] = { 0, 0, -1 };

  return assay_builder_reshape (
      &self->builder, suffix,
      assay_builder_transpose (&self->builder, suffix, value, 4, swap_heads), 3, rows);
}

/* One bias for query, key and value behind each other. */
static gboolean
add_bias (UpgradeContext *self, Attend *attend, AssayValueId bias, gboolean has_heads)
{
  gint64 all = contrib_extent (contrib_type (self, bias), 0);
  gint64 query = contrib_extent (contrib_type (self, upgrade_input (self, 0)), -1);
  gint64 sizes[3] = { query, query, all - 2 * query };
  AssayValueId parts[3];
  gboolean even = all < 0 || query < 0 || all == 3 * query;

  if (bias == ASSAY_NO_VALUE)
    return TRUE;

  assay_builder_split (&self->builder, "bias", bias, 0, even ? NULL : sizes, 3, parts);
  attend->q = ASSAY_BUILD (&self->builder, Add, "query", attend->q, parts[0]);
  if (!has_heads)
    {
      attend->k = ASSAY_BUILD (&self->builder, Add, "key", attend->k, parts[1]);
      attend->v = ASSAY_BUILD (&self->builder, Add, "value", attend->v, parts[2]);
    }

  return TRUE;
}

gboolean
contrib_multi_head_attention (UpgradeContext *self)
{
  Attend attend = read_attributes (self);
  AssayValueId key = upgrade_input (self, 1), value = upgrade_input (self, 2);
  AssayValueId bias = upgrade_input (self, 3), parts[3];
  AssayValueId present_k = contrib_output (self, 1), present_v = contrib_output (self, 2);
  const AssayType *key_type = contrib_type (self, key);
  gboolean has_heads;

  attend.q = upgrade_input (self, 0);
  attend.mask = upgrade_input (self, 4);
  attend.bias = upgrade_input (self, 5);
  attend.past_k = upgrade_input (self, 6);
  attend.past_v = upgrade_input (self, 7);
  if (attend.n_heads < 1)
    return contrib_refuse (self, "num_heads", "there are no heads");
  if (upgrade_input (self, 8) != ASSAY_NO_VALUE || contrib_output (self, 3) != ASSAY_NO_VALUE)
    return contrib_refuse (self, NULL, "a shared cache, or scores as an output, are not read");
  if ((key != ASSAY_NO_VALUE && !contrib_needs (self, key_type->rank > 0)) ||
      !check_mask (self, attend.mask, attend.q))
    return FALSE;

  has_heads = key_type->rank == 4;
  if (key == ASSAY_NO_VALUE)
    {
      unpack (self, "query", attend.q, 3, parts);
      attend.q = parts[0];
      attend.k = parts[1];
      attend.v = parts[2];
    }
  else if (value == ASSAY_NO_VALUE)
    {
      unpack (self, "key", key, 2, parts);
      attend.k = parts[0];
      attend.v = parts[1];
    }
  else
    {
      attend.k = has_heads ? join_heads (self, "key", key) : key;
      attend.v = has_heads ? join_heads (self, "value", value) : value;
    }
  add_bias (self, &attend, bias, has_heads);

  become_attention (self, &attend,
                    make_bias (self, &attend, contrib_type (self, attend.mask)->rank), present_k,
                    present_v);
  return TRUE;
}
