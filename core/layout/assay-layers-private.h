/* assay-layers-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-layers.h"

G_BEGIN_DECLS

/**
 * AssayLayersKind:
 * @ASSAY_LAYERS_FREE: stands where there is room
 * @ASSAY_LAYERS_HELD: stays where it is
 * @ASSAY_LAYERS_TOGETHER: keeps its distance to all others of this kind
 *
 * How a vertex takes part in a change of the drawing.
 */
typedef enum
{
  ASSAY_LAYERS_FREE,
  ASSAY_LAYERS_HELD,
  ASSAY_LAYERS_TOGETHER,
} AssayLayersKind;

/* After another order: neighbours from left to right, and the number of crossings. */
void assay_layers_take_positions (AssayLayers *self);
void assay_layers_sort (AssayLayers *self);
void assay_layers_order_groups (AssayLayers *self, const guint32 *group);
gboolean assay_layers_order_groups_in (AssayLayers *self, const guint32 *group, guint32 first_rank,
                                       guint32 end_rank);
guint64 assay_layers_count_crossings (const AssayLayers *self, guint32 first_rank,
                                      guint32 last_rank);
void assay_layers_keep (AssayLayers *self, const guint32 *column);
gboolean assay_layers_hold (AssayLayers *self, guint32 *column, const guint8 *kind,
                            gboolean may_part, double *parted);
double assay_layers_measure_sideways (const AssayLayers *self);
void assay_layers_find_frames (AssayLayers *self, guint32 n_frames, AssayLayersFrame *frames,
                               guint32 *frame_of);

G_END_DECLS
