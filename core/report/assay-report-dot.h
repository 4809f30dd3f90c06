/* assay-report-dot.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void assay_dot_append (GString *text, const char *string);

G_END_DECLS
