/* test-session-fixes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fixes in a session, accepted findings, the fixed model as a file, and going back and forth
 * through changes.
 */
#include <string.h>

#include "model-writer.h"
#include "session-fixture.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"
#define OTHER_TARGET "ia_840f_c3b64"

typedef SessionFixture Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  session_fixture_init (fixture, TARGET);
  fixture->model = session_fixture_write (fixture, "model.onnx", "Tanh");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  session_fixture_clear (fixture);
}

static void
test_undo (Fixture *fixture, gconstpointer data)
{
  AssaySession *session = fixture->session;
  AssayHistory *history = assay_document_get_history (assay_session_get_document (session));
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  session_fixture_open_whole (fixture, fixture->model);
  g_assert_null (assay_history_get_undo_label (history));
  assay_session_undo (session);
  assay_session_redo (session);

  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 4);
  assay_session_set_setup (session, setup);
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, "Input Sizes");
  assay_session_set_target_id (session, OTHER_TARGET);
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, "Target " OTHER_TARGET);
  assay_compare_activity_set_tolerance (assay_session_get_compare_activity (session),
                                        "/some/file.json");
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, "Tolerances");
  session_fixture_wait_idle (fixture);
  assay_session_set_note (session, "/two/op", "");
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, "Pin /two/op");

  /* Where one looks, and what runs, is no change. */
  assay_session_set_filter (session, 1u << ASSAY_VERDICT_SUPPORTED);
  assay_session_set_selection (session, ASSAY_NO_NODE);
  assay_run_set_runner (assay_session_get_run (session), "reference");
  assay_compare_activity_set_runner (assay_session_get_compare_activity (session), 0, "vm-fp32");
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, "Pin /two/op");

  assay_session_undo (session);
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, "Tolerances");
  g_assert_cmpstr (assay_history_get_redo_label (history), ==, "Pin /two/op");
  assay_session_undo (session);
  g_assert_null (
      assay_compare_activity_get_tolerance (assay_session_get_compare_activity (session)));
  assay_session_undo (session);
  g_assert_cmpstr (assay_session_get_target_id (session), ==, TARGET);
  assay_session_undo (session);
  g_assert_true (assay_settings_is_default (assay_session_get_setup (session)));
  g_assert_null (assay_history_get_undo_label (history));
  g_assert_false (assay_history_get_modified (history));
  session_fixture_wait_idle (fixture);
  g_assert_cmpstr (assay_target_get_id (assay_session_get_target (session)), ==, TARGET);

  for (guint i = 0; i < 4; i++)
    assay_session_redo (session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpstr (assay_target_get_id (assay_session_get_target (session)), ==, OTHER_TARGET);
  g_assert_true (assay_session_select_name (session, "/two/op"));
  g_assert_true (assay_session_is_pinned (session, assay_session_get_selection (session)));
  g_assert_null (assay_history_get_redo_label (history));

  /* Another model has nothing of this to undo. */
  session_fixture_open_whole (fixture, fixture->model);
  g_assert_null (assay_history_get_undo_label (history));
  g_assert_null (assay_session_get_note (session, "/two/op"));
}

static guint
count_rejected (Fixture *fixture)
{
  return assay_verdicts_count (assay_session_get_verdicts (fixture->session),
                               ASSAY_VERDICT_REJECTED);
}

/* Waits until everything that can be known of a finding is known. */
static const AssayFixSuggestions *
wait_for_fixes (Fixture *fixture, int finding)
{
  AssayFixSearch *search = assay_session_get_fix_search (fixture->session);

  assay_session_set_finding (fixture->session, finding);
  wait_until (!assay_fix_search_is_busy (search, finding));

  return assay_fix_search_get (search, finding);
}

static void
count_change (AssayPreview *preview, guint *n)
{
  ++*n;
}

/* Both sides of a fix can be seen before it is applied, each with what it comes to; only then is
 * there something to undo. */
