/* assay-kernel-attention.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-gemm.h"
#include "evaluate/kernels/assay-kernel-rows.h"
#include "evaluate/vectors/assay-vectors.h"

/* Rows of scores that are computed at a time. */
#define BLOCK 64

/* What the fourth output holds (attribute qk_matmul_output_mode of Attention). ONNX 1.22 put the
 * cap before the mask, in opsets 23 and 24 as well: behind it, masked positions got through. */
enum
{
  SCORES_RAW,
  SCORES_CAPPED,
  SCORES_MASKED,
  SCORES_SOFTMAX,
};

/* Where a matrix of heads lies: some inputs have the heads in an axis of their own, others side by
 * side in each row. */
typedef struct
{
  const char *data;
  gsize heads;
  gsize rows;
  gsize columns;
  gsize head_stride;
  gsize row_stride;
  gsize batch_stride;
} Heads;

typedef struct
{
  AssayKernel *kernel;
  AssayDType storage;
  gsize batch;
  Heads q;
  Heads k;
  Heads v;
  Heads y;
  AssayDatum *mask;    /* (nullable) */
  AssayDatum *lengths; /* (nullable) */
  AssayDatum *scores;  /* (nullable) */
  gint64 mode;
  gboolean causal;
  gboolean has_past;
  gsize past;
  double scale;
  double cap;
  gsize n_blocks;
  const AssayVectors
      *vectors; /* (nullable): of floats, where a row is a softmax and nothing else */
} Work;

static gconstpointer
head_data (const Work *work, const Heads *heads, gsize sample, gsize head, gsize row)
{
  return heads->data +
         (sample * heads->batch_stride + head * heads->head_stride + row * heads->row_stride) *
             assay_storage_size (work->storage);
}

/* The mask broadcasts; what it lacks at the end of a row is masked out. Tells whether it leaves
 * anything of what is in front of an end. */
static gboolean
add_mask (const Work *work, gsize sample, gsize head, gsize row, gsize end, double *scores)
{
  const AssayDatum *mask = work->mask;
  const gsize index[3] = { sample, head, row };
  gsize at = 0, stride = 1, width;
  gboolean any = FALSE;

  if (mask == NULL)
    return end > 0;

  width = mask->rank > 0 ? (gsize) mask->dims[mask->rank - 1] : 1;
  stride = width;
  for (guint i = 1; i < mask->rank; i++)
    {
      gsize dim = (gsize) mask->dims[mask->rank - 1 - i];

      at += dim == 1 ? 0 : index[3 - i] * stride;
      stride *= dim;
    }

  for (gsize i = 0; i < work->k.rows; i++)
    {
      double element = -INFINITY;

      if (i < width)
        element = assay_datum_get_number (mask, at + i);
      if (mask->storage == ASSAY_DTYPE_BOOL && i < width)
        element = element != 0.0 ? 0.0 : -INFINITY;
      any = any || (i < end && !(element < -DBL_MAX));
      scores[i] += element;
    }

  return any;
}

/* Keys that a row may look at end there. With a cache outside of the node the last row of the query
 * belongs to the last key that is there, as it does with one inside. */
static gsize
last_key (const Work *work, gsize sample, gsize row)
{
  gint64 n = (gint64) work->k.rows, before = (gint64) work->past, length = n;

  if (work->lengths != NULL)
    {
      length = ((const gint64 *) work->lengths->data)[sample];
      length = CLAMP (length, 0, n);
      if (!work->has_past)
        before = length - (gint64) work->q.rows;
    }
  if (work->causal)
    length = MIN (length, (gint64) row + before + 1);

  return (gsize) MAX (length, 0);
}

static void
keep_scores (const Work *work, gint64 mode, gsize sample, gsize head, gsize row,
             const double *scores)
{
  if (work->scores != NULL && work->mode == mode)
    assay_elements_write (work->scores,
                          ((sample * work->q.heads + head) * work->q.rows + row) * work->k.rows, 1,
                          work->k.rows, scores);
}

