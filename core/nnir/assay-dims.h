/* assay-dims.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is computed from the extents of packed tensors. */

gsize assay_dims_product (const gint64 *dims, guint begin, guint end);
void assay_dims_strides (guint rank, const gint64 *dims, gssize *strides);
gboolean assay_dims_next (guint rank, const gint64 *dims, gint64 *index);
gsize assay_dims_place (guint rank, const gint64 *dims, guint n, const gint64 *index);
gboolean assay_dims_spread (guint rank, const gint64 *dims, guint n, const gint64 *over,
                            gssize *strides);

G_END_DECLS
