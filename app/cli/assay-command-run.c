/* assay-command-run.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-output-form.h"
#include "assay-run-options.h"
#include "base/assay-error.h"
#include "report/assay-run-report.h"
#include "run/assay-run-files.h"
#include "run/assay-run-inputs.h"

typedef struct
{
  AssayRunOptions run;
  char *on;
  char *output_dir;
  char *trace;
  gboolean ranges;
} RunOptions;

static void
run_options_clear (RunOptions *self)
{
  assay_run_options_clear (&self->run);
  g_free (self->on);
  g_free (self->output_dir);
  g_free (self->trace);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunOptions, run_options_clear)

/* One runner has the folder to itself; several have one each, named after them. */
static char *
output_folder (const RunOptions *options, const char *spec, gboolean several)
{
  g_autofree char *name = assay_run_file_name (spec);

  return several ? g_build_filename (options->output_dir, name, NULL)
                 : g_strdup (options->output_dir);
}

static gboolean
run_one (AssayCli *cli, const RunOptions *options, AssayRunSubject *subject, const char *spec,
         gboolean several, GArray *ports, GPtrArray *tensors, AssayRunReport *report,
         GError **error)
{
  const AssayRunnerOptions how = { .seconds = (guint) options->run.seconds,
                                   .loop_turns = (guint) options->run.loop_turns };
  g_autoptr (AssayRunner) runner = assay_runner_open (spec, subject, &how, &cli->progress, error);
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GPtrArray) paths = NULL;
  g_autofree char *folder = NULL;
  const AssayRunPort *output_ports;
  guint n;

  if (runner == NULL)
    return FALSE;
  inputs = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) ports->data, ports->len,
                                  tensors, runner, error);
  if (inputs == NULL)
    return FALSE;
  outputs = assay_runner_run (runner, inputs, NULL, &cli->progress, error);
  if (outputs == NULL)
    return FALSE;

  if (options->output_dir != NULL)
    {
      folder = output_folder (options, spec, several);
      output_ports = assay_runner_get_outputs (runner, &n);
      assay_file_group_enter (cli->files);
      paths = assay_run_files_save (folder, output_ports, outputs, error);
      assay_file_group_leave (cli->files);
      if (paths == NULL)
        return FALSE;
    }
  assay_run_report_add (report, runner, outputs, paths);

  return TRUE;
}

/* What the evaluator computes, in fp32, on the same inputs. */
static gboolean
find_ranges (AssayCli *cli, const RunOptions *options, AssayRunSubject *subject, GArray *ports,
             GPtrArray *tensors, AssayRunReport *report, GError **error)
{
  g_autoptr (AssayRunner)
      runner = assay_runner_open ("reference", subject, NULL, &cli->progress, error);
  g_autoptr (AssayRanges) ranges = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  AssayRunObserver observer = { .func = assay_ranges_observe };

  if (runner == NULL)
    return FALSE;
  inputs = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) ports->data, ports->len,
                                  tensors, runner, error);
  if (inputs == NULL)
    return FALSE;

  ranges = assay_ranges_new (subject->graph, cli->settings);
  observer.user_data = ranges;
  outputs = assay_runner_run (runner, inputs, &observer, &cli->progress, error);
  if (outputs == NULL)
    return FALSE;
  assay_run_report_take_ranges (report, g_steal_pointer (&ranges));

  return TRUE;
}

/* How many timesteps the tensors hold. */
static gint64
count_steps (GArray *ports, GPtrArray *tensors)
{
  for (guint i = 0; i < ports->len; i++)
    {
      const AssayRunPort *port = &g_array_index (ports, AssayRunPort, i);
      AssayTensor *tensor = g_ptr_array_index (tensors, i);

      if (port->time_axis >= 0 && (int) assay_tensor_get_rank (tensor) == port->rank)
        return assay_tensor_get_dims (tensor)[port->time_axis];
    }

  return 1;
}

static gboolean
write_trace (AssayCli *cli, const AssayRunReport *report, const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = assay_run_report_to_trace (report, &length);

  if (text != NULL)
    return assay_cli_add_file (cli, path, text, length, error);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
               "--trace: none of the runners tells how long its parts take; vulkan does");
  return FALSE;
}

