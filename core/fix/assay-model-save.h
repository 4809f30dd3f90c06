/* assay-model-save.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssaySaveProof:
 * @ASSAY_SAVE_NONE: nothing was saved
 * @ASSAY_SAVE_OUTPUTS: read back, all outputs had the same bits for the same random inputs
 * @ASSAY_SAVE_TEXT: the model could not be run, and read back it had the same nodes, attributes and
 * constants
 *
 * How it is known that a saved model is the one in memory.
 */
typedef enum
{
  ASSAY_SAVE_NONE,
  ASSAY_SAVE_OUTPUTS,
  ASSAY_SAVE_TEXT,
} AssaySaveProof;

/**
 * AssayModelSave:
 * @proof: how the saved model was proven
 * @n_runs: random inputs it was compared with
 * @n_outputs: outputs of each run
 * @opset: version of the default domain that the file imports
 * @n_bytes: size of the model
 * @beside: (nullable): name of the file beside it that has the weights
 * @beside_bytes: size of that file
 * @reason: (nullable): why the model was not run
 *
 * What became of saving a model.
 */
typedef struct
{
  AssaySaveProof proof;
  guint n_runs;
  guint n_outputs;
  gint64 opset;
  guint64 n_bytes;
  char *beside;
  guint64 beside_bytes;
  char *reason;
} AssayModelSave;

gboolean assay_model_save (AssayGraph *graph, const char *path, const AssayProgress *progress,
                           AssayModelSave *result, GError **error);
char *assay_model_save_describe (const AssayModelSave *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_model_save_clear (AssayModelSave *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayModelSave, assay_model_save_clear)

G_END_DECLS
