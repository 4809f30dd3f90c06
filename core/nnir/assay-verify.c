/* assay-verify.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-verify.h"

#include <string.h>

#include "nnir/assay-constraint.h"

/* Deeper than any file that opens; it bounds the walk over regions that point at each other. */
#define MAX_DEPTH 256

typedef struct
{
  AssayGraph *graph;
  AssayFindings *findings;
  gboolean sound;
  guint32 *positions;    /* per node: 1 + place in its region, 0 while not seen */
  guint8 *defined;       /* per value: how often it is defined */
  guint8 *region_linked; /* per region: whether an attribute of its parent holds it */
} Verifier;

#define broken(self, rule, node, ...)                                                              \
  G_STMT_START                                                                                     \
  {                                                                                                \
    (self)->sound = FALSE;                                                                         \
    assay_findings_add ((self)->findings, ASSAY_SEVERITY_ERROR, (rule), NULL, (node), NULL, -1,    \
                        __VA_ARGS__);                                                              \
  }                                                                                                \
  G_STMT_END

static const char *
value_name (Verifier *self, AssayValueId id)
{
  return assay_graph_value (self->graph, id)->name;
}

static gboolean
value_in_range (Verifier *self, const AssayNode *node, const char *what, guint index,
                AssayValueId id)
{
  if (id < self->graph->values->len)
    return TRUE;

  broken (self, "verify.value-range", node != NULL ? node->name : NULL,
          "%s %u is value %u, the graph has %u", what, index, id, self->graph->values->len);
  return FALSE;
}

static void
define (Verifier *self, const char *node, AssayValueId id)
{
  if (id == ASSAY_NO_VALUE)
    return;

  if (self->defined[id] != 0)
    broken (self, "verify.duplicate-definition", node, "value “%s” is defined more than once",
            value_name (self, id));
  self->defined[id] = 1;
}

/* Checks 1: every list of every region, without following an id that is out of range. */
static void
check_region_lists (Verifier *self, AssayRegionId id)
{
  const AssayRegion *region = assay_graph_region (self->graph, id);

  if (id == ASSAY_MAIN_REGION
          ? region->parent != ASSAY_NO_NODE
          : region->parent == ASSAY_NO_NODE || region->parent >= self->graph->nodes->len)
    broken (self, "verify.region-parent", NULL, "region %u “%s” has node %u as its parent", id,
            region->name, region->parent);

  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayValueId value = g_array_index (region->inputs, AssayValueId, i);

      if (!value_in_range (self, NULL, "region input", i, value) || value == ASSAY_NO_VALUE)
        continue;
      if (assay_graph_value (self->graph, value)->kind != ASSAY_VALUE_INPUT ||
          assay_graph_value (self->graph, value)->region != id ||
          assay_graph_value (self->graph, value)->output != i)
        broken (self, "verify.region-input", NULL,
                "value “%s” does not know that it is input %u of region “%s”",
                value_name (self, value), i, region->name);
      define (self, NULL, value);
    }

  for (guint i = 0; i < region->outputs->len; i++)
    value_in_range (self, NULL, "region output", i,
                    g_array_index (region->outputs, AssayValueId, i));

  for (guint i = 0; i < region->nodes->len; i++)
    {
      AssayNodeId node = g_array_index (region->nodes, AssayNodeId, i);

      if (node == ASSAY_NO_NODE || node >= self->graph->nodes->len)
        {
          broken (self, "verify.node-range", NULL, "region “%s” lists node %u, the graph has %u",
                  region->name, node, self->graph->nodes->len);
          continue;
        }
      if (self->positions[node] != 0 || assay_graph_node (self->graph, node)->region != id)
        broken (self, "verify.node-region", assay_graph_node (self->graph, node)->name,
                "the node stands in two regions, twice in one, or does not know its region");
      self->positions[node] = i + 1;
    }
}

