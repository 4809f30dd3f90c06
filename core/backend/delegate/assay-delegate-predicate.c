/* assay-delegate-predicate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "backend/delegate/assay-delegate-device.h"
#include "backend/delegate/assay-delegate-predicate.h"
#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-slice.h"
#include "target/assay-check-private.h"

/* Predicates on what the registry of a delegate says about the operation: element types, layouts,
 * ranks. They read the members `dtypes`, `storage`, `resize` and `highdim` of the rule that was
 * picked. */

#define DEVICE_SENTENCE "{attribute} takes {actual}, and the device has {allowed}"
#define TEXELS "%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " texels"
#define TEXTURES_ALLOWED "textures up to %" G_GINT64_FORMAT " a side"

typedef struct
{
  gint64 x;
  gint64 y;
  gint64 z;
} Limits;

static const char *
label_of (gboolean is_output, guint index)
{
  static const char *const inputs[] = { "input 0", "input 1", "input 2", "input 3", "input 4" };
  static const char *const outputs[] = { "output 0", "output 1", "output 2" };

  if (is_output)
    return index < G_N_ELEMENTS (outputs) ? outputs[index] : "an output";
  return index < G_N_ELEMENTS (inputs) ? inputs[index] : "an input";
}

/* Tensors that take part at run time; constant operands of shape arithmetic, such as axes, are
 * arguments instead. */
static gboolean
is_tensor_argument (AssayContext *context, AssayValueId value)
{
  const AssayType *type;

  if (value == ASSAY_NO_VALUE)
    return FALSE;

  type = assay_context_type (context, value);
  return !(assay_context_is_constant (context, value) &&
           (type->dtype == ASSAY_DTYPE_I64 || type->rank == 0));
}

static AssayTruth
test_dtype (AssayContext *context, AssayValueId value, gboolean is_output, guint index,
            AssayDTypeSet set)
{
  const AssayType *type = assay_context_type (context, value);

  if (type->dtype != ASSAY_DTYPE_UNDEFINED && type->kind == ASSAY_TYPE_KIND_TENSOR &&
      (set & (1u << type->dtype)) != 0)
    return ASSAY_TRUE;

  assay_context_allow_dtypes (context, set);
  if (type->dtype == ASSAY_DTYPE_UNDEFINED && type->kind <= ASSAY_TYPE_KIND_TENSOR)
    return assay_context_say (context, ASSAY_UNKNOWN, label_of (is_output, index),
                              "the element type is unknown");

  return assay_context_say_type (context, label_of (is_output, index), type);
}

static AssayTruth
eval_all_dtypes (AssayContext *context, const AssayCall *call)
{
  const AssayArg *in = assay_call_arg (call, "in");
  AssayTruth result = ASSAY_TRUE;

  for (guint pass = 0; pass < 2; pass++)
    {
      guint n = pass == 0 ? context->node->n_inputs : context->node->n_outputs;
      const AssayValueId *values = pass == 0 ? context->node->inputs : context->node->outputs;

      for (guint i = 0; i < n; i++)
        if (is_tensor_argument (context, values[i]))
          {
            AssayTruth truth = test_dtype (context, values[i], pass == 1, i, in->u.dtypes);

            if (truth == ASSAY_FALSE)
              return truth;
            if (truth == ASSAY_UNKNOWN)
              result = truth;
          }
    }

  return result;
}

static AssayDTypeSet
allowed_dtypes (const AssayFeatures *features, gboolean is_output, guint index)
{
  if (is_output && features->n_out_dtypes > 0)
    return features->out_dtypes[MIN (index, features->n_out_dtypes - 1)];
  if (features->n_dtypes > 0)
    return is_output ? features->dtypes[0] : features->dtypes[MIN (index, features->n_dtypes - 1)];

  return G_MAXUINT32;
}

