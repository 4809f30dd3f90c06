/* assay-program-class.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-executor.h"
#include "backend/assay-program-metrics.h"
#include "backend/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayProgramClass:
 * @machine: (nullable): the runner that runs it here; %NULL for `vm`
 * @numbers: the type that its results are held in; %ASSAY_DTYPE_UNDEFINED for any that f32 holds
 * @estimate: (nullable): what its cycles follow from, if no published counts bear them out
 * @places: (nullable): what the places of its tensors follow from, if nobody publishes them
 * @steps_only: whether its cycles are steps, because nobody knows how long they take before it runs
 * @has_cores: whether it is made of cores, as with %ASSAY_CAPABILITY_HAS_CONFIG, and not of one
 * thing that has no name
 * @get_row: describes an instruction
 * @append_row: writes an instruction as text
 * @append_listing: writes the instructions of a core that belong to a model, a line each
 * @append_memory: writes what lies where on a core, a line each
 * @append_search: writes what was tried when a model was placed, a line each
 * @count_cycles: walks through an inference of a model
 * @get_cycle_range: (nullable): between which counts the accelerator's own lies for nine models of
 * ten; %NULL where that is not known
 * @link_events: completes what events waited for and why, and gives the critical path
 * @find_sensitivity: tells how cycles depend on the parameters of the hardware
 * @find_ranges: finds the values that the program may lose
 * @find_value: tells whether a value can be observed, and along which axis it streams
 * @count: counts what is used, in figures with room for every core
 * @new_io_only: makes a program with the same models, inputs and outputs that computes nothing
 * @to_bytes: writes the program as a file has it; %NULL if its constants cannot be read any more
 * @run: runs an inference of a model that keeps nothing between two of them
 * @open: makes ready to run; without it, @run runs
 *
 * What a backend's programs can tell of themselves. What does not change stands in facts, and what
 * follows from facts, or is told by few, need not be there.
 */
struct _AssayProgramClass
{
  GObjectClass parent_class;
  gboolean steps_only;
  gboolean has_cores;
  const char *machine;
  AssayDType numbers;
  const char *estimate;
  const char *places;
  void (*get_row) (AssayProgram *self, guint32 row, AssayProgramRow *filled);
  void (*append_row) (AssayProgram *self, guint32 row, GString *text);
  void (*append_listing) (AssayProgram *self, guint model, guint core, GString *text);
  void (*append_memory) (AssayProgram *self, guint core, GString *text);
  void (*append_search) (AssayProgram *self, guint model, GString *text);
  void (*count_cycles) (AssayProgram *self, guint model, const AssayQueues *queues,
                        AssayCycles *cycles, GArray *events);
  AssayCycleRange (*get_cycle_range) (AssayProgram *self, guint32 predicted);
  GArray *(*link_events) (AssayProgram *self, GArray *events);
  GArray *(*find_sensitivity) (AssayProgram *self, guint model);
  GArray *(*find_ranges) (AssayProgram *self, double largest_input);
  gboolean (*find_value) (AssayProgram *self, AssayValueId value, int *time_axis);
  void (*count) (AssayProgram *self, AssayProgramMetrics *metrics);
  AssayProgram *(*new_io_only) (AssayProgram *self);
  GBytes *(*to_bytes) (AssayProgram *self, GError **error);
  gboolean (*run) (AssayProgram *self, guint model, const float *const *inputs,
                   float *const *outputs, const AssayProgress *progress, GError **error);
  AssayExecutor *(*open) (AssayProgram *self, const AssayExecutorOptions *options, GError **error);
};

void assay_program_set_facts (AssayProgram *self, const AssayProgramFacts *facts);

G_END_DECLS
