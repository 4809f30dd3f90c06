/* assay-comparison-json.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"
#include "text/assay-json-reader.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

/* A comparison of more rows keeps the worst elements of outputs and of what is out of tolerance, so
 * many at most: those of all would make up most of the file. */
#define ASSAY_COMPARISON_MAX_FULL 5000
/* More than any model has; a file with more is not ours. */
#define ASSAY_COMPARISON_MAX_ROWS 10000000

void assay_comparison_write (const AssayComparison *self, AssayJsonWriter *json);
AssayComparison *assay_comparison_read (AssayJsonReader *reader,
                                        JsonObject *object) G_GNUC_WARN_UNUSED_RESULT;
AssayComparison *assay_comparison_copy (const AssayComparison *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
