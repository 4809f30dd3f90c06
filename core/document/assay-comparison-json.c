/* assay-comparison-json.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The statistics of a comparison in a session file.
 */
#include "document/assay-comparison-json.h"

#include <math.h>
#include <string.h>

typedef enum
{
  FIELD_DOUBLE,
  FIELD_SIZE,
  FIELD_U32,
  FIELD_U64,
} FieldType;

typedef struct
{
  const char *name;
  FieldType type;
  gsize offset;
} Field;

#define STAT(name, type)                                                                           \
  {                                                                                                \
#name, FIELD_##type, G_STRUCT_OFFSET(AssayCompareStats, name)                                  \
  }
#define ELEMENT(name, type)                                                                        \
  {                                                                                                \
#name, FIELD_##type, G_STRUCT_OFFSET(AssayCompareElement, name)                                \
  }
#define ROW(name, type)                                                                            \
  {                                                                                                \
#name, FIELD_##type, G_STRUCT_OFFSET(AssayComparisonRow, name)                                 \
  }

static const Field stat_fields[] = {
  STAT (scale, DOUBLE),
  STAT (n, SIZE),
  STAT (n_different, SIZE),
  STAT (n_wrong, SIZE),
  STAT (error, DOUBLE),
  STAT (max_abs, DOUBLE),
  STAT (mean_abs, DOUBLE),
  STAT (max_rel, DOUBLE),
  STAT (max_ulp_bf16, U32),
  STAT (max_ulp_f32, U64),
  STAT (cosine, DOUBLE),
  STAT (sqnr_db, DOUBLE),
  STAT (psnr_db, DOUBLE),
  { "nan_a", FIELD_SIZE, G_STRUCT_OFFSET (AssayCompareStats, nan[0]) },
  { "nan_b", FIELD_SIZE, G_STRUCT_OFFSET (AssayCompareStats, nan[1]) },
  { "inf_a", FIELD_SIZE, G_STRUCT_OFFSET (AssayCompareStats, inf[0]) },
  { "inf_b", FIELD_SIZE, G_STRUCT_OFFSET (AssayCompareStats, inf[1]) },
  STAT (n_signs, SIZE),
};

static const Field element_fields[] = {
  ELEMENT (index, SIZE),   ELEMENT (a, DOUBLE),     ELEMENT (b, DOUBLE),
  ELEMENT (error, DOUBLE), ELEMENT (ulp_bf16, U32), ELEMENT (ulp_f32, U64),
};

static const Field row_fields[] = {
  ROW (inherited, DOUBLE),
  ROW (limit, DOUBLE),
};

static const char *const verdict_names[] = { "exact", "within", "outside", "unknown", NULL };
static const char *const precision_names[] = { "bf16", "fp32", NULL };

/* What JSON has no number for. */
static const struct
{
  const char *name;
  double value;
} odd_numbers[] = {
  { "inf", INFINITY },
  { "-inf", -INFINITY },
  { "nan", NAN },
};

static void
print_double (JsonObject *object, const char *name, double value)
{
  if (isfinite (value))
    json_object_set_double_member (object, name, value);
  else
    json_object_set_string_member (object, name,
                                   odd_numbers[isnan (value) ? 2
                                               : value > 0   ? 0
                                                             : 1]
                                       .name);
}

/* What is not there is read as zero. */
static gboolean
is_zero (gconstpointer at, FieldType type)
{
  if (type == FIELD_DOUBLE)
    return *(const double *) at == 0;
  if (type == FIELD_SIZE)
    return *(const gsize *) at == 0;

  return type == FIELD_U32 ? *(const guint32 *) at == 0 : *(const guint64 *) at == 0;
}

static void
print_fields (JsonObject *object, gconstpointer base, const Field *fields, guint n_fields)
{
  for (guint i = 0; i < n_fields; i++)
    {
      gconstpointer at = (const char *) base + fields[i].offset;

      if (is_zero (at, fields[i].type))
        continue;
      if (fields[i].type == FIELD_DOUBLE)
        print_double (object, fields[i].name, *(const double *) at);
      else if (fields[i].type == FIELD_SIZE)
        json_object_set_int_member (object, fields[i].name, (gint64) * (const gsize *) at);
      else if (fields[i].type == FIELD_U32)
        json_object_set_int_member (object, fields[i].name, *(const guint32 *) at);
      else
        json_object_set_int_member (object, fields[i].name, (gint64) * (const guint64 *) at);
    }
}

