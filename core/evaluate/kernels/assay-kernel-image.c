/* assay-kernel-image.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assay-sentence.h"

/* A box by its edges, and its score. */
typedef struct
{
  float edges[4];
  float score;
  gint64 index;
} Box;

static int
compare_boxes (gconstpointer a, gconstpointer b)
{
  const Box *left = a;
  const Box *right = b;

  if (left->score != right->score)
    return left->score < right->score ? 1 : -1;

  return (left->index > right->index) - (left->index < right->index);
}

/* As corners in any order, or as centre and size. */
static Box
read_box (const AssayDatum *boxes, gsize at, gboolean center)
{
  float numbers[4];
  Box box;

  for (guint i = 0; i < 4; i++)
    numbers[i] = (float) assay_datum_get_number (boxes, at * 4 + i);
  for (guint i = 0; i < 2; i++)
    {
      box.edges[i] = center ? numbers[i] - numbers[i + 2] / 2 : MIN (numbers[i], numbers[i + 2]);
      box.edges[i + 2] = center ? numbers[i] + numbers[i + 2] / 2
                                : MAX (numbers[i], numbers[i + 2]);
    }

  return box;
}

static float
box_area (const Box *box)
{
  return (box->edges[2] - box->edges[0]) * (box->edges[3] - box->edges[1]);
}

/* Whether the intersection is more than a given part of the union. */
static gboolean
overlaps (const Box *a, const Box *b, float threshold)
{
  float height = MIN (a->edges[2], b->edges[2]) - MAX (a->edges[0], b->edges[0]);
  float width = MIN (a->edges[3], b->edges[3]) - MAX (a->edges[1], b->edges[1]);
  float both = height * width;

  if (height <= 0 || width <= 0 || box_area (a) <= 0 || box_area (b) <= 0)
    return FALSE;

  return both / (box_area (a) + box_area (b) - both) > threshold;
}

/* Moves the candidates of one class that no better one overlaps to the front, best first. Returns
 * how many there are. */
static gsize
select_boxes (Box *candidates, gsize n, gsize max, float threshold)
{
  gsize kept = 0;

  qsort (candidates, n, sizeof *candidates, compare_boxes);
  for (gsize i = 0; i < n && kept < max; i++)
    {
      gboolean dropped = FALSE;

      for (gsize j = 0; j < kept && !dropped; j++)
        dropped = overlaps (&candidates[i], &candidates[j], threshold);
      if (!dropped)
        candidates[kept++] = candidates[i];
    }

  return kept;
}

gboolean
assay_kernel_op_non_max_suppression (AssayKernel *self, GError **error)
{
  const AssayDatum *boxes = assay_kernel_input (self, 0);
  const AssayDatum *scores = assay_kernel_input (self, 1);
  gboolean center = assay_node_get_int (self->node, "center_point_box") != 0;
  g_autofree Box *candidates = NULL;
  g_autofree gint64 *selected = NULL;
  gsize n_selected = 0, most;
  double max, iou, least;
  gboolean by_score = assay_kernel_input (self, 4) != NULL && assay_kernel_input (self, 4)->n > 0;
  gint64 dims[2] = { 0, 3 };
  AssayDatum *y;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, 3, error) ||
      !assay_kernel_expect (self, 1, ASSAY_DTYPE_UNDEFINED, 3, 3, error) ||
      !assay_kernel_number (self, 2, 0, &max, error) ||
      !assay_kernel_number (self, 3, 0, &iou, error) ||
      !assay_kernel_number (self, 4, -INFINITY, &least, error))
    return FALSE;
  if (boxes->dims[0] != scores->dims[0] || boxes->dims[1] != scores->dims[2] || boxes->dims[2] != 4)
    return assay_kernel_fail (self, error,
                              "boxes [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                              "], scores "
                              "[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]",
                              boxes->dims[0], boxes->dims[1], boxes->dims[2], scores->dims[0],
                              scores->dims[1], scores->dims[2]);

  max = max > 0 ? MIN (max, (double) scores->dims[2]) : 0;
  if (!g_size_checked_mul (&most, (gsize) scores->dims[0] * (gsize) scores->dims[1],
                           3 * (gsize) max))
    return assay_kernel_fail (self, error, "%" G_GSIZE_FORMAT " boxes are too many", boxes->n / 4);
  candidates = assay_kernel_room (self, Box, (gsize) scores->dims[2], error);
  selected = candidates == NULL ? NULL : assay_kernel_room (self, gint64, most, error);
  if (selected == NULL)
    return FALSE;

  for (gint64 batch = 0; batch < scores->dims[0] && max > 0; batch++)
    for (gint64 class_index = 0; class_index < scores->dims[1]; class_index++)
      {
        gsize n = 0;

        if (!assay_kernel_check (self, error))
          return FALSE;
        for (gint64 i = 0; i < scores->dims[2]; i++)
          {
            gsize at = (gsize) ((batch * scores->dims[1] + class_index) * scores->dims[2] + i);
            float score = (float) assay_datum_get_number (scores, at);
            Box box;

            if (by_score && !(score > (float) least))
              continue;
            box = read_box (boxes, (gsize) (batch * scores->dims[2] + i), center);
            box.score = score;
            box.index = i;
            candidates[n++] = box;
          }
        n = select_boxes (candidates, n, (gsize) max, (float) iou);
        for (gsize i = 0; i < n; i++, n_selected++)
          memcpy (selected + 3 * n_selected,
                  ((gint64[]){ batch, class_index, candidates[i].index }), 3 * sizeof *selected);
      }

  dims[0] = (gint64) n_selected;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_I64, 2, dims, error);
  if (y == NULL)
    return FALSE;
  memcpy (y->data, selected, 3 * n_selected * sizeof *selected);

  return TRUE;
}

