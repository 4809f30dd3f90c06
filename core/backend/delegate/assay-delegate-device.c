/* assay-delegate-device.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of devices, as `vulkaninfo --json` writes them: today as a profile of Khronos, whose
 * `capabilities` hold them, formerly as an object per structure at the outermost level.
 */
#include "backend/delegate/assay-delegate-device.h"

#include <string.h>

#include "assay-device-files.h"
#include "backend/delegate/assay-gpu-list.h"
#include "backend/delegate/assay-gpu-plan.h"
#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "text/assay-json-reader.h"

#define PREFIX "/assay/devices/"
#define SUFFIX ".json"
#define PROPERTIES "VkPhysicalDeviceProperties"
#define MEMORY "VkPhysicalDeviceMemoryProperties"
#define MOST_HEAPS 16 /* VK_MAX_MEMORY_HEAPS */

/**
 * assay_delegate_limits_assumed:
 *
 * What a program is planned for if no device is named: nothing ends but textures, which are as
 * large as the devices take that the delegate is for. Vulkan itself promises 256 a side (Required
 * Limits, maxImageDimension3D).
 */
const AssayDelegateLimits assay_delegate_limits_assumed = {
  .texture = ASSAY_GPU_USUAL_TEXELS,
  .buffer_bytes = G_MAXINT64,
  .buffers = G_MAXINT64,
  .groups = G_MAXINT64,
  .memory_bytes = G_MAXINT64,
  .has_half = TRUE,
  .has_byte = TRUE,
  .computes_half = TRUE,
};

/* The profiles that ship are part of the program. */
static GResource *
shipped_files (void)
{
  static gsize registered = 0;

  if (g_once_init_enter (&registered))
    {
      assay_device_files_register_resource ();
      g_once_init_leave (&registered, 1);
    }

  return assay_device_files_get_resource ();
}

/* Old files have numbers for truth values. */
static gboolean
is_true (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) &&
         (json_node_get_value_type (node) == G_TYPE_BOOLEAN ||
          json_node_get_value_type (node) == G_TYPE_INT64) &&
         json_node_get_boolean (node);
}

/* A feature stands in the structure of its extension, in that of a version, or in both; what is
 * nowhere is not there. */
static gboolean
has_feature (JsonObject *features, const char *name)
{
  JsonObjectIter iter;
  JsonNode *group;

  if (features == NULL)
    return FALSE;
  json_object_iter_init (&iter, features);
  while (json_object_iter_next (&iter, NULL, &group))
    {
      JsonNode *node = JSON_NODE_HOLDS_OBJECT (group)
                           ? json_object_get_member (json_node_get_object (group), name)
                           : NULL;

      if (node != NULL && is_true (node))
        return TRUE;
    }

  return FALSE;
}

static gint64
read_limit (AssayJsonReader *reader, JsonObject *limits, const char *name)
{
  if (limits != NULL && !json_object_has_member (limits, name))
    assay_json_reader_complain (reader, "there is no “%s”", name);

  return limits != NULL ? assay_json_reader_int (reader, limits, name, 1, G_MAXINT64, 1) : 1;
}

static gint64
count_groups (gint64 across, gint64 down)
{
  return across <= G_MAXINT64 / down ? across * down : G_MAXINT64;
}

/* Groups stand in rows: as many rows as the device has in its second direction. */
static void
read_groups (AssayDelegateDevice *self, AssayJsonReader *reader, JsonObject *limits)
{
  static const char name[] = "maxComputeWorkGroupCount";
  JsonArray *list = limits != NULL && json_object_has_member (limits, name)
                        ? assay_json_reader_array (reader, limits, name)
                        : NULL;
  gint64 counts[2] = { 0, 0 };

  if (list == NULL)
    return;
  for (guint i = 0; i < MIN (G_N_ELEMENTS (counts), json_array_get_length (list)); i++)
    if (assay_json_node_is_integer (json_array_get_element (list, i)))
      counts[i] = json_array_get_int_element (list, i);
  if (MIN (counts[0], counts[1]) < 1)
    assay_json_reader_complain_at (reader, name, "numbers from 1 on are expected");
  else
    self->limits.groups = count_groups (counts[0], counts[1]);
}

