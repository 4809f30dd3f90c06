/* assay-equivalence.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What guards share.
 */
#include "fix/assay-equivalence-private.h"

#include "base/assay-tensor-read.h"
#include "evaluate/assay-datum.h"
#include "nnir/assay-axes.h"

/* Constants that a form adds are bounded: a fix is to make a model better, not larger. */
#define MAX_ELEMENTS ((gsize) 1 << 24)

const AssayType *
assay_guard_result (AssayEdit *edit)
{
  return assay_edit_type (edit, assay_node_output (assay_edit_node (edit), 0));
}

/* Gets the number that an input has in all its elements: one element counts. */
gboolean
assay_guard_number (AssayEdit *edit, guint input, double *number)
{
  AssayTensor *tensor = assay_edit_constant (edit, assay_edit_input (edit, input));

  return tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
         assay_tensor_get_element (tensor, 0, number, NULL);
}

/* Gets the sizes of a tensor, or refuses. */
gboolean
assay_guard_sizes (AssayEdit *edit, const AssayType *type, AssayGuardShape *shape)
{
  if (!assay_type_is_static (type) || type->kind != ASSAY_TYPE_KIND_TENSOR)
    {
      g_autofree char *text = assay_type_to_string (type);

      return assay_edit_refuse (edit, "the shape %s is not known, bind it first", text);
    }

  shape->rank = (guint) type->rank;
  for (guint i = 0; i < shape->rank; i++)
    shape->dims[i] = type->dims[i].size;

  return TRUE;
}

/* Adds a constant of floats, or gives 0 if it would be too large or of another type. */
AssayValueId
assay_guard_floats (AssayEdit *edit, AssayDType dtype, guint rank, const gint64 *dims,
                    const double *numbers)
{
  g_autoptr (AssayDatum) datum = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  gsize n;

  if (!assay_dtype_is_float (dtype) || !assay_dims_count (rank, dims, &n) || n > MAX_ELEMENTS)
    return ASSAY_NO_VALUE;
  datum = assay_datum_new (dtype, assay_datum_storage (dtype, FALSE), rank, dims, NULL);
  if (datum == NULL)
    return ASSAY_NO_VALUE;
  for (gsize i = 0; i < datum->n; i++)
    assay_datum_set_number (datum, i, numbers[i]);
  assay_datum_round (datum);
  tensor = assay_datum_to_tensor (datum, FALSE, NULL);

  return tensor != NULL ? assay_builder_tensor (&edit->builder, "constant", tensor)
                        : ASSAY_NO_VALUE;
}

/* Adds a constant that is one number throughout. */
AssayValueId
assay_guard_filled (AssayEdit *edit, AssayDType dtype, guint rank, const gint64 *dims,
                    double number)
{
  g_autofree double *numbers = NULL;
  gsize n;

  if (!assay_dims_count (rank, dims, &n) || n > MAX_ELEMENTS)
    return ASSAY_NO_VALUE;
  numbers = g_new (double, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    numbers[i] = number;

  return assay_guard_floats (edit, dtype, rank, dims, numbers);
}

/* Reads the elements of a constant. */
double *
assay_guard_read (AssayEdit *edit, AssayValueId value, gsize *n)
{
  AssayTensor *tensor = assay_edit_constant (edit, value);
  g_autofree double *numbers = NULL;

  if (tensor == NULL || assay_tensor_get_n_elements (tensor) > MAX_ELEMENTS)
    return NULL;
  *n = assay_tensor_get_n_elements (tensor);
  numbers = g_new (double, MAX (*n, 1));

  return assay_tensor_read_doubles (tensor, 0, *n, numbers, NULL) ? g_steal_pointer (&numbers)
                                                                  : NULL;
}

/* Gets the axes that a reduction works on, or refuses. */
gboolean
assay_guard_axes (AssayEdit *edit, guint *n, gint64 *axes)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  AssayAxes found;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return assay_edit_refuse (edit, "the rank of its input is not known");
  found = assay_node_axes (edit->graph, assay_edit_node (edit), type->rank);
  if (!found.known)
    return assay_edit_refuse (edit, "its axes are computed at run time");

  *n = 0;
  for (int i = 0; i < type->rank; i++)
    if ((found.mask & ((guint64) 1 << i)) != 0)
      axes[(*n)++] = i;
  if (*n == 0)
    return assay_edit_refuse (edit, "it reduces nothing");

  return TRUE;
}