static void
print_histogram (JsonObject *object, const char *name, const gsize *buckets)
{
  JsonArray *array = json_array_new ();
  guint n = ASSAY_COMPARE_N_BUCKETS;

  while (n > 0 && buckets[n - 1] == 0)
    n--;
  for (guint i = 0; i < n; i++)
    json_array_add_int_element (array, (gint64) buckets[i]);
  json_object_set_array_member (object, name, array);
}

static JsonObject *
print_stats (const AssayCompareStats *stats, gboolean full)
{
  JsonObject *object = json_object_new ();
  JsonArray *worst;

  print_fields (object, stats, stat_fields, G_N_ELEMENTS (stat_fields));
  print_histogram (object, "histogram_bf16", stats->histogram_bf16);
  print_histogram (object, "histogram_fp32", stats->histogram_f32);
  if (!full)
    return object;

  worst = json_array_new ();
  for (guint i = 0; i < stats->n_worst; i++)
    {
      JsonObject *element = json_object_new ();

      print_fields (element, &stats->worst[i], element_fields, G_N_ELEMENTS (element_fields));
      json_array_add_object_element (worst, element);
    }
  json_object_set_array_member (object, "worst", worst);

  return object;
}

static JsonObject *
print_row (const AssayComparisonRow *row, gboolean full)
{
  JsonObject *object = json_object_new ();
  JsonArray *dims = json_array_new ();

  json_object_set_string_member (object, "name", row->name != NULL ? row->name : "");
  json_object_set_string_member (object, "node", row->node_name != NULL ? row->node_name : "");
  json_object_set_string_member (object, "op_type", row->op_type != NULL ? row->op_type : "");
  for (guint i = 0; i < row->rank; i++)
    json_array_add_int_element (dims, row->dims[i]);
  json_object_set_array_member (object, "dims", dims);
  json_object_set_boolean_member (object, "is_output", row->is_output);
  json_object_set_object_member (object, "total", print_stats (&row->total, full));
  if (row->has_own)
    json_object_set_object_member (object, "own", print_stats (&row->own, full));
  print_fields (object, row, row_fields, G_N_ELEMENTS (row_fields));
  json_object_set_int_member (object, "worst_step", row->worst_step);
  json_object_set_string_member (object, "verdict", verdict_names[row->verdict]);
  if (row->note != NULL)
    json_object_set_string_member (object, "note", row->note);

  return object;
}

/**
 * assay_comparison_print:
 * @self: a comparison
 *
 * Writes the numbers of a comparison, without what only the models it compared could tell.
 *
 * Returns: (transfer full): the object
 */
JsonObject *
assay_comparison_print (const AssayComparison *self)
{
  JsonObject *object = json_object_new ();
  JsonArray *rows = json_array_new ();
  guint n_full = 0;

  json_object_set_string_member (object, "precision", precision_names[self->precision]);
  json_object_set_string_member (object, "a", self->label_a);
  json_object_set_string_member (object, "b", self->label_b);
  json_object_set_boolean_member (object, "own_inputs_of_b", self->own_inputs_of_b);
  json_object_set_int_member (object, "steps", self->n_steps);
  json_object_set_int_member (object, "first_divergent", self->first_divergent);
  json_object_set_int_member (object, "worst", self->worst);
  json_object_set_string_member (object, "verdict", verdict_names[self->verdict]);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (self, i);
      gboolean full = n_full < ASSAY_COMPARISON_MAX_FULL &&
                      (self->rows->len <= ASSAY_COMPARISON_MAX_FULL || row->is_output ||
                       row->verdict == ASSAY_COMPARISON_OUTSIDE);

      n_full += full;
      json_array_add_object_element (rows, print_row (row, full));
    }
  json_object_set_array_member (object, "rows", rows);

  return object;
}

static void
complain_at (AssayJsonReader *reader, JsonObject *object, const char *name, const char *expected)
{
  gsize mark = assay_json_reader_enter (reader, name);

  assay_json_reader_expect (reader, json_object_get_member (object, name), expected);
  assay_json_reader_leave (reader, mark);
}

static gint64
read_int (AssayJsonReader *reader, JsonObject *object, const char *name, gint64 least,
          gint64 fallback)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL)
    return fallback;
  if (assay_json_node_is_integer (node) && json_node_get_int (node) >= least)
    return json_node_get_int (node);

  complain_at (reader, object, name, "a whole number");
  return fallback;
}

