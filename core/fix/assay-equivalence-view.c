/* assay-equivalence-view.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of what moves elements.
 */
#include "fix/assay-equivalence-private.h"

#include "evaluate/assay-datum.h"

/* Binds `ones`: as many as the result has elements. */
gboolean
assay_guard_known_shape (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_node_output (assay_edit_node (edit), 0));
  g_autoptr (AssayDatum) datum = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  gint64 dims[ASSAY_MAX_RANK];

  if (!assay_type_is_static (type) || !assay_dtype_is_float (type->dtype))
    return assay_edit_refuse (edit, "the shape of its result is not known, or its elements are no floats");

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  datum = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE), (guint) type->rank, dims, NULL);
  for (gsize i = 0; datum != NULL && i < datum->n; i++)
    assay_datum_set_number (datum, i, 1);
  tensor = datum != NULL ? assay_datum_to_tensor (datum, FALSE, NULL) : NULL;
  if (tensor == NULL)
    return assay_edit_refuse (edit, "its result is too large");
  assay_edit_bind (edit, "ones", assay_edit_tensor (edit, tensor));

  return TRUE;
}
