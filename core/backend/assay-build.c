/* assay-build.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-build.h"

#include <stdio.h>
#include <string.h>

#include "backend/assay-backend.h"
#include "backend/assay-config.h"
#include "backend/stream/assay-stream-program.h"
#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "nnir/assay-constraint.h"

/* What a configuration alone leads to. */
static const AssayBackendClass *
find_for_config (void)
{
  const AssayBackendClass *backend;

  for (guint i = 0; (backend = assay_backend_get (i)) != NULL; i++)
    if ((backend->capabilities & ASSAY_CAN (HAS_CONFIG)) != 0 && backend->build != NULL)
      return backend;

  g_assert_not_reached ();
}

/* Which backend wrote a file; what nobody knows is for the first to say what is wrong with it. */
static const AssayBackendClass *
find_for_file (const char *begin, gsize size)
{
  const AssayBackendClass *backend;

  for (guint i = 0; (backend = assay_backend_get (i)) != NULL; i++)
    if (backend->mark != NULL && size > strlen (backend->mark) &&
        memcmp (begin, backend->mark, strlen (backend->mark)) == 0)
      return backend;

  return NULL;
}

/**
 * assay_build_model:
 * @target: (nullable): what it is built for; %NULL for a configuration alone
 * @imported: a graph as imported, every extent known
 * @config: (nullable): the hardware, unless it is that of the target
 * @options: (nullable): what is wanted
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Builds a program of one model.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_build_model (AssayTarget *target, AssayGraph *imported, const AssayConfigValues *config,
                   const AssayCompileOptions *options, const AssayProgress *progress,
                   GError **error)
{
  const AssayCompileModel model = { imported, options };

  return assay_build_models (target, &model, 1, config, options, progress, error);
}

static gboolean
check_nodes (const AssayGraph *graph, GError **error)
{
  AssayViolation violation;
  AssayNodeId id = assay_graph_find_violation (graph, &violation);
  g_autofree char *path = id != ASSAY_NO_NODE ? assay_graph_node_path (graph, id) : NULL;

  if (id != ASSAY_NO_NODE)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s (%s) is not well formed: %s",
                 path, assay_graph_node (graph, id)->op_type, violation.text);

  return id == ASSAY_NO_NODE;
}

/**
 * assay_build_models:
 * @target: (nullable): what it is built for; %NULL for a configuration alone
 * @models: (array length=n_models): the models, in the order of their index in the program
 * @n_models: how many, at least one
 * @config: (nullable): the hardware, unless it is that of the target
 * @options: (nullable): what is wanted of the program; what concerns a model is taken from its own
 * options
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Builds a program of models that run one at a time, each with a state of its own.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_build_models (AssayTarget *target, const AssayCompileModel *models, guint n_models,
                    const AssayConfigValues *config, const AssayCompileOptions *options,
                    const AssayProgress *progress, GError **error)
{
  const AssayBackendClass *backend = target != NULL ? assay_backend_for_target (target)
                                                    : find_for_config ();

  g_autoptr (AssayConfig) own = NULL;

  for (guint i = 0; i < n_models; i++)
    if (!check_nodes (models[i].graph, error))
      return NULL;
  if (target != NULL && !assay_backend_require (target, ASSAY_CAPABILITY_MAKES_PROGRAMS, error))
    return NULL;
  if (config == NULL && assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG))
    {
      own = assay_config_new_for_target (target, error);
      if (own == NULL)
        return NULL;
      config = assay_config_get_values (own);
    }

  return backend->build (target, models, n_models, config, options, progress, error);
}

/**
 * assay_build_io_only:
 * @config: the hardware
 * @in_values: size of the only input
 * @out_values: size of the only output
 * @error: return location for a #GError
 *
 * Makes a program that receives an input and sends an output without computing.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_build_io_only (const AssayConfigValues *config, gsize in_values, gsize out_values,
                     GError **error)
{
  return find_for_config ()->build_io_only (config, in_values, out_values, error);
}

/**
 * assay_build_sniff:
 * @path: a file
 *
 * Tells a program file from a model by how it begins; a file that cannot be read counts as a model.
 *
 * Returns: whether it is a program
 */
gboolean
assay_build_sniff (const char *path)
{
  char begin[64];

  return find_for_file (begin, assay_file_peek (path, begin, sizeof begin)) != NULL;
}

/**
 * assay_build_load:
 * @bytes: what a program file holds
 * @error: return location for a #GError
 *
 * Loads a program, and verifies all of it.
 *
 * Returns: (transfer full) (nullable): the program, or %NULL with %ASSAY_ERROR_LOAD
 */
AssayProgram *
assay_build_load (GBytes *bytes, GError **error)
{
  gsize size;
  const char *begin = g_bytes_get_data (bytes, &size);
  const AssayBackendClass *backend = find_for_file (begin, size);

  return (backend != NULL ? backend : assay_backend_get (0))->load (bytes, error);
}

/**
 * assay_build_get_versions:
 *
 * Gets what has to be the same where programs are made and where they run.
 *
 * Returns: the versions
 */
AssayBuildVersions
assay_build_get_versions (void)
{
  return assay_stream_program_get_versions ();
}
