/* assay-latencies.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void assay_latencies_sort (gint64 *latencies, guint n);
gint64 assay_latencies_percentile (const gint64 *sorted, guint n, guint percent);

G_END_DECLS
