/* assay-target-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-target-options.h"

#include "assay-model-options.h"
#include "backend/assay-backend.h"

void
assay_target_options_clear (AssayTargetOptions *self)
{
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->target_options, g_strfreev);
  g_clear_pointer (&self->data_dims, g_strfreev);
  g_clear_pointer (&self->streaming_axes, g_strfreev);
  g_clear_pointer (&self->axes, g_array_unref);
}

/* An option that the target would pass over in silence is a misunderstanding. */
static const char *
find_misplaced (const AssayTargetOptions *self, AssayTarget *target)
{
  const struct
  {
    const char *name;
    gboolean given;
  } streaming_only[] = {
    { "--streaming-transform", self->streaming_axes != NULL },
    { "--data-dim", self->data_dims != NULL },
    { "--allow-dynamic-weights", self->allow_dynamic_weights },
  };

  if (!assay_backend_has (target, ASSAY_CAPABILITY_STREAMS))
    for (guint i = 0; i < G_N_ELEMENTS (streaming_only); i++)
      if (streaming_only[i].given)
        return streaming_only[i].name;

  return NULL;
}

/**
 * assay_target_options_load:
 * @self: what the user asked for
 * @cli: the run
 * @check: gets how to check; its contents belong to @self
 * @status: (out): exit code if there is no target
 *
 * Loads the target that the command line names, and refuses options that it does not have.
 *
 * Returns: (transfer full) (nullable): the target
 */
AssayTarget *
assay_target_options_load (AssayTargetOptions *self, AssayCli *cli, AssayCheckOptions *check,
                           AssayExit *status)
{
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (GError) error = NULL;
  const char *misplaced;

  if (self->target == NULL)
    {
      *status = assay_cli_usage (cli, "no --target given; `assay targets` lists them");
      return NULL;
    }
  g_clear_pointer (&self->axes, g_array_unref);
  self->axes = g_array_new (FALSE, FALSE, sizeof (int));
  if (!assay_model_options_parse_axes (cli, self->streaming_axes, self->axes, status))
    return NULL;
  target = assay_target_load (self->target, &error);
  if (target == NULL)
    {
      *status = assay_model_options_fail_target (cli, self->target, error);
      return NULL;
    }
  misplaced = find_misplaced (self, target);
  if (misplaced != NULL)
    {
      g_autofree char *families = assay_backend_list_families (ASSAY_CAPABILITY_STREAMS);

      *status = assay_cli_usage (cli, "%s is for %s targets, which %s is not", misplaced, families,
                                 assay_target_get_id (target));
      return NULL;
    }

  check->target_options = (const char *const *) self->target_options;
  check->data_dims = (const char *const *) self->data_dims;
  check->streaming_axes = self->axes->len > 0 ? (const int *) (gpointer) self->axes->data : NULL;
  check->n_streaming_axes = self->axes->len;
  check->allow_dynamic_weights = self->allow_dynamic_weights;

  return g_steal_pointer (&target);
}
