/* test-gpu-driver.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs put on a device; a driver that fails, or takes its process with it, at any stage; and
 * devices with less than is asked for. The error says what it was, nothing is lost, and the next
 * run works.
 */
#include <dlfcn.h>

#include "gpu-fixture.h"
#include "test-program.h"

#include "base/assay-error.h"
#include "run/assay-deploy.h"
#include "run/board/assay-board-list.h"

#define WISH "ASSAY_FAKE_VULKAN"

/* Stages before and while a program runs. The weights and what shaders are told are the first two
 * submissions. */
static const char *const stages[] = {
  "CreateInstance@1",
  "EnumeratePhysicalDevices@2",
  "CreateDevice@1",
  "CreateBuffer@1",
  "AllocateMemory@1",
  "AllocateMemory@4",
  "CreateComputePipelines@1",
  "BeginCommandBuffer@1",
  "QueueSubmit@1",
  "WaitForFences@2",
  "QueueSubmit@3",
  "WaitForFences@3",
  "GetQueryPoolResults@1",
};

static const struct
{
  const char *what;
  const char *words;
} ends[] = {
  { "lost", "the device was lost" },
  { "memory", "the device is out of memory" },
  { "kill", "signal" },
  { "crash", "signal" },
};

/* The helper finds the driver that fails before the loader of the system. */
static gboolean
stand_before_loader (void)
{
  void *library = dlopen ("libvulkan.so.1", RTLD_NOW);
  void *symbol = library != NULL ? dlsym (library, "vkGetInstanceProcAddr") : NULL;
  const char *options = g_getenv ("ASAN_OPTIONS");
  g_autofree char *crash = g_strconcat (options != NULL ? options : "", ":handle_segv=0", NULL);
  Dl_info info;

  if (!gpu_fixture_has_device ())
    return FALSE;
  g_assert_nonnull (symbol);
  g_assert_cmpint (dladdr (symbol, &info), !=, 0);
  g_setenv ("ASSAY_REAL_VULKAN", info.dli_fname, TRUE);
  g_setenv ("LD_LIBRARY_PATH", FAKE_VULKAN, TRUE);
  g_unsetenv ("ASSAY_GPU_VALIDATE");
  /* With the address sanitizer too, a helper that crashes ends by its signal. */
  g_setenv ("ASAN_OPTIONS", crash, TRUE);

  return TRUE;
}

static void
go_from_loader (void)
{
  g_unsetenv ("LD_LIBRARY_PATH");
  g_unsetenv (WISH);
}

static GPtrArray *
make_inputs (guint n)
{
  const gint64 dims[] = { n };
  g_autofree float *values = g_new (float, n);
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  for (guint i = 0; i < n; i++)
    values[i] = (float) i / 16.0f - 4.0f;
  g_ptr_array_add (inputs, assay_tensor_new_f32 (1, dims, values));

  return inputs;
}

static void
assert_same (GPtrArray *a, GPtrArray *b)
{
  gsize sizes[2];
  gconstpointer x = assay_tensor_get_data (g_ptr_array_index (a, 0), &sizes[0], NULL);
  gconstpointer y = assay_tensor_get_data (g_ptr_array_index (b, 0), &sizes[1], NULL);

  g_assert_cmpmem (x, sizes[0], y, sizes[1]);
}

/* One that opens runs as well; whichever of both fails. */
static GPtrArray *
open_and_run (AssayRunSubject *subject, GPtrArray *inputs, AssayRunner **runner, GError **error)
{
  *runner = assay_runner_open ("vulkan", subject, NULL, NULL, error);

  return *runner != NULL ? assay_runner_run (*runner, inputs, NULL, NULL, error) : NULL;
}

