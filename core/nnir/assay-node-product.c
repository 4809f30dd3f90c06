/* assay-node-product.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-node-product.h"

/**
 * assay_node_get_product:
 * @node: a product of matrices
 *
 * Reads how a node multiplies. Linear has its weight as input 1 on either side; what has neither
 * factors nor transposes is a MatMul.
 *
 * Returns: the product
 */
AssayNodeProduct
assay_node_get_product (const AssayNode *node)
{
  AssayNodeProduct product = { { 0, 1 }, { FALSE, FALSE }, 1, 1 };

  if (node->op == ASSAY_OP_Gemm)
    {
      product.transposed[0] = assay_node_get_int (node, "transA") != 0;
      product.transposed[1] = assay_node_get_int (node, "transB") != 0;
    }
  else if (node->op == ASSAY_OP_Linear)
    {
      guint side = g_str_equal (assay_node_get_string (node, "side"), "left") ? 0 : 1;

      product.inputs[side] = 1;
      product.inputs[1 - side] = 0;
      product.transposed[side] = assay_node_get_int (node, "transpose_weight") != 0;
    }

  if (node->op == ASSAY_OP_Gemm || node->op == ASSAY_OP_Linear)
    {
      product.alpha = assay_node_get_float (node, "alpha");
      product.beta = assay_node_get_float (node, "beta");
    }

  return product;
}

/**
 * assay_node_product_contracted:
 * @product: a product
 * @side: 0 for the left factor, 1 for the right one
 * @rank: number of dimensions of that factor, at least 1
 *
 * Finds the axis of a factor that is summed over.
 *
 * Returns: the axis
 */
int
assay_node_product_contracted (const AssayNodeProduct *product, guint side, int rank)
{
  if (rank == 1)
    return 0;

  return (side == 0) != product->transposed[side] ? rank - 1 : rank - 2;
}
