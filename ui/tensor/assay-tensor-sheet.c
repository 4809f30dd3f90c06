/* assay-tensor-sheet.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/tensor/assay-tensor-sheet.h"

#include <math.h>

#include "base/assay-tensor-cell.h"
#include "evaluate/compare/assay-compare.h"

/* Characters of a cell per form, those of 64-bit types apart. */
#define VALUE_CHARS 12

typedef enum
{
  PAIR_A,
  PAIR_A_BITS,
  PAIR_B,
  PAIR_B_BITS,
  PAIR_DISTANCE, /* in bf16, or in the steps of both */
  PAIR_WIDE,     /* in fp32, where there are no steps */
  N_PAIR_COLUMNS
} PairColumn;

static const char *const pair_titles[N_PAIR_COLUMNS] = {
  [PAIR_A] = "A",           [PAIR_A_BITS] = "A Bits",     [PAIR_B] = "B",
  [PAIR_B_BITS] = "B Bits", [PAIR_DISTANCE] = "ULP bf16", [PAIR_WIDE] = "ULP fp32",
};

struct _AssayTensorLine
{
  GObject parent_instance;

  gsize row;
};

G_DEFINE_FINAL_TYPE (AssayTensorLine, assay_tensor_line, G_TYPE_OBJECT)

struct _AssayTensorSheet
{
  AssayRowList parent_instance;

  AssayTensorGrid *grid;
  AssayTensor *other;
  double step; /* of both, if it is known */
  AssayTensorForm form;
  double heat; /* value of the strongest colour, 0 for none */
  gsize first_row;
  gsize first_column;
};

G_DEFINE_FINAL_TYPE (AssayTensorSheet, assay_tensor_sheet, ASSAY_TYPE_ROW_LIST)

static void
assay_tensor_line_class_init (AssayTensorLineClass *klass)
{
}

static void
assay_tensor_line_init (AssayTensorLine *self)
{
}

gsize
assay_tensor_line_get_row (AssayTensorLine *self)
{
  return self->row;
}

static gpointer
make_row (AssayRowList *list, guint position)
{
  AssayTensorLine *line = g_object_new (ASSAY_TYPE_TENSOR_LINE, NULL);

  line->row = ASSAY_TENSOR_SHEET (list)->first_row + position;
  return line;
}

static void
assay_tensor_sheet_finalize (GObject *object)
{
  AssayTensorSheet *self = ASSAY_TENSOR_SHEET (object);

  assay_tensor_grid_free (self->grid);
  g_clear_pointer (&self->other, assay_tensor_unref);

  G_OBJECT_CLASS (assay_tensor_sheet_parent_class)->finalize (object);
}

static void
assay_tensor_sheet_class_init (AssayTensorSheetClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_tensor_sheet_finalize;
  ASSAY_ROW_LIST_CLASS (klass)->row_type = ASSAY_TYPE_TENSOR_LINE;
  ASSAY_ROW_LIST_CLASS (klass)->make_row = make_row;
}

static void
assay_tensor_sheet_init (AssayTensorSheet *self)
{
}

/**
 * assay_tensor_sheet_new:
 * @tensor: a tensor
 * @other: (nullable): another one of as many elements, to hold against it
 * @step: what both are multiples of, 0 if that is not known
 *
 * Makes the first page of a tensor.
 *
 * Returns: (transfer full): the page
 */
AssayTensorSheet *
assay_tensor_sheet_new (AssayTensor *tensor, AssayTensor *other, double step)
{
  AssayTensorSheet *self = g_object_new (ASSAY_TYPE_TENSOR_SHEET, NULL);

  self->grid = assay_tensor_grid_new (tensor);
  self->other = other != NULL ? assay_tensor_ref (other) : NULL;
  self->step = step;
  assay_tensor_sheet_update (self);
  return self;
}

/**
 * assay_tensor_sheet_get_grid:
 * @self: a page
 *
 * Gets which slice is seen; after changing it call assay_tensor_sheet_update().
 *
 * Returns: (transfer none): the slice
 */
AssayTensorGrid *
assay_tensor_sheet_get_grid (AssayTensorSheet *self)
{
  return self->grid;
}

/**
 * assay_tensor_sheet_get_rows:
 * @self: a page
 * @first: (out) (optional): the first row of the page
 *
 * Counts the rows of all pages.
 *
 * Returns: the number
 */
gsize
assay_tensor_sheet_get_rows (AssayTensorSheet *self, gsize *first)
{
  if (first != NULL)
    *first = self->first_row;

  return self->other != NULL ? assay_tensor_get_n_elements (self->grid->tensor)
                             : self->grid->n_rows;
}

/* Where both are multiples of something, a distance is a number of those. */
static AssayCompareStats
begin_distance (AssayTensorSheet *self)
{
  AssayCompareStats stats;

  assay_compare_begin (&stats, ASSAY_COMPARE_BF16, 1);
  assay_compare_set_step (&stats, self->step, assay_tensor_get_dtype (self->grid->tensor));
  return stats;
}

