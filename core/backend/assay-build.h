/* assay-build.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-allocation.h"
#include "backend/assay-program.h"
#include "base/assay-finding.h"
#include "base/assay-progress.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayCompileOptions:
 * @model_name: (nullable): name of the model; %NULL takes that of the graph
 * @streaming_axes: (nullable) (array length=n_streaming_axes): axis per main input that becomes
 * time, -1 for none
 * @n_streaming_axes: number of entries
 * @data_dims: (nullable) (array zero-terminated=1): `INPUT=AXIS` to fix data dimensions
 * @allow_dynamic_weights: whether both sides of a product may be computed at run time
 * @keep_fp32: (nullable) (array zero-terminated=1): nodes and inputs whose values are not rounded
 * to bf16
 * @fp8_weights: whether constant matrices are stored as fp8 E4M3
 * @pins: (nullable) (array zero-terminated=1): `NODE=CORES`: the cores that share the rows of a
 * node
 * @cores: the cores that the model may use, a bit each; 0 for all
 * @state_reset: whether the program can reset the state of the model
 * @findings: (nullable): gets every name that is unknown, with the nearest one
 * @disable_optimizations: of the program: skips the search for a placement
 * @target_id: (nullable): of the program: id of the target that the hardware belongs to, which the
 * program keeps
 * @allocation: (out) (optional) (nullable): if the program does not fit: why, and what was found to
 * help; the caller frees it
 * @observable: of a program with one model: whether its values can be observed while it runs
 */
typedef struct
{
  const char *model_name;
  const int *streaming_axes;
  guint n_streaming_axes;
  const char *const *data_dims;
  gboolean allow_dynamic_weights;
  const char *const *keep_fp32;
  gboolean fp8_weights;
  const char *const *pins;
  guint64 cores;
  gboolean state_reset;
  AssayFindings *findings;
  gboolean disable_optimizations;
  const char *target_id;
  AssayAllocation **allocation;
  gboolean observable;
} AssayCompileOptions;

/**
 * AssayCompileModel:
 * @graph: a graph as imported, every extent known
 * @options: (nullable): what is wanted of this model; what concerns the whole program is not looked
 * at
 *
 * One model of a program with several.
 */
typedef struct
{
  AssayGraph *graph;
  const AssayCompileOptions *options;
} AssayCompileModel;

/**
 * AssayBuildVersions:
 * @format: of program files
 * @machine: of what the instructions in them mean
 * @kernels: the variant of the loops over numbers that this computer runs
 *
 * What two computers have to agree about to share programs.
 */
typedef struct
{
  guint format;
  guint machine;
  const char *kernels;
} AssayBuildVersions;

AssayProgram *assay_build_model (AssayTarget *target, AssayGraph *imported,
                                 const AssayConfigValues *config,
                                 const AssayCompileOptions *options, const AssayProgress *progress,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_build_models (AssayTarget *target, const AssayCompileModel *models,
                                  guint n_models, const AssayConfigValues *config,
                                  const AssayCompileOptions *options, const AssayProgress *progress,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_build_io_only (const AssayConfigValues *config, gsize in_values,
                                   gsize out_values, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_build_sniff (const char *path);
AssayProgram *assay_build_load (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayBuildVersions assay_build_get_versions (void);

G_END_DECLS
