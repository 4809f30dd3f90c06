/* assay-check-fusion.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "target/assay-check-private.h"

/* Exchanged inputs double the work per commutative node. */
#define MAX_COMMUTATIVE 4

typedef struct
{
  AssayCheck *check;
  const AssayFusion *fusion;
  AssayNodeId nodes[ASSAY_MAX_FUSION];
} Match;

static gboolean
has_op (const AssayFusionNode *pattern, AssayOp op)
{
  for (guint i = 0; i < pattern->n_ops; i++)
    if (pattern->ops[i] == op)
      return TRUE;

  return FALSE;
}

/* Whether a pattern may have a node at a place. One that others are a part of can take in more, as
 * a convolution takes padding in front and an activation behind. */
static gboolean
is_free (AssayCheck *check, const AssayFusion *fusion, guint index, AssayNodeId id)
{
  return id != ASSAY_NO_NODE && check->live[id] &&
         (check->fusion[id] == NULL || (index == fusion->into && !fusion->accept &&
                                        check->fused_into[id] == id && !check->fusion[id]->accept));
}

/* Whether nothing outside of the pattern can see the results. */
static gboolean
is_single (AssayCheck *check, const AssayNode *node)
{
  guint readers = 0;

  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      {
        if (assay_uses_is_output (check->uses, node->outputs[i]))
          return FALSE;
        readers += assay_uses_count (check->uses, node->outputs[i]);
      }

  return readers == 1;
}

static gboolean
match_node (Match *match, guint index, gboolean swap)
{
  const AssayFusionNode *pattern = &match->fusion->nodes[index];
  AssayCheck *check = match->check;
  const AssayNode *node = assay_graph_node (check->graph, match->nodes[index]);

  assay_context_begin (&check->context, match->nodes[index], NULL);
  for (guint i = 0; i < pattern->n_inputs; i++)
    {
      int wanted = pattern->inputs[i];
      AssayValueId value = assay_node_input (node, swap && i < 2 ? 1 - i : i);

      if (wanted == ASSAY_FUSION_ANY)
        continue;
      if (value == ASSAY_NO_VALUE)
        return FALSE;

      if (wanted == ASSAY_FUSION_CONSTANT)
        {
          if (!assay_context_is_constant (&check->context, value))
            return FALSE;
        }
      else
        {
          AssayNodeId producer = assay_graph_value (check->graph, value)->producer;

          if (!is_free (check, match->fusion, (guint) wanted, producer) ||
              !has_op (&match->fusion->nodes[wanted],
                       assay_graph_node (check->graph, producer)->op) ||
              assay_graph_node (check->graph, producer)->region != node->region ||
              (match->nodes[wanted] != ASSAY_NO_NODE && match->nodes[wanted] != producer))
            return FALSE;
          match->nodes[wanted] = producer;
        }
    }

  if (pattern->single && !is_single (check, node))
    return FALSE;

  for (guint i = 0; i < pattern->when.n; i++)
    if (assay_context_evaluate (&check->context, pattern->when.calls[i]) != ASSAY_TRUE)
      return FALSE;

  return TRUE;
}

static gboolean
match_all (Match *match, AssayNodeId root, guint swaps)
{
  guint n_commutative = 0;

  memset (match->nodes, 0, sizeof match->nodes);
  match->nodes[0] = root;

  for (guint i = 0; i < match->fusion->n_nodes; i++)
    {
      gboolean swap = FALSE;
      AssayOp op;

      /* The list is in reading order, so that a node that nothing reached does not belong to the
       * pattern. */
      if (match->nodes[i] == ASSAY_NO_NODE)
        return FALSE;

      op = assay_graph_node (match->check->graph, match->nodes[i])->op;
      if ((assay_op_get_info (op)->traits & ASSAY_OP_TRAIT_COMMUTATIVE) != 0 &&
          n_commutative < MAX_COMMUTATIVE)
        swap = (swaps >> n_commutative++) & 1;
      if (!match_node (match, i, swap))
        return FALSE;
    }

  /* A set of swaps that names more nodes than there are was tried before. */
  return swaps >> n_commutative == 0;
}

static void
claim (Match *match)
{
  AssayNodeId into = match->nodes[match->fusion->into];

  for (guint i = 0; i < match->fusion->n_nodes; i++)
    {
      match->check->fusion[match->nodes[i]] = match->fusion;
      match->check->fused_into[match->nodes[i]] = into;
    }
}

static guint
count_commutative (const AssayFusion *fusion)
{
  guint n = 0;

  for (guint i = 0; i < fusion->n_nodes; i++)
    {
      gboolean found = FALSE;

      for (guint j = 0; j < fusion->nodes[i].n_ops; j++)
        found = found || (assay_op_get_info (fusion->nodes[i].ops[j])->traits &
                          ASSAY_OP_TRAIT_COMMUTATIVE) != 0;
      n += found;
    }

  return MIN (n, MAX_COMMUTATIVE);
}

static void
try_root (AssayCheck *self, const AssayFusion *fusion, guint n_commutative, AssayNodeId root)
{
  Match match = { .check = self, .fusion = fusion };

  for (guint swaps = 0; swaps < 1u << n_commutative; swaps++)
    if (is_free (self, fusion, 0, root) && match_all (&match, root, swaps))
      {
        claim (&match);
        return;
      }
}

/* Finds the patterns of a target, in the order of its file: a node belongs to one at most. */
void
assay_check_fuse (AssayCheck *self)
{
  guint n = assay_graph_n_nodes (self->graph);
  g_autofree AssayNodeId *next = NULL;
  g_autofree AssayNodeId *first = NULL;

  if (self->target->fusions->len == 0)
    return;

  self->context.quiet = TRUE;

  /* Lists of nodes per operation. */
  next = g_new0 (AssayNodeId, n);
  first = g_new0 (AssayNodeId, ASSAY_N_OPS);
  for (AssayNodeId id = n - 1; id > 0; id--)
    {
      AssayOp op = assay_graph_node (self->graph, id)->op;

      next[id] = first[op];
      first[op] = id;
    }

  for (guint i = 0; i < self->target->fusions->len; i++)
    {
      const AssayFusion *fusion = g_ptr_array_index (self->target->fusions, i);
      guint n_commutative = count_commutative (fusion);

      for (guint j = 0; j < fusion->nodes[0].n_ops; j++)
        for (AssayNodeId id = first[fusion->nodes[0].ops[j]]; id != ASSAY_NO_NODE; id = next[id])
          try_root (self, fusion, n_commutative, id);
    }

  self->context.quiet = FALSE;
}
