/* assay-lane-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/timeline/assay-lane-item.h"

#include "ui/window/assay-ui.h"

struct _AssayLaneItem
{
  GObject parent_instance;

  AssayTimeMap *map;
  guint lane;
};

G_DEFINE_FINAL_TYPE (AssayLaneItem, assay_lane_item, G_TYPE_OBJECT)

/* The columns of waits. */
static const struct
{
  AssayLaneColumn column;
  AssayWait wait;
} causes[] = {
  { ASSAY_LANE_COLUMN_CORE_WAIT, ASSAY_WAIT_CORE },
  { ASSAY_LANE_COLUMN_OPERAND_WAIT, ASSAY_WAIT_OPERAND },
  { ASSAY_LANE_COLUMN_UNIT_WAIT, ASSAY_WAIT_UNIT },
  { ASSAY_LANE_COLUMN_INPUT_WAIT, ASSAY_WAIT_INPUT },
  { ASSAY_LANE_COLUMN_SUM_WAIT, ASSAY_WAIT_ACCUMULATOR },
  { ASSAY_LANE_COLUMN_DRAIN_WAIT, ASSAY_WAIT_DRAIN },
};

static void
assay_lane_item_finalize (GObject *object)
{
  assay_time_map_unref (ASSAY_LANE_ITEM (object)->map);

  G_OBJECT_CLASS (assay_lane_item_parent_class)->finalize (object);
}

static void
assay_lane_item_class_init (AssayLaneItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_lane_item_finalize;
}

static void
assay_lane_item_init (AssayLaneItem *self)
{
}

/**
 * assay_lane_item_new:
 * @map: a map
 * @lane: number of a lane
 *
 * Makes a row for a lane.
 *
 * Returns: (transfer full): the row
 */
AssayLaneItem *
assay_lane_item_new (AssayTimeMap *map, guint lane)
{
  AssayLaneItem *self = g_object_new (ASSAY_TYPE_LANE_ITEM, NULL);

  self->map = assay_time_map_ref (map);
  self->lane = lane;
  return self;
}

/**
 * assay_lane_item_get_core:
 * @self: a row
 *
 * Gets the core that the unit belongs to.
 *
 * Returns: the core; the number of cores for a port of the accelerator
 */
guint
assay_lane_item_get_core (AssayLaneItem *self)
{
  return assay_time_map_get_lane (self->map, self->lane)->core;
}

static guint64
get_number (AssayLaneItem *self, AssayLaneColumn column)
{
  const AssayTimeLane *lane = assay_time_map_get_lane (self->map, self->lane);

  for (guint i = 0; i < G_N_ELEMENTS (causes); i++)
    if (causes[i].column == column)
      return lane->waits[causes[i].wait];

  switch (column)
    {
    case ASSAY_LANE_COLUMN_CORE:
      return lane->core;
    case ASSAY_LANE_COLUMN_UNIT:
      return lane->unit;
    case ASSAY_LANE_COLUMN_CRITICAL:
      return lane->critical;
    case ASSAY_LANE_COLUMN_INSTRUCTIONS:
      return lane->n_events;
    case ASSAY_LANE_COLUMN_WAITS:
      return assay_time_map_get_waits (lane);
    default:
      return lane->busy;
    }
}

/**
 * assay_lane_item_dup_text:
 * @self: a row
 * @column: a column
 *
 * Writes a cell.
 *
 * Returns: (transfer full): its text
 */
char *
assay_lane_item_dup_text (AssayLaneItem *self, AssayLaneColumn column)
{
  const AssayTimeLane *lane = assay_time_map_get_lane (self->map, self->lane);

  switch (column)
    {
    case ASSAY_LANE_COLUMN_CORE:
      return lane->core == self->map->n_cores ? g_strdup ("port")
                                              : g_strdup_printf ("%u", lane->core);
    case ASSAY_LANE_COLUMN_UNIT:
      return g_strdup (assay_time_map_get_unit_name (self->map, lane->unit));
    case ASSAY_LANE_COLUMN_SHARE:
      return assay_ui_format_share (lane->busy, self->map->cycles.spaced);
    default:
      return assay_ui_format_count (get_number (self, column));
    }
}

/**
 * assay_lane_item_compare:
 * @a: a row
 * @b: another one
 * @column: what decides
 *
 * Compares two rows, numbers as numbers and units in the order in which a core has them.
 *
 * Returns: as qsort() wants it
 */
int
assay_lane_item_compare (AssayLaneItem *a, AssayLaneItem *b, AssayLaneColumn column)
{
  guint64 left = get_number (a, column);
  guint64 right = get_number (b, column);

  return (left > right) - (left < right);
}
