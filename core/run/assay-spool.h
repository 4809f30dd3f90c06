/* assay-spool.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

/**
 * AssaySpool:
 *
 * Values on their way from a run that goes ahead to runs that are compared with it, in other
 * threads. The one ahead waits when too much lies here, unless all the others wait for values that
 * have not come yet: then it goes on, so that runs whose orders differ do not wait for each other.
 */
typedef struct _AssaySpool AssaySpool;

AssaySpool *assay_spool_new (guint n_readers, gsize max_bytes,
                             const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;
void assay_spool_free (AssaySpool *self);
gboolean assay_spool_put (AssaySpool *self, gsize key, AssayTensor *tensor, GError **error);
void assay_spool_close (AssaySpool *self);
AssayTensor *assay_spool_get (AssaySpool *self, gsize key,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_spool_release (AssaySpool *self, gsize key);
void assay_spool_leave (AssaySpool *self);
gsize assay_spool_peak (AssaySpool *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySpool, assay_spool_free)

G_END_DECLS
