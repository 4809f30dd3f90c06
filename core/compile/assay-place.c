/* assay-place.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Chooses for every layer how many cores share its rows and which comes first, by asking the timing model.
 */
#include "compile/assay-place.h"

#include <string.h>

#include "base/assay-error.h"
#include "machine/assay-timing.h"

/* Candidates this close are equal, and more cores are preferred: they leave less work for each. */
#define TIE 2

typedef struct
{
  AssayLir *lir;
  AssayPlacement *placements;
  guint n_cores;
} Search;

typedef struct
{
  guint32 spaced;
  guint32 contiguous;
} Cost;

static gboolean
evaluate (Search   *self,
          Cost     *cost,
          GError  **error)
{
  g_autoptr (AssayCode) code = assay_emit (self->lir, self->placements, error);

  if (code == NULL)
    return FALSE;

  *cost = (Cost) { 0 };
  for (guint i = 0; i < code->models->len; i++)
    {
      AssayCycles cycles;

      assay_timing_run (code, i, &cycles, NULL);
      cost->spaced += cycles.spaced;
      cost->contiguous += cycles.contiguous;
    }

  return TRUE;
}

/* Rows that do not divide evenly begin where those of the layer before ended. */
static void
rotate (Search *self)
{
  guint at = 0;

  for (guint i = 0; i < self->lir->layers->len; i++)
    {
      const AssayLirLayer *layer = &g_array_index (self->lir->layers, AssayLirLayer, i);

      if (self->placements[i].cores != self->n_cores || layer->twin != i)
        continue;
      self->placements[i].remainder = (guint16) at;
      at = (at + layer->n_units) % self->n_cores;
    }
}

static gboolean
is_better (const Cost           *cost,
           const AssayPlacement *placement,
           const Cost           *best,
           const AssayPlacement *best_placement)
{
  if (cost->spaced + TIE < best->spaced)
    return TRUE;
  if (cost->spaced > best->spaced + TIE)
    return FALSE;
  if (placement->cores != best_placement->cores)
    return placement->cores > best_placement->cores;

  return cost->spaced != best->spaced ? cost->spaced < best->spaced : cost->contiguous < best->contiguous;
}

static gboolean
improve_layer (Search *self,
               guint   layer,
               Cost   *best)
{
  AssayPlacement chosen = self->placements[layer];
  AssayPlacement start = chosen;
  Cost start_cost = *best;
  guint n_units = g_array_index (self->lir->layers, AssayLirLayer, layer).n_units;

  for (guint cores = 1; cores <= MIN (self->n_cores, n_units); cores++)
    {
      for (guint first = 0; first + cores <= self->n_cores; first++)
        {
          AssayPlacement candidate = { (guint16) first, (guint16) cores, 0 };
          Cost cost;
          gboolean fits;

          if (memcmp (&candidate, &start, sizeof candidate) == 0)
            {
              cost = start_cost;
              fits = TRUE;
            }
          else
            {
              self->placements[layer] = candidate;
              fits = evaluate (self, &cost, NULL);
            }

          if (fits && (is_better (&cost, &candidate, best, &chosen)))
            {
              *best = cost;
              chosen = candidate;
            }
          /* Other cores are tried only where the first ones have no room. */
          if (fits)
            break;
        }
    }

  self->placements[layer] = chosen;

  return memcmp (&chosen, &start, sizeof chosen) != 0;
}

/* Every layer on the same number of cores, if a layer has so many rows. Few cores keep a small model together; many
 * share the work of a large one; a search layer by layer would not find from one to the other. */
static void
place_evenly (Search *self,
              guint   cores)
{
  for (guint i = 0; i < self->lir->layers->len; i++)
    {
      guint n_units = g_array_index (self->lir->layers, AssayLirLayer, i).n_units;

      self->placements[i] = (AssayPlacement) { 0, (guint16) CLAMP (n_units, 1, cores), 0 };
    }
}

/* Small layers are dealt out in turn where the first cores have no room for all. */
static void
deal_out (Search *self)
{
  for (guint i = 0; i < self->lir->layers->len; i++)
    {
      guint cores = self->placements[i].cores;

      if (cores < self->n_cores)
        self->placements[i].first = (guint16) (i * cores % (self->n_cores - cores + 1u));
    }
}

