/* assay-layout-checks.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-view.h"

G_BEGIN_DECLS

void assay_layout_check       (const AssayView *view);
void assay_layout_check_paths (const AssayView *view);

G_END_DECLS
