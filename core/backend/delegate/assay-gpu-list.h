/* assay-gpu-list.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <json-glib/json-glib.h>

#include "base/assay-progress.h"
#include "process/assay-child.h"

G_BEGIN_DECLS

char *assay_gpu_find_helper (GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_add_ending (AssayChild *child, GError **error);
JsonNode *assay_gpu_list (const AssayProgress *progress, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
