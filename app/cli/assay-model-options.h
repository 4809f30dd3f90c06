/* assay-model-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayModelOptions:
 * @override_shapes: (nullable) (array zero-terminated=1): one shape per input
 * @bindings: (nullable) (array zero-terminated=1): sizes of single dimensions
 *
 * Options of every command that opens a model.
 */
typedef struct
{
  char **override_shapes;
  char **bindings;
} AssayModelOptions;

#define ASSAY_MODEL_OPTION_ENTRIES(options)                                                        \
  { "override-input-shapes",                                                                       \
    0,                                                                                             \
    0,                                                                                             \
    G_OPTION_ARG_STRING_ARRAY,                                                                     \
    &(options).override_shapes,                                                                    \
    "Shape of the next input, in order; ? keeps a dimension",                                      \
    "D,D,..." },                                                                                   \
  {                                                                                                \
    "bind", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(options).bindings,                                  \
        "Size of a symbolic dimension, or of one axis of an input", "NAME=SIZE|INPUT:AXIS=SIZE"    \
  }

void assay_model_options_clear (AssayModelOptions *self);
gboolean assay_model_options_import (const AssayModelOptions *self, AssayCli *cli, const char *path,
                                     AssayGraph **graph, AssayFindings *findings,
                                     AssayExit *status);
gboolean assay_model_options_parse_axes (AssayCli *cli, char **options, GArray *axes,
                                         AssayExit *status);
AssayExit assay_model_options_fail_target (AssayCli *cli, const char *name, GError *error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayModelOptions, assay_model_options_clear)

G_END_DECLS
