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

gboolean assay_fix_judge_rounding (const AssayFixOutput *output, gboolean numbers_only);

G_END_DECLS
