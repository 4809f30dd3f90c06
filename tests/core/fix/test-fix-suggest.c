/* test-fix-suggest.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "fix/assay-fix-draw.h"
#include "fix/assay-fix-suggest.h"
#include "fix/assay-fix-trial.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "graphs.h"
#include "test-program.h"

/* A model in front of a target. */
typedef struct
{
  AssayGraph *graph;
  AssayTarget *target;
  AssaySettings *settings;
  AssayWork *model;
} Fixture;

static void
fixture_init (Fixture *self, const char *target, AssaySettings *settings, const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;

  self->graph = assay_graph_from_text (text, -1, findings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  assay_graph_infer (self->graph, NULL, NULL, NULL);
  self->target = assay_target_load (target, &error);
  g_assert_no_error (error);
  self->settings = settings != NULL ? assay_settings_ref (settings) : assay_settings_new ();
  self->model = assay_work_new_for_graph (NULL, self->graph, self->target, self->settings);
}

static void
fixture_clear (Fixture *self)
{
  assay_work_free (self->model);
  assay_graph_unref (self->graph);
  assay_target_unref (self->target);
  assay_settings_unref (self->settings);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static AssayFixSuggestions *
suggest (Fixture *self, guint cause)
{
  g_autoptr (GError) error = NULL;
  AssayFixSuggestions *suggestions = assay_fix_suggest_for_cause (self->model, cause, NULL, NULL,
                                                                  &error);

  g_assert_no_error (error);

  return suggestions;
}

static const AssayFixOffer *
offer_at (AssayFixSuggestions *suggestions, guint index)
{
  g_assert_cmpuint (index, <, suggestions->offers->len);

  return g_ptr_array_index (suggestions->offers, index);
}

static AssayFixOffer *
try_one (Fixture *self, const AssayFix *fix, GError **error)
{
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();

  g_ptr_array_add (fixes, assay_fix_copy (fix));

  return assay_fix_try (self->model, fixes, NULL, NULL, error);
}

/* One fix for all nodes of a cause: counts, marks and outputs are those of the fixed model. */
static void
test_cause (void)
{
  static const char text[] = "main (%x : f32[1,8]) {\n"
                             "  %a = HardSigmoid(%x) @ \"first\"\n"
                             "  %b = Relu(%a) @ \"between\"\n"
                             "  %y = HardSigmoid(%b) @ \"second\"\n"
                             "  return %y\n"
                             "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  g_autoptr (GPtrArray) one = NULL;
  g_autoptr (AssayFixOffer) single = NULL;
  g_autofree char *words = NULL;
  const AssayFixOffer *best;

  fixture_init (&fixture, "vulkan-main", NULL, text);
  suggestions = suggest (&fixture, 0);
  best = offer_at (suggestions, 0);
  g_assert_cmpstr (best->fix->rewrite, ==, "replace-op");
  g_assert_cmpstr (best->title, ==, "Replace HardSigmoid by Mul, Add and Clip");
  g_assert_cmpuint (g_strv_length (best->fix->nodes), ==, 2);
  g_assert_cmpuint (best->before[ASSAY_VERDICT_REJECTED], ==, 2);
  g_assert_cmpuint (best->after[ASSAY_VERDICT_REJECTED], ==, 0);
  g_assert_cmpuint (g_strv_length (best->added), ==, 4);
  g_assert_cmpuint (g_strv_length (best->removed), ==, 0);
  g_assert_cmpuint (g_strv_length (best->changed), ==, 2);
  g_assert_cmpstr (best->changed[0], ==, "first");
  g_assert_cmpint (best->sameness, ==, ASSAY_FIX_IDENTICAL);
  g_assert_cmpuint (best->n_runs, ==, 16);
  g_assert_nonnull (best->cycles_reason);
  words = assay_fix_offer_describe (best);
  g_assert_cmpstr (
      words, ==,
      "rejected 2 to 0, adds 4 nodes, changes 2 nodes, bit-identical on 16 random inputs, "
      "elsewhere up to rounding");

  /* This node only. */
  one = assay_fix_offer_list_fixes (best, "second");
  single = assay_fix_try (fixture.model, one, NULL, NULL, NULL);
  g_assert_cmpuint (single->after[ASSAY_VERDICT_REJECTED], ==, 1);
  g_assert_cmpuint (g_strv_length (single->changed), ==, 1);

  /* The other forms were tried, too. */
  g_assert_cmpuint (suggestions->offers->len, <=, ASSAY_FIX_MAX_OFFERS);
  for (guint i = 0; i + 1 < suggestions->offers->len; i++)
    g_assert_cmpuint (offer_at (suggestions, i)->after[ASSAY_VERDICT_REJECTED], <=,
                      offer_at (suggestions, i + 1)->after[ASSAY_VERDICT_REJECTED]);
}

/* A line has no separator in front, whatever there is to say first. */
static void
test_words (void)
{
  g_autoptr (AssayFixOffer) offer = g_new0 (AssayFixOffer, 1);
  g_autofree char *alone = NULL;
  g_autofree char *behind = NULL;

  offer->fix = assay_fix_new ("cut", NULL, NULL);
  offer->added = g_new0 (char *, 1);
  offer->removed = g_new0 (char *, 1);
  offer->changed = g_new0 (char *, 1);
  offer->cycles_before = offer->cycles_after = -1;
  offer->sameness_reason = g_strdup ("the outputs are others");
  alone = assay_fix_offer_describe (offer);
  g_assert_cmpstr (alone, ==, "not compared: the outputs are others");
  offer->before[ASSAY_VERDICT_HOST] = 1;
  behind = assay_fix_offer_describe (offer);
  g_assert_cmpstr (behind, ==, "host 1 to 0, not compared: the outputs are others");
}

/* Where no rewrite helps, what was tried is told, and cuts are left to the user. */
static void
test_none (void)
{
  static const char text[] = "main (%x : f32[1,8]) {\n"
                             "  %a = Relu(%x) @ \"before\"\n"
                             "  %b = Log(%a) @ \"log\"\n"
                             "  %y = Relu(%b) @ \"behind\"\n"
                             "  return %y\n"
                             "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  const AssayFixOffer *cut;

  fixture_init (&fixture, "vulkan-main", NULL, text);
  suggestions = suggest (&fixture, 0);
  g_assert_cmpuint (suggestions->offers->len, ==, 0);
  g_assert_cmpuint (suggestions->tried->len, >, 0);
  for (guint i = 0; i < suggestions->tried->len; i++)
    g_assert_nonnull (((AssayFixAttempt *) g_ptr_array_index (suggestions->tried, i))->outcome);
  g_assert_cmpuint (suggestions->cuts->len, ==, 2);
  cut = g_ptr_array_index (suggestions->cuts, 0);
  g_assert_cmpstr (assay_fix_get_argument (cut->fix, "keep"), ==, "begin");
  g_assert_cmpuint (g_strv_length (cut->removed), ==, 2);
  g_assert_cmpuint (cut->after[ASSAY_VERDICT_REJECTED], ==, 0);
}

/* Nothing is claimed where nothing can be run. */
static void
test_not_run (void)
{
  static const char open[] = "main (%x : f32[n,8]) {\n"
                             "  %y = HardSigmoid(%x) @ \"n\"\n"
                             "  return %y\n"
                             "}\n";
  static const char random[] = "main (%x : f32[1,8]) {\n"
                               "  %a = RandomNormalLike(%x)\n"
                               "  %y = HardSigmoid(%a) @ \"n\"\n"
                               "  return %y\n"
                               "}\n";
  static const struct
  {
    const char *text;
    const char *reason;
  } cases[] = {
    { open, "input x is f32[n,8]: bind its open dimensions first" },
    { random, "RandomNormalLike draws random numbers" },
  };
  const char *nodes[] = { "n", NULL };
  const char *arguments[] = { "form=hard-sigmoid-clip", NULL };
  g_autoptr (AssayFix) fix = assay_fix_new ("replace-op", nodes, arguments);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Fixture) fixture = { 0 };
      g_autoptr (AssayFixOffer) offer = NULL;

      fixture_init (&fixture, "vulkan-main", NULL, cases[i].text);
      offer = try_one (&fixture, fix, NULL);
      g_assert_cmpint (offer->sameness, ==, ASSAY_FIX_NOT_RUN);
      g_assert_cmpuint (offer->n_runs, ==, 0);
      g_assert_cmpstr (offer->sameness_reason, ==, cases[i].reason);
    }
}

