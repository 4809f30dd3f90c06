/* assay-stream-predicate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/check/assay-stream-check.h"

#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"

/* Predicates on what the whole graph says of a node: data dimensions and the sequence. A target of
 * another family can name them too; it has no such analysis. */

static const AssayStreamAnalysis *
get_analysis (AssayContext *context)
{
  AssayCheck *check = context->check;

  return check->target->check_class->analyse == assay_stream_check_analyse ? check->analysis : NULL;
}

/* The two sides of a conflict, each with the node whose rule it is. */
static void
rest_on_conflict (AssayContext *context, const AssayDimensionConflict *conflict)
{
  const AssayGraph *graph = context->check->graph;
  const AssayValue *value = assay_graph_value (graph, conflict->value);
  g_autofree char *type = assay_type_to_string (value->type);

  assay_context_rest_on (context, value->producer, "no axis of %s %s is left", value->name, type);
  if (conflict->text_a != NULL)
    assay_context_rest_on (context, conflict->node_a, "%s", conflict->text_a);
  if (conflict->text_b != NULL)
    assay_context_rest_on (context, conflict->node_b, "%s", conflict->text_b);
}

static AssayTruth
eval_data_dimension (AssayContext *context, const AssayCall *call)
{
  const AssayStreamAnalysis *analysis = get_analysis (context);
  const AssayDimensionConflict *conflict;

  if (analysis == NULL || analysis->dimensions == NULL)
    return ASSAY_TRUE;

  conflict = assay_dimensions_find_conflict (analysis->dimensions, context->node_id);
  if (conflict != NULL)
    {
      context->id = conflict->rule;
      rest_on_conflict (context, conflict);
      return assay_context_say (context, ASSAY_FALSE, "the data dimension", "%s",
                                conflict->message);
    }
  if (assay_dimensions_is_undecided (analysis->dimensions, context->node_id))
    return assay_context_say (context, ASSAY_UNKNOWN, "the data dimension",
                              "a shape that decides the data dimension is unknown");

  return ASSAY_TRUE;
}

static AssayTruth
eval_streamable (AssayContext *context, const AssayCall *call)
{
  const AssayStreamAnalysis *analysis = get_analysis (context);
  const AssayStreamingRefusal *refusal;

  if (analysis == NULL || analysis->streaming == NULL)
    return ASSAY_TRUE;

  refusal = assay_streaming_find_refusal (analysis->streaming, context->node_id);
  if (refusal == NULL)
    return ASSAY_TRUE;

  if (refusal->detail != NULL)
    assay_context_rest_on (context, ASSAY_NO_NODE, "%s", refusal->detail);
  context->id = refusal->rule;
  return assay_context_say (
      context, g_str_equal (refusal->rule, "streaming.unknown") ? ASSAY_UNKNOWN : ASSAY_FALSE,
      "the sequence", "%s", refusal->text);
}

/* Whether the check is one of a streamed model, and the node sees the stream. */
static AssayTruth
eval_streamed (AssayContext *context, const AssayCall *call)
{
  const AssayStreamAnalysis *analysis = get_analysis (context);
  const AssayStreaming *streaming = analysis == NULL ? NULL : analysis->streaming;

  /* Behind a refusal nothing is known of the sequence. */
  if (streaming != NULL && streaming->refusals->len > 0)
    return ASSAY_TRUE;
  for (guint i = 0; streaming != NULL && i < context->node->n_inputs; i++)
    {
      if (streaming->axes[context->node->inputs[i]] >= 0)
        return ASSAY_TRUE;
    }

  assay_context_allow (context, "the model is streamed");
  return assay_context_say (context, ASSAY_FALSE, "the model",
                            streaming == NULL ? "not streamed"
                                              : "not streamed over what this node reads");
}

/* An extent without a number: by the name that an input of the model gives it, if there is one. */
static AssayTruth
say_open_extent (AssayContext *context, AssayNodeId producer, const char *name, int axis,
                 const char *symbol)
{
  const GArray *inputs = g_array_index (context->check->graph->regions, AssayRegion, 0).inputs;

  assay_context_rest_on (context, producer, "dimension %d of %s is %s", axis, name,
                         symbol != NULL ? symbol : "unknown");
  for (guint i = 0; symbol != NULL && i < inputs->len; i++)
    {
      const AssayType *type = assay_context_type (context, g_array_index (inputs, AssayValueId, i));

      for (int j = 0; j < assay_type_rank (type); j++)
        if (g_strcmp0 (type->dims[j].symbol, symbol) == 0)
          {
            context->cause = assay_arena_intern (context->check->arena, symbol);
            return assay_context_say (context, ASSAY_UNKNOWN, symbol, "the size of %s is not set",
                                      symbol);
          }
    }

  return assay_context_say (context, ASSAY_UNKNOWN, "a shape",
                            "the size of a tensor is unknown before the model runs");
}

/* Everything is allocated when compiling, so that every extent has to be known, but for that of a
 * streamed axis. */
