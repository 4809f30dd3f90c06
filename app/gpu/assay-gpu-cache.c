/* assay-gpu-cache.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compiled pipelines in a file, named after the driver, the device and the shaders. A file of
 * another driver is not found; one that was changed since is not believed.
 */
#include "assay-gpu-cache.h"

#include <string.h>

#include "base/assay-file-read.h"
#include "base/assay-file-write.h"

#define DIGEST_SIZE 32
#define LARGEST ((gsize) 256 << 20)

static char *
path_of (AssayGpuDevice *device, const char *folder, const char *digest)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *name = NULL;

  g_checksum_update (sum, device->id.driverUUID, VK_UUID_SIZE);
  g_checksum_update (sum, device->id.deviceUUID, VK_UUID_SIZE);
  g_checksum_update (sum, device->properties.pipelineCacheUUID, VK_UUID_SIZE);
  g_checksum_update (sum, (const guchar *) &device->properties.driverVersion,
                     sizeof device->properties.driverVersion);
  g_checksum_update (sum, (const guchar *) digest, -1);
  name = g_strdup_printf ("pipelines-%.32s", g_checksum_get_string (sum));

  return g_build_filename (folder, name, NULL);
}

static void
digest_of (gconstpointer data, gsize size, guint8 digest[DIGEST_SIZE])
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length = DIGEST_SIZE;

  g_checksum_update (sum, data, (gssize) size);
  g_checksum_get_digest (sum, digest, &length);
}

/**
 * assay_gpu_cache_open:
 * @device: a device
 * @folder: where files are kept
 * @digest: of the shaders
 *
 * Makes a cache of pipelines with what was kept, if that is whole.
 *
 * Returns: the cache, or %VK_NULL_HANDLE: it works without one as well
 */
VkPipelineCache
assay_gpu_cache_open (AssayGpuDevice *device, const char *folder, const char *digest)
{
  g_autofree char *path = path_of (device, folder, digest);
  g_autofree char *data = NULL;
  guint8 sum[DIGEST_SIZE];
  VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };
  VkPipelineCache cache = VK_NULL_HANDLE;
  gsize size = 0;

  if (assay_file_read (path, LARGEST, &data, &size, NULL) && size > DIGEST_SIZE)
    {
      digest_of (data + DIGEST_SIZE, size - DIGEST_SIZE, sum);
      if (memcmp (sum, data, DIGEST_SIZE) == 0)
        {
          info.initialDataSize = size - DIGEST_SIZE;
          info.pInitialData = data + DIGEST_SIZE;
        }
    }
  device->vk.CreatePipelineCache (device->device, &info, NULL, &cache);

  return cache;
}

/**
 * assay_gpu_cache_keep:
 * @device: a device
 * @folder: where files are kept
 * @digest: of the shaders
 * @cache: the cache
 *
 * Keeps what is in a cache.
 */
void
assay_gpu_cache_keep (AssayGpuDevice *device, const char *folder, const char *digest,
                      VkPipelineCache cache)
{
  g_autofree char *path = path_of (device, folder, digest);
  g_autofree char *data = NULL;
  size_t size = 0;

  if (cache == VK_NULL_HANDLE)
    return;
  if (device->vk.GetPipelineCacheData (device->device, cache, &size, NULL) == VK_SUCCESS &&
      size > 0)
    {
      data = g_malloc (size + DIGEST_SIZE);
      if (device->vk.GetPipelineCacheData (device->device, cache, &size, data + DIGEST_SIZE) ==
          VK_SUCCESS)
        {
          digest_of (data + DIGEST_SIZE, size, (guint8 *) data);
          (void) !assay_file_write (path, data, size + DIGEST_SIZE, NULL);
        }
    }
}
