/* assay-program.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "backend/assay-cycles.h"
#include "backend/assay-program-facts.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_PROGRAM (assay_program_get_type ())

typedef struct _AssayProgramClass AssayProgramClass;

/**
 * AssayProgram:
 *
 * One or more compiled models for one hardware, with the shapes of what goes in and out and the
 * cycles they take.
 */
G_DECLARE_DERIVABLE_TYPE (AssayProgram, assay_program, ASSAY, PROGRAM, GObject)

const AssayProgramFacts *assay_program_get_facts (AssayProgram *self);
const char *assay_program_get_machine (AssayProgram *self);
AssayDType assay_program_get_numbers (AssayProgram *self);
const char *assay_program_get_estimate (AssayProgram *self);
const char *assay_program_get_cycles_word (AssayProgram *self);
const char *assay_program_get_places (AssayProgram *self);
guint assay_program_get_clock_mhz (AssayProgram *self);
gboolean assay_program_counts_cycles (AssayProgram *self);
gboolean assay_program_has_cores (AssayProgram *self);

guint assay_program_num_models (AssayProgram *self);
const char *assay_program_model_name (AssayProgram *self, guint model_index);
const AssayModelEntry *assay_program_get_model (AssayProgram *self, guint model);

const char *assay_program_get_node_name (AssayProgram *self, guint32 node);
const AssayPlanned *assay_program_get_tensor (AssayProgram *self, guint tensor);
const AssayResident *assay_program_get_resident (AssayProgram *self, guint resident);

const AssayProgramStore *assay_program_get_store (AssayProgram *self, guint store);
guint assay_program_get_block_bytes (AssayProgram *self);
const AssayProgramUnit *assay_program_get_unit (AssayProgram *self, guint unit);

AssayProgramRow assay_program_get_row (AssayProgram *self, guint32 row);
void assay_program_append_row (AssayProgram *self, guint32 row, GString *text);
void assay_program_append_listing (AssayProgram *self, guint model, guint core, GString *text);
void assay_program_append_memory (AssayProgram *self, guint core, GString *text);
void assay_program_append_search (AssayProgram *self, guint model, GString *text);

const AssayCycles *assay_program_get_cycles (AssayProgram *self, guint model);
gboolean assay_program_get_cycle_range (AssayProgram *self, guint32 predicted,
                                        AssayCycleRange *range);
char *assay_program_dup_count (AssayProgram *self, guint32 predicted) G_GNUC_WARN_UNUSED_RESULT;
void assay_program_count_cycles (AssayProgram *self, guint model, const AssayQueues *queues,
                                 AssayCycles *cycles, GArray *events);
GArray *assay_program_link_events (AssayProgram *self, GArray *events) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_program_find_sensitivity (AssayProgram *self, guint model) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_program_find_ranges (AssayProgram *self,
                                   double largest_input) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_program_find_value (AssayProgram *self, AssayValueId value, int *time_axis);
AssayProgram *assay_program_new_io_only (AssayProgram *self,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

AssayProgram *assay_program_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_program_load_bytes (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GBytes *assay_program_save_bytes (AssayProgram *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_program_save (AssayProgram *self, const char *path, GError **error);

G_END_DECLS