/**
 * assay_tensor_sheet_get_columns:
 * @self: a page
 * @first: (out) (optional): the first column of the page
 *
 * Counts the columns of all pages.
 *
 * Returns: the number
 */
gsize
assay_tensor_sheet_get_columns (AssayTensorSheet *self, gsize *first)
{
  if (first != NULL)
    *first = self->first_column;

  if (self->other == NULL)
    return self->grid->n_columns;

  return begin_distance (self).grid > 0 ? PAIR_WIDE : N_PAIR_COLUMNS;
}

/**
 * assay_tensor_sheet_update:
 * @self: a page
 *
 * Tells lists that other cells are seen.
 */
void
assay_tensor_sheet_update (AssayTensorSheet *self)
{
  gsize rows = assay_tensor_sheet_get_rows (self, NULL);

  if (self->first_row >= rows)
    self->first_row = 0;
  if (self->first_column >= assay_tensor_sheet_get_columns (self, NULL))
    self->first_column = 0;
  assay_row_list_replace (ASSAY_ROW_LIST (self),
                          (guint) MIN (rows - self->first_row, ASSAY_SHEET_ROWS));
}

void
assay_tensor_sheet_set_form (AssayTensorSheet *self, AssayTensorForm form)
{
  self->form = form;
  assay_tensor_sheet_update (self);
}

/**
 * assay_tensor_sheet_set_heat:
 * @self: a page
 * @most: the size of a value that gets the strongest colour, 0 for no colours
 *
 * Colours cells by how large their values are.
 */
void
assay_tensor_sheet_set_heat (AssayTensorSheet *self, double most)
{
  self->heat = most;
  assay_tensor_sheet_update (self);
}

/**
 * assay_tensor_sheet_set_page:
 * @self: a page
 * @first_row: a row
 * @first_column: a column
 *
 * Goes to the page that begins there.
 */
void
assay_tensor_sheet_set_page (AssayTensorSheet *self, gsize first_row, gsize first_column)
{
  self->first_row = first_row;
  self->first_column = first_column;
  assay_tensor_sheet_update (self);
}

/**
 * assay_tensor_sheet_go_to:
 * @self: a page
 * @index: flat index of an element
 *
 * Goes to the page and slice that an element is in.
 *
 * Returns: its row within the page
 */
guint
assay_tensor_sheet_go_to (AssayTensorSheet *self, gsize index)
{
  gsize row = index, column = 0;

  if (self->other == NULL)
    assay_tensor_grid_go_to (self->grid, index, &row, &column);
  assay_tensor_sheet_set_page (self, row - row % ASSAY_SHEET_ROWS,
                               column - column % ASSAY_SHEET_COLUMNS);
  return (guint) (row % ASSAY_SHEET_ROWS);
}

/**
 * assay_tensor_sheet_count:
 * @self: a page
 *
 * Counts the columns of the page.
 *
 * Returns: the number
 */
guint
assay_tensor_sheet_count (AssayTensorSheet *self)
{
  return (guint) MIN (assay_tensor_sheet_get_columns (self, NULL) - self->first_column,
                      ASSAY_SHEET_COLUMNS);
}

/**
 * assay_tensor_sheet_get_chars:
 * @self: a page
 *
 * Gets how wide its cells are.
 *
 * Returns: characters
 */
guint
assay_tensor_sheet_get_chars (AssayTensorSheet *self)
{
  guint bits = assay_dtype_bits (assay_tensor_get_dtype (self->grid->tensor));
  guint value = bits >= 64 && assay_dtype_is_integer (assay_tensor_get_dtype (self->grid->tensor))
                    ? 20
                    : VALUE_CHARS;

  if (self->other != NULL)
    return MAX (value, bits / 4 + 2);

  return (self->form != ASSAY_TENSOR_BITS ? value : 0) +
         (self->form != ASSAY_TENSOR_VALUES ? bits / 4 + 3 : 0);
}

static char *
dup_pair_title (AssayTensorSheet *self, guint column)
{
  AssayCompareStats stats = begin_distance (self);
  char *title = g_strdup (column == PAIR_DISTANCE && stats.grid > 0
                              ? assay_compare_unit_name (&stats)
                              : pair_titles[MIN (column, PAIR_WIDE)]);

  *title = g_ascii_toupper (*title);
  return title;
}

/**
 * assay_tensor_sheet_dup_title:
 * @self: a page
 * @column: a column of it
 *
 * Writes the head of a column.
 *
 * Returns: (transfer full): its place along the axis, or what it is
 */
char *
assay_tensor_sheet_dup_title (AssayTensorSheet *self, guint column)
{
  if (self->other != NULL)
    return dup_pair_title (self, column);
  if (self->grid->row_axis < 0)
    return g_strdup_printf ("+%" G_GSIZE_FORMAT, self->first_column + column);

  return g_strdup_printf ("%" G_GSIZE_FORMAT, self->first_column + column);
}

static gsize
find_element (AssayTensorSheet *self, gsize row, guint column)
{
  return self->other != NULL
             ? row
             : assay_tensor_grid_get_index (self->grid, row, self->first_column + column);
}

