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

/* @text is guarded by @guard; without them the form is the body of @function. */
typedef struct
{
  AssayFixKeeps keeps;
  const char *id;
  AssayOp op;
  const char *words;
  AssayEquivalenceGuard guard;
  const char *text;
  Near near;
  const AssayOpFunction *function;
} Equivalence;

/* How far away from it. */
#define MAX_DISTANCE 2

static const Equivalence rows[] = {
#define ROW(keeps, id, op, words, guard, text, near)                                               \
  { ASSAY_FIX_KEEPS_##keeps, id, ASSAY_OP_##op, words, assay_guard_##guard, text, near, NULL },
#define EQUIVALENCE(keeps, id, op, words, guard, text)                                             \
  ROW (keeps, id, op, words, guard, text, NEAR_NOTHING)
#define EQUIVALENCE_BEHIND(keeps, id, op, words, guard, text)                                      \
  ROW (keeps, id, op, words, guard, text, NEAR_BEHIND)
#define EQUIVALENCE_BEFORE(keeps, id, op, words, guard, text)                                      \
  ROW (keeps, id, op, words, guard, text, NEAR_BEFORE)
#include "fix/equivalences.def"
#undef EQUIVALENCE
#undef EQUIVALENCE_BEHIND
#undef EQUIVALENCE_BEFORE
#undef ROW
};

/* The functions that are offered, and the rows. */
static GArray *
make_forms (void)
{
  GArray *forms = g_array_new (FALSE, FALSE, sizeof (Equivalence));
  const AssayOpFunction *function;

  for (guint i = 0; (function = assay_op_function_list (i)) != NULL; i++)
    {
      Equivalence form = {
        .keeps = (AssayFixKeeps) function->keeps,
        .id = function->id,
        .op = function->op,
        .words = function->words,
        .function = function,
      };

      if (function->words != NULL)
        g_array_append_val (forms, form);
    }
  g_array_append_vals (forms, rows, G_N_ELEMENTS (rows));

  return forms;
}

static const GArray *
list_forms (void)
{
  static GArray *forms;

  if (g_once_init_enter (&forms))
    g_once_init_leave (&forms, make_forms ());

  return forms;
}

static const Equivalence *
find_form (const AssayFix *fix)
{
  const char *id = assay_fix_get_argument (fix, "form");
  const GArray *forms = list_forms ();

  for (guint i = 0; id != NULL && i < forms->len; i++)
    if (g_str_equal (g_array_index (forms, Equivalence, i).id, id))
      return &g_array_index (forms, Equivalence, i);

  return NULL;
}

char *
assay_rewrite_title_replace_op (const AssayFix *fix)
{
  const Equivalence *form = find_form (fix);

  if (form == NULL)
    return g_strdup ("Replace the operation by others");
  if (form->text != NULL && g_str_equal (form->text, "x"))
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

static void
propose_form (AssayProposals *proposals, const Equivalence *form)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) seen_as = list_seen_as (proposals, form->op);
  g_autofree char *argument = g_strdup_printf ("form=%s", form->id);
  const char *arguments[] = { argument, NULL, NULL };

  for (guint i = 0; i < proposals->nodes->len; i++)
    {
      const AssayNode *node = assay_proposals_node (proposals, i);

      if (node->op != form->op && !g_hash_table_contains (seen_as, node->name))
        continue;
      g_hash_table_add (seen, (gpointer) node->name);
      g_ptr_array_add (names, (gpointer) node->name);
      if (node->op != form->op)
        arguments[1] = "pieces=true";
    }
  for (guint i = 0; i < proposals->nodes->len; i++)
    add_near (proposals, assay_proposals_node (proposals, i), form, 0, seen, names);
  if (names->len == 0)
    return;
  g_ptr_array_add (names, NULL);
  assay_proposals_add (proposals, "replace-op", (const char *const *) names->pdata, arguments);
}

