/* assay-cause-search.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/activity/assay-activity.h"

G_BEGIN_DECLS

/**
 * AssayCauseSearch:
 *
 * The search for what makes one tensor of the comparison differ, of those that nobody tried while
 * the two were compared. What is found goes into the row of the comparison; another comparison, or
 * a change of what is compared, drops the search.
 */
#define ASSAY_TYPE_CAUSE_SEARCH (assay_cause_search_get_type ())

G_DECLARE_FINAL_TYPE (AssayCauseSearch, assay_cause_search, ASSAY, CAUSE_SEARCH, AssayActivity)

gboolean assay_cause_search_can_start (AssayCauseSearch *self, guint row);
void assay_cause_search_start (AssayCauseSearch *self, guint row);
void assay_cause_search_ask (AssayCauseSearch *self, guint row);
guint assay_cause_search_get_row (AssayCauseSearch *self);
guint assay_cause_search_find_row (AssayCauseSearch *self, const char *node);

G_END_DECLS