/* From products to weights, one row. */
static void
weigh_row (const Work *work, gsize sample, gsize head, gsize row, double *scores)
{
  gsize n = work->k.rows, end = last_key (work, sample, row);
  gboolean any;

  keep_scores (work, SCORES_RAW, sample, head, row, scores);
  if (work->cap > 0.0)
    {
      for (gsize i = 0; i < n; i++)
        scores[i] = work->cap * tanh (scores[i] / work->cap);
    }
  keep_scores (work, SCORES_CAPPED, sample, head, row, scores);
  any = add_mask (work, sample, head, row, end, scores);
  for (gsize i = end; i < n; i++)
    scores[i] = -INFINITY;
  keep_scores (work, SCORES_MASKED, sample, head, row, scores);
  /* Nothing to look at is a row of zeros. */
  if (any)
    assay_kernel_row_softmax (n, scores);
  else
    memset (scores, 0, n * sizeof *scores);
  keep_scores (work, SCORES_SOFTMAX, sample, head, row, scores);
}

static void
attend (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  g_autoptr (AssayDatum)
      scores = assay_kernel_scratch (work->kernel, work->storage, BLOCK * work->k.rows, NULL);
  g_autofree double *row = assay_kernel_room (work->kernel, double, work->k.rows + 1, NULL);

  if (scores == NULL || row == NULL)
    return;

  for (gsize item = begin; item < end; item++)
    {
      gsize first = item % work->n_blocks * BLOCK;
      gsize n = MIN (BLOCK, work->q.rows - first);
      gsize head = item / work->n_blocks % work->q.heads;
      gsize sample = item / work->n_blocks / work->q.heads;
      gsize kv_head = head / (work->q.heads / work->k.heads);
      AssayGemm product = {
        .storage = work->storage,
        .m = n,
        .n = work->k.rows,
        .k = work->q.columns,
        .transpose_b = TRUE,
        .lda = work->q.row_stride,
        .ldb = work->k.row_stride,
        .ldc = work->k.rows,
        .alpha = work->scale,
      };
      AssayGemm sum = {
        .storage = work->storage,
        .m = n,
        .n = work->v.columns,
        .k = work->k.rows,
        .lda = work->k.rows,
        .ldb = work->v.row_stride,
        .ldc = work->y.row_stride,
        .alpha = 1.0,
      };

      assay_gemm_run (&product, head_data (work, &work->q, sample, head, first),
                      head_data (work, &work->k, sample, kv_head, 0), scores->data);
      for (gsize i = 0; i < n && work->vectors != NULL; i++)
        work->vectors->softmax ((const float *) scores->data + i * work->k.rows,
                                (float *) scores->data + i * work->k.rows, work->k.rows);
      for (gsize i = 0; i < n && work->vectors == NULL; i++)
        {
          assay_elements_read (scores, i * work->k.rows, 1, work->k.rows, row);
          weigh_row (work, sample, head, first + i, row);
          assay_elements_write (scores, i * work->k.rows, 1, work->k.rows, row);
        }
      assay_gemm_run (&sum, scores->data, head_data (work, &work->v, sample, kv_head, 0),
                      (gpointer) head_data (work, &work->y, sample, head, first));
    }
}

static gboolean
find_heads (AssayKernel *self, const AssayDatum *datum, guint input, gint64 heads, Heads *result,
            GError **error)
{
  result->data = datum->data;
  if (datum->rank == 4)
    {
      result->heads = (gsize) datum->dims[1];
      result->rows = (gsize) datum->dims[2];
      result->columns = result->row_stride = (gsize) datum->dims[3];
      result->head_stride = result->rows * result->columns;
      result->batch_stride = result->heads * result->head_stride;
      return TRUE;
    }

  if (heads < 1 || datum->dims[2] % heads != 0)
    return assay_kernel_fail (self, error,
                              "input %u has rows of %" G_GINT64_FORMAT
                              ", which are not %" G_GINT64_FORMAT " head%s",
                              input, datum->dims[2], heads, assay_plural (heads));

  result->heads = (gsize) heads;
  result->rows = (gsize) datum->dims[1];
  result->columns = result->head_stride = (gsize) (datum->dims[2] / heads);
  result->row_stride = (gsize) datum->dims[2];
  result->batch_stride = result->rows * result->row_stride;

  return TRUE;
}

