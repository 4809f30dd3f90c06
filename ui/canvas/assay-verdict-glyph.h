/* assay-verdict-glyph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "target/assay-verdict.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_VERDICT_GLYPH (assay_verdict_glyph_get_type ())

/**
 * AssayVerdictGlyph:
 *
 * The glyph of a verdict, 16 px at the usual font size, in the colour it has on the canvas; for
 * lists, buttons and legends. Property `verdict` (an #AssayVerdictKind as an integer,
 * %ASSAY_N_VERDICTS for nothing). Presentational for screen readers: the text beside it says the
 * verdict.
 */
G_DECLARE_FINAL_TYPE (AssayVerdictGlyph, assay_verdict_glyph, ASSAY, VERDICT_GLYPH, GtkWidget)

GtkWidget *assay_verdict_glyph_new (AssayVerdictKind verdict);
void assay_verdict_glyph_set_verdict (AssayVerdictGlyph *self, AssayVerdictKind verdict);

G_END_DECLS
