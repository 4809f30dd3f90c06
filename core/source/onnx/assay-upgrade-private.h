/* assay-upgrade-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-builder.h"

G_BEGIN_DECLS

/**
 * UpgradeContext:
 * @graph: the graph
 * @findings: (nullable): gets what cannot be upgraded
 * @probe: (nullable): a copy of the graph with types inferred, for rules that ask for a rank; ids
 * up to @n_probed agree
 * @n_probed: number of values of @probe
 * @builder: writes nodes for the node
 * @id: the node, which is the anchor of @builder
 * @opsets: (element-type AssayOpset): what the node was written for
 * @version: opset of the default domain there
 * @placed: whether the node stands in its region already, so that what is added now comes behind it
 * @read: (nullable): one byte for each value that anything reads, made when first asked for
 * @n_read: number of entries of @read
 * @later: set by a rule that needs @probe and has none yet
 * @progress: whether an operator that is not of ONNX got what it is made of
 * @contrib_only: whether only such operators get their turn
 * @last: whether a rule that asks for what is not known will not come again
 *
 * What an upgrade rule sees.
 */
typedef struct
{
  AssayGraph *graph;
  AssayFindings *findings;
  AssayGraph *probe;
  guint32 n_probed;
  AssayBuilder builder;
  AssayNodeId id;
  const GArray *opsets;
  gint64 version;
  guint8 *read;
  guint32 n_read;
  gboolean placed;
  gboolean later;
  gboolean last;
  gboolean progress;
  gboolean contrib_only;
} UpgradeContext;

/* Brings one node from an old version of its operator to the next form. */
typedef void (*UpgradeFunc) (UpgradeContext *self);

void upgrade_begin (UpgradeContext *self, AssayNodeId id);
const AssayNode *upgrade_node (UpgradeContext *self);
AssayValueId upgrade_input (UpgradeContext *self, guint input);
const AssayAttr *upgrade_attr (UpgradeContext *self, const char *name);
void upgrade_set_input (UpgradeContext *self, guint input, AssayValueId value);
void upgrade_set_op (UpgradeContext *self, AssayOp op);
void upgrade_place (UpgradeContext *self);
AssayValueId upgrade_divert_output (UpgradeContext *self, const char *suffix);
const AssayType *upgrade_value_type (UpgradeContext *self, AssayValueId value);
const AssayType *upgrade_type (UpgradeContext *self, guint input);
AssayDType upgrade_dtype (UpgradeContext *self, guint input);
const char *upgrade_path (UpgradeContext *self);
void upgrade_refuse (UpgradeContext *self, const char *attribute, const char *why);

/* assay-upgrade-attributes.c: attributes that changed or became inputs */
void upgrade_axes (UpgradeContext *self);
void upgrade_cast (UpgradeContext *self);
void upgrade_clip (UpgradeContext *self);
void upgrade_concat (UpgradeContext *self);
void upgrade_dft (UpgradeContext *self);
void upgrade_dropout (UpgradeContext *self);
void upgrade_grid_sample (UpgradeContext *self);
void upgrade_integer_p (UpgradeContext *self);
void upgrade_pad (UpgradeContext *self);
void upgrade_reshape (UpgradeContext *self);
void upgrade_roi_align (UpgradeContext *self);
void upgrade_selu (UpgradeContext *self);
void upgrade_recurrent (UpgradeContext *self);
void upgrade_slice (UpgradeContext *self);
void upgrade_split (UpgradeContext *self);
void upgrade_top_k (UpgradeContext *self);

/* assay-upgrade-rewrite.c: operators whose meaning changed */
void upgrade_batch_norm (UpgradeContext *self);
void upgrade_broadcast (UpgradeContext *self);
void upgrade_gemm (UpgradeContext *self);
void upgrade_group_norm (UpgradeContext *self);
void upgrade_label_encoder (UpgradeContext *self);
void upgrade_mvn (UpgradeContext *self);
void upgrade_p_relu (UpgradeContext *self);
void upgrade_resize (UpgradeContext *self);
void upgrade_resize_sizes (UpgradeContext *self);
void upgrade_scan (UpgradeContext *self);
void upgrade_scatter (UpgradeContext *self);
void upgrade_softmax (UpgradeContext *self);
void upgrade_tile (UpgradeContext *self);
void upgrade_upsample (UpgradeContext *self);

G_END_DECLS
