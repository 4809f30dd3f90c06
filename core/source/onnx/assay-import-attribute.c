/* assay-import-attribute.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

#include <string.h>

typedef Assay__Onnx__AttributeProto AttributeProto;

/* Files before IR version 2 leave the type out; what is filled in tells it. */
static int
attribute_type (const AttributeProto *proto)
{
  if (proto->has_type && proto->type != ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED)
    return proto->type;

  return proto->has_f           ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
         : proto->has_i         ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
         : proto->has_s         ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING
         : proto->t != NULL     ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR
         : proto->g != NULL     ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH
         : proto->n_floats > 0  ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS
         : proto->n_ints > 0    ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
         : proto->n_strings > 0 ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS
         : proto->n_tensors > 0 ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSORS
         : proto->n_graphs > 0  ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPHS
         : proto->sparse_tensor != NULL
             ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR
         : proto->tp != NULL        ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO
         : proto->n_type_protos > 0 ? ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS
                                    : ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
}

static const char *
text_of (const ProtobufCBinaryData *bytes)
{
  return bytes->data != NULL ? (const char *) bytes->data : "";
}

static AssayRegionId
import_body (Importer *self, const ImportFrame *frame, AssayNodeId node, const char *attribute,
             const char *node_path, const Assay__Onnx__GraphProto *graph)
{
  g_autofree char *path = g_strdup_printf ("%s/%.60s", node_path, attribute);
  AssayRegionId region;

  if (self->depth >= IMPORT_MAX_DEPTH)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.depth", frame->path,
                          assay_graph_node (self->graph, node)->name, attribute, -1,
                          "graphs are nested deeper than %d; this one is left out",
                          IMPORT_MAX_DEPTH);
      return 0;
    }

  region = assay_graph_add_region (self->graph, node, attribute,
                                   assay_import_text (self, graph->name));

  if (!assay_import_graph (self, graph, frame, region, assay_import_text (self, path)))
    return 0;

  return region;
}

static void
import_floats (Importer *self, const AttributeProto *proto, AssayAttr *attr)
{
  double *floats = assay_arena_alloc_n (self->graph->arena, proto->n_floats, sizeof *floats);

  for (gsize i = 0; i < proto->n_floats; i++)
    floats[i] = proto->floats[i];
  attr->kind = ASSAY_ATTR_FLOATS;
  attr->n = (guint32) proto->n_floats;
  attr->u.floats = floats;
}

static void
import_strings (Importer *self, const AttributeProto *proto, AssayAttr *attr)
{
  const char **strings = assay_arena_alloc_n (self->graph->arena, proto->n_strings,
                                              sizeof *strings);

  for (gsize i = 0; i < proto->n_strings; i++)
    strings[i] = assay_arena_intern_n (self->graph->arena, text_of (&proto->strings[i]),
                                       proto->strings[i].len);
  attr->kind = ASSAY_ATTR_STRINGS;
  attr->n = (guint32) proto->n_strings;
  attr->u.strings = strings;
}

static void
import_tensors (Importer *self, const ImportFrame *frame, const AttributeProto *proto,
                const char *node_name, AssayAttr *attr)
{
  AssayTensor **tensors = assay_arena_alloc_n (self->graph->arena, proto->n_tensors,
                                               sizeof *tensors);

  attr->kind = ASSAY_ATTR_TENSORS;
  attr->u.tensors = tensors;
  for (gsize i = 0; i < proto->n_tensors; i++)
    {
      tensors[attr->n] = assay_import_tensor (self, proto->tensors[i], frame->path, node_name,
                                              attr->name, "attribute");
      attr->n += tensors[attr->n] != NULL;
    }
}

static void
import_sparse_tensors (Importer *self, const ImportFrame *frame, const AttributeProto *proto,
                       const char *node_name, AssayAttr *attr)
{
  AssayTensor **tensors = assay_arena_alloc_n (self->graph->arena, proto->n_sparse_tensors,
                                               sizeof *tensors);

  attr->kind = ASSAY_ATTR_TENSORS;
  attr->u.tensors = tensors;
  for (gsize i = 0; i < proto->n_sparse_tensors; i++)
    {
      tensors[attr->n] = assay_import_sparse_tensor (self, proto->sparse_tensors[i], frame->path,
                                                     node_name, attr->name, "attribute");
      attr->n += tensors[attr->n] != NULL;
    }
}

static void
import_types (Importer *self, const ImportFrame *frame, const AttributeProto *proto,
              AssayAttr *attr)
{
  const AssayType **types = assay_arena_alloc_n (self->graph->arena, proto->n_type_protos,
                                                 sizeof *types);

  for (gsize i = 0; i < proto->n_type_protos; i++)
    types[i] = assay_import_type (self, proto->type_protos[i], frame->path, attr->name);
  attr->kind = ASSAY_ATTR_TYPES;
  attr->n = (guint32) proto->n_type_protos;
  attr->u.types = types;
}

