/* assay-function.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/function/assay-expression.h"

G_BEGIN_DECLS

/**
 * AssayFunctionKeeps:
 * @ASSAY_FUNCTION_KEEPS_BITS: every number bit by bit, as long as it is finite
 * @ASSAY_FUNCTION_KEEPS_NUMBERS: all numbers up to rounding and the signs of zeros
 * @ASSAY_FUNCTION_KEEPS_APPROXIMATION: numbers that are near
 *
 * How the results of a body differ from those of its operator.
 */
typedef enum
{
  ASSAY_FUNCTION_KEEPS_BITS,
  ASSAY_FUNCTION_KEEPS_NUMBERS,
  ASSAY_FUNCTION_KEEPS_APPROXIMATION,
} AssayFunctionKeeps;

typedef struct _AssayFunction AssayFunction;

/**
 * AssayFunctionInput:
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
} AssayFunctionInput;

/**
 * AssayFunctionCall:
 * @function: the function
 * @builder: a builder whose anchor is a node of its operator
 * @bindings: gets what the body calls by name
 * @reason: (nullable): set to why the function does not apply, to be freed
 *
 * A function at one node.
 */
typedef struct
{
  const AssayFunction *function;
  AssayBuilder *builder;
  AssayBindings *bindings;
  char *reason;
} AssayFunctionCall;

/**
 * AssayFunctionGuard:
 * @call: a function at a node
 *
 * Looks whether a function applies beyond what its row says, and binds what the body calls by name.
 * It changes nothing before it is certain.
 *
 * Returns: whether it applies; if not, @call has the reason
 */
typedef gboolean (*AssayFunctionGuard) (AssayFunctionCall *call);

/**
 * AssayFunction:
 * @id: stable name; rewrites and fixes name it
 * @domain: domain of the operator
 * @type: name of the operator
 * @op: the operator, %ASSAY_OP_OPAQUE if the op table has none
 * @inputs: (element-type AssayFunctionInput): the inputs
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
struct _AssayFunction
{
  char *id;
  char *domain;
  char *type;
  AssayOp op;
  GPtrArray *inputs;
  GPtrArray *settings;
  AssayFunctionKeeps keeps;
  AssayFunctionGuard guard;
  char *guard_name;
  char *words;
  gboolean writes;
  gboolean reads;
  AssayExpression *body;
};

const AssayFunction *assay_function_list (guint index);
const AssayFunction *assay_function_find (const char *id);
const AssayFunction *const *assay_function_of (const AssayNode *node, guint *n);
const AssayFunction *const *assay_function_of_op (AssayOp op, guint *n);
GPtrArray *assay_functions_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean assay_function_bind (AssayFunctionCall *call);
AssayValueId assay_function_write (const AssayFunctionCall *call);
gboolean assay_function_expand (const AssayFunction *self, AssayBuilder *builder, char **reason);
gboolean assay_function_refuse (AssayFunctionCall *call, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
AssayFunctionGuard assay_function_guard (const char *name);

G_END_DECLS
