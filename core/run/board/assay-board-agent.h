/* assay-board-agent.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-frame.h"

G_BEGIN_DECLS

gboolean assay_board_agent_serve (const AssayFrameChannel *channel, const AssayProgress *progress,
                                  GError **error);

G_END_DECLS
