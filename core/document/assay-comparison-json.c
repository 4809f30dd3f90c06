/* assay-comparison-json.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The statistics of a comparison in a session file.
 */
#include "document/assay-comparison-json.h"

#include <math.h>
#include <string.h>

#include "run/assay-divergence.h"

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

#define COST(name, type)                                                                           \
  {                                                                                                \
#name, FIELD_##type, G_STRUCT_OFFSET(AssayQuantizeLoss, name)                                  \
  }
#define CAUSE(name, type)                                                                          \
  {                                                                                                \
#name, FIELD_##type, G_STRUCT_OFFSET(AssayDivergenceCause, name)                               \
  }

static const Field stat_fields[] = {
  STAT (step, DOUBLE),
  STAT (grid, DOUBLE),
  STAT (scale, DOUBLE),
  STAT (n, SIZE),
  STAT (n_different, SIZE),
  STAT (n_wrong, SIZE),
  STAT (error, DOUBLE),
  STAT (max_abs, DOUBLE),
  STAT (mean_abs, DOUBLE),
  STAT (mean_error, DOUBLE),
  STAT (rms_error, DOUBLE),
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
  ELEMENT (index, SIZE),   ELEMENT (a, DOUBLE),    ELEMENT (b, DOUBLE),     ELEMENT (error, DOUBLE),
  ELEMENT (ulp_bf16, U32), ELEMENT (ulp_f32, U64), ELEMENT (distance, U64),
};

static const Field row_fields[] = {
  ROW (inherited, DOUBLE),
  ROW (limit, DOUBLE),
  ROW (expected, DOUBLE),
  ROW (certified, DOUBLE),
};

static const Field cost_fields[] = {
  COST (own_db, DOUBLE),
  COST (total_db, DOUBLE),
  COST (float_db, DOUBLE),
  COST (other_db, DOUBLE),
};

static const Field cause_fields[] = {
  CAUSE (before, DOUBLE),    CAUSE (after, DOUBLE),      CAUSE (rms_before, DOUBLE),
  CAUSE (rms_after, DOUBLE), CAUSE (unremedied, DOUBLE), CAUSE (remedied, DOUBLE),
  CAUSE (cycles, U64),       CAUSE (blocks, U64),
};

/* Of one tensor. */
#define MAX_CAUSES 64u
#define MAX_REASONS 64u

static const char *const verdict_names[] = { "exact", "within", "outside", "unknown", NULL };

