/* assay-predicate-neighbour.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "nnir/assay-axes.h"
#include "target/assay-check-private.h"

/* Predicates on neighbours, constant inputs and the parts of a node. */

static gboolean
has_op (const AssayArg *ops, AssayOp op)
{
  for (guint i = 0; i < ops->n; i++)
    if (ops->u.ints[i] == op)
      return TRUE;

  return FALSE;
}

static void
allow_ops (AssayContext *context, const AssayArg *ops)
{
  g_string_truncate (context->allowed, 0);
  for (guint i = 0; i < ops->n; i++)
    g_string_append_printf (context->allowed, "%s%s",
                            i == 0           ? ""
                            : i + 1 < ops->n ? ", "
                                             : " or ",
                            assay_op_name ((AssayOp) ops->u.ints[i]));
}

static AssayTruth
eval_read_only_by (AssayContext *context, const AssayCall *call)
{
  const AssayArg *ops = assay_call_arg (call, "ops");

  for (guint i = 0; i < context->node->n_outputs; i++)
    {
      AssayValueId value = context->node->outputs[i];
      guint n;
      const AssayNodeId *readers;

      if (value == ASSAY_NO_VALUE)
        continue;
      if (assay_uses_is_output (context->check->uses, value))
        {
          allow_ops (context, ops);
          return assay_context_say (context, ASSAY_FALSE, "its result", "an output of the graph");
        }

      readers = assay_uses_get (context->check->uses, value, &n);
      for (guint j = 0; j < n; j++)
        {
          const AssayNode *reader = assay_graph_node (context->check->graph, readers[j]);

          if (has_op (ops, reader->op))
            continue;
          allow_ops (context, ops);
          assay_context_rest_on (context, readers[j], "reads the result");
          return assay_context_say (context, ASSAY_FALSE, "its result", "read by %s",
                                    reader->op_type);
        }
    }

  return ASSAY_TRUE;
}

/* What makes a value, past nodes that became a part of it and past operators to look through. */
static const AssayNode *
find_producer (AssayCheck *check, AssayValueId value, const AssayArg *through)
{
  while (value != ASSAY_NO_VALUE)
    {
      AssayNodeId id = assay_graph_value (check->graph, value)->producer;
      const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (check->graph, id) : NULL;

      if (node == NULL || through == NULL)
        return node;
      if (check->fusion[id] != NULL && check->fused_into[id] != id)
        return assay_graph_node (check->graph, check->fused_into[id]);
      if (!has_op (through, node->op))
        return node;
      value = assay_node_input (node, 0);
    }

  return NULL;
}

static AssayTruth
eval_made_by (AssayContext *context, const AssayCall *call)
{
  const AssayArg *ops = assay_call_arg (call, "ops");
  const char *label;
  AssayValueId id = assay_context_value (context, call, &label);
  const AssayNode *producer;

  allow_ops (context, ops);
  if (id == ASSAY_NO_VALUE)
    return assay_context_say (context, ASSAY_FALSE, label, "absent");
  if (assay_context_is_constant (context, id))
    return assay_context_say (context, ASSAY_FALSE, label, "a constant");

  producer = find_producer (context->check, id, assay_call_arg (call, "through"));
  if (producer == NULL)
    return assay_context_say (context, ASSAY_FALSE, label, "an input of the graph");
  if (has_op (ops, producer->op))
    return ASSAY_TRUE;

  assay_context_rest_on (context, assay_graph_value (context->check->graph, id)->producer,
                         "makes %s", label);
  return assay_context_say (context, ASSAY_FALSE, label, "made by %s", producer->op_type);
}

static AssayTruth
eval_device_dtypes (AssayContext *context, const AssayCall *call)
{
  static const char *const inputs[] = { "input 0", "input 1", "input 2", "input 3", "input" };
  static const char *const outputs[] = { "output 0", "output 1", "output 2", "output 3", "output" };
  const AssayArg *in = assay_call_arg (call, "in");
  guint n_inputs = context->node->n_inputs;
  guint n_outputs = assay_call_bool (call, "inputs_only", FALSE) ? 0 : context->node->n_outputs;

  for (guint i = 0; i < n_inputs + n_outputs; i++)
    {
      gboolean output = i >= n_inputs;
      guint index = output ? i - n_inputs : i;
      const char *label = (output ? outputs : inputs)[MIN (index, 4)];
      AssayValueId value = output ? context->node->outputs[index] : context->node->inputs[index];
      const AssayType *type = assay_context_type (context, value);

      if (value == ASSAY_NO_VALUE || assay_context_is_constant (context, value))
        continue;
      if (type->kind <= ASSAY_TYPE_KIND_TENSOR && type->dtype != ASSAY_DTYPE_UNDEFINED &&
          (in->u.dtypes & (1u << type->dtype)) != 0)
        continue;

      assay_context_allow_dtypes (context, in->u.dtypes);
      if (type->kind <= ASSAY_TYPE_KIND_TENSOR && type->dtype == ASSAY_DTYPE_UNDEFINED)
        return assay_context_say (context, ASSAY_UNKNOWN, label, "the type of %s is unknown",
                                  label);

      return assay_context_say_type (context, label, type);
    }

  return ASSAY_TRUE;
}

