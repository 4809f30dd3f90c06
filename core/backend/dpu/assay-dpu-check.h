/* assay-dpu-check.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-check-private.h"

G_BEGIN_DECLS

/* The window that a convolution or pool slides, as far as it is known; -1 where it is not. */
typedef struct
{
  int n;
  gint64 kernel[3];
  gint64 stride[3];
  gint64 dilation[3];
  gint64 begin[3];
  gint64 end[3];
  gint64 input[3];
} AssayDpuWindow;

extern const AssayPredicate assay_dpu_predicates[];

void assay_dpu_check_place (AssayCheck *self);
gboolean assay_dpu_window (AssayCheck *self, const AssayNode *node, AssayDpuWindow *window);
gint64 assay_dpu_channels (AssayCheck *self, const AssayNode *node, gboolean out);

G_END_DECLS