static void
check_attr_regions (Verifier *self, AssayNodeId id, const AssayAttr *attr)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  guint n = attr->kind == ASSAY_ATTR_GRAPH ? 1 : attr->kind == ASSAY_ATTR_GRAPHS ? attr->n : 0;

  for (guint i = 0; i < n; i++)
    {
      AssayRegionId region = attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region : attr->u.regions[i];

      if (region == ASSAY_MAIN_REGION || region >= self->graph->regions->len ||
          assay_graph_region (self->graph, region)->parent != id ||
          g_strcmp0 (assay_graph_region (self->graph, region)->attribute, attr->name) != 0)
        broken (self, "verify.region-link", node->name,
                "attribute “%s” holds region %u, which does not point back", attr->name, region);
      else
        self->region_linked[region] = TRUE;
    }
}

/* Wrong models have nodes that are not what their operator asks for, and the graph stays usable. */
static void
check_form (Verifier *self, const AssayNode *node)
{
  AssayViolation violation;

  if (!assay_node_check_form (node, &violation))
    assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "verify.form", NULL, node->name,
                        violation.attribute, -1, "%s: %s", assay_op_name (node->op),
                        violation.text);
}

static void
check_node (Verifier *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    value_in_range (self, node, "input", i, node->inputs[i]);
  if (node->n_inputs > 0 && node->inputs[node->n_inputs - 1] == ASSAY_NO_VALUE)
    broken (self, "verify.trailing-input", node->name,
            "the last input is omitted, it should not be listed");

  for (guint i = 0; i < node->n_outputs; i++)
    {
      const AssayValue *value;

      if (!value_in_range (self, node, "output", i, node->outputs[i]) ||
          node->outputs[i] == ASSAY_NO_VALUE)
        continue;

      value = assay_graph_value (self->graph, node->outputs[i]);
      if (value->kind != ASSAY_VALUE_RESULT || value->producer != id || value->output != i ||
          value->region != node->region)
        broken (self, "verify.producer", node->name,
                "value “%s” does not know that it is output %u of this node", value->name, i);
      define (self, node->name, node->outputs[i]);
    }

  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (node->attrs[i].name == NULL)
        broken (self, "verify.attribute-name", node->name, "attribute %u has no name", i);
      else
        check_attr_regions (self, id, &node->attrs[i]);

      for (guint j = 0; j < i && node->attrs[i].name != NULL; j++)
        {
          if (g_strcmp0 (node->attrs[i].name, node->attrs[j].name) == 0)
            broken (self, "verify.duplicate-attribute", node->name, "attribute “%s” is there twice",
                    node->attrs[i].name);
        }
    }

  for (guint i = 0; i < node->n_origins; i++)
    {
      if (node->origins[i] >= self->graph->origins->len)
        broken (self, "verify.origin-range", node->name, "origin %u of %u", node->origins[i],
                self->graph->origins->len);
    }

  if (node->scope >= self->graph->scopes->len)
    broken (self, "verify.scope-range", node->name, "scope %u of %u", node->scope,
            self->graph->scopes->len);

  check_form (self, node);
}

/* Checks 2, only on graphs whose lists are sound: a read must see a definition that comes before
 * it. @position is the place of the reader in @region, or past the end for an output. */
static void
check_read (Verifier *self, const char *reader, AssayRegionId region, guint position,
            AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->graph, id);

  for (guint depth = 0; depth < MAX_DEPTH; depth++)
    {
      const AssayRegion *r = assay_graph_region (self->graph, region);

      if (value->region == region)
        {
          if (value->kind == ASSAY_VALUE_RESULT && self->positions[value->producer] >= position)
            broken (self, "verify.use-before-definition", reader,
                    "value “%s” is read before “%s” makes it", value->name,
                    assay_graph_node (self->graph, value->producer)->name);
          return;
        }

      if (r->parent == ASSAY_NO_NODE)
        break;
      position = self->positions[r->parent];
      region = assay_graph_node (self->graph, r->parent)->region;
    }

  broken (self, "verify.not-visible", reader, "value “%s” is read where its region cannot be seen",
          value->name);
}

static void
check_order (Verifier *self)
{
  for (guint32 i = 0; i < self->graph->regions->len; i++)
    {
      const AssayRegion *region = assay_graph_region (self->graph, i);

      for (guint j = 0; j < region->nodes->len; j++)
        {
          const AssayNode *node = assay_graph_node (self->graph,
                                                    g_array_index (region->nodes, AssayNodeId, j));

          for (guint k = 0; k < node->n_inputs; k++)
            {
              if (node->inputs[k] != ASSAY_NO_VALUE)
                check_read (self, node->name, i, j + 1, node->inputs[k]);
            }
        }

      for (guint j = 0; j < region->outputs->len; j++)
        {
          AssayValueId value = g_array_index (region->outputs, AssayValueId, j);

          if (value != ASSAY_NO_VALUE)
            check_read (self, NULL, i, G_MAXUINT, value);
        }
    }
}

