/* assay-activity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "base/assay-job.h"

G_BEGIN_DECLS

/**
 * AssayActivityState:
 * @ASSAY_ACTIVITY_NONE: there is nothing
 * @ASSAY_ACTIVITY_RUNNING: it is under way
 * @ASSAY_ACTIVITY_READY: there are results of what the session has as it is
 * @ASSAY_ACTIVITY_FAILED: it did not end; the error says why
 * @ASSAY_ACTIVITY_STALE: what they were made of changed since
 *
 * What there is of an activity.
 */
typedef enum
{
  ASSAY_ACTIVITY_NONE,
  ASSAY_ACTIVITY_RUNNING,
  ASSAY_ACTIVITY_READY,
  ASSAY_ACTIVITY_FAILED,
  ASSAY_ACTIVITY_STALE,
} AssayActivityState;

#define ASSAY_TYPE_ACTIVITY_STATE (assay_activity_state_get_type ())
GType assay_activity_state_get_type (void) G_GNUC_CONST;

/**
 * AssayActivity:
 *
 * Long work of a session, off the main context: compiling, running, comparing, deploying.
 */
#define ASSAY_TYPE_ACTIVITY (assay_activity_get_type ())

G_DECLARE_DERIVABLE_TYPE (AssayActivity, assay_activity, ASSAY, ACTIVITY, GObject)

/**
 * AssayActivityClass:
 * @work: does what a request asks for; called in a thread, which has the request to itself
 * @request_free: frees a request
 * @ended: (nullable): nothing is under way any more, whatever came of it
 * @outdated: (nullable): what was asked for is not what will be wanted
 * @cancelled: (nullable): the user stops what is under way
 * @take: takes the results out of a request that ended, well or with an error
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
  void (*outdated) (AssayActivity *self);
  void (*cancelled) (AssayActivity *self);
  void (*take) (AssayActivity *self, gpointer request, const GError *error);
  gboolean (*has_results) (AssayActivity *self);
  void (*clear) (AssayActivity *self);
};

AssayActivityState assay_activity_get_state (AssayActivity *self);
const GError *assay_activity_get_error (AssayActivity *self);
AssayJob *assay_activity_get_job (AssayActivity *self);
void assay_activity_cancel (AssayActivity *self);

G_END_DECLS
