/* assay-nearest.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-nearest.h"

#include <string.h>

static guint
edit_distance (const char *a, const char *b)
{
  gsize n = strlen (b);
  g_autofree guint *row = g_new (guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = (guint) j;
  for (gsize i = 0; a[i] != 0; i++)
    {
      guint diagonal = row[0];

      row[0] = (guint) i + 1;
      for (gsize j = 0; j < n; j++)
        {
          guint above = row[j + 1];
          guint change = diagonal + (g_ascii_tolower (a[i]) != g_ascii_tolower (b[j]));

          row[j + 1] = MIN (MIN (above, row[j]) + 1, change);
          diagonal = above;
        }
    }

  return row[n];
}

/**
 * assay_nearest_hint:
 * @name: a name that nothing has
 * @candidates: (array zero-terminated=1): names that there are
 *
 * Finds the name that was probably meant.
 *
 * Returns: (transfer full): a hint to append to a message, empty if no name is near
 */
char *
assay_nearest_hint (const char *name, const char *const *candidates)
{
  const char *best = NULL;
  guint best_distance = 0;

  for (guint i = 0; candidates[i] != NULL && strlen (name) < 100; i++)
    {
      guint distance = edit_distance (name, candidates[i]);

      if (distance <= 1 + strlen (candidates[i]) / 3 && (best == NULL || distance < best_distance))
        {
          best = candidates[i];
          best_distance = distance;
        }
    }

  return best != NULL ? g_strdup_printf ("; did you mean `%s`?", best) : g_strdup ("");
}
