/* assay-input-preview.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor-summary.h"
#include "document/assay-input-choice.h"

G_BEGIN_DECLS

/**
 * AssayInputPreview:
 * @name: of the input
 * @tensor: what will be fed
 * @mismatch: (nullable): what about it the input does not take
 * @has_summary: whether its elements are numbers
 * @summary: what they are like then
 *
 * What goes into a run, before it runs.
 */
typedef struct
{
  char *name;
  AssayTensor *tensor;
  char *mismatch;
  gboolean has_summary;
  AssayTensorSummary summary;
} AssayInputPreview;

GPtrArray *assay_input_previews_new (const AssayInputChoice *inputs, AssayRunInputs *values,
                                     const AssayRunPort *ports, guint n_ports, guint model_steps,
                                     const AssayProgress *progress,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
