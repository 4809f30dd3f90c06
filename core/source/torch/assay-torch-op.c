/* assay-torch-op.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/torch/assay-torch-op.h"

static const AssayTorchOpInfo infos[] = {
#define VALUE ASSAY_TORCH_OP_VALUE
#define VIEW ASSAY_TORCH_OP_VIEW
#define IN_PLACE ASSAY_TORCH_OP_IN_PLACE
#define COMPOSITE ASSAY_TORCH_OP_COMPOSITE
#define TORCH_OP(name, operands, results, traits) { name, operands, results, traits },
#include "source/torch/torch-ops.def"
#undef TORCH_OP
#undef COMPOSITE
#undef IN_PLACE
#undef VIEW
#undef VALUE
};

static GHashTable *
new_table (void)
{
  GHashTable *table = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < G_N_ELEMENTS (infos); i++)
    g_hash_table_insert (table, (gpointer) infos[i].name, (gpointer) &infos[i]);

  return table;
}

/**
 * assay_torch_op_info_find:
 * @name: name of an operation
 *
 * Looks for what the dialect says of an operation.
 *
 * Returns: (nullable): its row, %NULL if the dialect has no such operation
 */
const AssayTorchOpInfo *
assay_torch_op_info_find (const char *name)
{
  static gsize table;

  if (g_once_init_enter (&table))
    g_once_init_leave (&table, (gsize) new_table ());

  return g_hash_table_lookup ((GHashTable *) table, name);
}
