/* test-session.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The session: opening off the main context, cancel at any moment, stale results, failures, the
 * walk over findings.
 */
#include <glib/gstdio.h>

#include "model-writer.h"
#include "report/assay-check-report.h"
#include "run/assay-run-parts.h"
#include "session/analysis/assay-remedy.h"
#include "session-fixture.h"
#include "test-program.h"
#include "target/assay-rule-page.h"

#define TARGET "vulkan-seed"
#define OTHER_TARGET "vulkan-main"

typedef SessionFixture Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  session_fixture_init (fixture, TARGET);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  session_fixture_clear (fixture);
}

static char *
write_model (Fixture *fixture, const char *name, guint n_nodes)
{
  return session_fixture_write_chain (fixture, name, n_nodes, "Relu");
}

static void
open_model (Fixture *fixture, const char *path)
{
  session_fixture_begin (fixture, path);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_LOADING);
  g_assert_true (assay_session_get_busy (fixture->session));
  session_fixture_wait_done (fixture);
}

static void
test_open (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 60);
  g_autofree char *name = NULL;
  AssayVerdicts *verdicts;
  guint sum = 0;

  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_EMPTY);
  open_model (fixture, path);
  g_assert_no_error (fixture->error);
  g_assert_true (fixture->ok);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  /* What is checked is compiled at once. */
  session_fixture_wait_idle (fixture);
  g_assert_false (assay_session_get_busy (fixture->session));
  name = assay_document_dup_name (assay_session_get_document (fixture->session));
  g_assert_cmpstr (name, ==, "chain.onnx");

  verdicts = assay_session_get_verdicts (fixture->session);
  g_assert_nonnull (verdicts);
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    sum += verdicts->counts[i];
  g_assert_cmpuint (sum, ==, assay_graph_n_nodes (verdicts->graph) - 1);
  g_assert_cmpuint (verdicts->counts[ASSAY_VERDICT_REJECTED], >, 0);
  g_assert_nonnull (assay_session_get_outline (fixture->session));
  g_assert_cmpuint (assay_session_get_dimensions (fixture->session)->len, ==, 1);
  g_assert_cmpuint (assay_session_get_inputs (fixture->session)->len, ==, 1);

  assay_session_close (fixture->session);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_EMPTY);
  g_assert_null (assay_session_get_verdicts (fixture->session));
  g_assert_cmpuint (g_list_model_get_n_items (assay_session_get_finding_items (fixture->session)),
                    ==, 0);
}

/* The window and the command line say the same numbers, and every node of the file is in them once.
 */
static void
test_counts (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_write_chain (fixture, "identities.onnx", 60, "Identity");
  g_autoptr (AssayCheckReport) report = NULL;
  AssayVerdicts *verdicts;
  guint sum = 0;

  open_model (fixture, path);
  g_assert_no_error (fixture->error);
  verdicts = assay_session_get_verdicts (fixture->session);
  report = assay_check_report_new (path, assay_session_get_target (fixture->session), verdicts,
                                   NULL);

  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    {
      g_assert_cmpuint (assay_verdicts_count (verdicts, i), ==, report->counts[i]);
      sum += report->counts[i];
    }
  g_assert_cmpuint (sum, ==, 60);
  g_assert_cmpuint (verdicts->absorbed->len, ==, 10);
  g_assert_cmpuint (assay_verdicts_count (verdicts, ASSAY_VERDICT_REMOVED), >=, 10);
}

/* Cancelled after ever more work, so at every stage there is, until one run gets through. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "long.onnx", 20000);
  g_autoptr (GHashTable) stages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint cancelled = 0;

  for (guint work = 0; work < 20 * G_USEC_PER_SEC; work += work / 2 + 300)
    {
      gint64 start = wait_work ();
      gint64 before;

      session_fixture_begin (fixture, path);
      wait_until (fixture->done || wait_work () - start >= work);
      if (fixture->done)
        break;

      {
        g_autoptr (AssayJob)
            job = g_list_model_get_item (assay_session_get_jobs (fixture->session), 0);
        g_hash_table_add (
            stages,
            g_strdup (assay_job_get_message (job) != NULL ? assay_job_get_message (job) : ""));
      }

      before = wait_work ();
      assay_session_cancel (fixture->session);
      g_assert_cmpint (wait_work () - before, <, 100 * G_TIME_SPAN_MILLISECOND);
      g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_EMPTY);
      g_assert_false (assay_session_get_busy (fixture->session));
      g_assert_cmpuint (g_list_model_get_n_items (assay_session_get_jobs (fixture->session)), ==,
                        0);
      session_fixture_wait_done (fixture);
      g_assert_false (fixture->ok);
      g_assert_error (fixture->error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
      cancelled++;
    }

  g_assert_true (fixture->ok);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  g_assert_cmpuint (cancelled, >, 2);
  g_test_message ("%u cancelled, %u stages met", cancelled, g_hash_table_size (stages));
  g_assert_cmpuint (g_hash_table_size (stages), >, 1);
}

/* The second file overtakes the first: nothing of the first may arrive, however late. */
static void
test_stale (Fixture *fixture, gconstpointer data)
{
  g_autofree char *slow = write_model (fixture, "slow.onnx", 5000);
  g_autofree char *quick = write_model (fixture, "quick.onnx", 30);
  Fixture first = { .session = fixture->session };

  session_fixture_begin (&first, slow);
  open_model (fixture, quick);
  g_assert_true (fixture->ok);
  g_assert_true (first.done);
  g_assert_error (first.error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  g_clear_error (&first.error);

  wait_rest ();
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (fixture->session)), <, 100);
  g_assert_cmpstr (assay_document_get_path (assay_session_get_document (fixture->session)), ==,
                   quick);
}

