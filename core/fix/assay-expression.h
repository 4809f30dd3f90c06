/* assay-expression.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-edit.h"

G_BEGIN_DECLS

/* Writing nodes as text. An expression is `NAME = EXPRESSION; ... EXPRESSION`, where EXPRESSION is
 * one of Op (EXPRESSION, ...) {attribute = VALUE, ...}   a node; `_` omits an input x, y, z, u, v,
 * w                                the inputs of the anchor, in order NAME what was named before,
 * or bound with assay_edit_bind() 0.5                                             a constant
 * without dimensions, of the element type of x [1, 2]                                          a
 * constant list of int64 $name                                           as a constant: a bound
 * number or list, or a float attribute and VALUE is an integer, a float with a point, a list of
 * integers, or $name: what is bound to the name, or the attribute of the anchor of that name, which
 * may be absent; $dtype is the element type of the result. */

void assay_edit_bind (AssayEdit *self, const char *name, AssayValueId value);
void assay_edit_bind_number (AssayEdit *self, const char *name, double number);
void assay_edit_bind_int (AssayEdit *self, const char *name, gint64 value);
void assay_edit_bind_ints (AssayEdit *self, const char *name, guint n, const gint64 *values);
AssayValueId assay_edit_write (AssayEdit *self, const char *text);

G_END_DECLS
