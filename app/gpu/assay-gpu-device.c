/* assay-gpu-device.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loader is a library that may be missing, so it is opened when somebody asks. Each device has
 * an instance of its own, which ends with it.
 */
#include "assay-gpu-device.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "base/assay-error.h"
#include "text/assay-json-writer.h"

#define LOADER "libvulkan.so.1"
#define VALIDATION "VK_LAYER_KHRONOS_validation"

static gboolean
fail (GError **error, const char *message)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s", message);
  return FALSE;
}

/**
 * assay_gpu_check:
 * @result: what a function returned
 * @what: what was wanted of it
 * @error: return location for a #GError
 *
 * Turns a result of Vulkan into words.
 *
 * Returns: whether it is in order
 */
gboolean
assay_gpu_check (VkResult result, const char *what, GError **error)
{
  static const struct
  {
    VkResult result;
    const char *words;
  } known[] = {
    { VK_ERROR_OUT_OF_HOST_MEMORY, "the driver is out of memory" },
    { VK_ERROR_OUT_OF_DEVICE_MEMORY, "the device is out of memory" },
    { VK_ERROR_INITIALIZATION_FAILED, "the driver could not begin" },
    { VK_ERROR_DEVICE_LOST, "the device was lost" },
    { VK_ERROR_MEMORY_MAP_FAILED, "memory of the device could not be mapped" },
    { VK_ERROR_FEATURE_NOT_PRESENT, "the device lacks what is needed" },
    { VK_ERROR_INCOMPATIBLE_DRIVER, "no driver was found" },
    { VK_ERROR_TOO_MANY_OBJECTS, "the device has no room for more objects" },
  };

  if (result >= 0)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].result == result)
      {
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: %s", what, known[i].words);
        return FALSE;
      }
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: Vulkan error %d", what, (int) result);

  return FALSE;
}

/* A loader that is not there is to be installed; one that is there is broken. */
static gboolean
fail_loader (const char *why, GError **error)
{
  if (why == NULL || strstr (why, g_strerror (ENOENT)) != NULL)
    return fail (error, "the Vulkan loader (" LOADER ") is not installed; Debian has it in "
                        "libvulkan1");
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "the Vulkan loader does not load: %s", why);

  return FALSE;
}

static gboolean
load_globals (AssayGpuFunctions *vk, PFN_vkGetInstanceProcAddr *get, GError **error)
{
  void *library = dlopen (LOADER, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL)
    return fail_loader (dlerror (), error);
  *(void **) get = dlsym (library, "vkGetInstanceProcAddr");
  if (*get == NULL)
    return fail (error, LOADER " is not the Vulkan loader");
#define GLOBAL(name) vk->name = (PFN_vk##name) (*get) (NULL, "vk" #name);
#include "vulkan-functions.def"
#undef GLOBAL

  return vk->CreateInstance != NULL || fail (error, "the Vulkan loader is too old");
}

