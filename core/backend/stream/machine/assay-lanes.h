/* assay-lanes.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

float assay_lanes_sum (const float *values, gsize n);

G_END_DECLS
