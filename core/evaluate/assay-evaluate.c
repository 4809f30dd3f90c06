/* assay-evaluate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-evaluate.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "evaluate/assay-blas.h"
#include "evaluate/assay-evaluate-private.h"
#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-constraint.h"

/* A file may nest graphs as deep as it likes; the stack may not. */
#define MAX_DEPTH 64

#define FEW_INPUTS 16

/* Marks the last node of a region that reads each value of that region, nested graphs included. */
static void
mark_read (AssayGraph *graph, AssayRegionId region, AssayValueId value, guint32 position,
           guint32 *last)
{
  if (value != ASSAY_NO_VALUE && assay_graph_value (graph, value)->region == region)
    last[value] = position + 1;
}

static void
mark_node (AssayGraph *graph, AssayRegionId region, const AssayNode *node, guint32 position,
           guint32 *last, guint depth)
{
  for (guint i = 0; i < node->n_inputs; i++)
    mark_read (graph, region, node->inputs[i], position, last);

  for (guint i = 0; i < node->n_attrs && depth < MAX_DEPTH; i++)
    {
      const AssayAttr *attr = &node->attrs[i];
      guint n = attr->kind == ASSAY_ATTR_GRAPH ? 1 : attr->kind == ASSAY_ATTR_GRAPHS ? attr->n : 0;

      for (guint j = 0; j < n; j++)
        {
          AssayRegionId id = attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region : attr->u.regions[j];
          const AssayRegion *nested = assay_graph_region (graph, id);

          for (guint k = 0; k < nested->nodes->len; k++)
            mark_node (graph, region,
                       assay_graph_node (graph, g_array_index (nested->nodes, AssayNodeId, k)),
                       position, last, depth + 1);
          for (guint k = 0; k < nested->outputs->len; k++)
            mark_read (graph, region, g_array_index (nested->outputs, AssayValueId, k), position,
                       last);
        }
    }
}

/* The nodes of a region in order. Those that hold a constant run when it is first read, unless
 * somebody wants to see every value. */
static GArray *
sorted_nodes (AssayEvaluator *self, AssayRegionId id)
{
  GArray *order = assay_graph_sort_region (self->graph, id, NULL);
  guint n = 0;

  for (guint i = 0; i < order->len && self->options.observer == NULL; i++)
    {
      AssayNodeId node = g_array_index (order, AssayNodeId, i);

      if (assay_graph_node (self->graph, node)->op != ASSAY_OP_Constant)
        g_array_index (order, AssayNodeId, n++) = node;
    }
  if (self->options.observer == NULL)
    g_array_set_size (order, n);

  return order;
}

static void
plan_region (AssayEvaluator *self, AssayRegionId id, guint32 *last)
{
  AssayGraph *graph = self->graph;
  const AssayRegion *region = assay_graph_region (graph, id);
  RegionPlan *plan = &self->regions[id];
  g_autoptr (GArray) order = sorted_nodes (self, id);
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  guint32 *begin;

  plan->n_nodes = order->len;
  plan->nodes = g_memdup2 (order->data, order->len * sizeof (AssayNodeId));
  plan->released_begin = begin = g_new0 (guint32, (gsize) order->len + 2);

  g_array_append_vals (own, region->inputs->data, region->inputs->len);
  for (guint32 i = 0; i < order->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, plan->nodes[i]);

      /* What nobody reads goes as soon as it is made. */
      for (guint j = 0; j < node->n_outputs; j++)
        {
          if (node->outputs[j] == ASSAY_NO_VALUE)
            continue;
          last[node->outputs[j]] = i + 1;
          g_array_append_val (own, node->outputs[j]);
        }
      mark_node (graph, id, node, i, last, 0);
    }
  for (guint i = 0; i < region->outputs->len; i++)
    last[g_array_index (region->outputs, AssayValueId, i)] = 0;

  /* Counting sort of the values by the node behind which they go; 0 stays until the end. */
  for (guint i = 0; i < own->len; i++)
    begin[last[g_array_index (own, AssayValueId, i)]]++;
  begin[0] = 0;
  for (guint i = 1; i <= order->len; i++)
    begin[i] += begin[i - 1];
  plan->released = g_new0 (AssayValueId, MAX (begin[order->len], 1));
  begin[order->len + 1] = begin[order->len];
  for (guint i = own->len; i > 0; i--)
    {
      AssayValueId value = g_array_index (own, AssayValueId, i - 1);

      if (last[value] > 0)
        plan->released[--begin[last[value]]] = value;
    }
}

