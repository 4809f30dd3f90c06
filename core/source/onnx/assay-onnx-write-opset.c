/* assay-onnx-write-opset.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write-private.h"

/* Domains can be as many as nodes, so none is looked for in a list. */
static AssayOpset *
find_opset (GArray *opsets, GHashTable *places, const char *domain)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, domain));

  return place == 0 ? NULL : &g_array_index (opsets, AssayOpset, place - 1);
}

static AssayOpset *
ensure_opset (OnnxWriter *self, const char *domain, gint64 version)
{
  AssayOpset added = { domain, version };

  if (!g_hash_table_contains (self->opset_places, domain))
    {
      g_array_append_val (self->opsets, added);
      g_hash_table_insert (self->opset_places, (gpointer) domain,
                           GUINT_TO_POINTER (self->opsets->len));
    }

  return find_opset (self->opsets, self->opset_places, domain);
}

static GHashTable *
index_opsets (GArray *opsets)
{
  GHashTable *places = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = opsets->len; i-- > 0;)
    g_hash_table_insert (places, (gpointer) g_array_index (opsets, AssayOpset, i).domain,
                         GUINT_TO_POINTER (i + 1));

  return places;
}

static const char *
domain_of (const AssayNode *node)
{
  return node->op == ASSAY_OP_OPAQUE ? node->domain : assay_op_get_info (node->op)->domain;
}

/* The lowest version of each domain of ONNX that has what the nodes need. */
static void
need_opsets (OnnxWriter *self, GHashTable *had_places)
{
  AssayGraph *graph = self->graph;

  g_array_set_size (self->opsets, 0);
  g_hash_table_remove_all (self->opset_places);
  ensure_opset (self, "", ASSAY_ONNX_LOWEST_OPSET);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      const AssayOpset *had = find_opset (graph->opsets, had_places, domain_of (node));
      gint64 version = had != NULL               ? had->version
                       : node->violation != NULL ? assay_op_get_info (node->meant)->since
                                                 : 1;
      AssayOpset *opset;

      if (node->op != ASSAY_OP_OPAQUE)
        version = MAX (assay_onnx_form_stray_attr (node) != NULL ? version : 1,
                       assay_onnx_form_lowest_opset (graph, id, self->flags));
      opset = ensure_opset (self, domain_of (node), version);
      opset->version = MAX (opset->version, version);
    }
}

/* What became an attribute is not written as an initializer, unless somebody else reads it. */
static void
leave_out (OnnxWriter *self)
{
  AssayGraph *graph = self->graph;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      g_auto (AssayOnnxForm) form = { 0 };

      assay_onnx_form_init (&form, graph, id,
                            assay_onnx_write_version (self, assay_graph_node (graph, id)),
                            self->flags);
      if (form.dropped != ASSAY_NO_VALUE)
        self->left_out[form.dropped] = 1;
    }

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      g_auto (AssayOnnxForm) form = { 0 };

      assay_onnx_form_init (&form, graph, id,
                            assay_onnx_write_version (self, assay_graph_node (graph, id)),
                            self->flags);
      for (guint i = 0; i < form.n_inputs; i++)
        self->left_out[form.inputs[i]] = 0;
    }

  for (AssayRegionId region = 0; region < graph->regions->len; region++)
    {
      const GArray *outputs = assay_graph_region (graph, region)->outputs;

      for (guint i = 0; i < outputs->len; i++)
        self->left_out[g_array_index (outputs, AssayValueId, i)] = 0;
    }
}

/**
 * assay_onnx_write_version:
 * @self: a writer that has its opsets
 * @node: a node of its graph
 *
 * Gets the version of the domain of a node that the file imports.
 *
 * Returns: the version
 */
gint64
assay_onnx_write_version (OnnxWriter *self, const AssayNode *node)
{
  return find_opset (self->opsets, self->opset_places, domain_of (node))->version;
}

/**
 * assay_onnx_write_opsets:
 * @self: a writer
 * @keep_names: whether constants stay what they are, whatever opset that takes
 *
 * Fills in which opsets the file imports: for the domains of ONNX the lowest that has what the
 * nodes need, for others what the model had. Names are kept where that does not take a newer opset
 * than the model had; otherwise inputs become attributes again where that keeps the opset lower.
 */
void
assay_onnx_write_opsets (OnnxWriter *self, gboolean keep_names)
{
  g_autoptr (GHashTable) had_places = index_opsets (self->graph->opsets);
  const AssayOpset *had = find_opset (self->graph->opsets, had_places, "");
  gint64 most = MAX (had != NULL ? had->version : 0, ASSAY_ONNX_LOWEST_OPSET);

  self->flags = ASSAY_ONNX_FORM_EXACT;
  need_opsets (self, had_places);
  if (find_opset (self->opsets, self->opset_places, "")->version > most && !keep_names)
    {
      self->flags = ASSAY_ONNX_FORM_ANY;
      need_opsets (self, had_places);
    }
  leave_out (self);
  self->is_old = had != NULL && had->version < ASSAY_ONNX_LOWEST_OPSET;

  for (guint i = 0; i < self->graph->opsets->len; i++)
    ensure_opset (self, g_array_index (self->graph->opsets, AssayOpset, i).domain,
                  g_array_index (self->graph->opsets, AssayOpset, i).version);
}
