/* assay-weights.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-weights.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "base/assay-small-float.h"

#define HUGE_PAGE ((gsize) 2 << 20)
#define CACHE_LINE ((gsize) 64)

typedef struct
{
  guint32 n_outputs;
  guint32 n_inputs;
  gboolean fp32;
  gpointer data; /* in the memory of all */
} Panels;

struct _AssayWeights
{
  Panels *panels; /* per placed matrix */
  gpointer memory;
};

/* Outputs of the panel that begins with a row. In bf16 the last one has no more groups than it
 * needs: what is not read takes no time. */
static gsize
panel_width (const Panels *self, gsize first_row)
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

static gsize
panels_size (const Panels *self)
{
  gsize full = self->n_outputs / ASSAY_PANEL * ASSAY_PANEL;
  gsize width = full + (full < self->n_outputs ? panel_width (self, full) : 0);
  gsize n = width * self->n_inputs * (self->fp32 ? sizeof (float) : sizeof (guint16));

  return (n + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Lays the rows of a placed matrix out in memory that is zero. */
static gboolean
fill (Panels *self, const AssayMatrix *matrix, const AssayPlacedMatrix *placed, GError **error)
{
  const guint8 *src = assay_tensor_get_data (matrix->tensor, NULL, error);
  gsize n_inputs = matrix->n_inputs;
  gboolean fp32 = self->fp32;

  if (src == NULL)
    return FALSE;

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

  return TRUE;
}

/* Zeros. In pages of 2 MiB where the system has them, since out of the caches a small one is looked
 * up every 32 rows. */
static gpointer
allocate (gsize n_bytes, GError **error)
{
  gpointer memory;

  if (posix_memalign (&memory, n_bytes < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE, MAX (n_bytes, 1)) != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                   "no memory for %" G_GSIZE_FORMAT " byte%s of weights", n_bytes,
                   assay_plural (n_bytes));
      return NULL;
    }

#ifdef MADV_HUGEPAGE
  /* Only advice: without it everything is as right. */
  if (n_bytes >= HUGE_PAGE)
    (void) madvise (memory, n_bytes, MADV_HUGEPAGE);
#endif

  return memset (memory, 0, n_bytes);
}

/* Whichever is read first lies first; what is never read comes last. */
static gboolean
place_all (AssayWeights *self, const AssayStreamCode *code, GError **error)
{
  g_autofree guint *order = g_new (guint, code->placed->len + 1);
  g_autofree gboolean *seen = g_new0 (gboolean, code->placed->len + 1);
  guint n = 0;
  gsize n_bytes = 0;
  guint8 *at;

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);

      if (instruction->opcode != ASSAY_OPCODE_MATRIX || seen[instruction->weights])
        continue;
      seen[instruction->weights] = TRUE;
      order[n++] = instruction->weights;
    }
  for (guint i = 0; i < code->placed->len; i++)
    {
      if (!seen[i])
        order[n++] = i;
      n_bytes += panels_size (&self->panels[i]);
    }

  at = self->memory = allocate (n_bytes, error);
  if (at == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      self->panels[order[i]].data = at;
      at += panels_size (&self->panels[order[i]]);
    }

  return TRUE;
}

/**
 * assay_weights_new:
 * @code: a verified program
 * @fp32: whether the weights stay fp32; else they are rounded to bf16
 * @error: return location for a #GError
 *
 * Lays the matrices of a program out for the kernels, padding outputs with zeros to whole groups or
 * panels.
 *
 * Returns: (transfer full) (nullable): the weights
 */
AssayWeights *
assay_weights_new (const AssayStreamCode *code, gboolean fp32, GError **error)
{
  g_autoptr (AssayWeights) self = g_new0 (AssayWeights, 1);

  self->panels = g_new0 (Panels, code->placed->len + 1);
  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);

      self->panels[i].n_outputs = placed->n_rows;
      self->panels[i].n_inputs =
          g_array_index (code->matrices, AssayMatrix, placed->matrix).n_inputs;
      self->panels[i].fp32 = fp32;
    }
  if (!place_all (self, code, error))
    return NULL;

  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);

      if (!fill (&self->panels[i], &g_array_index (code->matrices, AssayMatrix, placed->matrix),
                 placed, error))
        return NULL;
    }

  return g_steal_pointer (&self);
}

