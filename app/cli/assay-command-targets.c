/* assay-command-targets.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-output-form.h"
#include "backend/assay-backend.h"
#include "backend/assay-config.h"
#include "base/assay-file-read.h"
#include "base/assay-nearest.h"
#include "text/assay-json-writer.h"
#include "report/assay-report-json.h"
#include "report/assay-report-text.h"
#include "report/assay-target-report.h"
#include "text/assay-text-table.h"
#include "target/assay-predicate.h"
#include "target/assay-target.h"

typedef struct
{
  const char *name;
  guint n_arguments;
  const char *usage;
  AssayExit (*run) (AssayCli *cli, const char *argument);
} Action;

static AssayExit
write_text (AssayCli *cli, GString *text, AssayExit status)
{
  return assay_cli_write (cli, text->str, text->len, status);
}

static AssayExit
write_document (AssayCli *cli, AssayJsonWriter *json, AssayExit status)
{
  gsize length;
  g_autofree char *text = assay_json_writer_finish (json, &length);

  return assay_cli_write (cli, text, length, status);
}

static void
begin_document (AssayJsonWriter *json)
{
  assay_json_writer_begin_document (json, 2, "assay.targets/1");
}

static AssayExit
list_targets (AssayCli *cli, const char *argument)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) targets = assay_target_report_load (&error);
  g_autofree char *text = NULL;
  gsize length;

  if (targets == NULL)
    return assay_cli_fail (cli, error, NULL);
  text = cli->json ? assay_target_report_to_json (targets, &length)
                   : assay_target_report_to_text (targets, assay_cli_has_colours (cli), &length);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

static AssayExit
show_target (AssayCli *cli, const char *argument)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load (argument, &error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  g_autofree char *document = NULL;

  if (target == NULL)
    return assay_cli_fail (cli, error, NULL);

  json_node_set_object (root, assay_target_get_json (target));
  if (cli->json)
    {
      AssayJsonWriter json;

      assay_json_writer_begin_document (&json, 3, "assay.targets/1");
      assay_json_writer_key (&json, "target");
      assay_json_writer_node (&json, root);
      document = assay_json_writer_end_document (&json, NULL);
      g_string_append (text, document);
    }
  else
    {
      assay_terminal_append_styled (text, assay_target_get_id (target), ASSAY_TEXT_STYLE_BOLD,
                                    assay_cli_has_colours (cli));
      assay_terminal_append_format (text, ": %s (%s)\n", assay_target_get_title (target),
                                    assay_target_get_family (target));
      if (assay_target_get_summary (target) != NULL)
        assay_terminal_append_format (text, "%s\n", assay_target_get_summary (target));
      document = assay_json_node_to_text (root, 2);
      g_string_append_printf (text, "\n%s\n", document);
    }

  return write_text (cli, text, ASSAY_EXIT_CLEAN);
}

static AssayExit
validate_target (AssayCli *cli, const char *argument)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *contents = NULL;
  AssayExit status;
  gsize length;

  if (!assay_file_read (argument, ASSAY_FILE_READ_TEXT, &contents, &length, &error))
    return assay_cli_usage (cli, "%s", error->message);

  bytes = g_bytes_new_take (g_steal_pointer (&contents), length);
  target = assay_target_load_bytes (bytes, argument, findings, &error);
  /* Rules that others extend have no hardware of their own. */
  if (assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG) &&
      json_object_has_member (assay_target_get_json (target), "config"))
    config = assay_config_new_for_target (target, &error);
  if (error != NULL && assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) == 0)
    assay_findings_add (findings, ASSAY_SEVERITY_ERROR, "target.file", NULL, NULL, NULL, -1, "%s",
                        error->message);
  status = assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) > 0 ? ASSAY_EXIT_FINDINGS
                                                                        : ASSAY_EXIT_CLEAN;

  if (cli->json)
    {
      AssayJsonWriter json;

      begin_document (&json);
      assay_json_writer_member (&json, "file", argument);
      assay_json_writer_member_bool (&json, "valid", status == ASSAY_EXIT_CLEAN);
      assay_report_write_findings (&json, findings);
      assay_json_writer_end_object (&json);
      return write_document (cli, &json, status);
    }

  assay_terminal_append_styled (text, argument, ASSAY_TEXT_STYLE_BOLD, assay_cli_has_colours (cli));
  g_string_append (text, status == ASSAY_EXIT_CLEAN ? ": valid\n" : ": not valid\n");
  assay_report_append_findings (text, findings, assay_cli_has_colours (cli));
  return write_text (cli, text, status);
}