/* Fixes of the setup change the settings and leave the nodes alone. */
static void
test_setup (void)
{
  static const char text[] = "main (%x : f32[4,8], %z : f32[8,8]) {\n"
                             "  %y = MatMul(%x, %z) @ \"n\"\n"
                             "  return %y\n"
                             "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  g_autoptr (AssayGraph) fixed = NULL;
  const AssayFixOffer *best;

  fixture_init (&fixture, "ia_420f_c6b32", NULL, text);
  suggestions = suggest (&fixture, 0);
  best = offer_at (suggestions, 0);
  g_assert_cmpstr (best->fix->rewrite, ==, "dynamic-weights");
  g_assert_cmpint (assay_fix_get_kind (best->fix), ==, ASSAY_FIX_SETUP);
  g_assert_cmpint (best->sameness, ==, ASSAY_FIX_NO_CHANGE);
  g_assert_cmpint (best->cycles_before, ==, -1);
  g_assert_cmpint (best->cycles_after, >, 0);
  g_assert_false (assay_settings_get_flag (fixture.settings, ASSAY_SETTING_DYNAMIC_WEIGHTS));

  g_ptr_array_add (fixes, assay_fix_copy (best->fix));
  fixed = assay_fixes_apply (fixture.graph, fixes, &fixture.settings, NULL, NULL, NULL);
  g_assert_cmpuint (assay_graph_n_nodes (fixed), ==, assay_graph_n_nodes (fixture.graph));
  g_assert_true (assay_settings_get_flag (fixture.settings, ASSAY_SETTING_DYNAMIC_WEIGHTS));
}

