/* assay-torch-steps.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"
#include "source/torch/pass/assay-torch-pass.h"

G_BEGIN_DECLS

/**
 * AssayTorchFate:
 * @ASSAY_TORCH_FATE_SAME: it stood there before the pass
 * @ASSAY_TORCH_FATE_CHANGED: something else stood there, or its types or operands are others
 * @ASSAY_TORCH_FATE_NEW: nothing stood there
 *
 * What a pass did to an operation.
 */
typedef enum
{
  ASSAY_TORCH_FATE_SAME,
  ASSAY_TORCH_FATE_CHANGED,
  ASSAY_TORCH_FATE_NEW,
} AssayTorchFate;

/**
 * AssayTorchFault:
 * @text: what the contract says of it
 * @node: (nullable): name of the node of the graph of the step, if it is one
 *
 * A violation of the backend contract.
 */
typedef struct
{
  char *text;
  char *node;
} AssayTorchFault;

/**
 * AssayTorchFaultGroup:
 * @what: what is wrong, in words
 * @pass: what takes it away
 * @n: how often it is there
 * @faults: (element-type AssayTorchFault): the first of them
 *
 * Violations of one cause.
 */
typedef struct
{
  const char *what;
  const char *pass;
  guint n;
  GPtrArray *faults;
} AssayTorchFaultGroup;

/**
 * AssayTorchStep:
 * @pass: (nullable): the pass; %NULL for the program as it was read
 * @graph: the program behind it, one node for each operation
 * @fates: (element-type guint8): per node an #AssayTorchFate
 * @changes: (element-type AssayTorchChange) (nullable): what it changed, by name of the operation
 * @is_changed: whether its text is another one
 * @n_faults: violations of the backend contract behind it
 * @faults: (element-type AssayTorchFaultGroup): those, by cause
 *
 * A program behind a pass.
 */
typedef struct
{
  const AssayTorchPass *pass;
  AssayGraph *graph;
  GByteArray *fates;
  GArray *changes;
  gboolean is_changed;
  guint n_faults;
  GPtrArray *faults;
} AssayTorchStep;

/**
 * AssayTorchSteps:
 * @steps: (element-type AssayTorchStep): the program as it was read, then behind each pass
 * @error: (nullable): why it does not go on to the last pass
 *
 * A program on its way through all passes.
 */
typedef struct
{
  GPtrArray *steps;
  GError *error;
} AssayTorchSteps;

AssayTorchSteps *assay_torch_steps_new (GBytes *bytes, const AssayProgress *progress,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_torch_steps_free (AssayTorchSteps *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTorchSteps, assay_torch_steps_free)

G_END_DECLS