static void
test_failure (Fixture *fixture, gconstpointer data)
{
  g_autofree char *missing = session_fixture_path (fixture, "missing.onnx");
  g_autofree char *junk = session_fixture_path (fixture, "junk.onnx");
  g_autofree char *good = write_model (fixture, "good.onnx", 12);
  const AssayProblem *problem;

  open_model (fixture, missing);
  g_assert_false (fixture->ok);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_FAILED);
  problem = assay_session_get_problem (fixture->session);
  g_assert_nonnull (problem);
  g_assert_cmpint (problem->code, ==, ASSAY_ERROR_IO);
  g_assert_nonnull (strstr (problem->where, "missing.onnx"));

  g_assert_true (g_file_set_contents (junk, "PK\003\004 this is no model", -1, NULL));
  open_model (fixture, junk);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_FAILED);
  problem = assay_session_get_problem (fixture->session);
  g_assert_cmpint (problem->code, ==, ASSAY_ERROR_IMPORT);
  g_assert_nonnull (strstr (problem->where, "junk.onnx"));
  g_assert_nonnull (strstr (problem->details, "IMPORT"));

  open_model (fixture, good);
  g_assert_true (fixture->ok);
  g_assert_null (assay_session_get_problem (fixture->session));
}

static void
test_problem_templates (void)
{
  for (int code = ASSAY_ERROR_IMPORT; code <= ASSAY_ERROR_MEMORY; code++)
    {
      g_autoptr (GError) error = g_error_new (ASSAY_ERROR, code, "cause %d", code);
      g_autoptr (AssayProblem) problem = assay_problem_new (error, "file.onnx", NULL);
      g_autofree char *cause = g_strdup_printf ("cause %d", code);

      g_assert_cmpint (problem->code, ==, code);
      g_assert_cmpuint (strlen (problem->what), >, 5);
      g_assert_cmpuint (strlen (problem->advice), >, 10);
      g_assert_nonnull (strstr (problem->where, "file.onnx"));
      g_assert_nonnull (strstr (problem->where, cause));
      g_assert_nonnull (strstr (problem->details, assay_error_code_name ((AssayError) code)));
    }
}

static void
count_cb (guint *count)
{
  (*count)++;
}

static void
test_target (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 60);
  g_autofree char *name = NULL;
  AssayGraph *graph;
  AssayVerdicts *verdicts;
  guint changes = 0;

  open_model (fixture, path);
  graph = assay_session_get_graph (fixture->session);
  g_assert_true (assay_session_select_name (fixture->session, "/block0/op1"));
  g_assert_false (assay_session_select_name (fixture->session, "/no/such/node"));
  g_signal_connect_swapped (fixture->session, "notify::verdicts", G_CALLBACK (count_cb), &changes);

  assay_session_set_target_id (fixture->session, OTHER_TARGET);
  g_assert_true (assay_session_get_busy (fixture->session));
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (changes, ==, 1);
  verdicts = assay_session_get_verdicts (fixture->session);
  g_assert_cmpstr (verdicts->target_id, ==, OTHER_TARGET);
  g_assert_cmpstr (assay_target_get_id (assay_session_get_target (fixture->session)), ==,
                   OTHER_TARGET);
  g_assert_true (assay_session_get_graph (fixture->session) == graph);
  g_assert_cmpstr (
      assay_graph_node (verdicts->graph, assay_session_get_selection (fixture->session))->name, ==,
      "/block0/op1");

  /* A target that does not exist leaves the model open and says so. */
  assay_session_set_target_id (fixture->session, "no-such-target");
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  g_assert_nonnull (assay_session_get_check_problem (fixture->session));
  assay_session_clear_check_problem (fixture->session);
  g_assert_null (assay_session_get_check_problem (fixture->session));

  /* The session outlives this frame and tells of its end too. */
  g_signal_handlers_disconnect_by_data (fixture->session, &changes);
}

