/* assay-remedy.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What undoes a cause on the target, and what that costs. Nothing is estimated: the model is
 * compiled anew with the setting, run, and compared.
 */
#include "work/assay-remedy.h"

#include <math.h>

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "cause/assay-causes.h"
#include "run/assay-gpu.h"
#include "work/assay-explain.h"

/* Causes of a tensor that are undone: those behind them do no better. */
#define MOST_CAUSES 3

/* Trials that share a program. */
typedef struct
{
  char *key;
  AssayComparison *comparison; /* (nullable) */
  char *refusal;               /* (nullable) */
  gboolean is_counted;
  gint64 cycles;
  gint64 blocks;
} Trial;

typedef struct
{
  AssayWork *work;
  AssayComparisonSide sides[2];
  guint machine; /* which side is the target's */
  GPtrArray *inputs;
  GPtrArray *trials;
  const AssayProgress *progress;
} Remedies;

/* A way to do without a cause: whether the target has it, and the settings with it. */
typedef gboolean (*ChangeFunc) (AssaySettings **settings, const AssayComparisonRow *row,
                                const AssayDivergenceCause *cause, char **key);

static gboolean
drop_fp8 (AssaySettings **settings, const AssayComparisonRow *row,
          const AssayDivergenceCause *cause, char **key)
{
  if (row->precision != ASSAY_COMPARE_FP8 ||
      !assay_settings_get_flag (*settings, ASSAY_SETTING_FP8_WEIGHTS))
    return FALSE;
  assay_settings_set_flag (settings, ASSAY_SETTING_FP8_WEIGHTS, FALSE);
  *key = g_strdup ("fp8-weights");
  return TRUE;
}

static gboolean
drop_half (AssaySettings **settings, const AssayComparisonRow *row,
           const AssayDivergenceCause *cause, char **key)
{
  const char *half = assay_settings_get_entry (*settings, ASSAY_SETTING_TARGET_OPTION,
                                               "force_fp16");

  if (g_strcmp0 (half, "true") != 0)
    return FALSE;
  assay_settings_set_entry (settings, ASSAY_SETTING_TARGET_OPTION, "force_fp16", "false");
  *key = g_strdup ("force_fp16");
  return TRUE;
}

static gboolean
keep_result (AssaySettings **settings, const AssayComparisonRow *row,
             const AssayDivergenceCause *cause, char **key)
{
  const char *node = cause->node[0] != '\0' ? cause->node : row->node_name;

  assay_settings_add_name (settings, ASSAY_SETTING_KEEP_FP32, node);
  *key = g_strdup_printf ("keep-fp32 %s", node);
  return TRUE;
}

/* The first that the target can do; what is none says why. */
static const struct
{
  const char *kind;
  AssayCapability needs;
  ChangeFunc change;
  const char *words;
} remedies[] = {
  { "constants", ASSAY_CAPABILITY_HAS_CONFIG, drop_fp8, "with weights in bf16" },
  { "rounding", ASSAY_CAPABILITY_HAS_CONFIG, drop_fp8, "with weights in bf16" },
  { "rounding", ASSAY_CAPABILITY_HAS_CONFIG, keep_result, "with its result in fp32" },
  { "constants", ASSAY_CAPABILITY_HAS_DEVICES, drop_half, "without force_fp16" },
  { "inputs", ASSAY_CAPABILITY_HAS_DEVICES, drop_half, "without force_fp16" },
  { "rounding", ASSAY_CAPABILITY_HAS_DEVICES, drop_half, "without force_fp16" },
  { "accumulation", ASSAY_CAPABILITY_HAS_DEVICES, drop_half, "without force_fp16" },
};

/* What hardware may do otherwise, and this one does not. Other causes are faults of a run. */
static const struct
{
  const char *kind;
  const char *words;
} fixed[] = {
  { "constants", "constants have the format of the target" },
  { "inputs", "inputs have the format of the target" },
  { "rounding", "results have the format of the target" },
  { "denormals", "how small a number may be is fixed" },
  { "order", "sums have one order" },
  { "accumulation", "sums have one format" },
  { "function", "each function has one form" },
};

