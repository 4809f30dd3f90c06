/* assay-node-work.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayNodeEffort:
 * @cycles: cycles in which a unit works for the node, all units added up
 * @by_unit: the same per unit
 * @cores: the cores that work for it, a bit each; none if it takes no time in an inference
 * @most_core: the core that has most of the cycles
 * @n_instructions: instructions that carry it as their origin
 * @start: cycle at which the first of them begins, if it takes time
 * @end: cycle after the last one
 *
 * What a program does for one node.
 */
typedef struct
{
  guint64 cycles;
  guint64 by_unit[ASSAY_MAX_UNITS];
  guint64 cores;
  guint most_core;
  guint n_instructions;
  guint32 start;
  guint32 end;
} AssayNodeEffort;

/**
 * AssayNodeWork:
 * @n_nodes: entries of @nodes, as many as the program has names of nodes
 * @nodes: (array length=n_nodes): per node of the program
 * @program: the program, which names the nodes
 *
 * What each node of a program costs, as the timing model predicts it for the first model of the
 * program.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public >*/
  guint n_nodes;
  AssayNodeEffort *nodes;
  AssayProgram *program;
} AssayNodeWork;

AssayNodeWork *assay_node_work_new (AssayProgram *program) G_GNUC_WARN_UNUSED_RESULT;
AssayNodeWork *assay_node_work_ref (AssayNodeWork *self);
void assay_node_work_unref (AssayNodeWork *self);
const AssayNodeEffort *assay_node_work_find (const AssayNodeWork *self, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayNodeWork, assay_node_work_unref)

G_END_DECLS
