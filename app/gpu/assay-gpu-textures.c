/* assay-gpu-textures.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How much memory a texture takes the device says, not the plan, so that the shared objects of the
 * plan become memory here. A texture is written as a whole, and what it held before is given up.
 */
#include "assay-gpu-textures.h"

#include "base/assay-error.h"

/* Behind the tensors stands one empty texture for each kind of elements: shaders have to be given
 * one where a tensor is a buffer. */
#define N_EMPTY 2

typedef struct
{
  VkImage image;
  VkImageView view;
} Texture;

struct _AssayGpuTextures
{
  AssayGpuDevice *device;
  const AssayGpuPlan *plan;
  Texture *textures;
  guint n;
  VkDeviceMemory *memory; /* per object, the empty ones behind them */
  guint n_memory;
};

/* Where a texture lies: which memory, and how large it is. */
static void
describe (const AssayGpuTextures *self, guint i, VkExtent3D *extent, gboolean *is_half,
          guint *object)
{
  const AssayGpuTensor *tensor = i < self->plan->tensors->len
                                     ? &g_array_index (self->plan->tensors, AssayGpuTensor, i)
                                     : NULL;

  *extent = (VkExtent3D){ 1, 1, 1 };
  *is_half = i > self->plan->tensors->len;
  *object = self->n_memory - (self->n - i);
  if (tensor == NULL)
    return;
  *extent = (VkExtent3D){ tensor->extents[0], tensor->extents[1], tensor->extents[2] };
  *is_half = tensor->is_half != 0;
  *object = tensor->object;
}

static gboolean
is_there (const AssayGpuTextures *self, guint i)
{
  return i >= self->plan->tensors->len ||
         g_array_index (self->plan->tensors, AssayGpuTensor, i).space == ASSAY_GPU_TEXTURES;
}

static VkFormat
format_of (gboolean is_half)
{
  return is_half ? VK_FORMAT_R16G16B16A16_SFLOAT : VK_FORMAT_R32G32B32A32_SFLOAT;
}

static gboolean
make_image (AssayGpuTextures *self, guint i, VkMemoryRequirements *needs, GError **error)
{
  AssayGpuDevice *device = self->device;
  guint32 most = device->properties.limits.maxImageDimension3D;
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_3D,
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .tiling = VK_IMAGE_TILING_OPTIMAL,
    .usage = VK_IMAGE_USAGE_STORAGE_BIT,
    .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
  };
  VkMemoryRequirements own;
  gboolean is_half;
  guint object;

  describe (self, i, &info.extent, &is_half, &object);
  info.format = format_of (is_half);
  if (MAX (info.extent.width, MAX (info.extent.height, info.extent.depth)) > most)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "a texture is %u x %u x %u texels, %s takes %u on a side%s", info.extent.width,
                   info.extent.height, info.extent.depth, device->properties.deviceName, most,
                   ASSAY_GPU_WAY_OUT);
      return FALSE;
    }
  if (!assay_gpu_check (
          device->vk.CreateImage (device->device, &info, NULL, &self->textures[i].image),
          "textures", error))
    return FALSE;
  device->vk.GetImageMemoryRequirements (device->device, self->textures[i].image, &own);
  needs[object].size = MAX (needs[object].size, own.size);
  needs[object].memoryTypeBits &= own.memoryTypeBits;

  return TRUE;
}

static gboolean
bind_image (AssayGpuTextures *self, guint i, GError **error)
{
  AssayGpuDevice *device = self->device;
  VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = self->textures[i].image,
    .viewType = VK_IMAGE_VIEW_TYPE_3D,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };
  VkExtent3D extent;
  gboolean is_half;
  guint object;

  describe (self, i, &extent, &is_half, &object);
  info.format = format_of (is_half);

  return assay_gpu_check (device->vk.BindImageMemory (device->device, self->textures[i].image,
                                                      self->memory[object], 0),
                          "textures", error) &&
         assay_gpu_check (
             device->vk.CreateImageView (device->device, &info, NULL, &self->textures[i].view),
             "textures", error);
}

