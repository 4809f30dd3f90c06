/* assay-gpu-plan.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ASSAY_GPU_MAX_TENSORS 4
#define ASSAY_GPU_GROUP 64

/* Texels on a side of a texture: what devices have that the delegate is for, and more than any
 * device has, so that sizes do not overflow. */
#define ASSAY_GPU_USUAL_TEXELS 2048
#define ASSAY_GPU_MOST_TEXELS 65536

/* A shader that reads in vec4 is told by its OP how much of a line four results read: 4 bits for
 * the taps, 3 each for the distance of results and of taps. It has room for so many elements. */
#define ASSAY_GPU_LINE_BITS 10
#define ASSAY_GPU_MOST_REACH 22
#define ASSAY_GPU_LINE(taps, stride, step)                                                         \
  ((guint32) (taps) | (guint32) (stride) << 4 | (guint32) (step) << 7)
#define ASSAY_GPU_LINE_REACH(op) (3 * ((op) >> 4 & 7u) + (((op) &15u) - 1) * ((op) >> 7 & 7u) + 1)

/* Every tensor begins where any device lets a binding begin. */
#define ASSAY_GPU_ALIGNMENT 256

/**
 * AssayGpuShader:
 *
 * The shaders; gpu-shaders.def has them.
 */
typedef enum
{
/* clang-format off */
#define ASSAY_GPU_SHADER(id, name, n_tensors, textures, vec4) ASSAY_GPU_SHADER_##id,
#include "backend/delegate/gpu-shaders.def"
#undef ASSAY_GPU_SHADER
  /* clang-format on */
  ASSAY_GPU_N_SHADERS
} AssayGpuShader;

/**
 * AssayGpuSpace:
 * @ASSAY_GPU_WEIGHTS: what is written once
 * @ASSAY_GPU_WORK: what comes and goes while a submission runs, and between submissions
 * @ASSAY_GPU_TEXTURES: the same, in textures; the device says how much those take
 *
 * The memories of a plan.
 */
typedef enum
{
  ASSAY_GPU_WEIGHTS,
  ASSAY_GPU_WORK,
  ASSAY_GPU_TEXTURES,
  ASSAY_GPU_N_SPACES
} AssayGpuSpace;

/**
 * AssayGpuTensor:
 * @base: first byte
 * @size: bytes, a multiple of four
 * @space: in which memory, an #AssayGpuSpace
 * @object: the shared object that it lies in
 * @extents: of a texture: its texels in each direction
 * @is_half: of a texture: whether its elements are halves
 *
 * Where a tensor lies. A texel has four elements along the last axis.
 */
typedef struct
{
  guint64 base;
  guint64 size;
  guint32 space;
  guint32 object;
  guint32 extents[3];
  guint32 is_half;
} AssayGpuTensor;

/**
 * AssayGpuDispatch:
 * @shader: an #AssayGpuShader
 * @op: what it does of what it can do
 * @count: invocations
 * @first_word: the first of its words
 * @n_words: how many
 * @n_tensors: how many tensors it is given
 * @tensors: (array length=n_tensors): the tensors
 * @textures: a bit for each of them that is a texture
 * @first_shape: where the words of textures begin: width and height of each tensor
 * @node: the node it comes from
 *
 * One run of a shader.
 */
typedef struct
{
  guint32 shader;
  guint32 op;
  guint32 count;
  guint32 first_word;
  guint32 n_words;
  guint32 n_tensors;
  guint32 tensors[ASSAY_GPU_MAX_TENSORS];
  guint32 textures;
  guint32 first_shape;
  guint32 node;
} AssayGpuDispatch;

/**
 * AssayGpuCopy:
 * @shared: first byte in the memory that host and helper share
 * @tensor: the tensor
 * @value: the value of the graph, for the host
 *
 * A tensor that goes to the device or comes back.
 */
typedef struct
{
  guint64 shared;
  guint32 tensor;
  guint32 value;
} AssayGpuCopy;

/**
 * AssayGpuSubmission:
 * @first_in: the first of the copies to the device
 * @n_in: how many
 * @first_dispatch: the first dispatch
 * @n_dispatches: how many
 * @first_out: the first of the copies back
 * @n_out: how many
 *
 * What the device does between two parts of the host.
 */
typedef struct
{
  guint32 first_in;
  guint32 n_in;
  guint32 first_dispatch;
  guint32 n_dispatches;
  guint32 first_out;
  guint32 n_out;
} AssayGpuSubmission;

/**
 * AssayGpuPlan:
 * @tensors: (element-type AssayGpuTensor): the tensors
 * @dispatches: (element-type AssayGpuDispatch): runs of shaders
 * @copies: (element-type AssayGpuCopy): tensors that go there and back
 * @submissions: (element-type AssayGpuSubmission): parts of an inference
 * @words: (element-type gint32): what the shaders are told
 * @space_bytes: bytes of each memory
 * @shared_bytes: bytes of the memory that host and helper share; the weights stand first in it
 *
 * All that a device has to know to run the partitions of a program.
 */
typedef struct
{
  GArray *tensors;
  GArray *dispatches;
  GArray *copies;
  GArray *submissions;
  GArray *words;
  guint64 space_bytes[ASSAY_GPU_N_SPACES];
  guint64 shared_bytes;
} AssayGpuPlan;

AssayGpuPlan *assay_gpu_plan_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_plan_free (AssayGpuPlan *self);
GBytes *assay_gpu_plan_to_bytes (const AssayGpuPlan *self) G_GNUC_WARN_UNUSED_RESULT;
AssayGpuPlan *assay_gpu_plan_from_bytes (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_gpu_plan_verify (const AssayGpuPlan *self, GError **error);
const char *assay_gpu_shader_name (AssayGpuShader shader);
guint assay_gpu_shader_n_tensors (AssayGpuShader shader);
gboolean assay_gpu_shader_takes_texture (AssayGpuShader shader, guint tensor);
gboolean assay_gpu_shader_reads_vec4 (AssayGpuShader shader, guint tensor);
gboolean assay_gpu_shader_names_halves (AssayGpuShader shader);
AssayGpuShader assay_gpu_shader_with_textures (AssayGpuShader shader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuPlan, assay_gpu_plan_free)

G_END_DECLS