static gboolean
start_search (Search   *self,
              gboolean  optimize,
              Cost     *best,
              GError  **error)
{
  gsize size = (self->lir->layers->len + 1) * sizeof *self->placements;
  g_autofree AssayPlacement *chosen = g_malloc0 (size);
  g_autoptr (GError) first_error = NULL;
  gboolean found = FALSE;

  self->lir->explains = TRUE;
  for (guint cores = self->n_cores; cores > 0 && (optimize || cores == self->n_cores); cores--)
    {
      for (guint way = 0; way < 3; way++)
        {
          Cost cost;

          place_evenly (self, cores);
          if (way == 1)
            rotate (self);
          else if (way == 2)
            deal_out (self);

          if (!evaluate (self, &cost, first_error == NULL ? &first_error : NULL))
            continue;
          self->lir->explains = FALSE;
          if (!found || cost.spaced < best->spaced)
            {
              *best = cost;
              memcpy (chosen, self->placements, size);
            }
          found = TRUE;
          break;
        }
    }

  memcpy (self->placements, chosen, size);
  self->lir->explains = FALSE;
  if (!found && self->lir->failure != NULL)
    assay_allocation_set_error (self->lir->failure, error);
  else if (!found)
    g_propagate_error (error, g_steal_pointer (&first_error));

  return found;
}

/* Chooses the placements of a program of its own. */
static gboolean
search (AssayLir             *lir,
        AssayPlacement       *placements,
        gboolean              optimize,
        const AssayProgress  *progress,
        GError              **error)
{
  Search self = { lir, placements, lir->config->num_cores };
  gboolean changed = optimize;
  Cost cost;

  assay_lir_find_twins (lir);
  if (!start_search (&self, optimize, &cost, error))
    return FALSE;

  for (guint pass = 0; pass < 3 && changed; pass++)
    {
      changed = FALSE;
      for (guint i = 0; i < lir->layers->len; i++)
        {
          if (!assay_progress_check (progress, error))
            return FALSE;
          if (g_array_index (lir->layers, AssayLirLayer, i).twin == i)
            changed = improve_layer (&self, i, &cost) || changed;
        }
    }

  return TRUE;
}

/* What is best for each model alone is best for all of them, if it fits. */
static gboolean
search_apart (GPtrArray            *models,
              AssayPlacement       *placements,
              gboolean              optimize,
              const AssayProgress  *progress,
              GError              **error)
{
  for (guint i = 0; i < models->len; i++)
    {
      AssayLir *lir = g_ptr_array_index (models, i);

      if (!search (lir, placements, optimize, progress, error))
        return FALSE;
      placements += lir->layers->len;
    }

  return TRUE;
}

static AssayAllocation *
steal_failure (GPtrArray *models)
{
  /* A model that fits may have failed on the way; none behind the one that does not fit was tried. */
  for (guint i = models->len; i-- > 0;)
    {
      AssayLir *lir = g_ptr_array_index (models, i);

      if (lir->failure != NULL)
        return g_steal_pointer (&lir->failure);
    }

  return NULL;
}

/**
 * assay_place:
 * @models: (element-type AssayLir): lowered models, one or more
 * @optimize: whether to search; else every layer takes all cores
 * @progress: (nullable): progress and cancel
 * @failure: (out) (nullable): if the program does not fit: why
 * @error: return location for a #GError
 *
 * Places models in one program: spaced latency first, ties within a few cycles to more cores, then contiguous latency.
 * Every placement gives the same bits. Models that do not fit as each would lie alone are placed all over again.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayCode *
assay_place (GPtrArray            *models,
             gboolean              optimize,
             const AssayProgress  *progress,
             AssayAllocation     **failure,
             GError              **error)
{
  g_autoptr (AssayLir) joined = models->len > 1 ? assay_lir_join (models) : NULL;
  AssayLir *lir = joined != NULL ? joined : g_ptr_array_index (models, 0);
  g_autofree AssayPlacement *placements = g_new0 (AssayPlacement, lir->layers->len + 1);
  AssayCode *code = NULL;

  if (search_apart (models, placements, optimize, progress, error))
    {
      assay_lir_find_twins (lir);
      code = assay_emit (lir, placements, joined == NULL ? error : NULL);
      if (code == NULL && joined != NULL && search (lir, placements, optimize, progress, error))
        code = assay_emit (lir, placements, error);
    }

  if (code == NULL)
    *failure = joined != NULL && joined->failure != NULL ? g_steal_pointer (&joined->failure) : steal_failure (models);

  return code;
}
