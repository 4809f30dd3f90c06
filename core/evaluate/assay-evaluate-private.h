/* assay-evaluate-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-budget.h"
#include "evaluate/assay-kernel.h"

G_BEGIN_DECLS

/**
 * AssayKernelTakes:
 * @ASSAY_KERNEL_TAKES_NUMBERS: every input is a tensor of numbers or booleans
 * @ASSAY_KERNEL_TAKES_TENSORS: every input is a tensor
 * @ASSAY_KERNEL_TAKES_DATA: inputs may be sequences, optionals and maps
 *
 * What the inputs of a kernel may be.
 */
typedef enum
{
  ASSAY_KERNEL_TAKES_NUMBERS,
  ASSAY_KERNEL_TAKES_TENSORS,
  ASSAY_KERNEL_TAKES_DATA,
} AssayKernelTakes;

/**
 * AssayKernelRow:
 * @func: (nullable): computes a node; %NULL for an operation that the evaluator does not run
 * @takes: what its inputs may be
 *
 * The evaluator's column of the op table.
 */
typedef struct
{
  AssayKernelFunc func;
  AssayKernelTakes takes;
} AssayKernelRow;

/* What a node keeps between runs. */
typedef struct
{
  gpointer data;
  GDestroyNotify destroy;
} NodeState;

/* One region, prepared: its nodes in order, and behind each the values that nobody reads any more.
 */
typedef struct
{
  guint n_nodes;
  AssayNodeId *nodes;
  guint32 *released_begin;
  AssayValueId *released;
} RegionPlan;

struct _AssayEvaluator
{
  AssayGraph *graph;
  AssayEvaluateOptions options;
  AssayWorkers *workers;
  AssayMemory *memory;
  guint n_regions;
  RegionPlan *regions;
  AssayDatum **values;    /* by value id, while a run is under way */
  AssayDatum **constants; /* by value id, made when first read */
  NodeState *states;      /* by node id */
  GCancellable *cancellable;
  AssayBudget *budget; /* of the run under way, if it has one */
  guint depth;         /* of nested graphs */
};

const AssayKernelRow *assay_kernel_row (AssayOp op);
gboolean assay_evaluator_run_region (AssayEvaluator *self, AssayRegionId region, guint n_inputs,
                                     AssayDatum *const *inputs, guint n_outputs,
                                     AssayDatum **outputs, GError **error);

G_END_DECLS
