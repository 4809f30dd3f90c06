/* assay-rewrite-transpose.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "fix/assay-rewrite-private.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"

typedef gboolean (*MoveFunc) (AssayEdit *edit);

static gboolean move_down (AssayEdit *edit);
static gboolean move_up (AssayEdit *edit);
static gboolean cancel (AssayEdit *edit);
static gboolean into_weight (AssayEdit *edit);

/* Ways of getting a Transpose out of the way; the anchor is the Transpose. */
static const struct
{
  const char *way;
  const char *title;
  MoveFunc move;
} ways[] = {
  { "cancel", "Remove two transposes that cancel", cancel },
  { "down", "Move transpose below", move_down },
  { "up", "Move transpose above", move_up },
  { "weights", "Take the transpose into constant weights", into_weight },
};

static AssayNodeId
producer (AssayEdit *edit, AssayValueId value)
{
  return value != ASSAY_NO_VALUE ? assay_rewriter_producer (&edit->rewriter, value) : ASSAY_NO_NODE;
}

static AssayValueId
input_of (AssayEdit *edit, AssayNodeId node, guint index)
{
  return assay_rewriter_input (&edit->rewriter, node, index);
}

/* Finds the permutation of a Transpose. */
static gboolean
get_perm (AssayEdit *edit, AssayNodeId node, int *rank, int *perm)
{
  const AssayType *type = assay_edit_type (edit, input_of (edit, node, 0));

  *rank = type->rank;

  return assay_graph_node (edit->graph, node)->op == ASSAY_OP_Transpose && type->rank > 0 &&
         assay_node_get_perm (assay_graph_node (edit->graph, node), type->rank, perm);
}

static AssayValueId
add_transpose (AssayEdit *edit, AssayValueId value, int rank, const int *perm)
{
  gint64 list[ASSAY_MAX_RANK];

  for (int i = 0; i < rank; i++)
    list[i] = perm[i];
  value = assay_builder_add (&edit->builder, ASSAY_OP_Transpose, NULL, 1, &value);
  assay_graph_set_ints (edit->graph, assay_builder_last (&edit->builder), "perm", (guint) rank,
                        list);

  return value;
}

static void
copy_attrs (AssayEdit *edit, AssayNodeId from, AssayNodeId to)
{
  const AssayNode *node = assay_graph_node (edit->graph, from);

  assay_graph_set_attrs (edit->graph, to, node->n_attrs, node->attrs);
}

/* Whether a node works on each element alone. Further inputs have to be constants of one element.
 */
static gboolean
is_pointwise (AssayEdit *edit, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (edit->graph, id);
  const AssayOpInfo *info = assay_op_get_info (node->op);
  AssayOpCategory category = info->category;

  if (node->n_outputs != 1 ||
      (category != ASSAY_CATEGORY_ELEMENTWISE && category != ASSAY_CATEGORY_ACTIVATION) ||
      assay_node_find_attr (node, "axis") != NULL || node->op == ASSAY_OP_Softmax ||
      node->op == ASSAY_OP_LogSoftmax || node->op == ASSAY_OP_Hardmax)
    return FALSE;
  for (guint i = 1; i < node->n_inputs; i++)
    {
      AssayTensor *tensor = assay_edit_constant (edit, node->inputs[i]);

      if (node->inputs[i] != ASSAY_NO_VALUE &&
          (tensor == NULL || assay_tensor_get_n_elements (tensor) != 1 ||
           assay_tensor_get_rank (tensor) > 1))
        return FALSE;
    }

  return TRUE;
}

/* Writes a pointwise node again, for another first input. */
static AssayValueId
repeat (AssayEdit *edit, AssayNodeId id, AssayValueId value)
{
  AssayValueId inputs[8] = { value };
  guint n = MIN (assay_graph_node (edit->graph, id)->n_inputs, G_N_ELEMENTS (inputs));
  AssayOp op = assay_graph_node (edit->graph, id)->op;

  for (guint i = 1; i < n; i++)
    inputs[i] = input_of (edit, id, i);
  value = assay_builder_add (&edit->builder, op, NULL, n, inputs);
  copy_attrs (edit, id, assay_builder_last (&edit->builder));

  return value;
}

