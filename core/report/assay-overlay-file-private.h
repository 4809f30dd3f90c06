/* assay-overlay-file-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/assay-overlay-file.h"

G_BEGIN_DECLS

gboolean assay_overlay_file_read_csv (AssayOverlayFile *self, const char *text, const char *name,
                                      GError **error);
gboolean assay_overlay_file_read_json (AssayOverlayFile *self, GBytes *bytes, const char *name,
                                       GError **error);
void assay_overlay_file_add (AssayOverlayFile *self, const char *name, double value,
                             const char *word);

G_END_DECLS