static AssayTruth
eval_rule_dtypes (AssayContext *context, const AssayCall *call)
{
  AssayTruth result = ASSAY_TRUE;

  if (context->rule == NULL)
    return ASSAY_TRUE;

  for (guint pass = 0; pass < 2; pass++)
    {
      guint n = pass == 0 ? context->node->n_inputs : context->node->n_outputs;
      const AssayValueId *values = pass == 0 ? context->node->inputs : context->node->outputs;

      for (guint i = 0; i < n; i++)
        {
          AssayDTypeSet set = allowed_dtypes (&context->rule->features, pass == 1, i);
          AssayTruth truth;

          if (set == G_MAXUINT32 || !is_tensor_argument (context, values[i]))
            continue;

          truth = test_dtype (context, values[i], pass == 1, i, set);
          if (truth == ASSAY_FALSE)
            return truth;
          if (truth == ASSAY_UNKNOWN)
            result = truth;
        }
    }

  return result;
}

static AssayTruth
eval_rule_rank (AssayContext *context, const AssayCall *call)
{
  gint64 max = assay_call_int (call, "max", 4);
  AssayTruth result = ASSAY_TRUE;

  if (context->rule != NULL && context->rule->features.highdim)
    return ASSAY_TRUE;

  assay_context_allow (context, "%" G_GINT64_FORMAT " or less", max);
  for (guint pass = 0; pass < 2; pass++)
    {
      guint n = pass == 0 ? context->node->n_inputs : context->node->n_outputs;
      const AssayValueId *values = pass == 0 ? context->node->inputs : context->node->outputs;

      for (guint i = 0; i < n; i++)
        {
          int rank = assay_type_rank (assay_context_type (context, values[i]));

          if (!is_tensor_argument (context, values[i]))
            continue;
          if (rank > max)
            return assay_context_say (context, ASSAY_FALSE, label_of (pass == 1, i), "%d", rank);
          if (rank < 0)
            result = assay_context_say (context, ASSAY_UNKNOWN, label_of (pass == 1, i),
                                        "the rank is unknown");
        }
    }

  return result;
}

static AssayTruth
eval_rule_resize (AssayContext *context, const AssayCall *call)
{
  if (context->rule != NULL && context->rule->features.resize)
    return ASSAY_TRUE;

  assay_context_allow (context, "operations that can be dispatched again with other shapes");
  return assay_context_say (context, ASSAY_FALSE, "the operation",
                            "without support for changing shapes");
}

/* The kernel is bound to the extents it was built for. */
static AssayTruth
eval_fixed_shapes (AssayContext *context, const AssayCall *call)
{
  const AssayOptionValue *option = assay_check_option (context->check, "require_dynamic_shapes",
                                                       NULL);

  assay_context_allow (context, "unset");
  if (option != NULL && option->b)
    return assay_context_say (context, ASSAY_FALSE, "require_dynamic_shapes", "set");
  assay_context_allow (context, "of fixed shape");

  for (guint pass = 0; pass < 2; pass++)
    {
      guint n = pass == 0 ? context->node->n_inputs : context->node->n_outputs;
      const AssayValueId *values = pass == 0 ? context->node->inputs : context->node->outputs;

      for (guint i = 0; i < n; i++)
        {
          const AssayType *type = assay_context_type (context, values[i]);

          if (!is_tensor_argument (context, values[i]) || assay_type_is_static (type))
            continue;
          if (type->rank < 0)
            return assay_context_say (context, ASSAY_UNKNOWN, label_of (pass == 1, i),
                                      "the rank is unknown");
          return assay_context_say (context, ASSAY_FALSE, label_of (pass == 1, i),
                                    "of changing shape");
        }
    }

  return ASSAY_TRUE;
}

/* A Slice that reads axes backwards: whole ones alone, or with something cut off as well. */
static AssayTruth
eval_slice_reverses (AssayContext *context, const AssayCall *call)
{
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  gboolean whole = assay_call_bool (call, "whole", FALSE);
  gint64 dims[ASSAY_MAX_RANK];
  gboolean reverses = FALSE;
  AssayNodeSlice slice;

  assay_context_allow (context, whole ? "step -1 over whole axes" : "step -1");
  if (!assay_type_is_static (type))
    return assay_context_say (context, ASSAY_FALSE, "step", "over a changing extent");

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  if (!assay_node_get_slice (context->check->graph, context->node, (guint) type->rank, dims,
                             &slice))
    return assay_context_say (context, ASSAY_FALSE, "step", "computed at run time");

  for (int i = 0; i < type->rank; i++)
    {
      reverses = reverses || slice.step[i] == -1;
      if (slice.step[i] < -1)
        return assay_context_say (context, ASSAY_FALSE, "step", "%" G_GINT64_FORMAT, slice.step[i]);
      if (whole && (slice.length[i] != dims[i] || slice.step[i] > 1))
        return assay_context_say (context, ASSAY_FALSE, "step", "over a part of axis %d", i);
    }
  if (!reverses)
    return assay_context_say (context, ASSAY_FALSE, "step", "1 or more");

  return ASSAY_TRUE;
}

