/* assay-temporary.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *assay_temporary_folder (const char *purpose, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_temporary_delete (const char *path);
void assay_temporary_kill_group (GPid pid);
void assay_temporary_add_group (GPid pid);
void assay_temporary_remove_group (GPid pid);
void assay_temporary_end (void);

G_END_DECLS
