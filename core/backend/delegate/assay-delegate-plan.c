/* assay-delegate-plan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which node runs where, in which order, and what lies where meanwhile. Host and device take turns:
 * each does all it can before the other goes on, which makes as few submissions as there can be.
 */
#include "backend/delegate/assay-delegate-plan.h"

#include <string.h>

#include "backend/delegate/assay-gpu-memory.h"
#include "base/assay-sentence.h"
#include "nnir/analysis/assay-analysis.h"

#define NO_TENSOR G_MAXUINT32
#define MAX_DEPTH 64

typedef struct
{
  guint32 begin;
  guint32 end;
} Range;

/* What is known while a plan is made. */
typedef struct
{
  AssayDelegatePlan *plan;
  const AssayDelegateNode *nodes;
  gboolean keep_all;
  GArray *order;
  Range *steps;        /* per node of the lowering */
  guint *n_reads;      /* per value */
  guint8 *absent;      /* per value: whether it is inside of a shader */
  guint8 *done;        /* per node */
  guint8 *on_host;     /* per value: whether the host has it */
  guint8 *for_host;    /* per value: whether the host needs it */
  guint32 *tensors;    /* per value, as a buffer */
  guint32 *textures;   /* per value, as a texture */
  guint32 *packed;     /* per constant of a lowering */
  GArray *first_words; /* per step where its words went */
  guint64 shared;
} Work;

static void
add_captures (const AssayGraph *graph, const AssayNode *node, AssayRegionId region,
              GPtrArray *values, guint depth)
{
  for (guint i = 0; i < node->n_attrs && depth < MAX_DEPTH; i++)
    {
      const AssayAttr *attr = &node->attrs[i];
      guint n = attr->kind == ASSAY_ATTR_GRAPH ? 1 : attr->kind == ASSAY_ATTR_GRAPHS ? attr->n : 0;

      for (guint j = 0; j < n; j++)
        {
          const AssayRegion *nested = assay_graph_region (
              graph, attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region : attr->u.regions[j]);

          for (guint k = 0; k < nested->outputs->len; k++)
            g_ptr_array_add (values,
                             GUINT_TO_POINTER (g_array_index (nested->outputs, AssayValueId, k)));
          for (guint k = 0; k < nested->nodes->len; k++)
            {
              const AssayNode *inner = assay_graph_node (
                  graph, g_array_index (nested->nodes, AssayNodeId, k));

              for (guint l = 0; l < inner->n_inputs; l++)
                g_ptr_array_add (values, GUINT_TO_POINTER (inner->inputs[l]));
              add_captures (graph, inner, region, values, depth + 1);
            }
        }
    }
}

/**
 * assay_delegate_captures:
 * @graph: a graph
 * @node: a node of its main region
 *
 * Lists what the graphs within a node read from outside.
 *
 * Returns: (transfer full) (element-type guint): values of the main region
 */
GPtrArray *
assay_delegate_captures (const AssayGraph *graph, const AssayNode *node)
{
  GPtrArray *values = g_ptr_array_new ();
  guint n = 0;

  add_captures (graph, node, ASSAY_MAIN_REGION, values, 0);
  for (guint i = 0; i < values->len; i++)
    {
      AssayValueId value = GPOINTER_TO_UINT (g_ptr_array_index (values, i));

      if (value != ASSAY_NO_VALUE &&
          assay_graph_value (graph, value)->region == ASSAY_MAIN_REGION &&
          !assay_graph_is_constant (graph, value))
        values->pdata[n++] = GUINT_TO_POINTER (value);
    }
  g_ptr_array_set_size (values, (gint) n);

  return values;
}

/* All that a node waits for: its inputs, and what graphs within it read. */
static GPtrArray *
list_reads (const AssayGraph *graph, const AssayNode *node)
{
  GPtrArray *values = assay_delegate_captures (graph, node);

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE && !assay_graph_is_constant (graph, node->inputs[i]))
      g_ptr_array_add (values, GUINT_TO_POINTER (node->inputs[i]));

  return values;
}

static AssayValueId
root_of (const Work *work, AssayValueId value)
{
  while (work->plan->lower->aliases[value] != ASSAY_NO_VALUE)
    value = work->plan->lower->aliases[value];

  return value;
}