static gboolean
check_node (AssayGraph *graph, AssayNodeId id, GError **error)
{
  const AssayNode *node = assay_graph_node (graph, id);
  const char *reason = assay_evaluator_left_out (node->op);
  g_autofree char *path = NULL;
  AssayViolation violation;
  gboolean formed = node->violation == NULL && assay_node_check_form (node, &violation);

  if (formed && assay_kernel_row (node->op)->func != NULL)
    return TRUE;

  path = assay_graph_node_path (graph, id);
  if (!formed)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s (%s) is not well formed: %s",
                 path, node->op_type, node->violation != NULL ? node->violation : violation.text);
  else
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                 "%s: the reference does not run %s%s%s: %s", path, node->domain,
                 node->domain[0] != '\0' ? "." : "", node->op_type,
                 reason != NULL ? reason : "it does not know this operator");

  return FALSE;
}

/**
 * assay_evaluator_new:
 * @graph: a graph, as imported or canonical
 * @options: (nullable): how to run it
 * @error: return location for a #GError
 *
 * Prepares a graph to be run. Fails with %ASSAY_ERROR_UNSUPPORTED if the graph has an operation
 * that the evaluator does not run, or a node that is not well formed.
 *
 * Returns: (transfer full) (nullable): the evaluator
 */
AssayEvaluator *
assay_evaluator_new (AssayGraph *graph, const AssayEvaluateOptions *options, GError **error)
{
  static const AssayEvaluateOptions defaults = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  g_autofree guint32 *last = g_new0 (guint32, assay_graph_n_values (graph));
  AssayEvaluator *self;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (!check_node (graph, id, error))
      return NULL;

  self = g_new0 (AssayEvaluator, 1);
  self->graph = assay_graph_ref (graph);
  self->options = options != NULL ? *options : defaults;
  self->workers = assay_workers_new (self->options.n_threads);
  self->memory = assay_memory_new ();
  self->values = g_new0 (AssayDatum *, assay_graph_n_values (graph));
  self->constants = g_new0 (AssayDatum *, assay_graph_n_values (graph));
  self->states = g_new0 (NodeState, assay_graph_n_nodes (graph));
  self->n_regions = graph->regions->len;
  self->regions = g_new0 (RegionPlan, self->n_regions);
  for (AssayRegionId id = 0; id < self->n_regions; id++)
    plan_region (self, id, last);

  return self;
}

static void
drop_values (AssayEvaluator *self)
{
  for (AssayValueId id = 0; id < assay_graph_n_values (self->graph); id++)
    g_clear_pointer (&self->values[id], assay_datum_unref);
}

/**
 * assay_evaluator_free:
 * @self: (nullable): an evaluator without a run under way
 *
 * Frees what was prepared.
 */
void
assay_evaluator_free (AssayEvaluator *self)
{
  if (self == NULL)
    return;

  drop_values (self);
  for (AssayValueId id = 0; id < assay_graph_n_values (self->graph); id++)
    g_clear_pointer (&self->constants[id], assay_datum_unref);
  for (AssayNodeId id = 0; id < assay_graph_n_nodes (self->graph); id++)
    {
      if (self->states[id].destroy != NULL)
        self->states[id].destroy (self->states[id].data);
    }
  for (AssayRegionId id = 0; id < self->n_regions; id++)
    {
      g_free (self->regions[id].nodes);
      g_free (self->regions[id].released_begin);
      g_free (self->regions[id].released);
    }
  g_free (self->regions);
  g_free (self->values);
  g_free (self->constants);
  g_free (self->states);
  assay_workers_free (self->workers);
  assay_memory_unref (self->memory);
  assay_graph_unref (self->graph);
  g_free (self);
}

