/* assay-contrib-cache.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "source/onnx/contrib/assay-contrib-private.h"

static const gint64 swap_heads[4] = { 0, 2, 1, 3 };
static const gint64 zero = 0, one = 1;

/* Positions from 0 to the end, which is a list of one. */
static AssayValueId
count_to (UpgradeContext *self, const char *suffix, AssayValueId end)
{
  AssayValueId scalar = ASSAY_BUILD (&self->builder, Squeeze, suffix, end);

  return ASSAY_BUILD (&self->builder, Range, suffix,
                      assay_builder_int (&self->builder, "start", zero), scalar,
                      assay_builder_int (&self->builder, "step", one));
}

gboolean
contrib_rotary_embedding (UpgradeContext *self)
{
  AssayValueId input = upgrade_input (self, 0), positions = upgrade_input (self, 1);
  AssayValueId cosine = upgrade_input (self, 2), sine = upgrade_input (self, 3);
  const AssayType *type = contrib_type (self, input);
  gint64 width = contrib_extent (contrib_type (self, cosine), -1);
  gint64 n_heads = contrib_int (self, "num_heads", 0);
  gint64 interleaved = contrib_int (self, "interleaved", 0);
  gint64 part = contrib_int (self, "rotary_embedding_dim", 0);

  if (contrib_int (self, "is_packed_batching", 0) != 0 || contrib_float (self, "scale", 1.0) != 1.0)
    return contrib_refuse (self, NULL, "a scale, or samples behind each other, are not read");
  if (!contrib_needs (self, type->rank > 0 && contrib_type (self, positions)->rank > 0))
    return FALSE;
  if (type->rank == 3 && n_heads == 0)
    {
      gint64 row = contrib_extent (type, -1);

      if (!contrib_needs (self, width > 0 && row > 0))
        return FALSE;
      n_heads = row / width / 2;
    }

  /* One position is where the first token stands. */
  if (contrib_type (self, positions)->rank == 1)
    {
      AssayValueId length = assay_builder_extents (&self->builder, "length", input, -2, -1);
      AssayValueId samples = assay_builder_extents (&self->builder, "samples", input, 0, 1);
      AssayValueId shape = ASSAY_BUILD (&self->builder, Concat, "shape", samples, length);

      assay_builder_set_int (&self->builder, shape, "axis", 0);
      positions = ASSAY_BUILD (&self->builder, Add, "positions",
                               count_to (self, "positions", length), positions);
      positions = ASSAY_BUILD (&self->builder, Expand, "positions", positions, shape);
    }

  ASSAY_BECOME (&self->builder, RotaryEmbedding, input, cosine, sine, positions);
  assay_graph_set_int (self->graph, self->id, "interleaved", interleaved);
  assay_graph_set_int (self->graph, self->id, "rotary_embedding_dim", part);
  if (type->rank == 3)
    assay_graph_set_int (self->graph, self->id, "num_heads", n_heads);
  return TRUE;
}

/* What GroupQueryAttention works on; lists have an entry for each sample. */
typedef struct
{
  AssayValueId first;  /* where the first new token of each sample stands */
  AssayValueId total;  /* how many there are with the past, as a list of one */
  AssayValueId length; /* how many are new, as a list of one */
  gint64 n_heads;
  gint64 n_kv_heads;
} Cache;

/* Rows to heads in an axis of their own. */
static AssayValueId
part_heads (UpgradeContext *self, const char *suffix, AssayValueId value, gint64 n_heads)
{
  const gint64 dims[4] = { 0, 0, n_heads, -1 };

  return assay_builder_transpose (&self->builder, suffix,
                                  assay_builder_reshape (&self->builder, suffix, value, 4, dims), 4,
                                  swap_heads);
}

static AssayValueId
rotate (UpgradeContext *self, const char *suffix, AssayValueId value, AssayValueId positions)
{
  AssayValueId turned = ASSAY_BUILD (&self->builder, RotaryEmbedding, suffix, value,
                                     upgrade_input (self, 7), upgrade_input (self, 8), positions);

  assay_builder_set_int (&self->builder, turned, "interleaved",
                         contrib_int (self, "rotary_interleaved", 0));

  return turned;
}