static double
read_double (AssayJsonReader *reader, JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL)
    return 0;
  if (assay_json_node_is_number (node))
    return json_node_get_double (node);
  for (guint i = 0; assay_json_node_is_string (node) && i < G_N_ELEMENTS (odd_numbers); i++)
    if (g_str_equal (json_node_get_string (node), odd_numbers[i].name))
      return odd_numbers[i].value;

  complain_at (reader, object, name, "a number, \"inf\", \"-inf\" or \"nan\"");
  return 0;
}

static void
read_fields (AssayJsonReader *reader, JsonObject *object, gpointer base, const Field *fields,
             guint n_fields)
{
  for (guint i = 0; i < n_fields; i++)
    {
      gpointer at = (char *) base + fields[i].offset;

      if (fields[i].type == FIELD_DOUBLE)
        *(double *) at = read_double (reader, object, fields[i].name);
      else if (fields[i].type == FIELD_SIZE)
        *(gsize *) at = (gsize) read_int (reader, object, fields[i].name, 0, 0);
      else if (fields[i].type == FIELD_U32)
        *(guint32 *) at = (guint32) read_int (reader, object, fields[i].name, 0, 0);
      else
        *(guint64 *) at = (guint64) read_int (reader, object, fields[i].name, G_MININT64, 0);
    }
}

static void
read_histogram (AssayJsonReader *reader, JsonObject *object, const char *name, gsize *buckets)
{
  JsonArray *array = assay_json_reader_array (reader, object, name);
  guint n = array != NULL ? MIN (json_array_get_length (array), ASSAY_COMPARE_N_BUCKETS) : 0;

  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (assay_json_node_is_integer (node) && json_node_get_int (node) >= 0)
        buckets[i] = (gsize) json_node_get_int (node);
      else
        {
          complain_at (reader, object, name, "numbers of elements");
          return;
        }
    }
}

static void
read_stats (AssayJsonReader *reader, JsonObject *object, AssayCompareStats *stats)
{
  JsonArray *worst;

  read_fields (reader, object, stats, stat_fields, G_N_ELEMENTS (stat_fields));
  read_histogram (reader, object, "histogram_bf16", stats->histogram_bf16);
  read_histogram (reader, object, "histogram_fp32", stats->histogram_f32);
  worst = assay_json_reader_array (reader, object, "worst");
  for (guint i = 0; worst != NULL && i < MIN (json_array_get_length (worst), ASSAY_COMPARE_N_WORST);
       i++)
    {
      JsonNode *node = json_array_get_element (worst, i);

      if (!JSON_NODE_HOLDS_OBJECT (node))
        {
          complain_at (reader, object, "worst", "a list of objects");
          return;
        }
      read_fields (reader, json_node_get_object (node), &stats->worst[i], element_fields,
                   G_N_ELEMENTS (element_fields));
      stats->n_worst = i + 1;
    }
}

static void
read_dims (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  JsonArray *array = assay_json_reader_array (reader, object, "dims");
  guint n = array != NULL ? json_array_get_length (array) : 0;

  if (n > 64)
    {
      complain_at (reader, object, "dims", "at most 64 dimensions");
      return;
    }

  row->dims = g_new0 (gint64, n);
  row->rank = n;
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (assay_json_node_is_integer (node) && json_node_get_int (node) >= 0)
        row->dims[i] = json_node_get_int (node);
      else
        {
          complain_at (reader, object, "dims", "a list of sizes");
          return;
        }
    }
}

static void
read_row (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  JsonObject *total = assay_json_reader_object (reader, object, "total");
  JsonObject *own = assay_json_reader_object (reader, object, "own");
  gsize mark;

  row->name = g_strdup (assay_json_reader_string (reader, object, "name"));
  row->node_name = g_strdup (assay_json_reader_string (reader, object, "node"));
  row->op_type = g_strdup (assay_json_reader_string (reader, object, "op_type"));
  row->note = g_strdup (assay_json_reader_string (reader, object, "note"));
  if (row->name == NULL || row->node_name == NULL || row->op_type == NULL)
    assay_json_reader_complain (reader, "\"name\", \"node\" and \"op_type\" expected");
  read_dims (reader, object, row);
  row->is_output = assay_json_reader_bool (reader, object, "is_output", FALSE);
  read_fields (reader, object, row, row_fields, G_N_ELEMENTS (row_fields));
  row->worst_step = read_int (reader, object, "worst_step", -1, -1);
  row->verdict = (AssayComparisonVerdict) assay_json_reader_choice (
      reader, object, "verdict", verdict_names, ASSAY_COMPARISON_UNKNOWN);
  mark = assay_json_reader_enter (reader, "total");
  if (total != NULL)
    read_stats (reader, total, &row->total);
  assay_json_reader_leave (reader, mark);
  mark = assay_json_reader_enter (reader, "own");
  row->has_own = own != NULL;
  if (own != NULL)
    read_stats (reader, own, &row->own);
  assay_json_reader_leave (reader, mark);
}

