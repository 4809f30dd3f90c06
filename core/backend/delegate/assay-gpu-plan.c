/* assay-gpu-plan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The plan as data: what is handed to the process that owns the device. That process believes
 * nothing of it: every index, offset and size is looked at before it is used.
 */
#include "backend/delegate/assay-gpu-plan.h"

#include <string.h>

#include "backend/assay-gpu-digest.h"
#include "base/assay-error.h"

#define MAGIC "assay gpu plan 3\n"
#define DIGEST_SIZE 32
#define N_LISTS 5

/* More than any device has; sums of such numbers do not overflow. */
#define MOST_BYTES (G_GUINT64_CONSTANT (1) << 48)
#define MOST_ENTRIES (1u << 26)

typedef struct
{
  char magic[24];
  guint64 space_bytes[ASSAY_GPU_N_SPACES];
  guint64 shared_bytes;
  guint32 counts[N_LISTS];
  guint32 unused;
  char shaders[DIGEST_SIZE * 2]; /* what the shaders of who wrote it are made of */
} Header;

G_STATIC_ASSERT (sizeof ASSAY_GPU_SHADERS_DIGEST == sizeof ((Header *) NULL)->shaders + 1);

typedef struct
{
  const char *name;
  guint n_tensors;
  guint textures;
  guint vec4;
} ShaderRow;

static const ShaderRow shaders[] = {
/* clang-format off */
#define ASSAY_GPU_SHADER(id, name, n_tensors, textures, vec4) { name, n_tensors, textures, vec4 },
#include "backend/delegate/gpu-shaders.def"
#undef ASSAY_GPU_SHADER
  /* clang-format on */
};

/**
 * assay_gpu_shader_name:
 * @shader: a shader
 *
 * Names a shader as its file is named.
 *
 * Returns: the name
 */
const char *
assay_gpu_shader_name (AssayGpuShader shader)
{
  return shaders[shader].name;
}

/**
 * assay_gpu_shader_n_tensors:
 * @shader: a shader
 *
 * Tells how many tensors a shader is given.
 *
 * Returns: the number
 */
guint
assay_gpu_shader_n_tensors (AssayGpuShader shader)
{
  return shaders[shader].n_tensors;
}

/**
 * assay_gpu_shader_takes_texture:
 * @shader: a shader
 * @tensor: number of a tensor that it is given
 *
 * Tells whether a tensor of a shader may be a texture.
 *
 * Returns: whether it may
 */
gboolean
assay_gpu_shader_takes_texture (AssayGpuShader shader, guint tensor)
{
  return (shaders[shader].textures >> tensor & 1) != 0;
}

/**
 * assay_gpu_shader_reads_vec4:
 * @shader: a shader
 * @tensor: number of a tensor that it is given
 *
 * Tells whether a shader reads a tensor four elements at a time, and so in a view of a buffer.
 *
 * Returns: whether it does
 */
gboolean
assay_gpu_shader_reads_vec4 (AssayGpuShader shader, guint tensor)
{
  return (shaders[shader].vec4 >> tensor & 1) != 0;
}

/**
 * assay_gpu_shader_names_halves:
 * @shader: a shader
 *
 * Tells whether a shader takes or makes elements of 16 bits, for which a device has to have them.
 *
 * Returns: whether it does
 */
gboolean
assay_gpu_shader_names_halves (AssayGpuShader shader)
{
  return strstr (shaders[shader].name, "f16") != NULL;
}

/**
 * assay_gpu_shader_with_textures:
 * @shader: a shader
 *
 * Finds the shader that does the same with tensors in textures.
 *
 * Returns: that shader, or @shader if there is none
 */
AssayGpuShader
assay_gpu_shader_with_textures (AssayGpuShader shader)
{
  gboolean has_other = shaders[shader].textures == 0 && shader + 1 < ASSAY_GPU_N_SHADERS &&
                       shaders[shader + 1].textures != 0;

  return has_other ? shader + 1 : shader;
}

/**
 * assay_gpu_plan_new:
 *
 * Makes a plan without anything to do.
 *
 * Returns: (transfer full): the plan
 */
AssayGpuPlan *
assay_gpu_plan_new (void)
{
  AssayGpuPlan *self = g_new0 (AssayGpuPlan, 1);

  self->tensors = g_array_new (FALSE, TRUE, sizeof (AssayGpuTensor));
  self->dispatches = g_array_new (FALSE, TRUE, sizeof (AssayGpuDispatch));
  self->copies = g_array_new (FALSE, TRUE, sizeof (AssayGpuCopy));
  self->submissions = g_array_new (FALSE, TRUE, sizeof (AssayGpuSubmission));
  self->words = g_array_new (FALSE, TRUE, sizeof (gint32));

  return self;
}

void
assay_gpu_plan_free (AssayGpuPlan *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->tensors);
  g_array_unref (self->dispatches);
  g_array_unref (self->copies);
  g_array_unref (self->submissions);
  g_array_unref (self->words);
  g_free (self);
}

