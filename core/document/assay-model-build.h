/* assay-model-build.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-work.h"

G_BEGIN_DECLS

AssayWork *assay_work_for_document (AssayWork *model, AssayTarget *target,
                                    AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
