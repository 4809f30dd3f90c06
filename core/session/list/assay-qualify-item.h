/* assay-qualify-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "work/assay-conformance-case.h"

G_BEGIN_DECLS

/**
 * AssayQualifyItem:
 *
 * A case of a suite that was run, as a row.
 */
#define ASSAY_TYPE_QUALIFY_ITEM (assay_qualify_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayQualifyItem, assay_qualify_item, ASSAY, QUALIFY_ITEM, GObject)

AssayQualifyItem *assay_qualify_item_new (AssayConformanceResult *result) G_GNUC_WARN_UNUSED_RESULT;
const AssayConformanceResult *assay_qualify_item_get_result (AssayQualifyItem *self);
int assay_qualify_item_compare (AssayQualifyItem *a, AssayQualifyItem *b);

G_END_DECLS
