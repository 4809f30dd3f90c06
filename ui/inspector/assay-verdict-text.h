/* assay-verdict-text.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/assay-session.h"

G_BEGIN_DECLS

const char *assay_verdict_word (AssayVerdictKind kind);
char *assay_verdict_dup_shown (AssayVerdicts *verdicts,
                               const AssayVerdict *verdict) G_GNUC_WARN_UNUSED_RESULT;
guint assay_verdict_shared (AssayVerdicts *verdicts, const AssayVerdict *verdict);
char *assay_value_type_markup (AssayVerdicts *verdicts, AssayValueId value,
                               char **spoken) G_GNUC_WARN_UNUSED_RESULT;
char *assay_attr_to_string (const AssayGraph *graph,
                            const AssayAttr *attr) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