static void
trial_free (gpointer data)
{
  Trial *trial = data;

  assay_comparison_free (trial->comparison);
  g_free (trial->refusal);
  g_free (trial->key);
  g_free (trial);
}

/* Compiles, runs and compares with other settings, once for all causes that want them. */
static const Trial *
try_settings (Remedies *self, AssaySettings *settings, const char *key, GError **error)
{
  g_autoptr (AssayWork) changed = NULL;
  g_autoptr (GError) local = NULL;
  AssayComparisonSide sides[] = { self->sides[0], self->sides[1] };
  const AssayRunSubject *before = self->sides[self->machine].subject;
  AssayRunSubject *subject;
  Trial *trial;

  for (guint i = 0; i < self->trials->len; i++)
    {
      trial = g_ptr_array_index (self->trials, i);
      if (g_str_equal (trial->key, key))
        return trial;
    }

  trial = g_new0 (Trial, 1);
  trial->key = g_strdup (key);
  g_ptr_array_add (self->trials, trial);
  changed = assay_work_with_settings (self->work, settings);
  subject = assay_work_get_subject (changed, TRUE, self->progress, &local);
  if (subject != NULL)
    {
      sides[0].subject = sides[1].subject = subject;
      trial->is_counted = assay_program_counts_cycles (subject->program);
      trial->cycles = assay_explain_count_cycles (subject) - assay_explain_count_cycles (before);
      trial->blocks = assay_explain_count_blocks (subject->program) -
                      assay_explain_count_blocks (before->program);
      trial->comparison = assay_compare_runs (&sides[0], &sides[1], self->inputs, NULL,
                                              self->progress, &local);
    }
  if (g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  if (trial->comparison == NULL)
    trial->refusal = g_strdup (local->message);

  return trial;
}

static const AssayComparisonRow *
find_row (const AssayComparison *comparison, const AssayComparisonRow *wanted)
{
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (g_str_equal (row->name, wanted->name) && row->verdict != ASSAY_COMPARISON_UNKNOWN)
        return row;
    }

  return NULL;
}

static gboolean
take_trial (const AssayComparisonRow *row, AssayDivergenceCause *cause, const Trial *trial,
            const char *words)
{
  const AssayComparisonRow *now = trial->comparison != NULL ? find_row (trial->comparison, row)
                                                            : NULL;

  if (now == NULL)
    {
      cause->refusal = g_strdup (trial->refusal != NULL ? trial->refusal
                                                        : "the tensor is no longer seen then");
      return FALSE;
    }
  /* In the units of before, which may have been coarser. */
  cause->unremedied = assay_comparison_row_error (row);
  cause->remedied = ldexp (assay_comparison_row_error (now),
                           (int) assay_compare_precision_bits (row->precision) -
                               (int) assay_compare_precision_bits (now->precision));
  if (!(cause->remedied < cause->unremedied))
    {
      cause->refusal = g_strdup_printf ("%s it is no smaller", words);
      return FALSE;
    }
  cause->remedy = g_strdup (words);
  cause->is_counted = trial->is_counted;
  cause->cycles = trial->cycles;
  cause->blocks = trial->blocks;
  return TRUE;
}

