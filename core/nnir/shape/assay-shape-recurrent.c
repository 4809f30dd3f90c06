/* assay-shape-recurrent.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include <string.h>

/* RNN, GRU and LSTM: X [seq, batch, in] gives Y [seq, directions, batch, hidden] and the last
 * states [directions, batch, hidden]; with layout 1 the batch comes first. */
void
assay_shape_rule_recurrent (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 3, 3);
  const AssayType *r = assay_shape_tensor (self, 2, 3, 3);
  AssayDType dtype = assay_shape_dtype (self, 0);
  const char *direction = assay_node_get_string (self->node, "direction");
  gint64 layout = assay_node_get_int (self->node, "layout");
  gint64 hidden_size = -1;
  gboolean both = strcmp (direction, "bidirectional") == 0;
  AssayDim hidden;
  AssayDim directions = assay_dim (both ? 2 : 1);
  AssayDim steps = assay_dim_unknown ();
  AssayDim batch = assay_dim_unknown ();

  assay_node_find_int (self->node, "hidden_size", &hidden_size);
  hidden = assay_dim (MAX (hidden_size, -1));
  if (!both && strcmp (direction, "forward") != 0 && strcmp (direction, "reverse") != 0)
    assay_shape_report (self, "infer.attribute", "direction",
                        "“%s”, one of forward, reverse and bidirectional was expected", direction);
  if (layout != 0 && layout != 1)
    assay_shape_report (self, "infer.attribute", "layout",
                        "%" G_GINT64_FORMAT ", 0 or 1 was expected", layout);

  if (r != NULL)
    {
      assay_shape_unify (self, &hidden, r->dims[2], "the size of the hidden state");
      assay_shape_unify (self, &directions, r->dims[0], "the number of directions");
    }
  if (x != NULL)
    {
      steps = x->dims[layout == 1 ? 1 : 0];
      batch = x->dims[layout == 1 ? 0 : 1];
    }

  if (layout == 1)
    {
      AssayDim y[4] = { batch, steps, directions, hidden };
      AssayDim state[3] = { batch, directions, hidden };

      assay_shape_set_tensor (self, 0, dtype, 4, y);
      assay_shape_set_tensor (self, 1, dtype, 3, state);
      assay_shape_set_tensor (self, 2, dtype, 3, state);
    }
  else
    {
      AssayDim y[4] = { steps, directions, batch, hidden };
      AssayDim state[3] = { directions, batch, hidden };

      assay_shape_set_tensor (self, 0, dtype, 4, y);
      assay_shape_set_tensor (self, 1, dtype, 3, state);
      assay_shape_set_tensor (self, 2, dtype, 3, state);
    }
}
