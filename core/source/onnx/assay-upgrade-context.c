/* assay-upgrade-context.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-upgrade-private.h"

/* The node of the context; a pointer to it is good until a node is added. */
const AssayNode *
upgrade_node (UpgradeContext *self)
{
  return assay_graph_node (self->graph, self->id);
}

AssayValueId
upgrade_input (UpgradeContext *self, guint input)
{
  return assay_node_input (upgrade_node (self), input);
}

const AssayAttr *
upgrade_attr (UpgradeContext *self, const char *name)
{
  return assay_node_find_attr (upgrade_node (self), name);
}

/* Sets one input; those between the last one and it are omitted. */
void
upgrade_set_input (UpgradeContext *self, guint input, AssayValueId value)
{
  AssayNode *node = assay_graph_edit_node (self->graph, self->id);
  guint n = MAX (node->n_inputs, input + 1);
  AssayValueId *inputs = assay_arena_alloc_n (self->graph->arena, n, sizeof *inputs);

  for (guint i = 0; i < n; i++)
    inputs[i] = assay_node_input (node, i);
  inputs[input] = value;
  while (n > 0 && inputs[n - 1] == ASSAY_NO_VALUE)
    n--;

  node->inputs = inputs;
  node->n_inputs = n;
}

static const AssayType *
type_for_builder (const AssayBuilder *builder, AssayValueId value, gpointer user_data)
{
  return upgrade_value_type (user_data, value);
}

/* Takes the node @id out to bring it to another form. */
void
upgrade_begin (UpgradeContext *self, AssayNodeId id)
{
  if (self->builder.graph == NULL)
    {
      assay_builder_init (&self->builder, self->graph, FALSE);
      self->builder.type = type_for_builder;
      self->builder.user_data = self;
    }
  self->id = self->builder.anchor = id;
  self->placed = FALSE;
}

void
upgrade_set_op (UpgradeContext *self, AssayOp op)
{
  AssayNode *node = assay_graph_edit_node (self->graph, self->id);

  node->op = op;
  node->op_type = assay_op_get_info (op)->name;
  node->domain = assay_op_get_info (op)->domain;
}

static char *
helper_name (UpgradeContext *self, const char *suffix)
{
  return g_strdup_printf ("%s/%s", upgrade_node (self)->name, suffix);
}

/* Puts the node back into its region; what is added from now on comes behind it. */
void
upgrade_place (UpgradeContext *self)
{
  if (!self->placed)
    g_array_append_val (assay_graph_region (self->graph, upgrade_node (self)->region)->nodes,
                        self->id);
  self->placed = TRUE;
}

/* Gives the node a new first output, so that another node can make the old one; gives the old one.
 */
AssayValueId
upgrade_divert_output (UpgradeContext *self, const char *suffix)
{
  g_autofree char *name = helper_name (self, suffix);
  AssayValueId old = assay_node_output (upgrade_node (self), 0);
  AssayValueId value = assay_graph_add_value (self->graph, upgrade_node (self)->region,
                                              ASSAY_VALUE_RESULT, name, NULL);

  assay_graph_edit_node (self->graph, self->id)->outputs[0] = value;
  assay_graph_edit_value (self->graph, value)->producer = self->id;

  return old;
}

/* What is known of the type of a value by now. */
const AssayType *
upgrade_value_type (UpgradeContext *self, AssayValueId value)
{
  const AssayType *type;

  if (value == ASSAY_NO_VALUE)
    return &assay_type_unknown;

  type = assay_graph_value (self->graph, value)->type;
  if (self->probe != NULL && value < self->n_probed &&
      (type->rank < 0 || type->dtype == ASSAY_DTYPE_UNDEFINED))
    type = assay_graph_value (self->probe, value)->type;

  return type->kind == ASSAY_TYPE_KIND_TENSOR ? type : &assay_type_unknown;
}

/* The type of an input; if its rank is not known yet the rule comes again after a first inference.
 */
const AssayType *
upgrade_type (UpgradeContext *self, guint input)
{
  const AssayType *type = upgrade_value_type (self, upgrade_input (self, input));

  if (type->rank < 0 || type->rank > ASSAY_MAX_RANK)
    {
      self->later = TRUE;
      return &assay_type_unknown;
    }

  return type;
}

/* The element type of an input; if it is not known yet the rule comes again after a first
 * inference. */
AssayDType
upgrade_dtype (UpgradeContext *self, guint input)
{
  AssayDType dtype = upgrade_value_type (self, upgrade_input (self, input))->dtype;

  self->later |= dtype == ASSAY_DTYPE_UNDEFINED;

  return dtype;
}

/* The graph of the file that the node came from. */
const char *
upgrade_path (UpgradeContext *self)
{
  const AssayNode *node = upgrade_node (self);

  return node->n_origins > 0 && node->origins[0] < self->graph->origins->len
             ? g_array_index (self->graph->origins, AssayOrigin, node->origins[0]).path
             : "graph";
}

void
upgrade_refuse (UpgradeContext *self, const char *attribute, const char *why)
{
  const AssayNode *node = upgrade_node (self);

  if (self->findings == NULL)
    return;

  assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "import.old-opset",
                      upgrade_path (self), node->name, attribute, -1,
                      "%s of opset %" G_GINT64_FORMAT " cannot be brought to the newest form: %s",
                      node->op_type, self->version, why);
}
