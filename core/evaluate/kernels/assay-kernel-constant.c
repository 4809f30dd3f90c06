/* assay-kernel-constant.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "evaluate/assay-kernel.h"

static AssayDatum *
new_strings (guint rank, const gint64 *dims, const char *const *strings, GError **error)
{
  AssayDatum *datum = assay_datum_new (ASSAY_DTYPE_STRING, ASSAY_DTYPE_STRING, rank, dims, error);

  for (gsize i = 0; datum != NULL && i < datum->n; i++)
    ((GBytes **) datum->data)[i] = g_bytes_new (strings[i], strlen (strings[i]));

  return datum;
}

static AssayDatum *
new_floats (AssayKernel *self, guint rank, const gint64 *dims, const double *values, GError **error)
{
  AssayDatum *datum = assay_datum_new (
      ASSAY_DTYPE_F32, assay_datum_storage (ASSAY_DTYPE_F32, self->wide), rank, dims, error);

  for (gsize i = 0; datum != NULL && i < datum->n; i++)
    assay_datum_set_number (datum, i, values[i]);

  return datum;
}

gboolean
assay_kernel_op_constant (AssayKernel *self, GError **error)
{
  AssayDatum *datum = NULL;

  for (guint i = 0; i < self->node->n_attrs && datum == NULL; i++)
    {
      const AssayAttr *attr = &self->node->attrs[i];
      gint64 n = attr->n;

      switch (attr->kind)
        {
        case ASSAY_ATTR_TENSOR:
          datum = assay_datum_new_tensor (attr->u.tensor, self->wide, error);
          break;
        case ASSAY_ATTR_INT:
          datum = assay_datum_new (ASSAY_DTYPE_I64, ASSAY_DTYPE_I64, 0, NULL, error);
          if (datum != NULL)
            *(gint64 *) datum->data = attr->u.i;
          break;
        case ASSAY_ATTR_INTS:
          datum = assay_datum_new (ASSAY_DTYPE_I64, ASSAY_DTYPE_I64, 1, &n, error);
          if (datum != NULL && n > 0)
            memcpy (datum->data, attr->u.ints, attr->n * sizeof *attr->u.ints);
          break;
        case ASSAY_ATTR_FLOAT:
          datum = new_floats (self, 0, NULL, &attr->u.f, error);
          break;
        case ASSAY_ATTR_FLOATS:
          datum = new_floats (self, 1, &n, attr->u.floats, error);
          break;
        case ASSAY_ATTR_STRING:
          datum = new_strings (0, NULL, &attr->u.s, error);
          break;
        case ASSAY_ATTR_STRINGS:
          datum = new_strings (1, &n, attr->u.strings, error);
          break;
        default:
          continue;
        }
      if (datum == NULL)
        return FALSE;
    }

  if (datum == NULL)
    return assay_kernel_fail (self, error, "none of the attributes holds a value");

  assay_kernel_take (self, 0, datum);

  return TRUE;
}