static void
test_setup (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 12);
  g_autoptr (AssaySettings) setup = NULL;
  g_autoptr (GError) error = NULL;
  const AssayDimension *dimension;
  const AssayValue *input;
  AssayGraph *before;

  open_model (fixture, path);
  before = assay_session_get_graph (fixture->session);
  dimension = g_ptr_array_index (assay_session_get_dimensions (fixture->session), 0);
  g_assert_cmpstr (dimension->key, ==, "batch");

  setup = assay_settings_ref (assay_session_get_setup (fixture->session));
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, dimension->key, 4);
  g_assert_cmpint (assay_settings_get_number (setup, ASSAY_SETTING_BIND, "batch"), ==, 4);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_session_get_graph (fixture->session) != before);
  before = assay_session_get_graph (fixture->session);
  input = assay_graph_value (
      before, g_array_index (assay_graph_region (before, 0)->inputs, AssayValueId, 0));
  g_assert_cmpint (input->type->dims[0].size, ==, 4);
  g_assert_cmpuint (assay_session_get_dimensions (fixture->session)->len, ==, 1);

  /* An option of the target alone does not read the model again. */
  assay_settings_set_entry (&setup, ASSAY_SETTING_TARGET_OPTION, "require_dynamic_shapes", "true");
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_session_get_graph (fixture->session) == before);

  g_assert_false (assay_settings_set_shape (&setup, 0, "4,eight", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_true (assay_settings_set_shape (&setup, 0, "2,?", NULL));
  g_assert_cmpstr (assay_settings_get_shape (setup, 0), ==, "2,?");
  g_assert_true (assay_settings_set_shape (&setup, 0, "", NULL));
  assay_settings_set_axis (&setup, 0, 1);
  g_assert_cmpint (assay_settings_get_axis (setup, 0), ==, 1);
  assay_settings_set_axis (&setup, 0, -1);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", -1);
  assay_settings_set_entry (&setup, ASSAY_SETTING_TARGET_OPTION, "require_dynamic_shapes", NULL);
  g_assert_true (assay_settings_is_default (setup));
}

static void
run_until_changed (Fixture *fixture, guint changes)
{
  wait_until (assay_document_get_changed_files (assay_session_get_document (fixture->session)) ==
              changes);
}

/* A model that is written anew is told of, and read again with what the user chose as far as it is
 * still there. */
static void
test_reload (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 60);
  g_autofree char *again = NULL;
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  const AssayGraph *graph;
  guint before;

  open_model (fixture, path);
  before = assay_graph_n_nodes (assay_session_get_graph (fixture->session));
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 4);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "nowhere", 4);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_session_select_name (fixture->session, "/block0/op1"));
  assay_session_set_filter (fixture->session, 1u << ASSAY_VERDICT_REJECTED);
  g_assert_cmpuint (
      assay_document_get_changed_files (assay_session_get_document (fixture->session)), ==, 0);

  again = write_model (fixture, "chain.onnx", 72);
  run_until_changed (fixture, ASSAY_DOCUMENT_MODEL_CHANGED);
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (fixture->session)), ==, before);
  assay_session_reload (fixture->session);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (
      assay_document_get_changed_files (assay_session_get_document (fixture->session)), ==, 0);
  graph = assay_session_get_verdicts (fixture->session)->graph;
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (fixture->session)), ==,
                    before + 12);
  g_assert_cmpstr (assay_graph_node (graph, assay_session_get_selection (fixture->session))->name,
                   ==, "/block0/op1");
  g_assert_cmpuint (assay_session_get_filter (fixture->session), ==, 1u << ASSAY_VERDICT_REJECTED);
  g_assert_cmpint (assay_settings_get_number (assay_session_get_setup (fixture->session),
                                              ASSAY_SETTING_BIND, "batch"),
                   ==, 4);
  g_assert_cmpint (assay_settings_get_number (assay_session_get_setup (fixture->session),
                                              ASSAY_SETTING_BIND, "nowhere"),
                   ==, -1);
  g_assert_cmpuint (assay_session_get_dimensions (fixture->session)->len, ==, 1);

  /* What cannot be read takes nothing away. */
  g_assert_true (g_file_set_contents (path, "no model", -1, NULL));
  run_until_changed (fixture, ASSAY_DOCUMENT_MODEL_CHANGED);
  assay_session_reload (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_nonnull (assay_session_get_check_problem (fixture->session));
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  g_assert_true (assay_session_get_verdicts (fixture->session)->graph == graph);

  g_remove (path);
  run_until_changed (fixture, ASSAY_DOCUMENT_MODEL_GONE);
  assay_document_ignore_changed_files (assay_session_get_document (fixture->session));
  g_assert_cmpuint (
      assay_document_get_changed_files (assay_session_get_document (fixture->session)), ==, 0);
}

static void
write_target (const char *path, const char *kind)
{
  g_autofree char *text = g_strdup_printf (
      "{\n  \"schema\": \"assay.target/1\",\n  \"id\": \"own\",\n"
      "  \"title\": \"Own\",\n  \"extends\": \"block-streaming\",\n"
      "  \"summary\": \"mine\",\n  \"source\": \"me\",\n"
      "  \"config\": %s\n}\n",
      kind);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* A target file with a mistake says line and member, and leaves the verdicts of before. */
static void
test_target_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 12);
  g_autofree char *target = session_fixture_path (fixture, "own.json");
  const AssayProblem *problem;
  AssayVerdicts *verdicts;

  write_target (target, "{ \"num_cores\": 2 }");
  open_model (fixture, path);
  assay_session_set_target_id (fixture->session, target);
  session_fixture_wait_idle (fixture);
  verdicts = assay_session_get_verdicts (fixture->session);
  g_assert_cmpstr (verdicts->target_id, ==, "own");

  write_target (target, "[ 1, 2 ]");
  run_until_changed (fixture, ASSAY_DOCUMENT_TARGET_CHANGED);
  assay_session_reload (fixture->session);
  session_fixture_wait_idle (fixture);
  problem = assay_session_get_check_problem (fixture->session);
  g_assert_nonnull (problem);
  g_assert_true (problem->is_target);
  g_test_message ("%s", problem->where);
  g_assert_nonnull (strstr (problem->where, "own.json"));
  g_assert_nonnull (strstr (problem->where, "line 8, column 13: config"));
  g_assert_true (assay_session_get_verdicts (fixture->session) == verdicts);

  write_target (target, "{ \"num_cores\": \"six\" }");
  run_until_changed (fixture, ASSAY_DOCUMENT_TARGET_CHANGED);
  assay_session_reload (fixture->session);
  session_fixture_wait_idle (fixture);
  problem = assay_session_get_check_problem (fixture->session);
  g_assert_nonnull (strstr (problem->where, "line 8, column 28: config.num_cores"));
  g_assert_true (assay_session_get_verdicts (fixture->session) == verdicts);

  write_target (target, "{ \"num_cores\": 3 }");
  run_until_changed (fixture, ASSAY_DOCUMENT_TARGET_CHANGED);
  assay_session_reload (fixture->session);
  session_fixture_wait_idle (fixture);
  g_assert_null (assay_session_get_check_problem (fixture->session));
  g_assert_true (assay_session_get_verdicts (fixture->session) != verdicts);
}

