/* calibration-models.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean calibration_model_write (const char *model, const char *size, const char *path,
                                  int *streaming_axis, GError **error);
gboolean calibration_model_write_step (const char *model, const char *size, const char *path,
                                       GError **error);

G_END_DECLS