/* What somebody needs when the model runs, from the end. */
static void
find_live (Work *work)
{
  AssayDelegatePlan *plan = work->plan;
  const AssayRegion *ends = assay_graph_region (plan->graph, ASSAY_MAIN_REGION);
  g_autofree guint8 *wanted = g_new0 (guint8, assay_graph_n_values (plan->graph));

  for (guint i = 0; i < ends->outputs->len; i++)
    wanted[g_array_index (ends->outputs, AssayValueId, i)] = 1;
  for (guint i = work->order->len; i-- > 0;)
    {
      AssayNodeId id = g_array_index (work->order, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (plan->graph, id);
      g_autoptr (GPtrArray) reads = NULL;
      gboolean live = FALSE;

      for (guint j = 0; j < node->n_outputs; j++)
        live = live || (node->outputs[j] != ASSAY_NO_VALUE && wanted[node->outputs[j]] &&
                        !assay_graph_is_constant (plan->graph, node->outputs[j]));
      if (!live)
        continue;
      plan->places[id] = ASSAY_DELEGATE_HOST;
      reads = list_reads (plan->graph, node);
      for (guint j = 0; j < reads->len; j++)
        wanted[GPOINTER_TO_UINT (g_ptr_array_index (reads, j))] = 1;
    }
}

static gsize
value_size (const Work *work, AssayValueId value)
{
  const AssayType *type = assay_graph_value (work->plan->graph, value)->type;
  gsize n = 0;

  assay_type_count (type, &n);

  return n * assay_gpu_form_size (assay_gpu_form (type->dtype, work->plan->half));
}

static void
count_reads (Work *work)
{
  AssayGraph *graph = work->plan->graph;
  const AssayRegion *ends = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint *n_reads = work->n_reads;

  for (guint i = 0; i < ends->outputs->len; i++)
    n_reads[g_array_index (ends->outputs, AssayValueId, i)]++;
  for (guint i = 0; i < work->order->len; i++)
    {
      AssayNodeId id = g_array_index (work->order, AssayNodeId, i);
      g_autoptr (GPtrArray) reads = NULL;

      if (work->plan->places[id] == ASSAY_DELEGATE_NOWHERE)
        continue;
      reads = list_reads (graph, assay_graph_node (graph, id));
      for (guint j = 0; j < reads->len; j++)
        n_reads[GPOINTER_TO_UINT (g_ptr_array_index (reads, j))]++;
    }
}

/* Whether the shaders of a node have bounds, whatever its elements are. */
static gboolean
bounds_itself (const AssayNode *node)
{
  return node->op == ASSAY_OP_Conv || node->op == ASSAY_OP_ConvTranspose;
}

/* Whether both factors of a product are small integers that are dequantised for it. */
static gboolean
takes_integers (const Work *work, AssayNodeId id)
{
  const AssayGraph *graph = work->plan->graph;
  const AssayNode *node = assay_graph_node (graph, id);

  if (!work->nodes[id].takes ||
      (node->op != ASSAY_OP_MatMul && node->op != ASSAY_OP_Gemm && node->op != ASSAY_OP_Linear))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      AssayNodeId producer = assay_graph_value (graph, node->inputs[i])->producer;

      if (producer == ASSAY_NO_NODE || work->nodes[producer].into != id ||
          assay_graph_node (graph, producer)->op != ASSAY_OP_DequantizeLinear)
        return FALSE;
    }

  return TRUE;
}

/* Bounds behind a convolution take effect in it, and so does what makes small integers of the
 * result of a node between such, if nobody else reads what is between. */
static void
find_fused (Work *work)
{
  AssayGraph *graph = work->plan->graph;
  const guint *n_reads = work->n_reads;

  for (guint i = 0; i < work->order->len; i++)
    {
      AssayNodeId id = g_array_index (work->order, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (graph, id);
      AssayNodeId into = work->nodes[id].into;
      const AssayNode *conv = into != ASSAY_NO_NODE ? assay_graph_node (graph, into) : NULL;

      if (conv != NULL && work->nodes[id].takes &&
          (node->op == ASSAY_OP_Relu || node->op == ASSAY_OP_Clip) &&
          (bounds_itself (conv) || conv->op == ASSAY_OP_Add) &&
          node->inputs[0] == conv->outputs[0] && n_reads[conv->outputs[0]] == 1)
        work->plan->clamps[into] = id;
      if (conv != NULL && work->nodes[id].takes && node->op == ASSAY_OP_QuantizeLinear &&
          work->plan->places[id] != ASSAY_DELEGATE_NOWHERE)
        {
          AssayNodeId clamp = work->plan->clamps[into];
          AssayValueId made = clamp != ASSAY_NO_NODE ? assay_graph_node (graph, clamp)->outputs[0]
                                                     : conv->outputs[0];

          if (node->inputs[0] == made && n_reads[made] == 1)
            work->plan->quantizes[into] = id;
        }
      if (work->plan->quantizes[id] == ASSAY_NO_NODE && takes_integers (work, id))
        work->plan->quantizes[id] = ASSAY_GPU_TO_FLOAT;
    }
}

/* Whether a node with small integers has a shader of its own for them, which reads what its
 * operands were before they were dequantised. */
static gboolean
place_integers (Work *work, AssayNodeId id)
{
  AssayDelegatePlan *plan = work->plan;
  const AssayNode *node = assay_graph_node (plan->graph, id);

  if (plan->quantizes[id] == ASSAY_NO_NODE)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayNodeId producer = node->inputs[i] != ASSAY_NO_VALUE
                                 ? assay_graph_value (plan->graph, node->inputs[i])->producer
                                 : ASSAY_NO_NODE;

      if (producer != ASSAY_NO_NODE && plan->places[producer] != ASSAY_DELEGATE_DEVICE)
        return FALSE;
    }

  return assay_gpu_lower_node (plan->lower, id, plan->clamps[id], plan->quantizes[id]);
}

static gsize
round_size (gsize size)
{
  return MAX ((size + 3) / 4 * 4, 4);
}

/* Width and height of a value, of which the axes before are one. */
static void
read_planes (const Work *work, AssayValueId value, gint32 planes[3])
{
  const AssayType *type = assay_graph_value (work->plan->graph, value)->type;

  planes[0] = planes[1] = planes[2] = 1;
  for (int i = 0; i < type->rank; i++)
    planes[MIN (i, 2)] *= (gint32) type->dims[type->rank - 1 - i].size;
}

