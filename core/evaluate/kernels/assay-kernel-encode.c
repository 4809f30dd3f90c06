/* assay-kernel-encode.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assay-sentence.h"

/* Operators of ai.onnx.ml that look elements up or scale features. */

/* An element as a key: strings by their bytes, integers and floating point numbers by their value.
 * Numbers of one kind meet whatever their width. */
static GBytes *
element_key (const AssayDatum *x, gsize index)
{
  double number;
  gint64 integer;

  if (x->storage == ASSAY_DTYPE_STRING)
    return g_bytes_ref (((GBytes *const *) x->data)[index]);

  if (!assay_dtype_is_float (x->dtype))
    {
      integer = assay_datum_get_integer (x, index);
      return g_bytes_new (&integer, sizeof integer);
    }

  /* One NaN and one zero. */
  number = assay_datum_get_number (x, index);
  number = isnan (number) ? (double) NAN : number + 0.0;

  return g_bytes_new (&number, sizeof number);
}

/* A list attribute as a tensor; of several names the first one that is there. */
static AssayDatum *
read_list (AssayKernel *self, const char *const *names, GError **error)
{
  for (guint i = 0; names[i] != NULL; i++)
    {
      const AssayAttr *attr = assay_node_find_attr (self->node, names[i]);
      gint64 dim;
      AssayDatum *list;

      if (attr == NULL || (attr->kind != ASSAY_ATTR_TENSOR && attr->n == 0))
        continue;
      if (attr->kind == ASSAY_ATTR_TENSOR)
        return assay_datum_new_tensor (attr->u.tensor, self->wide, error);

      dim = attr->n;
      list = assay_kernel_new (self,
                               attr->kind == ASSAY_ATTR_INTS      ? ASSAY_DTYPE_I64
                               : attr->kind == ASSAY_ATTR_STRINGS ? ASSAY_DTYPE_STRING
                                                                  : ASSAY_DTYPE_F32,
                               1, &dim, error);
      for (guint32 j = 0; list != NULL && j < attr->n; j++)
        {
          if (attr->kind == ASSAY_ATTR_INTS)
            ((gint64 *) list->data)[j] = attr->u.ints[j];
          else if (attr->kind == ASSAY_ATTR_STRINGS)
            ((GBytes **) list->data)[j] = g_bytes_new (attr->u.strings[j],
                                                       strlen (attr->u.strings[j]));
          else
            assay_datum_set_number (list, j, attr->u.floats[j]);
        }
      return list;
    }

  assay_kernel_fail (self, error, "attribute %s is missing", names[0]);

  return NULL;
}

/* From keys to their places, plus one; of equal keys the last one counts. */
static GHashTable *
make_places (const AssayDatum *keys)
{
  GHashTable *places = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                              (GDestroyNotify) g_bytes_unref, NULL);

  for (gsize i = 0; i < keys->n && i < G_MAXUINT; i++)
    g_hash_table_replace (places, element_key (keys, i), GUINT_TO_POINTER (i + 1));

  return places;
}

/* The place of an element, or -1. */
static gint64
find_place (GHashTable *places, const AssayDatum *x, gsize index)
{
  g_autoptr (GBytes) key = element_key (x, index);

  return (gint64) GPOINTER_TO_UINT (g_hash_table_lookup (places, key)) - 1;
}

