/* assay-dpu-kernels.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/dpu/machine/assay-dpu-numbers.h"

G_BEGIN_DECLS

/* Elements under a window that convolution of each channel has a loop of its own for, and channels
 * that it works on together. */
#define ASSAY_DPU_MAX_TAPS 64
#define ASSAY_DPU_MAX_BLOCK 64

/**
 * AssayDpuActivation:
 * @ASSAY_DPU_LINEAR: none
 * @ASSAY_DPU_RELU: nothing below zero
 * @ASSAY_DPU_RELU6: nor above six
 * @ASSAY_DPU_LEAKY: 26/256 of what is below zero
 * @ASSAY_DPU_PRELU: what is below zero by a factor per channel
 *
 * What an engine does with a sum before it is rounded.
 */
typedef enum
{
  ASSAY_DPU_LINEAR,
  ASSAY_DPU_RELU,
  ASSAY_DPU_RELU6,
  ASSAY_DPU_LEAKY,
  ASSAY_DPU_PRELU,
} AssayDpuActivation;

/**
 * AssayDpuWindow:
 * @n: images
 * @h: rows that go in
 * @w: columns
 * @c: channels
 * @oh: rows that come out
 * @ow: columns
 * @oc: channels
 * @kh: rows of the window
 * @kw: columns
 * @sh: its step from row to row
 * @sw: from column to column
 * @dh: step within the window
 * @dw: the same
 * @top: rows of padding in front
 * @left: columns
 *
 * How a window goes over a feature map, channels last.
 */
typedef struct
{
  guint n, h, w, c;
  guint oh, ow, oc;
  guint kh, kw;
  guint sh, sw;
  guint dh, dw;
  int top, left;
} AssayDpuWindow;

/**
 * AssayDpuFinish:
 * @activation: what is done before rounding
 * @up: by how many bits twice a sum is shifted up to meet its bias
 * @shift: by how many it is shifted down in the end
 * @cap: of ReLU6 the most that is left, in units of the result
 * @bias: (nullable): twice the bias per channel, in units of the shifted sum
 * @slopes: (nullable): of PReLU the factor per channel
 * @slope_shift: by how many bits its product is shifted down
 * @narrow: whether nothing on the way needs more than 32 bits
 * @simulate: (nullable): how a tool that quantises rounds the same sum of floats; it adds the bias
 * as it is
 * @exact_bias: (nullable): of a simulation: the bias in units of the sum
 * @scale: of a simulation: what the sum with its bias is multiplied with
 * @six: of a simulation: six in units of the result
 *
 * From sums of products to a result of 8 bits.
 */
typedef struct
{
  AssayDpuActivation activation;
  int up;
  int shift;
  int cap;
  const gint64 *bias;
  const gint8 *slopes;
  int slope_shift;
  gboolean narrow;
  double (*simulate) (double number);
  const double *exact_bias;
  double scale;
  double six;
} AssayDpuFinish;

/**
 * AssayDpuLevel:
 * @name: of the instruction set
 * @lanes: output channels that are packed together
 * @step: inputs that are packed together
 * @gemm: rows of 8 bits times packed weights: @m rows, @k inputs and @n outputs, which are filled
 * up to whole steps and lanes
 * @accumulate: adds products of @n bytes with @n bytes to @sums
 * @finish: makes results of a row of sums whose double fits 32 bits, with a shift of at least 1
 * @channels: convolves each channel for itself with as many channels out as in and at most
 * %ASSAY_DPU_MAX_TAPS elements under the window, and makes results as @finish does
 * @largest: keeps the larger of @n bytes and @n others
 * @sum: adds four times two rows, each shifted down, and makes results as @finish does
 * @product: multiplies two rows, and makes results as @finish does, with any shift below 24
 * @fix: makes bytes of @n numbers times a power of two; what is no number becomes 0
 *
 * Loops for one instruction set. Weights are packed as [outputs / lanes][k / step][lanes][step].
 */
