/* assay-contrib-vendor.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the tools of AMD that quantise write: QuantizeLinear and DequantizeLinear under other names,
 * and both in one. The width is that of the zero point; only 8 bits are what ONNX has.
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <stdlib.h>

/* vai_q_onnx writes numbers as strings. */
static gboolean
has_8_bits (UpgradeContext *self)
{
  const char *text = contrib_string (self, "bit_width", NULL);
  gint64 width = text != NULL ? strtol (text, NULL, 10) : contrib_int (self, "bit_width", 8);

  return width == 8 || contrib_refuse (self, "bit_width", "numbers of 8 bits are known here");
}

static gboolean
read_number (UpgradeContext *self, guint input, double *number)
{
  AssayValueId value = upgrade_input (self, input);
  AssayTensor *tensor = value != ASSAY_NO_VALUE ? assay_graph_constant (self->graph, value) : NULL;

  return tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
         assay_tensor_get_element (tensor, 0, number, NULL);
}

static gboolean
quantize (UpgradeContext *self, AssayValueId scale, AssayValueId zero)
{
  ASSAY_BECOME (&self->builder, QuantizeLinear, upgrade_input (self, 0), scale, zero);

  return TRUE;
}

/* Both in one. */
static gboolean
fix (UpgradeContext *self, AssayValueId scale, AssayValueId zero)
{
  AssayValueId quantized = ASSAY_BUILD (&self->builder, QuantizeLinear, "quantize",
                                        upgrade_input (self, 0), scale, zero);

  ASSAY_BECOME (&self->builder, DequantizeLinear, quantized, scale, zero);

  return TRUE;
}

gboolean
contrib_vendor_quantize (UpgradeContext *self)
{
  return has_8_bits (self) && quantize (self, upgrade_input (self, 1), upgrade_input (self, 2));
}

gboolean
contrib_vendor_dequantize (UpgradeContext *self)
{
  if (!has_8_bits (self))
    return FALSE;
  ASSAY_BECOME (&self->builder, DequantizeLinear, upgrade_input (self, 0), upgrade_input (self, 1),
                upgrade_input (self, 2));

  return TRUE;
}

gboolean
contrib_vendor_fix (UpgradeContext *self)
{
  return has_8_bits (self) && fix (self, upgrade_input (self, 1), upgrade_input (self, 2));
}

/* What vai_q_pytorch writes: input, least and greatest number, scale, zero point, rounding, axis.
 */
gboolean
contrib_vendor_quantize_bounds (UpgradeContext *self)
{
  double least, most;

  if (!read_number (self, 1, &least) || !read_number (self, 2, &most) || (int) least != G_MININT8 ||
      (int) most != G_MAXINT8)
    return contrib_refuse (self, NULL, "numbers from -128 to 127 are known here");

  return quantize (self, upgrade_input (self, 3), upgrade_input (self, 4));
}

/* The same in one: input, greatest number, steps per unit, rounding, device, in place. */
gboolean
contrib_vendor_fix_steps (UpgradeContext *self)
{
  static const gint8 zero = 0;
  g_autoptr (GBytes) bytes = g_bytes_new_static (&zero, sizeof zero);
  g_autoptr (AssayTensor) point = assay_tensor_new (ASSAY_DTYPE_I8, 0, NULL, bytes, NULL);
  g_autofree char *name = g_strconcat (upgrade_node (self)->name, "/zero_point", NULL);
  double most, steps;

  if (!read_number (self, 1, &most) || !read_number (self, 2, &steps) || (int) most != G_MAXINT8 ||
      !(steps > 0))
    return contrib_refuse (self, NULL, "numbers up to 127 of known steps are known here");

  return fix (self, assay_builder_number (&self->builder, "scale", ASSAY_DTYPE_F32, 1.0 / steps),
              assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, point));
}
