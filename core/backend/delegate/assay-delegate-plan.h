/* assay-delegate-plan.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/delegate/assay-delegate-device.h"
#include "backend/delegate/assay-gpu-lower.h"
#include "backend/delegate/assay-gpu-memory.h"

G_BEGIN_DECLS

/**
 * AssayDelegateNode:
 * @takes: whether the verdict leaves it to the device
 * @textures: whether its results are to lie in textures, where there are shaders for that
 * @into: the node that does it as well, or %ASSAY_NO_NODE
 * @mapping: (nullable): what the delegate calls it
 * @layout: (nullable): where the delegate itself keeps what it makes, and what that moves before
 * @moved: how many bytes that is
 *
 * What the check says of a node.
 */
typedef struct
{
  gboolean takes;
  gboolean textures;
  AssayNodeId into;
  const char *mapping;
  const char *layout;
  guint64 moved;
} AssayDelegateNode;

/**
 * AssayDelegatePlace:
 * @ASSAY_DELEGATE_NOWHERE: nobody needs it when the model runs
 * @ASSAY_DELEGATE_HOST: the processor beside the device
 * @ASSAY_DELEGATE_DEVICE: the device
 *
 * Where a node runs.
 */
typedef enum
{
  ASSAY_DELEGATE_NOWHERE,
  ASSAY_DELEGATE_HOST,
  ASSAY_DELEGATE_DEVICE,
} AssayDelegatePlace;

/**
 * AssayDelegateRowKind:
 *
 * What happens in a step of a program.
 */
typedef enum
{
  ASSAY_DELEGATE_ROW_HOST,
  ASSAY_DELEGATE_ROW_UPLOAD,
  ASSAY_DELEGATE_ROW_DISPATCH,
  ASSAY_DELEGATE_ROW_DOWNLOAD,
  ASSAY_DELEGATE_ROW_TRANSITION,
} AssayDelegateRowKind;

/**
 * AssayDelegateRow:
 * @kind: what happens
 * @index: which dispatch or copy of the plan
 * @node: the node it belongs to
 *
 * A step of a program.
 */
typedef struct
{
  AssayDelegateRowKind kind;
  guint32 index;
  AssayNodeId node;
} AssayDelegateRow;

/**
 * AssayDelegateStage:
 * @on_device: whether it is a submission
 * @index: the submission, or the node that the host runs
 *
 * A part of an inference, on one side.
 */
typedef struct
{
  gboolean on_device;
  guint32 index;
} AssayDelegateStage;

/**
 * AssayDelegateWeight:
 * @tensor: the tensor of the plan
 * @value: the constant, or %ASSAY_NO_VALUE
 * @packed: else: what a lowering has made
 * @node: the first node that reads it
 *
 * A constant in the memory of the device.
 */
typedef struct
{
  guint32 tensor;
  AssayValueId value;
  guint32 packed;
  AssayNodeId node;
} AssayDelegateWeight;

/**
 * AssayDelegatePlan:
 * @graph: what runs
 * @half: whether floats are halves on the device
 * @limits: those of the device that it is made for
 * @texts: keeps reasons
 * @lower: its nodes as runs of shaders
 * @places: (array): per node its #AssayDelegatePlace
 * @reasons: (array): per node why the host runs it though the device would take it, or %NULL
 * @clamps: (array): per node the one whose bounds take effect in it, or %ASSAY_NO_NODE
 * @quantizes: (array): per node the QuantizeLinear that takes effect in it, %ASSAY_GPU_TO_FLOAT, or
 * %ASSAY_NO_NODE
 * @gpu: what the device is told
 * @stages: (element-type AssayDelegateStage): an inference
 * @rows: (element-type AssayDelegateRow): the same step by step
 * @weights: (element-type AssayDelegateWeight): constants of the device
 * @lives: (element-type AssayGpuLife): when each working tensor is there
 * @owners: (element-type guint32): per tensor its value, or %ASSAY_NO_VALUE
 *
 * How host and device share a model.
 */
typedef struct
{
  AssayGraph *graph;
  gboolean half;
  AssayDelegateLimits limits;
  GStringChunk *texts;
  AssayGpuLower *lower;
  guint8 *places;
  const char **reasons;
  AssayNodeId *clamps;
  AssayNodeId *quantizes;
  AssayGpuPlan *gpu;
  GArray *stages;
  GArray *rows;
  GArray *weights;
  GArray *lives;
  GArray *owners;
} AssayDelegatePlan;

AssayDelegatePlan *
assay_delegate_plan_new (AssayGraph *graph, const AssayDelegateNode *nodes, gboolean half,
                         gboolean keep_all,
                         const AssayDelegateLimits *limits) G_GNUC_WARN_UNUSED_RESULT;
guint64 assay_delegate_plan_count_memory (const AssayDelegatePlan *self);
void assay_delegate_plan_free (AssayDelegatePlan *self);
GPtrArray *assay_delegate_captures (const AssayGraph *graph,
                                    const AssayNode *node) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDelegatePlan, assay_delegate_plan_free)

G_END_DECLS
