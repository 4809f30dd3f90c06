/* assay-run-inputs.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "machine/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayRunInputs:
 * @n: number of inputs
 * @values: (array length=n): per input its elements, row major
 * @axes: (array length=n): per input the axis of the timesteps in its tensor, -1 if every timestep gets all of it
 * @n_steps: number of timesteps
 *
 * What goes into a run: one tensor per input.
 */
typedef struct
{
  guint n;
  float **values;
  int *axes;
  gint64 n_steps;
} AssayRunInputs;

void     assay_run_inputs_clear (AssayRunInputs         *self);
gboolean assay_run_inputs_load  (AssayRunInputs         *self,
                                 const AssayModelEntry  *entry,
                                 char                  **files,
                                 gboolean                random,
                                 guint64                 seed,
                                 gint64                  n_steps,
                                 GError                **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayRunInputs, assay_run_inputs_clear)

G_END_DECLS
