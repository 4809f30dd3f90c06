/* assay-vectors-base.c
 * SPDX-License-Identifier: Apache-2.0
 */
#define LEVEL_NAME "base"
#define LEVEL_SYMBOL assay_vectors_base
#define LANES 4

#include "evaluate/vectors/assay-vectors-body.h"
