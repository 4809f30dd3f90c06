/* assay-kernel-control.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "evaluate/assay-kernel.h"
#include "base/assay-sentence.h"
#include "nnir/shape/assay-infer.h"

/* A number of turns that is larger stands for none: nobody waits for so many. */
#define MOST_COUNTED ((gint64) 1 << 40)

static gboolean
read_condition (AssayKernel *self, AssayDatum *datum, gboolean *condition, GError **error)
{
  if (datum->kind != ASSAY_DATUM_TENSOR || datum->storage != ASSAY_DTYPE_BOOL || datum->n != 1)
    return assay_kernel_fail (self, error, "the condition is not one boolean");

  *condition = *(const guint8 *) datum->data != 0;

  return TRUE;
}

gboolean
assay_kernel_op_if (AssayKernel *self, GError **error)
{
  AssayRegionId branch = ASSAY_MAIN_REGION;
  gboolean condition = FALSE;

  return read_condition (self, self->inputs[0], &condition, error) &&
         assay_kernel_find_region (self, condition ? "then_branch" : "else_branch", 0,
                                   self->n_outputs, &branch, error) &&
         assay_kernel_run_region (self, branch, 0, NULL, self->n_outputs, self->outputs, error);
}

static AssayDatum *
new_scalar (AssayDType dtype, gconstpointer value, GError **error)
{
  AssayDatum *datum = assay_datum_new (dtype, dtype, 0, NULL, error);

  if (datum != NULL)
    memcpy (datum->data, value, assay_storage_size (dtype));

  return datum;
}

static void
copy_elements (AssayDType storage, gconstpointer from, gpointer to, gsize n)
{
  memcpy (to, from, n * assay_storage_size (storage));
  for (gsize i = 0; storage == ASSAY_DTYPE_STRING && i < n; i++)
    g_bytes_ref (((GBytes **) to)[i]);
}

/* What the turns of a loop have made, one behind the other along a new axis; of no turn at all
 * there is the type of the graph only. */
static AssayDatum *
stack (AssayKernel *self, GPtrArray *slices, gint64 axis, AssayRegionId body, guint output,
       GError **error)
{
  AssayDatum *like = slices->len > 0 ? g_ptr_array_index (slices, 0) : NULL;
  AssayValueId value = g_array_index (assay_graph_region (self->graph, body)->outputs, AssayValueId,
                                      output);
  const AssayType *type = assay_graph_value (self->graph, value)->type;
  gint64 dims[ASSAY_MAX_RANK] = { 0 };
  guint rank = like != NULL ? like->rank : (guint) MAX (type->rank, 0), at;
  AssayDType dtype = like != NULL ? like->dtype : type->dtype;
  AssayDatum *stacked;
  gsize size, outer = 1, inner = 1;

  if (rank + 1 > ASSAY_MAX_RANK || dtype == ASSAY_DTYPE_UNDEFINED)
    {
      assay_kernel_fail (self, error, "output %u of the body has no type to stack", output);
      return NULL;
    }
  if (!assay_kernel_axis (self, axis, rank + 1, &at, error))
    return NULL;

  for (guint i = 0; i < rank; i++)
    {
      gint64 dim = like != NULL ? like->dims[i] : MAX (type->dims[i].size, 0);

      dims[i < at ? i : i + 1] = dim;
      *(i < at ? &outer : &inner) *= (gsize) dim;
    }
  dims[at] = slices->len;

  stacked = assay_kernel_tensor (self, dtype, assay_datum_storage (dtype, self->wide), rank + 1,
                                 dims, error);
  if (stacked == NULL || slices->len == 0)
    return stacked;

  size = assay_storage_size (stacked->storage);
  for (guint i = 0; i < slices->len; i++)
    {
      AssayDatum *slice = g_ptr_array_index (slices, i);

      if (slice->kind != ASSAY_DATUM_TENSOR || slice->dtype != dtype || slice->rank != rank ||
          (rank > 0 && memcmp (slice->dims, like->dims, rank * sizeof *dims) != 0))
        {
          assay_kernel_fail (
              self, error, "output %u of the body has another type or shape in turn %u than before",
              output, i);
          assay_datum_unref (stacked);
          return NULL;
        }
      for (gsize j = 0; j < outer; j++)
        copy_elements (stacked->storage, (const char *) slice->data + j * inner * size,
                       (char *) stacked->data + (j * slices->len + i) * inner * size, inner);
    }

  return stacked;
}

/* The values that go around in a loop, and what each turn adds to the stacks. */
typedef struct
{
  AssayRegionId body;
  guint n_carried;
  guint first_carried; /* among the outputs of the body */
  guint n_stacks;
  GPtrArray *carried;
  GPtrArray **stacks;
} Turns;

static void
turns_init (Turns *self, AssayRegionId body, guint first_carried, guint n_carried,
            AssayDatum **carried, guint n_stacks)
{
  self->body = body;
  self->n_carried = n_carried;
  self->first_carried = first_carried;
  self->n_stacks = n_stacks;
  self->carried = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  self->stacks = g_new (GPtrArray *, n_stacks + 1);
  for (guint i = 0; i < n_carried; i++)
    g_ptr_array_add (self->carried, carried[i] != NULL ? assay_datum_ref (carried[i]) : NULL);
  for (guint i = 0; i < n_stacks; i++)
    self->stacks[i] = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
}

