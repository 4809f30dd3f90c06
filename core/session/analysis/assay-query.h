/* assay-query.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/analysis/assay-node-facts.h"

G_BEGIN_DECLS

/**
 * AssayQuery:
 *
 * What nodes are searched for. Words match parts of names and operators, and of shapes such as
 * `64x64`; `*Norm*` is an operator of that form; facts compare without spaces, as in
 * `verdict=rejected`, `core=3` or `bytes>1M`; `->` joins what stands before it with one of its
 * readers: `MatMul -> * -> Softmax` is a chain of three nodes, `*` any one, `**` up to eight.
 */
typedef struct _AssayQuery AssayQuery;

AssayQuery *assay_query_new (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_query_free (AssayQuery *self);
GArray *assay_query_run (const AssayQuery *self, const AssayVerdicts *verdicts,
                         guint filter) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_query_run_facts (const AssayQuery *self, const AssayNodeFacts *facts,
                               guint filter) G_GNUC_WARN_UNUSED_RESULT;
char *assay_query_explain_nothing (const AssayQuery *self, const AssayNodeFacts *facts,
                                   guint filter) G_GNUC_WARN_UNUSED_RESULT;
char *assay_query_list_facts (void) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayQuery, assay_query_free)

G_END_DECLS
