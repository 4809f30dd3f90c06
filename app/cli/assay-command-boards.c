/* assay-command-boards.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-output-form.h"
#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"
#include "run/board/assay-board-install.h"
#include "run/board/assay-board-list.h"
#include "run/assay-gpu.h"

static void
begin_document (AssayJsonWriter *json)
{
  assay_json_writer_begin_document (json, 2, "assay.boards/1");
}

/* Graphics processors, with driver, memory and limits; that there is none is no failure. */
static void
append_devices (AssayCli *cli, AssayJsonWriter *json, GString *text)
{
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) document = assay_gpu_list (&cli->progress, &error);
  JsonObject *root = document != NULL ? json_node_get_object (document) : NULL;
  JsonArray *devices = root != NULL ? json_object_get_array_member (root, "devices") : NULL;

  assay_text_table_init (&table, 2, 160);
  assay_json_writer_begin_member_array (json, "devices");
  for (guint i = 0; devices != NULL && i < json_array_get_length (devices); i++)
    {
      JsonObject *device = json_array_get_object_element (devices, i);
      JsonArray *heaps = json_object_get_array_member (device, "heaps");
      JsonObject *limits = json_object_get_object_member (device, "limits");
      GString *facts = g_string_new (json_object_get_string_member (device, "label"));

      assay_json_writer_node (json, json_array_get_element (devices, i));
      g_string_append_printf (facts, ", %s %s", json_object_get_string_member (device, "driver"),
                              json_object_get_string_member (device, "driver_version"));
      for (guint j = 0; j < json_array_get_length (heaps); j++)
        g_string_append_printf (
            facts, ", heap of %" G_GINT64_FORMAT " MiB",
            json_object_get_int_member (json_array_get_object_element (heaps, j), "bytes") >> 20);
      g_string_append_printf (
          facts, ", buffers of %" G_GINT64_FORMAT " MiB, textures of %" G_GINT64_FORMAT "%s",
          json_object_get_int_member (limits, "storage_buffer_bytes") >> 20,
          json_object_get_int_member (limits, "texture_3d"),
          json_object_get_boolean_member (limits, "f16") ? ", f16" : "");
      g_ptr_array_add (cells, g_strdup (json_object_get_string_member (device, "name")));
      assay_text_table_add (&table, g_ptr_array_index (cells, cells->len - 1),
                            ASSAY_TEXT_STYLE_BOLD);
      assay_text_table_take (&table, g_string_free (facts, FALSE), ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_json_writer_end_array (json);
  if (error != NULL)
    {
      assay_json_writer_member (json, "no_devices", error->message);
      assay_terminal_append_format (text, "\nno graphics processor: %s\n", error->message);
    }
  else
    {
      g_string_append_c (text, '\n');
      assay_text_table_print (&table, text, assay_cli_has_colours (cli));
    }
}

static AssayExit
list_boards (AssayCli *cli)
{
  g_autoptr (GPtrArray) boards = assay_board_list ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) note = g_string_new (NULL);
  g_autofree char *document = NULL;
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  AssayJsonWriter json;
  gsize length;

  begin_document (&json);
  assay_json_writer_begin_member_array (&json, "boards");
  assay_text_table_init (&table, 2, 60);
  for (guint i = 0; i < boards->len; i++)
    {
      const char *name = g_ptr_array_index (boards, i);

      g_ptr_array_add (labels, assay_board_dup_label (name));
      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "name", name);
      assay_json_writer_member (&json, "label", g_ptr_array_index (labels, i));
      assay_json_writer_end_object (&json);
      assay_text_table_add (&table, name, ASSAY_TEXT_STYLE_BOLD);
      assay_text_table_add (&table, g_ptr_array_index (labels, i), ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_json_writer_end_array (&json);
  append_devices (cli, &json, note);
  document = assay_json_writer_end_document (&json, &length);
  if (cli->json)
    return assay_cli_write (cli, document, length, ASSAY_EXIT_CLEAN);

  assay_text_table_print (&table, text, assay_cli_has_colours (cli));
  g_string_append (text, note->str);

  return assay_cli_write (cli, text->str, text->len, ASSAY_EXIT_CLEAN);
}

static void
append_check (const AssayBoardCheck *check, AssayJsonWriter *json, AssayTextTable *table,
              GString *remedies)
{
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "check", assay_board_step_name (check->step));
  assay_json_writer_member_bool (json, "passed", check->passed);
  assay_json_writer_member (json, "message", check->sentence);
  if (check->remedy != NULL)
    assay_json_writer_member (json, "remedy", check->remedy);
  if (check->command != NULL)
    assay_json_writer_member (json, "command", check->command);
  assay_json_writer_end_object (json);

  assay_text_table_add (table, check->passed ? "ok" : "failed",
                        check->passed ? ASSAY_TEXT_STYLE_PLAIN : ASSAY_TEXT_STYLE_BAD);
  assay_text_table_add (table, assay_board_step_name (check->step), ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_add (table, check->sentence, ASSAY_TEXT_STYLE_PLAIN);
  if (check->remedy != NULL)
    assay_terminal_append_format (remedies, "\n%s\n", check->remedy);
  if (check->command != NULL)
    assay_terminal_append_format (remedies, "  %s\n", check->command);
}

static AssayExit
check_board (AssayCli *cli, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) checks = assay_board_check (name, 0, &cli->progress, &error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) remedies = g_string_new (NULL);
  g_autofree char *document = NULL;
  g_auto (AssayTextTable) table = { 0 };
  AssayJsonWriter json;
  AssayExit status = ASSAY_EXIT_CLEAN;
  gsize length;

  if (checks == NULL)
    return assay_cli_fail (cli, error, NULL);

  begin_document (&json);
  assay_json_writer_member (&json, "board", name);
  assay_json_writer_begin_member_array (&json, "checks");
  assay_text_table_init (&table, 3, 160);
  for (guint i = 0; i < checks->len; i++)
    {
      const AssayBoardCheck *check = &g_array_index (checks, AssayBoardCheck, i);

      append_check (check, &json, &table, remedies);
      if (!check->passed)
        status = ASSAY_EXIT_ENVIRONMENT;
    }
  assay_json_writer_end_array (&json);
  document = assay_json_writer_end_document (&json, &length);
  if (cli->json)
    return assay_cli_write (cli, document, length, status);

  assay_text_table_print (&table, text, assay_cli_has_colours (cli));
  g_string_append (text, remedies->str);

  return assay_cli_write (cli, text->str, text->len, status);
}

