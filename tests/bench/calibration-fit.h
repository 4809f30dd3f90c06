/* calibration-fit.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean calibration_leave_one_out (char **paths, GError **error);

G_END_DECLS
