/* assay-import.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayImportOptions:
 * @override_shapes: (nullable) (array zero-terminated=1): one entry per graph input that is not a
 * parameter, in order; dimensions separated by commas, `?` or an empty entry leaves as is
 * @bindings: (nullable) (array zero-terminated=1): `NAME=SIZE` for symbolic dimensions, or
 * `INPUT:AXIS=SIZE`
 * @ignore_value_info: forgets output and intermediate shapes of the file, so that inference stands
 * alone
 * @skip_inference: leaves types as the file has them
 */
typedef struct
{
  const char *const *override_shapes;
  const char *const *bindings;
  gboolean ignore_value_info;
  gboolean skip_inference;
} AssayImportOptions;

AssayGraph *assay_import_file (const char *path, const AssayImportOptions *options,
                               AssayFindings *findings, const AssayProgress *progress,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_import_bytes (GBytes *bytes, const char *folder,
                                const AssayImportOptions *options, AssayFindings *findings,
                                const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean assay_graph_bind_shapes (AssayGraph *graph, const char *const *shapes,
                                  const char *const *bindings, GError **error);

G_END_DECLS