/* Whether a value fits a texture: up to four axes, four elements of the last one in a texel. */
static gboolean
fits_texture (const Work *work, AssayValueId value, gint32 planes[3])
{
  const AssayType *type = assay_graph_value (work->plan->graph, value)->type;
  gint64 most = MIN (work->plan->limits.texture, ASSAY_GPU_MOST_TEXELS);

  if (type->rank > 4 || value_size (work, value) == 0 ||
      assay_gpu_form (type->dtype, work->plan->half) == ASSAY_GPU_FORM_I32)
    return FALSE;
  read_planes (work, value, planes);

  return (planes[0] + 3) / 4 <= most && planes[1] <= most && planes[2] <= most;
}

/* Whether a shader takes a texture for a value. One that reads lines knows them as long as those of
 * its node, where what lies in the texture may be the same elements in another shape. */
static gboolean
takes_texture (const Work *work, const AssayGpuStep *step, guint at)
{
  AssayGpuShader shader = assay_gpu_shader_with_textures (step->shader);
  AssayGpuRef ref = step->refs[at];
  gint32 own[3], there[3];

  if (!assay_gpu_shader_takes_texture (shader, at) ||
      (ref & (ASSAY_GPU_REF_PACKED | ASSAY_GPU_REF_SCRATCH)) != 0)
    return FALSE;
  if (!assay_gpu_shader_reads_vec4 (shader, 0) || root_of (work, ref) == ref)
    return TRUE;
  read_planes (work, ref, own);
  read_planes (work, root_of (work, ref), there);

  return own[0] == there[0];
}

static gsize
ref_size (const Work *work, AssayGpuRef ref)
{
  const AssayGpuLower *lower = work->plan->lower;
  guint32 number = ref & ASSAY_GPU_REF_NUMBER;
  gsize size = (ref & ASSAY_GPU_REF_SCRATCH) != 0 ? g_array_index (lower->scratch, gsize, number)
               : (ref & ASSAY_GPU_REF_PACKED) != 0
                   ? g_bytes_get_size (g_ptr_array_index (lower->packed, number))
                   : value_size (work, root_of (work, number));

  return round_size (size);
}

/* What shaders are told, at most: what makes textures is told so in words of its own, and those of
 * textures have their extents behind them. */
static guint64
count_told (const AssayGpuLower *lower)
{
  const guint64 per_step = 2 * (2 * ASSAY_GPU_MAX_TENSORS + 2);

  return (2 * (guint64) lower->words->len + per_step * lower->steps->len) * sizeof (gint32);
}

/* The groups of a step, or of what makes a texture in its place: an invocation makes a texel. */
static gint64
count_groups (const Work *work, AssayNodeId id, const AssayGpuStep *step)
{
  guint last = assay_gpu_shader_n_tensors (step->shader) - 1;
  gint64 count = step->count;
  gint32 planes[3];

  if (work->nodes[id].textures && takes_texture (work, step, last) &&
      fits_texture (work, root_of (work, step->refs[last]), planes))
    count = MAX (count, (gint64) (planes[0] + 3) / 4 * planes[1] * planes[2]);

  return (count + ASSAY_GPU_GROUP - 1) / ASSAY_GPU_GROUP;
}

/* What of a step is more than the device has, if anything is. Even what lies in a texture has to
 * fit a buffer, which it may have to become. */
static const char *
find_excess (Work *work, AssayNodeId id, const AssayGpuStep *step)
{
  AssayDelegatePlan *plan = work->plan;
  const AssayDelegateLimits *limits = &plan->limits;
  guint n = assay_gpu_shader_n_tensors (step->shader);
  gint64 groups = count_groups (work, id, step);
  g_autofree char *text = NULL;

  if (groups > limits->groups)
    text = g_strdup_printf ("the device takes %" G_GINT64_FORMAT " group%s of invocations of the "
                            "%" G_GINT64_FORMAT " that it is",
                            limits->groups, assay_plural ((guint64) limits->groups), groups);
  else if (n + 1 > limits->buffers)
    text = g_strdup_printf ("the device gives a shader %" G_GINT64_FORMAT " buffer%s of the %u "
                            "that it takes",
                            limits->buffers, assay_plural ((guint64) limits->buffers), n + 1);
  else if (assay_gpu_shader_names_halves (step->shader) &&
           (!limits->has_half || !limits->computes_half))
    return "the device has no halves in buffers";
  else if (count_told (plan->lower) > (guint64) limits->buffer_bytes)
    return "what shaders are told is more than a buffer of the device holds";
  for (guint i = 0; i < n && text == NULL; i++)
    if (ref_size (work, step->refs[i]) > (guint64) limits->buffer_bytes)
      text = g_strdup_printf ("a tensor takes %" G_GSIZE_FORMAT " byte%s, and a buffer of the "
                              "device %" G_GINT64_FORMAT,
                              ref_size (work, step->refs[i]),
                              assay_plural (ref_size (work, step->refs[i])), limits->buffer_bytes);

  return text != NULL ? g_string_chunk_insert_const (plan->texts, text) : NULL;
}

