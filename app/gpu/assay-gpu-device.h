/* assay-gpu-device.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

G_BEGIN_DECLS

/* Behind what a device has not: whoever compiles for it gets a program that it has room for. */
#define ASSAY_GPU_WAY_OUT "; with --device-profile vulkan a program is made for the device"

/**
 * AssayGpuFunctions:
 *
 * What is called of Vulkan; vulkan-functions.def has the list.
 */
typedef struct
{
#define GLOBAL(name) PFN_vk##name name;
#define INSTANCE(name) PFN_vk##name name;
#define DEVICE(name) PFN_vk##name name;
#include "vulkan-functions.def"
#undef GLOBAL
#undef INSTANCE
#undef DEVICE
} AssayGpuFunctions;

/**
 * AssayGpuDevice:
 * @vk: the functions
 * @instance: the instance
 * @physical: the device as it is
 * @properties: what it says of itself
 * @id: its identity and that of its driver
 * @driver: what its driver says of itself
 * @memory: its heaps
 * @has_half: whether it stores halves
 * @has_byte: whether it stores bytes
 * @family: the queues that compute
 * @device: the device as it is used, %VK_NULL_HANDLE until it is opened
 * @queue: where work is handed in
 * @timestamp_bits: how many bits of a timestamp count, 0 for none
 * @messenger: where the validation layers say something, if they are asked
 * @destroy_messenger: ends it
 * @n_messages: how often the validation layers had something to say
 * @message: what they said first
 *
 * A device of this computer.
 */
typedef struct
{
  AssayGpuFunctions vk;
  VkInstance instance;
  VkPhysicalDevice physical;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceIDProperties id;
  VkPhysicalDeviceDriverProperties driver;
  VkPhysicalDeviceMemoryProperties memory;
  gboolean has_half;
  gboolean has_byte;
  guint32 family;
  VkDevice device;
  VkQueue queue;
  guint32 timestamp_bits;
  VkDebugUtilsMessengerEXT messenger;
  PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
  gint n_messages;
  char message[400];
} AssayGpuDevice;

GPtrArray *assay_gpu_device_list (GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGpuDevice *assay_gpu_device_open (const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_device_free (AssayGpuDevice *self);
char *assay_gpu_device_list_to_json (GPtrArray *devices) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_gpu_device_allocate (AssayGpuDevice *self, const VkMemoryRequirements *needs,
                                    gboolean mapped, const char *what, VkDeviceMemory *memory,
                                    GError **error);
gboolean assay_gpu_check (VkResult result, const char *what, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuDevice, assay_gpu_device_free)

G_END_DECLS
