/* test-searches.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The searches of a model: smaller inputs if it does not fit, suggestions for causes of a
 * difference, nodes in fp32. tests/data/work/explain.txt has the causes; ASSAY_REGENERATE=1 writes
 * it anew.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "nnir/text/assay-text.h"
#include "run/assay-divergence-cause.h"
#include "run/assay-run-inputs.h"
#include "work/assay-explain.h"
#include "work/assay-qualify.h"
#include "work/assay-remedy.h"
#include "work/assay-work.h"

#include "golden.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"

static AssayWork *
make_work (const char *body, const char *target_id, AssaySettings *settings)
{
  g_autofree char *text = g_strconcat ("nnir 1\n", body, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, NULL);
  g_autoptr (AssayTarget) target = assay_target_load (target_id, NULL);

  g_assert_nonnull (graph);
  return assay_work_new_for_graph (NULL, graph, target, settings);
}

/* Published values of FNV-1a in 32 bits. */
static void
test_shards (void)
{
  static const struct
  {
    const char *name;
    guint32 hash;
  } rows[] = { { "", 0x811c9dc5 },
               { "a", 0xe40c292c },
               { "b", 0xe70c2de5 },
               { "foo", 0xa9f37ed7 },
               { "foobar", 0xbf9cf968 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint n = 1; n <= 1u << 16; n = n * 3 + 1)
      {
        const AssayShard own = { rows[i].hash % n, n };
        const AssayShard other = { (rows[i].hash + 1) % n, n };

        g_assert_true (assay_shard_has (&own, rows[i].name));
        if (n > 1)
          g_assert_false (assay_shard_has (&other, rows[i].name));
      }
}

/* Halving, then ten steps between what fits and what does not. */
static gint64
search (gint64 extent, gint64 most)
{
  gint64 fits = extent / 2, not = extent;

  for (; fits > most; fits /= 2)
    not = fits;
  for (guint i = 0; i < 10 && not -fits > 1 && fits > 0; i++)
    {
      gint64 between = fits + (not -fits) / 2;

      *(between <= most ? &fits : &not ) = between;
    }

  return fits;
}

static void
count_way (const AssayWayOut *way, gpointer data)
{
  ++*(guint *) data;
}

/* Input and output of Relu are there at once, in a core's 4096 blocks of 32: 65536 fit. No
 * size is offered for parameters and for inputs that cannot be smaller. */
static void
test_smaller_inputs (void)
{
  static const struct
  {
    const char *body;
    gint64 extents[2];
    const char *axes[2];
  } rows[] = {
    { "main (%x : f32[160000]) {\n  %a = Relu(%x) : f32[160000] @ \"a\"\n  return %a\n}\n",
      { 160000 },
      { "x:0" } },
    { "main (%x : f32[500000]) {\n  %a = Relu(%x) : f32[500000] @ \"a\"\n  return %a\n}\n",
      { 500000 },
      { "x:0" } },
    { "main (%p : f32[1] param = [1.0], %x : f32[1,131200]) {\n"
      "  %a = Relu(%x) : f32[1,131200] @ \"a\"\n  return %a\n}\n",
      { 131200 },
      { "x:1" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayWork) work = make_work (rows[i].body, TARGET, NULL);
      g_autoptr (AssayAllocation) allocation = NULL;
      g_autoptr (GError) error = NULL;
      guint n_told = 0, n_sizes = 0;

      assay_work_seek_ways_out (work, NULL, count_way, &n_told);
      g_assert_null (assay_work_get_program (work, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
      allocation = assay_work_take_allocation (work);
      for (guint k = 0; k < allocation->ways_out->len; k++)
        {
          const AssayWayOut *way = &g_array_index (allocation->ways_out, AssayWayOut, k);
          g_autofree char *option = NULL;

          if (way->kind != ASSAY_WAY_SIZE)
            continue;
          g_assert_cmpstr (way->name, ==, rows[i].axes[n_sizes]);
          g_assert_cmpint (way->value, ==, search (rows[i].extents[n_sizes], 65536));
          option = g_strdup_printf ("--bind %s=%u", way->name, way->value);
          g_assert_cmpstr (way->option, ==, option);
          n_sizes++;
        }
      g_assert_cmpuint (n_sizes, ==, 1);
      g_assert_cmpuint (n_told, ==, allocation->ways_out->len);
    }
}

/* Inputs are made smaller for a model that is alone in its program, and where they are asked for.
 */
static void
test_not_sought (void)
{
  static const char body[] = "main (%x : f32[160000]) {\n"
                             "  %a = Relu(%x) : f32[160000] @ \"a\"\n  return %a\n}\n";

  for (guint turn = 0; turn < 2; turn++)
    {
      g_autoptr (AssayWork) first = make_work (body, TARGET, NULL);
      g_autoptr (AssayWork) second = make_work (body, TARGET, NULL);
      AssayWork *works[] = { first, second };
      g_autoptr (AssayAllocation) allocation = NULL;
      g_autoptr (GError) error = NULL;

      if (turn == 0)
        assay_work_seek_ways_out (first, NULL, NULL, NULL);
      else
        assay_work_explain (first);
      g_assert_false (assay_work_build (works, turn == 0 ? 2 : 1, NULL, NULL, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
      allocation = assay_work_take_allocation (first);
      g_assert_nonnull (allocation);
      for (guint i = 0; i < allocation->ways_out->len; i++)
        g_assert_cmpint (g_array_index (allocation->ways_out, AssayWayOut, i).kind, !=,
                         ASSAY_WAY_SIZE);
    }
}

/* Weights that neither bf16 nor fp8 has. */
static char *
make_product (void)
{
  GString *body = g_string_new ("main (%x : f32[1,64]) {\n  const %w : f32[64,8] = [");

  for (guint i = 0; i < 64 * 8; i++)
    g_string_append_printf (body, "%s%.6f", i > 0 ? ", " : "", ((i * 7919) % 997 - 498.0) / 3987);
  g_string_append (body, "]\n"
                         "  %m = MatMul(%x, %w) : f32[1,8] @ \"product\"\n"
                         "  %s = Mul(%m, %m) : f32[1,8] @ \"square\"\n"
                         "  %t = Add(%s, %m) : f32[1,8] @ \"add\"\n"
                         "  return %t\n}\n");

  return g_string_free (body, FALSE);
}

/* Two runs of a product, and what is known of the first row then. */
static AssayComparison *
compare (AssayWork *work, const char *b, AssayComparisonSide sides[2], GPtrArray **inputs)
{
  AssayRunSubject *subject;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (AssayRunInputs) made = assay_run_inputs_new ();
  g_autoptr (GError) error = NULL;
  AssayComparison *comparison;

  subject = assay_work_get_subject (work, TRUE, NULL, &error);
  g_assert_no_error (error);
  ports = assay_run_subject_get_inputs (subject);
  assay_run_inputs_set_seed (made, 3, TRUE);
  *inputs = assay_run_inputs_make (made, (const AssayRunPort *) (gpointer) ports->data, ports->len,
                                   0, &error);
  g_assert_no_error (error);
  sides[0] = (AssayComparisonSide){ "reference", subject };
  sides[1] = (AssayComparisonSide){ b, subject };
  comparison = assay_compare_runs (&sides[0], &sides[1], *inputs, NULL, NULL, &error);
  g_assert_no_error (error);

  return comparison;
}

/* As if it had been found. */
static void
set_cause (AssayComparison *comparison, guint index, const char *kind)
{
  AssayComparisonRow *row = g_ptr_array_index (comparison->rows, index);
  AssayDivergenceCause *cause = g_new0 (AssayDivergenceCause, 1);

  g_clear_pointer (&row->causes, g_ptr_array_unref);
  row->causes = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  cause->kind = g_strdup (kind);
  cause->node = g_strdup ("");
  cause->sentence = g_strdup (kind);
  g_ptr_array_add (row->causes, cause);
}

static void
describe (GString *text, const char *title, const AssayComparison *comparison)
{
  g_string_append_printf (text, "%s\n", title);
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      g_string_append_printf (text, "  %s %s %s\n", row->op_type, row->node_name,
                              assay_comparison_verdict_name (row->verdict));
    }
}

static void
describe_cause (GString *text, const AssayComparisonRow *row)
{
  const AssayDivergenceCause *cause = g_ptr_array_index (row->causes, 0);

  g_string_append_printf (text, "  %s at %s: ", cause->kind, row->node_name);
  if (cause->remedy != NULL)
    g_string_append_printf (text, "%s, %s, %d cycles, %d blocks%s\n", cause->remedy,
                            cause->remedied < cause->unremedied ? "less" : "not less",
                            (int) cause->cycles, (int) cause->blocks,
                            cause->is_counted ? "" : ", not counted");
  else
    g_string_append_printf (text, "%s\n", cause->refusal != NULL ? cause->refusal : "nothing");
}

static void
test_explain (void)
{
  static const char *const targets[] = { TARGET, "v80_c6b32" };
  static const char *const kinds[] = { "constants", "inputs",       "rounding", "denormals",
                                       "order",     "accumulation", "function", "axis" };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "work", "explain.txt", NULL);
  g_autofree char *expected = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *body = make_product ();

  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  g_string_append_len (text, expected, strstr (expected, "\n\n") + 2 - expected);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    for (guint fp8 = 0; fp8 <= i; fp8++)
      for (guint wide = 0; wide < 2; wide++)
        {
          g_autoptr (AssaySettings) settings = assay_settings_new ();
          g_autoptr (AssayWork) work = NULL;
          g_autoptr (AssayComparison) comparison = NULL;
          g_autoptr (GPtrArray) inputs = NULL;
          g_autoptr (GError) error = NULL;
          g_autofree char *title = g_strdup_printf (
              "%s%s on %s", targets[i], fp8 ? " with fp8" : "", wide ? "vm-fp32" : "vm");
          AssayComparisonSide sides[2];

          assay_settings_set_flag (&settings, ASSAY_SETTING_FP8_WEIGHTS, fp8);
          work = make_work (body, targets[i], settings);
          comparison = compare (work, wide ? "vm-fp32" : "vm", sides, &inputs);
          describe (text, title, comparison);
          for (guint k = 0; k < 2 * G_N_ELEMENTS (kinds); k++)
            {
              guint index = k % 2;

              for (guint row = 0; row < comparison->rows->len; row++)
                g_clear_pointer (&((AssayComparisonRow *) comparison->rows->pdata[row])->causes,
                                 g_ptr_array_unref);
              set_cause (comparison, index, kinds[k / 2]);
              g_assert_true (assay_explain_causes (comparison, work, &sides[0], &sides[1], inputs,
                                                   0, NULL, &error));
              describe_cause (text, assay_comparison_row (comparison, index));
            }

          if (wide)
            continue;
          {
            g_autoptr (GArray) shares = assay_explain_error (comparison, work, "reference", inputs,
                                                             2, NULL, &error);

            g_assert_no_error (error);
            for (guint k = 0; k < shares->len; k++)
              {
                const AssayErrorShare *share = &g_array_index (shares, AssayErrorShare, k);

                g_string_append_printf (text, "  in fp32 %s: %s, %d cycles, %d blocks, %s\n",
                                        share->node, share->gain_db > 0 ? "better" : "no better",
                                        (int) share->cycles, (int) share->blocks,
                                        share->refusal != NULL ? share->refusal : "possible");
              }
          }
        }
  golden_check (path, text->str);
}

/* A search that is cancelled ends with that error, and suggests nothing. */
static void
test_cancelled (void)
{
  g_autofree char *body = make_product ();
  g_autoptr (AssayWork) work = make_work (body, TARGET, NULL);
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  AssayComparisonSide sides[2];

  comparison = compare (work, "vm", sides, &inputs);
  set_cause (comparison, 1, "rounding");
  g_cancellable_cancel (cancellable);
  g_assert_false (
      assay_explain_causes (comparison, work, &sides[0], &sides[1], inputs, 0, &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  g_assert_null (
      ((AssayDivergenceCause *) g_ptr_array_index (assay_comparison_row (comparison, 1)->causes, 0))
          ->remedy);
}

/* Every stage of a model that is there, not there, unsupported, or too large: each alone, from the
 * file on. */
static void
test_stages (void)
{
  static const struct
  {
    const char *body;     /* (nullable) */
    const char *expected; /* graph, form, verdicts, program, subject, inputs: what they end with */
  } rows[] = {
    { "main (%x : f32[64]) {\n  %a = Relu(%x) : f32[64] @ \"a\"\n  return %a\n}\n",
      "ok ok ok ok ok ok" },
    { "main (%x : f32[64]) {\n  %a = Sin(%x) : f32[64] @ \"a\"\n  return %a\n}\n",
      "ok ok ok UNSUPPORTED UNSUPPORTED ok" },
    { "main (%x : f32[160000]) {\n  %a = Relu(%x) : f32[160000] @ \"a\"\n  return %a\n}\n",
      "ok ok ok ALLOCATION ALLOCATION ok" },
    { "main (%x : f32[64]) {\n  return %none\n}\n", "IMPORT IMPORT IMPORT IMPORT IMPORT IMPORT" },
    { NULL, "IO IO IO IO IO IO" },
  };
  g_autofree char *folder = g_dir_make_tmp ("assay-work-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.nnir", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat ("nnir 1\n", rows[i].body, NULL);
      g_autoptr (GString) found = g_string_new (NULL);

      if (rows[i].body != NULL)
        g_assert_true (g_file_set_contents (path, text, -1, NULL));
      else
        g_unlink (path);
      for (guint stage = 0; stage < 6; stage++)
        {
          g_autoptr (AssayTarget) target = assay_target_load (TARGET, NULL);
          AssayWork *work = assay_work_new (path, target, NULL);
          g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
          g_autoptr (GError) error = NULL;
          gboolean done = stage == 0   ? assay_work_get_graph (work, NULL, &error) != NULL
                          : stage == 1 ? assay_work_get_form (work, NULL, NULL, &error) != NULL
                          : stage == 2 ? assay_work_get_verdicts (work, NULL, &error) != NULL
                          : stage == 3 ? assay_work_get_program (work, NULL, &error) != NULL
                          : stage == 4 ? assay_work_get_subject (work, TRUE, NULL, &error) != NULL
                                       : assay_work_open_inputs (&work, inputs, NULL, &error);

          g_assert_true (done == (error == NULL));
          g_string_append_printf (found, "%s%s", stage > 0 ? " " : "",
                                  done ? "ok" : assay_error_code_name ((AssayError) error->code));
          assay_work_free (work);
        }
      g_assert_cmpstr (found->str, ==, rows[i].expected);
    }
  g_rmdir (folder);
}

/* Without what the vendor does not list: the first node that is rejected is named, undecided ones
 * are left to the compiler. */
static void
test_published (void)
{
  static const struct
  {
    const char *body;
    gboolean published_only;
    const char *message; /* NULL if there is a program */
  } rows[] = {
    { "main (%x : f32[64]) {\n  %a = Gelu(%x) : f32[64] @ \"a\"\n  return %a\n}\n", TRUE, NULL },
    { "main (%x : f32[64]) {\n  %a = Mish(%x) : f32[64] @ \"a\"\n  return %a\n}\n", FALSE, NULL },
    { "main (%x : f32[64]) {\n  %a = Gelu(%x) : f32[64] @ \"a\"\n"
      "  %b = Mish(%a) : f32[64] @ \"b\"\n  return %b\n}\n",
      TRUE, "b: The vendor does not list Mish, and only what it lists is taken" },
    { "main (%x : f32[n]) {\n  %a = Gelu(%x) : f32[n] @ \"a\"\n  return %a\n}\n", TRUE,
      "Value x has type f32[n]; every extent must be known to compile, bind it" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssaySettings) settings = assay_settings_new ();
      g_autoptr (AssayWork) work = NULL;
      g_autoptr (GError) error = NULL;

      assay_settings_set_flag (&settings, ASSAY_SETTING_PUBLISHED_ONLY, rows[i].published_only);
      work = make_work (rows[i].body, TARGET, settings);
      g_assert_true ((assay_work_get_program (work, NULL, &error) == NULL) ==
                     (rows[i].message != NULL));
      g_assert_cmpstr (error != NULL ? error->message : NULL, ==, rows[i].message);
    }
}

TEST_PROGRAM (searches)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/searches/shards", test_shards);
  g_test_add_func ("/searches/smaller-inputs", test_smaller_inputs);
  g_test_add_func ("/searches/not-sought", test_not_sought);
  g_test_add_func ("/searches/explain", test_explain);
  g_test_add_func ("/searches/cancelled", test_cancelled);
  g_test_add_func ("/searches/stages", test_stages);
  g_test_add_func ("/searches/published", test_published);

  return g_test_run ();
}
