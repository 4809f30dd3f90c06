/* assay-gpu-engine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything is made when the plan comes: one block of memory per use, a descriptor set per
 * dispatch, a command buffer per submission. An inference hands in what was recorded and waits for
 * one fence per submission.
 */
#include "assay-gpu-engine.h"

#include <string.h>

#include "assay-gpu-textures.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"

/* Dispatches since the last barrier that the next one is held against. */
#define MOST_PENDING 32

#define CHUNK ((guint64) 8 << 20)
#define WAIT ((guint64) 1000 * 1000 * 1000)

/* The dispatches that may be at work when the next one begins. */
typedef struct
{
  guint first;
  guint end;
} Pending;

typedef struct
{
  VkBuffer buffer;
  VkDeviceMemory memory;
  guint64 size;
  guint8 *mapped;
} Block;

enum
{
  BLOCK_WEIGHTS,
  BLOCK_WORK,
  BLOCK_WORDS,
  BLOCK_STAGING,
  BLOCK_EMPTY, /* in the place of a tensor that is a texture */
  N_BLOCKS
};

struct _AssayGpuEngine
{
  AssayGpuDevice *device;
  AssayGpuPipelines *pipelines;
  AssayGpuPlan *plan;
  guint8 *shared;
  Block blocks[N_BLOCKS];
  AssayGpuTextures *textures;
  VkPipeline *made; /* per dispatch its pipeline */
  VkDescriptorPool descriptor_pool;
  VkDescriptorSet *sets;
  VkBufferView *views; /* per dispatch and tensor of it */
  VkCommandPool command_pool;
  VkCommandBuffer *commands; /* per submission, and one for what is done once */
  VkQueryPool queries;
  VkFence fence;
  gint64 *times; /* per dispatch, nanoseconds */
};

static gboolean
make_block (AssayGpuEngine *self, guint which, guint64 size, gboolean mapped, GError **error)
{
  static const char *const names[] = { "weights", "working memory", "parameters", "transfers",
                                       "textures" };
  AssayGpuDevice *device = self->device;
  Block *block = &self->blocks[which];
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    /* Whole blocks, so that the last tensor can be seen in vec4. */
    .size = MAX ((size + ASSAY_GPU_ALIGNMENT - 1) / ASSAY_GPU_ALIGNMENT, 1) * ASSAY_GPU_ALIGNMENT,
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
             VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
  };
  VkMemoryRequirements needs;
  void *address;

  block->size = info.size;
  if (!assay_gpu_check (device->vk.CreateBuffer (device->device, &info, NULL, &block->buffer),
                        names[which], error))
    return FALSE;
  device->vk.GetBufferMemoryRequirements (device->device, block->buffer, &needs);
  if (!assay_gpu_device_allocate (device, &needs, mapped, names[which], &block->memory, error) ||
      !assay_gpu_check (
          device->vk.BindBufferMemory (device->device, block->buffer, block->memory, 0),
          names[which], error))
    return FALSE;
  if (!mapped)
    return TRUE;
  if (!assay_gpu_check (
          device->vk.MapMemory (device->device, block->memory, 0, VK_WHOLE_SIZE, 0, &address),
          names[which], error))
    return FALSE;
  block->mapped = address;

  return TRUE;
}

/* The groups of a dispatch, in rows of as many as the device takes. */
static void
divide_groups (const AssayGpuEngine *self, const AssayGpuDispatch *dispatch, guint32 groups[2])
{
  guint32 n = (dispatch->count + ASSAY_GPU_GROUP - 1) / ASSAY_GPU_GROUP;
  guint32 most = self->device->properties.limits.maxComputeWorkGroupCount[0];

  groups[1] = (n + most - 1) / most;
  groups[0] = groups[1] > 1 ? (n + groups[1] - 1) / groups[1] : n;
}

