/* assay-rewrite-replace-op.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-equivalence-private.h"
#include "fix/assay-rewrite-private.h"

/* Where what is refused may stand besides at the operation itself. */
typedef enum
{
  NEAR_NOTHING,
  NEAR_BEHIND, /* before the operation */
  NEAR_BEFORE, /* behind it */
} Near;

typedef struct
{
  AssayFixKeeps keeps;
  const char *id;
  AssayOp op;
  const char *words;
  AssayEquivalenceGuard guard;
  const char *text;
  Near near;
} Equivalence;

/* How far away from it. */
#define MAX_DISTANCE 2

static const Equivalence equivalences[] = {
#define EQUIVALENCE(keeps, id, op, words, guard, text)                                             \
  { ASSAY_FIX_KEEPS_##keeps, id, ASSAY_OP_##op, words, assay_guard_##guard, text, NEAR_NOTHING },
#define EQUIVALENCE_BEHIND(keeps, id, op, words, guard, text)                                      \
  { ASSAY_FIX_KEEPS_##keeps, id, ASSAY_OP_##op, words, assay_guard_##guard, text, NEAR_BEHIND },
#define EQUIVALENCE_BEFORE(keeps, id, op, words, guard, text)                                      \
  { ASSAY_FIX_KEEPS_##keeps, id, ASSAY_OP_##op, words, assay_guard_##guard, text, NEAR_BEFORE },
#include "fix/equivalences.def"
#undef EQUIVALENCE
#undef EQUIVALENCE_BEHIND
#undef EQUIVALENCE_BEFORE
};

static const Equivalence *
find_form (const AssayFix *fix)
{
  const char *form = assay_fix_get_argument (fix, "form");

  for (guint i = 0; form != NULL && i < G_N_ELEMENTS (equivalences); i++)
    if (g_str_equal (equivalences[i].id, form))
      return &equivalences[i];

  return NULL;
}

char *
assay_rewrite_title_replace_op (const AssayFix *fix)
{
  const Equivalence *form = find_form (fix);

  if (form == NULL)
    return g_strdup ("Replace the operation by others");
  if (g_str_equal (form->text, "x"))
    return g_strdup_printf ("Remove %s", assay_op_name (form->op));

  return g_strdup_printf ("Replace %s by %s", assay_op_name (form->op), form->words);
}

/* Names of the nodes in which the compiler sees the operation, which may be put together from
 * several. */
static GHashTable *
list_seen_as (const AssayProposals *proposals, AssayOp op)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < proposals->seen->len; i++)
    {
      const AssayNode *node = assay_graph_node (proposals->verdicts->graph,
                                                g_array_index (proposals->seen, AssayNodeId, i));

      if (node->op == op)
        g_hash_table_add (names, (gpointer) node->name);
    }

  return names;
}

/**
 * assay_replace_op_keeps: (skip)
 * @fix: a record of `replace-op`
 *
 * Tells what a form keeps of the outputs.
 *
 * Returns: what it keeps
 */
AssayFixKeeps
assay_replace_op_keeps (const AssayFix *fix)
{
  const Equivalence *form = find_form (fix);

  return form != NULL ? form->keeps : ASSAY_FIX_KEEPS_APPROXIMATION;
}

static void add_near (const AssayProposals *proposals, const AssayNode *node,
                      const Equivalence *form, guint depth, GHashTable *seen, GPtrArray *names);

static void
add_one_near (const AssayProposals *proposals, AssayNodeId id, const Equivalence *form, guint depth,
              GHashTable *seen, GPtrArray *names)
{
  const AssayNode *node = assay_graph_node (proposals->graph, id);

  if (node->op == form->op && g_hash_table_add (seen, (gpointer) node->name))
    g_ptr_array_add (names, (gpointer) node->name);
  add_near (proposals, node, form, depth + 1, seen, names);
}

/* Nodes of the operation among those that read a node or that it reads, and those next to these. */
static void
add_near (const AssayProposals *proposals, const AssayNode *node, const Equivalence *form,
          guint depth, GHashTable *seen, GPtrArray *names)
{
  if (depth >= MAX_DISTANCE)
    return;

  for (guint i = 0; form->near == NEAR_BEHIND && i < node->n_outputs; i++)
    {
      guint n = 0;
      const AssayNodeId *readers = node->outputs[i] != ASSAY_NO_VALUE
                                       ? assay_uses_get (proposals->uses, node->outputs[i], &n)
                                       : NULL;

      for (guint j = 0; j < n; j++)
        add_one_near (proposals, readers[j], form, depth, seen, names);
    }
  for (guint i = 0; form->near == NEAR_BEFORE && i < node->n_inputs; i++)
    {
      AssayNodeId maker = node->inputs[i] != ASSAY_NO_VALUE
                              ? assay_graph_value (proposals->graph, node->inputs[i])->producer
                              : ASSAY_NO_NODE;

      if (maker != ASSAY_NO_NODE)
        add_one_near (proposals, maker, form, depth, seen, names);
    }
}

void
assay_rewrite_propose_replace_op (AssayProposals *proposals)
{
  for (guint i = 0; i < G_N_ELEMENTS (equivalences); i++)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
      g_autoptr (GHashTable) seen_as = list_seen_as (proposals, equivalences[i].op);
      g_autofree char *argument = g_strdup_printf ("form=%s", equivalences[i].id);
      const char *arguments[] = { argument, NULL, NULL };

      for (guint j = 0; j < proposals->nodes->len; j++)
        {
          const AssayNode *node = assay_proposals_node (proposals, j);

          if (node->op != equivalences[i].op && !g_hash_table_contains (seen_as, node->name))
            continue;
          g_hash_table_add (seen, (gpointer) node->name);
          g_ptr_array_add (names, (gpointer) node->name);
          if (node->op != equivalences[i].op)
            arguments[1] = "pieces=true";
        }
      for (guint j = 0; j < proposals->nodes->len; j++)
        add_near (proposals, assay_proposals_node (proposals, j), &equivalences[i], 0, seen, names);
      if (names->len == 0)
        continue;
      g_ptr_array_add (names, NULL);
      assay_proposals_add (proposals, "replace-op", (const char *const *) names->pdata, arguments);
    }
}

gboolean
assay_rewrite_apply_replace_op (AssayEdit *edit, const AssayFix *fix)
{
  const Equivalence *form = find_form (fix);
  gboolean applied = FALSE;

  if (form == NULL)
    return assay_edit_refuse (edit, "there is no form \"%s\"",
                              assay_fix_get_argument (fix, "form"));
  if (assay_fix_get_argument (fix, "pieces") != NULL)
    assay_edit_compose (edit, form->op);

  for (guint i = 0; fix->nodes[i] != NULL; i++)
    {
      if (!assay_edit_at (edit, fix->nodes[i]))
        continue;
      if (assay_edit_node (edit)->op != form->op)
        assay_edit_refuse (edit, "it is %s, expected %s", assay_edit_node (edit)->op_type,
                           assay_op_name (form->op));
      else if (!form->guard (edit))
        assay_edit_abandon (edit);
      else
        {
          AssayValueId value = assay_edit_write (edit, form->text);

          if (assay_node_output (assay_edit_node (edit), 0) != ASSAY_NO_VALUE)
            assay_edit_replace (edit, 0, value);
          assay_edit_remove (edit);
          applied = TRUE;
        }
    }

  return applied;
}
