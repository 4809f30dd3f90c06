/* test-values.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Statistics, findings, progress, hints, names and messages of tensors: a row per case.
 */
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-finding.h"
#include "base/assay-keys.h"
#include "base/assay-nearest.h"
#include "base/assay-progress.h"
#include "base/assay-sentence.h"
#include "base/assay-statistics.h"
#include "base/assay-tensor-read.h"
#include "base/assay-tensor.h"

#include "test-program.h"

static void
check_statistics (const AssayStatistics *self, const AssayStatistics *expected)
{
  g_assert_cmpuint (self->n, ==, expected->n);
  g_assert_cmpuint (self->n_nan, ==, expected->n_nan);
  g_assert_cmpuint (self->n_inf, ==, expected->n_inf);
  g_assert_cmpuint (self->n_zero, ==, expected->n_zero);
  g_assert_cmpfloat (self->min, ==, expected->min);
  g_assert_cmpfloat (self->max, ==, expected->max);
  if (isnan (expected->mean))
    {
      g_assert_true (isnan (self->mean));
      g_assert_true (isnan (self->deviation));
      return;
    }
  g_assert_cmpfloat_with_epsilon (self->mean, expected->mean, 1e-12);
  g_assert_cmpfloat_with_epsilon (self->deviation, expected->deviation, 1e-12);
}

