/* assay-activity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "base/assay-progress.h"

G_BEGIN_DECLS

/**
 * AssayRunState:
 * @ASSAY_RUN_NONE: nothing ran yet
 * @ASSAY_RUN_RUNNING: it is under way
 * @ASSAY_RUN_READY: there are results of the program and inputs as they are
 * @ASSAY_RUN_FAILED: it did not end; the error says why
 * @ASSAY_RUN_STALE: program or inputs changed since the results were made
 *
 * What there is of an activity.
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
 * AssayActivity:
 *
 * Long work of a session on what it has compiled, off the main context: running, comparing,
 * deploying.
 */
#define ASSAY_TYPE_ACTIVITY (assay_activity_get_type ())

G_DECLARE_DERIVABLE_TYPE (AssayActivity, assay_activity, ASSAY, ACTIVITY, GObject)

/**
 * AssayActivityClass:
 * @work: does what a request asks for; called in a thread, which has the request to itself
 * @request_free: frees a request
 * @ended: (nullable): nothing is under way any more, whatever came of it
 * @take: takes the results out of a request, or %NULL when there are none
 * @has_results: whether there are results, of now or of before
 * @clear: forgets the results
 *
 * What the activities differ in.
 */
struct _AssayActivityClass
{
  GObjectClass parent_class;

  gboolean (*work) (gpointer request, const AssayProgress *progress, GError **error);
  void (*request_free) (gpointer request);
  void (*ended) (AssayActivity *self);
  void (*take) (AssayActivity *self, gpointer request);
  gboolean (*has_results) (AssayActivity *self);
  void (*clear) (AssayActivity *self);
};

AssayRunState assay_activity_get_state (AssayActivity *self);
const GError *assay_activity_get_error (AssayActivity *self);
void assay_activity_cancel (AssayActivity *self);

G_END_DECLS
