/* assay-edit.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-edit.h"

#include "nnir/assay-graph-builder.h"

static void
note_node (AssayBuilder *builder, AssayNodeId node, gpointer user_data)
{
  AssayEdit *self = user_data;

  for (guint i = 0; i < assay_graph_node (self->graph, node)->n_inputs; i++)
    assay_rewriter_retain (&self->rewriter, assay_graph_node (self->graph, node)->inputs[i]);
  g_array_append_val (self->anchors, self->anchor);
  self->changed = TRUE;
}

/**
 * assay_edit_new: (skip)
 * @graph: a graph that nobody else has
 * @settings: (nullable): what fixes of the setup change
 * @fix: the fix
 * @findings: (nullable): gets what does not apply
 *
 * Begins to change a graph.
 *
 * Returns: (transfer full): the edit, to be ended with assay_edit_finish()
 */
AssayEdit *
assay_edit_new (AssayGraph *graph, AssaySettings **settings, const AssayFix *fix,
                AssayFindings *findings)
{
  static const AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  AssayEdit *self = g_new0 (AssayEdit, 1);

  self->graph = assay_graph_ref (graph);
  self->settings = settings;
  self->fix = fix;
  self->findings = findings;
  self->anchors = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  self->bindings = assay_bindings_new ();
  self->first = assay_graph_n_nodes (graph);
  self->rule = g_strdup_printf ("fix.%s", fix->rewrite);
  assay_rewriter_init (&self->rewriter, graph, &options);

  assay_builder_init (&self->builder, graph, TRUE);
  self->builder.added = note_node;
  self->builder.user_data = self;

  return self;
}

void
assay_edit_free (AssayEdit *self)
{
  g_clear_pointer (&self->rewriter.reads, g_array_unref);
  g_clear_pointer (&self->rewriter.forward, g_array_unref);
  g_clear_pointer (&self->rewriter.removed, g_array_unref);
  assay_builder_clear (&self->builder);
  assay_bindings_free (self->bindings);
  g_array_unref (self->anchors);
  assay_graph_unref (self->graph);
  g_free (self->rule);
  g_free (self);
}

/**
 * assay_edit_refuse:
 * @self: an edit
 * @format: why the fix does not apply to the anchor, or at all if there is none
 * @...: arguments of @format
 *
 * Reports that a fix does not apply.
 *
 * Returns: %FALSE
 */
gboolean
assay_edit_refuse (AssayEdit *self, const char *format, ...)
{
  const char *node = self->anchor != ASSAY_NO_NODE
                         ? assay_graph_node (self->graph, self->anchor)->name
                         : NULL;
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "fix.does-not-apply", "graph", node,
                      NULL, -1, "%s: %s", self->fix->rewrite, reason);

  return FALSE;
}

/**
 * assay_edit_find:
 * @self: an edit
 * @name: name of a node
 * @node: (out): the node
 *
 * Finds a node that is still there.
 *
 * Returns: whether there is one
 */
gboolean
assay_edit_find (AssayEdit *self, const char *name, AssayNodeId *node)
{
  *node = GPOINTER_TO_UINT (g_hash_table_lookup (self->builder.nodes, name));

  return *node != ASSAY_NO_NODE && !assay_rewriter_is_removed (&self->rewriter, *node);
}

/**
 * assay_edit_at:
 * @self: an edit
 * @name: name of a node
 *
 * Goes to a node, which becomes the anchor; that it is not there is reported.
 *
 * Returns: whether it is there
 */
gboolean
assay_edit_at (AssayEdit *self, const char *name)
{
  AssayNodeId node;

  self->anchor = ASSAY_NO_NODE;
  self->begun = assay_graph_n_nodes (self->graph);
  assay_bindings_clear (self->bindings);

  if (!assay_edit_find (self, name, &node))
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "fix.does-not-apply", "graph",
                          name, NULL, -1, "%s: the model has no node \"%s\"", self->fix->rewrite,
                          name);
      return FALSE;
    }
  self->anchor = self->builder.anchor = node;

  return TRUE;
}

