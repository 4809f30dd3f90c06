/* assay-kernel-normalize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-kernel.h"
#include "nnir/assay-dims.h"

/* Kernels that normalize runs of elements that lie side by side: each run is read into doubles,
 * which holds every intermediate type that the specification names (stash_type). */

typedef struct
{
  AssayKernel *kernel;
  AssayDatum *from;
  AssayDatum *to;
  AssayDatum *mean;      /* (nullable): one element per run */
  AssayDatum *deviation; /* (nullable): its inverse, one element per run */
  AssayDatum *scale;     /* (nullable) */
  AssayDatum *bias;      /* (nullable) */
  gboolean scale_each;   /* whether every element has a factor of its own, in fp64 */
  gboolean bias_each;
  gsize length;     /* of a run */
  gsize per_factor; /* elements of a run that one factor is for; 0: every run starts with the first
                       factor again */
  gsize n_factors;  /* runs after which the factors start again, times those of a run */
  double epsilon;
  gboolean centred; /* whether the mean is subtracted */
} Work;

static void
scale_row (const Work *work, gsize run, double *row, const double *scale, const double *bias)
{
  if (work->per_factor == 0)
    {
      for (gsize i = 0; i < work->length && scale != NULL; i++)
        row[i] *= scale[i];
      for (gsize i = 0; i < work->length && bias != NULL; i++)
        row[i] += bias[i];
      return;
    }

  for (gsize i = 0; i < work->length; i += work->per_factor)
    {
      gsize factor = (run * (work->length / work->per_factor) + i / work->per_factor) %
                     work->n_factors;
      double a = scale != NULL ? scale[factor] : 1.0;
      double b = bias != NULL ? bias[factor] : 0.0;

      for (gsize j = i; j < i + work->per_factor; j++)
        row[j] = row[j] * a + b;
    }
}

/* One factor alone is for all channels. */
static double *
read_all (AssayKernel *kernel, const AssayDatum *datum, gsize n_factors, GError **error)
{
  double *all;

  if (datum == NULL)
    return NULL;

  all = assay_kernel_room (kernel, double, MAX (datum->n, n_factors) + 1, error);
  if (all == NULL)
    return NULL;
  assay_elements_read (datum, 0, 1, datum->n, all);
  for (gsize i = 1; datum->n == 1 && i < n_factors; i++)
    all[i] = all[0];

  return all;
}

static void
normalize_runs (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  g_autofree double *row = assay_kernel_room (work->kernel, double, work->length + 1, NULL);
  g_autofree double *scale = work->scale_each
                                 ? NULL
                                 : read_all (work->kernel, work->scale, work->n_factors, NULL);
  g_autofree double *bias = work->bias_each
                                ? NULL
                                : read_all (work->kernel, work->bias, work->n_factors, NULL);

  if (row == NULL || (!work->scale_each && work->scale != NULL && scale == NULL) ||
      (!work->bias_each && work->bias != NULL && bias == NULL))
    return;

  for (gsize run = begin; run < end; run++)
    {
      double mean = 0.0, factor;

      assay_elements_read (work->from, run * work->length, 1, work->length, row);
      if (work->centred)
        mean = assay_elements_sum (work->length, row, 0.0, FALSE) / (double) work->length;
      factor = 1.0 /
               sqrt (assay_elements_sum (work->length, row, mean, TRUE) / (double) work->length +
                     work->epsilon);

      for (gsize i = 0; i < work->length; i++)
        row[i] = (row[i] - mean) * factor;
      scale_row (work, run, row,
                 work->scale_each ? (const double *) work->scale->data + run * work->length : scale,
                 work->bias_each ? (const double *) work->bias->data + run * work->length : bias);

      assay_elements_write (work->to, run * work->length, 1, work->length, row);
      if (work->mean != NULL)
        assay_elements_write (work->mean, run, 1, 1, &mean);
      if (work->deviation != NULL)
        assay_elements_write (work->deviation, run, 1, 1, &factor);
    }
}

