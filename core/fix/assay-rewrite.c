/* assay-rewrite.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-rewrite-private.h"

static const AssayRewriteRow rows[] = {
#define REWRITE(id, function, kind, keeps, title, doc)                                             \
  { id,                                                                                            \
    ASSAY_FIX_##kind,                                                                              \
    ASSAY_FIX_KEEPS_##keeps,                                                                       \
    title,                                                                                         \
    doc,                                                                                           \
    NULL,                                                                                          \
    assay_rewrite_propose_##function,                                                              \
    assay_rewrite_apply_##function },
#define REWRITE_TITLED(id, function, kind, keeps, title, doc)                                      \
  { id,                                                                                            \
    ASSAY_FIX_##kind,                                                                              \
    ASSAY_FIX_KEEPS_##keeps,                                                                       \
    title,                                                                                         \
    doc,                                                                                           \
    assay_rewrite_title_##function,                                                                \
    assay_rewrite_propose_##function,                                                              \
    assay_rewrite_apply_##function },
#include "fix/rewrites.def"
#undef REWRITE
#undef REWRITE_TITLED
};

/**
 * assay_rewrite_list:
 * @index: position in the table
 *
 * Gets a rewrite by its position, which is the order in which they are tried.
 *
 * Returns: (transfer none) (nullable): the row, %NULL past the end
 */
const AssayRewriteRow *
assay_rewrite_list (guint index)
{
  return index < G_N_ELEMENTS (rows) ? &rows[index] : NULL;
}

/**
 * assay_rewrite_find:
 * @id: id of a rewrite
 *
 * Finds a rewrite by its id.
 *
 * Returns: (transfer none) (nullable): the row
 */
const AssayRewriteRow *
assay_rewrite_find (const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (g_str_equal (rows[i].id, id))
        return &rows[i];
    }

  return NULL;
}
