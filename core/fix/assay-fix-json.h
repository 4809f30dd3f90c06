/* assay-fix-json.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix.h"
#include "text/assay-json-reader.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

void assay_fixes_write (GPtrArray *fixes, AssayJsonWriter *json);
GPtrArray *assay_fixes_read (AssayJsonReader *reader, JsonObject *object) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
