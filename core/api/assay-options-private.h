/* assay-options-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-options.h"
#include "settings/assay-settings.h"

G_BEGIN_DECLS

AssaySettings *assay_options_get_settings (AssayOptions *self);

G_END_DECLS