/* An attribute of one integer per spatial axis, with a default. */
static gboolean
read_ints (AssayKernel *self, const char *name, guint n, gint64 fallback, gint64 least,
           gint64 *values, GError **error)
{
  guint n_given;
  const gint64 *given = assay_node_get_ints (self->node, name, &n_given);

  if (given != NULL && n_given != n)
    return assay_kernel_fail (self, error, "%s has %u %s, %u were expected", name, n_given,
                              assay_noun (n_given, "entry", "entries"), n);
  for (guint i = 0; i < n; i++)
    {
      values[i] = given != NULL ? given[i] : fallback;
      if (values[i] < least || values[i] > G_MAXINT32)
        return assay_kernel_fail (self, error, "%s[%u] is %" G_GINT64_FORMAT, name, i, values[i]);
    }

  return TRUE;
}

typedef struct
{
  guint rank;
  gint64 image[ASSAY_MAX_RANK];
  gint64 block[ASSAY_MAX_RANK];
  gint64 blocks[ASSAY_MAX_RANK];
  gint64 dilations[ASSAY_MAX_RANK];
  gint64 pads[2 * ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
} Columns;

/* The place in the image of one element of the columns, -1 in the padding. */
static gint64
image_place (const Columns *self, gsize element, gsize block)
{
  gint64 place = 0;
  gint64 factor = 1;

  for (guint i = self->rank; i-- > 0;)
    {
      gint64 at = (gint64) (block % (gsize) self->blocks[i]) * self->strides[i] - self->pads[i] +
                  (gint64) (element % (gsize) self->block[i]) * self->dilations[i];

      if (at < 0 || at >= self->image[i])
        return -1;
      place += at * factor;
      factor *= self->image[i];
      element /= (gsize) self->block[i];
      block /= (gsize) self->blocks[i];
    }

  return place;
}

gboolean
assay_kernel_op_col2im (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  Columns columns;
  gint64 dims[ASSAY_MAX_RANK];
  const gint64 *image, *block;
  gsize n_blocks = 1, n_elements = 1, n_pixels = 1;
  guint rank, n;
  AssayDatum *y;

  image = assay_kernel_ints (self, 1, &rank, error);
  block = image == NULL ? NULL : assay_kernel_ints (self, 2, &n, error);
  if (block == NULL || !assay_kernel_expect_rank (self, 0, 3, 3, error))
    return FALSE;
  if (rank != n || rank == 0 || rank + 2 > ASSAY_MAX_RANK)
    return assay_kernel_fail (self, error, "an image of %u %s from blocks of %u", rank,
                              assay_noun (rank, "axis", "axes"), n);
  if (x->dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (x->dtype) == 'C')
    return assay_kernel_fail_type (self, 0, error);

  columns.rank = rank;
  if (!read_ints (self, "dilations", rank, 1, 1, columns.dilations, error) ||
      !read_ints (self, "strides", rank, 1, 1, columns.strides, error) ||
      !read_ints (self, "pads", 2 * rank, 0, 0, columns.pads, error))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    {
      gint64 reach;

      if (image[i] < 1 || block[i] < 1 || image[i] > G_MAXINT32 || block[i] > G_MAXINT32)
        return assay_kernel_fail (self, error,
                                  "axis %u of the image has %" G_GINT64_FORMAT
                                  " element%s, of the block %" G_GINT64_FORMAT,
                                  i, image[i], assay_plural (image[i]), block[i]);
      reach = image[i] + columns.pads[i] + columns.pads[rank + i] -
              columns.dilations[i] * (block[i] - 1) - 1;
      columns.image[i] = image[i];
      columns.block[i] = block[i];
      columns.blocks[i] = reach < 0 ? 0 : reach / columns.strides[i] + 1;
      if (!g_size_checked_mul (&n_blocks, n_blocks, (gsize) columns.blocks[i]) ||
          !g_size_checked_mul (&n_elements, n_elements, (gsize) block[i]) ||
          !g_size_checked_mul (&n_pixels, n_pixels, (gsize) image[i]))
        return assay_kernel_fail (self, error, "the image or the block is too large");
    }
  if (n_blocks != (gsize) x->dims[2] || (gsize) x->dims[1] % n_elements != 0)
    return assay_kernel_fail (self, error,
                              "%" G_GINT64_FORMAT " column%s of %" G_GINT64_FORMAT
                              " element%s, %" G_GSIZE_FORMAT " of a multiple of %" G_GSIZE_FORMAT
                              " were expected",
                              x->dims[2], assay_plural (x->dims[2]), x->dims[1],
                              assay_plural (x->dims[1]), n_blocks, n_elements);

  dims[0] = x->dims[0];
  dims[1] = x->dims[1] / (gint64) n_elements;
  memcpy (dims + 2, image, rank * sizeof *dims);
  y = assay_kernel_output (self, 0, x->dtype, rank + 2, dims, error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  for (gsize element = 0; y->n > 0 && element < n_elements; element++)
    for (gsize at = 0; at < n_blocks; at++)
      {
        gint64 place = image_place (&columns, element, at);

        for (gsize plane = 0; place >= 0 && plane < (gsize) (dims[0] * dims[1]); plane++)
          {
            gsize to = plane * n_pixels + (gsize) place;
            gsize from = (plane * n_elements + element) * n_blocks + at;

            assay_datum_set_number (
                y, to, assay_datum_get_number (y, to) + assay_datum_get_number (x, from));
          }
      }

  return TRUE;
}

/* By elimination with the largest pivot of each column. */
static double
determinant (double *matrix, gsize n)
{
  double result = 1;

  for (gsize column = 0; column < n; column++)
    {
      gsize pivot = column;

      for (gsize row = column + 1; row < n; row++)
        if (fabs (matrix[row * n + column]) > fabs (matrix[pivot * n + column]))
          pivot = row;
      if (matrix[pivot * n + column] == 0)
        return 0;

      for (gsize i = 0; i < n && pivot != column; i++)
        {
          double swapped = matrix[pivot * n + i];

          matrix[pivot * n + i] = matrix[column * n + i];
          matrix[column * n + i] = swapped;
        }
      result *= pivot != column ? -matrix[column * n + column] : matrix[column * n + column];

      for (gsize row = column + 1; row < n; row++)
        {
          double factor = matrix[row * n + column] / matrix[column * n + column];

          for (gsize i = column; i < n; i++)
            matrix[row * n + i] -= factor * matrix[column * n + i];
        }
    }

  return result;
}

gboolean
assay_kernel_op_det (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  g_autofree double *matrix = NULL;
  gsize n;
  AssayDatum *y;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 2, -1, error))
    return FALSE;
  if (x->dims[x->rank - 1] != x->dims[x->rank - 2])
    return assay_kernel_fail (
        self, error, "matrices of %" G_GINT64_FORMAT " row%s and %" G_GINT64_FORMAT " column%s",
        x->dims[x->rank - 2], assay_plural (x->dims[x->rank - 2]), x->dims[x->rank - 1],
        assay_plural (x->dims[x->rank - 1]));

  y = assay_kernel_output (self, 0, x->dtype, x->rank - 2, x->dims, error);
  if (y == NULL)
    return FALSE;

  if (y->n == 0)
    return TRUE;

  n = (gsize) x->dims[x->rank - 1];
  matrix = assay_kernel_room (self, double, n *n + 1, error);
  if (matrix == NULL)
    return FALSE;
  for (gsize i = 0; i < y->n; i++)
    {
      for (gsize j = 0; j < n * n; j++)
        matrix[j] = assay_datum_get_number (x, i * n * n + j);
      assay_datum_set_number (y, i, determinant (matrix, n));
    }

  return TRUE;
}
