/* assay-config-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-config.h"
#include "text/assay-json-reader.h"

G_BEGIN_DECLS

void assay_config_check (JsonObject *json, AssayJsonReader *reader);

G_END_DECLS
