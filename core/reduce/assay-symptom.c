/* assay-symptom.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reduce/assay-symptom.h"

#include <string.h>
#include <sys/wait.h>

#include "base/assay-error.h"
#include "process/assay-child.h"
#include "process/assay-temporary.h"
#include "run/assay-comparison.h"
#include "run/assay-run-inputs.h"
#include "source/onnx/assay-onnx-write.h"
#include "target/assay-verdict.h"

/* How long a command may take, unless the user says. */
#define USUAL_SECONDS 60

/* A part of a model that cannot even be looked at shows nothing. Of the model itself, of which
 * nothing is expected yet, that is an error. */
static char *
shows_nothing (const char *expected, GError *cause, GError **error)
{
  if (expected == NULL || g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    g_propagate_error (error, cause);
  else
    g_error_free (cause);

  return NULL;
}

/* What is wanted, else what was seen before, else what comes first. */
static gboolean
is_wanted (const AssaySymptom *self, const char *expected, const char *seen)
{
  const char *wanted = self->argument != NULL ? self->argument : expected;

  return wanted == NULL || g_str_equal (wanted, seen);
}

static char *
observe_rejected (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
                  const char *expected, const AssayProgress *progress, GError **error)
{
  GError *cause = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, progress, &cause);

  if (verdicts == NULL)
    return shows_nothing (expected, cause, error);
  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      const AssayCause *rejected = &g_array_index (verdicts->causes, AssayCause, i);

      if (is_wanted (self, expected, rejected->rule))
        return g_strdup (rejected->rule);
    }

  return NULL;
}

/* Where nodes are rejected, the rule by which they are is a part of it. */
static char *
observe_refused (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
                 const char *expected, const AssayProgress *progress, GError **error)
{
  GError *cause = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, progress, &cause);
  g_autofree char *code = NULL;

  if (verdicts == NULL)
    return shows_nothing (expected, cause, error);
  if (assay_work_get_program (work, progress, &cause) != NULL)
    return NULL;
  /* Settings that do not fit the model are no fault of it. */
  if (cause->domain != ASSAY_ERROR || cause->code == ASSAY_ERROR_CANCELLED ||
      cause->code == ASSAY_ERROR_INVALID)
    return shows_nothing (expected, cause, error);

  code = g_ascii_strdown (assay_error_code_name ((AssayError) cause->code), -1);
  g_error_free (cause);
  if (assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) == 0)
    return is_wanted (self, expected, code) ? g_steal_pointer (&code) : NULL;
  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      g_autofree char *seen = g_strconcat (
          code, ", ", g_array_index (verdicts->causes, AssayCause, i).rule, NULL);

      if (is_wanted (self, expected, seen))
        return g_steal_pointer (&seen);
    }

  return NULL;
}

/* Values of the inputs of a model, by name. */
static GPtrArray *
pick_inputs (AssayRunSubject *subject, GHashTable *inputs, GError **error)
{
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (AssayRunInputs) values = assay_run_inputs_new ();

  for (guint i = 0; i < ports->len; i++)
    {
      const char *name = g_array_index (ports, AssayRunPort, i).name;
      AssayTensor *tensor = g_hash_table_lookup (inputs, name);

      if (tensor != NULL)
        assay_run_inputs_set_tensor (values, name, tensor);
    }

  return assay_run_inputs_make (values, (const AssayRunPort *) (gpointer) ports->data, ports->len,
                                0, error);
}

static AssayComparison *
compare (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
         const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayTolerance) usual = self->tolerance == NULL ? assay_tolerance_new_default ()
                                                             : NULL;
  const AssayComparisonOptions options = {
    .tolerance = self->tolerance != NULL ? self->tolerance : usual,
    .runner.seconds = self->seconds,
  };
  const AssayRunnerKind *a = assay_runner_kind_find (self->a, error);
  const AssayRunnerKind *b = a != NULL ? assay_runner_kind_find (self->b, error) : NULL;
  AssayRunSubject *subject = b != NULL
                                 ? assay_work_get_subject (
                                       work, a->needs_program || b->needs_program, progress, error)
                                 : NULL;
  const AssayComparisonSide left = { self->a, subject }, right = { self->b, subject };
  g_autoptr (GPtrArray) values = subject != NULL ? pick_inputs (subject, inputs, error) : NULL;

  return values != NULL ? assay_compare_runs (&left, &right, values, &options, progress, error)
                        : NULL;
}

static char *
observe_outside (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
                 const char *expected, const AssayProgress *progress, GError **error)
{
  GError *cause = NULL;
  g_autoptr (AssayComparison) comparison = compare (self, work, inputs, progress, &cause);

  if (comparison == NULL)
    return shows_nothing (expected, cause, error);
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (row->verdict == ASSAY_COMPARISON_OUTSIDE && is_wanted (self, expected, row->op_type))
        return g_strdup (row->op_type);
    }

  return NULL;
}