/* The largest heap; profiles of Khronos say nothing of memory. */
static void
read_memory (AssayDelegateDevice *self, AssayJsonReader *reader, JsonObject *properties)
{
  JsonObject *memory = json_object_has_member (properties, MEMORY)
                           ? assay_json_reader_object (reader, properties, MEMORY)
                           : NULL;
  AssayJsonEach each;
  gint64 largest = 0;
  gsize mark;

  if (memory == NULL)
    return;
  mark = assay_json_reader_enter (reader, MEMORY);
  each = assay_json_each_in_list (reader, memory, "memoryHeaps", MOST_HEAPS);
  while (assay_json_each_next_object (&each))
    largest = MAX (largest, assay_json_reader_int (reader, each.object, "size", 1, G_MAXINT64, 1));
  assay_json_reader_leave (reader, mark);
  if (largest > 0)
    self->limits.memory_bytes = largest;
}

static void
read_device (AssayDelegateDevice *self, AssayJsonReader *reader, JsonObject *properties,
             JsonObject *features)
{
  JsonObject *device = assay_json_reader_object (reader, properties, PROPERTIES);
  gsize mark = assay_json_reader_enter (reader, PROPERTIES);
  JsonObject *limits = device != NULL ? assay_json_reader_object (reader, device, "limits") : NULL;

  if (device != NULL)
    self->name = g_strdup (assay_json_reader_string (reader, device, "deviceName"));
  if (limits == NULL)
    assay_json_reader_complain (reader, "there are no “limits”");
  assay_json_reader_enter (reader, "limits");
  self->limits.texture = read_limit (reader, limits, "maxImageDimension3D");
  self->limits.buffer_bytes = read_limit (reader, limits, "maxStorageBufferRange");
  if (limits != NULL)
    self->limits.buffers = assay_json_reader_int (
        reader, limits, "maxPerStageDescriptorStorageBuffers", 1, G_MAXINT64, G_MAXINT64);
  read_groups (self, reader, limits);
  assay_json_reader_leave (reader, mark);
  read_memory (self, reader, properties);
  self->limits.has_half = has_feature (features, "storageBuffer16BitAccess");
  self->limits.has_byte = has_feature (features, "storageBuffer8BitAccess");
  self->limits.computes_half = has_feature (features, "shaderFloat16");
}

/* What is not said has no end. */
static AssayDelegateDevice *
device_new (void)
{
  AssayDelegateDevice *self = g_new0 (AssayDelegateDevice, 1);

  self->limits = assay_delegate_limits_assumed;

  return self;
}

/* The first of the capabilities that has properties of a device. */
static gboolean
read_capabilities (AssayDelegateDevice *self, AssayJsonReader *reader, JsonObject *root)
{
  AssayJsonEach each = assay_json_each_in_object (reader, root, "capabilities");
  gboolean found = FALSE;

  while (assay_json_each_next_object (&each))
    {
      JsonObject *properties = assay_json_reader_object (reader, each.object, "properties");
      JsonObject *features = assay_json_reader_object (reader, each.object, "features");
      gsize mark;

      if (found || properties == NULL || !json_object_has_member (properties, PROPERTIES))
        continue;
      found = TRUE;
      mark = assay_json_reader_enter (reader, "properties");
      read_device (self, reader, properties, features);
      assay_json_reader_leave (reader, mark);
    }

  return found;
}

