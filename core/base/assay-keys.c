/* assay-keys.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-keys.h"

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/**
 * assay_list_keys:
 * @table: (nullable) (element-type utf8 gpointer): a table of strings
 *
 * Lists the keys of a table, sorted, so that what is made of them does not depend on chance.
 *
 * Returns: (transfer full) (array zero-terminated=1): the keys
 */
char **
assay_list_keys (GHashTable *table)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (keys, g_strdup (key));
  g_ptr_array_sort (keys, compare_names);
  g_ptr_array_add (keys, NULL);

  return (char **) g_ptr_array_free (g_steal_pointer (&keys), FALSE);
}
