/* assay-pass.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/pass/assay-canonical.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayRewriter:
 * @graph: the graph that is being changed
 * @options: what is wanted
 *
 * What a pass works with: the graph, how often each value is read, and what has been replaced or
 * removed so far. Passes walk nodes in topological order and match backwards, so they read inputs
 * through assay_rewriter_input(), which follows replacements.
 */
typedef struct
{
  AssayGraph *graph;
  const AssayCanonicalOptions *options;

  /*< private >*/
  GArray *reads;   /* guint32 per value: inputs of nodes and outputs of regions that name it */
  GArray *forward; /* AssayValueId per value: what replaced it, 0 if nothing did */
  GArray *removed; /* guint8 per node */
  guint n_changes;
  gsize folded_bytes;   /* of the results of folded branches */
  guint64 folded_steps; /* that they took when they were folded */
} AssayRewriter;

/**
 * AssayPassFunc:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on, at the pass's own pace
 * @error: return location for a #GError
 *
 * Changes a graph.
 *
 * Returns: %FALSE if cancelled
 */
typedef gboolean (*AssayPassFunc) (AssayRewriter *rewriter, const AssayProgress *progress,
                                   GError **error);

/**
 * AssayNodeFunc:
 * @rewriter: the graph and its state
 * @node: a node that is still there
 * @user_data: the data given with the function
 *
 * Looks at one node, and may replace or remove it and others before it.
 */
typedef void (*AssayNodeFunc) (AssayRewriter *rewriter, AssayNodeId node, gpointer user_data);

void assay_rewriter_init (AssayRewriter *self, AssayGraph *graph,
                          const AssayCanonicalOptions *options);
guint assay_rewriter_finish (AssayRewriter *self);
gboolean assay_rewriter_each_node (AssayRewriter *self, AssayNodeFunc func, gpointer user_data,
                                   const AssayProgress *progress, GError **error);
AssayValueId assay_rewriter_resolve (AssayRewriter *self, AssayValueId value);
AssayValueId assay_rewriter_input (AssayRewriter *self, AssayNodeId node, guint index);
AssayNodeId assay_rewriter_producer (AssayRewriter *self, AssayValueId value);
guint assay_rewriter_reads (AssayRewriter *self, AssayValueId value);
gboolean assay_rewriter_is_removed (AssayRewriter *self, AssayNodeId node);
void assay_rewriter_retain (AssayRewriter *self, AssayValueId value);
void assay_rewriter_release (AssayRewriter *self, AssayValueId value);
gboolean assay_rewriter_replace (AssayRewriter *self, AssayValueId old, AssayValueId value);
void assay_rewriter_set_inputs (AssayRewriter *self, AssayNodeId node, guint n,
                                const AssayValueId *inputs);
void assay_rewriter_set_op (AssayRewriter *self, AssayNodeId node, AssayOp op);
void assay_rewriter_make_constant (AssayRewriter *self, AssayValueId value, AssayTensor *tensor);
void assay_rewriter_remove (AssayRewriter *self, AssayNodeId node);
void assay_rewriter_drop (AssayRewriter *self, AssayNodeId node, const char *rule);
void assay_rewriter_absorb (AssayRewriter *self, AssayNodeId into, guint n,
                            const AssayNodeId *nodes, const char *rule);

AssayTensor *assay_node_dup_value (const AssayNode *node);

/* The passes, in files assay-pass-*.c; assay-canonical.c holds their list. */
gboolean assay_pass_decompose (AssayRewriter *rewriter, const AssayProgress *progress,
                               GError **error);
gboolean assay_pass_remove_constant (AssayRewriter *rewriter, const AssayProgress *progress,
                                     GError **error);
gboolean assay_pass_fold_constants (AssayRewriter *rewriter, const AssayProgress *progress,
                                    GError **error);
gboolean assay_pass_fold_if (AssayRewriter *rewriter, const AssayProgress *progress,
                             GError **error);
gboolean assay_pass_remove_identity (AssayRewriter *rewriter, const AssayProgress *progress,
                                     GError **error);
gboolean assay_pass_remove_dead (AssayRewriter *rewriter, const AssayProgress *progress,
                                 GError **error);
gboolean assay_pass_recognize_norm (AssayRewriter *rewriter, const AssayProgress *progress,
                                    GError **error);
gboolean assay_pass_recognize_activation (AssayRewriter *rewriter, const AssayProgress *progress,
                                          GError **error);
gboolean assay_pass_recognize_rsqrt (AssayRewriter *rewriter, const AssayProgress *progress,
                                     GError **error);
gboolean assay_pass_linear (AssayRewriter *rewriter, const AssayProgress *progress, GError **error);
gboolean assay_pass_fold_batch_norm (AssayRewriter *rewriter, const AssayProgress *progress,
                                     GError **error);

G_END_DECLS
