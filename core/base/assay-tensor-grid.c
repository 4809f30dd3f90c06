/* assay-tensor-grid.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-tensor-grid.h"

#include <string.h>

#include "base/assay-error.h"

/* Places of an index along each axis, and back. */
static void
split_index (AssayTensor *tensor, gsize index, gsize *places)
{
  const gint64 *dims = assay_tensor_get_dims (tensor);

  for (guint axis = assay_tensor_get_rank (tensor); axis-- > 0;)
    {
      places[axis] = index % (gsize) dims[axis];
      index /= (gsize) dims[axis];
    }
}

static gsize
join_index (AssayTensor *tensor, const gsize *places)
{
  const gint64 *dims = assay_tensor_get_dims (tensor);
  gsize index = 0;

  for (guint axis = 0; axis < assay_tensor_get_rank (tensor); axis++)
    index = index * (gsize) dims[axis] + places[axis];

  return index;
}

static void
update_size (AssayTensorGrid *self)
{
  const gint64 *dims = assay_tensor_get_dims (self->tensor);
  gsize n = assay_tensor_get_n_elements (self->tensor);

  if (n == 0)
    self->n_rows = self->n_columns = 0;
  else if (self->row_axis >= 0)
    {
      self->n_rows = (gsize) dims[self->row_axis];
      self->n_columns = (gsize) dims[self->column_axis];
    }
  else
    {
      self->n_columns = MIN (n, ASSAY_GRID_WRAP);
      self->n_rows = (n - 1) / ASSAY_GRID_WRAP + 1;
    }
}

/**
 * assay_tensor_grid_new:
 * @tensor: a tensor
 *
 * Makes the view of a tensor that begins with its first elements: the last two axes are rows and
 * columns.
 *
 * Returns: (transfer full): the view
 */
AssayTensorGrid *
assay_tensor_grid_new (AssayTensor *tensor)
{
  AssayTensorGrid *self = g_new0 (AssayTensorGrid, 1);
  int rank = (int) assay_tensor_get_rank (tensor);

  self->tensor = assay_tensor_ref (tensor);
  self->row_axis = rank >= 2 ? rank - 2 : -1;
  self->column_axis = rank >= 2 ? rank - 1 : -1;
  update_size (self);
  return self;
}

/**
 * assay_tensor_grid_free:
 * @self: (nullable): a view
 *
 * Frees a view.
 */
void
assay_tensor_grid_free (AssayTensorGrid *self)
{
  if (self == NULL)
    return;

  assay_tensor_unref (self->tensor);
  g_free (self);
}

/**
 * assay_tensor_grid_set_axes:
 * @self: a view of a tensor of at least two dimensions
 * @row_axis: the axis that goes down
 * @column_axis: the axis that goes to the right, another one
 *
 * Chooses the two axes that are seen.
 */
void
assay_tensor_grid_set_axes (AssayTensorGrid *self, int row_axis, int column_axis)
{
  int rank = (int) assay_tensor_get_rank (self->tensor);

  g_return_if_fail (row_axis >= 0 && row_axis < rank && column_axis >= 0 && column_axis < rank);
  g_return_if_fail (row_axis != column_axis);

  self->row_axis = row_axis;
  self->column_axis = column_axis;
  update_size (self);
}

/**
 * assay_tensor_grid_set_fixed:
 * @self: a view
 * @axis: an axis that is neither rows nor columns
 * @index: place along it, which is cut to what there is
 *
 * Chooses which slice is seen.
 */
void
assay_tensor_grid_set_fixed (AssayTensorGrid *self, guint axis, gsize index)
{
  gsize size = (gsize) assay_tensor_get_dims (self->tensor)[axis];

  self->fixed[axis] = size > 0 ? MIN (index, size - 1) : 0;
}

/**
 * assay_tensor_grid_get_index:
 * @self: a view
 * @row: a row
 * @column: a column
 *
 * Finds the element of a cell.
 *
 * Returns: its flat index, or %ASSAY_GRID_NONE behind the end of a vector
 */
gsize
assay_tensor_grid_get_index (const AssayTensorGrid *self, gsize row, gsize column)
{
  gsize places[ASSAY_MAX_RANK];
  gsize index;

  if (row >= self->n_rows || column >= self->n_columns)
    return ASSAY_GRID_NONE;

  if (self->row_axis < 0)
    {
      index = row * ASSAY_GRID_WRAP + column;
      return index < assay_tensor_get_n_elements (self->tensor) ? index : ASSAY_GRID_NONE;
    }

  memcpy (places, self->fixed, sizeof places);
  places[self->row_axis] = row;
  places[self->column_axis] = column;
  return join_index (self->tensor, places);
}

/**
 * assay_tensor_grid_go_to:
 * @self: a view
 * @index: flat index, less than the number of elements
 * @row: (out): its row
 * @column: (out): its column
 *
 * Chooses the slice that an element is in.
 */
void
assay_tensor_grid_go_to (AssayTensorGrid *self, gsize index, gsize *row, gsize *column)
{
  if (self->row_axis < 0)
    {
      *row = index / ASSAY_GRID_WRAP;
      *column = index % ASSAY_GRID_WRAP;
      return;
    }

  split_index (self->tensor, index, self->fixed);
  *row = self->fixed[self->row_axis];
  *column = self->fixed[self->column_axis];
}

/**
 * assay_tensor_grid_parse:
 * @self: a view
 * @text: an index: one number, or one per axis with commas between, in brackets or not
 * @index: (out): the flat index
 * @error: return location for a #GError
 *
 * Reads an index as users write it. Fails with %ASSAY_ERROR_INVALID, and a message that says what
 * there is.
 *
 * Returns: whether there is such an element
 */
gboolean
assay_tensor_grid_parse (const AssayTensorGrid *self, const char *text, gsize *index,
                         GError **error)
{
  g_autofree char *plain = g_strdelimit (g_strdup (text), "[]() ", ' ');
  g_auto (GStrv) parts = g_strsplit (g_strstrip (plain), ",", -1);
  guint rank = assay_tensor_get_rank (self->tensor);
  const gint64 *dims = assay_tensor_get_dims (self->tensor);
  guint n = g_strv_length (parts);
  gsize places[ASSAY_MAX_RANK];

  if (n != 1 && n != rank)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "Write one number, or %u with commas between", rank);
      return FALSE;
    }

  for (guint i = 0; i < n; i++)
    {
      guint64 most = n == 1 && rank != 1 ? assay_tensor_get_n_elements (self->tensor)
                                         : (guint64) dims[i];
      guint64 place;

      if (most == 0 ||
          !g_ascii_string_to_unsigned (g_strstrip (parts[i]), 10, 0, most - 1, &place, NULL))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "“%s” is no index; there are %" G_GUINT64_FORMAT " from 0 on", parts[i],
                       most);
          return FALSE;
        }
      places[i] = (gsize) place;
    }

  *index = n == 1 ? places[0] : join_index (self->tensor, places);
  return TRUE;
}

/**
 * assay_tensor_grid_dup_place:
 * @self: a view
 * @index: flat index, less than the number of elements
 *
 * Writes the place of an element along every axis.
 *
 * Returns: (transfer full): such as `[0, 3, 5]`; `[]` for a scalar
 */
char *
assay_tensor_grid_dup_place (const AssayTensorGrid *self, gsize index)
{
  GString *text = g_string_new ("[");
  gsize places[ASSAY_MAX_RANK];

  split_index (self->tensor, index, places);
  for (guint axis = 0; axis < assay_tensor_get_rank (self->tensor); axis++)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, axis > 0 ? ", " : "", places[axis]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}