void
assay_rewrite_propose_replace_op (AssayProposals *proposals)
{
  const GArray *forms = list_forms ();
  gboolean there[ASSAY_N_OPS] = { FALSE };

  for (guint i = 0; i < proposals->nodes->len; i++)
    there[assay_proposals_node (proposals, i)->op] = TRUE;
  for (guint i = 0; i < proposals->seen->len; i++)
    there[assay_graph_node (proposals->verdicts->graph,
                            g_array_index (proposals->seen, AssayNodeId, i))
              ->op] = TRUE;
  for (guint i = 0; i < forms->len; i++)
    {
      const Equivalence *form = &g_array_index (forms, Equivalence, i);

      if (there[form->op] || form->near != NEAR_NOTHING)
        propose_form (proposals, form);
    }
}

/* Inputs of which only the type counts, or nothing. */
static const struct
{
  AssayOp op;
  guint32 inputs;
  gboolean at_anchor; /* only where a form has looked at the attributes */
} unread[] = {
  { ASSAY_OP_CastLike, 1 << 1, FALSE },
  { ASSAY_OP_Dropout, 1 << 1, TRUE },
  { ASSAY_OP_EyeLike, 1 << 0, FALSE },
  { ASSAY_OP_RandomNormalLike, 1 << 0, FALSE },
  { ASSAY_OP_RandomUniformLike, 1 << 0, FALSE },
  { ASSAY_OP_Resize, 1 << 1, TRUE },
  { ASSAY_OP_Shape, 1 << 0, FALSE },
  { ASSAY_OP_Size, 1 << 0, FALSE },
};

/* A walk back to the inputs of the model, up to what is still read. */
typedef struct
{
  AssayEdit *edit;
  GArray *values;    /* AssayValueId: to be looked at yet */
  GHashTable *nodes; /* AssayNodeId: seen */
} Walk;

static gboolean
is_read (const AssayNode *node, guint input, gboolean at_anchor)
{
  for (guint i = 0; i < G_N_ELEMENTS (unread); i++)
    if (unread[i].op == node->op && (!unread[i].at_anchor || at_anchor) && input < 32 &&
        (unread[i].inputs & ((guint32) 1 << input)) != 0)
      return FALSE;

  return TRUE;
}

static void
push_outputs (Walk *self, AssayRegionId region)
{
  const GArray *outputs = assay_graph_region (self->edit->graph, region)->outputs;

  g_array_append_vals (self->values, outputs->data, outputs->len);
}

static void
push_node (Walk *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->edit->graph, id);

  if (!g_hash_table_add (self->nodes, GUINT_TO_POINTER (id)))
    return;
  for (guint i = 0; i < node->n_inputs; i++)
    if (is_read (node, i, FALSE))
      g_array_append_val (self->values, node->inputs[i]);
  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (node->attrs[i].kind == ASSAY_ATTR_GRAPH)
        push_outputs (self, node->attrs[i].u.region);
      for (guint j = 0; node->attrs[i].kind == ASSAY_ATTR_GRAPHS && j < node->attrs[i].n; j++)
        push_outputs (self, node->attrs[i].u.regions[j]);
    }
}

/* Finds an input of the model whose elements a value depends on in another way than by what is
 * read. */
static const char *
find_input (AssayEdit *edit, GHashTable *read, AssayValueId from)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GHashTable) nodes = g_hash_table_new (NULL, NULL);
  Walk walk = { edit, values, nodes };

  g_array_append_val (values, from);
  while (values->len > 0)
    {
      AssayValueId id = g_array_index (values, AssayValueId, values->len - 1);
      const AssayValue *value;

      g_array_set_size (values, values->len - 1);
      if (id == ASSAY_NO_VALUE)
        continue;
      id = assay_rewriter_resolve (&edit->rewriter, id);
      value = assay_graph_value (edit->graph, id);
      if (value->constant != NULL || g_hash_table_contains (read, GUINT_TO_POINTER (id)))
        continue;
      if (value->kind == ASSAY_VALUE_INPUT && value->region == ASSAY_MAIN_REGION)
        return value->name;
      if (value->kind == ASSAY_VALUE_INPUT)
        push_node (&walk, assay_graph_region (edit->graph, value->region)->parent);
      else if (value->producer != ASSAY_NO_NODE)
        push_node (&walk, value->producer);
    }

  return NULL;
}