/* Each element is replaced by the value at the place of its key, or by a default. */
static gboolean
map_elements (AssayKernel *self, const AssayDatum *keys, const AssayDatum *values,
              const AssayDatum *fallback, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  g_autoptr (GHashTable) places = NULL;
  AssayDatum *y;

  if (keys->n != values->n)
    return assay_kernel_fail (self, error,
                              "%" G_GSIZE_FORMAT " key%s for %" G_GSIZE_FORMAT " value%s", keys->n,
                              assay_plural (keys->n), values->n, assay_plural (values->n));
  if (assay_dtype_kind (keys->dtype) != assay_dtype_kind (x->dtype))
    return assay_kernel_fail_type (self, 0, error);
  if (fallback->n != 1 || fallback->dtype != values->dtype)
    return assay_kernel_fail (self, error,
                              "the default is not one element of the type of the values");

  places = make_places (keys);
  y = assay_kernel_output (self, 0, values->dtype, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    {
      gint64 place = find_place (places, x, i);

      assay_element_copy (place < 0 ? fallback : values, place < 0 ? 0 : (gsize) place, y, i, 1);
    }

  return TRUE;
}

/* A default by the type of the values: a string, an integer or a floating point attribute. */
static AssayDatum *
read_default (AssayKernel *self, AssayDType dtype, GError **error)
{
  AssayDatum *fallback = assay_kernel_new (self, dtype, 0, NULL, error);

  if (fallback == NULL)
    return NULL;

  if (dtype == ASSAY_DTYPE_STRING)
    {
      const char *text = assay_node_get_string (self->node, "default_string");

      *(GBytes **) fallback->data = g_bytes_new (text, strlen (text));
    }
  else if (assay_dtype_is_float (dtype))
    {
      assay_datum_set_number (fallback, 0, assay_node_get_float (self->node, "default_float"));
    }
  else
    {
      gint64 integer = assay_node_get_int (self->node, "default_int64");

      if (dtype == ASSAY_DTYPE_I64)
        *(gint64 *) fallback->data = integer;
      else
        assay_datum_set_number (fallback, 0, (double) integer);
    }

  return fallback;
}

gboolean
assay_kernel_op_label_encoder (AssayKernel *self, GError **error)
{
  static const char *const key_names[] = { "keys_tensor", "keys_strings", "keys_int64s",
                                           "keys_floats", NULL };
  static const char *const value_names[] = { "values_tensor", "values_strings", "values_int64s",
                                             "values_floats", NULL };
  static const char *const default_names[] = { "default_tensor", NULL };
  g_autoptr (AssayDatum) keys = read_list (self, key_names, error);
  g_autoptr (AssayDatum) values = keys == NULL ? NULL : read_list (self, value_names, error);
  g_autoptr (AssayDatum) fallback = NULL;

  if (values == NULL)
    return FALSE;

  fallback = assay_node_find_attr (self->node, "default_tensor") != NULL
                 ? read_list (self, default_names, error)
                 : read_default (self, values->dtype, error);

  return fallback != NULL && map_elements (self, keys, values, fallback, error);
}

gboolean
assay_kernel_op_category_mapper (AssayKernel *self, GError **error)
{
  static const char *const names[2][2] = { { "cats_int64s", NULL }, { "cats_strings", NULL } };
  gboolean from_strings = assay_kernel_input (self, 0)->dtype == ASSAY_DTYPE_STRING;
  g_autoptr (AssayDatum) keys = read_list (self, names[from_strings ? 1 : 0], error);
  g_autoptr (AssayDatum)
      values = keys == NULL ? NULL : read_list (self, names[from_strings ? 0 : 1], error);
  g_autoptr (AssayDatum) fallback = values == NULL ? NULL
                                                   : read_default (self, values->dtype, error);

  return fallback != NULL && map_elements (self, keys, values, fallback, error);
}

/* Numbers are cast to integers before they are looked up. */
gboolean
assay_kernel_op_one_hot_encoder (AssayKernel *self, GError **error)
{
  static const char *const integers[] = { "cats_int64s", NULL };
  static const char *const strings[] = { "cats_strings", NULL };
  const AssayDatum *x = assay_kernel_input (self, 0);
  gboolean is_string = x->dtype == ASSAY_DTYPE_STRING;
  gboolean may_miss = assay_node_get_int (self->node, "zeros") != 0;
  g_autoptr (AssayDatum) categories = read_list (self, is_string ? strings : integers, error);
  g_autoptr (AssayDatum) cast = NULL;
  g_autoptr (GHashTable) places = NULL;
  gint64 dims[ASSAY_MAX_RANK + 1];
  AssayDatum *y;

  if (categories == NULL)
    return FALSE;
  if (assay_dtype_is_float (x->dtype))
    {
      cast = assay_datum_new (ASSAY_DTYPE_I64, ASSAY_DTYPE_I64, x->rank, x->dims, error);
      if (cast == NULL)
        return FALSE;
      for (gsize i = 0; i < x->n; i++)
        ((gint64 *) cast->data)[i] = assay_datum_get_integer (x, i);
      x = cast;
    }

  memcpy (dims, x->dims, x->rank * sizeof *dims);
  dims[x->rank] = (gint64) categories->n;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_F32, x->rank + 1, dims, error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  places = make_places (categories);
  for (gsize i = 0; i < x->n; i++)
    {
      gint64 place = find_place (places, x, i);

      if (place < 0 && !may_miss)
        return assay_kernel_fail (
            self, error, "element %" G_GSIZE_FORMAT " is in no category, and zeros is 0", i);
      if (place >= 0)
        assay_datum_set_number (y, i * categories->n + (gsize) place, 1);
    }

  return TRUE;
}

gboolean
assay_kernel_op_array_feature_extractor (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *indices = assay_kernel_input (self, 1);
  gint64 dims[ASSAY_MAX_RANK];
  gint64 extent;
  guint rank = MAX (x->rank, 2);
  AssayDatum *y;

  if (!assay_kernel_expect_rank (self, 0, 1, ASSAY_MAX_RANK, error))
    return FALSE;
  if (!assay_dtype_is_integer (indices->dtype))
    return assay_kernel_fail_type (self, 1, error);

  /* A vector counts as one row. */
  extent = x->dims[x->rank - 1];
  dims[0] = 1;
  memcpy (dims + rank - x->rank, x->dims, x->rank * sizeof *dims);
  dims[rank - 1] = (gint64) indices->n;
  y = assay_kernel_output (self, 0, x->dtype, rank, dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < y->n; i++)
    {
      gint64 index = assay_datum_get_integer (indices, i % indices->n);

      if (index < 0 || index >= extent)
        return assay_kernel_fail (self, error,
                                  "index %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " feature%s",
                                  index, extent, assay_plural (extent));
      assay_element_copy (x, i / indices->n * (gsize) extent + (gsize) index, y, i, 1);
    }

  return TRUE;
}

static gboolean
expect_numbers (AssayKernel *self, guint input, GError **error)
{
  AssayDType dtype = assay_kernel_input (self, input)->dtype;

  return assay_dtype_is_float (dtype) || assay_dtype_is_integer (dtype) ||
         assay_kernel_fail_type (self, input, error);
}

gboolean
assay_kernel_op_binarizer (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  double threshold = assay_node_get_float (self->node, "threshold");
  AssayDatum *y = !expect_numbers (self, 0, error) ? NULL
                                                   : assay_kernel_output_like (self, 0, 0, error);

  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    assay_datum_set_number (y, i, assay_datum_get_number (x, i) > threshold ? 1 : 0);

  return TRUE;
}

/* The number of features of a row; one entry of an attribute serves all of them. */
static gboolean
get_features (AssayKernel *self, guint n_given, const char *name, gsize *n_features, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);

  if (!expect_numbers (self, 0, error) ||
      !assay_kernel_expect_rank (self, 0, 1, ASSAY_MAX_RANK, error))
    return FALSE;

  *n_features = (gsize) x->dims[MIN (x->rank, 2) - 1];

  return n_given <= 1 || n_given == *n_features ||
         assay_kernel_fail (self, error, "%s has %u %s for %" G_GSIZE_FORMAT " feature%s", name,
                            n_given, assay_noun (n_given, "entry", "entries"), *n_features,
                            assay_plural (*n_features));
}

