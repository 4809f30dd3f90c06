/* assay-nearest.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *assay_nearest_hint (const char *name,
                          const char *const *candidates) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
