/* assay-command-run.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-build-options.h"
#include "assay-command.h"
#include "assay-program-input.h"
#include "report/assay-run-report.h"
#include "run/assay-run-files.h"
#include "run/assay-run-inputs.h"

typedef struct
{
  AssayBuildOptions build;
  char *on;
  char **inputs;
  char *random;
  char *output_dir;
  char *model;
  int n_steps;
} RunOptions;

static void
run_options_clear (RunOptions *self)
{
  assay_build_options_clear (&self->build);
  g_free (self->on);
  g_strfreev (self->inputs);
  g_free (self->random);
  g_free (self->output_dir);
  g_free (self->model);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunOptions, run_options_clear)

/* What the runners of the command line run: a program, a model, or a model with the program that is made of it. */
static AssayRunSubject *
open_subject (AssayCli         *cli,
              const RunOptions *options,
              gboolean          needs_program,
              gboolean          needs_graph,
              AssayExit        *status)
{
  gboolean is_program = cli->arguments != NULL && assay_program_input_is_program (cli->arguments[0]);
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayCode) code = NULL;
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GError) error = NULL;
  guint model = 0;

  if (is_program)
    code = assay_program_input_load (cli, status);
  else if (cli->arguments == NULL || cli->arguments[1] != NULL)
    *status = assay_cli_usage (cli, "expected one program or model, got %u",
                               cli->arguments != NULL ? g_strv_length (cli->arguments) : 0);
  else if (needs_program)
    code = assay_build_options_run (&options->build, cli, status);

  if (code != NULL && !assay_program_input_find_model (cli, code, options->model, &model, status))
    return NULL;
  if (is_program || (needs_program && !needs_graph))
    return code != NULL ? assay_run_subject_new_for_program (cli->arguments[0], code, model) : NULL;

  if ((needs_program && code == NULL) || cli->arguments == NULL || cli->arguments[1] != NULL ||
      !assay_model_options_import (&options->build.model, cli, cli->arguments[0], &graph, findings, status) ||
      !assay_model_options_parse_axes (cli, options->build.streaming_axes, axes, status))
    return NULL;
  subject = assay_run_subject_new_for_graph (cli->arguments[0], graph, &cli->progress, &error);
  if (subject == NULL)
    *status = assay_cli_fail (cli, error, findings);
  else if (code != NULL)
    assay_run_subject_set_program (subject, code, model, (const int *) (gpointer) axes->data, axes->len);

  return g_steal_pointer (&subject);
}

/* One runner has the folder to itself; several have one each, named after them. */
static char *
output_folder (const RunOptions *options,
               const char       *spec,
               gboolean          several)
{
  g_autofree char *name = assay_run_file_name (spec);

  return several ? g_build_filename (options->output_dir, name, NULL) : g_strdup (options->output_dir);
}

static gboolean
run_one (AssayCli          *cli,
         const RunOptions  *options,
         AssayRunSubject   *subject,
         const char        *spec,
         gboolean           several,
         GArray            *ports,
         GPtrArray         *tensors,
         AssayRunReport    *report,
         GError           **error)
{
  g_autoptr (AssayRunner) runner = assay_runner_open (spec, subject, NULL, &cli->progress, error);
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GPtrArray) paths = NULL;
  g_autofree char *folder = NULL;
  const AssayRunPort *output_ports;
  guint n;

  if (runner == NULL)
    return FALSE;
  inputs = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) ports->data, ports->len, tensors, runner, error);
  if (inputs == NULL)
    return FALSE;
  outputs = assay_runner_run (runner, inputs, NULL, &cli->progress, error);
  if (outputs == NULL)
    return FALSE;

  if (options->output_dir != NULL)
    {
      folder = output_folder (options, spec, several);
      output_ports = assay_runner_get_outputs (runner, &n);
      paths = assay_run_files_save (folder, output_ports, outputs, error);
      if (paths == NULL)
        return FALSE;
    }
  assay_run_report_add (report, runner, outputs, paths);

  return TRUE;
}

/* How many timesteps the tensors hold. */
static gint64
count_steps (GArray    *ports,
             GPtrArray *tensors)
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

