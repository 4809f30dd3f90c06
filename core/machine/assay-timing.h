/* assay-timing.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "machine/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayEvent:
 * @instruction: index of the instruction
 * @start: first cycle
 * @end: cycle after the last one of its unit
 * @ready: cycle at which the last of its result can be read
 * @waited_for: instruction that made its last operand ready or kept its unit, filled in by assay_timeline_link(); or -1
 * @unit: an #AssayUnit
 * @core: its core
 *
 * One instruction on the timeline.
 */
typedef struct
{
  guint32 instruction;
  guint32 start;
  guint32 end;
  guint32 ready;
  gint32 waited_for;
  guint8 unit;
  guint16 core;
} AssayEvent;

/**
 * AssayCycles:
 * @spaced: from the first input word to the last output word, all cores idle before
 * @contiguous: the same for an inference that follows another at once
 * @last_input: cycle of the last input word
 * @first_output: cycle of the first output word
 * @last_output: cycle of the last output word
 *
 * The cycles of one inference of a model.
 */
typedef struct
{
  guint32 spaced;
  guint32 contiguous;
  guint32 last_input;
  guint32 first_output;
  guint32 last_output;
} AssayCycles;

/* The capacities with which the accelerator's simulator is published to count. */
#define ASSAY_WRITE_QUEUE_CAPACITY 32
#define ASSAY_OUTPUT_BUFFER_CAPACITY 64

/**
 * AssayQueues:
 * @write: blocks that a core may have on their way to other cores, at least 1; its units wait until there is room
 * @output: words that may wait in the output buffer, at least 1; a word is a block; cores keep what finds no room
 *
 * How much room there is where data wait.
 */
typedef struct
{
  guint write;
  guint output;
} AssayQueues;

void assay_timing_run             (const AssayCode   *code,
                                   guint              model,
                                   AssayCycles       *cycles,
                                   GArray            *events);
void assay_timing_run_with_queues (const AssayCode   *code,
                                   guint              model,
                                   const AssayQueues *queues,
                                   AssayCycles       *cycles,
                                   GArray            *events);

G_END_DECLS
