/* assay-ways-search.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/activity/assay-activity.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

/**
 * AssayWaysSearch:
 *
 * The search for what helps a program that does not fit, after that was said. What is found comes
 * into the report of the compilation at once; it is told by `found`. Stopped, what was found stays.
 */
#define ASSAY_TYPE_WAYS_SEARCH (assay_ways_search_get_type ())

G_DECLARE_FINAL_TYPE (AssayWaysSearch, assay_ways_search, ASSAY, WAYS_SEARCH, AssayActivity)

void assay_ways_search_start (AssayWaysSearch *self, AssayWork *model);

G_END_DECLS
