/* assay-torch-make-private.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * What functions that are made of other functions are written with.
 */
#pragma once

#include "source/torch/assay-torch-lower-private.h"

G_BEGIN_DECLS

#define APPLY(function, ...)                                                                       \
  assay_torch_apply (self, function, G_N_ELEMENTS (((AssayTorchItem *[]){ __VA_ARGS__ })),         \
                     (AssayTorchItem *[]){ __VA_ARGS__ })
#define ARG(index) assay_torch_arg (self, index)
#define INT(value) assay_torch_int (self, value)

/* assay-torch-make-delegate.c */
AssayTorchItem *assay_torch_apply (AssayTorchLower *self, const char *function, guint n,
                                   AssayTorchItem *const *items);
AssayTorchItem *assay_torch_cut (AssayTorchLower *self, AssayTorchItem *item, gint64 axis,
                                 gint64 n);

G_END_DECLS
