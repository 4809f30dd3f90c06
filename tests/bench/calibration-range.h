/* calibration-range.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-cycle-mix.h"

G_BEGIN_DECLS

/**
 * CalibrationModel:
 * @family: index of its family
 * @mix: what its cycles are made of
 *
 * A model of which counts are published.
 */
typedef struct
{
  guint family;
  AssayCycleMix mix;
} CalibrationModel;

/**
 * CalibrationError:
 * @model: index of the model
 * @error: logarithm of predicted over published, by what fits all other families
 *
 * How far off one figure of a model that was left out is.
 */
typedef struct
{
  guint model;
  double error;
} CalibrationError;

void calibration_range_print (const GPtrArray *families, const double *near, const GArray *models,
                              const GArray *errors);

G_END_DECLS
