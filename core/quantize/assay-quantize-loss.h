/* assay-quantize-loss.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayQuantizeLoss:
 * @position: where the value is
 * @own_db: SQNR against float of the value if all that goes into its operation is as in float
 * @total_db: SQNR against float of the value as it is, with what came in
 * @has_gain: whether the gains were measured
 * @float_db: by how much the SQNR of the outputs grows if the value is left in float
 * @other: the neighbouring position with which the outputs are best, @position if none is better
 * @other_db: by how much their SQNR grows with it
 *
 * What 8 bits cost one operation, against the model in float.
 */
typedef struct
{
  int position;
  double own_db;
  double total_db;
  gboolean has_gain;
  double float_db;
  int other;
  double other_db;
} AssayQuantizeLoss;

G_END_DECLS
