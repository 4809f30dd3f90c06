/* assay-settings.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "settings/assay-capability.h"

G_BEGIN_DECLS

/**
 * AssaySettingKind:
 * @ASSAY_SETTING_KIND_FLAG: said or not
 * @ASSAY_SETTING_KIND_FLAG_OFF: a flag whose option says what is off; everywhere else it says what
 * is on
 * @ASSAY_SETTING_KIND_TEXT: one text
 * @ASSAY_SETTING_KIND_NAMES: names, or other words without spaces
 * @ASSAY_SETTING_KIND_NUMBERS: `NAME=NUMBER`; the name may hold a `=`
 * @ASSAY_SETTING_KIND_PAIRS: `NAME=VALUE`; the value may hold a `=`
 * @ASSAY_SETTING_KIND_SHAPES: sizes separated by commas, per main input; `?` for one that stays, ""
 * for the shape of the file
 * @ASSAY_SETTING_KIND_AXES: an axis or `none`, per main input
 *
 * What the value of a setting is.
 */
typedef enum
{
  ASSAY_SETTING_KIND_FLAG,
  ASSAY_SETTING_KIND_FLAG_OFF,
  ASSAY_SETTING_KIND_TEXT,
  ASSAY_SETTING_KIND_NAMES,
  ASSAY_SETTING_KIND_NUMBERS,
  ASSAY_SETTING_KIND_PAIRS,
  ASSAY_SETTING_KIND_SHAPES,
  ASSAY_SETTING_KIND_AXES,
} AssaySettingKind;

/**
 * AssayPipelineStages:
 * @ASSAY_PIPELINE_IMPORT: a file becomes a graph
 * @ASSAY_PIPELINE_CHECK: every node gets its verdict
 * @ASSAY_PIPELINE_BUILD: a graph becomes a program
 * @ASSAY_PIPELINE_NAME: the models of a program get their names
 * @ASSAY_PIPELINE_QUANTIZE: a graph gets positions
 * @ASSAY_PIPELINE_ALL: all of them
 *
 * What reads settings.
 */
typedef enum
{
  ASSAY_PIPELINE_IMPORT = 1 << 0,
  ASSAY_PIPELINE_CHECK = 1 << 1,
  ASSAY_PIPELINE_BUILD = 1 << 2,
  ASSAY_PIPELINE_NAME = 1 << 3,
  ASSAY_PIPELINE_QUANTIZE = 1 << 4,
  ASSAY_PIPELINE_ALL = (1 << 5) - 1,
} AssayPipelineStages;

/**
 * AssaySetting:
 *
 * A row of the table of settings, `settings.def`.
 */
typedef enum
{
#include "settings/setting-names.h"
  ASSAY_N_SETTINGS
} AssaySetting;

/**
 * AssaySettingInfo:
 * @kind: what its value is
 * @option: (nullable): its name on the command line
 * @stages: which stages read it
 * @needs: what a target has to be able to do for it
 * @metavar: (nullable): what stands behind the option
 * @json: (nullable): its member in session files
 * @change: what can stand behind `Undo`
 * @property: (nullable): its property of #AssayOptions
 * @title: (nullable): of its row in Setup
 * @subtitle: (nullable): what the row says below
 * @help: one line
 *
 * What the table says of a setting.
 */
typedef struct
{
  AssaySettingKind kind;
  const char *option;
  AssayPipelineStages stages;
  AssayCapability needs;
  const char *metavar;
  const char *json;
  const char *change;
  const char *property;
  const char *title;
  const char *subtitle;
  const char *help;
} AssaySettingInfo;

/**
 * AssaySettings:
 *
 * Everything a user fixes about a model, a target and a build. A value: whoever changes one gets a
 * changed copy, and who else holds the old one keeps it. Where settings are only read, %NULL stands
 * for those that change nothing.
 */
typedef struct _AssaySettings AssaySettings;

#define ASSAY_TYPE_SETTINGS (assay_settings_get_type ())

const AssaySettingInfo *assay_setting_get_info (AssaySetting setting);
const char *assay_setting_find_value (AssaySetting setting, const char *entry);

GType assay_settings_get_type (void) G_GNUC_CONST;
AssaySettings *assay_settings_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssaySettings *assay_settings_ref (AssaySettings *self);
void assay_settings_unref (AssaySettings *self);
gboolean assay_settings_equal (const AssaySettings *a, const AssaySettings *b);
gboolean assay_settings_equal_stage (const AssaySettings *a, const AssaySettings *b,
                                     AssayPipelineStages stages);
gboolean assay_settings_is_default (const AssaySettings *self);
char *assay_settings_describe_change (const AssaySettings *before,
                                      const AssaySettings *after) G_GNUC_WARN_UNUSED_RESULT;

const char *const *assay_settings_get_list (const AssaySettings *self, AssaySetting setting);
gboolean assay_settings_get_flag (const AssaySettings *self, AssaySetting setting);
char *assay_settings_dup_text (const AssaySettings *self,
                               AssaySetting setting) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_settings_get_entry (const AssaySettings *self, AssaySetting setting,
                                      const char *name);
gint64 assay_settings_get_number (const AssaySettings *self, AssaySetting setting,
                                  const char *name);
const char *assay_settings_get_shape (const AssaySettings *self, guint input);
int assay_settings_get_axis (const AssaySettings *self, guint input);
const int *assay_settings_get_axes (const AssaySettings *self, guint *n_axes);

void assay_settings_set_list (AssaySettings **self, AssaySetting setting,
                              const char *const *values);
void assay_settings_set_flag (AssaySettings **self, AssaySetting setting, gboolean value);
void assay_settings_set_text (AssaySettings **self, AssaySetting setting, const char *text);
void assay_settings_add_name (AssaySettings **self, AssaySetting setting, const char *name);
void assay_settings_set_entry (AssaySettings **self, AssaySetting setting, const char *name,
                               const char *value);
void assay_settings_set_number (AssaySettings **self, AssaySetting setting, const char *name,
                                gint64 value);
gboolean assay_settings_set_shape (AssaySettings **self, guint input, const char *shape,
                                   GError **error);
void assay_settings_set_axis (AssaySettings **self, guint input, int axis);
void assay_settings_set_axes (AssaySettings **self, const int *axes, guint n_axes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySettings, assay_settings_unref)

G_END_DECLS