/* Whether the device is large enough for what a node has become; else the host runs it. */
static gboolean
fits_device (Work *work, AssayNodeId id)
{
  AssayGpuLower *lower = work->plan->lower;

  for (guint32 i = work->steps[id].begin; i < lower->steps->len; i++)
    {
      const char *excess = find_excess (work, id, &g_array_index (lower->steps, AssayGpuStep, i));

      if (excess == NULL)
        continue;
      g_array_set_size (
          lower->words,
          g_array_index (lower->steps, AssayGpuStep, work->steps[id].begin).first_word);
      g_array_set_size (lower->steps, work->steps[id].begin);
      lower->reason = excess;
      return FALSE;
    }

  return TRUE;
}

/* Asks the lowerings what has shaders. */
static void
place_nodes (Work *work)
{
  AssayDelegatePlan *plan = work->plan;

  for (guint i = 0; i < work->order->len; i++)
    {
      AssayNodeId id = g_array_index (work->order, AssayNodeId, i);

      if (plan->places[id] != ASSAY_DELEGATE_HOST || !work->nodes[id].takes)
        continue;
      /* It was done by the node before it. */
      if (work->nodes[id].into != ASSAY_NO_NODE &&
          (plan->clamps[work->nodes[id].into] == id ||
           plan->quantizes[work->nodes[id].into] == id) &&
          plan->places[work->nodes[id].into] == ASSAY_DELEGATE_DEVICE)
        {
          plan->places[id] = ASSAY_DELEGATE_DEVICE;
          continue;
        }

      plan->lower->textures = work->nodes[id].textures;
      work->steps[id].begin = plan->lower->steps->len;
      if (!place_integers (work, id))
        {
          plan->quantizes[id] = ASSAY_NO_NODE;
          if (!bounds_itself (assay_graph_node (plan->graph, id)))
            plan->clamps[id] = ASSAY_NO_NODE;
        }
      if ((plan->quantizes[id] != ASSAY_NO_NODE ||
           assay_gpu_lower_node (plan->lower, id, plan->clamps[id], ASSAY_NO_NODE)) &&
          fits_device (work, id))
        plan->places[id] = ASSAY_DELEGATE_DEVICE;
      else
        {
          plan->reasons[id] = plan->lower->reason;
          plan->clamps[id] = plan->quantizes[id] = ASSAY_NO_NODE;
        }
      work->steps[id].end = plan->lower->steps->len;
    }
}

/* What is inside of a shader has no place; what makes it for shaders alone has nothing to do. */
static void
find_absent (Work *work)
{
  AssayDelegatePlan *plan = work->plan;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (plan->graph); id++)
    {
      const AssayNode *node = assay_graph_node (plan->graph, id);

      if (plan->clamps[id] != ASSAY_NO_NODE ||
          (plan->quantizes[id] != ASSAY_NO_NODE && plan->quantizes[id] != ASSAY_GPU_TO_FLOAT))
        work->absent[node->outputs[0]] = 1;
      if (plan->quantizes[id] == ASSAY_NO_NODE)
        continue;
      if (plan->clamps[id] != ASSAY_NO_NODE)
        work->absent[assay_graph_node (plan->graph, plan->clamps[id])->outputs[0]] = 1;
      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != ASSAY_NO_VALUE && work->n_reads[node->inputs[i]] > 0)
          work->n_reads[node->inputs[i]]--;
    }
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (plan->graph); id++)
    {
      const AssayNode *node = assay_graph_node (plan->graph, id);

      if (node->op != ASSAY_OP_DequantizeLinear || plan->places[id] != ASSAY_DELEGATE_DEVICE ||
          work->nodes[id].into == ASSAY_NO_NODE || work->n_reads[node->outputs[0]] > 0)
        continue;
      work->absent[node->outputs[0]] = 1;
      work->steps[id].end = work->steps[id].begin;
    }
}

static guint32
add_tensor (Work *work, AssayGpuSpace space, gsize size, AssayValueId owner)
{
  AssayGpuPlan *gpu = work->plan->gpu;
  AssayGpuTensor tensor = { .size = round_size (size), .space = space };

  if (space == ASSAY_GPU_WEIGHTS)
    {
      tensor.base = gpu->space_bytes[space];
      gpu->space_bytes[space] += (tensor.size + ASSAY_GPU_ALIGNMENT - 1) / ASSAY_GPU_ALIGNMENT *
                                 ASSAY_GPU_ALIGNMENT;
    }
  else
    {
      const AssayGpuLife life = { gpu->tensors->len, work->plan->rows->len, work->plan->rows->len };

      g_array_append_val (work->plan->lives, life);
    }
  g_array_append_val (gpu->tensors, tensor);
  g_array_append_val (work->plan->owners, owner);

  return gpu->tensors->len - 1;
}

/* A tensor is there up to the step that is under way. */
static void
use_tensor (Work *work, guint32 tensor)
{
  AssayDelegatePlan *plan = work->plan;

  for (guint i = plan->lives->len; i-- > 0;)
    {
      AssayGpuLife *life = &g_array_index (plan->lives, AssayGpuLife, i);

      if (life->tensor != tensor)
        continue;
      life->died = MAX (life->died, plan->rows->len);
      return;
    }
}

