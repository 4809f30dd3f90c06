/* assay-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_OPTIONS (assay_options_get_type ())

/**
 * AssayOptions:
 *
 * How a model is compiled; every property has the published default.
 */
G_DECLARE_FINAL_TYPE (AssayOptions, assay_options, ASSAY, OPTIONS, GObject)

AssayOptions *assay_options_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayOptions *assay_options_copy (AssayOptions *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
