/* assay-kernel-rotary.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-kernel.h"

typedef struct
{
  AssayKernel *kernel;
  AssayDatum *x;
  AssayDatum *y;
  AssayDatum *cosines;
  AssayDatum *sines;
  AssayDatum *positions; /* (nullable) */
  gboolean heads_first;  /* whether the axis of heads comes before that of positions */
  gboolean interleaved;
  gsize heads;
  gsize length;
  gsize size; /* of one head */
  gsize half; /* pairs of elements that turn */
} Work;

static void
rotate (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  g_autofree double *row = assay_kernel_room (work->kernel, double, work->size + 1, NULL);
  g_autofree double *cosines = assay_kernel_room (work->kernel, double, work->half + 1, NULL);
  g_autofree double *sines = assay_kernel_room (work->kernel, double, work->half + 1, NULL);

  if (row == NULL || cosines == NULL || sines == NULL)
    return;

  for (gsize i = begin; i < end; i++)
    {
      gsize sample = i / (work->heads * work->length);
      gsize position = work->heads_first ? i % work->length : i / work->heads % work->length;
      gsize at = sample * work->length + position;

      if (work->positions != NULL)
        at = (gsize) ((const gint64 *) work->positions->data)[at];

      assay_elements_read (work->x, i * work->size, 1, work->size, row);
      assay_elements_read (work->cosines, at * work->half, 1, work->half, cosines);
      assay_elements_read (work->sines, at * work->half, 1, work->half, sines);
      for (gsize j = 0; j < work->half; j++)
        {
          double *first = &row[work->interleaved ? 2 * j : j];
          double *second = &row[work->interleaved ? 2 * j + 1 : j + work->half];
          double a = *first, b = *second;

          *first = cosines[j] * a - sines[j] * b;
          *second = sines[j] * a + cosines[j] * b;
        }
      assay_elements_write (work->y, i * work->size, 1, work->size, row);
    }
}

static gboolean
check_caches (AssayKernel *self, const Work *work, GError **error)
{
  AssayDatum *x = self->inputs[0];
  gsize n = work->cosines->n / MAX (work->half, 1);

  for (guint i = 1; i < 3; i++)
    {
      AssayDatum *cache = self->inputs[i];

      if (cache->n != work->cosines->n || cache->dims[cache->rank - 1] != (gint64) work->half)
        return assay_kernel_fail (
            self, error, "input %u has rows of %" G_GINT64_FORMAT ", expected %" G_GSIZE_FORMAT, i,
            cache->dims[cache->rank - 1], work->half);
    }

  if (work->positions == NULL)
    return n == (gsize) x->dims[0] * work->length ||
           assay_kernel_fail (self, error,
                              "the caches have %" G_GSIZE_FORMAT
                              " rows, expected one for each of %" G_GSIZE_FORMAT " positions",
                              n, (gsize) x->dims[0] * work->length);

  if (work->positions->storage != ASSAY_DTYPE_I64 ||
      work->positions->n != (gsize) x->dims[0] * work->length)
    return assay_kernel_fail (self, error, "input 3 is not one i64 for each position");
  for (gsize i = 0; i < work->positions->n; i++)
    {
      gint64 position = ((const gint64 *) work->positions->data)[i];

      if (position < 0 || (gsize) position >= n)
        return assay_kernel_fail (
            self, error, "position %" G_GINT64_FORMAT ", the caches have %" G_GSIZE_FORMAT " row%s",
            position, n, assay_plural (n));
    }

  return TRUE;
}

gboolean
assay_kernel_op_rotary_embedding (AssayKernel *self, GError **error)
{
  AssayDatum *x = self->inputs[0];
  gint64 heads = assay_node_get_int (self->node, "num_heads");
  gint64 turned = assay_node_get_int (self->node, "rotary_embedding_dim");
  Work work = {
    .kernel = self,
    .x = x,
    .cosines = self->inputs[1],
    .sines = self->inputs[2],
    .positions = assay_kernel_input (self, 3),
    .heads_first = x->rank == 4,
    .interleaved = assay_node_get_int (self->node, "interleaved") != 0,
  };

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, 4, error) ||
      !assay_kernel_expect (self, 1, x->storage, 2, 3, error) ||
      !assay_kernel_expect (self, 2, x->storage, 2, 3, error))
    return FALSE;

  if (x->rank == 4)
    heads = x->dims[1];
  else if (heads < 1 || x->dims[2] % heads != 0)
    return assay_kernel_fail (
        self, error, "attribute num_heads: %" G_GINT64_FORMAT " for rows of %" G_GINT64_FORMAT,
        heads, x->dims[2]);

  work.heads = (gsize) heads;
  work.length = (gsize) x->dims[x->rank - 2];
  work.size = (gsize) (x->rank == 4 ? x->dims[3] : x->dims[2] / heads);
  if (turned < 0 || turned > (gint64) work.size ||
      (turned == 0 ? work.size : (gsize) turned) % 2 != 0)
    return assay_kernel_fail (self, error,
                              "attribute rotary_embedding_dim: %" G_GINT64_FORMAT
                              " for heads of %" G_GSIZE_FORMAT,
                              turned, work.size);
  work.half = (turned == 0 ? work.size : (gsize) turned) / 2;
  if (!check_caches (self, &work, error))
    return FALSE;

  work.y = assay_kernel_output (self, 0, x->dtype, x->rank, x->dims, error);
  if (work.y == NULL)
    return FALSE;
  if (x->n > 0)
    assay_kernel_parallel (self, x->n / work.size, MAX (8192 / work.size, 1), rotate, &work);

  return TRUE;
}
