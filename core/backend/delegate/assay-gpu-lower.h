/* assay-gpu-lower.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/delegate/assay-gpu-plan.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/* What a shader is given: a value of the graph, or something of its own making. */
typedef guint32 AssayGpuRef;

#define ASSAY_GPU_REF_PACKED 0x80000000u  /* the bits below count constants of lowerings */
#define ASSAY_GPU_REF_SCRATCH 0x40000000u /* the bits below count tensors of lowerings */
#define ASSAY_GPU_REF_NUMBER 0x3fffffffu

/**
 * AssayGpuForm:
 * @ASSAY_GPU_FORM_NONE: not on a device
 * @ASSAY_GPU_FORM_F32: floats
 * @ASSAY_GPU_FORM_F16: halves
 * @ASSAY_GPU_FORM_I32: whole numbers and truth values, a word each
 *
 * What elements are in the memory of a device.
 */
typedef enum
{
  ASSAY_GPU_FORM_NONE,
  ASSAY_GPU_FORM_F32,
  ASSAY_GPU_FORM_F16,
  ASSAY_GPU_FORM_I32,
} AssayGpuForm;

/**
 * AssayGpuResult:
 * @ASSAY_GPU_RESULT_WHOLE: elements on their own, or blocks of them, in any order
 * @ASSAY_GPU_RESULT_LINES: lines along the last axis, or whole texels of several, per invocation
 * @ASSAY_GPU_RESULT_PARTS: some of its elements only, or others than the texels of a texture hold
 *
 * How the invocations of a step make its result. What is made in parts cannot be a texture, and of
 * a texture that is made whole an invocation makes a texel.
 */
typedef enum
{
  ASSAY_GPU_RESULT_WHOLE,
  ASSAY_GPU_RESULT_LINES,
  ASSAY_GPU_RESULT_PARTS,
} AssayGpuResult;

/**
 * AssayGpuStep:
 * @shader: an #AssayGpuShader
 * @op: what it does of what it can do
 * @count: invocations
 * @first_word: the first of its words
 * @n_words: how many
 * @result: an #AssayGpuResult
 * @refs: what it is given, the last one is written
 *
 * A dispatch whose tensors have no place yet.
 */
typedef struct
{
  guint32 shader;
  guint32 op;
  guint32 count;
  guint32 first_word;
  guint32 n_words;
  guint32 result;
  AssayGpuRef refs[ASSAY_GPU_MAX_TENSORS];
} AssayGpuStep;

/**
 * AssayGpuLower:
 * @graph: the graph
 * @half: whether floats are halves on the device
 * @steps: (element-type AssayGpuStep): what the nodes so far have become
 * @words: (element-type gint32): what the shaders are told
 * @packed: (element-type GBytes): constants that lowerings have made
 * @scratch: (element-type gsize): bytes of the tensors that lowerings need
 * @aliases: (array): per value the value whose elements it shares, or %ASSAY_NO_VALUE
 * @node: the node under way
 * @clamp: the node whose bounds take effect in that node, or %ASSAY_NO_NODE
 * @low: bounds of the result of the node under way
 * @high: the same
 * @textures: whether the node under way makes textures where its shaders do
 * @reason: why the last node has no shader
 *
 * Turns nodes into runs of shaders.
 */
typedef struct
{
  AssayGraph *graph;
  gboolean half;
  GArray *steps;
  GArray *words;
  GPtrArray *packed;
  GArray *scratch;
  AssayValueId *aliases;
  AssayNodeId node;
  AssayNodeId clamp;
  float low;
  float high;
  gboolean textures;
  const char *reason;
} AssayGpuLower;

/* What a shader of functions does that only hands elements on. */
#define ASSAY_GPU_UNARY_COPY 31
#define ASSAY_GPU_UNARY_TEXELS 30

/* In the place of a QuantizeLinear: operands are small integers, and the result is not. */
#define ASSAY_GPU_TO_FLOAT ((AssayNodeId) G_MAXUINT32)

AssayGpuLower *assay_gpu_lower_new (AssayGraph *graph, gboolean half) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_lower_free (AssayGpuLower *self);
gboolean assay_gpu_lower_node (AssayGpuLower *self, AssayNodeId node, AssayNodeId clamp,
                               AssayNodeId quantize);
AssayGpuForm assay_gpu_form (AssayDType dtype, gboolean half);
guint assay_gpu_form_size (AssayGpuForm form);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuLower, assay_gpu_lower_free)

G_END_DECLS
