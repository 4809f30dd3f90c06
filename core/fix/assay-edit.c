/* assay-edit.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-edit.h"

#include <string.h>

#include "evaluate/assay-datum.h"
#include "nnir/assay-graph-builder.h"

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
  self->nodes = g_hash_table_new (g_str_hash, g_str_equal);
  self->names = g_hash_table_new (g_str_hash, g_str_equal);
  self->anchors = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  self->bindings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->first = assay_graph_n_nodes (graph);
  self->rule = g_strdup_printf ("fix.%s", fix->rewrite);
  assay_rewriter_init (&self->rewriter, graph, &options);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_hash_table_insert (self->nodes, (gpointer) assay_graph_node (graph, id)->name,
                         GUINT_TO_POINTER (id));
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    g_hash_table_add (self->names, (gpointer) assay_graph_value (graph, id)->name);

  return self;
}

void
assay_edit_free (AssayEdit *self)
{
  g_clear_pointer (&self->rewriter.reads, g_array_unref);
  g_clear_pointer (&self->rewriter.forward, g_array_unref);
  g_clear_pointer (&self->rewriter.removed, g_array_unref);
  g_hash_table_unref (self->nodes);
  g_hash_table_unref (self->names);
  g_hash_table_unref (self->bindings);
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
  *node = GPOINTER_TO_UINT (g_hash_table_lookup (self->nodes, name));

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
  g_hash_table_remove_all (self->bindings);

  if (!assay_edit_find (self, name, &node))
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "fix.does-not-apply", "graph",
                          name, NULL, -1, "%s: the model has no node \"%s\"", self->fix->rewrite,
                          name);
      return FALSE;
    }
  self->anchor = node;

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

static char *
new_name (AssayEdit *self, GHashTable *taken, const char *suffix)
{
  const char *base = assay_edit_node (self)->name;
  char *name = g_strdup_printf ("%s/%s", base, suffix);

  for (guint i = 2; g_hash_table_contains (taken, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s/%s_%u", base, suffix, i);
    }

  return name;
}

static AssayValueId
add_value (AssayEdit *self, AssayValueKind kind, const char *suffix, AssayTensor *tensor)
{
  AssayRegionId region = assay_edit_node (self)->region;
  g_autofree char *name = new_name (self, self->names, suffix);
  AssayValueId id;

  if (tensor != NULL)
    id = assay_graph_add_constant (self->graph, region, name, tensor);
  else
    id = assay_graph_add_value (self->graph, region, kind, name, NULL);
  g_hash_table_add (self->names, (gpointer) assay_graph_value (self->graph, id)->name);
  assay_rewriter_retain (&self->rewriter, id);
  assay_rewriter_release (&self->rewriter, id);

  return id;
}

/**
 * assay_edit_add_outputs:
 * @self: an edit
 * @op: an operation
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 * @n_outputs: number of outputs
 * @outputs: (out caller-allocates) (array length=n_outputs): gets the results
 *
 * Adds a node before the anchor.
 */
void
assay_edit_add_outputs (AssayEdit *self, AssayOp op, guint n_inputs, const AssayValueId *inputs,
                        guint n_outputs, AssayValueId *outputs)
{
  const AssayNode *anchor = assay_edit_node (self);
  guint32 n_origins = anchor->n_origins, scope = anchor->scope;
  const guint32 *origins = anchor->origins;
  AssayRegionId region = anchor->region;
  g_autofree char *name = new_name (self, self->nodes, assay_op_name (op));
  AssayNodeId id;

  for (guint i = 0; i < n_outputs; i++)
    outputs[i] = add_value (self, ASSAY_VALUE_RESULT, assay_op_name (op), NULL);
  id = assay_graph_add_node (self->graph, region, op, name, n_inputs, inputs, n_outputs, outputs);
  for (guint i = 0; i < n_inputs; i++)
    assay_rewriter_retain (&self->rewriter, inputs[i]);
  assay_graph_set_origins (self->graph, id, n_origins, origins);
  assay_graph_edit_node (self->graph, id)->scope = scope;
  g_hash_table_insert (self->nodes, (gpointer) assay_graph_node (self->graph, id)->name,
                       GUINT_TO_POINTER (id));
  g_array_append_val (self->anchors, self->anchor);
  self->changed = TRUE;
}

