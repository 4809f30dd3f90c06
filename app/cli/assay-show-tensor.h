/* assay-show-tensor.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

AssayExit assay_show_tensor (AssayCli *cli, AssayGraph *graph, AssayFindings *findings,
                             const char *name);

G_END_DECLS
