/* assay-pattern.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/pass/assay-pass.h"

G_BEGIN_DECLS

#define ASSAY_PATTERN_VARIABLES 26
#define ASSAY_PATTERN_MAX_NODES 48

/**
 * AssayPattern:
 *
 * An expression over operations, as text:
 *   `Mul(x, Sigmoid(x))`  operations by name; an input after those written must be a constant
 *   `x`                   any value, one letter; the same letter is the same value
 *   `#e`                  a constant of one element
 *   `@w`                  a constant of any shape
 *   `0.5`                 a constant of one element that is this number, up to the rounding of its
 * type
 *   `(A|B)`               one or the other
 * The first two inputs of a commutative operation match in either order.
 */
typedef struct _AssayPattern AssayPattern;

/**
 * AssayMatch:
 * @rewriter: the graph
 * @root: the node that makes the output
 * @n_nodes: number of matched nodes
 * @nodes: the matched nodes, the root first
 * @values: the value of every letter, 0 if the pattern does not use it
 *
 * How a pattern matched.
 */
typedef struct
{
  AssayRewriter *rewriter;
  AssayNodeId root;
  guint n_nodes;
  AssayNodeId nodes[ASSAY_PATTERN_MAX_NODES];
  AssayValueId values[ASSAY_PATTERN_VARIABLES];
} AssayMatch;

AssayPattern *assay_pattern_parse (const char *text);
void assay_pattern_free (AssayPattern *self);
AssayOp assay_pattern_root (const char *text);
gboolean assay_pattern_match (const AssayPattern *self, AssayRewriter *rewriter, AssayNodeId root,
                              AssayMatch *match);
AssayValueId assay_match_value (const AssayMatch *self, char letter);
gboolean assay_match_number (const AssayMatch *self, char letter, double *number);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPattern, assay_pattern_free)

G_END_DECLS
