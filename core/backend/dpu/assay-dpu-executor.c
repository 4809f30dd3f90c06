/* assay-dpu-executor.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs programs of the device: in integers as the device does, or as a tool that quantises
 * simulates them. Nodes of the host run on the evaluator between.
 */
#include "backend/dpu/assay-dpu-executor.h"

#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/dpu/assay-dpu-explain.h"
#include "backend/dpu/assay-dpu-simulate.h"
#include "backend/dpu/assay-dpu-tables.h"
#include "evaluate/assay-evaluate.h"
#include "quantize/assay-quantize.h"

/* Elements of a plane that are transposed together. */
#define PLANE_BLOCK 64

typedef struct
{
  AssayExecutor parent;

  const AssayDpuCode *code;
  const AssayDpuLevel *level;
  const AssayQuantizer *simulated; /* NULL for the device itself */
  AssayEvaluator *evaluator;
  const AssayRunObserver *observer;
  gint64 step;
  gint8 *store;
  AssayDatum **floats;      /* per value: what the host has made, or what came in */
  gint8 **packed;           /* per operation: weights for the level */
  gint32 **column_sums;     /* per operation */
  GArray **runs;            /* per operation: of a move that keeps much together */
  AssayDpuFinish *finishes; /* per operation, of a simulation */
  double **exact_bias;      /* per operation, of a simulation */
  GArray **shown;           /* per operation: values that are there behind it */
  AssayDpuTables *tables;   /* of what the host computes, if nobody looks */
} Dpu;

static gint8 *
map_data (const Dpu *self, int map)
{
  const AssayDpuMap *root = assay_dpu_code_map (self->code, assay_dpu_code_root (self->code, map));

  return root->constant != NULL ? root->constant : self->store + root->base;
}

static void
forget_floats (Dpu *self)
{
  for (AssayValueId i = 0; i < assay_graph_n_values (self->code->graph); i++)
    g_clear_pointer (&self->floats[i], assay_datum_unref);
}

static void
dpu_clear (AssayExecutor *executor)
{
  Dpu *self = (Dpu *) executor;

  forget_floats (self);
  for (guint i = 0; i < self->code->ops->len; i++)
    {
      g_free (self->packed[i]);
      g_free (self->column_sums[i]);
      g_free (self->exact_bias[i]);
      g_clear_pointer (&self->shown[i], g_array_unref);
      g_clear_pointer (&self->runs[i], g_array_unref);
    }
  g_clear_pointer (&self->evaluator, assay_evaluator_free);
  g_clear_pointer (&self->tables, assay_dpu_tables_free);
  g_free (self->packed);
  g_free (self->column_sums);
  g_free (self->finishes);
  g_free (self->exact_bias);
  g_free (self->shown);
  g_free (self->runs);
  g_free (self->floats);
  g_free (self->store);
}

/* Channels of a map that lies with them last, or all elements as one, and elements of each. */
static void
get_planes (const AssayDpuMap *map, gsize *images, gsize *channels, gsize *plane)
{
  gboolean last = map->last && map->rank == 4;

  *images = last ? (gsize) map->dims[0] : 1;
  *channels = last ? (gsize) map->dims[1] : 1;
  *plane = last ? (gsize) map->dims[2] * (gsize) map->dims[3] : map->n;
}

/* Numbers of a map in the order of the graph, in blocks that stay near. */
static void
read_floats (const AssayDpuMap *map, const gint8 *data, float scale, float *numbers)
{
  gsize images, channels, plane;

  get_planes (map, &images, &channels, &plane);
  for (gsize i = 0; i < images; i++, data += channels * plane, numbers += channels * plane)
    for (gsize begin = 0; begin < plane; begin += PLANE_BLOCK)
      for (gsize c = 0; c < channels; c++)
        for (gsize j = begin; j < MIN (begin + PLANE_BLOCK, plane); j++)
          numbers[c * plane + j] = (float) data[j * channels + c] * scale;
}

