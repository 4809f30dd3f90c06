/* assay-board-list.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/board/assay-board.h"

G_BEGIN_DECLS

/**
 * AssayBoardCheck:
 * @step: what was looked at
 * @passed: whether it is in order
 * @sentence: what was found
 * @remedy: (nullable): what to do about it
 * @command: (nullable): the command that does it, to be copied
 * @installs: whether assay_board_install() does the same
 *
 * One row of the health of a board.
 */
typedef struct
{
  AssayBoardStep step;
  gboolean passed;
  char *sentence;
  char *remedy;
  char *command;
  gboolean installs;
} AssayBoardCheck;

GPtrArray *assay_board_list_places (const char *chosen) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_board_list (void) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_board_check (const char *name, guint seconds, const AssayProgress *progress,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
