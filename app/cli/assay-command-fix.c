/* assay-command-fix.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "assay-cli-model.h"
#include "assay-command.h"
#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "report/assay-fix-report.h"
#include "settings/assay-settings-options.h"

/* More rounds than any model needs; each makes the model better, so that it ends by itself. */
#define MAX_ROUNDS 200

typedef struct
{
  char **apply;
  gboolean best;
  char *fixes;
  char *save_fixes;
  char *written;
  int cause;
  int runs;
  gint64 seed;
  gboolean no_cycles;
  gboolean thorough;
} FixOptions;

/* The model as the command goes on with it. */
typedef struct
{
  AssayCli *cli;
  AssayTarget *target;
  AssayWork *model;
  AssayFixOptions options;
  double spent;
  gboolean one_cause;
  GPtrArray *applied;
  AssayFindings *findings;
  AssayWork *fixed;
  GPtrArray *left; /* Left: what --best does not apply */
} Work;

/* Offers of a cause that nobody asked for and that change the model. */
typedef struct
{
  guint cause;
  AssayFixSuggestions *suggestions;
} Left;

static void
left_free (gpointer data)
{
  Left *self = data;

  g_clear_pointer (&self->suggestions, assay_fix_suggestions_free);
  g_free (self);
}

static void
fix_options_clear (FixOptions *self)
{
  g_strfreev (self->apply);
  g_free (self->fixes);
  g_free (self->save_fixes);
  g_free (self->written);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FixOptions, fix_options_clear)

static void
work_clear (Work *self)
{
  g_clear_pointer (&self->target, assay_target_unref);
  g_clear_pointer (&self->model, assay_work_free);
  g_clear_pointer (&self->applied, g_ptr_array_unref);
  g_clear_pointer (&self->left, g_ptr_array_unref);
  g_clear_pointer (&self->findings, assay_findings_unref);
  g_clear_pointer (&self->fixed, assay_work_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

/* Does all fixes again on the imported model, and checks what comes of it. */
static gboolean
replay (Work *self, AssayFindings *findings, GError **error)
{
  g_clear_pointer (&self->fixed, assay_work_free);
  self->fixed = assay_work_with_fixes (self->model, self->applied, findings, &self->cli->progress,
                                       error);

  return self->fixed != NULL &&
         assay_work_get_verdicts (self->fixed, &self->cli->progress, error) != NULL;
}

/* Of the model as it is now, which is checked. */
static AssayVerdicts *
get_verdicts (Work *self)
{
  return assay_work_get_verdicts (self->fixed, NULL, NULL);
}

static AssayFixSuggestions *
suggest (Work *self, guint cause, GError **error)
{
  AssayFixOptions options = self->options;

  if (!self->one_cause)
    assay_fix_options_share (&options, get_verdicts (self)->causes->len);

  return assay_fix_suggest_for_cause (self->fixed, cause, &options, &self->cli->progress, error);
}

/* The first that leaves the model the same; all searches together do the work of one request. */
static AssayFixSuggestions *
suggest_first (Work *self, guint cause, GError **error)
{
  AssayFixSuggestions *suggestions;
  AssayFixOptions options = self->options;

  /* Cycles have no part in which offer is the first. */
  options.first_only = TRUE;
  options.no_cycles = TRUE;
  suggestions = assay_fix_suggest_for_cause (self->fixed, cause, &options, &self->cli->progress,
                                             error);
  if (suggestions != NULL && self->options.work > 0)
    self->options.work -= MIN (suggestions->work, self->options.work - 1);

  return suggestions;
}

/* Two offers may begin with the same fix, such as a size, which is needed once. */
static void
add_new (GPtrArray *fixes, GPtrArray *more)
{
  for (guint i = 0; i < more->len; i++)
    if (!g_ptr_array_find_with_equal_func (fixes, g_ptr_array_index (more, i),
                                           (GEqualFunc) assay_fix_equal, NULL))
      g_ptr_array_add (fixes, assay_fix_copy (g_ptr_array_index (more, i)));
}

/* `CAUSE.OFFER`, or `CAUSE.OFFER@NODE` for one node. */
static GPtrArray *
pick (Work *self, const char *id, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (id, "@", 2);
  g_auto (GStrv) numbers = g_strsplit (parts[0] != NULL ? parts[0] : "", ".", 2);
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  guint64 cause, offer;
  gboolean cut = g_strv_length (numbers) == 2 && g_str_has_prefix (numbers[1], "cut");
  GPtrArray *offers, *fixes;

  if (g_strv_length (numbers) != 2 ||
      !g_ascii_string_to_unsigned (numbers[0], 10, 1, G_MAXUINT, &cause, NULL) ||
      !g_ascii_string_to_unsigned (numbers[1] + (cut ? strlen ("cut") : 0), 10, 1,
                                   ASSAY_FIX_MAX_OFFERS, &offer, NULL))
    {
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
          "--apply %s: expected CAUSE.OFFER as `assay fix` lists them, or CAUSE.OFFER@NODE", id);
      return NULL;
    }

  suggestions = suggest (self, (guint) cause - 1, error);
  if (suggestions == NULL)
    {
      g_prefix_error (error, "--apply %s: ", id);
      return NULL;
    }
  offers = cut ? suggestions->cuts : suggestions->offers;
  if (offer > offers->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "--apply %s: cause %s has %u %s", id,
                   numbers[0], offers->len, cut ? "cuts" : "offers");
      return NULL;
    }

  fixes = assay_fix_offer_list_fixes (g_ptr_array_index (offers, offer - 1), parts[1]);
  if (fixes == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "--apply %s: the fix has no node \"%s\"",
                 id, parts[1]);

  return fixes;
}