/* The device rounds a half up, and its loops do that; a tool that is simulated has its own way. */
static void
write_floats (const Dpu *self, const AssayDpuMap *map, const float *numbers, AssayRounding rounding,
              gint8 *data)
{
  float factor = ldexpf (1.0f, map->position);
  gsize images, channels, plane;
  gint8 block[PLANE_BLOCK];

  get_planes (map, &images, &channels, &plane);
  for (gsize i = 0; i < images; i++, data += channels * plane, numbers += channels * plane)
    for (gsize begin = 0; begin < plane; begin += PLANE_BLOCK)
      for (gsize c = 0; c < channels; c++)
        {
          gsize n = MIN (PLANE_BLOCK, plane - begin);

          if (rounding == ASSAY_ROUNDING_UP)
            self->level->fix (numbers + c * plane + begin, factor, (guint) n, block);
          else
            assay_position_quantize_all (numbers + c * plane + begin, n, map->position, rounding,
                                         block);
          for (gsize j = 0; j < n; j++)
            data[(begin + j) * channels + c] = block[j];
        }
}

/* A map as the graph has it: numbers, or the 8 bits themselves for who reads those. */
static AssayDatum *
read_map (const Dpu *self, int map, AssayDType dtype, GError **error)
{
  const AssayDpuMap *info = assay_dpu_code_map (self->code, map);
  const gint8 *data = map_data (self, map);
  AssayDatum *datum = assay_datum_new (dtype, assay_datum_storage (dtype, FALSE), info->rank,
                                       info->dims, error);
  float scale = (float) ldexp (1.0, -info->position);

  if (datum == NULL)
    return NULL;
  if (dtype == ASSAY_DTYPE_I8 || dtype == ASSAY_DTYPE_U8)
    for (gsize i = 0; i < info->n; i++)
      ((guint8 *) datum->data)[i] = (guint8) (data[assay_dpu_map_store (info, i)] ^
                                              (dtype == ASSAY_DTYPE_U8 ? 0x80 : 0));
  else if (dtype == ASSAY_DTYPE_F32)
    read_floats (info, data, scale, (float *) datum->data);
  else
    for (gsize i = 0; i < info->n; i++)
      assay_datum_set_number (datum, i, (double) data[assay_dpu_map_store (info, i)] * scale);

  return datum;
}

/* Weights in 8 bits that the host reads as numbers. */
static AssayDatum *
dequantize (const Dpu *self, AssayNodeId node, GError **error)
{
  AssayDatum *none[3] = { NULL };
  g_autoptr (GPtrArray) outputs = assay_evaluator_run_node (
      self->evaluator, node, assay_graph_node (self->code->graph, node)->n_inputs, none, NULL,
      error);

  return outputs != NULL ? assay_datum_ref (g_ptr_array_index (outputs, 0)) : NULL;
}

/* What the host reads, or what goes out. */
static AssayDatum *
read_value (const Dpu *self, AssayValueId value, GError **error)
{
  const AssayValue *info = assay_graph_value (self->code->graph, value);
  int map = g_array_index (self->code->places, int, value);
  AssayDatum *datum = NULL;

  if (self->floats[value] != NULL)
    return assay_datum_ref (self->floats[value]);
  if (map != ASSAY_DPU_NO_MAP)
    return read_map (self, map, info->type->dtype, error);
  if (info->constant != NULL)
    datum = assay_datum_new_tensor (info->constant, FALSE, error);
  else if (info->producer != ASSAY_NO_NODE &&
           assay_graph_node (self->code->graph, info->producer)->op == ASSAY_OP_DequantizeLinear &&
           assay_graph_node (self->code->graph, info->producer)->n_inputs <= 3)
    datum = dequantize (self, info->producer, error);
  else
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "value %s is nowhere", info->name);

  return datum;
}

/* How floats become 8 bits, those of inputs and those that are computed. */
static AssayRounding
get_rounding (const Dpu *self, gboolean is_input)
{
  return self->simulated == NULL ? ASSAY_ROUNDING_UP
         : is_input              ? self->simulated->input
                                 : self->simulated->activation;
}