/**
 * assay_edit_add:
 * @self: an edit
 * @op: an operation
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 *
 * Adds a node with one result before the anchor.
 *
 * Returns: the result
 */
AssayValueId
assay_edit_add (AssayEdit *self, AssayOp op, guint n_inputs, const AssayValueId *inputs)
{
  AssayValueId output;

  assay_edit_add_outputs (self, op, n_inputs, inputs, 1, &output);

  return output;
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

  assay_edit_add_outputs (self, assay_edit_node (self)->op, n_inputs, inputs, n_outputs, outputs);
  node = assay_graph_edit_node (self->graph, assay_edit_last (self));
  for (guint i = 0; i < n_outputs; i++)
    if (assay_node_output (assay_edit_node (self), i) == ASSAY_NO_VALUE)
      {
        assay_graph_edit_value (self->graph, outputs[i])->producer = ASSAY_NO_NODE;
        node->outputs[i] = outputs[i] = ASSAY_NO_VALUE;
      }
  assay_graph_set_attrs (self->graph, assay_edit_last (self), assay_edit_node (self)->n_attrs,
                         assay_edit_node (self)->attrs);
}

/**
 * assay_edit_last:
 * @self: an edit
 *
 * Gets the node that was added last, to give it attributes.
 *
 * Returns: the node
 */
AssayNodeId
assay_edit_last (AssayEdit *self)
{
  return assay_graph_n_nodes (self->graph) - 1;
}

/**
 * assay_edit_tensor: (skip)
 * @self: an edit
 * @tensor: (transfer none): elements
 *
 * Adds a constant.
 *
 * Returns: the constant
 */
AssayValueId
assay_edit_tensor (AssayEdit *self, AssayTensor *tensor)
{
  return add_value (self, ASSAY_VALUE_CONSTANT, "constant", tensor);
}

/**
 * assay_edit_scalar:
 * @self: an edit
 * @dtype: an element type that holds numbers
 * @number: the number
 *
 * Adds a constant without dimensions.
 *
 * Returns: the constant, or 0 if the type holds no numbers
 */
AssayValueId
assay_edit_scalar (AssayEdit *self, AssayDType dtype, double number)
{
  g_autoptr (AssayDatum) datum = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  if (!assay_dtype_is_float (dtype) && !assay_dtype_is_integer (dtype) && dtype != ASSAY_DTYPE_BOOL)
    return ASSAY_NO_VALUE;

  datum = assay_datum_new (dtype, assay_datum_storage (dtype, FALSE), 0, NULL, NULL);
  if (datum == NULL)
    return ASSAY_NO_VALUE;
  assay_datum_set_number (datum, 0, number);
  assay_datum_round (datum);
  tensor = assay_datum_to_tensor (datum, FALSE, NULL);

  return tensor != NULL ? assay_edit_tensor (self, tensor) : ASSAY_NO_VALUE;
}

/**
 * assay_edit_ints: (skip)
 * @self: an edit
 * @n: how many
 * @values: (array length=n): integers
 *
 * Adds a constant list of int64.
 *
 * Returns: the constant
 */
AssayValueId
assay_edit_ints (AssayEdit *self, guint n, const gint64 *values)
{
  const gint64 dims[] = { n };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_i64 (1, dims, values);

  return assay_edit_tensor (self, tensor);
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
      value = assay_edit_add (self, ASSAY_OP_Identity, 1, &value);
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
  g_hash_table_remove (self->nodes, name);

  if (heir >= self->begun)
    {
      AssayNode *node = assay_graph_edit_node (self->graph, heir);

      g_hash_table_remove (self->nodes, node->name);
      node->name = name;
      g_hash_table_insert (self->nodes, (gpointer) name, GUINT_TO_POINTER (heir));
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
