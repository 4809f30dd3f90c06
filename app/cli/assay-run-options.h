/* assay-run-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "run/assay-run-inputs.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

/**
 * AssayRunOptions:
 * @inputs: (nullable) (array zero-terminated=1): `NAME=VALUE`
 * @random: (nullable): seed of inputs that are not given
 * @model: (nullable): which model of a program
 * @n_steps: timesteps of a model that streams, 0 if not given
 * @seconds: how long a runner may take for one answer, 0 if not given
 * @loop_turns: turns of a loop that the model does not count, 0 if not given
 *
 * Options of every command that runs something.
 */
typedef struct
{
  char **inputs;
  char *random;
  char *model;
  int n_steps;
  int seconds;
  int loop_turns;

  /*< private >*/
  guint64 seed;
  AssayWork *work;
  AssayRunInputs *values;
} AssayRunOptions;

#define ASSAY_RUN_OPTION_ENTRIES(options)                                                          \
  { "input",                                                                                       \
    'i',                                                                                           \
    0,                                                                                             \
    G_OPTION_ARG_FILENAME_ARRAY,                                                                   \
    &(options).inputs,                                                                             \
    "Value of an input: .npy, .npz, .pb, FILE:TYPE:SHAPE, or @uniform, @normal, @integers, "       \
    "@constant",                                                                                   \
    "NAME=VALUE" },                                                                                \
      { "timeout",                                                                                 \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_INT,                                                                          \
        &(options).seconds,                                                                        \
        "Seconds that a runner may take for one answer (a program or a board: 600)",               \
        "SECONDS" },                                                                               \
      { "loop-turns",                                                                              \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_INT,                                                                          \
        &(options).loop_turns,                                                                     \
        "Turns of a loop that the model does not count, on the reference (1000000)",               \
        "N" },                                                                                     \
      { "random",                                                                                  \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING,                                                                       \
        &(options).random,                                                                         \
        "Seed; inputs that are not given get random values",                                       \
        "SEED" },                                                                                  \
      { "timesteps",                                                                               \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_INT,                                                                          \
        &(options).n_steps,                                                                        \
        "Number of timesteps of a model that streams",                                             \
        "N" },                                                                                     \
  {                                                                                                \
    "model", 0, 0, G_OPTION_ARG_STRING, &(options).model,                                          \
        "Which model of a program; the first if not given", "NAME"                                 \
  }

void assay_run_options_clear (AssayRunOptions *self);
gboolean assay_run_options_check (AssayRunOptions *self, AssayCli *cli, AssayExit *status);
AssayRunSubject *assay_run_options_open (AssayRunOptions *self, AssayCli *cli,
                                         gboolean needs_program, gboolean needs_graph,
                                         AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_run_options_make_inputs (const AssayRunOptions *self, GArray *ports,
                                          const AssayProgress *progress,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayRunOptions, assay_run_options_clear)

G_END_DECLS