typedef struct
{
  const char *name;
  guint lanes;
  guint step;
  void (*gemm) (const gint8 *rows, gsize stride, guint m, const gint8 *packed,
                const gint32 *column_sums, guint k, guint n, gint32 *sums);
  void (*accumulate) (gint32 *sums, const gint8 *from, const gint8 *weights, guint n);
  void (*finish) (const gint32 *sums, const gint64 *bias, guint n, int shift, gint32 low,
                  gint32 high, gint8 *results);
  void (*channels) (const AssayDpuWindow *window, const gint8 *in, const gint8 *weights,
                    const gint64 *bias, int shift, gint32 low, gint32 high, gint8 *out);
  void (*largest) (gint8 *out, const gint8 *from, guint n);
  void (*sum) (const gint8 *a, const gint8 *b, int a_shift, int b_shift, gsize n, int shift,
               gint32 low, gint32 high, gint8 *results);
  void (*product) (const gint8 *a, const gint8 *b, gsize n, int shift, gint32 low, gint32 high,
                   gint8 *results);
  void (*fix) (const float *numbers, float factor, guint n, gint8 *results);
} AssayDpuLevel;

/**
 * AssayDpuRun:
 * @source: which map it comes from
 * @from: where it begins there, -1 for zeros
 * @n: how many elements
 * @same: whether all of them are the first
 *
 * Elements that are moved and stay beside each other, or one that is repeated.
 */
typedef struct
{
  guint source;
  gint64 from;
  gsize n;
  gboolean same;
} AssayDpuRun;

const AssayDpuLevel *assay_dpu_level_get (guint index);
const AssayDpuLevel *assay_dpu_level_get_default (void);
gint8 *assay_dpu_pack (const AssayDpuLevel *level, const gint8 *weights, guint n, guint k,
                       gint32 *column_sums) G_GNUC_WARN_UNUSED_RESULT;
gsize assay_dpu_filled (gsize n, guint unit);

gint8 assay_dpu_finish_one (const AssayDpuFinish *self, gint32 sum, guint channel);
void assay_dpu_finish (const AssayDpuLevel *level, const AssayDpuFinish *self, const gint32 *sums,
                       gsize stride, guint m, guint n, gint8 *results);
void assay_dpu_conv (const AssayDpuLevel *level, const AssayDpuWindow *window, const gint8 *in,
                     const gint8 *packed, const gint32 *column_sums, const AssayDpuFinish *finish,
                     gint8 *out);
void assay_dpu_depthwise (const AssayDpuLevel *level, const AssayDpuWindow *window, const gint8 *in,
                          const gint8 *weights, const AssayDpuFinish *finish, gint8 *out);
void assay_dpu_max_pool (const AssayDpuLevel *level, const AssayDpuWindow *window, const gint8 *in,
                         int shift, gint8 *out);
void assay_dpu_average_pool (const AssayDpuWindow *window, const gint8 *in, AssayDpuFactor factor,
                             int shift, gint8 *out);
void assay_dpu_add (const AssayDpuLevel *level, const gint8 *const *in, const int *read, guint n_in,
                    gsize n, int write, AssayDpuActivation activation, int cap, gint8 *out);
void assay_dpu_multiply (const AssayDpuLevel *level, const gint8 *a, const gint8 *b, gsize n,
                         int shift, AssayDpuActivation activation, int cap, gint8 *out);
void assay_dpu_move (const gint8 *const *in, const gint32 *table, const int *shifts,
                     const guint32 *begins, guint n_in, gsize n, gint8 *out);
GArray *assay_dpu_move_runs (const gint32 *table, const guint32 *begins, guint n_in,
                             gsize n) G_GNUC_WARN_UNUSED_RESULT;
void assay_dpu_move_all (const gint8 *const *in, const GArray *runs, const int *shifts, gint8 *out);
void assay_dpu_activate (const gint8 *in, gsize n, guint channels, const AssayDpuFinish *finish,
                         gint8 *out);
void assay_dpu_look_up (const gint8 *in, gsize n, const gint8 *table, gint8 *out);
void assay_dpu_arg_max (const gint8 *in, gsize n, guint channels, gint8 *out);
void assay_dpu_resize (const AssayDpuWindow *window, const gint8 *in, gboolean half_pixel,
                       int shift, gint8 *out);

G_END_DECLS
