/* assay-io-only.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

AssayStreamCode *assay_compile_io_only (const AssayConfigValues *config, gsize in_values,
                                        gsize out_values, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayStreamCode *assay_compile_io_only_like (const AssayStreamCode *code) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
