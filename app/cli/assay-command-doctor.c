/* assay-command-doctor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "assay-command.h"
#include "assay-output-form.h"
#include "process/assay-child.h"
#include "process/assay-confine.h"
#include "process/assay-helper.h"
#include "run/assay-gpu.h"
#include "run/assay-runner.h"
#include "run/board/assay-board-list.h"
#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"

/* The time that a helper may take to print its version, and the longest line that is read. */
#define SECONDS 20
#define LONGEST_ANSWER 4096

/* One thing that was looked for. */
typedef struct
{
  const char *part;
  char *name;
  gboolean found;
  char *text;
} Row;

static const char *const helpers[] = { "assay-ort",   "assay-gpu",   "assay-layout-helper",
                                       "assay-board", "assay-torch", "assay-watch" };

static void
row_clear (gpointer data)
{
  Row *self = data;

  g_free (self->name);
  g_free (self->text);
}

static void
take_row (GArray *rows, const char *part, const char *name, gboolean found, char *text)
{
  const Row row = { part, g_strdup (name), found, text };

  g_array_append_val (rows, row);
}

static void
add_confinement (GArray *rows)
{
  g_autoptr (GArray) parts = assay_confine_list ();

  for (guint i = 0; i < parts->len; i++)
    {
      const AssayConfinePart *part = &g_array_index (parts, AssayConfinePart, i);

      take_row (rows, "confinement", part->name, part->found, g_strdup (part->text));
    }
}

static void
add_helpers (GArray *rows)
{
  for (guint i = 0; i < G_N_ELEMENTS (helpers); i++)
    {
      g_autoptr (GError) error = NULL;
      char *path = assay_helper_find (helpers[i], &error);

      take_row (rows, "helper", helpers[i], path != NULL,
                path != NULL ? path : g_strdup ("not found"));
    }
}

/* In the helper that loads it: nothing of it comes into this process. */
static char *
ask_onnxruntime (AssayCli *cli, GError **error)
{
  g_autofree char *path = assay_helper_find ("assay-ort", error);
  const char *argv[] = { path, "version", NULL };
  g_autoptr (AssayChild) child = path != NULL ? assay_child_new (argv, error) : NULL;

  if (child == NULL)
    return NULL;
  assay_child_set_deadline (child, SECONDS);

  return assay_child_read_line (child, LONGEST_ANSWER, &cli->progress, error);
}

static void
add_libraries (GArray *rows, AssayCli *cli)
{
  g_autoptr (GError) error = NULL;
  char *version = ask_onnxruntime (cli, &error);
  g_autofree char *filters = assay_call_filter_dup_library ();
  gboolean found = version != NULL && !g_str_has_prefix (version, "error ");

  take_row (rows, "library", "ONNX Runtime", found,
            version != NULL ? version : g_strdup (error->message));
  take_row (
      rows, "library", "GLib", TRUE,
      g_strdup_printf ("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version));
  take_row (rows, "library", "libseccomp", TRUE, g_strdup (strrchr (filters, ' ') + 1));
}

/* The parts that some runners need. */
static const struct
{
  const char *runner;
  const char *part;
  const char *name;
} needs[] = {
  { "ort", "library", "ONNX Runtime" },
  { "vulkan", "device", NULL },
};

static gboolean
was_found (GArray *rows, const char *part, const char *name)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      if (row->found && g_str_equal (row->part, part) &&
          (name == NULL || g_str_equal (row->name, name)))
        return TRUE;
    }

  return FALSE;
}

static void
add_runners (GArray *rows)
{
  const AssayRunnerKind *kind;

  for (guint i = 0; (kind = assay_runner_kind_get (i)) != NULL; i++)
    {
      gboolean found = TRUE;

      for (guint j = 0; j < G_N_ELEMENTS (needs); j++)
        if (g_str_equal (kind->name, needs[j].runner))
          found = was_found (rows, needs[j].part, needs[j].name);
      take_row (rows, "runner", kind->name, found, g_strdup (kind->summary));
    }
}

