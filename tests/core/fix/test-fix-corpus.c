/* test-fix-corpus.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Laws of fixes over all models of libonnx-testdata: what is offered helps, applies again from its
 * record, and is bit-identical on other inputs too where it says so.
 */
#include "corpus.h"
#include "fix/assay-fix-suggest.h"
#include "nnir/assay-verify.h"
#include "source/assay-source.h"
#include "graphs.h"
#include "test-program.h"

typedef struct
{
  AssayTarget *target;
  guint n_causes;
  guint n_offered; /* causes with an offer */
  guint n_offers;
  guint n_identical;
} Count;

static guint
count_open (const guint *counts)
{
  return counts[ASSAY_VERDICT_REJECTED] + counts[ASSAY_VERDICT_HOST] +
         counts[ASSAY_VERDICT_UNDECIDED];
}

/* The record alone does the same again, and what it makes is sound. */
static void
check_replay (const char *path, AssayWork *model, const AssayFixOffer *offer)
{
  g_autoptr (GPtrArray) fixes = assay_fix_offer_list_fixes (offer, NULL);
  g_autoptr (GPtrArray) back = NULL;
  g_autoptr (AssaySettings) settings = assay_settings_ref (assay_work_get_settings (model));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) fixed = NULL;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autofree char *text = NULL;
  gsize length;

  text = assay_fixes_to_json (fixes, &length);
  back = assay_fixes_from_json (text, (gssize) length, "fixes.json", findings, NULL);
  for (guint i = 0; i < fixes->len; i++)
    if (back == NULL || back->len != fixes->len ||
        !assay_fix_equal (g_ptr_array_index (back, i), g_ptr_array_index (fixes, i)))
      g_error ("%s: %s: the record does not come back", path, offer->title);

  fixed = assay_fixes_apply (assay_work_get_graph (model, NULL, NULL), back, &settings, NULL, NULL,
                             NULL);
  if (!assay_graph_verify (fixed, findings))
    g_error ("%s: %s: %s", path, offer->title, assay_findings_get (findings, 0)->message);
  verdicts = graph_verdicts (assay_work_get_target (model), fixed, settings, NULL);
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    g_assert_cmpuint (assay_verdicts_count (verdicts, i), ==, offer->after[i]);
}

static void
check_offer (Count *count, const char *path, AssayWork *model, const AssayFixOffer *offer)
{
  const AssayFixOptions other = { .n_runs = 8, .seed = 4711, .seconds = 60, .no_cycles = TRUE };
  g_autoptr (GPtrArray) fixes = NULL;
  g_autoptr (AssayFixOffer) again = NULL;
  g_autoptr (GError) error = NULL;

  count->n_offers++;
  g_assert_cmpuint (count_open (offer->after), <=, count_open (offer->before));
  /* What fails a check must not grow for the sake of what the host would have done. */
  g_assert_cmpuint (offer->after[ASSAY_VERDICT_REJECTED] + offer->after[ASSAY_VERDICT_UNDECIDED],
                    <=,
                    offer->before[ASSAY_VERDICT_REJECTED] + offer->before[ASSAY_VERDICT_UNDECIDED]);
  if (count_open (offer->after) == count_open (offer->before))
    g_assert_cmpuint (offer->after[ASSAY_VERDICT_REJECTED], <,
                      offer->before[ASSAY_VERDICT_REJECTED]);
  check_replay (path, model, offer);

  if (offer->sameness != ASSAY_FIX_IDENTICAL || offer->rounds)
    return;
  count->n_identical++;
  fixes = assay_fix_offer_list_fixes (offer, NULL);
  again = assay_fix_try (model, fixes, &other, NULL, &error);
  g_assert_no_error (error);
  /* Inputs that say what shape there is may be drawn so that neither side runs. */
  if (again->sameness == ASSAY_FIX_DIFFERENT)
    g_error ("%s: %s: identical on %u inputs, and not on others: %g", path, offer->title,
             offer->n_runs, again->max_abs);
}

static void
visit_model (const char *path, gpointer user_data)
{
  const AssayFixOptions options = { .n_runs = 4, .seconds = 60, .no_cycles = TRUE };
  Count *count = user_data;
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  g_autoptr (AssayWork) model = assay_work_new_for_graph (NULL, graph, count->target, settings);
  AssayVerdicts *verdicts = assay_work_get_verdicts (model, NULL, NULL);

  g_assert_nonnull (verdicts);
  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayFixSuggestions)
          suggestions = assay_fix_suggest_for_cause (model, i, &options, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (suggestions->offers->len, <=, ASSAY_FIX_MAX_OFFERS);
      count->n_causes++;
      count->n_offered += suggestions->offers->len > 0;
      for (guint j = 0; j < suggestions->offers->len; j++)
        check_offer (count, path, model, g_ptr_array_index (suggestions->offers, j));
    }
}

static void
test_target (gconstpointer data)
{
  Count count = { 0 };

  if (!have_models ())
    return;

  count.target = assay_target_load (data, NULL);
  g_assert_nonnull (count.target);
  g_assert_cmpuint (walk_models (ONNX_DATA, visit_model, &count), ==, N_ONNX_DATA);
  g_test_message ("%s: %u of %u causes have an offer; %u offers, %u of them bit-identical",
                  (const char *) data, count.n_offered, count.n_causes, count.n_offers,
                  count.n_identical);
  g_assert_cmpuint (count.n_identical, >, 0);
  assay_target_unref (count.target);
}

TEST_PROGRAM (fix_corpus)
{
  static const char *const targets[] = { "ia_420f_c6b32", "vulkan-seed", "dpu_zdx8g_b4096" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autofree char *path = g_strdup_printf ("/fix-corpus/%s", targets[i]);

      g_test_add_data_func (path, targets[i], test_target);
    }

  return g_test_run ();
}
