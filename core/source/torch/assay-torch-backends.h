/* assay-torch-backends.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

char *assay_torch_module_check_backends (const AssayTorchModule *self,
                                         guint *n) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
