/* assay-remove.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void assay_remove_tree (const char *path);

G_END_DECLS
