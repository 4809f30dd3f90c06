/* assay-position.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"

G_BEGIN_DECLS

/* Positions that numbers of 8 bits are tried with, and that files may state. */
#define ASSAY_POSITION_LEAST (-64)
#define ASSAY_POSITION_MOST 64

/**
 * AssayRounding:
 * @ASSAY_ROUNDING_AWAY: a half away from zero, as round() of C
 * @ASSAY_ROUNDING_UP: a half towards positive infinity, as the device rounds
 * @ASSAY_ROUNDING_EVEN: a half to the even neighbour, as QuantizeLinear rounds
 *
 * What becomes of a number in the middle between two whole ones.
 */
typedef enum
{
  ASSAY_ROUNDING_AWAY,
  ASSAY_ROUNDING_UP,
  ASSAY_ROUNDING_EVEN,
} AssayRounding;

/**
 * AssayQuantizer:
 * @name: what users call it
 * @input: how inputs of the model are rounded
 * @weights: how weights are
 * @bias: how a bias is
 * @activation: how everything else is
 * @summary: one line
 *
 * How one of the vendor's tools rounds.
 */
typedef struct
{
  const char *name;
  AssayRounding input;
  AssayRounding weights;
  AssayRounding bias;
  AssayRounding activation;
  const char *summary;
} AssayQuantizer;

const AssayQuantizer *assay_quantizer_get (guint index);
const AssayQuantizer *assay_quantizer_find (const char *name, GError **error);

double assay_rounding_apply (AssayRounding rounding, double number);
gint8 assay_position_quantize (double number, int position, AssayRounding rounding);
void assay_position_quantize_all (const float *numbers, gsize n, int position,
                                  AssayRounding rounding, gint8 *quantized);
double assay_position_noise (const float *numbers, gsize n, int position, AssayRounding rounding);
int assay_position_find (const float *numbers, gsize n, AssayRounding rounding);
gboolean assay_position_of_scale (double scale, int *position);
int assay_position_nearest (double scale);
char *assay_position_describe_nearest (double scale,
                                       AssayTensor *numbers) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_position_is_centred (AssayDType dtype, AssayTensor *zero);

G_END_DECLS