static AssayTruth
eval_known_extents (AssayContext *context, const AssayCall *call)
{
  const AssayStreamAnalysis *analysis = get_analysis (context);
  const AssayStreaming *streaming = analysis == NULL ? NULL : analysis->streaming;
  const AssayNode *node = context->node;

  for (guint i = 0; i < (guint) node->n_inputs + node->n_outputs; i++)
    {
      AssayValueId id = i < node->n_inputs ? node->inputs[i] : node->outputs[i - node->n_inputs];
      const AssayType *type = assay_context_type (context, id);
      AssayNodeId producer;
      const char *name;

      if (id == ASSAY_NO_VALUE || assay_context_is_constant (context, id))
        continue;

      producer = assay_graph_value (context->check->graph, id)->producer;
      name = assay_graph_value (context->check->graph, id)->name;
      if (assay_type_rank (type) < 0)
        {
          assay_context_rest_on (context, producer, "the rank of %s is unknown", name);
          return assay_context_say (context, ASSAY_UNKNOWN, "a shape",
                                    "the number of dimensions of a tensor is unknown");
        }

      for (int axis = 0; axis < type->rank; axis++)
        {
          const AssayDim *dim = &type->dims[axis];

          if (streaming != NULL && streaming->axes[id] == axis)
            continue;
          if (dim->size == 0)
            {
              assay_context_rest_on (context, producer, "dimension %d of %s is 0", axis, name);
              return assay_context_say (context, ASSAY_FALSE, "a shape",
                                        "a tensor has no elements");
            }
          if (dim->size < 0)
            return say_open_extent (context, producer, name, axis, dim->symbol);
        }
    }

  return ASSAY_TRUE;
}

static AssayTruth
eval_dynamic_weights (AssayContext *context, const AssayCall *call)
{
  AssayValueId a = assay_node_input (context->node, 0);
  AssayValueId b = assay_node_input (context->node, 1);

  if (assay_settings_get_flag (context->check->settings, ASSAY_SETTING_DYNAMIC_WEIGHTS) ||
      assay_context_is_constant (context, a) || assay_context_is_constant (context, b))
    return ASSAY_TRUE;

  assay_context_allow (context, "one constant side, or run-time weights allowed in Setup");
  return assay_context_say (context, ASSAY_FALSE, "inputs", "computed at run time");
}

/* What no input changes was folded, unless that was too much or went wrong; nothing is left then to
 * run it on. */
static AssayTruth
eval_reads_run_time (AssayContext *context, const AssayCall *call)
{
  const AssayNode *node = context->node;

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE && !assay_context_is_constant (context, node->inputs[i]))
      return ASSAY_TRUE;
  if (node->n_inputs == 0 || (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_REGIONS) != 0)
    return ASSAY_TRUE;

  assay_context_allow (context, "an input that is computed at run time");
  return assay_context_say (context, ASSAY_FALSE, "inputs", "all constant");
}

/* What GroupNormalization and InstanceNormalization are lowered by: as many channels in each group,
 * and a scale and a bias for each channel or for each of equal parts of them. */
static AssayTruth
eval_channel_groups (AssayContext *context, const AssayCall *call)
{
  const AssayNode *node = context->node;
  const AssayType *type = assay_context_type (context, assay_node_input (node, 0));
  gint64 channels, groups;

  assay_context_allow (context, "groups, scales and biases that divide them");
  if (assay_type_rank (type) < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, "channels", "the shape is unknown");
  if (type->rank < 2)
    return assay_context_say (context, ASSAY_FALSE, "channels", "none, the rank is %d", type->rank);
  channels = type->dims[1].size;
  if (channels < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, "channels",
                              "the number of channels is unknown");
  groups = node->op == ASSAY_OP_GroupNormalization ? assay_node_get_int (node, "num_groups")
                                                   : channels;
  if (groups < 1 || channels % groups != 0)
    return assay_context_say (context, ASSAY_FALSE, "channels",
                              "%" G_GINT64_FORMAT " for %" G_GINT64_FORMAT " group%s", channels,
                              groups, assay_plural (groups));

  for (guint i = 1; i < 3; i++)
    {
      gsize n;

      if (!assay_type_count (assay_context_type (context, assay_node_input (node, i)), &n))
        return assay_context_say (context, ASSAY_UNKNOWN, "channels",
                                  "the number of values of input %u is unknown", i);
      if (n == 0 || (gsize) channels % n != 0)
        return assay_context_say (context, ASSAY_FALSE, "channels",
                                  "%" G_GINT64_FORMAT " for %" G_GSIZE_FORMAT
                                  " value%s in input %u",
                                  channels, n, assay_plural (n), i);
    }

  return ASSAY_TRUE;
}

static AssayTruth
eval_published_only (AssayContext *context, const AssayCall *call)
{
  if (assay_settings_get_flag (context->check->settings, ASSAY_SETTING_PUBLISHED_ONLY))
    return ASSAY_TRUE;

  assay_context_allow (context, "published-only");
  return assay_context_say (context, ASSAY_FALSE, "the check", "what the machine can do");
}

const AssayPredicate assay_stream_predicates[] = {
  { "published_only",
    "the check is to take only what the vendor lists",
    "{attribute} takes {actual}, not {allowed}",
    eval_published_only,
    { { NULL } } },
  { "channel_groups",
    "the channels of a group or instance normalization divide into its groups, and its scale and "
    "bias fit them",
    "The channels do not divide: {actual}",
    eval_channel_groups,
    { { NULL } } },
  { "reads_run_time",
    "an input of the node is computed at run time, so that it could not be folded",
    "Its inputs are {actual}, and it could not be computed before the model runs",
    eval_reads_run_time,
    { { NULL } } },
  { "data_dimension",
    "a data dimension can be chosen for what the node reads and writes",
    "{actual}",
    eval_data_dimension,
    { { NULL } } },
  { "streamable",
    "a streamed model can run the node one timestep at a time; holds if the model is not streamed",
    "{actual}",
    eval_streamable,
    { { NULL } } },
  { "known_extents",
    "every run-time tensor of the node has known extents, but for a streamed axis",
    "{actual}",
    eval_known_extents,
    { { NULL } } },
  { "streamed",
    "the model is checked as a streamed one",
    "{attribute} is {actual}, not {allowed}",
    eval_streamed,
    { { NULL } } },
  { "dynamic_weights",
    "one side of a product is constant, or dynamic weights are allowed",
    "Both sides are {actual}, and run-time weights are off",
    eval_dynamic_weights,
    { { NULL } } },
  { NULL }
};
