/* assay-equivalence-product.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards that take products apart: gates that are computed together, outputs that are too many,
 * windows over one channel.
 */
#include "fix/assay-equivalence-private.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-product.h"
#include "nnir/assay-node-slice.h"
#include "nnir/assay-node-window.h"

/* Columns of one part of a product that is too wide. */
#define PART 2048

#define MAX_FRAMES 256

/* A product with a constant matrix, and a constant that is added behind it. */
typedef struct
{
  AssayValueId data;
  double *matrix; /* rows by columns */
  double *bias;   /* per column, or NULL */
  gint64 rows;
  gint64 columns;
  AssayDType dtype;
} Product;

static void
product_clear (Product *self)
{
  g_free (self->matrix);
  g_free (self->bias);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Product, product_clear)

static AssayValueId
node_input (AssayEdit *edit, const AssayNode *node, guint index)
{
  return assay_rewriter_resolve (&edit->rewriter, assay_node_input (node, index));
}

/* Reads a MatMul, or a Gemm without factors, of a computed value with a constant matrix. */
static gboolean
read_product (AssayEdit *edit, const AssayNode *node, Product *self)
{
  AssayValueId weight = node_input (edit, node, 1), bias = node_input (edit, node, 2);
  const AssayType *type = assay_edit_type (edit, weight);
  AssayNodeProduct product = assay_node_get_product (node);
  gboolean turned = product.transposed[1];
  gsize n, n_bias = 0;

  if ((node->op != ASSAY_OP_MatMul && node->op != ASSAY_OP_Gemm) || type->rank != 2 ||
      !assay_type_is_static (type))
    return FALSE;
  if (product.transposed[0] || product.alpha != 1 || product.beta != 1)
    return FALSE;
  self->data = node_input (edit, node, 0);
  self->dtype = type->dtype;
  self->rows = type->dims[turned ? 1 : 0].size;
  self->columns = type->dims[turned ? 0 : 1].size;
  self->matrix = assay_guard_read (edit, weight, &n);
  if (self->matrix == NULL)
    return FALSE;
  if (turned)
    {
      double *matrix = g_new (double, MAX (n, 1));

      for (gint64 i = 0; i < self->columns; i++)
        for (gint64 j = 0; j < self->rows; j++)
          matrix[j * self->columns + i] = self->matrix[i * self->rows + j];
      g_free (self->matrix);
      self->matrix = matrix;
    }
  if (bias == ASSAY_NO_VALUE)
    return TRUE;
  self->bias = assay_guard_read (edit, bias, &n_bias);

  return self->bias != NULL && n_bias == (gsize) self->columns &&
         assay_edit_type (edit, bias)->rank == 1;
}

/* Finds the product behind a value, with a constant added or without. */
static gboolean
find_product (AssayEdit *edit, AssayValueId value, Product *self)
{
  AssayNodeId id = assay_rewriter_producer (&edit->rewriter, value);
  const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (edit->graph, id) : NULL;
  g_autofree double *bias = NULL;
  gsize n = 0;

  if (node != NULL && node->op == ASSAY_OP_Add)
    {
      guint constant = assay_edit_constant (edit, node_input (edit, node, 1)) != NULL ? 1 : 0;
      AssayValueId added = node_input (edit, node, constant);

      if (assay_edit_type (edit, added)->rank > 1)
        return assay_edit_refuse (edit, "what is added to the product has more than one dimension");
      bias = assay_guard_read (edit, added, &n);
      id = assay_rewriter_producer (&edit->rewriter, node_input (edit, node, 1 - constant));
      node = bias != NULL && id != ASSAY_NO_NODE ? assay_graph_node (edit->graph, id) : NULL;
    }
  if (node == NULL || !read_product (edit, node, self) ||
      (bias != NULL && (self->bias != NULL || n != (gsize) self->columns)))
    return assay_edit_refuse (edit, "it does not read a product with a constant matrix");
  if (bias != NULL)
    self->bias = g_steal_pointer (&bias);

  return TRUE;
}

/* The product with some of the columns only. */
static AssayValueId
add_columns (AssayEdit *edit, const Product *self, gint64 begin, gint64 end)
{
  const gint64 dims[] = { self->rows, end - begin };
  g_autofree double *part = g_new (double, MAX (dims[0] * dims[1], 1));
  AssayValueId pair[2] = { self->data };
  AssayValueId value;

  for (gint64 i = 0; i < self->rows; i++)
    memcpy (part + i * dims[1], self->matrix + i * self->columns + begin,
            (gsize) dims[1] * sizeof *part);
  pair[1] = assay_guard_floats (edit, self->dtype, 2, dims, part);
  value = assay_builder_add (&edit->builder, ASSAY_OP_MatMul, NULL, 2, pair);
  if (self->bias == NULL)
    return value;
  pair[0] = value;
  pair[1] = assay_guard_floats (edit, self->dtype, 1, &dims[1], self->bias + begin);

  return assay_builder_add (&edit->builder, ASSAY_OP_Add, NULL, 2, pair);
}