static gboolean
run_fix (Dpu *self, const AssayDpuOp *op, GError **error)
{
  const AssayDpuMap *map = assay_dpu_code_map (self->code, op->output);
  g_autoptr (AssayDatum) datum = read_value (self, op->value, error);
  gint8 *to = map_data (self, op->output);
  AssayRounding rounding = get_rounding (
      self, assay_graph_value (self->code->graph, op->value)->producer == ASSAY_NO_NODE);

  if (datum == NULL)
    return FALSE;
  if (datum->n != map->n || datum->storage != ASSAY_DTYPE_F32)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s has another shape than it had",
                   map->name);
      return FALSE;
    }
  write_floats (self, map, (const float *) datum->data, rounding, to);

  return TRUE;
}

static gboolean
run_host (Dpu *self, const AssayDpuOp *op, const AssayProgress *progress, GError **error)
{
  const AssayNode *node = assay_graph_node (self->code->graph, op->node);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray) outputs = NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId value = node->inputs[i];
      AssayDatum *datum = NULL;

      if (value != ASSAY_NO_VALUE && assay_graph_constant (self->code->graph, value) == NULL &&
          (datum = read_value (self, value, error)) == NULL)
        return FALSE;
      g_ptr_array_add (inputs, datum);
    }
  outputs = assay_evaluator_run_node (self->evaluator, op->node, inputs->len,
                                      (AssayDatum *const *) inputs->pdata, progress, error);
  if (outputs == NULL)
    return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE && g_ptr_array_index (outputs, i) != NULL)
      {
        g_clear_pointer (&self->floats[node->outputs[i]], assay_datum_unref);
        self->floats[node->outputs[i]] = assay_datum_ref (g_ptr_array_index (outputs, i));
      }

  return TRUE;
}

