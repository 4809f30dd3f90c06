/* assay-runner.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-subject.h"

G_BEGIN_DECLS

/**
 * AssayRunner:
 *
 * Something that turns inputs into outputs, opened on one subject: the machine, the evaluator,
 * another runtime, a board, files with recorded outputs. One thread at a time; cancelling is the
 * only call from another thread.
 */
typedef struct _AssayRunner AssayRunner;

/**
 * AssayRunnerOptions:
 * @n_threads: threads of runners that have any, 0 for as many as they like
 * @onnxruntime: (nullable): path of the ONNX Runtime library, before the other places it is looked
 * for in
 * @truncate: whether the machine truncates inputs to bf16 instead of rounding them
 *
 * How runners work. All zero is what a user gets who says nothing.
 */
typedef struct
{
  guint n_threads;
  const char *onnxruntime;
  gboolean truncate;
} AssayRunnerOptions;

/**
 * AssayRunObserveFunc:
 * @value: which value of the subject's graph
 * @step: of which timestep, 0 if the whole sequence is in the tensor
 * @tensor: (transfer none): its elements
 * @user_data: the data given with the function
 * @error: return location for a #GError
 *
 * Shown a value while a runner runs, or right after; values come in program order. The tensor is
 * gone afterwards unless a reference is taken, so that memory stays as flat as the observer lets
 * it.
 *
 * Returns: whether to go on; %FALSE with an error ends the run with that error
 */
typedef gboolean (*AssayRunObserveFunc) (AssayValueId value, gint64 step, AssayTensor *tensor,
                                         gpointer user_data, GError **error);

/**
 * AssayRunForceFunc:
 * @value: which value of the subject's graph
 * @step: of which timestep, 0 if the whole sequence is in the tensor
 * @tensor: (out) (transfer full) (nullable): elements in the shape that is observed, to be put in
 * the place of what is computed, or %NULL to leave that alone
 * @user_data: the data given with the observer
 * @error: return location for a #GError
 *
 * Asked for a value before anybody reads it, so that what follows works on it; the observer is
 * shown what was computed afterwards.
 *
 * Returns: whether to go on
 */
typedef gboolean (*AssayRunForceFunc) (AssayValueId value, gint64 step, AssayTensor **tensor,
                                       gpointer user_data, GError **error);

/**
 * AssayRunObserver:
 * @func: shown every value, as it was computed
 * @user_data: handed to it
 * @values: (nullable) (array length=n_values): the values that are wanted, in any order; %NULL for
 * every one that the runner can give
 * @n_values: number of entries
 * @force: (nullable): asked for other values to go on with; for runners that can be forced
 *
 * Wishes to see values between inputs and outputs.
 */
typedef struct
{
  AssayRunObserveFunc func;
  gpointer user_data;
  const AssayValueId *values;
  guint n_values;
  AssayRunForceFunc force;
} AssayRunObserver;

/**
 * AssayRunnerKind:
 * @name: what the user types, before a colon and the argument if there is one
 * @label: what the window says, such as `Machine bf16`
 * @argument: (nullable): what the argument is, such as `PATH`; %NULL if it takes none
 * @argument_optional: whether it may be left out
 * @summary: one line on what it is
 * @needs_program: whether the subject must have a program
 * @needs_graph: whether the subject must have a model
 * @can_force: whether it goes on with the values that an observer puts in the place of its own
 * @is_bf16: whether it computes in bf16
 *
 * A row of the table of runners.
 */
typedef struct _AssayRunnerKind AssayRunnerKind;

struct _AssayRunnerKind
{
  const char *name;
  const char *label;
  const char *argument;
  gboolean argument_optional;
  const char *summary;
  gboolean needs_program;
  gboolean needs_graph;
  gboolean can_force;
  gboolean is_bf16;

  /*< private >*/
  const struct _AssayRunnerClass *klass;
};

const AssayRunnerKind *assay_runner_kind_get (guint index);
const AssayRunnerKind *assay_runner_kind_find (const char *spec, GError **error);
gboolean assay_runner_kind_check (const AssayRunnerKind *self, const char *spec,
                                  const AssayRunSubject *subject, GError **error);
AssayRunner *assay_runner_open (const char *spec, AssayRunSubject *subject,
                                const AssayRunnerOptions *options, const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_runner_free (AssayRunner *self);
const char *assay_runner_get_spec (const AssayRunner *self);
const char *assay_runner_get_label (const AssayRunner *self);
const AssayRunnerKind *assay_runner_get_kind (const AssayRunner *self);
AssayRunSubject *assay_runner_get_subject (const AssayRunner *self);
const AssayRunPort *assay_runner_get_inputs (const AssayRunner *self, guint *n);
const AssayRunPort *assay_runner_get_outputs (const AssayRunner *self, guint *n);
gboolean assay_runner_can_observe (AssayRunner *self, AssayValueId value);
gboolean assay_runner_can_force (const AssayRunner *self);
GPtrArray *assay_runner_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
                             const AssayProgress *progress,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
const gint64 *assay_runner_get_latencies (const AssayRunner *self, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunner, assay_runner_free)

G_END_DECLS