/* Keys or values of earlier steps with those of this one behind them, the heads in an axis of their
 * own. */
static AssayDatum *
join_cache (AssayKernel *self, AssayDatum *datum, AssayDatum *past, Heads *heads, gsize batch,
            GError **error)
{
  gsize before = past != NULL && past->rank == 4 ? (gsize) past->dims[2] : 0;
  gsize size = assay_storage_size (datum->storage), row = heads->columns * size;
  gint64 dims[4] = { (gint64) batch, (gint64) heads->heads, (gint64) (before + heads->rows),
                     (gint64) heads->columns };
  AssayDatum *joined;
  char *to;

  if (past != NULL && (past->rank != 4 || past->dims[0] != dims[0] || past->dims[1] != dims[1] ||
                       past->dims[3] != dims[3] || past->storage != datum->storage))
    {
      assay_kernel_fail (self, error,
                         "the cache does not have the samples, heads and columns of the input");
      return NULL;
    }

  joined = assay_datum_new (datum->dtype, datum->storage, 4, dims, error);
  if (joined == NULL)
    return NULL;

  to = joined->data;
  for (gsize i = 0; i < batch * heads->heads; i++)
    {
      gsize from = i / heads->heads * heads->batch_stride + i % heads->heads * heads->head_stride;

      if (before > 0)
        memcpy (to, (const char *) past->data + i * before * row, before * row);
      to += before * row;
      for (gsize j = 0; j < heads->rows; j++, to += row)
        memcpy (to, heads->data + (from + j * heads->row_stride) * size, row);
    }
  find_heads (self, joined, 0, 0, heads, NULL);

  return joined;
}

static gboolean
check_shapes (AssayKernel *self, const Work *work, GError **error)
{
  const gsize extents[4] = { work->batch, work->q.heads, work->q.rows, work->k.rows };

  if (work->k.heads == 0 || work->q.heads % work->k.heads != 0 || work->v.heads != work->k.heads)
    return assay_kernel_fail (self, error,
                              "%" G_GSIZE_FORMAT " head%s of the query, %" G_GSIZE_FORMAT
                              " of the key and %" G_GSIZE_FORMAT " of the value",
                              work->q.heads, assay_plural (work->q.heads), work->k.heads,
                              work->v.heads);
  if (work->q.columns != work->k.columns || work->k.rows != work->v.rows)
    return assay_kernel_fail (self, error, "query, key and value do not fit together");
  if (work->lengths != NULL &&
      (work->lengths->storage != ASSAY_DTYPE_I64 || work->lengths->n != work->batch))
    return assay_kernel_fail (
        self, error, "input 6 is not one i64 for each of %" G_GSIZE_FORMAT " samples", work->batch);
  if (work->mask == NULL)
    return TRUE;

  if (work->mask->rank > 4 || work->mask->rank < 1 || work->mask->storage == ASSAY_DTYPE_STRING)
    return assay_kernel_fail (self, error, "the mask has rank %u, expected 1 to 4",
                              work->mask->rank);
  for (guint i = 0; i < work->mask->rank; i++)
    {
      gsize dim = (gsize) work->mask->dims[work->mask->rank - 1 - i];

      if (i == 0 ? dim > extents[3] : dim != 1 && dim != extents[3 - i])
        return assay_kernel_fail (self, error,
                                  "dimension %u of the mask is %" G_GSIZE_FORMAT
                                  ", expected %" G_GSIZE_FORMAT,
                                  work->mask->rank - 1 - i, dim, extents[3 - i]);
    }

  return TRUE;
}

