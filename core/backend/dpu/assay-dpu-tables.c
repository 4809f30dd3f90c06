/* assay-dpu-tables.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of the host that work on each element for itself, from a map to a map: the evaluator runs
 * them once, on all numbers of 8 bits, and rounding is part of the table.
 */
#include "backend/dpu/assay-dpu-tables.h"

#include <math.h>

#include "nnir/analysis/assay-analysis.h"

#define N_NUMBERS 256
/* More nodes than this do not stand between two maps. */
#define MAX_CHAIN 64

/* Of a fix: where the chain begins, and a table per channel or for all. */
typedef struct
{
  int source;
  gsize n, n_channels;
  gint8 *bytes;
} Table;

struct _AssayDpuTables
{
  guint n;
  Table *tables;   /* per operation; without bytes where nothing is looked up */
  gboolean *skips; /* per operation: what a table does */
};

/* A chain that is looked for: its nodes from the last, and how many tables its constants ask for.
 */
typedef struct
{
  const AssayDpuCode *code;
  const AssayUses *uses;
  guint32 *hosted; /* per node its operation plus one, if the host does it */
  AssayNodeId nodes[MAX_CHAIN];
  guint n_nodes;
  AssayValueId first;
  int source;
  gboolean by_channel;
} Chain;

static gboolean
is_like (const AssayType *a, const AssayType *b)
{
  return a->kind == ASSAY_TYPE_KIND_TENSOR && a->dtype == ASSAY_DTYPE_F32 && a->rank >= 1 &&
         assay_type_equal (a, b);
}

/* A constant is the same for all elements, or for all of a channel of rank 4. */
static gboolean
take_constant (Chain *self, AssayTensor *tensor, const AssayType *type, gboolean broadcasts)
{
  guint rank = assay_tensor_get_rank (tensor);
  const gint64 *dims = assay_tensor_get_dims (tensor);
  gsize n = assay_tensor_get_n_elements (tensor);

  if (n == 1)
    return (int) rank <= type->rank;
  if (!broadcasts || type->rank != 4 || rank < 3 || rank > 4 || n != (gsize) type->dims[1].size ||
      dims[rank - 3] != type->dims[1].size)
    return FALSE;
  self->by_channel = TRUE;

  return TRUE;
}

/* Takes a node that makes @value of one other value, element by element. */
static gboolean
take_node (Chain *self, AssayValueId value, AssayValueId *before)
{
  const AssayGraph *graph = self->code->graph;
  const AssayValue *info = assay_graph_value (graph, value);
  const AssayNode *node;
  AssayOpTraits traits;

  if (info->kind != ASSAY_VALUE_RESULT || self->n_nodes == MAX_CHAIN ||
      self->hosted[info->producer] == 0 || assay_uses_count (self->uses, value) != 1 ||
      assay_uses_is_output (self->uses, value))
    return FALSE;
  node = assay_graph_node (graph, info->producer);
  traits = assay_op_get_info (node->op)->traits;
  if ((traits & (ASSAY_OP_TRAIT_UNARY_MAP | ASSAY_OP_TRAIT_BROADCAST)) == 0 ||
      (traits & ASSAY_OP_TRAIT_RANDOM) != 0 || node->n_outputs != 1)
    return FALSE;

  *before = ASSAY_NO_VALUE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayTensor *tensor = assay_graph_constant (graph, node->inputs[i]);

      if (node->inputs[i] == ASSAY_NO_VALUE)
        continue;
      if (tensor != NULL
              ? !take_constant (self, tensor, info->type, (traits & ASSAY_OP_TRAIT_BROADCAST) != 0)
              : *before != ASSAY_NO_VALUE && *before != node->inputs[i])
        return FALSE;
      if (tensor == NULL)
        *before = node->inputs[i];
    }
  if (*before == ASSAY_NO_VALUE || !is_like (info->type, assay_graph_value (graph, *before)->type))
    return FALSE;
  self->nodes[self->n_nodes++] = info->producer;

  return TRUE;
}

/* Nothing may be written between the first node and the fix, since what the first node reads may
 * lie where other maps come to lie. */
static gboolean
stays (const Chain *self, guint fix)
{
  for (guint i = self->hosted[self->nodes[self->n_nodes - 1]]; i < fix; i++)
    if (assay_dpu_code_op (self->code, i)->kind != ASSAY_DPU_HOST)
      return FALSE;

  return TRUE;
}

static gboolean
find_chain (Chain *self, guint index)
{
  const AssayDpuOp *fix = assay_dpu_code_op (self->code, index);
  const AssayDpuMap *out, *in;
  AssayValueId value = fix->value;

  self->n_nodes = 0;
  self->by_channel = FALSE;
  for (;;)
    {
      if (!take_node (self, value, &self->first))
        return FALSE;
      self->source = g_array_index (self->code->places, int, self->first);
      if (self->source != ASSAY_DPU_NO_MAP)
        break;
      value = self->first;
    }
  in = assay_dpu_code_map (self->code, self->source);
  out = assay_dpu_code_map (self->code, fix->output);

  return in->n == out->n && in->rank == out->rank && in->last == out->last &&
         (int) in->rank == assay_graph_value (self->code->graph, self->first)->type->rank &&
         (!self->by_channel || (in->last && in->rank == 4)) && stays (self, index);
}

