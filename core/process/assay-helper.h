/* assay-helper.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *assay_helper_find (const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