static void
test_preview (Fixture *fixture, gconstpointer data)
{
  AssaySession *session = fixture->session;
  AssayPreview *preview = assay_session_get_preview (session);
  AssayHistory *history = assay_document_get_history (assay_session_get_document (session));
  AssayCompilation *compilation = assay_session_get_compilation (session);
  g_autofree char *model = session_fixture_write (fixture, "fix.onnx", "Abs");
  guint n_changes = 0;

  g_signal_connect (preview, "changed", G_CALLBACK (count_change), &n_changes);
  for (guint end = 0; end < 3; end++)
    {
      const AssayFixSuggestions *suggestions;
      const AssayFixOffer *offer;
      g_autoptr (AssaySettings) setup = assay_settings_new ();
      g_autoptr (GPtrArray) fixes = NULL;
      g_autofree char *undo = NULL;
      g_autofree char *text = NULL;
      g_autofree char *selected = NULL;
      gint64 peak;

      g_test_message ("end %u", end);
      session_fixture_open_whole (fixture, model);
      assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
      assay_session_set_setup (session, setup);
      session_fixture_wait_idle (fixture);
      undo = g_strdup (assay_history_get_undo_label (history));
      suggestions = wait_for_fixes (fixture, 0);
      g_assert_nonnull (suggestions);
      offer = g_ptr_array_index (suggestions->offers, 0);
      fixes = assay_fix_offer_list_fixes (offer, NULL);
      g_assert_cmpuint (count_rejected (fixture), ==, 1);
      selected = g_strdup (assay_graph_node (assay_session_get_verdicts (session)->graph,
                                             assay_session_get_selection (session))
                               ->name);
      assay_preview_start (preview, offer, fixes);
      g_assert_true (assay_preview_get_active (preview));
      session_fixture_wait_idle (fixture);
      g_assert_true (assay_preview_get_after (preview));
      g_assert_cmpuint (count_rejected (fixture), ==, 0);
      g_assert_cmpstr (assay_history_get_undo_label (history), ==, undo);
      assay_compilation_start (compilation);
      session_fixture_wait_idle (fixture);
      g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                       ASSAY_ACTIVITY_READY);
      peak = assay_preview_get_side (preview, TRUE)->peak;
      g_assert_cmpint (peak, >, 0);
      g_assert_cmpint (assay_preview_get_side (preview, TRUE)->cycles, ==,
                       assay_compilation_get_cycles (compilation)->spaced);

      assay_preview_show (preview, FALSE);
      session_fixture_wait_idle (fixture);
      g_assert_cmpuint (count_rejected (fixture), ==, 1);
      g_assert_true (assay_session_is_selected (session, selected));
      g_assert_cmpint (assay_preview_get_side (preview, FALSE)->peak, ==, -1);
      g_assert_cmpint (assay_preview_get_side (preview, TRUE)->peak, ==, peak);
      text = assay_preview_dup_text (preview);
      g_assert_true (g_str_has_prefix (text, "Rejected 1 to 0, blocks at the peak none to "));

      if (end == 0)
        {
          /* From a side that has not got the node one comes back to it, too. */
          assay_preview_show (preview, TRUE);
          session_fixture_wait_idle (fixture);
          assay_session_set_selection (session, ASSAY_NO_NODE);
          assay_preview_back (preview);
        }
      else if (end == 1)
        assay_preview_apply (preview);
      else
        {
          /* A change of something else is a change of what is seen. */
          assay_settings_set_flag (&setup, ASSAY_SETTING_DYNAMIC_WEIGHTS, TRUE);
          assay_session_set_setup (session, setup);
        }
      session_fixture_wait_idle (fixture);
      g_assert_false (assay_preview_get_active (preview));
      if (end == 0)
        g_assert_true (assay_session_is_selected (session, selected));
      g_assert_cmpuint (count_rejected (fixture), ==, end == 1 ? 0 : 1);
      g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (session))->len, ==,
                        end == 1 ? 1 : 0);
      g_assert_cmpint (g_strcmp0 (assay_history_get_undo_label (history), undo) == 0, ==, end == 0);
    }
  g_assert_cmpuint (n_changes, >=, 6);
}

