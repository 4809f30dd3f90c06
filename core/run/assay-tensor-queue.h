/* assay-tensor-queue.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

/**
 * AssayTensorQueue:
 *
 * Values on their way from a run that goes ahead to runs that are compared with it, in other
 * threads. The one ahead waits when too much lies here, unless all the others wait for values that
 * have not come yet: then it goes on, so that runs whose orders differ do not wait for each other.
 */
typedef struct _AssayTensorQueue AssayTensorQueue;

AssayTensorQueue *assay_tensor_queue_new (guint n_readers, gsize max_bytes,
                                          const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;
void assay_tensor_queue_free (AssayTensorQueue *self);
gboolean assay_tensor_queue_put (AssayTensorQueue *self, gsize key, AssayTensor *tensor,
                                 GError **error);
void assay_tensor_queue_close (AssayTensorQueue *self);
AssayTensor *assay_tensor_queue_get (AssayTensorQueue *self, gsize key,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_tensor_queue_release (AssayTensorQueue *self, gsize key);
void assay_tensor_queue_leave (AssayTensorQueue *self);
gsize assay_tensor_queue_peak (AssayTensorQueue *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTensorQueue, assay_tensor_queue_free)

G_END_DECLS
