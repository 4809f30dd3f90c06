/* assay-gpu-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/delegate/assay-gpu-list.h"

#include "base/assay-error.h"
#include "process/assay-helper.h"
#include "text/assay-json-reader.h"

#define HELPER "assay-gpu"
#define LONGEST_LIST (1 << 20)
#define MOST_DEVICES 64

/* What a device says of itself: words first, from the beginning on. */
static const char *const members[] = { "name",           "label", "type",   "api", "driver",
                                       "driver_version", "heaps", "limits", NULL };
#define N_WORDS 6

/* Numbers first again. */
static const char *const limits[] = { "storage_buffer_bytes", "texture_3d", "groups",
                                      "group_rows",           "buffers",    "invocations",
                                      "shared_bytes",         "f16",        "i8",
                                      "timestamps",           NULL };
#define N_NUMBERS 7

static const char *const heaps[] = { "bytes", "local", NULL };

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

static void
check_device (AssayJsonReader *reader, JsonObject *device)
{
  AssayJsonEach heap = assay_json_each_in_list (reader, device, "heaps", MOST_DEVICES);
  JsonObject *limit = assay_json_reader_object (reader, device, "limits");
  gsize mark;

  assay_json_reader_members (reader, device, members, members);
  for (guint i = 0; i < N_WORDS; i++)
    assay_json_reader_string (reader, device, members[i]);
  while (assay_json_each_next_object (&heap))
    {
      assay_json_reader_members (reader, heap.object, heaps, heaps);
      assay_json_reader_int (reader, heap.object, "bytes", 0, G_MAXINT64, 0);
    }
  if (limit == NULL)
    return;

  mark = assay_json_reader_enter (reader, "limits");
  assay_json_reader_members (reader, limit, limits, limits);
  for (guint i = 0; limits[i] != NULL; i++)
    if (i < N_NUMBERS)
      assay_json_reader_int (reader, limit, limits[i], 0, G_MAXINT64, 0);
    else
      assay_json_reader_bool (reader, limit, limits[i], FALSE);
  assay_json_reader_leave (reader, mark);
}

/* The helper has loaded drivers: what it says is looked at before anybody takes something of it. */
static gboolean
check_devices (AssayJsonReader *reader, GError **error)
{
  JsonObject *root = assay_json_reader_root (reader);
  AssayJsonEach device = assay_json_each_in_list (reader, root, "devices", MOST_DEVICES);

  if (!json_object_has_member (root, "devices"))
    assay_json_reader_complain (reader, "there are no “devices”");
  while (assay_json_each_next_object (&device))
    check_device (reader, device.object);

  return assay_json_reader_finish (reader, error);
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
  g_autoptr (GError) cause = NULL;
  JsonNode *node = NULL;
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
  reader = assay_json_reader_new (bytes, HELPER, NULL, NULL, &cause);
  if (reader != NULL && check_devices (reader, &cause))
    node = json_node_copy (assay_json_reader_root_node (reader));
  if (node == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, HELPER " did not list its devices: %s",
                   cause->message);
      assay_gpu_add_ending (child, error);
    }

  return node;
}
