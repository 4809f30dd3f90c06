/* assay-board-install.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/board/assay-board.h"

G_BEGIN_DECLS

/* Where the agent is on a board, for people. */
#define ASSAY_BOARD_INSTALLED "~/.local/bin/assay-board"

/**
 * AssayBoardInstallation:
 * @machine: architecture of the board, such as `aarch64`
 * @file: the agent that was copied, on this computer
 * @digest: its SHA-256 in hexadecimal
 * @bytes: its size
 * @before: (nullable): version of the agent that was installed before
 * @copied: whether it was copied, rather than found there
 * @agent: version of the agent that answers
 *
 * An agent that was installed on a board.
 */
typedef struct
{
  char *machine;
  char *file;
  char *digest;
  gsize bytes;
  char *before;
  gboolean copied;
  char *agent;
} AssayBoardInstallation;

AssayBoardInstallation *assay_board_install (const char *name, const AssayProgress *progress,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_board_installation_free (AssayBoardInstallation *self);
gboolean assay_board_remove (const char *name, gboolean *removed, const AssayProgress *progress,
                             GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBoardInstallation, assay_board_installation_free)

G_END_DECLS
