/* assay-timeline.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for whom on the timeline.
 */
#include "backend/stream/machine/assay-timeline.h"

#include <string.h>

#include "backend/stream/machine/assay-touch.h"

typedef struct
{
  const AssayStreamCode *code;
  GArray *events;
  gint32
      *writers[ASSAY_MAX_CORES][ASSAY_N_STORES]; /* per block: 1 + the event that wrote it last */
  gint32 last[ASSAY_MAX_CORES][ASSAY_N_UNITS];   /* 1 + the event before on the unit */
  gint32 *memory;
} Link;

static const AssayEvent *
event_at (const Link *self, gint32 index)
{
  return &g_array_index (self->events, AssayEvent, index);
}

static void
allocate_writers (Link *self)
{
  const AssayConfigValues *config = &self->code->config;
  gint32 *next;

  next = self->memory = g_new0 (gint32, assay_store_count (config) * config->num_cores + 1);
  for (guint core = 0; core < config->num_cores; core++)
    {
      for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
        {
          self->writers[core][store] = next;
          next += assay_store_depth (config, store);
        }
    }
}

/* Of what an instruction needs, the last to be ready: a block that it reads, or its unit. */
static gint32
find_wait (Link *self, const AssayEvent *event)
{
  const AssayInstruction *instruction = &g_array_index (self->code->instructions, AssayInstruction,
                                                        event->instruction);
  gint32 before = self->last[event->core][event->unit];
  gint32 found = before;
  guint32 latest = before == 0 ? 0 : event_at (self, before - 1)->end;

  for (AssaySlot slot = ASSAY_SLOT_A; slot < ASSAY_N_SLOTS; slot++)
    {
      AssayTouch touch;

      if (!assay_instruction_touch (self->code, instruction, slot, &touch))
        continue;
      for (guint32 block = 0; block < touch.blocks; block++)
        {
          gint32 writer = self->writers[instruction->core][touch.store][touch.base + block];

          if (writer != 0 && event_at (self, writer - 1)->ready >= latest)
            {
              latest = event_at (self, writer - 1)->ready;
              found = writer;
            }
        }
    }

  return found;
}

/* Who made the block that let an instruction start: a product starts with the first block of its
 * input that is there, all else with the first block of every operand. */
static AssayWait
find_source (Link *self, const AssayEvent *event)
{
  const AssayInstruction *instruction = &g_array_index (self->code->instructions, AssayInstruction,
                                                        event->instruction);
  gboolean any = event->unit == ASSAY_UNIT_MATRIX;
  const AssayEvent *source = NULL;
  AssayStore store = ASSAY_STORE_NONE;

  for (AssaySlot slot = ASSAY_SLOT_A; slot < ASSAY_N_SLOTS; slot++)
    {
      AssayTouch touch;

      if (!assay_instruction_touch (self->code, instruction, slot, &touch))
        continue;
      for (guint32 block = 0; block < (any ? touch.blocks : MIN (touch.blocks, 1)); block++)
        {
          gint32 writer = self->writers[instruction->core][touch.store][touch.base + block];
          const AssayEvent *made = writer != 0 ? event_at (self, writer - 1) : NULL;

          if (made == NULL || (source != NULL &&
                               (any ? made->ready >= source->ready : made->ready <= source->ready)))
            continue;
          source = made;
          store = touch.store;
        }
    }

  if (source == NULL)
    return ASSAY_WAIT_OPERAND;
  if (source->unit == ASSAY_UNIT_INPUT)
    return ASSAY_WAIT_INPUT;
  if (source->core != event->core)
    return ASSAY_WAIT_CORE;

  return store == ASSAY_STORE_ACCUMULATOR ? ASSAY_WAIT_ACCUMULATOR : ASSAY_WAIT_OPERAND;
}

static void
note_writes (Link *self, const AssayEvent *event, gint32 index)
{
  const AssayInstruction *instruction = &g_array_index (self->code->instructions, AssayInstruction,
                                                        event->instruction);
  AssayTouch touch;

  self->last[event->core][event->unit] = index + 1;
  if (!assay_instruction_touch (self->code, instruction, ASSAY_SLOT_D, &touch))
    return;

  for (guint core = 0; core < self->code->config.num_cores; core++)
    {
      if ((touch.cores >> core & 1) == 0)
        continue;
      for (guint32 block = 0; block < touch.blocks; block++)
        self->writers[core][touch.store][touch.base + block] = index + 1;
    }
}

/**
 * assay_timeline_link:
 * @code: a program that has been verified
 * @events: (element-type AssayEvent): the timeline of one of its models, in the order of the
 * program
 *
 * Finds for every event the instruction that it waited for: that which made its last operand ready,
 * or kept its unit; and where what it needed to start came from.
 */
void
assay_timeline_link (const AssayStreamCode *code, GArray *events)
{
  g_autofree Link *self = g_new0 (Link, 1);

  self->code = code;
  self->events = events;
  allocate_writers (self);

  for (guint i = 0; i < events->len; i++)
    {
      AssayEvent *event = &g_array_index (events, AssayEvent, i);
      gint32 wait = find_wait (self, event);

      event->waited_for = wait == 0 ? -1 : (gint32) event_at (self, wait - 1)->instruction;
      if (event->wait == ASSAY_WAIT_OPERAND)
        event->wait = (guint8) find_source (self, event);
      note_writes (self, event, (gint32) i);
    }

  g_free (self->memory);
}

/**
 * assay_timeline_critical_path:
 * @code: a program
 * @events: (element-type AssayEvent): the timeline of one of its models
 *
 * Goes back from the last output along what was waited for.
 *
 * Returns: (transfer full) (element-type guint32): indices of the events, the first of the
 * inference first
 */
GArray *
assay_timeline_critical_path (const AssayStreamCode *code, const GArray *events)
{
  g_autofree gint32 *event_of = g_new (gint32, code->instructions->len + 1);
  GArray *path = g_array_new (FALSE, FALSE, sizeof (guint32));
  gint32 at = -1;

  memset (event_of, 0xff, (code->instructions->len + 1) * sizeof *event_of);
  for (guint i = 0; i < events->len; i++)
    {
      const AssayEvent *event = &g_array_index (events, AssayEvent, i);

      event_of[event->instruction] = (gint32) i;
      if (event->unit == ASSAY_UNIT_OUTPUT &&
          (at < 0 || event->end >= g_array_index (events, AssayEvent, at).end))
        at = (gint32) i;
    }

  while (at >= 0)
    {
      const AssayEvent *event = &g_array_index (events, AssayEvent, at);

      g_array_append_val (path, at);
      at = event->waited_for < 0 ? -1 : event_of[event->waited_for];
    }

  for (guint i = 0; i < path->len / 2; i++)
    {
      guint32 *first = &g_array_index (path, guint32, i);
      guint32 *last = &g_array_index (path, guint32, path->len - 1 - i);
      guint32 kept = *first;

      *first = *last;
      *last = kept;
    }

  return path;
}