/* What a fix drops is said where it is applied too, once. */
static void
tell_dropped (Work *self, AssayFindings *findings)
{
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);
      gboolean told = !g_str_equal (finding->rule, ASSAY_FIX_DROPS_INPUT);

      for (guint j = 0; j < assay_findings_get_count (self->findings) && !told; j++)
        told = g_strcmp0 (assay_findings_get (self->findings, j)->node, finding->node) == 0 &&
               g_str_equal (assay_findings_get (self->findings, j)->message, finding->message);
      if (!told)
        assay_findings_add (self->findings, finding->severity, finding->rule, finding->graph_path,
                            finding->node, NULL, -1, "%s", finding->message);
    }
}

static gboolean
apply_chosen (Work *self, char **ids, GError **error)
{
  g_autoptr (GPtrArray) chosen = assay_fixes_new ();
  g_autoptr (AssayFindings) findings = assay_findings_new ();

  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (GPtrArray) fixes = pick (self, ids[i], error);

      if (fixes == NULL)
        return FALSE;
      add_new (chosen, fixes);
    }
  add_new (self->applied, chosen);
  if (!replay (self, findings, error))
    return FALSE;
  tell_dropped (self, findings);

  return TRUE;
}

/* The fixes of the best offer that leaves the model the same. */
static GPtrArray *
find_same (AssayFixSuggestions *suggestions)
{
  for (guint i = 0; i < suggestions->offers->len; i++)
    {
      const AssayFixOffer *offer = g_ptr_array_index (suggestions->offers, i);

      if (assay_fix_offer_is_same (offer))
        return assay_fix_offer_list_fixes (offer, NULL);
    }

  return NULL;
}

/* Of the first cause that has such an offer; notes the causes that have others only. */
static gboolean
apply_one (Work *self, gboolean *applied, GError **error)
{
  *applied = FALSE;
  g_ptr_array_set_size (self->left, 0);
  for (guint cause = 0; cause < get_verdicts (self)->causes->len && !*applied; cause++)
    {
      g_autoptr (AssayFixSuggestions) suggestions = suggest_first (self, cause, error);
      GPtrArray *fixes;

      if (suggestions == NULL)
        return FALSE;
      fixes = find_same (suggestions);
      *applied = fixes != NULL;
      if (fixes != NULL)
        {
          g_ptr_array_extend_and_steal (self->applied, fixes);
        }
      else if (suggestions->offers->len > 0)
        {
          Left *left = g_new0 (Left, 1);

          left->cause = cause;
          left->suggestions = g_steal_pointer (&suggestions);
          g_ptr_array_add (self->left, left);
        }
    }

  return TRUE;
}

