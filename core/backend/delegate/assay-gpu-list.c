/* assay-gpu-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/delegate/assay-gpu-list.h"

#include "base/assay-error.h"
#include "process/assay-helper.h"
#include "text/assay-json-reader.h"

#define HELPER "assay-gpu"
#define LONGEST_LIST (1 << 20)

/**
 * assay_gpu_find_helper:
 * @error: return location for a #GError
 *
 * Finds the process that owns devices.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
assay_gpu_find_helper (GError **error)
{
  char *path = assay_helper_find (HELPER, NULL);

  if (path == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                 "this Assay was built without what runs programs on graphics processors "
                 "(" HELPER "): headers of Vulkan, glslc and spirv-tools were missing");

  return path;
}

/**
 * assay_gpu_add_ending:
 * @child: a helper that gave no answer
 * @error: (inout) (nullable): what is said of that
 *
 * Ends a helper, and adds how it has ended and what it said last; not of one that was stopped.
 */
void
assay_gpu_add_ending (AssayChild *child, GError **error)
{
  g_autofree char *ending = NULL;
  char *message;

  if (error == NULL || *error == NULL || !assay_child_end (child, NULL))
    return;
  ending = assay_child_dup_ending (child);
  message = g_strdup_printf ("%s: %s", (*error)->message, ending);
  g_free ((*error)->message);
  (*error)->message = message;
}

/**
 * assay_gpu_list:
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Asks which devices there are, with driver, memory and limits.
 *
 * Returns: (transfer full) (nullable): the document of the helper, or %NULL with
 * %ASSAY_ERROR_DEVICE if there is none or nothing to ask
 */
JsonNode *
assay_gpu_list (const AssayProgress *progress, GError **error)
{
  g_autofree char *path = assay_gpu_find_helper (error);
  const char *argv[] = { path, "list", NULL };
  g_autoptr (AssayChild) child = path != NULL ? assay_child_new (argv, error) : NULL;
  g_autofree char *text = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayJsonReader) reader = NULL;
  JsonNode *node;
  gsize n = 0;

  if (child == NULL)
    return NULL;
  assay_child_set_deadline (child, 60);
  text = g_malloc0 (LONGEST_LIST + 1);
  if (!assay_child_read (child, text, LONGEST_LIST, &n, progress, error))
    return NULL;
  text[n] = '\0';
  if (g_str_has_prefix (text, "error "))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s", g_strchomp (text + 6));
      return NULL;
    }
  bytes = g_bytes_new_static (text, n);
  reader = assay_json_reader_new (bytes, HELPER, NULL, NULL, NULL);
  node = reader != NULL ? json_node_copy (assay_json_reader_root_node (reader)) : NULL;
  if (node == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, HELPER " did not list its devices");
      assay_gpu_add_ending (child, error);
    }

  return node;
}
