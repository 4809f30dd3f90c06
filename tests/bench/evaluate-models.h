/* evaluate-models.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean evaluate_model_write (const char *name, const char *path, GError **error);

G_END_DECLS
