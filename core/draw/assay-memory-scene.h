/* assay-memory-scene.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"
#include "draw/assay-memory-map.h"

G_BEGIN_DECLS

#define ASSAY_NO_TENSOR G_MAXUINT32
#define ASSAY_NO_STEP G_MAXUINT32

/**
 * AssayMemoryLook:
 * @width: width of the picture in units
 * @height: height of the picture
 * @core: the core that is shown
 * @store: tensor RAM, accumulators or cell state
 * @first_step: step at the left of the map
 * @end_step: step past its right end
 * @first_block: address at the bottom of the map
 * @end_block: address past its top
 * @hexadecimal: whether addresses are written in base 16
 *
 * Which part of a memory map is drawn and how large.
 */
typedef struct
{
  double width;
  double height;
  guint core;
  guint store;
  double first_step;
  double end_step;
  double first_block;
  double end_block;
  gboolean hexadecimal;
} AssayMemoryLook;

/**
 * AssayMemoryPart:
 * @ASSAY_MEMORY_PART_NONE: a margin
 * @ASSAY_MEMORY_PART_MAP: steps by addresses
 * @ASSAY_MEMORY_PART_SECTION: addresses at the playhead
 * @ASSAY_MEMORY_PART_TOTAL: blocks in use over the steps
 *
 * The parts of the picture.
 */
typedef enum
{
  ASSAY_MEMORY_PART_NONE,
  ASSAY_MEMORY_PART_MAP,
  ASSAY_MEMORY_PART_SECTION,
  ASSAY_MEMORY_PART_TOTAL,
} AssayMemoryPart;

const char *assay_memory_kind_name (AssayTensorKind kind);
void assay_memory_look_fit (AssayMemoryLook *look, const AssayMemoryMap *map);
double assay_memory_look_get_x (const AssayMemoryLook *look, double step);
double assay_memory_look_get_y (const AssayMemoryLook *look, double block);
AssayMemoryPart assay_memory_look_locate (const AssayMemoryLook *look, const AssayMemoryMap *map,
                                          double x, double y, guint32 *step, guint32 *block);
guint32 assay_memory_scene_find (const AssayMemoryMap *map, const AssayMemoryLook *look,
                                 guint32 step, guint32 block);
void assay_memory_scene_draw (const AssayMemoryMap *map, const AssayMemoryLook *look,
                              AssayDisplayList *list);
void assay_memory_scene_draw_names (const AssayMemoryMap *map, const AssayMemoryLook *look,
                                    AssayDisplayList *list);
void assay_memory_scene_draw_marks (const AssayMemoryMap *map, const AssayMemoryLook *look,
                                    guint32 playhead, guint32 pinned, GArray *selected,
                                    AssayDisplayList *list);
void assay_memory_scene_draw_strip (const AssayMemoryMap *map, guint core, guint store,
                                    guint32 marked, double width, double height,
                                    AssayDisplayList *list);
void assay_memory_scene_draw_weights (const AssayMemoryMap *map, double width, double height,
                                      AssayDisplayList *list);

G_END_DECLS