static guint32
tensor_of (Work *work, AssayGpuRef ref, AssayNodeId node, guint32 *scratch)
{
  AssayDelegatePlan *plan = work->plan;
  guint32 number = ref & ASSAY_GPU_REF_NUMBER;
  AssayDelegateWeight weight = { .node = node };
  guint32 *place;

  if ((ref & ASSAY_GPU_REF_SCRATCH) != 0)
    {
      place = &scratch[number];
      if (*place == NO_TENSOR)
        *place = add_tensor (work, ASSAY_GPU_WORK,
                             g_array_index (plan->lower->scratch, gsize, number), ASSAY_NO_VALUE);
      use_tensor (work, *place);
      return *place;
    }

  place = (ref & ASSAY_GPU_REF_PACKED) != 0 ? &work->packed[number]
                                            : &work->tensors[number = root_of (work, number)];
  if ((ref & ASSAY_GPU_REF_PACKED) == 0 && !assay_graph_is_constant (plan->graph, number))
    {
      if (*place == NO_TENSOR)
        *place = add_tensor (work, ASSAY_GPU_WORK, value_size (work, number), number);
      use_tensor (work, *place);
      return *place;
    }
  if (*place == NO_TENSOR)
    {
      gboolean packed = (ref & ASSAY_GPU_REF_PACKED) != 0;

      *place = weight.tensor = add_tensor (
          work, ASSAY_GPU_WEIGHTS,
          packed ? g_bytes_get_size (g_ptr_array_index (plan->lower->packed, number))
                 : value_size (work, number),
          packed ? ASSAY_NO_VALUE : number);
      weight.value = packed ? ASSAY_NO_VALUE : number;
      weight.packed = number;
      g_array_append_val (plan->weights, weight);
    }

  return *place;
}

static void
add_row (Work *work, AssayDelegateRowKind kind, guint32 index, AssayNodeId node)
{
  const AssayDelegateRow row = { kind, index, node };

  g_array_append_val (work->plan->rows, row);
}

static void
add_copy (Work *work, guint32 tensor, AssayValueId value)
{
  AssayGpuPlan *gpu = work->plan->gpu;
  const AssayGpuCopy copy = { work->shared, tensor, value };

  work->shared += (g_array_index (gpu->tensors, AssayGpuTensor, tensor).size + ASSAY_GPU_ALIGNMENT -
                   1) /
                  ASSAY_GPU_ALIGNMENT * ASSAY_GPU_ALIGNMENT;
  g_array_append_val (gpu->copies, copy);
}

