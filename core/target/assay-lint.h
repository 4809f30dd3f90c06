/* assay-lint.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-dtype.h"

G_BEGIN_DECLS

/**
 * AssayLintRow:
 * @name: of the lint
 * @sentence: what to look out for, and what helps if something does; `{type}` is the type that
 * numbers have on the device, `{most}` the largest exponent that it takes
 *
 * A line of the table of lints.
 */
typedef struct
{
  const char *name;
  const char *sentence;
} AssayLintRow;

const AssayLintRow *assay_lint_row (guint index);

G_END_DECLS
