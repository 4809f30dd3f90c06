/* assay-fix-switch.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-switch.h"

#include <math.h>

#include "evaluate/assay-datum.h"

/* Whole numbers up to here are themselves as a double. */
#define MAX_POSITION 9007199254740992.0

/**
 * assay_fix_is_switch: (skip)
 * @value: an input
 *
 * Tells whether an input is one whole number or truth value, which models take to choose by.
 *
 * Returns: whether it is
 */
gboolean
assay_fix_is_switch (const AssayValue *value)
{
  gsize n;

  return value->type->kind == ASSAY_TYPE_KIND_TENSOR && assay_type_is_static (value->type) &&
         assay_type_count (value->type, &n) && n == 1 &&
         (assay_dtype_is_integer (value->type->dtype) || value->type->dtype == ASSAY_DTYPE_BOOL);
}

static void
add_position (GArray *positions, gint64 position)
{
  for (guint i = 0; i < positions->len; i++)
    if (g_array_index (positions, gint64, i) == position)
      return;
  g_array_append_val (positions, position);
}

/* Behind a conversion a whole number may be held against one with a point. */
static void
add_number (GArray *positions, AssayTensor *tensor)
{
  g_autoptr (AssayDatum) datum = assay_datum_new_tensor (tensor, TRUE, NULL);
  double number = datum != NULL ? assay_datum_get_number (datum, 0) : NAN;

  if (fabs (number) <= MAX_POSITION && number == floor (number))
    add_position (positions, (gint64) number);
}

/* Yes and no. */
static void
add_truths (GArray *positions)
{
  add_position (positions, 1);
  add_position (positions, 0);
}

/* The constants that a value is compared with, also in nested graphs and behind conversions; what
 * becomes a condition is held against zero. */
static void
collect_positions (AssayGraph *graph, const AssayUses *uses, AssayValueId value, GArray *positions,
                   guint depth)
{
  guint n;
  const AssayNodeId *readers = assay_uses_get (uses, value, &n);

  for (guint i = 0; i < n && depth < 8; i++)
    {
      const AssayNode *node = assay_graph_node (graph, readers[i]);
      AssayOpCategory category = assay_op_get_info (node->op)->category;

      if (category == ASSAY_CATEGORY_LOGIC && node->n_inputs == 2)
        {
          AssayValueId other = node->inputs[node->inputs[0] == value];
          AssayTensor *tensor = assay_graph_constant (graph, other);

          if (tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
              (assay_dtype_is_integer (assay_tensor_get_dtype (tensor)) ||
               assay_dtype_is_float (assay_tensor_get_dtype (tensor))))
            add_number (positions, tensor);
        }
      else if (node->op == ASSAY_OP_Cast || node->op == ASSAY_OP_Identity ||
               category == ASSAY_CATEGORY_SHAPE)
        {
          const AssayType *type = assay_graph_value (graph, node->outputs[0])->type;

          if (node->op == ASSAY_OP_Cast && type->dtype == ASSAY_DTYPE_BOOL)
            add_truths (positions);
          collect_positions (graph, uses, node->outputs[0], positions, depth + 1);
        }
    }
}

/**
 * assay_fix_list_positions: (skip)
 * @graph: the model
 * @uses: who reads its values
 * @input: an input that is a switch
 *
 * Lists the numbers that a model holds a switch against. Any other number chooses what is left.
 *
 * Returns: (transfer full) (element-type gint64): the positions, in the order in which they are met
 */
GArray *
assay_fix_list_positions (AssayGraph *graph, const AssayUses *uses, AssayValueId input)
{
  GArray *positions = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (assay_graph_value (graph, input)->type->dtype == ASSAY_DTYPE_BOOL)
    add_truths (positions);
  collect_positions (graph, uses, input, positions, 0);

  return positions;
}