static void
run_integers (Dpu *self, guint index, const AssayDpuOp *op)
{
  const AssayDpuMap *out = assay_dpu_code_map (self->code, op->output);
  const AssayDpuFinish *finish = self->simulated != NULL ? &self->finishes[index] : &op->finish;
  g_autofree const gint8 **in = g_new (const gint8 *, MAX (op->n_inputs, 1));
  gint8 *to = map_data (self, op->output);
  gint8 table[256];

  for (guint i = 0; i < op->n_inputs; i++)
    in[i] = map_data (self, op->inputs[i]);
  if (self->simulated != NULL && assay_dpu_simulate (self->code, op, self->simulated, in, to))
    return;

  switch (op->kind)
    {
    case ASSAY_DPU_CONV:
      assay_dpu_conv (self->level, &op->window, in[0], self->packed[index],
                      self->column_sums[index], finish, to);
      break;
    case ASSAY_DPU_DEPTHWISE:
      assay_dpu_depthwise (self->level, &op->window, in[0], op->weights, finish, to);
      break;
    case ASSAY_DPU_MAX_POOL:
      assay_dpu_max_pool (self->level, &op->window, in[0], op->shift, to);
      break;
    case ASSAY_DPU_AVERAGE_POOL:
      assay_dpu_average_pool (&op->window, in[0], op->factor, op->shift, to);
      break;
    case ASSAY_DPU_ADD:
      assay_dpu_add (self->level, in, op->shifts, op->n_inputs, out->n, op->shift,
                     op->finish.activation, op->finish.cap, to);
      break;
    case ASSAY_DPU_MULTIPLY:
      assay_dpu_multiply (self->level, in[0], in[1], out->n, op->shift, op->finish.activation,
                          op->finish.cap, to);
      break;
    case ASSAY_DPU_MOVE:
      if (self->runs[index] != NULL)
        assay_dpu_move_all (in, self->runs[index], op->shifts, to);
      else
        assay_dpu_move (in, op->table, op->shifts, op->begins, op->n_inputs, out->n, to);
      break;
    case ASSAY_DPU_RESIZE:
      assay_dpu_resize (&op->window, in[0], op->half_pixel, op->shift, to);
      break;
    case ASSAY_DPU_ACTIVATE:
      assay_dpu_activate (in[0], out->n, op->window.oc, &op->finish, to);
      break;
    case ASSAY_DPU_ARG_MAX:
      assay_dpu_arg_max (in[0], out->n, op->window.c, to);
      break;
    case ASSAY_DPU_HARD_SIGMOID:
    case ASSAY_DPU_HARD_SWISH:
      for (int i = -128; i < 128; i++)
        table[i + 128] = (op->kind == ASSAY_DPU_HARD_SIGMOID
                              ? assay_dpu_hard_sigmoid
                              : assay_dpu_hard_swish) ((gint8) i, op->positions[0], op->shift);
      assay_dpu_look_up (in[0], out->n, table, to);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* Puts other numbers in the place of a value, at its position. */
static gboolean
take_forced (Dpu *self, AssayValueId value, AssayTensor *tensor, GError **error)
{
  int map = g_array_index (self->code->places, int, value);
  g_autoptr (AssayDatum) datum = assay_datum_new_tensor (tensor, FALSE, error);
  const AssayDpuMap *info;

  if (datum == NULL)
    return FALSE;
  if (map == ASSAY_DPU_NO_MAP)
    {
      g_clear_pointer (&self->floats[value], assay_datum_unref);
      self->floats[value] = g_steal_pointer (&datum);
      return TRUE;
    }
  info = assay_dpu_code_map (self->code, map);
  for (gsize i = 0; i < MIN (info->n, datum->n); i++)
    map_data (self, map)[assay_dpu_map_store (info, i)] = assay_position_quantize (
        assay_datum_get_number (datum, i), info->position, ASSAY_ROUNDING_UP);

  return TRUE;
}

/* Why each element of a value differs from what another run has on the same operands. */
static gboolean
explain_value (Dpu *self, guint index, AssayValueId value, AssayTensor *other, GError **error)
{
  const AssayDpuOp *op = assay_dpu_code_op (self->code, index);
  g_autoptr (AssayDatum) theirs = assay_datum_new_tensor (other, FALSE, error);
  g_autoptr (AssayDatum) fixed = NULL;
  g_autofree const gint8 **maps = g_new0 (const gint8 *, self->code->maps->len);
  g_autofree float *floats = NULL;
  gsize counts[ASSAY_DPU_N_RULES] = { 0 };
  const AssayDpuMap *map;

  if (theirs == NULL ||
      (op->kind == ASSAY_DPU_FIX && (fixed = read_value (self, op->value, error)) == NULL))
    return FALSE;
  if (op->output == ASSAY_DPU_NO_MAP ||
      g_array_index (self->code->places, int, value) != op->output)
    return TRUE;
  map = assay_dpu_code_map (self->code, op->output);
  for (guint i = 0; i < self->code->maps->len; i++)
    maps[i] = map_data (self, (int) i);
  if (fixed != NULL)
    floats = g_new0 (float, map->n);
  for (gsize i = 0; fixed != NULL && i < MIN (map->n, fixed->n); i++)
    floats[assay_dpu_map_store (map, i)] = (float) assay_datum_get_number (fixed, i);

  for (gsize i = 0; i < MIN (map->n, theirs->n); i++)
    {
      gsize at = assay_dpu_map_store (map, i);
      gint8 number = assay_position_quantize (assay_datum_get_number (theirs, i), map->position,
                                              ASSAY_ROUNDING_UP);

      if (number != maps[op->output][at])
        counts[assay_dpu_explain (self->code, index, at, &(AssayDpuOperands){ maps, floats },
                                  maps[op->output][at], number)]++;
    }
  for (guint i = 0; i < ASSAY_DPU_N_RULES; i++)
    if (counts[i] > 0)
      self->observer->explain (value, assay_dpu_rule_name ((AssayDpuRule) i), counts[i],
                               self->observer->user_data);

  return TRUE;
}

static gboolean
show_values (Dpu *self, guint index, GError **error)
{
  for (guint i = 0; self->shown[index] != NULL && i < self->shown[index]->len; i++)
    {
      AssayValueId value = g_array_index (self->shown[index], AssayValueId, i);
      const AssayRunObserver *observer = self->observer;
      g_autoptr (AssayDatum) datum = NULL;
      g_autoptr (AssayTensor) tensor = NULL;
      g_autoptr (AssayTensor) other = NULL;

      if (!assay_run_observer_wants (observer, value))
        continue;
      datum = read_value (self, value, error);
      tensor = datum != NULL ? assay_datum_to_tensor (datum, FALSE, error) : NULL;
      if (tensor == NULL ||
          (observer->force != NULL &&
           !observer->force (value, self->step, &other, observer->user_data, error)) ||
          !observer->func (value, self->step, tensor, observer->user_data, error) ||
          (other != NULL && observer->explain != NULL && self->simulated == NULL &&
           !explain_value (self, index, value, other, error)) ||
          (other != NULL && !take_forced (self, value, other, error)))
        return FALSE;
    }

  return TRUE;
}

static gboolean
take_inputs (Dpu *self, const float *const *inputs, GError **error)
{
  const AssayGraph *graph = self->code->graph;
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  guint next = 0;

  for (guint i = 0; i < ids->len; i++)
    {
      AssayValueId id = g_array_index (ids, AssayValueId, i);
      const AssayType *type = assay_graph_value (graph, id)->type;
      gint64 dims[ASSAY_MAX_RANK];

      if (assay_graph_value (graph, id)->is_parameter)
        continue;
      for (int j = 0; j < type->rank; j++)
        dims[j] = type->dims[j].size;
      self->floats[id] = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE),
                                          (guint) type->rank, dims, error);
      if (self->floats[id] == NULL)
        return FALSE;
      /* What has no elements may be no array at all. */
      if (self->floats[id]->storage == ASSAY_DTYPE_F32 && self->floats[id]->n > 0)
        memcpy (self->floats[id]->data, inputs[next], self->floats[id]->n * sizeof (float));
      else
        for (gsize j = 0; j < self->floats[id]->n; j++)
          assay_datum_set_number (self->floats[id], j, (double) inputs[next][j]);
      next++;
    }

  return TRUE;
}

