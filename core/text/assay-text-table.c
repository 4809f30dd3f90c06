/* assay-text-table.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-text-table.h"

static void
pad (GString *text, guint n)
{
  for (; n > 0; n--)
    g_string_append_c (text, ' ');
}

/**
 * assay_text_table_init:
 * @self: (out caller-allocates): the table
 * @n_columns: number of columns
 * @max_width: widest column that alignment may ask for
 *
 * Makes an empty table.
 */
void
assay_text_table_init (AssayTextTable *self, guint n_columns, guint max_width)
{
  g_assert (n_columns <= ASSAY_TEXT_TABLE_MAX_COLUMNS);

  *self = (AssayTextTable){
    .n_columns = n_columns,
    .max_width = max_width,
    .cells = g_ptr_array_new (),
    .styles = g_byte_array_new (),
    .taken = g_ptr_array_new_with_free_func (g_free),
  };
}

/**
 * assay_text_table_clear:
 * @self: a table
 *
 * Frees what the table holds.
 */
void
assay_text_table_clear (AssayTextTable *self)
{
  g_clear_pointer (&self->cells, g_ptr_array_unref);
  g_clear_pointer (&self->styles, g_byte_array_unref);
  g_clear_pointer (&self->taken, g_ptr_array_unref);
}

/**
 * assay_text_table_set_right:
 * @self: a table
 * @column: a column
 *
 * Aligns a column to the right, as numbers want it.
 */
void
assay_text_table_set_right (AssayTextTable *self, guint column)
{
  self->right_aligned |= 1u << column;
}

/**
 * assay_text_table_add:
 * @self: a table
 * @cell: (nullable): text that outlives the table; %NULL is an empty cell
 * @style: how it looks
 *
 * Adds a cell at the end of the last row, or the first cell of a new row.
 */
void
assay_text_table_add (AssayTextTable *self, const char *cell, AssayTextStyle style)
{
  guint8 byte = (guint8) style;

  g_ptr_array_add (self->cells, (gpointer) (cell != NULL ? cell : ""));
  g_byte_array_append (self->styles, &byte, 1);
}

/**
 * assay_text_table_take:
 * @self: a table
 * @cell: (transfer full): text
 * @style: how it looks
 *
 * Adds a cell as assay_text_table_add() does, and frees it with the table.
 */
void
assay_text_table_take (AssayTextTable *self, char *cell, AssayTextStyle style)
{
  g_ptr_array_add (self->taken, cell);
  assay_text_table_add (self, cell, style);
}

/**
 * assay_text_table_take_fact:
 * @self: a table of two columns
 * @name: what the fact is called
 * @value: (transfer full): what it is
 *
 * Adds a row that tells one fact.
 */
void
assay_text_table_take_fact (AssayTextTable *self, const char *name, char *value)
{
  assay_text_table_add (self, name, ASSAY_TEXT_STYLE_DIM);
  assay_text_table_take (self, value, ASSAY_TEXT_STYLE_PLAIN);
}

/**
 * assay_text_table_print:
 * @self: a table whose rows are complete
 * @text: gets the lines, indented by two columns
 * @colours: whether to write terminal sequences
 *
 * Prints the table.
 */
void
assay_text_table_print (AssayTextTable *self, GString *text, gboolean colours)
{
  guint widths[ASSAY_TEXT_TABLE_MAX_COLUMNS] = { 0 };

  for (guint i = 0; i < self->cells->len; i++)
    {
      guint width = assay_terminal_width (g_ptr_array_index (self->cells, i));
      guint *column = &widths[i % self->n_columns];

      if (width <= self->max_width)
        *column = MAX (*column, width);
    }

  for (guint i = 0; i < self->cells->len; i++)
    {
      const char *cell = g_ptr_array_index (self->cells, i);
      guint column = i % self->n_columns;
      guint width = assay_terminal_width (cell);
      guint missing = widths[column] > width ? widths[column] - width : 0;
      gboolean right = (self->right_aligned >> column) & 1;

      if (column == 0)
        g_string_append (text, "  ");
      if (right)
        pad (text, missing);
      assay_terminal_append_styled (text, cell, self->styles->data[i], colours);
      if (column + 1 < self->n_columns)
        {
          pad (text, (right ? 0 : missing) + 2);
          continue;
        }
      while (text->len > 0 && text->str[text->len - 1] == ' ')
        g_string_truncate (text, text->len - 1);
      g_string_append_c (text, '\n');
    }
}