/* Of a row that does not say its own. */
#define NO_PRECISION ASSAY_N_COMPARE_PRECISIONS

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
print_double (AssayJsonWriter *json, const char *name, double value)
{
  if (isfinite (value))
    assay_json_writer_member_double (json, name, value);
  else
    assay_json_writer_member (json, name, odd_numbers[isnan (value) ? 2 : value > 0 ? 0 : 1].name);
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
print_fields (AssayJsonWriter *json, gconstpointer base, const Field *fields, guint n_fields)
{
  for (guint i = 0; i < n_fields; i++)
    {
      gconstpointer at = (const char *) base + fields[i].offset;

      if (is_zero (at, fields[i].type))
        continue;
      if (fields[i].type == FIELD_DOUBLE)
        print_double (json, fields[i].name, *(const double *) at);
      else if (fields[i].type == FIELD_SIZE)
        assay_json_writer_member_int (json, fields[i].name, (gint64) * (const gsize *) at);
      else if (fields[i].type == FIELD_U32)
        assay_json_writer_member_int (json, fields[i].name, *(const guint32 *) at);
      else
        assay_json_writer_member_int (json, fields[i].name, (gint64) * (const guint64 *) at);
    }
}

static void
print_histogram (AssayJsonWriter *json, const char *name, const gsize *buckets)
{
  guint n = ASSAY_COMPARE_N_BUCKETS;

  while (n > 0 && buckets[n - 1] == 0)
    n--;
  assay_json_writer_begin_member_array (json, name);
  for (guint i = 0; i < n; i++)
    assay_json_writer_int (json, (gint64) buckets[i]);
  assay_json_writer_end_array (json);
}

static void
print_stats (AssayJsonWriter *json, const char *name, const AssayCompareStats *stats, gboolean full)
{
  assay_json_writer_begin_member_object (json, name);
  print_fields (json, stats, stat_fields, G_N_ELEMENTS (stat_fields));
  print_histogram (json, "histogram_bf16", stats->histogram_bf16);
  print_histogram (json, "histogram_fp32", stats->histogram_f32);
  print_histogram (json, "histogram", stats->histogram);
  if (full)
    {
      assay_json_writer_begin_member_array (json, "worst");
      for (guint i = 0; i < stats->n_worst; i++)
        {
          assay_json_writer_begin_object (json);
          print_fields (json, &stats->worst[i], element_fields, G_N_ELEMENTS (element_fields));
          assay_json_writer_end_object (json);
        }
      assay_json_writer_end_array (json);
    }
  assay_json_writer_end_object (json);
}

static void
print_causes (AssayJsonWriter *json, const AssayComparisonRow *row)
{
  assay_json_writer_member_int (json, "trials", row->n_trials);
  assay_json_writer_begin_member_array (json, "causes");
  for (guint i = 0; i < MIN (row->causes->len, MAX_CAUSES); i++)
    {
      const AssayDivergenceCause *cause = g_ptr_array_index (row->causes, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "kind", cause->kind);
      assay_json_writer_member (json, "node", cause->node);
      assay_json_writer_member (json, "sentence", cause->sentence);
      if (cause->remedy != NULL)
        assay_json_writer_member (json, "remedy", cause->remedy);
      if (cause->refusal != NULL)
        assay_json_writer_member (json, "refusal", cause->refusal);
      assay_json_writer_member_bool (json, "is_counted", cause->is_counted);
      print_fields (json, cause, cause_fields, G_N_ELEMENTS (cause_fields));
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
print_reasons (AssayJsonWriter *json, const GArray *reasons)
{
  assay_json_writer_begin_member_array (json, "rules");
  for (guint i = 0; i < MIN (reasons->len, MAX_REASONS); i++)
    {
      const AssayComparisonReason *reason = &g_array_index (reasons, AssayComparisonReason, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "rule", reason->rule);
      assay_json_writer_member_int (json, "elements", (gint64) reason->n);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
print_cost (AssayJsonWriter *json, const AssayQuantizeLoss *cost)
{
  assay_json_writer_begin_member_object (json, "against_float");
  assay_json_writer_member_int (json, "position", cost->position);
  assay_json_writer_member_bool (json, "has_gain", cost->has_gain);
  assay_json_writer_member_int (json, "other", cost->other);
  print_fields (json, cost, cost_fields, G_N_ELEMENTS (cost_fields));
  assay_json_writer_end_object (json);
}

static void
print_row (AssayJsonWriter *json, const AssayComparisonRow *row, gboolean full)
{
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "name", row->name != NULL ? row->name : "");
  assay_json_writer_member (json, "node", row->node_name != NULL ? row->node_name : "");
  assay_json_writer_member (json, "op_type", row->op_type != NULL ? row->op_type : "");
  assay_json_writer_begin_member_array (json, "dims");
  for (guint i = 0; i < row->rank; i++)
    assay_json_writer_int (json, row->dims[i]);
  assay_json_writer_end_array (json);
  assay_json_writer_member_bool (json, "is_output", row->is_output);
  if (row->is_unobserved)
    assay_json_writer_member_bool (json, "is_unobserved", TRUE);
  assay_json_writer_member_bool (json, "is_specified", row->is_specified);
  assay_json_writer_member (json, "precision", assay_compare_precision_names ()[row->precision]);
  print_stats (json, "total", &row->total, full);
  if (row->has_own)
    print_stats (json, "own", &row->own, full);
  print_fields (json, row, row_fields, G_N_ELEMENTS (row_fields));
  assay_json_writer_member_int (json, "worst_step", row->worst_step);
  assay_json_writer_member (json, "verdict", verdict_names[row->verdict]);
  if (row->note != NULL)
    assay_json_writer_member (json, "note", row->note);
  if (row->causes != NULL)
    print_causes (json, row);
  if (row->reasons != NULL)
    print_reasons (json, row->reasons);
  if (row->cost != NULL)
    print_cost (json, row->cost);
  if (row->n_spans > 0)
    {
      assay_json_writer_begin_member_array (json, "steps_rms");
      for (guint i = 0; i < row->n_spans; i++)
        assay_json_writer_double (json, row->span_rms[i]);
      assay_json_writer_end_array (json);
    }
  assay_json_writer_end_object (json);
}

static void
print_names (AssayJsonWriter *json, const char *member, char **names)
{
  assay_json_writer_begin_member_array (json, member);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    assay_json_writer_string (json, names[i]);
  assay_json_writer_end_array (json);
}

static void
print_unobserved (AssayJsonWriter *json, const AssayComparison *self)
{
  assay_json_writer_begin_member_object (json, "unobserved");
  assay_json_writer_member (json, "runner", self->unobserved);
  print_double (json, "error", self->unobserved_error);
  print_names (json, "fused", self->fused);
  print_names (json, "inside", self->inside);
  assay_json_writer_end_object (json);
}

/**
 * assay_comparison_write:
 * @self: a comparison
 * @json: a writer inside an object
 *
 * Writes the numbers of a comparison as the member `comparison`, without what only the models it
 * compared could tell.
 */
void
assay_comparison_write (const AssayComparison *self, AssayJsonWriter *json)
{
  guint n_full = 0;

  assay_json_writer_begin_member_object (json, "comparison");
  assay_json_writer_member (json, "precision", assay_compare_precision_names ()[self->precision]);
  assay_json_writer_member (json, "a", self->label_a);
  assay_json_writer_member (json, "b", self->label_b);
  assay_json_writer_member_bool (json, "own_inputs_of_b", self->own_inputs_of_b);
  assay_json_writer_member_int (json, "steps", self->n_steps);
  assay_json_writer_member_int (json, "first_divergent", self->first_divergent);
  assay_json_writer_member_int (json, "worst", self->worst);
  assay_json_writer_member (json, "verdict", verdict_names[self->verdict]);
  if (self->has_costs)
    print_double (json, "output_db", self->output_db);
  if (self->unobserved != NULL)
    print_unobserved (json, self);
  if (self->expected != NULL)
    {
      assay_json_writer_begin_member_object (json, "expected");
      assay_json_writer_member (json, "from", self->expected);
      assay_json_writer_member_int (json, "outputs", self->n_expected);
      assay_json_writer_member_int (json, "within", self->n_expected_within);
      print_double (json, "error", self->expected_error);
      if (self->expected_trouble != NULL)
        assay_json_writer_member (json, "trouble", self->expected_trouble);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_begin_member_array (json, "rows");
  for (guint i = 0; i < self->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (self, i);
      gboolean full = n_full < ASSAY_COMPARISON_MAX_FULL &&
                      (self->rows->len <= ASSAY_COMPARISON_MAX_FULL || row->is_output ||
                       row->verdict == ASSAY_COMPARISON_OUTSIDE);

      n_full += full;
      print_row (json, row, full);
    }
  assay_json_writer_end_array (json);
  assay_json_writer_end_object (json);
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

  assay_json_reader_expect_at (reader, object, name, "a number, \"inf\", \"-inf\" or \"nan\"");
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
        *(gsize *) at = (gsize) assay_json_reader_int (reader, object, fields[i].name, 0,
                                                       G_MAXINT64, 0);
      else if (fields[i].type == FIELD_U32)
        *(guint32 *) at = (guint32) assay_json_reader_int (reader, object, fields[i].name, 0,
                                                           G_MAXUINT32, 0);
      else
        *(guint64 *) at = (guint64) assay_json_reader_int (reader, object, fields[i].name,
                                                           G_MININT64, G_MAXINT64, 0);
    }
}

/* A list of sizes; what is none is said once. */
static guint
read_sizes (AssayJsonReader *reader, JsonObject *object, const char *name, const char *expected,
            guint most, gsize *sizes)
{
  AssayJsonEach each = assay_json_each_in_list (reader, object, name, most);
  guint n = 0;
  gboolean good = TRUE;

  while (assay_json_each_next (&each))
    {
      good = good && assay_json_node_is_integer (each.node) && json_node_get_int (each.node) >= 0;
      if (good)
        sizes[n++] = (gsize) json_node_get_int (each.node);
    }
  if (!good)
    assay_json_reader_expect_at (reader, object, name, expected);

  return n;
}

static void
read_stats (AssayJsonReader *reader, JsonObject *parent, const char *name, AssayCompareStats *stats)
{
  JsonObject *object = assay_json_reader_object (reader, parent, name);
  gsize mark = assay_json_reader_enter (reader, name);

  if (object != NULL)
    {
      AssayJsonEach each;

      read_fields (reader, object, stats, stat_fields, G_N_ELEMENTS (stat_fields));
      read_sizes (reader, object, "histogram_bf16", "numbers of elements", ASSAY_COMPARE_N_BUCKETS,
                  stats->histogram_bf16);
      read_sizes (reader, object, "histogram_fp32", "numbers of elements", ASSAY_COMPARE_N_BUCKETS,
                  stats->histogram_f32);
      read_sizes (reader, object, "histogram", "numbers of elements", ASSAY_COMPARE_N_BUCKETS,
                  stats->histogram);
      each = assay_json_each_in_list (reader, object, "worst", ASSAY_COMPARE_N_WORST);
      while (assay_json_each_next_object (&each))
        read_fields (reader, each.object, &stats->worst[stats->n_worst++], element_fields,
                     G_N_ELEMENTS (element_fields));
    }
  assay_json_reader_leave (reader, mark);
}

static void
read_dims (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  JsonArray *array = assay_json_reader_array (reader, object, "dims");
  gsize sizes[64];

  if (array != NULL && json_array_get_length (array) > G_N_ELEMENTS (sizes))
    {
      assay_json_reader_expect_at (reader, object, "dims", "at most 64 dimensions");
      return;
    }

  row->rank = array != NULL ? read_sizes (reader, object, "dims", "a list of sizes",
                                          G_N_ELEMENTS (sizes), sizes)
                            : 0;
  row->dims = g_new0 (gint64, row->rank);
  for (guint i = 0; i < row->rank; i++)
    row->dims[i] = (gint64) sizes[i];
}

static void
read_causes (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  AssayJsonEach each;

  if (!json_object_has_member (object, "causes"))
    return;
  row->n_trials = (guint) assay_json_reader_int (reader, object, "trials", 0, G_MAXUINT, 0);
  row->causes = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  each = assay_json_each_in_list (reader, object, "causes", MAX_CAUSES);
  while (assay_json_each_next_object (&each))
    {
      AssayDivergenceCause *cause = g_new0 (AssayDivergenceCause, 1);

      g_ptr_array_add (row->causes, cause);
      cause->kind = g_strdup (assay_json_reader_string (reader, each.object, "kind"));
      cause->node = g_strdup (assay_json_reader_string (reader, each.object, "node"));
      cause->sentence = g_strdup (assay_json_reader_string (reader, each.object, "sentence"));
      cause->remedy = g_strdup (assay_json_reader_string (reader, each.object, "remedy"));
      cause->refusal = g_strdup (assay_json_reader_string (reader, each.object, "refusal"));
      cause->is_counted = assay_json_reader_bool (reader, each.object, "is_counted", FALSE);
      read_fields (reader, each.object, cause, cause_fields, G_N_ELEMENTS (cause_fields));
      if (cause->kind == NULL || cause->node == NULL || cause->sentence == NULL)
        assay_json_reader_complain (reader, "\"kind\", \"node\" and \"sentence\" expected");
    }
}

static void
read_reasons (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  AssayJsonEach each;

  if (!json_object_has_member (object, "rules"))
    return;
  row->reasons = assay_comparison_reasons_new ();
  each = assay_json_each_in_list (reader, object, "rules", MAX_REASONS);
  while (assay_json_each_next_object (&each))
    {
      const char *rule = assay_json_reader_string (reader, each.object, "rule");

      if (rule == NULL)
        assay_json_reader_complain (reader, "\"rule\" expected");
      else
        assay_comparison_reasons_add (
            row->reasons, rule,
            (gsize) assay_json_reader_int (reader, each.object, "elements", 0, G_MAXINT64, 0));
    }
  if (row->reasons->len == 0)
    g_clear_pointer (&row->reasons, g_array_unref);
}

static void
read_cost (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  JsonObject *cost = json_object_has_member (object, "against_float")
                         ? assay_json_reader_object (reader, object, "against_float")
                         : NULL;

  if (cost == NULL)
    return;
  row->cost = g_new0 (AssayQuantizeLoss, 1);
  row->cost->position = (int) assay_json_reader_int (reader, cost, "position", G_MININT, G_MAXINT,
                                                     0);
  row->cost->other = (int) assay_json_reader_int (reader, cost, "other", G_MININT, G_MAXINT,
                                                  row->cost->position);
  row->cost->has_gain = assay_json_reader_bool (reader, cost, "has_gain", FALSE);
  read_fields (reader, cost, row->cost, cost_fields, G_N_ELEMENTS (cost_fields));
}

static void
read_spans (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  JsonArray *array = json_object_has_member (object, "steps_rms")
                         ? assay_json_reader_array (reader, object, "steps_rms")
                         : NULL;
  guint n = array != NULL ? json_array_get_length (array) : 0;

  if (n > ASSAY_COMPARISON_MAX_SPANS)
    {
      assay_json_reader_expect_at (reader, object, "steps_rms", "at most 32 numbers");
      return;
    }
  row->n_spans = n;
  row->span_rms = g_new0 (double, n + 1);
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (JSON_NODE_HOLDS_VALUE (node))
        row->span_rms[i] = json_node_get_double (node);
    }
}

static void
read_row (AssayJsonReader *reader, JsonObject *object, AssayComparisonRow *row)
{
  row->name = g_strdup (assay_json_reader_string (reader, object, "name"));
  row->node_name = g_strdup (assay_json_reader_string (reader, object, "node"));
  row->op_type = g_strdup (assay_json_reader_string (reader, object, "op_type"));
  row->note = g_strdup (assay_json_reader_string (reader, object, "note"));
  if (row->name == NULL || row->node_name == NULL || row->op_type == NULL)
    assay_json_reader_complain (reader, "\"name\", \"node\" and \"op_type\" expected");
  read_dims (reader, object, row);
  row->is_output = assay_json_reader_bool (reader, object, "is_output", FALSE);
  row->is_unobserved = assay_json_reader_bool (reader, object, "is_unobserved", FALSE);
  row->is_specified = assay_json_reader_bool (reader, object, "is_specified", FALSE);
  read_fields (reader, object, row, row_fields, G_N_ELEMENTS (row_fields));
  row->precision = (AssayComparePrecision) assay_json_reader_choice (
      reader, object, "precision", assay_compare_precision_names (), NO_PRECISION);
  row->worst_step = assay_json_reader_int (reader, object, "worst_step", -1, G_MAXINT64, -1);
  row->verdict = (AssayComparisonVerdict) assay_json_reader_choice (
      reader, object, "verdict", verdict_names, ASSAY_COMPARISON_UNKNOWN);
  row->has_own = json_object_has_member (object, "own");
  read_stats (reader, object, "total", &row->total);
  read_stats (reader, object, "own", &row->own);
  read_causes (reader, object, row);
  read_reasons (reader, object, row);
  read_cost (reader, object, row);
  read_spans (reader, object, row);
}

static void
read_expected (AssayJsonReader *reader, JsonObject *parent, AssayComparison *self)
{
  JsonObject *object = json_object_has_member (parent, "expected")
                           ? assay_json_reader_object (reader, parent, "expected")
                           : NULL;
  const char *from;

  if (object == NULL)
    return;

  from = assay_json_reader_string (reader, object, "from");
  self->expected = g_strdup (from != NULL ? from : "");
  self->n_expected = (guint) assay_json_reader_int (reader, object, "outputs", 0,
                                                    ASSAY_COMPARISON_MAX_ROWS, 0);
  self->n_expected_within = (guint) assay_json_reader_int (reader, object, "within", 0,
                                                           self->n_expected, 0);
  self->expected_error = read_double (reader, object, "error");
  if (json_object_has_member (object, "trouble"))
    self->expected_trouble = g_strdup (assay_json_reader_string (reader, object, "trouble"));
}

static GStrv
read_names (AssayJsonReader *reader, JsonObject *object, const char *member)
{
  g_autoptr (GPtrArray)
      names = assay_json_reader_strings_at (reader, object, member, "a list of names");
  GStrv list = g_new0 (char *, (names != NULL ? names->len : 0) + 1);

  for (guint i = 0; names != NULL && i < names->len; i++)
    list[i] = g_strdup (g_ptr_array_index (names, i));

  return list;
}

static void
read_unobserved (AssayJsonReader *reader, JsonObject *parent, AssayComparison *self)
{
  JsonObject *object = json_object_has_member (parent, "unobserved")
                           ? assay_json_reader_object (reader, parent, "unobserved")
                           : NULL;
  const char *runner;

  if (object == NULL)
    return;

  runner = assay_json_reader_string (reader, object, "runner");
  self->unobserved = g_strdup (runner != NULL ? runner : "");
  self->unobserved_error = read_double (reader, object, "error");
  self->fused = read_names (reader, object, "fused");
  self->inside = read_names (reader, object, "inside");
}

/**
 * assay_comparison_read:
 * @reader: where findings go
 * @object: what assay_comparison_write() wrote
 *
 * Reads a comparison; what is wrong becomes a finding, and the file cannot be used then.
 *
 * Returns: (transfer full) (nullable): the comparison
 */
AssayComparison *
assay_comparison_read (AssayJsonReader *reader, JsonObject *object)
{
  AssayComparison *self = assay_comparison_new ();
  const char *a = assay_json_reader_string (reader, object, "a");
  const char *b = assay_json_reader_string (reader, object, "b");
  AssayJsonEach each = assay_json_each_in_list (reader, object, "rows", ASSAY_COMPARISON_MAX_ROWS);

  while (assay_json_each_next_object (&each))
    {
      AssayComparisonRow *row = g_new0 (AssayComparisonRow, 1);

      g_ptr_array_add (self->rows, row);
      read_row (reader, each.object, row);
    }

  self->precision = (AssayComparePrecision) assay_json_reader_choice (
      reader, object, "precision", assay_compare_precision_names (), ASSAY_COMPARE_BF16);
  self->label_a = g_strdup (a != NULL ? a : "");
  self->label_b = g_strdup (b != NULL ? b : "");
  self->own_inputs_of_b = assay_json_reader_bool (reader, object, "own_inputs_of_b", FALSE);
  self->n_steps = assay_json_reader_int (reader, object, "steps", 0, G_MAXINT64, 1);
  self->first_divergent = (int) assay_json_reader_int (reader, object, "first_divergent", -1,
                                                       (gint64) self->rows->len - 1, -1);
  self->worst = (int) assay_json_reader_int (reader, object, "worst", -1,
                                             (gint64) self->rows->len - 1, -1);
  self->verdict = (AssayComparisonVerdict) assay_json_reader_choice (
      reader, object, "verdict", verdict_names, ASSAY_COMPARISON_UNKNOWN);
  self->has_costs = json_object_has_member (object, "output_db");
  self->output_db = read_double (reader, object, "output_db");
  read_expected (reader, object, self);
  read_unobserved (reader, object, self);
  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (self->rows, i);

      /* Older files have one for all rows. */
      if (row->precision == NO_PRECISION)
        row->precision = self->precision;
      row->total.precision = row->own.precision = row->precision;
    }
  assay_comparison_find_siblings (self);

  return self;
}

static GArray *
copy_reasons (const GArray *reasons)
{
  GArray *copy = reasons != NULL ? assay_comparison_reasons_new () : NULL;

  for (guint i = 0; reasons != NULL && i < reasons->len; i++)
    {
      const AssayComparisonReason *reason = &g_array_index (reasons, AssayComparisonReason, i);

      assay_comparison_reasons_add (copy, reason->rule, reason->n);
    }

  return copy;
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
      row->causes = assay_divergence_causes_copy (row->causes);
      row->reasons = copy_reasons (row->reasons);
      row->cost = g_memdup2 (row->cost, sizeof *row->cost);
      row->dims = g_memdup2 (row->dims, row->rank * sizeof (gint64));
      row->span_rms = g_memdup2 (row->span_rms, row->n_spans * sizeof (double));
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
  copy->has_costs = self->has_costs;
  copy->output_db = self->output_db;
  copy->expected = g_strdup (self->expected);
  copy->n_expected = self->n_expected;
  copy->n_expected_within = self->n_expected_within;
  copy->expected_error = self->expected_error;
  copy->expected_trouble = g_strdup (self->expected_trouble);
  copy->unobserved = g_strdup (self->unobserved);
  copy->unobserved_error = self->unobserved_error;
  copy->fused = g_strdupv (self->fused);
  copy->inside = g_strdupv (self->inside);

  return copy;
}