/**
 * assay_tensor_sheet_dup_place:
 * @self: a page
 * @row: a row of all pages
 *
 * Writes where a row is.
 *
 * Returns: (transfer full): place along the axis of rows, or that of the element
 */
char *
assay_tensor_sheet_dup_place (AssayTensorSheet *self, gsize row)
{
  if (self->other != NULL)
    return assay_tensor_grid_dup_place (self->grid, row);

  return g_strdup_printf ("%" G_GSIZE_FORMAT,
                          self->grid->row_axis < 0 ? row * ASSAY_GRID_WRAP : row);
}

static char *
dup_distance (AssayTensorSheet *self, gsize index, guint column)
{
  AssayCompareStats stats = begin_distance (self);
  double a, b;

  if (!assay_tensor_get_element (self->grid->tensor, index, &a, NULL) ||
      !assay_tensor_get_element (self->other, index, &b, NULL))
    return g_strdup ("");
  if (isnan (a) || isnan (b))
    return g_strdup (isnan (a) && isnan (b) ? "0" : "∞");

  assay_compare_add (&stats, &a, &b, 1);
  if (stats.grid > 0)
    return g_strdup_printf ("%.0f", fabs (a - b) / stats.grid);
  return column == PAIR_WIDE ? g_strdup_printf ("%" G_GUINT64_FORMAT, stats.max_ulp_f32)
                             : g_strdup_printf ("%u", stats.max_ulp_bf16);
}

static char *
dup_pair_cell (AssayTensorSheet *self, gsize index, guint column, gboolean whole)
{
  AssayTensor *tensor = column <= PAIR_A_BITS ? self->grid->tensor : self->other;

  if (column >= PAIR_DISTANCE)
    return dup_distance (self, index, column);
  if (column == PAIR_A_BITS || column == PAIR_B_BITS)
    return assay_tensor_dup_bits (tensor, index);

  return assay_tensor_dup_value (tensor, index, whole);
}

/**
 * assay_tensor_sheet_dup_cell:
 * @self: a page
 * @row: a row of all pages
 * @column: a column of the page
 * @whole: whether all digits are wanted
 *
 * Writes a cell.
 *
 * Returns: (transfer full): its text, "" behind the end of a vector
 */
char *
assay_tensor_sheet_dup_cell (AssayTensorSheet *self, gsize row, guint column, gboolean whole)
{
  gsize index = find_element (self, row, column);
  g_autofree char *value = NULL;
  g_autofree char *bits = NULL;

  if (index == ASSAY_GRID_NONE)
    return g_strdup ("");
  if (self->other != NULL)
    return dup_pair_cell (self, index, column, whole);
  if (self->form == ASSAY_TENSOR_BITS)
    return assay_tensor_dup_bits (self->grid->tensor, index);

  value = assay_tensor_dup_value (self->grid->tensor, index, whole);
  if (self->form == ASSAY_TENSOR_VALUES)
    return g_steal_pointer (&value);

  bits = assay_tensor_dup_bits (self->grid->tensor, index);
  return g_strdup_printf ("%s  %s", value, bits);
}

/**
 * assay_tensor_sheet_get_heat:
 * @self: a page
 * @row: a row of all pages
 * @column: a column of the page
 *
 * Gets how strongly a cell is coloured.
 *
 * Returns: 0 for not at all, up to %ASSAY_SHEET_HEATS
 */
guint
assay_tensor_sheet_get_heat (AssayTensorSheet *self, gsize row, guint column)
{
  gsize index = find_element (self, row, column);
  double value;

  if (self->heat <= 0 || self->other != NULL || index == ASSAY_GRID_NONE ||
      !assay_tensor_get_element (self->grid->tensor, index, &value, NULL) || isnan (value))
    return 0;

  return (guint) ceil (MIN (fabs (value) / self->heat, 1) * ASSAY_SHEET_HEATS);
}

/**
 * assay_tensor_sheet_to_tsv:
 * @self: a page
 * @rows: (array length=n): rows of all pages
 * @n: how many
 *
 * Writes rows as tab-separated values with all digits, their heads first.
 *
 * Returns: (transfer full): the text
 */
char *
assay_tensor_sheet_to_tsv (AssayTensorSheet *self, const guint *rows, guint n)
{
  GString *text = g_string_new ("index");
  guint n_columns = assay_tensor_sheet_count (self);

  for (guint column = 0; column < n_columns; column++)
    {
      g_autofree char *title = assay_tensor_sheet_dup_title (self, column);

      g_string_append_printf (text, "\t%s", title);
    }
  g_string_append_c (text, '\n');
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *place = assay_tensor_sheet_dup_place (self, rows[i]);

      g_string_append (text, place);
      for (guint column = 0; column < n_columns; column++)
        {
          g_autofree char *cell = assay_tensor_sheet_dup_cell (self, rows[i], column, TRUE);

          g_string_append_printf (text, "\t%s", cell);
        }
      g_string_append_c (text, '\n');
    }

  return g_string_free (text, FALSE);
}