/* Cycles are those of the program that all settings make: where there is no such program, there are
 * none. */
static void
test_cycles_of_settings (void)
{
  static const char text[] = "main (%x : f32[4,8], %z : f32[8,8]) {\n"
                             "  %y = MatMul(%x, %z) @ \"n\"\n"
                             "  return %y\n"
                             "}\n";
  static const struct
  {
    AssaySetting setting;
    const char *value;
    const char *reason;
  } cases[] = {
    { ASSAY_SETTING_FP8_WEIGHTS, "true", "fp8 weights need a Versal card" },
    { ASSAY_SETTING_PIN, "nowhere=0", "nowhere" },
    { ASSAY_SETTING_KEEP_FP32, "nowhere", "nowhere" },
    { ASSAY_SETTING_DEPTH, "tensor_ram_depth=1", "tensor RAM" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const values[] = { cases[i].value, NULL };
      g_auto (Fixture) fixture = { 0 };
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssayFixSuggestions) suggestions = NULL;
      const AssayFixOffer *best;

      assay_settings_set_list (&settings, cases[i].setting, values);
      fixture_init (&fixture, "ia_420f_c6b32", settings, text);
      suggestions = suggest (&fixture, 0);
      best = offer_at (suggestions, 0);
      g_assert_cmpint (best->cycles_after, ==, -1);
      g_test_message ("%s", best->cycles_reason);
      g_assert_nonnull (strstr (best->cycles_reason, cases[i].reason));
    }
}

/* Before another fix several sizes go without their names. */
static void
test_several_sizes (void)
{
  static const char text[] =
      "main (%x : f32[n,3,h,8]) {\n"
      "  %y = MaxPool(%x) {kernel_shape = [2, 2], strides = [2, 2]} @ \"first\"\n"
      "  return %y\n"
      "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;

  fixture_init (&fixture, "ia_420f_c6b32", NULL, text);
  suggestions = suggest (&fixture, 0);
  g_test_message ("%s", offer_at (suggestions, 0)->title);
  g_assert_true (g_str_has_prefix (offer_at (suggestions, 0)->title, "Bind 2 sizes to 1, "));
  g_assert_nonnull (strstr (offer_at (suggestions, 0)->title, ", then replace MaxPool by "));
}

