/* assay-stream-check.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/check/assay-stream-check.h"

#include "base/assay-error.h"

static void
analysis_free (gpointer data)
{
  AssayStreamAnalysis *self = data;

  assay_dimensions_free (self->dimensions);
  assay_streaming_free (self->streaming);
  g_free (self);
}

/**
 * assay_stream_check_analyse:
 * @self: the check
 * @error: return location for a #GError
 *
 * Finds what the rules need to know of the whole graph: where the
 * sequence goes, and the data dimension of every tensor.
 */
gboolean
assay_stream_check_analyse (AssayCheck *self, GError **error)
{
  guint n_axes;
  const int *axes = assay_settings_get_axes (self->settings, &n_axes);
  AssayStreamAnalysis *analysis = g_new0 (AssayStreamAnalysis, 1);
  AssayDimensionOptions dimension_options = {
    .fixed = assay_settings_get_list (self->settings, ASSAY_SETTING_DATA_DIM),
    .allow_dynamic_weights = assay_settings_get_flag (self->settings,
                                                      ASSAY_SETTING_DYNAMIC_WEIGHTS),
    .inputs_are_parameters = assay_settings_get_flag (self->settings,
                                                      ASSAY_SETTING_INPUTS_ARE_PARAMETERS),
  };
  const AssayDimensionConflict *conflict;

  self->analysis = analysis;
  self->analysis_free = analysis_free;

  if (axes != NULL)
    {
      analysis->streaming = assay_graph_trace_streaming (self->graph, axes, n_axes, error);
      if (analysis->streaming == NULL)
        return FALSE;
      dimension_options.vanishing = analysis->streaming->axes;
    }

  analysis->dimensions = assay_graph_solve_dimensions (self->graph, &dimension_options, error);
  if (analysis->dimensions == NULL)
    return FALSE;

  /* No node is to blame when what the user asks for contradicts itself. */
  conflict = assay_dimensions_find_conflict (analysis->dimensions, ASSAY_NO_NODE);
  if (conflict != NULL)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, conflict->message);
      return FALSE;
    }

  self->result->data_dims = g_memdup2 (analysis->dimensions->dims,
                                       analysis->dimensions->n_values * sizeof (int));

  return TRUE;
}

/**
 * assay_stream_check_note_costs:
 * @self: the check
 *
 * Notes what the chosen data dimensions cost.
 */
void
assay_stream_check_note_costs (AssayCheck *self)
{
  const AssayStreamAnalysis *analysis = self->analysis;

  for (AssayNodeId id = 1; id < self->result->verdicts->len; id++)
    {
      AssayVerdict *verdict = &g_array_index (self->result->verdicts, AssayVerdict, id);
      g_autofree char *note = NULL;

      if (verdict->kind <= ASSAY_VERDICT_UNDECIDED || verdict->kind == ASSAY_VERDICT_REMOVED)
        continue;

      note = assay_dimensions_note (analysis->dimensions, self->graph, id);
      if (note != NULL)
        assay_check_add_note (self, verdict, ASSAY_STAGE_COMPILE, note);
    }
}
