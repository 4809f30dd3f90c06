/* assay-expression.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-builder.h"

G_BEGIN_DECLS

/* clang-format off */

/* Nodes as text: the bodies of functions, the patterns that recognize them, and the forms of fixes.
 *
 *   body      = (NAME "=" term ";")* term
 *   term      = OP "(" (term ("," term)*)? ")" ("{" (NAME "=" setting),* "}")?    a node
 *             | "(" term ("|" term)+ ")"     written: the first; recognized: any of them
 *             | NAME                         an input, or a term that was named before: it is
 *                                            written where it is first read, and a name of several
 *                                            letters is a part of the names of its nodes
 *             | "@" NAME                     the same; recognized: a constant of any shape
 *             | "_"                          an input that is omitted
 *             | NUMBER                       a constant without dimensions, of the element type of
 *                                            the first input
 *             | "[" INT,* "]"                a constant list of int64
 *             | "$" NAME                     a number, list or value that is bound to the name, as
 *                                            a constant; else the number of that attribute
 *   setting   = INT | FLOAT | STRING | "[" INT,* "]"
 *             | "$" NAME                     an integer, float, string or list that is bound to the
 *                                            name, or the attribute of that name; none if absent;
 *                                            $dtype is the element type of the result
 *
 * A FLOAT has a point or an exponent. Recognition takes the operands of commutative operations in
 * either order, takes numbers up to the rounding of their type, and asks that inputs beyond those
 * written are constant. */

/* clang-format on */

/**
 * AssayTermKind:
 * @ASSAY_TERM_OP: a node
 * @ASSAY_TERM_CHOICE: one of several terms
 * @ASSAY_TERM_NAME: a name
 * @ASSAY_TERM_CONSTANT: a name of a constant
 * @ASSAY_TERM_OMITTED: no value
 * @ASSAY_TERM_NUMBER: a number
 * @ASSAY_TERM_INTS: a list of integers
 * @ASSAY_TERM_BOUND: what is bound to a name
 * @ASSAY_TERM_STRING: a string; in settings alone
 */
typedef enum
{
  ASSAY_TERM_OP,
  ASSAY_TERM_CHOICE,
  ASSAY_TERM_NAME,
  ASSAY_TERM_CONSTANT,
  ASSAY_TERM_OMITTED,
  ASSAY_TERM_NUMBER,
  ASSAY_TERM_INTS,
  ASSAY_TERM_BOUND,
  ASSAY_TERM_STRING,
} AssayTermKind;

typedef struct _AssayTerm AssayTerm;

/**
 * AssayTerm:
 * @kind: which members count
 * @op: the operation
 * @terms: (nullable) (element-type AssayTerm): inputs or choices
 * @settings: (nullable) (element-type AssayTerm): attributes, each with @name
 * @name: (nullable): a name; of a setting, that of the attribute
 * @from: (nullable): of a setting that is bound, the name
 * @string: (nullable): a string
 * @number: a number
 * @whole: whether the number is an integer
 * @n_ints: length of a list
 * @ints: a list
 * @let: (nullable): of a name, the term that it stands for
 *
 * One term of an expression.
 */
struct _AssayTerm
{
  AssayTermKind kind;
  AssayOp op;
  GPtrArray *terms;
  GPtrArray *settings;
  char *name;
  char *from;
  char *string;
  double number;
  gboolean whole;
  guint n_ints;
  gint64 ints[ASSAY_MAX_RANK];
  const AssayTerm *let;
};

/**
 * AssayExpression:
 * @lets: (element-type AssayTerm): named terms in their order, each with the term in @terms
 * @result: the term of the result
 *
 * A body, read once. It is not changed afterwards, so threads share it.
 */
typedef struct
{
  GPtrArray *lets;
  AssayTerm *result;
} AssayExpression;

AssayExpression *assay_expression_parse (const char *text, const char **end,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTerm *assay_term_parse_setting (const char **cursor, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_term_free (AssayTerm *self);
void assay_expression_free (AssayExpression *self);

/**
 * AssayBindings:
 *
 * What the names of an expression stand for where it is written.
 */
typedef struct _AssayBindings AssayBindings;

AssayBindings *assay_bindings_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_bindings_free (AssayBindings *self);
void assay_bindings_clear (AssayBindings *self);
gboolean assay_bindings_contains (const AssayBindings *self, const char *name);
void assay_bindings_set_value (AssayBindings *self, const char *name, AssayValueId value);
void assay_bindings_set_number (AssayBindings *self, const char *name, double number);
void assay_bindings_set_int (AssayBindings *self, const char *name, gint64 value);
void assay_bindings_set_ints (AssayBindings *self, const char *name, guint n, const gint64 *values);
void assay_bindings_set_string (AssayBindings *self, const char *name, const char *string);
AssayValueId assay_expression_write (const AssayExpression *self, AssayBuilder *builder,
                                     AssayBindings *bindings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTerm, assay_term_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayExpression, assay_expression_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBindings, assay_bindings_free)

G_END_DECLS
