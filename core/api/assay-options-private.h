/* assay-options-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-options.h"
#include "backend/assay-build.h"

G_BEGIN_DECLS

gboolean assay_options_fill (AssayOptions *self, const AssayConfigValues *config,
                             AssayCompileOptions *options, GError **error);

G_END_DECLS
