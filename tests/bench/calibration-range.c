/* calibration-range.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How wide a range around a count has to be: as wide as what was fitted is off, and wider the less
 * a model is like any other. The width per distance is what nine of ten models that were left out
 * need, each family counting the same, and each family is held against what the others say.
 */
#include "calibration-range.h"

#include <math.h>

#define NO_FAMILY G_MAXUINT

/* How far off a model is per distance, and how much it counts. */
typedef struct
{
  double slope;
  double weight;
} Weighed;

static int
compare (gconstpointer a, gconstpointer b)
{
  double l = ((const Weighed *) a)->slope;
  double r = ((const Weighed *) b)->slope;

  return l < r ? -1 : l > r;
}

/* To the nearest model of another family. */
static double
find_distance (const GArray *models, guint model)
{
  const CalibrationModel *self = &g_array_index (models, CalibrationModel, model);
  double nearest = INFINITY;

  for (guint i = 0; i < models->len; i++)
    {
      const CalibrationModel *other = &g_array_index (models, CalibrationModel, i);

      if (other->family != self->family)
        nearest = MIN (nearest, assay_cycle_mix_distance (&self->mix, &other->mix));
    }

  return nearest;
}

static guint
family_of (const GArray *models, const GArray *errors, guint i)
{
  guint model = g_array_index (errors, CalibrationError, i).model;

  return g_array_index (models, CalibrationModel, model).family;
}

static guint
count_errors (const GArray *models, const GArray *errors, guint family)
{
  guint n = 0;

  for (guint i = 0; i < errors->len; i++)
    n += family_of (models, errors, i) == family;

  return n;
}

/* What nine of ten are off per distance, of all families but one. */
static double
find_slope (const GArray *models, const GArray *errors, guint without)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Weighed));
  double total = 0, sum = 0;

  for (guint i = 0; i < errors->len; i++)
    {
      const CalibrationError *error = &g_array_index (errors, CalibrationError, i);
      guint family = family_of (models, errors, i);
      Weighed weighed = { fabs (error->error) / find_distance (models, error->model),
                          1.0 / count_errors (models, errors, family) };

      if (family == without)
        continue;
      g_array_append_val (all, weighed);
      total += weighed.weight;
    }
  g_array_sort (all, compare);

  for (guint i = 0; i < all->len; i++)
    {
      sum += g_array_index (all, Weighed, i).weight;
      if (sum >= 0.9 * total - 1e-9)
        return g_array_index (all, Weighed, i).slope;
    }

  return 0;
}

/* How often the figures of a family lie in ranges that it had no part in. */
static double
print_family (const char *name, guint family, double near, const GArray *models,
              const GArray *errors)
{
  double slope = find_slope (models, errors, family);
  double width = 0, distance = 0;
  guint inside = 0, n = 0;

  for (guint i = 0; i < errors->len; i++)
    {
      const CalibrationError *error = &g_array_index (errors, CalibrationError, i);
      double apart = find_distance (models, error->model);
      double off = MAX (near, slope * apart);

      if (family_of (models, errors, i) != family)
        continue;
      inside += fabs (error->error) <= off;
      width += off;
      distance += apart;
      n++;
    }
  g_print ("  %-12s %3u of %3u in range  range %4.1f %% either way  distance %.2f\n", name, inside,
           n, 100 * width / n, distance / n);

  return (double) inside / n;
}

/**
 * calibration_range_print:
 * @families: (element-type utf8): names of the families
 * @near: (array): per family and once for none, what nine of ten figures are off that were fitted
 * without it
 * @models: (element-type CalibrationModel): the models
 * @errors: (element-type CalibrationError): what is off when their family is left out
 *
 * Prints how often each family that is left out lies in the ranges that the others make, and what
 * ranges are made of: the rows of `cycle-residuals.def`.
 */
void
calibration_range_print (const GPtrArray *families, const double *near, const GArray *models,
                         const GArray *errors)
{
  double inside = 0;

  g_print ("\nRanges for nine of ten, each family by what the others say\n");
  for (guint i = 0; i < families->len; i++)
    inside += print_family (g_ptr_array_index (families, i), i, near[i], models, errors);
  g_print ("  %-12s %5.1f %% in range, each family counting the same\n", "all",
           100 * inside / families->len);

  g_print ("\nASSAY_CYCLE_ERROR (%.0f, %.0f)\n", 1000 * near[families->len],
           1000 * find_slope (models, errors, NO_FAMILY));
  for (guint i = 0; i < models->len; i++)
    {
      const AssayCycleMix *mix = &g_array_index (models, CalibrationModel, i).mix;

      g_print ("ASSAY_CYCLE_MIX (%u, %u, %u, {", mix->cycles, mix->cores, mix->block);
      for (guint j = 0; j < ASSAY_N_TIMING; j++)
        g_print (" %u%s", mix->parts[j], j + 1 < ASSAY_N_TIMING ? "," : " })\n");
    }
}