/* The new rows behind those of each sample, in a cache that is large enough. */
static AssayValueId
update_cache (UpgradeContext *self, const Cache *cache, const char *suffix, AssayValueId past,
              AssayValueId rows, AssayValueId present)
{
  static const gint64 front[6] = { 0 };
  AssayValueId inputs[3], had, room, pads;

  if (past == ASSAY_NO_VALUE)
    {
      if (present == ASSAY_NO_VALUE)
        return rows;
      assay_builder_add_to (&self->builder, ASSAY_OP_Identity, suffix, 1, &rows, present);
      return present;
    }

  had = assay_builder_extents (&self->builder, suffix, past, 2, 3);
  room = ASSAY_BUILD (&self->builder, Max, suffix, had, cache->total);
  room = ASSAY_BUILD (&self->builder, Sub, suffix, room, had);
  pads = ASSAY_BUILD (&self->builder, Concat, suffix,
                      assay_builder_ints (&self->builder, "front", 6, front), room,
                      assay_builder_one_int (&self->builder, "columns", 0));
  assay_builder_set_int (&self->builder, pads, "axis", 0);
  inputs[0] = ASSAY_BUILD (&self->builder, Pad, suffix, past, pads);
  inputs[1] = rows;
  inputs[2] = cache->first;
  if (present == ASSAY_NO_VALUE)
    present = assay_builder_add (&self->builder, ASSAY_OP_TensorScatter, suffix, 3, inputs);
  else
    assay_builder_add_to (&self->builder, ASSAY_OP_TensorScatter, suffix, 3, inputs, present);

  return ASSAY_BUILD (&self->builder, Slice, suffix, present,
                      assay_builder_one_int (&self->builder, "begin", 0), cache->total,
                      assay_builder_one_int (&self->builder, "rows_axis", 2));
}

/* Which columns each row may see: itself and what is before it, no further back than the window. */
static AssayValueId
make_mask (UpgradeContext *self, const Cache *cache, AssayValueId query, gint64 window)
{
  static const gint64 samples[3] = { 1, 2, 3 }, to_column[1] = { 1 };
  AssayValueId bias = upgrade_input (self, 10);
  AssayValueId rows = assay_builder_unsqueeze (
      &self->builder, "rows", count_to (self, "rows", cache->length), 1, to_column);
  AssayValueId columns = count_to (self, "columns", cache->total);
  AssayValueId first = assay_builder_unsqueeze (&self->builder, "first", cache->first, 3, samples);
  AssayValueId mask, minus;

  rows = ASSAY_BUILD (&self->builder, Add, "places", rows, first);
  mask = ASSAY_BUILD (&self->builder, LessOrEqual, "seen", columns, rows);
  if (window > 0)
    {
      AssayValueId edge = ASSAY_BUILD (&self->builder, Sub, "edge", rows,
                                       assay_builder_one_int (&self->builder, "window", window));

      mask = ASSAY_BUILD (&self->builder, And, "seen", mask,
                          ASSAY_BUILD (&self->builder, Greater, "near", columns, edge));
    }
  if (bias == ASSAY_NO_VALUE)
    return mask;

  minus = assay_builder_number_like (&self->builder, "hidden", -INFINITY, query);
  return ASSAY_BUILD (&self->builder, Where, "mask", mask, bias, minus);
}

static gboolean
refuse_cache (UpgradeContext *self, const Cache *cache)
{
  if (cache->n_heads < 1 || cache->n_kv_heads < 1 || cache->n_heads > G_MAXINT32 ||
      cache->n_kv_heads > G_MAXINT32)
    return contrib_refuse (self, "num_heads", "there are no heads");
  if (contrib_int (self, "smooth_softmax", 0) > 0 || upgrade_input (self, 11) != ASSAY_NO_VALUE)
    return contrib_refuse (self, "smooth_softmax", "a softmax with a sink is not read");
  if (upgrade_input (self, 12) != ASSAY_NO_VALUE || upgrade_input (self, 13) != ASSAY_NO_VALUE)
    return contrib_refuse (self, NULL, "a quantized cache is not read");
  if (contrib_output (self, 3) != ASSAY_NO_VALUE)
    return contrib_refuse (self, "qk_output", "scores as an output are not read");
  if (upgrade_input (self, 5) == ASSAY_NO_VALUE || upgrade_input (self, 6) == ASSAY_NO_VALUE)
    return contrib_refuse (self, NULL, "the lengths are missing");

  return TRUE;
}

