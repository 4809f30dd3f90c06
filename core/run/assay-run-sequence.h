/* assay-run-sequence.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayRunSequence:
 * @entry: the model of a program that runs
 * @n_steps: number of timesteps
 * @inputs: per input its elements, row major
 * @input_axes: per input the axis of the timesteps, -1 if every timestep gets all of it
 * @outputs: per output its elements, row major
 * @output_axes: per output the axis of the timesteps, -1 if only the last is kept
 * @packed: per input one timestep in the order in which the port takes it
 * @results: per output one timestep in the order in which the port gives it
 *
 * The tensors of a run of a program, cut into timesteps.
 */
typedef struct
{
  const AssayModelEntry *entry;
  gint64 n_steps;
  float **inputs;
  int *input_axes;
  float **outputs;
  int *output_axes;
  float **packed;
  float **results;
} AssayRunSequence;

gboolean assay_run_sequence_init (AssayRunSequence *self, const AssayModelEntry *entry,
                                  GPtrArray *tensors, GError **error);
gboolean assay_run_sequence_init_axes (AssayRunSequence *self, const AssayModelEntry *entry,
                                       AssayTensor *const *tensors, gint64 n_steps,
                                       const int *input_axes, const int *output_axes,
                                       GError **error);
void assay_run_sequence_clear (AssayRunSequence *self);
void assay_run_sequence_pack (AssayRunSequence *self, gint64 step);
void assay_run_sequence_unpack (AssayRunSequence *self, gint64 step);
GPtrArray *assay_run_sequence_finish (AssayRunSequence *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayRunSequence, assay_run_sequence_clear)

G_END_DECLS