static void
test_stages (void)
{
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GPtrArray) inputs = make_inputs (64);
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GPtrArray) last = NULL;
  g_autoptr (AssayRunner) first = NULL;
  g_autoptr (GError) error = NULL;
  AssayRunSubject *subject;

  if (!stand_before_loader ())
    return;
  work = gpu_fixture_work ("main (%x : f32[64]) {\n  const %w : f32[1] = [0.5]\n"
                           "  %y = Mul(%x, %w)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  expected = open_and_run (subject, inputs, &first, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    /* Both ways to fail and to end, in turn. */
    for (guint j = i % 2; j < G_N_ELEMENTS (ends); j += 2)
      {
        g_autofree char *wish = g_strdup_printf ("%s=%s", stages[i], ends[j].what);
        g_autoptr (AssayRunner) runner = NULL;
        g_autoptr (GPtrArray) outputs = NULL;

        g_setenv (WISH, wish, TRUE);
        outputs = open_and_run (subject, inputs, &runner, &error);
        g_test_message ("%s: %s", wish, error != NULL ? error->message : "no error");
        g_assert_null (outputs);
        g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
        g_assert_nonnull (strstr (error->message, ends[j].words));
        g_clear_error (&error);

        /* The same runner, if it had opened, and another one. */
        g_unsetenv (WISH);
        if (runner != NULL)
          {
            outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);
            g_assert_no_error (error);
            assert_same (outputs, expected);
          }
      }

  /* Who was open all the time has noticed nothing. */
  last = assay_runner_run (first, inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  assert_same (last, expected);
  go_from_loader ();
}

/* A device that goes wrong under a plan that is not the first of its process: while it takes it,
 * and then another process does; or while it runs, which is an error, and the next run works. */
static void
test_second_plans (void)
{
  static const struct
  {
    const char *wish;
    const char *words; /* of the run, NULL if nobody notices */
  } rows[] = {
    { "QueueSubmit@4=lost", NULL },
    { "QueueSubmit@5=kill", NULL },
    { "AllocateMemory@6=memory", NULL },
    { "CreateComputePipelines@2=crash", NULL },
    { "QueueSubmit@6=lost", "the device was lost" },
    { "WaitForFences@6=kill", "signal" },
  };
  g_autoptr (AssayWork) first = NULL;
  g_autoptr (AssayWork) second = NULL;
  g_autoptr (GPtrArray) inputs = make_inputs (64);

  if (!stand_before_loader ())
    return;
  first = gpu_fixture_work ("main (%x : f32[64]) {\n  const %w : f32[1] = [0.5]\n"
                            "  %y = Mul(%x, %w)\n  return %y\n}\n");
  second = gpu_fixture_work ("main (%x : f32[64]) {\n  const %w : f32[1] = [0.5]\n"
                             "  %y = Add(%x, %w)\n  return %y\n}\n");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (AssayRunner) other = NULL;
      g_autoptr (GPtrArray) made = NULL;
      g_autoptr (GPtrArray) outputs = NULL;
      g_autoptr (GPtrArray) again = NULL;
      g_autoptr (GError) error = NULL;

      g_setenv (WISH, rows[i].wish, TRUE);
      made = open_and_run (assay_work_get_subject (first, TRUE, NULL, NULL), inputs, &other,
                           &error);
      g_assert_no_error (error);
      g_clear_pointer (&other, assay_runner_free);
      outputs = open_and_run (assay_work_get_subject (second, TRUE, NULL, NULL), inputs, &runner,
                              &error);
      g_test_message ("%s: %s", rows[i].wish, error != NULL ? error->message : "no error");
      if (rows[i].words == NULL)
        {
          g_assert_no_error (error);
          g_assert_nonnull (outputs);
          continue;
        }
      g_assert_null (outputs);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
      g_assert_nonnull (strstr (error->message, rows[i].words));
      g_clear_error (&error);
      g_assert_nonnull (runner);

      g_unsetenv (WISH);
      again = assay_runner_run (runner, inputs, NULL, NULL, &error);
      g_assert_no_error (error);
    }
  go_from_loader ();
}

/* A program of a delegate goes to a device, by its name or as this computer, and to no board; one
 * for boards goes to no device. */