static gboolean
make_outputs (AssayKernel *self, Work *work, GError **error)
{
  AssayDatum *q = self->inputs[0], *y;
  gint64 dims[4] = { (gint64) work->batch, (gint64) work->q.heads, (gint64) work->q.rows,
                     (gint64) work->v.columns };
  gint64 flat[3] = { dims[0], dims[2], dims[1] * dims[3] };

  y = assay_kernel_output (self, 0, q->dtype, q->rank, q->rank == 4 ? dims : flat, error);
  if (y == NULL || !find_heads (self, y, 0, dims[1], &work->y, error))
    return FALSE;

  if (assay_kernel_wants (self, 3))
    {
      dims[3] = (gint64) work->k.rows;
      work->scores = assay_kernel_output (self, 3, q->dtype, 4, dims, error);
      if (work->scores == NULL)
        return FALSE;
    }

  return TRUE;
}

gboolean
assay_kernel_op_attention (AssayKernel *self, GError **error)
{
  AssayDatum *q = self->inputs[0], *k = self->inputs[1], *v = self->inputs[2];
  AssayDatum *past_key = assay_kernel_input (self, 4), *past_value = assay_kernel_input (self, 5);
  g_autoptr (AssayDatum) present_key = NULL;
  g_autoptr (AssayDatum) present_value = NULL;
  gint64 kv_heads = assay_node_get_int (self->node, "kv_num_heads");
  Work work = {
    .kernel = self,
    .storage = q->storage,
    .mask = assay_kernel_input (self, 3),
    .lengths = assay_kernel_input (self, 6),
    .mode = assay_node_get_int (self->node, "qk_matmul_output_mode"),
    .causal = assay_node_get_int (self->node, "is_causal") != 0,
    .cap = assay_node_get_float (self->node, "softcap"),
  };

  for (guint i = 0; i < 3; i++)
    {
      if (!assay_kernel_expect (self, i, i == 0 ? ASSAY_DTYPE_UNDEFINED : q->storage, 3, 4, error))
        return FALSE;
      if (self->inputs[i]->dims[0] != q->dims[0])
        return assay_kernel_fail (self, error,
                                  "input %u has another number of samples than input 0", i);
    }
  if (!find_heads (self, q, 0, assay_node_get_int (self->node, "q_num_heads"), &work.q, error) ||
      !find_heads (self, k, 1, kv_heads, &work.k, error) ||
      !find_heads (self, v, 2, kv_heads, &work.v, error))
    return FALSE;

  work.batch = (gsize) q->dims[0];
  work.has_past = past_key != NULL;
  work.past = past_key != NULL && past_key->rank == 4 ? (gsize) past_key->dims[2] : 0;
  if (past_key != NULL || assay_kernel_wants (self, 1))
    {
      present_key = join_cache (self, k, past_key, &work.k, work.batch, error);
      if (present_key == NULL)
        return FALSE;
    }
  if (past_value != NULL || assay_kernel_wants (self, 2))
    {
      present_value = join_cache (self, v, past_value, &work.v, work.batch, error);
      if (present_value == NULL)
        return FALSE;
    }
  if (!check_shapes (self, &work, error) || !make_outputs (self, &work, error))
    return FALSE;

  work.scale = 1.0 / sqrt ((double) work.q.columns);
  assay_node_find_float (self->node, "scale", &work.scale);
  work.n_blocks = (work.q.rows + BLOCK - 1) / BLOCK;
  if (work.storage == ASSAY_DTYPE_F32 && work.mask == NULL && work.lengths == NULL &&
      work.scores == NULL && !work.causal && work.cap == 0.0)
    work.vectors = assay_vectors_get_default ();
  assay_kernel_parallel (self, work.batch * work.q.heads * work.n_blocks, 1, attend, &work);

  if (assay_kernel_wants (self, 1))
    assay_kernel_take (self, 1, g_steal_pointer (&present_key));
  if (assay_kernel_wants (self, 2))
    assay_kernel_take (self, 2, g_steal_pointer (&present_value));

  return TRUE;
}
