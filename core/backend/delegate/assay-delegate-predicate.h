/* assay-delegate-predicate.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-predicate.h"

G_BEGIN_DECLS

extern const AssayPredicate assay_delegate_predicates[];

G_END_DECLS
