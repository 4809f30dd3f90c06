/* assay-op.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayOp:
 *
 * Every operation of NNIR. The rows are in `ops.def`: ONNX operators in the form of the newest
 * opset under their own names, and a few of our own. %ASSAY_OP_OPAQUE stands for an operator that
 * no row names.
 */
typedef enum
{
  ASSAY_OP_OPAQUE,
#include "nnir/op-names.h"
  ASSAY_N_OPS
} AssayOp;

/**
 * AssayOpCategory:
 *
 * Groups operators for people: colours, menus, tables.
 */
typedef enum
{
  ASSAY_CATEGORY_OPAQUE,
  ASSAY_CATEGORY_ELEMENTWISE,
  ASSAY_CATEGORY_ACTIVATION,
  ASSAY_CATEGORY_MATMUL,
  ASSAY_CATEGORY_CONVOLUTION,
  ASSAY_CATEGORY_POOLING,
  ASSAY_CATEGORY_NORMALIZATION,
  ASSAY_CATEGORY_RECURRENT,
  ASSAY_CATEGORY_REDUCTION,
  ASSAY_CATEGORY_SHAPE,
  ASSAY_CATEGORY_INDEXING,
  ASSAY_CATEGORY_LOGIC,
  ASSAY_CATEGORY_CONTROL_FLOW,
  ASSAY_CATEGORY_SEQUENCE,
  ASSAY_CATEGORY_QUANTIZATION,
  ASSAY_CATEGORY_SIGNAL,
  ASSAY_CATEGORY_IMAGE,
  ASSAY_CATEGORY_TEXT,
  ASSAY_CATEGORY_RANDOM,
  ASSAY_CATEGORY_LOSS,
  ASSAY_CATEGORY_TRAINING,
  ASSAY_CATEGORY_ML,
  ASSAY_CATEGORY_CONSTANT,
  ASSAY_N_CATEGORIES
} AssayOpCategory;

/**
 * AssayOpTraits:
 * @ASSAY_OP_TRAIT_NONE: nothing special
 * @ASSAY_OP_TRAIT_RANDOM: two runs may differ, so it is neither folded nor merged
 * @ASSAY_OP_TRAIT_COMMUTATIVE: the first two inputs may be exchanged
 * @ASSAY_OP_TRAIT_BROADCAST: inputs broadcast as in NumPy
 * @ASSAY_OP_TRAIT_UNARY_MAP: output i depends on input i alone, same shape
 * @ASSAY_OP_TRAIT_VIEW: moves or renames elements without computing
 * @ASSAY_OP_TRAIT_REGIONS: holds nested graphs
 * @ASSAY_OP_TRAIT_VARIADIC_IN: the last input repeats
 * @ASSAY_OP_TRAIT_VARIADIC_OUT: the last output repeats
 * @ASSAY_OP_TRAIT_FUNCTION: the ONNX specification defines it by a body of other operators
 * @ASSAY_OP_TRAIT_DEPRECATED: no longer in the newest opset
 * @ASSAY_OP_TRAIT_TRAINING: meaningful in training only
 */
typedef enum
{
  ASSAY_OP_TRAIT_NONE = 0,
  ASSAY_OP_TRAIT_RANDOM = 1 << 0,
  ASSAY_OP_TRAIT_COMMUTATIVE = 1 << 1,
  ASSAY_OP_TRAIT_BROADCAST = 1 << 2,
  ASSAY_OP_TRAIT_UNARY_MAP = 1 << 3,
  ASSAY_OP_TRAIT_VIEW = 1 << 4,
  ASSAY_OP_TRAIT_REGIONS = 1 << 5,
  ASSAY_OP_TRAIT_VARIADIC_IN = 1 << 6,
  ASSAY_OP_TRAIT_VARIADIC_OUT = 1 << 7,
  ASSAY_OP_TRAIT_FUNCTION = 1 << 8,
  ASSAY_OP_TRAIT_DEPRECATED = 1 << 9,
  ASSAY_OP_TRAIT_TRAINING = 1 << 10,
} AssayOpTraits;

/**
 * AssayAttrKind:
 *
 * What an attribute holds; the order of the first ten is ours, not that of ONNX.
 */
typedef enum
{
  ASSAY_ATTR_NONE,
  ASSAY_ATTR_INT,
  ASSAY_ATTR_FLOAT,
  ASSAY_ATTR_STRING,
  ASSAY_ATTR_TENSOR,
  ASSAY_ATTR_GRAPH,
  ASSAY_ATTR_TYPE,
  ASSAY_ATTR_INTS,
  ASSAY_ATTR_FLOATS,
  ASSAY_ATTR_STRINGS,
  ASSAY_ATTR_TENSORS,
  ASSAY_ATTR_GRAPHS,
  ASSAY_ATTR_TYPES,
} AssayAttrKind;

/**
 * AssayAttrSpec:
 * @name: name of the attribute
 * @kind: what it holds
 * @required: whether a node must have it
 * @has_default: whether the next three hold a default
 * @i: default of an integer
 * @f: default of a float
 * @s: default of a string
 *
 * One attribute that an operator knows.
 */
typedef struct
{
  const char *name;
  AssayAttrKind kind;
  gboolean required;
  gboolean has_default;
  gint64 i;
  double f;
  const char *s;
} AssayAttrSpec;

/**
 * AssayOpInfo:
 * @name: name in NNIR text and messages, that of ONNX where there is one
 * @domain: "" for the default ONNX domain, "ai.onnx.ml", "ai.onnx.preview",
 * "ai.onnx.preview.training", or "assay" for our own
 * @since: newest version of the operator at the opset of ONNX 1.22; 0 for our own
 * @min_inputs: fewest inputs
 * @max_inputs: most inputs, %G_MAXUINT16 for variadic ones
 * @min_outputs: fewest outputs
 * @max_outputs: most outputs
 * @attrs: attributes, ended by a row without name
 * @doc: one line on what it does
 */
typedef struct
{
  const char *name;
  const char *domain;
  guint16 since;
  guint16 min_inputs;
  guint16 max_inputs;
  guint16 min_outputs;
  guint16 max_outputs;
  AssayOpCategory category;
  AssayOpTraits traits;
  const AssayAttrSpec *attrs;
  const char *doc;
} AssayOpInfo;

const AssayOpInfo *assay_op_get_info (AssayOp op);
AssayOp assay_op_lookup (const char *domain, const char *name);
const AssayAttrSpec *assay_op_find_attr (AssayOp op, const char *name);
const char *assay_op_category_name (AssayOpCategory category);

static inline const char *
assay_op_name (AssayOp op)
{
  return assay_op_get_info (op)->name;
}

G_END_DECLS