static void
turns_clear (Turns *self)
{
  g_ptr_array_unref (self->carried);
  for (guint i = 0; i < self->n_stacks; i++)
    g_ptr_array_unref (self->stacks[i]);
  g_free (self->stacks);
}

/* Takes over the outputs of one turn behind those in front of the carried ones. */
static void
turns_take (Turns *self, AssayDatum **outputs)
{
  for (guint i = 0; i < self->n_carried; i++)
    {
      assay_datum_unref (self->carried->pdata[i]);
      self->carried->pdata[i] = outputs[self->first_carried + i];
    }
  for (guint i = 0; i < self->n_stacks; i++)
    g_ptr_array_add (self->stacks[i], outputs[self->first_carried + self->n_carried + i]);
}

static void
reverse_items (GPtrArray *items)
{
  for (guint i = 0; i < items->len / 2; i++)
    {
      gpointer item = items->pdata[i];

      items->pdata[i] = items->pdata[items->len - 1 - i];
      items->pdata[items->len - 1 - i] = item;
    }
}

static gboolean
turns_finish (Turns *self, AssayKernel *kernel, GError **error)
{
  for (guint i = 0; i < kernel->n_outputs; i++)
    {
      guint at = i - self->n_carried;
      AssayDatum *datum;

      if (i < self->n_carried)
        {
          if (self->carried->pdata[i] != NULL)
            assay_kernel_take (kernel, i, assay_datum_ref (self->carried->pdata[i]));
          continue;
        }
      if (!assay_kernel_wants (kernel, i))
        continue;

      if (assay_node_get_entry (kernel->node, "scan_output_directions", at) != 0)
        reverse_items (self->stacks[at]);
      datum = stack (kernel, self->stacks[at],
                     assay_node_get_entry (kernel->node, "scan_output_axes", at), self->body,
                     self->first_carried + i, error);
      if (datum == NULL)
        return FALSE;
      assay_kernel_take (kernel, i, datum);
    }

  return TRUE;
}

static gboolean
run_loop (AssayKernel *self, Turns *turns, gint64 limit, gboolean counted, gboolean condition,
          GError **error)
{
  gint64 most = counted ? limit : assay_kernel_max_turns (self);
  guint n_outputs = 1 + turns->n_carried + turns->n_stacks;
  g_autofree AssayDatum **inputs = g_new0 (AssayDatum *, turns->n_carried + 2);
  g_autofree AssayDatum **outputs = g_new0 (AssayDatum *, n_outputs);

  for (gint64 turn = 0; turn < limit && condition; turn++)
    {
      guint8 truth = TRUE;
      g_autoptr (AssayDatum) number = new_scalar (ASSAY_DTYPE_I64, &turn, error);
      g_autoptr (AssayDatum) flag = number == NULL ? NULL
                                                   : new_scalar (ASSAY_DTYPE_BOOL, &truth, error);
      gboolean ok;

      if (flag == NULL)
        return FALSE;
      if (turn >= most)
        return assay_kernel_fail (
            self, error,
            "its condition still holds after %" G_GINT64_FORMAT
            " turn%s, which the model does not count; more have to be allowed",
            most, assay_plural (most));

      inputs[0] = number;
      inputs[1] = flag;
      memcpy (inputs + 2, turns->carried->pdata, turns->n_carried * sizeof *inputs);
      if (!assay_kernel_run_region (self, turns->body, turns->n_carried + 2, inputs, n_outputs,
                                    outputs, error))
        return FALSE;

      ok = read_condition (self, outputs[0], &condition, error);
      assay_datum_unref (outputs[0]);
      turns_take (turns, outputs);
      if (!ok)
        return FALSE;
    }

  return TRUE;
}

gboolean
assay_kernel_op_loop (AssayKernel *self, GError **error)
{
  guint n_carried = self->n_inputs > 2 ? self->n_inputs - 2 : 0;
  guint n_stacks = self->n_outputs > n_carried ? self->n_outputs - n_carried : 0;
  AssayDatum *trips = assay_kernel_input (self, 0), *condition = assay_kernel_input (self, 1);
  gint64 limit = G_MAXINT64;
  gboolean begin = TRUE, counted, ok;
  AssayRegionId body = ASSAY_MAIN_REGION;
  Turns turns;

  if (trips != NULL)
    {
      if (trips->kind != ASSAY_DATUM_TENSOR || trips->storage != ASSAY_DTYPE_I64 || trips->n != 1)
        return assay_kernel_fail (self, error, "the number of turns is not one i64");
      limit = *(const gint64 *) trips->data;
    }
  if ((condition != NULL && !read_condition (self, condition, &begin, error)) ||
      !assay_kernel_find_region (self, "body", n_carried + 2, 1 + n_carried + n_stacks, &body,
                                 error))
    return FALSE;

  counted = limit <= MOST_COUNTED;
  if (begin && !counted && assay_region_keeps_condition (self->graph, body))
    return assay_kernel_fail (self, error,
                              "it has no end: nothing changes its condition, and its turns are not "
                              "counted");

  turns_init (&turns, body, 1, n_carried, self->inputs + 2, n_stacks);
  ok = run_loop (self, &turns, limit, counted, begin, error) && turns_finish (&turns, self, error);
  turns_clear (&turns);

  return ok;
}

