/* assay-run-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-run-options.h"

#include "assay-cli-model.h"
#include "assay-program-input.h"
#include "backend/assay-build.h"

void
assay_run_options_clear (AssayRunOptions *self)
{
  g_clear_pointer (&self->work, assay_work_free);
  g_clear_pointer (&self->values, assay_run_inputs_free);
  g_strfreev (self->inputs);
  g_free (self->random);
  g_free (self->model);
}

/**
 * assay_run_options_check:
 * @self: what the user asked for
 * @cli: the run
 * @status: (out): exit code if it makes no sense
 *
 * Checks the numbers among the options, and tells the run how long a model may take to come.
 *
 * Returns: whether they can be used
 */
gboolean
assay_run_options_check (AssayRunOptions *self, AssayCli *cli, AssayExit *status)
{
  if (self->random != NULL &&
      !g_ascii_string_to_unsigned (self->random, 10, 0, G_MAXUINT64, &self->seed, NULL))
    *status = assay_cli_usage (cli, "--random %s: expected a number", self->random);
  else if (self->n_steps < 0)
    *status = assay_cli_usage (cli, "--timesteps %d: expected a positive number", self->n_steps);
  else if (self->seconds < 0)
    *status = assay_cli_usage (cli, "--timeout %d: expected a positive number", self->seconds);
  else if (self->loop_turns < 0)
    *status = assay_cli_usage (cli, "--loop-turns %d: expected a positive number",
                               self->loop_turns);
  else
    {
      cli->seconds = self->seconds;
      return TRUE;
    }

  return FALSE;
}

/* What the user gives the inputs, understood once. */
static AssayRunInputs *
read_values (const AssayRunOptions *self, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayRunInputs) values = assay_run_inputs_new ();

  assay_run_inputs_set_progress (values, progress);
  assay_run_inputs_set_seed (values, self->seed, self->random != NULL);
  for (guint i = 0; self->inputs != NULL && self->inputs[i] != NULL; i++)
    {
      if (!assay_run_inputs_add (values, self->inputs[i], error))
        return NULL;
    }

  return g_steal_pointer (&values);
}

/* A model that takes sequences or optionals becomes one that takes their tensors. */
static gboolean
open_inputs (AssayRunOptions *self, AssayCli *cli, GError **error)
{
  self->values = read_values (self, &cli->progress, error);

  return self->values != NULL &&
         assay_work_open_inputs (&self->work, self->values, &cli->progress, error);
}

/**
 * assay_run_options_open:
 * @self: what the user asked for
 * @cli: the run, whose only argument is a program or a model
 * @needs_program: whether a runner runs programs
 * @needs_graph: whether a runner runs models
 * @status: (out): exit code if it cannot be opened
 *
 * Opens what the runners of the command line run: a program, a model, or a model with the program
 * that is made of it and what is needed to look into it.
 *
 * Returns: (transfer full) (nullable): the subject
 */
AssayRunSubject *
assay_run_options_open (AssayRunOptions *self, AssayCli *cli, gboolean needs_program,
                        gboolean needs_graph, AssayExit *status)
{
  gboolean is_program = cli->arguments != NULL && assay_build_sniff (cli->arguments[0]);
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (GPtrArray) works = NULL;
  AssayRunSubject *subject;
  g_autoptr (GError) error = NULL;
  guint model = 0;

  if (is_program)
    program = assay_program_input_load (cli, status);
  else if (cli->arguments == NULL || cli->arguments[1] != NULL)
    *status = assay_cli_usage (cli, "expected one program or model, got %u",
                               cli->arguments != NULL ? g_strv_length (cli->arguments) : 0);
  else if (needs_program)
    works = assay_cli_build (cli, status);
  else
    {
      self->work = assay_cli_open (cli, NULL, status);
      if (self->work != NULL && !open_inputs (self, cli, &error))
        {
          *status = assay_cli_fail (cli, error, assay_work_get_findings (self->work));
          return NULL;
        }
    }

  if (works != NULL)
    {
      self->work = g_ptr_array_steal_index (works, 0);
      program = g_object_ref (assay_work_get_program (self->work, NULL, NULL));
    }
  if (program != NULL &&
      !assay_program_input_find_model (cli, program, self->model, &model, status))
    return NULL;
  if (program != NULL && (is_program || !needs_graph))
    return assay_run_subject_new_for_program (cli->arguments[0], program, model);
  if (self->work == NULL)
    return NULL;

  subject = assay_work_get_subject (self->work, needs_program, &cli->progress, &error);
  if (subject != NULL)
    return assay_run_subject_ref (subject);
  *status = assay_cli_fail (cli, error, assay_work_get_findings (self->work));

  return NULL;
}

/**
 * assay_run_options_make_inputs:
 * @self: what the user asked for, checked
 * @ports: (element-type AssayRunPort): the inputs that are wanted
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Reads or makes the value of every input.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the values, in the order of
 * @ports
 */
GPtrArray *
assay_run_options_make_inputs (const AssayRunOptions *self, GArray *ports,
                               const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayRunInputs) inputs = NULL;

  if (self->values == NULL)
    inputs = read_values (self, progress, error);
  if (self->values == NULL && inputs == NULL)
    return NULL;

  return assay_run_inputs_make (self->values != NULL ? self->values : inputs,
                                (const AssayRunPort *) (gpointer) ports->data, ports->len,
                                self->n_steps, error);
}
