/* assay-command-run.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "assay-build-options.h"
#include "assay-command.h"
#include "assay-program-input.h"
#include "assay-run-inputs.h"
#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "machine/assay-machine.h"
#include "machine/assay-port-io.h"
#include "report/assay-run-report.h"

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

static const struct
{
  const char *name;
  AssayMachineFlags flags;
} runners[] = {
  { "vm", ASSAY_MACHINE_BF16 },
  { "vm-fp32", ASSAY_MACHINE_FP32 },
};

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

/* Where the timesteps of an output lie: where its axis of time was, else in front. */
static int
output_axis (const AssayPort *port,
             gint64           n_steps)
{
  return port->streaming_dim >= 0 ? port->streaming_dim : n_steps > 1 ? 0 : -1;
}

static gboolean
run_steps (AssayCli              *cli,
           AssayMachine          *machine,
           guint                  model,
           const AssayModelEntry *entry,
           const AssayRunInputs  *inputs,
           gint64                 n_steps,
           float                **tensors,
           GError               **error)
{
  g_autoptr (GPtrArray) packed = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < entry->n_inputs; i++)
    g_ptr_array_add (packed, g_new (float, assay_port_count (&entry->inputs[i])));
  for (guint i = 0; i < entry->n_outputs; i++)
    g_ptr_array_add (results, g_new (float, assay_port_count (&entry->outputs[i])));

  for (gint64 step = 0; step < n_steps; step++)
    {
      for (guint i = 0; i < entry->n_inputs; i++)
        assay_port_pack (&entry->inputs[i], inputs->axes[i], inputs->n_steps, step, inputs->values[i],
                         g_ptr_array_index (packed, i));

      if (!assay_machine_run (machine, model, (const float *const *) packed->pdata, (float *const *) results->pdata,
                              &cli->progress, error))
        return FALSE;

      for (guint i = 0; i < entry->n_outputs; i++)
        assay_port_unpack (&entry->outputs[i], output_axis (&entry->outputs[i], n_steps), n_steps, step,
                           g_ptr_array_index (results, i), tensors[i]);
      assay_progress_report (&cli->progress, (double) (step + 1) / (double) n_steps, "running");
    }

  return TRUE;
}

/* Runs on one runner; the results are named after it. */
static GPtrArray *
run_on (AssayCli              *cli,
        AssayCode             *code,
        guint                  model,
        AssayMachineFlags      flags,
        const AssayRunInputs  *inputs,
        gint64                 n_steps,
        GError               **error)
{
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, model);
  g_autoptr (AssayMachine) machine = assay_machine_new (code, flags, error);
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);

  if (machine == NULL)
    return NULL;

  for (guint i = 0; i < entry->n_outputs; i++)
    {
      gsize n;

      if (!g_size_checked_mul (&n, assay_port_count (&entry->outputs[i]), (gsize) n_steps))
        n = G_MAXSIZE / sizeof (float);
      g_ptr_array_add (values, g_try_new (float, n));
      if (g_ptr_array_index (values, i) == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "output %s: too many values for the memory",
                       entry->outputs[i].name);
          return NULL;
        }
    }

  if (!run_steps (cli, machine, model, entry, inputs, n_steps, (float **) values->pdata, error))
    return NULL;

  for (guint i = 0; i < entry->n_outputs; i++)
    {
      gint64 dims[ASSAY_MAX_RANK + 1];
      guint rank = assay_port_dims (&entry->outputs[i], output_axis (&entry->outputs[i], n_steps), n_steps, dims);

      g_ptr_array_add (tensors, assay_tensor_new_f32 (rank, dims, g_ptr_array_index (values, i)));
    }

  return g_steal_pointer (&tensors);
}

/* Names of outputs may hold anything; names of files may not. */
static char *
output_path (const char *folder,
             const char *runner,
             gboolean    several,
             const char *output)
{
  g_autofree char *safe = g_strdup (output);
  g_autofree char *name = NULL;

  for (char *c = safe; *c != 0; c++)
    {
      if (!g_ascii_isalnum (*c) && strchr ("-_.", *c) == NULL)
        *c = '_';
    }
  if (safe[0] == '.')
    safe[0] = '_';
  name = several ? g_strdup_printf ("%s.%s.npy", safe, runner) : g_strdup_printf ("%s.npy", safe);

  return g_build_filename (folder, name, NULL);
}

static gboolean
save_outputs (const AssayModelEntry *entry,
              GPtrArray             *tensors,
              const char            *folder,
              const char            *runner,
              gboolean               several,
              GPtrArray             *paths,
              GError               **error)
{
  for (guint i = 0; i < entry->n_outputs; i++)
    {
      char *path = output_path (folder, runner, several, entry->outputs[i].name);

      for (guint j = 0; j < i; j++)
        {
          if (g_str_equal (g_ptr_array_index (paths, paths->len - 1 - j), path))
            {
              char *other = g_strdup_printf ("%.*s-%u.npy", (int) strlen (path) - 4, path, i);

              g_free (path);
              path = other;
            }
        }
      g_ptr_array_add (paths, path);
      if (!assay_npy_save (g_ptr_array_index (tensors, i), path, error))
        return FALSE;
    }

  return TRUE;
}