gboolean
assay_kernel_op_imputer (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gboolean is_float = assay_dtype_is_float (x->dtype);
  double missing = is_float ? assay_node_get_float (self->node, "replaced_value_float")
                            : (double) assay_node_get_int (self->node, "replaced_value_int64");
  guint n_floats, n_integers;
  const double *floats = assay_node_get_floats (self->node, "imputed_value_floats", &n_floats);
  const gint64 *integers = assay_node_get_ints (self->node, "imputed_value_int64s", &n_integers);
  guint n = is_float ? n_floats : n_integers;
  gsize n_features;
  AssayDatum *y;

  if (!expect_numbers (self, 0, error) ||
      !assay_kernel_expect_rank (self, 0, 1, ASSAY_MAX_RANK, error))
    return FALSE;
  if (n == 0)
    return assay_kernel_fail (self, error,
                              "there are no values of the type of the input to put in");
  y = assay_kernel_output_like (self, 0, 0, error);
  if (y == NULL)
    return FALSE;

  /* A number of values that suits no column is taken for its first one. */
  n_features = (gsize) x->dims[MIN (x->rank, 2) - 1];
  for (gsize i = 0; i < x->n; i++)
    {
      double value = assay_datum_get_number (x, i);
      guint place = n == n_features ? (guint) (i % n_features) : 0;

      if (value == missing || (isnan (missing) && isnan (value)))
        assay_datum_set_number (y, i, is_float ? floats[place] : (double) integers[place]);
      else if (y != x)
        assay_element_copy (x, i, y, i, 1);
    }

  return TRUE;
}