static void
test_deploy (void)
{
  static const char model[] =
      "main (%x : f32[1,8]) {\n  const %w : f32[8,4] = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, "
      "7, "
      "8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]\n  %y = MatMul(%x, %w)\n"
      "  return %y\n}\n";
  static const char *const boards[] = { "vulkan", "vulkan:0", "local" };
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  g_autoptr (GPtrArray) places = assay_board_list_places (NULL);
  AssayProgram *program = assay_work_get_program (work, NULL, NULL);
  g_autoptr (AssayDeployment) none = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_ptr_array_find_with_equal_func (places, "vulkan", g_str_equal, NULL));
  none = assay_deploy (program, 0, "ssh:bench", 1, 0, 0, 0, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "run on graphics processors"));
  g_clear_error (&error);
  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (boards); i++)
    {
      g_autoptr (AssayDeployment)
          deployment = assay_deploy (program, 0, boards[i], 3, 0, 7, 0, NULL, &error);

      g_assert_no_error (error);
      g_assert_true (assay_board_is_device (deployment->board));
      g_assert_cmpuint (deployment->n_runs, ==, 3);
      g_assert_cmpuint (deployment->n_values, ==, 3 * 4);
      g_assert_cmpuint (deployment->n_different, ==, 0);
      g_assert_cmpint (assay_deployment_get_percentile (deployment, 50), >, 0);
    }
  none = assay_deploy (program, 0, "vulkan:no such device", 1, 0, 0, 0, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
  g_clear_error (&error);

  /* The health of a device is that its driver loads. */
  {
    g_autoptr (GArray) checks = assay_board_check ("vulkan", 10, NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpuint (checks->len, >, 0);
    g_assert_true (g_array_index (checks, AssayBoardCheck, 0).passed);
  }
}

/* A heap that is too small, and groups that have to stand in rows, or are too many even so. */
static void
test_small_devices (void)
{
  static const struct
  {
    const char *wish;
    const char *words;
  } devices[] = {
    { "heaps=1024", "are more than the device has" },
    { "groups=1", "takes 1 x 1 groups" },
    { "groups=3", "takes 3 x 3 groups" },
    { "groups=4", NULL },
    { "groups=7", NULL },
  };
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GPtrArray) inputs = make_inputs (1000);
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (AssayRunner) first = NULL;
  g_autoptr (GError) error = NULL;
  AssayRunSubject *subject;

  if (!stand_before_loader ())
    return;
  work = gpu_fixture_work ("main (%x : f32[1000]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  expected = open_and_run (subject, inputs, &first, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray) outputs = NULL;

      g_setenv (WISH, devices[i].wish, TRUE);
      outputs = open_and_run (subject, inputs, &runner, &error);
      g_test_message ("%s: %s", devices[i].wish, error != NULL ? error->message : "no error");
      if (devices[i].words == NULL)
        {
          g_assert_no_error (error);
          assert_same (outputs, expected);
          continue;
        }
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
      g_assert_nonnull (strstr (error->message, devices[i].words));
      g_clear_error (&error);
    }
  go_from_loader ();
}

/* Functions of the host are rounded otherwise. */
static void
assert_near (GPtrArray *a, GPtrArray *b)
{
  gsize sizes[2];
  const float *x = assay_tensor_get_data (g_ptr_array_index (a, 0), &sizes[0], NULL);
  const float *y = assay_tensor_get_data (g_ptr_array_index (b, 0), &sizes[1], NULL);

  g_assert_cmpuint (sizes[0], ==, sizes[1]);
  for (gsize i = 0; i < sizes[0] / sizeof *x; i++)
    g_assert_cmpfloat_with_epsilon (x[i], y[i], 1e-5f);
}

/* Each limit that a device can be too small in: a program that was made for no device is refused,
 * with what helps; one that was made for the device runs. */
