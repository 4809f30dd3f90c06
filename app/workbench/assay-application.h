/* assay-application.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * AssayApplication:
 *
 * The program: windows, command line, keys, About.
 */
#define ASSAY_TYPE_APPLICATION (assay_application_get_type ())

G_DECLARE_FINAL_TYPE (AssayApplication, assay_application, ASSAY, APPLICATION, AdwApplication)

AssayApplication *assay_application_new (void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
