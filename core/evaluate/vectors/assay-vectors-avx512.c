/* assay-vectors-avx512.c
 * SPDX-License-Identifier: Apache-2.0
 */
#define LEVEL_NAME "avx512"
#define LEVEL_SYMBOL assay_vectors_avx512
#define LANES 16

#include "evaluate/vectors/assay-vectors-body.h"
