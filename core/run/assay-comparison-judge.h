/* assay-comparison-judge.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/compare/assay-tolerance.h"
#include "run/assay-certify.h"

G_BEGIN_DECLS

void assay_comparison_judge (AssayComparison *result, const AssayGraph *graph, GHashTable *rows,
                             const AssayTolerance *tolerance, gboolean in_double,
                             const AssayMagnitude *magnitudes, const AssayCertifySide sides[2]);

G_END_DECLS
