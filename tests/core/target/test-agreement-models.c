/* test-agreement-models.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Check and compiler agree on every public model at hand, as it is and with parameters filled in,
 * unstreamed and along every axis of the first input. Threads share the models; files of more than
 * a megabyte, whose placement takes long, are for -m slow.
 */
#include <glib.h>

#include "agreement.h"
#include "base/assay-workers.h"
#include "corpus.h"
#include "nnir/assay-axes.h"
#include "test-models.h"
#include "test-program.h"

#include <glib/gstdio.h>

#define TARGET "ia_420f_c6b32"
#define LARGE (1024 * 1024)

typedef struct
{
  AssayTarget *target;
  const AssayConfigValues *config;
  GPtrArray *paths;
  GMutex lock;
  GPtrArray *complaints;
  guint n_cases, n_accepted;
} Sweep;

static void
try_way (Sweep *sweep, AssayGraph *graph, const char *path, gboolean filled, int axis,
         gboolean dynamic)
{
  AgreementCase how = { .axes = axis < 0 ? NULL : &axis, .n_axes = axis < 0 ? 0 : 1, dynamic };
  g_autofree char *complaint = agreement_judge (sweep->target, sweep->config, graph, &how);

  g_mutex_lock (&sweep->lock);
  sweep->n_cases++;
  sweep->n_accepted += how.accepted;
  if (complaint != NULL)
    g_ptr_array_add (sweep->complaints,
                     g_strdup_printf ("%s%s, axis %d, dynamic weights %d: %s", path,
                                      filled ? " with parameters" : "", axis, dynamic, complaint));
  g_mutex_unlock (&sweep->lock);
}

static void
try_model (Sweep *sweep, const char *path, gboolean filled)
{
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  const GArray *inputs;
  int rank = 0;

  if (graph == NULL)
    return;
  inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  if (filled && inputs->len < 2)
    return;
  if (filled)
    agreement_fill_parameters (graph);
  if (inputs->len > 0)
    rank = assay_type_rank (
        assay_graph_value (graph, g_array_index (inputs, AssayValueId, 0))->type);

  for (int axis = -1; axis < rank; axis++)
    for (gboolean dynamic = FALSE; dynamic <= agreement_has_products (graph); dynamic++)
      try_way (sweep, graph, path, filled, axis, dynamic);
}

static void
try_models (gpointer data, gsize begin, gsize end)
{
  Sweep *sweep = data;

  for (gsize i = begin; i < end; i++)
    for (gboolean filled = FALSE; filled <= TRUE; filled++)
      try_model (sweep, g_ptr_array_index (sweep->paths, i), filled);
}

static void
add_path (const char *path, gpointer paths)
{
  GStatBuf info;

  if (g_test_slow () || (g_stat (path, &info) == 0 && info.st_size < LARGE))
    g_ptr_array_add (paths, g_strdup (path));
}

static void
test_folder (const char *folder, const char *package)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = load_target (TARGET);
  g_autoptr (AssayConfig) config = assay_config_new_preset (TARGET, &error);
  g_autoptr (AssayWorkers) workers = assay_workers_new (0);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) complaints = g_ptr_array_new_with_free_func (g_free);
  Sweep sweep = { .target = target, .paths = paths, .complaints = complaints };

  g_assert_no_error (error);
  sweep.config = assay_config_get_values (config);
  if (folder == NULL || walk_models (folder, add_path, paths) == 0)
    {
      g_autofree char *reason = g_strconcat (package, " is not installed", NULL);

      g_test_skip (reason);
      return;
    }
  g_mutex_init (&sweep.lock);
  assay_workers_run (workers, paths->len, 4, try_models, &sweep, NULL);
  g_mutex_clear (&sweep.lock);

  for (guint i = 0; i < complaints->len; i++)
    g_test_message ("%s", (char *) g_ptr_array_index (complaints, i));
  g_test_message ("%u models, %u cases, %u taken, %u disagree", paths->len, sweep.n_cases,
                  sweep.n_accepted, complaints->len);
  g_assert_cmpuint (complaints->len, ==, 0);
}

static void
test_onnx (void)
{
  test_folder (ONNX_DATA, "libonnx-testdata");
}

/* Real models, where the packages of npm-test.txt are: ASSAY_NPM_DIR names the folder. */
static void
test_npm (void)
{
  test_folder (g_getenv ("ASSAY_NPM_DIR"), "a set of models from npm");
}

static void
test_examples (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_BUILT, "..", "data", "examples", NULL);

  test_folder (folder, "a set of examples");
}

TEST_PROGRAM (agreement_models)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/agreement-models/onnx", test_onnx);
  g_test_add_func ("/agreement-models/npm", test_npm);
  g_test_add_func ("/agreement-models/examples", test_examples);

  return g_test_run ();
}