static gboolean
is_ready (const Work *work, AssayNodeId id)
{
  g_autoptr (GPtrArray)
      reads = list_reads (work->plan->graph, assay_graph_node (work->plan->graph, id));

  for (guint i = 0; i < reads->len; i++)
    {
      AssayNodeId producer = assay_graph_value (work->plan->graph,
                                                GPOINTER_TO_UINT (g_ptr_array_index (reads, i)))
                                 ->producer;

      if (producer != ASSAY_NO_NODE && !work->done[producer])
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_host (Work *work)
{
  AssayDelegatePlan *plan = work->plan;
  gboolean moved = FALSE;

  for (guint i = 0; i < work->order->len; i++)
    {
      AssayNodeId id = g_array_index (work->order, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (plan->graph, id);
      const AssayDelegateStage stage = { FALSE, id };

      if (work->done[id] || plan->places[id] != ASSAY_DELEGATE_HOST || !is_ready (work, id))
        continue;
      work->done[id] = 1;
      moved = TRUE;
      for (guint j = 0; j < node->n_outputs; j++)
        work->on_host[node->outputs[j]] = 1;
      g_array_append_val (plan->stages, stage);
      add_row (work, ASSAY_DELEGATE_ROW_HOST, id, id);
    }

  return moved;
}

/* What the nodes of a submission read of what the host has. */
static void
upload (Work *work, const GArray *nodes)
{
  AssayDelegatePlan *plan = work->plan;
  guint first = plan->gpu->copies->len;

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (plan->graph, id);

      for (guint j = 0; j < node->n_inputs; j++)
        {
          AssayValueId value = node->inputs[j];

          if (value == ASSAY_NO_VALUE || assay_graph_is_constant (plan->graph, value))
            continue;
          value = root_of (work, value);
          if (!work->on_host[value] || work->tensors[value] != NO_TENSOR ||
              assay_gpu_form (assay_graph_value (plan->graph, value)->type->dtype, plan->half) ==
                  ASSAY_GPU_FORM_NONE)
            continue;
          work->tensors[value] = add_tensor (work, ASSAY_GPU_WORK, value_size (work, value), value);
          add_copy (work, work->tensors[value], value);
          add_row (work, ASSAY_DELEGATE_ROW_UPLOAD, plan->gpu->copies->len - 1, id);
        }
    }

  /* They come all at once, even what nobody reads in the end. */
  for (guint i = first; i < plan->gpu->copies->len; i++)
    use_tensor (work, g_array_index (plan->gpu->copies, AssayGpuCopy, i).tensor);
}

static guint32
add_texture (Work *work, AssayValueId value, const gint32 planes[3])
{
  gboolean is_half = assay_gpu_form (assay_graph_value (work->plan->graph, value)->type->dtype,
                                     work->plan->half) == ASSAY_GPU_FORM_F16;
  const guint32 extents[] = { (guint32) (planes[0] + 3) / 4, (guint32) planes[1],
                              (guint32) planes[2] };
  guint32 id = add_tensor (work, ASSAY_GPU_TEXTURES,
                           (gsize) extents[0] * extents[1] * extents[2] * (is_half ? 8 : 16),
                           value);
  AssayGpuTensor *tensor = &g_array_index (work->plan->gpu->tensors, AssayGpuTensor, id);

  memcpy (tensor->extents, extents, sizeof extents);
  tensor->is_half = is_half;

  return id;
}

/* The texture of a value that a shader reads, or makes where its node asks for one. */
static guint32
texture_of (Work *work, const AssayGpuStep *step, guint at, guint n, AssayNodeId node)
{
  AssayGpuRef ref = step->refs[at];
  AssayValueId value;
  gint32 planes[3];

  if (!takes_texture (work, step, at))
    return NO_TENSOR;
  value = root_of (work, ref);
  if (at == n - 1 && work->nodes[node].textures && step->result != ASSAY_GPU_RESULT_PARTS &&
      work->textures[value] == NO_TENSOR && work->tensors[value] == NO_TENSOR &&
      fits_texture (work, value, planes))
    work->textures[value] = add_texture (work, value, planes);
  if (work->textures[value] != NO_TENSOR)
    use_tensor (work, work->textures[value]);

  return work->textures[value];
}

/* A dispatch as it is handed in: what it is told of textures stands behind its words. */
static void
add_dispatch (Work *work, AssayGpuDispatch *made, AssayGpuResult result, const AssayValueId *values,
              AssayDelegateRowKind kind)
{
  AssayGpuPlan *gpu = work->plan->gpu;
  guint last = made->n_tensors - 1;

  if (made->textures != 0)
    {
      guint32 first = gpu->words->len;

      if ((made->textures >> last & 1) != 0 && result == ASSAY_GPU_RESULT_WHOLE)
        {
          const AssayGpuTensor *tensor = &g_array_index (gpu->tensors, AssayGpuTensor,
                                                         made->tensors[last]);

          /* An invocation makes a texel, so that there are as many. */
          made->count = tensor->extents[0] * tensor->extents[1] * tensor->extents[2];
          g_array_set_size (gpu->words, first + made->n_words);
          memcpy (&g_array_index (gpu->words, gint32, first),
                  &g_array_index (gpu->words, gint32, made->first_word),
                  made->n_words * sizeof (gint32));
          g_array_index (gpu->words, gint32, first) = (gint32) made->count;
          made->first_word = first;
        }
      made->first_shape = gpu->words->len;
      for (guint i = 0; i < made->n_tensors; i++)
        {
          gint32 planes[3] = { 1, 1, 1 };

          if ((made->textures >> i & 1) != 0)
            read_planes (work, values[i], planes);
          g_array_append_vals (gpu->words, planes, 2);
        }
    }
  g_array_append_vals (gpu->dispatches, made, 1);
  add_row (work, kind, gpu->dispatches->len - 1, made->node);
}

/* A value that is a texture alone becomes a buffer as well, for whom reads no textures. */
static void
make_buffer (Work *work, AssayValueId value)
{
  AssayValueId root = root_of (work, value);
  const AssayGpuTensor *texture;
  gboolean is_half;
  AssayGpuDispatch made = { .n_words = 3, .n_tensors = 2, .textures = 1 };
  const AssayValueId values[] = { root, root };
  gint32 words[3] = { 0 };

  if (work->tensors[root] != NO_TENSOR || work->textures[root] == NO_TENSOR)
    return;
  texture = &g_array_index (work->plan->gpu->tensors, AssayGpuTensor, work->textures[root]);
  is_half = texture->is_half != 0;
  made.shader = is_half ? ASSAY_GPU_SHADER_UNARY_TEXTURES_F16 : ASSAY_GPU_SHADER_UNARY_TEXTURES_F32;
  made.op = ASSAY_GPU_UNARY_TEXELS;
  made.count = texture->extents[0] * texture->extents[1] * texture->extents[2];
  words[0] = (gint32) made.count;
  made.node = assay_graph_value (work->plan->graph, root)->producer;
  made.first_word = work->plan->gpu->words->len;
  g_array_append_vals (work->plan->gpu->words, words, 3);
  work->tensors[root] = add_tensor (work, ASSAY_GPU_WORK, value_size (work, root), root);
  made.tensors[0] = work->textures[root];
  made.tensors[1] = work->tensors[root];
  use_tensor (work, made.tensors[0]);
  add_dispatch (work, &made, ASSAY_GPU_RESULT_WHOLE, values, ASSAY_DELEGATE_ROW_TRANSITION);
}

static void
dispatch (Work *work, AssayNodeId id, guint32 *scratch)
{
  AssayDelegatePlan *plan = work->plan;

  for (guint32 i = work->steps[id].begin; i < work->steps[id].end; i++)
    {
      const AssayGpuStep *step = &g_array_index (plan->lower->steps, AssayGpuStep, i);
      AssayValueId values[ASSAY_GPU_MAX_TENSORS] = { ASSAY_NO_VALUE };
      AssayGpuDispatch made = {
        .shader = step->shader,
        .op = step->op,
        .count = step->count,
        .first_word = step->first_word,
        .n_words = step->n_words,
        .n_tensors = assay_gpu_shader_n_tensors (step->shader),
        .node = id,
      };

      for (guint j = 0; j + 1 < made.n_tensors; j++)
        if ((step->refs[j] & (ASSAY_GPU_REF_PACKED | ASSAY_GPU_REF_SCRATCH)) == 0 &&
            !takes_texture (work, step, j))
          make_buffer (work, step->refs[j]);
      for (guint j = 0; j < made.n_tensors; j++)
        {
          made.tensors[j] = texture_of (work, step, j, made.n_tensors, id);
          if (made.tensors[j] == NO_TENSOR)
            {
              made.tensors[j] = tensor_of (work, step->refs[j], id, scratch);
              continue;
            }
          made.textures |= 1u << j;
          values[j] = root_of (work, step->refs[j]);
        }
      if (made.textures != 0)
        made.shader = assay_gpu_shader_with_textures (step->shader);
      add_dispatch (work, &made, step->result, values, ASSAY_DELEGATE_ROW_DISPATCH);
    }
}

/* Whether the host needs a value, or somebody wants to see it. */
static gboolean
comes_back (const Work *work, AssayValueId value)
{
  return value != ASSAY_NO_VALUE && !work->absent[value] &&
         (work->for_host[value] || work->keep_all);
}

/* What comes back is a buffer, before any of it is on its way. */
static void
make_buffers (Work *work, const GArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (work->plan->graph,
                                                g_array_index (nodes, AssayNodeId, i));

      for (guint j = 0; j < node->n_outputs; j++)
        if (comes_back (work, node->outputs[j]))
          make_buffer (work, node->outputs[j]);
    }
}

/* What the host needs of what a submission has made, or what somebody wants to see. */
static void
download (Work *work, const GArray *nodes)
{
  AssayDelegatePlan *plan = work->plan;

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (plan->graph, id);

      for (guint j = 0; j < node->n_outputs; j++)
        {
          AssayValueId value = node->outputs[j];
          AssayValueId root = value != ASSAY_NO_VALUE ? root_of (work, value) : value;

          if (!comes_back (work, value))
            continue;
          if (work->tensors[root] == NO_TENSOR)
            work->tensors[root] = add_tensor (work, ASSAY_GPU_WORK, value_size (work, root), root);
          add_copy (work, work->tensors[root], value);
          use_tensor (work, work->tensors[root]);
          add_row (work, ASSAY_DELEGATE_ROW_DOWNLOAD, plan->gpu->copies->len - 1, id);
          work->on_host[value] = 1;
        }
    }
}

