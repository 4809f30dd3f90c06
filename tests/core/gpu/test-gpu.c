/* test-gpu.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process that owns a device: what it keeps and for how long, and what becomes of a run when it
 * or its device fails.
 */
#include "gpu-families.h"
#include "test-program.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>

#include "base/assay-error.h"
#include "run/assay-comparison.h"

static GPtrArray *
run_again (AssayRunSubject *subject)
{
  gint64 dims[] = { 64 };
  const AssayRunPort port = { (char *) "x0", ASSAY_DTYPE_F32, 1, dims, -1, FALSE };
  g_autoptr (AssayRunner) runner = gpu_fixture_open (subject, "vulkan");
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  g_ptr_array_add (inputs, gpu_make_tensor (&port, GPU_PLAIN));

  return gpu_fixture_run (runner, inputs);
}

/* Pipelines that were kept, and then changed by somebody: made anew, and the same numbers. */
static void
test_cache (void)
{
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GPtrArray) first = NULL;
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "assay", "gpu", NULL);
  AssayRunSubject *subject;

  if (!gpu_fixture_has_device ())
    return;
  work = gpu_fixture_work ("main (%x : f32[64]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  first = run_again (subject);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      g_autoptr (GPtrArray) again = NULL;
      gsize sizes[2];
      gconstpointer data[2];
      guint n = 0;

      for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);
          g_autofree char *contents = NULL;
          gsize size;

          if (!g_str_has_prefix (name, "pipelines-"))
            continue;
          g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
          g_assert_cmpuint (size, >, 40);
          contents[size / 2] ^= 1;
          size = round == 0 ? size : round == 1 ? 40 : 0;
          g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
          n++;
        }
      g_assert_cmpuint (n, ==, 1);
      again = run_again (subject);
      data[0] = assay_tensor_get_data (g_ptr_array_index (first, 0), &sizes[0], NULL);
      data[1] = assay_tensor_get_data (g_ptr_array_index (again, 0), &sizes[1], NULL);
      g_assert_cmpmem (data[0], sizes[0], data[1], sizes[1]);
    }
}

/* Where nothing can be kept, everything is made anew. */
static void
test_no_cache (void)
{
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GPtrArray) made = NULL;
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "assay", "gpu", NULL);

  if (!gpu_fixture_has_device ())
    return;
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  assay_temporary_delete (folder);
  g_assert_true (g_file_set_contents (folder, "a file", -1, NULL));
  work = gpu_fixture_work ("main (%x : f32[64]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  made = run_again (assay_work_get_subject (work, TRUE, NULL, NULL));
  g_assert_cmpuint (made->len, ==, 1);
  g_assert_cmpint (g_unlink (folder), ==, 0);
}

/* A device that there is not, and what a device does not take: an error that says so. */
static void
test_faults (void)
{
  g_autoptr (AssayWork) work = NULL;
  AssayRunSubject *subject;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GError) error = NULL;

  if (!gpu_fixture_has_device ())
    return;
  work = gpu_fixture_work ("main (%x : f32[4]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  runner = assay_runner_open ("vulkan:of glass", subject, NULL, NULL, &error);
  g_assert_null (runner);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "there is no Vulkan device of glass; there are: 0 "));
  g_clear_error (&error);

  /* More than a buffer of the device holds: said before anything runs. */
  g_clear_pointer (&work, assay_work_free);
  work = gpu_fixture_work ("main (%x : f32[6000,6000]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  runner = assay_runner_open ("vulkan", subject, NULL, NULL, &error);
  g_assert_null (runner);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "a tensor takes 144000000 bytes, a buffer of "));
  g_clear_error (&error);

  runner = assay_runner_open ("vm", subject, NULL, NULL, &error);
  g_assert_null (runner);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "that is vulkan"));
}

/* A comparison judges what shaders make by the specification, and the rest by the tolerance. */
static void
test_limits (void)
{
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  AssayComparisonSide sides[2] = { { "reference" }, { "vulkan" } };
  const gint64 dims[] = { 2, 2 };
  const float x[] = { 1, 2, 0.5, -2 };

  if (!gpu_fixture_has_device ())
    return;
  work = gpu_fixture_work ("main (%x : f32[2,2]) {\n"
                           "  %a = Sin(%x)\n  %b = Exp(%x)\n  %c = MatMul(%x, %x)\n"
                           "  %d = Log(%b)\n  return %a, %b, %c, %d\n}\n");
  g_ptr_array_add (inputs, assay_tensor_new_f32 (2, dims, x));
  for (guint i = 0; i < 2; i++)
    sides[i].subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  comparison = assay_compare_runs (&sides[0], &sides[1], inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (comparison->verdict, !=, ASSAY_COMPARISON_OUTSIDE);
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);
      double unit = assay_compare_unit (&row->own);

      g_test_message ("%s: limit %g%s", row->op_type, row->limit, row->is_specified ? "*" : "");
      if (g_str_equal (row->op_type, "Sin"))
        g_assert_cmpfloat_with_epsilon (row->limit * unit, 0x1p-11, 1e-9);
      else if (g_str_equal (row->op_type, "Exp"))
        g_assert_cmpfloat (row->limit * unit, >=, (3 + 2 * 2) * 0x1p-23 * exp (2));
      g_assert_true (row->limit <= row->certified);
      g_assert_cmpint (row->is_specified, ==,
                       g_str_equal (row->op_type, "Sin") || g_str_equal (row->op_type, "Exp") ||
                           g_str_equal (row->op_type, "MatMul"));
    }
  g_assert_cmpuint (comparison->rows->len, ==, 4);
}
/* The processes that were started since the last call, which a script in the place of the helper
 * writes down. */