/* Applies the first offer; gives the last of its fixes. */
static AssayFix *
apply_best (Fixture *fixture, const AssayFixSuggestions *suggestions)
{
  const AssayFixOffer *offer = g_ptr_array_index (suggestions->offers, 0);
  g_autoptr (GPtrArray) fixes = assay_fix_offer_list_fixes (offer, NULL);
  AssayFix *fix = assay_fix_copy (offer->fix);

  assay_session_apply_fixes (fixture->session, fixes);
  session_fixture_wait_idle (fixture);

  return fix;
}

/* Found, applied, undone, saved, opened again, and lost with the node it was for. */
static void
test_fixes (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = session_fixture_write (fixture, "fix.onnx", "Abs");
  g_autofree char *path = session_fixture_path (fixture, "fix.assay");
  g_autofree char *other = NULL;
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (AssayFix) fix = NULL;
  g_autoptr (AssayFindingItem) item = NULL;
  AssayHistory *history = assay_document_get_history (
      assay_session_get_document (fixture->session));
  const AssayFixSuggestions *suggestions;
  guint before, after, n_nodes;

  session_fixture_open_whole (fixture, model);
  g_assert_no_error (fixture->error);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  before = count_rejected (fixture);
  n_nodes = assay_graph_n_nodes (assay_session_get_graph (fixture->session));
  g_assert_cmpuint (before, >, 0);
  item = g_list_model_get_item (assay_session_get_finding_items (fixture->session), 0);
  g_assert_cmpint (assay_finding_item_get_n_fixes (item), ==, -1);

  suggestions = wait_for_fixes (fixture, 0);
  g_assert_nonnull (suggestions);
  g_assert_cmpuint (suggestions->offers->len, >, 0);
  g_assert_cmpint (assay_finding_item_get_n_fixes (item), ==, (int) suggestions->offers->len);
  g_assert_true (g_str_has_prefix (assay_finding_item_get_subtitle (item), "Abs, 1 node, "));

  fix = apply_best (fixture, suggestions);
  after = count_rejected (fixture);
  g_assert_cmpuint (after, <, before);
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (fixture->session)), >, n_nodes);
  g_assert_true (g_str_has_prefix (assay_history_get_undo_label (history), "Fix: "));
  g_assert_true (assay_history_get_modified (history));

  assay_session_undo (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_rejected (fixture), ==, before);
  g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (fixture->session))->len,
                    ==, 0);
  assay_session_redo (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_rejected (fixture), ==, after);

  session_fixture_save (fixture, path, NULL);
  g_assert_no_error (fixture->error);
  session_fixture_open_whole (fixture, path);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (fixture->session))->len,
                    ==, 1);
  g_assert_true (assay_fix_equal (
      g_ptr_array_index (assay_document_get_fixes (assay_session_get_document (fixture->session)),
                         0),
      fix));
  g_assert_cmpuint (count_rejected (fixture), ==, after);
  g_assert_null (assay_session_get_check_problem (fixture->session));

  /* Reloaded, it still applies; without the operation it was for, it is gone, and that is said. */
  assay_session_reload (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (fixture->session))->len,
                    ==, 1);
  g_assert_cmpuint (count_rejected (fixture), ==, after);
  other = session_fixture_write (fixture, "fix.onnx", "Tanh");
  assay_session_reload (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (fixture->session))->len,
                    ==, 0);
  g_assert_nonnull (assay_session_get_check_problem (fixture->session));
  g_assert_nonnull (
      strstr (assay_session_get_check_problem (fixture->session)->what, "does not apply"));
}

static guint
count_fixes (AssaySession *session)
{
  return assay_document_get_fixes (assay_session_get_document (session))->len;
}