static void
run_normalize (AssayKernel *self, Work *work)
{
  if (work->to->n > 0)
    assay_kernel_parallel (self, work->to->n / work->length, MAX (16384 / work->length, 1),
                           normalize_runs, work);
}

static gboolean
expect_floats (AssayKernel *self, int min_rank, GError **error)
{
  for (guint i = 0; i < self->n_inputs; i++)
    {
      if (self->inputs[i] != NULL &&
          !assay_kernel_expect (self, i, ASSAY_DTYPE_UNDEFINED, i == 0 ? min_rank : 0, -1, error))
        return FALSE;
    }

  return TRUE;
}

/* Scale or bias, which may broadcast to the normalized dimensions, or to all: then every element of
 * the input gets one of its own. */
static AssayDatum *
expand_factors (AssayKernel *self, guint input, guint axis, gboolean *each, GError **error)
{
  const AssayDatum *x = self->inputs[0];
  AssayDatum *datum = assay_kernel_input (self, input);
  g_autoptr (AssayDatum) expanded = NULL;
  guint rank = x->rank - axis;
  const gint64 *dims = x->dims + axis;
  AssayWalk walk;

  *each = FALSE;
  if (datum == NULL)
    return NULL;

  for (guint i = 0; i < datum->rank; i++)
    {
      gint64 dim = datum->dims[datum->rank - 1 - i];

      if (dim != 1 && (i >= x->rank || dim != x->dims[x->rank - 1 - i]))
        {
          assay_kernel_fail (self, error,
                             "dimension %u of input %u is %" G_GINT64_FORMAT
                             ", which does not broadcast to input 0",
                             datum->rank - 1 - i, input, dim);
          return NULL;
        }
      *each = *each || (dim != 1 && i >= rank);
    }
  if (*each)
    {
      rank = x->rank;
      dims = x->dims;
    }

  expanded = assay_kernel_tensor (self, ASSAY_DTYPE_F64, ASSAY_DTYPE_F64, rank, dims, error);
  if (expanded == NULL)
    return NULL;
  if (datum->n == expanded->n)
    {
      assay_elements_read (datum, 0, 1, datum->n, expanded->data);
      return g_steal_pointer (&expanded);
    }

  {
    /* Leading dimensions of one say nothing. */
    AssayDatum shape = *datum;

    while (shape.rank > rank)
      {
        shape.rank--;
        shape.dims++;
      }
    assay_walk_init (&walk, rank, dims);
    assay_walk_add_broadcast (&walk, &shape);
  }
  for (gsize i = 0; i < expanded->n; i++)
    {
      gssize at = 0;
      gsize rest = i;

      for (guint d = walk.rank; d > 0; d--)
        {
          at += walk.strides[0][d - 1] * (gssize) (rest % walk.dims[d - 1]);
          rest /= walk.dims[d - 1];
        }
      assay_elements_read (datum, (gsize) at, 1, 1, (double *) expanded->data + i);
    }

  return g_steal_pointer (&expanded);
}

