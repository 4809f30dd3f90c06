/* assay-constraint-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-constraint.h"

G_BEGIN_DECLS

gboolean assay_violation_set (AssayViolation *violation, const char *rule, const char *attribute,
                              const char *format, ...) G_GNUC_PRINTF (4, 5);
gboolean assay_op_has_types (AssayOp op);
gboolean assay_node_check_types (const AssayNode *node, const AssayNodeInput *operands, guint n,
                                 AssayViolation *violation);

G_END_DECLS
