/* assay-attribute-age.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-attribute-age.h"

#include <string.h>

static const struct
{
  AssayOp op;
  const char *attribute;
  gint64 since;
} rows[] = {
#define SINCE(op, attribute, since) { ASSAY_OP_##op, attribute, since },
#include "source/onnx/attributes.def"
#undef SINCE
};

/**
 * assay_onnx_attribute_since:
 * @op: an operation
 * @name: an attribute of it
 *
 * Tells since when an operator has an attribute that it did not have from the beginning.
 *
 * Returns: the first opset of its domain, or 0
 */
gint64
assay_onnx_attribute_since (AssayOp op, const char *name)
{
  guint low = 0, high = G_N_ELEMENTS (rows);

  /* The rows are in the order of the operations. */
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (rows[middle].op < op)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < G_N_ELEMENTS (rows) && rows[low].op == op; low++)
    if (strcmp (rows[low].attribute, name) == 0)
      return rows[low].since;

  return 0;
}
