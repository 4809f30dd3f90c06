/* assay-cli.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay-output-form.h"
#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "process/assay-temporary.h"
#include "settings/assay-settings-options.h"
#include "text/assay-json-writer.h"
#include "report/assay-report-text.h"
#include "text/assay-terminal.h"

/* Short work shows nothing, and the line is not redrawn more often than an eye follows. */
#define PROGRESS_DELAY (300 * G_TIME_SPAN_MILLISECOND)
#define PROGRESS_INTERVAL (80 * G_TIME_SPAN_MILLISECOND)

/* How long work may take to notice that it is cancelled, and to put away what it has made. */
#define PATIENCE_MS 1400

#define CLEAR_LINE "\r\033[K"

static void
clear_progress (AssayCli *self)
{
  if (self->shows_progress)
    fputs (CLEAR_LINE, stderr);
  self->shows_progress = FALSE;
}

/**
 * assay_cli_say:
 * @stream: standard output or standard error
 * @format: what to say
 * @...: arguments of @format
 *
 * Says something beside the output of a command; names in it cannot steer the terminal.
 */
void
assay_cli_say (FILE *stream, const char *format, ...)
{
  g_autoptr (GString) text = g_string_new (NULL);
  va_list args;

  va_start (args, format);
  assay_terminal_append_vformat (text, format, args);
  va_end (args);
  fputs (text->str, stream);
}

static void
show_progress (double fraction, const char *message, gpointer user_data)
{
  AssayCli *self = user_data;
  gint64 now = g_get_monotonic_time ();

  if (now < self->next_progress)
    return;

  self->next_progress = now + PROGRESS_INTERVAL;
  self->shows_progress = TRUE;
  if (fraction >= 0)
    assay_cli_say (stderr, CLEAR_LINE "%3.0f %% %s", 100 * fraction,
                   message != NULL ? message : "");
  else
    assay_cli_say (stderr, CLEAR_LINE "%s", message != NULL ? message : "");
  fflush (stderr);
}

/* Ctrl-C, and how those who start programs end them; but what `nohup` has said is to be ignored. */
static void
interrupts (sigset_t *set)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

  sigemptyset (set);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      struct sigaction action;

      if (sigaction (numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset (set, numbers[i]);
    }
}

/* With no lock of stdio's, which the work may hold. */
static void
say_now (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

/* Waits for Ctrl-C in a thread of its own, because the work has no main loop. The first one
 * cancels; a second one, or work that does not look up in time, ends the program the hard way, but
 * with nothing left behind, and says so. */
static gpointer
wait_for_interrupt (gpointer data)
{
  g_autoptr (GCancellable) cancellable = data;
  const struct timespec patience = { .tv_sec = PATIENCE_MS / 1000,
                                     .tv_nsec = PATIENCE_MS % 1000 * 1000000 };
  sigset_t set;
  int number;

  interrupts (&set);
  while (sigwait (&set, &number) != 0)
    ;
  g_cancellable_cancel (cancellable);
  while (sigtimedwait (&set, NULL, &patience) < 0 && errno == EINTR)
    ;
  if (isatty (STDERR_FILENO))
    say_now (CLEAR_LINE);
  say_now (g_get_prgname ());
  say_now (": cancelled, in the middle of its work\n");
  assay_temporary_end ();
  _exit (ASSAY_EXIT_CANCELLED);

  return NULL;
}

/**
 * assay_cli_init:
 * @self: (out caller-allocates): the run
 * @command: name of the command
 *
 * Starts the run of a command.
 */
void
assay_cli_init (AssayCli *self, const char *command)
{
  *self = (AssayCli){ .command = command, .cancellable = g_cancellable_new () };
  self->files = assay_file_group_new ();
  g_cancellable_push_current (self->cancellable);
  self->next_progress = g_get_monotonic_time () + PROGRESS_DELAY;
  self->progress = (AssayProgress) ASSAY_PROGRESS_INIT (
      isatty (STDERR_FILENO) ? show_progress : NULL, self, self->cancellable);
}

/* From here on Ctrl-C cancels. Without a thread to wait for it it ends the program, as it does
 * before there is any work. */
static void
watch_interrupts (AssayCli *self)
{
  sigset_t set;
  GThread *thread;

  interrupts (&set);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  thread = g_thread_try_new ("interrupt", wait_for_interrupt, g_object_ref (self->cancellable),
                             NULL);
  if (thread != NULL)
    {
      g_thread_unref (thread);
      return;
    }
  g_object_unref (self->cancellable);
  pthread_sigmask (SIG_UNBLOCK, &set, NULL);
}

void
assay_cli_clear (AssayCli *self)
{
  clear_progress (self);
  g_clear_pointer (&self->files, assay_file_group_free);
  g_cancellable_pop_current (self->cancellable);
  g_clear_pointer (&self->output, g_free);
  g_clear_pointer (&self->form, g_free);
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->settings, assay_settings_unref);
  g_clear_pointer (&self->arguments, g_strfreev);
  g_clear_object (&self->cancellable);
  if (self->folder != NULL)
    assay_temporary_delete (self->folder);
  g_clear_pointer (&self->folder, g_free);
}