static void
check_values (Verifier *self)
{
  for (AssayValueId i = 1; i < self->graph->values->len; i++)
    {
      const AssayValue *value = assay_graph_value (self->graph, i);

      if (value->name == NULL || value->type == NULL)
        broken (self, "verify.value-incomplete", NULL, "value %u has no name or no type", i);
      else if (value->region >= self->graph->regions->len)
        broken (self, "verify.value-region", NULL, "value “%s” stands in region %u of %u",
                value->name, value->region, self->graph->regions->len);
      else if ((value->kind == ASSAY_VALUE_RESULT || value->kind == ASSAY_VALUE_INPUT) &&
               !self->defined[i])
        broken (self, "verify.undefined", NULL,
                "value “%s” is a result or an input that nothing lists", value->name);
      else if (value->kind == ASSAY_VALUE_CONSTANT && value->constant == NULL)
        broken (self, "verify.empty-constant", NULL, "constant “%s” has no elements", value->name);
    }
}

static void
check_names (Verifier *self)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId i = 1; i < self->graph->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (self->graph, i);

      if (node->name == NULL || node->op_type == NULL || node->domain == NULL)
        broken (self, "verify.node-incomplete", node->name, "node %u has no name, type or domain",
                i);
      else if (!g_hash_table_add (names, (gpointer) node->name))
        broken (self, "verify.duplicate-name", node->name, "two nodes are called “%s”", node->name);

      if (self->positions[i] == 0)
        broken (self, "verify.unlisted-node", node->name, "no region lists the node");
    }
}

/* What became other nodes is one node that no row is for, in a graph without calls. */
static void
check_calls (Verifier *self)
{
  for (guint i = 0; i < self->graph->origins->len; i++)
    {
      const AssayOrigin *origin = &g_array_index (self->graph->origins, AssayOrigin, i);
      AssayGraph *call = origin->call;
      guint n_opaque = 0;

      if (call == NULL)
        continue;
      for (AssayNodeId id = 1; id < assay_graph_n_nodes (call); id++)
        n_opaque += assay_graph_node (call, id)->op == ASSAY_OP_OPAQUE;
      if (n_opaque != 1 || call->calls->len > 0)
        broken (self, "verify.call", origin->name, "the call of origin %u is not one function", i);
      self->sound &= assay_graph_verify (call, self->findings);
    }
}

/**
 * assay_graph_verify:
 * @self: a graph
 * @findings: gets every violation
 *
 * Checks the invariants of NNIR: ids in range, one definition per value, definitions before uses
 * and visible from them, arity and attributes as the op table says, regions linked to their nodes,
 * unique node names.
 *
 * Returns: whether no invariant of the structure is broken (arity and attribute findings do not
 * break it)
 */
gboolean
assay_graph_verify (AssayGraph *self, AssayFindings *findings)
{
  g_autofree guint32 *positions = g_new0 (guint32, self->nodes->len);
  g_autofree guint8 *defined = g_new0 (guint8, self->values->len);
  g_autofree guint8 *region_linked = g_new0 (guint8, self->regions->len);
  Verifier verifier = { self, findings, TRUE, positions, defined, region_linked };

  for (guint32 i = 0; i < self->regions->len; i++)
    check_region_lists (&verifier, i);
  for (AssayNodeId i = 1; i < self->nodes->len; i++)
    check_node (&verifier, i);
  for (guint32 i = 1; i < self->regions->len; i++)
    {
      if (!region_linked[i])
        broken (&verifier, "verify.region-link", NULL, "no attribute holds region %u “%s”", i,
                assay_graph_region (self, i)->name);
    }
  check_names (&verifier);
  check_values (&verifier);
  check_calls (&verifier);
  if (verifier.sound)
    check_order (&verifier);

  return verifier.sound;
}
