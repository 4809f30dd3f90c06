/* assay-output-form.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

extern const char *const assay_output_forms_report[];

char *assay_output_form_list (const char *const *forms) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_output_form_choose (const char *const *forms, const char *option, gboolean json,
                                   const char *path, char **form, GError **error);

G_END_DECLS
