/* assay-target-rules.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "text/assay-json-reader.h"
#include "target/assay-target-private.h"

G_BEGIN_DECLS

/* Reading of the parts of a target file that hold rules; the reader stands at the element. */
AssayRule *assay_target_read_rule (AssayTarget *self, AssayJsonReader *reader, JsonNode *node,
                                   gboolean is_check);
AssayFusion *assay_target_read_fusion (AssayTarget *self, AssayJsonReader *reader, JsonNode *node);
const AssayNote *assay_target_read_notes (AssayTarget *self, AssayJsonReader *reader,
                                          JsonObject *object, guint *n);
AssayDTypeSet assay_target_read_dtypes (AssayTarget *self, AssayJsonReader *reader, JsonNode *node);

G_END_DECLS
