/* assay-target-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayTargetOptions:
 * @target: (nullable): id or path of the target
 * @target_options: (nullable) (array zero-terminated=1): `NAME=VALUE`
 * @data_dims: (nullable) (array zero-terminated=1): `INPUT=AXIS`
 * @streaming_axes: (nullable) (array zero-terminated=1): axes that become time
 * @allow_dynamic_weights: whether both sides of a product may be computed at run time
 * @axes: (element-type int): what @streaming_axes say
 *
 * Options of the commands that check a model against a target.
 */
typedef struct
{
  char *target;
  char **target_options;
  char **data_dims;
  char **streaming_axes;
  gboolean allow_dynamic_weights;
  GArray *axes;
} AssayTargetOptions;

#define ASSAY_TARGET_OPTION_ENTRIES(options)                                                       \
  { "target",                                                                                      \
    't',                                                                                           \
    0,                                                                                             \
    G_OPTION_ARG_FILENAME,                                                                         \
    &(options).target,                                                                             \
    "Id of a target, or path of a target file",                                                    \
    "TARGET" },                                                                                    \
      { "target-option",                                                                           \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).target_options,                                                                 \
        "Set an option of the target",                                                             \
        "NAME=VALUE" },                                                                            \
      { "streaming-transform",                                                                     \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).streaming_axes,                                                                 \
        "Take the model as it streams over this axis of each input, none where an input does not", \
        "AXIS,AXIS,..." },                                                                         \
      { "data-dim",                                                                                \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).data_dims,                                                                      \
        "Fix the data dimension of an input",                                                      \
        "INPUT=AXIS" },                                                                            \
  {                                                                                                \
    "allow-dynamic-weights", 0, 0, G_OPTION_ARG_NONE, &(options).allow_dynamic_weights,            \
        "Let both factors of a product be computed at run time", NULL                              \
  }

void assay_target_options_clear (AssayTargetOptions *self);
AssayTarget *assay_target_options_load (AssayTargetOptions *self, AssayCli *cli,
                                        AssayCheckOptions *check,
                                        AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayTargetOptions, assay_target_options_clear)

G_END_DECLS
