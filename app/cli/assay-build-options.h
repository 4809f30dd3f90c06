/* assay-build-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-model-options.h"
#include "backend/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayBuildOptions:
 * @model: how models are opened
 * @target: id or path of the target
 * @model_names: (nullable) (array zero-terminated=1): name per model
 * @data_dims: (nullable) (array zero-terminated=1): `INPUT=AXIS`
 * @streaming_axes: (nullable) (array zero-terminated=1): axes that become time
 * @keep_fp32: (nullable) (array zero-terminated=1): nodes and inputs kept in fp32
 * @pins: (nullable) (array zero-terminated=1): `NODE=CORES`
 * @depths: (nullable) (array zero-terminated=1): `STORE=BLOCKS` in place of the target's depths
 * @fp8_weights: whether weights are stored as fp8
 * @state_reset: whether the state can be reset
 * @allow_dynamic_weights: whether both sides of a product may be computed at run time
 * @disable_optimizations: whether the search for a placement is skipped
 *
 * Options of every command that compiles.
 */
typedef struct
{
  AssayModelOptions model;
  char *target;
  char **model_names;
  char **data_dims;
  char **streaming_axes;
  char **keep_fp32;
  char **pins;
  char **depths;
  gboolean fp8_weights;
  gboolean state_reset;
  gboolean allow_dynamic_weights;
  gboolean disable_optimizations;
} AssayBuildOptions;

#define ASSAY_BUILD_OPTION_ENTRIES(options)                                                        \
  { "target",                                                                                      \
    't',                                                                                           \
    0,                                                                                             \
    G_OPTION_ARG_FILENAME,                                                                         \
    &(options).target,                                                                             \
    "Id of a target, or path of a target file",                                                    \
    "TARGET" },                                                                                    \
      { "model-name",                                                                              \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).model_names,                                                                    \
        "Name of the next model in the program; that of its graph if not given",                   \
        "NAME" },                                                                                  \
      { "streaming-transform",                                                                     \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).streaming_axes,                                                                 \
        "Stream over this axis of each input, none where an input does not",                       \
        "AXIS,AXIS,..." },                                                                         \
      { "data-dim",                                                                                \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).data_dims,                                                                      \
        "Fix the data dimension of an input",                                                      \
        "INPUT=AXIS" },                                                                            \
      { "keep-fp32",                                                                               \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).keep_fp32,                                                                      \
        "Keep the result of a node, or an input, in fp32",                                         \
        "NODE" },                                                                                  \
      { "fp8-weights",                                                                             \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_NONE,                                                                         \
        &(options).fp8_weights,                                                                    \
        "Store weights as fp8 E4M3, which Versal cards can",                                       \
        NULL },                                                                                    \
      { "pin",                                                                                     \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).pins,                                                                           \
        "Divide the rows of a node over these cores, such as fc1=0-2",                             \
        "NODE=CORES" },                                                                            \
      { "depth",                                                                                   \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).depths,                                                                         \
        "Compile as if a store of the target had this depth, such as tensor_ram_depth=4000",       \
        "STORE=BLOCKS" },                                                                          \
      { "state-reset",                                                                             \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_NONE,                                                                         \
        &(options).state_reset,                                                                    \
        "Let the program reset the state of its models",                                           \
        NULL },                                                                                    \
      { "allow-dynamic-weights",                                                                   \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_NONE,                                                                         \
        &(options).allow_dynamic_weights,                                                          \
        "Both factors of a product may be computed at run time",                                   \
        NULL },                                                                                    \
      { "disable-optimizations",                                                                   \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_NONE,                                                                         \
        &(options).disable_optimizations,                                                          \
        "Skip the search for a placement: every layer on all cores",                               \
        NULL },                                                                                    \
      ASSAY_MODEL_OPTION_ENTRIES ((options).model)

void assay_build_options_clear (AssayBuildOptions *self);
AssayProgram *assay_build_options_run (const AssayBuildOptions *self, AssayCli *cli,
                                       gboolean observable,
                                       AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayBuildOptions, assay_build_options_clear)

G_END_DECLS
