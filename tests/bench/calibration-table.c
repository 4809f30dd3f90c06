/* calibration-table.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "calibration-table.h"

#include "base/assay-error.h"

/* The columns that a table of cycle counts, or of latencies, must have, in any order among others.
 */
static const char *const columns[2][5] = {
  { "model", "size", "config", "spaced", "contiguous" },
  { "model", "shape", "config", "mean_us", NULL },
};

static gboolean
find_columns (const char *line, const char *const *names, guint *at)
{
  g_auto (GStrv) cells = g_strsplit (line, "\t", -1);

  for (guint i = 0; i < G_N_ELEMENTS (columns[0]) && names[i] != NULL; i++)
    {
      for (at[i] = 0; cells[at[i]] != NULL && !g_str_equal (cells[at[i]], names[i]); at[i]++)
        ;
      if (cells[at[i]] == NULL)
        return FALSE;
    }

  return TRUE;
}

static void
row_clear (gpointer row)
{
  CalibrationRow *self = row;

  g_strfreev (self->cells);
  g_free (self->file);
}

static char *
file_name (const CalibrationRow *row)
{
  g_autofree char *name = g_strdup_printf ("%s-%s", row->model, row->size);
  GString *file = g_string_new (NULL);

  for (const char *c = name; *c != 0; c++)
    {
      if (g_ascii_isalnum (*c))
        g_string_append_c (file, *c);
      else if (file->len > 0 && file->str[file->len - 1] != '-')
        g_string_append_c (file, '-');
    }
  g_string_append (file, ".onnx");

  return g_string_free (file, FALSE);
}

/**
 * calibration_table_read:
 * @path: a table, columns divided by tabulators, their names in the first line
 * @error: return location for a #GError
 *
 * Reads a table of published cycle counts or latencies.
 *
 * Returns: (transfer full) (nullable): the table
 */
CalibrationTable *
calibration_table_read (const char *path, GError **error)
{
  g_autoptr (CalibrationTable) self = g_new0 (CalibrationTable, 1);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint at[5];
  guint n;

  self->rows = g_array_new (FALSE, TRUE, sizeof (CalibrationRow));
  g_array_set_clear_func (self->rows, row_clear);
  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;

  lines = g_strsplit (text, "\n", -1);
  self->latencies = lines[0] != NULL && find_columns (lines[0], columns[1], at);
  if (!self->latencies && (lines[0] == NULL || !find_columns (lines[0], columns[0], at)))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: line 1 names neither the columns of cycle counts nor those of latencies",
                   path);
      return NULL;
    }

  n = self->latencies ? 4 : 5;
  for (guint i = 1; lines[i] != NULL; i++)
    {
      CalibrationRow row = { .cells = g_strsplit (lines[i], "\t", -1) };
      const char **fields[] = { &row.model, &row.size, &row.config, &row.figures[0],
                                &row.figures[1] };
      guint length = g_strv_length (row.cells);

      if (length < 2)
        {
          g_strfreev (row.cells);
          continue;
        }
      for (guint j = 0; j < n; j++)
        {
          if (at[j] >= length)
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: line %u has no %s", path,
                           i + 1, columns[self->latencies][j]);
              g_strfreev (row.cells);
              return NULL;
            }
          *fields[j] = row.cells[at[j]];
        }
      row.file = file_name (&row);
      g_array_append_val (self->rows, row);
    }

  return g_steal_pointer (&self);
}

/**
 * calibration_table_free:
 * @self: a table
 *
 * Frees a table.
 */
void
calibration_table_free (CalibrationTable *self)
{
  g_array_unref (self->rows);
  g_free (self);
}
