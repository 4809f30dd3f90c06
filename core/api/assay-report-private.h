/* assay-report-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-report-object.h"

G_BEGIN_DECLS

AssayReport *assay_report_new (char *json, char *text, gboolean clean) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