/* A plan that was made for the device does not get here. */
static gboolean exceed (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
exceed (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s%s", text, ASSAY_GPU_WAY_OUT);

  return FALSE;
}

static gboolean
check_dispatch (AssayGpuEngine *self, const AssayGpuDispatch *dispatch, GError **error)
{
  const char *device = self->device->properties.deviceName;
  const VkPhysicalDeviceLimits *limits = &self->device->properties.limits;
  const char *shader = assay_gpu_shader_name (dispatch->shader);
  guint n_buffers = dispatch->n_tensors + 1;
  guint32 groups[2];

  divide_groups (self, dispatch, groups);
  if (groups[1] > limits->maxComputeWorkGroupCount[1])
    return exceed (error, "%s takes %u x %u groups of %d, the shader %s needs %u invocation%s",
                   device, limits->maxComputeWorkGroupCount[0], limits->maxComputeWorkGroupCount[1],
                   ASSAY_GPU_GROUP, shader, dispatch->count, assay_plural (dispatch->count));
  if (n_buffers > limits->maxPerStageDescriptorStorageBuffers)
    return exceed (error, "the shader %s takes %u buffer%s, %s has %u", shader, n_buffers,
                   assay_plural (n_buffers), device, limits->maxPerStageDescriptorStorageBuffers);

  return !assay_gpu_shader_names_halves (dispatch->shader) || self->device->has_half ||
         exceed (error, "%s does not store halves", device);
}

/* What the plan asks of the device, against what it says of itself. */
static gboolean
check_limits (AssayGpuEngine *self, GError **error)
{
  guint32 most = self->device->properties.limits.maxStorageBufferRange;

  if (self->plan->words->len * sizeof (gint32) > most)
    return exceed (error, "the program has more parameters than the device takes");
  for (guint i = 0; i < self->plan->tensors->len; i++)
    {
      const AssayGpuTensor *tensor = &g_array_index (self->plan->tensors, AssayGpuTensor, i);

      if (tensor->space != ASSAY_GPU_TEXTURES && tensor->size > most)
        return exceed (
            error, "a tensor takes %" G_GUINT64_FORMAT " byte%s, a buffer of %s at most %u",
            tensor->size, assay_plural (tensor->size), self->device->properties.deviceName, most);
    }
  for (guint i = 0; i < self->plan->dispatches->len; i++)
    if (!check_dispatch (self, &g_array_index (self->plan->dispatches, AssayGpuDispatch, i), error))
      return FALSE;

  return TRUE;
}

/* Whether a tensor that a shader reads in vec4 is a buffer, and small enough for a view of this
 * device. */
static gboolean
has_view (const AssayGpuEngine *self, const AssayGpuDispatch *dispatch, guint at)
{
  const AssayGpuTensor *tensor = &g_array_index (self->plan->tensors, AssayGpuTensor,
                                                 dispatch->tensors[at]);
  guint four = assay_gpu_shader_names_halves (dispatch->shader) ? 8 : 16;

  return assay_gpu_shader_reads_vec4 (dispatch->shader, at) &&
         tensor->space != ASSAY_GPU_TEXTURES &&
         (tensor->size + four - 1) / four <= self->device->properties.limits.maxTexelBufferElements;
}

static guint
views_of (const AssayGpuEngine *self, const AssayGpuDispatch *dispatch)
{
  guint views = 0;

  for (guint i = 0; i < dispatch->n_tensors; i++)
    views |= has_view (self, dispatch, i) ? 1u << i : 0;

  return views;
}

/* A tensor in vec4; its end is rounded up to a whole one, which lies within its blocks. Where it
 * is a texture, or the device has no view that large, one of nothing stands in its place. */
static gboolean
make_view (AssayGpuEngine *self, guint index, guint at, GError **error)
{
  AssayGpuDevice *device = self->device;
  const AssayGpuDispatch *dispatch = &g_array_index (self->plan->dispatches, AssayGpuDispatch,
                                                     index);
  const AssayGpuTensor *tensor = &g_array_index (self->plan->tensors, AssayGpuTensor,
                                                 dispatch->tensors[at]);
  gboolean has = has_view (self, dispatch, at);
  guint four = assay_gpu_shader_names_halves (dispatch->shader) ? 8 : 16;
  const VkBufferViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
    .buffer = self->blocks[!has                                 ? BLOCK_EMPTY
                           : tensor->space == ASSAY_GPU_WEIGHTS ? BLOCK_WEIGHTS
                                                                : BLOCK_WORK]
                  .buffer,
    .format = assay_gpu_shader_names_halves (dispatch->shader) ? VK_FORMAT_R16G16B16A16_SFLOAT
                                                               : VK_FORMAT_R32G32B32A32_SFLOAT,
    .offset = has ? tensor->base : 0,
    .range = has ? (tensor->size + four - 1) / four * four : ASSAY_GPU_ALIGNMENT,
  };

  return assay_gpu_check (
      device->vk.CreateBufferView (device->device, &info, NULL,
                                   &self->views[index * ASSAY_GPU_MAX_TENSORS + at]),
      "views", error);
}