/* Transpose (f (Transpose (x))), where the two together do nothing: f (x). */
static gboolean
cancel (AssayEdit *edit)
{
  AssayNodeId chain[16], at = producer (edit, assay_edit_input (edit, 0));
  int rank, other, first[ASSAY_MAX_RANK], second[ASSAY_MAX_RANK];
  AssayValueId value;
  guint n = 0;

  if (!get_perm (edit, edit->anchor, &rank, second))
    return assay_edit_refuse (edit, "it is no Transpose of known rank");
  while (at != ASSAY_NO_NODE && n < G_N_ELEMENTS (chain) && is_pointwise (edit, at))
    {
      chain[n++] = at;
      at = producer (edit, input_of (edit, at, 0));
    }
  if (at == ASSAY_NO_NODE || !get_perm (edit, at, &other, first) || other != rank)
    return assay_edit_refuse (edit, "there is no other Transpose above it");
  for (int i = 0; i < rank; i++)
    if (first[second[i]] != i)
      return assay_edit_refuse (edit, "the one above it does not undo it");

  value = input_of (edit, at, 0);
  while (n-- > 0)
    value = repeat (edit, chain[n], value);
  assay_edit_replace (edit, 0, value);
  assay_edit_remove (edit);

  return TRUE;
}

/* Transpose (f (x)) as f (Transpose (x)). */
static gboolean
move_up (AssayEdit *edit)
{
  AssayNodeId above = producer (edit, assay_edit_input (edit, 0));
  int rank, perm[ASSAY_MAX_RANK];

  if (!get_perm (edit, edit->anchor, &rank, perm))
    return assay_edit_refuse (edit, "it is no Transpose of known rank");
  if (above == ASSAY_NO_NODE || !is_pointwise (edit, above))
    return assay_edit_refuse (edit, "nothing above it works on each element alone");
  assay_edit_replace (
      edit, 0, repeat (edit, above, add_transpose (edit, input_of (edit, above, 0), rank, perm)));
  assay_edit_remove (edit);

  return TRUE;
}

static AssayNodeId
single_reader (AssayEdit *edit, AssayValueId value)
{
  AssayNodeId reader = ASSAY_NO_NODE;

  if (assay_rewriter_reads (&edit->rewriter, value) != 1)
    return ASSAY_NO_NODE;
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (edit->graph); id++)
    {
      const AssayNode *node = assay_graph_node (edit->graph, id);

      if (assay_rewriter_is_removed (&edit->rewriter, id))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        if (input_of (edit, id, i) == value)
          reader = id;
    }

  return reader;
}

/* f (Transpose (x)) as Transpose (f (x)); of two inputs if both are transposed alike. */
static gboolean
move_down (AssayEdit *edit)
{
  AssayNodeId transposed = edit->anchor;
  AssayNodeId below = single_reader (edit, assay_node_output (assay_edit_node (edit), 0));
  int rank, other, perm[ASSAY_MAX_RANK], second[ASSAY_MAX_RANK];
  AssayValueId inputs[2], value;
  const AssayNode *node;

  if (!get_perm (edit, transposed, &rank, perm))
    return assay_edit_refuse (edit, "it is no Transpose of known rank");
  if (below == ASSAY_NO_NODE)
    return assay_edit_refuse (edit, "it is read by several, or is an output");

  node = assay_graph_node (edit->graph, below);
  if (is_pointwise (edit, below))
    {
      assay_edit_at (edit, node->name);
      value = repeat (edit, below, input_of (edit, transposed, 0));
    }
  else
    {
      gboolean pair = node->n_inputs == 2 && node->n_outputs == 1 && node->n_attrs == 0 &&
                      (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_BROADCAST) != 0;

      for (guint i = 0; i < 2; i++)
        {
          AssayNodeId above = pair ? producer (edit, input_of (edit, below, i)) : ASSAY_NO_NODE;

          if (above == ASSAY_NO_NODE || !get_perm (edit, above, &other, second) || other != rank ||
              memcmp (perm, second, (gsize) rank * sizeof *perm) != 0)
            return assay_edit_refuse (
                edit,
                "%s below it does not work on each element alone, or its other input is "
                "not transposed alike",
                node->name);
          inputs[i] = input_of (edit, above, 0);
        }
      assay_edit_at (edit, node->name);
      value = assay_builder_add (&edit->builder, assay_edit_node (edit)->op, NULL, 2, inputs);
    }
  assay_edit_replace (edit, 0, add_transpose (edit, value, rank, perm));
  assay_edit_remove (edit);

  return TRUE;
}

