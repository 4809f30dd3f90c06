/* assay-gpu-lower.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/delegate/assay-gpu-lower-private.h"

#include <math.h>
#include <string.h>

typedef struct
{
  AssayOp op;
  AssayGpuLowerFunc func;
  guint what;
} Row;

static const Row rows[] = {
/* clang-format off */
#define ASSAY_GPU_LOWERING_ROW(op, name, what) { ASSAY_OP_##op, assay_gpu_lower_##name, what },
#include "backend/delegate/gpu-lowerings.def"
#undef ASSAY_GPU_LOWERING_ROW
  /* clang-format on */
};

/**
 * assay_gpu_form:
 * @dtype: type of the elements of a value
 * @half: whether floats are halves on the device
 *
 * Finds what the elements are in the memory of a device: 64-bit integers take 32 bits there.
 *
 * Returns: the form
 */
AssayGpuForm
assay_gpu_form (AssayDType dtype, gboolean half)
{
  switch (dtype)
    {
    case ASSAY_DTYPE_F32:
      return half ? ASSAY_GPU_FORM_F16 : ASSAY_GPU_FORM_F32;
    case ASSAY_DTYPE_F16:
      return ASSAY_GPU_FORM_F16;
    case ASSAY_DTYPE_BOOL:
    case ASSAY_DTYPE_I8:
    case ASSAY_DTYPE_U8:
    case ASSAY_DTYPE_I32:
    case ASSAY_DTYPE_I64:
      return ASSAY_GPU_FORM_I32;
    default:
      return ASSAY_GPU_FORM_NONE;
    }
}

/**
 * assay_gpu_form_size:
 * @form: a form
 *
 * Tells how much an element takes.
 *
 * Returns: bytes
 */
guint
assay_gpu_form_size (AssayGpuForm form)
{
  return form == ASSAY_GPU_FORM_F16 ? 2 : 4;
}

/**
 * assay_gpu_lower_new:
 * @graph: a graph
 * @half: whether floats are halves on the device
 *
 * Makes ready to lower nodes of a graph.
 *
 * Returns: (transfer full): what lowers them
 */
AssayGpuLower *
assay_gpu_lower_new (AssayGraph *graph, gboolean half)
{
  AssayGpuLower *self = g_new0 (AssayGpuLower, 1);

  self->graph = assay_graph_ref (graph);
  self->half = half;
  self->steps = g_array_new (FALSE, TRUE, sizeof (AssayGpuStep));
  self->words = g_array_new (FALSE, TRUE, sizeof (gint32));
  self->packed = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  self->scratch = g_array_new (FALSE, TRUE, sizeof (gsize));
  self->aliases = g_new0 (AssayValueId, assay_graph_n_values (graph));

  return self;
}

void
assay_gpu_lower_free (AssayGpuLower *self)
{
  if (self == NULL)
    return;

  assay_graph_unref (self->graph);
  g_array_unref (self->steps);
  g_array_unref (self->words);
  g_ptr_array_unref (self->packed);
  g_array_unref (self->scratch);
  g_free (self->aliases);
  g_free (self);
}

/* The bounds of a Relu or Clip that takes effect in the node before it. */
static gboolean
take_bounds (AssayGpuLower *self)
{
  const AssayNode *clamp;
  double number;

  self->low = -INFINITY;
  self->high = INFINITY;
  if (self->clamp == ASSAY_NO_NODE)
    return TRUE;

  clamp = assay_graph_node (self->graph, self->clamp);
  if (clamp->op == ASSAY_OP_Relu)
    self->low = 0.0f;
  for (guint i = 1; clamp->op == ASSAY_OP_Clip && i < 3; i++)
    if (assay_node_input (clamp, i) != ASSAY_NO_VALUE)
      {
        if (!assay_gpu_lower_scalar (self, assay_node_input (clamp, i), &number))
          return FALSE;
        *(i == 1 ? &self->low : &self->high) = (float) number;
      }

  return TRUE;
}

/**
 * assay_gpu_lower_node:
 * @self: what lowers nodes
 * @id: a node
 * @clamp: the Relu or Clip whose bounds take effect in it and whose result it writes, or
 * %ASSAY_NO_NODE
 * @quantize: the QuantizeLinear that takes effect in it, and whose result it writes,
 * %ASSAY_GPU_TO_FLOAT, or %ASSAY_NO_NODE
 *
 * Appends the steps of a node, or tells why there are none.
 *
 * Returns: whether it has shaders
 */
gboolean
assay_gpu_lower_node (AssayGpuLower *self, AssayNodeId id, AssayNodeId clamp, AssayNodeId quantize)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  guint n_steps = self->steps->len;
  guint n_words = self->words->len;
  guint n_packed = self->packed->len;
  guint n_scratch = self->scratch->len;

  self->node = id;
  self->clamp = clamp;
  self->reason = "there is no shader for this operation";
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (rows[i].op != node->op)
        continue;
      if (take_bounds (self) &&
          (quantize != ASSAY_NO_NODE
               ? assay_gpu_lower_integers (self, node,
                                           quantize != ASSAY_GPU_TO_FLOAT
                                               ? assay_graph_node (self->graph, quantize)
                                               : NULL)
               : rows[i].func (self, node, rows[i].what)))
        return TRUE;
      break;
    }

  g_array_set_size (self->steps, n_steps);
  g_array_set_size (self->words, n_words);
  g_ptr_array_set_size (self->packed, (gint) n_packed);
  g_array_set_size (self->scratch, n_scratch);

  return FALSE;
}