/* What a program left behind that ended suddenly can be taken back, fixes first. */
static void
test_restored (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = session_fixture_write (fixture, "fix.onnx", "Abs");
  g_autofree char *left = session_fixture_path (fixture, "left.assay");
  AssaySession *session = fixture->session;
  AssayHistory *history = assay_document_get_history (assay_session_get_document (session));
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (AssayFix) fix = NULL;
  guint before;

  session_fixture_open_whole (fixture, model);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
  assay_session_set_setup (session, setup);
  session_fixture_wait_idle (fixture);
  before = count_rejected (fixture);
  fix = apply_best (fixture, wait_for_fixes (fixture, 0));
  g_assert_nonnull (fix);
  session_fixture_save (fixture, left, NULL);
  g_assert_no_error (fixture->error);

  assay_session_recover (session, left);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_fixes (session), ==, 1);
  g_assert_cmpuint (count_rejected (fixture), ==, 0);
  g_assert_true (assay_history_get_modified (history));
  g_assert_true (g_str_has_prefix (assay_history_get_undo_label (history), "Fix: "));
  assay_session_undo (session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_fixes (session), ==, 0);
  g_assert_cmpuint (count_rejected (fixture), ==, before);
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, "Input Sizes");
  assay_session_undo (session);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_settings_is_default (assay_session_get_setup (session)));
  g_assert_null (assay_history_get_undo_label (history));
  g_assert_false (assay_history_get_modified (history));
  assay_session_redo (session);
  assay_session_redo (session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_rejected (fixture), ==, 0);
  g_assert_true (assay_history_get_modified (history));
}

static gboolean
finish_export (AssaySession *session, GAsyncResult *result, GError **error)
{
  g_autofree char *proof = assay_session_save_model_finish (session, result, error);

  return proof != NULL;
}

static void
exported_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  session_fixture_take (user_data, ASSAY_SESSION (object), result, finish_export);
}

/* The model with its fix, written and opened again, is taken by the target. */
static void
test_save_model (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = session_fixture_write (fixture, "fix.onnx", "Abs");
  g_autofree char *fixed = session_fixture_path (fixture, "fixed.onnx");
  g_autofree char *nowhere = session_fixture_path (fixture, "nowhere/fixed.onnx");
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (AssayFix) fix = NULL;
  const AssayFixSuggestions *suggestions;

  session_fixture_open_whole (fixture, model);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  suggestions = wait_for_fixes (fixture, 0);
  fix = apply_best (fixture, suggestions);
  g_assert_nonnull (fix);
  g_assert_cmpuint (count_rejected (fixture), ==, 0);

  fixture->done = FALSE;
  assay_session_save_model_async (fixture->session, nowhere, exported_cb, fixture);
  session_fixture_wait_whole (fixture);
  g_assert_nonnull (fixture->error);
  g_assert_true (assay_history_get_modified (
      assay_document_get_history (assay_session_get_document (fixture->session))));

  fixture->done = FALSE;
  assay_session_save_model_async (fixture->session, fixed, exported_cb, fixture);
  session_fixture_wait_whole (fixture);
  g_assert_no_error (fixture->error);
  g_assert_false (assay_history_get_modified (
      assay_document_get_history (assay_session_get_document (fixture->session))));

  session_fixture_open_whole (fixture, fixed);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (count_rejected (fixture), ==, 0);
}

/* Its parts are two files, and the model as a whole is as unsaved as before. */
static void
test_save_parts (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = session_fixture_write (fixture, "fix.onnx", "Abs");
  g_autofree char *whole = session_fixture_path (fixture, "part.onnx");
  g_autofree char *second = session_fixture_path (fixture, "part-2.onnx");
  AssayGraph *graph;
  g_autofree char *node = NULL;
  guint n_nodes;

  session_fixture_open_whole (fixture, model);
  graph = assay_session_get_graph (fixture->session);
  n_nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes->len;
  g_assert_cmpuint (n_nodes, >, 1);
  node = g_strdup (
      assay_graph_node (graph, g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes,
                                              AssayNodeId, 0))
          ->name);
  fixture->done = FALSE;
  assay_session_save_parts_async (fixture->session, whole, node, exported_cb, fixture);
  session_fixture_wait_whole (fixture);
  g_assert_no_error (fixture->error);
  g_assert_false (g_file_test (whole, G_FILE_TEST_EXISTS));

  session_fixture_open_whole (fixture, second);
  g_assert_no_error (fixture->error);
  graph = assay_session_get_graph (fixture->session);
  g_assert_cmpuint (assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes->len, ==, n_nodes - 1);
}

