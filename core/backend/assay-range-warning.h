/* assay-range-warning.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayRangeKind:
 * @ASSAY_RANGE_WEIGHTS_OVERFLOW: weights are too large for the type that the weight store holds
 * @ASSAY_RANGE_WEIGHTS_VANISH: weights other than zero become zero
 * @ASSAY_RANGE_OVERFLOWS: a result may be too large for bf16
 * @ASSAY_RANGE_VANISHES: a result becomes zero whatever the input is
 *
 * What is lost.
 */
typedef enum
{
  ASSAY_RANGE_WEIGHTS_OVERFLOW,
  ASSAY_RANGE_WEIGHTS_VANISH,
  ASSAY_RANGE_OVERFLOWS,
  ASSAY_RANGE_VANISHES,
} AssayRangeKind;

/**
 * AssayRangeWarning:
 * @kind: what is lost
 * @node: the node
 * @model: which model it is part of
 * @count: how many weights; 0 for results
 * @largest: the largest magnitude
 *
 * Values that a program may lose.
 */
typedef struct
{
  AssayRangeKind kind;
  guint32 node;
  guint32 model;
  guint32 count;
  double largest;
} AssayRangeWarning;

const char *assay_range_kind_name (AssayRangeKind kind);

G_END_DECLS
