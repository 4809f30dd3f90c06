/* assay-view-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-layers.h"
#include "layout/assay-view.h"

G_BEGIN_DECLS

void assay_view_build (AssayView              *self,
                       const AssayViewOptions *options);
void assay_view_route (AssayView              *self,
                       const AssayLayers      *layers);

void assay_view_enclose      (AssayView              *self,
                              AssayLayers            *layers);
void assay_view_make_room    (AssayView              *self);
void assay_view_place_frames (AssayView              *self);

G_END_DECLS
