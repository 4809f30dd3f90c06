/* assay-cycles.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayWait:
 * @ASSAY_WAIT_NONE: nothing was waited for, or the unit does not start in the order of its core
 * @ASSAY_WAIT_UNIT: the unit was at work
 * @ASSAY_WAIT_OPERAND: a result of the same core was not there
 * @ASSAY_WAIT_CORE: a result of another core was not there; told from the one before by
 * assay_program_link_events()
 * @ASSAY_WAIT_INPUT: an input word was not there; told apart in the same way
 * @ASSAY_WAIT_ACCUMULATOR: a sum was not complete; told apart in the same way
 * @ASSAY_WAIT_DRAIN: there was no room for the result: accumulators to be drained, or a full write
 * queue
 *
 * What kept an instruction from starting as soon as the one before it on its core had started.
 */
typedef enum
{
  ASSAY_WAIT_NONE,
  ASSAY_WAIT_UNIT,
  ASSAY_WAIT_OPERAND,
  ASSAY_WAIT_CORE,
  ASSAY_WAIT_INPUT,
  ASSAY_WAIT_ACCUMULATOR,
  ASSAY_WAIT_DRAIN,
  ASSAY_N_WAITS
} AssayWait;

/**
 * AssayEvent:
 * @instruction: index of the instruction
 * @start: first cycle
 * @end: cycle after the last one of its unit
 * @ready: cycle at which the last of its result can be read
 * @waited_for: instruction that made its last operand ready or kept its unit, filled in by
 * assay_program_link_events(); or -1
 * @issued: cycle at which the instruction before it on its core started; @start where that does not
 * matter
 * @vacant: cycle from @issued on at which its unit was free, @start at the latest
 * @unit: index of the unit in those of the program
 * @wait: an #AssayWait: why it did not start at @vacant; %ASSAY_WAIT_UNIT if it did, but not at
 * @issued
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
  guint32 issued;
  guint32 vacant;
  guint8 unit;
  guint8 wait;
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
 * @write: blocks that a core may have on their way to other cores, at least 1; its units wait until
 * there is room
 * @output: words that may wait in the output buffer, at least 1; a word is a block; cores keep what
 * finds no room
 *
 * How much room there is where data wait.
 */
typedef struct
{
  guint write;
  guint output;
} AssayQueues;

/**
 * AssayCycleRange:
 * @low: the least
 * @high: the most
 *
 * Between which counts a published one is expected to lie.
 */
typedef struct
{
  guint32 low;
  guint32 high;
} AssayCycleRange;

const char *assay_wait_get_words (AssayWait wait);
char assay_wait_get_letter (AssayWait wait);

G_END_DECLS