/* An index into the rows, or -1. */
static int
read_index (AssayJsonReader *reader, JsonObject *object, const char *name, guint n_rows)
{
  gint64 index = read_int (reader, object, name, -1, -1);

  if (index < (gint64) n_rows)
    return (int) index;

  complain_at (reader, object, name, "the number of a row");
  return -1;
}

/**
 * assay_comparison_read:
 * @reader: where findings go
 * @object: what assay_comparison_print() wrote
 *
 * Reads a comparison; what is wrong becomes a finding, and the file cannot be used then.
 *
 * Returns: (transfer full) (nullable): the comparison
 */
AssayComparison *
assay_comparison_read (AssayJsonReader *reader, JsonObject *object)
{
  AssayComparison *self = assay_comparison_new ();
  JsonArray *rows = assay_json_reader_array (reader, object, "rows");
  const char *a = assay_json_reader_string (reader, object, "a");
  const char *b = assay_json_reader_string (reader, object, "b");
  gsize mark = assay_json_reader_enter (reader, "rows");

  for (guint i = 0;
       rows != NULL && i < MIN (json_array_get_length (rows), ASSAY_COMPARISON_MAX_ROWS); i++)
    {
      JsonNode *node = json_array_get_element (rows, i);
      gsize element = assay_json_reader_enter_element (reader, i);

      if (JSON_NODE_HOLDS_OBJECT (node))
        {
          AssayComparisonRow *row = g_new0 (AssayComparisonRow, 1);

          g_ptr_array_add (self->rows, row);
          read_row (reader, json_node_get_object (node), row);
        }
      else
        assay_json_reader_expect (reader, node, "object");
      assay_json_reader_leave (reader, element);
    }
  assay_json_reader_leave (reader, mark);

  self->precision = (AssayComparePrecision) assay_json_reader_choice (
      reader, object, "precision", precision_names, ASSAY_COMPARE_BF16);
  self->label_a = g_strdup (a != NULL ? a : "");
  self->label_b = g_strdup (b != NULL ? b : "");
  self->own_inputs_of_b = assay_json_reader_bool (reader, object, "own_inputs_of_b", FALSE);
  self->n_steps = read_int (reader, object, "steps", 0, 1);
  self->first_divergent = read_index (reader, object, "first_divergent", self->rows->len);
  self->worst = read_index (reader, object, "worst", self->rows->len);
  self->verdict = (AssayComparisonVerdict) assay_json_reader_choice (
      reader, object, "verdict", verdict_names, ASSAY_COMPARISON_UNKNOWN);
  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (self->rows, i);

      row->total.precision = row->own.precision = self->precision;
    }

  return self;
}

/**
 * assay_comparison_copy:
 * @self: a comparison
 *
 * Copies the numbers of a comparison: through its text that would be slow, and through the models
 * impossible.
 *
 * Returns: (transfer full): the copy
 */
AssayComparison *
assay_comparison_copy (const AssayComparison *self)
{
  AssayComparison *copy = assay_comparison_new ();

  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayComparisonRow *row = g_memdup2 (assay_comparison_row (self, i),
                                           sizeof (AssayComparisonRow));

      row->name = g_strdup (row->name);
      row->node_name = g_strdup (row->node_name);
      row->op_type = g_strdup (row->op_type);
      row->note = g_strdup (row->note);
      row->dims = g_memdup2 (row->dims, row->rank * sizeof (gint64));
      g_ptr_array_add (copy->rows, row);
    }
  copy->precision = self->precision;
  copy->label_a = g_strdup (self->label_a);
  copy->label_b = g_strdup (self->label_b);
  copy->own_inputs_of_b = self->own_inputs_of_b;
  copy->n_steps = self->n_steps;
  copy->peak_bytes = self->peak_bytes;
  copy->first_divergent = self->first_divergent;
  copy->worst = self->worst;
  copy->verdict = self->verdict;

  return copy;
}
