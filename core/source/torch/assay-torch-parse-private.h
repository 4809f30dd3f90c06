/* assay-torch-parse-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/torch/assay-torch-scan-private.h"

G_BEGIN_DECLS

/**
 * AssayTorchForm:
 * @name: of the operation
 * @format: what stands behind its name
 * @result: (nullable): type of its results, if it is not written
 *
 * How an operation is written: a row of `torch-forms.def`.
 */
typedef struct
{
  const char *name;
  const char *format;
  const char *result;
} AssayTorchForm;

/**
 * AssayTorchDraft:
 *
 * An operation whose parts are being read.
 */
typedef struct _AssayTorchDraft AssayTorchDraft;

struct _AssayTorchDraft
{
  GPtrArray *operands; /* AssayTorchValue */
  GPtrArray *types;    /* AssayTorchType, of the results */
  GArray *attrs;       /* AssayTorchAttr */
  GArray *regions;     /* AssayTorchRegion */
  GArray *names;       /* of the results */
  guint n_typed;       /* operands whose types were read */
  AssayTorchDraft *next;
};

/**
 * AssayTorchParser:
 * @scan: where it is
 * @names: (element-type utf8 AssayTorchValue): what names mean here
 * @shadowed: names that were given a meaning, each with the meaning before
 * @scope: number of the region that is being read
 * @isolated: number of the outermost region of the function that is being read, which sees nothing
 * of what is around it
 * @spare: (nullable): drafts of operations that were read
 * @progress: (nullable): progress and cancel
 *
 * A text that is being read.
 */
typedef struct
{
  AssayTorchScan scan;
  AssayTorchModule *module;
  AssayPointerMap names;
  GArray *shadowed;
  guint32 scope;
  guint32 isolated;
  guint32 n_scopes;
  AssayTorchDraft *spare;
  const AssayProgress *progress;
} AssayTorchParser;

extern const char *const assay_torch_visibilities[];

const AssayTorchForm *assay_torch_form_find (const char *name);
AssayTorchValue *assay_torch_read_operand (AssayTorchParser *self);
gboolean assay_torch_read_operands (AssayTorchParser *self, AssayTorchDraft *draft);
gboolean assay_torch_read_form (AssayTorchParser *self, const char *format, AssayTorchDraft *draft);
gboolean assay_torch_learn_type (AssayTorchParser *self, AssayTorchDraft *draft, guint operand,
                                 const AssayTorchType *type);
gboolean assay_torch_read_region (AssayTorchParser *self, AssayTorchRegion *region,
                                  GPtrArray *arguments);
gboolean assay_torch_read_ops (AssayTorchParser *self, AssayTorchBlock *block);
void assay_torch_open_scope (AssayTorchParser *self, guint32 *outer, guint *mark);
void assay_torch_close_scope (AssayTorchParser *self, guint32 outer, guint mark);
gboolean assay_torch_define (AssayTorchParser *self, const char *name, const AssayTorchType *type,
                             AssayTorchValue **value);
AssayTorchOp *assay_torch_op_new (AssayTorchModule *module, const char *name,
                                  const AssayTorchDraft *draft);
gboolean assay_torch_read_function (AssayTorchParser *self, AssayTorchDraft *draft);
gboolean assay_torch_read_module (AssayTorchParser *self, AssayTorchDraft *draft);
gboolean assay_torch_read_raw (AssayTorchParser *self, AssayTorchDraft *draft, const char **raw);
gboolean assay_torch_read_resources (AssayTorchParser *self);
gboolean assay_torch_can_print_function (const AssayTorchOp *op);
gboolean assay_torch_can_print_module (const AssayTorchOp *op);
gboolean assay_torch_can_print_standard (const AssayTorchOp *op);
gboolean assay_torch_fits_form (const AssayTorchOp *op, const AssayTorchForm *form);

G_END_DECLS