gboolean
assay_gpu_lower_refuse (AssayGpuLower *self, const char *reason)
{
  self->reason = reason;
  return FALSE;
}

/* A value that can be on the device: of a known type and shape, with fewer elements than a word
 * counts. */
gboolean
assay_gpu_lower_shape (AssayGpuLower *self, AssayValueId value, AssayGpuShape *shape)
{
  const AssayType *type = value == ASSAY_NO_VALUE ? &assay_type_unknown
                                                  : assay_graph_value (self->graph, value)->type;
  gsize n;

  *shape = (AssayGpuShape){ 0 };
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || !assay_type_is_static (type) ||
      type->rank > ASSAY_MAX_RANK || !assay_type_count (type, &n))
    return assay_gpu_lower_refuse (self, "there is no shader for shapes that change");
  shape->form = assay_gpu_form (type->dtype, self->half);
  if (shape->form == ASSAY_GPU_FORM_NONE)
    return assay_gpu_lower_refuse (self, "there is no shader for this element type");
  if (n >= G_MAXINT32)
    return assay_gpu_lower_refuse (self, "a tensor has more elements than 32 bits count");

  shape->dtype = type->dtype;
  shape->rank = (guint) type->rank;
  shape->n = (gint64) n;
  for (guint i = 0; i < shape->rank; i++)
    shape->dims[i] = type->dims[i].size;

  return TRUE;
}

gboolean
assay_gpu_lower_float_shape (AssayGpuLower *self, AssayValueId value, AssayGpuShape *shape)
{
  if (!assay_gpu_lower_shape (self, value, shape))
    return FALSE;

  return shape->form != ASSAY_GPU_FORM_I32 ||
         assay_gpu_lower_refuse (self, "there is no shader for integers");
}

/* A number that is known when the program is built. */
gboolean
assay_gpu_lower_scalar (AssayGpuLower *self, AssayValueId value, double *number)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, value);

  if (tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
      assay_tensor_get_element (tensor, 0, number, NULL))
    return TRUE;

  return assay_gpu_lower_refuse (self, "there is no shader for parameters that are computed");
}

/* The same elements under another shape: nothing is to be done. */
gboolean
assay_gpu_lower_alias (AssayGpuLower *self, AssayValueId result, AssayValueId source)
{
  if (assay_graph_is_constant (self->graph, source))
    return assay_gpu_lower_refuse (self, "nothing of it is left to do but for the host");
  self->aliases[result] = source;

  return TRUE;
}

AssayGpuRef
assay_gpu_lower_pack (AssayGpuLower *self, gconstpointer data, gsize size)
{
  g_ptr_array_add (self->packed, g_bytes_new (data, size));

  return ASSAY_GPU_REF_PACKED | (self->packed->len - 1);
}

AssayGpuRef
assay_gpu_lower_scratch (AssayGpuLower *self, AssayGpuForm form, gint64 n)
{
  gsize size = (gsize) n * assay_gpu_form_size (form);

  g_array_append_val (self->scratch, size);

  return ASSAY_GPU_REF_SCRATCH | (self->scratch->len - 1);
}

void
assay_gpu_lower_word (AssayGpuLower *self, gint64 word)
{
  gint32 value = (gint32) CLAMP (word, G_MININT32, G_MAXINT32);

  g_array_append_val (self->words, value);
}

void
assay_gpu_lower_number (AssayGpuLower *self, double number)
{
  float value = (float) number;
  gint32 word;

  memcpy (&word, &value, sizeof word);
  g_array_append_val (self->words, word);
}

void
assay_gpu_lower_bounds (AssayGpuLower *self)
{
  assay_gpu_lower_number (self, self->low);
  assay_gpu_lower_number (self, self->high);
}

/* A step begins with how many invocations it has. */
void
assay_gpu_lower_begin (AssayGpuLower *self, gint64 count)
{
  const AssayGpuStep step = { .count = (guint32) count, .first_word = self->words->len };

  g_array_append_val (self->steps, step);
  assay_gpu_lower_word (self, count);
}

/* How the step under way makes its result, unless it makes it whole. */
void
assay_gpu_lower_result (AssayGpuLower *self, AssayGpuResult result)
{
  g_array_index (self->steps, AssayGpuStep, self->steps->len - 1).result = result;
}

