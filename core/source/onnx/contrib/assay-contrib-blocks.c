/* assay-contrib-blocks.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

static GBytes *
load_packed (AssayTensor *tensor, gpointer user_data, GError **error)
{
  (void) tensor;

  return assay_tensor_dup_bytes (user_data, error);
}

/* The bytes of a constant as smaller numbers, which lie in them as ONNX packs them; nothing is
 * copied, or read now. */
static AssayValueId
view_packed (UpgradeContext *self, const char *suffix, AssayTensor *packed, AssayDType dtype,
             guint rank, const gint64 *dims)
{
  g_autofree char *name = g_strdup_printf ("%s/%s", upgrade_node (self)->name, suffix);
  g_autoptr (AssayTensor)
      tensor = assay_tensor_new_lazy (dtype, rank, dims, load_packed, assay_tensor_ref (packed),
                                      (GDestroyNotify) assay_tensor_unref, NULL);

  if (tensor == NULL || assay_tensor_get_n_bytes (tensor) != assay_tensor_get_n_bytes (packed))
    return ASSAY_NO_VALUE;

  return assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, tensor);
}

/* The middle of the numbers of some bits, for all blocks; what no zero point says. */
static AssayValueId
middle (UpgradeContext *self, AssayDType dtype, guint rank, const gint64 *dims)
{
  gsize n = 0, size;
  g_autofree char *name = g_strdup_printf ("%s/zero", upgrade_node (self)->name);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  guint8 *data;

  if (!assay_dims_count (rank, dims, &n))
    return ASSAY_NO_VALUE;
  size = (n * assay_dtype_bits (dtype) + 7) / 8;
  data = g_try_malloc (MAX (size, 1));
  if (data == NULL)
    return ASSAY_NO_VALUE;

  memset (data, assay_dtype_bits (dtype) == 4 ? 0x88 : 0x80, size);
  if (assay_dtype_bits (dtype) == 4 && n % 2 != 0)
    data[size - 1] = 0x08;
  bytes = g_bytes_new_take (data, size);
  tensor = assay_tensor_new (dtype, rank, dims, bytes, NULL);

  return tensor == NULL
             ? ASSAY_NO_VALUE
             : assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, tensor);
}

/* Zero points of half a byte whose rows begin with a byte, and how many count in each row. */
typedef struct
{
  AssayTensor *packed;
  gsize n_rows;
  gsize n_columns;
} Rows;

static void
free_rows (gpointer data)
{
  Rows *self = data;

  assay_tensor_unref (self->packed);
  g_free (self);
}

/* Without the half of a byte at the end of each row, which nobody counts. */
static GBytes *
load_rows (AssayTensor *tensor, gpointer user_data, GError **error)
{
  const Rows *self = user_data;
  const guint8 *from = assay_tensor_get_data (self->packed, NULL, error);
  gsize stride = (self->n_columns + 1) / 2, size = assay_tensor_get_n_bytes (tensor);
  guint8 *to;

  if (from == NULL)
    return NULL;

  to = g_malloc0 (MAX (size, 1));
  for (gsize i = 0; i < self->n_rows * self->n_columns; i++)
    {
      gsize column = i % self->n_columns;
      guint8 byte = from[i / self->n_columns * stride + column / 2];

      to[i / 2] |= (guint8) ((column % 2 == 0 ? byte & 15 : byte >> 4) << (i % 2 * 4));
    }

  return g_bytes_new_take (to, size);
}

/* What the zero points of MatMulNBits are: a byte or half of one for each block, rows begin with a
 * byte. */
static AssayValueId
find_zeros (UpgradeContext *self, AssayValueId zeros, AssayDType dtype, gint64 n, gint64 n_blocks)
{
  AssayTensor *packed = assay_graph_constant (self->graph, zeros);
  const gint64 dims[2] = { n, n_blocks };
  g_autofree char *name = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  Rows *rows;

  if (zeros == ASSAY_NO_VALUE)
    return middle (self, dtype, 2, dims);
  if (dtype == ASSAY_DTYPE_U8 || n_blocks % 2 == 0)
    return view_packed (self, "zero", packed, dtype, 2, dims);

  rows = g_new (Rows, 1);
  *rows = (Rows){ assay_tensor_ref (packed), (gsize) n, (gsize) n_blocks };
  tensor = assay_tensor_new_lazy (dtype, 2, dims, load_rows, rows, free_rows, NULL);
  name = g_strdup_printf ("%s/zero", upgrade_node (self)->name);

  return tensor == NULL
             ? ASSAY_NO_VALUE
             : assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, tensor);
}

static gboolean
check_blocks (UpgradeContext *self, gint64 n, gint64 k, gint64 bits, gint64 block)
{
  AssayTensor *weight = assay_graph_constant (self->graph, upgrade_input (self, 1));
  AssayTensor *zeros = assay_graph_constant (self->graph, upgrade_input (self, 3));
  gint64 n_blocks = block > 0 ? (k + block - 1) / block : 0;
  gint64 row;

  if (bits != 4 && bits != 8)
    return contrib_refuse (self, "bits", "4 and 8 are known");
  if (n < 1 || k < 1 || block < 16 || n > G_MAXINT32 || k > G_MAXINT32 || block > G_MAXINT32)
    return contrib_refuse (self, "block_size", "sizes that are no sizes of a matrix");
  if (upgrade_input (self, 4) != ASSAY_NO_VALUE)
    return contrib_refuse (self, NULL, "an order of groups is not read");
  if (weight == NULL || assay_tensor_get_dtype (weight) != ASSAY_DTYPE_U8 ||
      assay_tensor_get_n_bytes (weight) != (gsize) (n * n_blocks) * (gsize) (block * bits / 8))
    return contrib_refuse (self, NULL, "the weight is no constant of its size");
  row = (n_blocks * bits + 7) / 8;
  if (upgrade_input (self, 3) != ASSAY_NO_VALUE &&
      (zeros == NULL || assay_tensor_get_dtype (zeros) != ASSAY_DTYPE_U8 ||
       assay_tensor_get_n_bytes (zeros) != (gsize) (n * row)))
    return contrib_refuse (self, NULL, "the zero points are no bytes of their number");

  return TRUE;
}

