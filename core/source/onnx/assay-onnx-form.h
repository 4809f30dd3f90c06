/* assay-onnx-form.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/* Below this the forms of too many operators differ from those that NNIR has. */
#define ASSAY_ONNX_LOWEST_OPSET 13

/**
 * AssayOnnxForm:
 * @op_type: operator type in the file
 * @domain: its domain
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 * @n_attrs: number of attributes
 * @attrs: (array length=n_attrs): the attributes
 * @dropped: an input of the node that became an attribute, or 0
 * @ints: backing of that attribute
 *
 * How a node stands in a file of one opset.
 */
typedef struct
{
  const char *op_type;
  const char *domain;
  guint n_inputs;
  const AssayValueId *inputs;
  guint n_attrs;
  AssayAttr *attrs;
  AssayValueId dropped;
  gint64 *ints;
} AssayOnnxForm;

/**
 * AssayOnnxFormFlags:
 * @ASSAY_ONNX_FORM_EXACT: only what importing turns back into the same node with the same names
 * @ASSAY_ONNX_FORM_ANY: whatever means the same
 *
 * Which older forms may be used.
 */
typedef enum
{
  ASSAY_ONNX_FORM_EXACT,
  ASSAY_ONNX_FORM_ANY,
} AssayOnnxFormFlags;

gint64 assay_onnx_form_lowest_opset (AssayGraph *graph, AssayNodeId id, AssayOnnxFormFlags flags);
const char *assay_onnx_form_stray_attr (const AssayNode *node);
gboolean assay_onnx_form_init (AssayOnnxForm *self, AssayGraph *graph, AssayNodeId id, gint64 opset,
                               AssayOnnxFormFlags flags);
void assay_onnx_form_clear (AssayOnnxForm *self);
char *assay_onnx_form_check_types (const AssayGraph *graph,
                                   AssayNodeId id) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayOnnxForm, assay_onnx_form_clear)

G_END_DECLS
