/* assay-infer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-infer.h"

#include <string.h>

#include "nnir/assay-constraint.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer-private.h"
#include "nnir/shape/assay-shape-rules.h"

#define MAX_REGION_DEPTH 64
#define FEW_OUTPUTS 8
#define FEW_ELEMENTS 16
#define MAX_OWN_NAME 200

static const AssayShapeRule rules[ASSAY_N_OPS] = {
#define OP(id, domain, since, category, min_in, max_in, min_out, max_out, traits, shape, ...)      \
  [ASSAY_OP_##id] = assay_shape_rule_##shape,
#include "nnir/ops.def"
#undef OP
};

/**
 * assay_infer_path:
 * @self: a run of inference
 * @node: a node
 *
 * Gets the path of the graph that a node came from, for findings.
 *
 * Returns: (transfer none): the path
 */
const char *
assay_infer_path (AssayInfer *self, AssayNodeId node)
{
  const AssayNode *n = assay_graph_node (self->graph, node);

  if (n->n_origins > 0 && n->origins[0] < self->graph->origins->len)
    return g_array_index (self->graph->origins, AssayOrigin, n->origins[0]).path;

  return "graph";
}

/* An extent of which nothing is known gets the name of its value and axis, as `--bind
 * INPUT:AXIS=SIZE` spells it. */
static const char *
own_symbol (AssayInfer *self, const char *name, int axis)
{
  g_autofree char *text = g_strdup_printf ("%s:%d", name, axis);

  return assay_arena_intern (self->graph->arena, text);
}

static AssayDim
merge_dim (AssayInfer *self, AssayDim inferred, AssayDim stated, const char *name, int axis,
           gboolean *mismatch)
{
  if (inferred.size >= 0)
    {
      *mismatch |= stated.size >= 0 && stated.size != inferred.size;
      return inferred;
    }

  if (stated.size >= 0)
    return stated;
  if (inferred.symbol == NULL && stated.symbol != NULL)
    inferred.symbol = assay_symbol_normalize (self->graph->arena, stated.symbol);
  if (inferred.symbol == NULL && name != NULL && strlen (name) <= MAX_OWN_NAME)
    inferred.symbol = own_symbol (self, name, axis);

  return inferred;
}

/* Joins what inference and the file say. The name, if there is one, is that of the value, for
 * unknown extents. */
static const AssayType *
merge_type (AssayInfer *self, const AssayType *inferred, const AssayType *stated, const char *name,
            gboolean *mismatch)
{
  AssayDim dims[ASSAY_MAX_RANK];
  const AssayDim *from = inferred->dims;
  AssayDType dtype = inferred->dtype;
  int rank = inferred->rank;
  gboolean changed = FALSE;

  if (inferred->kind == ASSAY_TYPE_KIND_UNKNOWN)
    {
      if (stated->kind == ASSAY_TYPE_KIND_UNKNOWN)
        return &assay_type_unknown;
      inferred = stated;
      from = stated->dims;
      dtype = stated->dtype;
      rank = stated->rank;
    }

  if (stated->kind != ASSAY_TYPE_KIND_UNKNOWN && stated->kind != inferred->kind)
    {
      *mismatch = TRUE;
      stated = &assay_type_unknown;
    }

  if (inferred->kind != ASSAY_TYPE_KIND_TENSOR && inferred->kind != ASSAY_TYPE_KIND_SPARSE_TENSOR)
    {
      const AssayType *element;

      if (inferred->element == NULL)
        return stated->element != NULL ? stated : inferred;
      if (stated->element == NULL)
        return inferred;

      element = merge_type (self, inferred->element, stated->element, NULL, mismatch);
      if (element == inferred->element)
        return inferred;

      return assay_type_new_wrapped (self->graph->arena, inferred->kind, inferred->dtype, element);
    }

  if (dtype == ASSAY_DTYPE_UNDEFINED)
    dtype = stated->dtype;
  else
    *mismatch |= stated->dtype != ASSAY_DTYPE_UNDEFINED && stated->dtype != dtype;

  if (rank < 0)
    {
      rank = stated->rank;
      from = stated->dims;
    }
  else if (stated->rank >= 0 && stated->rank != rank)
    {
      *mismatch = TRUE;
      stated = &assay_type_unknown;
    }

  if (rank > ASSAY_MAX_RANK)
    return assay_type_new_tensor (self->graph->arena, dtype, -1, NULL);

  for (int i = 0; i < rank; i++)
    {
      AssayDim other = stated->rank == rank ? stated->dims[i] : (AssayDim){ -1, NULL };

      dims[i] = merge_dim (self, from[i], other, name, i, mismatch);
      changed |= dims[i].size != from[i].size || dims[i].symbol != from[i].symbol;
    }

  if (!changed && dtype == inferred->dtype && rank == inferred->rank)
    return inferred;

  if (inferred->kind == ASSAY_TYPE_KIND_SPARSE_TENSOR)
    {
      AssayType *type = (AssayType *) assay_type_new_tensor (self->graph->arena, dtype, rank, dims);

      type->kind = ASSAY_TYPE_KIND_SPARSE_TENSOR;
      return type;
    }

  return assay_type_new_tensor (self->graph->arena, dtype, rank, dims);
}

