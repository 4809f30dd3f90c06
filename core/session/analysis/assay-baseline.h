/* assay-baseline.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _AssaySession AssaySession;

/**
 * AssayBaseline:
 *
 * Results that were pinned, so that every later one is seen as a change from them.
 */
#define ASSAY_TYPE_BASELINE (assay_baseline_get_type ())

G_DECLARE_FINAL_TYPE (AssayBaseline, assay_baseline, ASSAY, BASELINE, GObject)

AssayBaseline *assay_baseline_new (AssaySession *session) G_GNUC_WARN_UNUSED_RESULT;
void assay_baseline_pin (AssayBaseline *self);
void assay_baseline_clear (AssayBaseline *self);
gboolean assay_baseline_is_pinned (AssayBaseline *self);
gint64 assay_baseline_get_peak (AssayBaseline *self);
gint64 assay_baseline_get_cycles (AssayBaseline *self);
double assay_baseline_get_error (AssayBaseline *self);
gint64 assay_baseline_get_refused (AssayBaseline *self);

G_END_DECLS