static AssayExit
list_predicates (AssayCli *cli, const char *argument)
{
  g_autoptr (GPtrArray) predicates = assay_predicate_list ();
  gboolean colours = assay_cli_has_colours (cli);
  g_autoptr (GString) text = g_string_new (NULL);
  AssayJsonWriter json;

  if (cli->json)
    {
      begin_document (&json);
      assay_json_writer_begin_member_array (&json, "predicates");
    }
  for (guint i = 0; i < predicates->len; i++)
    {
      const AssayPredicate *predicate = g_ptr_array_index (predicates, i);

      if (cli->json)
        {
          assay_json_writer_begin_object (&json);
          assay_json_writer_member (&json, "name", predicate->name);
          assay_json_writer_member (&json, "doc", predicate->doc);
          assay_json_writer_begin_member_array (&json, "arguments");
        }
      else
        {
          assay_terminal_append_styled (text, predicate->name, ASSAY_TEXT_STYLE_BOLD, colours);
          assay_terminal_append_format (text, "\n    %s\n", predicate->doc);
        }
      for (guint j = 0; j < ASSAY_MAX_ARGS && predicate->args[j].name != NULL; j++)
        {
          const AssayArgSpec *arg = &predicate->args[j];

          if (!cli->json)
            {
              assay_terminal_append_format (text, "    %s: %s%s. %s\n", arg->name,
                                            assay_arg_kind_name (arg->kind),
                                            arg->required ? "" : ", optional", arg->doc);
              continue;
            }
          assay_json_writer_begin_object (&json);
          assay_json_writer_member (&json, "name", arg->name);
          assay_json_writer_member (&json, "kind", assay_arg_kind_name (arg->kind));
          assay_json_writer_member_bool (&json, "required", arg->required);
          assay_json_writer_member (&json, "doc", arg->doc);
          assay_json_writer_end_object (&json);
        }
      if (cli->json)
        {
          assay_json_writer_end_array (&json);
          assay_json_writer_end_object (&json);
        }
    }

  if (!cli->json)
    return write_text (cli, text, ASSAY_EXIT_CLEAN);
  assay_json_writer_end_array (&json);
  assay_json_writer_end_object (&json);
  return write_document (cli, &json, ASSAY_EXIT_CLEAN);
}

static const Action actions[] = { { "list", 0, "list", list_targets },
                                  { "show", 1, "show ID", show_target },
                                  { "validate", 1, "validate FILE", validate_target },
                                  { "predicates", 0, "predicates", list_predicates },
                                  { NULL } };

/**
 * assay_command_targets:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Lists targets, shows one, validates a target file, or lists the predicates that target files may
 * use.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_targets (AssayCli *cli, int argc, char **argv)
{
  const char *const names[] = { "list", "show", "validate", "predicates", NULL };
  const Action *action = actions;
  g_autofree char *hint = NULL;
  const char *name;
  AssayExit status;

  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (cli, NULL, "[list | show ID | validate FILE | predicates]",
                        "Lists the targets, shows one, validates a target file, or lists the "
                        "predicates of rules.",
                        NULL, argc, argv, &status))
    return status;

  name = cli->arguments != NULL ? cli->arguments[0] : "list";
  while (action->name != NULL && !g_str_equal (action->name, name))
    action++;
  if (action->name == NULL)
    {
      hint = assay_nearest_hint (name, names);
      return assay_cli_usage (cli, "there is no `targets %s`%s", name, hint);
    }
  if (cli->arguments != NULL && g_strv_length (cli->arguments) != action->n_arguments + 1)
    return assay_cli_usage (cli, "expected `assay targets %s`", action->usage);

  return action->run (cli, action->n_arguments > 0 ? cli->arguments[1] : NULL);
}