/* Types of a file that was changed need not be those of what the host computes. */
static gboolean
check_count (const Dpu *self, AssayValueId value, const AssayDatum *datum, GError **error)
{
  const AssayValue *info = assay_graph_value (self->code->graph, value);
  gsize n;

  if (datum->kind == ASSAY_DATUM_TENSOR && datum->storage != ASSAY_DTYPE_STRING &&
      assay_type_count (info->type, &n) && n == datum->n)
    return TRUE;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s has another shape than it says",
               info->name);

  return FALSE;
}

static gboolean
give_outputs (Dpu *self, float *const *outputs, GError **error)
{
  const GArray *ids = assay_graph_region (self->code->graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < ids->len; i++)
    {
      g_autoptr (AssayDatum) datum = read_value (self, g_array_index (ids, AssayValueId, i), error);

      if (datum == NULL || !check_count (self, g_array_index (ids, AssayValueId, i), datum, error))
        return FALSE;
      for (gsize j = 0; j < datum->n; j++)
        outputs[i][j] = (float) assay_datum_get_number (datum, j);
    }

  return TRUE;
}

/* What stands in a table is looked up, unless somebody wants to see what is between. */
static gboolean
run_tables (const Dpu *self, guint index, const AssayDpuOp *op)
{
  int source;

  if (self->observer != NULL || op->kind < ASSAY_DPU_FIX)
    return FALSE;
  if (op->kind == ASSAY_DPU_HOST)
    return assay_dpu_tables_skip (self->tables, index);
  source = assay_dpu_tables_source (self->tables, index);
  if (source == ASSAY_DPU_NO_MAP)
    return FALSE;
  assay_dpu_tables_look_up (self->tables, index, map_data (self, source),
                            map_data (self, op->output));

  return TRUE;
}

