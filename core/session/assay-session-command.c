/* assay-session-command.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command line that does what a session did, so that the window teaches it and reports can be
 * repeated.
 */
#include "backend/assay-backend.h"
#include "session/assay-session-private.h"
#include "settings/assay-settings-options.h"

#include "source/assay-importer.h"
#include "text/assay-shell.h"

/* Which pieces of the state go into the line of a command. */
typedef enum
{
  ADD_NODE = 1 << 0,
  ADD_PROGRAM_FILE = 1 << 1,
  ADD_INPUTS = 1 << 2,
  ADD_RUNNER = 1 << 3,
  ADD_SIDES = 1 << 4,
  ADD_BOARD = 1 << 5,
  ADD_FIXES =
      1 << 6, /* `assay fix` says as much; the other commands need the fixed model as a file */
  ADD_CYCLES = 1 << 7,
  ADD_SUITE = 1 << 8,
  ADD_SAMPLES = 1 << 9,
} Parts;

static const struct
{
  const char *kind;
  const char *program;
  AssayPipelineStages stages;
  guint parts;
} commands[] = {
  { "window", "assay-workbench", 0, ADD_NODE },
  { "check", "assay check", ASSAY_PIPELINE_CHECK, ADD_FIXES },
  { "compile", "assay compile", ASSAY_PIPELINE_BUILD, ADD_PROGRAM_FILE },
  { "cycles", "assay compile", ASSAY_PIPELINE_BUILD, ADD_PROGRAM_FILE | ADD_CYCLES },
  { "run", "assay run", ASSAY_PIPELINE_BUILD, ADD_INPUTS | ADD_RUNNER },
  { "compare", "assay compare", ASSAY_PIPELINE_BUILD, ADD_INPUTS | ADD_SIDES },
  { "qualify", "assay qualify", ASSAY_PIPELINE_BUILD, ADD_SUITE },
  { "quantize", "assay quantize", ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_QUANTIZE, ADD_SAMPLES },
  { "deploy", "assay deploy", ASSAY_PIPELINE_BUILD, ADD_BOARD },
};

static void
add_word (GString *line, const char *word)
{
  g_string_append_c (line, ' ');
  assay_shell_append (line, word);
}

static void
add_option (GString *line, const char *option, const char *value)
{
  g_string_append_printf (line, " %s", option);
  add_word (line, value);
}

/* The settings as options. The command takes shapes in order, so that an input without one keeps
 * each of its dimensions, and an axis for every one of @inputs, which are those of the file that it
 * opens. */
static void
add_settings (GString *line, AssaySession *self, GPtrArray *inputs, AssayPipelineStages stages)
{
  g_autoptr (AssaySettings) settings = assay_settings_ref (assay_session_get_setup (self));
  const char *const *shapes = assay_settings_get_list (assay_session_get_setup (self),
                                                       ASSAY_SETTING_SHAPES);
  g_autoptr (GStrvBuilder) axes = g_strv_builder_new ();
  g_auto (GStrv) every_axis = NULL;
  g_auto (GStrv) words = NULL;

  if (self->target != NULL)
    {
      g_autoptr (AssaySettings) all = g_steal_pointer (&settings);
      settings = assay_backend_pick_settings (self->target, all);
    }
  else
    {
      assay_settings_keep_capable (&settings, 0);
      assay_settings_set_list (&settings, ASSAY_SETTING_TARGET_OPTION, NULL);
    }

  for (guint i = 0; shapes != NULL && shapes[i] != NULL && i < inputs->len; i++)
    {
      const AssayInput *input = g_ptr_array_index (inputs, i);
      g_autoptr (GString) kept = g_string_new (input->rank > 0 ? "?" : "");

      for (int axis = 1; axis < input->rank; axis++)
        g_string_append (kept, ",?");
      if (*shapes[i] == '\0')
        assay_settings_set_shape (&settings, i, kept->str, NULL);
    }
  if (assay_settings_get_list (settings, ASSAY_SETTING_AXES) != NULL)
    {
      for (guint i = 0; i < inputs->len; i++)
        {
          int axis = assay_settings_get_axis (settings, i);
          g_autofree char *text = axis < 0 ? g_strdup ("none") : g_strdup_printf ("%d", axis);

          g_strv_builder_add (axes, text);
        }
      every_axis = g_strv_builder_end (axes);
      assay_settings_set_list (&settings, ASSAY_SETTING_AXES, (const char *const *) every_axis);
    }

  words = assay_settings_to_arguments (settings, stages);
  for (guint i = 0; words[i] != NULL; i++)
    add_word (line, words[i]);
}

