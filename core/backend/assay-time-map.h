/* assay-time-map.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayTimeLane:
 * @first: where its events begin in the order of the map
 * @n_events: how many it has, by their start
 * @busy: cycles in which the unit is at work in one inference
 * @ahead: cycles for the next inference, at work when this one has ended
 * @waits: cycles in which its instructions kept their core waiting, by cause
 * @critical: cycles of @busy on the critical path
 * @core: the core; of a port the number of cores
 * @unit: index of the unit in those of the program
 *
 * One unit of one core, or one port of the accelerator, over the cycles of an inference.
 */
typedef struct
{
  guint32 first;
  guint32 n_events;
  guint32 busy;
  guint32 ahead;
  guint32 waits[ASSAY_N_WAITS];
  guint32 critical;
  guint16 core;
  guint8 unit;
} AssayTimeLane;

/**
 * AssayTimeMap:
 * @program: the program
 * @n_cores: its cores
 * @cycles: the cycles of the inference
 * @end: cycle after the last event, work for the next inference included
 * @events: (element-type AssayEvent): the timeline of the first model, linked
 * @event_of: per instruction: 1 + its event, 0 for none
 * @critical: per event: whether it is on the critical path
 * @order: indices of events, lane by lane
 * @lanes: (element-type AssayTimeLane): what is ever at work: the input, each core's units in their
 * order, the output
 * @path: (element-type guint32): the critical path, as events
 * @path_core: the core that is longest on it, the first among equals
 *
 * What every unit of a program does in every cycle, as the timing model predicts it: what pictures
 * and tables of time are made of.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;

  /*< public >*/
  AssayProgram *program;
  guint n_cores;
  AssayCycles cycles;
  guint32 end;
  GArray *events;
  guint32 *event_of;
  gboolean *critical;
  guint32 *order;
  GArray *lanes;
  GArray *path;
  guint path_core;
} AssayTimeMap;

AssayTimeMap *assay_time_map_new (AssayProgram *program) G_GNUC_WARN_UNUSED_RESULT;
AssayTimeMap *assay_time_map_ref (AssayTimeMap *self);
void assay_time_map_unref (AssayTimeMap *self);
const char *assay_time_map_get_unit_name (const AssayTimeMap *self, guint unit);
const AssayTimeLane *assay_time_map_get_lane (const AssayTimeMap *self, guint lane);
const AssayEvent *assay_time_map_get_event (const AssayTimeMap *self, guint32 event);
guint32 assay_time_map_find_event (const AssayTimeMap *self, guint lane, guint32 cycle);
guint32 assay_time_map_get_waits (const AssayTimeLane *lane);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTimeMap, assay_time_map_unref)

G_END_DECLS
