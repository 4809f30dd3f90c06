/* assay-cause-note.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "run/assay-comparison.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CAUSE_NOTE (assay_cause_note_get_type ())

/**
 * AssayCauseNote:
 *
 * Why a tensor differs, as far as that was tried: what removes the difference, the first explains
 * most, and the rules of the device by which elements differ. Hidden where nothing is known. Its
 * signal `node-wanted` has the name of the node that was clicked; `causes-wanted` says that it was
 * asked to try causes.
 */
G_DECLARE_FINAL_TYPE (AssayCauseNote, assay_cause_note, ASSAY, CAUSE_NOTE, GtkWidget)

void assay_cause_note_set_row (AssayCauseNote *self, const AssayComparisonRow *row,
                               const char *status, gboolean can_try);

G_END_DECLS
