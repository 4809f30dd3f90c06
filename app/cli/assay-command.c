/* assay-command.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"

const AssayCommand assay_commands[] = {
  { "check", "MODEL --target TARGET", "Give every node of a model its verdict for a target",
    assay_command_check },
  { "fix", "MODEL --target TARGET", "Offer rewrites for what a target refuses, and apply them",
    assay_command_fix },
  { "show", "MODEL", "Tell what a model is made of", assay_command_show },
  { "inspect", "MODEL --target TARGET", "Tell what of a model runs on a DPU, and what helps",
    assay_command_inspect },
  { "quantize", "MODEL --calibration FOLDER -o MODEL", "Quantise a model to 8 bits",
    assay_command_quantize },
  { "compile", "MODEL -o PROGRAM --target TARGET", "Compile a model into a program file",
    assay_command_compile },
  { "metrics", "PROGRAM", "Tell what a program uses of every core", assay_command_metrics },
  { "cycles", "PROGRAM", "Count the cycles of one inference", assay_command_cycles },
  { "survey", "MODEL --target TARGET", "Count the cycles of a model on every target of a family",
    assay_command_survey },
  { "dump", "PROGRAM", "Write instructions and memory map of every core", assay_command_dump },
  { "run", "PROGRAM|MODEL --input NAME=FILE...", "Run a program or a model on one or more runners",
    assay_command_run },
  { "compare", "MODEL --target TARGET", "Run a model on two runners and tell where they part",
    assay_command_compare },
  { "reduce", "MODEL --shows SYMPTOM -o FOLDER",
    "Look for the smallest model that still shows something", assay_command_reduce },
  { "conformance", "FOLDER --on RUNNER", "Run ONNX test data on a runner",
    assay_command_conformance },
  { "qualify", "SUITE --on RUNNER", "Run a suite and say what a target got right",
    assay_command_qualify },
  { "deploy", "PROGRAM|MODEL --board BOARD", "Copy a program to a board and run it there",
    assay_command_deploy },
  { "boards", "[--check BOARD]", "List boards, or check one", assay_command_boards },
  { "targets", "[list | show ID | validate FILE | predicates]", "List, show and validate targets",
    assay_command_targets },
  { "doctor", "", "Tell what confines programs here, and what was found", assay_command_doctor },
  { "help", "[COMMAND]", "Explain a command", assay_command_help },
  { "version", "", "Print the version", assay_command_version },
  { NULL }
};

/**
 * assay_command_find:
 * @name: what the user typed
 *
 * Finds a command.
 *
 * Returns: (nullable): the command
 */
const AssayCommand *
assay_command_find (const char *name)
{
  for (const AssayCommand *command = assay_commands; command->name != NULL; command++)
    if (g_str_equal (command->name, name))
      return command;

  return NULL;
}
