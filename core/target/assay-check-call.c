/* assay-check-call.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node of the file that calls a function of PyTorch is made of others here. What a target says of
 * it, it says of the function: its rows go by the name in the file.
 */
#include "nnir/assay-graph-builder.h"
#include "target/assay-check-private.h"

static AssayNodeId
find_call (const AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (assay_graph_node (graph, id)->op == ASSAY_OP_OPAQUE)
      return id;

  return ASSAY_NO_NODE;
}

/* The one call that a node is made of; a node that stands for others as well is none. */
static guint32
origin_of (const AssayGraph *graph, const AssayNode *node)
{
  guint32 found = G_MAXUINT32;

  for (guint i = 0; i < node->n_origins; i++)
    {
      const AssayOrigin *origin = node->origins[i] < graph->origins->len
                                      ? &g_array_index (graph->origins, AssayOrigin,
                                                        node->origins[i])
                                      : NULL;

      if (origin == NULL ||
          (origin->call != NULL && found != G_MAXUINT32 && found != node->origins[i]))
        return G_MAXUINT32;
      if (origin->call != NULL)
        found = node->origins[i];
      else if (assay_op_lookup (origin->domain, origin->op_type) != ASSAY_OP_OPAQUE)
        return G_MAXUINT32;
    }

  return found;
}

/* Whether a pattern joins a node with others than those of its call. */
static gboolean
is_joined (AssayCheck *self, AssayNodeId id, guint32 origin)
{
  AssayNodeId into = self->fused_into[id];

  if (self->fusion[id] == NULL)
    return FALSE;
  for (AssayNodeId other = 1; other < assay_graph_n_nodes (self->graph); other++)
    if (self->fusion[other] != NULL && self->fused_into[other] == into &&
        origin_of (self->graph, assay_graph_node (self->graph, other)) != origin)
      return TRUE;

  return FALSE;
}

/* The value of a name; all names are looked at once. */
static AssayValueId
find_value (AssayCheck *self, const char *name)
{
  if (self->names == NULL)
    {
      self->names = g_hash_table_new (g_str_hash, g_str_equal);
      for (AssayValueId id = assay_graph_n_values (self->graph); id-- > 1;)
        g_hash_table_insert (self->names, (gpointer) assay_graph_value (self->graph, id)->name,
                             GUINT_TO_POINTER (id));
    }

  return GPOINTER_TO_UINT (g_hash_table_lookup (self->names, name));
}

/* The call with the types that its operands and results have by now: an edit may have given them
 * others than the file. */
static AssayGraph *
renew (AssayCheck *self, AssayGraph *call)
{
  AssayGraph *copy = assay_graph_copy (call);

  for (AssayValueId id = 1; id < assay_graph_n_values (copy); id++)
    {
      AssayValue *value = assay_graph_edit_value (copy, id);
      AssayValueId now = value->constant == NULL ? find_value (self, value->name) : ASSAY_NO_VALUE;
      const AssayType *type = now != ASSAY_NO_VALUE ? assay_graph_value (self->graph, now)->type
                                                    : &assay_type_unknown;

      if (type->kind == ASSAY_TYPE_KIND_TENSOR && type->rank >= 0)
        value->type = assay_type_copy (copy->arena, type);
    }

  return copy;
}

static AssayVerdicts *
check_call (AssayCheck *self, AssayGraph *call)
{
  g_autoptr (AssayGraph) renewed = renew (self, call);
  g_autoptr (AssayForms) model = assay_forms_new (renewed);

  return assay_check_run (self->target, model, self->settings, TRUE, NULL, NULL);
}

/* What the target says of the function that a node was made of, NULL if it has no row for it. */
static const AssayVerdict *
find_verdict (AssayCheck *self, AssayNodeId node)
{
  guint32 origin = origin_of (self->graph, assay_graph_node (self->graph, node));
  AssayGraph *call;
  AssayVerdicts *verdicts;
  AssayNodeId id;

  if (origin == G_MAXUINT32 || is_joined (self, node, origin))
    return NULL;
  call = g_array_index (self->graph->origins, AssayOrigin, origin).call;
  if (!assay_check_has_row (self->target, assay_graph_node (call, find_call (call))))
    return NULL;
  verdicts = g_hash_table_lookup (self->calls, call);
  if (verdicts == NULL)
    {
      verdicts = check_call (self, call);
      if (verdicts == NULL)
        return NULL;
      g_hash_table_insert (self->calls, call, verdicts);
      if (self->result->parts == NULL)
        self->result->parts = g_ptr_array_new_with_free_func (
            (GDestroyNotify) assay_verdicts_unref);
      g_ptr_array_add (self->result->parts, verdicts);
    }
  id = find_call (verdicts->graph);

  return id != ASSAY_NO_NODE ? assay_verdicts_get (verdicts, id) : NULL;
}

/* Decides a node by the function that it was made of. */
gboolean
assay_check_decide_call (AssayCheck *self, AssayVerdict *verdict, AssayNodeId id)
{
  const AssayVerdict *said = find_verdict (self, id);

  /* What a function comes to nothing for, and is computed all the same, goes by what it is. */
  if (said == NULL || said->kind == ASSAY_VERDICT_REMOVED)
    return FALSE;

  *verdict = *said;
  verdict->node = id;
  verdict->into = ASSAY_NO_NODE;
  verdict->partition = -1;
  verdict->cause = -1;
  verdict->details = NULL;
  verdict->n_details = 0;
  if (verdict->kind <= ASSAY_VERDICT_UNDECIDED)
    assay_check_add_cause (self, verdict, NULL, verdict->reason);

  return TRUE;
}
