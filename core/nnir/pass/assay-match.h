/* assay-match.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/function/assay-expression.h"
#include "nnir/pass/assay-pass.h"

G_BEGIN_DECLS

#define ASSAY_MATCH_MAX_NAMES 8
#define ASSAY_MATCH_MAX_NODES 48

/**
 * AssayMatch:
 * @rewriter: the graph
 * @root: the node that makes the output
 * @n_nodes: number of matched nodes
 * @nodes: the matched nodes, the root first
 * @n_bound: number of names
 * @bound: the names of the expression and their values
 *
 * How an expression matched.
 */
typedef struct
{
  AssayRewriter *rewriter;
  AssayNodeId root;
  guint n_nodes;
  AssayNodeId nodes[ASSAY_MATCH_MAX_NODES];
  guint n_bound;
  struct
  {
    const char *name;
    AssayValueId value;
  } bound[ASSAY_MATCH_MAX_NAMES];
} AssayMatch;

gboolean assay_match (AssayMatch *self, const AssayTerm *term, AssayRewriter *rewriter,
                      AssayNodeId root);
AssayValueId assay_match_value (const AssayMatch *self, const char *name);
gboolean assay_match_number (const AssayMatch *self, const char *name, double *number);

G_END_DECLS