/* A tensor of a dispatch: as what it is, and for a shader that takes both, something in the place
 * of what it is not. */
static gboolean
write_tensor (AssayGpuEngine *self, guint index, guint at, GError **error)
{
  const AssayGpuDispatch *dispatch = &g_array_index (self->plan->dispatches, AssayGpuDispatch,
                                                     index);
  const AssayGpuTensor *tensor = &g_array_index (self->plan->tensors, AssayGpuTensor,
                                                 dispatch->tensors[at]);
  gboolean is_texture = tensor->space == ASSAY_GPU_TEXTURES;
  const VkDescriptorBufferInfo buffer = {
    self->blocks[tensor->space == ASSAY_GPU_WEIGHTS ? BLOCK_WEIGHTS
                 : is_texture                       ? BLOCK_EMPTY
                                                    : BLOCK_WORK]
        .buffer,
    is_texture ? 0 : tensor->base, is_texture ? ASSAY_GPU_ALIGNMENT : tensor->size
  };
  gboolean takes_texture = assay_gpu_shader_takes_texture (dispatch->shader, at);
  const VkDescriptorImageInfo image = {
    .imageView = !takes_texture ? VK_NULL_HANDLE
                 : is_texture
                     ? assay_gpu_textures_get_view (self->textures, dispatch->tensors[at])
                     : assay_gpu_textures_get_empty (
                           self->textures, assay_gpu_shader_names_halves (dispatch->shader)),
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
  };
  VkBufferView *view = &self->views[index * ASSAY_GPU_MAX_TENSORS + at];
  VkWriteDescriptorSet writes[3];
  guint n = 0;

  writes[n++] = (VkWriteDescriptorSet){
    .dstBinding = at + 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .pBufferInfo = &buffer,
  };
  if (takes_texture)
    writes[n++] = (VkWriteDescriptorSet){
      .dstBinding = ASSAY_GPU_MAX_TENSORS + 1 + at,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
      .pImageInfo = &image,
    };
  if (assay_gpu_shader_reads_vec4 (dispatch->shader, at))
    {
      if (!make_view (self, index, at, error))
        return FALSE;
      writes[n++] = (VkWriteDescriptorSet){
        .dstBinding = 2 * ASSAY_GPU_MAX_TENSORS + 1 + at,
        .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
        .pTexelBufferView = view,
      };
    }
  for (guint i = 0; i < n; i++)
    {
      writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      writes[i].dstSet = self->sets[index];
      writes[i].descriptorCount = 1;
    }
  self->device->vk.UpdateDescriptorSets (self->device->device, n, writes, 0, NULL);

  return TRUE;
}

static gboolean
make_sets (AssayGpuEngine *self, GError **error)
{
  AssayGpuDevice *device = self->device;
  guint n = self->plan->dispatches->len;
  VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 },
                                   { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1 },
                                   { VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1 } };
  VkDescriptorPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = MAX (n, 1),
    .poolSizeCount = G_N_ELEMENTS (sizes),
    .pPoolSizes = sizes,
  };

  for (guint i = 0; i < n; i++)
    {
      guint n_tensors = g_array_index (self->plan->dispatches, AssayGpuDispatch, i).n_tensors;

      sizes[0].descriptorCount += n_tensors + 1;
      sizes[1].descriptorCount += n_tensors;
      sizes[2].descriptorCount += n_tensors;
    }
  if (!assay_gpu_check (
          device->vk.CreateDescriptorPool (device->device, &info, NULL, &self->descriptor_pool),
          "descriptors", error))
    return FALSE;

  self->sets = g_new0 (VkDescriptorSet, n + 1);
  self->made = g_new0 (VkPipeline, n + 1);
  self->views = g_new0 (VkBufferView, n * ASSAY_GPU_MAX_TENSORS + 1);
  for (guint i = 0; i < n; i++)
    {
      const AssayGpuDispatch *dispatch = &g_array_index (self->plan->dispatches, AssayGpuDispatch,
                                                         i);
      const VkDescriptorSetAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = self->descriptor_pool,
        .descriptorSetCount = 1,
        .pSetLayouts = assay_gpu_pipelines_get_set (self->pipelines, dispatch->n_tensors),
      };
      const VkDescriptorBufferInfo words = { self->blocks[BLOCK_WORDS].buffer, 0, VK_WHOLE_SIZE };
      VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &words,
      };

      self->made[i] = assay_gpu_pipelines_make (self->pipelines, dispatch,
                                                views_of (self, dispatch), error);
      if (self->made[i] == VK_NULL_HANDLE ||
          !assay_gpu_check (
              device->vk.AllocateDescriptorSets (device->device, &allocation, &self->sets[i]),
              "descriptors", error))
        return FALSE;
      write.dstSet = self->sets[i];
      device->vk.UpdateDescriptorSets (device->device, 1, &write, 0, NULL);
      for (guint j = 0; j < dispatch->n_tensors; j++)
        if (!write_tensor (self, i, j, error))
          return FALSE;
    }

  return TRUE;
}

