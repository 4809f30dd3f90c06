/* assay-result-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "base/assay-statistics.h"
#include "base/assay-tensor.h"
#include "run/assay-run-subject.h"

G_BEGIN_DECLS

/**
 * AssayResultItem:
 *
 * A tensor that came out of a run, with its statistics.
 */
#define ASSAY_TYPE_RESULT_ITEM (assay_result_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayResultItem, assay_result_item, ASSAY, RESULT_ITEM, GObject)

AssayResultItem *assay_result_item_new (const AssayRunPort *port,
                                        AssayTensor *tensor) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_result_item_get_name (AssayResultItem *self);
const char *assay_result_item_get_whole (AssayResultItem *self);
const char *assay_result_item_get_part (AssayResultItem *self);
AssayTensor *assay_result_item_get_tensor (AssayResultItem *self);
const AssayStatistics *assay_result_item_get_statistics (AssayResultItem *self);
char *assay_result_item_dup_shape (AssayResultItem *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
