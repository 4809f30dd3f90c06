/* assay-tasks.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/* The task between an inference and the work for the next one: every window moves on. */
#define ASSAY_TASK_PUSH G_MAXUINT32

/* How many products are run as one at most. */
#define ASSAY_JOINED_PRODUCTS 32

/**
 * AssayTask:
 * @instruction: index of an instruction in the program, or %ASSAY_TASK_PUSH
 * @first_row: of a product: first of its rows that are meant
 * @n_rows: of a product: how many; 0 of everything else
 * @first_wait: index of its first wait in those of its list
 * @n_waits: how many it has
 * @n_joined: how many tasks of its list are run as one, itself and those behind it: products that
 * wait for nothing more, and for none but the last of which anybody waits
 *
 * An instruction, or a part of a product, that one thread runs.
 */
typedef struct
{
  guint32 instruction;
  guint32 first_row;
  guint32 n_rows;
  guint32 first_wait;
  guint16 n_waits;
  guint16 n_joined;
} AssayTask;

/**
 * AssayTaskWait:
 * @list: which list
 * @count: how many of its tasks have to be done
 *
 * What has to be done elsewhere before a task begins.
 */
typedef struct
{
  guint32 list;
  guint32 count;
} AssayTaskWait;

/**
 * AssayTaskList:
 * @tasks: (element-type AssayTask): what one thread runs, in this order
 * @waits: (element-type AssayTaskWait): what its tasks wait for
 *
 * The share of one thread.
 */
typedef struct
{
  GArray *tasks;
  GArray *waits;
} AssayTaskList;

/**
 * AssayTasks:
 * @n_lists: for how many threads
 * @lists: (array length=n_lists): their shares
 * @alone: estimated nanoseconds of an inference in one thread
 * @together: the same with one thread for each list
 *
 * The instructions of a model divided over threads, with every order between them that a value
 * depends on: whoever keeps to the waits gets the bits of one thread.
 */
typedef struct
{
  guint n_lists;
  AssayTaskList *lists;
  double alone;
  double together;
} AssayTasks;

AssayTasks *assay_tasks_new (const AssayStreamCode *code, guint model,
                             guint n_lists) G_GNUC_WARN_UNUSED_RESULT;
void assay_tasks_free (AssayTasks *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTasks, assay_tasks_free)

G_END_DECLS