/**
 * assay_infer_commit:
 * @self: a run of inference
 * @node: the node that the type was inferred at, or 0
 * @id: a value
 * @inferred: what was inferred of its type
 *
 * Gives a value the type that was inferred, filled up with what the file says; a contradiction is a
 * finding.
 */
void
assay_infer_commit (AssayInfer *self, AssayNodeId node, AssayValueId id, const AssayType *inferred)
{
  AssayValue *value = assay_graph_edit_value (self->graph, id);
  const AssayType *stated = value->type;
  gboolean mismatch = FALSE;

  value->type = merge_type (self, inferred, stated, value->name, &mismatch);

  if (mismatch && self->findings != NULL)
    {
      g_autofree char *is = assay_type_to_string (inferred);
      g_autofree char *says = assay_type_to_string (stated);

      assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "infer.mismatch",
                          node == ASSAY_NO_NODE ? "graph" : assay_infer_path (self, node),
                          node == ASSAY_NO_NODE ? NULL : assay_graph_node (self->graph, node)->name,
                          NULL, -1, "the file says that “%s” is %s, but it is %s", value->name,
                          says, is);
    }
}

static gboolean
can_have_elements (AssayDType dtype)
{
  return dtype == ASSAY_DTYPE_BOOL || assay_dtype_is_integer (dtype) ||
         assay_dtype_is_float (dtype);
}

/**
 * assay_infer_new_elements:
 * @self: a run of inference
 * @dtype: element type
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 *
 * Makes room for the elements of a small tensor, all unknown.
 *
 * Returns: (transfer none) (nullable): the elements, or %NULL if there are too many
 */
AssayElements *
assay_infer_new_elements (AssayInfer *self, AssayDType dtype, guint rank, const gint64 *dims)
{
  AssayElements *elements;
  gsize n;

  if (rank > ASSAY_MAX_RANK || !can_have_elements (dtype) || !assay_dims_count (rank, dims, &n) ||
      n > ASSAY_MAX_ELEMENTS)
    return NULL;

  /* Shapes are short; what is longer draws on the budget. */
  if (n > FEW_ELEMENTS && n > self->budget)
    return NULL;
  if (n > FEW_ELEMENTS)
    self->budget -= n;

  elements = assay_arena_alloc (self->scratch, sizeof *elements);
  elements->dtype = dtype;
  elements->rank = rank;
  elements->dims = assay_arena_memdup (self->scratch, dims, rank * sizeof *dims);
  elements->n = n;
  elements->items = assay_arena_alloc_n (self->scratch, MAX (n, 1), sizeof *elements->items);
  elements->folded = FALSE;
  for (gsize i = 0; i < n; i++)
    elements->items[i] = assay_scalar_unknown ();

  return elements;
}

