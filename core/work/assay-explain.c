/* assay-explain.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes the bf16 error of a model comes from. Nothing is estimated: for each candidate the
 * program is compiled again with that node's result in fp32, run, and compared.
 */
#include "work/assay-explain.h"

#include <math.h>

#include "backend/assay-program-metrics.h"
#include "base/assay-error.h"

static void
share_clear (gpointer data)
{
  AssayErrorShare *share = data;

  g_free (share->node);
  g_free (share->refusal);
}

/* How far the worst output is off. */
static void
measure_outputs (const AssayComparison *comparison, double *error, double *sqnr_db)
{
  *error = 0;
  *sqnr_db = INFINITY;

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (!row->is_output || row->verdict == ASSAY_COMPARISON_UNKNOWN)
        continue;
      *error = MAX (*error, row->total.error);
      *sqnr_db = MIN (*sqnr_db, row->total.sqnr_db);
    }
}

static int
compare_own (gconstpointer a, gconstpointer b)
{
  const AssayComparisonRow *left = *(const AssayComparisonRow *const *) a;
  const AssayComparisonRow *right = *(const AssayComparisonRow *const *) b;

  if (left->own.error > right->own.error || left->own.error < right->own.error)
    return left->own.error > right->own.error ? -1 : 1;

  return left->node < right->node ? -1 : left->node > right->node;
}

/* The nodes with the largest own error, the worst first. */
static GPtrArray *
find_candidates (const AssayComparison *comparison, guint n_nodes)
{
  GPtrArray *candidates = g_ptr_array_new ();

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (row->has_own && row->node_name[0] != '\0' && row->own.error > 0)
        g_ptr_array_add (candidates, (gpointer) row);
    }
  g_ptr_array_sort (candidates, compare_own);
  if (candidates->len > n_nodes)
    g_ptr_array_set_size (candidates, (int) n_nodes);

  return candidates;
}

/**
 * assay_explain_count_blocks:
 * @program: a program
 *
 * Counts what it takes of weight store and tensor RAM, of all cores together.
 *
 * Returns: blocks
 */
gint64
assay_explain_count_blocks (AssayProgram *program)
{
  static const char *const stores[] = { "weight_store_used", "tensor_ram_used" };
  g_autoptr (AssayProgramMetrics) metrics = assay_program_metrics_new (program);
  gint64 n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (stores); i++)
    {
      const AssayProgramFigure *figure = assay_program_metrics_find (metrics, stores[i]);

      for (guint core = 0; figure != NULL && figure->used != NULL && core < metrics->n_cores;
           core++)
        n += (gint64) figure->used[core];
    }

  return n;
}

/**
 * assay_explain_count_cycles:
 * @subject: a program, and which of its models
 *
 * Gets the cycles of an inference that finds the accelerator idle.
 *
 * Returns: cycles, 0 where they are not counted
 */
gint64
assay_explain_count_cycles (const AssayRunSubject *subject)
{
  return assay_program_counts_cycles (subject->program)
             ? (gint64) assay_program_get_cycles (subject->program, subject->model)->spaced
             : 0;
}

/* Compiles, runs and compares with one more node in fp32. */
static AssayComparison *
try_node (AssayWork *work, const char *reference, GPtrArray *inputs, const char *node,
          AssayErrorShare *share, const AssayProgress *progress, GError **error)
{
  const AssayComparisonOptions outputs = { .outputs_only = TRUE };
  g_autoptr (AssaySettings) kept = assay_settings_ref (assay_work_get_settings (work));
  g_autoptr (AssayWork) changed = NULL;
  AssayComparisonSide a = { reference, NULL }, b = { "vm", NULL };

  assay_settings_add_name (&kept, ASSAY_SETTING_KEEP_FP32, node);
  changed = assay_work_with_settings (work, kept);
  a.subject = assay_work_get_subject (work, TRUE, progress, error);
  b.subject = assay_work_get_subject (changed, TRUE, progress, error);
  if (a.subject == NULL || b.subject == NULL)
    return NULL;
  share->cycles = assay_explain_count_cycles (b.subject) - assay_explain_count_cycles (a.subject);
  share->blocks = assay_explain_count_blocks (b.subject->program) -
                  assay_explain_count_blocks (a.subject->program);

  return assay_compare_runs (&a, &b, inputs, &outputs, progress, error);
}

/**
 * assay_explain_error:
 * @comparison: of the machine with the reference
 * @work: the model, built
 * @reference: the runner that was the reference
 * @inputs: (element-type AssayTensor): what was compared on
 * @n_nodes: how many nodes to try, those with the largest own error
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Measures what keeping the result of one node in fp32 gains, node by node.
 *
 * Returns: (transfer full) (nullable) (element-type AssayErrorShare): the nodes, by own error
 */
GArray *
assay_explain_error (const AssayComparison *comparison, AssayWork *work, const char *reference,
                     GPtrArray *inputs, guint n_nodes, const AssayProgress *progress,
                     GError **error)
{
  g_autoptr (GPtrArray) candidates = find_candidates (comparison, n_nodes);
  g_autoptr (GArray) shares = g_array_new (FALSE, TRUE, sizeof (AssayErrorShare));
  double base_error, base_sqnr;

  g_array_set_clear_func (shares, share_clear);
  measure_outputs (comparison, &base_error, &base_sqnr);

  for (guint i = 0; i < candidates->len; i++)
    {
      const AssayComparisonRow *row = g_ptr_array_index (candidates, i);
      AssayErrorShare share = { .own_error = row->own.error,
                                .output_error = base_error,
                                .output_sqnr_db = base_sqnr };
      g_autoptr (GError) local = NULL;
      g_autoptr (AssayComparison)
          changed = try_node (work, reference, inputs, row->node_name, &share, progress, &local);

      if (g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return NULL;
        }

      share.node = g_strdup (row->node_name);
      if (changed != NULL)
        measure_outputs (changed, &share.output_error, &share.output_sqnr_db);
      else
        share.refusal = g_strdup (local->message);
      share.gain_db = isinf (share.output_sqnr_db) && isinf (base_sqnr)
                          ? 0
                          : share.output_sqnr_db - base_sqnr;
      g_array_append_val (shares, share);
      assay_progress_report (progress, (double) (i + 1) / (double) candidates->len, share.node);
    }

  return g_steal_pointer (&shares);
}
