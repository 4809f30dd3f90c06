/* assay-settings-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "settings/assay-settings.h"

G_BEGIN_DECLS

/**
 * AssaySettingsOptions:
 *
 * The options of a command line that are settings.
 */
typedef struct _AssaySettingsOptions AssaySettingsOptions;

AssaySettingsOptions *
assay_settings_options_new (AssayPipelineStages stages) G_GNUC_WARN_UNUSED_RESULT;
void assay_settings_options_free (AssaySettingsOptions *self);
const GOptionEntry *assay_settings_options_get_entries (const AssaySettingsOptions *self);
AssaySettings *assay_settings_options_read (const AssaySettingsOptions *self,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

char **assay_settings_to_arguments (const AssaySettings *self,
                                    AssayPipelineStages stages) G_GNUC_WARN_UNUSED_RESULT;
const AssaySettingInfo *assay_settings_find_misplaced (const AssaySettings *self,
                                                       guint capabilities);
void assay_settings_keep_capable (AssaySettings **self, guint capabilities);
void assay_settings_drop_parts (AssaySettings **self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySettingsOptions, assay_settings_options_free)

G_END_DECLS
