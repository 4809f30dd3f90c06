/* assay-kernel.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-error.h"
#include "base/assay-workers.h"
#include "evaluate/assay-evaluate.h"
#include "evaluate/assay-walk.h"

G_BEGIN_DECLS

/**
 * AssayKernel:
 * @evaluator: the run
 * @graph: the graph
 * @id: the node
 * @node: the node
 * @wide: whether floating point elements are carried in double
 * @n_inputs: number of inputs, at least as many as the op table asks for
 * @inputs: (array length=n_inputs): the inputs, %NULL where one is omitted; those that the op table
 * asks for are there
 * @n_outputs: number of outputs
 * @outputs: (array length=n_outputs): where results go, through the functions below
 *
 * What a kernel sees: one node, its inputs, and where its results go.
 */
typedef struct
{
  AssayEvaluator *evaluator;
  AssayGraph *graph;
  AssayNodeId id;
  const AssayNode *node;
  gboolean wide;
  guint n_inputs;
  AssayDatum **inputs;
  guint n_outputs;
  AssayDatum **outputs;

  /*< private >*/
  AssayWorkers *workers;
  GCancellable *cancellable;
  guint64 in_place; /* outputs that are written over an input */
  int lacks_memory; /* whether some thread had no room to compute in */
  guint n_dying;
  const AssayValueId *dying; /* values that nobody reads after this node */
} AssayKernel;

/**
 * AssayKernelFunc:
 * @self: one node and its inputs
 * @error: return location for a #GError
 *
 * Computes the outputs of a node. It sets every output that is wanted, computes in the storage
 * types of the data, and leaves the rounding of narrow floating point results to the evaluator. It
 * may be cancelled anywhere: what it has set by then is dropped.
 *
 * Returns: whether it could
 */
typedef gboolean (*AssayKernelFunc) (AssayKernel *self, GError **error);

/* Rows are in kernels.def. */
#define KERNEL(op, function, takes)                                                                \
  gboolean assay_kernel_op_##function (AssayKernel *self, GError **error);
#include "evaluate/kernels.def"
#undef KERNEL

gboolean assay_kernel_fail (AssayKernel *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
gboolean assay_kernel_fail_type (AssayKernel *self, guint input, GError **error);
gint64 assay_kernel_max_turns (AssayKernel *self);
gboolean assay_kernel_check (AssayKernel *self, GError **error);

/* Inputs. */
AssayDatum *assay_kernel_input (AssayKernel *self, guint input);
gboolean assay_kernel_expect (AssayKernel *self, guint input, AssayDType storage, int min_rank,
                              int max_rank, GError **error);
gboolean assay_kernel_expect_same (AssayKernel *self, GError **error);
const gint64 *assay_kernel_ints (AssayKernel *self, guint input, guint *n, GError **error);
gboolean assay_kernel_axis (AssayKernel *self, gint64 axis, guint rank, guint *result,
                            GError **error);
gboolean assay_kernel_node_axis (AssayKernel *self, guint rank, guint *result, GError **error);

/* Outputs. */
gboolean assay_kernel_wants (AssayKernel *self, guint output);
AssayDatum *assay_kernel_output (AssayKernel *self, guint output, AssayDType dtype, guint rank,
                                 const gint64 *dims, GError **error);
AssayDatum *assay_kernel_output_like (AssayKernel *self, guint output, guint input, GError **error);
gboolean assay_kernel_output_view (AssayKernel *self, guint output, guint input, guint rank,
                                   const gint64 *dims, GError **error);
void assay_kernel_take (AssayKernel *self, guint output, AssayDatum *datum);
AssayDatum *assay_kernel_tensor (AssayKernel *self, AssayDType dtype, AssayDType storage,
                                 guint rank, const gint64 *dims,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_kernel_scratch (AssayKernel *self, AssayDType storage, gsize n,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gpointer assay_kernel_allocate (AssayKernel *self, gsize n, gsize size, gboolean clear,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Room for @n of a type, for g_free(); undefined at first, or zero. */
#define assay_kernel_room(self, type, n, error)                                                    \
  ((type *) assay_kernel_allocate ((self), (n), sizeof (type), FALSE, (error)))
#define assay_kernel_room0(self, type, n, error)                                                   \
  ((type *) assay_kernel_allocate ((self), (n), sizeof (type), TRUE, (error)))

/* A number without its fraction, between two whole ones; what is no number is the lower one. */
static inline gint64
assay_kernel_whole (double number, double low, double high)
{
  return (gint64) (number > low ? MIN (number, high) : low);
}

/* What does not fit an integer is undefined in ONNX; here its low bits stay, as with integers. */
static inline gint64
assay_kernel_integer (double number)
{
  if (number != number)
    return 0;

  return number >= 0x1p63   ? (number < 0x1p64 ? (gint64) (guint64) number : -1)
         : number < -0x1p63 ? G_MININT64
                            : (gint64) number;
}

/* Work. */
void assay_kernel_parallel (AssayKernel *self, gsize n, gsize grain, AssayWorkFunc func,
                            gpointer data);
void assay_kernel_walk (AssayKernel *self, const AssayWalk *walk, AssayWalkFunc func,
                        gpointer data);
gpointer assay_kernel_state (AssayKernel *self);
void assay_kernel_set_state (AssayKernel *self, gpointer state, GDestroyNotify destroy);

/* Nested graphs and random numbers. */
gboolean assay_kernel_find_region (AssayKernel *self, const char *attribute, guint n_inputs,
                                   guint n_outputs, AssayRegionId *region, GError **error);
gboolean assay_kernel_run_region (AssayKernel *self, AssayRegionId region, guint n_inputs,
                                  AssayDatum *const *inputs, guint n_outputs, AssayDatum **outputs,
                                  GError **error);
guint64 assay_kernel_seed (AssayKernel *self);

/* The storage types that hold one number per element, with their types in C: ROW (storage, type).
 */
#define ASSAY_KERNEL_FLOAT_TYPES(ROW)                                                              \
  ROW (F32, float)                                                                                 \
  ROW (F64, double)
#define ASSAY_KERNEL_SIGNED_TYPES(ROW)                                                             \
  ROW (I8, gint8)                                                                                  \
  ROW (I16, gint16)                                                                                \
  ROW (I32, gint32)                                                                                \
  ROW (I64, gint64)
#define ASSAY_KERNEL_UNSIGNED_TYPES(ROW)                                                           \
  ROW (U8, guint8)                                                                                 \
  ROW (U16, guint16)                                                                               \
  ROW (U32, guint32)                                                                               \
  ROW (U64, guint64)
#define ASSAY_KERNEL_INTEGER_TYPES(ROW)                                                            \
  ASSAY_KERNEL_SIGNED_TYPES (ROW)                                                                  \
  ASSAY_KERNEL_UNSIGNED_TYPES (ROW)
#define ASSAY_KERNEL_NUMBER_TYPES(ROW)                                                             \
  ASSAY_KERNEL_FLOAT_TYPES (ROW)                                                                   \
  ASSAY_KERNEL_INTEGER_TYPES (ROW)

G_END_DECLS
