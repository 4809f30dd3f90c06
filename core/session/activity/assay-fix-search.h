/* assay-fix-search.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "fix/assay-fix-suggest.h"

G_BEGIN_DECLS

/**
 * AssayFixSearch:
 *
 * Looks in the background for fixes of what was found, one finding after the other: the one that is
 * looked at with everything that can be measured, the others only for how many there are. What it
 * found goes with the verdicts.
 *
 * Signal `changed` (int finding): something is known, or is being looked for, of the finding at
 * this position.
 */
#define ASSAY_TYPE_FIX_SEARCH (assay_fix_search_get_type ())

G_DECLARE_FINAL_TYPE (AssayFixSearch, assay_fix_search, ASSAY, FIX_SEARCH, GObject)

void assay_fix_search_look (AssayFixSearch *self, int finding);
gboolean assay_fix_search_is_busy (AssayFixSearch *self, int finding);
const AssayFixSuggestions *assay_fix_search_get (AssayFixSearch *self, int finding);
const GError *assay_fix_search_get_error (AssayFixSearch *self, int finding);

G_END_DECLS