static AssayExit
install_agent (AssayCli *cli, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayBoardInstallation) done = assay_board_install (name, &cli->progress, &error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *document = NULL;
  g_autofree char *label = NULL;
  AssayJsonWriter json;
  gsize length;

  if (done == NULL)
    return assay_cli_fail (cli, error, NULL);

  begin_document (&json);
  assay_json_writer_member (&json, "board", name);
  assay_json_writer_begin_member_object (&json, "installed");
  assay_json_writer_member (&json, "path", ASSAY_BOARD_INSTALLED);
  assay_json_writer_member (&json, "agent", done->agent);
  assay_json_writer_member (&json, "architecture", done->machine);
  assay_json_writer_member (&json, "file", done->file);
  assay_json_writer_member_uint (&json, "bytes", done->bytes);
  assay_json_writer_member (&json, "sha256", done->digest);
  assay_json_writer_member_bool (&json, "copied", done->copied);
  if (done->before != NULL)
    assay_json_writer_member (&json, "before", done->before);
  assay_json_writer_end_object (&json);
  document = assay_json_writer_end_document (&json, &length);
  if (cli->json)
    return assay_cli_write (cli, document, length, ASSAY_EXIT_CLEAN);

  label = assay_board_dup_label (name);
  if (!done->copied)
    assay_terminal_append_format (text, "%s is already installed on %s: %s\n", done->agent, label,
                                  ASSAY_BOARD_INSTALLED);
  else
    assay_terminal_append_format (
        text, "copied %s for %s, %" G_GSIZE_FORMAT " bytes, to %s on %s%s%s; it answers\n",
        done->agent, done->machine, done->bytes, ASSAY_BOARD_INSTALLED, label,
        done->before != NULL ? ", in place of " : "", done->before != NULL ? done->before : "");

  return assay_cli_write (cli, text->str, text->len, ASSAY_EXIT_CLEAN);
}

static AssayExit
remove_agent (AssayCli *cli, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *document = NULL;
  g_autofree char *label = NULL;
  gboolean removed;
  AssayJsonWriter json;
  gsize length;

  if (!assay_board_remove (name, &removed, &cli->progress, &error))
    return assay_cli_fail (cli, error, NULL);

  begin_document (&json);
  assay_json_writer_member (&json, "board", name);
  assay_json_writer_member (&json, "path", ASSAY_BOARD_INSTALLED);
  assay_json_writer_member_bool (&json, "removed", removed);
  document = assay_json_writer_end_document (&json, &length);
  if (cli->json)
    return assay_cli_write (cli, document, length, ASSAY_EXIT_CLEAN);

  label = assay_board_dup_label (name);
  assay_terminal_append_format (text, removed ? "removed %s from %s\n" : "there is no %s on %s\n",
                                ASSAY_BOARD_INSTALLED, label);

  return assay_cli_write (cli, text->str, text->len, ASSAY_EXIT_CLEAN);
}

static const struct
{
  const char *option;
  AssayExit (*act) (AssayCli *cli, const char *name);
} acts[] = {
  { "check", check_board },
  { "install", install_agent },
  { "remove", remove_agent },
};

/**
 * assay_command_boards:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Lists boards, looks at the health of one, or installs or removes its agent.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_boards (AssayCli *cli, int argc, char **argv)
{
  char *boards[G_N_ELEMENTS (acts)] = { NULL };
  const GOptionEntry entries[] = {
    { acts[0].option, 0, 0, G_OPTION_ARG_STRING, &boards[0],
      "Look at the health of a board: local, ssh:HOST, or vulkan", "BOARD" },
    { acts[1].option, 0, 0, G_OPTION_ARG_STRING, &boards[1],
      "Copy the agent to a board, ssh:HOST, and talk with it", "BOARD" },
    { acts[2].option, 0, 0, G_OPTION_ARG_STRING, &boards[2],
      "Remove the agent that --install has copied to a board", "BOARD" },
    G_OPTION_ENTRY_NULL
  };
  AssayExit status;
  guint n = 0, chosen = 0;

  cli->forms = assay_output_forms_report;
  if (assay_cli_parse (cli, entries, NULL,
                       "Lists this computer, the hosts of the ssh configuration and graphics "
                       "processors, checks a host, or installs the agent there.",
                       NULL, argc, argv, &status))
    {
      for (guint i = 0; i < G_N_ELEMENTS (acts); i++)
        if (boards[i] != NULL)
          {
            chosen = i;
            n++;
          }
      if (cli->arguments != NULL && cli->arguments[0] != NULL)
        status = assay_cli_usage (cli, "expected no argument, got %s", cli->arguments[0]);
      else if (n > 1)
        status = assay_cli_usage (cli, "expected one of --check, --install and --remove");
      else
        status = n == 1 ? acts[chosen].act (cli, boards[chosen]) : list_boards (cli);
    }
  for (guint i = 0; i < G_N_ELEMENTS (acts); i++)
    g_free (boards[i]);

  return status;
}