/**
 * assay_edit_node: (skip)
 * @self: an edit
 *
 * Gets the anchor.
 *
 * Returns: (transfer none): the node, until the next one is added
 */
const AssayNode *
assay_edit_node (AssayEdit *self)
{
  return assay_graph_node (self->graph, self->anchor);
}

/**
 * assay_edit_input: (skip)
 * @self: an edit
 * @index: which input of the anchor
 *
 * Gets what the anchor reads.
 *
 * Returns: the value, 0 if omitted
 */
AssayValueId
assay_edit_input (AssayEdit *self, guint index)
{
  return assay_rewriter_input (&self->rewriter, self->anchor, index);
}

/**
 * assay_edit_type: (skip)
 * @self: an edit
 * @value: a value, or 0
 *
 * Gets the type of a value; that of a new one is not known yet.
 *
 * Returns: (transfer none): the type
 */
const AssayType *
assay_edit_type (AssayEdit *self, AssayValueId value)
{
  return value == ASSAY_NO_VALUE ? &assay_type_unknown
                                 : assay_graph_value (self->graph, value)->type;
}

/**
 * assay_edit_constant: (skip)
 * @self: an edit
 * @value: a value, or 0
 *
 * Gets the elements of a value if they are known.
 *
 * Returns: (transfer none) (nullable): the elements
 */
AssayTensor *
assay_edit_constant (AssayEdit *self, AssayValueId value)
{
  return value == ASSAY_NO_VALUE ? NULL : assay_graph_constant (self->graph, value);
}

/**
 * assay_edit_repeat:
 * @self: an edit
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 * @outputs: (out caller-allocates): gets as many results as the anchor has, 0 for one that it
 * leaves out
 *
 * Adds the anchor again before it, with its attributes and for other inputs.
 */
void
assay_edit_repeat (AssayEdit *self, guint n_inputs, const AssayValueId *inputs,
                   AssayValueId *outputs)
{
  guint n_outputs = assay_edit_node (self)->n_outputs;
  AssayNode *node;

  assay_builder_add_outputs (&self->builder, assay_edit_node (self)->op, NULL, n_inputs, inputs,
                             n_outputs, outputs);
  node = assay_graph_edit_node (self->graph, assay_builder_last (&self->builder));
  for (guint i = 0; i < n_outputs; i++)
    if (assay_node_output (assay_edit_node (self), i) == ASSAY_NO_VALUE)
      {
        assay_graph_edit_value (self->graph, outputs[i])->producer = ASSAY_NO_NODE;
        node->outputs[i] = outputs[i] = ASSAY_NO_VALUE;
      }
  assay_graph_set_attrs (self->graph, assay_builder_last (&self->builder),
                         assay_edit_node (self)->n_attrs, assay_edit_node (self)->attrs);
}

/**
 * assay_edit_write: (skip)
 * @self: an edit with an anchor
 * @body: a body, of which x, y, z, u, v and w are the inputs of the anchor unless they are bound
 *
 * Writes a body before the anchor.
 *
 * Returns: the value of the body
 */
AssayValueId
assay_edit_write (AssayEdit *self, const AssayExpression *body)
{
  static const char *const letters[] = { "x", "y", "z", "u", "v", "w" };

  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    if (!assay_bindings_contains (self->bindings, letters[i]))
      assay_bindings_set_value (self->bindings, letters[i], assay_edit_input (self, i));

  return assay_expression_write (body, &self->builder, self->bindings);
}

/* A new node makes the result of the anchor from now on, so that the result keeps its name. */
static void
take_over (AssayEdit *self, AssayValueId old, AssayValueId value)
{
  AssayValue *from = assay_graph_edit_value (self->graph, value);
  AssayValue *to = assay_graph_edit_value (self->graph, old);

  assay_graph_edit_node (self->graph, from->producer)->outputs[from->output] = old;
  to->producer = from->producer;
  to->output = from->output;
  from->producer = ASSAY_NO_NODE;
  assay_rewriter_replace (&self->rewriter, value, old);
}

