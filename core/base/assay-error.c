/* assay-error.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-error.h"

/* Not G_DEFINE_QUARK: it keeps the quark in a variable that threads would write at once. */
GQuark
assay_error_quark (void)
{
  return g_quark_from_static_string ("assay-error-quark");
}

static const char *const code_names[] = {
  [ASSAY_ERROR_IMPORT] = "IMPORT",       [ASSAY_ERROR_UNSUPPORTED] = "UNSUPPORTED",
  [ASSAY_ERROR_INVALID] = "INVALID",     [ASSAY_ERROR_ALLOCATION] = "ALLOCATION",
  [ASSAY_ERROR_SAVE] = "SAVE",           [ASSAY_ERROR_LOAD] = "LOAD",
  [ASSAY_ERROR_CANCELLED] = "CANCELLED", [ASSAY_ERROR_IO] = "IO",
  [ASSAY_ERROR_DEVICE] = "DEVICE",       [ASSAY_ERROR_MEMORY] = "MEMORY",
};

/**
 * assay_error_code_name:
 * @code: a code of %ASSAY_ERROR
 *
 * Gets the stable upper-case name of a code, as JSON documents carry it.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_error_code_name (AssayError code)
{
  g_return_val_if_fail ((gsize) code < G_N_ELEMENTS (code_names), "UNKNOWN");

  return code_names[code];
}
