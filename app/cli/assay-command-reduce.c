/* assay-command-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli-model.h"
#include "assay-command.h"
#include "assay-run-options.h"
#include "base/assay-error.h"
#include "reduce/assay-reduce-folder.h"
#include "reduce/assay-shrink.h"
#include "report/assay-reduce-report.h"
#include "settings/assay-settings-options.h"

#define USUAL_TRIES 1000

typedef struct
{
  AssayRunOptions run;
  char *shows;
  char *a;
  char *b;
  char *tolerance;
  char *folder;
  int tries;
} ReduceOptions;

static void
reduce_options_clear (ReduceOptions *self)
{
  assay_run_options_clear (&self->run);
  g_free (self->shows);
  g_free (self->a);
  g_free (self->b);
  g_free (self->tolerance);
  g_free (self->folder);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReduceOptions, reduce_options_clear)

/* The symptom with what the other options say about it. */
static AssaySymptom *
read_symptom (AssayCli *cli, ReduceOptions *options, AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySymptom) symptom = assay_symptom_new (options->shows, &error);

  if (symptom == NULL)
    {
      *status = assay_cli_usage (cli, "--shows: %s", error->message);
      return NULL;
    }
  if (symptom->kind->needs_target && cli->target == NULL)
    {
      *status = assay_cli_usage (cli, "--shows %s needs --target", symptom->kind->name);
      return NULL;
    }
  if (!symptom->kind->runs && (options->a != NULL || options->b != NULL))
    {
      *status = assay_cli_usage (cli, "--a and --b are for --shows outside");
      return NULL;
    }
  assay_symptom_set_runners (symptom, options->a, options->b);
  symptom->seconds = (guint) options->run.seconds;
  if (assay_runner_kind_find (symptom->a, &error) == NULL ||
      assay_runner_kind_find (symptom->b, &error) == NULL)
    {
      *status = assay_cli_usage (cli, "%s", error->message);
      return NULL;
    }
  if (options->tolerance != NULL)
    {
      symptom->tolerance = assay_tolerance_load (options->tolerance, &error);
      if (symptom->tolerance == NULL)
        {
          *status = assay_cli_fail (cli, error, NULL);
          return NULL;
        }
    }

  return g_steal_pointer (&symptom);
}

/* Values of the inputs of the model as it was imported, random where none are given. */
static GHashTable *
make_inputs (AssayCli *cli, ReduceOptions *options, AssayWork *work, GError **error)
{
  g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
  AssayGraph *graph = assay_work_get_graph (work, &cli->progress, error);
  g_autoptr (GArray) ports = graph != NULL ? assay_run_ports_for_graph (graph) : NULL;
  g_autoptr (GPtrArray)
      tensors = ports != NULL
                    ? assay_run_options_make_inputs (&options->run, ports, &cli->progress, error)
                    : NULL;

  if (tensors == NULL)
    return NULL;
  for (guint i = 0; i < tensors->len; i++)
    g_hash_table_insert (inputs, g_strdup (g_array_index (ports, AssayRunPort, i).name),
                         assay_tensor_ref (g_ptr_array_index (tensors, i)));

  return g_steal_pointer (&inputs);
}