/**
 * assay_edit_replace:
 * @self: an edit
 * @output: an output of the anchor
 * @value: what to read instead
 *
 * Replaces a result of the anchor, which is to be removed with assay_edit_remove() afterwards. A
 * result of the graph keeps its name.
 */
void
assay_edit_replace (AssayEdit *self, guint output, AssayValueId value)
{
  AssayValueId old = assay_node_output (assay_edit_node (self), output);
  AssayNodeId producer = assay_graph_value (self->graph, value)->producer;

  self->changed = TRUE;
  if (old == ASSAY_NO_VALUE)
    return;

  if (producer < self->begun ||
      assay_graph_value (self->graph, value)->region != assay_edit_node (self)->region)
    {
      if (assay_rewriter_replace (&self->rewriter, old, value))
        return;
      value = ASSAY_BUILD (&self->builder, Identity, NULL, value);
    }
  take_over (self, old, value);
}

static void
mark_origins (AssayEdit *self, const AssayNode *node)
{
  const char *rule = assay_arena_intern (self->graph->arena, self->rule);

  for (guint i = 0; i < node->n_origins; i++)
    {
      AssayOrigin *origin = &g_array_index (self->graph->origins, AssayOrigin, node->origins[i]);

      if (origin->rule == NULL)
        origin->rule = rule;
    }
}

static void
record (AssayEdit *self, const char *before)
{
  g_autoptr (GPtrArray) after = g_ptr_array_new ();

  for (AssayNodeId id = self->begun; id < assay_graph_n_nodes (self->graph); id++)
    g_ptr_array_add (after, (gpointer) assay_graph_node (self->graph, id)->name);
  if (!assay_rewriter_is_removed (&self->rewriter, self->anchor))
    g_ptr_array_add (after, (gpointer) before);
  assay_graph_add_rewrite (self->graph, self->rule, 1, &before, after->len,
                           (const char *const *) after->pdata);
}

/**
 * assay_edit_remove:
 * @self: an edit
 *
 * Removes the anchor, whose results nobody reads any more, and records what stands for it. The node
 * that makes its first result takes its name.
 */
void
assay_edit_remove (AssayEdit *self)
{
  const char *name = assay_edit_node (self)->name;
  AssayValueId first = assay_node_output (assay_edit_node (self), 0);
  AssayNodeId heir = first != ASSAY_NO_VALUE ? assay_graph_value (self->graph, first)->producer
                                             : ASSAY_NO_NODE;

  self->changed = TRUE;
  mark_origins (self, assay_edit_node (self));
  assay_rewriter_remove (&self->rewriter, self->anchor);
  g_hash_table_remove (self->builder.nodes, name);

  if (heir >= self->begun)
    {
      AssayNode *node = assay_graph_edit_node (self->graph, heir);

      g_hash_table_remove (self->builder.nodes, node->name);
      node->name = name;
      g_hash_table_insert (self->builder.nodes, (gpointer) name, GUINT_TO_POINTER (heir));
    }
  record (self, name);
}

/**
 * assay_edit_abandon:
 * @self: an edit
 *
 * Removes what was added for the anchor, as it turned out that the fix does not apply to it.
 */
void
assay_edit_abandon (AssayEdit *self)
{
  for (AssayNodeId id = assay_graph_n_nodes (self->graph); id-- > self->begun;)
    assay_rewriter_remove (&self->rewriter, id);
}

/**
 * assay_edit_mark_changed:
 * @self: an edit
 *
 * Says that the graph was changed in other ways, so that types are inferred again.
 */
void
assay_edit_mark_changed (AssayEdit *self)
{
  self->changed = TRUE;
}
