/* assay-dpu-code.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/dpu/machine/assay-dpu-kernels.h"
#include "base/assay-finding.h"
#include "nnir/assay-graph.h"
#include "quantize/assay-position.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

#define ASSAY_DPU_MAX_RANK 8
#define ASSAY_DPU_NO_MAP (-1)
#define ASSAY_DPU_BLOCK 1024

/**
 * AssayDpuKind:
 * @ASSAY_DPU_CONV: convolution, or product
 * @ASSAY_DPU_DEPTHWISE: convolution of each channel
 * @ASSAY_DPU_MAX_POOL: largest
 * @ASSAY_DPU_AVERAGE_POOL: average
 * @ASSAY_DPU_ADD: sum
 * @ASSAY_DPU_MULTIPLY: product, element by element
 * @ASSAY_DPU_MOVE: elements to other places
 * @ASSAY_DPU_RESIZE: interpolation
 * @ASSAY_DPU_ACTIVATE: an activation that stands alone
 * @ASSAY_DPU_HARD_SIGMOID: hard sigmoid
 * @ASSAY_DPU_HARD_SWISH: hard swish
 * @ASSAY_DPU_ARG_MAX: the channel with the largest element
 * @ASSAY_DPU_FIX: floats become 8 bits
 * @ASSAY_DPU_HOST: a node that the host computes in float
 *
 * What an operation is; dpu-kinds.def has their words.
 */
typedef enum
{
#define KIND(ID, name, unit) ASSAY_DPU_##ID,
#include "backend/dpu/assay-dpu-kinds.def"
#undef KIND
  ASSAY_DPU_N_KINDS
} AssayDpuKind;

typedef enum
{
#define UNIT(ID, name, title) ASSAY_DPU_UNIT_##ID,
#include "backend/dpu/assay-dpu-units.def"
#undef UNIT
  ASSAY_DPU_N_UNITS
} AssayDpuUnit;

/**
 * AssayDpuMap:
 * @name: of the value
 * @value: of the graph, or 0 for what stands between two operations
 * @position: of its numbers
 * @rank: number of dimensions, in the order of the graph
 * @dims: the dimensions
 * @n: number of elements
 * @last: whether the second dimension of four lies last in memory
 * @alias: the map whose elements it has, or %ASSAY_DPU_NO_MAP
 * @constant: (nullable): its elements, if they never change
 * @born: the operation that makes it
 * @died: the last that reads it
 * @base: where it lies among the maps
 *
 * A feature map of 8 bits.
 */
typedef struct
{
  const char *name;
  AssayValueId value;
  int position;
  guint rank;
  gint64 dims[ASSAY_DPU_MAX_RANK];
  gsize n;
  gboolean last;
  int alias;
  gint8 *constant;
  guint32 born;
  guint32 died;
  gsize base;
} AssayDpuMap;

/**
 * AssayDpuOp:
 * @kind: what it is
 * @unit: which engine does it
 * @node: the node it comes from
 * @fused: whether it is a part of the operation before it, and takes no time of its own
 * @row: which instruction of the program it is a part of
 * @n_inputs: number of maps that go in
 * @inputs: (array length=n_inputs): these
 * @output: the map that comes out, %ASSAY_DPU_NO_MAP for what the host computes
 * @value: of a fix: the float value
 * @window: how a window goes over the map
 * @finish: from sums to results; its arrays are those below
 * @weights: (nullable): as kernels without levels read them: convolutions [out][h][w][in]
 * @n_weights: bytes of weights
 * @bias: (nullable): twice the bias, as @finish wants it
 * @slopes: (nullable): of PReLU
 * @bias_bits: (nullable): the bias in 8 bits
 * @positions: of weights and bias
 * @factor: of an average
 * @table: (nullable): of a move: where elements come from
 * @shifts: (nullable): per input
 * @begins: (nullable): per input
 * @shift: of all others
 * @slope: of a LeakyRelu, as the model has it
 * @half_pixel: of an interpolation
 *
 * An operation of a program.
 */
typedef struct
{
  AssayDpuKind kind;
  AssayDpuUnit unit;
  AssayNodeId node;
  gboolean fused;
  guint32 row;
  guint n_inputs;
  int *inputs;
  int output;
  AssayValueId value;
  AssayDpuWindow window;
  AssayDpuFinish finish;
  gint8 *weights;
  gsize n_weights;
  gint64 *bias;
  gint8 *slopes;
  gint8 *bias_bits;
  int positions[2];
  AssayDpuFactor factor;
  gint32 *table;
  int *shifts;
  guint32 *begins;
  int shift;
  double slope;
  gboolean half_pixel;
} AssayDpuOp;

/**
 * AssayDpuOptions:
 * @exact_relu6: ReLU6 ends at six, where the vendor's reference ends at 96 whatever the position
 * @exact_bias: a bias keeps all its bits, as in versions later than 3.x
 * @quantizer: the tool whose simulation is run beside the device
 *
 * Where the sources disagree.
 */
typedef struct
{
  gboolean exact_relu6;
  gboolean exact_bias;
  const AssayQuantizer *quantizer;
} AssayDpuOptions;

/**
 * AssayDpuCode:
 * @graph: the graph that it was made of
 * @maps: (element-type AssayDpuMap): its feature maps
 * @ops: (element-type AssayDpuOp): its operations in their order
 * @rows: (element-type guint32): per instruction its first operation
 * @places: (element-type int): per value the map that it is in, or %ASSAY_DPU_NO_MAP
 * @n_bytes: bytes of all maps at their places
 * @options: how it was made
 *
 * A program of the device.
 */
typedef struct
{
  AssayGraph *graph;
  GArray *maps;
  GArray *ops;
  GArray *rows;
  GArray *places;
  gsize n_bytes;
  AssayDpuOptions options;
} AssayDpuCode;

/**
 * AssayDpuPlacement:
 * @engines: per node: its unit plus one, or 0 for the host
 * @into: per node: the node that it is a part of, or 0
 *
 * What verdicts say, so that a program can be made again without the target.
 */
typedef struct
{
  guint8 *engines;
  AssayNodeId *into;
} AssayDpuPlacement;

AssayDpuCode *assay_dpu_lower (AssayGraph *graph, const AssayDpuPlacement *placement,
                               const AssayDpuOptions *options, AssayFindings *findings,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_dpu_code_free (AssayDpuCode *self);
int assay_dpu_code_root (const AssayDpuCode *self, int map);
gsize assay_dpu_map_store (const AssayDpuMap *self, gsize logical);
const char *assay_dpu_kind_name (AssayDpuKind kind);

static inline AssayDpuMap *
assay_dpu_code_map (const AssayDpuCode *self, int map)
{
  return &g_array_index (self->maps, AssayDpuMap, map);
}

static inline AssayDpuOp *
assay_dpu_code_op (const AssayDpuCode *self, guint op)
{
  return &g_array_index (self->ops, AssayDpuOp, op);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDpuCode, assay_dpu_code_free)

G_END_DECLS
