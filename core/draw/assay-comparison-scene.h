/* assay-comparison-scene.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"
#include "run/assay-divergence.h"

G_BEGIN_DECLS

/**
 * AssayErrorPoint:
 * @error: largest scaled error of an operation, its own where that is known
 * @inherited: the largest of what it reads
 * @limit: the largest that is within the tolerance
 * @certified: the largest that rounding can make at worst, 0 or infinite where nobody knows
 * @divergence: what its error is
 *
 * One operation of a program in the picture of its errors; errors are units in the last place.
 */
typedef struct
{
  double error;
  double inherited;
  double limit;
  double certified;
  AssayDivergence divergence;
} AssayErrorPoint;

guint assay_comparison_scene_find_point (guint n_points, double width, double x);
void assay_comparison_scene_draw_errors (const AssayErrorPoint *points, guint n_points,
                                         guint selected, double width, double height,
                                         AssayDisplayList *list);
void assay_comparison_scene_draw_steps (const AssayComparisonRow *row, gint64 n_steps, double width,
                                        double height, AssayDisplayList *list);
void assay_comparison_scene_draw_histogram (const AssayCompareStats *stats, double width,
                                            double height, AssayDisplayList *list);
char *assay_comparison_bucket_name (guint bucket) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