static gboolean
remedy (Remedies *self, const AssayComparisonRow *row, AssayDivergenceCause *cause, GError **error)
{
  AssayTarget *target = assay_work_get_target (self->work);

  for (guint i = 0; i < G_N_ELEMENTS (remedies); i++)
    {
      g_autoptr (AssaySettings)
          settings = assay_settings_ref (assay_work_get_settings (self->work));
      g_autofree char *key = NULL;
      const Trial *trial;

      if (!g_str_equal (remedies[i].kind, cause->kind) ||
          !assay_backend_has (target, remedies[i].needs) ||
          !remedies[i].change (&settings, row, cause, &key))
        continue;
      trial = try_settings (self, settings, key, error);
      if (trial == NULL)
        return FALSE;
      g_clear_pointer (&cause->refusal, g_free);
      if (take_trial (row, cause, trial, remedies[i].words))
        return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (fixed) && cause->refusal == NULL; i++)
    if (g_str_equal (fixed[i].kind, cause->kind))
      cause->refusal = g_strdup_printf ("not available on this target: %s", fixed[i].words);

  return TRUE;
}

/* Whether a runner runs programs, and not in fp32 what they say in bf16. */
static gboolean
runs_narrow (const char *spec)
{
  const AssayRunnerKind *kind = assay_runner_kind_find (spec, NULL);

  return kind != NULL && kind->needs_program && !g_str_equal (kind->name, "vm-fp32");
}

/* What undoes the causes of rows from @begin up to @end. */
static gboolean
remedy_rows (const AssayComparison *comparison, guint begin, guint end, AssayWork *work,
             const AssayComparisonSide *a, const AssayComparisonSide *b, GPtrArray *inputs,
             const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) trials = g_ptr_array_new_with_free_func (trial_free);
  Remedies self = {
    .work = work, .sides = { *a, *b }, .inputs = inputs, .trials = trials, .progress = progress
  };

  self.machine = runs_narrow (b->spec) ? 1 : 0;
  if (work == NULL || assay_work_get_target (work) == NULL ||
      !runs_narrow (self.sides[self.machine].spec))
    return TRUE;

  for (guint i = begin; i < end; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      for (guint j = 0; row->causes != NULL && j < MIN (row->causes->len, MOST_CAUSES); j++)
        if (!remedy (&self, row, g_ptr_array_index (row->causes, j), error))
          return FALSE;
    }

  return TRUE;
}

/**
 * assay_explain_causes:
 * @comparison: two runs that were compared
 * @work: (nullable): the model that was, for its target; %NULL for no remedies
 * @a: the reference
 * @b: what was compared with it
 * @inputs: (element-type AssayTensor): what both ran on
 * @n_rows: how many tensors to explain, as for assay_causes_find()
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Finds what makes tensors differ, as assay_causes_find() does; and where one of the two is the
 * machine of the target, what of it a setting undoes, what is left then and what that costs.
 *
 * Returns: whether nothing failed
 */
gboolean
assay_explain_causes (AssayComparison *comparison, AssayWork *work, const AssayComparisonSide *a,
                      const AssayComparisonSide *b, GPtrArray *inputs, guint n_rows,
                      const AssayProgress *progress, GError **error)
{
  AssayProgress finding = assay_progress_part (progress, 0.0, 0.6);
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();

  return assay_causes_find (comparison, a, b, inputs, n_rows, &finding, error) &&
         remedy_rows (comparison, 0, comparison->rows->len, work, a, b, inputs, progress, error);
}

/**
 * assay_explain_causes_of:
 * @comparison: two runs that were compared, now or at another time
 * @index: a row of it that differs
 * @work: (nullable): as for assay_explain_causes()
 * @a: the reference
 * @b: what was compared with it
 * @inputs: (element-type AssayTensor): what both ran on
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Explains one tensor, as assay_causes_find_of() does, with what undoes its causes.
 *
 * Returns: whether it was tried
 */
gboolean
assay_explain_causes_of (AssayComparison *comparison, guint index, AssayWork *work,
                         const AssayComparisonSide *a, const AssayComparisonSide *b,
                         GPtrArray *inputs, const AssayProgress *progress, GError **error)
{
  AssayProgress finding = assay_progress_part (progress, 0.0, 0.6);
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();

  return assay_causes_find_of (comparison, index, a, b, inputs, &finding, error) &&
         remedy_rows (comparison, index, index + 1, work, a, b, inputs, progress, error);
}
