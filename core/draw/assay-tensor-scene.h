/* assay-tensor-scene.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor-summary.h"
#include "draw/assay-display-list.h"

G_BEGIN_DECLS

int assay_tensor_scene_find_bucket (double width, double x);
void assay_tensor_scene_draw_histogram (const AssayTensorSummary *summary, double width,
                                        double height, AssayDisplayList *list);
int assay_tensor_scene_find_stretch (const AssayTensorSummary *summary, double width, double x);
void assay_tensor_scene_draw_heat (const AssayTensorSummary *summary, double width, double height,
                                   AssayDisplayList *list);

G_END_DECLS
