/* test-session-causes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Causes of one tensor, asked for after the two runs were compared.
 */
#include <glib/gstdio.h>

#include "base/assay-npy.h"
#include "session-fixture.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"
#define N_VALUES 128

typedef SessionFixture Fixture;

/* All of it differs within rounding, so that nothing was tried by itself. */
static const char chain[] = "main (%x : f32[4,32]) {\n"
                            "  %a = Tanh(%x) : f32[4,32] @ \"first\"\n"
                            "  %b = Sigmoid(%a) : f32[4,32] @ \"second\"\n"
                            "  %y = Tanh(%b) : f32[4,32] @ \"third\"\n"
                            "  return %y\n"
                            "}\n";

static AssayCompareActivity *
get_comparing (Fixture *fixture)
{
  return assay_session_get_compare_activity (fixture->session);
}

static AssayCauseSearch *
get_search (Fixture *fixture)
{
  return assay_session_get_cause_search (fixture->session);
}

static const AssayComparisonRow *
get_row (Fixture *fixture, guint row)
{
  return assay_comparison_row (assay_compare_activity_get_comparison (get_comparing (fixture)),
                               row);
}

static AssayActivityState
get_state (gpointer activity)
{
  return assay_activity_get_state (ASSAY_ACTIVITY (activity));
}

static void
compare (Fixture *fixture)
{
  assay_compare_activity_start (get_comparing (fixture));
  session_fixture_wait_idle (fixture);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (get_comparing (fixture))));
  g_assert_cmpint (get_state (get_comparing (fixture)), ==, ASSAY_ACTIVITY_READY);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  session_fixture_init (fixture, TARGET);
  fixture->model = session_fixture_path (fixture, "chain.nnir");
  g_assert_true (g_file_set_contents (fixture->model, chain, -1, NULL));
  session_fixture_open_whole (fixture, fixture->model);
  compare (fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  session_fixture_clear (fixture);
}

/* The next one from @row on that differs and was not tried. */
static guint
find_untried (Fixture *fixture, guint row)
{
  while (!assay_cause_search_can_start (get_search (fixture), row))
    {
      row++;
      g_assert_cmpuint (row, <,
                        assay_compare_activity_get_comparison (get_comparing (fixture))->rows->len);
    }

  return row;
}

static void
try_row (Fixture *fixture, guint row)
{
  AssayCauseSearch *search = get_search (fixture);

  g_assert_null (get_row (fixture, row)->causes);
  assay_cause_search_start (search, row);
  g_assert_cmpint (get_state (search), ==, ASSAY_ACTIVITY_RUNNING);
  g_assert_cmpuint (assay_cause_search_get_row (search), ==, row);
  g_assert_true (assay_session_get_busy (fixture->session));
  session_fixture_wait_idle (fixture);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (search)));
  g_assert_cmpint (get_state (search), ==, ASSAY_ACTIVITY_READY);
  g_assert_nonnull (get_row (fixture, row)->causes);
  g_assert_cmpuint (get_row (fixture, row)->n_trials, >, 0);
}

/* They come into their row and into no other, once; a session file has them, and goes on. */
static void
test_kept (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_path (fixture, "chain.assay");
  guint first = find_untried (fixture, 0), second = find_untried (fixture, first + 1);
  const AssayDivergenceCause *cause;
  g_autofree char *sentence = NULL;
  guint n_trials;

  try_row (fixture, first);
  g_assert_null (get_row (fixture, second)->causes);
  g_assert_cmpuint (get_row (fixture, first)->causes->len, >, 0);
  cause = g_ptr_array_index (get_row (fixture, first)->causes, 0);
  g_assert_cmpfloat (cause->rms_after, <, cause->rms_before);
  sentence = g_strdup (cause->sentence);
  n_trials = get_row (fixture, first)->n_trials;

  g_assert_false (assay_cause_search_can_start (get_search (fixture), first));
  assay_cause_search_start (get_search (fixture), first);
  g_assert_false (assay_session_get_busy (fixture->session));

  session_fixture_save (fixture, path, NULL);
  session_fixture_open_whole (fixture, path);
  g_assert_cmpint (get_state (get_comparing (fixture)), ==, ASSAY_ACTIVITY_READY);
  cause = g_ptr_array_index (get_row (fixture, first)->causes, 0);
  g_assert_cmpstr (cause->sentence, ==, sentence);
  g_assert_cmpuint (get_row (fixture, first)->n_trials, ==, n_trials);
  try_row (fixture, second);
}