static GPtrArray *
make_inputs (const RunOptions  *options,
             GArray            *ports,
             guint64            seed,
             GError           **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();

  assay_run_inputs_set_seed (inputs, seed, options->random != NULL);
  for (guint i = 0; options->inputs != NULL && options->inputs[i] != NULL; i++)
    {
      if (!assay_run_inputs_add (inputs, options->inputs[i], error))
        return NULL;
    }

  return assay_run_inputs_make (inputs, (const AssayRunPort *) (gpointer) ports->data, ports->len, options->n_steps,
                                error);
}

static AssayExit
run_all (AssayCli         *cli,
         const RunOptions *options,
         char            **specs,
         guint64           seed)
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

  subject = open_subject (cli, options, needs_program, needs_graph, &status);
  if (subject == NULL)
    return status;

  for (guint i = 0; specs[i] != NULL; i++)
    {
      if (!assay_runner_kind_check (assay_runner_kind_find (specs[i], NULL), specs[i], subject, &error))
        return assay_cli_fail (cli, error, NULL);
    }

  /* A program alone takes any number of timesteps; a model that others run too has a shape of its own. */
  ports = needs_graph ? assay_run_subject_get_inputs (subject)
                      : assay_run_ports_for_program (subject->code, subject->model, TRUE);
  tensors = make_inputs (options, ports, seed, &error);
  if (tensors == NULL)
    return assay_cli_fail (cli, error, NULL);

  report = assay_run_report_new (cli->arguments[0], subject, count_steps (ports, tensors));
  for (guint i = 0; specs[i] != NULL; i++)
    {
      if (!run_one (cli, options, subject, specs[i], specs[1] != NULL, ports, tensors, report, &error))
        return assay_cli_fail (cli, error, NULL);
    }

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
      g_autofree char *name = kind->argument == NULL ? g_strdup (kind->name)
                              : g_strdup_printf (kind->argument_optional ? "%s[:%s]" : "%s:%s", kind->name,
                                                 kind->argument);

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
assay_command_run (AssayCli  *cli,
                   int        argc,
                   char     **argv)
{
  g_auto (RunOptions) options = { 0 };
  const GOptionEntry entries[] = {
    { "on", 0, 0, G_OPTION_ARG_STRING, &options.on, "Runners, such as vm (default), reference, ort; several as a list",
      "RUNNER,..." },
    { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.inputs,
      "Value of an input: .npy, .npz, .pb, FILE:TYPE:SHAPE, or @uniform, @normal, @integers, @constant", "NAME=VALUE" },
    { "random", 0, 0, G_OPTION_ARG_STRING, &options.random, "Seed; inputs that are not given get random values", "SEED" },
    { "timesteps", 0, 0, G_OPTION_ARG_INT, &options.n_steps, "Number of timesteps of a model that streams", "N" },
    { "output-dir", 0, 0, G_OPTION_ARG_FILENAME, &options.output_dir, "Write every output as .npy into this folder",
      "FOLDER" },
    { "model", 0, 0, G_OPTION_ARG_STRING, &options.model, "Which model of a program; the first if not given", "NAME" },
    ASSAY_BUILD_OPTION_ENTRIES (options.build),
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &cli->output, "Write the report to FILE", "FILE" },
    G_OPTION_ENTRY_NULL
  };
  g_autofree char *list = runner_list ();
  g_auto (GStrv) specs = NULL;
  guint64 seed = 0;
  AssayExit status;

  if (!assay_cli_parse (cli, entries, "PROGRAM|MODEL",
                        "Runs a program or a model, and tells what comes out.", list, argc, argv, &status))
    return status;
  if (options.random != NULL && !g_ascii_string_to_unsigned (options.random, 10, 0, G_MAXUINT64, &seed, NULL))
    return assay_cli_usage (cli, "--random %s: expected a number", options.random);
  if (options.n_steps < 0)
    return assay_cli_usage (cli, "--timesteps %d: expected a positive number", options.n_steps);

  specs = g_strsplit (options.on != NULL ? options.on : "vm", ",", -1);

  return run_all (cli, &options, specs, seed);
}