/* Every target says of everything that it refuses what can be done, and shows its rule. */
static void
test_remedies (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 60);
  g_auto (GStrv) targets = assay_target_list ();
  guint refused = 0;

  open_model (fixture, path);
  for (char **id = targets; *id != NULL; id++)
    {
      AssayVerdicts *verdicts;

      assay_session_set_target_id (fixture->session, *id);
      session_fixture_wait_idle (fixture);
      verdicts = assay_session_get_verdicts (fixture->session);
      for (AssayNodeId node = 1; node < assay_graph_n_nodes (verdicts->graph); node++)
        {
          const AssayVerdict *verdict = assay_verdicts_get (verdicts, node);
          AssayRemedyPlace place;
          g_autofree char *remedy = assay_remedy_describe (verdicts, verdict, &place);
          g_autoptr (AssayRulePage) page = NULL;

          g_assert_cmpint (remedy != NULL, ==, verdict->kind <= ASSAY_VERDICT_UNDECIDED);
          if (remedy == NULL)
            continue;

          refused++;
          g_assert_null (strchr (remedy, '{'));
          page = assay_rule_page_new (assay_session_get_target (fixture->session), verdict->rule);
          g_test_message ("%s %s: %s", *id, verdict->rule, remedy);
          g_assert_nonnull (page);
          g_assert_true (g_str_has_prefix (verdict->rule, page->id));
          g_assert_nonnull (strstr (page->json, page->id));
          g_assert_nonnull (page->source);
        }
    }
  g_assert_cmpuint (refused, >, 20);
}

/* What has to be there is given, or left out; nothing takes `given`. */
static void
test_given (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "torch", "module.mlir", NULL);
  g_autoptr (AssayTarget) target = assay_target_load ("vulkan-main", NULL);
  g_autoptr (AssayWork) work = assay_work_new (path, target, NULL);
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);
  guint n = 0;

  g_assert_nonnull (verdicts);
  for (AssayNodeId node = 1; node < assay_graph_n_nodes (verdicts->graph); node++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, node);
      AssayRemedyPlace place;
      g_autofree char *remedy = assay_remedy_describe (verdicts, verdict, &place);

      if (g_strcmp0 (verdict->allowed, "given") != 0)
        continue;
      g_assert_cmpstr (remedy, ==,
                       "Give input 2 in the model: vulkan-main takes no LayerNormalization without "
                       "it.");
      n++;
    }
  g_assert_cmpuint (n, ==, 1);
}

/* A rule has its place in the file, its own source, and the predicates it asks with what they mean.
 */
static void
test_rule_page (void)
{
  g_autoptr (AssayTarget) target = assay_target_load ("ia_420f_c6b32", NULL);
  g_autoptr (AssayRulePage) page = assay_rule_page_new (target, "clamp");
  g_autoptr (AssayRulePage) detail = assay_rule_page_new (target, "data-dimension.broadcast");
  g_autoptr (AssayRulePage) none = assay_rule_page_new (target, "fold-batch-norm");
  const AssayRuleCondition *condition;

  g_assert_nonnull (page);
  g_assert_true (g_str_has_prefix (page->member, "rules["));
  g_assert_nonnull (strstr (page->json, "\"clamp\""));
  g_assert_nonnull (strstr (page->source, "vollo-onnx.html"));
  g_assert_cmpuint (page->conditions->len, ==, 4);
  condition = g_ptr_array_index (page->conditions, 0);
  g_assert_cmpstr (condition->name, ==, "constant (input 1)");
  g_assert_cmpuint (strlen (condition->doc), >, 10);

  g_assert_nonnull (detail);
  g_assert_cmpstr (detail->id, ==, "data-dimension");
  g_assert_null (none);
}

static void
test_walk (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 60);
  GListModel *items;
  guint n;
  int group = -1;

  g_assert_false (assay_session_step_finding (fixture->session, 1));
  open_model (fixture, path);
  items = assay_session_get_finding_items (fixture->session);
  n = g_list_model_get_n_items (items);
  g_assert_cmpuint (n, >, 1);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);
      GArray *nodes = assay_finding_item_get_nodes (item);

      g_assert_cmpint (assay_finding_item_get_group (item), >=, group);
      group = (int) assay_finding_item_get_group (item);
      g_assert_true (assay_session_step_finding (fixture->session, 1));
      g_assert_cmpint (assay_session_get_finding (fixture->session), ==, (int) i);
      if (nodes->len == 0)
        continue;

      g_assert_cmpuint (assay_session_get_selection (fixture->session), ==,
                        g_array_index (nodes, AssayNodeId, 0));
      for (guint k = 1; k <= nodes->len; k++)
        {
          g_assert_true (assay_session_step_node (fixture->session, 1));
          g_assert_cmpuint (assay_session_get_selection (fixture->session), ==,
                            g_array_index (nodes, AssayNodeId, k % nodes->len));
        }
    }

  g_assert_true (assay_session_step_finding (fixture->session, 1));
  g_assert_cmpint (assay_session_get_finding (fixture->session), ==, 0);
  g_assert_true (assay_session_step_finding (fixture->session, -1));
  g_assert_cmpint (assay_session_get_finding (fixture->session), ==, (int) n - 1);
}

