/* assay-target-chooser.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayTargetChooser:
 *
 * Lists the targets by group, with how many nodes of the open model each rejects.
 */
#define ASSAY_TYPE_TARGET_CHOOSER (assay_target_chooser_get_type ())

G_DECLARE_FINAL_TYPE (AssayTargetChooser, assay_target_chooser, ASSAY, TARGET_CHOOSER, GtkPopover)

void assay_target_chooser_set_session (AssayTargetChooser *self, AssaySession *session);

G_END_DECLS
