/* assay-time-map.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-time-map.h"

/* The first unit that cores share comes first and the others last, as data flow. */
static guint
slot_of (const AssayTimeMap *self, const AssayEvent *event)
{
  guint n_units = assay_program_get_facts (self->program)->n_units;

  if (!assay_program_get_unit (self->program, event->unit)->shared)
    return n_units + event->core * n_units + event->unit;

  return event->unit > 0 && assay_program_get_unit (self->program, event->unit - 1u)->shared
             ? n_units + self->n_cores * n_units + event->unit
             : 0;
}

static void
count_event (AssayTimeMap *self, AssayTimeLane *lane, guint32 index)
{
  const AssayEvent *event = assay_time_map_get_event (self, index);
  guint32 cycles = event->end - event->start;

  lane->unit = event->unit;
  lane->core = (guint16) (assay_program_get_unit (self->program, event->unit)->shared
                              ? self->n_cores
                              : event->core);
  lane->n_events++;
  if (assay_program_get_row (self->program, event->instruction).ahead)
    {
      lane->ahead += cycles;
      return;
    }
  lane->busy += cycles;
  lane->waits[ASSAY_WAIT_UNIT] += event->vacant - event->issued;
  lane->waits[event->wait] += event->start - event->vacant;
  if (self->critical[index])
    lane->critical += cycles;
}

static void
fill_lanes (AssayTimeMap *self)
{
  guint n_slots = (2 + self->n_cores) * assay_program_get_facts (self->program)->n_units;
  g_autofree AssayTimeLane *slots = g_new0 (AssayTimeLane, n_slots);
  g_autofree guint32 *next = g_new0 (guint32, n_slots);
  guint32 first = 0;

  for (guint32 i = 0; i < self->events->len; i++)
    count_event (self, &slots[slot_of (self, assay_time_map_get_event (self, i))], i);

  for (guint slot = 0; slot < n_slots; slot++)
    {
      slots[slot].first = next[slot] = first;
      first += slots[slot].n_events;
      if (slots[slot].n_events > 0)
        g_array_append_val (self->lanes, slots[slot]);
    }

  /* A unit takes its instructions one after the other, so the order of the program is that of their
   * starts. */
  for (guint32 i = 0; i < self->events->len; i++)
    self->order[next[slot_of (self, assay_time_map_get_event (self, i))]++] = i;
}

static void
find_path_core (AssayTimeMap *self)
{
  guint32 cycles[ASSAY_MAX_CORES + 1] = { 0 };

  for (guint i = 0; i < self->lanes->len; i++)
    {
      const AssayTimeLane *lane = assay_time_map_get_lane (self, i);

      cycles[MIN (lane->core, ASSAY_MAX_CORES)] += lane->critical;
    }
  for (guint core = 1; core < self->n_cores; core++)
    if (cycles[core] > cycles[self->path_core])
      self->path_core = core;
}

/**
 * assay_time_map_new:
 * @program: a program
 *
 * Makes the map of the first model of a program. Walks the program with the timing model, so it
 * belongs into a worker.
 *
 * Returns: (transfer full): the map
 */
AssayTimeMap *
assay_time_map_new (AssayProgram *program)
{
  AssayTimeMap *self = g_new0 (AssayTimeMap, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->program = g_object_ref (program);
  self->n_cores = assay_program_get_facts (program)->config->num_cores;
  self->events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  self->lanes = g_array_new (FALSE, FALSE, sizeof (AssayTimeLane));

  assay_program_count_cycles (program, 0, NULL, &self->cycles, self->events);
  self->path = assay_program_link_events (program, self->events);

  self->order = g_new0 (guint32, self->events->len + 1);
  self->critical = g_new0 (gboolean, self->events->len + 1);
  self->event_of = g_new0 (guint32, assay_program_get_facts (program)->n_rows + 1);
  for (guint i = 0; i < self->path->len; i++)
    self->critical[g_array_index (self->path, guint32, i)] = TRUE;
  for (guint32 i = 0; i < self->events->len; i++)
    {
      const AssayEvent *event = assay_time_map_get_event (self, i);

      self->event_of[event->instruction] = i + 1;
      self->end = MAX (self->end, event->end);
    }
  fill_lanes (self);
  find_path_core (self);

  return self;
}

/**
 * assay_time_map_ref:
 * @self: a map
 *
 * Takes a reference.
 *
 * Returns: (transfer full): the map
 */
AssayTimeMap *
assay_time_map_ref (AssayTimeMap *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * assay_time_map_unref:
 * @self: a map
 *
 * Releases a reference.
 */
void
assay_time_map_unref (AssayTimeMap *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_array_unref (self->events);
  g_array_unref (self->lanes);
  g_array_unref (self->path);
  g_free (self->order);
  g_free (self->critical);
  g_free (self->event_of);
  g_object_unref (self->program);
  g_free (self);
}

/**
 * assay_time_map_get_unit_name:
 * @self: a map
 * @unit: a unit of the program
 *
 * Gets the name of a unit.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_time_map_get_unit_name (const AssayTimeMap *self, guint unit)
{
  return assay_program_get_unit (self->program, unit)->name;
}

/**
 * assay_time_map_get_lane:
 * @self: a map
 * @lane: its number
 *
 * Gets a lane.
 *
 * Returns: (transfer none): the lane
 */
const AssayTimeLane *
assay_time_map_get_lane (const AssayTimeMap *self, guint lane)
{
  return &g_array_index (self->lanes, AssayTimeLane, lane);
}

/**
 * assay_time_map_get_event:
 * @self: a map
 * @event: its number
 *
 * Gets an event.
 *
 * Returns: (transfer none): the event
 */
const AssayEvent *
assay_time_map_get_event (const AssayTimeMap *self, guint32 event)
{
  return &g_array_index (self->events, AssayEvent, event);
}

/**
 * assay_time_map_find_event:
 * @self: a map
 * @lane: a lane
 * @cycle: a cycle
 *
 * Finds the first event of a lane that ends after a cycle.
 *
 * Returns: its place in the order of the map; one past the lane if there is none
 */
guint32
assay_time_map_find_event (const AssayTimeMap *self, guint lane, guint32 cycle)
{
  const AssayTimeLane *row = assay_time_map_get_lane (self, lane);
  guint32 low = row->first;
  guint32 high = row->first + row->n_events;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (assay_time_map_get_event (self, self->order[middle])->end > cycle)
        high = middle;
      else
        low = middle + 1;
    }

  return low;
}

/**
 * assay_time_map_get_waits:
 * @lane: a lane
 *
 * Adds up the waits of a lane over their causes.
 *
 * Returns: cycles
 */
guint32
assay_time_map_get_waits (const AssayTimeLane *lane)
{
  guint32 sum = 0;

  for (guint wait = 0; wait < ASSAY_N_WAITS; wait++)
    sum += lane->waits[wait];

  return sum;
}
