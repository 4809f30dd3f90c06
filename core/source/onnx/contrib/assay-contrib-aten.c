/* assay-contrib-aten.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions of PyTorch, which its exporter writes as nodes where ONNX has none for them.
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include "source/torch/assay-torch-call.h"

/* The node on its own. */
typedef struct
{
  UpgradeContext *upgrade;
  AssayGraph *graph;
  GHashTable *copies;    /* value there -> value here */
  GHashTable *constants; /* tensor -> value there */
  GArray *inputs;        /* AssayValueId there, in the order of the inputs here */
  gboolean is_known;
} Extract;

/* A constant of the file, or what inference folded. */
static AssayTensor *
find_constant (const UpgradeContext *upgrade, AssayValueId value)
{
  AssayTensor *tensor = assay_graph_constant (upgrade->graph, value);

  if (tensor == NULL && upgrade->probe != NULL && value < upgrade->n_probed)
    tensor = assay_graph_constant (upgrade->probe, value);

  return tensor;
}

static AssayValueId copy_value (Extract *self, AssayValueId value, gboolean may_be_list);

static AssayValueId
copy_sequence (Extract *self, const AssayNode *sequence, const char *name)
{
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, MAX (sequence->n_inputs, 1));
  AssayValueId output;

  for (guint i = 0; i < sequence->n_inputs; i++)
    inputs[i] = copy_value (self, sequence->inputs[i], FALSE);
  output = assay_graph_add_value (self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, name, NULL);
  assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, sequence->op, name, sequence->n_inputs,
                        inputs, 1, &output);

  return output;
}

static AssayValueId
copy_value (Extract *self, AssayValueId id, gboolean may_be_list)
{
  UpgradeContext *upgrade = self->upgrade;
  AssayTensor *tensor = id != ASSAY_NO_VALUE ? find_constant (upgrade, id) : NULL;
  const AssayValue *value;
  const AssayNode *producer;
  gpointer known;

  if (id == ASSAY_NO_VALUE)
    return ASSAY_NO_VALUE;
  known = g_hash_table_lookup (self->copies, GUINT_TO_POINTER (id));
  if (known != NULL)
    return GPOINTER_TO_UINT (known);

  value = assay_graph_value (upgrade->graph, id);
  producer = assay_graph_node (upgrade->graph, value->producer);
  if (tensor != NULL)
    {
      known = GUINT_TO_POINTER (
          assay_graph_add_constant (self->graph, ASSAY_MAIN_REGION, value->name, tensor));
      g_hash_table_insert (self->constants, tensor, GUINT_TO_POINTER (id));
    }
  else if (may_be_list && value->producer != ASSAY_NO_NODE &&
           (producer->op == ASSAY_OP_SequenceConstruct || producer->op == ASSAY_OP_SequenceEmpty))
    known = GUINT_TO_POINTER (copy_sequence (self, producer, value->name));
  else
    {
      const AssayType *type = contrib_type (upgrade, id);

      self->is_known &= type->rank >= 0 && type->dtype != ASSAY_DTYPE_UNDEFINED;
      known = GUINT_TO_POINTER (assay_graph_add_input (self->graph, ASSAY_MAIN_REGION, value->name,
                                                       assay_type_copy (self->graph->arena, type)));
      g_array_append_val (self->inputs, id);
    }
  g_hash_table_insert (self->copies, GUINT_TO_POINTER (id), known);

  return GPOINTER_TO_UINT (known);
}

/* Gives the node, with its inputs and outputs, a graph of its own. */
static AssayNodeId
extract (Extract *self)
{
  UpgradeContext *upgrade = self->upgrade;
  const AssayNode *node = upgrade_node (upgrade);
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, MAX (node->n_inputs, 1));
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, MAX (node->n_outputs, 1));
  AssayNodeId id;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = copy_value (self, node->inputs[i], TRUE);
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      outputs[i] = assay_graph_add_value (
          self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
          assay_graph_value (upgrade->graph, node->outputs[i])->name, NULL);
  id = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, ASSAY_OP_OPAQUE, node->name,
                             node->n_inputs, inputs, node->n_outputs, outputs);
  assay_graph_edit_node (self->graph, id)->op_type = assay_arena_intern (self->graph->arena,
                                                                         node->op_type);
  assay_graph_edit_node (self->graph, id)->domain = assay_arena_intern (self->graph->arena,
                                                                        node->domain);
  assay_graph_adopt_attrs (self->graph, id, node->n_attrs, node->attrs);

  return id;
}

/* The nodes of the body that its outputs need. */
static guint8 *
find_needed (const AssayGraph *body)
{
  guint8 *needed = g_new0 (guint8, assay_graph_n_nodes (body));
  const GArray *outputs = assay_graph_region (body, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < outputs->len; i++)
    needed[assay_graph_value (body, g_array_index (outputs, AssayValueId, i))->producer] = 1;
  for (AssayNodeId id = assay_graph_n_nodes (body); id-- > 1;)
    for (guint i = 0; needed[id] && i < assay_graph_node (body, id)->n_inputs; i++)
      needed[assay_graph_value (body, assay_graph_node (body, id)->inputs[i])->producer] = 1;

  return needed;
}

/* What stands for a value of the body, which nothing of the body makes. */
static AssayValueId
adopt_value (const Extract *self, const AssayGraph *body, AssayValueId id)
{
  UpgradeContext *upgrade = self->upgrade;
  const AssayValue *value = assay_graph_value (body, id);
  gpointer known = value->constant != NULL ? g_hash_table_lookup (self->constants, value->constant)
                                           : NULL;
  g_autofree char *name = g_strdup_printf ("%s/%s", upgrade_node (upgrade)->name, value->name);

  return known != NULL ? GPOINTER_TO_UINT (known)
                       : assay_graph_add_constant (upgrade->graph, upgrade_node (upgrade)->region,
                                                   name, value->constant);
}

