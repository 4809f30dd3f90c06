/* assay-store-needs.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-allocation.h"
#include "draw/assay-display-list.h"

G_BEGIN_DECLS

double assay_store_needs_get_height (const AssayAllocation *allocation);
void assay_store_needs_draw (const AssayAllocation *allocation, double width,
                             AssayDisplayList *list);
char *assay_store_needs_find (const AssayAllocation *allocation, double width, double x,
                              double y) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
