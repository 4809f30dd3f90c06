/* assay-torch-make-attention.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Attention, and features that are turned by their position, as models of language have them: what
 * the passes of a delegate make of several functions.
 */
#include <math.h>

#include "source/torch/assay-torch-make-private.h"

/* et_vk.sdpa: softmax (q k' * scale + mask) v */
gboolean
assay_torch_make_plain_attention (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *turned;
  AssayTorchItem *made;
  AssayValueId q;
  gint64 dims[ASSAY_MAX_RANK];
  double scale;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &q) || !assay_torch_dims (self, q, &rank, dims) || rank < 2)
    return FALSE;
  scale = 1.0 / sqrt ((double) dims[rank - 1]);
  if (!assay_torch_is_none (self, 4) && !assay_torch_get_float (self, 4, &scale))
    return FALSE;
  turned = APPLY ("aten.transpose.int", ARG (1), INT (-2), INT (-1));
  made = turned != NULL ? APPLY ("aten.matmul", ARG (0), turned) : NULL;
  if (made != NULL)
    made = APPLY ("aten.mul.Scalar", made, assay_torch_float (self, scale));
  if (made != NULL && !assay_torch_is_none (self, 3))
    made = APPLY ("aten.add.Tensor", made, ARG (3), INT (1));
  if (made != NULL)
    made = APPLY ("aten._softmax", made, INT (-1), assay_torch_bool (self, FALSE));
  if (made != NULL)
    made = APPLY ("aten.matmul", made, ARG (2));

  return made != NULL && assay_torch_result_item (self, 0, made);
}

/* One half of pairs that lie next to each other along the last axis. */
static AssayTorchItem *
half_of (AssayTorchLower *self, AssayTorchItem *pairs, gint64 which)
{
  return pairs != NULL ? APPLY ("aten.select.int", pairs, INT (-1), INT (which)) : NULL;
}

/* et_vk.apply_rotary_emb_interleaved: pairs are turned, as complex numbers are multiplied. */
gboolean
assay_torch_make_rotary_pairs (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *shape[4];
  AssayTorchItem *parts[4];
  AssayTorchItem *made[2];
  gint64 dims[ASSAY_MAX_RANK];
  AssayValueId x;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_dims (self, x, &rank, dims))
    return FALSE;
  if (rank != 3 || dims[2] % 2 != 0)
    return assay_torch_cannot (self, "its input has no pairs");
  for (guint i = 0; i < 2; i++)
    shape[i] = INT (dims[i]);
  shape[2] = INT (dims[2] / 2);
  shape[3] = INT (2);
  for (guint i = 0; i < 4; i++)
    {
      guint skipped = i < 2 ? 0 : 1; /* the angles are the same for the whole batch */

      parts[i] = APPLY ("aten.reshape", ARG (i / 2),
                        assay_torch_list (self, 4 - skipped, shape + skipped));
      parts[i] = half_of (self, parts[i], i % 2);
    }
  made[0] = APPLY ("aten.sub.Tensor", APPLY ("aten.mul.Tensor", parts[0], parts[2]),
                   APPLY ("aten.mul.Tensor", parts[1], parts[3]), INT (1));
  made[1] = APPLY ("aten.add.Tensor", APPLY ("aten.mul.Tensor", parts[0], parts[3]),
                   APPLY ("aten.mul.Tensor", parts[1], parts[2]), INT (1));
  if (made[0] == NULL || made[1] == NULL)
    return FALSE;
  made[0] = APPLY ("aten.stack", assay_torch_list (self, 2, made), INT (-1));
  shape[2] = INT (dims[2]);
  if (made[0] != NULL)
    made[0] = APPLY ("aten.reshape", made[0], assay_torch_list (self, 3, shape));

  return made[0] != NULL && assay_torch_result_item (self, 0, made[0]);
}

/* Angles of each position, from a table with a row for each: rows behind the first are those of
 * what is turned. */
static AssayTorchItem *
rows_of (AssayTorchLower *self, guint index, gint64 first, gint64 n)
{
  AssayTorchItem *table = ARG (index);
  gint64 dims[ASSAY_MAX_RANK];
  guint rank;

  if (table == NULL || table->kind != ASSAY_TORCH_ITEM_TENSOR ||
      !assay_torch_dims (self, table->value, &rank, dims) || rank != 2 || first < 0 ||
      dims[0] - first < n)
    {
      assay_torch_cannot (self, "its angles are no table with a row for each position");
      return NULL;
    }
  if (first == 0)
    return assay_torch_cut (self, table, 0, n);

  return APPLY ("aten.slice.Tensor", table, INT (0), INT (first), INT (first + n), INT (1));
}

