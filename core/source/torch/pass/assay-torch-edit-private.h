/* assay-torch-edit-private.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Changing a program. While a pass runs, @data of a value is what it is to be replaced with:
 * assay_torch_edit_forward() does so everywhere at once.
 */
#pragma once

#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

typedef void (*AssayTorchVisit) (AssayTorchOp *op, gpointer user_data);

void assay_torch_edit_walk (AssayTorchBlock *block, AssayTorchVisit visit, gpointer user_data);
void assay_torch_edit_clear (AssayTorchModule *module);
void assay_torch_edit_forward_block (AssayTorchBlock *block);
void assay_torch_edit_forward (AssayTorchModule *module);
void assay_torch_edit_drop_nothing (AssayTorchModule *module);
void assay_torch_edit_sweep (AssayTorchModule *module);
gboolean assay_torch_edit_may_write (const AssayTorchOp *op);
void assay_torch_edit_note_changes (AssayTorchModule *module);
AssayTorchOp *assay_torch_edit_find_list (const AssayTorchValue *value);

AssayTorchOp *assay_torch_edit_new (AssayTorchModule *module, const char *name,
                                    const AssayTorchOp *like, guint n_operands,
                                    AssayTorchValue *const *operands, guint n_results,
                                    const AssayTorchType *const *types, const char *base);
void assay_torch_edit_before (AssayTorchOp *place, AssayTorchOp *op);
void assay_torch_edit_after (AssayTorchOp *place, AssayTorchOp *op);
void assay_torch_edit_append (AssayTorchBlock *block, AssayTorchOp *op);
void assay_torch_edit_unlink (AssayTorchOp *op);
void assay_torch_edit_set_attr (AssayTorchModule *module, AssayTorchOp *op, AssayTorchAttr attr);
void assay_torch_edit_drop_attr (AssayTorchOp *op, const char *name);
AssayTorchValue *assay_torch_edit_one (AssayTorchModule *module, AssayTorchOp *place,
                                       const char *name, const AssayTorchType *type,
                                       const char *base, guint n, AssayTorchValue *const *operands);
AssayTorchValue *assay_torch_edit_constant (AssayTorchModule *module, AssayTorchOp *place,
                                            const char *type, AssayTorchAttr value);
AssayTorchValue *assay_torch_edit_int (AssayTorchModule *module, AssayTorchOp *place, gint64 value);
AssayTorchValue *assay_torch_edit_bool (AssayTorchModule *module, AssayTorchOp *place,
                                        gboolean value);
AssayTorchValue *assay_torch_edit_none (AssayTorchModule *module, AssayTorchOp *place);
AssayTorchOp *assay_torch_edit_clone (AssayTorchModule *module, const AssayTorchOp *op,
                                      GHashTable *values);
void assay_torch_edit_wrap (AssayTorchModule *module, AssayTorchOp *op, guint result,
                            const AssayTorchType *type, const char *name);

const AssayTorchType *assay_torch_edit_word (AssayTorchModule *module, const char *text);
const AssayTorchType *assay_torch_edit_as_value (AssayTorchModule *module,
                                                 const AssayTorchType *type);
gboolean assay_torch_edit_holds (const AssayTorchType *type, AssayTorchTypeKind kind);
const AssayTorchType *assay_torch_edit_with (AssayTorchModule *module, AssayTorchTypeKind kind,
                                             const AssayTorchType *type, const char *element);
void assay_torch_edit_set_signature (AssayTorchModule *module, AssayTorchOp *function, guint n,
                                     const AssayTorchType *const *results);
AssayTorchOp *assay_torch_edit_find_return (const AssayTorchOp *function);
gboolean assay_torch_edit_is_private (const AssayTorchOp *op);

#define ASSAY_TORCH_PASS(function, name, summary)                                                  \
  gboolean assay_torch_pass_##function (AssayTorchModule *module, const AssayProgress *progress,   \
                                        GError **error);
#include "source/torch/pass/torch-passes.def"
#undef ASSAY_TORCH_PASS

G_END_DECLS
