/* test-work.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each stage of the way of a model is done once. The linker puts a counter in front of what makes
 * graphs canonical and of what reads models.
 */
#include "nnir/pass/assay-canonical.h"
#include "run/assay-runner.h"
#include "source/assay-source.h"
#include "fix/assay-fix.h"
#include "session/assay-session.h"
#include "test-program.h"
#include "wait.h"

#define TARGET "v80_c6b32"

static guint n_canonical, n_read, n_forms; /* but for @n_read from any thread */
static AssayGraph *read_graph;             /* what was read last; only to be recognised */

AssayGraph *__real_assay_graph_canonicalize (AssayGraph *graph,
                                             const AssayCanonicalOptions *options,
                                             const AssayProgress *progress, GError **error);
AssayGraph *__wrap_assay_graph_canonicalize (AssayGraph *graph,
                                             const AssayCanonicalOptions *options,
                                             const AssayProgress *progress, GError **error);
AssayGraph *__real_assay_model_read (const char *path, const AssayImportOptions *options,
                                     AssayFindings *findings, const AssayProgress *progress,
                                     GError **error);
AssayGraph *__wrap_assay_model_read (const char *path, const AssayImportOptions *options,
                                     AssayFindings *findings, const AssayProgress *progress,
                                     GError **error);

AssayGraph *
__wrap_assay_graph_canonicalize (AssayGraph *graph, const AssayCanonicalOptions *options,
                                 const AssayProgress *progress, GError **error)
{
  g_atomic_int_inc (&n_canonical);
  if (graph == g_atomic_pointer_get (&read_graph))
    g_atomic_int_inc (&n_forms);
  return __real_assay_graph_canonicalize (graph, options, progress, error);
}

AssayGraph *
__wrap_assay_model_read (const char *path, const AssayImportOptions *options,
                         AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  AssayGraph *graph = __real_assay_model_read (path, options, findings, progress, error);

  n_read++;
  n_forms = 0;
  g_atomic_pointer_set (&read_graph, graph);
  return graph;
}

static AssayWork *
open_example (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_BUILDDIR"),
                                            "../data/examples/mlp.onnx", NULL);
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load (TARGET, &error);

  g_assert_no_error (error);
  assay_settings_set_number (&settings, ASSAY_SETTING_BIND, "batch", 1);
  n_canonical = n_read = 0;

  return assay_work_new (path, target, settings);
}

static AssayProgram *
build (AssayWork *work)
{
  g_autoptr (GError) error = NULL;
  AssayProgram *code;

  g_assert_nonnull (assay_work_get_verdicts (work, NULL, &error));
  g_assert_no_error (error);
  code = assay_work_get_program (work, NULL, &error);
  g_assert_no_error (error);

  return code;
}

static gboolean
same_bytes (AssayProgram *a, AssayProgram *b)
{
  g_autoptr (GBytes) left = assay_program_save_bytes (a, NULL);
  g_autoptr (GBytes) right = assay_program_save_bytes (b, NULL);

  return g_bytes_equal (left, right);
}

