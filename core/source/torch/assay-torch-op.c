/* assay-torch-op.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/torch/assay-torch-op.h"

#include <string.h>

static const AssayTorchOpInfo infos[] = {
#define VALUE ASSAY_TORCH_OP_VALUE
#define VIEW ASSAY_TORCH_OP_VIEW
#define IN_PLACE ASSAY_TORCH_OP_IN_PLACE
#define COMPOSITE ASSAY_TORCH_OP_COMPOSITE
#define TORCH_OP(name, operands, results, traits, signature)                                       \
  { name, operands, results, traits, signature },
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

/**
 * assay_torch_op_info_find_value_form:
 * @name: name of an operation
 *
 * Looks for what does the same as one that writes in place: `torch.aten.add_.Tensor` is
 * `torch.aten.add.Tensor`.
 *
 * Returns: (nullable): its row, %NULL if it does not write in place or the dialect has no other
 */
const AssayTorchOpInfo *
assay_torch_op_info_find_value_form (const char *name)
{
  static const char *const dialects[] = { "torch.aten.", "torch.valsem.aten." };
  const char *own = g_str_has_prefix (name, dialects[0]) ? name + strlen (dialects[0]) : NULL;
  gsize length = own != NULL ? strcspn (own, ".") : 0;

  if (length < 2 || own[length - 1] != '_' || own[length - 2] == '_')
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (dialects); i++)
    {
      g_autofree char *form = g_strdup_printf ("%s%.*s%s", dialects[i], (int) length - 1, own,
                                               own + length);
      const AssayTorchOpInfo *info = assay_torch_op_info_find (form);

      if (info != NULL && (info->traits & ASSAY_TORCH_OP_VALUE) != 0 && info->n_results == 1)
        return info;
    }

  return NULL;
}