/**
 * assay_evaluator_get_graph:
 * @self: an evaluator
 *
 * Gets the graph that it runs.
 *
 * Returns: (transfer none): the graph
 */
AssayGraph *
assay_evaluator_get_graph (AssayEvaluator *self)
{
  return self->graph;
}

/* Numbers of a tensor in memory, for constraints. */
static gboolean
get_number (gconstpointer data, gsize index, double *value)
{
  const AssayDatum *datum = data;

  if (datum->storage == ASSAY_DTYPE_STRING || assay_dtype_kind (datum->storage) == 'C')
    return FALSE;
  *value = assay_datum_get_number (datum, index);

  return TRUE;
}

static gboolean
check_inputs (AssayKernel *kernel, const AssayKernelRow *row, GError **error)
{
  AssayNodeInput few[FEW_INPUTS];
  g_autofree AssayNodeInput *many = NULL;
  AssayNodeInput *operands = few;
  AssayViolation violation;

  if (kernel->n_inputs > FEW_INPUTS)
    operands = many = g_new (AssayNodeInput, kernel->n_inputs);
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      const AssayDatum *input = kernel->inputs[i];
      gboolean tensor = input != NULL && input->kind == ASSAY_DATUM_TENSOR;

      /* Kernels look at element types themselves. */
      operands[i] = tensor ? (AssayNodeInput){ .rank = (int) input->rank,
                                               .sizes = input->dims,
                                               .get = get_number,
                                               .data = input,
                                               .n = input->n }
                           : (AssayNodeInput){ .rank = -1 };
    }

  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      const AssayDatum *input = kernel->inputs[i];

      if (input == NULL || row->takes == ASSAY_KERNEL_TAKES_DATA)
        continue;
      if (input->kind != ASSAY_DATUM_TENSOR)
        return assay_kernel_fail (kernel, error, "input %u is not a tensor", i);
      if (row->takes == ASSAY_KERNEL_TAKES_NUMBERS &&
          (input->storage == ASSAY_DTYPE_STRING || assay_dtype_kind (input->storage) == 'C'))
        return assay_kernel_fail_type (kernel, i, error);
    }

  return assay_node_check_operands (kernel->node, operands, &violation) ||
         assay_kernel_fail (kernel, error, "%s", violation.text);
}

/* Results in the form that everybody expects: rounded to their type, and as the observer wants
 * them. */