/* Accepted with a reason, it says so, here and in a program that was started later. */
static void
test_accept (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = session_fixture_write (fixture, "fix.onnx", "Abs");
  g_autofree char *policy = session_fixture_path (fixture, "assay-policy.json");
  g_autoptr (AssayFindingItem) item = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_open_whole (fixture, model);
  assay_session_set_finding (fixture->session, 0);
  g_assert_true (assay_session_accept_finding (fixture->session, 0, "known since March", &error));
  g_assert_no_error (error);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_session_get_finding (fixture->session), ==, 0);
  item = g_list_model_get_item (assay_session_get_finding_items (fixture->session), 0);
  g_assert_cmpstr (assay_finding_item_get_accepted (item), ==, "known since March");
  g_assert_true (g_str_has_prefix (assay_finding_item_get_subtitle (item),
                                   "Accepted: known since March. Abs, 1 node"));

  g_clear_object (&item);
  g_object_unref (fixture->session);
  fixture->session = assay_session_new (TARGET);
  session_fixture_open_whole (fixture, model);
  item = g_list_model_get_item (assay_session_get_finding_items (fixture->session), 0);
  g_assert_cmpstr (assay_finding_item_get_accepted (item), ==, "known since March");

  g_clear_object (&item);
  g_assert_true (assay_session_withdraw_finding (fixture->session, 0, &error));
  g_assert_no_error (error);
  session_fixture_wait_idle (fixture);
  item = g_list_model_get_item (assay_session_get_finding_items (fixture->session), 0);
  g_assert_null (assay_finding_item_get_accepted (item));
  g_assert_true (g_str_has_prefix (assay_finding_item_get_subtitle (item), "Abs, 1 node"));

  g_assert_true (g_file_set_contents (policy, "{}", -1, &error));
  assay_session_reload (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpstr (assay_session_get_check_problem (fixture->session)->what, ==,
                   "The policy file cannot be used");
  g_assert_cmpuint (count_rejected (fixture), ==, 1);
}

/* A size and a rewrite that needs it are one offer, and one change. */
static void
test_pair (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = session_fixture_path (fixture, "pair.onnx");
  g_auto (ModelWriter) writer;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayFix) fix = NULL;
  AssayHistory *history = assay_document_get_history (
      assay_session_get_document (fixture->session));
  const AssayFixSuggestions *suggestions;
  guint before;

  model_writer_init (&writer, "pair");
  model_writer_input (&writer, "x", 1, "batch,3,8,8");
  model_writer_output (&writer, "y", 1, "batch,3,8,8");
  model_writer_node (&writer, "Softsign", "log", "x", "y");
  g_assert_true (model_writer_save (&writer, model, 17, &error));
  g_assert_no_error (error);

  session_fixture_open_whole (fixture, model);
  before = count_rejected (fixture);
  g_assert_cmpuint (before, ==, 1);
  suggestions = wait_for_fixes (fixture, 0);
  g_assert_cmpuint (suggestions->offers->len, >, 0);
  fix = apply_best (fixture, suggestions);
  g_assert_cmpstr (fix->rewrite, ==, "replace-op");
  g_assert_cmpuint (count_rejected (fixture), ==, 0);
  g_assert_cmpint (assay_settings_get_number (assay_session_get_setup (fixture->session),
                                              ASSAY_SETTING_BIND, "batch"),
                   ==, 1);
  g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (fixture->session))->len,
                    ==, 1);

  assay_session_undo (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_rejected (fixture), ==, before);
  g_assert_true (assay_settings_is_default (assay_session_get_setup (fixture->session)));
  g_assert_null (assay_history_get_undo_label (history));
  assay_session_redo (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_rejected (fixture), ==, 0);
}

