/* assay-graph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "base/assay-arena.h"
#include "base/assay-tensor.h"
#include "nnir/assay-op.h"
#include "nnir/assay-type.h"

G_BEGIN_DECLS

/* Ids are indices into the arrays of a graph. Value 0 and node 0 do not exist: they mean "none", so
 * that an omitted optional input is 0. Region 0 is the main graph. */
typedef guint32 AssayValueId;
typedef guint32 AssayNodeId;
typedef guint32 AssayRegionId;

#define ASSAY_NO_VALUE ((AssayValueId) 0)
#define ASSAY_NO_NODE ((AssayNodeId) 0)
#define ASSAY_MAIN_REGION ((AssayRegionId) 0)

/**
 * AssayAttr:
 * @name: interned name
 * @kind: which member of the union holds
 * @n: number of entries of a list, bytes of a string
 *
 * One attribute of a node.
 */
typedef struct
{
  const char *name;
  AssayAttrKind kind;
  guint32 n;
  union
  {
    gint64 i;
    double f;
    const char *s;
    AssayTensor *tensor;
    AssayRegionId region;
    const AssayType *type;
    const gint64 *ints;
    const double *floats;
    const char *const *strings;
    AssayTensor *const *tensors;
    const AssayRegionId *regions;
    const AssayType *const *types;
  } u;
} AssayAttr;

/**
 * AssayValueKind:
 * @ASSAY_VALUE_RESULT: an output of a node
 * @ASSAY_VALUE_INPUT: an input of a region
 * @ASSAY_VALUE_CONSTANT: an initializer or folded constant; has no producer
 * @ASSAY_VALUE_MISSING: read somewhere, written nowhere; a finding says so
 */
typedef enum
{
  ASSAY_VALUE_RESULT,
  ASSAY_VALUE_INPUT,
  ASSAY_VALUE_CONSTANT,
  ASSAY_VALUE_MISSING,
} AssayValueKind;

/**
 * AssayValue:
 * @name: interned name, that of ONNX where there is one
 * @type: what is known of the type; never %NULL
 * @kind: where it comes from
 * @region: the region it is defined in; nested regions may read it
 * @producer: the node it is an output of, or 0
 * @output: which output of the producer, or which input of the region
 * @constant: (nullable): the elements, if they are known; set for constants, and for results that
 * were folded in place
 * @is_parameter: an input that also has a default (initializer), as older ONNX files have; the
 * default is @constant
 *
 * One SSA value.
 */
typedef struct
{
  const char *name;
  const AssayType *type;
  AssayValueKind kind;
  AssayRegionId region;
  AssayNodeId producer;
  guint32 output;
  AssayTensor *constant;
  gboolean is_parameter;
} AssayValue;

/**
 * AssayNode:
 * @op: the operation, %ASSAY_OP_OPAQUE if @violation says why it is not that of @meant
 * @meant: the operation that @violation is about
 * @violation: (nullable): what the node does against the constraints of its operator; no pass
 * touches it then, no target takes it, and it never runs
 * @name: interned name: that of the ONNX node that makes its first output, or a made-up unique one;
 * never %NULL
 * @op_type: interned type as in the file; for known operations usually the name of @op
 * @domain: interned domain as in the file, "" for the default one
 * @scope: index of its scope, 0 for none
 * @region: the region it stands in
 * @opset: version of its domain that the file has it in, as far as it stands here as there; 0 for a
 * node that was made otherwise
 * @n_inputs: number of inputs, trailing omitted ones dropped
 * @inputs: the inputs, 0 where one is omitted
 * @n_outputs: number of outputs
 * @outputs: the outputs, 0 where one is not wanted
 * @n_attrs: number of attributes
 * @attrs: the attributes, in the order of the file; defaults are not written out
 * @n_origins: number of ONNX nodes it stands for
 * @origins: indices into the origins of the graph
 *
 * One operation.
 */
typedef struct
{
  AssayOp op;
  AssayOp meant;
  const char *violation;
  AssayRegionId region;
  const char *name;
  const char *op_type;
  const char *domain;
  guint32 scope;
  guint32 n_inputs;
  guint32 n_outputs;
  guint32 n_attrs;
  guint32 n_origins;
  guint16 opset;
  AssayValueId *inputs;
  AssayValueId *outputs;
  AssayAttr *attrs;
  const guint32 *origins;
} AssayNode;

/**
 * AssayRegion:
 * @name: interned name of the graph
 * @parent: the node whose attribute it is, or 0 for the main graph
 * @attribute: (nullable): interned name of that attribute
 * @inputs: (element-type guint32): values that are its inputs
 * @outputs: (element-type guint32): values that are its outputs; 0 where one is missing
 * @nodes: (element-type guint32): its nodes; after import in topological order unless there is a
 * cycle
 *
 * A graph or the body of a control flow operation.
 */
typedef struct
{
  const char *name;
  AssayNodeId parent;
  const char *attribute;
  GArray *inputs;
  GArray *outputs;
  GArray *nodes;
} AssayRegion;

/**
 * AssayOrigin:
 * @path: interned path of the graph or function in the file, such as `graph` or
 * `graph/node[7]:If/then_branch`
 * @name: interned name of the ONNX node, maybe empty
 * @op_type: interned ONNX operator type
 * @domain: interned domain
 * @index: position in its graph
 * @rule: (nullable): interned id of the rewrite that first changed, merged or removed what stood
 * for it
 * @call: (nullable): of a node that calls a function of PyTorch: that node alone, its operands in
 * the places of the function, with the types that were known when it was read
 *
 * One node of the ONNX file.
 */