/* A size alone changes nothing for these nodes, and the rewrite needs to know it. */
static void
test_pair (void)
{
  static const char text[] =
      "main (%x : f32[n,3,8,8]) {\n"
      "  %a = MaxPool(%x) {kernel_shape = [2, 2], strides = [2, 2]} @ \"first\"\n"
      "  %y = MaxPool(%a) {kernel_shape = [2, 2], strides = [2, 2]} @ \"second\"\n"
      "  return %y\n"
      "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  g_autoptr (GPtrArray) fixes = NULL;
  g_autoptr (GPtrArray) one = NULL;
  g_autoptr (GPtrArray) none = NULL;
  g_autoptr (AssayGraph) fixed = NULL;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  const AssayFixOffer *best;

  fixture_init (&fixture, "ia_420f_c6b32", NULL, text);
  suggestions = suggest (&fixture, 0);
  best = offer_at (suggestions, 0);
  g_assert_cmpuint (suggestions->n_more, >, 0);
  g_assert_cmpstr (best->title, ==, "Bind n to 1, then replace MaxPool by Reshape and ReduceMax");
  g_assert_cmpuint (best->first->len, ==, 1);
  g_assert_cmpuint (best->before[ASSAY_VERDICT_REJECTED], ==, 2);
  g_assert_cmpuint (best->after[ASSAY_VERDICT_REJECTED], ==, 0);

  /* The model with that size is what the outputs are compared with. */
  g_assert_cmpint (best->sameness, ==, ASSAY_FIX_IDENTICAL);
  g_assert_cmpuint (best->n_runs, ==, 16);
  g_assert_cmpint (best->cycles_after, >, 0);

  fixes = assay_fix_offer_list_fixes (best, NULL);
  g_assert_cmpuint (fixes->len, ==, 2);
  g_assert_cmpstr (((const AssayFix *) g_ptr_array_index (fixes, 0))->rewrite, ==, "bind-shape");
  fixed = assay_fixes_apply (fixture.graph, fixes, &fixture.settings, NULL, NULL, NULL);
  verdicts = graph_verdicts (fixture.target, fixed, fixture.settings, NULL);
  g_assert_cmpuint (assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED), ==, 0);

  /* For one node only it begins the same way. */
  one = assay_fix_offer_list_fixes (best, "second");
  g_assert_cmpuint (one->len, ==, 2);
  g_assert_cmpuint (g_strv_length (((const AssayFix *) g_ptr_array_index (one, 1))->nodes), ==, 1);
  none = assay_fix_offer_list_fixes (best, "nobody");
  g_assert_null (none);
}

/* Of sizes that serve alike one is offered. */
static void
test_sizes (void)
{
  static const char text[] = "main (%x : f32[1,8,height,width]) {\n"
                             "  %y = Relu(%x) @ \"relu\"\n"
                             "  return %y\n"
                             "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  guint n_sizes = 0, n_tried = 0;

  fixture_init (&fixture, "ia_420f_c6b32", NULL, text);
  suggestions = suggest (&fixture, 0);
  for (guint i = 0; i < suggestions->offers->len; i++)
    n_sizes += g_str_equal (offer_at (suggestions, i)->fix->rewrite, "bind-shape");
  for (guint i = 0; i < suggestions->tried->len; i++)
    {
      const AssayFixAttempt *attempt = g_ptr_array_index (suggestions->tried, i);

      n_tried += g_str_equal (attempt->outcome, "other sizes serve better or as well");
    }
  g_assert_cmpuint (n_sizes, ==, 1);
  g_assert_cmpuint (n_tried, ==, 1);
}