static void
add_devices (GArray *rows, AssayCli *cli)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) document = assay_gpu_list (&cli->progress, &error);
  JsonArray *devices = document != NULL ? json_object_get_array_member (
                                              json_node_get_object (document), "devices")
                                        : NULL;

  if (devices == NULL || json_array_get_length (devices) == 0)
    take_row (rows, "device", "graphics processor", FALSE,
              g_strdup (error != NULL ? error->message : "none"));
  for (guint i = 0; devices != NULL && i < json_array_get_length (devices); i++)
    {
      JsonObject *device = json_array_get_object_element (devices, i);

      take_row (rows, "device", json_object_get_string_member (device, "name"), TRUE,
                g_strdup_printf ("%s, %s %s", json_object_get_string_member (device, "label"),
                                 json_object_get_string_member (device, "driver"),
                                 json_object_get_string_member (device, "driver_version")));
    }
}

static void
add_boards (GArray *rows)
{
  g_autoptr (GPtrArray) boards = assay_board_list ();

  for (guint i = 0; i < boards->len; i++)
    {
      const char *name = g_ptr_array_index (boards, i);

      take_row (rows, "board", name, TRUE, assay_board_dup_label (name));
    }
}

static char *
print_json (GArray *rows, const struct utsname *system, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 2, "assay.doctor/1");
  assay_json_writer_member (&json, "version", ASSAY_VERSION);
  assay_json_writer_member (&json, "system", system->sysname);
  assay_json_writer_member (&json, "kernel", system->release);
  assay_json_writer_member (&json, "machine", system->machine);
  assay_json_writer_key (&json, "administrator");
  assay_json_writer_bool (&json, geteuid () == 0);
  assay_json_writer_begin_member_array (&json, "rows");
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "part", row->part);
      assay_json_writer_member (&json, "name", row->name);
      assay_json_writer_member_bool (&json, "found", row->found);
      assay_json_writer_member (&json, "text", row->text);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);

  return assay_json_writer_end_document (&json, length);
}

static char *
print_text (GArray *rows, const struct utsname *system, gboolean colours, gsize *length)
{
  GString *text = g_string_new (NULL);
  g_auto (AssayTextTable) table = { 0 };

  assay_terminal_append_format (text, "assay %s on %s %s, %s, as %s\n\n", ASSAY_VERSION,
                                system->sysname, system->release, system->machine,
                                geteuid () == 0 ? "administrator" : "user");
  assay_text_table_init (&table, 4, 160);
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      assay_text_table_add (&table, row->part, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, row->name, ASSAY_TEXT_STYLE_BOLD);
      assay_text_table_add (&table, row->found ? "found" : "missing",
                            row->found ? ASSAY_TEXT_STYLE_GOOD : ASSAY_TEXT_STYLE_BAD);
      assay_text_table_add (&table, row->text, ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
  *length = text->len;

  return g_string_free (text, FALSE);
}

/**
 * assay_command_doctor:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Tells what confinement consists of for this kernel and user, and which helpers, libraries,
 * runners, devices and boards were found.
 *
 * Returns: the exit code; a part of confinement that is missing is a finding
 */
AssayExit
assay_command_doctor (AssayCli *cli, int argc, char **argv)
{
  const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  struct utsname system = { 0 };
  gboolean complete = TRUE;
  AssayExit status;
  gsize length;

  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (cli, entries, NULL,
                        "Tells what confines programs on this computer, what is missing, and which "
                        "helpers,\n"
                        "libraries, runners, devices and boards were found.",
                        "Exit status: 0, or 1 if a part of confinement is missing.", argc, argv,
                        &status))
    return status;

  g_array_set_clear_func (rows, row_clear);
  uname (&system);
  add_confinement (rows);
  for (guint i = 0; i < rows->len; i++)
    complete &= g_array_index (rows, Row, i).found;
  add_helpers (rows);
  add_libraries (rows, cli);
  add_devices (rows, cli);
  add_runners (rows);
  add_boards (rows);
  if (!assay_progress_check (&cli->progress, &error))
    return assay_cli_fail (cli, error, NULL);

  text = cli->json ? print_json (rows, &system, &length)
                   : print_text (rows, &system, assay_cli_has_colours (cli), &length);

  return assay_cli_write (cli, text, length, complete ? ASSAY_EXIT_CLEAN : ASSAY_EXIT_FINDINGS);
}
