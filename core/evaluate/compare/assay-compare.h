/* assay-compare.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

/* Buckets of a histogram over distances: 0, 1, 2, 3-4, 5-8, 9-16, ... units in the last place. */
#define ASSAY_COMPARE_N_BUCKETS 34
#define ASSAY_COMPARE_N_WORST 20

/**
 * AssayComparePrecision:
 * @ASSAY_COMPARE_BF16: one of the two computes in bf16, or has bf16
 * @ASSAY_COMPARE_FP32: both compute in fp32 or better
 * @ASSAY_COMPARE_FP16: the tensors are f16, and both compute in it or better
 * @ASSAY_COMPARE_FP8: fp8 E4M3, of the tensors or of the weights that made them
 * @ASSAY_COMPARE_FP8_WIDE: fp8 E5M2
 * @ASSAY_COMPARE_INT8: 8 bits with a position, whose unit is the same for all elements of a tensor
 *
 * The precision in whose units in the last place two tensors are compared: the coarsest that they
 * went through.
 */
typedef enum
{
  ASSAY_COMPARE_BF16,
  ASSAY_COMPARE_FP32,
  ASSAY_COMPARE_FP16,
  ASSAY_COMPARE_FP8,
  ASSAY_COMPARE_FP8_WIDE,
  ASSAY_COMPARE_INT8,
  ASSAY_N_COMPARE_PRECISIONS
} AssayComparePrecision;

/**
 * AssayCompareElement:
 * @index: flat index
 * @a: the element of the reference
 * @b: the element that is compared with it
 * @error: scaled error, see #AssayCompareStats
 * @ulp_bf16: bf16 numbers between the two
 * @ulp_f32: fp32 numbers between the two
 * @distance: how far the two are apart in numbers of their type, see #AssayCompareStats
 *
 * One of the elements that differ most.
 */
typedef struct
{
  gsize index;
  double a;
  double b;
  double error;
  guint32 ulp_bf16;
  guint64 ulp_f32;
  guint64 distance;
} AssayCompareElement;

/**
 * AssayCompareStats:
 * @precision: in whose units @error counts
 * @step: what one unit is where all elements have the same, else 0
 * @grid: what all elements are multiples of: @step, 1 of integers, 0 of floats
 * @scale: root mean square of the reference, or the size of what was added up if that is larger
 * @n: number of elements
 * @n_different: elements with other bits, a zero's sign included
 * @n_wrong: elements that are NaN or infinite on one side only, or infinite with other signs
 * @error: largest scaled error: |a - b| in units in the last place of the larger of |a| and @scale
 * @max_abs: largest |a - b| over elements that are finite on both sides
 * @mean_abs: mean of it
 * @mean_error: mean of b - a over them, which rounding keeps near zero
 * @rms_error: root of the mean of its square
 * @max_rel: largest |a - b| / |a| where a is not zero
 * @max_ulp_bf16: most bf16 numbers between the two, both rounded to bf16
 * @max_ulp_f32: the same in fp32
 * @cosine: cosine of the angle between the two, 1 if both are zero
 * @sqnr_db: energy of the reference over energy of the difference, in dB; infinite if there is no
 * difference
 * @psnr_db: the largest |a| squared over the mean squared difference, in dB
 * @nan: NaN elements of each
 * @inf: infinite elements of each
 * @n_signs: elements that are not zero and have other signs
 * @histogram_bf16: elements per distance in bf16
 * @histogram_f32: elements per distance in fp32
 * @histogram: elements per distance in numbers of their type: in @grid, or else in @precision
 * @n_worst: entries of @worst
 * @worst: the elements that differ most, the worst first
 *
 * How two tensors differ. The scaled error judges an element near zero by the size of its tensor,
 * because there a sum cancels and the distance in numbers says nothing.
 */
typedef struct
{
  AssayComparePrecision precision;
  double step;
  double grid;
  double scale;
  gsize n;
  gsize n_different;
  gsize n_wrong;
  double error;
  double max_abs;
  double mean_abs;
  double mean_error;
  double rms_error;
  double max_rel;
  guint32 max_ulp_bf16;
  guint64 max_ulp_f32;
  double cosine;
  double sqnr_db;
  double psnr_db;
  gsize nan[2];
  gsize inf[2];
  gsize n_signs;
  gsize histogram_bf16[ASSAY_COMPARE_N_BUCKETS];
  gsize histogram_f32[ASSAY_COMPARE_N_BUCKETS];
  gsize histogram[ASSAY_COMPARE_N_BUCKETS];
  guint n_worst;
  AssayCompareElement worst[ASSAY_COMPARE_N_WORST];

  /*< private >*/
  double sum_abs;
  double sum;
  double dot;
  double energy[2];
  double difference;
  double peak;
  gsize n_finite;
} AssayCompareStats;

const char *const *assay_compare_precision_names (void);
guint assay_compare_precision_bits (AssayComparePrecision precision);
double assay_compare_precision_largest (AssayComparePrecision precision);
double assay_compare_unit (const AssayCompareStats *self);
AssayComparePrecision assay_compare_precision_of (AssayComparePrecision run, AssayDType dtype);
const char *assay_compare_unit_name (const AssayCompareStats *self);
void assay_compare_set_step (AssayCompareStats *self, double step, AssayDType dtype);
guint assay_compare_bucket (guint64 distance);
gboolean assay_compare_scale (AssayTensor *reference, double *scale, GError **error);
void assay_compare_begin (AssayCompareStats *self, AssayComparePrecision precision, double scale);
void assay_compare_add (AssayCompareStats *self, const double *a, const double *b, gsize n);
void assay_compare_end (AssayCompareStats *self);
gboolean assay_compare_tensors (AssayTensor *a, AssayTensor *b, AssayComparePrecision precision,
                                const AssayProgress *progress, AssayCompareStats *stats,
                                GError **error);

static inline gboolean
assay_compare_is_exact (const AssayCompareStats *self)
{
  return self->n_different == 0;
}

G_END_DECLS