static gboolean
finish_outputs (AssayKernel *kernel, GError **error)
{
  AssayEvaluator *self = kernel->evaluator;

  for (guint i = 0; i < kernel->n_outputs; i++)
    {
      AssayDatum **output = &kernel->outputs[i];

      if (!assay_kernel_wants (kernel, i))
        continue;
      if (*output == NULL)
        return assay_kernel_fail (kernel, error, "output %u is not what the operation makes", i);

      if (assay_datum_is_exclusive (*output) || (i < 64 && (kernel->in_place >> i & 1) != 0))
        assay_datum_round (*output);
      if (self->options.observer != NULL &&
          !self->options.observer (self, kernel->id, i, output, self->options.observer_data, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_kernel (AssayKernel *kernel, GError **error)
{
  const AssayKernelRow *row = assay_kernel_row (kernel->node->op);

  return check_inputs (kernel, row, error) && row->func (kernel, error) &&
         assay_blas_check (error) && assay_kernel_check (kernel, error) &&
         finish_outputs (kernel, error);
}

static AssayKernel
make_kernel (AssayEvaluator *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  return (AssayKernel){
    .evaluator = self,
    .graph = self->graph,
    .id = id,
    .node = node,
    .wide = self->options.wide,
    .n_inputs = node->n_inputs,
    .n_outputs = node->n_outputs,
    .workers = self->workers,
    .cancellable = self->cancellable,
  };
}

/**
 * assay_evaluator_get_peak:
 * @self: an evaluator
 *
 * Gets how much the large tensors that nodes have made took at most at one time, constants apart.
 *
 * Returns: bytes
 */
gsize
assay_evaluator_get_peak (AssayEvaluator *self)
{
  return assay_memory_get_top (self->memory);
}

/* The value of a node that holds a constant. */
static AssayDatum *
run_constant (AssayEvaluator *self, AssayNodeId id, GError **error)
{
  AssayKernel kernel = make_kernel (self, id);
  AssayDatum *output = NULL;

  kernel.n_inputs = 0;
  kernel.n_outputs = 1;
  kernel.outputs = &output;
  if (!run_kernel (&kernel, error))
    g_clear_pointer (&output, assay_datum_unref);

  return output;
}

/* A value that is there, or a constant, which is kept for the next run. */
static AssayDatum *
read_value (AssayEvaluator *self, AssayValueId id, GError **error)
{
  const AssayValue *value = assay_graph_value (self->graph, id);
  AssayDatum **constant = &self->constants[id];

  if (self->values[id] != NULL)
    return self->values[id];
  if (*constant != NULL)
    return *constant;

  if (value->constant != NULL && (value->kind == ASSAY_VALUE_CONSTANT || value->is_parameter))
    *constant = assay_datum_new_tensor (value->constant, self->options.wide, error);
  else if (value->producer != ASSAY_NO_NODE &&
           assay_graph_node (self->graph, value->producer)->op == ASSAY_OP_Constant)
    *constant = run_constant (self, value->producer, error);
  else
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "value “%s” is read, but nothing has made it", value->name);
      return NULL;
    }
  if (*constant == NULL)
    g_prefix_error (error, "%s: ", value->name);

  return *constant;
}

static gboolean
run_node (AssayEvaluator *self, const RegionPlan *plan, guint position, GError **error)
{
  AssayKernel kernel = make_kernel (self, plan->nodes[position]);
  g_autofree AssayDatum **inputs = g_new0 (AssayDatum *, kernel.n_inputs + 1);
  g_autofree AssayDatum **outputs = g_new0 (AssayDatum *, kernel.n_outputs + 1);
  gboolean ok = TRUE;

  kernel.inputs = inputs;
  kernel.outputs = outputs;
  kernel.dying = plan->released + plan->released_begin[position + 1];
  kernel.n_dying = plan->released_begin[position + 2] - plan->released_begin[position + 1];
  for (guint i = 0; ok && i < kernel.n_inputs; i++)
    {
      if (kernel.node->inputs[i] == ASSAY_NO_VALUE)
        continue;
      inputs[i] = read_value (self, kernel.node->inputs[i], error);
      ok = inputs[i] != NULL;
    }

  ok = ok && run_kernel (&kernel, error);

  for (guint i = 0; i < kernel.n_outputs; i++)
    {
      AssayValueId value = kernel.node->outputs[i];

      if (!ok || value == ASSAY_NO_VALUE)
        g_clear_pointer (&outputs[i], assay_datum_unref);
      else
        {
          g_clear_pointer (&self->values[value], assay_datum_unref);
          self->values[value] = outputs[i];
        }
    }

  return ok;
}

/**
 * assay_evaluator_run_region:
 * @self: an evaluator with a run under way
 * @id: a region
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs) (nullable): its inputs; %NULL entries are defaults
 * @n_outputs: number of outputs that are wanted
 * @outputs: (array length=n_outputs) (transfer full): where to put them
 * @error: return location for a #GError
 *
 * Runs the nodes of one region. What it reads from outside is there already.
 *
 * Returns: whether it could
 */
gboolean
assay_evaluator_run_region (AssayEvaluator *self, AssayRegionId id, guint n_inputs,
                            AssayDatum *const *inputs, guint n_outputs, AssayDatum **outputs,
                            GError **error)
{
  const AssayRegion *region = assay_graph_region (self->graph, id);
  const RegionPlan *plan = &self->regions[id];
  gboolean ok = TRUE;

  /* What is there is from an earlier turn of a loop, and somebody else's. */
  for (guint i = 0; i < n_outputs; i++)
    outputs[i] = NULL;

  if (self->depth >= MAX_DEPTH)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "graphs are nested more than %d deep", MAX_DEPTH);
      return FALSE;
    }
  if (n_inputs > region->inputs->len || n_outputs > region->outputs->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "graph “%s” has %u input%s and %u output%s, %u and %u are needed", region->name,
                   region->inputs->len, assay_plural (region->inputs->len), region->outputs->len,
                   assay_plural (region->outputs->len), n_inputs, n_outputs);
      return FALSE;
    }

  /* Of an earlier turn they belong to somebody else by now. */
  for (guint i = 0; i < n_outputs; i++)
    outputs[i] = NULL;

  self->depth++;
  for (guint i = 0; i < n_inputs; i++)
    {
      AssayValueId value = g_array_index (region->inputs, AssayValueId, i);

      g_clear_pointer (&self->values[value], assay_datum_unref);
      self->values[value] = inputs[i] != NULL ? assay_datum_ref (inputs[i]) : NULL;
    }

  for (guint i = 0; ok && i < plan->n_nodes; i++)
    {
      ok = run_node (self, plan, i, error);
      for (guint32 j = plan->released_begin[i + 1]; ok && j < plan->released_begin[i + 2]; j++)
        g_clear_pointer (&self->values[plan->released[j]], assay_datum_unref);
    }

  for (guint i = 0; ok && i < n_outputs; i++)
    {
      AssayDatum *datum = read_value (self, g_array_index (region->outputs, AssayValueId, i),
                                      error);

      ok = datum != NULL;
      outputs[i] = ok ? assay_datum_ref (datum) : NULL;
    }
  for (guint i = 0; i < region->outputs->len; i++)
    {
      AssayValueId value = g_array_index (region->outputs, AssayValueId, i);

      if (assay_graph_value (self->graph, value)->region == id)
        g_clear_pointer (&self->values[value], assay_datum_unref);
    }
  for (guint i = 0; !ok && i < n_outputs; i++)
    g_clear_pointer (&outputs[i], assay_datum_unref);
  self->depth--;

  return ok;
}