static void
add_inputs (GString *line, AssaySession *self, GPtrArray *inputs)
{
  const AssayInputChoice *choice = assay_run_get_inputs (self->run);
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT,
                                           assay_input_choice_get_seed (choice));
  guint n_steps = assay_input_choice_get_steps (choice);
  gboolean files = FALSE;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayInput *input = g_ptr_array_index (inputs, i);
      const char *path = assay_input_choice_get_file (choice, input->name);
      g_autofree char *value = g_strdup_printf ("%s=%s", input->name, path != NULL ? path : "");

      if (path != NULL)
        add_option (line, "--input", value);
      files = files || path != NULL;
    }
  add_option (line, "--random", seed);

  /* Files say themselves how many timesteps there are. */
  if (!files &&
      assay_settings_get_list (assay_session_get_setup (self), ASSAY_SETTING_AXES) != NULL)
    {
      g_autoptr (GArray)
          axes = assay_settings_list_axes (assay_session_get_setup (self), self->graph);
      g_autofree char *steps = g_strdup_printf (
          "%u", n_steps > 0 ? n_steps : assay_count_steps (self->graph, axes));

      add_option (line, "--timesteps", steps);
    }
}

/* A file of the current folder, named after the model. */
static char *
dup_beside (AssaySession *self, const char *suffix)
{
  g_autofree char *name = assay_importer_dup_stem (assay_document_get_path (self->document));

  return g_strconcat (*name == '-' ? "./" : "", name, suffix, NULL);
}

/* Fixes are applied to the model as the file has it; with @written the fixed model becomes a file.
 */
static void
add_fix (GString *line, AssaySession *self, GPtrArray *fixes, const char *written)
{
  g_autofree char *document = assay_fixes_to_argument (fixes);

  g_autofree char *source = assay_session_dup_source (self);

  g_string_append (line, "assay fix");
  add_word (line, source);
  add_option (line, "--target", assay_session_get_target_id (self));
  add_settings (line, self, self->inputs, ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK);
  add_option (line, "--fixes", document);
  if (written != NULL)
    add_option (line, "-o", written);
}

/* What a model is calibrated with; where nothing was chosen, something that runs. */
static void
add_samples (GString *line, AssaySession *self)
{
  const AssayQuantizeSamples *samples = assay_quantize_activity_get_samples (self->quantizing);
  g_autofree char *stem = assay_importer_dup_stem (assay_document_get_path (self->document));
  g_autofree char *ending = assay_quantize_activity_dup_ending ();
  g_autofree char *output = g_strconcat (*stem == '-' ? "./" : "", stem, ending, NULL);
  g_autofree char *gains = g_strdup_printf ("%u",
                                            assay_quantize_activity_get_gains (self->quantizing));
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, samples->seed);
  g_autofree char *random = NULL;
  guint n_random = samples->n_random;

  for (guint i = 0; samples->paths != NULL && samples->paths[i] != NULL; i++)
    add_option (line, "--calibration", samples->paths[i]);
  if (n_random == 0 && samples->paths == NULL)
    n_random = 1;
  random = g_strdup_printf ("%u", n_random);
  if (n_random > 0)
    {
      add_option (line, "--random", random);
      add_option (line, "--seed", seed);
    }
  add_option (line, "--costs", gains);
  add_option (line, "--output", output);
}

