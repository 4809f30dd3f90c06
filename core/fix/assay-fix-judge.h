/* assay-fix-judge.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-datum.h"

G_BEGIN_DECLS

/**
 * AssayFixOutput:
 * @before: what the model gives
 * @after: what the fixed model gives
 * @exact_before: what the model gives in double
 * @exact_after: what the fixed model gives in double
 *
 * One output of a model and of a fixed model for the same inputs.
 */
typedef struct
{
  const AssayDatum *before;
  const AssayDatum *after;
  const AssayDatum *exact_before;
  const AssayDatum *exact_after;
} AssayFixOutput;

/**
 * AssayFixRounding:
 * @ASSAY_FIX_ROUNDING_ONLY: the formula is the same and as stable
 * @ASSAY_FIX_ROUNDING_HIDDEN: the formula is the same; the model itself is so far from the exact
 * result for these inputs that they say nothing about what the fix adds
 * @ASSAY_FIX_ROUNDING_EXCEEDED: another formula, or one that is less stable
 *
 * What is to be said of an output, the better first.
 */
typedef enum
{
  ASSAY_FIX_ROUNDING_ONLY,
  ASSAY_FIX_ROUNDING_HIDDEN,
  ASSAY_FIX_ROUNDING_EXCEEDED
} AssayFixRounding;

AssayFixRounding assay_fix_judge_rounding (const AssayFixOutput *output, gboolean numbers_only);

G_END_DECLS
