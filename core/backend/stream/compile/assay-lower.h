/* assay-lower.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-choices.h"
#include "backend/stream/compile/assay-lir.h"
#include "base/assay-progress.h"
#include "settings/assay-settings.h"

G_BEGIN_DECLS

/**
 * AssayLowerOptions:
 * @name: name of the model
 * @data_dims: per value the data dimension, or -1
 * @vanishing: (nullable): per value the axis that became time, or -1
 * @settings: (nullable): what the user wants of the model
 * @cores: the cores that the model may use, a bit each; 0 for all
 * @choices: (nullable): what the user wants of single nodes
 * @progress: (nullable): progress and cancel
 *
 * How a graph is lowered.
 */
typedef struct
{
  const char *name;
  const int *data_dims;
  const int *vanishing;
  AssaySettings *settings;
  guint64 cores;
  const AssayChoices *choices;
  const AssayProgress *progress;
} AssayLowerOptions;

AssayLir *assay_lower (AssayGraph *graph, const AssayConfigValues *config,
                       const AssayLowerOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_lir_round_operands (AssayLir *self);

G_END_DECLS
