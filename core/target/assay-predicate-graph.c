/* assay-predicate-graph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "target/assay-check-private.h"

/* Predicates on what surrounds a node. */

static gboolean
is_among (const AssayArg *ops,
          AssayOp         op)
{
  for (guint i = 0; i < ops->n; i++)
    if (ops->u.ints[i] == (gint64) op)
      return TRUE;

  return FALSE;
}

static void
allow_ops (AssayContext   *context,
           const AssayArg *ops)
{
  if (context->quiet)
    return;

  g_string_truncate (context->allowed, 0);
  for (guint i = 0; i < ops->n; i++)
    g_string_append_printf (context->allowed, "%s%s", i == 0 ? "" : i + 1 < ops->n ? ", " : " or ",
                            assay_op_name ((AssayOp) ops->u.ints[i]));
}

static AssayTruth
eval_readers (AssayContext    *context,
              const AssayCall *call)
{
  const AssayArg *ops = assay_call_arg (call, "ops");
  gint64 position = assay_call_int (call, "position", -1);
  AssayValueId value = assay_node_output (context->node, 0);
  guint n;
  const AssayNodeId *readers = assay_uses_get (context->check->uses, value, &n);

  allow_ops (context, ops);
  if (assay_uses_is_output (context->check->uses, value))
    return assay_context_say (context, ASSAY_FALSE, "a reader of the result", "the output of the model");
  if (n == 0)
    return assay_context_say (context, ASSAY_FALSE, "a reader of the result", "none");

  for (guint i = 0; i < n; i++)
    {
      const AssayNode *reader = assay_graph_node (context->check->graph, readers[i]);

      if (!is_among (ops, reader->op))
        return assay_context_say (context, ASSAY_FALSE, "a reader of the result", "%s", reader->op_type);
      if (position >= 0 && assay_node_input (reader, (guint) position) != value)
        return assay_context_say (context, ASSAY_FALSE, "a reader of the result",
                                  "%s in another place than input %" G_GINT64_FORMAT, reader->op_type, position);
    }

  return ASSAY_TRUE;
}

static AssayTruth
eval_producer (AssayContext    *context,
               const AssayCall *call)
{
  const AssayArg *ops = assay_call_arg (call, "ops");
  const char *label;
  AssayValueId value = assay_context_value (context, call, &label);
  AssayNodeId producer = value != ASSAY_NO_VALUE ? assay_graph_value (context->check->graph, value)->producer : ASSAY_NO_NODE;

  if (producer != ASSAY_NO_NODE && is_among (ops, assay_graph_node (context->check->graph, producer)->op))
    return ASSAY_TRUE;

  allow_ops (context, ops);
  return assay_context_say (context, ASSAY_FALSE, label, "%s",
                            producer != ASSAY_NO_NODE ? assay_graph_node (context->check->graph, producer)->op_type
                            : assay_context_is_constant (context, value) ? "a constant" : "an input of the graph");
}

/* Whether the name or the operator of the node is in a list that the user gave as an option. */
static AssayTruth
eval_listed (AssayContext    *context,
             const AssayCall *call)
{
  const char *name = assay_call_string (call, "option");
  gboolean by_op = assay_call_bool (call, "by_op", FALSE);
  const AssayOptionValue *option = assay_check_option (context->check, name, NULL);
  g_auto (GStrv) entries = option != NULL && *option->s != '\0' ? g_strsplit (option->s, ",", -1) : NULL;

  for (char **entry = entries; entry != NULL && *entry != NULL; entry++)
    {
      const char *wanted = g_strstrip (*entry);

      if (*wanted == '\0')
        continue;
      if (by_op ? g_str_equal (wanted, context->node->op_type) : g_str_has_prefix (context->node->name, wanted))
        return ASSAY_TRUE;
    }

  assay_context_allow (context, "%s", option != NULL ? option->s : "");
  return assay_context_say (context, ASSAY_FALSE, name, "%s", by_op ? context->node->op_type : context->node->name);
}

static AssayTruth
eval_in_region (AssayContext    *context,
                const AssayCall *call)
{
  if (context->node->region != ASSAY_MAIN_REGION)
    return ASSAY_TRUE;

  assay_context_allow (context, "in the body of a control flow operator");
  return assay_context_say (context, ASSAY_FALSE, "the node", "in the main graph");
}

const AssayPredicate assay_predicates_graph[] = {
  { "readers", "every reader of the first output is one of some operators", "{attribute} is {actual}; allowed: {allowed}",
    eval_readers,
    { { "ops", ASSAY_ARG_OPS, TRUE, "the operators" },
      { "position", ASSAY_ARG_INT, FALSE, "and reads it as this input" } } },
  { "producer", "an input is made by one of some operators", "{attribute} is made by {actual}; allowed: {allowed}", eval_producer,
    { { "input", ASSAY_ARG_INT, FALSE, "which input, 0 unless given" },
      { "ops", ASSAY_ARG_OPS, TRUE, "the operators" } } },
  { "listed", "the name of the node starts with an entry of an option, a list with commas", "{actual} is not in {attribute}",
    eval_listed,
    { { "option", ASSAY_ARG_STRING, TRUE, "name of the option" },
      { "by_op", ASSAY_ARG_BOOL, FALSE, "compares the operator instead" } } },
  { "in_region", "the node stands in the body of a control flow operator", "{attribute} is {actual}; it has to be {allowed}",
    eval_in_region, { { NULL } } },
  { NULL }
};
