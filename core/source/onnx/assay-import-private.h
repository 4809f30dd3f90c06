/* assay-import-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-pointer-map.h"
#include "nnir/assay-graph-builder.h"
#include "source/assay-importer.h"
#include "source/onnx/assay-onnx-file.h"

G_BEGIN_DECLS

/* Graphs in graphs and calls in calls, together. */
#define IMPORT_MAX_DEPTH 200

/* More notes of one kind say nothing new, and would push out what matters more. */
#define IMPORT_MAX_NOTES 100

typedef struct _ImportFrame ImportFrame;

/* An attribute that a call gives to a function, and where its names mean something. */
typedef struct
{
  const Assay__Onnx__AttributeProto *proto;
  const ImportFrame *frame;
} ImportArgument;

/* The names that are visible at one place: a graph of the file, or the body of a function at one
 * call. */
struct _ImportFrame
{
  const ImportFrame *parent; /* the graph around it; functions see nothing of their caller */
  const ImportFrame *caller; /* of a function body */
  const Assay__Onnx__FunctionProto *function;
  AssayRegionId region;
  AssayPointerMap
      *values; /* interned name -> value, IMPORT_OMITTED for an input that a call omits */
  AssayPointerMap *types; /* interned name -> ValueInfoProto */
  GHashTable *results;    /* of a function body: interned name -> value of the caller */
  GHashTable *arguments; /* of a call: interned name -> ImportArgument; NULL outside of functions */
  const char *path;      /* in the file, such as `graph/node[7]:If/then_branch`; interned */
  const char *prefix; /* in front of names of nodes and values, "" outside of functions; interned */
  const char *scope;  /* of the call, "" outside of functions; interned */
  const GArray
      *opsets; /* AssayOpset, of a function body that does not use those of the model; or NULL */
  gint64 call_origin; /* of the outermost call, or -1 */
};

#define IMPORT_OMITTED G_MAXUINT32

typedef struct
{
  AssayGraph *graph;
  AssayOnnxFile *file;
  AssayFindings *findings;
  const AssayProgress *progress;
  const AssayImportOptions *options;
  AssayPointerMap *node_names; /* interned name -> how many were made of it */
  AssayPointerMap *tensors; /* TensorProto -> AssayTensor, so that what functions share is shared */
  GHashTable *functions;    /* domain, name and overload -> FunctionProto; NULL if there are none */
  GHashTable
      *opsets; /* FunctionProto -> AssayOpset of its body, where they are not those of the model */
  GHashTable *versions; /* node -> AssayOpset that it was written for, where they are not those of
                           the model */
  AssayPointerMap *scopes; /* interned path -> index */
  GPtrArray *paths;        /* interned graph path of each region */
  const char *empty;       /* interned "" */
  guint depth;             /* graphs and calls that are open */
  gsize n_nodes;
  gsize n_expected; /* nodes of the main graph, for progress */
  gsize n_duplicate_names;
  gsize n_expanded; /* nodes that came out of functions */
  gsize max_expanded;
  GError **error;
} Importer;

/* assay-import.c */
void assay_import_check_opset (Importer *self, const AssayOpset *opset);

/* assay-import-tensor.c */
AssayTensor *assay_import_tensor (Importer *self, const Assay__Onnx__TensorProto *proto,
                                  const char *path, const char *node, const char *attribute,
                                  const char *what);
AssayTensor *assay_import_sparse_tensor (Importer *self,
                                         const Assay__Onnx__SparseTensorProto *proto,
                                         const char *path, const char *node, const char *attribute,
                                         const char *what);

/* assay-import-type.c */
const AssayType *assay_import_type (Importer *self, const Assay__Onnx__TypeProto *proto,
                                    const char *path, const char *name);

/* assay-import-name.c */
const char *assay_import_text (Importer *self, const char *text);
const char *assay_import_value_name (Importer *self, const ImportFrame *frame, const char *name);
const char *assay_import_node_name (Importer *self, const ImportFrame *frame, const char *name,
                                    const char *op_type, guint index);
const char *assay_import_scope_path (Importer *self, const ImportFrame *frame,
                                     const Assay__Onnx__NodeProto *proto);
guint32 assay_import_scope (Importer *self, const char *path);

const char *assay_onnx_name_scope (const char *name, gsize *length);

/* assay-import-graph.c */
const char *assay_import_region_path (Importer *self, AssayRegionId region);
gboolean assay_import_graph (Importer *self, const Assay__Onnx__GraphProto *proto,
                             const ImportFrame *parent, AssayRegionId region, const char *path);
gboolean assay_import_nodes (Importer *self, const ImportFrame *frame, gsize n_nodes,
                             Assay__Onnx__NodeProto **nodes);
void assay_import_collect_types (Importer *self, const ImportFrame *frame, gsize n,
                                 Assay__Onnx__ValueInfoProto **infos);
AssayValueId assay_import_lookup (const ImportFrame *frame, const char *name);

/* assay-import-attribute.c */
gboolean assay_import_attributes (Importer *self, const ImportFrame *frame, AssayNodeId node,
                                  const Assay__Onnx__NodeProto *proto, const char *node_path);

/* assay-import-function.c */
void assay_import_functions (Importer *self, const Assay__Onnx__ModelProto *model);
gboolean assay_import_call (Importer *self, const ImportFrame *frame,
                            const Assay__Onnx__NodeProto *proto, const char *name,
                            const char *scope, guint32 origin, const AssayValueId *inputs,
                            const AssayValueId *outputs, gboolean *expanded);

/* assay-import-order.c, assay-import-check.c */
void assay_import_sort (Importer *self);
void assay_import_report_unused (Importer *self);

G_END_DECLS