static gboolean
run_ops (Dpu *self, const AssayProgress *progress, GError **error)
{
  for (guint i = 0; i < self->code->ops->len; i++)
    {
      const AssayDpuOp *op = assay_dpu_code_op (self->code, i);
      gboolean ok = TRUE;

      if (!assay_progress_check (progress, error))
        return FALSE;
      if (run_tables (self, i, op))
        continue;
      if (op->kind == ASSAY_DPU_FIX)
        ok = run_fix (self, op, error);
      else if (op->kind == ASSAY_DPU_HOST)
        ok = run_host (self, op, progress, error);
      else
        run_integers (self, i, op);
      if (!ok)
        {
          g_prefix_error (error, "%s: ", assay_graph_node (self->code->graph, op->node)->name);
          return FALSE;
        }
      if (self->observer != NULL && !show_values (self, i, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
dpu_run (AssayExecutor *executor, guint model, gint64 step, const float *const *inputs,
         float *const *outputs, const AssayProgress *progress, GError **error)
{
  Dpu *self = (Dpu *) executor;
  gboolean done;

  self->step = step;
  done = take_inputs (self, inputs, error) && run_ops (self, progress, error) &&
         give_outputs (self, outputs, error);
  forget_floats (self);

  return done;
}

static void
dpu_watch (AssayExecutor *executor, const AssayRunObserver *observer)
{
  ((Dpu *) executor)->observer = observer;
}

static const AssayExecutorClass dpu_class = { dpu_clear, NULL, dpu_run, dpu_watch };

static gboolean
is_output (const AssayGraph *graph, AssayValueId value)
{
  const GArray *outputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < outputs->len; i++)
    if (g_array_index (outputs, AssayValueId, i) == value)
      return TRUE;

  return FALSE;
}

/**
 * assay_dpu_code_shows:
 * @code: a program
 * @value: a value of its graph
 *
 * Tells whether a value can be shown while the program runs.
 *
 * Returns: whether it can
 */
gboolean
assay_dpu_code_shows (const AssayDpuCode *code, AssayValueId value)
{
  const AssayValue *info = assay_graph_value (code->graph, value);
  int map = g_array_index (code->places, int, value);

  if (info->kind != ASSAY_VALUE_RESULT || info->region != ASSAY_MAIN_REGION ||
      info->constant != NULL || info->type->dtype != ASSAY_DTYPE_F32)
    return FALSE;
  if (map == ASSAY_DPU_NO_MAP)
    return assay_graph_node (code->graph, info->producer)->op != ASSAY_OP_DequantizeLinear ||
           assay_graph_constant (code->graph,
                                 assay_graph_node (code->graph, info->producer)->inputs[0]) == NULL;

  /* An output that is only moved has the position of what it is made of. */
  if (is_output (code->graph, value) &&
      assay_quantize_moves (assay_graph_node (code->graph, info->producer)->op))
    return assay_dpu_code_map (code, map)->value == value;

  /* What becomes 8 bits behind it is not there before: the value is that of the DequantizeLinear.
   */
  return assay_dpu_code_map (code, map)->alias == ASSAY_DPU_NO_MAP &&
         assay_dpu_code_map (code, map)->constant == NULL &&
         assay_graph_node (code->graph, info->producer)->op == ASSAY_OP_DequantizeLinear;
}

static void
find_shown (Dpu *self)
{
  g_autofree guint *made = g_new0 (guint, self->code->maps->len);
  g_autofree guint *hosted = g_new0 (guint, assay_graph_n_nodes (self->code->graph));
  AssayValueId n = assay_graph_n_values (self->code->graph);

  for (guint i = 0; i < self->code->ops->len; i++)
    {
      const AssayDpuOp *op = assay_dpu_code_op (self->code, i);

      if (op->kind == ASSAY_DPU_HOST)
        hosted[op->node] = i + 1;
      else
        made[op->output] = i + 1;
    }
  for (AssayValueId i = 1; i < 2 * n; i++)
    {
      AssayValueId id = i % n;
      int map = g_array_index (self->code->places, int, id);
      gboolean moved = map != ASSAY_DPU_NO_MAP &&
                       assay_dpu_code_map (self->code, map)->alias != ASSAY_DPU_NO_MAP;
      guint at;

      /* What has another's elements is shown behind it. */
      if (moved != (i >= n) || !assay_dpu_code_shows (self->code, id))
        continue;
      at = map != ASSAY_DPU_NO_MAP ? made[assay_dpu_code_root (self->code, map)]
                                   : hosted[assay_graph_value (self->code->graph, id)->producer];
      if (at == 0)
        continue;
      if (self->shown[at - 1] == NULL)
        self->shown[at - 1] = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
      g_array_append_val (self->shown[at - 1], id);
    }
}

static void
prepare_op (Dpu *self, guint index)
{
  const AssayDpuOp *op = assay_dpu_code_op (self->code, index);
  guint k = op->window.kh * op->window.kw * op->window.c;

  if (op->kind == ASSAY_DPU_CONV)
    {
      self->column_sums[index] = g_new (gint32,
                                        assay_dpu_filled (op->window.oc, self->level->lanes));
      self->packed[index] = assay_dpu_pack (self->level, op->weights, op->window.oc, k,
                                            self->column_sums[index]);
    }
  if (op->kind == ASSAY_DPU_MOVE)
    {
      gsize n = assay_dpu_code_map (self->code, op->output)->n;

      self->runs[index] = assay_dpu_move_runs (op->table, op->begins, op->n_inputs, n);
      if (self->runs[index]->len > n / 4)
        g_clear_pointer (&self->runs[index], g_array_unref);
    }
  if (self->simulated == NULL || (op->kind != ASSAY_DPU_CONV && op->kind != ASSAY_DPU_DEPTHWISE))
    return;
  self->finishes[index] = op->finish;
  self->exact_bias[index] = g_new0 (double, op->window.oc);
  assay_dpu_simulate_finish (self->code, op, self->simulated, &self->finishes[index],
                             self->exact_bias[index]);
}

/**
 * assay_dpu_executor_new:
 * @code: a program, which lives as long as this
 * @simulated: (nullable): a tool whose simulation is run; %NULL for what the device does
 * @level: (nullable): the instruction set; %NULL for the fastest
 * @n_threads: threads of what the host computes, 0 for one per processor
 * @error: return location for a #GError
 *
 * Makes ready to run a program.
 *
 * Returns: (transfer full) (nullable): what runs it
 */
AssayExecutor *
assay_dpu_executor_new (const AssayDpuCode *code, const AssayQuantizer *simulated,
                        const AssayDpuLevel *level, guint n_threads, GError **error)
{
  AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  guint n = MAX (code->ops->len, 1);
  AssayEvaluator *evaluator;
  Dpu *self;

  options.n_threads = n_threads;
  evaluator = assay_evaluator_new (code->graph, &options, error);
  if (evaluator == NULL)
    return NULL;

  self = g_new0 (Dpu, 1);
  self->parent.klass = &dpu_class;
  self->code = code;
  self->level = level != NULL ? level : assay_dpu_level_get_default ();
  self->simulated = simulated;
  self->evaluator = evaluator;
  self->store = g_malloc0 (MAX (code->n_bytes, 1));
  self->floats = g_new0 (AssayDatum *, assay_graph_n_values (code->graph));
  self->packed = g_new0 (gint8 *, n);
  self->column_sums = g_new0 (gint32 *, n);
  self->finishes = g_new0 (AssayDpuFinish, n);
  self->exact_bias = g_new0 (double *, n);
  self->shown = g_new0 (GArray *, n);
  self->runs = g_new0 (GArray *, n);
  for (guint i = 0; i < code->ops->len; i++)
    prepare_op (self, i);
  find_shown (self);
  self->tables = assay_dpu_tables_new (code, evaluator, get_rounding (self, FALSE));

  return &self->parent;
}