static guint
count_started (const char *log, GPid *last)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n = 0;

  if (!g_file_get_contents (log, &text, NULL, NULL))
    return 0;
  lines = g_strsplit (text, "\n", -1);
  for (; lines[n] != NULL && *lines[n] != '\0'; n++)
    *last = (GPid) g_ascii_strtoll (lines[n], NULL, 10);
  g_assert_cmpint (g_unlink (log), ==, 0);

  return n;
}

/* A comparison takes one process; several that follow each other under a lease the same one, until
 * that ends. */
static void
test_leases (void)
{
  g_autoptr (AssayGpuLease) lease = NULL;
  g_autofree char *before = g_strdup (g_getenv ("ASSAY_HELPERS"));
  g_autofree char *folder = assay_temporary_folder ("leases", NULL);
  g_autofree char *path = g_build_filename (folder, "assay-gpu", NULL);
  g_autofree char *log = g_build_filename (folder, "log", NULL);
  g_autofree char *helper = NULL;
  g_autofree char *script = NULL;
  GPid last = 0;

  if (!gpu_fixture_has_device ())
    return;
  helper = assay_gpu_find_helper (NULL);
  script = g_strdup_printf ("#!/bin/sh\necho $$ >> '%s'\nexec '%s' \"$@\"\n", log, helper);
  g_assert_true (g_file_set_contents (path, script, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  g_setenv ("ASSAY_HELPERS", folder, TRUE);

  for (guint round = 0; round < 6; round++)
    {
      /* Another shape each time, so that no plan is the one before. */
      g_autofree char *text = g_strdup_printf (
          "main (%%x : f32[64]) {\n  const %%s : i64[2] = [%u, "
          "-1]\n  %%a = Reshape(%%x, %%s)\n  %%b = Sin(%%a)\n"
          "  %%y = Exp(%%b)\n  return %%y\n}\n",
          1u << round);
      g_autoptr (AssayWork) work = gpu_fixture_work (text);
      AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);
      AssayComparisonSide sides[2] = { { "reference", subject }, { "vulkan", subject } };
      g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
      g_autoptr (GPtrArray)
          inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
      g_autoptr (AssayComparison) comparison = NULL;
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray) outputs = NULL;
      g_autoptr (GError) error = NULL;

      if (round == 2)
        lease = assay_gpu_lease_new ();
      /* Who is killed while nobody looks is no error of who comes next. */
      if (round == 4)
        g_assert_cmpint (kill (last, SIGKILL), ==, 0);
      g_ptr_array_add (inputs,
                       gpu_make_tensor (&g_array_index (ports, AssayRunPort, 0), GPU_PLAIN));
      comparison = assay_compare_runs (&sides[0], &sides[1], inputs, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (comparison->verdict, <, ASSAY_COMPARISON_OUTSIDE);
      g_assert_cmpuint (comparison->rows->len, >, 1);
      g_assert_cmpuint (count_started (log, &last), ==, round == 3 || round == 5 ? 0 : 1);
      if (round < 5)
        continue;

      /* Looked into and not, a runner has one process, and gives the same bits. */
      runner = gpu_fixture_open (subject, "vulkan");
      outputs = gpu_fixture_run (runner, inputs);
      g_assert_cmpuint (outputs->len, ==, 1);
      g_assert_cmpuint (count_started (log, &last), ==, 0);
    }

  g_clear_pointer (&lease, assay_gpu_lease_free);
  g_assert_cmpint (kill (last, 0), ==, -1);
  g_assert_cmpint (errno, ==, ESRCH);
  if (before != NULL)
    g_setenv ("ASSAY_HELPERS", before, TRUE);
  else
    g_unsetenv ("ASSAY_HELPERS");
  assay_temporary_delete (folder);
}

TEST_PROGRAM (gpu)
{
  char *folder;

  /* What is kept is looked at here, and is changed. */
  g_unsetenv ("ASSAY_GPU_CACHE");
  folder = gpu_fixture_init ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu/cache", test_cache);
  g_test_add_func ("/gpu/no-cache", test_no_cache);
  g_test_add_func ("/gpu/faults", test_faults);
  g_test_add_func ("/gpu/limits", test_limits);
  g_test_add_func ("/gpu/leases", test_leases);

  return gpu_fixture_finish (folder, g_test_run ());
}
