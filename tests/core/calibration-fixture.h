/* calibration-fixture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "calibration-models.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

AssayGraph *calibration_open (const char *model, const char *size,
                              int *axis) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
