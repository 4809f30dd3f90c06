/* assay-runner.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-run-observer.h"
#include "evaluate/compare/assay-compare.h"
#include "run/assay-run-subject.h"
#include "target/assay-target.h"

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
 * @seconds: how long a runner may take for one answer, 0 for ten minutes if it is a program or a
 * board, and for any time if it is the evaluator
 * @loop_turns: turns of a loop that the model does not count, 0 for as many as the evaluator likes
 * @truncate: whether the machine truncates inputs to bf16 instead of rounding them
 * @observes: whether values between inputs and outputs will be looked at, so that what shows them
 * is made ready at once
 *
 * How runners work. All zero is what a user gets who says nothing.
 */
typedef struct
{
  guint n_threads;
  const char *onnxruntime;
  guint seconds;
  guint loop_turns;
  gboolean truncate;
  gboolean observes;
} AssayRunnerOptions;

/**
 * AssayObserving:
 * @ASSAY_OBSERVING_HARMLESS: what is observed is what it computes anyway
 * @ASSAY_OBSERVING_WHOLE: it computes otherwise as soon as anything is observed
 * @ASSAY_OBSERVING_PART: it may compute otherwise around each value that is observed
 *
 * The effect on a runner of looking at values between inputs and outputs.
 */
typedef enum
{
  ASSAY_OBSERVING_HARMLESS,
  ASSAY_OBSERVING_WHOLE,
  ASSAY_OBSERVING_PART,
} AssayObserving;

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
 * @names_program: whether its argument is a program or a library, which does what it likes
 * @precision: what it computes in; assay_runner_get_precision() asks the program too
 * @reaches_out: whether it has to have all rights of the user: the network, other folders
 * @observing: what looking at values does to it
 * @variant: (nullable): a word that the argument may be, or begin with before a colon, for another
 * way to run
 * @variant_label: (nullable): what the window says then
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
  AssayComparePrecision precision;
  gboolean names_program;
  gboolean reaches_out;
  AssayObserving observing;
  const char *variant;
  const char *variant_label;

  /*< private >*/
  const struct _AssayRunnerClass *klass;
};

/**
 * AssayRunnerStep:
 * @name: of the node, or of the tensor that was copied
 * @where: on what it ran: `device` or `host`, or `upload` or `download` of a copy
 * @begin: when it began, in nanoseconds since the inference did
 * @ns: how long it took, in nanoseconds
 *
 * A part of an inference that was timed by itself.
 */
typedef struct
{
  const char *name;
  const char *where;
  gint64 begin;
  gint64 ns;
} AssayRunnerStep;

const AssayRunnerKind *assay_runner_kind_get (guint index);
const AssayRunnerKind *assay_runner_kind_find (const char *spec, GError **error);
const char *assay_runner_for_target (const char *spec, AssayTarget *target);
gboolean assay_runner_names_program (const char *spec);
gboolean assay_runner_kind_check (const AssayRunnerKind *self, const char *spec,
                                  const AssayRunSubject *subject, GError **error);
AssayRunner *assay_runner_open (const char *spec, AssayRunSubject *subject,
                                const AssayRunnerOptions *options, const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_runner_free (AssayRunner *self);
const char *assay_runner_get_spec (const AssayRunner *self);
const char *assay_runner_get_label (const AssayRunner *self);
const AssayRunnerKind *assay_runner_get_kind (const AssayRunner *self);
AssayComparePrecision assay_runner_get_precision (const AssayRunner *self);
AssayRunSubject *assay_runner_get_subject (const AssayRunner *self);
const AssayRunPort *assay_runner_get_inputs (const AssayRunner *self, guint *n);
const AssayRunPort *assay_runner_get_outputs (const AssayRunner *self, guint *n);
gboolean assay_runner_can_observe (AssayRunner *self, AssayValueId value);
gboolean assay_runner_runs_shader (AssayRunner *self, AssayNodeId node);
gboolean assay_runner_can_force (const AssayRunner *self);
GPtrArray *assay_runner_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
                             const AssayProgress *progress,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
const gint64 *assay_runner_get_latencies (const AssayRunner *self, guint *n);
const AssayRunnerStep *assay_runner_get_steps (const AssayRunner *self, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunner, assay_runner_free)

G_END_DECLS
