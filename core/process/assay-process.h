/* assay-process.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void assay_process_begin (void);
void assay_process_end_on_limits (int status);

G_END_DECLS