static void
test_made_for_device (void)
{
  static const struct
  {
    const char *wish;
    const char *words;
    const char *option;
  } rows[] = {
    { "heaps=7000", "are more than the device has", NULL },
    { "groups=3", "takes 3 x 3 groups", NULL },
    { "range=3999", "a tensor takes 4000 bytes, a buffer of", NULL },
    { "range=8", "more parameters than the device takes", NULL },
    { "buffers=2", "takes 3 buffers", NULL },
    { "side=4", "a texture is 5 x 10 x 5 texels", "storage_type_override=texture" },
    { "halves=1", "does not store halves", "force_fp16=true" },
    { "api=4194304", "has Vulkan 1.0, and shaders here are of 1.1", NULL },
  };
  static const char model[] = "main (%x : f32[1,5,10,20]) {\n  %y = Sigmoid(%x)\n"
                              "  return %y\n}\n";
  const gint64 dims[] = { 1, 5, 10, 20 };
  g_autoptr (GPtrArray) flat = make_inputs (1000);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  if (!stand_before_loader ())
    return;
  g_ptr_array_add (
      inputs, assay_tensor_new_f32 (4, dims, assay_tensor_get_data (flat->pdata[0], NULL, NULL)));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssayWork) plain = NULL;
      g_autoptr (AssayWork) made = NULL;
      g_autoptr (AssayRunner) first = NULL;
      g_autoptr (AssayRunner) refused = NULL;
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray) expected = NULL;
      g_autoptr (GPtrArray) none = NULL;
      g_autoptr (GPtrArray) outputs = NULL;
      g_autoptr (GError) error = NULL;
      AssayRunSubject *subject;

      g_unsetenv (WISH);
      if (rows[i].option != NULL)
        assay_settings_set_list (&settings, ASSAY_SETTING_TARGET_OPTION,
                                 (const char *const[]){ rows[i].option, NULL });
      plain = gpu_fixture_work_set (model, settings);
      subject = assay_work_get_subject (plain, TRUE, NULL, &error);
      g_assert_no_error (error);
      expected = open_and_run (subject, inputs, &first, &error);
      g_assert_no_error (error);

      g_setenv (WISH, rows[i].wish, TRUE);
      none = open_and_run (subject, inputs, &refused, &error);
      g_test_message ("%s: %s", rows[i].wish, error != NULL ? error->message : "no error");
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
      g_assert_nonnull (strstr (error->message, rows[i].words));
      if (g_str_has_prefix (rows[i].wish, "api="))
        continue;
      g_assert_nonnull (strstr (error->message, "--device-profile vulkan"));
      g_clear_error (&error);

      assay_settings_set_text (&settings, ASSAY_SETTING_DEVICE_PROFILE, "vulkan");
      made = gpu_fixture_work_set (model, settings);
      subject = assay_work_get_subject (made, TRUE, NULL, &error);
      if (g_str_has_prefix (rows[i].wish, "heaps="))
        {
          g_assert_null (subject);
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
          continue;
        }
      g_assert_no_error (error);
      outputs = open_and_run (subject, inputs, &runner, &error);
      g_assert_no_error (error);
      if (!g_str_has_prefix (rows[i].wish, "halves="))
        assert_near (outputs, expected);
    }
  go_from_loader ();
}

/* Nothing that needs a device works without a loader, or with one that is broken, and says so; all
 * else does. */
