/* assay-compare-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-compare-report.h"

#include <math.h>

#include "base/assay-bf16.h"
#include "base/assay-sentence.h"
#include "evaluate/compare/assay-error-span.h"
#include "text/assay-json-writer.h"
#include "report/assay-quantize-report.h"
#include "report/assay-report-text.h"
#include "run/assay-divergence.h"
#include "text/assay-text-table.h"

/* What a shader keeps to where the specification gives its operation no room. */
#define EVERY_STEP "every step correctly rounded"

/* Of 8 bits, where judging takes the larger of the two. */
static gboolean
is_expected_limit (const AssayComparisonRow *row)
{
  return !row->is_specified && isfinite (row->expected) && row->limit <= row->expected &&
         row->limit >= row->expected;
}

static void
member_double (AssayJsonWriter *json, const char *name, double value)
{
  assay_json_writer_member_double (json, name, value);
}

static void
member_pair (AssayJsonWriter *json, const char *name, const gsize *pair)
{
  assay_json_writer_begin_member_array (json, name);
  assay_json_writer_uint (json, pair[0]);
  assay_json_writer_uint (json, pair[1]);
  assay_json_writer_end_array (json);
}

/* Buckets behind the last that is not empty are left out. */
static void
member_histogram (AssayJsonWriter *json, const char *name, const gsize *buckets)
{
  guint n = ASSAY_COMPARE_N_BUCKETS;

  while (n > 0 && buckets[n - 1] == 0)
    n--;

  assay_json_writer_begin_member_array (json, name);
  for (guint i = 0; i < n; i++)
    assay_json_writer_uint (json, buckets[i]);
  assay_json_writer_end_array (json);
}

static void
write_index (AssayJsonWriter *json, const AssayComparisonRow *row, gsize index)
{
  gint64 at[ASSAY_MAX_RANK] = { 0 };

  for (guint i = row->rank; i-- > 0;)
    {
      gsize extent = (gsize) MAX (row->dims[i], 1);

      at[i] = (gint64) (index % extent);
      index /= extent;
    }

  assay_json_writer_begin_array (json);
  for (guint i = 0; i < row->rank; i++)
    assay_json_writer_int (json, at[i]);
  assay_json_writer_end_array (json);
}

static void
member_bits (AssayJsonWriter *json, const char *name, double value)
{
  g_autofree char *bf16 = g_strdup_printf ("0x%04x", assay_bf16_from_f32 ((float) value));
  g_autofree char *fp32 = g_strdup_printf ("0x%08x", assay_f32_bits ((float) value));

  assay_json_writer_begin_member_object (json, name);
  member_double (json, "value", value);
  assay_json_writer_member (json, "bf16", bf16);
  assay_json_writer_member (json, "fp32", fp32);
  assay_json_writer_end_object (json);
}