gboolean
assay_kernel_op_scaler (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  guint n_offsets, n_scales;
  const double *offsets = assay_node_get_floats (self->node, "offset", &n_offsets);
  const double *scales = assay_node_get_floats (self->node, "scale", &n_scales);
  gsize n_features;
  AssayDatum *y;

  if (!get_features (self, n_offsets, "offset", &n_features, error) ||
      !get_features (self, n_scales, "scale", &n_features, error))
    return FALSE;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_F32, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    {
      double value = assay_datum_get_number (x, i);

      value -= n_offsets == 0 ? 0 : offsets[n_offsets == 1 ? 0 : i % n_features];
      value *= n_scales == 0 ? 1 : scales[n_scales == 1 ? 0 : i % n_features];
      assay_datum_set_number (y, i, value);
    }

  return TRUE;
}

gboolean
assay_kernel_op_normalizer (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const char *norm = assay_node_get_string (self->node, "norm");
  gboolean by_max = strcmp (norm, "MAX") == 0;
  gboolean by_sum = strcmp (norm, "L1") == 0;
  gsize n;
  AssayDatum *y;

  if (!by_max && !by_sum && strcmp (norm, "L2") != 0)
    return assay_kernel_fail (self, error, "norm is “%s”, one of MAX, L1 and L2 was expected",
                              norm);
  if (!get_features (self, 0, "norm", &n, error))
    return FALSE;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_F32, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize row = 0; row < x->n; row += n)
    {
      double length = 0;

      for (gsize i = row; i < row + n; i++)
        {
          double value = fabs (assay_datum_get_number (x, i));

          length = by_max ? MAX (length, value) : length + (by_sum ? value : value * value);
        }
      if (!by_max && !by_sum)
        length = sqrt (length);
      for (gsize i = row; i < row + n; i++)
        assay_datum_set_number (y, i, assay_datum_get_number (x, i) / (length > 0 ? length : 1));
    }

  return TRUE;
}

/* The elements of one row: all behind the first axis. */
static gint64
row_length (const AssayDatum *x)
{
  return (gint64) assay_dims_product (x->dims, x->rank > 1 ? 1 : 0, x->rank);
}