static gboolean
asks_for_json (int argc, char **argv)
{
  static const char *const whole[] = { "--json", "--format=json", "--emit=json", NULL };
  static const char *const parted[] = { "--format", "--emit", "-f", NULL };

  for (int i = 1; i < argc && !g_str_equal (argv[i], "--"); i++)
    if (g_strv_contains (whole, argv[i]) ||
        (i + 1 < argc && g_strv_contains (parted, argv[i]) && g_str_equal (argv[i + 1], "json")))
      return TRUE;

  return FALSE;
}

/**
 * assay_cli_parse:
 * @self: the run
 * @entries: (nullable): options of the command
 * @parameters: how the rest of the command line looks in the usage line
 * @summary: one sentence on what the command does
 * @description: (nullable): text below the list of options
 * @argc: number of arguments, the name of the command first
 * @argv: the arguments
 * @status: (out): exit code if the command line is wrong
 *
 * Parses the options of a command, those of its settings and of its output included. `--help`
 * prints the help and ends the program.
 *
 * Returns: whether the command can go on
 */
gboolean
assay_cli_parse (AssayCli *self, const GOptionEntry *entries, const char *parameters,
                 const char *summary, const char *description, int argc, char **argv,
                 AssayExit *status)
{
  g_autoptr (GOptionContext) context = g_option_context_new (parameters);
  g_autoptr (AssaySettingsOptions) options = assay_settings_options_new (self->stages);
  g_auto (GStrv) arguments = g_new0 (char *, argc + 1);
  g_autofree char *program = g_strdup_printf ("assay %s", self->command);
  const char *form_option = self->form_option != NULL ? self->form_option : "format";
  g_autofree char *forms = self->forms != NULL ? assay_output_form_list (self->forms) : NULL;
  g_autofree char *form_help = g_strdup_printf (
      "What to write: %s; if not given, what the ending of FILE says", forms);
  g_autofree char *json_help = g_strdup_printf ("Same as --%s json", form_option);
  g_autoptr (GError) error = NULL;
  const GOptionEntry target[] = { { "target", 't', 0, G_OPTION_ARG_FILENAME, &self->target,
                                    "Id of a target, or path of a target file", "TARGET" },
                                  G_OPTION_ENTRY_NULL };
  const GOptionEntry output[] = { { "output", 'o', 0, G_OPTION_ARG_FILENAME, &self->output,
                                    "Write to FILE instead of standard output", "FILE" },
                                  { form_option, self->form_option != NULL ? 0 : 'f', 0,
                                    G_OPTION_ARG_STRING, &self->form, form_help, "FORM" },
                                  G_OPTION_ENTRY_NULL };
  const GOptionEntry json[] = { { "json", 0, 0, G_OPTION_ARG_NONE, &self->json, json_help, NULL },
                                G_OPTION_ENTRY_NULL };
  GOptionEntry rest[] = { { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->arguments,
                            NULL, NULL },
                          G_OPTION_ENTRY_NULL };

  g_set_prgname (program);
  for (int i = 0; i < argc; i++)
    arguments[i] = g_strdup (i == 0 ? program : argv[i]);

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  if (self->forms != NULL)
    g_option_context_add_main_entries (context, output, NULL);
  if (self->forms != NULL && g_strv_contains (self->forms, "json"))
    g_option_context_add_main_entries (context, json, NULL);
  if ((self->stages & (ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD)) != 0)
    g_option_context_add_main_entries (context, target, NULL);
  g_option_context_add_main_entries (context, assay_settings_options_get_entries (options), NULL);
  g_option_context_add_main_entries (context, rest, NULL);
  if (g_option_context_parse_strv (context, &arguments, &error))
    self->settings = assay_settings_options_read (options, &error);
  if (self->settings != NULL &&
      (self->forms == NULL || assay_output_form_choose (self->forms, form_option, self->json,
                                                        self->output, &self->form, &error)))
    {
      self->json = self->forms != NULL ? g_strcmp0 (self->form, "json") == 0 : self->json;
      if (argc > 1)
        watch_interrupts (self);
      return TRUE;
    }

  /* What was parsed before the mistake is forgotten, but not that the answer has to be JSON. */
  self->json = asks_for_json (argc, argv);
  *status = assay_cli_usage (self, "%s", error->message);
  return FALSE;
}

