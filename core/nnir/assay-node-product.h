/* assay-node-product.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayNodeProduct:
 * @inputs: which inputs of the node are the left and the right factor
 * @transposed: whether the last two axes of the left and of the right factor are exchanged first
 * @alpha: what the product is multiplied with
 * @beta: what the bias is multiplied with
 *
 * What MatMul, Gemm and Linear multiply, with defaults in place.
 */
typedef struct
{
  guint inputs[2];
  gboolean transposed[2];
  double alpha;
  double beta;
} AssayNodeProduct;

AssayNodeProduct assay_node_get_product (const AssayNode *node);
int assay_node_product_contracted (const AssayNodeProduct *product, guint side, int rank);

G_END_DECLS
