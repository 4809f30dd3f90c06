/* assay-memory-scene-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-memory-scene.h"

G_BEGIN_DECLS

/* What the pictures of memory share. Lengths in units. */
#define MEMORY_AXIS 52.0
#define MEMORY_FLAG 20.0
#define MEMORY_RULER 18.0
#define MEMORY_RULERS (2 * MEMORY_RULER - 2)
#define MEMORY_SECTION 70.0
#define MEMORY_GAP 8.0
#define MEMORY_MIN_LABEL_WIDTH 48.0
#define MEMORY_MIN_LABEL_HEIGHT 16.0
/* From one label of a scale to the next. */
#define MEMORY_LINE 14.0

typedef struct
{
  double x;
  double y;
  double width;
  double height;
} AssayArea;

static inline gboolean
assay_area_contains (const AssayArea *area, double x, double y)
{
  return x >= area->x && x < area->x + area->width && y >= area->y && y < area->y + area->height;
}

void assay_memory_draw_filled (const AssayArea *area, guint kind, gboolean rich,
                               AssayDisplayList *list);
void assay_memory_draw_label (const AssayArea *area, guint kind, const char *name,
                              AssayDisplayList *list);
void assay_memory_draw_flag (const AssayArea *area, double x, const char *text, AssayRole fill,
                             AssayRole ink, AssayDisplayList *list);
void assay_memory_draw_hole (const AssayArea *area, const char *text, AssayDisplayList *list);
double assay_memory_choose_interval (double range, double length, double least);
double assay_memory_label_top (const AssayArea *area, double y);
guint assay_memory_choose_quarters (const AssayArea *area, double begin, double end);

G_END_DECLS
