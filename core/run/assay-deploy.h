/* assay-deploy.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/board/assay-board.h"

G_BEGIN_DECLS

/**
 * AssayDeployment:
 * @board: name of the board
 * @label: what a person calls it; latencies of this computer are never called a board's
 * @info: what the agent said about itself
 * @n_bytes: bytes of the program
 * @n_runs: number of inferences
 * @latencies: (array length=n_runs): nanoseconds of each, ascending
 * @n_values: values of all outputs that were compared with the machine
 * @n_different: how many of them have other bits; 0 means bit-exact
 *
 * What came of deploying a program.
 */
typedef struct
{
  char *board;
  char *label;
  AssayBoardInfo info;
  gsize n_bytes;
  guint n_runs;
  gint64 *latencies;
  gsize n_values;
  gsize n_different;
} AssayDeployment;

AssayDeployment *assay_deploy (AssayProgram *program, guint model, const char *board, guint n_runs,
                               guint budget_ms, guint64 seed, guint seconds,
                               const AssayProgress *progress,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_deployment_free (AssayDeployment *self);
gint64 assay_deployment_get_percentile (const AssayDeployment *self, guint percent);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDeployment, assay_deployment_free)

G_END_DECLS
