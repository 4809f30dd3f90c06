/* assay-command.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"

G_BEGIN_DECLS

/**
 * AssayCommand:
 * @name: what the user types
 * @parameters: what follows it, in the style of a usage line
 * @summary: one line on what it does
 * @run: does it; the first argument is the name
 *
 * A command of the command line.
 */
typedef struct
{
  const char *name;
  const char *parameters;
  const char *summary;
  AssayExit (*run) (AssayCli *cli, int argc, char **argv);
} AssayCommand;

/* Ended by a row without name. */
extern const AssayCommand assay_commands[];

const AssayCommand *assay_command_find (const char *name);
AssayExit assay_command_check (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_compare (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_reduce (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_conformance (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_qualify (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_fix (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_show (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_survey (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_inspect (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_quantize (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_compile (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_metrics (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_cycles (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_dump (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_run (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_deploy (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_boards (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_targets (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_help (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_doctor (AssayCli *cli, int argc, char **argv);
AssayExit assay_command_version (AssayCli *cli, int argc, char **argv);

G_END_DECLS
