/* assay-vectors-avx2.c
 * SPDX-License-Identifier: Apache-2.0
 */
#define LEVEL_NAME "avx2"
#define LEVEL_SYMBOL assay_vectors_avx2
#define LANES 8

#include "evaluate/vectors/assay-vectors-body.h"