/* The axes that a reduction of PyTorch takes away: its second argument, all if that is empty. */
static gboolean
read_reduced (AssayContext *context, int rank, guint64 *mask)
{
  gsize n = 0;
  AssayValueId list = assay_node_input (context->node, 1);
  g_autofree gint64 *axes = NULL;

  *mask = 0;
  if (list != ASSAY_NO_VALUE)
    {
      axes = assay_value_dup_ints (context->check->graph, list, &n);
      if (axes == NULL)
        return FALSE;
    }

  for (gsize i = 0; i < n; i++)
    {
      int axis;

      if (!assay_axes_normalize (axes[i], rank, &axis))
        return FALSE;
      *mask |= G_GUINT64_CONSTANT (1) << axis;
    }
  if (n == 0)
    *mask = rank >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << rank) - 1;

  return TRUE;
}

static AssayTruth
eval_aten_reduces (AssayContext *context, const AssayCall *call)
{
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  AssayTensor *keep = assay_graph_constant (context->check->graph,
                                            assay_node_input (context->node, 2));
  gboolean last = assay_call_bool (call, "last", FALSE);
  double keeps = 0.0;
  guint64 mask;
  guint n = 0;

  assay_context_allow (context, last ? "the last axis alone" : "at most 2 axes that are kept");
  if (type->rank < 0 || type->rank > 63)
    return assay_context_say (context, ASSAY_UNKNOWN, "input 0", "the rank is unknown");
  if (!read_reduced (context, type->rank, &mask))
    return assay_context_say (context, ASSAY_UNKNOWN, "input 1", "the axes are unknown");
  if (last)
    return type->rank > 0 && mask == G_GUINT64_CONSTANT (1) << (type->rank - 1)
               ? ASSAY_TRUE
               : assay_context_say (context, ASSAY_FALSE, "input 1", "other axes");

  for (int i = 0; i < type->rank; i++)
    n += (mask >> i & 1) != 0;
  if (n > 2)
    return assay_context_say (context, ASSAY_FALSE, "input 1", "%u %s", n,
                              assay_noun (n, "axis", "axes"));
  if (assay_node_input (context->node, 2) != ASSAY_NO_VALUE &&
      (keep == NULL || !assay_tensor_get_element (keep, 0, &keeps, NULL)))
    return assay_context_say (context, ASSAY_UNKNOWN, "input 2", "the value of keepdim is unknown");
  if (!(fabs (keeps) > 0.0))
    return assay_context_say (context, ASSAY_FALSE, "keepdim", "not set");

  return ASSAY_TRUE;
}

static AssayTruth
eval_no_bool (AssayContext *context, const AssayCall *call)
{
  assay_context_allow (context, "no bool tensor");
  for (guint i = 0; i < context->node->n_inputs; i++)
    if (assay_context_type (context, context->node->inputs[i])->dtype == ASSAY_DTYPE_BOOL)
      return assay_context_say (context, ASSAY_FALSE, label_of (FALSE, i), "bool");
  for (guint i = 0; i < context->node->n_outputs; i++)
    if (assay_context_type (context, context->node->outputs[i])->dtype == ASSAY_DTYPE_BOOL)
      return assay_context_say (context, ASSAY_FALSE, label_of (TRUE, i), "bool");

  return ASSAY_TRUE;
}

