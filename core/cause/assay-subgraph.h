/* assay-subgraph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-evaluate.h"

G_BEGIN_DECLS

/**
 * AssaySubgraph:
 * @graph: the nodes, in the main graph; everything they read is an input of it, constants too
 * @target: the value that is looked at
 * @inputs: (element-type AssayDatum): what the inputs of @graph are
 * @sources: (element-type guint8): per input of @graph an #AssaySubgraphSource
 * @work: multiplications of a run, about
 * @evaluator: runs @graph, in double if all is
 * @wide: whether all is computed in double
 * @source: the graph that it is a part of, which lives longer
 * @origins: per value of @graph: the value of @source that it is
 *
 * A part of a model in the hand: the nodes between values that are known and one that differs.
 */
typedef struct
{
  AssayGraph *graph;
  AssayValueId target;
  GPtrArray *inputs;
  GArray *sources;
  guint64 work;
  AssayEvaluator *evaluator;
  gboolean wide;
  const AssayGraph *source;
  AssayValueId *origins;
} AssaySubgraph;

/**
 * AssaySubgraphSource:
 * @ASSAY_SUBGRAPH_SEEN: a value that was seen on the way
 * @ASSAY_SUBGRAPH_MODEL: an input of the model
 * @ASSAY_SUBGRAPH_CONSTANT: a constant of the model
 *
 * Where an input of a subgraph comes from.
 */
typedef enum
{
  ASSAY_SUBGRAPH_SEEN,
  ASSAY_SUBGRAPH_MODEL,
  ASSAY_SUBGRAPH_CONSTANT,
} AssaySubgraphSource;

/**
 * AssaySubgraphFunc:
 * @values: what is known so far, by value of the graph; the function may put another one in the
 * place of @value
 * @value: the value that was just made, or an input
 * @user_data: the data given with the function
 *
 * Changes values on the way.
 */
typedef void (*AssaySubgraphFunc) (AssayDatum **values, AssayValueId value, gpointer user_data);

AssaySubgraph *assay_subgraph_new (const AssayGraph *graph, AssayValueId target, GHashTable *seen,
                                   gboolean wide, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_subgraph_free (AssaySubgraph *self);
GArray *assay_subgraph_list_border (const AssayGraph *graph, AssayValueId target,
                                    GHashTable *visible) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_subgraph_run (AssaySubgraph *self, AssayGraph *changed, gboolean wide,
                                AssaySubgraphFunc func, gpointer user_data,
                                const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;

static inline AssaySubgraphSource
assay_subgraph_source (const AssaySubgraph *self, guint input)
{
  return (AssaySubgraphSource) g_array_index (self->sources, guint8, input);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySubgraph, assay_subgraph_free)

G_END_DECLS
