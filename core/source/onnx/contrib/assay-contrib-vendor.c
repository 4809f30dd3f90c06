/* assay-contrib-vendor.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the tools of AMD that quantise write: QuantizeLinear and DequantizeLinear under other names,
 * and both in one. The width is that of the zero point; only 8 bits are what ONNX has.
 */
#include "source/onnx/contrib/assay-contrib-private.h"

static gboolean
has_8_bits (UpgradeContext *self)
{
  return contrib_int (self, "bit_width", 8) == 8 ||
         contrib_refuse (self, "bit_width", "numbers of 8 bits are known here");
}

gboolean
contrib_vendor_quantize (UpgradeContext *self)
{
  if (!has_8_bits (self))
    return FALSE;
  CONTRIB_BECOME (self, QuantizeLinear, upgrade_input (self, 0), upgrade_input (self, 1),
                  upgrade_input (self, 2));

  return TRUE;
}

gboolean
contrib_vendor_dequantize (UpgradeContext *self)
{
  if (!has_8_bits (self))
    return FALSE;
  CONTRIB_BECOME (self, DequantizeLinear, upgrade_input (self, 0), upgrade_input (self, 1),
                  upgrade_input (self, 2));

  return TRUE;
}

gboolean
contrib_vendor_fix (UpgradeContext *self)
{
  AssayValueId quantized;

  if (!has_8_bits (self))
    return FALSE;
  quantized = CONTRIB_ADD (self, QuantizeLinear, "quantize", upgrade_input (self, 0),
                           upgrade_input (self, 1), upgrade_input (self, 2));
  CONTRIB_BECOME (self, DequantizeLinear, quantized, upgrade_input (self, 1),
                  upgrade_input (self, 2));

  return TRUE;
}
