/* assay-input-preview.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-input-preview.h"

#include "base/assay-error.h"

/* Random values beyond that take seconds and half a gigabyte; a preview is not worth it. */
#define MAX_DRAWN ((gsize) 1 << 26)

static void
preview_free (gpointer data)
{
  AssayInputPreview *preview = data;

  g_free (preview->name);
  g_free (preview->mismatch);
  g_clear_pointer (&preview->tensor, assay_tensor_unref);
  g_free (preview);
}

/* Files are there already; what is drawn is made for the preview alone. */
static gboolean
check_size (const AssayInputChoice *inputs, const AssayRunPort *ports, guint n_ports,
            guint model_steps, GError **error)
{
  guint n_steps = assay_input_choice_get_steps (inputs) > 0 ? assay_input_choice_get_steps (inputs)
                                                            : model_steps;

  for (guint i = 0; i < n_ports; i++)
    {
      gsize n = 1;
      gboolean fits = TRUE;

      for (int axis = 0; axis < ports[i].rank && fits; axis++)
        fits = g_size_checked_mul (
            &n, n,
            axis == ports[i].time_axis ? MAX (n_steps, 1) : (gsize) MAX (ports[i].dims[axis], 0));
      if (assay_input_choice_get_file (inputs, ports[i].name) != NULL || (fits && n <= MAX_DRAWN))
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "input %s: more than %" G_GSIZE_FORMAT
                   " random values, which are only made when it runs",
                   ports[i].name, MAX_DRAWN);
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_input_previews_new:
 * @inputs: what goes into a run
 * @values: what assay_input_choice_read() has made of it
 * @ports: (array length=n_ports): the inputs of what runs, in its order, on which random values
 * depend
 * @n_ports: how many
 * @model_steps: timesteps of the model itself
 * @progress: (nullable): told how far it is; can cancel
 * @error: return location for a #GError
 *
 * Makes what a run would be fed with and reads it to its end, without running. More random values
 * than a preview is worth are %ASSAY_ERROR_UNSUPPORTED.
 *
 * Returns: (transfer full) (nullable) (element-type AssayInputPreview): one per input
 */
GPtrArray *
assay_input_previews_new (const AssayInputChoice *inputs, AssayRunInputs *values,
                          const AssayRunPort *ports, guint n_ports, guint model_steps,
                          const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) previews = g_ptr_array_new_with_free_func (preview_free);
  g_autoptr (GPtrArray) tensors = NULL;

  if (!check_size (inputs, ports, n_ports, model_steps, error))
    return NULL;
  tensors = assay_input_choice_make (inputs, values, ports, n_ports, model_steps, error);
  if (tensors == NULL)
    return NULL;

  for (guint i = 0; i < n_ports; i++)
    {
      AssayInputPreview *preview = g_new0 (AssayInputPreview, 1);
      AssayTensor *tensor = g_ptr_array_index (tensors, i);

      g_ptr_array_add (previews, preview);
      preview->name = g_strdup (ports[i].name);
      preview->tensor = assay_tensor_ref (tensor);
      preview->mismatch = assay_run_port_mismatch (&ports[i], tensor);
      preview->has_summary = assay_dtype_bits (assay_tensor_get_dtype (tensor)) > 0;
      if (preview->has_summary &&
          !assay_tensor_summarize (tensor, progress, &preview->summary, error))
        return NULL;
    }

  return g_steal_pointer (&previews);
}
