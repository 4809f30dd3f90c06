/* assay-model-inputs.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"
#include "settings/assay-settings.h"

G_BEGIN_DECLS

/**
 * AssayDimension:
 * @key: how a binding names it: a symbol, or `INPUT:AXIS` for a dimension without one
 * @title: for people: the symbol, or `INPUT axis N`
 * @where: the inputs that have it, such as `tokens axis 1`
 * @batch: whether it seems to count examples
 *
 * A dimension of a model input that the file leaves open.
 */
typedef struct
{
  char *key;
  char *title;
  char *where;
  gboolean batch;
} AssayDimension;

/**
 * AssayInput:
 * @name: name of the input
 * @shape: its shape as the file has it, dimensions separated by commas
 * @rank: number of dimensions, or -1
 *
 * A main input of a model.
 */
typedef struct
{
  char *name;
  char *shape;
  int rank;
} AssayInput;

GPtrArray *assay_graph_list_dimensions (const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_graph_list_inputs (const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_settings_list_axes (const AssaySettings *self,
                                  AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
void assay_settings_keep_known (AssaySettings **self, GPtrArray *dimensions, GPtrArray *inputs);

G_END_DECLS