void
assay_weights_free (AssayWeights *self)
{
  if (self == NULL)
    return;

  free (self->memory);
  g_free (self->panels);
  g_free (self);
}

/* A panel of bf16 weights that waits for another one of its shape. */
typedef struct
{
  AssayPanelSums sums;
  gsize n_k;
  guint n_groups; /* 0 if none waits */
  float *target;  /* where its sums belong */
  gsize lanes;
  float partial[ASSAY_PANEL]; /* its sums, where the matrix has fewer than the panel */
} Panel;

static void
panel_begin (Panel *self, const Panels *panels, const AssayProduct *product, gsize o)
{
  gsize width = panel_width (panels, o);

  self->n_k = panels->n_inputs;
  self->n_groups = (guint) (width / ASSAY_PANEL_GROUP);
  self->lanes = MIN (width, panels->n_outputs - o);
  self->target = product->acc + o;
  self->sums.panel = (const guint16 *) panels->data + o * panels->n_inputs;
  self->sums.x = product->x;
  self->sums.acc = self->target;
  if (self->lanes == width)
    return;

  memcpy (self->partial, self->target, self->lanes * sizeof (float));
  memset (self->partial + self->lanes, 0, (width - self->lanes) * sizeof (float));
  self->sums.acc = self->partial;
}

static void
panel_end (Panel *self)
{
  if (self->sums.acc == self->partial)
    memcpy (self->target, self->partial, self->lanes * sizeof (float));
  self->n_groups = 0;
}

static void
run_one (const AssayKernels *kernels, Panel *panel)
{
  const AssayPanelSums *sums = &panel->sums;

  if (panel->n_groups == ASSAY_PANEL / ASSAY_PANEL_GROUP)
    kernels->matvec_bf16 (sums->acc, sums->panel, sums->x, panel->n_k);
  else
    kernels->matvec_bf16_part (sums->acc, sums->panel, sums->x, panel->n_k, panel->n_groups);
  panel_end (panel);
}

static void
multiply_f32 (const Panels *panels, const AssayKernels *kernels, const AssayProduct *product)
{
  for (gsize o = product->first_row; o < (gsize) product->first_row + product->n_rows;
       o += ASSAY_PANEL)
    {
      gsize lanes = MIN (ASSAY_PANEL, panels->n_outputs - o);
      const float *panel = (const float *) panels->data + o * panels->n_inputs;
      float partial[ASSAY_PANEL] = { 0 };

      memcpy (partial, product->acc + o, lanes * sizeof *partial);
      kernels->matvec_f32 (partial, panel, product->x, panels->n_inputs);
      memcpy (product->acc + o, partial, lanes * sizeof *partial);
    }
}

/**
 * assay_weights_multiply:
 * @self: weights
 * @kernels: the kernels to use
 * @products: (array length=n): products, no two of which have an accumulator in common
 * @n: how many
 *
 * Adds products to their accumulators, inputs ascending. Two panels of one shape go at once,
 * whichever product they are of, since the sums of one wait for each other.
 */
void
assay_weights_multiply (const AssayWeights *self, const AssayKernels *kernels,
                        const AssayProduct *products, guint n)
{
  Panel waiting[2];
  guint which = 0; /* the one that waits, if any does */

  waiting[0].n_groups = waiting[1].n_groups = 0;
  for (guint i = 0; i < n; i++)
    {
      const AssayProduct *product = &products[i];
      const Panels *panels = &self->panels[product->placed];

      if (panels->fp32)
        {
          multiply_f32 (panels, kernels, product);
          continue;
        }
      for (gsize o = product->first_row; o < (gsize) product->first_row + product->n_rows;
           o += ASSAY_PANEL)
        {
          Panel *before = &waiting[which], *now = &waiting[1 - which];

          panel_begin (now, panels, product, o);
          if (before->n_groups == now->n_groups && before->n_k == now->n_k)
            {
              const AssayPanelSums two[2] = { before->sums, now->sums };

              kernels->matvec_bf16_two (two, now->n_k, now->n_groups);
              panel_end (before);
              panel_end (now);
              continue;
            }
          if (before->n_groups > 0)
            run_one (kernels, before);
          which = 1 - which;
        }
    }
  if (waiting[which].n_groups > 0)
    run_one (kernels, &waiting[which]);
}
