/* assay-reduce-folder.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "reduce/assay-reduce.h"

G_BEGIN_DECLS

/**
 * AssayReduceNames:
 * @model: what the model is called
 * @target: (nullable): id or file of the target
 * @tolerance: (nullable): file of the tolerance
 *
 * What a user called things, for the command that shows the symptom again.
 */
typedef struct
{
  const char *model;
  const char *target;
  const char *tolerance;
} AssayReduceNames;

gboolean assay_reduction_save (AssayReduction *self, const AssaySymptom *symptom,
                               const AssayReduceNames *names, const char *folder,
                               const AssayProgress *progress, GError **error);

gboolean assay_reduce_folder_make (const char *path, GError **error);

G_END_DECLS