/* Pins go by name and stay over a change of target; marks go with the verdicts; another model
 * begins with neither. */
static void
test_marks (Fixture *fixture, gconstpointer data)
{
  AssaySession *session = fixture->session;
  g_autofree char *path = session_fixture_write_chain (fixture, "chain.onnx", 20, "Det");
  g_autofree char *other = session_fixture_write_chain (fixture, "other.onnx", 10, "Det");
  const AssayNodeId ids[] = { 2, 3, 1000000 };
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  guint pins = 0, marks = 0;
  const char *name;

  g_array_append_vals (nodes, ids, G_N_ELEMENTS (ids));
  g_signal_connect_swapped (session, "notify::pins", G_CALLBACK (count_cb), &pins);
  g_signal_connect_swapped (session, "notify::marks", G_CALLBACK (count_cb), &marks);
  open_model (fixture, path);
  g_assert_null (assay_session_dup_marks (session));
  name = assay_graph_node (assay_session_get_verdicts (session)->graph, 2)->name;

  marks = 0;
  assay_session_set_note (session, name, "slow");
  assay_session_set_note (session, name, "slow");
  assay_session_set_note (session, "not in this graph", "");
  g_assert_cmpuint (pins, ==, 2);
  g_assert_true (assay_session_is_pinned (session, 2));
  g_assert_false (assay_session_is_pinned (session, 3));
  g_assert_false (assay_session_is_pinned (session, ASSAY_NO_NODE));
  g_assert_cmpstr (assay_session_get_note (session, name), ==, "slow");

  assay_session_set_marks (session, nodes, NULL, NULL);
  g_assert_cmpuint (marks, ==, 1);
  {
    g_autoptr (GByteArray) all = assay_session_dup_marks (session);

    g_assert_cmpuint (all->len, ==,
                      assay_graph_n_nodes (assay_session_get_verdicts (session)->graph));
    g_assert_cmpuint (all->data[2], ==, ASSAY_MARK_ADDED | ASSAY_MARK_PINNED);
    g_assert_cmpuint (all->data[3], ==, ASSAY_MARK_ADDED);
    g_assert_cmpuint (all->data[4], ==, 0);
  }

  assay_session_set_target_id (session, OTHER_TARGET);
  session_fixture_wait_idle (fixture);
  {
    g_autoptr (GByteArray) all = assay_session_dup_marks (session);
    g_auto (GStrv) names = assay_session_list_pins (session);

    g_assert_cmpuint (all->data[2], ==, ASSAY_MARK_PINNED);
    g_assert_cmpuint (all->data[3], ==, 0);
    g_assert_cmpuint (g_strv_length (names), ==, 2);
    g_assert_cmpstr (names[1], ==, "not in this graph");
  }

  assay_session_set_note (session, "not in this graph", NULL);
  g_assert_null (assay_session_get_note (session, "not in this graph"));
  open_model (fixture, other);
  g_assert_null (assay_session_dup_marks (session));
  g_signal_handlers_disconnect_by_data (session, &pins);
  g_signal_handlers_disconnect_by_data (session, &marks);
}

static void
test_outline (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 60);
  g_autoptr (GListModel) top = NULL;
  AssayVerdicts *verdicts;
  AssayOutline *outline;
  guint in_scopes = 0;

  open_model (fixture, path);
  outline = assay_session_get_outline (fixture->session);
  verdicts = assay_session_get_verdicts (fixture->session);
  top = assay_outline_list (outline, 0);

  for (guint i = 0; i < g_list_model_get_n_items (top); i++)
    {
      g_autoptr (AssayOutlineItem) item = g_list_model_get_item (top, i);
      in_scopes += assay_outline_item_get_count (item);
    }
  g_assert_cmpuint (in_scopes, ==, assay_graph_n_nodes (verdicts->graph) - 1);

  /* The way to each node leads to that node. */
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      g_autoptr (GArray) way = assay_outline_locate (outline, id);
      guint scope = 0;

      for (guint level = 0; level < way->len; level++)
        {
          g_autoptr (GListModel) list = assay_outline_list (outline, scope);
          g_autoptr (AssayOutlineItem)
              item = g_list_model_get_item (list, g_array_index (way, guint, level));

          g_assert_nonnull (item);
          scope = assay_outline_item_get_scope (item);
          if (level + 1 == way->len)
            g_assert_cmpuint (assay_outline_item_get_node (item), ==, id);
        }
    }
}

/* The survey fills in what each target would reject, and agrees with choosing it. */
static gboolean
is_complete (GListModel *targets)
{
  guint n = g_list_model_get_n_items (targets);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayTargetItem) item = g_list_model_get_item (targets, i);

      if (assay_target_item_get_rejected (item) < 0)
        return FALSE;
    }

  return n > 1;
}