/* A size that is tried may not take a fix; the next one, and what was there before, do again. Each
 * is compiled, also where programs are not made by themselves. */
static void
test_trial (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = session_fixture_path (fixture, "trial.nnir");
  AssayTrial *trial = assay_session_get_trial (fixture->session);
  AssayCompilation *compilation = assay_session_get_compilation (fixture->session);
  AssayWayOut way = { .kind = ASSAY_WAY_SIZE, .name = (char *) "w", .action = (char *) "w" };
  static const struct
  {
    guint32 size;
    guint rejected;
  } tried[] = { { 7, 1 }, { 6, 0 }, { 5, 1 } };
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (AssayFix) fix = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (
      model,
      "nnir 1\nmain (%x : f32[1,4,3,w]) {\n  %y = AveragePool(%x) {kernel_shape = [3, 2], "
      "strides = [3, 2], ceil_mode = 1} : f32[1,4,1,?] @ \"pool\"\n  return %y\n}\n",
      -1, &error));
  g_assert_no_error (error);
  session_fixture_open_whole (fixture, model);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "w", 8);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_rejected (fixture), ==, 1);
  fix = apply_best (fixture, wait_for_fixes (fixture, 0));
  g_assert_cmpuint (count_rejected (fixture), ==, 0);
  assay_compilation_set_automatic (compilation, FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (tried); i++)
    {
      way.value = tried[i].size;
      assay_trial_start (trial, &way);
      session_fixture_wait_idle (fixture);
      g_assert_cmpuint (count_rejected (fixture), ==, tried[i].rejected);
      g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                       tried[i].rejected > 0 ? ASSAY_ACTIVITY_NONE : ASSAY_ACTIVITY_READY);
    }
  assay_trial_undo (trial);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (count_rejected (fixture), ==, 0);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);

  /* Any other change waits again. */
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "w", 6);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_STALE);
}

/* A fix of the setup is a change of the setup. */
static void
test_setup_fix (Fixture *fixture, gconstpointer data)
{
  const char *const arguments[] = { "batch=1", NULL };
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();

  g_ptr_array_add (fixes, assay_fix_new ("bind-shape", NULL, arguments));
  session_fixture_open_whole (fixture, fixture->model);
  assay_session_apply_fixes (fixture->session, fixes);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_settings_get_number (assay_session_get_setup (fixture->session),
                                              ASSAY_SETTING_BIND, "batch"),
                   ==, 1);
  g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (fixture->session))->len,
                    ==, 0);
  g_assert_cmpstr (assay_history_get_undo_label (
                       assay_document_get_history (assay_session_get_document (fixture->session))),
                   ==, "Input Sizes");
  assay_session_undo (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_settings_is_default (assay_session_get_setup (fixture->session)));
}

static AssayEdits *
with_size (gint64 size)
{
  AssayEdits *edits = assay_edits_new (TARGET);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", size);
  assay_edits_set_setup (edits, setup);
  return edits;
}

static gint64
size_of (const AssayEdits *edits)
{
  return assay_settings_get_number (assay_edits_get_setup (edits), ASSAY_SETTING_BIND, "batch");
}