/* The second rewrite is about what the first one made. */
static void
test_pair_of_rewrites (void)
{
  static const char text[] = "main (%x : f32[1,8], %low : f32[], %high : f32[]) {\n"
                             "  %y = Clip(%x, %low, %high) @ \"clip\"\n"
                             "  return %y\n"
                             "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  g_autoptr (GPtrArray) one = NULL;
  const AssayFixOffer *best;

  fixture_init (&fixture, "vulkan-seed", NULL, text);
  suggestions = suggest (&fixture, 0);
  best = offer_at (suggestions, 0);
  g_assert_true (
      g_str_has_prefix (best->title, "Replace Clip by Max and Min, then replace Max by "));
  g_assert_cmpuint (best->after[ASSAY_VERDICT_REJECTED], ==, 0);
  g_assert_cmpint (best->sameness, !=, ASSAY_FIX_NOT_RUN);

  /* What was made for a node goes with it. */
  one = assay_fix_offer_list_fixes (best, "clip");
  g_assert_cmpuint (one->len, ==, 2);
}

/* A rule that is about who reads a node is met by changing the reader. */
static void
test_beside (void)
{
  static const char text[] = "main (%x : f32[1,8], %s : f32[1]) {\n"
                             "  const %zero : f32[1] = [0.0]\n"
                             "  %c = GreaterOrEqual(%s, %zero) @ \"compare\"\n"
                             "  %y = If(%c) {then_branch = region \"then\" () {\n"
                             "    %a = Relu(%x) @ \"positive\"\n"
                             "    return %a\n"
                             "  }, else_branch = region \"else\" () {\n"
                             "    %b = Sigmoid(%x) @ \"squashed\"\n"
                             "    return %b\n"
                             "  }} @ \"if\"\n"
                             "  return %y\n"
                             "}\n";
  const char *nodes[] = { "compare", NULL };
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  const AssayFixOffer *best;

  fixture_init (&fixture, "ia_420f_c6b32", NULL, text);
  suggestions = assay_fix_suggest (fixture.model, nodes, NULL, NULL, NULL);
  g_assert_nonnull (suggestions);
  best = offer_at (suggestions, 0);
  g_assert_cmpstr (best->title, ==, "Replace If by both branches and Where at if");
  g_assert_null (best->first);
  g_assert_cmpuint (best->after[ASSAY_VERDICT_REJECTED], ==, 0);
}

/* The same model through other options of the target, and axes that the user chose badly. */
static void
test_options (void)
{
  static const char text[] = "main (%x : f32[1,8,4]) {\n"
                             "  const %w : f32[4,2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]\n"
                             "  %y = MatMul(%x, %w) @ \"n\"\n"
                             "  return %y\n"
                             "}\n";
  g_autoptr (AssaySettings) streamed = NULL;
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  const AssayFixOffer *best;

  assay_settings_set_axis (&streamed, 0, 2);
  fixture_init (&fixture, "ia_420f_c6b32", streamed, text);
  suggestions = suggest (&fixture, 0);
  best = offer_at (suggestions, 0);
  g_assert_cmpstr (best->fix->rewrite, ==, "streaming-axis");
  g_assert_cmpuint (best->after[ASSAY_VERDICT_REJECTED], ==, 0);
}

