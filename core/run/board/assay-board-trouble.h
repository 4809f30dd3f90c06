/* assay-board-trouble.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"

G_BEGIN_DECLS

/**
 * AssayBoardStep:
 *
 * What has to be in order for a board to be used, in the order in which it is found out.
 */
typedef enum
{
  ASSAY_BOARD_STEP_REACHABLE,
  ASSAY_BOARD_STEP_HOST_KEY,
  ASSAY_BOARD_STEP_LOGIN,
  ASSAY_BOARD_STEP_AGENT,
  ASSAY_BOARD_N_STEPS
} AssayBoardStep;

/**
 * AssayBoardTrouble:
 * @step: what is not in order
 * @message: (transfer full): what is wrong, in one sentence
 * @remedy: (transfer full): what to do about it
 * @command: (nullable) (transfer full): the command that does it, to be copied
 * @installs: whether assay_board_install() does the same
 *
 * Why a board cannot be used.
 */
typedef struct
{
  AssayBoardStep step;
  char *message;
  char *remedy;
  char *command;
  gboolean installs;
} AssayBoardTrouble;

const char *assay_board_step_name (AssayBoardStep step);
gboolean assay_board_is_unreachable (int wait_status);
AssayBoardTrouble *assay_board_trouble_find (const char *name, int wait_status, const char *said,
                                             const GError *cause) G_GNUC_WARN_UNUSED_RESULT;
AssayBoardTrouble *assay_board_trouble_new_version (const char *name,
                                                    const char *message) G_GNUC_WARN_UNUSED_RESULT;
void assay_board_trouble_free (AssayBoardTrouble *self);
void assay_board_trouble_to_error (const AssayBoardTrouble *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBoardTrouble, assay_board_trouble_free)

G_END_DECLS
