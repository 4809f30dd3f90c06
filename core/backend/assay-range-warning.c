/* assay-range-warning.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-range-warning.h"

/**
 * assay_range_kind_name:
 * @kind: what is lost
 *
 * Gets a sentence for a kind of loss, to follow the name of the node.
 *
 * Returns: (transfer none): the words
 */
const char *
assay_range_kind_name (AssayRangeKind kind)
{
  static const char *const names[] = {
    [ASSAY_RANGE_WEIGHTS_OVERFLOW] = "weights overflow",
    [ASSAY_RANGE_WEIGHTS_VANISH] = "weights vanish",
    [ASSAY_RANGE_OVERFLOWS] = "result may overflow",
    [ASSAY_RANGE_VANISHES] = "result vanishes",
  };

  return names[kind];
}
