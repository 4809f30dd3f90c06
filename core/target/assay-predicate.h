/* assay-predicate.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayArgKind:
 * @ASSAY_ARG_INT: an integer, or `"config.FIELD"` for a value of the target's configuration
 * @ASSAY_ARG_NUMBER: a number
 * @ASSAY_ARG_BOOL: true or false
 * @ASSAY_ARG_STRING: a string
 * @ASSAY_ARG_INTS: an integer or a list of integers
 * @ASSAY_ARG_STRINGS: a string or a list of strings
 * @ASSAY_ARG_OPS: an operator or a list of operators, by ONNX name
 * @ASSAY_ARG_DTYPES: element types or names of the target's `sets`
 * @ASSAY_ARG_CALLS: a list of predicate calls
 *
 * What an argument of a predicate may be.
 */
typedef enum
{
  ASSAY_ARG_INT,
  ASSAY_ARG_NUMBER,
  ASSAY_ARG_BOOL,
  ASSAY_ARG_STRING,
  ASSAY_ARG_INTS,
  ASSAY_ARG_STRINGS,
  ASSAY_ARG_OPS,
  ASSAY_ARG_DTYPES,
  ASSAY_ARG_CALLS,
} AssayArgKind;

/**
 * AssayArgSpec:
 * @name: name of the argument in the target file
 * @kind: what it may be
 * @required: whether it must be there
 * @doc: one line
 *
 * One argument that a predicate takes.
 */
typedef struct
{
  const char *name;
  AssayArgKind kind;
  gboolean required;
  const char *doc;
} AssayArgSpec;

/**
 * AssayTruth:
 * @ASSAY_FALSE: the predicate does not hold
 * @ASSAY_TRUE: it holds
 * @ASSAY_UNKNOWN: a shape or value it needs is unknown
 *
 * What a predicate says of a node.
 */
typedef enum
{
  ASSAY_FALSE,
  ASSAY_TRUE,
  ASSAY_UNKNOWN,
} AssayTruth;

typedef struct _AssayCall AssayCall;
typedef struct _AssayContext AssayContext;

/**
 * AssayPredicateFunc:
 * @context: the node and everything around it; gets the actual and the allowed value if the answer
 * is not true
 * @call: the arguments
 *
 * Decides about one node.
 *
 * Returns: the answer
 */
typedef AssayTruth (*AssayPredicateFunc) (AssayContext *context, const AssayCall *call);

#define ASSAY_MAX_ARGS 8

/**
 * AssayPredicate:
 * @name: name in target files
 * @doc: what it says, one line
 * @sentence: reason when it does not hold, with `{actual}`, `{allowed}` and `{attribute}`
 * @func: the function
 * @args: its arguments, ended by one without name
 *
 * One row of a predicate table.
 */
typedef struct
{
  const char *name;
  const char *doc;
  const char *sentence;
  AssayPredicateFunc func;
  AssayArgSpec args[ASSAY_MAX_ARGS];
} AssayPredicate;

GPtrArray *assay_predicate_list (void) G_GNUC_WARN_UNUSED_RESULT;
const AssayPredicate *assay_predicate_lookup (const char *name);
const char *assay_arg_kind_name (AssayArgKind kind);

G_END_DECLS