/* Transpose (x) W as Transpose (Transpose (W) x), where the last two axes are exchanged: the
 * Transpose of the weight is folded. */
static gboolean
into_weight (AssayEdit *edit)
{
  static const int turn[] = { 1, 0 };
  AssayNodeId transposed = edit->anchor;
  AssayNodeId below = single_reader (edit, assay_node_output (assay_edit_node (edit), 0));
  int rank, perm[ASSAY_MAX_RANK];
  AssayValueId weight, inputs[2];

  if (!get_perm (edit, transposed, &rank, perm))
    return assay_edit_refuse (edit, "it is no Transpose of known rank");
  for (int i = 0; i < rank; i++)
    if (rank < 2 || perm[i] != (i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2))
      return assay_edit_refuse (edit, "it does not exchange the last two axes");
  if (below == ASSAY_NO_NODE || assay_graph_node (edit->graph, below)->op != ASSAY_OP_MatMul)
    return assay_edit_refuse (edit, "no product alone reads it");
  weight = input_of (edit, below, 1);
  if (assay_edit_constant (edit, weight) == NULL || assay_edit_type (edit, weight)->rank != 2 ||
      producer (edit, input_of (edit, below, 0)) != transposed)
    return assay_edit_refuse (edit, "the product has no constant matrix on its other side");

  assay_edit_at (edit, assay_graph_node (edit->graph, below)->name);
  inputs[0] = add_transpose (edit, weight, 2, turn);
  inputs[1] = input_of (edit, transposed, 0);
  assay_edit_replace (
      edit, 0,
      add_transpose (edit, assay_builder_add (&edit->builder, ASSAY_OP_MatMul, NULL, 2, inputs),
                     rank, perm));
  assay_edit_remove (edit);

  return TRUE;
}

static void
add_transposes_near (AssayProposals *proposals, GPtrArray *names, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (proposals->graph, id);
  guint found;

  if (node->op == ASSAY_OP_Transpose && !g_ptr_array_find (names, node->name, &found))
    g_ptr_array_add (names, (gpointer) node->name);
}

/* The transposes among the nodes in question, and those right before and behind them. */
void
assay_rewrite_propose_transpose (AssayProposals *proposals)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < proposals->nodes->len; i++)
    {
      AssayNodeId id = g_array_index (proposals->nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (proposals->graph, id);

      add_transposes_near (proposals, names, id);
      for (guint j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] != ASSAY_NO_VALUE &&
            assay_graph_value (proposals->graph, node->inputs[j])->producer != ASSAY_NO_NODE)
          add_transposes_near (proposals, names,
                               assay_graph_value (proposals->graph, node->inputs[j])->producer);
      for (guint j = 0; j < node->n_outputs; j++)
        {
          guint n = 0;
          const AssayNodeId *readers = assay_uses_get (proposals->uses, node->outputs[j], &n);

          for (guint k = 0; k < n; k++)
            add_transposes_near (proposals, names, readers[k]);
        }
    }
  if (names->len == 0)
    return;

  g_ptr_array_add (names, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *argument = g_strdup_printf ("way=%s", ways[i].way);
      const char *arguments[] = { argument, NULL };

      assay_proposals_add (proposals, "transpose", (const char *const *) names->pdata, arguments);
    }
}

char *
assay_rewrite_title_transpose (const AssayFix *fix)
{
  const char *way = assay_fix_get_argument (fix, "way");

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (g_strcmp0 (way, ways[i].way) == 0)
      return g_strdup (ways[i].title);

  return g_strdup ("Move transpose");
}

gboolean
assay_rewrite_apply_transpose (AssayEdit *edit, const AssayFix *fix)
{
  const char *way = assay_fix_get_argument (fix, "way");
  gboolean applied = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    for (guint j = 0; g_strcmp0 (way, ways[i].way) == 0 && fix->nodes[j] != NULL; j++)
      if (assay_edit_at (edit, fix->nodes[j]))
        applied |= ways[i].move (edit);

  edit->tidy = TRUE;

  return applied;
}
