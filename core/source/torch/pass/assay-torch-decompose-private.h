/* assay-torch-decompose-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayTorchDecomposition:
 * @name: of a composite
 * @operands: what its operands are called, or have to be
 * @steps: what it is made of
 *
 * How a composite is taken apart: a row of `torch-decompositions.def`.
 */
typedef struct
{
  const char *name;
  const char *operands;
  const char *steps;
} AssayTorchDecomposition;

const AssayTorchDecomposition *assay_torch_decomposition_get (guint index);

G_END_DECLS
