/* assay-check-prepare.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-target.h"

G_BEGIN_DECLS

AssayGraph *assay_target_prepare (AssayTarget *self, AssayForms *model,
                                  const AssaySettings *settings, const char *const *apart,
                                  gboolean compile, const AssayProgress *progress, GError **error);

G_END_DECLS
