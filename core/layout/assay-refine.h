/* assay-refine.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "layout/assay-view.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REFINER (assay_refiner_get_type ())

/**
 * AssayRefinerOptions:
 * @helper: (nullable): the program that lays out blocks, %NULL for the one that belongs to this
 * program
 * @memory_mib: how much memory it may take, in MiB
 * @block_seconds: how long it may take for one block
 * @total_seconds: how long it may take for one view; what is not done by then stays as it is
 */
typedef struct
{
  const char *helper;
  guint memory_mib;
  guint block_seconds;
  guint total_seconds;
} AssayRefinerOptions;

/**
 * AssayRefineReport:
 * @n_blocks: blocks that the view was cut into
 * @n_forced: cuts by force
 * @n_chains: blocks in which nothing stands beside anything
 * @n_sent: blocks that dot laid out, or was asked to
 * @n_equal: blocks that equal one of those or an earlier one
 * @n_taken: blocks that stand now as dot laid them out
 * @n_crossed: blocks that would have got more crossings and stay as they were
 * @n_failed: blocks that dot did not lay out
 * @n_restarts: how often the helper had to be started anew
 * @trouble: (nullable): what was wrong with the helper
 *
 * What a refinement did.
 */
typedef struct
{
  guint n_blocks;
  guint n_forced;
  guint n_chains;
  guint n_sent;
  guint n_equal;
  guint n_taken;
  guint n_crossed;
  guint n_failed;
  guint n_restarts;
  char *trouble;
} AssayRefineReport;

/**
 * AssayRefiner:
 *
 * Lays views out again, block by block, with dot in a helper process. Blocks that were laid out
 * once are remembered. A newer request takes the place of the one before it.
 */
G_DECLARE_FINAL_TYPE (AssayRefiner, assay_refiner, ASSAY, REFINER, GObject)

AssayRefiner *assay_refiner_new (const AssayRefinerOptions *options) G_GNUC_WARN_UNUSED_RESULT;
AssayView *assay_refiner_refine (AssayRefiner *self, AssayView *view, GCancellable *cancellable,
                                 AssayRefineReport *report,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_refiner_refine_async (AssayRefiner *self, AssayView *view, GAsyncReadyCallback callback,
                                 gpointer user_data);
AssayView *assay_refiner_refine_finish (AssayRefiner *self, GAsyncResult *result,
                                        AssayRefineReport *report,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_refiner_cancel (AssayRefiner *self);
char *assay_refine_report_dup_text (const AssayRefineReport *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_refine_report_clear (AssayRefineReport *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayRefineReport, assay_refine_report_clear)

G_END_DECLS