/* Turns neighbours, whose angles are as many as there are pairs. */
static AssayTorchItem *
turn_neighbours (AssayTorchLower *self, AssayTorchItem *x, AssayTorchItem *const tables[2],
                 const gint64 *dims)
{
  AssayTorchItem *shape[] = { INT (dims[0]), INT (dims[1]), INT (dims[3] / 2) };
  AssayTorchItem *order[] = { INT (0), INT (2), INT (1), INT (3) };
  AssayTorchItem *turned = APPLY ("aten.permute", x, assay_torch_list (self, 4, order));
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;

  if (turned == NULL)
    return NULL;
  inputs[0] = turned->value;
  for (guint i = 0; i < 2; i++)
    {
      AssayTorchItem *table = APPLY ("aten.expand", tables[i], assay_torch_list (self, 3, shape),
                                     assay_torch_bool (self, FALSE));

      if (table == NULL)
        return NULL;
      inputs[i + 1] = assay_torch_read (self, table);
    }
  node = assay_torch_node (self, ASSAY_OP_RotaryEmbedding, 3, inputs, 1, &output);
  assay_graph_set_int (self->graph, node, "interleaved", 1);
  assay_torch_infer (self, node);

  return APPLY ("aten.permute", assay_torch_tensor (self, output),
                assay_torch_list (self, 4, order));
}

/* Turns each feature of the first half with one of the second; features behind those that have
 * angles stay as they are. */
static AssayTorchItem *
turn_halves (AssayTorchLower *self, AssayTorchItem *x, AssayTorchItem *const tables[2],
             const gint64 *dims)
{
  AssayTorchItem *parts[2];
  AssayTorchItem *factors[2];
  AssayTorchItem *swapped;
  gint64 table[ASSAY_MAX_RANK];
  gint64 n;
  guint rank;

  if (!assay_torch_dims (self, tables[0]->value, &rank, table))
    return NULL;
  n = table[1];
  for (guint i = 0; i < 2; i++)
    {
      parts[i] = APPLY ("aten.slice.Tensor", x, INT (3), INT (i * n / 2), INT ((i + 1) * n / 2),
                        INT (1));
      factors[i] = APPLY ("aten.unsqueeze", tables[i], INT (1));
    }
  parts[1] = parts[1] != NULL ? APPLY ("aten.neg", parts[1]) : NULL;
  if (parts[0] == NULL || parts[1] == NULL)
    return NULL;
  swapped = APPLY ("aten.cat",
                   assay_torch_list (self, 2, (AssayTorchItem *[]){ parts[1], parts[0] }), INT (3));
  parts[0] = APPLY ("aten.add.Tensor",
                    APPLY ("aten.mul.Tensor", assay_torch_cut (self, x, 3, n), factors[0]),
                    APPLY ("aten.mul.Tensor", swapped, factors[1]), INT (1));
  if (n == dims[3] || parts[0] == NULL)
    return parts[0];
  parts[1] = APPLY ("aten.slice.Tensor", x, INT (3), INT (n), INT (dims[3]), INT (1));

  return parts[1] != NULL ? APPLY ("aten.cat", assay_torch_list (self, 2, parts), INT (3)) : NULL;
}

/* et_vk.apply_rotary_emb and, with argument 1, et_vk.apply_rotary_emb_hf: queries and keys, of
 * which each position is turned by the angles of its row. */
