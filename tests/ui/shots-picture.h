/* shots-picture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui-fixture.h"

G_BEGIN_DECLS

void shots_save (AssayWindow *window, const char *path);

G_END_DECLS
