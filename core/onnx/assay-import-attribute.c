/* assay-import-attribute.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx/assay-import-private.h"

#include <string.h>

typedef Assay__Onnx__AttributeProto AttributeProto;

/* Files before IR version 2 leave the type out; what is filled in tells it. */
static int
attribute_type (const AttributeProto *proto)
{
  if (proto->has_type && proto->type != ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED)
    return proto->type;

  return proto->has_f                ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
         : proto->has_i              ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
         : proto->has_s              ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING
         : proto->t != NULL          ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR
         : proto->g != NULL          ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH
         : proto->n_floats > 0       ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS
         : proto->n_ints > 0         ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
         : proto->n_strings > 0      ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS
         : proto->n_tensors > 0      ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSORS
         : proto->n_graphs > 0       ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPHS
         : proto->sparse_tensor != NULL ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR
         : proto->tp != NULL         ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO
         : proto->n_type_protos > 0  ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS
                                     : ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
}

static AssayRegionId
import_body (Importer                      *self,
             const ImportFrame             *frame,
             AssayNodeId                    node,
             const char                    *attribute,
             const char                    *node_path,
             const Assay__Onnx__GraphProto *graph)
{
  AssayRegionId region = assay_graph_add_region (self->graph, node, attribute, assay_import_text (self, graph->name));
  g_autofree char *path = g_strdup_printf ("%s/%s", node_path, attribute);

  if (!assay_import_graph (self, graph, frame, region, assay_arena_intern (self->graph->arena, path)))
    return 0;

  return region;
}

/* Fills @attr; returns FALSE if the node is better off without it. */
static gboolean
import_attribute (Importer             *self,
                  const ImportFrame    *frame,
                  AssayNodeId           node,
                  const AttributeProto *proto,
                  const char           *node_path,
                  AssayAttr            *attr)
{
  AssayArena *arena = self->graph->arena;
  const char *node_name = assay_graph_node (self->graph, node)->name;

  switch (attribute_type (proto))
    {
    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
      attr->kind = ASSAY_ATTR_FLOAT;
      attr->u.f = proto->f;
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
      attr->kind = ASSAY_ATTR_INT;
      attr->u.i = proto->i;
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
      attr->kind = ASSAY_ATTR_STRING;
      attr->n = (guint32) proto->s.len;
      attr->u.s = assay_arena_intern_n (arena, proto->s.data != NULL ? (const char *) proto->s.data : "", proto->s.len);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
      attr->kind = ASSAY_ATTR_TENSOR;
      attr->u.tensor = proto->t == NULL ? NULL : assay_import_tensor (self, proto->t, frame->path, node_name, attr->name,
                                                                      "attribute");
      return attr->u.tensor != NULL;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH:
      attr->kind = ASSAY_ATTR_GRAPH;
      attr->u.region = proto->g == NULL ? 0 : import_body (self, frame, node, attr->name, node_path, proto->g);
      return attr->u.region != 0;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO:
      attr->kind = ASSAY_ATTR_TYPE;
      attr->u.type = assay_import_type (self, proto->tp, frame->path, attr->name);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
      attr->kind = ASSAY_ATTR_INTS;
      attr->n = (guint32) proto->n_ints;
      attr->u.ints = assay_arena_memdup (arena, proto->ints, proto->n_ints * sizeof *proto->ints);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
      {
        double *floats = assay_arena_alloc_n (arena, proto->n_floats, sizeof *floats);

        for (gsize i = 0; i < proto->n_floats; i++)
          floats[i] = proto->floats[i];
        attr->kind = ASSAY_ATTR_FLOATS;
        attr->n = (guint32) proto->n_floats;
        attr->u.floats = floats;
      }
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS:
      {
        const char **strings = assay_arena_alloc_n (arena, proto->n_strings, sizeof *strings);

        for (gsize i = 0; i < proto->n_strings; i++)
          strings[i] = assay_arena_intern_n (arena,
                                             proto->strings[i].data != NULL ? (const char *) proto->strings[i].data : "",
                                             proto->strings[i].len);
        attr->kind = ASSAY_ATTR_STRINGS;
        attr->n = (guint32) proto->n_strings;
        attr->u.strings = strings;
      }
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSORS:
      {
        AssayTensor **tensors = assay_arena_alloc_n (arena, proto->n_tensors, sizeof *tensors);

        attr->kind = ASSAY_ATTR_TENSORS;
        for (gsize i = 0; i < proto->n_tensors; i++)
          {
            AssayTensor *tensor = assay_import_tensor (self, proto->tensors[i], frame->path, node_name, attr->name,
                                                       "attribute");

            if (tensor != NULL)
              tensors[attr->n++] = tensor;
          }
        attr->u.tensors = tensors;
      }
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPHS:
      {
        AssayRegionId *regions = assay_arena_alloc_n (arena, proto->n_graphs, sizeof *regions);

        attr->kind = ASSAY_ATTR_GRAPHS;
        for (gsize i = 0; i < proto->n_graphs; i++)
          regions[attr->n++] = import_body (self, frame, node, attr->name, node_path, proto->graphs[i]);
        attr->u.regions = regions;
      }
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS:
      {
        const AssayType **types = assay_arena_alloc_n (arena, proto->n_type_protos, sizeof *types);

        for (gsize i = 0; i < proto->n_type_protos; i++)
          types[i] = assay_import_type (self, proto->type_protos[i], frame->path, attr->name);
        attr->kind = ASSAY_ATTR_TYPES;
        attr->n = (guint32) proto->n_type_protos;
        attr->u.types = types;
      }
      return TRUE;

    default:
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.attribute-type", frame->path, node_name,
                          attr->name, -1, "attribute type %d, expected 1 to 14", attribute_type (proto));
      return FALSE;
    }
}

/**
 * assay_import_attributes:
 * @self: an importer
 * @frame: where the node stands
 * @node: the node
 * @proto: the same node in the file
 * @node_path: path of the node in the file, for the graphs it holds
 *
 * Gives a node its attributes, and the graph its regions.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_import_attributes (Importer                     *self,
                         const ImportFrame            *frame,
                         AssayNodeId                   node,
                         const Assay__Onnx__NodeProto *proto,
                         const char                   *node_path)
{
  g_autofree AssayAttr *attrs = g_new0 (AssayAttr, MAX (proto->n_attribute, 1));
  guint n = 0;

  for (gsize i = 0; i < proto->n_attribute; i++)
    {
      const AttributeProto *attribute = proto->attribute[i];

      attrs[n] = (AssayAttr) { .name = assay_import_text (self, attribute->name) };
      if (import_attribute (self, frame, node, attribute, node_path, &attrs[n]))
        n++;
      if (self->error != NULL && *self->error != NULL)
        return FALSE;
    }

  if (n > 0)
    assay_graph_set_attrs (self->graph, node, n, attrs);

  return TRUE;
}
