/* assay-cause-note.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CAUSE_NOTE (assay_cause_note_get_type ())

/**
 * AssayCauseNote:
 *
 * Why a tensor differs, as far as that was tried: what removes the difference, the first explains
 * most, and the rules of the device by which elements differ. Hidden where nothing is known. A node
 * that is clicked is selected; causes that were not tried can be asked for, and are followed.
 */
G_DECLARE_FINAL_TYPE (AssayCauseNote, assay_cause_note, ASSAY, CAUSE_NOTE, GtkWidget)

void assay_cause_note_set_session (AssayCauseNote *self, AssaySession *session);
void assay_cause_note_set_index (AssayCauseNote *self, guint index);
void assay_cause_note_set_row (AssayCauseNote *self, const AssayComparisonRow *row,
                               const char *status, gboolean can_try);

G_END_DECLS
