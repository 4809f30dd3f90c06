/* assay-op-function.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/function/assay-expression.h"

G_BEGIN_DECLS

/**
 * AssayOpFunctionKeeps:
 * @ASSAY_OP_FUNCTION_KEEPS_BITS: every number bit by bit, as long as it is finite
 * @ASSAY_OP_FUNCTION_KEEPS_NUMBERS: all numbers up to rounding and the signs of zeros
 * @ASSAY_OP_FUNCTION_KEEPS_APPROXIMATION: numbers that are near
 *
 * How the results of a body differ from those of its operator.
 */
typedef enum
{
  ASSAY_OP_FUNCTION_KEEPS_BITS,
  ASSAY_OP_FUNCTION_KEEPS_NUMBERS,
  ASSAY_OP_FUNCTION_KEEPS_APPROXIMATION,
} AssayOpFunctionKeeps;

typedef struct _AssayOpFunction AssayOpFunction;

/**
 * AssayOpFunctionInput:
 * @name: what the body calls it
 * @is_optional: whether it may be omitted
 * @fallback: (nullable): a number that it is then; %NULL for no value
 *
 * One input of a function.
 */
typedef struct
{
  char *name;
  gboolean is_optional;
  AssayTerm *fallback;
} AssayOpFunctionInput;

/**
 * AssayOpFunctionCall:
 * @function: the function
 * @builder: a builder whose anchor is a node of its operator
 * @bindings: gets what the body calls by name
 * @reason: (nullable): set to why the function does not apply, to be freed
 *
 * A function at one node.
 */
typedef struct
{
  const AssayOpFunction *function;
  AssayBuilder *builder;
  AssayBindings *bindings;
  char *reason;
} AssayOpFunctionCall;

/**
 * AssayOpFunctionGuard:
 * @call: a function at a node
 *
 * Looks whether a function applies beyond what its row says, and binds what the body calls by name.
 * It changes nothing before it is certain.
 *
 * Returns: whether it applies; if not, @call has the reason
 */
typedef gboolean (*AssayOpFunctionGuard) (AssayOpFunctionCall *call);

/**
 * AssayOpFunction:
 * @id: stable name; rewrites and fixes name it
 * @domain: domain of the operator
 * @type: name of the operator
 * @op: the operator, %ASSAY_OP_OPAQUE if the op table has none
 * @inputs: (element-type AssayOpFunctionInput): the inputs
 * @settings: (element-type AssayTerm): attributes: a value that a node must have, or a name to bind
 * it to, with the default of an operator that the op table does not have in @string
 * @keeps: how the results differ
 * @guard: (nullable): what else must hold where the body is written
 * @guard_name: (nullable): name of what else must hold; the pass that recognizes has its own
 * @words: (nullable): the operations of the body, in words; a function that has them is offered as
 * a fix
 * @writes: whether the body replaces the operator
 * @reads: whether the operator replaces the body where it is found
 * @body: the body
 *
 * One row of functions.nnir: an operator, and operations that compute the same.
 */
struct _AssayOpFunction
{
  char *id;
  char *domain;
  char *type;
  AssayOp op;
  GPtrArray *inputs;
  GPtrArray *settings;
  AssayOpFunctionKeeps keeps;
  AssayOpFunctionGuard guard;
  char *guard_name;
  char *words;
  gboolean writes;
  gboolean reads;
  AssayExpression *body;
};

const AssayOpFunction *assay_op_function_list (guint index);
const AssayOpFunction *assay_op_function_find (const char *id);
const AssayOpFunction *const *assay_op_function_of (const AssayNode *node, guint *n);
const AssayOpFunction *const *assay_op_function_of_op (AssayOp op, guint *n);
GPtrArray *assay_op_functions_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean assay_op_function_bind (AssayOpFunctionCall *call);
AssayValueId assay_op_function_write (const AssayOpFunctionCall *call);
gboolean assay_op_function_expand (const AssayOpFunction *self, AssayBuilder *builder,
                                   char **reason);
gboolean assay_op_function_refuse (AssayOpFunctionCall *call, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
AssayOpFunctionGuard assay_op_function_guard (const char *name);

G_END_DECLS
