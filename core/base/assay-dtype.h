/* assay-dtype.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayDType:
 *
 * The type of one tensor element; the values are those of ONNX, and the rows are in
 * `assay-dtype.def`.
 */
typedef enum
{
#define DTYPE(id, name, onnx, bits, kind) ASSAY_DTYPE_##id = onnx,
#include "base/assay-dtype.def"
#undef DTYPE
#ifndef __GI_SCANNER__ /* it has another prefix, which would lengthen the names of all others */
  ASSAY_N_DTYPES
#endif
} AssayDType;

const char *assay_dtype_name (AssayDType dtype);
gboolean assay_dtype_from_name (const char *name, AssayDType *dtype);
guint assay_dtype_bits (AssayDType dtype);
char assay_dtype_kind (AssayDType dtype);
guint assay_dtype_fraction_bits (AssayDType dtype);
gboolean assay_dtype_is_known (int number);
gboolean assay_dtype_is_float (AssayDType dtype);
gboolean assay_dtype_is_integer (AssayDType dtype);
gboolean assay_dtype_byte_size (AssayDType dtype, gsize n_elements, gsize *n_bytes);

G_END_DECLS