static Limits
get_limits (AssayCheck *check)
{
  const AssayOptionValue *small = assay_check_option (check, "small_texture_limits", NULL);
  const AssayOptionValue *own = assay_check_option (check, "texture_limits", NULL);
  Limits limits = { G_MAXINT64, G_MAXINT64, G_MAXINT64 };
  gint64 *fields[] = { &limits.x, &limits.y, &limits.z };

  assay_target_get_config_int (
      check->target, small != NULL && small->b ? "small_texture_x" : "texture_x", &limits.x);
  assay_target_get_config_int (
      check->target, small != NULL && small->b ? "small_texture_y" : "texture_y", &limits.y);
  assay_target_get_config_int (
      check->target, small != NULL && small->b ? "small_texture_z" : "texture_z", &limits.z);

  if (own != NULL && *own->s != '\0')
    {
      g_auto (GStrv) parts = g_strsplit (own->s, ",", 3);

      for (guint i = 0; i < 3 && parts[i] != NULL; i++)
        g_ascii_string_to_signed (g_strstrip (parts[i]), 10, 1, G_MAXINT64, fields[i], NULL);
    }

  return limits;
}

/* Extents of a texture that holds a tensor: four elements along the packed axis make one texel. */
static gboolean
texture_extents (const AssayType *type, guint packed, gint64 extents[3])
{
  gint64 sizes[4] = { 1, 1, 1, 1 }; /* W H C N */
  gsize depth;

  for (int i = 0; i < type->rank && i < 4; i++)
    {
      sizes[i] = type->dims[type->rank - 1 - i].size;
      if (sizes[i] < 0)
        return FALSE;
    }

  sizes[packed] = sizes[packed] / 4 + (sizes[packed] % 4 != 0);
  if (!g_size_checked_mul (&depth, (gsize) sizes[2], (gsize) sizes[3]) || depth > G_MAXINT64)
    depth = G_MAXINT64;
  extents[0] = sizes[0];
  extents[1] = sizes[1];
  extents[2] = (gint64) depth;

  return TRUE;
}

static guint32
override_of (AssayCheck *check)
{
  const AssayOptionValue *option = assay_check_option (check, "storage_type_override", NULL);

  if (option == NULL || *option->s == '\0' || g_str_equal (option->s, "default"))
    return G_MAXUINT32;

  return g_str_equal (option->s, "buffer")
             ? ASSAY_STORAGE_BUFFER | ASSAY_STORAGE_BUFFER_PACKED | ASSAY_STORAGE_PACKED_INT8
             : ASSAY_STORAGE_TEXTURES;
}

/* Drops the layouts that a tensor cannot have; what is left of the set is returned. */
static guint32
filter_storage (AssayContext *context, const AssayType *type, guint32 set, const Limits *limits,
                gint64 extents[3])
{
  static const guint32 textures[] = { ASSAY_STORAGE_TEXTURE_W, ASSAY_STORAGE_TEXTURE_H,
                                      ASSAY_STORAGE_TEXTURE_C };

  set &= override_of (context->check);

  if (type->rank > 4)
    return set & ~(guint32) ASSAY_STORAGE_TEXTURES;

  for (guint i = 0; i < G_N_ELEMENTS (textures); i++)
    if ((set & textures[i]) != 0 && texture_extents (type, i, extents) &&
        (extents[0] > limits->x || extents[1] > limits->y || extents[2] > limits->z))
      set &= ~textures[i];

  return set;
}

static AssayTruth
test_storage (AssayContext *context, AssayValueId value, gboolean is_output, guint index,
              guint32 set, const Limits *limits)
{
  const AssayType *type = assay_context_type (context, value);
  gint64 extents[3] = { 0, 0, 0 };

  if (set == 0 || !is_tensor_argument (context, value))
    return ASSAY_TRUE;
  if (type->rank < 0)
    return (set & (ASSAY_STORAGE_BUFFER | ASSAY_STORAGE_BUFFER_PACKED)) != 0
               ? ASSAY_TRUE
               : assay_context_say (context, ASSAY_UNKNOWN, label_of (is_output, index),
                                    "the rank is unknown");
  if (filter_storage (context, type, set, limits, extents) != 0)
    return ASSAY_TRUE;

  if (override_of (context->check) != G_MAXUINT32 && (set & override_of (context->check)) == 0)
    {
      assay_context_allow (context, "a layout that storage_type_override leaves");
      return assay_context_say (context, ASSAY_FALSE, label_of (is_output, index), "none");
    }
  if (type->rank > 4)
    {
      assay_context_allow (context, "a texture, which holds up to 4 dimensions");
      return assay_context_say (context, ASSAY_FALSE, label_of (is_output, index), "rank %d",
                                type->rank);
    }

  assay_context_allow (context,
                       "a texture of at most %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                       " × %" G_GINT64_FORMAT,
                       limits->x, limits->y, limits->z);
  return assay_context_say (context, ASSAY_FALSE, label_of (is_output, index), TEXELS, extents[0],
                            extents[1], extents[2]);
}

