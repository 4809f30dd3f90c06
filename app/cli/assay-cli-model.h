/* assay-cli-model.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

AssayWork *assay_cli_open (AssayCli *self, AssayTarget *target,
                           AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;
AssayTarget *assay_cli_load_target (AssayCli *self, AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_cli_build (AssayCli *self, AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
