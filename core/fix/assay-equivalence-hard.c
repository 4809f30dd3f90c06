/* assay-equivalence-hard.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards that find activations in their pieces: a hard sigmoid, and a rectifier that ends.
 */
#include "fix/assay-equivalence-private.h"

#include <math.h>

/* A value that is computed of another one and a number. */
typedef struct
{
  AssayOp op;
  AssayValueId data;
  double number;
} Piece;

static const AssayNode *
producer_of (AssayEdit *edit, AssayValueId value)
{
  AssayNodeId id = value != ASSAY_NO_VALUE ? assay_rewriter_producer (&edit->rewriter, value)
                                           : ASSAY_NO_NODE;

  return id != ASSAY_NO_NODE ? assay_graph_node (edit->graph, id) : NULL;
}

static gboolean
read_number (AssayEdit *edit, AssayValueId value, double *number)
{
  AssayTensor *tensor = assay_edit_constant (edit, value);

  return tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
         assay_tensor_get_rank (tensor) == 0 && assay_tensor_get_element (tensor, 0, number, NULL);
}

/* Takes a node of two inputs for a piece; what has an order has its number behind. */
static gboolean
read_piece (AssayEdit *edit, const AssayNode *node, Piece *piece)
{
  gboolean turns;

  if (node == NULL || node->n_inputs != 2)
    return FALSE;
  piece->op = node->op;
  turns = node->op != ASSAY_OP_Div && node->op != ASSAY_OP_Sub;
  for (guint i = 0; i < (turns ? 2 : 1); i++)
    {
      piece->data = assay_rewriter_resolve (&edit->rewriter, node->inputs[i]);
      if (assay_edit_constant (edit, piece->data) == NULL &&
          read_number (edit, node->inputs[1 - i], &piece->number))
        return TRUE;
    }

  return FALSE;
}

/* Takes off a factor, if there is one. */
static AssayValueId
take_factor (AssayEdit *edit, AssayValueId value, double *factor)
{
  Piece piece;

  *factor = 1;
  if (!read_piece (edit, producer_of (edit, value), &piece) ||
      (piece.op != ASSAY_OP_Mul && piece.op != ASSAY_OP_Div) || piece.number == 0)
    return value;
  *factor = piece.op == ASSAY_OP_Mul ? piece.number : 1 / piece.number;

  return piece.data;
}

/* A Clip from 0 to a number. */
static gboolean
read_clip (AssayEdit *edit, const AssayNode *node, AssayValueId *data, double *most)
{
  double least;

  if (node == NULL || node->op != ASSAY_OP_Clip || node->n_inputs != 3 ||
      !read_number (edit, node->inputs[1], &least) || !read_number (edit, node->inputs[2], most))
    return FALSE;
  *data = assay_rewriter_resolve (&edit->rewriter, node->inputs[0]);

  return least == 0 && *most > 0;
}

/* clip (x s + t, 0, n) / n, with the division in front, behind or left out. */
gboolean
assay_guard_hard_sigmoid_pieces (AssayEdit *edit)
{
  const AssayNode *node = assay_edit_node (edit);
  double behind = 1, before, most;
  AssayValueId data;
  Piece sum;

  if (node->op != ASSAY_OP_Clip)
    node = producer_of (edit, take_factor (edit, assay_node_output (node, 0), &behind));
  if (!read_clip (edit, node, &data, &most) || fabs (most * behind - 1) > 1e-6 ||
      !read_piece (edit, producer_of (edit, data), &sum) ||
      (sum.op != ASSAY_OP_Add && sum.op != ASSAY_OP_Sub))
    return assay_edit_refuse (edit, "it does not end a hard sigmoid");

  data = take_factor (edit, sum.data, &before);
  assay_bindings_set_value (edit->bindings, "data", data);
  assay_bindings_set_number (edit->bindings, "slope", before * behind);
  assay_bindings_set_number (edit->bindings, "offset",
                             (sum.op == ASSAY_OP_Add ? sum.number : -sum.number) * behind);
  edit->tidy = TRUE;

  return TRUE;
}

/* The smaller of a number and what is not negative, in either order. */
gboolean
assay_guard_clip_pieces (AssayEdit *edit)
{
  const AssayNode *node;
  Piece outer, inner;
  gboolean ends;

  if (!read_piece (edit, assay_edit_node (edit), &outer))
    return assay_edit_refuse (edit, "it compares with no number");
  ends = outer.op == ASSAY_OP_Min;
  node = producer_of (edit, outer.data);
  if (ends && node != NULL && node->op == ASSAY_OP_Relu)
    inner = (Piece){ ASSAY_OP_Max, assay_rewriter_resolve (&edit->rewriter, node->inputs[0]), 0 };
  else if (!read_piece (edit, node, &inner) || inner.op != (ends ? ASSAY_OP_Max : ASSAY_OP_Min))
    return assay_edit_refuse (edit, "its other bound does not stand before it");
  if ((ends ? outer : inner).number < (ends ? inner : outer).number)
    return assay_edit_refuse (edit, "its bounds leave nothing between them");
  assay_bindings_set_value (edit->bindings, "data", inner.data);
  assay_bindings_set_number (edit->bindings, "least", (ends ? inner : outer).number);
  assay_bindings_set_number (edit->bindings, "most", (ends ? outer : inner).number);
  edit->tidy = TRUE;

  return TRUE;
}
