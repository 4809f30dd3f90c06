/* assay-shell.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void assay_shell_append (GString *line, const char *word);

G_END_DECLS
