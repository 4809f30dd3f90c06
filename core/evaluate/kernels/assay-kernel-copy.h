/* assay-kernel-copy.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"
#include "nnir/assay-dims.h"

G_BEGIN_DECLS

void assay_element_copy (const AssayDatum *from, gsize from_index, AssayDatum *to, gsize to_index,
                         gsize n);
void assay_elements_fill (AssayDatum *self, const AssayDatum *value);
void assay_elements_pick (const AssayDatum *from, AssayDatum *to, gint64 *const *places);
void assay_kernel_copy (AssayKernel *self, const AssayDatum *from, gssize from_offset,
                        const gssize *from_strides, AssayDatum *to, gssize to_offset,
                        const gssize *to_strides, guint rank, const gint64 *dims);
AssayDatum *assay_kernel_copy_view (AssayKernel *self, const AssayDatum *from, gssize offset,
                                    guint view_rank, const gint64 *view_dims,
                                    const gssize *view_strides, guint rank, const gint64 *dims,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_kernel_join (AssayKernel *self, guint n, AssayDatum *const *pieces, guint axis,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_kernel_cut (AssayKernel *self, AssayDatum *x, guint axis, guint n,
                             const gint64 *extents, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_kernel_new (AssayKernel *self, AssayDType dtype, guint rank, const gint64 *dims,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_kernel_expect_rank (AssayKernel *self, guint input, guint min_rank, guint max_rank,
                                   GError **error);
gboolean assay_kernel_axes (AssayKernel *self, guint n, const gint64 *axes, guint rank,
                            guint *result, GError **error);

gboolean assay_kernel_dtype_attr (AssayKernel *self, const char *name, AssayDType fallback,
                                  AssayDType *dtype, GError **error);
gboolean assay_kernel_number (AssayKernel *self, guint input, double fallback, double *value,
                              GError **error);
gint64 *assay_kernel_dup_integers (AssayKernel *self, guint input, gsize *n,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
