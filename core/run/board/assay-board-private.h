/* assay-board-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "process/assay-child.h"
#include "run/board/assay-board.h"

G_BEGIN_DECLS

AssayBoard *assay_board_new (const char *name,
                             const AssayFrameChannel *channel) G_GNUC_WARN_UNUSED_RESULT;
AssayChild *assay_board_start_ssh (const char *name, const char *command,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_board_greet (AssayBoard *self, const AssayProgress *progress, GError **error);

G_END_DECLS
