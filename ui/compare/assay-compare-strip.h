/* assay-compare-strip.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "run/assay-divergence.h"
#include "ui/table/assay-columns.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_COMPARE_STRIP (assay_compare_strip_get_type ())

/**
 * AssayCompareStrip:
 *
 * What a comparison found, at a glance: a sentence, whether it passes, where the runs part, how far
 * off the worst is, how many outputs are equal. Its signal `row-wanted` asks for a row.
 */
G_DECLARE_FINAL_TYPE (AssayCompareStrip, assay_compare_strip, ASSAY, COMPARE_STRIP, GtkWidget)

void assay_compare_strip_set_words (AssayCompareStrip *self, const char *icon, const char *headline,
                                    const char *note);
void assay_compare_strip_set_comparison (AssayCompareStrip *self,
                                         const AssayComparison *comparison);
const AssayCellMark *assay_compare_strip_get_mark (AssayDivergence divergence);

G_END_DECLS
