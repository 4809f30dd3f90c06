/* assay-delegate-predicate.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-check-private.h"

G_BEGIN_DECLS

extern const AssayPredicate assay_delegate_predicates[];

guint32 assay_delegate_storage_left (AssayCheck *check, AssayValueId value, guint32 set);
gboolean assay_delegate_storage_fits (AssayCheck *check, AssayNodeId id, gboolean is_output,
                                      guint index, guint32 storage);
guint64 assay_delegate_value_bytes (AssayCheck *check, AssayValueId value);

G_END_DECLS