static gboolean
is_last_axis (AssayEdit *edit, gint64 axis)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  int normal;

  return assay_axes_normalize (axis, type->rank, &normal) && normal == type->rank - 1;
}

/* The image that a Flatten or Reshape makes a row of, channels first; rows of other sizes are no
 * image. */
static AssayValueId
find_image (AssayEdit *edit, const Product *product, AssayGuardShape *shape)
{
  AssayNodeId id = assay_rewriter_producer (&edit->rewriter, product->data);
  const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (edit->graph, id) : NULL;
  const AssayType *row = assay_edit_type (edit, product->data);
  AssayValueId image;
  gint64 n = 1;

  if (node == NULL || (node->op != ASSAY_OP_Flatten && node->op != ASSAY_OP_Reshape))
    return ASSAY_NO_VALUE;
  image = node_input (edit, node, 0);
  if (!assay_type_is_static (row) || !assay_type_is_static (assay_edit_type (edit, image)) ||
      !assay_guard_sizes (edit, assay_edit_type (edit, image), shape) || shape->rank < 3)
    return ASSAY_NO_VALUE;
  for (guint i = 1; i < shape->rank; i++)
    n *= shape->dims[i];

  return row->rank == 2 && row->dims[0].size == shape->dims[0] && n == product->rows &&
                 shape->dims[1] > 1 && n > shape->dims[1]
             ? image
             : ASSAY_NO_VALUE;
}

/* A product with an image that was made a row: with channels last, as a convolution leaves them,
 * the rows of the matrix follow. */
gboolean
assay_guard_flattened_channels (AssayEdit *edit)
{
  g_auto (Product) product = { 0 };
  g_autofree double *matrix = NULL;
  AssayGuardShape shape;
  AssayValueId pair[2];
  gint64 perm[ASSAY_MAX_RANK], row[2], channels, places;

  if (!read_product (edit, assay_edit_node (edit), &product))
    return assay_edit_refuse (edit, "it is no product with a constant matrix");
  pair[0] = find_image (edit, &product, &shape);
  if (pair[0] == ASSAY_NO_VALUE)
    return assay_edit_refuse (edit, "it does not read an image of several channels as a row");

  channels = shape.dims[1];
  places = product.rows / channels;
  matrix = g_new (double, product.rows *product.columns);
  for (gint64 i = 0; i < product.rows; i++)
    memcpy (matrix + (i % places * channels + i / places) * product.columns,
            product.matrix + i * product.columns, (gsize) product.columns * sizeof *matrix);
  g_free (product.matrix);
  product.matrix = g_steal_pointer (&matrix);

  perm[0] = 0;
  perm[shape.rank - 1] = 1;
  for (guint i = 2; i < shape.rank; i++)
    perm[i - 1] = i;
  pair[0] = assay_builder_add (&edit->builder, ASSAY_OP_Transpose, NULL, 1, pair);
  assay_graph_set_ints (edit->graph, assay_builder_last (&edit->builder), "perm", shape.rank, perm);
  row[0] = shape.dims[0];
  row[1] = product.rows;
  pair[1] = assay_builder_ints (&edit->builder, "constant", 2, row);
  product.data = assay_builder_add (&edit->builder, ASSAY_OP_Reshape, NULL, 2, pair);
  assay_bindings_set_value (edit->bindings, "result",
                            add_columns (edit, &product, 0, product.columns));
  edit->tidy = TRUE;

  return TRUE;
}

gboolean
assay_guard_split_products (AssayEdit *edit)
{
  g_auto (Product) product = { 0 };
  guint n = assay_edit_node (edit)->n_outputs;
  AssayValueId first = ASSAY_NO_VALUE;
  gint64 begin = 0;

  if (!is_last_axis (edit, assay_node_get_int (assay_edit_node (edit), "axis")))
    return assay_edit_refuse (edit, "it does not split the last axis");
  if (!find_product (edit, assay_edit_input (edit, 0), &product))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const AssayType *type = assay_edit_type (edit, assay_node_output (assay_edit_node (edit), i));

      if (type->rank < 1 || type->dims[type->rank - 1].size < 0)
        return assay_edit_refuse (edit, "the extent of part %u is not known", i);
      begin += type->dims[type->rank - 1].size;
    }
  if (begin != product.columns)
    return assay_edit_refuse (edit, "its parts are not those of the product");

  begin = 0;
  for (guint i = 0; i < n; i++)
    {
      const AssayType *type = assay_edit_type (edit, assay_node_output (assay_edit_node (edit), i));
      gint64 end = begin + type->dims[type->rank - 1].size;
      AssayValueId part;

      part = add_columns (edit, &product, begin, end);
      if (i == 0)
        first = part;
      else
        assay_edit_replace (edit, i, part);
      begin = end;
    }
  assay_bindings_set_value (edit->bindings, "result", first);

  return TRUE;
}

