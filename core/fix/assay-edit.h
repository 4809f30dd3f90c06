/* assay-edit.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix.h"
#include "nnir/function/assay-op-function.h"
#include "nnir/pass/assay-pass.h"

G_BEGIN_DECLS

/**
 * AssayEdit:
 * @graph: the copy that is being changed
 * @settings: (nullable): what fixes of the setup change
 * @fix: the fix that is being applied
 * @anchor: the node that is being worked on, which is that of @builder; new nodes come before it
 * @builder: writes nodes for the anchor
 * @bindings: names for bodies that are written for the anchor
 * @fold: whether to fold in the end what has become constant, branches that are not taken included
 * @tidy: whether to drop in the end what nothing depends on any more
 * @drop_inputs: whether to drop inputs of the model, too, that nothing reads
 *
 * A fix under way. Rewrites go from node to node, look first, and change only what they can change
 * whole.
 */
typedef struct
{
  AssayGraph *graph;
  AssaySettings **settings;
  const AssayFix *fix;
  AssayNodeId anchor;
  AssayBuilder builder;
  AssayBindings *bindings;
  gboolean fold;
  gboolean tidy;
  gboolean drop_inputs;

  /*< private >*/
  AssayFindings *findings;
  AssayRewriter rewriter;
  GArray *anchors;   /* AssayNodeId per new node */
  AssayNodeId first; /* the first new node */
  AssayNodeId begun; /* the first new node of this anchor */
  char *rule;
  gboolean changed;
} AssayEdit;

AssayEdit *assay_edit_new (AssayGraph *graph, AssaySettings **settings, const AssayFix *fix,
                           AssayFindings *findings) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_edit_finish (AssayEdit *self, const AssayProgress *progress, GError **error);
void assay_edit_free (AssayEdit *self);
gboolean assay_edit_refuse (AssayEdit *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
gboolean assay_edit_find (AssayEdit *self, const char *name, AssayNodeId *node);
gboolean assay_edit_at (AssayEdit *self, const char *name);
const AssayNode *assay_edit_node (AssayEdit *self);
AssayValueId assay_edit_input (AssayEdit *self, guint index);
const AssayType *assay_edit_type (AssayEdit *self, AssayValueId value);
AssayTensor *assay_edit_constant (AssayEdit *self, AssayValueId value);
void assay_edit_repeat (AssayEdit *self, guint n_inputs, const AssayValueId *inputs,
                        AssayValueId *outputs);
AssayValueId assay_edit_write (AssayEdit *self, const AssayExpression *body);
void assay_edit_replace (AssayEdit *self, guint output, AssayValueId value);
void assay_edit_remove (AssayEdit *self);
void assay_edit_abandon (AssayEdit *self);
void assay_edit_mark_changed (AssayEdit *self);
gboolean assay_edit_compose (AssayEdit *self, AssayOp op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayEdit, assay_edit_free)

G_END_DECLS
