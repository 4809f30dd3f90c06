/* assay-tensor.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "base/assay-dtype.h"

G_BEGIN_DECLS

#define ASSAY_MAX_RANK 64

/**
 * AssayTensor:
 *
 * An immutable array of one element type, row major and packed, little endian; its bytes may stay
 * in a mapped file until someone asks for them.
 */
typedef struct _AssayTensor AssayTensor;

/**
 * AssayTensorLoadFunc:
 * @tensor: the tensor whose elements are wanted
 * @user_data: the data given to assay_tensor_new_lazy()
 * @error: return location for a #GError
 *
 * Produces the packed elements, once, possibly from another thread than the one that made the
 * tensor.
 *
 * Returns: (transfer full) (nullable): the bytes
 */
typedef GBytes *(*AssayTensorLoadFunc) (AssayTensor *tensor, gpointer user_data, GError **error);

#define ASSAY_TYPE_TENSOR (assay_tensor_get_type ())

GType assay_tensor_get_type (void) G_GNUC_CONST;
AssayTensor *assay_tensor_new (AssayDType dtype, guint rank, const gint64 *dims, GBytes *bytes,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_new_lazy (AssayDType dtype, guint rank, const gint64 *dims,
                                    AssayTensorLoadFunc load, gpointer user_data,
                                    GDestroyNotify destroy,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_new_strings (guint rank, const gint64 *dims, GPtrArray *strings,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_new_i64 (guint rank, const gint64 *dims,
                                   const gint64 *values) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_new_f32 (guint rank, const gint64 *dims,
                                   const float *values) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_new_absent (AssayDType dtype, guint rank, const gint64 *dims,
                                      const char *digest, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_ref (AssayTensor *self);
void assay_tensor_unref (AssayTensor *self);
AssayDType assay_tensor_get_dtype (AssayTensor *self);
guint assay_tensor_get_rank (AssayTensor *self);
const gint64 *assay_tensor_get_dims (AssayTensor *self);
gint64 *assay_tensor_dup_shape (AssayTensor *self, gsize *n_dims) G_GNUC_WARN_UNUSED_RESULT;
gsize assay_tensor_get_n_elements (AssayTensor *self);
gsize assay_tensor_get_n_bytes (AssayTensor *self);
gboolean assay_tensor_is_loaded (AssayTensor *self);
gboolean assay_tensor_is_absent (AssayTensor *self);
char *assay_tensor_dup_digest (AssayTensor *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gconstpointer assay_tensor_get_data (AssayTensor *self, gsize *n_bytes, GError **error);
GBytes *assay_tensor_dup_bytes (AssayTensor *self, GError **error);
gboolean assay_tensor_check (AssayTensor *self, GError **error);
GPtrArray *assay_tensor_get_strings (AssayTensor *self);
gboolean assay_tensor_get_element (AssayTensor *self, gsize index, double *value, GError **error);
gboolean assay_tensor_get_integer (AssayTensor *self, gsize index, gint64 *value, GError **error);
gboolean assay_dims_count (guint rank, const gint64 *dims, gsize *n_elements);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTensor, assay_tensor_unref)

G_END_DECLS