/* Every element of a constant input is in range; an omitted input is. */
static AssayTruth
eval_constant_elements (AssayContext *context, const AssayCall *call)
{
  const char *label;
  AssayValueId id = assay_context_value (context, call, &label);
  const AssayArg *min = assay_call_arg (call, "min");
  const AssayArg *max = assay_call_arg (call, "max");
  const AssayArg *step = assay_call_arg (call, "multiple_of");
  gboolean same = assay_call_bool (call, "same", FALSE);
  AssayTensor *tensor;
  double first = 0.0;

  if (id == ASSAY_NO_VALUE)
    return ASSAY_TRUE;

  if (min != NULL && max != NULL && !(min->u.f < max->u.f))
    assay_context_allow (context, "a constant %g", min->u.f);
  else
    assay_context_allow (context, "constants%s", same ? ", all the same," : "");
  if (min != NULL && max != NULL && min->u.f < max->u.f)
    g_string_append_printf (context->allowed, " from %g to %g", min->u.f, max->u.f);
  if (step != NULL)
    g_string_append_printf (context->allowed, " in steps of %g", step->u.f);

  tensor = assay_graph_constant (context->check->graph, id);
  if (tensor == NULL && assay_context_is_constant (context, id))
    return assay_context_say (context, ASSAY_UNKNOWN, label, "the value of %s is not in the file",
                              label);
  if (tensor == NULL)
    return assay_context_say (context, ASSAY_FALSE, label, "computed at run time");

  for (gsize i = 0; i < assay_tensor_get_n_elements (tensor); i++)
    {
      double value;

      if (!assay_tensor_get_element (tensor, i, &value, NULL))
        return assay_context_say (context, ASSAY_UNKNOWN, label,
                                  "the elements of %s cannot be read", label);
      if (i == 0)
        first = value;
      if ((min != NULL && !(value >= min->u.f)) || (max != NULL && !(value <= max->u.f)) ||
          (step != NULL && fabs (value - step->u.f * round (value / step->u.f)) > 0.0) ||
          (same && fabs (value - first) > 0.0))
        return assay_context_say (context, ASSAY_FALSE, label, "%g", value);
    }

  return ASSAY_TRUE;
}

/* The normalized axes are the last one alone. */
static AssayTruth
eval_last_axis (AssayContext *context, const AssayCall *call)
{
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  gint64 axis = assay_context_attr_int (context, "axis");
  int index;

  assay_context_allow (context, "the last one");
  if (axis == -1)
    return ASSAY_TRUE;
  if (assay_type_rank (type) < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, "axis", "the rank is unknown");
  if (assay_axes_normalize (axis, type->rank, &index) && index == type->rank - 1)
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "axis", "%" G_GINT64_FORMAT " of rank %d", axis,
                            type->rank);
}

static AssayTruth
eval_activations (AssayContext *context, const AssayCall *call)
{
  const AssayArg *wanted = assay_call_arg (call, "are");
  const AssayAttr *given = assay_node_find_attr (context->node, "activations");

  if (given == NULL || given->kind != ASSAY_ATTR_STRINGS)
    return ASSAY_TRUE;

  g_string_truncate (context->allowed, 0);
  for (guint i = 0; i < wanted->n; i++)
    g_string_append_printf (context->allowed, "%s%s", i > 0 ? ", " : "", wanted->u.strings[i]);
  for (guint i = 0; i < given->n; i++)
    if (g_ascii_strcasecmp (given->u.strings[i], wanted->u.strings[i % wanted->n]) != 0)
      return assay_context_say (context, ASSAY_FALSE, "activations", "%s in place %u",
                                given->u.strings[i], i);

  return ASSAY_TRUE;
}

static AssayTruth
eval_absent (AssayContext *context, const AssayCall *call)
{
  const char *label;

  if (assay_context_value (context, call, &label) == ASSAY_NO_VALUE)
    return ASSAY_TRUE;

  assay_context_allow (context, "absent");
  return assay_context_say (context, ASSAY_FALSE, label, "given");
}

const AssayPredicate assay_predicates_neighbour[] = {
  { "absent",
    "an optional input is not there",
    "{attribute} is {actual}, not {allowed}",
    eval_absent,
    { { "input", ASSAY_ARG_INT, TRUE, "which input" } } },
  { "read_only_by",
    "nothing else reads the results, and they are no graph outputs",
    "{attribute} is {actual}, and only {allowed} may read it",
    eval_read_only_by,
    { { "ops", ASSAY_ARG_OPS, TRUE, "the operators that may read it" } } },
  { "made_by",
    "an input is the result of one of these operators",
    "{attribute} is {actual}, not made by {allowed}",
    eval_made_by,
    { { "input", ASSAY_ARG_INT, FALSE, "which input, 0 unless given" },
      { "ops", ASSAY_ARG_OPS, TRUE, "the operators" },
      { "through", ASSAY_ARG_OPS, FALSE,
        "operators to look through, as well as what became a part of another node" } } },
  { "device_dtypes",
    "every run-time input and output has one of the types",
    "{attribute} is {actual}, not {allowed}",
    eval_device_dtypes,
    { { "in", ASSAY_ARG_DTYPES, TRUE, "the types" },
      { "inputs_only", ASSAY_ARG_BOOL, FALSE, "true: outputs may have any type" } } },
  { "constant_elements",
    "every element of a constant input is in range; an omitted input is",
    "{attribute} is {actual}, not {allowed}",
    eval_constant_elements,
    { { "input", ASSAY_ARG_INT, TRUE, "which input" },
      { "min", ASSAY_ARG_NUMBER, FALSE, "least value" },
      { "max", ASSAY_ARG_NUMBER, FALSE, "greatest value" },
      { "multiple_of", ASSAY_ARG_NUMBER, FALSE, "what divides them" },
      { "same", ASSAY_ARG_BOOL, FALSE, "true: all elements are equal" } } },
  { "last_axis",
    "the attribute `axis` names the last axis",
    "{attribute} is {actual}, not {allowed}",
    eval_last_axis,
    { { NULL } } },
  { "activations",
    "the activations of a recurrent node are these in turn, or not written out",
    "{attribute} is {actual}, not {allowed}",
    eval_activations,
    { { "are", ASSAY_ARG_STRINGS, TRUE, "the activations of one direction" } } },
  { NULL }
};
