/* assay-build-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-model-options.h"
#include "machine/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayBuildOptions:
 * @model: how models are opened
 * @target: id or path of the target
 * @model_names: (nullable) (array zero-terminated=1): name per model
 * @data_dims: (nullable) (array zero-terminated=1): `INPUT=AXIS`
 * @streaming_axes: (nullable) (array zero-terminated=1): axes that become time
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
  gboolean disable_optimizations;
} AssayBuildOptions;

#define ASSAY_BUILD_OPTION_ENTRIES(options) \
  { "target", 't', 0, G_OPTION_ARG_FILENAME, &(options).target, \
    "Id of a target, or path of a target file", "TARGET" }, \
  { "model-name", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(options).model_names, \
    "Name of the next model in the program; that of its graph if not given", "NAME" }, \
  { "streaming-transform", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(options).streaming_axes, \
    "Stream over this axis of each input, none where an input does not", "AXIS,AXIS,..." }, \
  { "data-dim", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(options).data_dims, "Fix the data dimension of an input", \
    "INPUT=AXIS" }, \
  { "disable-optimizations", 0, 0, G_OPTION_ARG_NONE, &(options).disable_optimizations, \
    "Skip the search for a placement: every layer on all cores", NULL }, \
  ASSAY_MODEL_OPTION_ENTRIES ((options).model)

void       assay_build_options_clear (AssayBuildOptions        *self);
AssayCode *assay_build_options_run   (const AssayBuildOptions  *self,
                                      AssayCli                 *cli,
                                      AssayExit                *status) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayBuildOptions, assay_build_options_clear)

G_END_DECLS
