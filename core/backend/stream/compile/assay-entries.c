/* assay-entries.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/assay-bf16.h"

typedef struct
{
  guint32 core;
  guint32 a;
  guint32 b;
} Entry;

static int
compare_entries (gconstpointer left, gconstpointer right)
{
  const Entry *a = left;
  const Entry *b = right;

  if (a->core != b->core)
    return a->core < b->core ? -1 : 1;
  if (a->a != b->a)
    return a->a < b->a ? -1 : 1;

  return a->b < b->b ? -1 : a->b > b->b;
}

/* How many different ones there are on every core; nothing if all of them together are no more than
 * enough. */
static gboolean
count_different (GArray *entries, guint32 enough, guint32 *counts)
{
  if (entries->len <= enough)
    return FALSE;

  memset (counts, 0, ASSAY_MAX_CORES * sizeof *counts);
  g_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);

      if (i == 0 || compare_entries (entry, entry - 1) != 0)
        counts[entry->core]++;
    }

  return TRUE;
}

/**
 * assay_stream_code_count_clamps:
 * @code: a program
 * @enough: a number of entries
 * @counts: (out caller-allocates) (array fixed-size=64): entries per core
 *
 * Counts the different pairs of bounds on every core.
 *
 * Returns: %FALSE, without counts, if it is clear without counting that no core has more than
 * @enough
 */
gboolean
assay_stream_code_count_clamps (const AssayStreamCode *code, guint32 enough, guint32 *counts)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);
      Entry entry = { instruction->core, assay_f32_bits (instruction->low.bound),
                      assay_f32_bits (instruction->high.bound) };

      if (assay_instruction_bounds (instruction))
        g_array_append_val (entries, entry);
    }

  return count_different (entries, enough, counts);
}

/**
 * assay_stream_code_count_descriptors:
 * @code: a program
 * @enough: a number of entries
 * @counts: (out caller-allocates) (array fixed-size=64): entries per core
 *
 * Counts the tensor descriptors of every core: places in tensor RAM with base and length. Tensors
 * that take the same place one after another share one.
 *
 * Returns: %FALSE, without counts, if it is clear without counting that no core has more than
 * @enough
 */
gboolean
assay_stream_code_count_descriptors (const AssayStreamCode *code, guint32 enough, guint32 *counts)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  for (guint i = 0; i < code->plan->len; i++)
    {
      const AssayPlanned *planned = &g_array_index (code->plan, AssayPlanned, i);
      Entry entry = { planned->core, planned->base, planned->blocks };

      if (planned->store == ASSAY_STORE_TENSOR)
        g_array_append_val (entries, entry);
    }

  return count_different (entries, enough, counts);
}