static void
barrier (AssayGpuEngine *self, VkCommandBuffer commands, VkPipelineStageFlags from,
         VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags used)
{
  const VkMemoryBarrier memory = { VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, written, used };

  self->device->vk.CmdPipelineBarrier (commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static void
record_copy (AssayGpuEngine *self, VkCommandBuffer commands, const AssayGpuCopy *copy, gboolean in)
{
  const AssayGpuTensor *tensor = &g_array_index (self->plan->tensors, AssayGpuTensor, copy->tensor);
  guint64 at = copy->shared - self->plan->space_bytes[ASSAY_GPU_WEIGHTS];
  const VkBufferCopy region = { in ? at : tensor->base, in ? tensor->base : at, tensor->size };
  VkBuffer staging = self->blocks[BLOCK_STAGING].buffer;
  VkBuffer work = self->blocks[BLOCK_WORK].buffer;

  self->device->vk.CmdCopyBuffer (commands, in ? staging : work, in ? work : staging, 1, &region);
}

/* Whether two tensors share memory; weights are only read. */
static gboolean
overlap (AssayGpuEngine *self, guint a, guint b)
{
  const AssayGpuTensor *x = &g_array_index (self->plan->tensors, AssayGpuTensor, a);
  const AssayGpuTensor *y = &g_array_index (self->plan->tensors, AssayGpuTensor, b);

  return x->space != ASSAY_GPU_WEIGHTS && x->space == y->space && x->base < y->base + y->size &&
         y->base < x->base + x->size;
}

/* Whether a dispatch touches what an earlier one writes, or writes what that one reads. The last
 * of its tensors is the one that a dispatch writes. */
static gboolean
depends (AssayGpuEngine *self, const AssayGpuDispatch *later, const AssayGpuDispatch *earlier)
{
  guint writes = later->tensors[later->n_tensors - 1];
  guint written = earlier->tensors[earlier->n_tensors - 1];

  for (guint i = 0; i < later->n_tensors; i++)
    if (overlap (self, later->tensors[i], written))
      return TRUE;
  for (guint i = 0; i < earlier->n_tensors; i++)
    if (overlap (self, writes, earlier->tensors[i]))
      return TRUE;

  return FALSE;
}

/* A barrier before a dispatch, if it depends on one since the last. */
static void
record_wait (AssayGpuEngine *self, VkCommandBuffer commands, guint index, Pending *pending)
{
  const AssayGpuDispatch *dispatches =
      (const AssayGpuDispatch *) (gpointer) self->plan->dispatches->data;
  /* What stands where a tensor is none is the same for all that take textures. */
  gboolean waits = pending->end - pending->first >= MOST_PENDING ||
                   (dispatches[index].textures != 0 && pending->end > pending->first);

  for (guint i = pending->first; i < pending->end && !waits; i++)
    waits = depends (self, &dispatches[index], &dispatches[i]);
  if (waits)
    {
      barrier (self, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
               VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
      pending->first = index;
    }
  pending->end = index + 1;
}

static void
record_dispatch (AssayGpuEngine *self, VkCommandBuffer commands, guint index)
{
  AssayGpuFunctions *vk = &self->device->vk;
  const AssayGpuDispatch *dispatch = &g_array_index (self->plan->dispatches, AssayGpuDispatch,
                                                     index);
  VkPipelineLayout layout = assay_gpu_pipelines_get_layout (self->pipelines, dispatch->n_tensors);
  const guint32 told[] = { dispatch->first_word, dispatch->first_shape };
  guint32 groups[2];
  guint last = dispatch->n_tensors - 1;

  if ((dispatch->textures >> last & 1) != 0)
    assay_gpu_textures_renew (self->textures, commands, dispatch->tensors[last]);
  vk->CmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->made[index]);
  vk->CmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                             &self->sets[index], 0, NULL);
  vk->CmdPushConstants (commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof told, told);
  divide_groups (self, dispatch, groups);
  vk->CmdDispatch (commands, groups[0], groups[1], 1);
}

/* The first stamp of a submission; one more stands behind each of its dispatches, so that what a
 * dispatch waits for counts as its own. */
static guint
first_stamp (AssayGpuEngine *self, const AssayGpuSubmission *part)
{
  return part->first_dispatch +
         (guint) (part - (const AssayGpuSubmission *) (gpointer) self->plan->submissions->data);
}

static void
record_stamp (AssayGpuEngine *self, VkCommandBuffer commands, guint index)
{
  if (self->queries != VK_NULL_HANDLE)
    self->device->vk.CmdWriteTimestamp (commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                        self->queries, index);
}

static gboolean
record (AssayGpuEngine *self, guint index, GError **error)
{
  AssayGpuFunctions *vk = &self->device->vk;
  const AssayGpuSubmission *part = &g_array_index (self->plan->submissions, AssayGpuSubmission,
                                                   index);
  const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  VkCommandBuffer commands = self->commands[index];
  guint stamp = first_stamp (self, part);
  Pending pending = { part->first_dispatch, part->first_dispatch };

  if (!assay_gpu_check (vk->BeginCommandBuffer (commands, &begin), "commands", error))
    return FALSE;
  if (self->queries != VK_NULL_HANDLE)
    vk->CmdResetQueryPool (commands, self->queries, stamp, part->n_dispatches + 1);
  /* What an earlier submission still reads or has written comes first. */
  barrier (self, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
           VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
           VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
           VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  if (self->textures != NULL)
    assay_gpu_textures_begin (self->textures, commands);
  for (guint i = 0; i < part->n_in; i++)
    record_copy (self, commands,
                 &g_array_index (self->plan->copies, AssayGpuCopy, part->first_in + i), TRUE);
  barrier (self, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
           VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT);
  record_stamp (self, commands, stamp);
  for (guint i = 0; i < part->n_dispatches; i++)
    {
      record_wait (self, commands, part->first_dispatch + i, &pending);
      record_dispatch (self, commands, part->first_dispatch + i);
      record_stamp (self, commands, stamp + i + 1);
    }
  if (part->n_out > 0)
    barrier (self, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
             VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  for (guint i = 0; i < part->n_out; i++)
    record_copy (self, commands,
                 &g_array_index (self->plan->copies, AssayGpuCopy, part->first_out + i), FALSE);
  barrier (self, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
           VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);

  return assay_gpu_check (vk->EndCommandBuffer (commands), "commands", error);
}

static gboolean
make_commands (AssayGpuEngine *self, GError **error)
{
  AssayGpuDevice *device = self->device;
  guint n = self->plan->submissions->len + 1;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = device->family,
  };
  const VkQueryPoolCreateInfo queries = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_TIMESTAMP,
    .queryCount = MAX (self->plan->dispatches->len + self->plan->submissions->len, 1),
  };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkCommandBufferAllocateInfo allocation = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = n,
  };

  if (!assay_gpu_check (
          device->vk.CreateCommandPool (device->device, &pool, NULL, &self->command_pool),
          "commands", error) ||
      !assay_gpu_check (device->vk.CreateFence (device->device, &fence, NULL, &self->fence),
                        "commands", error))
    return FALSE;
  if (device->timestamp_bits > 0 &&
      !assay_gpu_check (device->vk.CreateQueryPool (device->device, &queries, NULL, &self->queries),
                        "timestamps", error))
    return FALSE;
  self->commands = g_new0 (VkCommandBuffer, n);
  self->times = g_new0 (gint64, self->plan->dispatches->len + 1);
  allocation.commandPool = self->command_pool;

  return assay_gpu_check (
      device->vk.AllocateCommandBuffers (device->device, &allocation, self->commands), "commands",
      error);
}