gboolean
assay_torch_make_rotary (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gboolean by_halves = rule->argument == 1;
  gint64 first = 0;

  if (by_halves && !assay_torch_get_int (self, 4, &first))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      AssayTorchItem *x = ARG (i);
      AssayTorchItem *tables[2];
      AssayTorchItem *made = NULL;
      AssayDType dtype, angles;
      gint64 dims[ASSAY_MAX_RANK];
      gint64 own[ASSAY_MAX_RANK];
      guint rank;

      if (x == NULL || x->kind != ASSAY_TORCH_ITEM_TENSOR ||
          !assay_torch_dims (self, x->value, &rank, dims) || rank != 4)
        return assay_torch_cannot (self, "what it turns has no heads");
      for (guint j = 0; j < 2; j++)
        if ((tables[j] = rows_of (self, 2 + j, first, dims[1])) == NULL)
          return FALSE;
      if (!assay_torch_dims (self, tables[0]->value, &rank, own) ||
          (by_halves ? own[1] > dims[3] || own[1] % 2 != 0 : own[1] * 2 != dims[3]))
        return assay_torch_cannot (self, "its heads and its angles do not fit each other");

      /* What is turned is as exact as its angles. */
      dtype = assay_torch_dtype (self, x->value);
      angles = assay_torch_dtype (self, tables[0]->value);
      if (dtype != angles)
        x = assay_torch_tensor (self, assay_torch_cast (self, x->value, angles));
      made = by_halves ? turn_halves (self, x, tables, dims)
                       : turn_neighbours (self, x, tables, dims);
      if (made == NULL ||
          !assay_torch_result (self, i,
                               assay_torch_cast (self, assay_torch_read (self, made), dtype)))
        return FALSE;
    }

  return TRUE;
}

/* Adds to scores what hides keys behind the position of a query. */
static AssayTorchItem *
hide_later (AssayTorchLower *self, AssayTorchItem *scores, gint64 rows, gint64 columns)
{
  const gint64 dims[2] = { rows, columns };
  g_autofree float *numbers = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  if (columns > (1 << 22) / MAX (rows, 1))
    {
      assay_torch_cannot (self, "it hides keys of more than four million pairs");
      return NULL;
    }
  numbers = g_new0 (float, (gsize) MAX (rows * columns, 1));
  for (gint64 i = 0; i < rows * columns; i++)
    if (i % columns > i / columns + columns - rows)
      numbers[i] = -INFINITY;
  tensor = assay_tensor_new_f32 (2, dims, numbers);

  return APPLY (
      "aten.add.Tensor", scores,
      assay_torch_tensor (self, assay_torch_cast (self, assay_torch_keep (self, tensor),
                                                  assay_torch_dtype (self, scores->value))),
      INT (1));
}

/* Heads in front of positions. */
static AssayTorchItem *
heads_first (AssayTorchLower *self, AssayTorchItem *x)
{
  AssayTorchItem *order[] = { INT (0), INT (2), INT (1), INT (3) };

  return x != NULL ? APPLY ("aten.permute", x, assay_torch_list (self, 4, order)) : NULL;
}

static AssayTorchItem *
reshape_heads (AssayTorchLower *self, AssayTorchItem *x, gint64 batch, gint64 heads, gint64 rows,
               gint64 columns)
{
  AssayTorchItem *shape[] = { INT (batch), INT (heads), INT (rows), INT (columns) };

  return x != NULL ? APPLY ("aten.reshape", x, assay_torch_list (self, 4, shape)) : NULL;
}

/* llama.custom_sdpa: attention of queries at a position to the keys and values of a cache up to
 * theirs. Heads of keys serve as many heads of queries as there are for each. */