/* A weight of few bits, each block of a column with its own scale: the weight is taken apart where
 * it is read. */
gboolean
contrib_matmul_nbits (UpgradeContext *self)
{
  static const gint64 swapped[2] = { 1, 0 };
  gint64 n = contrib_int (self, "N", 0), k = contrib_int (self, "K", 0);
  gint64 bits = contrib_int (self, "bits", 4), block = contrib_int (self, "block_size", 0);
  AssayDType dtype = bits == 4 ? ASSAY_DTYPE_U4 : ASSAY_DTYPE_U8;
  AssayValueId input = upgrade_input (self, 0), bias = upgrade_input (self, 5);
  AssayValueId weight, scale, zero;
  gint64 dims[2];

  if (!check_blocks (self, n, k, bits, block))
    return FALSE;

  dims[0] = n;
  dims[1] = (k + block - 1) / block;
  zero = find_zeros (self, upgrade_input (self, 3), dtype, n, dims[1]);
  scale = assay_builder_reshape (&self->builder, "scale", upgrade_input (self, 2), 2, dims);
  dims[1] *= block;
  weight = view_packed (self, "weight", assay_graph_constant (self->graph, upgrade_input (self, 1)),
                        dtype, 2, dims);
  if (zero == ASSAY_NO_VALUE || weight == ASSAY_NO_VALUE)
    return contrib_refuse (self, NULL, "the weight cannot be taken apart");

  weight = ASSAY_BUILD (&self->builder, DequantizeLinear, "weight", weight, scale, zero);
  assay_builder_set_int (&self->builder, weight, "axis", 1);
  assay_builder_set_int (&self->builder, weight, "block_size", block);
  if (dims[1] != k)
    weight = ASSAY_BUILD (&self->builder, Slice, "weight", weight,
                          assay_builder_one_int (&self->builder, "begin", 0),
                          assay_builder_one_int (&self->builder, "end", k),
                          assay_builder_one_int (&self->builder, "columns", 1));
  weight = assay_builder_transpose (&self->builder, "weight", weight, 2, swapped);
  if (bias == ASSAY_NO_VALUE)
    ASSAY_BECOME (&self->builder, MatMul, input, weight);
  else
    ASSAY_BECOME (&self->builder, Add,
                  ASSAY_BUILD (&self->builder, MatMul, "product", input, weight), bias);
  return TRUE;
}

/* Rows of a table of few bits, taken apart when they are read. */
gboolean
contrib_gather_block_quantized (UpgradeContext *self)
{
  AssayValueId data = upgrade_input (self, 0), indices = upgrade_input (self, 1);
  AssayValueId scales = upgrade_input (self, 2), zeros = upgrade_input (self, 3);
  gint64 block = contrib_int (self, "block_size", 128), bits = contrib_int (self, "bits", 4);
  gint64 axis = contrib_int (self, "quantize_axis", 1);
  gint64 gather_axis = contrib_int (self, "gather_axis", 0);
  AssayTensor *packed = assay_graph_constant (self->graph, data);
  gboolean in_bytes = packed != NULL && assay_tensor_get_dtype (packed) == ASSAY_DTYPE_U8;
  AssayValueId rows;

  if (packed == NULL)
    return contrib_refuse (self, NULL, "the table is no constant");
  if (in_bytes && (bits != 4 || zeros != ASSAY_NO_VALUE))
    return contrib_refuse (self, "bits", "a table in bytes has four bits and no zero points");
  if (in_bytes)
    {
      AssayTensor *scale = assay_graph_constant (self->graph, scales);
      guint rank = assay_tensor_get_rank (packed);
      gint64 dims[ASSAY_MAX_RANK];

      if (scale == NULL || rank == 0)
        return contrib_refuse (self, NULL, "the scales are no constant");
      for (guint i = 0; i < rank; i++)
        dims[i] = assay_tensor_get_dims (packed)[i] * (i + 1 == rank ? 2 : 1);
      data = view_packed (self, "table", packed, ASSAY_DTYPE_U4, rank, dims);
      zeros = middle (self, ASSAY_DTYPE_U4, assay_tensor_get_rank (scale),
                      assay_tensor_get_dims (scale));
      if (data == ASSAY_NO_VALUE || zeros == ASSAY_NO_VALUE)
        return contrib_refuse (self, NULL, "the table cannot be taken apart");
    }

  rows = ASSAY_BUILD (&self->builder, DequantizeLinear, "table", data, scales, zeros);
  assay_builder_set_int (&self->builder, rows, "axis", axis);
  assay_builder_set_int (&self->builder, rows, "block_size", block);
  ASSAY_BECOME (&self->builder, Gather, rows, indices);
  assay_graph_set_int (self->graph, self->id, "axis", gather_axis);
  return TRUE;
}
