/* assay-time-map.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-time-map.h"

#include "backend/stream/machine/assay-timeline.h"

/* Causes in words, and the letter that stands for each where there is no room for words. */
static const struct
{
  char letter;
  const char *words;
} waits[ASSAY_N_WAITS] = {
  [ASSAY_WAIT_NONE] = { ' ', "nothing" },
  [ASSAY_WAIT_UNIT] = { 'U', "the unit, which was at work" },
  [ASSAY_WAIT_OPERAND] = { 'R', "a result of the same core" },
  [ASSAY_WAIT_CORE] = { 'O', "an operand of another core" },
  [ASSAY_WAIT_INPUT] = { 'I', "an input word" },
  [ASSAY_WAIT_ACCUMULATOR] = { 'A', "a sum in the accumulators" },
  [ASSAY_WAIT_DRAIN] = { 'D', "room for the result" },
};

/**
 * assay_wait_get_words:
 * @wait: a cause
 *
 * Gets what was waited for in words that follow `waited for`.
 *
 * Returns: (transfer none): the words
 */
const char *
assay_wait_get_words (AssayWait wait)
{
  return waits[wait].words;
}

/**
 * assay_wait_get_letter:
 * @wait: a cause
 *
 * Gets the letter that marks a cause in pictures.
 *
 * Returns: the letter, a blank for no cause
 */
char
assay_wait_get_letter (AssayWait wait)
{
  return waits[wait].letter;
}

/* The input comes first and the output last, as data flow. */
static guint
slot_of (const AssayTimeMap *self, const AssayEvent *event)
{
  if (event->unit == ASSAY_UNIT_INPUT)
    return 0;
  if (event->unit == ASSAY_UNIT_OUTPUT)
    return 1 + self->n_cores * ASSAY_N_UNITS;

  return 1 + event->core * ASSAY_N_UNITS + event->unit;
}

static void
count_event (AssayTimeMap *self, AssayTimeLane *lane, guint32 index)
{
  const AssayEvent *event = assay_time_map_get_event (self, index);
  guint32 cycles = event->end - event->start;

  lane->unit = event->unit;
  lane->core = (guint16) (event->unit >= ASSAY_UNIT_INPUT ? self->n_cores : event->core);
  lane->n_events++;
  if (g_array_index (self->code->instructions, AssayInstruction, event->instruction).deferred)
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
  guint n_slots = 2 + self->n_cores * ASSAY_N_UNITS;
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
 * @code: a program that has been verified
 *
 * Makes the map of the first model of a program. Walks the program with the timing model, so it
 * belongs into a worker.
 *
 * Returns: (transfer full): the map
 */
AssayTimeMap *
assay_time_map_new (AssayStreamCode *code)
{
  AssayTimeMap *self = g_new0 (AssayTimeMap, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->code = assay_stream_code_ref (code);
  self->n_cores = code->config.num_cores;
  self->events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  self->lanes = g_array_new (FALSE, FALSE, sizeof (AssayTimeLane));

  assay_timing_run (code, 0, &self->cycles, self->events);
  assay_timeline_link (code, self->events);
  self->path = assay_timeline_critical_path (code, self->events);

  self->order = g_new0 (guint32, self->events->len + 1);
  self->critical = g_new0 (gboolean, self->events->len + 1);
  self->event_of = g_new0 (guint32, code->instructions->len + 1);
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
  assay_stream_code_unref (self->code);
  g_free (self);
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
