/* assay-smaller-inputs.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * With which extents of its inputs a model fits that does not fit as it is. Nothing is reckoned:
 * the model is bound, checked and built anew for each that is tried.
 */
#include "work/assay-smaller-inputs.h"

#include "backend/assay-program-metrics.h"
#include "nnir/shape/assay-infer.h"
#include "source/assay-bind-shapes.h"

/* Of how many axes, and how often after one was found that fits, since more of it may fit. */
#define MOST_AXES 4
#define MOST_REFINEMENTS 10

typedef struct
{
  AssayWork *work;
  AssayGraph *graph;
  AssayConfig *config;     /* (nullable) */
  AssaySettings *settings; /* of the program */
  AssayAllocation *allocation;
  const AssayProgress *progress;
} Search;

/* Whether the model fits with an extent, and what is free then. */
static gboolean
fits (const Search *self, const char *axis, gint64 extent, guint32 *n_free)
{
  g_autofree char *binding = g_strdup_printf ("%s=%" G_GINT64_FORMAT, axis, extent);
  const char *const bindings[] = { binding, NULL };
  g_autoptr (AssayGraph) graph = assay_graph_copy (self->graph);
  g_autoptr (AssayWork) bound = NULL;
  g_autoptr (AssayProgramMetrics) metrics = NULL;

  if (!assay_graph_bind_shapes (graph, NULL, bindings, NULL) ||
      !assay_graph_infer (graph, NULL, self->progress, NULL))
    return FALSE;

  bound = assay_work_new_for_graph (NULL, graph, assay_work_get_target (self->work),
                                    assay_work_get_settings (self->work));
  if (!assay_work_build (&bound, 1, self->config, self->settings, self->progress, NULL))
    return FALSE;

  metrics = assay_program_metrics_new (assay_work_get_program (bound, self->progress, NULL));
  *n_free = assay_program_metrics_count_free (metrics, self->allocation->member);
  return TRUE;
}

/* The largest extent with which the model fits, as halving and then looking between two finds it;
 * 0 for none. */
static gint64
find_extent (const Search *self, const char *axis, gint64 extent, guint32 *n_free)
{
  gint64 fitting = extent / 2, too_large = extent;

  while (fitting > 0 && !fits (self, axis, fitting, n_free))
    {
      if (assay_progress_is_cancelled (self->progress))
        return 0;
      too_large = fitting;
      fitting /= 2;
    }
  for (guint i = 0; fitting > 0 && i < MOST_REFINEMENTS && too_large - fitting > 1 &&
                    !assay_progress_is_cancelled (self->progress);
       i++)
    {
      gint64 between = fitting + (too_large - fitting) / 2;

      *(fits (self, axis, between, n_free) ? &fitting : &too_large) = between;
    }

  return fitting;
}

static void
try_axis (const Search *self, const AssayValue *input, int axis, AssayWayFunc found, gpointer data)
{
  gint64 extent = input->type->dims[axis].size;
  g_autofree char *name = g_strdup_printf ("%s:%d", input->name, axis);
  guint32 n_free = 0;
  gint64 fitting = find_extent (self, name, extent, &n_free);
  const AssayWayOut *way;

  if (fitting == 0)
    return;

  way = assay_allocation_add_way_out (
      self->allocation, ASSAY_WAY_SIZE, (guint32) fitting, name,
      g_strdup_printf ("axis %d of %s: %" G_GINT64_FORMAT " instead of %" G_GINT64_FORMAT, axis,
                       input->name, fitting, extent),
      g_strdup_printf ("--bind %s=%" G_GINT64_FORMAT, name, fitting),
      assay_allocation_shortage (self->allocation) + n_free);
  if (found != NULL)
    found (way, data);
}

/**
 * assay_work_find_smaller_inputs:
 * @self: work of which no program can be made because it does not fit
 * @config: (nullable): the hardware that it was built for, as for assay_work_build()
 * @settings: (nullable): what concerned the whole program
 * @allocation: why; gets the ways out
 * @found: (nullable) (scope call): is told of each
 * @data: for @found
 * @progress: (nullable): cancel
 *
 * Tries smaller extents of the inputs, one axis after another, and notes the largest of each with
 * which the model fits.
 */
void
assay_work_find_smaller_inputs (AssayWork *self, AssayConfig *config, AssaySettings *settings,
                                AssayAllocation *allocation, AssayWayFunc found, gpointer data,
                                const AssayProgress *progress)
{
  AssayGraph *graph = assay_work_get_graph (self, progress, NULL);
  g_autoptr (AssaySettings) searched = settings != NULL ? assay_settings_ref (settings) : NULL;
  Search search = { self, graph, config, NULL, allocation, progress };
  guint n_times, n_axes = 0;
  const int *times = assay_settings_get_axes (assay_work_get_settings (self), &n_times);
  const GArray *inputs;

  if (graph == NULL)
    return;

  /* What fits on all cores fits whatever the search finds better. */
  assay_settings_set_flag (&searched, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  search.settings = searched;
  inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *input = assay_graph_value (graph, g_array_index (inputs, AssayValueId, i));

      for (int axis = 0; !input->is_parameter && axis < input->type->rank; axis++)
        {
          gint64 extent = input->type->dims[axis].size;

          /* Of time there is one step at once, whatever its extent. */
          if (extent < 2 || extent > G_MAXINT32 ||
              (n_times > 0 && times[MIN (i, n_times - 1)] == axis))
            continue;
          if (n_axes++ == MOST_AXES || assay_progress_is_cancelled (progress))
            return;
          try_axis (&search, input, axis, found, data);
        }
    }
}
