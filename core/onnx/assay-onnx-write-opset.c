/* assay-onnx-write-opset.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx/assay-onnx-write-private.h"

#include <string.h>

/* Below this the forms of too many operators differ from those that NNIR has. */
#define LOWEST_OPSET 13

static AssayOpset *
find_opset (GArray     *opsets,
            const char *domain)
{
  for (guint i = 0; i < opsets->len; i++)
    {
      AssayOpset *opset = &g_array_index (opsets, AssayOpset, i);

      if (strcmp (opset->domain, domain) == 0)
        return opset;
    }

  return NULL;
}

static AssayOpset *
ensure_opset (OnnxWriter *self,
              const char *domain,
              gint64      version)
{
  AssayOpset *opset = find_opset (self->opsets, domain);

  if (opset == NULL)
    {
      AssayOpset added = { domain, version };

      g_array_append_val (self->opsets, added);
      opset = find_opset (self->opsets, domain);
    }

  return opset;
}

/**
 * assay_onnx_write_opsets:
 * @self: a writer
 *
 * Fills in which opsets the file imports: for the domains of ONNX the lowest that has what the nodes need, for others
 * what the model had.
 */
void
assay_onnx_write_opsets (OnnxWriter *self)
{
  AssayGraph *graph = self->graph;

  ensure_opset (self, "", LOWEST_OPSET);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      const AssayOpset *had = find_opset (graph->opsets, node->domain);
      AssayOpset *opset;

      if (node->op == ASSAY_OP_OPAQUE)
        {
          opset = ensure_opset (self, node->domain, had != NULL ? had->version : 1);
          if (had != NULL)
            opset->version = MAX (opset->version, had->version);
          continue;
        }
      opset = ensure_opset (self, node->domain, 1);
      opset->version = MAX (opset->version, assay_op_get_info (node->op)->since);
    }

  for (guint i = 0; i < graph->opsets->len; i++)
    ensure_opset (self, g_array_index (graph->opsets, AssayOpset, i).domain,
                  g_array_index (graph->opsets, AssayOpset, i).version);
}