/* How the cases of @suite run, or those of the model: of the one that was cut while a case of it is
 * open. */
static void
add_suite_settings (GString *line, AssaySession *self, const char *suite, gboolean again)
{
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  g_auto (GStrv) words = NULL;

  if (suite == NULL && !again)
    {
      inputs = self->graph != NULL ? assay_graph_list_inputs (self->graph) : g_ptr_array_new ();
      add_settings (line, self, inputs,
                    ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD);
      return;
    }

  settings = assay_settings_ref (again ? assay_qualify_activity_get_setup (self->qualifying)
                                       : assay_session_get_setup (self));
  if (!again)
    assay_settings_drop_parts (&settings);
  if (self->target != NULL)
    {
      g_autoptr (AssaySettings) all = g_steal_pointer (&settings);

      settings = assay_backend_pick_settings (self->target, all);
    }
  words = assay_settings_to_arguments (settings, ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK |
                                                     ASSAY_PIPELINE_BUILD);
  for (guint i = 0; words[i] != NULL; i++)
    add_word (line, words[i]);
}

/* The suite is a folder; one that is made of the model needs a place. */
static char *
dup_qualify (AssaySession *self, const char *program)
{
  const char *suite = assay_qualify_activity_get_suite (self->qualifying);
  gboolean again = suite == NULL && assay_qualify_activity_get_model (self->qualifying) != NULL &&
                   assay_qualify_activity_has_case (self->qualifying,
                                                    assay_document_get_path (self->document));
  g_autoptr (GString) line = g_string_new (program);
  g_autofree char *source = again ? g_strdup (assay_qualify_activity_get_model (self->qualifying))
                                  : assay_session_dup_source (self);
  g_autofree char *folder = suite == NULL ? dup_beside (self, "-suite") : NULL;

  add_word (line, suite != NULL ? suite : folder);
  if (suite == NULL)
    add_option (line, "--from-model", source);
  add_option (line, "--on", assay_compare_activity_get_runner (self->comparing, 1));
  add_option (line, "--target", assay_session_get_target_id (self));
  add_suite_settings (line, self, suite, again);
  if (assay_qualify_activity_get_expected (self->qualifying) != NULL)
    add_option (line, "--xfail", assay_qualify_activity_get_expected (self->qualifying));

  return g_strdup (line->str);
}

/**
 * assay_session_dup_command:
 * @self: a session
 * @kind: `check`, `quantize`, `compile`, `cycles`, `run`, `compare`, `deploy`, or `window` for the
 * window at the selected node
 *
 * Writes the command line that does what the session does or would do: model, target, setup, fixes,
 * inputs, runners. A shell can take it as it is. For a model with fixes it is `assay fix`, and what
 * compiles or runs comes after `&&`: it takes the fixed model, which `assay fix` writes into the
 * current folder.
 *
 * Returns: (transfer full): the line
 */