static AssayExit
run_code (AssayCli         *cli,
          AssayCode        *code,
          const RunOptions *options,
          gboolean          random,
          guint64           seed)
{
  g_auto (AssayRunInputs) inputs = { 0 };
  g_auto (GStrv) names = g_strsplit (options->on != NULL ? options->on : "vm", ",", -1);
  g_autoptr (AssayRunReport) report = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayExit status;
  guint model;
  gint64 n_steps;
  gsize length;

  if (!assay_program_input_find_model (cli, code, options->model, &model, &status))
    return status;

  for (guint i = 0; names[i] != NULL; i++)
    {
      if (!g_str_equal (names[i], runners[0].name) && !g_str_equal (names[i], runners[1].name))
        return assay_cli_usage (cli, "--on %s: expected vm or vm-fp32", names[i]);
    }

  if (!assay_run_inputs_load (&inputs, &g_array_index (code->models, AssayModelEntry, model), options->inputs, random,
                              seed, options->n_steps, &error))
    return assay_cli_fail (cli, error, NULL);
  n_steps = options->n_steps > 0 ? options->n_steps : inputs.n_steps;

  if (options->output_dir != NULL && g_mkdir_with_parents (options->output_dir, 0777) < 0)
    {
      g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", options->output_dir, g_strerror (errno));
      return assay_cli_fail (cli, error, NULL);
    }

  report = assay_run_report_new (cli->arguments[0], code, model, n_steps);
  for (guint i = 0; names[i] != NULL; i++)
    {
      guint runner = g_str_equal (names[i], runners[0].name) ? 0 : 1;
      g_autoptr (GPtrArray) tensors = run_on (cli, code, model, runners[runner].flags, &inputs, n_steps, &error);
      g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

      if (tensors == NULL)
        return assay_cli_fail (cli, error, NULL);
      if (options->output_dir != NULL &&
          !save_outputs (&g_array_index (code->models, AssayModelEntry, model), tensors, options->output_dir,
                         runners[runner].name, names[1] != NULL, paths, &error))
        return assay_cli_fail (cli, error, NULL);
      assay_run_report_add (report, runners[runner].name, tensors, paths);
    }

  text = cli->json ? assay_run_report_to_json (report, &length)
                   : assay_run_report_to_text (report, assay_cli_has_colours (cli), &length);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

/**
 * assay_command_run:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Runs a program, or a model that is compiled first, on the virtual machine.
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
    { "on", 0, 0, G_OPTION_ARG_STRING, &options.on, "Runners: vm (default), vm-fp32; several as a list", "RUNNER,..." },
    { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.inputs, "Value of an input: .npy, or TensorProto in .pb",
      "NAME=FILE" },
    { "random", 0, 0, G_OPTION_ARG_STRING, &options.random, "Random values in [-1, 1) for inputs without a file",
      "SEED" },
    { "timesteps", 0, 0, G_OPTION_ARG_INT, &options.n_steps, "Number of timesteps of a model that streams", "N" },
    { "output-dir", 0, 0, G_OPTION_ARG_FILENAME, &options.output_dir, "Write every output as .npy into this folder",
      "FOLDER" },
    { "model", 0, 0, G_OPTION_ARG_STRING, &options.model, "Which model of a program; the first if not given", "NAME" },
    ASSAY_BUILD_OPTION_ENTRIES (options.build),
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &cli->output, "Write the report to FILE", "FILE" },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (AssayCode) code = NULL;
  guint64 seed = 0;
  AssayExit status;

  if (!assay_cli_parse (cli, entries, "PROGRAM|MODEL",
                        "Runs a program, or compiles a model and runs it, and tells what "
                        "comes out.", "A model needs --target.", argc, argv, &status))
    return status;
  if (options.random != NULL && !g_ascii_string_to_unsigned (options.random, 10, 0, G_MAXUINT64, &seed, NULL))
    return assay_cli_usage (cli, "--random %s: expected a number", options.random);
  if (options.n_steps < 0)
    return assay_cli_usage (cli, "--timesteps %d: expected a positive number", options.n_steps);

  if (cli->arguments != NULL && assay_program_input_is_program (cli->arguments[0]))
    code = assay_program_input_load (cli, &status);
  else
    code = assay_build_options_run (&options.build, cli, &status);
  if (code == NULL)
    return status;

  return run_code (cli, code, &options, options.random != NULL, seed);
}
