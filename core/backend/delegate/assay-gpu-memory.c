/* assay-gpu-memory.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/delegate/assay-gpu-memory.h"

/* A place that tensors take one after the other. */
typedef struct
{
  guint64 size;
  guint32 space;
  GArray *lives;
} Object;

static void
object_clear (gpointer data)
{
  g_array_unref (((Object *) data)->lives);
}

static gint
compare_sizes (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *tensors = data;
  const AssayGpuLife *left = a;
  const AssayGpuLife *right = b;
  guint64 sizes[] = { g_array_index (tensors, AssayGpuTensor, left->tensor).size,
                      g_array_index (tensors, AssayGpuTensor, right->tensor).size };

  if (sizes[0] != sizes[1])
    return sizes[0] > sizes[1] ? -1 : 1;

  return left->tensor < right->tensor ? -1 : left->tensor > right->tensor;
}

static gboolean
has_room (const Object *object, const AssayGpuLife *life)
{
  for (guint i = 0; i < object->lives->len; i++)
    {
      const AssayGpuLife *other = &g_array_index (object->lives, AssayGpuLife, i);

      if (life->born <= other->died && other->born <= life->died)
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_gpu_memory_plan:
 * @plan: a plan whose working tensors have no place yet
 * @lives: (element-type AssayGpuLife): when each of them has to be there
 *
 * Gives every working tensor its place. The largest come first, and each goes into the first object
 * that is free for as long as it lives; what finds none gets an object of its own. Objects do not
 * overlap, so that what a device can share is known before anything runs.
 */
void
assay_gpu_memory_plan (AssayGpuPlan *plan, GArray *lives)
{
  g_autoptr (GArray) objects = g_array_new (FALSE, TRUE, sizeof (Object));

  g_array_set_clear_func (objects, object_clear);
  g_array_sort_with_data (lives, compare_sizes, plan->tensors);
  for (guint i = 0; i < lives->len; i++)
    {
      const AssayGpuLife *life = &g_array_index (lives, AssayGpuLife, i);
      AssayGpuTensor *tensor = &g_array_index (plan->tensors, AssayGpuTensor, life->tensor);
      guint at = 0;

      while (at < objects->len && (g_array_index (objects, Object, at).space != tensor->space ||
                                   !has_room (&g_array_index (objects, Object, at), life)))
        at++;
      if (at == objects->len)
        {
          const Object object = { tensor->size, tensor->space,
                                  g_array_new (FALSE, FALSE, sizeof (AssayGpuLife)) };

          g_array_append_val (objects, object);
        }
      tensor->object = at;
      g_array_append_val (g_array_index (objects, Object, at).lives, *life);
    }

  for (guint i = 0; i < objects->len; i++)
    {
      const Object *object = &g_array_index (objects, Object, i);
      guint64 *end = &plan->space_bytes[object->space];

      for (guint j = 0; j < object->lives->len; j++)
        g_array_index (plan->tensors, AssayGpuTensor,
                       g_array_index (object->lives, AssayGpuLife, j).tensor)
            .base = *end;
      *end += (object->size + ASSAY_GPU_ALIGNMENT - 1) / ASSAY_GPU_ALIGNMENT * ASSAY_GPU_ALIGNMENT;
    }
}