/* All numbers that an element can be, for each channel where channels differ. */
static AssayDatum *
all_numbers (const Chain *self)
{
  const AssayDpuMap *map = assay_dpu_code_map (self->code, self->source);
  float scale = (float) ldexp (1.0, -map->position);
  gint64 dims[ASSAY_DPU_MAX_RANK];
  AssayDatum *datum;

  for (guint i = 0; i < map->rank; i++)
    dims[i] = 1;
  dims[map->rank - 1] = N_NUMBERS;
  if (self->by_channel)
    dims[1] = map->dims[1];
  datum = assay_datum_new (ASSAY_DTYPE_F32, ASSAY_DTYPE_F32, map->rank, dims, NULL);
  for (gsize i = 0; datum != NULL && i < datum->n; i++)
    ((float *) datum->data)[i] = (float) ((int) (i % N_NUMBERS) - 128) * scale;

  return datum;
}

/* What cannot be worked out is computed as it is, and then tells why. */
static void
work_out (const Chain *self, AssayEvaluator *evaluator, const AssayDpuMap *out,
          AssayRounding rounding, Table *table)
{
  g_autoptr (AssayDatum) numbers = all_numbers (self);
  AssayValueId value = self->first;
  gsize n = numbers != NULL ? numbers->n : 0;

  for (guint i = self->n_nodes; numbers != NULL && i-- > 0;)
    {
      const AssayNode *node = assay_graph_node (self->code->graph, self->nodes[i]);
      g_autofree AssayDatum **inputs = g_new0 (AssayDatum *, node->n_inputs);
      g_autoptr (GPtrArray) outputs = NULL;

      for (guint j = 0; j < node->n_inputs; j++)
        inputs[j] = node->inputs[j] == value ? numbers : NULL;
      outputs = assay_evaluator_run_node (evaluator, self->nodes[i], node->n_inputs, inputs, NULL,
                                          NULL);
      g_clear_pointer (&numbers, assay_datum_unref);
      if (outputs != NULL)
        numbers = assay_datum_ref (g_ptr_array_index (outputs, 0));
      value = node->outputs[0];
    }
  if (numbers == NULL || numbers->n != n || numbers->storage != ASSAY_DTYPE_F32)
    return;
  table->source = self->source;
  table->n = out->n;
  table->n_channels = n / N_NUMBERS;
  table->bytes = g_new (gint8, n);
  assay_position_quantize_all (numbers->data, n, out->position, rounding, table->bytes);
}

/**
 * assay_dpu_tables_new:
 * @code: a program, which lives as long as this
 * @evaluator: runs nodes of its graph
 * @rounding: how numbers of the host become 8 bits
 *
 * Finds what can be looked up, and works it out.
 *
 * Returns: (transfer full): the tables
 */
AssayDpuTables *
assay_dpu_tables_new (const AssayDpuCode *code, AssayEvaluator *evaluator, AssayRounding rounding)
{
  AssayDpuTables *self = g_new0 (AssayDpuTables, 1);
  g_autoptr (AssayUses) uses = assay_uses_new (code->graph);
  g_autofree guint32 *hosted = g_new0 (guint32, assay_graph_n_nodes (code->graph));
  Chain chain = { .code = code, .uses = uses, .hosted = hosted };

  self->n = code->ops->len;
  self->tables = g_new0 (Table, MAX (self->n, 1));
  self->skips = g_new0 (gboolean, MAX (self->n, 1));
  for (guint i = 0; i < self->n; i++)
    {
      const AssayDpuOp *op = assay_dpu_code_op (code, i);

      if (op->kind == ASSAY_DPU_HOST)
        hosted[op->node] = i + 1;
      if (op->kind != ASSAY_DPU_FIX || !find_chain (&chain, i))
        continue;
      work_out (&chain, evaluator, assay_dpu_code_map (code, op->output), rounding,
                &self->tables[i]);
      for (guint j = 0; j < chain.n_nodes && self->tables[i].bytes != NULL; j++)
        self->skips[hosted[chain.nodes[j]] - 1] = TRUE;
    }

  return self;
}

/**
 * assay_dpu_tables_free:
 * @self: (nullable): tables
 *
 * Frees them.
 */
void
assay_dpu_tables_free (AssayDpuTables *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n; i++)
    g_free (self->tables[i].bytes);
  g_free (self->tables);
  g_free (self->skips);
  g_free (self);
}

/**
 * assay_dpu_tables_skip:
 * @self: tables
 * @index: an operation of the host
 *
 * Tells whether a table does what an operation does.
 *
 * Returns: whether it need not run
 */
gboolean
assay_dpu_tables_skip (const AssayDpuTables *self, guint index)
{
  return self->skips[index];
}

/**
 * assay_dpu_tables_source:
 * @self: tables
 * @index: an operation that makes 8 bits of floats
 *
 * Tells what is looked up instead.
 *
 * Returns: the map whose elements are looked up, or %ASSAY_DPU_NO_MAP if there is no table
 */
int
assay_dpu_tables_source (const AssayDpuTables *self, guint index)
{
  return self->tables[index].bytes != NULL ? self->tables[index].source : ASSAY_DPU_NO_MAP;
}

/**
 * assay_dpu_tables_look_up:
 * @self: tables
 * @index: an operation that has one
 * @in: the map whose elements are looked up
 * @out: (out caller-allocates): where the results go, which may lie over @in
 *
 * Does what the nodes before it and the operation do.
 */
void
assay_dpu_tables_look_up (const AssayDpuTables *self, guint index, const gint8 *in, gint8 *out)
{
  const Table *table = &self->tables[index];
  const gsize n_channels = table->n_channels;
  gboolean back = out > in && out < in + table->n;

  if (n_channels == 1 && !back)
    {
      assay_dpu_look_up (in, table->n, table->bytes, out);
      return;
    }
  for (gsize i = 0; i < table->n; i++)
    {
      gsize at = back ? table->n - 1 - i : i;

      out[at] = table->bytes[at % n_channels * N_NUMBERS + (gsize) (in[at] + 128)];
    }
}
