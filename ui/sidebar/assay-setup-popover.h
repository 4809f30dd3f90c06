/* assay-setup-popover.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssaySetupPopover:
 *
 * Sizes of open dimensions, other shapes, streaming axes and options of the target.
 */
#define ASSAY_TYPE_SETUP_POPOVER (assay_setup_popover_get_type ())

G_DECLARE_FINAL_TYPE (AssaySetupPopover, assay_setup_popover, ASSAY, SETUP_POPOVER, GtkPopover)

void assay_setup_popover_set_session (AssaySetupPopover *self, AssaySession *session);

G_END_DECLS