static void
test_no_loader (void)
{
  static const struct
  {
    const char *variable;
    const char *message;
  } rows[] = {
    { "LD_PRELOAD",
      "the Vulkan loader (libvulkan.so.1) is not installed; Debian has it in libvulkan1" },
    { "LD_LIBRARY_PATH", "the Vulkan loader does not load: *libvulkan.so.1*" },
  };
  g_autofree char *folder = assay_temporary_folder ("no-loader", NULL);
  g_autofree char *empty = g_build_filename (folder, "libvulkan.so.1", NULL);
  const char *values[] = { NO_LOADER, folder };
  const char *options = g_getenv ("ASAN_OPTIONS");
  g_autofree char *order = g_strconcat (options != NULL ? options : "", ":verify_asan_link_order=0",
                                        NULL);
  g_autoptr (GPtrArray) inputs = make_inputs (8);

  g_assert_true (g_file_set_contents (empty, "", -1, NULL));
  g_setenv ("ASAN_OPTIONS", order, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *profile = g_strconcat ("device profile vulkan:0: ", rows[i].message, NULL);
      g_autofree char *run = g_strconcat ("runner vulkan: ", rows[i].message, NULL);
      g_autofree char *deploy = g_strconcat ("running: ", run, NULL);
      const char *expected[] = { rows[i].message, profile, run, deploy };
      g_autoptr (AssayWork)
          work = gpu_fixture_work ("main (%x : f32[8]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
      g_autoptr (GBytes)
          bytes = assay_program_save_bytes (assay_work_get_program (work, NULL, NULL), NULL);
      GError *errors[G_N_ELEMENTS (expected)] = { NULL };
      g_autoptr (AssayRunner) runner = NULL;

      g_assert_nonnull (bytes);
      g_setenv (rows[i].variable, values[i], TRUE);
      g_assert_null (assay_gpu_list (NULL, &errors[0]));
      g_assert_null (assay_delegate_device_load ("vulkan:0", &errors[1]));
      g_assert_null (open_and_run (assay_work_get_subject (work, TRUE, NULL, NULL), inputs, &runner,
                                   &errors[2]));
      g_assert_null (assay_deploy (assay_work_get_program (work, NULL, NULL), 0, "vulkan", 1, 0, 0,
                                   0, NULL, &errors[3]));
      g_unsetenv (rows[i].variable);
      for (guint j = 0; j < G_N_ELEMENTS (expected); j++)
        {
          g_assert_error (errors[j], ASSAY_ERROR, ASSAY_ERROR_DEVICE);
          if (!g_pattern_match_simple (expected[j], errors[j]->message))
            g_error ("“%s”, expected “%s”", errors[j]->message, expected[j]);
          g_clear_error (&errors[j]);
        }
    }
  assay_temporary_delete (folder);
}

/* A device whose views are too small for a tensor reads it from the buffer, to the same bits. */
static void
test_small_views (void)
{
  static const char *const wishes[] = { "texels=100000", "texels=100", "texels=1" };
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GPtrArray) inputs = make_inputs (600);
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (AssayRunner) first = NULL;
  g_autoptr (GError) error = NULL;
  AssayRunSubject *subject;

  if (!stand_before_loader ())
    return;
  work = gpu_fixture_work (
      "main (%x : f32[600]) {\n  const %s : i64[4] = [1, 2, 15, 20]\n"
      "  const %w : f32[2,2,1,3] = [0.5, 1, -1, 2, 0.25, 3, -2, 1, 0.75, -0.5, 1.5, 1]\n"
      "  %a = Reshape(%x, %s)\n  %b = Conv(%a, %w) {pads = [0, 1, 0, 1]}\n"
      "  %c = MaxPool(%b) {kernel_shape = [2, 3]}\n  return %c\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  expected = open_and_run (subject, inputs, &first, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (wishes); i++)
    {
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray) outputs = NULL;

      g_setenv (WISH, wishes[i], TRUE);
      outputs = open_and_run (subject, inputs, &runner, &error);
      g_assert_no_error (error);
      assert_same (outputs, expected);
    }
  go_from_loader ();
}

TEST_PROGRAM (gpu_driver)
{
  char *folder;

  /* What is kept is looked at here, and is changed. */
  g_unsetenv ("ASSAY_GPU_CACHE");
  folder = gpu_fixture_init ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu-driver/deploy", test_deploy);
  g_test_add_func ("/gpu-driver/stages", test_stages);
  g_test_add_func ("/gpu-driver/second-plans", test_second_plans);
  g_test_add_func ("/gpu-driver/small-devices", test_small_devices);
  g_test_add_func ("/gpu-driver/made-for-device", test_made_for_device);
  g_test_add_func ("/gpu-driver/no-loader", test_no_loader);
  g_test_add_func ("/gpu-driver/small-views", test_small_views);

  return gpu_fixture_finish (folder, g_test_run ());
}
