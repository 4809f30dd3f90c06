/* assay-model-build.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-work.h"

G_BEGIN_DECLS

AssaySettings *assay_settings_for_model (AssaySettings *settings, AssayTarget *target,
                                         AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
AssayWork *assay_work_new_for_document (const char *path, AssayGraph *graph,
                                        AssayVerdicts *verdicts, AssayTarget *target,
                                        AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
