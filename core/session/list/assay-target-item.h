/* assay-target-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/analysis/assay-outcome.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayTargetItem:
 *
 * One target as a chooser shows it, with what the open model would get there.
 */
#define ASSAY_TYPE_TARGET_ITEM (assay_target_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayTargetItem, assay_target_item, ASSAY, TARGET_ITEM, GObject)

AssayTargetItem *assay_target_item_new (AssayTarget *target, const char *id,
                                        gboolean own) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_target_item_get_id (AssayTargetItem *self);
const char *assay_target_item_get_title (AssayTargetItem *self);
const char *assay_target_item_get_summary (AssayTargetItem *self);
const char *assay_target_item_get_group (AssayTargetItem *self);
guint assay_target_item_get_order (AssayTargetItem *self);
int assay_target_item_get_rejected (AssayTargetItem *self);
const AssayOutcome *assay_target_item_get_outcome (AssayTargetItem *self);
void assay_target_item_set_outcome (AssayTargetItem *self, const AssayOutcome *outcome);

G_END_DECLS