typedef struct
{
  const char *path;
  const char *name;
  const char *op_type;
  const char *domain;
  guint32 index;
  const char *rule;
  struct _AssayGraph *call;
} AssayOrigin;

/**
 * AssayOpset:
 * @domain: interned domain
 * @version: version that the model imports
 */
typedef struct
{
  const char *domain;
  gint64 version;
} AssayOpset;

/**
 * AssayRewrite:
 * @rule: interned id of the pass or rule
 * @before: names of the nodes that were replaced
 * @after: names of the nodes that replaced them, possibly none
 *
 * One recorded rewrite, for viewers and for provenance.
 */
typedef struct
{
  const char *rule;
  guint32 n_before;
  guint32 n_after;
  const char *const *before;
  const char *const *after;
} AssayRewrite;

/**
 * AssayGraph:
 *
 * NNIR: values and nodes in SSA form, flat arrays indexed by small ids, one arena. Build it with
 * the functions of `assay-graph-builder.h`; once handed on it is not changed any more, and passes
 * make new graphs. Reading gives const; only that header lends values, nodes and regions to change.
 */
typedef struct _AssayGraph AssayGraph;

struct _AssayGraph
{
  /*< private >*/
  gatomicrefcount ref_count;
  AssayArena *arena;

  /*< public >*/
  GArray *values;     /* AssayValue, [0] unused */
  GArray *nodes;      /* AssayNode, [0] unused */
  GArray *regions;    /* AssayRegion, [0] the main graph */
  GArray *origins;    /* AssayOrigin */
  GArray *scopes;     /* const char *: slash separated path, [0] is "" */
  GArray *opsets;     /* AssayOpset */
  GArray *rewrites;   /* AssayRewrite */
  GPtrArray *tensors; /* AssayTensor, keeps what values and attributes point to alive */
  GPtrArray *calls;   /* AssayGraph, keeps those of origins alive */

  const char *name;
  const char *producer_name;
  const char *producer_version;
  const char *doc;
  const char *source; /* id of the source that it was read by, NULL if it was not; lives for ever */
  gint64 ir_version;
  guint32 level; /* AssayGraphLevel */
  gboolean
      is_changed; /* no longer as the file has it: a copy, or with sizes in the place of others */
};

/**
 * AssayGraphLevel:
 * @ASSAY_GRAPH_ONNX: as in the file, every node one of the file in its newest form
 * @ASSAY_GRAPH_NNIR: canonical forms, constants folded
 * @ASSAY_GRAPH_STREAMED: after the streaming transform
 * @ASSAY_GRAPH_PASSES: as its source writes it, behind a pass of that source; to look at only
 */
typedef enum
{
  ASSAY_GRAPH_ONNX,
  ASSAY_GRAPH_NNIR,
  ASSAY_GRAPH_STREAMED,
  ASSAY_GRAPH_PASSES,
} AssayGraphLevel;

#define ASSAY_TYPE_GRAPH (assay_graph_get_type ())

GType assay_graph_get_type (void) G_GNUC_CONST;
AssayGraph *assay_graph_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_graph_copy (AssayGraph *self) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_graph_ref (AssayGraph *self);
void assay_graph_unref (AssayGraph *self);

/* Counts include the unused entry 0 of values and nodes, so loops start at 1. */
static inline guint32
assay_graph_n_values (const AssayGraph *self)
{
  return self->values->len;
}

static inline guint32
assay_graph_n_nodes (const AssayGraph *self)
{
  return self->nodes->len;
}

static inline const AssayValue *
assay_graph_value (const AssayGraph *self, AssayValueId id)
{
  g_assert (id < self->values->len);
  return &g_array_index (self->values, AssayValue, id);
}

static inline const AssayNode *
assay_graph_node (const AssayGraph *self, AssayNodeId id)
{
  g_assert (id < self->nodes->len);
  return &g_array_index (self->nodes, AssayNode, id);
}

static inline const AssayRegion *
assay_graph_region (const AssayGraph *self, AssayRegionId id)
{
  g_assert (id < self->regions->len);
  return &g_array_index (self->regions, AssayRegion, id);
}

const AssayAttr *assay_node_find_value (const AssayNode *self);
const AssayAttr *assay_node_find_attr (const AssayNode *self, const char *name);
gboolean assay_node_resolve_attr (const AssayNode *self, const char *name, AssayAttr *attr);
gboolean assay_node_find_int (const AssayNode *self, const char *name, gint64 *value);
gboolean assay_node_find_float (const AssayNode *self, const char *name, double *value);
gint64 assay_node_get_int (const AssayNode *self, const char *name);
double assay_node_get_float (const AssayNode *self, const char *name);
const char *assay_node_get_string (const AssayNode *self, const char *name);
const double *assay_node_get_floats (const AssayNode *self, const char *name, guint *n);
const gint64 *assay_node_get_ints (const AssayNode *self, const char *name, guint *n);
gint64 assay_node_get_entry (const AssayNode *self, const char *name, guint index);
AssayValueId assay_node_input (const AssayNode *self, guint index);
AssayValueId assay_node_output (const AssayNode *self, guint index);
AssayTensor *assay_graph_constant (const AssayGraph *self, AssayValueId id);
gboolean assay_graph_is_constant (const AssayGraph *self, AssayValueId id);
char *assay_graph_node_path (const AssayGraph *self, AssayNodeId id) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGraph, assay_graph_unref)

G_END_DECLS