/**
 * assay_delegate_storage_left:
 * @check: a check
 * @value: a value of its graph
 * @set: layouts that a row has for it
 *
 * Finds the layouts that fit a value: its rank, the limits of textures, and what the options leave.
 *
 * Returns: what is left of the set; 0 as well for what is no tensor of the device
 */
guint32
assay_delegate_storage_left (AssayCheck *check, AssayValueId value, guint32 set)
{
  const AssayType *type = assay_graph_value (check->graph, value)->type;
  const Limits limits = get_limits (check);
  gint64 extents[3] = { 0, 0, 0 };

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0 ||
      !is_tensor_argument (&check->context, value))
    return 0;

  return filter_storage (&check->context, type, set, &limits, extents);
}

typedef AssayTruth (*StorageFunc) (AssayContext *context, AssayValueId value, gboolean is_output,
                                   guint index, guint32 set, const Limits *limits);

/* Tests every tensor with the layouts that the rule has for it. */
static AssayTruth
test_tensors (AssayContext *context, StorageFunc func)
{
  const AssayFeatures *features = context->rule != NULL ? &context->rule->features : NULL;
  Limits limits = get_limits (context->check);
  AssayTruth result = ASSAY_TRUE;

  if (features == NULL || features->n_storage == 0)
    return ASSAY_TRUE;

  for (guint pass = 0; pass < 2; pass++)
    {
      guint n = pass == 0 ? context->node->n_inputs : context->node->n_outputs;
      const AssayValueId *values = pass == 0 ? context->node->inputs : context->node->outputs;
      guint n_sets = pass == 1 && features->n_out_storage > 0 ? features->n_out_storage
                                                              : features->n_storage;
      const guint32 *sets = pass == 1 && features->n_out_storage > 0 ? features->out_storage
                                                                     : features->storage;

      for (guint i = 0; i < n; i++)
        {
          /* Outputs follow the first input unless the registry says otherwise. */
          guint32 set = pass == 1 && features->n_out_storage == 0 ? sets[0]
                                                                  : sets[MIN (i, n_sets - 1)];
          AssayTruth truth = func (context, values[i], pass == 1, i, set, &limits);

          if (truth == ASSAY_FALSE)
            return truth;
          if (truth == ASSAY_UNKNOWN)
            result = truth;
        }
    }

  return result;
}

static AssayTruth
eval_rule_storage (AssayContext *context, const AssayCall *call)
{
  return test_tensors (context, test_storage);
}

static gsize
element_bytes (AssayCheck *check, AssayDType dtype)
{
  const AssayOptionValue *half = assay_check_option (check, "force_fp16", NULL);
  const AssayOptionValue *narrow = assay_check_option (check, "downcast_64_bit", NULL);
  gsize size = MAX (assay_dtype_bits (dtype) / 8, 1);

  if (dtype == ASSAY_DTYPE_F32 && half != NULL && half->b)
    return 2;

  return size == 8 && (narrow == NULL || narrow->b) ? 4 : size;
}

/**
 * assay_delegate_value_bytes:
 * @check: a check
 * @value: a value of its graph
 *
 * Counts what a value takes on the device, 0 if its shape is not known.
 *
 * Returns: the number of bytes
 */
guint64
assay_delegate_value_bytes (AssayCheck *check, AssayValueId value)
{
  const AssayType *type = assay_graph_value (check->graph, value)->type;
  gsize n = 0;

  return assay_type_count (type, &n) ? (guint64) n * element_bytes (check, type->dtype) : 0;
}

/* The layouts that the partitioner leaves have to fit the device as well: a texture where there is
 * one, else a buffer, which the device counts in bytes. Which of several textures it becomes is
 * known when all nodes have their verdicts; see assay_delegate_layouts_find(). */
