/* assay-activity-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/activity/assay-activity.h"
#include "session/assay-session.h"

G_BEGIN_DECLS

AssaySession *assay_activity_get_session (AssayActivity *self);
void assay_activity_stop (AssayActivity *self);
void assay_activity_start (AssayActivity *self, const char *title, gpointer request);
void assay_activity_restore (AssayActivity *self);
void assay_activity_reset (AssayActivity *self);
void assay_activity_settle (AssayActivity *self);
void assay_activity_outdate (AssayActivity *self);

G_END_DECLS
