/* assay-kernel-flex-attention.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-gemm.h"
#include "evaluate/kernels/assay-kernel-rows.h"
#include "evaluate/vectors/assay-vectors.h"

/* Elements that are worth handing to another thread. */
#define GRAIN 16384

static AssayDatum *
new_tensor (AssayKernel *self, AssayDType dtype, const gint64 *dims, GError **error)
{
  return assay_kernel_tensor (self, dtype, assay_datum_storage (dtype, self->wide), 4, dims, error);
}

/* A tensor in another type, the same one if that is its own. */
static AssayDatum *
cast (AssayKernel *self, AssayDatum *datum, AssayDType dtype, GError **error)
{
  AssayDatum *result;
  double block[256];

  if (datum->dtype == dtype)
    return assay_datum_ref (datum);

  result = new_tensor (self, dtype, datum->dims, error);
  for (gsize i = 0; result != NULL && i < datum->n; i += G_N_ELEMENTS (block))
    {
      gsize n = MIN (datum->n - i, G_N_ELEMENTS (block));

      assay_elements_read (datum, i, 1, n, block);
      assay_elements_write (result, i, 1, n, block);
    }
  if (result != NULL)
    assay_datum_round (result);

  return result;
}

/* Products of the matrices in the last two axes, where several heads of the left side may share one
 * of the right side. */
static gboolean
multiply (AssayKernel *self, const AssayDatum *a, const AssayDatum *b, gboolean transpose_b,
          double scale, AssayDatum *c, GError **error)
{
  gsize size = assay_storage_size (c->storage), heads = (gsize) a->dims[1];
  gsize n_items = (gsize) a->dims[0] * heads, shared = heads / MAX ((gsize) b->dims[1], 1);
  gsize a_size = (gsize) (a->dims[2] * a->dims[3]), b_size = (gsize) (b->dims[2] * b->dims[3]);
  gsize c_size = (gsize) (c->dims[2] * c->dims[3]);
  AssayGemm gemm = {
    .storage = c->storage,
    .m = (gsize) c->dims[2],
    .n = (gsize) c->dims[3],
    .k = (gsize) a->dims[3],
    .transpose_b = transpose_b,
    .lda = (gsize) a->dims[3],
    .ldb = (gsize) b->dims[3],
    .ldc = (gsize) c->dims[3],
    .alpha = scale,
  };
  g_autofree AssayGemmItem *items = assay_kernel_room (self, AssayGemmItem, n_items + 1, error);

  if (items == NULL)
    return FALSE;

  for (gsize i = 0; i < n_items; i++)
    {
      items[i].a = (const char *) a->data + i * a_size * size;
      items[i].b = (const char *) b->data + i / shared * b_size * size;
      items[i].c = (char *) c->data + i * c_size * size;
    }
  assay_gemm_batch (&gemm, self, n_items, items);

  return TRUE;
}

/* What a graph of the node makes of the scores or the weights; they themselves without it. */
static gboolean
modify (AssayKernel *self, const char *attribute, AssayDatum **datum, GError **error)
{
  AssayDatum *made = NULL;
  AssayRegionId body;

  if (assay_node_find_attr (self->node, attribute) == NULL)
    return TRUE;
  if (!assay_kernel_find_region (self, attribute, 1, 1, &body, error) ||
      !assay_kernel_run_region (self, body, 1, datum, 1, &made, error))
    return FALSE;

  if (made->kind != ASSAY_DATUM_TENSOR || made->dtype != (*datum)->dtype || made->rank != 4 ||
      memcmp (made->dims, (*datum)->dims, 4 * sizeof *made->dims) != 0)
    {
      assay_datum_unref (made);
      return assay_kernel_fail (self, error,
                                "attribute %s: the graph makes another type or shape than it gets",
                                attribute);
    }

  assay_datum_unref (*datum);
  *datum = made;

  return TRUE;
}

typedef struct
{
  const AssayDatum *scores;
  AssayDatum *weights;
  gsize length;
} Rows;

static void
weigh (gpointer data, gsize begin, gsize end)
{
  const Rows *rows = data;
  double *row;

  if (rows->weights->storage == ASSAY_DTYPE_F32)
    {
      for (gsize i = begin * rows->length; i < end * rows->length; i += rows->length)
        assay_vectors_get_default ()->softmax ((const float *) rows->scores->data + i,
                                               (float *) rows->weights->data + i, rows->length);
      return;
    }
  for (gsize i = begin; i < end; i++)
    {
      row = (double *) rows->weights->data + i * rows->length;
      memcpy (row, (const double *) rows->scores->data + i * rows->length,
              rows->length * sizeof *row);
      assay_kernel_row_softmax (rows->length, row);
    }
}