/* Each input is cut or filled with zeros to its size. */
gboolean
assay_kernel_op_feature_vectorizer (AssayKernel *self, GError **error)
{
  guint n_sizes;
  const gint64 *sizes = assay_node_get_ints (self->node, "inputdimensions", &n_sizes);
  gint64 n_rows = -1;
  gint64 width = 0;
  gint64 begin = 0;
  AssayDatum *y;

  if (sizes != NULL && n_sizes != self->n_inputs)
    return assay_kernel_fail (self, error, "inputdimensions has %u %s for %u input%s", n_sizes,
                              assay_noun (n_sizes, "entry", "entries"), self->n_inputs,
                              assay_plural (self->n_inputs));
  for (guint i = 0; i < self->n_inputs; i++)
    {
      const AssayDatum *x = self->inputs[i];
      gint64 rows;

      if (x == NULL)
        return assay_kernel_fail (self, error, "input %u is missing", i);
      if (!expect_numbers (self, i, error) ||
          !assay_kernel_expect_rank (self, i, 1, ASSAY_MAX_RANK, error))
        return FALSE;
      rows = x->rank > 1 ? x->dims[0] : 1;
      if ((n_rows >= 0 && rows != n_rows) ||
          (sizes != NULL && (sizes[i] < 0 || sizes[i] > G_MAXINT32)))
        return assay_kernel_fail (
            self, error, "input %u has %" G_GINT64_FORMAT " rows, the first one %" G_GINT64_FORMAT,
            i, rows, n_rows);
      n_rows = rows;
      width += sizes != NULL ? sizes[i] : row_length (x);
    }

  y = assay_kernel_output (self, 0, ASSAY_DTYPE_F32, 2, (gint64[]){ n_rows, width }, error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  for (guint i = 0; y->n > 0 && i < self->n_inputs; i++)
    {
      const AssayDatum *x = self->inputs[i];
      gint64 have = row_length (x);
      gint64 size = sizes != NULL ? sizes[i] : have;

      for (gint64 row = 0; row < n_rows; row++)
        for (gint64 j = 0; j < MIN (have, size); j++)
          assay_datum_set_number (y, (gsize) (row * width + begin + j),
                                  assay_datum_get_number (x, (gsize) (row * have + j)));
      begin += size;
    }

  return TRUE;
}

/* The keys and values of a map. */
static gboolean
get_map (AssayKernel *self, const AssayDatum **keys, const AssayDatum **values, GError **error)
{
  const AssayDatum *map = assay_kernel_input (self, 0);

  if (map->kind != ASSAY_DATUM_MAP || map->items->len != 2)
    return assay_kernel_fail (self, error, "input 0 is not a map");

  *keys = g_ptr_array_index (map->items, 0);
  *values = g_ptr_array_index (map->items, 1);

  return ((*values)->kind == ASSAY_DATUM_TENSOR && (*values)->n == (*keys)->n) ||
         assay_kernel_fail (self, error, "the map does not hold one element for each key");
}

gboolean
assay_kernel_op_dict_vectorizer (AssayKernel *self, GError **error)
{
  static const char *const names[] = { "string_vocabulary", "int64_vocabulary", NULL };
  g_autoptr (AssayDatum) vocabulary = read_list (self, names, error);
  g_autoptr (GHashTable) places = NULL;
  const AssayDatum *keys, *values;
  AssayDatum *y;

  if (vocabulary == NULL || !get_map (self, &keys, &values, error))
    return FALSE;
  y = assay_kernel_output (self, 0, values->dtype, 2, (gint64[]){ 1, (gint64) vocabulary->n },
                           error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  places = make_places (vocabulary);
  for (gsize i = 0; i < keys->n; i++)
    {
      gint64 place = find_place (places, keys, i);

      if (place < 0)
        return assay_kernel_fail (self, error,
                                  "key %" G_GSIZE_FORMAT " of the map is not in the vocabulary", i);
      assay_element_copy (values, i, y, (gsize) place, 1);
    }

  return TRUE;
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const AssayDatum *keys = user_data;
  gint64 left = assay_datum_get_integer (keys, *(const gsize *) a);
  gint64 right = assay_datum_get_integer (keys, *(const gsize *) b);

  return left != right ? (left > right) - (left < right)
                       : (*(const gsize *) a > *(const gsize *) b) -
                             (*(const gsize *) a < *(const gsize *) b);
}

/* One value of a map as an element of the output. */
static void
cast_value (const AssayDatum *values, gsize from, AssayDatum *y, gsize to)
{
  g_autofree char *text = NULL;
  double number = 0;

  if (values->dtype == ASSAY_DTYPE_STRING)
    {
      gsize length;
      const char *data = g_bytes_get_data (((GBytes *const *) values->data)[from], &length);

      text = g_strndup (length > 0 ? data : "", length);
      number = g_ascii_strtod (text, NULL);
    }
  else
    {
      number = assay_datum_get_number (values, from);
      text = g_strdup_printf ("%.9g", number);
    }

  if (y->dtype == ASSAY_DTYPE_STRING)
    {
      g_clear_pointer (&((GBytes **) y->data)[to], g_bytes_unref);
      ((GBytes **) y->data)[to] = g_bytes_new (text, strlen (text));
    }
  else if (y->dtype == ASSAY_DTYPE_I64)
    {
      ((gint64 *) y->data)[to] = isfinite (number) ? (gint64) CLAMP (number, -0x1p62, 0x1p62) : 0;
    }
  else
    {
      assay_datum_set_number (y, to, number);
    }
}

gboolean
assay_kernel_op_cast_map (AssayKernel *self, GError **error)
{
  const char *to = assay_node_get_string (self->node, "cast_to");
  gboolean sparse = strcmp (assay_node_get_string (self->node, "map_form"), "SPARSE") == 0;
  g_autofree gsize *order = NULL;
  const AssayDatum *keys, *values;
  gint64 n;
  AssayDType dtype = strcmp (to, "TO_STRING") == 0  ? ASSAY_DTYPE_STRING
                     : strcmp (to, "TO_INT64") == 0 ? ASSAY_DTYPE_I64
                                                    : ASSAY_DTYPE_F32;
  AssayDatum *y;

  if (!get_map (self, &keys, &values, error))
    return FALSE;
  if (keys->dtype != ASSAY_DTYPE_I64)
    return assay_kernel_fail (self, error, "the keys of the map are of type %s, i64 was expected",
                              assay_dtype_name (keys->dtype));

  n = sparse ? assay_node_get_int (self->node, "max_map") : (gint64) keys->n;
  y = assay_kernel_output (self, 0, dtype, 2, (gint64[]){ 1, n }, error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  order = assay_kernel_room (self, gsize, keys->n + 1, error);
  if (order == NULL)
    return FALSE;
  for (gsize i = 0; i < keys->n; i++)
    order[i] = i;
  qsort_r (order, keys->n, sizeof *order, compare_keys, (gpointer) keys);
  for (gsize i = 0; i < keys->n; i++)
    {
      gint64 key = assay_datum_get_integer (keys, order[i]);

      if (sparse && (key < 0 || key >= n))
        return assay_kernel_fail (
            self, error, "key %" G_GINT64_FORMAT " of the map, max_map is %" G_GINT64_FORMAT, key,
            n);
      cast_value (values, order[i], y, sparse ? (gsize) key : i);
    }

  return TRUE;
}

/* A sequence of maps, one for each row. */
gboolean
assay_kernel_op_zip_map (AssayKernel *self, GError **error)
{
  static const char *const names[] = { "classlabels_strings", "classlabels_int64s", NULL };
  AssayDatum *x = assay_kernel_input (self, 0);
  g_autoptr (AssayDatum) labels = NULL;
  g_autoptr (GPtrArray) maps = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  gsize n, n_rows;

  if (x->kind != ASSAY_DATUM_TENSOR || !assay_kernel_expect_rank (self, 0, 1, 2, error))
    return x->kind != ASSAY_DATUM_TENSOR
               ? assay_kernel_fail (self, error, "input 0 is not a tensor")
               : FALSE;
  labels = read_list (self, names, error);
  if (labels == NULL)
    return FALSE;

  n = labels->n;
  n_rows = x->rank == 2 ? (gsize) x->dims[0] : 1;
  if ((gsize) x->dims[x->rank - 1] != n)
    return assay_kernel_fail (
        self, error, "%" G_GINT64_FORMAT " column%s for %" G_GSIZE_FORMAT " label%s",
        x->dims[x->rank - 1], assay_plural (x->dims[x->rank - 1]), n, assay_plural (n));

  for (gsize row = 0; row < n_rows; row++)
    {
      g_autoptr (GPtrArray)
          items = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
      AssayDatum *values = assay_kernel_new (self, x->dtype, 1, (gint64[]){ (gint64) n }, error);

      if (values == NULL)
        return FALSE;
      assay_element_copy (x, row * n, values, 0, n);
      g_ptr_array_add (items, assay_datum_ref (labels));
      g_ptr_array_add (items, values);
      g_ptr_array_add (maps, assay_datum_new_items (ASSAY_DATUM_MAP, items));
    }
  assay_kernel_take (self, 0, assay_datum_new_items (ASSAY_DATUM_SEQUENCE, maps));

  return TRUE;
}
