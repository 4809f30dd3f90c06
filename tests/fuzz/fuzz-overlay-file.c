/* fuzz-overlay-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <math.h>

#include "report/assay-overlay-file.h"

#include "fuzz.h"

/* Reads an overlay; what it says is whole, and what is wrong has a message. */
FUZZ_TARGET (overlay_file)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayOverlayFile) file = assay_overlay_file_parse (bytes, "fuzz", &error);
  g_autoptr (AssayOverlay) overlay = NULL;

  g_assert ((file == NULL) == (error != NULL));
  if (file == NULL)
    return 0;
  fuzz_n_taken++;

  g_assert (file->names->len > 0);
  g_assert (file->names->len == file->words->len + file->values->len);
  g_assert (file->words->len == 0 || file->values->len == 0);
  for (guint i = 0; i < file->values->len; i++)
    g_assert (isfinite (g_array_index (file->values, double, i)));

  /* As a graph of so many nodes would show it. */
  if (file->words->len > 0)
    overlay = assay_overlay_new_groups (file->title, (const char *const *) file->words->pdata,
                                        file->words->len);
  else
    overlay = assay_overlay_new_values (
        file->title, file->unit, (const double *) (gpointer) file->values->data, file->values->len);
  for (guint i = 0; i < file->names->len; i++)
    g_assert (overlay->step_of_node[i] <= overlay->labels->len);

  return 0;
}