static void
list_arrays (const AssayGpuPlan *self, GArray *lists[N_LISTS])
{
  lists[0] = self->tensors;
  lists[1] = self->dispatches;
  lists[2] = self->copies;
  lists[3] = self->submissions;
  lists[4] = self->words;
}

static void
digest (const guint8 *data, gsize size, guint8 result[DIGEST_SIZE])
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length = DIGEST_SIZE;

  g_checksum_update (sum, data, (gssize) size);
  g_checksum_get_digest (sum, result, &length);
}

/**
 * assay_gpu_plan_to_bytes:
 * @self: a plan
 *
 * Writes a plan for another process of this computer, its digest behind it.
 *
 * Returns: (transfer full): the bytes
 */
GBytes *
assay_gpu_plan_to_bytes (const AssayGpuPlan *self)
{
  GByteArray *bytes = g_byte_array_new ();
  GArray *lists[N_LISTS];
  guint8 sum[DIGEST_SIZE];
  Header header = { .magic = MAGIC, .shared_bytes = self->shared_bytes };

  memcpy (header.space_bytes, self->space_bytes, sizeof header.space_bytes);
  memcpy (header.shaders, ASSAY_GPU_SHADERS_DIGEST, sizeof header.shaders);
  list_arrays (self, lists);
  for (guint i = 0; i < N_LISTS; i++)
    header.counts[i] = lists[i]->len;
  g_byte_array_append (bytes, (const guint8 *) &header, sizeof header);
  for (guint i = 0; i < N_LISTS; i++)
    g_byte_array_append (bytes, (const guint8 *) lists[i]->data,
                         lists[i]->len * g_array_get_element_size (lists[i]));
  digest (bytes->data, bytes->len, sum);
  g_byte_array_append (bytes, sum, sizeof sum);

  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
refuse (GError **error, const char *what)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, "plan for a graphics processor: %s", what);
  return FALSE;
}

static gboolean
holds (guint64 base, guint64 size, guint64 total)
{
  return base <= total && size <= total - base;
}

static gboolean
holds_entries (guint32 first, guint32 n, const GArray *list)
{
  return first <= list->len && n <= list->len - first;
}

/* What is a texture has to be said to be one, with its extents, to a shader that takes it. */
static gboolean
verify_textures (const AssayGpuPlan *self, const AssayGpuDispatch *dispatch, GError **error)
{
  guint32 textures = 0;

  for (guint i = 0; i < dispatch->n_tensors; i++)
    if (g_array_index (self->tensors, AssayGpuTensor, dispatch->tensors[i]).space ==
        ASSAY_GPU_TEXTURES)
      textures |= 1u << i;
  if (textures != dispatch->textures || (textures & ~shaders[dispatch->shader].textures) != 0)
    return refuse (error, "a texture in the place of a buffer");
  if (textures == 0)
    return TRUE;
  if (!holds_entries (dispatch->first_shape, 2 * dispatch->n_tensors, self->words))
    return refuse (error, "a texture without its extents");
  for (guint i = 0; i < 2 * dispatch->n_tensors; i++)
    if (g_array_index (self->words, gint32, dispatch->first_shape + i) < 1)
      return refuse (error, "a texture without its extents");

  return TRUE;
}

static gboolean
verify_tensor (const AssayGpuPlan *self, const AssayGpuTensor *tensor)
{
  guint64 texels = 1;

  if (tensor->space >= ASSAY_GPU_N_SPACES || tensor->size == 0 || tensor->size % 4 != 0 ||
      tensor->base % ASSAY_GPU_ALIGNMENT != 0 ||
      !holds (tensor->base, tensor->size, self->space_bytes[tensor->space]))
    return FALSE;
  if (tensor->space != ASSAY_GPU_TEXTURES)
    return TRUE;
  for (guint i = 0; i < 3; i++)
    {
      if (tensor->extents[i] < 1 || tensor->extents[i] > ASSAY_GPU_MOST_TEXELS)
        return FALSE;
      texels *= tensor->extents[i];
    }

  return tensor->size == texels * (tensor->is_half ? 8 : 16);
}

static gboolean
verify_dispatch (const AssayGpuPlan *self, const AssayGpuDispatch *dispatch, GError **error)
{
  if (dispatch->shader >= ASSAY_GPU_N_SHADERS)
    return refuse (error, "a shader that there is not");
  if (dispatch->n_tensors != shaders[dispatch->shader].n_tensors)
    return refuse (error, "a shader is given another number of tensors");
  for (guint i = 0; i < dispatch->n_tensors; i++)
    if (dispatch->tensors[i] >= self->tensors->len)
      return refuse (error, "a tensor that there is not");
  if (g_array_index (self->tensors, AssayGpuTensor, dispatch->tensors[dispatch->n_tensors - 1])
          .space == ASSAY_GPU_WEIGHTS)
    return refuse (error, "a dispatch that writes over weights");
  if (!holds_entries (dispatch->first_word, dispatch->n_words, self->words) ||
      dispatch->n_words == 0)
    return refuse (error, "a dispatch without its words");
  if (dispatch->count == 0 || dispatch->count > G_MAXINT32 ||
      g_array_index (self->words, gint32, dispatch->first_word) != (gint32) dispatch->count)
    return refuse (error, "a dispatch that does not know its size");

  if (shaders[dispatch->shader].vec4 != 0 &&
      ((dispatch->op & 15u) == 0 || ASSAY_GPU_LINE_REACH (dispatch->op) > ASSAY_GPU_MOST_REACH))
    return refuse (error, "a shader that reads more of a line than it has room for");

  return verify_textures (self, dispatch, error);
}

