/* assay-gpu-pipelines.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-gpu-pipelines.h"

#include <gio/gio.h>

#include "assay-gpu-cache.h"

struct _AssayGpuPipelines
{
  AssayGpuDevice *device;
  char *folder;
  char *digest;
  VkPipelineCache cache;
  VkDescriptorSetLayout sets[ASSAY_GPU_MAX_TENSORS + 1];
  VkPipelineLayout layouts[ASSAY_GPU_MAX_TENSORS + 1];
  VkShaderModule modules[ASSAY_GPU_N_SHADERS];
  GHashTable *made;    /* shader and what it is specialised for to pipeline */
  gboolean is_changed; /* whether there are some that the file has not */
};

static GBytes *
load_shader (AssayGpuShader shader, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/org/assay/gpu/%s.spv", assay_gpu_shader_name (shader));

  return g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
}

/* What the pipelines of a file were made of. */
static char *
digest_shaders (GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < ASSAY_GPU_N_SHADERS; i++)
    {
      g_autoptr (GBytes) bytes = load_shader (i, error);
      gsize size;
      const guchar *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

      if (data == NULL)
        return NULL;
      g_checksum_update (sum, data, (gssize) size);
    }

  return g_strdup (g_checksum_get_string (sum));
}

static gboolean
make_layouts (AssayGpuPipelines *self, GError **error)
{
  AssayGpuDevice *device = self->device;
  const VkPushConstantRange push = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 2 * sizeof (guint32) };
  VkDescriptorSetLayoutBinding bindings[3 * ASSAY_GPU_MAX_TENSORS + 1] = { 0 };

  for (guint i = 0; i <= ASSAY_GPU_MAX_TENSORS; i++)
    {
      const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 3 * i + 1,
        .pBindings = bindings,
      };
      const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &self->sets[i],
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
      };

      /* The words, then each tensor as a buffer, as a texture and as vec4. */
      if (i == 0)
        bindings[0] = (VkDescriptorSetLayoutBinding){ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                      VK_SHADER_STAGE_COMPUTE_BIT, NULL };
      else
        {
          bindings[3 * i - 2] = (VkDescriptorSetLayoutBinding){
            i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL
          };
          bindings[3 * i - 1] = (VkDescriptorSetLayoutBinding){ ASSAY_GPU_MAX_TENSORS + i,
                                                                VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1,
                                                                VK_SHADER_STAGE_COMPUTE_BIT, NULL };
          bindings[3 * i] = (VkDescriptorSetLayoutBinding){ 2 * ASSAY_GPU_MAX_TENSORS + i,
                                                            VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                                            1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
        }
      if (!assay_gpu_check (
              device->vk.CreateDescriptorSetLayout (device->device, &set, NULL, &self->sets[i]),
              "layouts", error) ||
          !assay_gpu_check (
              device->vk.CreatePipelineLayout (device->device, &layout, NULL, &self->layouts[i]),
              "layouts", error))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_gpu_pipelines_new:
 * @device: (transfer none): a device
 * @folder: where pipelines are kept
 * @error: return location for a #GError
 *
 * Makes the layouts of all shaders, and takes what was kept for this device.
 *
 * Returns: (transfer full) (nullable): no pipeline so far
 */
AssayGpuPipelines *
assay_gpu_pipelines_new (AssayGpuDevice *device, const char *folder, GError **error)
{
  g_autoptr (AssayGpuPipelines) self = g_new0 (AssayGpuPipelines, 1);

  self->device = device;
  self->folder = g_strdup (folder);
  self->made = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->digest = digest_shaders (error);
  if (self->digest == NULL)
    return NULL;
  self->cache = assay_gpu_cache_open (device, folder, self->digest);

  return make_layouts (self, error) ? g_steal_pointer (&self) : NULL;
}

void
assay_gpu_pipelines_free (AssayGpuPipelines *self)
{
  AssayGpuFunctions *vk;
  VkDevice device;
  GHashTableIter iter;
  gpointer pipeline;

  if (self == NULL)
    return;

  vk = &self->device->vk;
  device = self->device->device;
  assay_gpu_pipelines_keep (self);
  vk->DestroyPipelineCache (device, self->cache, NULL);
  g_hash_table_iter_init (&iter, self->made);
  while (g_hash_table_iter_next (&iter, NULL, &pipeline))
    vk->DestroyPipeline (device, pipeline, NULL);
  for (guint i = 0; i < ASSAY_GPU_N_SHADERS; i++)
    vk->DestroyShaderModule (device, self->modules[i], NULL);
  for (guint i = 0; i <= ASSAY_GPU_MAX_TENSORS; i++)
    {
      vk->DestroyPipelineLayout (device, self->layouts[i], NULL);
      vk->DestroyDescriptorSetLayout (device, self->sets[i], NULL);
    }
  g_hash_table_unref (self->made);
  g_free (self->digest);
  g_free (self->folder);
  g_free (self);
}

/**
 * assay_gpu_pipelines_get_device:
 * @self: pipelines
 *
 * Gets what they are for.
 *
 * Returns: (transfer none): the device
 */
AssayGpuDevice *
assay_gpu_pipelines_get_device (AssayGpuPipelines *self)
{
  return self->device;
}

/**
 * assay_gpu_pipelines_get_set:
 * @self: pipelines
 * @n_tensors: how many tensors a shader has, at most %ASSAY_GPU_MAX_TENSORS
 *
 * Gets what its descriptor sets look like.
 *
 * Returns: (transfer none): the layout
 */
const VkDescriptorSetLayout *
assay_gpu_pipelines_get_set (AssayGpuPipelines *self, guint n_tensors)
{
  return &self->sets[n_tensors];
}

/**
 * assay_gpu_pipelines_get_layout:
 * @self: pipelines
 * @n_tensors: how many tensors a shader has, at most %ASSAY_GPU_MAX_TENSORS
 *
 * Gets what its pipelines are given.
 *
 * Returns: (transfer none): the layout
 */
VkPipelineLayout
assay_gpu_pipelines_get_layout (AssayGpuPipelines *self, guint n_tensors)
{
  return self->layouts[n_tensors];
}

static gboolean
make_module (AssayGpuPipelines *self, AssayGpuShader shader, GError **error)
{
  VkShaderModuleCreateInfo code = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO };
  g_autoptr (GBytes) bytes = NULL;

  if (self->modules[shader] != VK_NULL_HANDLE)
    return TRUE;
  bytes = load_shader (shader, error);
  if (bytes == NULL)
    return FALSE;
  code.pCode = g_bytes_get_data (bytes, &code.codeSize);

  return assay_gpu_check (self->device->vk.CreateShaderModule (self->device->device, &code, NULL,
                                                               &self->modules[shader]),
                          assay_gpu_shader_name (shader), error);
}