static gboolean
run_device (Work *work, guint32 *scratch)
{
  AssayDelegatePlan *plan = work->plan;
  AssayGpuPlan *gpu = plan->gpu;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  AssayGpuSubmission part = { 0 };
  const AssayDelegateStage stage = { TRUE, gpu->submissions->len };

  for (guint i = 0; i < work->order->len; i++)
    {
      AssayNodeId id = g_array_index (work->order, AssayNodeId, i);

      if (work->done[id] || plan->places[id] != ASSAY_DELEGATE_DEVICE || !is_ready (work, id))
        continue;
      work->done[id] = 1;
      g_array_append_val (nodes, id);
    }
  if (nodes->len == 0)
    return FALSE;

  part.first_in = gpu->copies->len;
  upload (work, nodes);
  part.n_in = gpu->copies->len - part.first_in;
  part.first_dispatch = gpu->dispatches->len;
  for (guint i = 0; i < nodes->len; i++)
    dispatch (work, g_array_index (nodes, AssayNodeId, i), scratch);
  make_buffers (work, nodes);
  part.n_dispatches = gpu->dispatches->len - part.first_dispatch;
  part.first_out = gpu->copies->len;
  download (work, nodes);
  part.n_out = gpu->copies->len - part.first_out;
  g_array_append_val (gpu->submissions, part);
  g_array_append_val (plan->stages, stage);

  return TRUE;
}

static void
find_host_reads (Work *work)
{
  AssayDelegatePlan *plan = work->plan;
  const AssayRegion *ends = assay_graph_region (plan->graph, ASSAY_MAIN_REGION);

  for (guint i = 0; i < ends->inputs->len; i++)
    work->on_host[g_array_index (ends->inputs, AssayValueId, i)] = 1;
  for (guint i = 0; i < ends->outputs->len; i++)
    work->for_host[g_array_index (ends->outputs, AssayValueId, i)] = 1;
  for (guint i = 0; i < work->order->len; i++)
    {
      AssayNodeId id = g_array_index (work->order, AssayNodeId, i);
      g_autoptr (GPtrArray) reads = NULL;

      if (plan->places[id] != ASSAY_DELEGATE_HOST)
        continue;
      reads = list_reads (plan->graph, assay_graph_node (plan->graph, id));
      for (guint j = 0; j < reads->len; j++)
        work->for_host[GPOINTER_TO_UINT (g_ptr_array_index (reads, j))] = 1;
    }
}

