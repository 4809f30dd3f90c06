/* look-checks.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui-fixture.h"

G_BEGIN_DECLS

#define LOOK_N_TABLES 8

GPtrArray *look_check (AssayWindow *window) G_GNUC_WARN_UNUSED_RESULT;
guint look_count_surfaces (void);
void look_note_tables (guint *seen, int width);
GPtrArray *look_check_tables (const guint *seen) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