gboolean
assay_guard_slice_product (AssayEdit *edit)
{
  g_auto (Product) product = { 0 };
  g_autofree gint64 *starts = NULL;
  g_autofree gint64 *ends = NULL;
  g_autofree gint64 *axes = NULL;
  AssayNodeSlice slice;
  gsize n[3] = { 0 };

  starts = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 1), &n[0]);
  ends = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 2), &n[1]);
  axes = assay_value_dup_ints (edit->graph, assay_edit_input (edit, 3), &n[2]);
  if (n[0] != 1 || n[1] != 1 || n[2] != 1 || assay_edit_input (edit, 4) != ASSAY_NO_VALUE ||
      !is_last_axis (edit, axes[0]))
    return assay_edit_refuse (edit, "it does not cut the last axis at constant places");
  if (!find_product (edit, assay_edit_input (edit, 0), &product))
    return FALSE;
  assay_node_slice_init (&slice, 1, &product.columns);
  if (!assay_node_slice_cut (&slice, 0, starts[0], ends[0], 1) || slice.length[0] == 0)
    return assay_edit_refuse (edit, "its result is empty");
  assay_bindings_set_value (
      edit->bindings, "result",
      add_columns (edit, &product, slice.start[0], slice.start[0] + slice.length[0]));

  return TRUE;
}

gboolean
assay_guard_product_parts (AssayEdit *edit)
{
  g_auto (Product) product = { 0 };
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  AssayValueId value;

  if (!read_product (edit, assay_edit_node (edit), &product))
    return assay_edit_refuse (edit, "it is no plain product with a constant matrix");
  if (product.columns <= PART)
    return assay_edit_refuse (edit, "it has %" G_GINT64_FORMAT " column%s, which are few",
                              product.columns, assay_plural (product.columns));
  for (gint64 begin = 0; begin < product.columns; begin += PART)
    {
      value = add_columns (edit, &product, begin, MIN (begin + PART, product.columns));
      g_array_append_val (parts, value);
    }
  value = assay_builder_add (&edit->builder, ASSAY_OP_Concat, NULL, parts->len,
                             (const AssayValueId *) (gpointer) parts->data);
  assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "axis", -1);
  assay_bindings_set_value (edit->bindings, "result", value);

  return TRUE;
}

/* A sequence of one channel is cut into its windows, which a product takes as vectors. */
gboolean
assay_guard_one_channel_frames (AssayEdit *edit)
{
  const AssayNode *node = assay_edit_node (edit);
  g_autofree double *numbers = NULL;
  g_autofree double *turned = NULL;
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  AssayValueId data, value;
  AssayGuardShape from, weight, to;
  AssayNodeWindow window;
  gint64 dims[2];
  AssayDType dtype;
  gsize n;

  if (!assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 0)), &from) ||
      !assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 1)), &weight) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), &to))
    return FALSE;
  numbers = assay_guard_read (edit, assay_edit_input (edit, 1), &n);
  if (from.rank != 3 || weight.rank != 3 || from.dims[1] != 1 || numbers == NULL ||
      assay_node_get_int (node, "group") != 1)
    return assay_edit_refuse (
        edit, "it is no convolution of a sequence of one channel with constant weights");
  if (!assay_node_get_window (edit->graph, node, &window) || window.n != 1 ||
      window.dilation[0] != 1 || window.before[0] != 0 || window.after[0] != 0)
    return assay_edit_refuse (edit, "its windows are padded or dilated");
  if (to.dims[2] < 1 || to.dims[2] > MAX_FRAMES)
    return assay_edit_refuse (edit, "it has %" G_GINT64_FORMAT " window%s, expected 1 to %d",
                              to.dims[2], assay_plural (to.dims[2]), MAX_FRAMES);

  data = assay_edit_input (edit, 0);
  for (gint64 i = 0; i < to.dims[2]; i++)
    {
      const gint64 bounds[] = { i * window.stride[0], i * window.stride[0] + weight.dims[2], 2 };
      AssayValueId inputs[4] = { data };

      for (guint j = 0; j < 3; j++)
        inputs[j + 1] = assay_builder_ints (&edit->builder, "constant", 1, &bounds[j]);
      value = assay_builder_add (&edit->builder, ASSAY_OP_Slice, NULL, 4, inputs);
      g_array_append_val (frames, value);
    }
  value = g_array_index (frames, AssayValueId, 0);
  if (frames->len > 1)
    {
      value = assay_builder_add (&edit->builder, ASSAY_OP_Concat, NULL, frames->len,
                                 (const AssayValueId *) (gpointer) frames->data);
      assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "axis", 1);
    }

  dims[0] = weight.dims[2];
  dims[1] = weight.dims[0];
  turned = g_new (double, MAX (n, 1));
  for (gint64 i = 0; i < dims[1]; i++)
    for (gint64 j = 0; j < dims[0]; j++)
      turned[j * dims[1] + i] = numbers[i * dims[0] + j];
  assay_bindings_set_value (edit->bindings, "frames", value);
  dtype = assay_guard_result (edit)->dtype;
  assay_bindings_set_value (edit->bindings, "kernel",
                            assay_guard_floats (edit, dtype, 2, dims, turned));
  value = assay_edit_input (edit, 2);
  assay_bindings_set_value (edit->bindings, "bias",
                            value != ASSAY_NO_VALUE
                                ? value
                                : assay_builder_number (&edit->builder, "constant", dtype, 0));

  return TRUE;
}