/**
 * assay_delegate_device_new:
 * @bytes: what `vulkaninfo --json` has written
 * @name: of the file, for messages
 * @error: return location for a #GError
 *
 * Reads a profile of a device.
 *
 * Returns: (transfer full) (nullable): the device, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayDelegateDevice *
assay_delegate_device_new (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (AssayDelegateDevice) self = device_new ();
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, NULL, NULL, error);
  JsonObject *root;

  if (reader == NULL)
    return NULL;
  root = assay_json_reader_root (reader);
  if (json_object_has_member (root, PROPERTIES))
    read_device (self, reader, root, root);
  else if (!read_capabilities (self, reader, root))
    assay_json_reader_complain (reader, "there is no “" PROPERTIES
                                        "”: a file of vulkaninfo --json is expected");
  if (!assay_json_reader_finish (reader, error))
    return NULL;
  if (self->name == NULL)
    self->name = g_strdup (name);

  return g_steal_pointer (&self);
}

static gint64
find_largest_heap (JsonObject *device)
{
  JsonArray *heaps = json_object_get_array_member (device, "heaps");
  gint64 largest = 0;

  for (guint i = 0; i < json_array_get_length (heaps); i++)
    largest = MAX (largest,
                   json_object_get_int_member (json_array_get_object_element (heaps, i), "bytes"));

  return largest;
}

/* A device of this computer, by its number or a part of its name; the first if nothing is said. */
static AssayDelegateDevice *
ask_device (const char *name, GError **error)
{
  g_autoptr (JsonNode) document = assay_gpu_list (NULL, error);
  JsonArray *devices = document != NULL ? json_object_get_array_member (
                                              json_node_get_object (document), "devices")
                                        : NULL;

  for (guint i = 0; devices != NULL && i < json_array_get_length (devices); i++)
    {
      JsonObject *device = json_array_get_object_element (devices, i);
      JsonObject *limits = json_object_get_object_member (device, "limits");
      const char *label = json_object_get_string_member (device, "label");
      g_autofree char *number = g_strdup_printf ("%u", i);
      AssayDelegateDevice *self;

      if (*name != '\0' && !g_str_equal (name, number) && strstr (label, name) == NULL)
        continue;
      self = device_new ();
      self->name = g_strdup (label);
      self->limits.texture = json_object_get_int_member (limits, "texture_3d");
      self->limits.buffer_bytes = json_object_get_int_member (limits, "storage_buffer_bytes");
      self->limits.buffers = json_object_get_int_member (limits, "buffers");
      self->limits.groups = count_groups (
          json_object_get_int_member (limits, "groups"),
          MAX (json_object_get_int_member (limits, "group_rows"), 1));
      self->limits.memory_bytes = find_largest_heap (device);
      self->limits.has_half = json_object_get_boolean_member (limits, "f16");
      self->limits.has_byte = json_object_get_boolean_member (limits, "i8");
      self->limits.computes_half = self->limits.has_half;
      return self;
    }
  if (devices != NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "there is no Vulkan device %s; assay boards lists them", name);

  return NULL;
}

/**
 * assay_delegate_device_load:
 * @name: one that ships, such as lavapipe, a file, or vulkan:DEVICE as assay boards lists them
 * @error: return location for a #GError
 *
 * Loads a profile of a device.
 *
 * Returns: (transfer full) (nullable): the device, or %NULL with %ASSAY_ERROR_IO,
 * %ASSAY_ERROR_INVALID or %ASSAY_ERROR_DEVICE
 */
AssayDelegateDevice *
assay_delegate_device_load (const char *name, GError **error)
{
  g_autofree char *path = g_strconcat (PREFIX, name, SUFFIX, NULL);
  g_autoptr (GBytes)
      bytes = g_resource_lookup_data (shipped_files (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  char *text;
  gsize length;

  if (g_str_equal (name, "vulkan") || g_str_has_prefix (name, "vulkan:"))
    {
      AssayDelegateDevice *self = ask_device (name + MIN (strlen (name), strlen ("vulkan:")),
                                              error);

      if (self == NULL)
        g_prefix_error (error, "device profile %s: ", name);
      return self;
    }
  if (bytes == NULL && strchr (name, G_DIR_SEPARATOR) == NULL && !g_str_has_suffix (name, SUFFIX))
    {
      g_auto (GStrv) shipped = g_resource_enumerate_children (shipped_files (), PREFIX,
                                                              G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

      for (char **at = shipped; at != NULL && *at != NULL; at++)
        (*at)[strlen (*at) - strlen (SUFFIX)] = '\0';
      path = (g_free (path), g_strjoinv (", ", shipped));
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "device profile %s: expected one of %s, vulkan[:DEVICE], or a file of "
                   "vulkaninfo --json",
                   name, path);
      return NULL;
    }
  if (bytes == NULL)
    {
      if (!assay_file_read (name, ASSAY_FILE_READ_TEXT, &text, &length, error))
        return NULL;
      bytes = g_bytes_new_take (text, length);
    }

  return assay_delegate_device_new (bytes, name, error);
}

/**
 * assay_delegate_device_load_set:
 * @settings: (nullable): what a user has fixed
 * @device: (out) (nullable): the device they name, or %NULL if they name none
 * @error: return location for a #GError
 *
 * Loads the device whose limits count.
 *
 * Returns: whether there is none, or it could be loaded
 */
gboolean
assay_delegate_device_load_set (const AssaySettings *settings, AssayDelegateDevice **device,
                                GError **error)
{
  g_autofree char *name = assay_settings_dup_text (settings, ASSAY_SETTING_DEVICE_PROFILE);

  *device = name != NULL && *name != '\0' ? assay_delegate_device_load (name, error) : NULL;

  return name == NULL || *name == '\0' || *device != NULL;
}

void
assay_delegate_device_free (AssayDelegateDevice *self)
{
  if (self == NULL)
    return;

  g_free (self->name);
  g_free (self);
}
