/* assay-onnx-write-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"
#include "source/onnx/assay-onnx-form.h"
#include "source/onnx/assay-onnx-write.h"
#include "source/onnx/assay-wire-message.h"

G_BEGIN_DECLS

/**
 * OnnxWriter:
 * @graph: the graph
 * @names: name of each value in the file, unique where it is visible
 * @opsets: (element-type AssayOpset): what the file imports
 * @opset_places: domain -> place in @opsets and one more
 * @values: (element-type GArray): per region its values, %NULL where there are none
 * @is_output: a byte for each value that is an output of its own region
 * @is_old: whether the model had an older opset than any that is written
 * @flags: which older forms of operators are used
 * @left_out: (nullable): a byte for each value that became an attribute and that nothing reads any
 * more
 * @location: (nullable): name of the file beside it that gets the large weights
 * @beside: (element-type AssayWireHole): those weights and where they are in that file
 * @beside_size: bytes of that file
 * @ir_version: the lowest that has every element type and kind of type in the graph
 *
 * One graph on its way into a file.
 */
typedef struct
{
  AssayGraph *graph;
  const char **names;
  GArray *opsets;
  GHashTable *opset_places;
  GPtrArray *values;
  guint8 *is_output;
  gboolean is_old;
  AssayOnnxFormFlags flags;
  guint8 *left_out;
  const char *location;
  GArray *beside;
  gsize beside_size;
  gint64 ir_version;
} OnnxWriter;

/* assay-onnx-write-name.c */
GPtrArray *assay_onnx_write_lists (AssayGraph *graph);
void assay_onnx_write_names (OnnxWriter *self, GStringChunk *chunk);

/* assay-onnx-write-type.c */
AssayWireMessage *assay_onnx_write_type (OnnxWriter *self, const AssayType *type);
void assay_onnx_write_info (OnnxWriter *self, AssayWireMessage *message, guint field,
                            AssayValueId value);

/* assay-onnx-write-attribute.c */
void assay_onnx_write_entry (AssayWireMessage *message, guint field, const char *key,
                             const char *value);
AssayWireMessage *assay_onnx_write_tensor (OnnxWriter *self, AssayTensor *tensor, const char *name);
gboolean assay_onnx_write_attribute (OnnxWriter *self, AssayWireMessage *message,
                                     const AssayNode *node, const AssayAttr *attr, GError **error);

/* assay-onnx-write-graph.c */
AssayWireMessage *assay_onnx_write_graph (OnnxWriter *self, AssayRegionId region, GError **error);

/* assay-onnx-write-opset.c */
void assay_onnx_write_opsets (OnnxWriter *self, gboolean keep_names);
gint64 assay_onnx_write_version (OnnxWriter *self, const AssayNode *node);

/* assay-onnx-save.c */
gboolean assay_onnx_save (AssayWireMessage *message, const GArray *beside, const char *location,
                          const char *path, const AssayOnnxWriteOptions *options,
                          const AssayProgress *progress, GError **error);

G_END_DECLS
