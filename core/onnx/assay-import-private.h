/* assay-import-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph-builder.h"
#include "onnx/assay-import.h"
#include "onnx/assay-onnx-file.h"

G_BEGIN_DECLS

typedef struct _ImportFrame ImportFrame;

/* The names that are visible at one place: a graph of the file, or the body of a function at one call. */
struct _ImportFrame
{
  const ImportFrame *parent; /* the graph around it; functions see nothing of their caller */
  AssayRegionId region;
  GHashTable *values;        /* interned name -> value */
  GHashTable *types;         /* interned name -> ValueInfoProto */
  const char *path;          /* in the file, such as `graph/node[7]:If/then_branch`; interned */
  const char *prefix;        /* in front of names of nodes and values, "" outside of functions; interned */
  const char *scope;         /* of the call, "" outside of functions; interned */
  GHashTable *attributes;    /* of a call: interned name -> AttributeProto; NULL outside of functions */
  guint depth;               /* calls around it */
};

typedef struct
{
  AssayGraph *graph;
  AssayOnnxFile *file;
  AssayFindings *findings;
  const AssayProgress *progress;
  const AssayImportOptions *options;
  GHashTable *node_names; /* interned name -> how often it was made unique */
  GHashTable *tensors;    /* TensorProto -> AssayTensor, so that what functions share is shared */
  guint n_steps;
  GError **error;
} Importer;

const char      *assay_import_text          (Importer                           *self,
                                             const char                         *text);
const AssayType *assay_import_type          (Importer                           *self,
                                             const Assay__Onnx__TypeProto       *proto,
                                             const char                         *path,
                                             const char                         *name);
AssayTensor     *assay_import_tensor        (Importer                           *self,
                                             const Assay__Onnx__TensorProto     *proto,
                                             const char                         *path,
                                             const char                         *node,
                                             const char                         *attribute,
                                             const char                         *what);
gboolean         assay_import_graph         (Importer                           *self,
                                             const Assay__Onnx__GraphProto      *proto,
                                             const ImportFrame                  *parent,
                                             AssayRegionId                       region,
                                             const char                         *path);
gboolean         assay_import_attributes    (Importer                           *self,
                                             const ImportFrame                  *frame,
                                             AssayNodeId                         node,
                                             const Assay__Onnx__NodeProto       *proto,
                                             const char                         *node_path);

G_END_DECLS