static gboolean
fits (const AssayDatum *datum, const AssayType *type)
{
  switch (type->kind)
    {
    case ASSAY_TYPE_KIND_TENSOR:
      if (datum->kind != ASSAY_DATUM_TENSOR ||
          (type->dtype != ASSAY_DTYPE_UNDEFINED && datum->dtype != type->dtype) ||
          (type->rank >= 0 && datum->rank != (guint) type->rank))
        return FALSE;
      for (int i = 0; i < type->rank; i++)
        {
          if (type->dims[i].size >= 0 && datum->dims[i] != type->dims[i].size)
            return FALSE;
        }
      return TRUE;
    case ASSAY_TYPE_KIND_SEQUENCE:
      return datum->kind == ASSAY_DATUM_SEQUENCE;
    case ASSAY_TYPE_KIND_MAP:
      return datum->kind == ASSAY_DATUM_MAP;
    default:
      return TRUE;
    }
}

static void
append_type (const AssayDatum *datum, GString *text)
{
  static const char *const kinds[] = { "", "a sequence", "an optional", "a map" };

  if (datum->kind != ASSAY_DATUM_TENSOR)
    {
      g_string_append (text, kinds[datum->kind]);
      return;
    }

  g_string_append_printf (text, "%s[", assay_dtype_name (datum->dtype));
  for (guint i = 0; i < datum->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", datum->dims[i]);
  g_string_append_c (text, ']');
}

static AssayDatum *
store_input (AssayEvaluator *self, const AssayValue *value, AssayDatum *given, GError **error)
{
  if (!fits (given, value->type))
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *expected = assay_type_to_string (value->type);

      append_type (given, text);
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input “%s” is %s, %s was expected",
                   value->name, text->str, expected);
      return NULL;
    }

  return assay_datum_new_stored (given, self->options.wide, error);
}