/**
 * assay_gpu_pipelines_make:
 * @self: pipelines
 * @dispatch: what is to run
 * @views: which of its tensors are read through views, a bit for each
 * @error: return location for a #GError
 *
 * Has the device compile a shader for a dispatch, or finds it compiled.
 *
 * Returns: (transfer none) (nullable): the pipeline
 */
VkPipeline
assay_gpu_pipelines_make (AssayGpuPipelines *self, const AssayGpuDispatch *dispatch, guint views,
                          GError **error)
{
  const guint32 values[] = { dispatch->op, dispatch->textures, views };
  const VkSpecializationMapEntry entries[] = { { 0, 0, sizeof *values },
                                               { 1, sizeof *values, sizeof *values },
                                               { 2, 2 * sizeof *values, sizeof *values } };
  const VkSpecializationInfo special = { G_N_ELEMENTS (entries), entries, sizeof values, values };
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main",
               .pSpecializationInfo = &special },
    .layout = self->layouts[dispatch->n_tensors],
  };
  const guint64 key = (guint64) views << 60 | (guint64) dispatch->textures << 56 |
                      (guint64) dispatch->shader << 32 | dispatch->op;
  VkPipeline pipeline = g_hash_table_lookup (self->made, &key);

  if (pipeline != VK_NULL_HANDLE)
    return pipeline;
  if (!make_module (self, dispatch->shader, error))
    return VK_NULL_HANDLE;
  info.stage.module = self->modules[dispatch->shader];
  if (!assay_gpu_check (self->device->vk.CreateComputePipelines (self->device->device, self->cache,
                                                                 1, &info, NULL, &pipeline),
                        assay_gpu_shader_name (dispatch->shader), error))
    return VK_NULL_HANDLE;
  g_hash_table_insert (self->made, g_memdup2 (&key, sizeof key), pipeline);
  self->is_changed = TRUE;

  return pipeline;
}

/**
 * assay_gpu_pipelines_keep:
 * @self: pipelines
 *
 * Writes the file, if there are some that were not there before: whoever ends this process later
 * takes nothing along.
 */
void
assay_gpu_pipelines_keep (AssayGpuPipelines *self)
{
  if (self->is_changed)
    assay_gpu_cache_keep (self->device, self->folder, self->digest, self->cache);
  self->is_changed = FALSE;
}