static void
test_once (void)
{
  g_autoptr (AssayWork) work = open_example ();
  g_autoptr (AssayConfig) config = assay_config_new_preset (TARGET, NULL);
  g_autoptr (AssayProgram) again = NULL;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GError) error = NULL;
  AssayProgram *code = build (work);
  AssayCompileOptions options = { .target_id = TARGET };
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (build (work) == code);
  runner = assay_runner_open ("vm", subject, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (subject->graph == assay_work_get_verdicts (work, NULL, NULL)->graph);
  g_assert_cmpuint (n_read, ==, 1);
  g_assert_cmpuint (n_canonical, ==, 1);

  /* The graph that was checked makes the same program as the imported one. */
  again = assay_build_model (NULL, assay_work_get_graph (work, NULL, NULL),
                             assay_config_get_values (config), &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (same_bytes (code, again));
}

/* What a setting is read by is done again, and what comes behind it. */
static void
test_settings (void)
{
  static const struct
  {
    AssaySetting setting;
    const char *value;
    guint n_read, n_canonical;
    gboolean same;
  } cases[] = {
    { ASSAY_SETTING_FP8_WEIGHTS, "true", 1, 1, FALSE },
    { ASSAY_SETTING_DEPTH, "tensor_ram_depth=3000", 1, 1, FALSE },
    { ASSAY_SETTING_MODEL_NAME, "other", 1, 1, TRUE },
    { ASSAY_SETTING_BIND, "batch=2", 2, 2, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const values[] = { cases[i].value, NULL };
      g_autoptr (AssayWork) work = open_example ();
      g_autoptr (AssayWork) changed = NULL;
      g_autoptr (AssaySettings) settings = NULL;
      AssayProgram *code = build (work);

      settings = assay_settings_ref (assay_work_get_settings (work));
      assay_settings_set_list (&settings, cases[i].setting, values);
      changed = assay_work_with_settings (work, settings);
      g_assert_cmpint (same_bytes (code, build (changed)), ==, cases[i].same);
      g_assert_cmpuint (n_read, ==, cases[i].n_read);
      g_assert_cmpuint (n_canonical, ==, cases[i].n_canonical);
    }
}

/* A setting that only the check reads, and other targets, do not make the model canonical again
 * where they take the same form of it. */
static void
test_forms (void)
{
  static const struct
  {
    AssaySetting setting;
    const char *value;
  } cases[] = {
    { ASSAY_SETTING_DYNAMIC_WEIGHTS, "true" },
    { ASSAY_SETTING_AXES, "none" },
    { ASSAY_SETTING_DATA_DIM, "x=1" },
  };
  g_autoptr (AssayWork) work = open_example ();
  g_autoptr (AssayTarget) other = assay_target_load ("ia_420f_c6b32", NULL);
  g_autoptr (AssayWork) elsewhere = NULL;
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const values[] = { cases[i].value, NULL };
      g_autoptr (AssaySettings) settings = assay_settings_ref (assay_work_get_settings (work));
      g_autoptr (AssayWork) changed = NULL;

      assay_settings_set_list (&settings, cases[i].setting, values);
      changed = assay_work_with_settings (work, settings);
      g_assert_true (assay_work_get_verdicts (changed, NULL, NULL) != verdicts);
      g_assert_cmpuint (n_canonical, ==, 1);
    }

  elsewhere = assay_work_with_target (work, other, assay_work_get_settings (work));
  g_assert_nonnull (assay_work_get_verdicts (elsewhere, NULL, NULL));
  g_assert_cmpuint (n_read, ==, 1);
  g_assert_cmpuint (n_canonical, ==, 1);
}

static GPtrArray *
make_fix (const char *rewrite, const char *argument)
{
  const char *const arguments[] = { argument, NULL };
  GPtrArray *fixes = assay_fixes_new ();

  g_ptr_array_add (fixes, assay_fix_new (rewrite, NULL, arguments));

  return fixes;
}

/* Without fixes nothing is done again; with one its graph is made canonical once, whoever asks. */
static void
test_fixes (void)
{
  g_autoptr (AssayWork) work = open_example ();
  g_autoptr (GPtrArray) none = assay_fixes_new ();
  g_autoptr (GPtrArray) fixes = make_fix ("bind-shape", "batch=1");
  g_autoptr (AssayWork) same = NULL;
  g_autoptr (AssayWork) fixed = NULL;
  AssayProgram *program = build (work);

  same = assay_work_with_fixes (work, none, NULL, NULL, NULL);
  g_assert_true (same_bytes (program, build (same)));
  g_assert_cmpuint (n_canonical, ==, 1);
  fixed = assay_work_with_fixes (work, fixes, NULL, NULL, NULL);
  g_assert_true (same_bytes (program, build (fixed)));
  g_assert_nonnull (assay_work_get_subject (fixed, TRUE, NULL, NULL));
  g_assert_cmpuint (n_read, ==, 1);
  g_assert_cmpuint (n_canonical, ==, 2);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  assay_session_open_finish (ASSAY_SESSION (source), result, &error);
  g_assert_no_error (error);
}

static gboolean
all_counted (AssaySession *session)
{
  g_auto (GStrv) ids = assay_target_list ();
  GListModel *targets = assay_session_get_targets (session);

  for (guint i = 0; i < g_list_model_get_n_items (targets); i++)
    {
      g_autoptr (AssayTargetItem) item = g_list_model_get_item (targets, i);

      if (assay_target_item_get_rejected (item) < 0)
        return FALSE;
    }

  return g_list_model_get_n_items (targets) == g_strv_length (ids);
}

/* A window: its check, and what it asks all other targets beside it. What it tries to help makes
 * graphs of its own, whenever it gets to it. */
static void
test_session (void)
{
  g_autoptr (AssayWork) example = open_example ();
  g_autoptr (AssaySession) session = assay_session_new (TARGET);
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_BUILDDIR"),
                                            "../data/examples/mlp.onnx", NULL);
  g_autoptr (AssaySettings) setup = NULL;
  AssayVerdicts *before;
  guint n_before;

  assay_session_open_async (session, path, NULL, opened_cb, NULL);
  wait_until (!assay_session_get_busy (session) && all_counted (session));
  n_before = (guint) g_atomic_int_get (&n_forms);
  g_assert_cmpuint (n_before, >, 0);
  g_assert_cmpuint (n_before, <, g_list_model_get_n_items (assay_session_get_targets (session)));

  before = assay_session_get_verdicts (session);
  setup = assay_settings_ref (assay_session_get_setup (session));
  assay_settings_set_flag (&setup, ASSAY_SETTING_DYNAMIC_WEIGHTS, TRUE);
  assay_session_set_setup (session, setup);
  wait_until (!assay_session_get_busy (session));
  g_assert_true (assay_session_get_verdicts (session) != before);
  g_assert_cmpuint ((guint) g_atomic_int_get (&n_forms), ==, n_before);
  g_assert_cmpuint (n_read, ==, 1);
}

TEST_PROGRAM (work)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/pipeline/once", test_once);
  g_test_add_func ("/pipeline/settings", test_settings);

  g_test_add_func ("/pipeline/forms", test_forms);
  g_test_add_func ("/pipeline/fixes", test_fixes);
  g_test_add_func ("/pipeline/session", test_session);

  return g_test_run ();
}
