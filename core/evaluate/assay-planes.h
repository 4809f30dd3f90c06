/* assay-planes.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/kernels/assay-kernel-window.h"
#include "evaluate/vectors/assay-vectors.h"

G_BEGIN_DECLS

/**
 * AssayPlanes:
 * @window: a window over one or two spatial axes
 * @pitch: elements from row to row of a padded plane, and of a result
 * @n: elements of a result, whose last row may be short
 * @n_taps: places in the window
 * @n_phases: number of padded planes
 * @phase_size: elements of a padded plane
 *
 * Planes of a channel with their padding around them, so that every place in the window is a
 * pointer that runs through memory with the result: with a stride there is one plane for each
 * remainder of the position by it. Results have a few elements between their rows that mean
 * nothing.
 */
typedef struct
{
  const AssayNodeWindow *window;
  gsize pitch;
  gsize n;
  gsize n_taps;
  guint n_phases;
  gsize phase_size;

  /*< private >*/
  gint64 extents[2][6]; /* of the two axes: input, output, stride, padding in front, phases, rows of
                           a phase */
} AssayPlanes;

/**
 * AssayPlanesRoom:
 * @padded: the padded planes, zero at first
 * @result: a result
 * @taps: per place in the window, where it begins in @padded
 *
 * What one thread computes on planes with.
 */
typedef struct
{
  float *padded;
  float *result;
  const float **taps;
} AssayPlanesRoom;

gboolean assay_planes_room_init (AssayPlanesRoom *self, const AssayPlanes *planes,
                                 AssayKernel *kernel) G_GNUC_WARN_UNUSED_RESULT;
void assay_planes_room_clear (AssayPlanesRoom *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayPlanesRoom, assay_planes_room_clear)

gboolean assay_planes_init (AssayPlanes *self, const AssayNodeWindow *window);
gsize assay_planes_size (const AssayPlanes *self);
gsize assay_planes_result (const AssayPlanes *self);
void assay_planes_fill (const AssayPlanes *self, const float *from, float padding, float *planes);
void assay_planes_taps (const AssayPlanes *self, const float *planes, const float **taps);
void assay_planes_unpack (const AssayPlanes *self, const float *result, float *to);
void assay_gather_row_f32 (const float *from, gint64 n_from, gint64 start, gint64 stride, gint64 n,
                           float padding, float *to);

G_END_DECLS