/* The best offer of the first cause that has one, until no cause has. */
static gboolean
apply_best (Work *self, GError **error)
{
  gboolean applied = TRUE;

  for (guint round = 0; round < MAX_ROUNDS && applied; round++)
    if (!apply_one (self, &applied, error) || (applied && !replay (self, NULL, error)))
      return FALSE;

  return TRUE;
}

static gboolean
list_offers (Work *self, const FixOptions *options, AssayFixReport *report, GError **error)
{
  if (options->cause > (int) get_verdicts (self)->causes->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "--cause %d: the last cause is %u",
                   options->cause, get_verdicts (self)->causes->len);
      return FALSE;
    }

  for (guint i = 0; i < get_verdicts (self)->causes->len; i++)
    {
      AssayFixSuggestions *suggestions;

      if (options->cause > 0 && i + 1 != (guint) options->cause)
        continue;
      suggestions = suggest (self, i, error);
      if (suggestions == NULL)
        return FALSE;
      assay_fix_report_add_cause (report, i, suggestions);
    }

  return TRUE;
}

/* From a file, or from @value itself: a document begins with a brace. */
static gboolean
load_fixes (Work *self, const char *value, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;
  gboolean document = value != NULL && *value == '{';

  if (value == NULL)
    return TRUE;
  if (document)
    {
      text = g_strdup (value);
      length = strlen (value);
    }
  else if (!assay_file_read (value, ASSAY_FILE_READ_TEXT, &text, &length, error))
    return FALSE;
  g_clear_pointer (&self->applied, g_ptr_array_unref);
  self->applied = assay_fixes_from_json (text, (gssize) length, document ? "--fixes" : value,
                                         self->findings, error);

  return self->applied != NULL;
}

static gboolean
save (Work *self, const FixOptions *options, AssayFixReport *report, GError **error)
{
  gboolean saved = TRUE;

  if (options->save_fixes != NULL)
    {
      gsize length;
      g_autofree char *text = assay_fixes_to_json (self->applied, &length);

      if (!assay_cli_add_file (self->cli, options->save_fixes, text, length, error))
        return FALSE;
    }

  report->written = g_strdup (options->written);
  /* Sizes stand in the model; what the check reads besides has no place there. */
  report->options = assay_settings_to_arguments (assay_work_get_settings (self->fixed),
                                                 ASSAY_PIPELINE_CHECK);

  assay_file_group_enter (self->cli->files);
  if (options->written != NULL)
    saved = assay_model_save (assay_work_get_graph (self->fixed, NULL, NULL), options->written,
                              &self->cli->progress, &report->saved, error);
  assay_file_group_leave (self->cli->files);

  return saved;
}

/* Whoever asks for offers wants to know the verdict; whoever asks for a change, whether it was
 * made. */
static AssayExit
find_status (const FixOptions *options, const AssayFixReport *report, AssayFindings *findings)
{
  gboolean changes = options->apply != NULL || options->best || options->written != NULL ||
                     options->save_fixes != NULL;
  gboolean done = assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) == 0;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    done &= !g_str_has_prefix (assay_findings_get (findings, i)->rule, "fix.");

  return (changes ? done : assay_fix_report_is_clean (report)) ? ASSAY_EXIT_CLEAN
                                                               : ASSAY_EXIT_FINDINGS;
}

