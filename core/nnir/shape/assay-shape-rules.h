/* assay-shape-rules.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/shape/assay-shape.h"

G_BEGIN_DECLS

/* The shape rules that rows of the op table name; a row with `none` has none. */
#define OP(id, domain, since, category, min_in, max_in, min_out, max_out, traits, shape, doc, ...) \
  void assay_shape_rule_##shape (AssayShapeContext *self);
#include "nnir/ops.def"
#undef OP
#define assay_shape_rule_none NULL

G_END_DECLS