static gboolean
submit (AssayGpuEngine *self, VkCommandBuffer commands, GError **error)
{
  AssayGpuDevice *device = self->device;
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
  };
  VkResult result = device->vk.ResetFences (device->device, 1, &self->fence);

  if (result == VK_SUCCESS)
    result = device->vk.QueueSubmit (device->queue, 1, &info, self->fence);
  /* Who has asked for it ends this process when it takes too long. */
  while (result == VK_SUCCESS &&
         (result = device->vk.WaitForFences (device->device, 1, &self->fence, VK_TRUE, WAIT)) ==
             VK_TIMEOUT)
    result = VK_SUCCESS;

  return assay_gpu_check (result, device->properties.deviceName, error);
}

/* Bytes that stay, through the memory for transfers. */
static gboolean
write_once (AssayGpuEngine *self, guint which, const guint8 *data, guint64 size, GError **error)
{
  AssayGpuFunctions *vk = &self->device->vk;
  VkCommandBuffer commands = self->commands[self->plan->submissions->len];
  const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

  for (guint64 at = 0; at < size;)
    {
      guint64 n = MIN (size - at, self->blocks[BLOCK_STAGING].size);
      const VkBufferCopy region = { 0, at, n };

      memcpy (self->blocks[BLOCK_STAGING].mapped, data + at, n);
      if (!assay_gpu_check (vk->BeginCommandBuffer (commands, &begin), "weights", error))
        return FALSE;
      vk->CmdCopyBuffer (commands, self->blocks[BLOCK_STAGING].buffer, self->blocks[which].buffer,
                         1, &region);
      barrier (self, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
      if (!assay_gpu_check (vk->EndCommandBuffer (commands), "weights", error) ||
          !submit (self, commands, error))
        return FALSE;
      at += n;
    }

  return TRUE;
}

static gboolean
make_all (AssayGpuEngine *self, GError **error)
{
  AssayGpuPlan *plan = self->plan;
  guint64 weights = plan->space_bytes[ASSAY_GPU_WEIGHTS];
  guint64 words = plan->words->len * sizeof (gint32);

  if (!check_limits (self, error) || !make_block (self, BLOCK_WEIGHTS, weights, FALSE, error) ||
      !make_block (self, BLOCK_WORK, plan->space_bytes[ASSAY_GPU_WORK], FALSE, error) ||
      !make_block (self, BLOCK_WORDS, words, FALSE, error) ||
      !make_block (self, BLOCK_EMPTY, ASSAY_GPU_ALIGNMENT, FALSE, error) ||
      !make_block (self, BLOCK_STAGING,
                   MAX (plan->shared_bytes - weights, MIN (MAX (weights, words), CHUNK)), TRUE,
                   error))
    return FALSE;
  if (plan->space_bytes[ASSAY_GPU_TEXTURES] > 0 &&
      (self->textures = assay_gpu_textures_new (self->device, plan, error)) == NULL)
    return FALSE;
  if (!make_sets (self, error) || !make_commands (self, error) ||
      !write_once (self, BLOCK_WEIGHTS, self->shared, weights, error) ||
      !write_once (self, BLOCK_WORDS, (const guint8 *) plan->words->data, words, error))
    return FALSE;
  for (guint i = 0; i < plan->submissions->len; i++)
    if (!record (self, i, error))
      return FALSE;

  return TRUE;
}

/**
 * assay_gpu_engine_new:
 * @pipelines: (transfer none): those of a device
 * @plan: (transfer full): a plan that was verified
 * @shared: what host and helper share, the weights first
 * @error: return location for a #GError
 *
 * Makes all that a plan needs on a device.
 *
 * Returns: (transfer full) (nullable): what runs the plan
 */
AssayGpuEngine *
assay_gpu_engine_new (AssayGpuPipelines *pipelines, AssayGpuPlan *plan, guint8 *shared,
                      GError **error)
{
  g_autoptr (AssayGpuEngine) self = g_new0 (AssayGpuEngine, 1);

  self->device = assay_gpu_pipelines_get_device (pipelines);
  self->pipelines = pipelines;
  self->plan = plan;
  self->shared = shared;

  return make_all (self, error) ? g_steal_pointer (&self) : NULL;
}

void
assay_gpu_engine_free (AssayGpuEngine *self)
{
  AssayGpuFunctions *vk = &self->device->vk;
  VkDevice device = self->device->device;

  vk->DestroyFence (device, self->fence, NULL);
  vk->DestroyQueryPool (device, self->queries, NULL);
  vk->DestroyCommandPool (device, self->command_pool, NULL);
  vk->DestroyDescriptorPool (device, self->descriptor_pool, NULL);
  for (guint i = 0; self->views != NULL && i < self->plan->dispatches->len * ASSAY_GPU_MAX_TENSORS;
       i++)
    vk->DestroyBufferView (device, self->views[i], NULL);
  for (guint i = 0; i < N_BLOCKS; i++)
    {
      vk->DestroyBuffer (device, self->blocks[i].buffer, NULL);
      vk->FreeMemory (device, self->blocks[i].memory, NULL);
    }
  assay_gpu_textures_free (self->textures);
  assay_gpu_plan_free (self->plan);
  g_free (self->sets);
  g_free (self->made);
  g_free (self->views);
  g_free (self->commands);
  g_free (self->times);
  g_free (self);
}

static void
move_shared (AssayGpuEngine *self, guint first, guint n, gboolean in)
{
  for (guint i = first; i < first + n; i++)
    {
      const AssayGpuCopy *copy = &g_array_index (self->plan->copies, AssayGpuCopy, i);
      guint64 size = g_array_index (self->plan->tensors, AssayGpuTensor, copy->tensor).size;
      guint8 *staging = self->blocks[BLOCK_STAGING].mapped + copy->shared -
                        self->plan->space_bytes[ASSAY_GPU_WEIGHTS];
      guint8 *shared = self->shared + copy->shared;

      memcpy (in ? staging : shared, in ? shared : staging, size);
    }
}

static gboolean
read_times (AssayGpuEngine *self, const AssayGpuSubmission *part, GError **error)
{
  AssayGpuDevice *device = self->device;
  guint n = part->n_dispatches + 1;
  g_autofree guint64 *stamps = g_new0 (guint64, n);
  guint64 mask = device->timestamp_bits >= 64
                     ? G_MAXUINT64
                     : (G_GUINT64_CONSTANT (1) << device->timestamp_bits) - 1;

  if (self->queries == VK_NULL_HANDLE)
    return TRUE;
  if (!assay_gpu_check (device->vk.GetQueryPoolResults (
                            device->device, self->queries, first_stamp (self, part), n,
                            n * sizeof *stamps, stamps, sizeof *stamps, VK_QUERY_RESULT_64_BIT),
                        "timestamps", error))
    return FALSE;
  for (guint i = 0; i < part->n_dispatches; i++)
    self->times[part->first_dispatch + i] =
        (gint64) ((double) ((stamps[i + 1] - stamps[i]) & mask) *
                  (double) device->properties.limits.timestampPeriod);

  return TRUE;
}

/**
 * assay_gpu_engine_run:
 * @self: what runs a plan
 * @submission: which part of it
 * @error: return location for a #GError
 *
 * Runs a part of an inference: takes what it reads from the shared memory, and leaves there what
 * it makes.
 *
 * Returns: whether it ran to its end
 */
gboolean
assay_gpu_engine_run (AssayGpuEngine *self, guint submission, GError **error)
{
  const AssayGpuSubmission *part;

  if (submission >= self->plan->submissions->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "there is no submission %u",
                   submission);
      return FALSE;
    }
  part = &g_array_index (self->plan->submissions, AssayGpuSubmission, submission);
  move_shared (self, part->first_in, part->n_in, TRUE);
  if (!submit (self, self->commands[submission], error) || !read_times (self, part, error))
    return FALSE;
  move_shared (self, part->first_out, part->n_out, FALSE);
  if (g_atomic_int_get (&self->device->n_messages) > 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "the validation layers said: %s",
                   self->device->message);
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_gpu_engine_get_times:
 * @self: what runs a plan
 * @submission: a part of it that has run
 * @n: (out): number of its dispatches
 *
 * Tells how long the device took for each dispatch; zeros where it does not say.
 *
 * Returns: (transfer none) (array length=n): nanoseconds
 */
const gint64 *
assay_gpu_engine_get_times (const AssayGpuEngine *self, guint submission, guint *n)
{
  const AssayGpuSubmission *part = &g_array_index (self->plan->submissions, AssayGpuSubmission,
                                                   submission);

  *n = part->n_dispatches;

  return self->times + part->first_dispatch;
}
