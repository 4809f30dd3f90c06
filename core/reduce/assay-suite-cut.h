/* assay-suite-cut.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-work.h"

G_BEGIN_DECLS

/**
 * AssaySuiteCut:
 * @n_cases: nodes that became cases
 * @n_left: nodes that did not: what goes in or comes out is no tensor of numbers, or is not known
 *
 * What became of a model that was cut into its operators.
 */
typedef struct
{
  guint n_cases;
  guint n_left;
} AssaySuiteCut;

gboolean assay_suite_cut (AssayWork *work, guint64 seed, const char *folder, AssaySuiteCut *cut,
                          const AssayProgress *progress, GError **error);

G_END_DECLS