static void
import_bodies (Importer *self, const ImportFrame *frame, AssayNodeId node,
               const AttributeProto *proto, const char *node_path, AssayAttr *attr)
{
  AssayRegionId *regions = assay_arena_alloc_n (self->graph->arena, proto->n_graphs,
                                                sizeof *regions);

  attr->kind = ASSAY_ATTR_GRAPHS;
  attr->u.regions = regions;
  for (gsize i = 0; i < proto->n_graphs; i++)
    {
      regions[attr->n] = import_body (self, frame, node, attr->name, node_path, proto->graphs[i]);
      attr->n += regions[attr->n] != 0;
    }
}

/* Fills @attr; returns FALSE if the node is better off without it. */
static gboolean
import_attribute (Importer *self, const ImportFrame *frame, AssayNodeId node,
                  const AttributeProto *proto, const char *node_path, AssayAttr *attr)
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
      attr->u.s = assay_arena_intern_n (arena, text_of (&proto->s), proto->s.len);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
      attr->kind = ASSAY_ATTR_TENSOR;
      if (proto->t != NULL)
        attr->u.tensor = assay_import_tensor (self, proto->t, frame->path, node_name, attr->name,
                                              "attribute");
      return attr->u.tensor != NULL;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR:
      attr->kind = ASSAY_ATTR_TENSOR;
      if (proto->sparse_tensor != NULL)
        attr->u.tensor = assay_import_sparse_tensor (self, proto->sparse_tensor, frame->path,
                                                     node_name, attr->name, "attribute");
      return attr->u.tensor != NULL;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSORS:
      import_sparse_tensors (self, frame, proto, node_name, attr);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH:
      attr->kind = ASSAY_ATTR_GRAPH;
      attr->u.region = proto->g == NULL
                           ? 0
                           : import_body (self, frame, node, attr->name, node_path, proto->g);
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
      import_floats (self, proto, attr);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS:
      import_strings (self, proto, attr);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSORS:
      import_tensors (self, frame, proto, node_name, attr);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPHS:
      import_bodies (self, frame, node, proto, node_path, attr);
      return TRUE;

    case ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS:
      import_types (self, frame, proto, attr);
      return TRUE;

    default:
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.attribute-type",
                          frame->path, node_name, attr->name, -1,
                          "attribute type %d, expected 1 to 14; it is left out",
                          attribute_type (proto));
      return FALSE;
    }
}

/* In the body of a function an attribute may name one of the call; without it the node has none
 * either. */
static const AttributeProto *
resolve_reference (Importer *self, const AttributeProto *proto, AssayNodeId node,
                   const ImportFrame **frame)
{
  const ImportArgument *argument;

  if (proto->ref_attr_name == NULL || proto->ref_attr_name[0] == '\0')
    return proto;

  if ((*frame)->arguments == NULL)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.attribute-reference",
                          (*frame)->path, assay_graph_node (self->graph, node)->name,
                          assay_import_text (self, proto->name), -1,
                          "refers to attribute \"%s\" of a call, but stands outside of functions",
                          assay_import_text (self, proto->ref_attr_name));
      return NULL;
    }

  argument = g_hash_table_lookup ((*frame)->arguments,
                                  assay_import_text (self, proto->ref_attr_name));
  if (argument == NULL)
    return NULL;

  if (argument->frame != NULL)
    *frame = argument->frame;

  return argument->proto;
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
assay_import_attributes (Importer *self, const ImportFrame *frame, AssayNodeId node,
                         const Assay__Onnx__NodeProto *proto, const char *node_path)
{
  g_autofree AssayAttr *attrs = g_new0 (AssayAttr, MAX (proto->n_attribute, 1));
  g_autoptr (GHashTable) names_seen = g_hash_table_new (NULL, NULL);
  guint n = 0;

  for (gsize i = 0; i < proto->n_attribute; i++)
    {
      const AttributeProto *attribute = proto->attribute[i];
      const ImportFrame *names = frame;

      attrs[n] = (AssayAttr){ .name = assay_import_text (self, attribute->name) };
      if (!g_hash_table_add (names_seen, (gpointer) attrs[n].name))
        {
          assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-attribute",
                              frame->path, assay_graph_node (self->graph, node)->name,
                              attrs[n].name, -1, "the attribute is there twice; the first is used");
          continue;
        }

      attribute = resolve_reference (self, attribute, node, &names);
      if (attribute != NULL &&
          import_attribute (self, names, node, attribute, node_path, &attrs[n]))
        n++;
      if (self->error != NULL && *self->error != NULL)
        return FALSE;
    }

  if (n > 0)
    assay_graph_set_attrs (self->graph, node, n, attrs);

  return TRUE;
}
