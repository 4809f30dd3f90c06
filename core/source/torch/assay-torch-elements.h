/* assay-torch-elements.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"
#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

void assay_torch_append_float (GByteArray *bytes, AssayDType dtype, double value);
const char *assay_torch_name_of_dtype (AssayDType dtype);
gboolean assay_torch_dtype_from_name (const char *element, AssayDType *dtype);
AssayTensor *assay_torch_module_dup_tensor (const AssayTorchModule *self,
                                            const AssayTorchAttr *attr,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