/**
 * assay_evaluator_run:
 * @self: an evaluator; it runs one graph at a time
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs of the main graph in its order; %NULL, or none at
 * the end, for one that has a default
 * @progress: (nullable): progress sink, with the cancellable
 * @error: return location for a #GError
 *
 * Runs the graph. Fails with %ASSAY_ERROR_INVALID for an input of another type or a node that its
 * inputs do not suit, with %ASSAY_ERROR_CANCELLED, and with %ASSAY_ERROR_UNSUPPORTED if it takes
 * more than it may.
 *
 * Returns: (transfer full) (nullable) (element-type AssayDatum): the outputs of the main graph in
 * its order
 */
GPtrArray *
assay_evaluator_run (AssayEvaluator *self, guint n_inputs, AssayDatum *const *inputs,
                     const AssayProgress *progress, GError **error)
{
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray)
      stored = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray)
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (AssayBudget) budget = NULL;
  g_autoptr (GError) local = NULL;
  gboolean ok;

  if (n_inputs > region->inputs->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%u input%s for a graph that has %u",
                   n_inputs, assay_plural (n_inputs), region->inputs->len);
      return NULL;
    }

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (self->graph,
                                                   g_array_index (region->inputs, AssayValueId, i));
      AssayDatum *datum = NULL;

      if (i < n_inputs && inputs[i] != NULL)
        {
          datum = store_input (self, value, inputs[i], error);
          if (datum == NULL)
            return NULL;
        }
      else if (value->constant == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input “%s” was not given",
                       value->name);
          return NULL;
        }
      g_ptr_array_add (stored, datum);
    }

  self->cancellable = progress != NULL ? progress->cancellable : NULL;
  if (self->options.seconds > 0)
    {
      budget = assay_budget_new (self->options.seconds, self->options.max_bytes, self->cancellable);
      self->cancellable = assay_budget_get_cancellable (budget);
      self->budget = budget;
      assay_memory_set_limit (self->memory, self->options.max_bytes);
    }
  g_ptr_array_set_size (outputs, (int) region->outputs->len);
  ok = assay_evaluator_run_region (self, ASSAY_MAIN_REGION, stored->len,
                                   (AssayDatum *const *) stored->pdata, outputs->len,
                                   (AssayDatum **) outputs->pdata, &local);
  drop_values (self);
  self->cancellable = NULL;
  self->budget = NULL;
  if (budget != NULL && assay_memory_is_short (self->memory))
    assay_budget_exceed (budget);
  if (!ok && (budget == NULL || assay_progress_is_cancelled (progress) ||
              assay_budget_check (budget, error)))
    g_propagate_error (error, g_steal_pointer (&local));

  return ok ? g_steal_pointer (&outputs) : NULL;
}

/**
 * assay_evaluator_lend:
 * @self: an evaluator without a run under way
 * @value: a value that graphs within a node read from outside
 * @datum: what it is
 *
 * Gives the next assay_evaluator_run_node() a value that is no input of the node.
 */
void
assay_evaluator_lend (AssayEvaluator *self, AssayValueId value, AssayDatum *datum)
{
  g_clear_pointer (&self->values[value], assay_datum_unref);
  self->values[value] = assay_datum_ref (datum);
}

/**
 * assay_evaluator_run_node:
 * @self: an evaluator without a run under way
 * @node: a node; what graphs within it read from outside was lent
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): inputs of the node; %NULL for an omitted one and for a constant
 * of the graph
 * @progress: (nullable): progress sink, with the cancellable
 * @error: return location for a #GError
 *
 * Runs one node alone on given inputs, which tells its own error from what came in.
 *
 * Returns: (transfer full) (nullable) (element-type AssayDatum): its outputs; %NULL entries for
 * those not wanted
 */