/* Adds a node of the body in front of the node of the context, whose outputs it makes if they are
 * its own. */
static void
adopt_node (const Extract *self, const AssayGraph *body, AssayNodeId id, AssayValueId *values)
{
  UpgradeContext *upgrade = self->upgrade;
  AssayGraph *graph = upgrade->graph;
  AssayRegionId region = upgrade_node (upgrade)->region;
  const AssayNode *node = assay_graph_node (body, id);
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, MAX (node->n_inputs, 1));
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, MAX (node->n_outputs, 1));
  g_autofree char *name = g_strdup_printf ("%s/%s", upgrade_node (upgrade)->name, node->name);
  AssayNodeId made;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId input = node->inputs[i];

      if (input != ASSAY_NO_VALUE && values[input] == ASSAY_NO_VALUE)
        values[input] = adopt_value (self, body, input);
      inputs[i] = values[input];
    }
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      {
        g_autofree char *own = g_strdup_printf ("%s/%s", upgrade_node (upgrade)->name,
                                                assay_graph_value (body, node->outputs[i])->name);

        if (values[node->outputs[i]] == ASSAY_NO_VALUE)
          values[node->outputs[i]] = assay_graph_add_value (graph, region, ASSAY_VALUE_RESULT, own,
                                                            NULL);
        outputs[i] = values[node->outputs[i]];
      }
  made = assay_graph_add_node (graph, region, node->op, name, node->n_inputs, inputs,
                               node->n_outputs, outputs);
  assay_graph_adopt_attrs (graph, made, node->n_attrs, node->attrs);
  assay_graph_set_origins (graph, made, upgrade_node (upgrade)->n_origins,
                           upgrade_node (upgrade)->origins);
}

/* The node becomes the one that makes its first output, all others stand before and behind it. */
static void
splice (const Extract *self, const AssayGraph *body)
{
  UpgradeContext *upgrade = self->upgrade;
  const AssayNode *node = upgrade_node (upgrade);
  const GArray *inputs = assay_graph_region (body, ASSAY_MAIN_REGION)->inputs;
  const GArray *outputs = assay_graph_region (body, ASSAY_MAIN_REGION)->outputs;
  g_autofree AssayValueId *values = g_new0 (AssayValueId, assay_graph_n_values (body));
  g_autofree AssayValueId *own = g_memdup2 (node->outputs, node->n_outputs * sizeof *own);
  g_autofree guint8 *needed = find_needed (body);
  AssayValueId first = g_array_index (outputs, AssayValueId, 0);
  guint n_outputs = node->n_outputs;

  for (guint i = 0; i < inputs->len; i++)
    values[g_array_index (inputs, AssayValueId, i)] = g_array_index (self->inputs, AssayValueId, i);
  /* The first output is copied: the node keeps its name and its place with it. */
  for (guint i = 1; i < n_outputs; i++)
    {
      AssayValueId made = g_array_index (outputs, AssayValueId, i);

      if (own[i] != ASSAY_NO_VALUE && made != first && values[made] == ASSAY_NO_VALUE &&
          assay_graph_value (body, made)->producer != ASSAY_NO_NODE)
        values[made] = own[i];
    }
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (body); id++)
    if (needed[id])
      adopt_node (self, body, id, values);
  if (values[first] == ASSAY_NO_VALUE)
    values[first] = adopt_value (self, body, first);
  ASSAY_BECOME (&upgrade->builder, Identity, values[first]);
  upgrade_place (upgrade);
  for (guint i = 1; i < n_outputs; i++)
    {
      AssayValueId made = g_array_index (outputs, AssayValueId, i);
      g_autofree char *suffix = g_strdup_printf ("output%u", i);

      if (own[i] == ASSAY_NO_VALUE || values[made] == own[i])
        continue;
      if (values[made] == ASSAY_NO_VALUE)
        values[made] = adopt_value (self, body, made);
      assay_builder_add_to (&upgrade->builder, ASSAY_OP_Identity, suffix, 1, &values[made], own[i]);
    }
}

/* What is said of a node later, whatever it becomes, is said of this one alone. */
void
contrib_keep_call (UpgradeContext *upgrade, AssayGraph *call)
{
  const AssayNode *node = upgrade_node (upgrade);

  if (node->n_origins == 0)
    return;
  g_array_index (upgrade->graph->origins, AssayOrigin, node->origins[0]).call = call;
  g_ptr_array_add (upgrade->graph->calls, assay_graph_ref (call));
}

/* The node of the context in a graph of its own. */
AssayGraph *
contrib_extract (UpgradeContext *self)
{
  AssayGraph *graph = assay_graph_new ();
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) constants = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  Extract own = { self, graph, copies, constants, inputs, TRUE };
  const AssayNode *node = assay_graph_node (graph, extract (&own));

  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, node->outputs[i]);

  return graph;
}

gboolean
contrib_aten (UpgradeContext *self)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) constants = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_auto (AssayTorchCall) call = { NULL, NULL };
  g_autoptr (GError) error = NULL;
  Extract own = { self, graph, copies, constants, inputs, TRUE };
  AssayNodeId node = extract (&own);

  if (!own.is_known && !self->last)
    {
      self->later = TRUE;
      return FALSE;
    }
  if (!assay_torch_call_expand (graph, node, &call, &error))
    {
      /* More may be known of its operands later. */
      self->later |= !self->last;
      return self->last && contrib_refuse (self, NULL, error->message);
    }
  if (call.body->regions->len > 1)
    return contrib_refuse (self, NULL, "its body has graphs of its own");
  contrib_keep_call (self, call.plain);
  splice (&own, call.body);

  return TRUE;
}