/* Whoever asks for another row, stops, or has something else to compare gets nothing of it. */
static void
test_dropped (Fixture *fixture, gconstpointer data)
{
  AssayCauseSearch *search = get_search (fixture);
  guint first = find_untried (fixture, 0), second = find_untried (fixture, first + 1);

  assay_cause_search_start (search, first);
  assay_session_cancel (fixture->session);
  g_assert_false (assay_session_get_busy (fixture->session));
  g_assert_cmpint (get_state (search), ==, ASSAY_ACTIVITY_NONE);
  wait_rest ();
  g_assert_null (get_row (fixture, first)->causes);
  g_assert_cmpint (get_state (get_comparing (fixture)), ==, ASSAY_ACTIVITY_READY);

  assay_cause_search_start (search, first);
  try_row (fixture, second);
  g_assert_null (get_row (fixture, first)->causes);

  assay_cause_search_start (search, first);
  assay_compare_activity_set_runner (get_comparing (fixture), 0, "vm-fp32");
  g_assert_cmpint (get_state (search), ==, ASSAY_ACTIVITY_NONE);
  g_assert_false (assay_cause_search_can_start (search, first));
  wait_rest ();
  g_assert_null (get_row (fixture, first)->causes);

  assay_compare_activity_set_runner (get_comparing (fixture), 0, "reference");
  compare (fixture);
  assay_cause_search_start (search, first);
  g_assert_cmpint (get_state (search), ==, ASSAY_ACTIVITY_RUNNING);
  session_fixture_open_whole (fixture, fixture->model);
  g_assert_cmpint (get_state (search), ==, ASSAY_ACTIVITY_NONE);
  g_assert_cmpuint (assay_cause_search_get_row (search), ==, G_MAXUINT);
  g_assert_null (assay_compare_activity_get_comparison (get_comparing (fixture)));
  g_assert_false (assay_cause_search_can_start (search, first));
}

/* What keeps it from being tried is said, of this row, and the comparison stays. */
static void
test_failed (Fixture *fixture, gconstpointer data)
{
  static const gint64 dims[] = { 4, 32 };
  g_autofree char *path = session_fixture_path (fixture, "x.npy");
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_new ();
  g_autoptr (AssayTensor) tensor = NULL;
  AssayCauseSearch *search = get_search (fixture);
  const GError *error;
  float values[N_VALUES];
  guint row;

  for (guint i = 0; i < N_VALUES; i++)
    values[i] = (float) i * 0.013f - 0.7f;
  tensor = assay_tensor_new_f32 (2, dims, values);
  g_assert_true (assay_npy_save (tensor, path, NULL));
  assay_input_choice_set_file (inputs, "x", path);
  assay_run_set_inputs (assay_session_get_run (fixture->session), inputs);
  compare (fixture);
  row = find_untried (fixture, 0);
  g_remove (path);
  assay_cause_search_start (search, row);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (get_state (search), ==, ASSAY_ACTIVITY_FAILED);
  error = assay_activity_get_error (ASSAY_ACTIVITY (search));
  g_assert_nonnull (strstr (error->message, "x.npy"));
  g_assert_cmpuint (assay_cause_search_get_row (search), ==, row);
  g_assert_null (get_row (fixture, row)->causes);
  g_assert_cmpint (get_state (get_comparing (fixture)), ==, ASSAY_ACTIVITY_READY);

  g_assert_true (assay_npy_save (tensor, path, NULL));
  try_row (fixture, row);
}

TEST_PROGRAM (session_causes)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, test) g_test_add (path, Fixture, NULL, set_up, test, tear_down)
  ADD ("/session-causes/kept", test_kept);
  ADD ("/session-causes/dropped", test_dropped);
  ADD ("/session-causes/failed", test_failed);
#undef ADD

  return g_test_run ();
}
