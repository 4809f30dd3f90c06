/* assay-compare-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "run/assay-divergence.h"

G_BEGIN_DECLS

/**
 * AssayCompareItem:
 *
 * A row of a comparison as views show it: a copy, so that it can be made in any thread and outlives
 * the comparison.
 */
#define ASSAY_TYPE_COMPARE_ITEM (assay_compare_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayCompareItem, assay_compare_item, ASSAY, COMPARE_ITEM, GObject)

AssayCompareItem *assay_compare_item_new (const AssayComparisonRow *row,
                                          guint index) G_GNUC_WARN_UNUSED_RESULT;
guint assay_compare_item_get_index (AssayCompareItem *self);
const char *assay_compare_item_get_name (AssayCompareItem *self);
const char *assay_compare_item_get_node_name (AssayCompareItem *self);
const char *assay_compare_item_get_place (AssayCompareItem *self);
const char *assay_compare_item_get_op_type (AssayCompareItem *self);
const char *assay_compare_item_get_shape (AssayCompareItem *self);
const char *assay_compare_item_get_note (AssayCompareItem *self);
gboolean assay_compare_item_has_own (AssayCompareItem *self);
double assay_compare_item_get_error (AssayCompareItem *self);
double assay_compare_item_get_inherited (AssayCompareItem *self);
double assay_compare_item_get_limit (AssayCompareItem *self);
gint64 assay_compare_item_get_step (AssayCompareItem *self);
AssayDivergence assay_compare_item_get_divergence (AssayCompareItem *self);
double assay_compare_item_get_share (AssayCompareItem *self);
double assay_compare_item_get_factor (AssayCompareItem *self);
double assay_compare_item_get_bias (AssayCompareItem *self);
double assay_compare_item_get_total (AssayCompareItem *self);
const AssayCompareStats *assay_compare_item_get_stats (AssayCompareItem *self);
const AssayQuantizeLoss *assay_compare_item_get_cost (AssayCompareItem *self);

G_END_DECLS
