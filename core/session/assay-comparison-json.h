/* assay-comparison-json.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"
#include "target/assay-json-reader.h"

G_BEGIN_DECLS

/* A larger one is not kept: the file would take longer to read than the comparison to make. */
#define ASSAY_COMPARISON_MAX_KEPT 5000

JsonObject      *_assay_comparison_print (const AssayComparison *self) G_GNUC_WARN_UNUSED_RESULT;
AssayComparison *_assay_comparison_read  (AssayJsonReader       *reader,
                                          JsonObject            *object) G_GNUC_WARN_UNUSED_RESULT;
AssayComparison *_assay_comparison_copy  (const AssayComparison *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
