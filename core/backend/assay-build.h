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
 * AssayRefusedFunc:
 * @allocation: why a program does not fit, without what helps
 * @error: the same as the error that will be reported
 * @data: what was given with the function
 *
 * Is told that a program does not fit, before anything is sought that helps.
 */
typedef void (*AssayRefusedFunc) (const AssayAllocation *allocation, const GError *error,
                                  gpointer data);

/**
 * AssayWayFunc:
 * @way: what was tried and helps
 * @data: what was given with the function
 *
 * Is told of each way out as it is found, from the thread that seeks it.
 */
typedef void (*AssayWayFunc) (const AssayWayOut *way, gpointer data);

/**
 * AssayCompileOptions:
 * @settings: (nullable): what the user wants of the model, and of the program whether the search
 * for a placement is skipped
 * @model_name: (nullable): name of the model; %NULL takes that of the graph
 * @findings: (nullable): gets every name that is unknown, with the nearest one
 * @target_id: (nullable): of the program: id of the target that the hardware belongs to, which the
 * program keeps
 * @allocation: (out) (optional) (nullable): if the program does not fit: why, and what was found to
 * help; the caller frees it
 * @refused: (nullable): with @allocation: is told why before that search
 * @found: (nullable): with @allocation: is told of each way out
 * @refused_data: for @refused and @found
 * @explain_only: with @allocation: whether nothing is sought that helps
 * @observable: of a program with one model: whether its values can be observed while it runs
 */
typedef struct
{
  AssaySettings *settings;
  const char *model_name;
  AssayFindings *findings;
  const char *target_id;
  AssayAllocation **allocation;
  AssayRefusedFunc refused;
  AssayWayFunc found;
  gpointer refused_data;
  gboolean explain_only;
  gboolean observable;
} AssayCompileOptions;

/**
 * AssayCompileModel:
 * @graph: a graph as imported, every extent known
 * @options: (nullable): what is wanted of this model; what concerns the whole program is not looked
 * at
 * @canonical: whether @graph is in canonical form already
 * @verdicts: (nullable): of @graph, if it was checked for the target
 *
 * One model of a program with several.
 */
typedef struct
{
  AssayGraph *graph;
  const AssayCompileOptions *options;
  gboolean canonical;
  AssayVerdicts *verdicts;
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
