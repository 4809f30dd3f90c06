/* assay-text-tensor.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/text/assay-text-lexer.h"
#include "nnir/text/assay-text.h"

G_BEGIN_DECLS

gboolean assay_text_append_tensor (GString *text, AssayTensor *tensor, AssayTextFlags flags,
                                   GError **error);
AssayTensor *assay_text_read_tensor (AssayLexer *lexer, AssayDType dtype, guint rank,
                                     const gint64 *dims, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
