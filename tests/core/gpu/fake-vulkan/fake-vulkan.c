/* fake-vulkan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stands before the Vulkan loader, which ASSAY_REAL_VULKAN names, and does to its caller what
 * ASSAY_FAKE_VULKAN asks for: FUNCTION@N=WHAT has the Nth call of a function fail (lost, memory) or
 * end the process (kill, crash); what stands in front of the limits below makes a device that has
 * less, such as heaps=BYTES.
 */
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr get_instance;
static PFN_vkGetDeviceProcAddr get_device;

/* What becomes of a call; VK_SUCCESS if nothing does. */
static VkResult
strike (const char *name, unsigned n)
{
  const char *wish = getenv ("ASSAY_FAKE_VULKAN");
  char key[96];

  snprintf (key, sizeof key, "%s@%u=", name, n);
  if (wish == NULL || strncmp (wish, key, strlen (key)) != 0)
    return VK_SUCCESS;
  wish += strlen (key);
  if (strcmp (wish, "kill") == 0)
    raise (SIGKILL);
  if (strcmp (wish, "crash") == 0)
    raise (SIGSEGV);

  return strcmp (wish, "lost") == 0 ? VK_ERROR_DEVICE_LOST : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static unsigned long
limit (const char *name)
{
  const char *wish = getenv ("ASSAY_FAKE_VULKAN");
  size_t n = strlen (name);

  return wish != NULL && strncmp (wish, name, n) == 0 && wish[n] == '='
             ? strtoul (wish + n + 1, NULL, 10)
             : 0;
}

/* clang-format off */
#define FUNCTIONS \
  CALL (CreateInstance, \
        (const VkInstanceCreateInfo *a, const VkAllocationCallbacks *b, VkInstance *c), \
        (a, b, c)) \
  CALL (EnumeratePhysicalDevices, \
        (VkInstance a, uint32_t *b, VkPhysicalDevice *c), \
        (a, b, c)) \
  CALL (CreateDevice, \
        (VkPhysicalDevice a, const VkDeviceCreateInfo *b, const VkAllocationCallbacks *c, \
         VkDevice *d), \
        (a, b, c, d)) \
  CALL (CreateBuffer, \
        (VkDevice a, const VkBufferCreateInfo *b, const VkAllocationCallbacks *c, VkBuffer *d), \
        (a, b, c, d)) \
  CALL (AllocateMemory, \
        (VkDevice a, const VkMemoryAllocateInfo *b, const VkAllocationCallbacks *c, \
         VkDeviceMemory *d), \
        (a, b, c, d)) \
  CALL (CreateComputePipelines, \
        (VkDevice a, VkPipelineCache b, uint32_t c, const VkComputePipelineCreateInfo *d, \
         const VkAllocationCallbacks *e, VkPipeline *f), \
        (a, b, c, d, e, f)) \
  CALL (BeginCommandBuffer, \
        (VkCommandBuffer a, const VkCommandBufferBeginInfo *b), \
        (a, b)) \
  CALL (QueueSubmit, \
        (VkQueue a, uint32_t b, const VkSubmitInfo *c, VkFence d), \
        (a, b, c, d)) \
  CALL (WaitForFences, \
        (VkDevice a, uint32_t b, const VkFence *c, VkBool32 d, uint64_t e), \
        (a, b, c, d, e)) \
  CALL (GetQueryPoolResults, \
        (VkDevice a, VkQueryPool b, uint32_t c, uint32_t d, size_t e, void *f, VkDeviceSize g, \
         VkQueryResultFlags h), \
        (a, b, c, d, e, f, g, h))
/* clang-format on */

#define CALL(name, parameters, arguments)                                                          \
  static PFN_vk##name real_##name;                                                                 \
  static VKAPI_ATTR VkResult VKAPI_CALL fake_##name parameters                                     \
  {                                                                                                \
    static unsigned n;                                                                             \
    VkResult result = strike (#name, ++n);                                                         \
                                                                                                   \
    return result != VK_SUCCESS ? result : real_##name arguments;                                  \
  }
FUNCTIONS
#undef CALL

static void
lower (uint32_t *value, const char *name)
{
  if (limit (name) > 0)
    *value = (uint32_t) limit (name);
}

static PFN_vkGetPhysicalDeviceMemoryProperties real_memory;
static PFN_vkGetPhysicalDeviceProperties2 real_properties;

static VKAPI_ATTR void VKAPI_CALL
fake_memory (VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *memory)
{
  real_memory (device, memory);
  for (uint32_t i = 0; i < memory->memoryHeapCount && limit ("heaps") > 0; i++)
    memory->memoryHeaps[i].size = limit ("heaps");
}

static VKAPI_ATTR void VKAPI_CALL
fake_properties (VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
  VkPhysicalDeviceLimits *limits = &properties->properties.limits;

  real_properties (device, properties);
  for (int i = 0; i < 3; i++)
    lower (&limits->maxComputeWorkGroupCount[i], "groups");
  lower (&limits->maxTexelBufferElements, "texels");
  lower (&limits->maxStorageBufferRange, "range");
  lower (&limits->maxImageDimension3D, "side");
  lower (&limits->maxPerStageDescriptorStorageBuffers, "buffers");
  lower (&properties->properties.apiVersion, "api");
}

static PFN_vkGetPhysicalDeviceFeatures2 real_features;

/* Of the features, the halves that a shader may name: halves=1 takes them. */
static VKAPI_ATTR void VKAPI_CALL
fake_features (VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features)
{
  real_features (device, features);
  for (VkBaseOutStructure *at = features->pNext; at != NULL && limit ("halves") > 0; at = at->pNext)
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES)
      ((VkPhysicalDeviceShaderFloat16Int8Features *) at)->shaderFloat16 = VK_FALSE;
}

static PFN_vkVoidFunction
stand_before (const char *name, PFN_vkVoidFunction real)
{
#define CALL(function, parameters, arguments)                                                      \
  if (strcmp (name, "vk" #function) == 0)                                                          \
    {                                                                                              \
      real_##function = (PFN_vk##function) real;                                                   \
      return (PFN_vkVoidFunction) fake_##function;                                                 \
    }
  FUNCTIONS
#undef CALL
  if (strcmp (name, "vkGetPhysicalDeviceMemoryProperties") == 0)
    {
      real_memory = (PFN_vkGetPhysicalDeviceMemoryProperties) real;
      return (PFN_vkVoidFunction) fake_memory;
    }
  if (strcmp (name, "vkGetPhysicalDeviceFeatures2") == 0)
    {
      real_features = (PFN_vkGetPhysicalDeviceFeatures2) real;
      return (PFN_vkVoidFunction) fake_features;
    }
  if (strcmp (name, "vkGetPhysicalDeviceProperties2") == 0)
    {
      real_properties = (PFN_vkGetPhysicalDeviceProperties2) real;
      return (PFN_vkVoidFunction) fake_properties;
    }

  return real;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
fake_get_device (VkDevice device, const char *name)
{
  return stand_before (name, get_device (device, name));
}

/* The only one that a loader has to have. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr (VkInstance instance,
                                                                const char *name);

__attribute__ ((visibility ("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr (VkInstance instance, const char *name)
{
  PFN_vkVoidFunction real;

  if (get_instance == NULL)
    *(void **) &get_instance = dlsym (dlopen (getenv ("ASSAY_REAL_VULKAN"), RTLD_NOW),
                                      "vkGetInstanceProcAddr");
  real = get_instance (instance, name);
  if (strcmp (name, "vkGetDeviceProcAddr") != 0)
    return stand_before (name, real);
  get_device = (PFN_vkGetDeviceProcAddr) real;

  return (PFN_vkVoidFunction) fake_get_device;
}