static AssayExit
fix_model (AssayCli *cli, FixOptions *options)
{
  g_auto (Work) work = { .cli = cli, .options = ASSAY_FIX_OPTIONS_DEFAULT };
  g_autoptr (AssayVerdicts) before = NULL;
  g_autoptr (AssayFixReport) report = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayExit status;
  gsize length;

  work.options.n_runs = (guint) options->runs;
  work.options.seed = (guint64) options->seed;
  work.options.no_cycles = options->no_cycles;
  work.options.spent = &work.spent;
  work.one_cause = options->cause > 0;
  if (options->thorough)
    assay_fix_options_lift (&work.options);
  work.applied = assay_fixes_new ();
  work.left = g_ptr_array_new_with_free_func (left_free);
  work.target = assay_cli_load_target (cli, &status);
  if (work.target == NULL)
    return status;
  work.model = assay_cli_open (cli, work.target, &status);
  if (work.model == NULL)
    return status;
  work.findings = assay_findings_ref (assay_work_get_findings (work.model));

  if (!replay (&work, NULL, &error))
    return assay_cli_fail (cli, error, work.findings);
  before = assay_verdicts_ref (get_verdicts (&work));
  if (!load_fixes (&work, options->fixes, &error) || !replay (&work, work.findings, &error) ||
      (options->apply != NULL && !apply_chosen (&work, options->apply, &error)) ||
      (options->best && !apply_best (&work, &error)))
    return assay_cli_fail (cli, error, work.findings);

  report = assay_fix_report_new (cli->arguments[0], work.target, before, get_verdicts (&work),
                                 work.applied, work.findings);
  report->unasked = options->best;
  for (guint i = 0; i < work.left->len; i++)
    {
      Left *left = g_ptr_array_index (work.left, i);

      assay_fix_report_add_cause (report, left->cause, g_steal_pointer (&left->suggestions));
    }
  if ((options->apply == NULL && !options->best && !list_offers (&work, options, report, &error)) ||
      !save (&work, options, report, &error))
    return assay_cli_fail (cli, error, work.findings);

  text = cli->json
             ? assay_fix_report_to_json (report, &length)
             : assay_fix_report_to_text (
                   report, assay_cli_has_colours (cli) ? ASSAY_REPORT_COLOURS : ASSAY_REPORT_PLAIN,
                   &length);

  return assay_cli_write (cli, text, length, find_status (options, report, work.findings));
}

/**
 * assay_command_fix:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Offers rewrites for what a target does not take, each tried before it is offered, and applies
 * what is asked for.
 *
 * Returns: the exit code; without a change that is asked for, a node that is rejected or undecided
 * is a finding, else a fix that does not apply
 */
AssayExit
assay_command_fix (AssayCli *cli, int argc, char **argv)
{
  g_auto (FixOptions) options = { .runs = 16 };
  const GOptionEntry entries[] = {
    { "apply", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.apply,
      "Apply an offer, to all nodes of its cause or to one", "CAUSE.OFFER[@NODE]" },
    { "best", 0, 0, G_OPTION_ARG_NONE, &options.best,
      "Apply the best offer of each cause that leaves the outputs as they are but for rounding",
      NULL },
    { "fixes", 0, 0, G_OPTION_ARG_FILENAME, &options.fixes,
      "Apply the fixes of a file first, or of a JSON document", "FILE|JSON" },
    { "save-fixes", 0, 0, G_OPTION_ARG_FILENAME, &options.save_fixes,
      "Write the fixes that are applied", "FILE" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.written, "Write the fixed model", "MODEL" },
    { "cause", 0, 0, G_OPTION_ARG_INT, &options.cause, "Offers for this cause only", "NUMBER" },
    { "thorough", 0, 0, G_OPTION_ARG_NONE, &options.thorough,
      "Try every rewrite, and every pair, however long it takes", NULL },
    { "runs", 0, 0, G_OPTION_ARG_INT, &options.runs, "Random inputs to compare outputs with (16)",
      "NUMBER" },
    { "random", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed of the random inputs", "SEED" },
    { "no-cycles", 0, 0, G_OPTION_ARG_NONE, &options.no_cycles, "Do not compile to count cycles",
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    G_OPTION_ENTRY_NULL
  };
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  if (!assay_cli_parse (
          cli, entries, "MODEL",
          "Offers rewrites for what a target does not take. Each was tried: verdicts before and "
          "after,\n"
          "what it adds, and whether the outputs stay the same.",
          "Exit status: 0 if the target takes the model, 1 if a node is rejected or undecided. "
          "With\n"
          "--apply, --best, --output or --save-fixes: 0 if all that was asked for is applied and\n"
          "written, 1 if a fix does not apply; `assay check` has the verdict. 2 for bad input, 3 "
          "if a\n"
          "file cannot be read or written.",
          argc, argv, &status))
    return status;

  if (options.runs < 0 || options.runs > 1000)
    return assay_cli_usage (cli, "--runs %d: expected 0 to 1000", options.runs);
  if (options.cause < 0)
    return assay_cli_usage (cli, "--cause %d: expected the number of a cause", options.cause);

  return fix_model (cli, &options);
}
