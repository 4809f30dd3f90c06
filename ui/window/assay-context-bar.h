/* assay-context-bar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayContextBar:
 *
 * The second bar: model, target, setup, verdict counts that filter, facts.
 */
#define ASSAY_TYPE_CONTEXT_BAR (assay_context_bar_get_type ())

G_DECLARE_FINAL_TYPE (AssayContextBar, assay_context_bar, ASSAY, CONTEXT_BAR, GtkBox)

void assay_context_bar_set_session (AssayContextBar *self, AssaySession *session);
void assay_context_bar_set_roomy (AssayContextBar *self, gboolean compact, gboolean words);
void assay_context_bar_open_targets (AssayContextBar *self);
void assay_context_bar_update_facts (AssayContextBar *self);

G_END_DECLS
