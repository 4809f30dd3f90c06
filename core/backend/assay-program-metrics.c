/* assay-program-metrics.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-program-class.h"

static void
figure_clear (gpointer data)
{
  g_free (((AssayProgramFigure *) data)->used);
}

/**
 * assay_program_metrics_new:
 * @program: a program
 *
 * Counts what a program uses of its hardware.
 *
 * Returns: (transfer full): the metrics
 */
AssayProgramMetrics *
assay_program_metrics_new (AssayProgram *program)
{
  AssayProgramMetrics *self = g_new0 (AssayProgramMetrics, 1);
  guint n_models = assay_program_num_models (program);

  self->program = g_object_ref (program);
  self->n_cores = assay_program_get_facts (program)->config->num_cores;
  self->figures = g_array_new (FALSE, FALSE, sizeof (AssayProgramFigure));
  g_array_set_clear_func (self->figures, figure_clear);
  self->input_bytes = g_new0 (guint64, n_models + 1);
  self->output_bytes = g_new0 (guint64, n_models + 1);
  ASSAY_PROGRAM_GET_CLASS (program)->count (program, self);

  return self;
}

void
assay_program_metrics_free (AssayProgramMetrics *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->figures);
  g_free (self->input_bytes);
  g_free (self->output_bytes);
  g_object_unref (self->program);
  g_free (self);
}

/**
 * assay_program_metrics_add:
 * @self: metrics
 * @figure: a figure without numbers
 *
 * Adds a figure with room for a number per core if it has a name.
 *
 * Returns: (transfer none): the figure, until another one is added
 */
AssayProgramFigure *
assay_program_metrics_add (AssayProgramMetrics *self, const AssayProgramFigure *figure)
{
  AssayProgramFigure *added;

  g_array_append_val (self->figures, *figure);
  added = &g_array_index (self->figures, AssayProgramFigure, self->figures->len - 1);
  added->used = figure->name == NULL ? NULL : g_new0 (guint64, self->n_cores + 1);

  return added;
}

/**
 * assay_program_metrics_find:
 * @self: metrics
 * @name: a member of a document: of the limit, or of the numbers
 *
 * Finds a figure.
 *
 * Returns: (transfer none) (nullable): the figure
 */
const AssayProgramFigure *
assay_program_metrics_find (const AssayProgramMetrics *self, const char *name)
{
  for (guint i = 0; i < self->figures->len; i++)
    {
      const AssayProgramFigure *figure = &g_array_index (self->figures, AssayProgramFigure, i);

      if (g_strcmp0 (figure->limit_name, name) == 0 || g_strcmp0 (figure->name, name) == 0)
        return figure;
    }

  return NULL;
}

/**
 * assay_program_metrics_count_free:
 * @self: metrics
 * @limit_name: (nullable): how documents call the limit of a store
 *
 * Counts what is free of a store on the core that uses most of it.
 *
 * Returns: how much; 0 for a store that nobody knows
 */
guint32
assay_program_metrics_count_free (const AssayProgramMetrics *self, const char *limit_name)
{
  for (guint i = 0; i < self->figures->len; i++)
    {
      const AssayProgramFigure *figure = &g_array_index (self->figures, AssayProgramFigure, i);
      guint64 used = 0;

      if (figure->name == NULL || g_strcmp0 (figure->limit_name, limit_name) != 0)
        continue;
      for (guint core = 0; core < self->n_cores; core++)
        used = MAX (used, figure->used[core]);
      return (guint32) (figure->limit > used ? figure->limit - used : 0);
    }

  return 0;
}