static AssayElements *
read_elements (AssayInfer *self, AssayTensor *tensor)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  AssayElements *elements;

  if (assay_tensor_get_n_elements (tensor) > ASSAY_MAX_ELEMENTS)
    return NULL;

  elements = assay_infer_new_elements (self, dtype, assay_tensor_get_rank (tensor),
                                       assay_tensor_get_dims (tensor));
  if (elements == NULL)
    return NULL;

  for (gsize i = 0; i < elements->n; i++)
    {
      if (assay_dtype_is_float (dtype))
        {
          double value;

          if (!assay_tensor_get_element (tensor, i, &value, NULL))
            return NULL;
          elements->items[i] = assay_scalar_float (value);
        }
      else
        {
          gint64 value;

          if (assay_tensor_get_integer (tensor, i, &value, NULL))
            elements->items[i] = assay_scalar_int (value);
        }
    }

  return elements;
}

/**
 * assay_infer_elements:
 * @self: a run of inference
 * @value: a value, or 0
 *
 * Gets what is known of the elements of a value; a constant that is small enough is read.
 *
 * Returns: (transfer none) (nullable): the elements, or %NULL if nothing is known
 */
const AssayElements *
assay_infer_elements (AssayInfer *self, AssayValueId value)
{
  AssayTensor *tensor;

  if (value == ASSAY_NO_VALUE)
    return NULL;
  if (self->elements[value] != NULL)
    return self->elements[value];

  tensor = assay_graph_constant (self->graph, value);
  if (tensor != NULL)
    self->elements[value] = read_elements (self, tensor);

  return self->elements[value];
}

/**
 * assay_infer_set_elements:
 * @self: a run of inference
 * @value: a result
 * @elements: what is known of its elements
 *
 * Keeps what is known of the elements of a result; if all are known, it becomes a constant.
 */
void
assay_infer_set_elements (AssayInfer *self, AssayValueId value, AssayElements *elements)
{
  const AssayType *type = assay_graph_value (self->graph, value)->type;
  gboolean complete = TRUE;
  gboolean any = elements->n == 0;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->dtype != elements->dtype ||
      (type->rank >= 0 && type->rank != (int) elements->rank))
    return;
  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size >= 0 && type->dims[i].size != elements->dims[i])
        return;
    }

  for (gsize i = 0; i < elements->n; i++)
    {
      complete &= elements->items[i].kind == ASSAY_SCALAR_INT ||
                  elements->items[i].kind == ASSAY_SCALAR_FLOAT;
      any |= elements->items[i].kind != ASSAY_SCALAR_UNKNOWN;
    }

  if (!any)
    return;

  self->elements[value] = elements;
  if (!assay_type_is_static (type))
    assay_graph_edit_value (self->graph, value)->type = assay_type_new_fixed (
        self->graph->arena, elements->dtype, elements->rank, elements->dims);

  if (complete && assay_graph_constant (self->graph, value) == NULL)
    {
      g_autoptr (AssayTensor) tensor = assay_elements_to_tensor (elements);

      if (tensor != NULL)
        {
          assay_graph_set_constant (self->graph, value, tensor);
          elements->folded = TRUE;
        }
    }
}

static void
reset_value (AssayInfer *self, AssayValueId id)
{
  AssayValue *value;

  if (id == ASSAY_NO_VALUE)
    return;

  value = assay_graph_edit_value (self->graph, id);
  value->type = self->stated[id];
  if (self->elements[id] != NULL && self->elements[id]->folded)
    value->constant = NULL;
  if (value->constant == NULL)
    self->elements[id] = NULL;
  self->sequences[id] = NULL;
}

/**
 * assay_infer_reset:
 * @self: a run of inference
 * @region: a nested region
 *
 * Forgets what was inferred in a region and those in it, so that it can be swept again with wider
 * inputs.
 */
