/* assay-verify.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * assay_graph_verify:
 * @self: a graph
 * @findings: gets every violation
 *
 * Checks the invariants of NNIR: ids in range, one definition per value, definitions before uses
 * and visible from them, arity and attributes as the op table says, regions linked to their nodes,
 * unique node names.
 *
 * Returns: whether no invariant of the structure is broken (arity and attribute findings do not
 * break it)
 */
gboolean assay_graph_verify (AssayGraph *self, AssayFindings *findings);

G_END_DECLS
