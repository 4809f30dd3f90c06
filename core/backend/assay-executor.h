/* assay-executor.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"
#include "backend/assay-run-observer.h"
#include "base/assay-progress.h"

G_BEGIN_DECLS

/**
 * AssayExecutorOptions:
 * @fp32: whether nothing is rounded to the type that the hardware computes in
 * @quantiser: whether what the tool that quantised simulates is computed, rather than what the
 * hardware does
 * @truncate: whether inputs are truncated to that type instead of rounded
 * @n_threads: threads to compute in where a program can be divided, 0 for as many as pay; results
 * do not depend on it
 *
 * How a program is executed here.
 */
typedef struct
{
  gboolean fp32;
  gboolean truncate;
  gboolean quantiser;
  guint n_threads;
} AssayExecutorOptions;

typedef struct _AssayExecutor AssayExecutor;

/**
 * AssayExecutorClass:
 * @clear: (nullable): frees what it holds
 * @reset: (nullable): puts a model into its initial state
 * @run: runs an inference of a model
 * @watch: (nullable): shows the values of the inferences that follow
 *
 * What executes the programs of a backend.
 */
typedef struct
{
  void (*clear) (AssayExecutor *self);
  void (*reset) (AssayExecutor *self, guint model);
  gboolean (*run) (AssayExecutor *self, guint model, gint64 step, const float *const *inputs,
                   float *const *outputs, const AssayProgress *progress, GError **error);
  void (*watch) (AssayExecutor *self, const AssayRunObserver *observer);
} AssayExecutorClass;

/**
 * AssayExecutor:
 * @klass: what it does
 * @program: what it runs
 *
 * Executes a program here, with the state that its models keep between inferences. One thread at a
 * time.
 */
struct _AssayExecutor
{
  const AssayExecutorClass *klass;
  AssayProgram *program;
};

AssayExecutor *assay_executor_new (AssayProgram *program, const AssayExecutorOptions *options,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_executor_free (AssayExecutor *self);
void assay_executor_reset (AssayExecutor *self, guint model);
void assay_executor_watch (AssayExecutor *self, const AssayRunObserver *observer);
gboolean assay_executor_run (AssayExecutor *self, guint model, gint64 step,
                             const float *const *inputs, float *const *outputs,
                             const AssayProgress *progress, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayExecutor, assay_executor_free)

G_END_DECLS