/* What the nodes that were made for the anchor read, and @value itself. */
static GHashTable *
list_read (AssayEdit *self, AssayValueId value)
{
  GHashTable *read = g_hash_table_new (NULL, NULL);

  g_hash_table_add (read, GUINT_TO_POINTER (assay_rewriter_resolve (&self->rewriter, value)));
  for (AssayNodeId id = self->begun; id < assay_graph_n_nodes (self->graph); id++)
    for (guint i = 0; i < assay_graph_node (self->graph, id)->n_inputs; i++)
      g_hash_table_add (read, GUINT_TO_POINTER (assay_rewriter_input (&self->rewriter, id, i)));

  return read;
}

/* What excuses an input of the anchor that is not read any more: what it was made of is read in its
 * place. A shape, places or sizes beside what is moved are no such thing where they are made of
 * what is moved: that it is read still says nothing of them. */
static void
take_beside (AssayEdit *self, GHashTable *read, guint input)
{
  const AssayNode *node = assay_edit_node (self);
  AssayOpCategory category = assay_op_get_info (node->op)->category;

  if (input == 0 || category == ASSAY_CATEGORY_ELEMENTWISE || category == ASSAY_CATEGORY_LOGIC ||
      g_hash_table_contains (read, GUINT_TO_POINTER (assay_edit_input (self, input))))
    return;
  for (guint i = 0; i < node->n_inputs; i++)
    g_hash_table_remove (read, GUINT_TO_POINTER (assay_edit_input (self, i)));
}

/* Reports inputs of the model that the anchor asks and that nothing made for it does: a form that
 * takes a shape from the type of a result drops the input that says it, and is right for one value
 * of it. */
static void
tell_dropped (AssayEdit *self, AssayValueId value)
{
  for (guint i = 0; i < assay_edit_node (self)->n_inputs; i++)
    {
      g_autoptr (GHashTable) read = list_read (self, value);
      AssayValueId input = assay_edit_input (self, i);
      const char *name;

      if (!is_read (assay_edit_node (self), i, TRUE))
        continue;
      take_beside (self, read, i);
      name = find_input (self, read, input);
      if (name != NULL)
        assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, ASSAY_FIX_DROPS_INPUT, "graph",
                            assay_edit_node (self)->name, NULL, -1,
                            "input \"%s\" is not asked any more here: what the file says of the "
                            "result is taken instead",
                            name);
    }
}

static AssayValueId
write_text (AssayEdit *edit, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayExpression) body = assay_expression_parse (text, NULL, &error);

  if (body == NULL)
    g_error ("equivalences.def: %s", error->message);

  return assay_edit_write (edit, body);
}

/* Writes a form for the anchor, if it applies. */
static gboolean
write_form (AssayEdit *edit, const Equivalence *form, AssayValueId *value)
{
  AssayOpFunctionCall call = { form->function, &edit->builder, edit->bindings, NULL };
  g_autofree char *reason = NULL;

  if (form->function == NULL)
    {
      if (!form->guard (edit))
        return FALSE;
      *value = write_text (edit, form->text);
      return TRUE;
    }

  if (!assay_op_function_bind (&call))
    {
      reason = call.reason;
      return assay_edit_refuse (edit, "%s", reason);
    }
  *value = assay_op_function_write (&call);

  return TRUE;
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
      AssayValueId value = ASSAY_NO_VALUE;

      if (!assay_edit_at (edit, fix->nodes[i]))
        continue;
      if (assay_edit_node (edit)->violation != NULL)
        assay_edit_refuse (edit, "it is not well formed");
      else if (assay_edit_node (edit)->op != form->op)
        assay_edit_refuse (edit, "it is %s, expected %s", assay_edit_node (edit)->op_type,
                           assay_op_name (form->op));
      else if (!write_form (edit, form, &value))
        assay_edit_abandon (edit);
      else
        {
          tell_dropped (edit, value);
          if (assay_node_output (assay_edit_node (edit), 0) != ASSAY_NO_VALUE)
            assay_edit_replace (edit, 0, value);
          assay_edit_remove (edit);
          applied = TRUE;
        }
    }

  return applied;
}