static void
test_survey (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_model (fixture, "chain.onnx", 60);
  GListModel *targets = assay_session_get_targets (fixture->session);

  open_model (fixture, path);
  wait_until (is_complete (targets));

  for (guint i = 0; i < g_list_model_get_n_items (targets); i++)
    {
      g_autoptr (AssayTargetItem) item = g_list_model_get_item (targets, i);
      int expected;

      /* Another target may have begun the survey anew. */
      wait_until (assay_target_item_get_rejected (item) >= 0);
      expected = assay_target_item_get_rejected (item);
      assay_session_set_target_id (fixture->session, assay_target_item_get_id (item));
      session_fixture_wait_idle (fixture);
      g_assert_cmpint (
          (int) assay_session_get_verdicts (fixture->session)->counts[ASSAY_VERDICT_REJECTED], ==,
          expected);
    }
}

#define PROGRAM_TARGET "ia_420f_c6b32"

/* Two operations on one vector: what every block-streaming target runs. */
static char *
write_program (Fixture *fixture, const char *name, guint lanes)
{
  char *path = session_fixture_path (fixture, name);
  g_autofree char *shape = g_strdup_printf ("1,%u", lanes);
  g_auto (ModelWriter) writer;
  g_autoptr (GError) error = NULL;

  model_writer_init (&writer, "program");
  model_writer_input (&writer, "x", 1, shape);
  model_writer_output (&writer, "y", 1, shape);
  model_writer_node (&writer, "Relu", "/relu", "x", "between");
  model_writer_node (&writer, "Tanh", "/tanh", "between", "y");
  g_assert_true (model_writer_save (&writer, path, 17, &error));
  g_assert_no_error (error);

  return path;
}

static void
note_state_cb (AssayCompilation *compilation, GParamSpec *pspec, gpointer data)
{
  *(guint *) data |= 1u << assay_activity_get_state (ASSAY_ACTIVITY (compilation));
}

static guint32
compilation_peak (AssayCompilation *compilation)
{
  AssayMemoryMap *memory = assay_compilation_get_memory (compilation);

  g_assert_nonnull (memory);
  return assay_memory_map_get_use (memory, memory->peak_core, memory->main_store)->peak;
}

static void
test_compile (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_program (fixture, "program.onnx", 200);
  AssayCompilation *compilation = assay_session_get_compilation (fixture->session);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  const AssayMemoryUse *use;
  AssayMemoryMap *memory;
  guint32 blocks[ASSAY_N_TENSOR_KINDS];
  guint seen = 0;

  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  g_signal_connect (compilation, "notify::state", G_CALLBACK (note_state_cb), &seen);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_NONE);
  open_model (fixture, path);
  g_assert_no_error (fixture->error);
  g_assert_true (assay_session_get_busy (fixture->session));
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  g_assert_cmphex (seen & 1u << ASSAY_ACTIVITY_RUNNING, !=, 0);
  g_assert_cmpuint (assay_program_get_facts (assay_compilation_get_program (compilation))->n_rows,
                    >, 3);
  g_assert_cmpuint (assay_compilation_get_cycles (compilation)->spaced, >, 0);
  g_assert_cmpuint (assay_compilation_get_cycles (compilation)->contiguous, >,
                    assay_compilation_get_cycles (compilation)->spaced);
  g_assert_cmpint (assay_compilation_get_duration (compilation), >, 0);
  g_assert_cmpuint (g_list_model_get_n_items (assay_session_get_jobs (fixture->session)), ==, 0);

  /* The playhead stands at the peak, and what is live there adds up to it. */
  memory = assay_compilation_get_memory (compilation);
  use = assay_memory_map_get_use (memory, assay_compilation_get_core (compilation),
                                  memory->main_store);
  g_assert_cmpuint (use->peak, >=, 7);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, use->peak_step);
  for (guint32 step = 0; step < memory->n_steps; step++)
    g_assert_cmpuint (assay_memory_map_compose (memory, assay_compilation_get_core (compilation),
                                                memory->main_store, step, blocks),
                      ==, use->used[step]);
  assay_compilation_set_playhead (compilation, G_MAXUINT32);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, memory->n_steps - 1);

  /* A change makes the program stale at once, and a new one follows by itself. */
  seen = 0;
  assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  assay_session_set_setup (fixture->session, setup);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_STALE);
  g_assert_nonnull (assay_compilation_get_program (compilation));
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  g_assert_cmphex (seen & 1u << ASSAY_ACTIVITY_RUNNING, !=, 0);

  /* Those of delegates are of another kind. */
  assay_session_set_target_id (fixture->session, TARGET);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  g_assert_cmpstr (assay_program_get_machine (assay_compilation_get_program (compilation)), ==,
                   "vulkan");

  g_signal_handlers_disconnect_by_data (compilation, &seen);
}

static void
test_compile_failure (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_program (fixture, "wide.onnx", 32 * 5000);
  AssayCompilation *compilation = assay_session_get_compilation (fixture->session);

  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  open_model (fixture, path);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_FAILED);
  g_assert_error (assay_activity_get_error (ASSAY_ACTIVITY (compilation)), ASSAY_ERROR,
                  ASSAY_ERROR_ALLOCATION);
  g_assert_null (assay_compilation_get_program (compilation));
  g_assert_true (assay_compilation_can_start (compilation));

  assay_session_close (fixture->session);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_NONE);
  g_assert_null (assay_activity_get_error (ASSAY_ACTIVITY (compilation)));
}