/**
 * assay_gpu_plan_verify:
 * @self: a plan that somebody else has made
 * @error: return location for a #GError
 *
 * Looks at every index, offset and size.
 *
 * Returns: whether nothing in it reaches outside
 */
gboolean
assay_gpu_plan_verify (const AssayGpuPlan *self, GError **error)
{
  for (guint i = 0; i < ASSAY_GPU_N_SPACES; i++)
    if (self->space_bytes[i] > MOST_BYTES)
      return refuse (error, "more memory than there can be");
  if (self->shared_bytes > MOST_BYTES || self->space_bytes[ASSAY_GPU_WEIGHTS] > self->shared_bytes)
    return refuse (error, "weights that are not in shared memory");

  for (guint i = 0; i < self->tensors->len; i++)
    if (!verify_tensor (self, &g_array_index (self->tensors, AssayGpuTensor, i)))
      return refuse (error, "a tensor outside of its memory");
  for (guint i = 0; i < self->copies->len; i++)
    {
      const AssayGpuCopy *copy = &g_array_index (self->copies, AssayGpuCopy, i);

      if (copy->tensor >= self->tensors->len || copy->shared % 4 != 0 ||
          g_array_index (self->tensors, AssayGpuTensor, copy->tensor).space != ASSAY_GPU_WORK ||
          !holds (copy->shared, g_array_index (self->tensors, AssayGpuTensor, copy->tensor).size,
                  self->shared_bytes))
        return refuse (error, "a copy outside of shared memory");
    }
  for (guint i = 0; i < self->dispatches->len; i++)
    if (!verify_dispatch (self, &g_array_index (self->dispatches, AssayGpuDispatch, i), error))
      return FALSE;
  for (guint i = 0; i < self->submissions->len; i++)
    {
      const AssayGpuSubmission *part = &g_array_index (self->submissions, AssayGpuSubmission, i);

      if (!holds_entries (part->first_in, part->n_in, self->copies) ||
          !holds_entries (part->first_out, part->n_out, self->copies) ||
          !holds_entries (part->first_dispatch, part->n_dispatches, self->dispatches))
        return refuse (error, "a submission of what there is not");
    }

  return TRUE;
}

/**
 * assay_gpu_plan_from_bytes:
 * @bytes: what another process has sent
 * @error: return location for a #GError
 *
 * Reads a plan, and verifies all of it.
 *
 * Returns: (transfer full) (nullable): the plan, or %NULL with %ASSAY_ERROR_LOAD
 */
AssayGpuPlan *
assay_gpu_plan_from_bytes (GBytes *bytes, GError **error)
{
  g_autoptr (AssayGpuPlan) self = assay_gpu_plan_new ();
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  GArray *lists[N_LISTS];
  guint8 sum[DIGEST_SIZE];
  gsize at = sizeof (Header);
  const Header begin = { .magic = MAGIC };
  Header header;

  if (size < sizeof header + DIGEST_SIZE)
    return refuse (error, "cut short"), NULL;
  memcpy (&header, data, sizeof header);
  if (memcmp (header.magic, begin.magic, sizeof header.magic) != 0 || header.unused != 0)
    return refuse (error, "of another kind"), NULL;
  size -= DIGEST_SIZE;
  digest (data, size, sum);
  if (memcmp (sum, data + size, sizeof sum) != 0)
    return refuse (error, "its digest is another"), NULL;

  /* Numbers of shaders, and what they are told, mean something else in another build. */
  if (memcmp (header.shaders, ASSAY_GPU_SHADERS_DIGEST, sizeof header.shaders) != 0)
    return refuse (error, "made for other shaders: assay and assay-gpu come from different builds"),
           NULL;

  memcpy (self->space_bytes, header.space_bytes, sizeof header.space_bytes);
  self->shared_bytes = header.shared_bytes;
  list_arrays (self, lists);
  for (guint i = 0; i < N_LISTS; i++)
    {
      gsize length = (gsize) header.counts[i] * g_array_get_element_size (lists[i]);

      if (header.counts[i] > MOST_ENTRIES || length > size - at)
        return refuse (error, "a list that does not end"), NULL;
      g_array_append_vals (lists[i], data + at, header.counts[i]);
      at += length;
    }
  if (at != size)
    return refuse (error, "longer than its lists"), NULL;

  return assay_gpu_plan_verify (self, error) ? g_steal_pointer (&self) : NULL;
}
