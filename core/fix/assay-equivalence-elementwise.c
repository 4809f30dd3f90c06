/* assay-equivalence-elementwise.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of activations and arithmetic.
 */
#include "base/assay-sentence.h"
#include "fix/assay-equivalence-private.h"

#include <float.h>
#include <math.h>

gboolean
assay_guard_always (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_node_output (assay_edit_node (edit), 0));

  /* What the expressions need beside x, whose own type may be bool. */
  if (assay_edit_node (edit)->op == ASSAY_OP_Where)
    {
      AssayValueId one = assay_builder_number (&edit->builder, "constant", type->dtype, 1);

      if (one == ASSAY_NO_VALUE)
        return assay_edit_refuse (edit, "the elements are %s, expected numbers",
                                  assay_dtype_name (type->dtype));
      assay_bindings_set_value (edit->bindings, "one", one);
    }

  return TRUE;
}

gboolean
assay_guard_inverse_alpha (AssayEdit *edit)
{
  double alpha = assay_node_get_float (assay_edit_node (edit), "alpha");

  if (alpha == 0)
    return assay_edit_refuse (edit, "alpha is 0, which has no inverse");
  assay_bindings_set_number (edit->bindings, "inverse", 1 / alpha);

  return TRUE;
}

gboolean
assay_guard_small_alpha (AssayEdit *edit)
{
  double alpha = assay_node_get_float (assay_edit_node (edit), "alpha");

  if (alpha >= 0 && alpha <= 1)
    return TRUE;

  return assay_edit_refuse (edit, "alpha is %g, expected 0 to 1", alpha);
}

gboolean
assay_guard_other_slope (AssayEdit *edit)
{
  double alpha = assay_node_get_float (assay_edit_node (edit), "alpha");

  if (fabs (alpha - 26.0 / 256.0) > 1e-6)
    return TRUE;

  return assay_edit_refuse (edit, "its slope is 26/256 already");
}

/* The largest finite numbers of types of floats, for which a bound can be none. */
static const struct
{
  AssayDType dtype;
  double number;
} largest[] = {
  { ASSAY_DTYPE_F64, DBL_MAX },
  { ASSAY_DTYPE_F16, 65504.0 },
  { ASSAY_DTYPE_BF16, 0x1.fep127 },
  { ASSAY_DTYPE_F32, FLT_MAX },
};

/* Whether an input bounds anything: what exporters write for no bound is the end of the type. */
static gboolean
has_bound (AssayEdit *edit, guint input)
{
  AssayDType dtype = assay_edit_type (edit, assay_edit_input (edit, 0))->dtype;
  double number;

  if (assay_edit_input (edit, input) == ASSAY_NO_VALUE)
    return FALSE;
  if (!assay_guard_number (edit, input, &number))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (largest); i++)
    if (largest[i].dtype == dtype)
      return !(input == 1 ? number <= -largest[i].number : number >= largest[i].number);

  return TRUE;
}

gboolean
assay_guard_no_bound (AssayEdit *edit)
{
  return (!has_bound (edit, 1) && !has_bound (edit, 2)) ||
         assay_edit_refuse (edit, "it has a bound within its type");
}

gboolean
assay_guard_both_bounds (AssayEdit *edit)
{
  return (has_bound (edit, 1) && has_bound (edit, 2)) ||
         assay_edit_refuse (edit, "it does not have both bounds");
}

gboolean
assay_guard_lower_bound (AssayEdit *edit)
{
  return (has_bound (edit, 1) && !has_bound (edit, 2)) ||
         assay_edit_refuse (edit, "it does not have a lower bound alone");
}

gboolean
assay_guard_upper_bound (AssayEdit *edit)
{
  return (!has_bound (edit, 1) && has_bound (edit, 2)) ||
         assay_edit_refuse (edit, "it does not have an upper bound alone");
}

gboolean
assay_guard_zero_bound (AssayEdit *edit)
{
  double number;

  return (!has_bound (edit, 2) && assay_guard_number (edit, 1, &number) && number == 0) ||
         assay_edit_refuse (edit, "its only bound is not 0");
}