static gboolean
make_all (AssayGpuTextures *self, GError **error)
{
  g_autofree VkMemoryRequirements *needs = g_new0 (VkMemoryRequirements, self->n_memory);

  for (guint i = 0; i < self->n_memory; i++)
    needs[i].memoryTypeBits = G_MAXUINT32;
  for (guint i = 0; i < self->n; i++)
    if (is_there (self, i) && !make_image (self, i, needs, error))
      return FALSE;
  for (guint i = 0; i < self->n_memory; i++)
    if (needs[i].size > 0 && !assay_gpu_device_allocate (self->device, &needs[i], FALSE, "textures",
                                                         &self->memory[i], error))
      return FALSE;
  for (guint i = 0; i < self->n; i++)
    if (is_there (self, i) && !bind_image (self, i, error))
      return FALSE;

  return TRUE;
}

/**
 * assay_gpu_textures_new:
 * @device: a device
 * @plan: a plan that was verified, which has to stay
 * @error: return location for a #GError
 *
 * Makes the textures of a plan, and those that stand where a tensor is none.
 *
 * Returns: (transfer full) (nullable): the textures
 */
AssayGpuTextures *
assay_gpu_textures_new (AssayGpuDevice *device, const AssayGpuPlan *plan, GError **error)
{
  g_autoptr (AssayGpuTextures) self = g_new0 (AssayGpuTextures, 1);
  guint n_objects = 0;

  self->device = device;
  self->plan = plan;
  self->n = plan->tensors->len + N_EMPTY;
  for (guint i = 0; i < plan->tensors->len; i++)
    if (is_there (self, i))
      n_objects = MAX (n_objects, g_array_index (plan->tensors, AssayGpuTensor, i).object + 1);
  self->n_memory = n_objects + N_EMPTY;
  self->textures = g_new0 (Texture, self->n);
  self->memory = g_new0 (VkDeviceMemory, self->n_memory);

  return make_all (self, error) ? g_steal_pointer (&self) : NULL;
}

void
assay_gpu_textures_free (AssayGpuTextures *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->n; i++)
    {
      self->device->vk.DestroyImageView (self->device->device, self->textures[i].view, NULL);
      self->device->vk.DestroyImage (self->device->device, self->textures[i].image, NULL);
    }
  for (guint i = 0; i < self->n_memory; i++)
    self->device->vk.FreeMemory (self->device->device, self->memory[i], NULL);
  g_free (self->textures);
  g_free (self->memory);
  g_free (self);
}

/**
 * assay_gpu_textures_get_view:
 * @self: textures
 * @tensor: a tensor of the plan that is one
 *
 * Gets what a shader is given for a tensor.
 *
 * Returns: the view
 */
VkImageView
assay_gpu_textures_get_view (AssayGpuTextures *self, guint tensor)
{
  return self->textures[tensor].view;
}

/**
 * assay_gpu_textures_get_empty:
 * @self: textures
 * @is_half: whether the shader takes halves
 *
 * Gets what a shader is given where a tensor is a buffer.
 *
 * Returns: the view
 */
VkImageView
assay_gpu_textures_get_empty (AssayGpuTextures *self, gboolean is_half)
{
  return self->textures[self->plan->tensors->len + (is_half ? 1 : 0)].view;
}

/**
 * assay_gpu_textures_renew:
 * @self: textures
 * @commands: where to record
 * @tensor: a tensor of the plan that is a texture
 *
 * Makes a texture ready to be written as a whole, behind all that reads what it shares memory with.
 */
void
assay_gpu_textures_renew (AssayGpuTextures *self, VkCommandBuffer commands, guint tensor)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = self->textures[tensor].image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  self->device->vk.CmdPipelineBarrier (commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                       VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1,
                                       &barrier);
}

/**
 * assay_gpu_textures_begin:
 * @self: textures
 * @commands: where a submission begins
 *
 * Makes those ready that stand where a tensor is none.
 */
void
assay_gpu_textures_begin (AssayGpuTextures *self, VkCommandBuffer commands)
{
  for (guint i = 0; i < N_EMPTY; i++)
    assay_gpu_textures_renew (self, commands, self->plan->tensors->len + i);
}
