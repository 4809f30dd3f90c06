/* assay-options-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-options.h"
#include "settings/assay-settings.h"

G_BEGIN_DECLS

AssaySettings *assay_options_ref_settings (AssayOptions *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_options_set_settings (AssayOptions *self, AssaySettings *settings);

G_END_DECLS