/* One slice of an input along an axis, which it loses. */
static AssayDatum *
slice_input (AssayDatum *datum, guint axis, gsize index, GError **error)
{
  gint64 dims[ASSAY_MAX_RANK];
  gsize outer = 1, inner = 1, length = (gsize) datum->dims[axis],
        size = assay_storage_size (datum->storage);
  AssayDatum *slice;
  guint rank = 0;

  for (guint i = 0; i < datum->rank; i++)
    {
      if (i == axis)
        continue;
      dims[rank++] = datum->dims[i];
      *(i < axis ? &outer : &inner) *= (gsize) datum->dims[i];
    }

  slice = assay_datum_new (datum->dtype, datum->storage, rank, dims, error);
  for (gsize i = 0; slice != NULL && i < outer; i++)
    copy_elements (datum->storage, (const char *) datum->data + (i * length + index) * inner * size,
                   (char *) slice->data + i * inner * size, inner);

  return slice;
}

static gboolean
run_scan (AssayKernel *self, Turns *turns, guint *axes, guint n_scanned, gsize length,
          GError **error)
{
  guint n_inputs = turns->n_carried + n_scanned;
  guint n_outputs = turns->n_carried + turns->n_stacks;
  g_autofree AssayDatum **outputs = g_new0 (AssayDatum *, n_outputs + 1);

  for (gsize turn = 0; turn < length; turn++)
    {
      g_autoptr (GPtrArray)
          inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);

      for (guint i = 0; i < turns->n_carried; i++)
        g_ptr_array_add (inputs, assay_datum_ref (turns->carried->pdata[i]));
      for (guint i = 0; i < n_scanned; i++)
        {
          gboolean back = assay_node_get_entry (self->node, "scan_input_directions", i) != 0;
          AssayDatum *slice = slice_input (self->inputs[turns->n_carried + i], axes[i],
                                           back ? length - 1 - turn : turn, error);

          if (slice == NULL)
            return FALSE;
          g_ptr_array_add (inputs, slice);
        }

      if (!assay_kernel_run_region (self, turns->body, n_inputs,
                                    (AssayDatum *const *) inputs->pdata, n_outputs, outputs, error))
        return FALSE;
      turns_take (turns, outputs);
    }

  return TRUE;
}

gboolean
assay_kernel_op_scan (AssayKernel *self, GError **error)
{
  gint64 n_scanned = assay_node_get_int (self->node, "num_scan_inputs");
  g_autofree guint *axes = NULL;
  gint64 length = 0;
  AssayRegionId body = ASSAY_MAIN_REGION;
  guint n_carried;
  Turns turns;
  gboolean ok;

  if (n_scanned < 1 || n_scanned > (gint64) self->n_inputs)
    return assay_kernel_fail (self, error,
                              "attribute num_scan_inputs: %" G_GINT64_FORMAT " of %u input%s",
                              n_scanned, self->n_inputs, assay_plural (self->n_inputs));

  n_carried = self->n_inputs - (guint) n_scanned;
  if (self->n_outputs < n_carried ||
      !assay_kernel_find_region (self, "body", self->n_inputs, self->n_outputs, &body, error))
    return self->n_outputs < n_carried
               ? assay_kernel_fail (self, error, "%u output%s for %u value%s that go around",
                                    self->n_outputs, assay_plural (self->n_outputs), n_carried,
                                    assay_plural (n_carried))
               : FALSE;

  axes = g_new (guint, n_scanned);
  for (guint i = 0; i < (guint) n_scanned; i++)
    {
      AssayDatum *datum = self->inputs[n_carried + i];

      if (datum == NULL || datum->kind != ASSAY_DATUM_TENSOR)
        return assay_kernel_fail (self, error, "input %u is not a tensor", n_carried + i);
      if (!assay_kernel_axis (self, assay_node_get_entry (self->node, "scan_input_axes", i),
                              datum->rank, &axes[i], error))
        return FALSE;
      if (i > 0 && datum->dims[axes[i]] != length)
        return assay_kernel_fail (
            self, error, "input %u has %" G_GINT64_FORMAT " slice%s, expected %" G_GINT64_FORMAT,
            n_carried + i, datum->dims[axes[i]], assay_plural (datum->dims[axes[i]]), length);
      length = datum->dims[axes[i]];
    }
  for (guint i = 0; i < n_carried; i++)
    {
      if (self->inputs[i] == NULL)
        return assay_kernel_fail (self, error, "input %u is missing", i);
    }

  turns_init (&turns, body, 0, n_carried, self->inputs, self->n_outputs - n_carried);
  ok = run_scan (self, &turns, axes, (guint) n_scanned, (gsize) length, error) &&
       turns_finish (&turns, self, error);
  turns_clear (&turns);

  return ok;
}