/* One without invocations is none. */
void
assay_gpu_lower_end (AssayGpuLower *self, AssayGpuShader shader, guint op, const AssayGpuRef *refs)
{
  AssayGpuStep *step = &g_array_index (self->steps, AssayGpuStep, self->steps->len - 1);
  guint n = assay_gpu_shader_n_tensors (shader);

  step->shader = shader;
  step->op = op;
  step->n_words = self->words->len - step->first_word;
  memcpy (step->refs, refs, n * sizeof *refs);
  if (self->clamp != ASSAY_NO_NODE &&
      step->refs[n - 1] == assay_graph_node (self->graph, self->node)->outputs[0])
    step->refs[n - 1] = assay_graph_node (self->graph, self->clamp)->outputs[0];
  if (step->count > 0)
    return;

  g_array_set_size (self->words, step->first_word);
  g_array_set_size (self->steps, self->steps->len - 1);
}

void
assay_gpu_strides (guint rank, const gint64 *dims, gint64 *strides)
{
  gint64 stride = 1;

  for (guint i = rank; i-- > 0;)
    {
      strides[i] = stride;
      stride *= dims[i];
    }
}

/* How a tensor is walked through where it broadcasts to the axes of the walk. */
void
assay_gpu_walk_broadcast (AssayGpuWalk *self, guint side, const AssayGpuShape *shape)
{
  gint64 strides[ASSAY_MAX_RANK];
  guint missing = self->rank - shape->rank;

  assay_gpu_strides (shape->rank, shape->dims, strides);
  for (guint i = 0; i < self->rank; i++)
    self->strides[side][i] = i < missing || shape->dims[i - missing] == 1 ? 0
                                                                          : strides[i - missing];
}

/* Axes that every tensor walks through as one become one. */
void
assay_gpu_walk_collapse (AssayGpuWalk *self)
{
  guint rank = 0;

  for (guint i = 0; i < self->rank; i++)
    {
      gboolean joins = rank > 0;

      if (self->dims[i] == 1)
        continue;
      for (guint side = 0; joins && side < self->n_sides; side++)
        joins = self->strides[side][rank - 1] == self->strides[side][i] * self->dims[i];
      if (joins)
        self->dims[rank - 1] *= self->dims[i];
      else
        self->dims[rank++] = self->dims[i];
      for (guint side = 0; side < self->n_sides; side++)
        self->strides[side][rank - 1] = self->strides[side][i];
    }
  self->rank = rank;
}

/* The axes of a walk as words, the last one first. */
void
assay_gpu_lower_walk (AssayGpuLower *self, const AssayGpuWalk *walk)
{
  assay_gpu_lower_word (self, walk->rank);
  for (guint i = walk->rank; i-- > 0;)
    {
      assay_gpu_lower_word (self, walk->dims[i]);
      for (guint side = 0; side < walk->n_sides; side++)
        assay_gpu_lower_word (self, walk->strides[side][i]);
    }
}

/* Whether a walk makes all of a value, one element after the other. */
static gboolean
makes_all (AssayGpuLower *self, const AssayGpuWalk *walk, gint64 count, gint64 to,
           AssayGpuRef result)
{
  gint64 strides[ASSAY_MAX_RANK];
  gsize n = 0;

  if ((result & (ASSAY_GPU_REF_PACKED | ASSAY_GPU_REF_SCRATCH)) != 0 || to != 0 ||
      !assay_type_count (assay_graph_value (self->graph, result)->type, &n) || count != (gint64) n)
    return FALSE;
  assay_gpu_strides (walk->rank, walk->dims, strides);

  return memcmp (strides, walk->strides[1], walk->rank * sizeof *strides) == 0;
}

void
assay_gpu_lower_move (AssayGpuLower *self, AssayGpuForm form, const AssayGpuWalk *walk, gint64 from,
                      gint64 to, AssayGpuRef source, AssayGpuRef result)
{
  static const AssayGpuShader shaders[] = { 0, ASSAY_GPU_SHADER_MOVE_F32, ASSAY_GPU_SHADER_MOVE_F16,
                                            ASSAY_GPU_SHADER_MOVE_I32 };
  AssayGpuWalk collapsed = *walk;
  gint64 count = 1;
  gboolean all;

  for (guint i = 0; i < walk->rank; i++)
    count *= walk->dims[i];
  assay_gpu_walk_collapse (&collapsed);
  all = makes_all (self, &collapsed, count, to, result);
  assay_gpu_lower_begin (self, count);
  assay_gpu_lower_word (self, from);
  assay_gpu_lower_word (self, to);
  assay_gpu_lower_walk (self, &collapsed);
  if (!all)
    assay_gpu_lower_result (self, ASSAY_GPU_RESULT_PARTS);
  assay_gpu_lower_end (self, shaders[form], all ? 1 : 0, (const AssayGpuRef[]){ source, result });
}

void
assay_gpu_lower_fill (AssayGpuLower *self, AssayGpuForm form, gint64 n, double value,
                      AssayGpuRef result)
{
  static const AssayGpuShader shaders[] = { 0, ASSAY_GPU_SHADER_FILL_F32, ASSAY_GPU_SHADER_FILL_F16,
                                            ASSAY_GPU_SHADER_FILL_I32 };

  assay_gpu_lower_begin (self, n);
  if (form == ASSAY_GPU_FORM_I32)
    assay_gpu_lower_word (self, (gint64) value);
  else
    assay_gpu_lower_number (self, value);
  assay_gpu_lower_end (self, shaders[form], 0, &result);
}
