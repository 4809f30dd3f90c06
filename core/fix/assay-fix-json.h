/* assay-fix-json.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix.h"
#include "text/assay-json-reader.h"

G_BEGIN_DECLS

void assay_fixes_build (GPtrArray *fixes, JsonBuilder *builder);
GPtrArray *assay_fixes_read (AssayJsonReader *reader, JsonArray *array) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
