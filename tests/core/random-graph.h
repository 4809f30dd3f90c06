/* random-graph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * RandomGraph:
 *
 * A graph as statements of NNIR text that can be taken away again.
 */
typedef struct _RandomGraph RandomGraph;

RandomGraph *random_graph_new (GRand *rand) G_GNUC_WARN_UNUSED_RESULT;
void random_graph_free (RandomGraph *self);
char *random_graph_to_text (const RandomGraph *self) G_GNUC_WARN_UNUSED_RESULT;
gboolean random_graph_has_sums (const RandomGraph *self);
RandomGraph *random_graph_smaller (const RandomGraph *self,
                                   guint attempt) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomGraph, random_graph_free)

G_END_DECLS
