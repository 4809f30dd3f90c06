/* assay-cli.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>
#include <stdio.h>

#include "base/assay-file-write.h"
#include "base/assay-finding.h"
#include "base/assay-progress.h"
#include "settings/assay-settings.h"

G_BEGIN_DECLS

/**
 * AssayExit:
 * @ASSAY_EXIT_CLEAN: nothing needs the user
 * @ASSAY_EXIT_FINDINGS: the work was done and found something
 * @ASSAY_EXIT_USAGE: bad input or usage
 * @ASSAY_EXIT_ENVIRONMENT: the file system or a device refused
 * @ASSAY_EXIT_CANCELLED: the user has stopped it
 * @ASSAY_EXIT_UNREAD: nobody reads standard output any more, as behind `| head`
 *
 * Exit codes of every command.
 */
typedef enum
{
  ASSAY_EXIT_CLEAN = 0,
  ASSAY_EXIT_FINDINGS = 1,
  ASSAY_EXIT_USAGE = 2,
  ASSAY_EXIT_ENVIRONMENT = 3,
  ASSAY_EXIT_CANCELLED = 130,
  ASSAY_EXIT_UNREAD = 141,
} AssayExit;

/**
 * AssayCli:
 * @command: name of the command
 * @json: whether an error is written to standard output as a JSON document too
 * @output: (nullable): file that gets the output instead of standard output
 * @forms: (nullable) (array zero-terminated=1): what the command can write, its options come with
 * it; %NULL for a command that has no report for a file
 * @form_option: (nullable): name of the option that chooses among @forms, `format` if not given
 * @form: (nullable): what was asked for, by option or the ending of the file; %NULL for what the
 * command writes by itself
 * @stages: what the command does with a model; its settings become options
 * @target: (nullable): id or path of the target
 * @settings: what the user fixes about model, target and build
 * @arguments: (nullable) (array zero-terminated=1): what is left of the command line after the
 * options
 * @seconds: how long PyTorch may take to write a model, 0 for the usual time
 * @progress: handed down to long work; shows on a terminal and stops on Ctrl-C
 * @files: what the command writes; in its places, all or none, when assay_cli_write() is there
 *
 * One run of a command.
 */
typedef struct
{
  const char *command;
  gboolean json;
  char *output;
  const char *const *forms;
  const char *form_option;
  char *form;
  AssayPipelineStages stages;
  char *target;
  AssaySettings *settings;
  char **arguments;
  int seconds;
  AssayProgress progress;
  AssayFileGroup *files;

  /*< private >*/
  GCancellable *cancellable;
  guint n_made;
  char *folder; /* of files that are made for this run */
  gboolean shows_progress;
  gint64 next_progress;
} AssayCli;

void assay_cli_init (AssayCli *self, const char *command);
void assay_cli_clear (AssayCli *self);
gboolean assay_cli_parse (AssayCli *self, const GOptionEntry *entries, const char *parameters,
                          const char *summary, const char *description, int argc, char **argv,
                          AssayExit *status);
gboolean assay_cli_has_colours (AssayCli *self);
void assay_cli_say (FILE *stream, const char *format, ...) G_GNUC_PRINTF (2, 3);
AssayExit assay_cli_usage (AssayCli *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
AssayExit assay_cli_no_command (AssayCli *self, int argc, char **argv, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
AssayExit assay_cli_fail (AssayCli *self, const GError *error, AssayFindings *findings);
gboolean assay_cli_add_file (AssayCli *self, const char *path, const char *text, gsize length,
                             GError **error);
AssayExit assay_cli_write (AssayCli *self, const char *text, gsize length, AssayExit status);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayCli, assay_cli_clear)

G_END_DECLS
