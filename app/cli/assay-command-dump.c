/* assay-command-dump.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-program-input.h"
#include "base/assay-sentence.h"
#include "report/assay-report-text.h"
#include "text/assay-terminal.h"

/* The only one is, even where all runs beside it and nothing lies in it. */
static gboolean
core_is_used (AssayProgram *program, guint core)
{
  if (assay_program_get_facts (program)->config->num_cores == 1)
    return TRUE;
  for (guint i = 0; i < assay_program_get_facts (program)->tensors->len; i++)
    {
      if (assay_program_get_tensor (program, i)->core == core)
        return TRUE;
    }

  return FALSE;
}

static char *
dup_heading (AssayProgram *program, guint core, const char *what)
{
  return assay_program_has_cores (program) ? g_strdup_printf ("Core %u, %s", core, what)
                                           : assay_sentence_new (what);
}

/**
 * assay_command_dump:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Writes the instructions of every core, and what lies where in its stores.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_dump (AssayCli *cli, int argc, char **argv)
{
  static const char *const forms[] = { "text", NULL };
  gboolean placement = FALSE;
  const GOptionEntry entries[] = { { "placement", 0, 0, G_OPTION_ARG_NONE, &placement,
                                     "Only what lies where, without the instructions", NULL },
                                   G_OPTION_ENTRY_NULL };
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean colours;
  AssayExit status;

  cli->forms = forms;
  if (!assay_cli_parse (cli, entries, "PROGRAM",
                        "Writes the instructions of every core, and what lies where in its "
                        "stores.",
                        NULL, argc, argv, &status))
    return status;
  program = assay_program_input_load (cli, &status);
  if (program == NULL)
    return status;
  colours = assay_cli_has_colours (cli);

  assay_terminal_append_format (text, "%s for %s\n", cli->arguments[0],
                                assay_program_get_facts (program)->target_id);
  for (guint model = 0; model < assay_program_num_models (program); model++)
    {
      g_autofree char *title = g_strdup_printf ("Placements tried for model %s, cycles predicted",
                                                assay_program_model_name (program, model));
      g_autoptr (GString) search = g_string_new (NULL);

      /* Where there is one place, nothing is tried. */
      assay_program_append_search (program, model, search);
      if (search->len == 0)
        continue;
      assay_report_append_heading (text, title, colours);
      g_string_append (text, search->str);
    }

  for (guint core = 0; core < assay_program_get_facts (program)->config->num_cores; core++)
    {
      gboolean used = core_is_used (program, core);
      g_autofree char *heading = dup_heading (program, core, used ? "memory" : "unused");
      g_autoptr (GString) memory = g_string_new (NULL);

      assay_program_append_memory (program, core, memory);
      if (memory->len > 0 || !used)
        assay_report_append_heading (text, heading, colours);
      g_string_append (text, memory->str);
      for (guint model = 0; model < assay_program_num_models (program) && !placement; model++)
        {
          g_autofree char *what = g_strdup_printf ("instructions of model %s",
                                                   assay_program_model_name (program, model));
          g_autofree char *title = dup_heading (program, core, what);

          if (!used)
            continue;
          assay_report_append_heading (text, title, colours);
          assay_program_append_listing (program, model, core, text);
        }
    }

  return assay_cli_write (cli, text->str, text->len, ASSAY_EXIT_CLEAN);
}
