/* assay-layout-families.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayFamily:
 * @ASSAY_FAMILY_RESIDUAL: residual blocks, some with a projection or a gate beside them
 * @ASSAY_FAMILY_TRANSFORMER: layers of a transformer, cut up as exporters do it
 * @ASSAY_FAMILY_SHARED: the same with three inputs that every layer reads
 * @ASSAY_FAMILY_LSTM: a recurrent network, unrolled over time
 * @ASSAY_FAMILY_UNET: levels downward and up again with skips between them
 *
 * Kinds of generated graphs that a layout is measured on.
 */
typedef enum
{
  ASSAY_FAMILY_RESIDUAL,
  ASSAY_FAMILY_TRANSFORMER,
  ASSAY_FAMILY_SHARED,
  ASSAY_FAMILY_LSTM,
  ASSAY_FAMILY_UNET,
} AssayFamily;

#define ASSAY_N_FAMILIES 5

const char *assay_family_name (AssayFamily family);
AssayVerdicts *assay_family_new (AssayFamily family, guint n_nodes, guint32 seed);

G_END_DECLS
