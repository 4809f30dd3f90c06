/* assay-level.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayLevel:
 * @level: which form of the model it is
 * @verdicts: its graph, with the verdicts of the checked graph
 * @n_checked: entries of @to_level
 * @to_level: (array length=n_checked): per node of the checked graph the node of this one that
 * stands for it, or 0
 * @to_checked: per node of this graph the node of the checked one, or 0
 * @states: (nullable): per node of this graph how many timesteps it looks back
 *
 * A checked model in one of the forms it goes through, for viewers: as imported, canonical, one
 * timestep of a stream. Nodes of two forms are the same if they come from the same ONNX nodes.
 */
typedef struct
{
  AssayGraphLevel level;
  AssayVerdicts *verdicts;
  guint32 n_checked;
  AssayNodeId *to_level;
  AssayNodeId *to_checked;
  guint32 *states;
} AssayLevel;

AssayLevel *assay_level_new (AssayGraphLevel level, AssayVerdicts *checked, AssayGraph *imported,
                             const int *streaming_axes, guint n_axes,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayLevel *assay_level_new_for_program (AssayGraph *program,
                                         AssayVerdicts *checked) G_GNUC_WARN_UNUSED_RESULT;
void assay_level_free (AssayLevel *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayLevel, assay_level_free)

G_END_DECLS
