/* assay-contrib.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <string.h>

#include "nnir/function/assay-op-function.h"
#include "source/torch/assay-torch-call.h"

static const struct
{
  const char *domain;
  const char *type;
  ContribFunc func;
  gboolean has_row;
} rows[] = {
#define CONTRIB(domain, type, function) { domain, #type, contrib_##function, FALSE },
#define ROW(domain, type, function) { domain, #type, contrib_##function, TRUE },
#include "source/onnx/contrib/contrib.def"
#undef CONTRIB
};

static gboolean
has_function (const AssayNode *node)
{
  guint n;

  return assay_op_function_of (node, &n) != NULL;
}

/* Writes the body of the first function that applies. */
static gboolean
contrib_function (UpgradeContext *self)
{
  g_autofree char *reason = NULL;
  guint n;
  const AssayOpFunction *const *functions = assay_op_function_of (upgrade_node (self), &n);

  for (guint i = 0; i < n; i++)
    {
      g_clear_pointer (&reason, g_free);
      if (assay_op_function_expand (functions[i], &self->builder, &reason))
        return TRUE;
    }

  return contrib_refuse (self, NULL, reason);
}

/* The rule for a node that the op table does not know, or NULL; @has_row tells whether a target may
 * have one for it, too. */
static ContribFunc
find_row (const AssayNode *node, gboolean *has_row)
{
  *has_row = FALSE;
  if (node->op != ASSAY_OP_OPAQUE)
    return NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (strcmp (rows[i].type, node->op_type) == 0 && strcmp (rows[i].domain, node->domain) == 0)
        {
          *has_row = rows[i].has_row;
          return rows[i].func;
        }
    }

  if (has_function (node))
    return contrib_function;

  return assay_torch_call_is_known (node) ? contrib_aten : NULL;
}

/* The rule for a node that the op table does not know, or NULL. */
ContribFunc
contrib_find (const AssayNode *node)
{
  gboolean has_row;

  return find_row (node, &has_row);
}

/* What an operator is made of is a scope of its own, as the body of a function is. */
static void
enter_scope (UpgradeContext *self, AssayNodeId first)
{
  AssayGraph *graph = self->graph;
  const AssayNode *node = upgrade_node (self);
  const char *outer = g_array_index (graph->scopes, const char *, node->scope);
  const char *last = strrchr (node->name, '/');
  g_autofree char *path = NULL;
  guint32 scope;

  last = last != NULL && last[1] != '\0' ? last + 1 : node->name;
  path = outer[0] == '\0' ? g_strdup (last) : g_strconcat (outer, "/", last, NULL);
  scope = assay_graph_add_scope (graph, path);

  assay_graph_edit_node (graph, self->id)->scope = scope;
  for (AssayNodeId id = first; id < assay_graph_n_nodes (graph); id++)
    assay_graph_edit_node (graph, id)->scope = scope;
}

/* More outputs than the operator has are values that nothing makes. */
static void
mark_missing (UpgradeContext *self, guint n_outputs, const AssayValueId *outputs)
{
  for (guint i = 0; i < n_outputs; i++)
    {
      AssayValue *value = assay_graph_edit_value (self->graph, outputs[i]);

      if (outputs[i] != ASSAY_NO_VALUE && value->producer == self->id &&
          contrib_output (self, value->output) != outputs[i])
        {
          value->kind = ASSAY_VALUE_MISSING;
          value->producer = ASSAY_NO_NODE;
        }
    }
}

/* Puts what the node is made of in its place, if there is a rule and what it asks for is known. */
gboolean
contrib_try (UpgradeContext *self)
{
  gboolean has_row;
  ContribFunc func = find_row (upgrade_node (self), &has_row);
  g_autoptr (AssayGraph) call = has_row ? contrib_extract (self) : NULL;
  AssayNodeId first = assay_graph_n_nodes (self->graph);
  guint n_outputs = upgrade_node (self)->n_outputs;
  g_autofree AssayValueId *outputs = g_memdup2 (upgrade_node (self)->outputs,
                                                n_outputs * sizeof *outputs);

  if (func == NULL || contrib_output (self, 0) == ASSAY_NO_VALUE || !func (self))
    return FALSE;

  if (call != NULL)
    contrib_keep_call (self, call);
  mark_missing (self, n_outputs, outputs);
  if (assay_graph_n_nodes (self->graph) > first)
    enter_scope (self, first);

  return TRUE;
}
