/* assay-compilation.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-allocation.h"
#include "draw/assay-memory-map.h"
#include "backend/assay-node-work.h"
#include "backend/assay-time-map.h"
#include "session/activity/assay-activity.h"

G_BEGIN_DECLS

/**
 * AssayCompilation:
 *
 * The program of the open model, and the place in it that all views look at: core, store and step.
 * It is made by itself while that takes less than two seconds, else on demand; off the main context
 * in both cases. Without a program the reason is in words; one of before stays until there is a new
 * one, as long as it can be taken for one of this target.
 */
#define ASSAY_TYPE_COMPILATION (assay_compilation_get_type ())

G_DECLARE_FINAL_TYPE (AssayCompilation, assay_compilation, ASSAY, COMPILATION, AssayActivity)

AssayProgram *assay_compilation_get_program (AssayCompilation *self);
AssayMemoryMap *assay_compilation_get_memory (AssayCompilation *self);
const AssayNodeWork *assay_compilation_get_work (AssayCompilation *self);
AssayTimeMap *assay_compilation_get_time (AssayCompilation *self);
const AssayAllocation *assay_compilation_get_allocation (AssayCompilation *self);
const AssayCycles *assay_compilation_get_cycles (AssayCompilation *self);
gint64 assay_compilation_get_duration (AssayCompilation *self);
gboolean assay_compilation_can_start (AssayCompilation *self);
void assay_compilation_set_automatic (AssayCompilation *self, gboolean automatic);
const char *assay_compilation_get_reason (AssayCompilation *self);
void assay_compilation_start (AssayCompilation *self);

guint assay_compilation_get_core (AssayCompilation *self);
void assay_compilation_set_core (AssayCompilation *self, guint core);
guint32 assay_compilation_get_playhead (AssayCompilation *self);
void assay_compilation_set_playhead (AssayCompilation *self, guint32 step);
guint32 assay_compilation_get_pinned (AssayCompilation *self);
void assay_compilation_toggle_pin (AssayCompilation *self);
guint32 assay_compilation_get_tensor (AssayCompilation *self);
void assay_compilation_set_tensor (AssayCompilation *self, guint32 tensor);
const char *assay_compilation_get_node_name (AssayCompilation *self, guint32 node);
const char *assay_compilation_get_playhead_node (AssayCompilation *self);
void assay_compilation_go_to_peak (AssayCompilation *self);

G_END_DECLS