/* Query, key and value as given, or out of one tensor. */
static gboolean
find_parts (UpgradeContext *self, const Cache *cache, AssayValueId parts[3])
{
  gint64 n = cache->n_heads + 2 * cache->n_kv_heads;
  gint64 width;
  gint64 sizes[3];

  for (guint i = 0; i < 3; i++)
    parts[i] = upgrade_input (self, i);
  if (parts[1] != ASSAY_NO_VALUE && parts[2] != ASSAY_NO_VALUE)
    return TRUE;

  width = contrib_extent (contrib_type (self, parts[0]), -1);
  if (!contrib_needs (self, width > 0))
    return FALSE;
  if (width % n != 0)
    return contrib_refuse (self, "num_heads", "the rows are not as many heads");
  sizes[0] = width / n * cache->n_heads;
  sizes[1] = sizes[2] = width / n * cache->n_kv_heads;
  assay_builder_split (&self->builder, "parts", parts[0], -1, sizes, 3, parts);

  return TRUE;
}

gboolean
contrib_group_query_attention (UpgradeContext *self)
{
  static const gint64 rows[3] = { 0, 0, -1 }, to_column[1] = { 1 };
  Cache cache = {
    .n_heads = contrib_int (self, "num_heads", 0),
    .n_kv_heads = contrib_int (self, "kv_num_heads", 0),
  };
  gboolean rotary = contrib_int (self, "do_rotary", 0) != 0;
  gint64 window = contrib_int (self, "local_window_size", -1);
  double scale = contrib_float (self, "scale", 0.0), cap = contrib_float (self, "softcap", 0.0);
  AssayValueId presents[2] = { contrib_output (self, 1), contrib_output (self, 2) };
  AssayValueId positions = upgrade_input (self, 9);
  AssayValueId parts[3], lengths, query, key, value, mask, y;

  if (!refuse_cache (self, &cache) || !find_parts (self, &cache, parts))
    return FALSE;

  cache.length = assay_builder_extents (&self->builder, "length", parts[0], 1, 2);
  cache.total = assay_builder_reshape (
      &self->builder, "total",
      assay_builder_cast (&self->builder, "total", upgrade_input (self, 6), ASSAY_DTYPE_I64), 1,
      &(gint64){ -1 });
  lengths = assay_builder_reshape (
      &self->builder, "lengths",
      assay_builder_cast (&self->builder, "lengths", upgrade_input (self, 5), ASSAY_DTYPE_I64), 1,
      &(gint64){ -1 });
  lengths = ASSAY_BUILD (&self->builder, Add, "ends", lengths,
                         assay_builder_one_int (&self->builder, "one", 1));
  cache.first = ASSAY_BUILD (&self->builder, Sub, "first", lengths, cache.length);
  cache.first = ASSAY_BUILD (&self->builder, Max, "first", cache.first,
                             assay_builder_one_int (&self->builder, "none", 0));

  query = part_heads (self, "query", parts[0], cache.n_heads);
  key = part_heads (self, "key", parts[1], cache.n_kv_heads);
  value = part_heads (self, "value", parts[2], cache.n_kv_heads);
  if (rotary)
    {
      if (positions == ASSAY_NO_VALUE)
        positions = ASSAY_BUILD (
            &self->builder, Add, "positions", count_to (self, "positions", cache.length),
            assay_builder_unsqueeze (&self->builder, "from", cache.first, 1, to_column));
      query = rotate (self, "query", query, positions);
      key = rotate (self, "key", key, positions);
    }
  key = update_cache (self, &cache, "present_key", upgrade_input (self, 3), key, presents[0]);
  value = update_cache (self, &cache, "present_value", upgrade_input (self, 4), value, presents[1]);
  mask = make_mask (self, &cache, query, window);

  y = ASSAY_BUILD (&self->builder, Attention, "scores", query, key, value, mask);
  if (scale != 0.0)
    assay_builder_set_float (&self->builder, y, "scale", scale);
  if (cap != 0.0)
    assay_builder_set_float (&self->builder, y, "softcap", cap);
  y = assay_builder_transpose (&self->builder, "heads", y, 4, swap_heads);
  ASSAY_BECOME (&self->builder, Reshape, y,
                assay_builder_ints (&self->builder, "rows_side_by_side", 3, rows));
  return TRUE;
}
