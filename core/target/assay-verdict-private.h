/* assay-verdict-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-target.h"

G_BEGIN_DECLS

extern const char *const assay_verdict_names[];
extern const char *const assay_stage_names[];

AssayVerdicts *assay_verdicts_new (AssayGraph *graph,
                                   AssayTarget *target) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