static AssayExit
reduce (AssayCli *cli, ReduceOptions *options, const AssaySymptom *symptom, AssayTarget *target)
{
  const AssayReduceNames names = { cli->arguments[0], cli->target, options->tolerance };
  AssayProgress search = assay_progress_part (&cli->progress, 0.0, 0.9);
  AssayProgress save = assay_progress_part (&cli->progress, 0.9, 1.0);
  g_autoptr (GHashTable) inputs = NULL;
  g_autoptr (AssayReduction) reduction = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;
  AssayExit status;

  options->run.work = assay_cli_open (cli, target, &status);
  if (options->run.work == NULL)
    return status;
  inputs = symptom->kind->runs ? make_inputs (cli, options, options->run.work, &error)
                               : assay_reduce_inputs_new ();
  if (inputs != NULL)
    reduction = assay_reduce (options->run.work, symptom, inputs, (guint) options->tries, &search,
                              &error);
  if (reduction == NULL ||
      !assay_reduction_save (reduction, symptom, &names, options->folder, &save, &error))
    return assay_cli_fail (cli, error, NULL);

  text = cli->json ? assay_reduce_report_to_json (reduction, symptom, cli->arguments[0],
                                                  options->folder, &length)
                   : assay_reduce_report_to_text (reduction, symptom, cli->arguments[0],
                                                  options->folder, &length);
  g_clear_pointer (&cli->output, g_free);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

/* The symptoms for the help text. */
static char *
symptom_list (void)
{
  GString *text = g_string_new ("Symptoms:\n");

  for (guint i = 0; assay_symptom_kind_get (i) != NULL; i++)
    {
      const AssaySymptomKind *kind = assay_symptom_kind_get (i);
      g_autofree char *name = kind->argument != NULL
                                  ? g_strdup_printf ("%s:%s", kind->name, kind->argument)
                                  : g_strdup (kind->name);

      g_string_append_printf (text, "  %-16s %s\n", name, kind->summary);
    }
  g_string_append (text, "\nThe folder gets model.onnx, values of its inputs, and run.sh, which "
                         "shows it.\nExit status: 2 if the model does not show it.");

  return g_string_free (text, FALSE);
}

/**
 * assay_command_reduce:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Looks for the smallest part of a model that still shows something.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_reduce (AssayCli *cli, int argc, char **argv)
{
  g_auto (ReduceOptions) options = { .tries = USUAL_TRIES };
  const GOptionEntry entries[] = {
    { "shows", 0, 0, G_OPTION_ARG_STRING, &options.shows, "What it has to show, see below",
      "SYMPTOM" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.folder,
      "Write model, inputs and command into FOLDER", "FOLDER" },
    { "tries", 0, 0, G_OPTION_ARG_INT, &options.tries, "Look at no more models than these (1000)",
      "N" },
    { "a", 'a', 0, G_OPTION_ARG_STRING, &options.a, "The reference; reference if not given",
      "RUNNER" },
    { "b", 'b', 0, G_OPTION_ARG_STRING, &options.b, "What is compared with it; vm if not given",
      "RUNNER" },
    { "tolerance", 0, 0, G_OPTION_ARG_FILENAME, &options.tolerance,
      "Limits per kind of op, in place of those that ship", "FILE" },
    { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.run.inputs,
      "Value of an input, as of assay run", "NAME=VALUE" },
    { "random", 0, 0, G_OPTION_ARG_STRING, &options.run.random,
      "Seed of inputs that are not given (0)", "SEED" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &options.run.seconds,
      "Seconds that a runner or a command may take for one answer", "SECONDS" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autofree char *list = symptom_list ();
  g_autoptr (AssaySymptom) symptom = NULL;
  g_autoptr (AssayTarget) target = NULL;
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  if (!assay_cli_parse (cli, entries, "MODEL",
                        "Looks for the smallest part of a model that still shows something: a "
                        "refusal, a difference, a crash.",
                        list, argc, argv, &status))
    return status;
  if (options.run.random == NULL)
    options.run.random = g_strdup ("0");
  if (!assay_run_options_check (&options.run, cli, &status))
    return status;
  if (cli->arguments == NULL || cli->arguments[1] != NULL || options.shows == NULL ||
      options.folder == NULL || options.tries < 1)
    return assay_cli_usage (cli, "expected one model, --shows SYMPTOM and -o FOLDER");

  symptom = read_symptom (cli, &options, &status);
  if (symptom == NULL)
    return status;
  if (cli->target != NULL)
    {
      target = assay_cli_load_target (cli, &status);
      if (target == NULL)
        return status;
    }

  return reduce (cli, &options, symptom, target);
}