/* The softmax of each row; the scores may be what somebody else has, and stay as they are. */
static AssayDatum *
make_weights (AssayKernel *self, const AssayDatum *scores, GError **error)
{
  AssayDatum *weights = new_tensor (self, scores->dtype, scores->dims, error);
  Rows rows = { scores, weights, (gsize) scores->dims[3] };

  if (weights == NULL || weights->n == 0)
    return weights;

  assay_kernel_parallel (self, weights->n / rows.length, MAX (GRAIN / rows.length, 1), weigh,
                         &rows);
  assay_datum_round (weights);

  return weights;
}

static gboolean
check_inputs (AssayKernel *self, GError **error)
{
  const gint64 *q, *k, *v;

  for (guint i = 0; i < 3; i++)
    {
      if (!assay_kernel_expect (self, i, ASSAY_DTYPE_UNDEFINED, 4, 4, error))
        return FALSE;
    }
  q = self->inputs[0]->dims;
  k = self->inputs[1]->dims;
  v = self->inputs[2]->dims;
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3])
    return assay_kernel_fail (self, error, "query, key and value do not fit together");
  if (q[1] != k[1] && (k[1] == 0 || q[1] % k[1] != 0))
    return assay_kernel_fail (self, error,
                              "%" G_GINT64_FORMAT " head%s of the query, %" G_GINT64_FORMAT
                              " of the key and the value",
                              q[1], assay_plural (q[1]), k[1]);

  return assay_kernel_expect_same (self, error);
}

gboolean
assay_kernel_op_flex_attention (AssayKernel *self, GError **error)
{
  AssayDType dtype = self->inputs[0]->dtype, precision = ASSAY_DTYPE_F32, wider;
  const gint64 *q = self->inputs[0]->dims, *v = self->inputs[2]->dims;
  g_autoptr (AssayDatum) query = NULL;
  g_autoptr (AssayDatum) key = NULL;
  g_autoptr (AssayDatum) value = NULL;
  g_autoptr (AssayDatum) products = NULL;
  g_autoptr (AssayDatum) scores = NULL;
  g_autoptr (AssayDatum) weights = NULL;
  g_autoptr (AssayDatum) sums = NULL;
  gint64 given = dtype == ASSAY_DTYPE_F64 ? dtype : precision, dims[4];
  double scale;
  AssayDatum *y;

  if (!check_inputs (self, error))
    return FALSE;

  assay_node_find_int (self->node, "softmax_precision", &given);
  precision = (AssayDType) given;
  if (!assay_node_find_float (self->node, "scale", &scale))
    scale = 1.0 / sqrt ((double) q[3]);

  /* Scores are made in the wider of both types and rounded once. */
  wider = dtype == ASSAY_DTYPE_F64 ? dtype : precision;
  memcpy (dims, q, sizeof dims);
  dims[3] = v[2];
  query = cast (self, self->inputs[0], wider == ASSAY_DTYPE_F64 ? wider : dtype, error);
  key = query == NULL ? NULL : cast (self, self->inputs[1], query->dtype, error);
  value = key == NULL ? NULL : cast (self, self->inputs[2], precision, error);
  products = value == NULL ? NULL : new_tensor (self, wider, dims, error);
  if (products == NULL || !multiply (self, query, key, TRUE, scale, products, error))
    return FALSE;

  assay_datum_round (products);
  scores = cast (self, products, precision, error);
  if (scores == NULL || !modify (self, "score_mod", &scores, error))
    return FALSE;
  weights = make_weights (self, scores, error);
  if (weights == NULL || !modify (self, "prob_mod", &weights, error))
    return FALSE;

  dims[3] = v[3];
  sums = new_tensor (self, precision, dims, error);
  if (sums == NULL || !multiply (self, weights, value, FALSE, 1.0, sums, error))
    return FALSE;
  assay_datum_round (sums);
  y = cast (self, sums, dtype, error);
  if (y == NULL)
    return FALSE;
  assay_kernel_take (self, 0, y);

  return TRUE;
}
