/* assay-delegate-layout.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-check-private.h"

G_BEGIN_DECLS

void assay_delegate_layouts_find (AssayCheck *check);

G_END_DECLS