gboolean
assay_guard_two_inputs (AssayEdit *edit)
{
  guint n = assay_edit_node (edit)->n_inputs;

  return n == 2 || assay_edit_refuse (edit, "it has %u input%s, expected 2", n, assay_plural (n));
}

static gboolean
scalar_beside (AssayEdit *edit, guint input)
{
  double number;

  if (!assay_guard_two_inputs (edit))
    return FALSE;
  if (!assay_guard_number (edit, input, &number))
    return assay_edit_refuse (edit, "input %u is no constant of one element", input);

  /* A bound has no dimensions. */
  assay_bindings_set_value (
      edit->bindings, input == 0 ? "x" : "y",
      assay_builder_number (&edit->builder, "constant",
                            assay_edit_type (edit, assay_edit_input (edit, input))->dtype, number));

  return TRUE;
}

gboolean
assay_guard_first_scalar (AssayEdit *edit)
{
  return scalar_beside (edit, 0);
}

gboolean
assay_guard_second_scalar (AssayEdit *edit)
{
  return scalar_beside (edit, 1);
}

static gboolean
exponent_is (AssayEdit *edit, double wanted)
{
  double number;

  if (!assay_guard_number (edit, 1, &number))
    return assay_edit_refuse (edit, "the exponent is no constant of one element");

  return number == wanted ||
         assay_edit_refuse (edit, "the exponent is %g, expected %g", number, wanted);
}

gboolean
assay_guard_square (AssayEdit *edit)
{
  return exponent_is (edit, 2);
}

gboolean
assay_guard_cube (AssayEdit *edit)
{
  return exponent_is (edit, 3);
}

gboolean
assay_guard_root (AssayEdit *edit)
{
  return exponent_is (edit, 0.5);
}

gboolean
assay_guard_inverse (AssayEdit *edit)
{
  return exponent_is (edit, -1);
}

gboolean
assay_guard_not_training (AssayEdit *edit)
{
  double training = 0;

  if (assay_edit_input (edit, 2) != ASSAY_NO_VALUE &&
      (!assay_guard_number (edit, 2, &training) || training != 0))
    return assay_edit_refuse (edit, "it may be in training mode");
  if (assay_node_output (assay_edit_node (edit), 1) != ASSAY_NO_VALUE)
    return assay_edit_refuse (edit, "its mask is an output");

  return TRUE;
}

gboolean
assay_guard_half_beta (AssayEdit *edit)
{
  double alpha = assay_node_get_float (assay_edit_node (edit), "alpha");
  double beta = assay_node_get_float (assay_edit_node (edit), "beta");

  if (beta != 0.5 || alpha <= 0)
    return assay_edit_refuse (edit, "alpha is %g and beta %g, expected a positive alpha and 0.5",
                              alpha, beta);
  assay_bindings_set_number (edit->bindings, "six", 6 * alpha);

  return TRUE;
}

/* Nodes of many inputs, two at a time. */
gboolean
assay_guard_several_inputs (AssayEdit *edit)
{
  AssayOp op = assay_edit_node (edit)->op;
  AssayOp link = op == ASSAY_OP_Sum || op == ASSAY_OP_Mean ? ASSAY_OP_Add : op;
  guint n = assay_edit_node (edit)->n_inputs;
  AssayValueId result = assay_edit_input (edit, 0);

  if (n < 2 || (link == op && n < 3))
    return assay_edit_refuse (edit, "it has %u input%s", n, assay_plural (n));
  for (guint i = 1; i < n; i++)
    {
      const AssayValueId pair[] = { result, assay_edit_input (edit, i) };

      result = assay_builder_add (&edit->builder, link, NULL, 2, pair);
    }
  if (op == ASSAY_OP_Mean)
    {
      const AssayValueId pair[] = { result, assay_builder_number (&edit->builder, "constant",
                                                                  assay_guard_result (edit)->dtype,
                                                                  1.0 / n) };

      result = assay_builder_add (&edit->builder, ASSAY_OP_Mul, NULL, 2, pair);
    }
  assay_bindings_set_value (edit->bindings, "result", result);

  return TRUE;
}