/* How a command ended, or %NULL if it ended well. */
static char *
run_command (const char *command, guint seconds, const AssayProgress *progress, GError **error)
{
  const char *argv[] = { "/bin/sh", "-c", command, NULL };
  g_autoptr (AssayChild) child = assay_child_new (argv, error);
  g_autoptr (GError) cause = NULL;
  char buffer[4096];
  gsize n = sizeof buffer;
  int status;

  if (child == NULL)
    return NULL;
  assay_child_set_deadline (child, seconds);
  while (n == sizeof buffer)
    if (!assay_child_read (child, buffer, sizeof buffer, &n, progress, &cause))
      {
        if (g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
          g_propagate_error (error, g_steal_pointer (&cause));
        return cause != NULL ? g_strdup ("no end") : NULL;
      }
  if (!assay_child_end (child, &status))
    return g_strdup ("no end");
  if (WIFSIGNALED (status))
    return g_strdup_printf ("signal %d", WTERMSIG (status));

  return WEXITSTATUS (status) != 0 ? g_strdup_printf ("status %d", WEXITSTATUS (status)) : NULL;
}

static char *
observe_command (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
                 const char *expected, const AssayProgress *progress, GError **error)
{
  static const AssayOnnxWriteOptions options = { .keep_names = TRUE };
  GError *cause = NULL;
  AssayGraph *graph = assay_work_get_graph (work, progress, &cause);
  g_autofree char *folder = graph != NULL ? assay_temporary_folder ("reduce", &cause) : NULL;
  g_autofree char *path = folder != NULL ? g_build_filename (folder, "model.onnx", NULL) : NULL;
  g_autofree char *seen = NULL;

  if (path != NULL && assay_onnx_write_file (graph, path, &options, progress, &cause))
    {
      g_autofree char *quoted = g_shell_quote (path);
      g_auto (GStrv) parts = g_strsplit (self->argument, "{}", -1);
      g_autofree char *command = g_strjoinv (quoted, parts);

      seen = run_command (command, self->seconds > 0 ? self->seconds : USUAL_SECONDS, progress,
                          &cause);
    }
  if (folder != NULL)
    assay_temporary_delete (folder);
  if (cause != NULL)
    return shows_nothing (expected, cause, error);

  return seen != NULL && (expected == NULL || g_str_equal (seen, expected))
             ? g_steal_pointer (&seen)
             : NULL;
}

/* To add a symptom, add a row. */
static const AssaySymptomKind kinds[] = {
  { "rejected", "RULE",
    "A node that the target does not take, by this rule or that of the first cause", TRUE, FALSE,
    "check", observe_rejected },
  { "refused", NULL, "No program can be made: it does not fit, or cannot be compiled", TRUE, FALSE,
    "compile", observe_refused },
  { "outside", "OP", "A tensor further apart than rounding explains, of this op or the first one",
    FALSE, TRUE, "compare", observe_outside },
  { "command", "COMMAND", "A command that fails; {} stands for the model", FALSE, FALSE, NULL,
    observe_command },
};

/**
 * assay_symptom_kind_get:
 * @index: a number
 *
 * Lists the kinds.
 *
 * Returns: (nullable): the kind, or %NULL after the last one
 */
const AssaySymptomKind *
assay_symptom_kind_get (guint index)
{
  return index < G_N_ELEMENTS (kinds) ? &kinds[index] : NULL;
}

/**
 * assay_symptom_new: (skip)
 * @spec: `NAME` or `NAME:ARGUMENT`
 * @error: return location for a #GError
 *
 * Reads what users write.
 *
 * Returns: (transfer full) (nullable): the symptom, or %NULL with %ASSAY_ERROR_INVALID
 */
AssaySymptom *
assay_symptom_new (const char *spec, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (spec, ":", 2);
  const AssaySymptomKind *kind = NULL;
  AssaySymptom *self;

  for (guint i = 0; i < G_N_ELEMENTS (kinds) && kind == NULL; i++)
    if (g_strcmp0 (parts[0], kinds[i].name) == 0)
      kind = &kinds[i];
  if (kind == NULL || (parts[1] != NULL && (kind->argument == NULL || *parts[1] == '\0')))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "\"%s\": expected rejected[:RULE], refused, outside[:OP] or command:COMMAND",
                   spec);
      return NULL;
    }
  if (kind->observe == observe_command && (parts[1] == NULL || strstr (parts[1], "{}") == NULL))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "\"%s\": a command with {} in place of the model is needed", spec);
      return NULL;
    }

  self = g_new0 (AssaySymptom, 1);
  self->kind = kind;
  self->argument = g_strdup (parts[1]);
  assay_symptom_set_runners (self, NULL, NULL);

  return self;
}

/**
 * assay_symptom_set_runners: (skip)
 * @self: a symptom
 * @a: (nullable): the reference, or %NULL for the built-in one
 * @b: (nullable): what is held against it, or %NULL for the machine
 *
 * Says what a model is run on.
 */
void
assay_symptom_set_runners (AssaySymptom *self, const char *a, const char *b)
{
  g_free (self->a);
  g_free (self->b);
  self->a = g_strdup (a != NULL ? a : "reference");
  self->b = g_strdup (b != NULL ? b : "vm");
}

void
assay_symptom_free (AssaySymptom *self)
{
  g_clear_pointer (&self->tolerance, assay_tolerance_unref);
  g_free (self->argument);
  g_free (self->a);
  g_free (self->b);
  g_free (self);
}

/**
 * assay_symptom_to_string:
 * @self: a symptom
 *
 * Writes it as assay_symptom_new() reads it.
 *
 * Returns: (transfer full): the text
 */
char *
assay_symptom_to_string (const AssaySymptom *self)
{
  return self->argument != NULL ? g_strconcat (self->kind->name, ":", self->argument, NULL)
                                : g_strdup (self->kind->name);
}

/**
 * assay_symptom_observe:
 * @self: a symptom
 * @work: a model
 * @inputs: (element-type utf8 AssayTensor): values of its inputs, for kinds that run
 * @expected: (nullable): what was seen of the model that this one comes from
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Looks whether a model shows it, and the same as before.
 *
 * Returns: (transfer full) (nullable): what was seen, such as the rule; %NULL with @error if
 * cancelled or if a model of which nothing is expected cannot be looked at, %NULL without it if
 * there is nothing of it
 */
char *
assay_symptom_observe (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
                       const char *expected, const AssayProgress *progress, GError **error)
{
  return self->kind->observe (self, work, inputs, expected, progress, error);
}
