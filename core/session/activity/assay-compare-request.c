/* assay-compare-request.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-compare-request.h"

#include "session/activity/assay-activity-private.h"
#include "session/assay-session-private.h"

/**
 * assay_compare_request_new:
 * @comparing: a comparison
 *
 * Takes down what the session has now.
 *
 * Returns: (transfer full): the request
 */
AssayCompareRequest *
assay_compare_request_new (AssayCompareActivity *comparing)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (comparing));
  AssayCompareRequest *self = g_new0 (AssayCompareRequest, 1);

  self->model = assay_work_copy (session->model);
  self->has_program = assay_activity_get_state (ASSAY_ACTIVITY (session->compilation)) ==
                      ASSAY_ACTIVITY_READY;
  for (guint i = 0; i < ASSAY_COMPARE_N_SIDES; i++)
    self->runners[i] = g_strdup (assay_compare_activity_get_runner (comparing, i));
  self->tolerance = g_strdup (assay_compare_activity_get_tolerance (comparing));
  self->axes = assay_settings_list_axes (assay_session_get_setup (session), session->graph);
  self->inputs = assay_input_choice_copy (assay_run_get_inputs (session->run));
  return self;
}

/**
 * assay_compare_request_free:
 * @self: a request
 *
 * Frees a request.
 */
void
assay_compare_request_free (AssayCompareRequest *self)
{
  assay_work_free (self->model);
  for (guint i = 0; i < ASSAY_COMPARE_N_SIDES; i++)
    g_free (self->runners[i]);
  g_free (self->tolerance);
  g_array_unref (self->axes);
  assay_input_choice_free (self->inputs);
  g_free (self);
}

/**
 * assay_compare_request_prepare:
 * @self: a request, whose model becomes one of tensors if it takes others
 * @progress: (nullable): progress and cancel
 * @sides: (out caller-allocates) (array fixed-size=2): gets the two sides
 * @ports: (out) (transfer full) (element-type AssayRunPort): gets the inputs of the model
 * @tensors: (out) (transfer full) (element-type AssayTensor): gets what goes into them
 * @error: return location for a #GError
 *
 * Makes what both sides run, and on what.
 *
 * Returns: (transfer full) (nullable): what both run
 */
AssayRunSubject *
assay_compare_request_prepare (AssayCompareRequest *self, const AssayProgress *progress,
                               AssayComparisonSide *sides, GArray **ports, GPtrArray **tensors,
                               GError **error)
{
  /* The program once more, this time with notes on where its values lie; two compilations give the
   * same bytes. */
  g_autoptr (AssayRunInputs) values = assay_input_choice_read (self->inputs, progress, error);
  AssayRunSubject *subject;
  AssayGraph *graph;
  guint n_steps;

  graph = values == NULL ? NULL : assay_work_get_graph (self->model, progress, error);
  if (graph == NULL)
    return NULL;
  n_steps = assay_count_steps (graph, self->axes);
  if (!self->has_program && !assay_work_open_inputs (&self->model, values, progress, error))
    return NULL;
  subject = assay_work_get_subject (self->model, self->has_program, progress, error);
  if (subject == NULL)
    return NULL;

  *ports = assay_run_subject_get_inputs (subject);
  *tensors = assay_input_choice_make (self->inputs, values,
                                      (const AssayRunPort *) (gpointer) (*ports)->data,
                                      (*ports)->len, n_steps, error);
  if (*tensors == NULL)
    return NULL;

  for (guint i = 0; i < ASSAY_COMPARE_N_SIDES; i++)
    sides[i] = (AssayComparisonSide){ self->runners[i], subject };
  return assay_run_subject_ref (subject);
}