static void
test_cancel (void)
{
  static const char text[] = "main (%x : f32[1,8]) {\n"
                             "  %y = HardSigmoid(%x) @ \"n\"\n"
                             "  return %y\n"
                             "}\n";
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  g_autoptr (GError) error = NULL;

  fixture_init (&fixture, "vulkan-main", NULL, text);
  g_cancellable_cancel (cancellable);
  suggestions = assay_fix_suggest_for_cause (fixture.model, 0, NULL, &progress, &error);
  g_assert_null (suggestions);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

/* A search makes graphs of as many nodes as it may, says how many fixes it has left out, and gives
 * every search of a request the same share. */
static void
test_work (void)
{
  static const char text[] = "main (%x : f32[2,8]) {\n"
                             "  %y = Erf(%x) @ \"n\"\n"
                             "  return %y\n"
                             "}\n";
  AssayFixOptions options = ASSAY_FIX_OPTIONS_DEFAULT;
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFixSuggestions) all = NULL;
  guint n;

  fixture_init (&fixture, "vulkan-main", NULL, text);
  all = assay_fix_suggest_for_cause (fixture.model, 0, &options, NULL, NULL);
  n = all->offers->len + all->cuts->len + all->tried->len;
  g_assert_cmpuint (n, >, 2);
  g_assert_cmpuint (all->n_left, ==, 0);
  g_assert_cmpuint (all->work, >=, n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayFixSuggestions) some = NULL;
      guint n_tried;

      /* The graph has a node, and none with the number 0. */
      options.work = 2 * i + 1;
      some = assay_fix_suggest_for_cause (fixture.model, 0, &options, NULL, NULL);
      n_tried = some->offers->len + some->cuts->len + some->tried->len;
      g_assert_cmpuint (n_tried, ==, i);
      g_assert_cmpuint (some->n_left, >=, n - i);
    }

  options.work = 100;
  assay_fix_options_share (&options, 3);
  g_assert_cmpuint (options.work, ==, 33);
  assay_fix_options_share (&options, 0);
  g_assert_cmpuint (options.work, ==, 33);
  assay_fix_options_share (&options, 1000);
  g_assert_cmpuint (options.work, ==, 1);
  assay_fix_options_lift (&options);
  assay_fix_options_share (&options, 3);
  g_assert_cmpuint (options.work, ==, 0);
}

static void
test_wrong (void)
{
  static const char text[] = "main (%x : f32[1,8]) {\n"
                             "  %y = Relu(%x) @ \"n\"\n"
                             "  return %y\n"
                             "}\n";
  const char *nodes[] = { "nobody", NULL };
  const char *arguments[] = { "form=relu-max", NULL };
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (AssayFix) fix = assay_fix_new ("replace-op", nodes, arguments);
  g_autoptr (AssayFix) unknown = assay_fix_new ("nonsense", NULL, NULL);
  g_autoptr (AssayFixSuggestions) suggestions = NULL;
  g_autoptr (AssayFixOffer) offer = NULL;
  g_autoptr (GError) error = NULL;

  fixture_init (&fixture, "vulkan-main", NULL, text);
  suggestions = assay_fix_suggest_for_cause (fixture.model, 99, NULL, NULL, &error);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_clear_error (&error);
  offer = try_one (&fixture, fix, &error);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "the model has no node \"nobody\""));
  g_clear_error (&error);
  offer = try_one (&fixture, unknown, &error);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
}

/* A switch that becomes a condition has two positions, a number that is converted like a truth
 * value; held at one of them, only that side is left. */
static void
test_switches (void)
{
  static const char *const flags[] = { "%b : bool[1]", "%f : i32[1]", "%f : i64[]",
                                       "%f : u8[1,1]" };

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "main (%s, %%x : f32[1,32]) {\n%s"
          "  %%u = Relu(%%x) @ \"u\"\n"
          "  %%v = Tanh(%%x) @ \"v\"\n"
          "  %%z = Where(%%b, %%u, %%v) @ \"where\"\n"
          "  %%y = Relu(%%z) @ \"y\"\n"
          "  return %%y\n}\n",
          flags[i], i == 0 ? "" : "  %b = Cast(%f) {to = 9} @ \"cast\"\n");
      g_auto (Fixture) fixture = { 0 };
      g_autoptr (AssayFixSuggestions) suggestions = NULL;
      guint n = 0;

      fixture_init (&fixture, "ia_420f_c6b32", NULL, text);
      suggestions = suggest (&fixture, 0);
      for (guint j = 0; j < suggestions->offers->len; j++)
        {
          const AssayFixOffer *offer = offer_at (suggestions, j);

          g_test_message ("%s: %s", flags[i], offer->fix->rewrite);
          if (!g_str_equal (offer->fix->rewrite, "hold-input"))
            continue;
          n++;
          g_assert_cmpuint (offer->after[ASSAY_VERDICT_REJECTED], ==, 0);
        }
      g_assert_cmpuint (n, ==, 2);
    }
}