/* Whoever writes shaders wants to know what the layers say; anything they say fails the run. */
static gboolean
wants_validation (const AssayGpuFunctions *vk)
{
  g_autofree VkLayerProperties *layers = NULL;
  guint32 n = 0;

  if (g_getenv ("ASSAY_GPU_VALIDATE") == NULL ||
      vk->EnumerateInstanceLayerProperties (&n, NULL) != VK_SUCCESS)
    return FALSE;
  layers = g_new0 (VkLayerProperties, n + 1);
  vk->EnumerateInstanceLayerProperties (&n, layers);
  for (guint32 i = 0; i < n; i++)
    if (g_str_equal (layers[i].layerName, VALIDATION))
      return TRUE;

  return FALSE;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
on_message (VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
            const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
  AssayGpuDevice *self = user_data;

  /* The first is what the others follow from. */
  if (g_atomic_int_add (&self->n_messages, 1) == 0)
    g_strlcpy (self->message, data->pMessage, sizeof self->message);
  fprintf (stderr, "validation: %s\n", data->pMessage);

  return VK_FALSE;
}

/* When it lists its devices, lavapipe (Mesa 22.3) takes 128 bytes that it forgets when it is
 * unloaded; the validation layers ask it for them when an instance is made. */
static void
count_leaks (gboolean ours)
{
#ifdef __SANITIZE_ADDRESS__
  if (ours)
    __lsan_enable ();
  else
    __lsan_disable ();
#endif
}

/* Why there is no instance, and where its drivers were looked for. */
static gboolean
fail_instance (VkResult result, GError **error)
{
  static const char *const variables[] = { "VK_DRIVER_FILES", "VK_ICD_FILENAMES" };
  g_autoptr (GError) local = NULL;
  const char *named = NULL;
  guint i;

  assay_gpu_check (result, "Vulkan", &local);
  for (i = 0; i < G_N_ELEMENTS (variables) && named == NULL; i++)
    named = g_getenv (variables[i]);
  if (named != NULL)
    g_set_error (error, local->domain, local->code, "%s; %s is %s", local->message,
                 variables[i - 1], named);
  else if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    g_set_error (error, local->domain, local->code, "%s; Debian has them in mesa-vulkan-drivers",
                 local->message);
  else
    g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
}

static gboolean
make_instance (AssayGpuDevice *self, GError **error)
{
  static const char *const layers[] = { VALIDATION };
  static const char *const extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
  static const VkValidationFeatureEnableEXT enabled[] = {
    VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
  };
  const VkDebugUtilsMessengerCreateInfoEXT messenger = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    .pfnUserCallback = on_message,
    .pUserData = self,
  };
  const VkValidationFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
    .enabledValidationFeatureCount = G_N_ELEMENTS (enabled),
    .pEnabledValidationFeatures = enabled,
  };
  const VkApplicationInfo application = {
    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
    .pApplicationName = "assay",
    .apiVersion = VK_API_VERSION_1_2,
  };
  VkInstanceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .pApplicationInfo = &application,
  };
  PFN_vkGetInstanceProcAddr get;
  gboolean validates;
  VkResult result;

  if (!load_globals (&self->vk, &get, error))
    return FALSE;
  validates = wants_validation (&self->vk);
  if (validates)
    {
      info.pNext = &features;
      info.enabledLayerCount = 1;
      info.ppEnabledLayerNames = layers;
      info.enabledExtensionCount = 1;
      info.ppEnabledExtensionNames = extensions;
    }
  count_leaks (FALSE);
  result = self->vk.CreateInstance (&info, NULL, &self->instance);
  count_leaks (TRUE);
  if (result != VK_SUCCESS)
    return fail_instance (result, error);

#define INSTANCE(name) self->vk.name = (PFN_vk##name) get (self->instance, "vk" #name);
#include "vulkan-functions.def"
#undef INSTANCE
  if (validates)
    {
      PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT) get (
          self->instance, "vkCreateDebugUtilsMessengerEXT");

      self->destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT) get (
          self->instance, "vkDestroyDebugUtilsMessengerEXT");
      create (self->instance, &messenger, NULL, &self->messenger);
    }

  return TRUE;
}

static gboolean
find_family (AssayGpuDevice *self)
{
  g_autofree VkQueueFamilyProperties *families = NULL;
  guint32 n = 0;

  self->vk.GetPhysicalDeviceQueueFamilyProperties (self->physical, &n, NULL);
  families = g_new0 (VkQueueFamilyProperties, n + 1);
  self->vk.GetPhysicalDeviceQueueFamilyProperties (self->physical, &n, families);
  for (guint32 i = 0; i < n; i++)
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0)
      {
        self->family = i;
        self->timestamp_bits = families[i].timestampValidBits;
        return TRUE;
      }

  return FALSE;
}

static void
read_properties (AssayGpuDevice *self)
{
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &self->id,
  };
  VkPhysicalDeviceShaderFloat16Int8Features half = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
  };
  VkPhysicalDevice8BitStorageFeatures bytes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
    .pNext = &half,
  };
  VkPhysicalDevice16BitStorageFeatures storage = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
    .pNext = &bytes,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &storage,
  };

  self->id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  self->id.pNext = &self->driver;
  self->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  self->vk.GetPhysicalDeviceProperties2 (self->physical, &properties);
  self->properties = properties.properties;
  self->id.pNext = NULL;
  self->vk.GetPhysicalDeviceMemoryProperties (self->physical, &self->memory);
  if (self->properties.apiVersion < VK_API_VERSION_1_2)
    return;

  self->vk.GetPhysicalDeviceFeatures2 (self->physical, &features);
  self->has_half = storage.storageBuffer16BitAccess && half.shaderFloat16;
  self->has_byte = bytes.storageBuffer8BitAccess;
}

static VkResult
enumerate (AssayGpuDevice *self, guint32 *n, VkPhysicalDevice *physical)
{
  VkResult result;

  count_leaks (FALSE);
  result = self->vk.EnumeratePhysicalDevices (self->instance, n, physical);
  count_leaks (TRUE);

  return result;
}

/**
 * assay_gpu_device_list:
 * @error: return location for a #GError
 *
 * Lists the devices of this computer that compute.
 *
 * Returns: (transfer full) (nullable) (element-type AssayGpuDevice): the devices, at least one
 */