static AssayTruth
test_device (AssayContext *context, AssayValueId value, gboolean is_output, guint index,
             guint32 set, const Limits *limits)
{
  const AssayDelegateDevice *device = context->check->analysis;
  const AssayType *type = assay_context_type (context, value);
  const AssayDelegateLimits *has = &device->limits;
  const Limits own = { has->texture, has->texture, has->texture };
  gsize size = element_bytes (context->check, type->dtype);
  gint64 extents[3] = { 0, 0, 0 };
  guint32 left;
  gsize n;

  if (set == 0 || !is_tensor_argument (context, value) || !assay_type_count (type, &n))
    return ASSAY_TRUE;

  left = filter_storage (context, type, set, limits, extents);
  if (left != 0 && n > (gsize) has->memory_bytes / size)
    {
      assay_context_allow (context, "%" G_GINT64_FORMAT " byte%s of memory", has->memory_bytes,
                           assay_plural ((guint64) has->memory_bytes));
      return assay_context_say (context, ASSAY_FALSE, label_of (is_output, index), "%.0f bytes",
                                (double) n * (double) size);
    }
  if ((left & ASSAY_STORAGE_TEXTURES) != 0)
    {
      if (filter_storage (context, type, left & ASSAY_STORAGE_TEXTURES, &own, extents) != 0)
        return ASSAY_TRUE;

      assay_context_allow (context, TEXTURES_ALLOWED, has->texture);
      return assay_context_say (context, ASSAY_FALSE, label_of (is_output, index), TEXELS,
                                extents[0], extents[1], extents[2]);
    }

  /* Packed bytes are words; what has 64 bits is kept in 32. */
  if ((left & ~(guint32) ASSAY_STORAGE_PACKED_INT8) != 0 &&
      ((size == 2 && !has->has_half) || (size == 1 && !has->has_byte)))
    {
      assay_context_allow (context, "none of those");
      return assay_context_say (context, ASSAY_FALSE, label_of (is_output, index),
                                "a buffer of %" G_GSIZE_FORMAT "-bit elements", 8 * size);
    }
  if (left == 0 || n <= (gsize) has->buffer_bytes / size)
    return ASSAY_TRUE;

  assay_context_allow (context, "buffers of at most %" G_GINT64_FORMAT " byte%s", has->buffer_bytes,
                       assay_plural ((guint64) has->buffer_bytes));
  return assay_context_say (context, ASSAY_FALSE, label_of (is_output, index), "%.0f bytes",
                            (double) n * (double) size);
}

/**
 * assay_delegate_storage_fits:
 * @check: a check
 * @id: a node of its graph, which is rejected if it does not
 * @is_output: whether the value is a result of it
 * @index: which of its operands or results
 * @storage: the layout that the value gets
 *
 * Holds the layout that the delegate gives a value against the device of `--device-profile`: it
 * knows nothing of that when it gives it.
 *
 * Returns: whether there is no device, or it has room for it
 */
gboolean
assay_delegate_storage_fits (AssayCheck *check, AssayNodeId id, gboolean is_output, guint index,
                             guint32 storage)
{
  static const char *const sentence = DEVICE_SENTENCE;
  const AssayDelegateDevice *device = check->analysis;
  const AssayNode *node = assay_graph_node (check->graph, id);
  AssayValueId value = is_output ? node->outputs[index] : node->inputs[index];
  AssayVerdict *verdict = &g_array_index (check->result->verdicts, AssayVerdict, id);
  g_autofree char *actual = NULL;
  g_autofree char *allowed = NULL;
  gint64 extents[3] = { 0, 0, 0 };

  if (device == NULL || (storage & ASSAY_STORAGE_TEXTURES) == 0 ||
      filter_storage (
          &check->context, assay_graph_value (check->graph, value)->type, storage,
          &(Limits){ device->limits.texture, device->limits.texture, device->limits.texture },
          extents) != 0)
    return TRUE;

  actual = g_strdup_printf (TEXELS, extents[0], extents[1], extents[2]);
  allowed = g_strdup_printf (TEXTURES_ALLOWED, device->limits.texture);
  verdict->earlier = assay_arena_memdup (check->arena, verdict, sizeof *verdict);
  verdict->kind = ASSAY_VERDICT_REJECTED;
  verdict->stage = ASSAY_STAGE_RUNTIME;
  verdict->rule = "device";
  verdict->actual = assay_arena_intern (check->arena, actual);
  verdict->allowed = assay_arena_intern (check->arena, allowed);
  verdict->attribute = label_of (is_output, index);
  verdict->reason = assay_check_sentence (check, sentence, node, actual, allowed,
                                          verdict->attribute);
  assay_check_add_cause (check, verdict, NULL, sentence);

  return FALSE;
}