/* Options of the compiler reach it: a name that the model lacks is told, a depth makes it fail, a
 * trial helps. */
static void
test_compile_options (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_program (fixture, "program.onnx", 200);
  AssayCompilation *compilation = assay_session_get_compilation (fixture->session);
  AssayTrial *trial = assay_session_get_trial (fixture->session);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  const AssayWayOut *way = NULL;
  guint32 needed;

  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  open_model (fixture, path);
  session_fixture_wait_idle (fixture);
  needed = compilation_peak (compilation);

  assay_settings_set_text (&setup, ASSAY_SETTING_KEEP_FP32, "/relu");
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (compilation)));
  g_assert_cmpuint (compilation_peak (compilation), >, needed);

  assay_settings_set_text (&setup, ASSAY_SETTING_KEEP_FP32, "/relo");
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_error (assay_activity_get_error (ASSAY_ACTIVITY (compilation)), ASSAY_ERROR,
                  ASSAY_ERROR_INVALID);
  g_assert_nonnull (
      strstr (assay_activity_get_error (ASSAY_ACTIVITY (compilation))->message, "/relo"));

  assay_settings_set_text (&setup, ASSAY_SETTING_KEEP_FP32, NULL);
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", needed - 1);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_error (assay_activity_get_error (ASSAY_ACTIVITY (compilation)), ASSAY_ERROR,
                  ASSAY_ERROR_ALLOCATION);
  for (guint i = 0; i < assay_compilation_get_allocation (compilation)->ways_out->len; i++)
    {
      const AssayWayOut *other = &g_array_index (
          assay_compilation_get_allocation (compilation)->ways_out, AssayWayOut, i);

      if (other->kind == ASSAY_WAY_DEPTH)
        way = other;
    }
  g_assert_nonnull (way);
  g_assert_true (g_str_has_prefix (way->action, "tensor RAM: "));

  assay_trial_start (trial, way);
  g_assert_true (assay_trial_get_active (trial));
  g_assert_cmpstr (assay_trial_get_before (trial), ==, "Did not fit");
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  g_assert_cmpuint (compilation_peak (compilation), >=, needed);
  assay_trial_undo (trial);
  session_fixture_wait_idle (fixture);
  g_assert_false (assay_trial_get_active (trial));
  g_assert_true (assay_settings_equal (assay_session_get_setup (fixture->session), setup));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_FAILED);
}

/* What comes out of a run is what the model computes; cancelled, nothing of it arrives. */
static void
test_run (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_program (fixture, "program.onnx", 200);
  AssayRun *run = assay_session_get_run (fixture->session);
  g_autoptr (AssayResultItem) item = NULL;
  const AssayStatistics *statistics;

  g_assert_false (assay_run_can_start (run));
  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  open_model (fixture, path);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_run_can_start (run));

  assay_run_start (run);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_RUNNING);
  g_assert_true (assay_session_get_busy (fixture->session));
  assay_activity_cancel (ASSAY_ACTIVITY (run));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_NONE);
  g_assert_false (assay_session_get_busy (fixture->session));

  assay_run_start (run);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_READY);
  g_assert_cmpuint (assay_run_get_n_steps (run), ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (assay_run_get_results (run)), ==, 1);
  item = g_list_model_get_item (assay_run_get_results (run), 0);
  statistics = assay_result_item_get_statistics (item);
  g_assert_cmpstr (assay_result_item_get_name (item), ==, "y");
  g_assert_cmpuint (statistics->n, ==, 200);
  /* Half of the inputs are below zero, and tanh of the others stays below 1. */
  g_assert_cmpuint (statistics->n_zero, >, 50);
  g_assert_cmpfloat (statistics->min, ==, 0);
  g_assert_cmpfloat (statistics->max, >, 0.5);
  g_assert_cmpfloat (statistics->max, <, 1);

  assay_session_close (fixture->session);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_NONE);
  g_assert_cmpuint (g_list_model_get_n_items (assay_run_get_results (run)), ==, 0);
}

/* Where the target knows no programs the model runs all the same, on what needs none. */
static void
test_run_model (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_program (fixture, "model.onnx", 200);
  AssayRun *run = assay_session_get_run (fixture->session);
  g_autoptr (GArray) inputs = NULL;

  assay_session_set_target_id (fixture->session, "dpu_zdx8g_b512");
  open_model (fixture, path);
  session_fixture_wait_idle (fixture);
  g_assert_false (assay_run_can_start (run));
  g_assert_false (
      assay_compare_activity_can_start (assay_session_get_compare_activity (fixture->session)));

  assay_run_set_runner (run, "reference");
  g_assert_true (assay_run_can_start (run));
  g_assert_false (
      assay_compare_activity_can_start (assay_session_get_compare_activity (fixture->session)));
  inputs = assay_run_list_inputs (run);
  g_assert_cmpuint (inputs->len, ==, 1);
  assay_run_start (run);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_READY);
  g_assert_cmpuint (g_list_model_get_n_items (assay_run_get_results (run)), ==, 1);
}

