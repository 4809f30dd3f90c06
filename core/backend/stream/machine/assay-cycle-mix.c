/* assay-cycle-mix.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-cycle-mix.h"

#include <math.h>

#include "backend/stream/machine/assay-sensitivity.h"
#include "backend/stream/machine/assay-timing.h"

/* What twice the cycles, cores or values of a block weigh beside parts that are all others. */
#define DOUBLED 0.05

/* The models of which counts are published. */
static const AssayCycleMix published[] = {
#define ASSAY_CYCLE_ERROR(near, slope)
#define ASSAY_CYCLE_MIX(...) { __VA_ARGS__ },
#include "backend/stream/cycle-residuals.def"
#undef ASSAY_CYCLE_ERROR
#undef ASSAY_CYCLE_MIX
};

/* In thousandths: how far off models are that the timing was fitted to, and others per distance. */
static const struct
{
  guint near;
  guint slope;
} errors = {
#define ASSAY_CYCLE_ERROR(near, slope) near, slope,
#define ASSAY_CYCLE_MIX(...)
#include "backend/stream/cycle-residuals.def"
#undef ASSAY_CYCLE_ERROR
#undef ASSAY_CYCLE_MIX
};

/**
 * assay_cycle_mix_measure:
 * @code: a program
 * @model: which of its models
 * @mix: (out): what its cycles are made of
 *
 * Finds which part of a count each timing parameter makes: how often it stands there, times its
 * cycles.
 */
void
assay_cycle_mix_measure (const AssayStreamCode *code, guint model, AssayCycleMix *mix)
{
  g_autoptr (GArray) parameters = assay_timing_sensitivity (code, model);
  AssayCycles cycles;

  assay_timing_run (code, model, &cycles, NULL);
  *mix = (AssayCycleMix){ .cycles = cycles.spaced,
                          .cores = code->config.num_cores,
                          .block = code->config.block_size };
  for (guint i = 0; i < parameters->len; i++)
    {
      const AssaySensitivity *parameter = &g_array_index (parameters, AssaySensitivity, i);
      double made = (double) MAX (parameter->spaced, 0) * parameter->value;

      mix->parts[i] = (guint32) MIN (1000 * made / MAX (cycles.spaced, 1) + 0.5, 1000);
    }
}

/**
 * assay_cycle_mix_distance:
 * @a: what the cycles of a model are made of
 * @b: the same of another
 *
 * Tells how unlike two models are: 0 if their cycles are made of the same parts, 1 if of none that
 * they share, and more for sizes and hardware that are far apart.
 *
 * Returns: the distance
 */
double
assay_cycle_mix_distance (const AssayCycleMix *a, const AssayCycleMix *b)
{
  double rest = 0, apart = 0;

  for (guint i = 0; i < ASSAY_N_TIMING; i++)
    {
      double more = ((double) a->parts[i] - b->parts[i]) / 1000;

      apart += fabs (more);
      rest -= more;
    }

  return (apart + fabs (rest)) / 2 +
         DOUBLED * (fabs (log2 ((double) MAX (a->cycles, 1) / MAX (b->cycles, 1))) +
                    fabs (log2 ((double) a->cores / b->cores)) +
                    fabs (log2 ((double) a->block / b->block)));
}

/**
 * assay_cycle_mix_error:
 * @mix: what the cycles of a model are made of
 *
 * Tells how far a count may be off for nine models of ten: as much as those of published models
 * are, and more the less the model is like any of them.
 *
 * Returns: a logarithm of predicted over counted
 */
double
assay_cycle_mix_error (const AssayCycleMix *mix)
{
  double nearest = INFINITY;

  for (guint i = 0; i < G_N_ELEMENTS (published); i++)
    nearest = MIN (nearest, assay_cycle_mix_distance (mix, &published[i]));

  return MAX (errors.near, errors.slope * nearest) / 1000;
}