GPtrArray *
assay_gpu_device_list (GError **error)
{
  g_autoptr (GPtrArray)
      devices = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_gpu_device_free);
  guint32 n = 1;

  for (guint32 i = 0; i < n; i++)
    {
      g_autoptr (AssayGpuDevice) device = g_new0 (AssayGpuDevice, 1);
      g_autofree VkPhysicalDevice *physical = NULL;

      if (!make_instance (device, error) ||
          !assay_gpu_check (enumerate (device, &n, NULL), "devices", error))
        return NULL;
      physical = g_new0 (VkPhysicalDevice, n + 1);
      if (!assay_gpu_check (enumerate (device, &n, physical), "devices", error))
        return NULL;
      if (i >= n)
        break;
      device->physical = physical[i];
      read_properties (device);
      if (find_family (device))
        g_ptr_array_add (devices, g_steal_pointer (&device));
    }
  if (devices->len == 0)
    {
      fail (error, "Vulkan has no device that computes here; a driver may be missing, Debian has "
                   "them in mesa-vulkan-drivers");
      return NULL;
    }

  return g_steal_pointer (&devices);
}

static gboolean
open_device (AssayGpuDevice *self, GError **error)
{
  static const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
    .queueFamilyIndex = self->family,
    .queueCount = 1,
    .pQueuePriorities = &priority,
  };
  VkPhysicalDeviceShaderFloat16Int8Features half = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
    .shaderFloat16 = VK_TRUE,
  };
  VkPhysicalDevice16BitStorageFeatures storage = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
    .pNext = &half,
    .storageBuffer16BitAccess = VK_TRUE,
  };
  const VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .pNext = self->has_half ? &storage : NULL,
    .queueCreateInfoCount = 1,
    .pQueueCreateInfos = &queue,
    /* What reads beyond its tensor reads no memory of others. */
    .pEnabledFeatures = &(const VkPhysicalDeviceFeatures){ .robustBufferAccess = VK_TRUE },
  };

  if (self->properties.apiVersion < VK_API_VERSION_1_1)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "%s has Vulkan %u.%u, and shaders here are of 1.1", self->properties.deviceName,
                   VK_API_VERSION_MAJOR (self->properties.apiVersion),
                   VK_API_VERSION_MINOR (self->properties.apiVersion));
      return FALSE;
    }
  if (!assay_gpu_check (self->vk.CreateDevice (self->physical, &info, NULL, &self->device),
                        self->properties.deviceName, error))
    return FALSE;
#define DEVICE(name)                                                                               \
  self->vk.name = (PFN_vk##name) self->vk.GetDeviceProcAddr (self->device, "vk" #name);
#include "vulkan-functions.def"
#undef DEVICE
  self->vk.GetDeviceQueue (self->device, self->family, 0, &self->queue);

  return TRUE;
}

/**
 * assay_gpu_device_open:
 * @name: a number from the list, a part of a name, or "" for the first device
 * @error: return location for a #GError
 *
 * Opens a device.
 *
 * Returns: (transfer full) (nullable): the device
 */
AssayGpuDevice *
assay_gpu_device_open (const char *name, GError **error)
{
  g_autoptr (GPtrArray) devices = assay_gpu_device_list (error);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; devices != NULL && i < devices->len; i++)
    {
      const AssayGpuDevice *device = g_ptr_array_index (devices, i);
      g_autofree char *number = g_strdup_printf ("%u", i);

      g_string_append_printf (names, "%s%u %s", i > 0 ? ", " : "", i,
                              device->properties.deviceName);
      if (*name == '\0' || g_str_equal (number, name) ||
          strstr (device->properties.deviceName, name) != NULL)
        {
          g_autoptr (AssayGpuDevice) self = g_ptr_array_steal_index (devices, i);

          return open_device (self, error) ? g_steal_pointer (&self) : NULL;
        }
    }
  if (devices != NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                 "there is no Vulkan device %s; there are: %s", name, names->str);

  return NULL;
}

void
assay_gpu_device_free (AssayGpuDevice *self)
{
  if (self == NULL)
    return;

  if (self->device != VK_NULL_HANDLE)
    self->vk.DestroyDevice (self->device, NULL);
  if (self->messenger != VK_NULL_HANDLE)
    self->destroy_messenger (self->instance, self->messenger, NULL);
  if (self->instance != VK_NULL_HANDLE)
    self->vk.DestroyInstance (self->instance, NULL);
  g_free (self);
}

