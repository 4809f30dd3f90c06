/* assay-io-only.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "machine/assay-program.h"

G_BEGIN_DECLS

AssayCode *assay_compile_io_only (const AssayConfigValues *config, gsize in_values,
                                  gsize out_values, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayCode *assay_compile_io_only_like (const AssayCode *code) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