/* What the numbers of one run have in common, and what one of them at least is. */
typedef struct
{
  guint run;
  double least, most; /* of all sizes that are finite */
  gboolean (*one) (double x);
} Kind;

static gboolean
is_any (double x)
{
  return TRUE;
}

static gboolean
is_masked (double x)
{
  return x == -10000.0;
}

static gboolean
is_minus_infinity (double x)
{
  return isinf (x) && x < 0;
}

static gboolean
is_large (double x)
{
  return fabs (x) > 1e3;
}

static gboolean
is_huge (double x)
{
  return fabs (x) > 1e8;
}

static gboolean
is_tiny (double x)
{
  return fabs (x) < 1e-4;
}

static gboolean
is_negative_zero (double x)
{
  return x == 0.0 && signbit (x);
}

/* Fixes are compared with numbers of the sizes that tell unstable forms from stable ones. */
static void
test_kinds (void)
{
  static const Kind kinds[] = {
    { 0, 0.0, 1.0, is_any },   { 1, 0.0, 10000.0, is_masked }, { 9, 0.0, 10.0, is_minus_infinity },
    { 2, 1.0, 1e4, is_large }, { 10, 1.0, 1e9, is_huge },      { 3, 1e-6, 1.0, is_tiny },
    { 4, 0.0, 1.0, is_any },   { 5, 0.0, 2.0, is_any },        { 6, 0.0, 8.0, is_negative_zero },
    { 7, 0.0, 20.0, is_any },
  };
  g_autoptr (AssayArena) arena = assay_arena_new ();
  const gint64 dim = 4096;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const AssayType *type = assay_type_new_fixed (arena, ASSAY_DTYPE_F32, 1, &dim);
      g_autoptr (AssayDatum) drawn = assay_fix_draw (type, 0, 7, kinds[i].run);
      guint n_ones = 0, n_equal = 0, n_negative = 0;

      for (gsize j = 0; j < drawn->n; j++)
        {
          double x = assay_datum_get_number (drawn, j);

          n_ones += kinds[i].one (x);
          n_equal += x == assay_datum_get_number (drawn, 0);
          n_negative += signbit (x) != 0;
          if (isfinite (x))
            {
              g_assert_cmpfloat (fabs (x), >=, kinds[i].least * (1 - 1e-6));
              g_assert_cmpfloat (fabs (x), <=, kinds[i].most * (1 + 1e-6));
            }
        }
      g_assert_cmpuint (n_ones, >, 0);
      g_assert_true ((n_equal == drawn->n) == (kinds[i].run == 5));
      g_assert_true (n_negative == 0 || kinds[i].run != 4);
    }
}

/* Numbers of few bits stay within their type. */
static void
test_narrow (void)
{
  static const AssayDType dtypes[] = { ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16, ASSAY_DTYPE_F8E4M3FN };
  g_autoptr (AssayArena) arena = assay_arena_new ();
  const gint64 dim = 1024;

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    for (guint run = 0; run < 16; run++)
      {
        const AssayType *type = assay_type_new_fixed (arena, dtypes[i], 1, &dim);
        g_autoptr (AssayDatum) drawn = assay_fix_draw (type, 0, 7, run);

        for (gsize j = 0; j < drawn->n && run != 9; j++)
          g_assert_true (isfinite (assay_datum_get_number (drawn, j)));
      }
}

/* A node that stays under its name has changed if an attribute of any kind has, or an input; its
 * origin does not count. */
