/* assay-lane-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "backend/assay-time-map.h"

G_BEGIN_DECLS

/**
 * AssayLaneColumn:
 *
 * The columns of the table of units; waits are cycles by cause.
 */
typedef enum
{
  ASSAY_LANE_COLUMN_CORE,
  ASSAY_LANE_COLUMN_UNIT,
  ASSAY_LANE_COLUMN_BUSY,
  ASSAY_LANE_COLUMN_SHARE,
  ASSAY_LANE_COLUMN_WAITS,
  ASSAY_LANE_COLUMN_CORE_WAIT,
  ASSAY_LANE_COLUMN_OPERAND_WAIT,
  ASSAY_LANE_COLUMN_UNIT_WAIT,
  ASSAY_LANE_COLUMN_INPUT_WAIT,
  ASSAY_LANE_COLUMN_SUM_WAIT,
  ASSAY_LANE_COLUMN_DRAIN_WAIT,
  ASSAY_LANE_COLUMN_CRITICAL,
  ASSAY_LANE_COLUMN_INSTRUCTIONS,
  ASSAY_N_LANE_COLUMNS
} AssayLaneColumn;

/**
 * AssayLaneItem:
 *
 * A unit of a core, or a port, as a row.
 */
#define ASSAY_TYPE_LANE_ITEM (assay_lane_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayLaneItem, assay_lane_item, ASSAY, LANE_ITEM, GObject)

AssayLaneItem *assay_lane_item_new (AssayTimeMap *map, guint lane) G_GNUC_WARN_UNUSED_RESULT;
guint assay_lane_item_get_core (AssayLaneItem *self);
char *assay_lane_item_dup_text (AssayLaneItem *self,
                                AssayLaneColumn column) G_GNUC_WARN_UNUSED_RESULT;
int assay_lane_item_compare (AssayLaneItem *a, AssayLaneItem *b, AssayLaneColumn column);

G_END_DECLS
