/* gpu-fixture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <math.h>
#include <string.h>

#include "backend/delegate/assay-delegate-program.h"
#include "base/assay-bf16.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "process/assay-temporary.h"
#include "run/assay-gpu.h"
#include "run/assay-runner.h"
#include "work/assay-work.h"

/* The driver that computes on the processor, whatever else is installed: another driver that does
 * not begin must not stop these tests. Layers, if they are there, have nothing to say. Pipelines
 * are kept in a folder of their own, which is returned, or where the environment has them kept:
 * most shaders are the same in every test and under every sanitizer, and compiling one is what
 * costs. */
static inline char *
gpu_fixture_init (void)
{
  char *folder = assay_temporary_folder ("gpu", NULL);
  const char *shared = g_getenv ("ASSAY_GPU_CACHE");
  static const char *const manifests[] = { "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
                                           "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
                                           "/usr/share/vulkan/icd.d/lvp_icd.json" };

  for (guint i = 0; i < G_N_ELEMENTS (manifests); i++)
    if (g_file_test (manifests[i], G_FILE_TEST_EXISTS))
      {
        g_setenv ("VK_DRIVER_FILES", manifests[i], TRUE);
        g_setenv ("VK_ICD_FILENAMES", manifests[i], TRUE);
        break;
      }
  g_assert_nonnull (folder);
  g_setenv ("XDG_CACHE_HOME", shared != NULL ? shared : folder, TRUE);
  g_setenv ("ASSAY_GPU_VALIDATE", "1", TRUE);

  return folder;
}

static inline int
gpu_fixture_finish (char *folder, int status)
{
  assay_temporary_delete (folder);
  g_free (folder);

  return status;
}

/* Whether there is a device; else the test is skipped, and says why. A device that was there once
 * is asked for once. */
static inline gboolean
gpu_fixture_has_device (void)
{
  static gboolean is_known = FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) devices = NULL;

  if (is_known)
    return TRUE;
  if (g_getenv ("VK_ICD_FILENAMES") != NULL)
    devices = assay_gpu_list (NULL, &error);
  is_known = devices != NULL;
  if (!is_known)
    g_test_skip (error != NULL ? error->message
                               : "there is no lavapipe here (Debian: mesa-vulkan-drivers)");

  return is_known;
}

/* A target that ships, read once for all the models of a test. */
static inline AssayTarget *
gpu_fixture_target (const char *id)
{
  static GHashTable *targets = NULL;
  g_autoptr (GError) error = NULL;
  AssayTarget *target;

  if (targets == NULL)
    targets = g_hash_table_new (g_str_hash, g_str_equal);
  target = g_hash_table_lookup (targets, id);
  if (target == NULL)
    {
      target = assay_target_load (id, &error);
      g_assert_no_error (error);
      g_hash_table_insert (targets, (gpointer) assay_target_get_id (target), target);
    }

  return target;
}

/* A model for the delegate. */
static inline AssayWork *
gpu_fixture_work_set (const char *text, AssaySettings *settings)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  g_assert_true (assay_graph_infer (graph, NULL, NULL, &error));
  g_assert_no_error (error);

  return assay_work_new_for_graph (NULL, graph, gpu_fixture_target ("vulkan-main"), settings);
}

/* The same with its program; with textures where there are shaders for them. */
static inline AssayWork *
gpu_fixture_work_with (const char *text, gboolean textures)
{
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (GError) error = NULL;
  AssayWork *work;

  if (textures)
    assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION, "storage_type_override",
                              "texture");
  work = gpu_fixture_work_set (text, settings);
  g_assert_nonnull (assay_work_get_program (work, NULL, &error));
  g_assert_no_error (error);

  return work;
}

static inline AssayWork *
gpu_fixture_work (const char *text)
{
  return gpu_fixture_work_with (text, FALSE);
}

static inline AssayRunner *
gpu_fixture_open (AssayRunSubject *subject, const char *spec)
{
  g_autoptr (GError) error = NULL;
  AssayRunner *runner = assay_runner_open (spec, subject, NULL, NULL, &error);

  g_assert_no_error (error);

  return runner;
}

static inline GPtrArray *
gpu_fixture_run (AssayRunner *runner, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);

  g_assert_no_error (error);

  return outputs;
}
