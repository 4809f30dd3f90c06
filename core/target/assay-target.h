/* assay-target.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <json-glib/json-glib.h>

#include "base/assay-finding.h"
#include "base/assay-progress.h"
#include "nnir/pass/assay-forms.h"
#include "settings/assay-settings.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayTarget:
 *
 * An accelerator: what it is and the rules that give each node its verdict, read from a target
 * file. Immutable.
 */
typedef struct _AssayTarget AssayTarget;

#define ASSAY_TYPE_TARGET (assay_target_get_type ())

GType assay_target_get_type (void) G_GNUC_CONST;
char **assay_target_list (void) G_GNUC_WARN_UNUSED_RESULT;
AssayTarget *assay_target_load (const char *id_or_path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTarget *assay_target_load_bytes (GBytes *bytes, const char *name, AssayFindings *findings,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTarget *assay_target_ref (AssayTarget *self);
void assay_target_unref (AssayTarget *self);
const char *assay_target_get_id (AssayTarget *self);
const char *assay_target_get_title (AssayTarget *self);
const char *assay_target_get_summary (AssayTarget *self);
const char *assay_target_get_family (AssayTarget *self);
gboolean assay_target_has_option (AssayTarget *self, const char *setting);
gboolean assay_target_get_config_int (AssayTarget *self, const char *field, gint64 *value);
gboolean assay_target_is_estimated (AssayTarget *self, const char *field);
JsonObject *assay_target_get_json (AssayTarget *self);
AssayVerdicts *assay_target_check (AssayTarget *self, AssayForms *model,
                                   const AssaySettings *settings, const AssayProgress *progress,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTarget, assay_target_unref)

G_END_DECLS
