/* assay-run-inputs.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-runner.h"

G_BEGIN_DECLS

/**
 * AssayRunInputs:
 *
 * What goes into a run, by the names of the inputs: files, constants and distributions. It becomes
 * tensors once it is known what inputs there are.
 */
typedef struct _AssayRunInputs AssayRunInputs;

AssayRunInputs *assay_run_inputs_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_run_inputs_free (AssayRunInputs *self);
void assay_run_inputs_set_progress (AssayRunInputs *self, const AssayProgress *progress);
gboolean assay_run_inputs_add (AssayRunInputs *self, const char *text, GError **error);
void assay_run_inputs_set_tensor (AssayRunInputs *self, const char *name, AssayTensor *tensor);
void assay_run_inputs_set_seed (AssayRunInputs *self, guint64 seed, gboolean fill);
AssayGraph *assay_run_inputs_open (AssayRunInputs *self, AssayGraph *graph,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_run_inputs_split (AssayRunInputs *self, const char *name, const AssayType *type,
                                 GPtrArray *names, GPtrArray *tensors, gboolean *present,
                                 GError **error);
GPtrArray *assay_run_inputs_make (AssayRunInputs *self, const AssayRunPort *ports, guint n_ports,
                                  gint64 n_steps, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_run_inputs_pick (const AssayRunPort *ports, guint n_ports, GPtrArray *tensors,
                                  AssayRunner *runner, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunInputs, assay_run_inputs_free)

G_END_DECLS