/**
 * assay_cli_has_colours:
 * @self: the run
 *
 * Tells whether standard output is a terminal that shows colours, and nobody asked for none with
 * `NO_COLOR`.
 *
 * Returns: whether to use colours
 */
gboolean
assay_cli_has_colours (AssayCli *self)
{
  return self->output == NULL && assay_terminal_has_colours (STDOUT_FILENO);
}

static void
write_error_document (AssayCli *self, const char *code, const char *message)
{
  g_autofree char *schema = g_strdup_printf ("assay.%s/1", self->command);
  g_autofree char *text = NULL;
  AssayJsonWriter json;
  gsize length;

  assay_json_writer_begin_document (&json, 1, schema);
  assay_json_writer_begin_member_object (&json, "error");
  assay_json_writer_member (&json, "code", code);
  assay_json_writer_member (&json, "message", message);
  assay_json_writer_end_object (&json);
  text = assay_json_writer_end_document (&json, &length);
  fwrite (text, 1, length, stdout);
}

/**
 * assay_cli_usage:
 * @self: the run
 * @format: what is wrong with the command line
 * @...: arguments of @format
 *
 * Says what is wrong with the command line, and how to get help.
 *
 * Returns: the exit code
 */
AssayExit
assay_cli_usage (AssayCli *self, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  clear_progress (self);
  if (self->json)
    write_error_document (self, assay_error_code_name (ASSAY_ERROR_INVALID), message);
  assay_cli_say (stderr, "assay %s: %s\nTry `assay %s --help`.\n", self->command, message,
                 self->command);

  return ASSAY_EXIT_USAGE;
}

/**
 * assay_cli_no_command:
 * @self: the run, under the name of the command that helps
 * @argc: number of arguments, the program's name first
 * @argv: the arguments
 * @format: what is wrong with the name of the command
 * @...: arguments of @format
 *
 * Says that there is no such command, as JSON too where the command line asks for it.
 *
 * Returns: the exit code
 */
AssayExit
assay_cli_no_command (AssayCli *self, int argc, char **argv, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  if (asks_for_json (argc, argv))
    write_error_document (self, assay_error_code_name (ASSAY_ERROR_INVALID), message);
  assay_cli_say (stderr, "assay: %s\nTry `assay help`.\n", message);

  return ASSAY_EXIT_USAGE;
}

