/* assay-selection-card.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssaySelectionCard:
 *
 * The verdict of the selected node in short, floating over the canvas.
 */
#define ASSAY_TYPE_SELECTION_CARD (assay_selection_card_get_type ())

G_DECLARE_FINAL_TYPE (AssaySelectionCard, assay_selection_card, ASSAY, SELECTION_CARD, GtkBox)

void assay_selection_card_set_session (AssaySelectionCard *self, AssaySession *session);

G_END_DECLS
