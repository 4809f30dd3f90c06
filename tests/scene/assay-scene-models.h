/* assay-scene-models.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/* Graphs with verdicts for tests and benchmarks. Verdicts are those of a made-up target: mostly
 * supported. */
AssayVerdicts *assay_scene_verdicts (AssayGraph *graph);
AssayVerdicts *assay_scene_residual (guint n_nodes);
AssayVerdicts *assay_scene_transformer (guint n_layers, gboolean mask);
AssayVerdicts *assay_scene_random (guint n_nodes, guint n_edges, guint32 seed);
AssayVerdicts *assay_scene_unet (guint n_levels);
AssayVerdicts *assay_scene_verdict_row (void);
void assay_scene_set_verdict (AssayVerdicts *verdicts, AssayNodeId node, AssayVerdictKind kind,
                              const char *reason);

/* A program of two cores, eight steps and sixteen blocks, for memory maps. */
AssayStreamCode *assay_scene_code (void);

G_END_DECLS