gboolean
assay_kernel_op_layer_norm (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0];
  Work work = { .kernel = self,
                .from = from,
                .length = 1,
                .centred = self->node->op == ASSAY_OP_LayerNormalization };
  g_autoptr (AssayDatum) scale = NULL;
  g_autoptr (AssayDatum) bias = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 stash_type = assay_node_get_int (self->node, "stash_type");
  AssayDType stash = ASSAY_DTYPE_F32;
  guint axis;

  if (!expect_floats (self, 1, error) || !assay_kernel_node_axis (self, from->rank, &axis, error))
    return FALSE;
  if (stash_type > 0 && stash_type < G_MAXINT && assay_dtype_is_known ((int) stash_type) &&
      assay_dtype_is_float ((AssayDType) stash_type))
    stash = (AssayDType) stash_type;

  for (guint i = 0; i < from->rank; i++)
    {
      dims[i] = i < axis ? from->dims[i] : 1;
      work.length *= i < axis ? 1 : (gsize) from->dims[i];
    }

  scale = expand_factors (self, 1, axis, &work.scale_each, error);
  if (scale == NULL)
    return FALSE;
  /* A bias without elements is none. */
  if (assay_kernel_input (self, 2) != NULL && (self->inputs[2]->n > 0 || from->n == 0))
    {
      bias = expand_factors (self, 2, axis, &work.bias_each, error);
      if (bias == NULL)
        return FALSE;
    }

  work.scale = scale;
  work.bias = bias;
  work.epsilon = assay_node_get_float (self->node, "epsilon");
  work.to = assay_kernel_output (self, 0, work.centred ? from->dtype : self->inputs[1]->dtype,
                                 from->rank, from->dims, error);
  if (work.to == NULL)
    return FALSE;
  if (assay_kernel_wants (self, 1))
    {
      work.mean = assay_kernel_output (self, 1, stash, from->rank, dims, error);
      if (work.mean == NULL)
        return FALSE;
    }
  if (assay_kernel_wants (self, 2))
    {
      work.deviation = assay_kernel_output (self, 2, stash, from->rank, dims, error);
      if (work.deviation == NULL)
        return FALSE;
    }
  run_normalize (self, &work);

  return TRUE;
}

gboolean
assay_kernel_op_group_norm (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0];
  gint64 channels, groups;
  Work work = {
    .kernel = self, .from = from, .scale = self->inputs[1], .bias = self->inputs[2], .centred = TRUE
  };

  if (!expect_floats (self, 2, error))
    return FALSE;

  channels = from->dims[1];
  groups = self->node->op == ASSAY_OP_InstanceNormalization
               ? channels
               : assay_node_get_int (self->node, "num_groups");
  if (groups <= 0 || channels % groups != 0)
    return assay_kernel_fail (
        self, error, "%" G_GINT64_FORMAT " %s not divide into %" G_GINT64_FORMAT " group%s",
        channels, assay_noun (channels, "channel does", "channels do"), groups,
        assay_plural (groups));

  work.epsilon = assay_node_get_float (self->node, "epsilon");
  work.to = assay_kernel_output_like (self, 0, 0, error);
  if (work.to == NULL)
    return FALSE;
  if (from->n == 0)
    return TRUE;

  work.per_factor = from->n / (gsize) (from->dims[0] * channels);
  work.length = work.per_factor * (gsize) (channels / groups);
  work.n_factors = (gsize) channels;
  run_normalize (self, &work);

  return TRUE;
}

typedef struct
{
  AssayDatum *from;
  AssayDatum *to;
  gsize inner;
  gsize channels;
  const double *a;
  const double *b;
} Affine;

/* One channel of one sample is a row that all factors of are the same. */
static void
apply_affine (gpointer data, gsize begin, gsize end)
{
  const Affine *work = data;

  for (gsize row = begin; row < end; row++)
    {
      double a = work->a[row % work->channels], b = work->b[row % work->channels];

      if (work->from->storage == ASSAY_DTYPE_F32 && work->to->storage == ASSAY_DTYPE_F32)
        {
          const float *from = (const float *) work->from->data + row * work->inner;
          float *to = (float *) work->to->data + row * work->inner;
          float factor = (float) a, summand = (float) b;

          for (gsize i = 0; i < work->inner; i++)
            to[i] = from[i] * factor + summand;
        }
      else
        {
          for (gsize i = 0; i < work->inner; i++)
            {
              double x;

              assay_elements_read (work->from, row * work->inner + i, 1, 1, &x);
              x = x * a + b;
              assay_elements_write (work->to, row * work->inner + i, 1, 1, &x);
            }
        }
    }
}