gboolean
assay_torch_make_cached_attention (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *sides[3];
  AssayTorchItem *made;
  gint64 dims[3][ASSAY_MAX_RANK];
  gboolean is_causal;
  gint64 first, length, group, heads;
  double chance, scale;

  for (guint i = 0; i < 3; i++)
    {
      guint rank;

      sides[i] = ARG (i);
      if (sides[i] == NULL || sides[i]->kind != ASSAY_TORCH_ITEM_TENSOR ||
          !assay_torch_dims (self, sides[i]->value, &rank, dims[i]) || rank != 4)
        return assay_torch_cannot (self, "its operand %u has no heads", i);
    }
  if (!assay_torch_get_int (self, 3, &first) || !assay_torch_get_float (self, 5, &chance) ||
      !assay_torch_get_bool (self, 6, &is_causal))
    return FALSE;
  length = first + dims[0][1];
  heads = dims[1][2];
  if (first < 0 || length > dims[1][1] || length > dims[2][1] || heads < 1 ||
      dims[0][2] % heads != 0 || dims[2][2] != heads || dims[0][3] != dims[1][3] ||
      dims[0][0] != dims[1][0] || dims[0][0] != dims[2][0])
    return assay_torch_cannot (self, "its operands do not fit each other");
  if (fabs (chance) > 0.0)
    return assay_torch_cannot (self, "it drops numbers out");
  group = dims[0][2] / heads;
  scale = 1.0 / sqrt ((double) dims[0][3]);
  if (!assay_torch_is_none (self, 7) && !assay_torch_get_float (self, 7, &scale))
    return FALSE;

  sides[1] = assay_torch_cut (self, sides[1], 1, length);
  sides[2] = assay_torch_cut (self, sides[2], 1, length);
  for (guint i = 0; i < 3; i++)
    sides[i] = heads_first (self, sides[i]);
  sides[0] = reshape_heads (self, sides[0], dims[0][0], heads, group * dims[0][1], dims[0][3]);
  sides[1] = sides[1] != NULL ? APPLY ("aten.transpose.int", sides[1], INT (-2), INT (-1)) : NULL;
  made = APPLY ("aten.matmul", sides[0], sides[1]);
  made = APPLY ("aten.mul.Scalar", made, assay_torch_float (self, scale));
  made = reshape_heads (self, made, dims[0][0], dims[0][2], dims[0][1], length);
  if (made != NULL && !assay_torch_is_none (self, 4))
    made = APPLY ("aten.add.Tensor", made, ARG (4), INT (1));
  else if (made != NULL && is_causal)
    made = hide_later (self, made, dims[0][1], length);
  made = APPLY ("aten._softmax", made, INT (-1), assay_torch_bool (self, FALSE));
  made = reshape_heads (self, made, dims[0][0], heads, group * dims[0][1], length);
  made = APPLY ("aten.matmul", made, sides[2]);
  made = reshape_heads (self, made, dims[0][0], dims[0][2], dims[0][1], dims[2][3]);
  made = heads_first (self, made);

  return made != NULL && assay_torch_result_item (self, 0, made);
}

/* Writes rows to a cache from a position on; the cache afterwards, NULL with a reason. */
static AssayTorchItem *
write_cache (AssayTorchLower *self, guint rows, guint cache, gint64 first)
{
  AssayTorchItem *item = ARG (cache);
  AssayTorchItem *part;
  AssayValueId value, before;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 sizes[ASSAY_MAX_RANK];
  guint rank, n;

  if (!assay_torch_get_tensor (self, rows, &value) ||
      !assay_torch_get_tensor (self, cache, &before) ||
      !assay_torch_dims (self, value, &rank, dims) || !assay_torch_dims (self, before, &n, sizes))
    return NULL;
  if (rank != 4 || n != 4 || first < 0 || first + dims[1] > sizes[1])
    {
      assay_torch_cannot (self, "what is written does not fit the cache");
      return NULL;
    }
  part = assay_torch_view_slice (self, item, 1, first, first + dims[1], 1);

  return part != NULL && assay_torch_write (self, part, value) ? item : NULL;
}

/* llama.update_cache: writes to the cache. The result is one number that nothing reads, or the
 * cache where the program says so. */
gboolean
assay_torch_make_update_cache (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gint64 first;
  gint64 one = 1;
  AssayTorchItem *cache;
  const AssayTorchType *type = self->op->n_results > 0 ? self->op->results[0]->type : NULL;

  if (!assay_torch_get_int (self, 2, &first) || (cache = write_cache (self, 0, 1, first)) == NULL)
    return FALSE;
  if (type == NULL)
    return TRUE;
  if (type->rank == 1)
    return assay_torch_result (
        self, 0, assay_torch_fill (self, assay_torch_dtype (self, cache->value), 1, &one, 0.0));

  return assay_torch_result_item (self, 0, cache);
}

/* llama.sdpa_with_kv_cache: writes keys and values to their caches, and attends to these. */
gboolean
assay_torch_make_attention_with_cache (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gint64 first;
  AssayTorchItem *keys, *values, *made;

  if (!assay_torch_get_int (self, 5, &first) || (keys = write_cache (self, 1, 3, first)) == NULL ||
      (values = write_cache (self, 2, 4, first)) == NULL)
    return FALSE;
  assay_torch_read (self, keys);
  assay_torch_read (self, values);
  made = APPLY ("llama.custom_sdpa", ARG (0), keys, values, ARG (5),
                ARG (7) != NULL ? ARG (7) : assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE),
                ARG (8) != NULL ? ARG (8) : assay_torch_float (self, 0.0),
                ARG (9) != NULL ? ARG (9) : assay_torch_bool (self, FALSE),
                ARG (10) != NULL ? ARG (10) : assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));

  return made != NULL && assay_torch_result_item (self, 0, made);
}