static void
work_out (Work *work)
{
  AssayDelegatePlan *plan = work->plan;
  g_autofree guint32 *scratch = NULL;

  work->order = assay_graph_sort_region (plan->graph, ASSAY_MAIN_REGION, NULL);
  find_live (work);
  count_reads (work);
  find_fused (work);
  place_nodes (work);
  find_absent (work);
  find_host_reads (work);
  scratch = g_new (guint32, plan->lower->scratch->len + 1);
  memset (scratch, 0xff, (plan->lower->scratch->len + 1) * sizeof *scratch);
  work->packed = g_new (guint32, plan->lower->packed->len + 1);
  memset (work->packed, 0xff, (plan->lower->packed->len + 1) * sizeof *work->packed);
  g_array_append_vals (plan->gpu->words, plan->lower->words->data, plan->lower->words->len);

  while (run_host (work) | run_device (work, scratch))
    ;

  /* What is to be seen stays. */
  for (guint i = 0; work->keep_all && i < plan->lives->len; i++)
    g_array_index (plan->lives, AssayGpuLife, i).died = G_MAXUINT32;
  assay_gpu_memory_plan (plan->gpu, plan->lives);
}

/**
 * assay_delegate_plan_new:
 * @graph: a graph that was checked
 * @nodes: (array): per node of it what the check said
 * @half: whether floats are halves on the device
 * @keep_all: whether every value of the device is kept and comes back, to be looked at
 * @limits: those of the device; what is more than it has the host runs
 *
 * Shares a model between host and device.
 *
 * Returns: (transfer full): the plan
 */
AssayDelegatePlan *
assay_delegate_plan_new (AssayGraph *graph, const AssayDelegateNode *nodes, gboolean half,
                         gboolean keep_all, const AssayDelegateLimits *limits)
{
  AssayDelegatePlan *self = g_new0 (AssayDelegatePlan, 1);
  guint n_values = assay_graph_n_values (graph);
  guint n_nodes = assay_graph_n_nodes (graph);
  Work work = {
    .plan = self,
    .nodes = nodes,
    .keep_all = keep_all,
    .steps = g_new0 (Range, n_nodes),
    .n_reads = g_new0 (guint, n_values),
    .absent = g_new0 (guint8, n_values),
    .done = g_new0 (guint8, n_nodes),
    .on_host = g_new0 (guint8, n_values),
    .for_host = g_new0 (guint8, n_values),
    .tensors = g_new (guint32, n_values),
    .textures = g_new (guint32, n_values),
  };

  self->graph = assay_graph_ref (graph);
  self->half = half;
  self->limits = *limits;
  self->texts = g_string_chunk_new (256);
  self->lower = assay_gpu_lower_new (graph, half);
  self->places = g_new0 (guint8, n_nodes);
  self->reasons = g_new0 (const char *, n_nodes);
  self->clamps = g_new0 (AssayNodeId, n_nodes);
  self->quantizes = g_new0 (AssayNodeId, n_nodes);
  self->gpu = assay_gpu_plan_new ();
  self->stages = g_array_new (FALSE, FALSE, sizeof (AssayDelegateStage));
  self->rows = g_array_new (FALSE, FALSE, sizeof (AssayDelegateRow));
  self->weights = g_array_new (FALSE, FALSE, sizeof (AssayDelegateWeight));
  self->lives = g_array_new (FALSE, FALSE, sizeof (AssayGpuLife));
  self->owners = g_array_new (FALSE, FALSE, sizeof (guint32));
  memset (work.tensors, 0xff, n_values * sizeof *work.tensors);
  memset (work.textures, 0xff, n_values * sizeof *work.textures);

  work_out (&work);
  self->gpu->shared_bytes = self->gpu->space_bytes[ASSAY_GPU_WEIGHTS] + work.shared;
  for (guint i = 0; i < self->gpu->copies->len; i++)
    g_array_index (self->gpu->copies, AssayGpuCopy, i).shared +=
        self->gpu->space_bytes[ASSAY_GPU_WEIGHTS];

  g_array_unref (work.order);
  g_free (work.steps);
  g_free (work.n_reads);
  g_free (work.absent);
  g_free (work.done);
  g_free (work.on_host);
  g_free (work.for_host);
  g_free (work.tensors);
  g_free (work.textures);
  g_free (work.packed);

  return self;
}

void
assay_delegate_plan_free (AssayDelegatePlan *self)
{
  if (self == NULL)
    return;

  assay_graph_unref (self->graph);
  assay_gpu_lower_free (self->lower);
  assay_gpu_plan_free (self->gpu);
  g_free (self->places);
  g_free (self->reasons);
  g_string_chunk_free (self->texts);
  g_free (self->clamps);
  g_free (self->quantizes);
  g_array_unref (self->stages);
  g_array_unref (self->rows);
  g_array_unref (self->weights);
  g_array_unref (self->lives);
  g_array_unref (self->owners);
  g_free (self);
}

/**
 * assay_delegate_plan_count_memory:
 * @self: a plan
 *
 * Counts the memory of the device that a plan takes at least: how large a texture becomes there
 * only the device knows.
 *
 * Returns: bytes
 */
guint64
assay_delegate_plan_count_memory (const AssayDelegatePlan *self)
{
  guint64 sum = self->gpu->words->len * sizeof (gint32);

  for (guint i = 0; i < ASSAY_GPU_N_SPACES; i++)
    sum += self->gpu->space_bytes[i];

  return sum;
}