/* Mean and variance of each channel over samples and positions. */
static gboolean
channel_statistics (AssayKernel *self, gsize channels, gsize inner, double *mean, double *variance,
                    GError **error)
{
  const AssayDatum *from = self->inputs[0];
  gsize samples = (gsize) from->dims[0];
  g_autofree double *row = assay_kernel_room (self, double, inner + 1, error);
  double n = (double) (samples * inner);

  if (row == NULL)
    return FALSE;

  for (gsize c = 0; c < channels; c++)
    {
      mean[c] = variance[c] = 0.0;
      for (gsize i = 0; i < samples; i++)
        {
          assay_elements_read (from, (i * channels + c) * inner, 1, inner, row);
          mean[c] += assay_elements_sum (inner, row, 0.0, FALSE) / n;
        }
      for (gsize i = 0; i < samples; i++)
        {
          assay_elements_read (from, (i * channels + c) * inner, 1, inner, row);
          variance[c] += assay_elements_sum (inner, row, mean[c], TRUE) / n;
        }
    }

  return TRUE;
}

/* The running statistics of training: the old ones, moved towards those of the batch. */
static gboolean
set_running (AssayKernel *self, guint output, const double *old, const double *batch,
             GError **error)
{
  double momentum = assay_node_get_float (self->node, "momentum");
  AssayDatum *like = self->inputs[output + 2];
  AssayDatum *datum;

  if (!assay_kernel_wants (self, output))
    return TRUE;

  datum = assay_kernel_output (self, output, like->dtype, 1, like->dims, error);
  for (gsize i = 0; datum != NULL && i < datum->n; i++)
    assay_datum_set_number (datum, i, old[i] * momentum + batch[i] * (1.0 - momentum));

  return datum != NULL;
}

/* Scale and bias have one element per channel. */
static gboolean
expect_channels (AssayKernel *self, guint first, guint last, gint64 n, GError **error)
{
  for (guint i = first; i <= last; i++)
    {
      if (self->inputs[i]->rank != 1 || self->inputs[i]->dims[0] != n)
        return assay_kernel_fail (self, error,
                                  "input %u has %" G_GSIZE_FORMAT
                                  " elements, expected %" G_GINT64_FORMAT " in one dimension",
                                  i, self->inputs[i]->n, n);
    }

  return TRUE;
}

gboolean
assay_kernel_op_batch_norm (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0];
  double epsilon = assay_node_get_float (self->node, "epsilon");
  g_autofree double *scale = NULL, *bias = NULL, *mean = NULL, *variance = NULL;
  Affine work = { .from = from };

  if (!expect_floats (self, 1, error) ||
      !expect_channels (self, 1, 4, from->rank > 1 ? from->dims[1] : 1, error))
    return FALSE;

  work.channels = from->rank > 1 ? (gsize) from->dims[1] : 1;
  work.inner = assay_dims_product (from->dims, 2, from->rank);

  if (!(scale = read_all (self, self->inputs[1], 0, error)) ||
      !(bias = read_all (self, self->inputs[2], 0, error)) ||
      !(mean = read_all (self, self->inputs[3], 0, error)) ||
      !(variance = read_all (self, self->inputs[4], 0, error)))
    return FALSE;

  if (assay_node_get_int (self->node, "training_mode") != 0)
    {
      g_autofree double *batch_mean = assay_kernel_room (self, double, work.channels + 1, error);
      g_autofree double *batch_variance =
          batch_mean == NULL ? NULL : assay_kernel_room (self, double, work.channels + 1, error);

      if (batch_variance == NULL ||
          !channel_statistics (self, work.channels, work.inner, batch_mean, batch_variance,
                               error) ||
          !set_running (self, 1, mean, batch_mean, error) ||
          !set_running (self, 2, variance, batch_variance, error))
        return FALSE;
      memcpy (mean, batch_mean, work.channels * sizeof *mean);
      memcpy (variance, batch_variance, work.channels * sizeof *variance);
    }

  for (gsize c = 0; c < work.channels; c++)
    {
      scale[c] /= sqrt (variance[c] + epsilon);
      bias[c] -= mean[c] * scale[c];
    }
  work.a = scale;
  work.b = bias;
  work.to = assay_kernel_output_like (self, 0, 0, error);
  if (work.to == NULL)
    return FALSE;
  if (from->n > 0)
    assay_kernel_parallel (self, from->n / work.inner, MAX (16384 / work.inner, 1), apply_affine,
                           &work);

  return TRUE;
}