static AssayTruth
eval_rule_device (AssayContext *context, const AssayCall *call)
{
  return context->check->analysis != NULL ? test_tensors (context, test_device) : ASSAY_TRUE;
}

static AssayTruth
eval_buffer_limit (AssayContext *context, const AssayCall *call)
{
  const AssayOptionValue *limit = assay_check_option (context->check, "buffer_limit", NULL);
  const char *label;
  const AssayType *type = assay_context_type (context, assay_context_value (context, call, &label));
  gsize n;

  if (limit == NULL)
    return ASSAY_TRUE;

  assay_context_allow (context, "at most %" G_GINT64_FORMAT " element%s", limit->i,
                       assay_plural (limit->i));
  if (!assay_type_count (type, &n))
    return assay_context_say (context, ASSAY_UNKNOWN, label, "the shape is unknown");
  if (n <= (gsize) MAX (limit->i, 0))
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, label, "%" G_GSIZE_FORMAT, n);
}

const AssayPredicate assay_delegate_predicates[] = {
  { "dtypes",
    "every input and output has one of some element types",
    "{attribute} is {actual}, which the backend does not know",
    eval_all_dtypes,
    { { "in", ASSAY_ARG_DTYPES, TRUE, "the types" } } },
  { "rule_dtypes",
    "every input and output has an element type of the rule's `dtypes` and `out_dtypes`",
    "{attribute} is {actual}, not {allowed}",
    eval_rule_dtypes,
    { { NULL } } },
  { "rule_rank",
    "no tensor has more dimensions than allowed, unless the rule says `highdim`",
    "{attribute} has rank {actual}, not {allowed}",
    eval_rule_rank,
    { { "max", ASSAY_ARG_INT, FALSE, "most dimensions, 4 unless given" } } },
  { "rule_resize",
    "the rule says `resize`: the kernel can be dispatched again with other shapes",
    "The operation is {actual}, and the option asks for {allowed}",
    eval_rule_resize,
    { { NULL } } },
  { "rule_storage",
    "every tensor has a layout of the rule's `storage` and `out_storage` that its rank and extents "
    "fit",
    "{attribute} has no valid layout ({actual})",
    eval_rule_storage,
    { { NULL } } },
  { "rule_device",
    "the layout that the partitioner leaves to every tensor fits the device of `--device-profile`, "
    "if there is one",
    DEVICE_SENTENCE,
    eval_rule_device,
    { { NULL } } },
  { "fixed_shapes",
    "every extent is known, and the option `require_dynamic_shapes` is not set",
    "{attribute} is {actual}, not {allowed}",
    eval_fixed_shapes,
    { { NULL } } },
  { "slice_reverses",
    "a Slice reads an axis backwards, none by more than one step",
    "The step is {actual}, not {allowed}",
    eval_slice_reverses,
    { { "whole", ASSAY_ARG_BOOL, FALSE, "true: nothing is cut off" } } },
  { "aten_reduces",
    "a reduction of PyTorch takes at most two axes and keeps them",
    "{attribute} is {actual}, not {allowed}",
    eval_aten_reduces,
    { { "last", ASSAY_ARG_BOOL, FALSE, "true: it takes the last axis alone, kept or not" } } },
  { "no_bool",
    "no input or output is bool",
    "{attribute} is {actual}, and the option asks for {allowed}",
    eval_no_bool,
    { { NULL } } },
  { "buffer_limit",
    "the number of elements is within the option `buffer_limit`",
    "{attribute} has {actual} elements, not {allowed}",
    eval_buffer_limit,
    { { "input", ASSAY_ARG_INT, FALSE, "which input, 0 unless given" } } },
  { NULL }
};
