/* fuzz-dot-block.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "layout/assay-dot-block.h"

#include "fuzz.h"

/* What the layout helper is told: whatever reads as a block lies inside the bytes it was read
 * from. */
FUZZ_TARGET (dot_block)
{
  g_autofree guint32 *words = g_new0 (guint32, size / 4 + 1);
  AssayDotBlock block;
  const guint8 *end = (const guint8 *) words + size;

  memcpy (words, data, size);
  if (!assay_dot_block_read (&block, words, size))
    return 0;
  fuzz_n_taken++;

  g_assert ((const guint8 *) (block.vertices + block.n_vertices) <= end);
  g_assert ((const guint8 *) (block.edges + block.n_edges) <= end);
  g_assert ((const guint8 *) (block.groups + block.n_groups) <= end);
  g_assert ((const guint8 *) (block.bottom + block.n_bottom) <= end);

  return 0;
}