static AssayExit
run_all (AssayCli *cli, RunOptions *options, char **specs)
{
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayRunReport) report = NULL;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gboolean needs_program = FALSE;
  gboolean needs_graph = FALSE;
  AssayExit status;
  gsize length;

  for (guint i = 0; specs[i] != NULL; i++)
    {
      const AssayRunnerKind *kind = assay_runner_kind_find (specs[i], &error);

      if (kind == NULL)
        return assay_cli_usage (cli, "--on: %s", error->message);
      needs_program = needs_program || kind->needs_program;
      needs_graph = needs_graph || !kind->needs_program;
    }

  needs_graph = needs_graph || options->ranges;
  subject = assay_run_options_open (&options->run, cli, needs_program, needs_graph, &status);
  if (subject == NULL)
    return status;

  /* Who names no runner means the machine of the target. */
  if (options->on == NULL)
    {
      g_free (specs[0]);
      specs[0] = g_strdup (assay_program_get_machine (subject->program));
    }
  for (guint i = 0; specs[i] != NULL; i++)
    {
      if (!assay_runner_kind_check (assay_runner_kind_find (specs[i], NULL), specs[i], subject,
                                    &error))
        return assay_cli_fail (cli, error, NULL);
    }

  /* A program alone takes any number of timesteps; a model that others run too has a shape of its
   * own. */
  ports = needs_graph ? assay_run_subject_get_inputs (subject)
                      : assay_run_ports_for_program (subject->program, subject->model, TRUE);
  tensors = assay_run_options_make_inputs (&options->run, ports, &cli->progress, &error);
  if (tensors == NULL)
    return assay_cli_fail (cli, error, NULL);

  report = assay_run_report_new (cli->arguments[0], subject, count_steps (ports, tensors));
  for (guint i = 0; specs[i] != NULL; i++)
    {
      if (!run_one (cli, options, subject, specs[i], specs[1] != NULL, ports, tensors, report,
                    &error))
        return assay_cli_fail (cli, error, NULL);
    }

  if (options->trace != NULL && !write_trace (cli, report, options->trace, &error))
    return assay_cli_fail (cli, error, NULL);
  if (options->ranges && !find_ranges (cli, options, subject, ports, tensors, report, &error))
    return assay_cli_fail (cli, error, NULL);

  text = cli->json ? assay_run_report_to_json (report, &length)
                   : assay_run_report_to_text (report, assay_cli_has_colours (cli), &length);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

/* The runners for the help text. */
static char *
runner_list (void)
{
  GString *text = g_string_new ("Runners:\n");

  for (guint i = 0; assay_runner_kind_get (i) != NULL; i++)
    {
      const AssayRunnerKind *kind = assay_runner_kind_get (i);
      g_autofree char *name = kind->argument == NULL
                                  ? g_strdup (kind->name)
                                  : g_strdup_printf (kind->argument_optional ? "%s[:%s]" : "%s:%s",
                                                     kind->name, kind->argument);

      g_string_append_printf (text, "  %-16s %s\n", name, kind->summary);
    }
  g_string_append (text, "\nWhat runs a program needs --target if it is given a model.");

  return g_string_free (text, FALSE);
}

/**
 * assay_command_run:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Runs a program or a model on one or more runners.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_run (AssayCli *cli, int argc, char **argv)
{
  g_auto (RunOptions) options = { 0 };
  const GOptionEntry entries[] = {
    { "on", 0, 0, G_OPTION_ARG_STRING, &options.on,
      "Runners, such as vm, dpu, reference, ort; several as a list; the machine of the target if "
      "not "
      "given",
      "RUNNER,..." },
    { "output-dir", 0, 0, G_OPTION_ARG_FILENAME, &options.output_dir,
      "Write every output as .npy (.npz if it is no tensor) into this folder", "FOLDER" },
    { "ranges", 0, 0, G_OPTION_ARG_NONE, &options.ranges,
      "Tell the range of every weight and activation, and what bf16 does not hold", NULL },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &options.trace,
      "Write when each node and copy ran, for Perfetto", "FILE" },
    ASSAY_RUN_OPTION_ENTRIES (options.run),
    G_OPTION_ENTRY_NULL
  };
  g_autofree char *list = runner_list ();
  g_auto (GStrv) specs = NULL;
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_BUILD | ASSAY_PIPELINE_NAME;
  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (cli, entries, "PROGRAM|MODEL",
                        "Runs a program or a model, and tells what comes out.", list, argc, argv,
                        &status))
    return status;
  if (!assay_run_options_check (&options.run, cli, &status))
    return status;

  specs = g_strsplit (options.on != NULL ? options.on : "vm", ",", -1);

  return run_all (cli, &options, specs);
}
