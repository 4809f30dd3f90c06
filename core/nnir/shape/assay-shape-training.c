/* assay-shape-training.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include "base/assay-sentence.h"

/* Learning rate and step count, then groups of tensors: values, gradients, and one or two states of
 * each value. Values and states come out again. */
void
assay_shape_rule_training_step (AssayShapeContext *self)
{
  guint n_groups = self->node->op == ASSAY_OP_Adam ? 4 : 3;
  guint n_inputs = self->node->n_inputs < 2 ? 0 : self->node->n_inputs - 2;
  guint n = n_inputs / n_groups;

  if (n == 0 || n_inputs % n_groups != 0)
    {
      assay_shape_report (self, "infer.inputs", NULL,
                          "%u tensor%s cannot be divided into %u group%s", n_inputs,
                          assay_plural (n_inputs), n_groups, assay_plural (n_groups));
      return;
    }

  for (guint i = 0; i < self->node->n_outputs; i++)
    assay_shape_set (self, i, assay_shape_input (self, 2 + (i < n ? i : i + n)));
}

/* One derivative for each tensor that is named, of its type; their values are the first inputs. */
void
assay_shape_rule_gradient (AssayShapeContext *self)
{
  const AssayAttr *xs = assay_node_find_attr (self->node, "xs");
  guint n = xs != NULL && xs->kind == ASSAY_ATTR_STRINGS ? xs->n : 0;

  for (guint i = 0; i < MIN (n, self->node->n_outputs); i++)
    assay_shape_set (self, i, assay_shape_input (self, i));
}