static void
append_device (AssayJsonWriter *json, const AssayGpuDevice *device, guint number)
{
  static const char *const types[] = { "other", "integrated", "discrete", "virtual", "cpu" };
  const VkPhysicalDeviceLimits *limits = &device->properties.limits;
  guint32 api = device->properties.apiVersion;
  g_autofree char *name = g_strdup_printf ("vulkan:%u", number);
  g_autofree char *version = g_strdup_printf ("%u.%u.%u", VK_API_VERSION_MAJOR (api),
                                              VK_API_VERSION_MINOR (api),
                                              VK_API_VERSION_PATCH (api));

  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "name", name);
  assay_json_writer_member (json, "label", device->properties.deviceName);
  assay_json_writer_member (
      json, "type", types[MIN ((guint) device->properties.deviceType, G_N_ELEMENTS (types) - 1)]);
  assay_json_writer_member (json, "api", version);
  assay_json_writer_member (json, "driver", device->driver.driverName);
  assay_json_writer_member (json, "driver_version", device->driver.driverInfo);
  assay_json_writer_begin_member_array (json, "heaps");
  for (guint32 i = 0; i < device->memory.memoryHeapCount; i++)
    {
      assay_json_writer_begin_object (json);
      assay_json_writer_member_int (json, "bytes", (gint64) device->memory.memoryHeaps[i].size);
      assay_json_writer_member_bool (
          json, "local",
          (device->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
  assay_json_writer_begin_member_object (json, "limits");
  assay_json_writer_member_int (json, "storage_buffer_bytes", limits->maxStorageBufferRange);
  assay_json_writer_member_int (json, "texture_3d", limits->maxImageDimension3D);
  assay_json_writer_member_int (json, "groups", limits->maxComputeWorkGroupCount[0]);
  assay_json_writer_member_int (json, "group_rows", limits->maxComputeWorkGroupCount[1]);
  assay_json_writer_member_int (json, "buffers", limits->maxPerStageDescriptorStorageBuffers);
  assay_json_writer_member_int (json, "invocations", limits->maxComputeWorkGroupInvocations);
  assay_json_writer_member_int (json, "shared_bytes", limits->maxComputeSharedMemorySize);
  assay_json_writer_member_bool (json, "f16", device->has_half);
  assay_json_writer_member_bool (json, "i8", device->has_byte);
  assay_json_writer_member_bool (json, "timestamps", device->timestamp_bits > 0);
  assay_json_writer_end_object (json);
  assay_json_writer_end_object (json);
}

/**
 * assay_gpu_device_list_to_json:
 * @devices: (element-type AssayGpuDevice): devices
 *
 * Writes what devices say of themselves.
 *
 * Returns: (transfer full): a document
 */
char *
assay_gpu_device_list_to_json (GPtrArray *devices)
{
  AssayJsonWriter json;
  gsize length;

  assay_json_writer_begin_document (&json, 0, "assay.gpus/1");
  assay_json_writer_begin_member_array (&json, "devices");
  for (guint i = 0; i < devices->len; i++)
    append_device (&json, g_ptr_array_index (devices, i), i);
  assay_json_writer_end_array (&json);

  return assay_json_writer_end_document (&json, &length);
}

static gboolean
find_type (AssayGpuDevice *device, guint32 allowed, VkMemoryPropertyFlags wanted, guint32 *type)
{
  for (guint32 i = 0; i < device->memory.memoryTypeCount; i++)
    if ((allowed >> i & 1) != 0 && (device->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
      {
        *type = i;
        return TRUE;
      }

  return FALSE;
}

/**
 * assay_gpu_device_allocate:
 * @self: a device that is open
 * @needs: what is needed
 * @mapped: whether the host reads and writes it too
 * @what: what it is for, in a message
 * @memory: (out): the memory
 * @error: return location for a #GError
 *
 * Takes memory of a device, of its own where there is some.
 *
 * Returns: whether there was enough
 */
gboolean
assay_gpu_device_allocate (AssayGpuDevice *self, const VkMemoryRequirements *needs, gboolean mapped,
                           const char *what, VkDeviceMemory *memory, GError **error)
{
  const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .allocationSize = needs->size };

  if (!(mapped ? find_type (self, needs->memoryTypeBits, host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                            &info.memoryTypeIndex) ||
                     find_type (self, needs->memoryTypeBits, host, &info.memoryTypeIndex)
               : find_type (self, needs->memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                            &info.memoryTypeIndex) ||
                     find_type (self, needs->memoryTypeBits, 0, &info.memoryTypeIndex)))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: the device has no memory for it",
                   what);
      return FALSE;
    }
  if (needs->size >
      self->memory.memoryHeaps[self->memory.memoryTypes[info.memoryTypeIndex].heapIndex].size)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "%s: %" G_GUINT64_FORMAT " bytes are more than the device has%s", what,
                   (guint64) needs->size, ASSAY_GPU_WAY_OUT);
      return FALSE;
    }

  return assay_gpu_check (self->vk.AllocateMemory (self->device, &info, NULL, memory), what, error);
}