static AssayExit
error_status (const GError *error)
{
  if (error->domain == ASSAY_ERROR)
    switch ((AssayError) error->code)
      {
      case ASSAY_ERROR_IO:
      case ASSAY_ERROR_SAVE:
      case ASSAY_ERROR_DEVICE:
      case ASSAY_ERROR_MEMORY:
        return ASSAY_EXIT_ENVIRONMENT;
      default:
        return ASSAY_EXIT_USAGE;
      }

  return error->domain == G_FILE_ERROR || error->domain == G_IO_ERROR ||
                 error->domain == G_THREAD_ERROR
             ? ASSAY_EXIT_ENVIRONMENT
             : ASSAY_EXIT_USAGE;
}

/**
 * assay_cli_fail:
 * @self: the run
 * @error: why the command cannot do its work
 * @findings: (nullable): what was found before
 *
 * Reports a failure. After Ctrl-C the exit code is the one that a shell expects.
 *
 * Returns: the exit code
 */
AssayExit
assay_cli_fail (AssayCli *self, const GError *error, AssayFindings *findings)
{
  g_autoptr (GError) changed = NULL;
  const char *code;

  clear_progress (self);
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) ||
      g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      assay_cli_say (stderr, "assay %s: cancelled\n", self->command);
      return ASSAY_EXIT_CANCELLED;
    }

  /* Whatever went wrong comes of that. */
  if (!assay_file_map_check_all (&changed))
    {
      error = changed;
      findings = NULL;
    }
  code = error->domain == ASSAY_ERROR ? assay_error_code_name (error->code) : "IO";
  if (self->json)
    write_error_document (self, code, error->message);
  assay_cli_say (stderr, "assay %s: %s\n", self->command, error->message);
  if (findings != NULL && assay_findings_get_count (findings) > 0)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      assay_report_append_findings (text, findings, FALSE);
      fputs (text->str, stderr);
    }

  return error_status (error);
}

/**
 * assay_cli_add_file:
 * @self: the run
 * @path: (type filename): where to
 * @text: what
 * @length: its bytes
 * @error: return location for a #GError
 *
 * Writes a file beside its place; assay_cli_write() puts it there, with all others.
 *
 * Returns: whether it could be written
 */
gboolean
assay_cli_add_file (AssayCli *self, const char *path, const char *text, gsize length,
                    GError **error)
{
  gboolean written;

  assay_file_group_enter (self->files);
  written = assay_file_write (path, text, length, error);
  assay_file_group_leave (self->files);

  return written;
}

/**
 * assay_cli_write:
 * @self: the run
 * @text: the output
 * @length: its bytes
 * @status: exit code if it can be written
 *
 * Writes the output of the command to standard output, or to the file that was asked for. All that
 * the command writes is then in its place, whole, or nothing is: before standard output, which
 * nothing can be taken back from. What is no file, such as a pipe, is written to as it is; where
 * nobody reads standard output any more there is nobody to tell.
 *
 * Returns: the exit code
 */
AssayExit
assay_cli_write (AssayCli *self, const char *text, gsize length, AssayExit status)
{
  g_autoptr (GError) error = NULL;

  clear_progress (self);
  /* What was made of a file that changed meanwhile says nothing about any file. */
  if (!assay_file_map_check_all (&error))
    return assay_cli_fail (self, error, NULL);
  if ((self->output != NULL && !assay_cli_add_file (self, self->output, text, length, &error)) ||
      !assay_file_group_commit (self->files, &error))
    {
      if (self->json)
        write_error_document (self, "IO", error->message);
      assay_cli_say (stderr, "assay %s: %s\n", self->command, error->message);
      return ASSAY_EXIT_ENVIRONMENT;
    }
  if (self->output != NULL)
    return status;

  if (fwrite (text, 1, length, stdout) != length || fflush (stdout) != 0)
    {
      if (errno == EPIPE)
        return ASSAY_EXIT_UNREAD;
      assay_cli_say (stderr, "assay %s: standard output: %s\n", self->command, g_strerror (errno));
      return ASSAY_EXIT_ENVIRONMENT;
    }

  return status;
}
