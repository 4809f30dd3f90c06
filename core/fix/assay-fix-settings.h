/* assay-fix-settings.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-build.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayFixSettings:
 *
 * How a model is checked and compiled, beside its graph: options of the target, data dimensions,
 * streaming axes, what the compiler is allowed. Fixes that leave the nodes alone change these.
 */
typedef struct _AssayFixSettings AssayFixSettings;

AssayFixSettings *assay_fix_settings_new (const AssayCheckOptions *check) G_GNUC_WARN_UNUSED_RESULT;
AssayFixSettings *assay_fix_settings_copy (const AssayFixSettings *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_settings_free (AssayFixSettings *self);
const AssayCheckOptions *assay_fix_settings_get_check (AssayFixSettings *self);
void assay_fix_settings_get_compile (AssayFixSettings *self, AssayCompileOptions *options);
void assay_fix_settings_set_option (AssayFixSettings *self, const char *name, const char *value);
void assay_fix_settings_set_data_dim (AssayFixSettings *self, const char *input, const char *axis);
void assay_fix_settings_set_stream (AssayFixSettings *self, guint input, int axis);
void assay_fix_settings_allow_dynamic_weights (AssayFixSettings *self);
void assay_fix_settings_add_fp32 (AssayFixSettings *self, const char *node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFixSettings, assay_fix_settings_free)

G_END_DECLS
