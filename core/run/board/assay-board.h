/* assay-board.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"
#include "run/board/assay-board-trouble.h"
#include "run/assay-frame.h"
#include "run/assay-run-sequence.h"

G_BEGIN_DECLS

/* The first graphics processor of this computer, as a place for programs. */
#define ASSAY_BOARD_DEVICE "vulkan"

#define ASSAY_BOARD_DIGEST 32
#define ASSAY_BOARD_MOST_STEPS 4096

/**
 * AssayBoardInfo:
 * @writer: program and version of the agent
 * @kernels: level of its kernels, such as `avx2`
 * @architecture: such as `aarch64`
 * @processors: how many it has
 */
typedef struct
{
  char *writer;
  char *kernels;
  char *architecture;
  guint processors;
} AssayBoardInfo;

/**
 * AssayBoard:
 *
 * A conversation with the agent `assay-board` on this computer or another one. It ends with the
 * object, and the agent with it.
 */
typedef struct _AssayBoard AssayBoard;

AssayBoard *assay_board_connect (const char *name, guint seconds, AssayBoardTrouble **trouble,
                                 const AssayProgress *progress,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_board_free (AssayBoard *self);
void assay_board_set_deadline (AssayBoard *self, guint seconds);
const AssayBoardInfo *assay_board_get_info (const AssayBoard *self);
gboolean assay_board_put (AssayBoard *self, AssayProgram *program, gsize *n_bytes,
                          const AssayProgress *progress, GError **error);
gboolean assay_board_run (AssayBoard *self, guint model, AssayRunSequence *sequence,
                          GArray *latencies, const AssayProgress *progress, GError **error);
gboolean assay_board_is_device (const char *name);
gboolean assay_board_name_check (const char *name, GError **error);
char *assay_board_dup_label (const char *name) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_board_is_local (const char *name);

void assay_board_digest (GBytes *bytes, guint8 *digest);
gboolean assay_board_send_values (const AssayFrameChannel *channel, guint step, guint port,
                                  const float *values, gsize n, const AssayProgress *progress,
                                  GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBoard, assay_board_free)

G_END_DECLS
