/* test-work.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each stage of the way of a model is done once. The linker puts a counter in front of what makes
 * graphs canonical and of what reads models.
 */
#include "nnir/pass/assay-canonical.h"
#include "run/assay-runner.h"
#include "source/assay-source.h"
#include "work/assay-work.h"

#define TARGET "v80_c6b32"

static guint n_canonical, n_read;

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
  n_canonical++;
  return __real_assay_graph_canonicalize (graph, options, progress, error);
}

AssayGraph *
__wrap_assay_model_read (const char *path, const AssayImportOptions *options,
                         AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  n_read++;
  return __real_assay_model_read (path, options, findings, progress, error);
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
  g_autoptr (GBytes) left = assay_program_save_bytes (a);
  g_autoptr (GBytes) right = assay_program_save_bytes (b);

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/pipeline/once", test_once);
  g_test_add_func ("/pipeline/settings", test_settings);

  return g_test_run ();
}