static void
test_changes (void)
{
  static const struct
  {
    const char *before;
    const char *after;
    gboolean changed;
  } rows[] = {
    { "(%x) {a = 1}", "(%x) {a = 1}", FALSE },
    { "(%x) {a = 1}", "(%x) {a = 2}", TRUE },
    { "(%x) {a = 1}", "(%x) {b = 1}", TRUE },
    { "(%x) {a = 1}", "(%x) {a = 1.0}", TRUE },
    { "(%x) {a = 1}", "(%x)", TRUE },
    { "(%x) {a = 1.5}", "(%x) {a = 1.5}", FALSE },
    { "(%x) {a = 1.5}", "(%x) {a = 1.25}", TRUE },
    { "(%x) {a = \"u\"}", "(%x) {a = \"u\"}", FALSE },
    { "(%x) {a = \"u\"}", "(%x) {a = \"v\"}", TRUE },
    { "(%x) {a = [1, 2]}", "(%x) {a = [1, 2]}", FALSE },
    { "(%x) {a = [1, 2]}", "(%x) {a = [1, 3]}", TRUE },
    { "(%x) {a = [1, 2]}", "(%x) {a = [1]}", TRUE },
    { "(%x) {a = floats [1.5]}", "(%x) {a = floats [1.5]}", FALSE },
    { "(%x) {a = floats [1.5]}", "(%x) {a = floats [2.5]}", TRUE },
    { "(%x) {a = strings [\"u\"]}", "(%x) {a = strings [\"u\"]}", FALSE },
    { "(%x) {a = strings [\"u\"]}", "(%x) {a = strings [\"v\"]}", TRUE },
    { "(%x)", "(%x) {a = 1}", TRUE },
    { "(%x)", "(%z)", TRUE },
    { "(%x)", "(%x, %z)", TRUE },
    { "(%x, _, %z)", "(%x, %z)", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      static const char format[] =
          "main (%%x : f32[4], %%z : f32[4]) {\n  %%y = Unheard%s @ \"n\"\n"
          "  %%w = Relu(%%x) @ \"%s\"\n  return %%y, %%w\n}\n";
      g_autofree char *old = g_strdup_printf (format, rows[i].before, "old");
      g_autofree char *new = g_strdup_printf (format, rows[i].after, "new");
      g_autoptr (AssayGraph) before = assay_graph_from_text (old, -1, NULL, NULL);
      g_autoptr (AssayGraph) after = assay_graph_from_text (new, -1, NULL, NULL);
      g_autoptr (AssayFixOffer) offer = g_new0 (AssayFixOffer, 1);

      g_assert_nonnull (before);
      g_assert_nonnull (after);
      assay_fix_list_changes (offer, before, after);
      g_test_message ("%s, %s", rows[i].before, rows[i].after);
      g_assert_cmpuint (g_strv_length (offer->changed), ==, rows[i].changed);
      g_assert_cmpuint (g_strv_length (offer->added), ==, 1);
      g_assert_cmpstr (offer->added[0], ==, "new");
      g_assert_cmpuint (g_strv_length (offer->removed), ==, 1);
      g_assert_cmpstr (offer->removed[0], ==, "old");
    }
}

TEST_PROGRAM (fix_suggest)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fix/suggest/words", test_words);
  g_test_add_func ("/fix/suggest/cause", test_cause);
  g_test_add_func ("/fix/suggest/none", test_none);
  g_test_add_func ("/fix/suggest/not-run", test_not_run);
  g_test_add_func ("/fix/suggest/setup", test_setup);
  g_test_add_func ("/fix-suggest/cycles-of-settings", test_cycles_of_settings);
  g_test_add_func ("/fix-suggest/switches", test_switches);
  g_test_add_func ("/fix/suggest/sizes", test_sizes);
  g_test_add_func ("/fix/suggest/pair/sizes", test_several_sizes);
  g_test_add_func ("/fix/suggest/pair/size", test_pair);
  g_test_add_func ("/fix/suggest/pair/rewrites", test_pair_of_rewrites);
  g_test_add_func ("/fix/suggest/beside", test_beside);
  g_test_add_func ("/fix/suggest/options", test_options);
  g_test_add_func ("/fix/suggest/cancel", test_cancel);
  g_test_add_func ("/fix/suggest/work", test_work);
  g_test_add_func ("/fix/suggest/wrong", test_wrong);
  g_test_add_func ("/fix/suggest/changes", test_changes);
  g_test_add_func ("/fix/draw/kinds", test_kinds);
  g_test_add_func ("/fix/draw/narrow", test_narrow);

  return g_test_run ();
}
