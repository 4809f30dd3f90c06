/* assay-streaming.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayStreamingRefusal:
 * @node: the node that cannot be streamed
 * @rule: id of the reason, such as `streaming.reduction`
 * @axis: axis of its first operand that carries the sequence
 * @text: why, in one sentence of one line
 * @detail: (nullable): what it rests on
 *
 * A node that needs more than the present timestep and what a streaming state can keep.
 */
typedef struct
{
  AssayNodeId node;
  const char *rule;
  int axis;
  char *text;
  char *detail;
} AssayStreamingRefusal;

/**
 * AssayStreaming:
 * @n_values: number of entries of @axes
 * @axes: per value the axis that carries the sequence, -1 if it is the same for all timesteps or
 * behind a refusal
 * @refusals: (element-type AssayStreamingRefusal): in the order of the nodes
 * @n_outputs: number of graph outputs
 * @output_axes: (array length=n_outputs): the sequence axis of each output, -1 if it has none
 *
 * Where a sequence goes through a graph when it is fed one timestep at a time.
 */
typedef struct _AssayStreaming AssayStreaming;

struct _AssayStreaming
{
  guint n_values;
  int *axes;
  GArray *refusals;
  guint n_outputs;
  int *output_axes;

  /*< private >*/
  guint32 *first_refusal;
};

AssayStreaming *assay_graph_trace_streaming (const AssayGraph *self, const int *input_axes,
                                             guint n_input_axes,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_streaming_free (AssayStreaming *self);
const AssayStreamingRefusal *assay_streaming_find_refusal (const AssayStreaming *self,
                                                           AssayNodeId node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayStreaming, assay_streaming_free)

G_END_DECLS
