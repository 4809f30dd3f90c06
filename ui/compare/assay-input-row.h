/* assay-input-row.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "run/assay-run-subject.h"
#include "session/analysis/assay-input-preview.h"

G_BEGIN_DECLS

/**
 * AssayInputRow:
 *
 * One input of a run: its shape and type, where its values come from, and what they are like.
 * Signals `choose`, `clear` and `show-values` ask for another file, for random values, and for a
 * look at all of them.
 */
#define ASSAY_TYPE_INPUT_ROW (assay_input_row_get_type ())

G_DECLARE_FINAL_TYPE (AssayInputRow, assay_input_row, ASSAY, INPUT_ROW, AdwPreferencesRow)

GtkWidget *assay_input_row_new (const AssayRunPort *port, const char *file);
const char *assay_input_row_get_name (AssayInputRow *self);
AssayTensor *assay_input_row_get_tensor (AssayInputRow *self);
void assay_input_row_show (AssayInputRow *self, const AssayInputPreview *preview);

G_END_DECLS
