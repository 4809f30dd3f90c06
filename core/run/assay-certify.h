/* assay-certify.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/compare/assay-error-span.h"
#include "run/assay-comparison.h"
#include "run/assay-runner.h"

G_BEGIN_DECLS

/**
 * AssayCertifySide:
 * @rounding: how it rounds
 * @is_leader: whether its own values are what the other one works on
 * @runner: (nullable): who runs it, where it may be shaders
 *
 * One of the two that are compared.
 */
typedef struct
{
  AssayErrorRounding rounding;
  gboolean is_leader;
  AssayRunner *runner;
} AssayCertifySide;

void assay_comparison_certify (AssayComparison *self, const AssayGraph *graph,
                               const AssayMagnitude *magnitudes, const AssayCertifySide sides[2]);

G_END_DECLS