void
assay_infer_reset (AssayInfer *self, AssayRegionId region)
{
  const AssayRegion *r = assay_graph_region (self->graph, region);

  for (guint i = 0; i < r->inputs->len; i++)
    reset_value (self, g_array_index (r->inputs, AssayValueId, i));

  for (guint i = 0; i < r->nodes->len; i++)
    {
      AssayNodeId id = g_array_index (r->nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (self->graph, id);

      self->done[id] = 0;
      for (guint j = 0; j < node->n_outputs; j++)
        reset_value (self, node->outputs[j]);
      for (guint j = 0; j < node->n_attrs; j++)
        {
          if (node->attrs[j].kind == ASSAY_ATTR_GRAPH && self->swept[node->attrs[j].u.region] == 1)
            assay_infer_reset (self, node->attrs[j].u.region);
        }
    }

  self->swept[region] = 0;
}

static void
sweep_left_over (AssayInfer *self, AssayRegionId region)
{
  if (region != ASSAY_MAIN_REGION && region < self->graph->regions->len && self->swept[region] == 0)
    assay_infer_sweep (self, region);
}

static void
report_violation (AssayShapeContext *context, const AssayViolation *violation)
{
  assay_shape_report (context, violation->rule, violation->attribute, "%s", violation->text);
}

/* Once per node: what it is made of does not change from sweep to sweep, shapes may. */
static void
report_lapse (AssayShapeContext *context)
{
  AssayViolation lapse;

  if (!context->passing && assay_graph_find_lapse (context->graph, context->id, &lapse))
    assay_shape_warn (context, lapse.rule, lapse.attribute, "%s", lapse.text);
}

/* What is wrong with a node, and what is known of its outputs all the same. In a nested graph
 * shapes are no reason against it: the branch may not be taken, and a loop comes by with others.
 * The evaluator looks at them again. */
static void
check_node (AssayShapeContext *context)
{
  AssayViolation violation;

  if (!assay_node_check_form (context->node, &violation))
    {
      report_violation (context, &violation);
      context->muted = TRUE;
    }

  context->passing = context->node->region != ASSAY_MAIN_REGION;
  if (rules[context->node->op] != NULL)
    rules[context->node->op](context);
  if (context->n_reports == 0 &&
      !assay_graph_check_operands (context->graph, context->id, &violation))
    report_violation (context, &violation);
  if (context->n_reports == 0)
    report_lapse (context);
}

/**
 * assay_infer_visit:
 * @self: a run of inference
 * @id: a node whose inputs were visited
 *
 * Infers the types of the outputs of one node.
 */
void
assay_infer_visit (AssayInfer *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  const AssayType *few[FEW_OUTPUTS];
  AssayShapeContext context = {
    self, self->graph, self->graph->arena, self->scratch, id, node, few
  };

  if (node->n_outputs > FEW_OUTPUTS)
    context.outputs = assay_arena_alloc_n (self->scratch, node->n_outputs, sizeof *context.outputs);
  for (guint i = 0; i < node->n_outputs; i++)
    context.outputs[i] = &assay_type_unknown;

  self->violations[id] = NULL;
  check_node (&context);

  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE)
        assay_infer_commit (self, id, node->outputs[i], context.outputs[i]);
    }

  if (context.n_reports == 0)
    assay_infer_fold (&context);

  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (node->attrs[i].kind == ASSAY_ATTR_GRAPH)
        sweep_left_over (self, node->attrs[i].u.region);
      for (guint j = 0; node->attrs[i].kind == ASSAY_ATTR_GRAPHS && j < node->attrs[i].n; j++)
        sweep_left_over (self, node->attrs[i].u.regions[j]);
    }
}

/* Sweeps a node after the nodes of its region that it reads. Nodes come sorted, so the stack stays
 * empty unless a file is out of order; in a cycle the node that was met first goes first. */
