/* assay-proposals.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix.h"
#include "nnir/analysis/assay-analysis.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

/**
 * AssayProposals:
 * @graph: the imported graph
 * @uses: who reads its values
 * @target: the target
 * @verdicts: what it says
 * @settings: how it was checked
 * @kinds: verdicts of the nodes in question, a bit each
 * @seen: (element-type guint32): the nodes in question, in the graph of @verdicts
 * @nodes: (element-type guint32): nodes of @graph that the nodes in question stand for
 * @fixes: (element-type AssayFix): what is proposed
 *
 * What rewrites look at to propose fixes.
 */
typedef struct
{
  AssayGraph *graph;
  AssayUses *uses;
  AssayTarget *target;
  AssayVerdicts *verdicts;
  AssaySettings *settings;
  guint kinds;
  GArray *seen;
  GArray *nodes;
  GPtrArray *fixes;
} AssayProposals;

void assay_proposals_init (AssayProposals *self, AssayWork *model, const char *const *names);
void assay_proposals_collect (AssayProposals *self, AssayWork *model, const char *const *names);
void assay_proposals_clear (AssayProposals *self);
const AssayNode *assay_proposals_node (const AssayProposals *self, guint index);
void assay_proposals_add (AssayProposals *self, const char *rewrite, const char *const *nodes,
                          const char *const *arguments);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayProposals, assay_proposals_clear)

G_END_DECLS