/* The whole, and the sums of every two parts of it. */
static void
test_statistics (void)
{
  static const struct
  {
    double values[6];
    AssayStatistics expected; /* its count says how many there are */
  } rows[] = {
    { { 0 }, { 0, 0, 0, 0, INFINITY, -INFINITY, NAN, NAN } },
    { { 3 }, { 1, 0, 0, 0, 3, 3, 3, 0 } },
    { { 2, 4, 4, 6 }, { 4, 0, 0, 0, 2, 6, 4, G_SQRT2 } },
    { { -1, 0, -0.0, 1 }, { 4, 0, 0, 2, -1, 1, 0, G_SQRT2 / 2 } },
    { { NAN, 2, INFINITY, 4, -INFINITY, 0 }, { 6, 1, 2, 1, 0, 4, 2, 1.632993161855452 } },
    { { NAN, INFINITY }, { 2, 1, 1, 0, INFINITY, -INFINITY, NAN, NAN } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (gsize cut = 0; cut <= rows[i].expected.n; cut++)
      {
        AssayStatistics all = assay_statistics_of (rows[i].values, rows[i].expected.n);
        AssayStatistics first = assay_statistics_of (rows[i].values, cut);
        AssayStatistics rest = assay_statistics_of (rows[i].values + cut, rows[i].expected.n - cut);

        check_statistics (&all, &rows[i].expected);
        assay_statistics_add (&first, &rest);
        check_statistics (&first, &rows[i].expected);
      }
}

static void
test_findings (void)
{
  static const char *const names[] = { "note", "warning", "error" };
  g_autoptr (AssayFindings) self = assay_findings_new ();
  g_autoptr (AssayFindings) more = assay_findings_new ();
  const AssayFinding *finding;

  assay_findings_add (NULL, ASSAY_SEVERITY_ERROR, "rule", NULL, NULL, NULL, 0, "nothing happens");
  assay_findings_add (self, ASSAY_SEVERITY_WARNING, "a.b", "graph", "node", "attribute", 7, "%d",
                      1);
  for (guint severity = 0; severity < 3; severity++)
    {
      g_assert_cmpstr (assay_severity_name (severity), ==, names[severity]);
      for (guint i = 0; i <= severity; i++)
        assay_findings_add (more, severity, "c", NULL, NULL, NULL, -1, "%s %u", names[severity], i);
    }
  assay_findings_append (self, more);
  g_assert_cmpuint (assay_findings_get_count (self), ==, 7);
  finding = assay_findings_get (self, 0);
  g_assert_cmpint (finding->severity, ==, ASSAY_SEVERITY_WARNING);
  g_assert_cmpstr (finding->rule, ==, "a.b");
  g_assert_cmpstr (finding->graph_path, ==, "graph");
  g_assert_cmpstr (finding->node, ==, "node");
  g_assert_cmpstr (finding->attribute, ==, "attribute");
  g_assert_cmpint (finding->offset, ==, 7);
  g_assert_cmpstr (finding->message, ==, "1");
  g_assert_cmpstr (assay_findings_get (self, 6)->message, ==, "error 2");
  g_assert_cmpint (assay_findings_get (self, 6)->offset, ==, -1);
  g_assert_cmpuint (assay_findings_count_at (self, ASSAY_SEVERITY_NOTE), ==, 1);
  g_assert_cmpuint (assay_findings_count_at (self, ASSAY_SEVERITY_WARNING), ==, 3);
  g_assert_cmpuint (assay_findings_count_at (self, ASSAY_SEVERITY_ERROR), ==, 3);

  /* Ten thousand are kept, and the others are counted. */
  for (guint i = 7; i < 10000 + 5; i++)
    assay_findings_add (self, ASSAY_SEVERITY_NOTE, "d", NULL, NULL, NULL, -1, "%u", i);
  g_assert_cmpuint (assay_findings_get_count (self), ==, 10000);
  g_assert_cmpstr (assay_findings_get (self, 9999)->message, ==, "9999");
  g_assert_cmpuint (assay_findings_get_dropped (self), ==, 5);
  assay_findings_append (more, self);
  g_assert_cmpuint (assay_findings_get_count (more), ==, 10000);
  g_assert_cmpuint (assay_findings_get_dropped (more), ==, 5 + 6);
}

static void
note_progress (double fraction, const char *message, gpointer user_data)
{
  g_string_append_printf (user_data, "%s %.3f\n", message, fraction);
}

static void
test_progress (void)
{
  g_autoptr (GString) said = g_string_new (NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  AssayProgress whole = ASSAY_PROGRESS_INIT (note_progress, said, cancellable);
  AssayProgress half = assay_progress_part (&whole, 0.5, 1.0);
  AssayProgress eighth = assay_progress_part (&half, 0.25, 0.5);
  AssayProgress nothing = assay_progress_part (NULL, 0.25, 0.5);

  assay_progress_report (NULL, 0.5, "nobody");
  assay_progress_report (&nothing, 0.5, "nobody");
  assay_progress_report (&whole, 0.25, "whole");
  assay_progress_report (&half, 0.5, "half");
  assay_progress_report (&eighth, 0, "begin");
  assay_progress_report (&eighth, 1, "end");
  assay_progress_report (&eighth, -1, "before");
  assay_progress_report (&eighth, 2, "behind");
  g_assert_cmpstr (said->str, ==,
                   "whole 0.250\nhalf 0.750\nbegin 0.625\nend 0.750\nbefore 0.625\nbehind 0.750\n");

  g_assert_true (assay_progress_check (NULL, NULL));
  g_assert_true (assay_progress_check (&eighth, &error));
  g_assert_no_error (error);
  g_cancellable_cancel (cancellable);
  g_assert_true (assay_progress_is_cancelled (&eighth));
  g_assert_false (assay_progress_is_cancelled (&nothing));
  g_assert_false (assay_progress_check (&eighth, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

static void
test_hints (void)
{
  static const char *const candidates[] = { "abs", "pooling", "convolution", "pool", NULL };
  static const struct
  {
    const char *name;
    const char *hint;
  } rows[] = {
    { "abs", "; did you mean `abs`?" },
    { "ABS", "; did you mean `abs`?" },
    { "bs", "; did you mean `abs`?" },
    { "b", "; did you mean `abs`?" }, /* two of three letters are gone: 1 + 3 / 3 */
    { "", "" },
    { "polling", "; did you mean `pooling`?" },
    { "pol", "; did you mean `pool`?" },
    { "convxxxxion", "; did you mean `convolution`?" },
    { "convxxxxxon", "" },
  };
  g_autofree char *long_name = g_strnfill (100, 'a');
  g_autofree char *hint = assay_nearest_hint (long_name, candidates);

  g_assert_cmpstr (hint, ==, "");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *found = assay_nearest_hint (rows[i].name, candidates);

      g_assert_cmpstr (found, ==, rows[i].hint);
    }
}

static void
test_keys (void)
{
  static const char *const names[] = { "b", "a", "", "ab" };
  g_autoptr (GHashTable) table = g_hash_table_new (g_str_hash, g_str_equal);
  g_auto (GStrv) none = assay_list_keys (table);
  g_auto (GStrv) keys = NULL;
  g_autofree char *joined = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_hash_table_add (table, (gpointer) names[i]);
  keys = assay_list_keys (table);
  joined = g_strjoinv (",", keys);
  g_assert_null (none[0]);
  g_assert_cmpstr (joined, ==, ",a,ab,b");
}

static void
test_sentences (void)
{
  static const char *const begun[][2] = {
    { "relu is hot", "Relu is hot" },
    { "a, b", "A, b" },
    { "word", "Word" },
    { "conv_1 is hot", "conv_1 is hot" },
    { "x.onnx: no", "x.onnx: no" },
    { "Relu", "Relu" },
    { "", "" },
  };
  static const char *const shown[][2] = {
    { "1234 bytes", "1\u202f234 bytes" },
    { "123 bytes", "123 bytes" },
    { "of (1234567)", "of (1\u202f234\u202f567)" },
    { "12345, 0123 and 1234.5", "12\u202f345, 0123 and 1234.5" },
    { "at 1234. Then 1234:", "at 1\u202f234. Then 1\u202f234:" },
    { "x1234 and 1234x", "x1234 and 1234x" },
    { "`conv1 2345` has 2345", "\u201cconv1 2345\u201d has 2\u202f345" },
    { "1234567890123456789", "1234567890123456789" },
  };
  static const struct
  {
    double measure;
    const char *text;
  } measures[] = {
    { 0, "0" },           { 1.23456, "1.23" },        { 998.4, "998" }, { 999.5, "1000" },
    { 123456, "123456" }, { 999999999, "999999999" }, { 1e9, "1e+09" }, { 0.00012345, "0.000123" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (begun); i++)
    {
      g_autofree char *text = assay_sentence_new (begun[i][0]);
      g_autofree char *closed = assay_sentence_dup_closed (text);
      g_autofree char *again = assay_sentence_dup_closed (closed);

      g_assert_cmpstr (text, ==, begun[i][1]);
      g_assert_true (g_str_has_suffix (closed, "."));
      g_assert_cmpstr (again, ==, closed);
    }
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      g_autofree char *text = assay_sentence_dup_shown (shown[i][0]);

      g_assert_cmpstr (text, ==, shown[i][1]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (measures); i++)
    {
      g_autofree char *text = assay_sentence_dup_measure (measures[i].measure);

      g_assert_cmpstr (text, ==, measures[i].text);
    }
}

/* Bits, kind, bits of the fraction and bytes of seven elements: TensorProto.DataType of ONNX. */
static void
test_dtypes (void)
{
  static const struct
  {
    const char *name;
    guint bits;
    char kind;
    guint fraction;
    gsize seven;
  } rows[] = {
    { "undefined", 0, '?', 0, 0 },  { "f32", 32, 'F', 23, 28 }, { "u8", 8, 'U', 0, 7 },
    { "i8", 8, 'I', 0, 7 },         { "u16", 16, 'U', 0, 14 },  { "i16", 16, 'I', 0, 14 },
    { "i32", 32, 'I', 0, 28 },      { "i64", 64, 'I', 0, 56 },  { "string", 0, 'S', 0, 0 },
    { "bool", 8, 'B', 0, 7 },       { "f16", 16, 'F', 10, 14 }, { "f64", 64, 'F', 52, 56 },
    { "u32", 32, 'U', 0, 28 },      { "u64", 64, 'U', 0, 56 },  { "c64", 64, 'C', 0, 56 },
    { "c128", 128, 'C', 0, 112 },   { "bf16", 16, 'F', 7, 14 }, { "f8e4m3fn", 8, 'F', 3, 7 },
    { "f8e4m3fnuz", 8, 'F', 3, 7 }, { "f8e5m2", 8, 'F', 2, 7 }, { "f8e5m2fnuz", 8, 'F', 2, 7 },
    { "u4", 4, 'U', 0, 4 },         { "i4", 4, 'I', 0, 4 },     { "f4e2m1", 4, 'F', 1, 4 },
    { "f8e8m0", 8, 'F', 0, 7 },     { "u2", 2, 'U', 0, 2 },     { "i2", 2, 'I', 0, 2 },
  };

  g_assert_cmpuint (G_N_ELEMENTS (rows), ==, ASSAY_N_DTYPES);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayDType found;
      gsize bytes = 0;

      g_assert_cmpstr (assay_dtype_name (i), ==, rows[i].name);
      g_assert_true (assay_dtype_from_name (rows[i].name, &found));
      g_assert_cmpuint (found, ==, i);
      g_assert_cmpuint (assay_dtype_bits (i), ==, rows[i].bits);
      g_assert_cmpint (assay_dtype_kind (i), ==, rows[i].kind);
      g_assert_cmpuint (assay_dtype_fraction_bits (i), ==, rows[i].fraction);
      g_assert_cmpint (assay_dtype_is_known ((int) i), ==, i > 0);
      g_assert_cmpint (assay_dtype_is_float (i), ==, rows[i].kind == 'F');
      g_assert_cmpint (assay_dtype_is_integer (i), ==, rows[i].kind == 'I' || rows[i].kind == 'U');
      g_assert_cmpint (assay_dtype_byte_size (i, 7, &bytes), ==, rows[i].bits > 0);
      g_assert_cmpuint (bytes, ==, rows[i].seven);
    }
  g_assert_false (assay_dtype_is_known (-1));
  g_assert_false (assay_dtype_is_known (ASSAY_N_DTYPES));
}

static void
count_destroyed (gpointer data)
{
  (*(guint *) data)++;
}

static GBytes *
load_two (AssayTensor *tensor, gpointer user_data, GError **error)
{
  const float numbers[] = { 1.5f, -2 };

  return g_bytes_new (numbers, sizeof numbers);
}

static void
test_tensors (void)
{
  static const gint64 two[] = { 2 }, many[ASSAY_MAX_RANK + 1] = { 0 };
  static const gint64 huge[] = { G_MAXINT64, 4 };
  static const struct
  {
    AssayDType dtype;
    guint rank;
    const gint64 *dims;
    gsize n_bytes;
    const char *message;
  } rows[] = {
    { ASSAY_DTYPE_F32, 1, two, 8, NULL },
    { ASSAY_DTYPE_F32, 0, NULL, 4, NULL },
    { ASSAY_DTYPE_F32, ASSAY_MAX_RANK, many, 0, NULL },
    { ASSAY_DTYPE_F32, ASSAY_MAX_RANK + 1, many, 0, "rank 65, at most 64 is possible" },
    { ASSAY_DTYPE_UNDEFINED, 0, NULL, 0, "there is no element type 0" },
    { ASSAY_DTYPE_F32, 2, huge, 0,
      "a tensor of type f32 and shape [9223372036854775807, 4] cannot exist" },
    { ASSAY_DTYPE_F32, 1, two, 1, "1 byte for a tensor of type f32 and shape [2], which takes 8" },
    { ASSAY_DTYPE_STRING, 1, two, 8,
      "strings have no size of their own; assay_tensor_new_strings() takes them" },
  };
  guint n_destroyed = 0;
  g_autoptr (AssayTensor) lazy = NULL;
  double read[2];

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_take (g_malloc0 (rows[i].n_bytes), rows[i].n_bytes);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayTensor)
          tensor = assay_tensor_new (rows[i].dtype, rows[i].rank, rows[i].dims, bytes, &error);

      g_assert_cmpint (tensor != NULL, ==, rows[i].message == NULL);
      if (rows[i].message == NULL)
        continue;
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_cmpstr (error->message, ==, rows[i].message);
    }

  /* Data of a tensor that is read when it is asked for goes with it, or with its failure. */
  lazy = assay_tensor_new_lazy (ASSAY_DTYPE_F32, 1, two, load_two, &n_destroyed, count_destroyed,
                                NULL);
  g_assert_false (assay_tensor_is_loaded (lazy));
  g_assert_true (assay_tensor_read_doubles (lazy, 0, 2, read, NULL));
  g_assert_true (assay_tensor_is_loaded (lazy));
  g_assert_cmpfloat (read[0], ==, 1.5);
  g_assert_cmpfloat (read[1], ==, -2);
  g_clear_pointer (&lazy, assay_tensor_unref);
  g_assert_cmpuint (n_destroyed, ==, 1);
  g_assert_null (assay_tensor_new_lazy (ASSAY_DTYPE_UNDEFINED, 1, two, load_two, &n_destroyed,
                                        count_destroyed, NULL));
  g_assert_cmpuint (n_destroyed, ==, 2);
}

TEST_PROGRAM (values)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/values/statistics", test_statistics);
  g_test_add_func ("/base/values/findings", test_findings);
  g_test_add_func ("/base/values/progress", test_progress);
  g_test_add_func ("/base/values/hints", test_hints);
  g_test_add_func ("/base/values/keys", test_keys);
  g_test_add_func ("/base/values/sentences", test_sentences);
  g_test_add_func ("/base/values/dtypes", test_dtypes);
  g_test_add_func ("/base/values/tensors", test_tensors);

  return g_test_run ();
}
