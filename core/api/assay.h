/* assay.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-metrics-object.h"
#include "api/assay-nnir.h"
#include "api/assay-options.h"
#include "api/assay-program-builder.h"
#include "api/assay-program-object.h"
#include "api/assay-report-object.h"
#include "api/assay-vm.h"
#include "base/assay-error.h"
#include "base/assay-tensor.h"
#include "backend/assay-config.h"
