/* look-checks.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui-fixture.h"

G_BEGIN_DECLS

GPtrArray *look_check (AssayWindow *window) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