/* A model that takes and gives sequences and optionals runs on their tensors, drawn or of a file,
 * and is compared where no side needs a program. */
static void
test_run_parts (Fixture *fixture, gconstpointer data)
{
  static const char model[] = "nnir 1\nmain (%s : seq<f32[2]>, %o : opt<f32[3]>, %t : f32[2]) {\n"
                              "  %n = SequenceLength(%s) : i64[] @ \"length\"\n"
                              "  return %n, %s, %o, %t\n"
                              "}\n";
  static const char *const drawn[] = { "n", "s[0]", "s[1]", "o[value]", "t" };
  static const char *const given[] = { "n", "s[0]", "s[1]", "s[2]", "o[value]", "t" };
  g_autofree char *path = g_build_filename (fixture->folder, "parts.nnir", NULL);
  g_autofree char *archive = g_build_filename (fixture->folder, "s.npz", NULL);
  AssayRun *run = assay_session_get_run (fixture->session);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (fixture->session);
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_new ();
  g_autoptr (AssayRunParts) parts = assay_run_parts_new ();
  const gint64 two = 2;
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (1, &two, (float[]){ 1, 2 });
  const struct
  {
    const char *const *names;
    guint n;
  } cases[] = { { drawn, G_N_ELEMENTS (drawn) }, { given, G_N_ELEMENTS (given) } };

  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      assay_run_parts_add (parts, name, tensor);
    }
  g_assert_true (assay_run_parts_save (parts, archive, NULL));
  g_assert_true (g_file_set_contents (path, model, -1, NULL));
  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  open_model (fixture, path);
  session_fixture_wait_idle (fixture);
  assay_run_set_runner (run, "reference");
  g_assert_false (assay_compare_activity_can_start (comparing));
  assay_compare_activity_set_runner (comparing, 1, "reference-fp64");
  g_assert_true (assay_compare_activity_can_start (comparing));

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      assay_run_start (run);
      assay_compare_activity_start (comparing);
      session_fixture_wait_idle (fixture);
      g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (run)));
      g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (comparing)));
      g_assert_cmpuint (g_list_model_get_n_items (assay_run_get_results (run)), ==, cases[i].n);
      for (guint j = 0; j < cases[i].n; j++)
        {
          g_autoptr (AssayResultItem) item = g_list_model_get_item (assay_run_get_results (run), j);
          const char *part = strchr (cases[i].names[j], '[');

          g_assert_cmpstr (assay_result_item_get_name (item), ==, cases[i].names[j]);
          g_assert_true ((assay_result_item_get_whole (item) != NULL) == (part != NULL));
        }
      g_assert_cmpuint (g_list_model_get_n_items (assay_compare_activity_get_rows (comparing)), >=,
                        cases[i].n);
      g_assert_cmpint (assay_compare_activity_get_comparison (comparing)->verdict, ==,
                       ASSAY_COMPARISON_EXACT);
      assay_input_choice_set_file (inputs, "s", archive);
      assay_run_set_inputs (run, inputs);
    }
}

/* Cancelled or overtaken, nothing of it arrives. */
static void
test_compile_cancel (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_program (fixture, "program.onnx", 200);
  AssayCompilation *compilation = assay_session_get_compilation (fixture->session);
  AssayProgram *before;

  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  open_model (fixture, path);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_RUNNING);
  assay_session_cancel (fixture->session);
  g_assert_false (assay_session_get_busy (fixture->session));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_NONE);
  g_assert_nonnull (assay_compilation_get_reason (compilation));
  wait_rest ();
  g_assert_null (assay_compilation_get_program (compilation));

  assay_compilation_start (compilation);
  assay_compilation_start (compilation);
  session_fixture_wait_idle (fixture);
  before = assay_compilation_get_program (compilation);
  g_assert_nonnull (before);

  /* What is there stays when its successor is cancelled. */
  assay_compilation_start (compilation);
  assay_activity_cancel (ASSAY_ACTIVITY (compilation));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_STALE);
  g_assert_true (assay_compilation_get_program (compilation) == before);
}

TEST_PROGRAM (session)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)
  ADD ("/session/open/states", test_open);
  ADD ("/session/open/counts", test_counts);
  ADD ("/session/open/cancel", test_cancel);
  ADD ("/session/open/stale", test_stale);
  ADD ("/session/open/failure", test_failure);
  ADD ("/session/check/target", test_target);
  ADD ("/session/check/setup", test_setup);
  ADD ("/session/files/reload", test_reload);
  ADD ("/session/files/target", test_target_file);
  ADD ("/session/check/survey", test_survey);
  ADD ("/session/findings/walk", test_walk);
  ADD ("/session/findings/remedies", test_remedies);
  ADD ("/session/marks", test_marks);
  ADD ("/session/outline/lists", test_outline);
  ADD ("/session/compile/ready", test_compile);
  ADD ("/session/compile/failed", test_compile_failure);
  ADD ("/session/compile/cancel", test_compile_cancel);
  ADD ("/session/compile/options", test_compile_options);
  ADD ("/session/run", test_run);
  ADD ("/session/run-model", test_run_model);
  ADD ("/session/run-parts", test_run_parts);
#undef ADD
  g_test_add_func ("/session/problem/templates", test_problem_templates);
  g_test_add_func ("/session/rule/page", test_rule_page);
  g_test_add_func ("/session/given", test_given);

  return g_test_run ();
}