static void
write_worst (AssayJsonWriter *json, const AssayComparisonRow *row)
{
  assay_json_writer_begin_member_array (json, "worst");
  for (guint i = 0; i < row->total.n_worst; i++)
    {
      const AssayCompareElement *element = &row->total.worst[i];

      assay_json_writer_begin_object (json);
      assay_json_writer_key (json, "index");
      write_index (json, row, element->index);
      member_bits (json, "a", element->a);
      member_bits (json, "b", element->b);
      member_double (json, "error", element->error);
      assay_json_writer_member_int (json, "ulp_bf16", element->ulp_bf16);
      assay_json_writer_member_int (json, "ulp_fp32", (gint64) element->ulp_f32);
      assay_json_writer_member_int (json, "distance", (gint64) element->distance);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/* Errors over time, and whether they grow. */
static void
write_spans (AssayJsonWriter *json, const AssayComparisonRow *row)
{
  double first = 0, last = 0, growth = assay_comparison_row_growth (row, &first, &last);

  assay_json_writer_begin_member_array (json, "steps_rms");
  for (guint i = 0; i < row->n_spans; i++)
    assay_json_writer_double (json, row->span_rms[i]);
  assay_json_writer_end_array (json);
  assay_json_writer_key (json, "growth");
  if (growth > 0)
    {
      assay_json_writer_begin_object (json);
      member_double (json, "first", first);
      member_double (json, "last", last);
      assay_json_writer_end_object (json);
    }
  else
    assay_json_writer_null (json);
}

static void
write_numbers (AssayJsonWriter *json, const AssayComparisonRow *row)
{
  const AssayCompareStats *stats = &row->total;

  member_double (json, "max_abs", stats->max_abs);
  member_double (json, "mean_abs", stats->mean_abs);
  member_double (json, "mean_error", stats->mean_error);
  member_double (json, "max_rel", stats->max_rel);
  assay_json_writer_member_int (json, "max_ulp_bf16", stats->max_ulp_bf16);
  assay_json_writer_member_int (json, "max_ulp_fp32", (gint64) stats->max_ulp_f32);
  member_double (json, "cosine", stats->cosine);
  member_double (json, "sqnr_db", stats->sqnr_db);
  member_double (json, "psnr_db", stats->psnr_db);
  member_pair (json, "nan", stats->nan);
  member_pair (json, "inf", stats->inf);
  assay_json_writer_member_int (json, "signs", (gint64) stats->n_signs);
  assay_json_writer_key (json, "worst_index");
  if (stats->n_worst > 0)
    write_index (json, row, stats->worst[0].index);
  else
    assay_json_writer_null (json);
  if (row->worst_step >= 0)
    assay_json_writer_member_int (json, "worst_step", row->worst_step);
  if (row->n_spans > 0)
    write_spans (json, row);
  assay_json_writer_member_bool (json, "bit_exact", assay_compare_is_exact (stats));
  member_double (json, "total_error", stats->error);
  assay_json_writer_key (json, "own_error");
  if (row->has_own)
    assay_json_writer_double (json, row->own.error);
  else
    assay_json_writer_null (json);
  member_double (json, "inherited_error", row->inherited);
  member_double (json, "factor", assay_comparison_row_factor (row));
  member_double (json, "bias", assay_comparison_row_bias (row));
  member_double (json, "limit", row->limit);
  assay_json_writer_member (json, "limit_source",
                            row->is_specified         ? "Vulkan specification"
                            : is_expected_limit (row) ? "expected"
                                                      : "tolerance");
  member_double (json, "expected", row->expected);
  member_double (json, "certified", row->certified);
  member_histogram (json, "histogram_bf16", stats->histogram_bf16);
  member_histogram (json, "histogram_fp32", stats->histogram_f32);
  member_histogram (json, "histogram", stats->histogram);
  assay_json_writer_member (json, "distance_unit", assay_compare_unit_name (stats));
  write_worst (json, row);
}

/* The most frequent first, and what no rule explains last. */
static int
compare_reasons (gconstpointer a, gconstpointer b)
{
  const AssayComparisonReason *left = a, *right = b;
  gboolean open[] = { g_str_equal (left->rule, ASSAY_COMPARISON_UNEXPLAINED),
                      g_str_equal (right->rule, ASSAY_COMPARISON_UNEXPLAINED) };

  return open[0] != open[1] ? open[0] - open[1] : left->n < right->n ? 1 : -(left->n > right->n);
}

/* Adds the reasons of all tensors up. */
static GArray *
add_reasons (const AssayComparison *comparison)
{
  GArray *sums = assay_comparison_reasons_new ();

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const GArray *reasons = assay_comparison_row (comparison, i)->reasons;

      for (guint j = 0; reasons != NULL && j < reasons->len; j++)
        {
          const AssayComparisonReason *reason = &g_array_index (reasons, AssayComparisonReason, j);

          assay_comparison_reasons_add (sums, reason->rule, reason->n);
        }
    }

  g_array_sort (sums, compare_reasons);

  return sums;
}

static void
write_reasons (AssayJsonWriter *json, const char *name, const GArray *reasons)
{
  assay_json_writer_begin_member_array (json, name);
  for (guint i = 0; reasons != NULL && i < reasons->len; i++)
    {
      const AssayComparisonReason *reason = &g_array_index (reasons, AssayComparisonReason, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "rule", reason->rule);
      assay_json_writer_member_uint (json, "elements", reason->n);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/* The first operation in the order of the program that gives something else by itself. */
static const AssayComparisonRow *
find_first_different (const AssayComparison *comparison)
{
  for (guint i = 0; i < comparison->rows->len; i++)
    if (assay_comparison_row (comparison, i)->reasons != NULL)
      return assay_comparison_row (comparison, i);

  return NULL;
}

static void
append_reasons (GString *text, const GArray *reasons)
{
  for (guint i = 0; i < reasons->len; i++)
    {
      const AssayComparisonReason *reason = &g_array_index (reasons, AssayComparisonReason, i);

      assay_terminal_append_format (text, "%s%" G_GSIZE_FORMAT " by %s", i > 0 ? ", " : "",
                                    reason->n, reason->rule);
    }
}

/* What devices with rules of their own do to each element. */
static void
append_rules (GString *text, const AssayComparison *comparison)
{
  const AssayComparisonRow *first = find_first_different (comparison);
  g_autoptr (GArray) sums = add_reasons (comparison);
  g_autofree char *place = NULL;

  if (first == NULL)
    return;
  g_string_append (text, "Elements that differ on the same inputs: ");
  append_reasons (text, sums);
  if (!g_str_equal (g_array_index (sums, AssayComparisonReason, sums->len - 1).rule,
                    ASSAY_COMPARISON_UNEXPLAINED))
    g_string_append (text, ", none unexplained");
  place = assay_comparison_row_dup_place (first);
  assay_terminal_append_format (text, "\nThe first operation that differs by itself: %s %s, ",
                                first->op_type, place);
  append_reasons (text, first->reasons);
  g_string_append_c (text, '\n');
}

/* What the target does instead, or why it cannot. */
static void
write_remedy (AssayJsonWriter *json, const AssayDivergenceCause *cause)
{
  if (cause->remedy == NULL && cause->refusal == NULL)
    return;
  assay_json_writer_begin_member_object (json, "remedy");
  if (cause->remedy == NULL)
    assay_json_writer_member (json, "refusal", cause->refusal);
  else
    {
      assay_json_writer_member (json, "what", cause->remedy);
      member_double (json, "error", cause->unremedied);
      member_double (json, "error_with", cause->remedied);
      if (cause->is_counted)
        assay_json_writer_member_int (json, "cycles", cause->cycles);
      if (cause->is_counted)
        assay_json_writer_member_int (json, "blocks", cause->blocks);
    }
  assay_json_writer_end_object (json);
}

static void
write_causes (AssayJsonWriter *json, const AssayComparisonRow *row)
{
  assay_json_writer_member_int (json, "trials", row->n_trials);
  assay_json_writer_begin_member_array (json, "causes");
  for (guint i = 0; i < row->causes->len; i++)
    {
      const AssayDivergenceCause *cause = g_ptr_array_index (row->causes, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "kind", cause->kind);
      assay_json_writer_member (json, "node", cause->node);
      assay_json_writer_member (json, "sentence", cause->sentence);
      member_double (json, "error", cause->before);
      member_double (json, "error_without", cause->after);
      member_double (json, "rms", cause->rms_before);
      member_double (json, "rms_without", cause->rms_after);
      write_remedy (json, cause);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
write_row (AssayJsonWriter *json, const AssayComparisonRow *row)
{
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "name", row->name);
  assay_json_writer_member (json, "node", row->node_name);
  assay_json_writer_member (json, "op_type", row->op_type);
  assay_json_writer_begin_member_array (json, "shape");
  for (guint i = 0; i < row->rank; i++)
    assay_json_writer_int (json, row->dims[i]);
  assay_json_writer_end_array (json);
  assay_json_writer_member_bool (json, "output", row->is_output);
  assay_json_writer_member (json, "precision", assay_compare_precision_names ()[row->precision]);
  if (row->is_unobserved)
    assay_json_writer_member_bool (json, "unobserved", TRUE);
  assay_json_writer_member (json, "verdict", assay_comparison_verdict_name (row->verdict));
  assay_json_writer_member (json, "divergence",
                            assay_divergence_name (assay_comparison_row_divergence (row)));
  if (row->verdict != ASSAY_COMPARISON_UNKNOWN)
    write_numbers (json, row);
  else
    assay_json_writer_member (json, "reason",
                              row->note != NULL ? row->note : "not seen in both runs");
  if (row->causes != NULL)
    write_causes (json, row);
  if (row->reasons != NULL)
    write_reasons (json, "rules", row->reasons);
  if (row->cost != NULL)
    {
      assay_json_writer_begin_member_object (json, "against_float");
      assay_quantize_report_write_loss (json, row->cost);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_object (json);
}

static void
write_shares (AssayJsonWriter *json, const GArray *shares)
{
  assay_json_writer_begin_member_array (json, "keep_fp32");
  for (guint i = 0; i < shares->len; i++)
    {
      const AssayErrorShare *share = &g_array_index (shares, AssayErrorShare, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "node", share->node);
      member_double (json, "own_error", share->own_error);
      if (share->refusal != NULL)
        assay_json_writer_member (json, "refusal", share->refusal);
      member_double (json, "output_error", share->output_error);
      member_double (json, "output_sqnr_db", share->output_sqnr_db);
      member_double (json, "gain_db", share->gain_db);
      assay_json_writer_member_int (json, "cycles", share->cycles);
      assay_json_writer_member_int (json, "blocks", share->blocks);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
write_unobserved (AssayJsonWriter *json, const AssayComparison *comparison)
{
  assay_json_writer_begin_member_object (json, "unobserved");
  assay_json_writer_member (json, "runner", comparison->unobserved);
  member_double (json, "error", comparison->unobserved_error);
  assay_json_writer_begin_member_array (json, "fused");
  for (guint i = 0; comparison->fused != NULL && comparison->fused[i] != NULL; i++)
    assay_json_writer_string (json, comparison->fused[i]);
  assay_json_writer_end_array (json);
  assay_json_writer_end_object (json);
}

/**
 * assay_compare_report_to_json:
 * @comparison: a comparison
 * @model: path of the model
 * @shares: (nullable) (element-type AssayErrorShare): what keeping single nodes in fp32 gains
 * @length: (out): number of bytes
 *
 * Writes a comparison as a document with the schema `assay.compare/1`. Errors are in units in the
 * last place of the precision named, scaled as docs/comparison.md says; what is infinite is null.
 *
 * Returns: (transfer full): the document
 */
char *
assay_compare_report_to_json (const AssayComparison *comparison, const char *model,
                              const GArray *shares, gsize *length)
{
  AssayJsonWriter json;
  g_autofree char *headline = NULL;
  g_autoptr (GArray) sums = add_reasons (comparison);
  const AssayComparisonRow *first = find_first_different (comparison);

  assay_json_writer_begin_document (&json, 2, "assay.compare/1");
  assay_json_writer_member (&json, "model", model);
  assay_json_writer_member (&json, "a", comparison->label_a);
  assay_json_writer_member (&json, "b", comparison->label_b);
  assay_json_writer_member (&json, "precision",
                            assay_compare_precision_names ()[comparison->precision]);
  assay_json_writer_member_int (&json, "timesteps", comparison->n_steps);
  assay_json_writer_member (&json, "own_error_inputs", comparison->own_inputs_of_b ? "b" : "a");
  assay_json_writer_member (&json, "verdict", assay_comparison_verdict_name (comparison->verdict));
  headline = assay_compare_report_headline (comparison);
  assay_json_writer_member (&json, "headline", headline);
  assay_json_writer_key (&json, "first_divergent");
  if (comparison->first_divergent >= 0)
    assay_json_writer_string (
        &json, assay_comparison_row (comparison, (guint) comparison->first_divergent)->name);
  else
    assay_json_writer_null (&json);
  if (first != NULL)
    {
      assay_json_writer_member (&json, "first_different", first->name);
      write_reasons (&json, "rules", sums);
    }
  if (comparison->has_costs)
    assay_json_writer_member_double (&json, "output_db", comparison->output_db);
  if (comparison->unobserved != NULL)
    write_unobserved (&json, comparison);
  assay_json_writer_begin_member_array (&json, "tensors");
  for (guint i = 0; i < comparison->rows->len; i++)
    write_row (&json, assay_comparison_row (comparison, i));
  assay_json_writer_end_array (&json);
  if (shares != NULL)
    write_shares (&json, shares);
  return assay_json_writer_end_document (&json, length);
}

/* An error to three digits; none at all is a dash. */
static char *
error_text (double error)
{
  if (isinf (error))
    return g_strdup ("not finite");

  return assay_sentence_dup_measure (MAX (error, 0));
}

/* What does not show in the size of an error: that it leans to one side. */
static const char *
lean_of (const AssayComparisonRow *row)
{
  double bias = assay_comparison_row_bias (row);

  return bias > 0 ? ", nearly all of it upward" : bias < 0 ? ", nearly all of it downward" : "";
}

/* Whether a cause is in the node that makes the tensor, and not in one before it. */
static gboolean
is_own (const AssayComparisonRow *row, const AssayDivergenceCause *cause)
{
  return cause->node[0] == '\0' || g_str_equal (cause->node, row->node_name);
}

/* What was found out about it, behind a colon; of a group the node where it is. */
static char *
cause_of (const AssayComparisonRow *row)
{
  const AssayDivergenceCause *cause;

  if (row->causes == NULL)
    return g_strdup ("");
  if (row->causes->len == 0 && row->verdict != ASSAY_COMPARISON_OUTSIDE)
    return g_strdup ("");
  /* A limit may be tighter than rounding can keep. */
  if (row->causes->len == 0 && assay_comparison_row_error (row) <= row->expected)
    {
      g_autofree char *expected = error_text (row->expected);

      return g_strdup_printf (
          "; none of %u trial%s removes it, and rounding is expected to make %s unit%s of it",
          row->n_trials, assay_plural (row->n_trials), expected, assay_plural_of (expected));
    }
  if (row->causes->len == 0)
    return g_strdup_printf ("; none of %u trial%s removes it", row->n_trials,
                            assay_plural (row->n_trials));

  cause = g_ptr_array_index (row->causes, 0);
  return !is_own (row, cause) ? g_strdup_printf (": in %s %s", cause->node, cause->sentence)
                              : g_strdup_printf (": %s", cause->sentence);
}

/* Whether a difference is certainly not one of rounding. */
static gboolean
is_beyond_worst (const AssayComparisonRow *row)
{
  return row->certified > 0 && assay_comparison_row_error (row) > row->certified;
}

static char *
first_divergence (const AssayComparisonRow *row)
{
  g_autofree char *error = error_text (assay_comparison_row_error (row));
  g_autofree char *cause = cause_of (row);
  g_autofree char *place = assay_comparison_row_dup_place (row);

  return g_strdup_printf ("First divergence: %s %s, %s error %s unit%s, limit %.3g%s%s%s",
                          row->op_type, place, row->has_own ? "own" : "total", error,
                          assay_plural_of (error), row->limit, lean_of (row),
                          is_beyond_worst (row) ? ", more than rounding can make" : "", cause);
}

/**
 * assay_compare_report_bounds:
 * @row: a row
 *
 * Says what rounding is expected to make of a tensor, and what at worst.
 *
 * Returns: (transfer full): a sentence, "" where nothing was reckoned
 */
char *
assay_compare_report_bounds (const AssayComparisonRow *row)
{
  g_autofree char *expected = error_text (row->expected);
  g_autofree char *certified = error_text (row->certified);

  if (row->verdict == ASSAY_COMPARISON_UNKNOWN || row->certified == 0)
    return g_strdup ("");
  if (isinf (row->certified))
    return g_strdup ("What rounding can make of it has no bound.");

  return g_strdup_printf (
      "Rounding is expected to make %s unit%s of it, and can make %s at worst%s.", expected,
      assay_plural_of (expected), certified,
      is_beyond_worst (row) ? ": here it is something else" : "");
}

/**
 * assay_compare_report_limit:
 * @row: a row
 *
 * Says what the limit of a tensor follows from, where that is not the tolerance.
 *
 * Returns: (transfer full): a sentence, "" for the tolerance
 */
char *
assay_compare_report_limit (const AssayComparisonRow *row)
{
  const char *words = assay_error_shader_precision (row->op_type);

  if (is_expected_limit (row))
    return g_strdup ("Its limit is what rounding is expected to make, which is more than the "
                     "tolerance.");
  if (!row->is_specified)
    return g_strdup ("");

  return g_strdup_printf ("Its limit is what the Vulkan specification allows the shader: %s.",
                          words != NULL ? words : EVERY_STEP);
}

/**
 * assay_compare_report_steps:
 * @row: a row
 *
 * Says whether the error of a tensor grows from timestep to timestep.
 *
 * Returns: (transfer full): a sentence, "" of what is no sequence
 */
char *
assay_compare_report_steps (const AssayComparisonRow *row)
{
  g_autofree char *from = NULL;
  double first = 0, last = 0;

  if (row->n_spans <= 1)
    return g_strdup ("");
  if (row->n_spans < ASSAY_DIVERGENCE_FEWEST_SPANS)
    return g_strdup ("There are too few timesteps to tell growth from chance.");
  if (!(assay_comparison_row_growth (row, &first, &last) > 0))
    return g_strdup ("Over the timesteps it does not grow by more than chance does.");

  from = g_strdup_printf ("%.2g", first);
  return g_strdup_printf ("Over the timesteps it grows from %s unit%s to %.2g, root mean square.",
                          from, assay_plural_of (from), last);
}

/* Two runs that agree may both be wrong. */
static char *
describe_expected (const AssayComparison *comparison)
{
  guint off = comparison->n_expected - comparison->n_expected_within;
  g_autofree char *error = error_text (comparison->expected_error);

  if (comparison->expected_trouble != NULL)
    return g_strdup_printf ("Outputs of %s could not be compared: %s", comparison->expected,
                            comparison->expected_trouble);

  return g_strdup_printf ("%u of %u output%s not as %s expects, worst %s unit%s", off,
                          comparison->n_expected, assay_plural (comparison->n_expected),
                          comparison->expected, error, assay_plural_of (error));
}

/**
 * assay_compare_report_unobserved:
 * @comparison: a comparison
 *
 * Says that a runner gives other outputs when nothing is observed, and what was judged.
 *
 * Returns: (transfer full): a sentence, "" where observing changes nothing
 */
char *
assay_compare_report_unobserved (const AssayComparison *comparison)
{
  g_autofree char *error = error_text (comparison->unobserved_error);

  if (comparison->unobserved == NULL)
    return g_strdup ("");

  return g_strdup_printf ("%s gives other outputs when no tensor between is observed: they differ "
                          "by %s unit%s. The verdict is that of the unobserved outputs.",
                          comparison->unobserved, error, assay_plural_of (error));
}

/**
 * assay_compare_report_headline:
 * @comparison: a comparison
 *
 * Says in one sentence how two runs agree: the first node that diverges by itself, which outputs
 * are not as test data expects, what could not be compared, which op magnifies errors, which grow
 * over time, or how far the worst is off.
 *
 * Returns: (transfer full): the sentence
 */
char *
assay_compare_report_headline (const AssayComparison *comparison)
{
  const AssayComparisonRow *row;
  g_autofree char *error = NULL;
  g_autofree char *cause = NULL;
  g_autofree char *place = NULL;
  int amplified, grown;

  if (comparison->first_divergent >= 0)
    return first_divergence (
        assay_comparison_row (comparison, (guint) comparison->first_divergent));
  if (assay_comparison_get_expected_verdict (comparison) != ASSAY_COMPARISON_EXACT)
    return describe_expected (comparison);
  if (comparison->worst < 0)
    return g_strdup ("Nothing could be compared");
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      row = assay_comparison_row (comparison, i);
      if (row->is_output && row->verdict == ASSAY_COMPARISON_UNKNOWN)
        return g_strdup_printf ("Output %s could not be compared: %s", row->name,
                                row->note != NULL ? row->note : "not seen in both runs");
    }
  if (comparison->verdict == ASSAY_COMPARISON_EXACT)
    return g_strdup ("Bit-exact");

  amplified = assay_comparison_find_amplified (comparison);
  if (amplified >= 0)
    {
      row = assay_comparison_row (comparison, (guint) amplified);
      error = error_text (row->total.error);
      place = assay_comparison_row_dup_place (row);
      return g_strdup_printf (
          "Within tolerance; %s %s magnifies what it inherits %.3g times, to %s unit%s",
          row->op_type, place, assay_comparison_row_factor (row), error, assay_plural_of (error));
    }

  grown = assay_comparison_find_growth (comparison);
  if (grown >= 0)
    {
      double first, last;

      row = assay_comparison_row (comparison, (guint) grown);
      assay_comparison_row_growth (row, &first, &last);
      place = assay_comparison_row_dup_place (row);
      error = g_strdup_printf ("%.2g", first);
      return g_strdup_printf (
          "Within tolerance; errors of %s grow over the timesteps, from %s unit%s to %.2g", place,
          error, assay_plural_of (error), last);
    }

  row = assay_comparison_row (comparison, (guint) comparison->worst);
  error = error_text (assay_comparison_row_error (row));
  cause = cause_of (row);
  place = assay_comparison_row_dup_place (row);

  return g_strdup_printf ("Within tolerance, worst %s unit%s at %s%s%s", error,
                          assay_plural_of (error), place, lean_of (row), cause);
}

static int
compare_own (gconstpointer a, gconstpointer b)
{
  const AssayComparisonRow *left = *(const AssayComparisonRow *const *) a;
  const AssayComparisonRow *right = *(const AssayComparisonRow *const *) b;
  double x = assay_comparison_row_error (left), y = assay_comparison_row_error (right);

  return x > y ? -1 : x < y ? 1 : left->node < right->node ? -1 : left->node > right->node;
}

/* An error in units of the comparison is a number, one in other units says so. */
static char *
row_error_text (const AssayComparison *comparison, const AssayComparisonRow *row, double error)
{
  char *text = error_text (error);
  char *with;

  if (row->precision == comparison->precision)
    return text;
  with = g_strdup_printf ("%s %s", text, assay_compare_precision_names ()[row->precision]);
  g_free (text);

  return with;
}

/* The verdict, or what is worth a look although it is within tolerance. */
static const char *
word_of (const AssayComparisonRow *row)
{
  AssayDivergence divergence = assay_comparison_row_divergence (row);

  return divergence == ASSAY_DIVERGENCE_BIASED || divergence == ASSAY_DIVERGENCE_AMPLIFIED
             ? assay_divergence_name (divergence)
             : assay_comparison_verdict_name (row->verdict);
}

/* What rounding may make; a dash where that has no bound. */
static char *
bound_text (double bound)
{
  return isinf (bound) ? g_strdup ("-") : g_strdup_printf ("%.3g", bound);
}

static void
add_row (AssayTextTable *table, const AssayComparison *comparison, const AssayComparisonRow *row)
{
  static const AssayTextStyle styles[] = {
    [ASSAY_COMPARISON_EXACT] = ASSAY_TEXT_STYLE_GOOD,
    [ASSAY_COMPARISON_WITHIN] = ASSAY_TEXT_STYLE_GOOD,
    [ASSAY_COMPARISON_OUTSIDE] = ASSAY_TEXT_STYLE_BAD,
    [ASSAY_COMPARISON_UNKNOWN] = ASSAY_TEXT_STYLE_CAUTION,
  };
  gboolean known = row->verdict != ASSAY_COMPARISON_UNKNOWN;

  assay_text_table_add (table, word_of (row), styles[row->verdict]);
  assay_text_table_add (table, row->op_type, ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_take (table, assay_comparison_row_dup_place (row), ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_take (
      table, row->has_own ? row_error_text (comparison, row, row->own.error) : g_strdup ("-"),
      ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_take (
      table,
      known ? g_strdup_printf ("%.3g%s", row->limit, row->is_specified ? "*" : "") : g_strdup ("-"),
      ASSAY_TEXT_STYLE_DIM);
  assay_text_table_take (table, known ? bound_text (row->expected) : g_strdup ("-"),
                         ASSAY_TEXT_STYLE_DIM);
  assay_text_table_take (table, known ? bound_text (row->certified) : g_strdup ("-"),
                         ASSAY_TEXT_STYLE_DIM);
  assay_text_table_take (table,
                         known ? row_error_text (comparison, row, row->inherited) : g_strdup ("-"),
                         ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_take (
      table, known ? row_error_text (comparison, row, row->total.error) : g_strdup ("-"),
      ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_take (table,
                         known ? g_strdup_printf ("%.3g", row->total.max_abs) : g_strdup ("-"),
                         ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_take (table,
                         !known ? g_strdup (row->note != NULL ? row->note : "not seen in both runs")
                         : isinf (row->total.sqnr_db)
                             ? g_strdup ("exact")
                             : g_strdup_printf ("%.1f", row->total.sqnr_db),
                         ASSAY_TEXT_STYLE_PLAIN);
}

static char *
cost_text (const AssayErrorShare *share, gint64 cost)
{
  return share->refusal != NULL ? g_strdup ("-") : g_strdup_printf ("%+" G_GINT64_FORMAT, cost);
}

static void
append_shares (GString *text, const GArray *shares, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  g_string_append (text, "\nKept in fp32, one node at a time\n");
  assay_text_table_init (&table, 6, 48);
  for (guint i = 1; i < 6; i++)
    assay_text_table_set_right (&table, i);
  assay_text_table_add (&table, "node", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "gain dB", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "cycles", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "blocks", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "SQNR dB of the worst output", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "its error", ASSAY_TEXT_STYLE_DIM);
  for (guint i = 0; i < shares->len; i++)
    {
      const AssayErrorShare *share = &g_array_index (shares, AssayErrorShare, i);

      assay_text_table_add (&table, share->node, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             share->refusal != NULL ? g_strdup ("-")
                                                    : g_strdup_printf ("%+.1f", share->gain_db),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, cost_text (share, share->cycles), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, cost_text (share, share->blocks), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             share->refusal != NULL
                                 ? g_strdup (share->refusal)
                                 : g_strdup_printf ("%.1f", share->output_sqnr_db),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (
          &table, share->refusal != NULL ? g_strdup ("-") : error_text (share->output_error),
          ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

static int
compare_costs (gconstpointer a, gconstpointer b)
{
  const AssayComparisonRow *left = *(AssayComparisonRow *const *) a;
  const AssayComparisonRow *right = *(AssayComparisonRow *const *) b;

  return left->cost->own_db < right->cost->own_db ? -1 : left->cost->own_db > right->cost->own_db;
}

/**
 * assay_compare_report_describe_gain:
 * @cost: what 8 bits cost
 *
 * Says what the outputs would gain without that cost.
 *
 * Returns: (transfer full) (nullable): a part of a sentence, %NULL if it was not measured
 */
char *
assay_compare_report_describe_gain (const AssayQuantizeLoss *cost)
{
  if (!cost->has_gain)
    return NULL;
  if (cost->other == cost->position)
    return g_strdup_printf ("in float the outputs gain %+.2f dB, at no other position more",
                            cost->float_db);

  return g_strdup_printf ("in float the outputs gain %+.2f dB, at position %d %+.2f dB",
                          cost->float_db, cost->other, cost->other_db);
}

/* The operations that lose most by 8 bits, and what that is worth. */
static void
append_costs (GString *text, const AssayComparison *comparison, gboolean colours)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();

  if (!comparison->has_costs)
    return;
  for (guint i = 0; i < comparison->rows->len; i++)
    if (assay_comparison_row (comparison, i)->cost != NULL)
      g_ptr_array_add (rows, g_ptr_array_index (comparison->rows, i));
  g_ptr_array_sort (rows, compare_costs);
  assay_report_append_heading (text, "What 8 bits cost most, SQNR against float", colours);
  for (guint i = 0; i < rows->len; i++)
    {
      const AssayComparisonRow *row = g_ptr_array_index (rows, i);
      g_autofree char *gain = assay_compare_report_describe_gain (row->cost);
      g_autofree char *place = assay_comparison_row_dup_place (row);

      if (gain != NULL)
        assay_terminal_append_format (
            text, "  %s %s: %.1f dB by itself, %.1f dB with what comes in; %s\n", row->op_type,
            place, row->cost->own_db, row->cost->total_db, gain);
    }
  assay_terminal_append_format (text, "  outputs: %.1f dB\n", comparison->output_db);
}

static void
append_causes (GString *text, const AssayComparison *comparison, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };
  gboolean any = FALSE;

  assay_text_table_init (&table, 5, 80);
  assay_text_table_set_right (&table, 2);
  assay_text_table_set_right (&table, 3);
  assay_text_table_add (&table, "node", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "what it does", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "error", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "without", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_add (&table, "on the target", ASSAY_TEXT_STYLE_DIM);
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      for (guint j = 0; row->causes != NULL && j < row->causes->len; j++)
        {
          const AssayDivergenceCause *cause = g_ptr_array_index (row->causes, j);

          any = TRUE;
          assay_text_table_take (&table,
                                 is_own (row, cause) ? assay_comparison_row_dup_place (row)
                                                     : g_strdup (cause->node),
                                 ASSAY_TEXT_STYLE_PLAIN);
          assay_text_table_add (&table, cause->sentence, ASSAY_TEXT_STYLE_PLAIN);
          assay_text_table_take (&table, row_error_text (comparison, row, cause->before),
                                 ASSAY_TEXT_STYLE_PLAIN);
          assay_text_table_take (&table, row_error_text (comparison, row, cause->after),
                                 ASSAY_TEXT_STYLE_PLAIN);
          assay_text_table_take (&table, assay_divergence_cause_dup_remedy (cause),
                                 ASSAY_TEXT_STYLE_DIM);
        }
    }
  if (!any)
    return;
  g_string_append (text, "\nCauses: what removes a difference where the reference does the same\n");
  assay_text_table_print (&table, text, colours);
}

/* Which tensors get worse from timestep to timestep; a sequence is worth a word either way. */
static void
append_steps (GString *text, const AssayComparison *comparison, guint max_rows, gboolean colours)
{
  static const char *const heads[] = { "node", "at first", "at last", "worst step" };
  g_auto (AssayTextTable) table = { 0 };
  gboolean can_tell = FALSE;
  guint n = 0;

  assay_text_table_init (&table, G_N_ELEMENTS (heads), 48);
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      if (i > 0)
        assay_text_table_set_right (&table, i);
      assay_text_table_add (&table, heads[i], ASSAY_TEXT_STYLE_DIM);
    }
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);
      double first, last;

      can_tell = can_tell || row->n_spans >= ASSAY_DIVERGENCE_FEWEST_SPANS;
      if (!(assay_comparison_row_growth (row, &first, &last) > 0) ||
          (n++ >= max_rows && max_rows > 0))
        continue;
      assay_text_table_take (&table, assay_comparison_row_dup_place (row), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, row_error_text (comparison, row, first),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, row_error_text (comparison, row, last),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, g_strdup_printf ("%" G_GINT64_FORMAT, row->worst_step),
                             ASSAY_TEXT_STYLE_PLAIN);
    }
  if (comparison->n_steps <= 1)
    return;
  if (n == 0)
    {
      g_string_append (text, can_tell
                                 ? "\nNo error grows over the timesteps by more than chance does\n"
                                 : "\nToo few timesteps to tell growth of errors from chance\n");
      return;
    }
  g_string_append (text, "\nErrors that grow over the timesteps, root mean square\n");
  assay_text_table_print (&table, text, colours);
  if (max_rows > 0 && n > max_rows)
    g_string_append_printf (text, "and %u more; --all shows them\n", n - max_rows);
}

/* What the limits with an asterisk follow from, each operation once. */
static void
append_specified (GString *text, const AssayComparison *comparison)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = g_ptr_array_index (comparison->rows, i);
      const char *words;

      if (!row->is_specified || !g_hash_table_add (seen, row->op_type))
        continue;
      if (g_hash_table_size (seen) == 1)
        g_string_append (text, "\n* by the Vulkan specification, Precision of Individual "
                               "Operations, carried through the shader\n");
      words = assay_error_shader_precision (row->op_type);
      assay_terminal_append_format (text, "  %s: %s\n", row->op_type,
                                    words != NULL ? words : EVERY_STEP);
    }
}

/**
 * assay_compare_report_to_text:
 * @comparison: a comparison
 * @model: path of the model
 * @shares: (nullable) (element-type AssayErrorShare): what keeping single nodes in fp32 gains
 * @max_rows: most rows to print, the worst first; 0 for all
 * @colours: whether to use colours
 * @length: (out): number of bytes
 *
 * Writes a comparison for people: the headline, then the tensors, those with the largest own error
 * first.
 *
 * Returns: (transfer full): the text
 */
char *
assay_compare_report_to_text (const AssayComparison *comparison, const char *model,
                              const GArray *shares, guint max_rows, gboolean colours, gsize *length)
{
  static const char *const heads[] = { "verdict", "op",       "node",     "own",
                                       "limit",   "expected", "at worst", "inherited",
                                       "total",   "max abs",  "SQNR dB" };
  GString *text = g_string_new (NULL);
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_autofree char *headline = assay_compare_report_headline (comparison);
  g_autofree char *unobserved = assay_compare_report_unobserved (comparison);
  guint n;

  assay_terminal_append_format (text, "%s: %s against %s", model, comparison->label_b,
                                comparison->label_a);
  if (comparison->n_steps > 1)
    g_string_append_printf (text, ", %" G_GINT64_FORMAT " timesteps", comparison->n_steps);
  g_string_append_c (text, '\n');
  assay_terminal_append_styled (text, headline,
                                comparison->verdict == ASSAY_COMPARISON_OUTSIDE
                                    ? ASSAY_TEXT_STYLE_BAD
                                    : ASSAY_TEXT_STYLE_BOLD,
                                colours);
  g_string_append_c (text, '\n');
  if (*unobserved != '\0')
    assay_terminal_append_format (text, "%s\n", unobserved);
  append_rules (text, comparison);
  assay_terminal_append_format (text, "\nErrors in units of %s%s at the size of each tensor\n",
                                assay_compare_precision_names ()[comparison->precision],
                                comparison->own_inputs_of_b ? "; own errors on the inputs of B"
                                                            : "");

  for (guint i = 0; i < comparison->rows->len; i++)
    g_ptr_array_add (sorted, g_ptr_array_index (comparison->rows, i));
  g_ptr_array_sort (sorted, compare_own);
  n = max_rows > 0 ? MIN (max_rows, sorted->len) : sorted->len;

  assay_text_table_init (&table, G_N_ELEMENTS (heads), 48);
  for (guint i = 3; i < G_N_ELEMENTS (heads); i++)
    assay_text_table_set_right (&table, i);
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    assay_text_table_add (&table, heads[i], ASSAY_TEXT_STYLE_DIM);
  for (guint i = 0; i < n; i++)
    add_row (&table, comparison, g_ptr_array_index (sorted, i));
  assay_text_table_print (&table, text, colours);
  if (n < sorted->len)
    g_string_append_printf (text, "and %u more; --all shows them\n", sorted->len - n);
  append_steps (text, comparison, max_rows, colours);
  append_specified (text, comparison);
  append_costs (text, comparison, colours);
  append_causes (text, comparison, colours);
  if (shares != NULL)
    append_shares (text, shares, colours);

  *length = text->len;
  return g_string_free (text, FALSE);
}
