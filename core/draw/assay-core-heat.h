/* assay-core-heat.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"
#include "draw/assay-memory-map.h"

G_BEGIN_DECLS

void assay_core_heat_draw (const AssayMemoryMap *map, guint store, guint core, guint32 playhead,
                           double width, double height, AssayDisplayList *list);
gboolean assay_core_heat_find (const AssayMemoryMap *map, double width, double height, double x,
                               double y, guint *core, guint32 *step);

G_END_DECLS