static void
sweep_behind (AssayInfer *self, AssayNodeId first, GArray *stack)
{
  g_array_append_val (stack, first);

  while (stack->len > 0)
    {
      AssayNodeId id = g_array_index (stack, AssayNodeId, stack->len - 1);
      const AssayNode *node = assay_graph_node (self->graph, id);
      gboolean ready = TRUE;

      if (self->done[id] == 0)
        {
          self->done[id] = 1;
          for (guint i = 0; i < node->n_inputs; i++)
            {
              AssayNodeId producer =
                  node->inputs[i] == ASSAY_NO_VALUE
                      ? ASSAY_NO_NODE
                      : assay_graph_value (self->graph, node->inputs[i])->producer;

              if (producer != ASSAY_NO_NODE && self->done[producer] == 0 &&
                  assay_graph_node (self->graph, producer)->region == node->region)
                {
                  g_array_append_val (stack, producer);
                  ready = FALSE;
                }
            }
        }

      if (!ready)
        continue;

      g_array_set_size (stack, stack->len - 1);
      if (self->done[id] == 1)
        {
          self->done[id] = 2;
          assay_infer_visit (self, id);
        }
    }
}

/**
 * assay_infer_sweep:
 * @self: a run of inference
 * @region: a region
 *
 * Sweeps the nodes of a region once, in the order of the data.
 */
void
assay_infer_sweep (AssayInfer *self, AssayRegionId region)
{
  const AssayRegion *r = assay_graph_region (self->graph, region);
  g_autoptr (GArray) stack = NULL;

  if (self->depth >= MAX_REGION_DEPTH || self->swept[region] == 2)
    return;

  self->swept[region] = 2;
  self->depth++;
  stack = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));

  for (guint i = 0; i < r->inputs->len; i++)
    assay_infer_commit (self, ASSAY_NO_NODE, g_array_index (r->inputs, AssayValueId, i),
                        &assay_type_unknown);

  for (guint i = 0; i < r->nodes->len; i++)
    {
      AssayNodeId id = g_array_index (r->nodes, AssayNodeId, i);

      if (self->done[id] == 0)
        sweep_behind (self, id, stack);

      if (++self->n_done % 4096 == 0)
        {
          assay_progress_report (self->progress,
                                 MIN (1.0, (double) self->n_done / self->graph->nodes->len), NULL);
          if (assay_progress_is_cancelled (self->progress))
            break;
        }
    }

  self->depth--;
  self->swept[region] = 1;
}

/* What an earlier inference found wrong may be right by now. */
static void
restore_nodes (AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      AssayNode *node = assay_graph_edit_node (graph, id);

      if (node->violation == NULL)
        continue;
      node->op = node->meant;
      node->meant = ASSAY_OP_OPAQUE;
      node->violation = NULL;
    }
}

/* From here on nobody takes a node that is wrong for the operation that it says it is. */
static void
mark_nodes (AssayInfer *self)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      if (self->violations[id] != NULL)
        assay_graph_set_violation (self->graph, id, self->violations[id]);
    }
}

gboolean
assay_graph_infer (AssayGraph *self, AssayFindings *findings, const AssayProgress *progress,
                   GError **error)
{
  g_autoptr (AssayArena) scratch = assay_arena_new ();
  AssayInfer infer = {
    .graph = self,
    .findings = findings,
    .progress = progress,
    .scratch = scratch,
    .budget = 256 * 1024,
  };
  guint32 n_values = assay_graph_n_values (self);

  infer.stated = assay_arena_alloc_n (scratch, n_values, sizeof *infer.stated);
  infer.elements = assay_arena_alloc_n (scratch, n_values, sizeof *infer.elements);
  infer.sequences = assay_arena_alloc_n (scratch, n_values, sizeof *infer.sequences);
  infer.violations = assay_arena_alloc_n (scratch, assay_graph_n_nodes (self),
                                          sizeof *infer.violations);
  infer.done = assay_arena_alloc_n (scratch, assay_graph_n_nodes (self), sizeof *infer.done);
  infer.swept = assay_arena_alloc_n (scratch, self->regions->len, sizeof *infer.swept);
  for (guint32 i = 0; i < n_values; i++)
    infer.stated[i] = assay_graph_value (self, i)->type;

  if (!assay_progress_check (progress, error))
    return FALSE;

  restore_nodes (self);
  assay_infer_sweep (&infer, ASSAY_MAIN_REGION);
  mark_nodes (&infer);

  return assay_progress_check (progress, error);
}