static void
test_history (void)
{
  g_autoptr (AssayEdits) nothing = assay_edits_new (TARGET);
  g_autoptr (AssayHistory) history = assay_history_new (nothing);
  guint n = 0;

  /* Typed in one go: one change. A pause, and it is another. */
  for (guint i = 1; i <= 3; i++)
    {
      g_autoptr (AssayEdits) edits = with_size (i);
      assay_history_record (history, edits, 1000 * i);
      assay_history_record (history, edits, 1000 * i);
    }
  g_assert_cmpint (size_of (assay_history_undo (history)), ==, -1);
  g_assert_null (assay_history_undo (history));
  g_assert_cmpint (size_of (assay_history_redo (history)), ==, 3);
  g_assert_null (assay_history_redo (history));

  for (guint i = 0; i < 150; i++)
    {
      g_autoptr (AssayEdits) edits = with_size (10 + i);
      assay_history_record (history, edits, (i + 1) * 10 * G_TIME_SPAN_SECOND);
    }
  while (assay_history_undo (history) != NULL)
    n++;
  g_assert_cmpuint (n, ==, ASSAY_HISTORY_DEPTH);
  g_assert_cmpint (size_of (assay_history_get_edits (history)), ==,
                   10 + 150 - ASSAY_HISTORY_DEPTH - 1);

  /* A new change ends the way forward. */
  {
    g_autoptr (AssayEdits) edits = with_size (1);
    assay_history_record (history, edits, G_MAXINT64 / 2);
  }
  g_assert_null (assay_history_redo (history));
  g_assert_true (assay_history_get_modified (history));
  assay_history_mark_saved (history, assay_history_get_edits (history));
  g_assert_false (assay_history_get_modified (history));
}

/* Edits with that many fixes of the same kind. */
static AssayEdits *
with_fixes (gint64 size, guint n)
{
  AssayEdits *edits = with_size (size);
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *node = g_strdup_printf ("/node.%u", i);
      const char *const nodes[] = { node, NULL };

      g_ptr_array_add (fixes, assay_fix_new ("replace-op", nodes, NULL));
    }
  assay_edits_set_fixes (edits, fixes);

  return edits;
}

/* From what is saved to what was left behind: all but fixes at once, then one fix after another. */
static void
test_history_restored (void)
{
  static const struct
  {
    guint saved;
    guint left;
    guint changes;
  } cases[] = { { 0, 3, 4 }, { 2, 3, 2 }, { 3, 1, 1 }, { 0, 0, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayEdits) nothing = assay_edits_new (TARGET);
      g_autoptr (AssayEdits) saved = with_fixes (1, cases[i].saved);
      g_autoptr (AssayEdits) left = with_fixes (2, cases[i].left);
      g_autoptr (AssayHistory) history = assay_history_new (nothing);
      guint n = 0;

      assay_history_restore (history, saved, left);
      g_assert_true (assay_edits_equal (assay_history_get_edits (history), left));
      g_assert_true (assay_history_get_modified (history));
      g_assert_null (assay_history_get_redo_label (history));
      while (assay_history_undo (history) != NULL)
        n++;
      g_assert_cmpuint (n, ==, cases[i].changes);
      g_assert_true (assay_edits_equal (assay_history_get_edits (history), saved));
      g_assert_false (assay_history_get_modified (history));
    }
}

TEST_PROGRAM (session_fixes)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add ("/session-fixes/undo/session", Fixture, NULL, set_up, test_undo, tear_down);
  g_test_add ("/session-fixes/fix/nodes", Fixture, NULL, set_up, test_fixes, tear_down);
  g_test_add ("/session-fixes/fix/preview", Fixture, NULL, set_up, test_preview, tear_down);
  g_test_add ("/session-fixes/undo/restored", Fixture, NULL, set_up, test_restored, tear_down);
  g_test_add ("/session-fixes/fix/save-model", Fixture, NULL, set_up, test_save_model, tear_down);
  g_test_add ("/session-fixes/fix/save-parts", Fixture, NULL, set_up, test_save_parts, tear_down);
  g_test_add ("/session-fixes/fix/accept", Fixture, NULL, set_up, test_accept, tear_down);
  g_test_add ("/session-fixes/fix/pair", Fixture, NULL, set_up, test_pair, tear_down);
  g_test_add ("/session-fixes/fix/trial", Fixture, NULL, set_up, test_trial, tear_down);
  g_test_add ("/session-fixes/fix/setup", Fixture, NULL, set_up, test_setup_fix, tear_down);
  g_test_add_func ("/session-fixes/undo/history", test_history);
  g_test_add_func ("/session-fixes/undo/history-restored", test_history_restored);

  return g_test_run ();
}
