/* assay-layout-checks.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-view.h"

G_BEGIN_DECLS

void assay_layout_check (const AssayView *view);
void assay_layout_check_paths (const AssayView *view);
const AssayViewBox *assay_layout_find_same (const AssayView *view, const AssayViewBox *box);

G_END_DECLS
