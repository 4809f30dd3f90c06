/* assay-elements.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-datum.h"

G_BEGIN_DECLS

void assay_elements_read (const AssayDatum *datum, gsize offset, gsize stride, gsize n, double *to);
void assay_elements_read_ints (const AssayDatum *datum, gsize offset, gsize stride, gsize n,
                               gint64 *to);
void assay_elements_write (AssayDatum *datum, gsize offset, gsize stride, gsize n,
                           const double *from);
void assay_elements_write_ints (AssayDatum *datum, gsize offset, gsize stride, gsize n,
                                const gint64 *from);
double assay_elements_sum (gsize n, const double *row, double centre, gboolean square);

G_END_DECLS
