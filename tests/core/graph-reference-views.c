/* graph-reference-views.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What only moves elements.
 */
#include <string.h>

#include "graph-reference.h"

/* The element of the first input at an index of the result; FALSE where there is none. */
typedef gboolean (*PlaceFunc) (Reference *self, const gint64 *index, gint64 *source);

static gint64
integer (Reference *self, guint input, gsize at)
{
  return (gint64) reference_input (self, input)->v[at].x;
}

static guint
axis_of (Reference *self, gint64 axis)
{
  return (guint) (axis < 0 ? axis + reference_input (self, 0)->rank : axis);
}

static void
run_places (Reference *self, PlaceFunc place, Bounded otherwise)
{
  ReferenceTensor *out = reference_output (self, 0);
  const ReferenceTensor *in = reference_input (self, 0);

  for (gsize i = 0; i < out->n; i++)
    {
      gint64 index[8], source[8];

      reference_index (out, i, index);
      memcpy (source, index, sizeof source);
      out->v[i] = place (self, index, source)
                      ? reference_operand (self, in, reference_flat (in, source))
                      : otherwise;
    }
}

static void
run_same (Reference *self)
{
  ReferenceTensor *out = reference_output (self, 0);
  ReferenceTensor *mask = reference_output (self, 1);

  for (gsize i = 0; i < out->n; i++)
    out->v[i] = reference_operand (self, reference_input (self, 0), i);
  /* Only Dropout has a second output: nothing is dropped. */
  for (gsize i = 0; mask != NULL && i < mask->n; i++)
    mask->v[i] = bounded_exact (1);
}

static gboolean
place_transposed (Reference *self, const gint64 *index, gint64 *source)
{
  guint rank = reference_input (self, 0)->rank;
  guint n = 0;
  const gint64 *perm = assay_node_get_ints (self->node, "perm", &n);

  for (guint i = 0; i < rank; i++)
    source[n == 0 ? rank - 1 - i : (guint) perm[i]] = index[i];

  return TRUE;
}

static gboolean
place_sliced (Reference *self, const gint64 *index, gint64 *source)
{
  const ReferenceTensor *in = reference_input (self, 0);

  for (gsize i = 0; i < reference_input (self, 1)->n; i++)
    {
      guint axis = axis_of (self,
                            reference_input (self, 3) == NULL ? (gint64) i : integer (self, 3, i));
      gint64 start = integer (self, 1, i);
      gint64 step = reference_input (self, 4) == NULL ? 1 : integer (self, 4, i);

      source[axis] = CLAMP (start < 0 ? start + in->dims[axis] : start, 0, in->dims[axis]) +
                     index[axis] * step;
    }

  return TRUE;
}

static gboolean
place_gathered (Reference *self, const gint64 *index, gint64 *source)
{
  const ReferenceTensor *in = reference_input (self, 0);
  const ReferenceTensor *list = reference_input (self, 1);
  guint axis = axis_of (self, assay_node_get_int (self->node, "axis"));
  gint64 at = integer (self, 1, list->rank == 0 ? 0 : (gsize) index[axis]);

  for (guint i = axis + 1; i < in->rank; i++)
    source[i] = index[i + list->rank - 1];
  source[axis] = at < 0 ? at + in->dims[axis] : at;

  return TRUE;
}

static gboolean
place_padded (Reference *self, const gint64 *index, gint64 *source)
{
  const ReferenceTensor *in = reference_input (self, 0);
  const ReferenceTensor *axes = reference_input (self, 3);
  gsize n = reference_input (self, 1)->n / 2;

  for (gsize i = 0; i < n; i++)
    {
      guint axis = axis_of (self, axes == NULL ? (gint64) i : integer (self, 3, i));

      source[axis] = index[axis] - integer (self, 1, i);
      if (source[axis] < 0 || source[axis] >= in->dims[axis])
        return FALSE;
    }

  return TRUE;
}

static gboolean
place_expanded (Reference *self, const gint64 *index, gint64 *source)
{
  guint rank = reference_input (self, 0)->rank;

  for (guint i = 0; i < rank; i++)
    source[i] = index[i + reference_output (self, 0)->rank - rank];

  return TRUE;
}

static void
run_transpose (Reference *self)
{
  run_places (self, place_transposed, bounded_exact (0));
}

static void
run_slice (Reference *self)
{
  run_places (self, place_sliced, bounded_exact (0));
}

static void
run_gather (Reference *self)
{
  run_places (self, place_gathered, bounded_exact (0));
}

static void
run_expand (Reference *self)
{
  run_places (self, place_expanded, bounded_exact (0));
}

static void
run_pad (Reference *self)
{
  const ReferenceTensor *value = reference_input (self, 2);

  run_places (self, place_padded,
              value == NULL ? bounded_exact (0) : reference_operand (self, value, 0));
}

static void
run_concat (Reference *self)
{
  ReferenceTensor *out = reference_output (self, 0);
  guint axis = axis_of (self, assay_node_get_int (self->node, "axis"));
  gint64 start = 0;

  for (guint j = 0; j < self->node->n_inputs; j++)
    {
      const ReferenceTensor *in = reference_input (self, j);

      for (gsize i = 0; i < in->n; i++)
        {
          gint64 index[8];

          reference_index (in, i, index);
          index[axis] += start;
          out->v[reference_flat (out, index)] = reference_operand (self, in, i);
        }
      start += in->dims[axis];
    }
}

static void
run_split (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  guint axis = axis_of (self, assay_node_get_int (self->node, "axis"));
  gint64 start = 0;

  for (guint j = 0; j < self->node->n_outputs; j++)
    {
      ReferenceTensor *out = reference_output (self, j);

      for (gsize i = 0; i < out->n; i++)
        {
          gint64 index[8];

          reference_index (out, i, index);
          index[axis] += start;
          out->v[i] = reference_operand (self, in, reference_flat (in, index));
        }
      start += out->dims[axis];
    }
}

const ReferenceRow *
reference_views (void)
{
  static const ReferenceRow rows[] = {
    { ASSAY_OP_Identity, run_same },
    { ASSAY_OP_Dropout, run_same },
    { ASSAY_OP_Cast, run_same },
    { ASSAY_OP_CastLike, run_same },
    { ASSAY_OP_Reshape, run_same },
    { ASSAY_OP_Flatten, run_same },
    { ASSAY_OP_Squeeze, run_same },
    { ASSAY_OP_Unsqueeze, run_same },
    { ASSAY_OP_Transpose, run_transpose },
    { ASSAY_OP_Slice, run_slice },
    { ASSAY_OP_Gather, run_gather },
    { ASSAY_OP_Expand, run_expand },
    { ASSAY_OP_Pad, run_pad },
    { ASSAY_OP_Concat, run_concat },
    { ASSAY_OP_Split, run_split },
    { 0, NULL },
  };

  return rows;
}
