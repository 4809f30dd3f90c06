/* assay-dot-peer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-view.h"

G_BEGIN_DECLS

/**
 * AssayDotResult:
 * @seconds: how long it took, or a negative number where it did not finish
 * @crossings: crossings of the drawn edges
 * @counted: crossings that dot counts itself, between its ranks
 *
 * What dot makes of the boxes and edges of a picture.
 */
typedef struct
{
  double seconds;
  guint64 crossings;
  guint64 counted;
} AssayDotResult;

gboolean assay_dot_run (const AssayView *view, gboolean frames, guint seconds,
                        AssayDotResult *result);

G_END_DECLS