char *
assay_session_dup_command (AssaySession *self, const char *kind)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GPtrArray) inputs = NULL;
  g_autofree char *written = NULL;
  const char *program = NULL;
  GPtrArray *fixes;
  AssayPipelineStages stages = 0;
  g_autofree char *source = NULL;
  guint parts = 0;

  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i].kind, kind))
      {
        program = commands[i].program;
        stages = commands[i].stages;
        parts = commands[i].parts;
      }
  if (program == NULL || assay_document_get_path (self->document) == NULL)
    return g_strdup ("");

  if ((parts & ADD_SUITE) != 0)
    return dup_qualify (self, program);

  fixes = assay_document_get_fixes (self->document);
  if (fixes->len > 0 && self->graph != NULL && (parts & ADD_NODE) == 0)
    {
      if ((parts & ADD_FIXES) == 0)
        {
          g_autofree char *ending = g_strconcat ("-fixed",
                                                 assay_importer_get_exchange ()->suffixes[0], NULL);

          written = dup_beside (self, ending);
        }
      add_fix (line, self, fixes, written);
      if (written == NULL)
        return g_strdup (line->str);
      g_string_append (line, " && ");
    }

  g_string_append (line, program);
  source = (parts & ADD_NODE) != 0 ? g_strdup (assay_document_get_path (self->document))
                                   : assay_session_dup_source (self);
  add_word (line, written != NULL ? written : source);
  add_option (line, "--target", assay_session_get_target_id (self));
  if ((parts & ADD_NODE) != 0)
    {
      if (self->selection != ASSAY_NO_NODE && self->verdicts != NULL)
        add_option (line, "--node",
                    assay_graph_node (self->verdicts->graph, self->selection)->name);
      return g_strdup (line->str);
    }

  /* A cut has other inputs than the file, and the sizes are in what was written. */
  inputs = self->graph != NULL ? assay_graph_list_inputs (self->graph) : g_ptr_array_new ();
  if (self->graph != NULL)
    add_settings (line, self, inputs, written == NULL ? stages | ASSAY_PIPELINE_IMPORT : stages);
  if ((parts & ADD_PROGRAM_FILE) != 0)
    {
      g_autofree char *output = dup_beside (self, ".assayprog");

      add_option (line, "--output", output);
      if ((parts & ADD_CYCLES) != 0)
        {
          g_autofree char *trace = dup_beside (self, ".trace.json");

          g_string_append (line, " && assay cycles");
          add_word (line, output);
          add_option (line, "--trace", trace);
        }
    }
  if ((parts & ADD_INPUTS) != 0 && self->graph != NULL)
    add_inputs (line, self, inputs);
  if ((parts & ADD_SAMPLES) != 0)
    add_samples (line, self);
  if ((parts & ADD_RUNNER) != 0)
    add_option (line, "--on", assay_run_get_runner (self->run));
  if ((parts & ADD_SIDES) != 0)
    {
      add_option (line, "--a", assay_compare_activity_get_runner (self->comparing, 0));
      add_option (line, "--b", assay_compare_activity_get_runner (self->comparing, 1));
      if (assay_compare_activity_get_tolerance (self->comparing) != NULL)
        add_option (line, "--tolerance", assay_compare_activity_get_tolerance (self->comparing));
    }
  if ((parts & ADD_BOARD) != 0)
    {
      g_autofree char *seed = g_strdup_printf (
          "%" G_GUINT64_FORMAT, assay_input_choice_get_seed (assay_run_get_inputs (self->run)));
      const AssayDeployment *deployed = assay_deploy_activity_get_deployment (self->deploying);
      g_autofree char *runs = g_strdup_printf ("%u", deployed != NULL ? deployed->n_runs
                                                                      : ASSAY_ROLLOUT_RUNS);

      add_option (line, "--board", assay_deploy_activity_get_board (self->deploying));
      add_option (line, "--runs", runs);
      add_option (line, "--random", seed);
    }

  return g_strdup (line->str);
}

/**
 * assay_session_dup_tensor_command:
 * @self: a session
 * @name: name of a constant of the checked graph
 *
 * Writes the command line that tells what a constant is like and writes its elements. What the file
 * does not have comes from its canonical form.
 *
 * Returns: (transfer full): the line
 */
char *
assay_session_dup_tensor_command (AssaySession *self, const char *name)
{
  g_autoptr (GString) line = g_string_new ("assay show");
  g_autofree char *file = g_strdup_printf ("%s.npy", name);
  g_autofree char *source = assay_session_dup_source (self);
  gboolean in_file = FALSE;

  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);

  for (AssayValueId id = 1;
       self->graph != NULL && id < assay_graph_n_values (self->graph) && !in_file; id++)
    in_file = assay_graph_is_constant (self->graph, id) &&
              g_str_equal (assay_graph_value (self->graph, id)->name, name);

  g_strdelimit (file, G_DIR_SEPARATOR_S, '_');
  add_word (line, source);
  if (!in_file)
    add_option (line, "--level", "nnir");
  add_option (line, "--tensor", name);
  add_option (line, "--output", file);
  return g_strdup (line->str);
}
