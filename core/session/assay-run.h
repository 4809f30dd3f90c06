/* assay-run.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "session/assay-feed.h"
#include "session/assay-result-item.h"

G_BEGIN_DECLS

/**
 * AssayRunState:
 * @ASSAY_RUN_NONE: nothing ran yet
 * @ASSAY_RUN_RUNNING: a run is under way
 * @ASSAY_RUN_READY: there are results of the program and inputs as they are
 * @ASSAY_RUN_FAILED: the run did not end; the error says why
 * @ASSAY_RUN_STALE: program or inputs changed since the results were made
 *
 * What there is of a run.
 */
typedef enum
{
  ASSAY_RUN_NONE,
  ASSAY_RUN_RUNNING,
  ASSAY_RUN_READY,
  ASSAY_RUN_FAILED,
  ASSAY_RUN_STALE,
} AssayRunState;

#define ASSAY_TYPE_RUN_STATE (assay_run_state_get_type ())
GType assay_run_state_get_type (void) G_GNUC_CONST;

/**
 * AssayRun:
 *
 * Running the program of a session once on one runner, off the main context: what goes in, and what came out.
 */
#define ASSAY_TYPE_RUN (assay_run_get_type ())

G_DECLARE_FINAL_TYPE (AssayRun, assay_run, ASSAY, RUN, GObject)

AssayRunState    assay_run_get_state    (AssayRun        *self);
gboolean         assay_run_can_start    (AssayRun        *self);
void             assay_run_start        (AssayRun        *self);
void             assay_run_cancel       (AssayRun        *self);
const char      *assay_run_get_runner   (AssayRun        *self);
void             assay_run_set_runner   (AssayRun        *self,
                                         const char      *runner);
const AssayFeed *assay_run_get_feed     (AssayRun        *self);
void             assay_run_set_feed     (AssayRun        *self,
                                         const AssayFeed *feed);
GArray          *assay_run_list_inputs  (AssayRun        *self) G_GNUC_WARN_UNUSED_RESULT;
const GError    *assay_run_get_error    (AssayRun        *self);
GListModel      *assay_run_get_results  (AssayRun        *self);
const char      *assay_run_get_title    (AssayRun        *self);
guint            assay_run_get_n_steps  (AssayRun        *self);
double           assay_run_get_seconds  (AssayRun        *self);

G_END_DECLS
