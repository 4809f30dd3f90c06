/* assay-times-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "run/assay-run-times.h"

G_BEGIN_DECLS

/**
 * AssayTimesColumn:
 *
 * The columns of the table of measured parts.
 */
typedef enum
{
  ASSAY_TIMES_COLUMN_NAME,
  ASSAY_TIMES_COLUMN_WHERE,
  ASSAY_TIMES_COLUMN_BEGIN,
  ASSAY_TIMES_COLUMN_TIME,
  ASSAY_TIMES_COLUMN_SHARE,
  ASSAY_N_TIMES_COLUMNS
} AssayTimesColumn;

/**
 * AssayTimesItem:
 *
 * A part of an inference that was measured, as a row.
 */
#define ASSAY_TYPE_TIMES_ITEM (assay_times_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayTimesItem, assay_times_item, ASSAY, TIMES_ITEM, GObject)

AssayTimesItem *assay_times_item_new (AssayRunTimes *times, guint index) G_GNUC_WARN_UNUSED_RESULT;
guint assay_times_item_get_index (AssayTimesItem *self);
char *assay_times_item_dup_text (AssayTimesItem *self,
                                 AssayTimesColumn column) G_GNUC_WARN_UNUSED_RESULT;
int assay_times_item_compare (AssayTimesItem *a, AssayTimesItem *b, AssayTimesColumn column);

G_END_DECLS
