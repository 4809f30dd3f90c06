/* assay-weights.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-weights.h"

#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-small-float.h"

struct _AssayPanels
{
  guint32 n_outputs;
  guint32 n_inputs;
  gboolean fp32;
  gpointer data;
};

/* Outputs of the panel that begins with a row. In bf16 the last one has no more groups than it
 * needs: what is not read takes no time. */
static gsize
panel_width (const AssayPanels *self, gsize first_row)
{
  gsize rest = self->n_outputs - first_row;

  if (self->fp32 || rest >= ASSAY_PANEL)
    return ASSAY_PANEL;

  return (rest + ASSAY_PANEL_GROUP - 1) / ASSAY_PANEL_GROUP * ASSAY_PANEL_GROUP;
}

/* What the weight store keeps of a value; bf16 holds every fp8 number. What is too large becomes
 * the largest. */
static float
to_fp8 (float w)
{
  return (float) assay_small_float_round (ASSAY_DTYPE_F8E4M3FN, (double) w, TRUE,
                                          ASSAY_ROUNDING_NEAREST);
}

/**
 * assay_panels_new:
 * @matrix: a matrix
 * @placed: the rows of it that are wanted
 * @fp32: whether the weights stay fp32; else they are rounded to bf16
 * @error: return location for a #GError
 *
 * Lays a part of a matrix out for the kernels, padding outputs with zeros to whole groups or
 * panels.
 *
 * Returns: (transfer full) (nullable): the panels
 */
AssayPanels *
assay_panels_new (const AssayMatrix *matrix, const AssayPlacedMatrix *placed, gboolean fp32,
                  GError **error)
{
  gsize n_panels = (placed->n_rows + ASSAY_PANEL - 1) / ASSAY_PANEL;
  gsize n_inputs = matrix->n_inputs;
  const guint8 *src = assay_tensor_get_data (matrix->tensor, NULL, error);
  AssayPanels *self;

  if (src == NULL)
    return NULL;

  self = g_new0 (AssayPanels, 1);
  self->n_outputs = placed->n_rows;
  self->n_inputs = matrix->n_inputs;
  self->fp32 = fp32;
  self->data = g_aligned_alloc0 (MAX (n_panels * n_inputs * ASSAY_PANEL, 1),
                                 fp32 ? sizeof (float) : sizeof (guint16), 64);

  for (gsize o = 0; o < placed->n_rows; o++)
    {
      gsize panel = o / ASSAY_PANEL;
      gsize lane = o % ASSAY_PANEL;
      gsize width = panel_width (self, panel * ASSAY_PANEL);
      const guint8 *row = src + ((placed->first_row + o) * n_inputs) * sizeof (float);

      for (gsize k = 0; k < n_inputs; k++)
        {
          gsize at = panel * n_inputs * ASSAY_PANEL + k * width;
          float w;

          memcpy (&w, row + k * sizeof w, sizeof w);
          if (!fp32 && matrix->fp8)
            w = to_fp8 (w);
          if (fp32)
            ((float *) self->data)[at + lane] = w;
          else
            ((guint16 *) self->data)[at + assay_panel_index (lane)] = assay_bf16_from_f32 (w);
        }
    }

  return self;
}

void
assay_panels_free (AssayPanels *self)
{
  if (self == NULL)
    return;

  g_aligned_free (self->data);
  g_free (self);
}

/**
 * assay_panels_multiply:
 * @self: panels
 * @kernels: the kernels to use
 * @acc: accumulators, as many as outputs
 * @x: the input vector
 *
 * Adds the product to the accumulators, inputs ascending.
 */
void
assay_panels_multiply (const AssayPanels *self, const AssayKernels *kernels, float *acc,
                       const float *x)
{
  gsize step = (gsize) self->n_inputs * ASSAY_PANEL;

  for (gsize o = 0, panel = 0; o < self->n_outputs; o += ASSAY_PANEL, panel++)
    {
      gsize lanes = MIN (ASSAY_PANEL, self->n_outputs - o);
      gsize width = panel_width (self, o);
      const guint16 *narrow = (const guint16 *) self->data + panel * step;
      float partial[ASSAY_PANEL];
      float *target = acc + o;

      if (lanes < width)
        {
          memcpy (partial, acc + o, lanes * sizeof *acc);
          memset (partial + lanes, 0, (width - lanes) * sizeof *acc);
          target = partial;
        }

      if (self->fp32)
        kernels->matvec_f32 (target, (const float *) self->data + panel * step, x, self->n_inputs);
      else if (width == ASSAY_PANEL)
        kernels->matvec_bf16 (target, narrow, x, self->n_inputs);
      else
        kernels->matvec_bf16_part (target, narrow, x, self->n_inputs,
                                   (guint) (width / ASSAY_PANEL_GROUP));

      if (target == partial)
        memcpy (acc + o, partial, lanes * sizeof *acc);
    }
}
