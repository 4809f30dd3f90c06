/* assay-run-observer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

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
 * AssayRunExplainFunc:
 * @value: which value of the subject's graph
 * @rule: (transfer none): a rule of the device, in words that stay
 * @n: elements that it explains
 * @user_data: the data given with the observer
 *
 * Told why elements differ from those that were put in their place, right after.
 */
typedef void (*AssayRunExplainFunc) (AssayValueId value, const char *rule, gsize n,
                                     gpointer user_data);

/**
 * AssayRunObserver:
 * @func: shown every value, as it was computed
 * @user_data: handed to it
 * @values: (nullable) (array length=n_values): the values that are wanted, in any order; %NULL for
 * every one that the runner can give
 * @n_values: number of entries
 * @force: (nullable): asked for other values to go on with; for runners that can be forced
 * @explain: (nullable): told why what is computed differs from those, by runners that know
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
  AssayRunExplainFunc explain;
} AssayRunObserver;

gboolean assay_run_observer_wants (const AssayRunObserver *self, AssayValueId value);

G_END_DECLS