GPtrArray *
assay_evaluator_run_node (AssayEvaluator *self, AssayNodeId node, guint n_inputs,
                          AssayDatum *const *inputs, const AssayProgress *progress, GError **error)
{
  AssayKernel kernel = make_kernel (self, node);
  g_autoptr (GPtrArray)
      stored = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray)
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  gboolean ok = TRUE;

  g_ptr_array_set_size (outputs, (int) kernel.n_outputs);
  for (guint i = 0; ok && i < kernel.n_inputs; i++)
    {
      AssayDatum *datum = NULL;

      if (i < n_inputs && inputs[i] != NULL)
        datum = assay_datum_new_stored (inputs[i], self->options.wide, error);
      else if (kernel.node->inputs[i] != ASSAY_NO_VALUE)
        {
          datum = read_value (self, kernel.node->inputs[i], error);
          if (datum != NULL)
            assay_datum_ref (datum);
        }
      ok = datum != NULL || kernel.node->inputs[i] == ASSAY_NO_VALUE;
      g_ptr_array_add (stored, datum);
    }

  self->cancellable = kernel.cancellable = progress != NULL ? progress->cancellable : NULL;
  kernel.inputs = (AssayDatum **) stored->pdata;
  kernel.outputs = (AssayDatum **) outputs->pdata;
  ok = ok && run_kernel (&kernel, error);
  drop_values (self);
  self->cancellable = NULL;

  return ok ? g_steal_pointer (&outputs) : NULL;
}

/**
 * assay_evaluate_graph:
 * @graph: a graph
 * @options: (nullable): how to run it
 * @n_inputs: number of inputs
 * @names: (array length=n_inputs): their names in the main graph
 * @tensors: (array length=n_inputs): their values
 * @progress: (nullable): progress sink, with the cancellable
 * @error: return location for a #GError
 *
 * Runs a graph once on tensors. Fails as assay_evaluator_new() and assay_evaluator_run() do, and
 * with %ASSAY_ERROR_INVALID for a name that the graph does not have or an output that is no tensor.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the outputs of the main graph in
 * its order
 */
GPtrArray *
assay_evaluate_graph (AssayGraph *graph, const AssayEvaluateOptions *options, guint n_inputs,
                      const char *const *names, AssayTensor *const *tensors,
                      const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayEvaluator) self = assay_evaluator_new (graph, options, error);
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray)
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) data = NULL;

  if (self == NULL)
    return NULL;

  g_ptr_array_set_size (inputs, (int) region->inputs->len);
  for (guint i = 0; i < n_inputs; i++)
    {
      const AssayValueId *ids = (const AssayValueId *) region->inputs->data;
      guint at = 0;

      while (at < region->inputs->len &&
             !g_str_equal (assay_graph_value (graph, ids[at])->name, names[i]))
        at++;
      if (at == region->inputs->len)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "the graph has no input “%s”",
                       names[i]);
          return NULL;
        }

      g_clear_pointer (&inputs->pdata[at], assay_datum_unref);
      inputs->pdata[at] = assay_datum_new_tensor (tensors[i], self->options.wide, error);
      if (inputs->pdata[at] == NULL)
        return NULL;
    }

  data = assay_evaluator_run (self, inputs->len, (AssayDatum *const *) inputs->pdata, progress,
                              error);
  for (guint i = 0; data != NULL && i < data->len; i++)
    {
      AssayDatum *datum = g_ptr_array_index (data, i);
      AssayTensor *tensor = NULL;

      if (datum->kind == ASSAY_DATUM_TENSOR)
        tensor = assay_datum_to_tensor (datum, FALSE, error);
      else
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                     "output %u of the graph is not a tensor", i);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (outputs, tensor);
    }

  return data != NULL ? g_steal_pointer (&outputs) : NULL;
}
