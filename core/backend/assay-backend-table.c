/* assay-backend-table.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table alone, so that the tests can put one with another row in its place.
 */
#include "backend/assay-backend.h"

#define ASSAY_BACKEND(name) &assay_backend_##name.check,
const AssayCheckClass *const assay_check_classes[] = {
#include "backend/backends.def"
  NULL,
};
#undef ASSAY_BACKEND
